/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "../helper/iwarp-two-hosts.h"
#include "../iwarp-test.h"

#include "ns3/address.h"
#include "ns3/boolean.h"
#include "ns3/inet-socket-address.h"
#include "ns3/internet-stack-helper.h"
#include "ns3/iwarp-helper.h"
#include "ns3/mpa-application-helper.h"
#include "ns3/mpa-bulk-sender.h"
#include "ns3/mpa-sink.h"
#include "ns3/mpa-tcp-socket-factory.h"
#include "ns3/node.h"
#include "ns3/nvme-target.h"
#include "ns3/pointer.h"
#include "ns3/random-variable-stream.h"
#include "ns3/rdma-bulk-client.h"
#include "ns3/rdma-bulk-server.h"
#include "ns3/rdma-perf-client.h"
#include "ns3/rdma-perf-server.h"
#include "ns3/rdma-storage-client.h"
#include "ns3/rdma-storage-server.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/tcp-socket-factory.h"
#include "ns3/type-id.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <functional>
#include <sstream>
#include <vector>

using namespace ns3;

namespace
{

/// The suite
IWARP_TEST_SUITE(iwarpApplication, "iwarp-application");

/// Two hosts with an MpaSink and senders to it.
class TransferBench
{
  public:
    explicit TransferBench(bool ipv6 = false) //!< @param ipv6 use IPv6
        : m_network(ipv6),
          m_sinkHelper(m_network.GetAnySocketAddress(5000)),
          m_senderHelper(m_network.GetHostSocketAddress(1, 5000))
    {
        m_sinkHelper.SetAttribute("Backed", BooleanValue(true));
        m_senderHelper.SetAttribute("Backed", BooleanValue(true));
        m_senderHelper.SetAttribute("MaxMessages", UintegerValue(20));
        m_senderHelper.SetAttribute("MessageSizes",
                                    StringValue("ns3::UniformRandomVariable[Min=1|Max=5000]"));
    }

    ~TransferBench()
    {
        Simulator::Destroy();
    }

    /// Install and simulate. @param senders how many
    void Run(uint32_t senders = 1)
    {
        m_sink = DynamicCast<MpaSink>(m_sinkHelper.Install(m_network.GetHost(1)).Get(0));
        for (uint32_t i = 0; i < senders; i++)
        {
            auto applications = m_senderHelper.Install(m_network.GetHost(0));
            applications.Start(MilliSeconds(1 + i));
            m_senders.push_back(DynamicCast<MpaBulkSender>(applications.Get(0)));
        }
        IwarpHelper::AssignStreams(m_network.GetHost(0), 1);
        Simulator::Stop(Seconds(1000)); // ns-3 gives up connecting after 189 s
        Simulator::Run();
    }

    TwoHosts m_network;                        //!< network; sender host 0, sink host 1
    MpaSinkHelper m_sinkHelper;                //!< makes the sink
    MpaBulkSenderHelper m_senderHelper;        //!< makes senders
    Ptr<MpaSink> m_sink;                       //!< sink
    std::vector<Ptr<MpaBulkSender>> m_senders; //!< senders
};

/**
 * @ingroup iwarp-test
 * All that a sender sends arrives as it was sent, for one set of attributes.
 */
class MpaTransferTest : public TestCase
{
  public:
    using Setup = std::function<void(TransferBench&)>; //!< sets attributes

    MpaTransferTest(const std::string& name, Setup setup, uint32_t senders = 1, bool ipv6 = false)
        : TestCase("Transfer: " + name),
          m_setup(setup),
          m_senders(senders),
          m_ipv6(ipv6)
    {
    }

