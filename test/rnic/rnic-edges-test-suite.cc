/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "../iwarp-test.h"
#include "rnic-test-util.h"

#include "ns3/internet-stack-helper.h"
#include "ns3/ipv4-address-helper.h"
#include "ns3/ipv4-end-point.h"
#include "ns3/ipv4-l3-protocol.h"
#include "ns3/mpa-receiver.h"
#include "ns3/node-container.h"
#include "ns3/point-to-point-helper.h"
#include "ns3/rnic-cpu.h"
#include "ns3/rnic-helper.h"
#include "ns3/rnic-part.h"
#include "ns3/rnic-pipeline.h"
#include "ns3/rnic.h"
#include "ns3/simulator.h"
#include "ns3/socket.h"
#include "ns3/tcp-end-point-table.h"
#include "ns3/tcp-header.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

using namespace ns3;
using namespace rnictest;

namespace
{

IWARP_TEST_SUITE(rnicEdges, "rnic-edges");

/// A host with an RNIC and a connection, whose socket and whose IP are this object.
class EdgeHost final : public TcpConnection::Owner
{
  public:
    /// @param settings of the RNIC @param stages of its pipelines besides: paths and TypeIds
    explicit EdgeHost(const std::string& settings,
                      const std::vector<std::pair<RnicPipelineKind, std::string>>& stages = {})
        : m_endPoint(Ipv4Address("10.0.0.1"), 5000)
    {
        NodeContainer nodes(2);
        const auto devices = PointToPointHelper().Install(nodes);
        InternetStackHelper().Install(nodes);
        Ipv4AddressHelper("10.0.0.0", "255.255.255.0").Assign(devices);
        device = devices.Get(0);
        interface = nodes.Get(0)->GetObject<Ipv4L3Protocol>()->GetInterface(1);
        RnicHelper helper;
        for (const auto& [path, value] : ParseSettings(settings))
        {
            const std::string problem = helper.SetFromText(path, value);
            NS_ABORT_MSG_UNLESS(problem.empty(), problem);
        }
        for (const auto& [pipeline, type] : stages)
        {
            helper.AddStage(pipeline, "Own" + std::to_string(static_cast<int>(pipeline)), type);
        }
        rnic = helper.Install(nodes.Get(0));
        nodes.Get(0)->Initialize();
        m_table = nodes.Get(0)->GetObject<TcpEndPointTable>();
        m_table->SetDownTarget(MakeCallback(&EdgeHost::GoesDown, this));
        m_endPoint.SetPeer(Ipv4Address("10.0.0.2"), 6000);
        m_entry = m_table->Add(*this, false);
    }

    ~EdgeHost()
    {
        Remove();
        rnic = nullptr;
        m_table = nullptr;
        interface = nullptr;
        device = nullptr;
        Simulator::Destroy();
    }

    EdgeHost(const EdgeHost&) = delete;
    EdgeHost& operator=(const EdgeHost&) = delete;

    /// @return the connection, as the layers above see it
    RnicConnection& Get() const
    {
        return static_cast<RnicConnection&>(*m_entry);
    }

    /// The socket goes.
    void Remove()
    {
        if (m_entry)
        {
            m_table->Remove(m_entry);
            m_entry = nullptr;
        }
    }

    /// TCP sends a segment. @param payload octets
    void Send(uint32_t payload)
    {
        const auto packet = Make(payload, 5000, 6000);
        SocketIpTosTag tos;
        tos.SetTos(ecn);
        packet->AddPacketTag(tos);
        Get().Send(*m_table,
                   m_head,
                   packet,
                   Ipv4Address("10.0.0.1"),
                   Ipv4Address("10.0.0.2"),
                   Ptr<Ipv4Route>());
    }

    /// A segment comes. @param payload octets
    void Receive(uint32_t payload)
    {
        const auto packet = Make(payload, 6000, 5000);
        Ipv4Header header;
        header.SetEcn(ecn);
        header.SetSource("10.0.0.2");
        header.SetDestination("10.0.0.1");
        header.SetProtocol(6);
        Get().Receive(*m_table, m_head, packet, header, interface);
    }

    Ipv4EndPoint* GetEndPoint() const override
    {
        return &m_endPoint;
    }

    Ipv6EndPoint* GetEndPoint6() const override
    {
        return nullptr;
    }

    uint32_t GetInlineOctets(SequenceNumber32, uint32_t) const override
    {
        return 0;
    }

