/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "../iwarp-test.h"

#include "ns3/boolean.h"
#include "ns3/bulk-send-helper.h"
#include "ns3/config.h"
#include "ns3/double.h"
#include "ns3/enum.h"
#include "ns3/error-model.h"
#include "ns3/inet-socket-address.h"
#include "ns3/inet6-socket-address.h"
#include "ns3/internet-stack-helper.h"
#include "ns3/ipv4-address-helper.h"
#include "ns3/ipv4-global-routing-helper.h"
#include "ns3/ipv6-address-helper.h"
#include "ns3/mac48-address.h"
#include "ns3/mpa-tcp-socket-factory.h"
#include "ns3/node-container.h"
#include "ns3/ns3-compat.h"
#include "ns3/packet-sink-helper.h"
#include "ns3/packet-sink.h"
#include "ns3/point-to-point-helper.h"
#include "ns3/pointer.h"
#include "ns3/rfc9293-tcp-socket-factory.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/tcp-dctcp.h"
#include "ns3/tcp-header.h"
#include "ns3/tcp-socket-factory.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

/**
 * @file
 * @ingroup iwarp-test
 * Rfc9293TcpSocket in place of ns3::TcpSocketBase, and the names of it and of MpaTcpSocket.
 */

using namespace ns3;

namespace
{

/// The suite.
IWARP_TEST_SUITE(rfc9293TcpSocket, "rfc9293-tcp-socket");

constexpr uint32_t PPP = 2; // octets of a frame around its datagram

/// A transfer between two hosts.
struct BulkTransfer
{
    std::string sender{"ns3::Rfc9293TcpSocketFactory"};   //!< protocol of the sender
    std::string receiver{"ns3::Rfc9293TcpSocketFactory"}; //!< protocol of the receiver
    bool ipv6{false};                                     //!< over IPv6
    double loss{0};                                       //!< share of packets lost, each way
    uint32_t window{131072};                              //!< octets of receive buffer
    uint32_t mtu{1500};                                   //!< of the link
    uint64_t octets{2000000};                             //!< to be sent

    bool timestamps{true}; //!< option in use
    bool traced{false};    //!< somebody sees what both sockets send

    /// A frame that a device has sent.
    using Frame = std::pair<int64_t, std::vector<uint8_t>>; //!< when (ns), and its octets

    std::vector<Frame> frames; //!< sent by either host
    uint32_t seen{0};          //!< segments traced

    uint64_t received{0}; //!< octets that came
    bool closed{false};   //!< the receiver's socket is gone
    double seconds{0};    //!< when the last octet came
    uint32_t largest{0};  //!< octets of the largest datagram sent

