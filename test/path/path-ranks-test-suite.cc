/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "../helper/iwarp-run-scenario.h"
#include "../iwarp-test.h"

#include "ns3/abort.h"
#include "ns3/error-model.h"
#include "ns3/iwarp-network.h"
#include "ns3/packet.h"
#include "ns3/path-ranks.h"
#include "ns3/pointer.h"
#include "ns3/simulator.h"

#include <cstdint>
#include <string>
#include <vector>

using namespace ns3;

namespace
{

/// Runs shared out to processes, as far as it takes one to see
IWARP_TEST_SUITE(pathRanks, "path-ranks");

/// Makes of each packet that arrives what another process would have of it, and drops none.
class Carrier : public ErrorModel
{
  public:
    uint64_t m_packets{0}; //!< packets so far

  private:
    bool DoCorrupt(Ptr<Packet> packet) override
    {
        // ns-3 writes and reads words
        std::vector<uint32_t> words(packet->GetSerializedSize() / 4 + 1);
        auto octets = reinterpret_cast<uint8_t*>(words.data());
        const auto size = static_cast<uint32_t>(4 * words.size());
        const bool written = packet->Serialize(octets, size) == 1;
        NS_ABORT_MSG_UNLESS(written, "a packet cannot be serialised");
        *packet = Packet(octets, packet->GetSerializedSize(), true);
        m_packets++;
        return false;
    }

    void DoReset() override
    {
    }
};

/**
 * Nothing stands beside the octets and the tags of a packet on a link: where each is taken apart
 * and put together again at every device, as between the ranks of a run, all metrics are the same.
 */
struct SerialiseTest : ScenarioTestCase
{
    /// @param title of the case
    explicit SerialiseTest(const std::string& title)
        : ScenarioTestCase(title,
                           {{"Topology", "leaf-spine"},
                            {"Leaves", "2"},
                            {"Spines", "2"},
                            {"HostsPerLeaf", "2"},
                            {"Pattern", "permutation"},
                            {"Octets", "100000"},
                            {"PlainTcp", "false"}})
    {
    }
};

IWARP_TEST(pathRanks, "Packets cross a link as octets and tags", SerialiseTest)
{
    const std::vector<ScenarioSettings> all{
        {{"Workload", "mpa"}},
        {{"Workload", "rdma-write"}, {"Backed", "true"}, {"Ipv6", "true"}, {"Mtu", "9000"}},
        {{"Workload", "rdma-read"}, {"Rnic", "t5-like"}, {"Crc", "false"}},
        {{"Workload", "send"}, {"Markers", "false"}, {"Alignment", "false"}},
        {{"Workload", "storage"}, {"Ipsec", "transport"}},
        {{"Workload", "perf"}, {"PerfIterations", "20"}, {"QueueDisc", "threshold"}},
        {{"Workload", "go-back-n"}, {"QueueDisc", "red"}, {"PfcXoff", "20000"}},
    };
    for (const auto& settings : all)
    {
        const std::string name = settings.at("Workload");
        const auto scenario = Make(settings);
        const auto expected = Measure(scenario);
        std::vector<Ptr<Carrier>> carriers;
        scenario->SetObserver([&carriers](IwarpNetwork& network) {
            for (uint32_t i = 0; i < network.GetNLinks(); i++)
            {
                for (const uint32_t end : {0, 1})
                {
                    carriers.push_back(CreateObject<Carrier>());
                    network.GetLinkDevices(i).Get(end)->SetAttribute("ReceiveErrorModel",
                                                                     PointerValue(carriers.back()));
                }
            }
        });
        const auto found = Measure(scenario);
        NS_TEST_EXPECT_MSG_GT(carriers.at(0)->m_packets, 10, name << ": packets taken apart");
        NS_TEST_EXPECT_MSG_EQ(found.size(), expected.size(), name << ": as many metrics");
        for (const auto& [metric, value] : expected)
        {
            NS_TEST_EXPECT_MSG_EQ(found.at(metric), value, name << ": " << metric);
        }
    }
}

/// Without MPI one process has all nodes, whatever their system ids.
IWARP_TEST(pathRanks, "Without MPI there is one rank")
{
    NS_TEST_EXPECT_MSG_EQ(ranks::GetCount(), 1, "ranks");
    NS_TEST_EXPECT_MSG_EQ(ranks::GetOwn(), 0, "its number");
    NS_TEST_EXPECT_MSG_EQ(ranks::IsOwn(CreateObject<Node>(3)), true, "has all nodes");
    Simulator::Destroy();
}

} // namespace