    void ForEachSource(SequenceNumber32,
                       uint32_t size,
                       const TcpConnection::SourceFunction& visit) const override
    {
        visit(0, 0, size);
    }

    uint32_t GetRecordPart(SequenceNumber32 /* seq */) const override
    {
        return 0;
    }

    bool IsOutstanding(SequenceNumber32 /* seq */) const override
    {
        return false;
    }

    void NotifyPathMtu(uint32_t /* mtu */) override
    {
    }

    void Deliver(const Ptr<Packet>& packet,
                 const Ipv4Header&,
                 uint16_t,
                 const Ptr<Ipv4Interface>&) override
    {
        got.push_back(m_head.GetPayload(packet->GetSize()));
    }

    void Deliver(const Ptr<Packet>&,
                 const Ipv6Header&,
                 uint16_t,
                 const Ptr<Ipv6Interface>&) override
    {
    }

    void DeliverIcmp(Ipv4Address, uint8_t, uint8_t, uint8_t, uint32_t) override
    {
    }

    void DeliverIcmp(Ipv6Address, uint8_t, uint8_t, uint8_t, uint32_t) override
    {
    }

    Ptr<Rnic> rnic;               //!< the RNIC
    Ptr<NetDevice> device;        //!< its link
    Ptr<Ipv4Interface> interface; //!< the same, for IP
    std::vector<uint32_t> sent;   //!< payload of segments that went down to IP
    std::vector<uint32_t> got;    //!< payload of segments that came up to the socket
    TcpHeader tcp;                //!< header of segments to come, but for the ports
    Ipv4Header::EcnType ecn{Ipv4Header::ECN_NotECT}; //!< of their datagrams

  private:
    /// @param payload octets @param from port @param to port @return a segment, m_head its head
    Ptr<Packet> Make(uint32_t payload, uint16_t from, uint16_t to)
    {
        TcpHeader header = tcp;
        header.SetSourcePort(from);
        header.SetDestinationPort(to);
        const auto packet = Create<Packet>(payload);
        packet->AddHeader(header);
        m_head.Read(packet);
        return packet;
    }

    /// @param packet segment
    void GoesDown(Ptr<Packet> packet, Ipv4Address, Ipv4Address, uint8_t, Ptr<Ipv4Route>)
    {
        sent.push_back(m_head.GetPayload(packet->GetSize()));
    }

    mutable Ipv4EndPoint m_endPoint; //!< where the socket is bound
    Ptr<TcpEndPointTable> m_table;   //!< the host's
    Ptr<TcpConnection> m_entry;      //!< connection there
    TcpSegmentHead m_head;           //!< of the last segment
};

/// A stage that looks at headers and remembers something of each connection, as one that
/// acknowledges or slows down by itself has to.
class HeaderStage : public RnicStage
{
  public:
    static TypeId GetTypeId()
    {
        static TypeId tid =
            TypeId("ns3::RnicTestHeaderStage").SetParent<RnicStage>().AddConstructor<HeaderStage>();
        return tid;
    }

    /// What it remembers of a connection.
    struct Seen
    {
        uint32_t segments{0};     //!< how many
        uint32_t marked{0};       //!< that met congestion
        uint32_t acknowledged{0}; //!< highest acknowledgment number
        uint8_t flags{0};         //!< of all
        uint32_t seq{0};          //!< of the last
    };

    std::string Check() const override
    {
        return "";
    }

    bool IsIdeal() const override
    {
        return false;
    }

    void Serve(RnicSegment& segment) override
    {
        auto& seen = segment.connection->Of<Seen>(*this);
        ++seen.segments;
        seen.marked += segment.ecn == Ipv4Header::ECN_CE;
        seen.acknowledged = std::max(seen.acknowledged, segment.ack);
        seen.flags |= segment.flags;
        seen.seq = segment.seq;
        last = &seen;
    }