    void Run(); //!< Run it
};

void
BulkTransfer::Run()
{
    Config::SetDefault("ns3::TcpSocket::RcvBufSize", UintegerValue(window));
    Config::SetDefault("ns3::TcpSocket::SndBufSize", UintegerValue(131072));
    Config::SetDefault("ns3::TcpSocketBase::Timestamp", BooleanValue(timestamps));
    NodeContainer nodes(2);
    PointToPointHelper link;
    link.SetDeviceAttribute("DataRate", StringValue("100Mbps"));
    link.SetDeviceAttribute("Mtu", UintegerValue(mtu));
    link.SetChannelAttribute("Delay", StringValue("5ms"));
    const auto devices = link.Install(nodes);
    devices.Get(0)->TraceConnectWithoutContext(
        "MacTx",
        iwarp::MakeLambdaCallback<Callback<void, Ptr<const Packet>>>(
            [this](Ptr<const Packet> packet) {
                largest = std::max(largest, packet->GetSize() - PPP);
            }));
    for (uint32_t i = 0; i < 2; ++i)
    { // IPv6 makes its addresses of these; early releases go on counting from run to run
        devices.Get(i)->SetAddress(
            Mac48Address(i == 0 ? "00:00:00:00:00:01" : "00:00:00:00:00:02"));
        devices.Get(i)->TraceConnectWithoutContext(
            "MacTx",
            iwarp::MakeLambdaCallback<Callback<void, Ptr<const Packet>>>(
                [this](Ptr<const Packet> packet) {
                    std::vector<uint8_t> octets(packet->GetSize());
                    packet->CopyData(octets.data(), octets.size());
                    frames.emplace_back(Simulator::Now().GetNanoSeconds(), octets);
                }));
    }
    for (uint32_t i = 0; loss > 0 && i < 2; ++i)
    {
        auto model = CreateObject<RateErrorModel>();
        model->SetUnit(RateErrorModel::ERROR_UNIT_PACKET);
        model->SetRate(loss);
        model->AssignStreams(10 + i);
        devices.Get(i)->SetAttribute("ReceiveErrorModel", PointerValue(model));
    }
    InternetStackHelper internet;
    internet.Install(nodes);
    internet.AssignStreams(nodes, 100);
    Rfc9293TcpSocketFactory::Install(nodes.Get(0));
    Rfc9293TcpSocketFactory::Install(nodes.Get(1));
    Address to;
    if (ipv6)
    {
        Ipv6AddressHelper addresses("2001:db8::", Ipv6Prefix(64));
        to = Inet6SocketAddress(addresses.Assign(devices).GetAddress(1, 1), 9);
    }
    else
    {
        Ipv4AddressHelper addresses("10.0.0.0", "255.255.255.0");
        to = InetSocketAddress(addresses.Assign(devices).GetAddress(1), 9);
    }
    BulkSendHelper bulk(sender, to);
    bulk.SetAttribute("MaxBytes", UintegerValue(octets));
    bulk.Install(nodes.Get(0)).Start(Seconds(1));
    const auto any = ipv6 ? Address(Inet6SocketAddress(Ipv6Address::GetAny(), 9))
                          : Address(InetSocketAddress(Ipv4Address::GetAny(), 9));
    const auto sink =
        DynamicCast<PacketSink>(PacketSinkHelper(receiver, any).Install(nodes.Get(1)).Get(0));
    sink->TraceConnectWithoutContext(
        "Rx",
        iwarp::MakeLambdaCallback<Callback<void, Ptr<const Packet>, const Address&>>(
            [this](Ptr<const Packet> packet, const Address&) {
                received += packet->GetSize();
                seconds = Simulator::Now().GetSeconds();
            }));
    if (traced)
    { // once the connection is there
        Simulator::Schedule(Seconds(1.05), [this]() {
            Config::ConnectWithoutContext(
                "/NodeList/*/$ns3::TcpEndPointTable/ShardList/*/SocketList/*/Tx",
                iwarp::MakeLambdaCallback<
                    Callback<void, Ptr<const Packet>, const TcpHeader&, Ptr<const TcpSocketBase>>>(
                    [this](Ptr<const Packet>, const TcpHeader&, Ptr<const TcpSocketBase>) {
                        ++seen;
                    }));
        });
    }
    Simulator::Stop(Seconds(600));
    Simulator::Run();
    for (const auto& socket : sink->GetAcceptedSockets())
    {
        closed = DynamicCast<TcpSocketBase>(socket)->Close() == 0;
    }
    Simulator::Destroy();
    Config::Reset();
}

/// An application gets its octets through, whoever its peer is, over either IP and whatever is
/// lost.
IWARP_TEST(rfc9293TcpSocket,
           "in place of TcpSocketBase, for applications that name it as their protocol")
{
    const std::string ours = "ns3::Rfc9293TcpSocketFactory";
    const std::string plain = "ns3::TcpSocketFactory";
    for (const bool ipv6 : {false, true})
    {
        for (const double loss : {0.0, 0.02})
        {
            for (const auto& [sender, receiver] :
                 {std::pair(ours, ours), std::pair(ours, plain), std::pair(plain, ours)})
            {
                BulkTransfer transfer;
                transfer.sender = sender;
                transfer.receiver = receiver;
                transfer.ipv6 = ipv6;
                transfer.loss = loss;
                transfer.Run();
                NS_TEST_EXPECT_MSG_EQ(transfer.received,
                                      transfer.octets,
                                      sender << " to " << receiver << (ipv6 ? ", IPv6" : ""));
            }
        }
    }
}

/// Segments whose header has no option but timestamps go a way of their own, unless somebody traces
/// them: TcpSocketBase's, with the same octets at the same times.
IWARP_TEST(rfc9293TcpSocket, "who traces segments sees those of a run without traces")
{
    for (const bool ipv6 : {false, true})
    {
        for (const bool timestamps : {false, true})
        {
            for (const double loss : {0.0, 0.02})
            {
                BulkTransfer plain;
                plain.octets = 600000;
                plain.ipv6 = ipv6;
                plain.timestamps = timestamps;
                plain.loss = loss;
                BulkTransfer traced = plain;
                traced.traced = true;
                plain.Run();
                traced.Run();
                NS_TEST_EXPECT_MSG_GT(traced.seen, 400, "most segments are traced");
                NS_TEST_EXPECT_MSG_EQ((plain.frames == traced.frames),
                                      true,
                                      (ipv6 ? "IPv6" : "IPv4") << (timestamps ? ", timestamps" : "")
                                                               << ", loss " << loss);
            }
        }
    }
}

/// Where nothing is lost RACK-TLP finds nothing: the same octets at the same times, whatever the
/// congestion control, until the link's queue is full.
IWARP_TEST(rfc9293TcpSocket, "without loss RACK-TLP changes nothing")
{
    for (const std::string control : {"TcpNewReno", "TcpCubic", "TcpBbr", "TcpVegas"})
    {
        for (const bool ipv6 : {false, true})
        {
            BulkTransfer off;
            off.ipv6 = ipv6;
            off.window = 65535;
            off.octets = 600000;
            off.timestamps = ipv6;
            BulkTransfer on = off;
            Config::SetDefault("ns3::TcpL4Protocol::SocketType", StringValue("ns3::" + control));
            off.Run();
            Config::SetDefault("ns3::TcpL4Protocol::SocketType", StringValue("ns3::" + control));
            Config::SetDefault("ns3::Rfc9293TcpSocket::Rack", BooleanValue(true));
            Config::SetDefault("ns3::Rfc9293TcpSocket::Dsack", BooleanValue(true));
            on.Run();
            NS_TEST_EXPECT_MSG_EQ(on.received, on.octets, control << ": all octets");
            NS_TEST_EXPECT_MSG_EQ((on.frames == off.frames), true, control);
        }
    }
}

/// Without loss it sends what TcpSocketBase sends: the same octets in the same time.
IWARP_TEST(rfc9293TcpSocket, "as fast as TcpSocketBase with segments of the same size")
{
    BulkTransfer ours;
    ours.Run();
    Config::SetDefault("ns3::TcpSocket::SegmentSize", UintegerValue(1448));
    BulkTransfer plain;
    plain.sender = "ns3::TcpSocketFactory";
    plain.receiver = "ns3::TcpSocketFactory";
    plain.Run();
    NS_TEST_EXPECT_MSG_EQ(ours.received, plain.received, "all octets");
    // its SYN is four octets longer
    NS_TEST_EXPECT_MSG_EQ_TOL(ours.seconds, plain.seconds, 1e-5, "in the same time");
}

/// A stream finds the MTU of its path by probes that have no records to respect (RFC 4821).
IWARP_TEST(rfc9293TcpSocket, "probes of a stream")
{
    Config::SetDefault("ns3::Rfc9293TcpSocketFactory::MtuProbing", StringValue("Always"));
    BulkTransfer probing;
    probing.mtu = 9000;
    probing.Run();
    NS_TEST_EXPECT_MSG_EQ(probing.received, probing.octets, "all octets");
    NS_TEST_EXPECT_MSG_GT(probing.largest, 9000U - TcpMtuSearch::THRESHOLD, "found");
    BulkTransfer small;
    Config::SetDefault("ns3::Rfc9293TcpSocket::MaxEmss", UintegerValue(1024));
    small.mtu = 9000;
    small.Run();
    NS_TEST_EXPECT_MSG_EQ(small.largest, 1024U + 52, "MaxEmss, headers and timestamps");
}

/// What users type is there: attributes, which Config::SetDefault() finds by the name of the socket
/// itself, and trace sources.
struct SocketNamesTest : TestCase
{
    using TestCase::TestCase;

