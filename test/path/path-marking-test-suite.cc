/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "../iwarp-test.h"

#include "ns3/double.h"
#include "ns3/ipv4-queue-disc-item.h"
#include "ns3/path-marking-queue-disc.h"
#include "ns3/simulator.h"
#include "ns3/string.h"

#include <map>
#include <string>

using namespace ns3;

namespace
{

IWARP_TEST_SUITE(pathMarking, "path-marking");

/// @param threshold Kmin @param ceiling Kmax @return a queue with a probability of 1 % at Kmax
Ptr<PathMarkingQueueDisc>
MakeMarkingDisc(const std::string& threshold, const std::string& ceiling)
{
    auto disc = CreateObject<PathMarkingQueueDisc>();
    disc->SetAttribute("MaxSize", StringValue("1000p"));
    disc->SetAttribute("Threshold", StringValue(threshold));
    disc->SetAttribute("Ceiling", StringValue(ceiling));
    disc->SetAttribute("Probability", DoubleValue(0.01));
    disc->Initialize();
    return disc;
}

} // namespace

/// @brief Figure 5 of Zhu et al. (SIGCOMM 2015): 0 up to Kmin, a line up to Pmax at Kmax, then 1.
IWARP_TEST(pathMarking, "probability by length")
{
    const auto ramp = MakeMarkingDisc("40p", "240p");
    for (const auto& [length, probability] : std::map<uint32_t, double>{{0, 0},
                                                                        {39, 0},
                                                                        {40, 0},
                                                                        {41, 0.01 / 200},
                                                                        {90, 0.0025},
                                                                        {140, 0.005},
                                                                        {239, 0.01 * 199 / 200},
                                                                        {240, 1},
                                                                        {241, 1}})
    {
        NS_TEST_EXPECT_MSG_EQ_TOL(ramp->GetMarkingProbability(length), probability, 1e-12, length);
    }
    // RFC 8257 section 3.1: a threshold alone
    const auto step = MakeMarkingDisc("65p", "0p");
    NS_TEST_EXPECT_MSG_EQ(step->GetMarkingProbability(64), 0, "below");
    NS_TEST_EXPECT_MSG_EQ(step->GetMarkingProbability(65), 1, "at it");
    NS_TEST_EXPECT_MSG_EQ(step->GetMarkingProbability(66), 1, "above");
    Simulator::Destroy();
}

/// @brief What is not ECN-capable is dropped where others are marked (RFC 3168 section 5).
IWARP_TEST(pathMarking, "marks and drops by codepoint")
{
    const auto fates = [](Ipv4Header::EcnType codepoint) {
        const auto disc = MakeMarkingDisc("2p", "0p");
        std::string found;
        for (uint32_t i = 0; i < 4; i++)
        {
            Ipv4Header header;
            header.SetEcn(codepoint);
            const auto item =
                Create<Ipv4QueueDiscItem>(Create<Packet>(80), Address(), 0x0800, header);
            const bool queued = disc->Enqueue(item);
            const bool marked = item->GetHeader().GetEcn() == Ipv4Header::ECN_CE;
            found += !queued ? 'D' : marked ? 'M' : '-';
        }
        Simulator::Destroy();
        return found;
    };
    NS_TEST_EXPECT_MSG_EQ(fates(Ipv4Header::ECN_ECT0), "--MM", "ECT(0)");
    NS_TEST_EXPECT_MSG_EQ(fates(Ipv4Header::ECN_ECT1), "--MM", "ECT(1)");
    NS_TEST_EXPECT_MSG_EQ(fates(Ipv4Header::ECN_NotECT), "--DD", "not ECN-capable");
}
