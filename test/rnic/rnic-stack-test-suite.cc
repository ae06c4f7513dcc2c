/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "../iwarp-test.h"

#include "ns3/bulk-send-helper.h"
#include "ns3/data-rate.h"
#include "ns3/error-model.h"
#include "ns3/inet-socket-address.h"
#include "ns3/inet6-socket-address.h"
#include "ns3/internet-stack-helper.h"
#include "ns3/ipv4-address-helper.h"
#include "ns3/ipv6-address-helper.h"
#include "ns3/mac48-address.h"
#include "ns3/mpa-tcp-socket-factory.h"
#include "ns3/net-device-container.h"
#include "ns3/node-container.h"
#include "ns3/packet-sink-helper.h"
#include "ns3/packet-sink.h"
#include "ns3/point-to-point-helper.h"
#include "ns3/pointer.h"
#include "ns3/rng-seed-manager.h"
#include "ns3/rnic-helper.h"
#include "ns3/rnic-profile.h"
#include "ns3/rnic.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/tcp-end-point-table.h"
#include "ns3/tcp-socket-factory.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <functional>
#include <map>
#include <string>
#include <vector>

using namespace ns3;

namespace
{

IWARP_TEST_SUITE(rnicStack, "rnic-stack");

/// What a run is to be like.
struct Setup
{
    bool rnic{true};                         //!< both hosts have an RNIC
    bool mpaSockets{true};                   //!< sockets of MpaTcpSocketFactory, or plain ones
    bool ipv6{false};                        //!< IPv6
    bool dualListener{false};                //!< IPv6 listener, IPv4 senders
    uint32_t connections{1};                 //!< connections, all from one host to the other
    uint64_t octets{200000};                 //!< octets of each
    double loss{0};                          //!< share of packets lost at the receiver
    std::string profile{"ideal"};            //!< figures of the RNIC
    std::function<void(RnicHelper&)> change; //!< and what differs from them
};

/// Two hosts on a link, bulk transfers, and what was seen.
class BulkRun
{
  public:
    explicit BulkRun(const Setup& setup)
    {
        RngSeedManager::SetSeed(1);
        RngSeedManager::SetRun(1);
        m_nodes.Create(2);
        PointToPointHelper link;
        link.SetDeviceAttribute("DataRate", StringValue("10Gbps"));
        link.SetChannelAttribute("Delay", StringValue("20us"));
        NetDeviceContainer devices = link.Install(m_nodes);
        // ns-3 before 3.37 goes on counting MAC addresses from one run to the next
        devices.Get(0)->SetAddress(Mac48Address("00:00:00:00:00:01"));
        devices.Get(1)->SetAddress(Mac48Address("00:00:00:00:00:02"));
        InternetStackHelper stack;
        stack.Install(m_nodes);
        stack.AssignStreams(m_nodes, 1);
        Ipv4AddressHelper v4("10.1.0.0", "255.255.0.0");
        const auto addresses = v4.Assign(devices);
        Ipv6AddressHelper v6(Ipv6Address("2001:db8::"), Ipv6Prefix(64));
        const auto addresses6 = v6.Assign(devices);
        if (setup.rnic)
        {
            RnicHelper helper(setup.profile);
            if (setup.change)
            {
                setup.change(helper);
            }
            rnics = helper.Install(m_nodes);
            RnicHelper::AssignStreams(m_nodes, 100);
        }
        for (uint32_t i = 0; i < 2; ++i)
        {
            MpaTcpSocketFactory::Install(m_nodes.Get(i));
            devices.Get(i)->TraceConnectWithoutContext("PhyTxEnd",
                                                       MakeCallback(&BulkRun::Seen, this));
        }
        if (setup.loss > 0)
        {
            auto error = CreateObject<RateErrorModel>();
            error->SetUnit(RateErrorModel::ERROR_UNIT_PACKET);
            error->SetRate(setup.loss);
            error->AssignStreams(50);
            devices.Get(1)->SetAttribute("ReceiveErrorModel", PointerValue(error));
        }
        const std::string factory = setup.mpaSockets ? MpaTcpSocketFactory::GetTypeId().GetName()
                                                     : TcpSocketFactory::GetTypeId().GetName();
        const uint16_t port = 5000;
        const bool listen6 = setup.ipv6 || setup.dualListener;
        const Address any = listen6 ? Address(Inet6SocketAddress(Ipv6Address::GetAny(), port))
                                    : Address(InetSocketAddress(Ipv4Address::GetAny(), port));
        const Address where = setup.ipv6
                                  ? Address(Inet6SocketAddress(addresses6.GetAddress(1, 1), port))
                                  : Address(InetSocketAddress(addresses.GetAddress(1), port));
        m_sinks = PacketSinkHelper(factory, any).Install(m_nodes.Get(1));
        m_sinks.Start(Seconds(0.5));
        BulkSendHelper bulk(factory, where);
        bulk.SetAttribute("MaxBytes", UintegerValue(setup.octets));
        bulk.SetAttribute("SendSize", UintegerValue(1000));
        for (uint32_t i = 0; i < setup.connections; ++i)
        {
            auto app = bulk.Install(m_nodes.Get(0));
            app.Start(Seconds(1) + MicroSeconds(10 * i));
        }
    }

