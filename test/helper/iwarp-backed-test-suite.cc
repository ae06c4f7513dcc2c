/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "../iwarp-test.h"
#include "iwarp-two-hosts.h"

#include "ns3/boolean.h"
#include "ns3/ddp-memory.h"
#include "ns3/double.h"
#include "ns3/iwarp-scenario.h"
#include "ns3/rdma-bulk-client.h"
#include "ns3/rdma-bulk-server.h"
#include "ns3/rdma-perf-client.h"
#include "ns3/rdma-perf-server.h"
#include "ns3/rdma-storage-client.h"
#include "ns3/rdma-storage-server.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <map>
#include <string>
#include <vector>

using namespace ns3;

namespace
{

/// Suite of payload with content.
IWARP_TEST_SUITE(iwarpBacked, "iwarp-backed", TestSuite::Type::SYSTEM);

/// Memory that reads as a pattern and compares what is written.
IWARP_TEST(iwarpBacked, "memory with a pattern")
{
    std::vector<uint8_t> octets(200000);
    for (std::size_t i = 0; i < octets.size(); i++)
    {
        octets[i] = 1 + i % 251; // never 0
    }
    const auto memory = DdpMemory::CreatePattern(100000, [&octets](uint64_t offset) {
        return octets.data() + offset;
    });
    NS_TEST_EXPECT_MSG_EQ(memory->IsVirtual(), false, "it has octets");
    NS_TEST_EXPECT_MSG_EQ((memory->View(70, 1000) == octets.data() + 70), true, "in place");
    NS_TEST_EXPECT_MSG_EQ((memory->View(99999, 2) == nullptr), true, "outside");
    NS_TEST_EXPECT_MSG_EQ((memory->View(0, 65537) == nullptr), true, "too long");
    std::vector<uint8_t> read(99000);
    NS_TEST_EXPECT_MSG_EQ(memory->Read(1000, read.data(), 99000), true, "more than a run");
    NS_TEST_EXPECT_MSG_EQ(std::equal(read.begin(), read.end(), octets.begin() + 1000),
                          true,
                          "the pattern");
    NS_TEST_EXPECT_MSG_EQ(memory->Write(0, octets.data(), 100000, 100000), true, "all");
    NS_TEST_EXPECT_MSG_EQ(memory->GetDifferences(), 0, "all right");
    NS_TEST_EXPECT_MSG_EQ(memory->Write(99999, octets.data(), 2, 2), false, "outside");
    NS_TEST_EXPECT_MSG_EQ(memory->GetDifferences(), 0, "nothing is written");
    memory->Write(1, octets.data(), 100, 100);
    NS_TEST_EXPECT_MSG_EQ(memory->GetDifferences(), 100, "all at the wrong place");
    read[66000]++;
    memory->Write(1000, read.data(), 99000, 99000);
    NS_TEST_EXPECT_MSG_EQ(memory->GetDifferences(), 101, "one octet");
    memory->Write(500, octets.data() + 500, 30, 50);
    NS_TEST_EXPECT_MSG_EQ(memory->GetDifferences(), 121, "20 of no content");
    memory->Read(1000, read.data(), 1000);
    NS_TEST_EXPECT_MSG_EQ(+read[0], +octets[1000], "it reads as before");
}

/// Each workload, over a network that loses, reorders and cuts.
class BackedScenarioTest : public TestCase
{
  public:
    /// @param settings what is special
    explicit BackedScenarioTest(const std::map<std::string, std::string>& settings)
        : TestCase("Backed with " + settings.begin()->second + " " + settings.rbegin()->second),
          m_settings(settings)
    {
    }

  private:
    void DoRun() override
    {
        Ptr<IwarpScenario> scenario = CreateObject<IwarpScenario>();
        std::map<std::string, std::string> settings{{"Backed", "true"},
                                                    {"PlainTcp", "false"},
                                                    {"Loss", "0.01"},
                                                    {"Reordering", "0.05"},
                                                    {"LinkRate", "1Gbps"},
                                                    {"DelayedAck", "4ms"},
                                                    {"MinRto", "10ms"}};
        settings.insert(m_settings.begin(), m_settings.end());
        for (const auto& [name, value] : settings)
        {
            NS_TEST_ASSERT_MSG_EQ(scenario->SetParameter(name, value), "", name << "=" << value);
        }
        NS_TEST_ASSERT_MSG_EQ(scenario->Run(), true, scenario->GetError());
        bool told = false;
        for (const auto& metric : scenario->GetMetrics())
        {
            if (metric.name == "content_errors")
            {
                told = true;
                NS_TEST_EXPECT_MSG_EQ(metric.value, 0, "octets as they were sent");
            }
            if (metric.name == "payload_octets")
            {
                NS_TEST_EXPECT_MSG_GT(metric.value, 0, "there is payload");
            }
        }
        NS_TEST_EXPECT_MSG_EQ(told, true, "told");
    }

