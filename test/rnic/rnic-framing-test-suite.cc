/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "../iwarp-test.h"

#include "ns3/iwarp-scenario.h"
#include "ns3/iwarp-workload-mpa.h"
#include "ns3/node.h"
#include "ns3/rnic.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <utility>

using namespace ns3;

namespace
{

/// The suite.
IWARP_TEST_SUITE(rnicFraming, "rnic-framing");

/// MPA, and the sizes of frames that the sender's RNIC sends and the receiver's gets.
class FrameSizes : public IwarpMpaWorkload
{
  public:
    void Install(const Flow& flow, const iwarp::FlowListener& listener) override
    {
        IwarpMpaWorkload::Install(flow, listener);
        flow.sender->GetObject<Rnic>()->TraceConnectWithoutContext(
            "Transmit",
            MakeCallback(&FrameSizes::Note, this));
        flow.sender->GetObject<Rnic>()->TraceConnectWithoutContext(
            "Receive",
            MakeCallback(&FrameSizes::Note, this));
    }

    uint32_t shortest{UINT32_MAX}; //!< octets
    uint32_t longest{0};           //!< octets

  private:
    /// Rnic, Transmit or Receive. @param octets of the frame
    void Note(uint64_t /* flow */, uint32_t octets, Time /* delay */)
    {
        shortest = std::min(shortest, octets);
        longest = std::max(longest, octets);
    }
};

/// An RNIC works on frames as long as the link's, which pads short ones (IEEE 802.3, 3.2.8).
struct FrameTest : TestCase
{
    using TestCase::TestCase;

    /// @param settings of the scenario @param shortest @param longest frame expected
    void Check(std::map<std::string, std::string> settings, uint32_t shortest, uint32_t longest)
    {
        settings.insert({{"Rnic", "ideal"},
                         {"Rnic.TxMac.Rate", "100Gbps"}, // so that it takes part in sending
                         {"PlainTcp", "false"},
                         {"Octets", "100000"}});
        const auto workload = CreateObject<FrameSizes>();
        const auto scenario = CreateObject<IwarpScenario>();
        scenario->SetWorkload(workload);
        for (const auto& [name, value] : settings)
        {
            const std::string problem = scenario->SetParameter(name, value);
            NS_TEST_ASSERT_MSG_EQ(problem.empty(), true, problem);
        }
        NS_TEST_ASSERT_MSG_EQ(scenario->Run(), true, scenario->GetError());
        NS_TEST_EXPECT_MSG_EQ(workload->shortest, shortest, "an acknowledgement");
        NS_TEST_EXPECT_MSG_EQ(workload->longest, longest, "a full segment");
    }
};

IWARP_TEST(rnicFraming, "Frames of an RNIC have at least 64 octets on Ethernet", FrameTest)
{
    // an acknowledgement: 20 octets of IP, 20 of TCP, 12 of timestamps; around it 14 and 4
    const std::pair<std::string, std::string> bare{"TcpSocketBase.Timestamp", "false"};
    Check({}, 70, 1518);
    Check({bare}, 64, 1518);
    Check({bare, {"Ipv6", "true"}}, 78, 1518);
    Check({bare, {"Rnic.Framing", "ppp"}}, 42, 1502);
}

} // namespace
