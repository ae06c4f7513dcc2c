/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "mpa-stream-fixture.h"

#include "ns3/internet-stack-helper.h"
#include "ns3/ipv4-address-helper.h"
#include "ns3/ipv4-header.h"
#include "ns3/ipv6-address-helper.h"
#include "ns3/mpa-fpdu.h"
#include "ns3/mpa-tcp-socket-factory.h"
#include "ns3/point-to-point-helper.h"
#include "ns3/ppp-header.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

using namespace ns3;

namespace
{
constexpr uint16_t FIXTURE_PORT = 4420;
}

TcpHeader
ReadTcpHeader(const Ptr<const Packet>& frame)
{
    const auto copy = frame->Copy();
    PppHeader ppp;
    Ipv4Header ip;
    TcpHeader tcp;
    copy->RemoveHeader(ppp);
    copy->RemoveHeader(ip);
    copy->RemoveHeader(tcp);
    return tcp;
}

MpaLinkedHosts::MpaLinkedHosts(Time delay, uint32_t mtu, bool ipv6)
{
    m_nodes.Create(2);
    PointToPointHelper link;
    link.SetDeviceAttribute("DataRate", StringValue("1Gbps"));
    link.SetDeviceAttribute("Mtu", UintegerValue(mtu));
    link.SetChannelAttribute("Delay", TimeValue(delay));
    const auto devices = link.Install(m_nodes);
    InternetStackHelper().Install(m_nodes);
    if (ipv6)
    {
        Ipv6AddressHelper addresses(Ipv6Address("2001:db8::"), Ipv6Prefix(64));
        const auto interfaces = addresses.Assign(devices);
        m_rightAddress = Inet6SocketAddress(interfaces.GetAddress(1, 1), FIXTURE_PORT);
        m_anyAddress = Inet6SocketAddress(Ipv6Address::GetAny(), FIXTURE_PORT);
    }
    else
    {
        Ipv4AddressHelper addresses("10.0.0.0", "255.255.255.0");
        const auto interfaces = addresses.Assign(devices);
        m_rightAddress = InetSocketAddress(interfaces.GetAddress(1), FIXTURE_PORT);
        m_anyAddress = InetSocketAddress(Ipv4Address::GetAny(), FIXTURE_PORT);
    }
    for (uint32_t i = 0; i < 2; ++i)
    {
        MpaTcpSocketFactory::Install(m_nodes.Get(i));
    }
}

void
MpaLinkedHosts::Connect(Ready left, Ready right)
{
    m_leftReady = left;
    m_rightReady = right;
    m_listener = Socket::CreateSocket(m_nodes.Get(1), MpaTcpSocketFactory::GetTypeId());
    m_listener->Bind(m_anyAddress);
    m_listener->Listen();
    m_listener->SetAcceptCallback(MakeNullCallback<bool, Ptr<Socket>, const Address&>(),
                                  MakeCallback(&MpaLinkedHosts::HandleAccept, this));
    m_left = DynamicCast<MpaTcpSocket>(
        Socket::CreateSocket(m_nodes.Get(0), MpaTcpSocketFactory::GetTypeId()));
    m_left->SetConnectCallback(MakeCallback(&MpaLinkedHosts::HandleConnect, this),
                               MakeNullCallback<void, Ptr<Socket>>());
    Simulator::Schedule(MilliSeconds(10), [this] { m_left->Connect(m_rightAddress); });
}

void
MpaLinkedHosts::HandleConnect(Ptr<Socket> socket)
{
    m_leftReady(DynamicCast<MpaTcpSocket>(socket));
}

void
MpaLinkedHosts::HandleAccept(Ptr<Socket> socket, const Address& /* peer */)
{
    m_rightReady(DynamicCast<MpaTcpSocket>(socket));
}

Ptr<NetDevice>
MpaLinkedHosts::GetDevice(uint32_t host) const
{
    return m_nodes.Get(host)->GetDevice(0);
}

Ptr<Node>
MpaLinkedHosts::GetNode(uint32_t host) const
{
    return m_nodes.Get(host);
}