    const Seen* last{nullptr}; //!< of the last segment's connection
};

NS_OBJECT_ENSURE_REGISTERED(HeaderStage);

IWARP_TEST(rnicEdges, "stages see ECN and ACKs, and remember connections by themselves")
{
    const std::string type = "ns3::RnicTestHeaderStage";
    EdgeHost host("RxTcp.TimePerPacket=1us",
                  {{RnicPipelineKind::RECEIVE, type}, {RnicPipelineKind::TRANSMIT, type}});
    const auto find = [&](RnicPipelineKind kind) {
        for (const auto& [name, stage] : host.rnic->GetDatapath().GetPipeline(kind).GetStages())
        {
            if (const auto found = DynamicCast<HeaderStage>(stage))
            {
                return found;
            }
        }
        return Ptr<HeaderStage>();
    };
    host.tcp.SetFlags(TcpHeader::ACK);
    host.tcp.SetAckNumber(SequenceNumber32(7000));
    host.tcp.SetSequenceNumber(SequenceNumber32(100));
    host.Receive(1000);
    host.ecn = Ipv4Header::ECN_CE;
    host.tcp.SetSequenceNumber(SequenceNumber32(1100));
    host.Receive(1000);
    host.ecn = Ipv4Header::ECN_ECT0;
    host.tcp.SetFlags(TcpHeader::ACK | TcpHeader::ECE);
    host.tcp.SetAckNumber(SequenceNumber32(2100));
    host.Send(500);
    Simulator::Run();
    const auto in = find(RnicPipelineKind::RECEIVE);
    const auto out = find(RnicPipelineKind::TRANSMIT);
    NS_TEST_ASSERT_MSG_EQ((in && in->last && out && out->last), true, "both have served");
    NS_TEST_EXPECT_MSG_EQ(in->last->segments, 2, "that came, by itself");
    NS_TEST_EXPECT_MSG_EQ(in->last->marked, 1, "met congestion");
    NS_TEST_EXPECT_MSG_EQ(in->last->acknowledged, 7000, "acknowledgment number");
    NS_TEST_EXPECT_MSG_EQ(in->last->seq, 1100, "sequence number");
    NS_TEST_EXPECT_MSG_EQ(+in->last->flags, +TcpHeader::ACK, "flags");
    NS_TEST_EXPECT_MSG_EQ(out->last->segments, 1, "that went out");
    NS_TEST_EXPECT_MSG_EQ(out->last->marked, 0, "nothing has marked it");
    NS_TEST_EXPECT_MSG_EQ(out->last->acknowledged, 2100, "acknowledgment number");
    NS_TEST_EXPECT_MSG_EQ(+out->last->flags, (TcpHeader::ACK | TcpHeader::ECE), "flags");

    RnicConnectionState another;
    NS_TEST_EXPECT_MSG_EQ(another.Of<HeaderStage::Seen>(*in).segments, 0, "of another connection");
    NS_TEST_EXPECT_MSG_EQ(
        (&another.Of<HeaderStage::Seen>(*in) == &another.Of<HeaderStage::Seen>(*in)),
        true,
        "one of each part");
    NS_TEST_EXPECT_MSG_EQ(
        (&another.Of<HeaderStage::Seen>(*in) == &another.Of<HeaderStage::Seen>(*out)),
        false,
        "of its own");
}

/// @param ulpdu octets that a segment placed @return what goes to the host
RecordPlacementList
PlaceOctets(uint32_t ulpdu)
{
    return {{ulpdu, 0, 0}};
}

} // namespace

/// What one packet time serves ends at the octet that the limit says.
struct RnicEdgeBurst : TestCase
{
    using TestCase::TestCase;

    /// @param path of a HostSoftware receiver @return packet times that its CPU has worked
    static RnicTime Packets(const RnicDatapath& path)
    {
        return path.Get<RnicCpu>("Cpu")->GetBusy() / 1'000'000;
    }
};