  private:
    void DoRun() override
    {
        TransferBench bench(m_ipv6);
        m_setup(bench);
        bench.Run(m_senders);
        uint64_t messages = 0;
        uint64_t octets = 0;
        for (const auto& sender : bench.m_senders)
        {
            NS_TEST_EXPECT_MSG_EQ(sender->GetError(), "", "no error at the sender");
            NS_TEST_EXPECT_MSG_EQ(sender->IsFinished(), true, "finished");
            messages += sender->GetMessagesSent();
            octets += sender->GetOctetsSent();
        }
        NS_TEST_EXPECT_MSG_EQ(messages, 20 * m_senders, "messages sent");
        NS_TEST_EXPECT_MSG_EQ(bench.m_sink->GetError(), "", "no error at the sink");
        NS_TEST_EXPECT_MSG_EQ(bench.m_sink->GetNConnections(), m_senders, "connections");
        NS_TEST_EXPECT_MSG_EQ(bench.m_sink->GetMessages(), messages, "messages received");
        NS_TEST_EXPECT_MSG_EQ(bench.m_sink->GetMessageOctets(), octets, "octets received");
        NS_TEST_EXPECT_MSG_EQ(bench.m_sink->GetContentErrors(), 0, "content");
    }

    Setup m_setup;      //!< sets attributes
    uint32_t m_senders; //!< how many senders
    bool m_ipv6;        //!< IPv6 rather than IPv4
};

/**
 * @ingroup iwarp-test
 * What does not work ends with an error on the side that sees it, and nothing is received.
 */
class MpaFailureTest : public TestCase
{
  public:
    MpaFailureTest(const std::string& name,
                   MpaTransferTest::Setup setup,
                   const std::string& sender,
                   const std::string& sink)
        : TestCase("Failure: " + name),
          m_setup(setup),
          m_sender(sender),
          m_sink(sink)
    {
    }

  private:
    void DoRun() override
    {
        TransferBench bench;
        m_setup(bench);
        bench.Run();
        const std::string& error = bench.m_senders[0]->GetError();
        NS_TEST_EXPECT_MSG_NE(error, "", "the sender reports an error");
        NS_TEST_EXPECT_MSG_NE(error.find(m_sender), std::string::npos, "sender: " << error);
        const std::string other = bench.m_sink->GetError();
        NS_TEST_EXPECT_MSG_EQ(other.empty(), m_sink.empty(), "sink: " << other);
        NS_TEST_EXPECT_MSG_NE(other.find(m_sink), std::string::npos, "sink: " << other);
        NS_TEST_EXPECT_MSG_EQ(bench.m_sink->GetMessages(), 0, "nothing received");
    }