    ~BulkRun()
    {
        Simulator::Destroy();
    }

    /// @param stop when to stop
    void Go(Time stop = Seconds(200))
    {
        Simulator::Stop(stop);
        Simulator::Run();
        received = DynamicCast<PacketSink>(m_sinks.Get(0))->GetTotalRx();
    }

    /// @param host which @return its node
    Ptr<Node> GetNode(uint32_t host) const
    {
        return m_nodes.Get(host);
    }

    uint64_t hash{14695981039346656037ULL}; //!< of all octets sent, and when
    uint64_t packets{0};                    //!< sent
    uint64_t received{0};                   //!< octets that the application got
    Time last;                              //!< when the last packet was sent
    std::vector<Ptr<Rnic>> rnics;           //!< of both hosts

  private:
    /// @param packet sent
    void Seen(Ptr<const Packet> packet)
    {
        m_octets.resize(packet->GetSize());
        packet->CopyData(m_octets.data(), packet->GetSize());
        auto add = [this](uint8_t octet) { hash = (hash ^ octet) * 1099511628211ULL; };
        for (uint8_t octet : m_octets)
        {
            add(octet);
        }
        last = Simulator::Now();
        for (uint64_t t = last.GetTimeStep(); t > 0; t >>= 8)
        {
            add(static_cast<uint8_t>(t));
        }
        ++packets;
    }

    NodeContainer m_nodes;         //!< hosts
    ApplicationContainer m_sinks;  //!< receiver
    std::vector<uint8_t> m_octets; //!< of a packet
};

/// Frames that passed a pipeline.
struct Frames
{
    uint64_t count{0}; //!< all
    uint64_t wrong{0}; //!< of them, delayed by another time than expected

    /// A stage of the pipeline as a FIFO server.
    struct Stage
    {
        Time fixed;    //!< service of each frame
        Time perOctet; //!< service besides for each octet
        Time free;     //!< when it has served all frames so far
    };

    std::vector<Stage> stages; //!< what they pass
    Time latency;              //!< behind the stages
    uint64_t most{0};          //!< most connections in the table
    Ptr<Rnic> rnic;            //!< whose table
};

// @param frames what was seen @param frame octets of one @param begin when the RNIC got it
// @param delay in the RNIC
void
CheckFrame(Frames& frames, uint32_t frame, Time begin, Time delay)
{
    ++frames.count;
    Time at = begin;
    for (auto& stage : frames.stages)
    {
        at = stage.free = std::max(at, stage.free) + stage.fixed + stage.perOctet * int64_t(frame);
    }
    frames.wrong += delay != at + frames.latency - begin;
}

// Trace sink of Receive. @param frames what was seen @param frame octets @param delay in the RNIC
void
NoteFrame(Frames* frames, uint64_t, uint32_t frame, Time delay)
{
    CheckFrame(*frames, frame, Simulator::Now(), delay);
    if (frames->rnic)
    {
        frames->most = std::max(frames->most, frames->rnic->GetConnections());
    }
}

// Trace sink of Transmit. @param frames what was seen @param frame octets @param delay in the RNIC
void
NoteSentFrame(Frames* frames, uint64_t, uint32_t frame, Time delay)
{
    CheckFrame(*frames, frame, Simulator::Now() - delay, delay);
}

using Drops = std::map<Rnic::DropReason, uint64_t>; //!< octets

// Trace sink. @param dropped so far @param octets now @param reason why
void
NoteDrop(Drops* dropped, uint64_t, uint32_t octets, Rnic::DropReason reason)
{
    (*dropped)[reason] += octets;
}

// @param socket to connect @param where to
void
ConnectTo(Ptr<Socket> socket, Address where)
{
    socket->Connect(where);
}

} // namespace