IWARP_TEST(rnicEdges, "how many segments a large-segment offload takes for one", RnicEdgeBurst)
{
    const std::string software = "Receiver=HostSoftware Cpu.TimePerPacket=1us ";
    // of 1460 octets each: for a limit of octets so many, for each number of them
    for (const auto& [limit, expected] :
         std::vector<std::pair<uint32_t, std::vector<RnicTime>>>{{2919, {1, 2, 3, 4, 5, 6}},
                                                                 {2920, {1, 1, 2, 2, 3, 3}},
                                                                 {4379, {1, 1, 2, 2, 3, 3}},
                                                                 {4380, {1, 1, 1, 2, 2, 2}}})
    {
        const auto out = StartPath(software + "Cpu.LargeSendOffload=" + std::to_string(limit));
        const auto in = StartPath(software + "Cpu.LargeReceiveOffload=" + std::to_string(limit));
        RnicConnectionState connection;
        for (RnicTime packets : expected)
        {
            Transmit(*out, 0, connection, 1518, 1460);
            NS_TEST_EXPECT_MSG_EQ(Packets(*out), packets, "sent, limit " << limit);
            Receive(*in, 0, connection, 1460);
            NS_TEST_EXPECT_MSG_EQ(Packets(*in), packets, "received, limit " << limit);
        }
    }
    // another connection's segment, and a later one, are packets of their own
    const auto path = StartPath(software + "Cpu.LargeSendOffload=65536");
    RnicConnectionState a;
    RnicConnectionState b;
    b.key = 1;
    Transmit(*path, 0, a, 1518, 1460);
    Transmit(*path, 0, b, 1518, 1460);
    Transmit(*path, 0, a, 1518, 1460);
    NS_TEST_EXPECT_MSG_EQ(Packets(*path), 3, "in turn");
    Transmit(*path, 1, a, 1518, 1460);
    NS_TEST_EXPECT_MSG_EQ(Packets(*path), 4, "a picosecond later");
    const auto gather = StartPath(software + "Cpu.LargeReceiveOffload=65536 "
                                             "HostInterface.WriteLatency=500ns");
    Receive(*gather, 0, a, 1500);
    Receive(*gather, 499'999, a, 1500);
    NS_TEST_EXPECT_MSG_EQ(Packets(*gather), 1, "until the CPU sees the first");
    Receive(*gather, 500'001, a, 1500);
    NS_TEST_EXPECT_MSG_EQ(Packets(*gather), 2, "and no longer");
}

/// Segments of a connection stay in order, on both ways, whatever delays those before.
IWARP_TEST(rnicEdges, "no segment overtakes another of its connection")
{
    // data is paced, an ACK is not, and still leaves behind the data before it
    const auto out = StartPath("TxPace.Interval=300ns");
    RnicConnectionState a;
    RnicConnectionState b;
    b.key = 1;
    NS_TEST_EXPECT_MSG_EQ(Transmit(*out, 0, a, 1518, 1460), 0, "data");
    NS_TEST_EXPECT_MSG_EQ(Transmit(*out, 0, a, 1518, 1460), 300'000, "more");
    NS_TEST_EXPECT_MSG_EQ(Transmit(*out, 1000, a, 58, 0), 300'000, "an ACK behind it");
    NS_TEST_EXPECT_MSG_EQ(Transmit(*out, 1000, b, 58, 0), 1000, "another connection's");
    NS_TEST_EXPECT_MSG_EQ(Transmit(*out, 300'001, a, 58, 0), 300'001, "when it has left");
    // on its way in the first one waits for the context
    const std::string cache = "HostInterface.ReadLatency=300ns ContextCache.Entries=1 ";
    const auto in = StartPath(cache);
    NS_TEST_EXPECT_MSG_EQ(Receive(*in, 0, a, 1518).time, 300'000, "waits for its context");
    NS_TEST_EXPECT_MSG_EQ(Receive(*in, 1000, a, 100).time, 300'000, "behind it");
    NS_TEST_EXPECT_MSG_EQ(Receive(*in, 300'001, a, 100).time, 300'001, "when it is there");

    // one that needs no time, at the very instant at which those before it are through
    const std::vector<uint32_t> order{1000, 0, 400};
    for (const bool up : {false, true})
    {
        EdgeHost host(cache);
        const auto pass = [&host, up](uint32_t payload) {
            up ? host.Receive(payload) : host.Send(payload);
        };
        if (!up) // so that the context is there
        {
            Simulator::Schedule(MicroSeconds(1), [&host] { host.Send(1); });
        }
        Simulator::Schedule(MicroSeconds(5), [&pass] { pass(1000); });
        Simulator::Schedule(MicroSeconds(5) + NanoSeconds(300), [&pass] { pass(0); });
        Simulator::Schedule(MicroSeconds(6), [&pass] { pass(400); });
        Simulator::Run();
        auto& seen = up ? host.got : host.sent;
        if (!up)
        {
            NS_TEST_ASSERT_MSG_EQ(seen.empty(), false, "sent");
            seen.erase(seen.begin());
        }
        NS_TEST_EXPECT_MSG_EQ((seen == order), true, (up ? "up" : "down"));
    }
}

/// What a connection holds is free when its socket is gone.
IWARP_TEST(rnicEdges, "a connection that goes gives back what it holds")
{
    const auto path = StartPath("ReassemblyMemory.Capacity=20000 ContextCache.Entries=4");
    path->GetMemory().SetHeld(0, 7, 5000);
    path->GetMemory().SetHeld(0, 8, 2000);
    path->Release(1000, 7);
    NS_TEST_EXPECT_MSG_EQ(path->GetMemory().GetHeld(), 2000, "the other's");
    NS_TEST_EXPECT_MSG_EQ(path->GetMemory().GetHolders(), 1, "the other");
    NS_TEST_EXPECT_MSG_EQ(path->GetMemory().GetPeakOf(7), 0, "nothing is known of it");
    NS_TEST_EXPECT_MSG_EQ(path->GetMemory().GetLongest(1000), 1000, "but how long it held");

    EdgeHost host("ReassemblyMemory.Capacity=20000");
    auto& memory = host.rnic->GetDatapath().GetMemory();
    RecordSegmentReport report;
    report.stored = 5000;
    host.Get().Segment(report, 5000, {}, 5000);
    NS_TEST_EXPECT_MSG_EQ(memory.GetHeld(), 5000, "held");
    NS_TEST_EXPECT_MSG_EQ(host.rnic->GetConnections(), 1, "in the table");
    host.Remove();
    NS_TEST_EXPECT_MSG_EQ(memory.GetHeld(), 0, "given back");
    NS_TEST_EXPECT_MSG_EQ(host.rnic->GetConnections(), 0, "gone");
}

/// What TCP has taken is not retired until the host has it.
IWARP_TEST(rnicEdges, "octets count as not retired until they are written to the host")
{
    EdgeHost host("HostInterface.WriteRate=8Gbps"); // an octet a nanosecond
    auto& connection = host.Get();
    NS_TEST_EXPECT_MSG_EQ(connection.GetTimeToRetire(0), Time(0), "nothing to wait for");
    NS_TEST_EXPECT_MSG_EQ(connection.GetUnretired(), 0, "nothing has come");
    const RecordSegmentReport good;
    RecordSegmentReport none;
    none.duplicate = true;
    connection.Segment(good, 1000, PlaceOctets(900), 0);
    connection.Segment(none, 1000, PlaceOctets(900), 0);
    none.duplicate = false;
    none.dropped = true;
    connection.Segment(none, 1000, PlaceOctets(900), 0);
    connection.Segment(good, 500, PlaceOctets(400), 0);
    NS_TEST_EXPECT_MSG_EQ(connection.GetUnretired(), 1500, "whole segments, new ones only");
    const std::vector<std::pair<uint64_t, uint32_t>> waits{{1500, 0},
                                                           {1499, 900},
                                                           {500, 900},
                                                           {499, 1300},
                                                           {0, 1300}};
    for (const auto& [octets, time] : waits)
    {
        NS_TEST_EXPECT_MSG_EQ(connection.GetTimeToRetire(octets),
                              NanoSeconds(time),
                              "until " << octets << " are left");
    }
    const std::vector<std::pair<uint32_t, uint64_t>> times{{899, 1500},
                                                           {900, 500},
                                                           {1299, 500},
                                                           {1300, 0}};
    for (const auto& [time, octets] : times)
    {
        Simulator::Schedule(NanoSeconds(time), [this, &connection, octets = octets] {
            NS_TEST_EXPECT_MSG_EQ(connection.GetUnretired(), octets, Simulator::Now());
        });
    }
    Simulator::Run();
}

/// The reserve of the reassembly memory follows the link's MTU while the RNIC runs.
IWARP_TEST(rnicEdges, "the reserve follows the MTU of the link")
{
    for (const char* settings :
         {"ReassemblyMemory.Capacity=36000", "ReassemblyMemory.Capacity=36000 RxTcp.Latency=1ns"})
    {
        EdgeHost host(settings);
        const auto& memory = host.rnic->GetDatapath().GetMemory();
        const auto late = [&host, &memory](uint16_t mtu) {
            host.device->SetMtu(mtu);
            host.Receive(100);
            return memory.GetLimit(99, false);
        };
        NS_TEST_EXPECT_MSG_EQ(late(1500), 36000 - 1500, "out of order: all but the reserve");
        NS_TEST_EXPECT_MSG_EQ(late(9000), 36000 - 9000, "larger");
        NS_TEST_EXPECT_MSG_EQ(late(1500), 36000 - 9000, "what was sent before may come yet");
        NS_TEST_EXPECT_MSG_EQ(memory.GetLimit(99, true), 36000, "in order: all");
        IWARP_COVERS("MPA-A.5.2-02");
    }
}