    using Names = std::initializer_list<const char*>; //!< of a class

    /// @param type class @param attributes those that it has @param traces trace sources that it
    /// has
    void Look(TypeId type, Names attributes, Names traces)
    {
        for (const std::string name : attributes)
        {
            const std::string whole = type.GetName() + "::" + name;
            TypeId::AttributeInformation info;
            NS_TEST_EXPECT_MSG_EQ(type.LookupAttributeByName(name, &info), true, whole);
            NS_TEST_EXPECT_MSG_EQ((info.initialValue &&
                                   Config::SetDefaultFailSafe(whole, *info.initialValue->Copy())),
                                  true,
                                  whole);
        }
        for (const std::string name : traces)
        {
            TypeId::TraceSourceInformation info;
            NS_TEST_EXPECT_MSG_EQ((type.LookupTraceSourceByName(name, &info) != nullptr),
                                  true,
                                  type.GetName() << "'s " << name);
        }
        Config::Reset();
    }
};

IWARP_TEST(rfc9293TcpSocket,
           "attributes and trace sources by the names of their sockets",
           SocketNamesTest)
{
    Look(MpaTcpSocket::GetTypeId(),
         {"Alignment",
          "Dsack",
          "FragmentOnShrink",
          "MaxEmss",
          "MinPathMtu",
          "MinPathMtu6",
          "MssOption",
          "OverrideTimeout",
          "Packing",
          "PathOverhead",
          "PeerMssDefault",
          "Rack",
          "RackRttWindow",
          "ReceiveWindow",
          "ResendWhole",
          "WindowRate",
          "WindowRtt"},
         {"Emss",
          "HeldBack",
          "LossProbe",
          "RackLoss",
          "RecordCut",
          "RedundantRetransmission",
          "ReorderingWindow",
          "SegmentDropped",
          "SegmentSent",
          "WindowUpdate"});
    Look(Rfc9293TcpSocket::GetTypeId(),
         {"Dsack",
          "MaxEmss",
          "MinPathMtu",
          "MinPathMtu6",
          "MssOption",
          "OverrideTimeout",
          "PathOverhead",
          "PeerMssDefault",
          "Rack",
          "RackRttWindow",
          "WindowRate",
          "WindowRtt"},
         {"Emss", "HeldBack", "LossProbe", "RackLoss", "ReorderingWindow", "WindowUpdate"});
    for (const TypeId& factory :
         {MpaTcpSocketFactory::GetTypeId(), Rfc9293TcpSocketFactory::GetTypeId()})
    {
        Look(factory,
             {"BaseMss",
              "ChallengeInterval",
              "IgnoreIcmp",
              "MtuProbing",
              "MtuTimeouts",
              "ProbeInterval",
              "SynBacklog"},
             {"Challenges", "ChallengesHeldBack", "SynBacklog"});
    }
    // each has settings of its own
    Config::SetDefault("ns3::MpaTcpSocket::MaxEmss", UintegerValue(500));
    UintegerValue value;
    CreateObject<Rfc9293TcpSocket>()->GetAttribute("MaxEmss", value);
    NS_TEST_EXPECT_MSG_EQ(value.Get(), 65535, "the default of another class");
    CreateObject<MpaTcpSocket>()->GetAttribute("MaxEmss", value);
    NS_TEST_EXPECT_MSG_EQ(value.Get(), 500, "that of the class");
    Config::Reset();
}

/// What a mark of each segment leaves of a window of 100 segments: two of them (Linux's
/// dctcp_ssthresh(); RFC 5681 section 3.1, equation 4), and so on in connections that are accepted.
IWARP_TEST(rfc9293TcpSocket, "the least window of DCTCP")
{
    NodeContainer nodes(1);
    InternetStackHelper().Install(nodes);
    const auto factory = Rfc9293TcpSocketFactory::Install(nodes.Get(0));
    const auto getLeast = [this, factory](TypeId type) {
        PointerValue value;
        factory->CreateSocket(type)->GetAttribute("CongestionOps", value);
        auto control = value.Get<TcpCongestionOps>()->Fork();
        NS_TEST_EXPECT_MSG_EQ(control->GetInstanceTypeId().IsChildOf(TcpDctcp::GetTypeId()),
                              true,
                              "what traces of TcpDctcp find");
        auto state = CreateObject<TcpSocketState>();
        state->m_segmentSize = 1000;
        state->m_cWnd = 100000;
        for (uint32_t i = 0; i < 20; ++i) // all is marked, as alpha says before anything came
        {
            state->m_cWnd = control->GetSsThresh(state, state->m_cWnd);
        }
        return state->m_cWnd.Get();
    };
    NS_TEST_EXPECT_MSG_EQ(getLeast(TcpDctcp::GetTypeId()), 2000, "two segments");
    Config::SetDefault("ns3::TcpDctcpMinCwnd::MinCwnd", UintegerValue(3));
    NS_TEST_EXPECT_MSG_EQ(getLeast(TcpDctcp::GetTypeId()), 3000, "three");
    Config::SetDefault("ns3::TcpDctcpMinCwnd::MinCwnd", UintegerValue(0));
    NS_TEST_EXPECT_MSG_EQ(getLeast(TcpDctcp::GetTypeId()), 0, "none");
    Config::Reset();
    Simulator::Destroy();
}

/// Both factories may be on a node, each with its settings and its sockets.
IWARP_TEST(rfc9293TcpSocket, "two factories on a node")
{
    NodeContainer nodes(1);
    InternetStackHelper().Install(nodes);
    const auto tcp = Rfc9293TcpSocketFactory::Install(nodes.Get(0));
    const auto mpa = MpaTcpSocketFactory::Install(nodes.Get(0));
    NS_TEST_EXPECT_MSG_EQ((Rfc9293TcpSocketFactory::Install(nodes.Get(0)) == tcp),
                          true,
                          "the same again");
    tcp->SetAttribute("BaseMss", UintegerValue(600));
    NS_TEST_EXPECT_MSG_EQ(tcp->GetMtuSettings().baseMss, 600, "settings of one");
    NS_TEST_EXPECT_MSG_EQ(mpa->GetMtuSettings().baseMss, 1024, "settings of the other");
    const auto stream = Socket::CreateSocket(nodes.Get(0), Rfc9293TcpSocketFactory::GetTypeId());
    const auto records = Socket::CreateSocket(nodes.Get(0), MpaTcpSocketFactory::GetTypeId());
    NS_TEST_EXPECT_MSG_EQ(stream->GetInstanceTypeId(), Rfc9293TcpSocket::GetTypeId(), "TCP");
    NS_TEST_EXPECT_MSG_EQ(records->GetInstanceTypeId(), MpaTcpSocket::GetTypeId(), "MPA");
    NS_TEST_EXPECT_MSG_EQ((DynamicCast<Rfc9293TcpSocket>(records) != nullptr),
                          true,
                          "which is one of TCP by the RFCs, too");
    Simulator::Destroy();
}

} // namespace