    MpaTransferTest::Setup m_setup; //!< sets attributes
    std::string m_sender;           //!< part of the sender's error
    std::string m_sink;             //!< part of the sink's error
};

IWARP_TEST_CASES(iwarpApplication)
{
    const auto both = [](const std::string& name, const AttributeValue& value) {
        Ptr<AttributeValue> copy = value.Copy();
        return [name, copy](TransferBench& bench) {
            bench.m_sinkHelper.SetAttribute(name, *copy);
            bench.m_senderHelper.SetAttribute(name, *copy);
        };
    };
    const auto streams = [](const std::string& name, const AttributeValue& value) {
        Ptr<AttributeValue> copy = value.Copy();
        return [name, copy](TransferBench& bench) {
            bench.m_sinkHelper.SetStreamAttribute(name, *copy);
            bench.m_senderHelper.SetStreamAttribute(name, *copy);
        };
    };
    const auto nothing = [](TransferBench&) {};
    const auto sinkInitiates = [](TransferBench& bench) {
        bench.m_sinkHelper.SetAttribute("Initiator", BooleanValue(true));
        bench.m_senderHelper.SetAttribute("Initiator", BooleanValue(false));
    };
    suite.AddTestCase(new MpaTransferTest("IPv4", nothing));
    suite.AddTestCase(new MpaTransferTest("IPv6", nothing, 1, true));
    suite.AddTestCase(new MpaTransferTest("five senders", nothing, 5));
    suite.AddTestCase(new MpaTransferTest("no Markers", streams("Markers", BooleanValue(false))));
    suite.AddTestCase(new MpaTransferTest("no CRC", streams("Crc", BooleanValue(false))));
    suite.AddTestCase(new MpaTransferTest("no payload", both("Backed", BooleanValue(false))));
    suite.AddTestCase(new MpaTransferTest("delayed startup (MPA-7.1-04, MPA-7.1.3-01)",
                                          both("Hello", StringValue("HELLO, streaming world"))));
    suite.AddTestCase(new MpaTransferTest("Private Data (MPA-7.1.2-10)",
                                          both("PrivateData", StringValue(std::string(512, 'x')))));
    suite.AddTestCase(new MpaTransferTest("sink initiates (MPA-7.1-09)", sinkInitiates));
    suite.AddTestCase(
        new MpaTransferTest("sink initiates after a hello", [sinkInitiates](TransferBench& bench) {
            sinkInitiates(bench);
            bench.m_sinkHelper.SetAttribute("Hello", StringValue("hi"));
            bench.m_senderHelper.SetAttribute("Hello", StringValue("hi"));
        }));
    suite.AddTestCase(new MpaTransferTest("small send buffer", [](TransferBench& bench) {
        bench.m_senderHelper.SetSocketAttribute("SndBufSize", UintegerValue(4000));
    }));
    suite.AddTestCase(new MpaFailureTest(
        "nobody listens",
        [](TransferBench& bench) {
            bench.m_senderHelper.SetAttribute(
                "Remote",
                AddressValue(bench.m_network.GetHostSocketAddress(1, 5001)));
        },
        "TCP did not connect",
        ""));
    suite.AddTestCase(new MpaFailureTest(
        "the sink rejects",
        [](TransferBench& bench) { bench.m_sinkHelper.SetAttribute("Reject", BooleanValue(true)); },
        "rejected",
        ""));
    suite.AddTestCase(new MpaFailureTest(
        "both initiate (MPA-7.1-10, MPA-7.1.2-26)",
        [](TransferBench& bench) {
            bench.m_sinkHelper.SetAttribute("Initiator", BooleanValue(true));
        },
        "",
        "Request"));
    suite.AddTestCase(new MpaFailureTest(
        "another hello",
        [](TransferBench& bench) {
            bench.m_sinkHelper.SetAttribute("Hello", StringValue("who?"));
            bench.m_senderHelper.SetAttribute("Hello", StringValue("hello"));
        },
        "",
        "not the one expected"));
}

/// Limits: octets to the last one, the queue's depth, and intervals in an open loop.
IWARP_TEST(iwarpApplication, "Limits of octets, queue and time")
{
    {
        TransferBench bench;
        bench.m_senderHelper.SetAttribute("MaxMessages", UintegerValue(0));
        bench.m_senderHelper.SetAttribute("MaxOctets", UintegerValue(100001));
        bench.Run();
        NS_TEST_EXPECT_MSG_EQ(bench.m_sink->GetMessageOctets(), 100001, "cut to fit");
    }
    {
        // a message a millisecond, for which the link needs 4: 1 of 4 finds the queue empty
        TransferBench bench;
        bench.m_senderHelper.SetAttribute(
            "MessageSizes",
            StringValue("ns3::ConstantRandomVariable[Constant=500000]"));
        bench.m_senderHelper.SetAttribute(
            "Intervals",
            StringValue("ns3::ConstantRandomVariable[Constant=0.001]"));
        bench.m_senderHelper.SetAttribute("MaxMessages", UintegerValue(400));
        bench.m_senderHelper.SetAttribute("QueueDepth", UintegerValue(2));
        bench.Run();
        const auto& sender = bench.m_senders[0];
        NS_TEST_EXPECT_MSG_EQ(sender->GetMessagesPosted() + sender->GetMessagesRefused(),
                              400,
                              "every arrival is counted");
        NS_TEST_EXPECT_MSG_EQ(bench.m_sink->GetMessages(), sender->GetMessagesPosted(), "all");
        NS_TEST_EXPECT_MSG_EQ_TOL(sender->GetMessagesPosted(), 100, 8, "what the link takes");
    }
    {
        TransferBench bench;
        bench.m_senderHelper.SetAttribute("MaxMessages", UintegerValue(0));
        bench.m_senderHelper.SetAttribute("StopTime", TimeValue(MilliSeconds(11)));
        bench.Run();
        // 10 ms of 1 Gb/s are 1.25 MB, less headers and slow start; what is in the send buffer
        // when the application stops is still sent
        NS_TEST_EXPECT_MSG_LT(bench.m_sink->GetOctets(),
                              1250000 + 131072,
                              "no more than the link and the buffer take");
        NS_TEST_EXPECT_MSG_GT(bench.m_sink->GetOctets(), 1000000, "most of it");
    }
}

/// A ULPDU that is no MpaBulkSender's ends the connection with a clear error, and not the program.
IWARP_TEST(iwarpApplication, "A foreign ULPDU")
{
    TransferBench bench;
    bench.m_sink =
        DynamicCast<MpaSink>(bench.m_sinkHelper.Install(bench.m_network.GetHost(1)).Get(0));
    Ptr<Socket> socket =
        Socket::CreateSocket(bench.m_network.GetHost(0), MpaTcpSocketFactory::GetTypeId());
    Ptr<MpaStream> stream = CreateObject<MpaStream>();
    MpaStreamUser user; // accepts the peer, and heeds nothing
    stream->SetUser(&user);
    Simulator::Schedule(MilliSeconds(1), [&bench, socket] {
        socket->Connect(bench.m_network.GetHostSocketAddress(1, 5000));
    });
    Simulator::Schedule(MilliSeconds(2), [stream, socket] {
        stream->SetSocket(DynamicCast<MpaTcpSocket>(socket));
        stream->StartInitiator();
    });
    Simulator::Schedule(MilliSeconds(3), [stream] {
        const uint8_t octets[100] = {0x01, 0x43};
        stream->Send(octets, sizeof(octets), nullptr, 0);
    });
    Simulator::Stop(Seconds(10));
    Simulator::Run();
    NS_TEST_EXPECT_MSG_EQ(bench.m_sink->GetBadUlpdus(), 1, "counted");
    NS_TEST_EXPECT_MSG_NE(bench.m_sink->GetError().find("MpaBulkSender's header"),
                          std::string::npos,
                          bench.m_sink->GetError());
}

/// A node is given the sockets that Protocol names, and no others.
IWARP_TEST(iwarpApplication, "Sockets of NVMe over TCP")
{
    for (const TypeId& protocol : {MpaTcpSocketFactory::GetTypeId(), TcpSocketFactory::GetTypeId()})
    {
        const auto node = CreateObject<Node>();
        InternetStackHelper().Install(node);
        const auto target = CreateObject<NvmeTarget>();
        target->SetAttribute("Protocol", TypeIdValue(protocol));
        target->SetAttribute("Local", AddressValue(InetSocketAddress(Ipv4Address::GetAny(), 4420)));
        node->AddApplication(target);
        Simulator::Stop(MilliSeconds(1));
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ((node->GetObject<MpaTcpSocketFactory>() != nullptr),
                              (protocol == MpaTcpSocketFactory::GetTypeId()),
                              protocol.GetName());
        Simulator::Destroy();
    }
}

/// Text traces tell of startup, of each FPDU and of each segment.
struct AsciiTest : TestCase
{
    using TestCase::TestCase;