/// An ideal RNIC changes nothing on the wire.
IWARP_TEST(rnicStack, "an ideal RNIC leaves every octet and time on the wire as it is")
{
    for (bool ipv6 : {false, true})
    {
        for (double loss : {0.0, 0.02})
        {
            for (uint32_t connections : {1U, 20U})
            {
                Setup setup;
                setup.ipv6 = ipv6;
                setup.loss = loss;
                setup.connections = connections;
                setup.rnic = false;
                uint64_t hash = 0;
                uint64_t packets = 0;
                {
                    BulkRun plain(setup);
                    plain.Go();
                    hash = plain.hash;
                    packets = plain.packets;
                    NS_TEST_EXPECT_MSG_EQ(plain.received, 200000ULL * connections, "all");
                }
                setup.rnic = true;
                BulkRun run(setup);
                run.Go();
                NS_TEST_EXPECT_MSG_EQ(run.received, 200000ULL * connections, "all");
                NS_TEST_EXPECT_MSG_EQ(run.packets, packets, "packets");
                NS_TEST_EXPECT_MSG_EQ(run.hash, hash, "octets and times, loss " << loss);
                NS_TEST_EXPECT_MSG_GT_OR_EQ(run.rnics[1]->GetConnections(), 1, "listener");
            }
        }
    }
}

/// Sockets that are not the RNIC's do not notice it, however slow it is.
IWARP_TEST(rnicStack,
           "plain sockets on a node with an RNIC, or with an endpoint table, are untouched")
{
    for (bool ipv6 : {false, true})
    {
        Setup setup;
        setup.mpaSockets = false;
        setup.connections = 3;
        setup.loss = 0.01;
        setup.ipv6 = ipv6;
        setup.rnic = false;
        uint64_t hash = 0;
        {
            BulkRun plain(setup);
            plain.Go();
            hash = plain.hash;
            NS_TEST_EXPECT_MSG_EQ(plain.received, 600000, "all");
        }
        {
            BulkRun table(setup);
            TcpEndPointTable::Install(table.GetNode(0));
            TcpEndPointTable::Install(table.GetNode(1));
            table.Go();
            NS_TEST_EXPECT_MSG_EQ(table.hash, hash, "behind a table of endpoints");
        }
        setup.rnic = true;
        setup.profile = "t5-like";
        BulkRun run(setup);
        Frames frames;
        for (const auto& rnic : run.rnics)
        {
            rnic->TraceConnectWithoutContext("Receive", MakeBoundCallback(&NoteFrame, &frames));
        }
        run.Go();
        NS_TEST_EXPECT_MSG_EQ(run.hash, hash, "octets and times");
        NS_TEST_EXPECT_MSG_EQ(frames.count, 0, "nothing passed the RNIC");
        NS_TEST_EXPECT_MSG_EQ(run.rnics[0]->GetConnections(), 0, "no connection is its");
    }
}

/// Each segment is delayed by the sum of the stages' times.
IWARP_TEST(rnicStack, "segments and ACKs of the RNIC's connections pass its pipelines")
{
    for (bool ipv6 : {false, true})
    {
        Setup setup;
        setup.ipv6 = ipv6;
        setup.octets = 50000;
        setup.change = [](RnicHelper& helper) {
            helper.Set("RxTcp.TimePerPacket", TimeValue(NanoSeconds(700)));
            helper.Set("RxMac.Rate", DataRateValue(DataRate("1Gbps"))); // 8 ns an octet
            helper.Set("TxBuild.TimePerPacket", TimeValue(NanoSeconds(300)));
            helper.Set("TxBuild.Latency", TimeValue(NanoSeconds(1000)));
        };
        BulkRun run(setup);
        Frames in[2];
        Frames out[2];
        for (uint32_t i = 0; i < 2; ++i)
        {
            in[i].stages = {{Time(0), NanoSeconds(8), Time(0)},
                            {NanoSeconds(700), Time(0), Time(0)}};
            out[i].stages = {{NanoSeconds(300), Time(0), Time(0)}};
            out[i].latency = NanoSeconds(1000);
            run.rnics[i]->TraceConnectWithoutContext("Receive",
                                                     MakeBoundCallback(&NoteFrame, &in[i]));
            run.rnics[i]->TraceConnectWithoutContext("Transmit",
                                                     MakeBoundCallback(&NoteSentFrame, &out[i]));
        }
        run.Go();
        NS_TEST_EXPECT_MSG_EQ(run.received, setup.octets, "all");
        for (uint32_t i = 0; i < 2; ++i)
        {
            NS_TEST_EXPECT_MSG_GT_OR_EQ(in[i].count, 20, "handshake, data or ACKs, FINs");
            NS_TEST_EXPECT_MSG_EQ(in[i].count, out[1 - i].count, "what goes out comes in");
            NS_TEST_EXPECT_MSG_EQ(in[i].wrong, 0, "tandem of two servers");
            NS_TEST_EXPECT_MSG_EQ(out[i].wrong, 0, "a server and a delay");
        }
    }
}