    std::map<std::string, std::string> m_settings; //!< what is special
};

/// That octets are compared shows where one end sends none: zeros in place of the pattern.
struct BackedOneSideTest : TestCase
{
    using TestCase::TestCase;

    /// @param client client @param server server @param backed who has content: the client
    /// @return octets that the ends find wrong
    template <typename Client, typename Server>
    static uint64_t Run(Ptr<Client> client, Ptr<Server> server, bool backed)
    {
        TwoHosts network;
        server->SetAttribute("Local", AddressValue(network.GetAnySocketAddress(5000)));
        client->SetAttribute("Remote", AddressValue(network.GetHostSocketAddress(1, 5000)));
        client->SetStartTime(MilliSeconds(1));
        client->SetAttribute("Backed", BooleanValue(backed));
        server->SetAttribute("Backed", BooleanValue(!backed));
        network.GetHost(0)->AddApplication(client);
        network.GetHost(1)->AddApplication(server);
        Simulator::Stop(Seconds(100));
        Simulator::Run();
        const uint64_t errors = client->GetContentErrors() + server->GetContentErrors();
        Simulator::Destroy();
        return errors;
    }

    /// @param what for people @param errors octets found wrong @param octets that were moved to the
    /// end that compares
    void Expect(const std::string& what, uint64_t errors, uint64_t octets)
    {
        // an octet of the pattern is 0 once in 256 times
        NS_TEST_EXPECT_MSG_LT_OR_EQ(errors, octets, what);
        NS_TEST_EXPECT_MSG_GT(errors, 0.98 * octets, what);
    }
};

IWARP_TEST(iwarpBacked,
           "each octet is compared, as the end that has no content shows",
           BackedOneSideTest)
{
    for (const std::string operation : {"Write", "Read", "Send"})
    {
        const auto client = CreateObject<RdmaBulkClient>();
        client->SetAttribute("Operation", StringValue(operation));
        client->SetAttribute("MaxMessages", UintegerValue(20));
        client->SetAttribute("MessageSizes",
                             StringValue("ns3::ConstantRandomVariable[Constant="
                                         "70001]"));
        const auto errors = Run(client, CreateObject<RdmaBulkServer>(), operation == "Read");
        Expect("bulk " + operation, errors, 20 * 70001);
    }
    for (const bool reads : {false, true})
    {
        for (const uint32_t size : {3000U, 30000U}) // in a Send, and by RDMA
        {
            const auto client = CreateObject<RdmaStorageClient>();
            client->SetAttribute("MaxRequests", UintegerValue(20));
            client->SetAttribute("ReadShare", DoubleValue(reads ? 1 : 0));
            client->SetAttribute("InlineThreshold", UintegerValue(4096));
            client->SetAttribute(
                "MessageSizes",
                StringValue("ns3::ConstantRandomVariable[Constant=" + std::to_string(size) + "]"));
            const auto errors = Run(client, CreateObject<RdmaStorageServer>(), reads);
            Expect("storage", errors, 20 * size);
        }
    }
    for (const std::string test : {"write_bw", "read_bw", "send_bw"})
    {
        const auto client = CreateObject<RdmaPerfClient>();
        client->SetAttribute("Test", StringValue(test));
        client->SetAttribute("Size", UintegerValue(5000));
        client->SetAttribute("Iterations", UintegerValue(20));
        const auto errors = Run(client, CreateObject<RdmaPerfServer>(), test == "read_bw");
        Expect("perf " + test, errors, 20 * 5000);
    }
}

IWARP_TEST_CASES(iwarpBacked)
{
    for (const std::string workload : {"mpa", "rdma-write", "rdma-read", "send", "storage"})
    {
        suite.AddTestCase(new BackedScenarioTest({{"Octets", "300000"}, {"Workload", workload}}));
    }
    for (const std::string test : {"write_bw",
                                   "write_lat",
                                   "read_bw",
                                   "read_lat",
                                   "send_bw",
                                   "send_lat",
                                   "atomic_bw",
                                   "atomic_lat"})
    {
        suite.AddTestCase(new BackedScenarioTest(
            {{"PerfTest", test}, {"PerfIterations", "20"}, {"Workload", "perf"}}));
    }
}

} // namespace