    static uint32_t Count(const std::string& text, const std::string& what)
    {
        uint32_t count = 0;
        for (auto at = text.find(what); at != std::string::npos; at = text.find(what, at + 1))
        {
            count++;
        }
        return count;
    }
};

IWARP_TEST(iwarpApplication, "Text traces", AsciiTest)
{
    TransferBench bench;
    bench.m_senderHelper.SetAttribute("MaxMessages", UintegerValue(7));
    bench.m_senderHelper.SetAttribute("MessageSizes",
                                      StringValue("ns3::ConstantRandomVariable[Constant=100]"));
    std::ostringstream text;
    auto applications = bench.m_sinkHelper.Install(bench.m_network.GetHost(1));
    auto senders = bench.m_senderHelper.Install(bench.m_network.GetHost(0));
    senders.Start(MilliSeconds(1));
    applications.Add(senders);
    IwarpHelper::EnableAscii(Create<OutputStreamWrapper>(&text), applications);
    Simulator::Stop(Seconds(10));
    Simulator::Run();
    NS_TEST_EXPECT_MSG_EQ(Count(text.str(), "fpdu-sent seq="), 7, "an FPDU a message");
    NS_TEST_EXPECT_MSG_EQ(Count(text.str(), " ulpdu=114 "), 14, "header and payload, twice");
    NS_TEST_EXPECT_MSG_EQ(Count(text.str(), "passed seq="), 7, "passed");
    NS_TEST_EXPECT_MSG_EQ(Count(text.str(), "startup state=full\n"), 2, "both ends");
    NS_TEST_EXPECT_MSG_GT(Count(text.str(), "fpdu-aligned=1"), 0, "segments");
}

/// Random streams are given to every application that draws numbers, each to one.
struct ApplicationStreamsTest : TestCase
{
    using TestCase::TestCase;