/// With every profile and under loss all octets arrive; what does not fit is counted.
IWARP_TEST(rnicStack, "transfers under loss with every profile, and through a small packet buffer")
{
    for (const auto& profile : RnicProfile::GetNames())
    {
        Setup setup;
        setup.profile = profile;
        setup.connections = 4;
        setup.loss = 0.01;
        BulkRun run(setup);
        run.Go();
        NS_TEST_EXPECT_MSG_EQ(run.received, 800000, profile);
        auto& path = run.rnics[1]->GetDatapath();
        NS_TEST_EXPECT_MSG_EQ(path.GetBuffer().GetHeld(ToRnicTime(Seconds(200))),
                              0,
                              "nothing stays in the packet buffer");
    }
    Setup setup;
    setup.connections = 8;
    setup.change = [](RnicHelper& helper) {
        helper.Set("PacketBuffer.Capacity", UintegerValue(4000));
        helper.Set("RxTcp.TimePerPacket", TimeValue(MicroSeconds(5)));
    };
    BulkRun run(setup);
    Drops dropped;
    run.rnics[1]->TraceConnectWithoutContext("Drop", MakeBoundCallback(&NoteDrop, &dropped));
    run.Go();
    NS_TEST_EXPECT_MSG_EQ(run.received, 1600000, "TCP recovers");
    NS_TEST_EXPECT_MSG_GT(dropped[Rnic::DropReason::PACKET_BUFFER], 0, "some did not fit");
    auto& buffer = run.rnics[1]->GetDatapath().GetBuffer();
    NS_TEST_EXPECT_MSG_EQ(buffer.GetDropped(),
                          dropped[Rnic::DropReason::PACKET_BUFFER],
                          "each is counted");
    NS_TEST_EXPECT_MSG_LT_OR_EQ(buffer.GetPeak(), 4000, "never more than it takes");
}

/// Connections appear in the table when they are set up and are gone when their sockets are.
IWARP_TEST(rnicStack, "connection table, ports, refused connections and IPv4-mapped peers")
{
    {
        Setup setup;
        setup.connections = 300;
        setup.octets = 3000;
        BulkRun run(setup);
        Frames frames;
        frames.rnic = run.rnics[1];
        frames.rnic->TraceConnectWithoutContext("Receive", MakeBoundCallback(&NoteFrame, &frames));
        run.Go();
        NS_TEST_EXPECT_MSG_EQ(run.received, 900000, "all");
        NS_TEST_EXPECT_MSG_GT(frames.most, 10, "many at a time");
        // ports are taken once and given back
        const auto table = run.GetNode(0)->GetObject<TcpEndPointTable>();
        uint32_t taken = 0;
        while (taken < 20000 && table->AcquirePort(false) != 0)
        {
            ++taken;
        }
        NS_TEST_EXPECT_MSG_GT(taken, 16000, "all of 49152 to 65535 but those in use");
        NS_TEST_EXPECT_MSG_LT_OR_EQ(taken, 16384, "and no more");
        table->ReleasePort(false, 60000);
        NS_TEST_EXPECT_MSG_EQ(table->AcquirePort(false), 60000, "given back");
    }
    {
        Setup setup;
        setup.dualListener = true;
        setup.connections = 2;
        BulkRun run(setup);
        run.Go();
        NS_TEST_EXPECT_MSG_EQ(run.received, 400000, "IPv4 peers of an IPv6 listener");
    }
    // nobody listens there: what is sent is what hosts without RNICs send, TCP's reset
    uint64_t hash[2];
    for (bool rnic : {false, true})
    {
        Setup setup;
        setup.rnic = rnic;
        BulkRun run(setup);
        auto socket = Socket::CreateSocket(run.GetNode(0), MpaTcpSocketFactory::GetTypeId());
        Simulator::Schedule(Seconds(1),
                            &ConnectTo,
                            socket,
                            Address(InetSocketAddress(Ipv4Address("10.1.0.2"), 4999)));
        run.Go(Seconds(30));
        NS_TEST_EXPECT_MSG_EQ(run.received, 200000, "the other connection goes on");
        hash[rnic] = run.hash;
    }
    NS_TEST_EXPECT_MSG_EQ(hash[1], hash[0], "octets and times of a refused connection");
}
