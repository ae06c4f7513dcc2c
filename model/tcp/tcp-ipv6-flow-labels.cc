/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "tcp-ipv6-flow-labels.h"

#include "tcp-dont-fragment.h"
#include "tcp-end-point-table.h"
#include "tcp-queue-disc-item.h"

#include "ns3/hash.h"
#include "ns3/ipv6-interface.h"
#include "ns3/ipv6-l3-protocol.h"
#include "ns3/ipv6-queue-disc-item.h"
#include "ns3/log.h"
#include "ns3/simulator.h"
#include "ns3/tcp-l4-protocol.h"
#include "ns3/udp-l4-protocol.h"

#include <array>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("Ipv6FlowLabels");
NS_OBJECT_ENSURE_REGISTERED(Ipv6FlowLabels);

namespace
{

constexpr uint32_t IPV6_ADDRESS_SIZE = 16; // octets of an address
constexpr uint32_t BOTH_PORTS_SIZE = 4;    // octets of both ports, with which TCP and UDP begin

/// Stands between IPv6 and what takes its datagrams to devices.
class Ipv6LabelLayer : public TrafficControlLayer
{
  public:
    /// @param labels of the node, which outlive this @param next what takes datagrams on
    Ipv6LabelLayer(const Ipv6FlowLabels* labels, Ptr<TrafficControlLayer> next)
        : m_labels(labels),
          m_next(next)
    {
    }

    void Send(Ptr<NetDevice> device, Ptr<QueueDiscItem> item) override
    {
        const auto* ipv6 = dynamic_cast<const Ipv6QueueDiscItem*>(PeekPointer(item));
        const uint32_t label = ipv6 ? m_labels->GetSent(ipv6->GetHeader()) : 0;
        if (!ipv6 || label == ipv6->GetHeader().GetFlowLabel())
        {
            m_next->Send(device, item);
            return;
        }
        Ipv6Header header = ipv6->GetHeader(); // which has not been written yet
        header.SetFlowLabel(label);
        m_next->Send(device, MakeTcpQueueDiscItem(*ipv6, header));
    }

    void Receive(Ptr<NetDevice> device,
                 Ptr<const Packet> packet,
                 uint16_t protocol,
                 const Address& from,
                 const Address& to,
                 NetDevice::PacketType type) override
    {
        m_next->Receive(device, packet, protocol, from, to, type);
    }

  protected:
    void DoDispose() override
    {
        m_next = nullptr;
        TrafficControlLayer::DoDispose();
    }

  private:
    const Ipv6FlowLabels* m_labels;  //!< of the node
    Ptr<TrafficControlLayer> m_next; //!< what takes datagrams on
};

} // namespace

Ipv6FlowLabels::Mark::Mark(Ipv6FlowLabels* labels, uint64_t hash)
    : m_labels(labels),
      m_before(labels ? labels->m_marked : 0)
{
    if (m_labels)
    {
        m_labels->m_marked = MakeLabel(hash);
    }
}

Ipv6FlowLabels::Mark::~Mark()
{
    if (m_labels)
    {
        m_labels->m_marked = m_before;
    }
}

TypeId
Ipv6FlowLabels::GetTypeId()
{
    static TypeId tid = TypeId("ns3::Ipv6FlowLabels").SetParent<Object>().SetGroupName("Iwarp");
    return tid;
}

Ptr<Ipv6FlowLabels>
Ipv6FlowLabels::Install(Ptr<Node> node)
{
    NS_LOG_FUNCTION(node);
    const Ptr<Ipv6L3Protocol> ip = node->GetObject<Ipv6L3Protocol>();
    if (!ip)
    {
        return nullptr;
    }
    Ptr<Ipv6FlowLabels> labels = node->GetObject<Ipv6FlowLabels>();
    if (labels)
    {
        return labels;
    }
    labels = CreateObject<Ipv6FlowLabels>();
    // whoever keeps datagrams whole may stand there already; later it stands before this
    Ptr<TrafficControlLayer> next = node->GetObject<TrafficControlLayer>();
    if (const auto table = node->GetObject<TcpEndPointTable>())
    {
        TcpDontFragment* whole = table->GetDontFragment();
        next = whole ? Ptr<TrafficControlLayer>(whole) : next;
    }
    labels->m_layer = CreateObject<Ipv6LabelLayer>(PeekPointer(labels), next);
    for (uint32_t i = 1; i < ip->GetNInterfaces(); i++) // 0 is loopback
    {
        ip->GetInterface(i)->SetTrafficControl(labels->m_layer);
    }
    ip->TraceConnectWithoutContext("SendOutgoing",
                                   MakeCallback(&Ipv6FlowLabels::NotifySending,
                                                PeekPointer(labels))); // which lives as long
    node->AggregateObject(labels);
    return labels;
}

void
Ipv6FlowLabels::DoDispose()
{
    m_layer = nullptr;
    Object::DoDispose();
}

bool
Ipv6FlowLabels::AreCarried()
{
    Ipv6Header header;
    header.SetFlowLabel(LARGEST);
    Packet packet;
    packet.AddHeader(header);
    Ipv6Header read;
    packet.RemoveHeader(read);
    return read.GetFlowLabel() == LARGEST;
}

uint32_t
Ipv6FlowLabels::MakeLabel(uint64_t hash)
{
    return static_cast<uint32_t>(hash % LARGEST) + 1;
}

uint32_t
Ipv6FlowLabels::GetLabel(const Ipv6Header& header, const Ptr<const Packet>& packet) const
{
    if (m_marked > 0)
    {
        return m_marked;
    }
    std::array<uint8_t, 2 * IPV6_ADDRESS_SIZE + 1 + BOTH_PORTS_SIZE> key{};
    header.GetSource().Serialize(key.data());
    header.GetDestination().Serialize(key.data() + IPV6_ADDRESS_SIZE);
    uint8_t* const protocol = key.data() + 2 * IPV6_ADDRESS_SIZE;
    *protocol = header.GetNextHeader();
    if (packet &&
        (*protocol == TcpL4Protocol::PROT_NUMBER || *protocol == UdpL4Protocol::PROT_NUMBER))
    {
        packet->CopyData(protocol + 1, BOTH_PORTS_SIZE);
    }
    return MakeLabel(Hash64(reinterpret_cast<const char*>(key.data()), key.size()));
}

void
Ipv6FlowLabels::NotifySending(const Ipv6Header& header,
                              Ptr<const Packet> packet,
                              uint32_t /* interface */)
{
    m_sending = {header.GetSource(),
                 header.GetDestination(),
                 Simulator::Now(),
                 GetLabel(header, packet)};
}

uint32_t
Ipv6FlowLabels::GetSent(const Ipv6Header& header) const
{
    const bool own = m_sending.time == Simulator::Now() && m_sending.source == header.GetSource() &&
                     m_sending.destination == header.GetDestination();
    return own ? m_sending.label : header.GetFlowLabel();
}

Ptr<TrafficControlLayer>
Ipv6FlowLabels::GetLayer() const
{
    return m_layer;
}

} // namespace ns3