Ptr<MpaStream>
MpaStreamLog::MakeStream(Ptr<MpaTcpSocket> socket)
{
    auto stream = CreateObject<MpaStream>();
    stream->SetSocket(socket);
    stream->SetUser(this);
    return stream;
}

bool
MpaStreamLog::TakesUlpdus() const
{
    return takesUlpdus;
}

void
MpaStreamLog::HandleEvent(MpaStream& stream, const MpaConnectionEvent& event)
{
    using Kind = MpaConnectionEvent::Kind;
    switch (event.kind)
    {
    case Kind::CONNECT_REQUEST:
    case Kind::CONNECT_RESPONSE:
        privateData.push_back(event.privateData);
        judge(&stream, event);
        break;
    case Kind::ESTABLISHED:
        established.push_back(Simulator::Now());
        break;
    case Kind::REJECTED:
        rejections.push_back(event.privateData);
        break;
    default:
        errors.push_back({event.error, event.reason, Simulator::Now(), event.kind});
        break;
    }
}

void
MpaStreamLog::HandleUlpdu(MpaStream& /* stream */,
                          const MpaUlpdu& ulpdu,
                          RecordPlacementList* /* places */)
{
    passed.push_back(
        {{ulpdu.data, ulpdu.data + ulpdu.length}, ulpdu.seq, ulpdu.inOrder, Simulator::Now()});
}

void
MpaStreamLog::HandleDeliver(MpaStream& /* stream */, uint32_t count)
{
    delivered += count;
}

void
MpaStreamLog::HandleTerminate(MpaStream& stream, MpaError error)
{
    if (terminate)
    {
        terminate(&stream, error);
    }
}

void
MpaStreamLog::HandleStreaming(MpaStream& /* stream */, Ptr<Packet> octets)
{
    const std::size_t before = streaming.size();
    streaming.resize(before + octets->GetSize());
    octets->CopyData(streaming.data() + before, octets->GetSize());
}

void
MpaStreamLog::HandleRoom(MpaStream& stream, uint32_t /* room */)
{
    if (fill)
    {
        fill(&stream);
    }
}

void
MpaStreamLog::HandleMulpdu(MpaStream& stream)
{
    if (mulpduChanged)
    {
        mulpduChanged(&stream);
    }
}

RawEnd::RawEnd(Ptr<Socket> socket)
    : m_socket(socket)
{
    m_socket->SetRecvCallback(MakeCallback(&RawEnd::Receive, this));
}

void
RawEnd::Send(const std::vector<uint8_t>& octets)
{
    m_socket->Send(Create<Packet>(octets.data(), octets.size()));
}

void
RawEnd::Receive(Ptr<Socket> socket)
{
    while (socket->GetRxAvailable() > 0)
    {
        Ptr<Packet> packet = socket->Recv();
        const auto before = received.size();
        received.resize(before + packet->GetSize());
        packet->CopyData(received.data() + before, packet->GetSize());
    }
}

std::vector<uint8_t>
MakeReply()
{
    return {'M', 'P', 'A', ' ', 'I', 'D', ' ',  'R', 'e', 'p',
            ' ', 'F', 'r', 'a', 'm', 'e', 0x40, 1,   0,   0};
}

std::vector<uint8_t>
PatternUlpdu(uint32_t length, uint32_t salt)
{
    std::vector<uint8_t> ulpdu(length);
    for (uint32_t i = 0; i < length; ++i)
    {
        ulpdu[i] = static_cast<uint8_t>(i * 31 + salt * 101 + (i >> 8));
    }
    return ulpdu;
}

std::vector<uint8_t>
MakeFpdu(const std::vector<uint8_t>& ulpdu, uint32_t position, bool markers)
{
    const mpa::FpduFormat format{markers, true};
    std::vector<uint8_t> fpdu(mpa::WireSize(ulpdu.size(), position, markers));
    mpa::EncodeFpdu(fpdu.data(), ulpdu.data(), ulpdu.size(), nullptr, 0, position, format);
    return fpdu;
}

int
SendUlpdu(Ptr<MpaStream> stream, const std::vector<uint8_t>& ulpdu)
{
    return stream->Send(ulpdu.data(), ulpdu.size(), nullptr, 0);
}
