/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "../helper/iwarp-two-hosts.h"
#include "../iwarp-test.h"

#include "ns3/mpa-application-helper.h"
#include "ns3/pointer.h"
#include "ns3/rdma-bulk-client.h"
#include "ns3/rdma-bulk-server.h"
#include "ns3/rdma-device.h"
#include "ns3/rdmap-stream.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

using namespace ns3;

namespace
{

/// The suite.
IWARP_TEST_SUITE(rdmaBulk, "rdma-bulk");

/// Two hosts; a server at host 1 and a client at host 0.
class BulkBench
{
  public:
    explicit BulkBench(const std::string& operation) //!< @param operation attribute of the client
    {
        m_server->SetAttribute("Local", AddressValue(m_network.GetAnySocketAddress(5000)));
        m_client->SetAttribute("Remote", AddressValue(m_network.GetHostSocketAddress(1, 5000)));
        m_client->SetAttribute("Operation", StringValue(operation));
        m_client->SetAttribute("MaxMessages", UintegerValue(500));
        m_client->SetAttribute("MessageSizes",
                               StringValue("ns3::UniformRandomVariable[Min=1|Max=3000]"));
        m_client->AssignStreams(1);
        m_client->SetStartTime(MilliSeconds(1));
        m_client->TraceConnectWithoutContext("Connected",
                                             MakeCallback(&BulkBench::Connected, this));
        m_client->TraceConnectWithoutContext("MessageReceived",
                                             MakeCallback(&BulkBench::Read, this));
        m_network.GetHost(0)->AddApplication(m_client);
    }

    ~BulkBench()
    {
        Simulator::Destroy();
    }

    void Run() //!< Simulate
    {
        Simulator::Stop(Seconds(1000)); // ns-3 gives up connecting after 189 s
        Simulator::Run();
    }

    void ServeAndRun() //!< Simulate with the server
    {
        m_network.GetHost(1)->AddApplication(m_server);
        Run();
    }

    void Connected(Ptr<RdmaQueuePair> pair) //!< @param pair the client's
    {
        pair->GetStream()->TraceConnectWithoutContext("MessageDelivered",
                                                      MakeCallback(&BulkBench::Delivered, this));
    }

    void Read(uint32_t /* message */, uint64_t size) //!< @param size octets that were read
    {
        m_readOctets += size;
    }

    void Delivered(RdmapOpcode opcode, uint64_t octets) //!< at the client
    {
        m_credits += opcode == RdmapOpcode::WRITE && octets == 0;
    }

    TwoHosts m_network;                                           //!< network
    Ptr<RdmaBulkServer> m_server{CreateObject<RdmaBulkServer>()}; //!< server
    Ptr<RdmaBulkClient> m_client{CreateObject<RdmaBulkClient>()}; //!< client
    uint64_t m_readOctets{0};                                     //!< octets read
    uint32_t m_credits{0};                                        //!< credits that came
};

/**
 * @ingroup iwarp-test
 * Messages are all there, whatever the operation; afterwards the devices hold nothing.
 */
class BulkTransferTest : public TestCase
{
  public:
    explicit BulkTransferTest(const std::string& operation) //!< @param operation how
        : TestCase("Bulk transfer by " + operation),
          m_operation(operation)
    {
    }

  private:
    void DoRun() override
    {
        BulkBench bench(m_operation);
        bench.ServeAndRun();
        NS_TEST_EXPECT_MSG_EQ(bench.m_client->GetError(), "", "client");
        NS_TEST_EXPECT_MSG_EQ(bench.m_server->GetError(), "", "server");
        NS_TEST_EXPECT_MSG_EQ(bench.m_client->IsFinished(), true, "finished");
        NS_TEST_EXPECT_MSG_EQ(bench.m_client->GetMessagesPosted(), 500, "posted");
        const bool reads = m_operation == "Read";
        NS_TEST_EXPECT_MSG_EQ(bench.m_server->GetMessages(), (reads ? 0 : 500), "messages came");
        NS_TEST_EXPECT_MSG_EQ((reads ? bench.m_readOctets : bench.m_server->GetOctets()),
                              bench.m_client->GetOctetsPosted(),
                              "all octets");
        for (uint32_t host : {0, 1})
        {
            auto device = RdmaDevice::Get(bench.m_network.GetHost(host));
            for (auto resource : {RdmaResource::QUEUE_PAIR,
                                  RdmaResource::COMPLETION_QUEUE,
                                  RdmaResource::MEMORY_REGION})
            {
                NS_TEST_EXPECT_MSG_EQ(device->GetInUse(resource), 0, "given back");
            }
        }
    }

    std::string m_operation; //!< how
};

/**
 * @ingroup iwarp-test
 * A client never sends more than the server has receives for, and is told of a quarter at a time.
 */
class CreditTest : public TestCase
{
  public:
    CreditTest(uint32_t receives, uint32_t credits) //!< @param receives of the server
                                                    //!< @param credits counts to come
        : TestCase("Sends into " + std::to_string(receives) + " receives"),
          m_receives(receives),
          m_credits(credits)
    {
    }

  private:
    void DoRun() override
    {
        BulkBench bench("Send");
        bench.m_server->SetAttribute("Receives", UintegerValue(m_receives));
        bench.m_client->SetAttribute("QueueDepth", UintegerValue(100));
        bench.m_client->SetAttribute("MessageSizes",
                                     StringValue("ns3::ConstantRandomVariable[Constant=100]"));
        bench.ServeAndRun();
        NS_TEST_EXPECT_MSG_EQ(bench.m_client->GetError(), "", "client");
        NS_TEST_EXPECT_MSG_EQ(bench.m_server->GetMessages(), 500, "all messages");
        NS_TEST_EXPECT_MSG_LT(bench.m_credits, m_credits + 1, "credits that came");
        NS_TEST_EXPECT_MSG_GT(bench.m_credits, 0, "at least one");
    }

