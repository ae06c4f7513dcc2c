/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "mpa-tcp-test.h"

#include "ns3/boolean.h"
#include "ns3/error-model.h"
#include "ns3/inet-socket-address.h"
#include "ns3/inet6-socket-address.h"
#include "ns3/internet-stack-helper.h"
#include "ns3/ipv4-address-helper.h"
#include "ns3/ipv6-address-helper.h"
#include "ns3/point-to-point-helper.h"
#include "ns3/pointer.h"
#include "ns3/queue-size.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/tcp-l4-protocol.h"
#include "ns3/uinteger.h"

using namespace ns3;

bool
MpaTcpSegment::operator==(const MpaTcpSegment& o) const
{
    return time == o.time && seq == o.seq && size == o.size && ack == o.ack && window == o.window &&
           flags == o.flags;
}

MpaTcpRun::MpaTcpRun(const MpaTcpSetup& setup)
    : nodes(2),
      m_setup(setup)
{
    PointToPointHelper link;
    link.SetDeviceAttribute("DataRate", StringValue(setup.rate));
    link.SetDeviceAttribute("Mtu", UintegerValue(setup.mtu));
    link.SetChannelAttribute("Delay", TimeValue(setup.delay));
    link.SetQueue("ns3::DropTailQueue",
                  "MaxSize",
                  QueueSizeValue(QueueSize(QueueSizeUnit::PACKETS, setup.queue)));
    devices = link.Install(nodes);
    if (setup.loss > 0)
    {
        auto loss = CreateObject<RateErrorModel>();
        loss->SetUnit(RateErrorModel::ERROR_UNIT_PACKET);
        loss->SetRate(setup.loss);
        loss->AssignStreams(3);
        devices.Get(1)->SetAttribute("ReceiveErrorModel", PointerValue(loss));
    }
    InternetStackHelper stack;
    stack.Install(nodes);
    if (setup.ipv6)
    {
        Ipv6AddressHelper addresses(Ipv6Address("2001:db8::"), Ipv6Prefix(64));
        m_peer = Inet6SocketAddress(addresses.Assign(devices).GetAddress(1, 1), 5000);
    }
    else
    {
        Ipv4AddressHelper addresses("10.0.0.0", "255.255.255.0");
        m_peer = InetSocketAddress(addresses.Assign(devices).GetAddress(1), 5000);
    }
    for (uint32_t i = 0; i < 2; ++i)
    {
        MpaTcpSocketFactory::Install(nodes.Get(i));
        nodes.Get(i)->GetObject<TcpL4Protocol>()->SetAttribute(
            "SocketType",
            TypeIdValue(TypeId::LookupByName(setup.congestion)));
    }
    // A connection needs the traffic control layer, and IPv6 its addresses
    Simulator::Schedule(Seconds(setup.ipv6 ? 3 : 1), &MpaTcpRun::Start, this);
}

MpaTcpRun::~MpaTcpRun() = default;

void
MpaTcpRun::Configure(Ptr<Socket> socket, bool mpa)
{
    socket->SetAttribute("SndBufSize", UintegerValue(m_setup.sndBuf));
    socket->SetAttribute("RcvBufSize", UintegerValue(m_setup.rcvBuf));
    socket->SetAttribute("SegmentSize", UintegerValue(m_setup.segmentSize));
    socket->SetAttribute("Sack", BooleanValue(m_setup.sack));
    socket->SetAttribute("Timestamp", BooleanValue(m_setup.timestamps));
    socket->SetAttribute("WindowScaling", BooleanValue(m_setup.scaling));
    socket->SetAttribute("TcpNoDelay", BooleanValue(m_setup.noDelay));
    socket->SetAttribute("DelAckCount", UintegerValue(m_setup.delAck));
    socket->SetAttribute("UseEcn", StringValue(m_setup.ecn ? "On" : "Off"));
    if (mpa)
    {
        for (const auto& [name, value] : m_setup.integers)
        {
            socket->SetAttribute(name, UintegerValue(value));
        }
        for (const auto& [name, value] : m_setup.booleans)
        {
            socket->SetAttribute(name, BooleanValue(value));
        }
    }
}

void
MpaTcpRun::Start()
{
    auto create = [this](uint32_t node, bool mpa) {
        auto socket = Socket::CreateSocket(nodes.Get(node),
                                           mpa ? MpaTcpSocketFactory::GetTypeId()
                                               : TypeId::LookupByName("ns3::TcpSocketFactory"));
        Configure(socket, mpa);
        return socket;
    };
    m_listener = create(1, m_setup.mpaReceiver);
    m_listener->Bind(m_peer);
    m_listener->Listen();
    m_listener->SetAcceptCallback(MakeNullCallback<bool, Ptr<Socket>, const Address&>(),
                                  MakeCallback(&MpaTcpRun::Accepted, this));
    m_listener->TraceConnectWithoutContext("Tx", MakeCallback(&MpaTcpRun::Acked, this));
    sender = create(0, m_setup.mpa);
    sender->TraceConnectWithoutContext("Tx", MakeCallback(&MpaTcpRun::Sent, this));
    if (auto socket = DynamicCast<MpaTcpSocket>(sender))
    {
        emss.push_back(socket->GetEmss());
        socket->TraceConnectWithoutContext("SegmentSent", MakeCallback(&MpaTcpRun::Cut, this));
        socket->TraceConnectWithoutContext("RecordCut", MakeCallback(&MpaTcpRun::Record, this));
        socket->TraceConnectWithoutContext("HeldBack", MakeCallback(&MpaTcpRun::Held, this));
        socket->TraceConnectWithoutContext("Emss", MakeCallback(&MpaTcpRun::Emss, this));
    }
    if (onListening)
    {
        onListening(m_listener);
    }
    if (onCreated)
    {
        onCreated(sender);
    }
    sender->SetSendCallback(MakeCallback(&MpaTcpRun::Fill, this));
    sender->Connect(m_peer);
}