    /// @param application one @param name attribute that is a distribution @return its stream
    static int64_t StreamOf(const Ptr<Object>& application, const std::string& name)
    {
        PointerValue variable;
        application->GetAttribute(name, variable);
        return variable.Get<RandomVariableStream>()->GetStream();
    }
};

IWARP_TEST(iwarpApplication, "Random streams of all applications", ApplicationStreamsTest)
{
    const auto node = CreateObject<Node>();
    const auto intervals =
        StringValue("ns3::ExponentialRandomVariable[Mean=0.001]"); // an open loop
    const auto add = [&](Ptr<Application> application, bool client) {
        if (client)
        {
            application->SetAttribute("Intervals", intervals);
        }
        node->AddApplication(application);
        return application;
    };
    const auto sender = add(CreateObject<MpaBulkSender>(), true);
    add(CreateObject<MpaSink>(), false);
    const auto bulk = add(CreateObject<RdmaBulkClient>(), true);
    add(CreateObject<RdmaBulkServer>(), false);
    const auto storage = add(CreateObject<RdmaStorageClient>(), true);
    const auto server = add(CreateObject<RdmaStorageServer>(), false);
    add(CreateObject<RdmaPerfClient>(), false);
    add(CreateObject<RdmaPerfServer>(), false);

    const int64_t used = IwarpHelper::AssignStreams(node, 100);
    std::vector<int64_t> streams{StreamOf(server, "ServiceTime")};
    for (const auto& application : {sender, bulk, storage})
    {
        streams.push_back(StreamOf(application, "MessageSizes"));
        streams.push_back(StreamOf(application, "Intervals"));
    }
    const std::size_t distributions = streams.size();
    std::sort(streams.begin(), streams.end());
    streams.erase(std::unique(streams.begin(), streams.end()), streams.end());
    NS_TEST_EXPECT_MSG_EQ(streams.size(), distributions, "no two are the same");
    NS_TEST_EXPECT_MSG_EQ(streams.front(), 100, "from the first on");
    NS_TEST_EXPECT_MSG_LT(streams.back(), 100 + used, "as many as it says");
    NS_TEST_EXPECT_MSG_EQ(used,
                          10,
                          "the storage client decides on reads and writes, the perf client "
                          "on queue pairs, the device on STags");
    Simulator::Destroy();
}

} // namespace