    uint32_t m_receives; //!< receives of the server
    uint32_t m_credits;  //!< counts at most
};

IWARP_TEST_CASES(rdmaBulk)
{
    for (const auto* operation : {"Write", "Read", "Send"})
    {
        suite.AddTestCase(new BulkTransferTest(operation));
    }
    suite.AddTestCase(new CreditTest(4, 500));
    suite.AddTestCase(new CreditTest(100, 20));
}

/// An open loop refuses and counts what finds no room.
IWARP_TEST(rdmaBulk, "Messages at intervals")
{
    BulkBench bench("Write");
    // 3.6 Gbit/s into 1 Gbit/s; a send buffer of 131072 octets and the queue take the first
    bench.m_client->SetAttribute("MessageSizes",
                                 StringValue("ns3::ConstantRandomVariable[Constant=9000]"));
    bench.m_client->SetAttribute("Intervals",
                                 StringValue("ns3::ConstantRandomVariable[Constant=2e-5]"));
    bench.ServeAndRun();
    const uint64_t refused = bench.m_client->GetMessagesRefused();
    NS_TEST_EXPECT_MSG_GT(refused, 100, "too much for the link");
    NS_TEST_EXPECT_MSG_EQ(bench.m_client->GetMessagesPosted() + refused, 500, "each counted");
    NS_TEST_EXPECT_MSG_EQ(bench.m_server->GetMessages(),
                          bench.m_client->GetMessagesPosted(),
                          "what is posted comes");
}

/// What a client or a server cannot do is told, and nothing hangs.
struct BulkFailureTest : TestCase
{
    using TestCase::TestCase;

    /// @param bench where it ran @param words part of the client's error
    void ExpectError(const BulkBench& bench, const std::string& words)
    {
        NS_TEST_EXPECT_MSG_NE(bench.m_client->GetError().find(words),
                              std::string::npos,
                              "'" << bench.m_client->GetError() << "' says " << words);
    }
};

IWARP_TEST(rdmaBulk, "Failures are told", BulkFailureTest)
{
    {
        BulkBench bench("Write");
        bench.Run();
        NS_TEST_EXPECT_MSG_NE(bench.m_client->GetError(), "", "nobody listens");
    }
    {
        BulkBench bench("Write");
        MpaSinkHelper sinks(bench.m_network.GetAnySocketAddress(5000));
        sinks.Install(bench.m_network.GetHost(1));
        bench.Run();
        ExpectError(bench, "RdmaBulkServer");
    }
    {
        BulkBench bench("Write");
        bench.m_server->SetStopTime(MilliSeconds(3));
        bench.ServeAndRun();
        ExpectError(bench, "peer ended");
    }
    {
        BulkBench bench("Write");
        bench.m_client->SetAttribute("QueueDepth", UintegerValue(10000000));
        bench.ServeAndRun();
        NS_TEST_EXPECT_MSG_NE(bench.m_client->GetError(), "", "more than a device takes");
    }
}

/// A server that needs more Reads than a client grants rejects its Request (RFC 6581 section 9.1),
/// says so, holds nothing of it, and serves the next client.
IWARP_TEST(rdmaBulk, "A client that grants too few Reads is rejected", BulkFailureTest)
{
    for (const auto* operation : {"Write", "Read", "Send"})
    {
        BulkBench bench(operation);
        bench.m_server->SetConnectionAttribute("MinOrd", UintegerValue(8));
        bench.m_client->SetConnectionAttribute("Ird", UintegerValue(4));
        const auto next = CreateObject<RdmaBulkClient>();
        next->SetAttribute("Remote", AddressValue(bench.m_network.GetHostSocketAddress(1, 5000)));
        next->SetAttribute("Operation", StringValue(operation));
        next->SetAttribute("MaxMessages", UintegerValue(20));
        next->SetConnectionAttribute("Ird", UintegerValue(8));
        next->SetStartTime(Seconds(1));
        bench.m_network.GetHost(0)->AddApplication(next);
        Simulator::Schedule(MilliSeconds(900), [&] {
            NS_TEST_EXPECT_MSG_EQ(bench.m_server->GetNConnections(), 0, operation << ": none");
            NS_TEST_EXPECT_MSG_EQ(bench.m_server->GetNOpen(), 0, operation << ": none is open");
            for (uint32_t host : {0, 1})
            {
                const auto device = RdmaDevice::Get(bench.m_network.GetHost(host));
                NS_TEST_EXPECT_MSG_EQ(device->GetInUse(RdmaResource::QUEUE_PAIR),
                                      0,
                                      operation << ": host " << host << " has none left");
            }
        });
        bench.ServeAndRun();
        ExpectError(bench, "reject");
        IWARP_COVERS("ENH-9.1-13");
        NS_TEST_EXPECT_MSG_EQ(bench.m_client->IsFinished(), false, operation << ": not served");
        const std::string& told = bench.m_server->GetError();
        NS_TEST_EXPECT_MSG_NE(told.find("Request was rejected"), std::string::npos, told);
        NS_TEST_EXPECT_MSG_EQ(next->GetError(), "", operation << ": the next client");
        NS_TEST_EXPECT_MSG_EQ(next->IsFinished(), true, operation << ": the next client");
        NS_TEST_EXPECT_MSG_EQ(bench.m_server->GetNConnections(), 1, operation << ": that alone");
        NS_TEST_EXPECT_MSG_EQ(bench.m_server->GetNOpen(), 0, operation << ": which is over");
    }
}

} // namespace