void
MpaTcpRun::Run()
{
    Simulator::Stop(m_setup.stop);
    Simulator::Run();
    Simulator::Destroy();
}

uint8_t
MpaTcpRun::Pattern(uint64_t offset)
{
    return static_cast<uint8_t>((offset * 0x9e3779b97f4a7c15ULL) >> 56);
}

void
MpaTcpRun::Fill(Ptr<Socket> socket, uint32_t room)
{
    if (m_filling)
    {
        return;
    }
    m_filling = true;
    while (m_next < m_setup.records.size() && socket->GetTxAvailable() >= m_setup.records[m_next])
    {
        const uint32_t size = m_setup.records[m_next];
        Ptr<Packet> packet;
        if (m_setup.realOctets)
        {
            std::vector<uint8_t> octets(size);
            for (uint32_t i = 0; i < size; ++i)
            {
                octets[i] = Pattern(m_offset + i);
            }
            packet = Create<Packet>(octets.data(), size);
        }
        else
        {
            packet = Create<Packet>(size);
        }
        if (socket->Send(packet) < 0)
        {
            break;
        }
        m_offset += size;
        ++m_next;
        if (m_next == m_setup.records.size() && m_setup.closeAtEnd)
        {
            socket->Close();
        }
    }
    m_filling = false;
}

void
MpaTcpRun::Accepted(Ptr<Socket> socket, const Address& from)
{
    receiver = socket;
    socket->SetRecvCallback(MakeCallback(&MpaTcpRun::Readable, this));
    socket->SetCloseCallbacks(MakeCallback(&MpaTcpRun::Closed, this),
                              MakeCallback(&MpaTcpRun::Closed, this));
    if (auto mpa = DynamicCast<MpaTcpSocket>(socket))
    {
        mpa->TraceConnectWithoutContext("WindowUpdate",
                                        MakeCallback(&MpaTcpRun::WindowUpdate, this));
        if (onAccepted)
        {
            onAccepted(mpa);
        }
    }
}

void
MpaTcpRun::Readable(Ptr<Socket> socket)
{
    if (onReadable)
    {
        onReadable();
    }
    else
    {
        Read();
    }
}

void
MpaTcpRun::Read(uint32_t atMost)
{
    while (atMost > 0 && receiver->GetRxAvailable() > 0)
    {
        Ptr<Packet> packet = receiver->Recv(atMost, 0);
        const uint32_t size = packet ? packet->GetSize() : 0;
        if (size == 0)
        {
            return;
        }
        if (m_setup.realOctets)
        {
            std::vector<uint8_t> octets(size);
            packet->CopyData(octets.data(), size);
            for (uint32_t i = 0; i < size; ++i)
            {
                intact = intact && octets[i] == Pattern(received + i);
            }
        }
        received += size;
        atMost -= size;
        lastReceived = Simulator::Now();
    }
}

void
MpaTcpRun::Closed(Ptr<Socket> socket)
{
    closed = true;
    socket->Close();
}

namespace
{

MpaTcpSegment
NoteSegment(Ptr<const Packet> p, const TcpHeader& h)
{
    return {Simulator::Now().GetNanoSeconds(),
            h.GetSequenceNumber().GetValue(),
            p->GetSize(),
            h.GetAckNumber().GetValue(),
            h.GetWindowSize(),
            static_cast<uint8_t>(h.GetFlags())};
}

} // namespace

void
MpaTcpRun::Sent(Ptr<const Packet> p, const TcpHeader& h, Ptr<const TcpSocketBase> s)
{
    sent.push_back(NoteSegment(p, h));
}

void
MpaTcpRun::Acked(Ptr<const Packet> p, const TcpHeader& h, Ptr<const TcpSocketBase> s)
{
    acks.push_back(NoteSegment(p, h));
}

void
MpaTcpRun::Cut(SequenceNumber32 seq, uint32_t size, bool header, bool whole, bool again)
{
    cuts.push_back({seq.GetValue(), size, header, whole, again});
}

void
MpaTcpRun::Record(SequenceNumber32 seq, uint32_t size, MpaTcpSocket::CutReason reason)
{
    ++cutReasons[reason];
}

void
MpaTcpRun::Held(SequenceNumber32 seq, uint32_t size, uint32_t window)
{
    ++heldBack;
    heldFitting += size <= window;
}

void
MpaTcpRun::Emss(uint32_t before, uint32_t now)
{
    emss.push_back(now);
}

void
MpaTcpRun::WindowUpdate(uint32_t window)
{
    ++windowUpdates;
}

uint32_t
MpaTcpRun::CountData() const
{
    uint32_t n = 0;
    for (const auto& segment : sent)
    {
        n += segment.size > 0;
    }
    return n;
}
