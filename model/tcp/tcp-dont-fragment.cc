/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "tcp-dont-fragment.h"

#include "tcp-end-point-table.h"
#include "tcp-ipv6-flow-labels.h"
#include "tcp-queue-disc-item.h"

#include "ns3/ipv4-interface.h"
#include "ns3/ipv4-l3-protocol.h"
#include "ns3/ipv4-queue-disc-item.h"
#include "ns3/ipv6-extension-header.h"
#include "ns3/ipv6-interface.h"
#include "ns3/ipv6-l3-protocol.h"
#include "ns3/ipv6-queue-disc-item.h"
#include "ns3/log.h"
#include "ns3/node.h"
#include "ns3/simulator.h"

#include <array>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("TcpDontFragment");
NS_OBJECT_ENSURE_REGISTERED(TcpDontFragment);

namespace
{

constexpr uint32_t LEAST_PATH6 = 1280; // octets that every IPv6 link takes (RFC 8200)

// @param ip IP of a node, or nullptr @param layer what its interfaces send to
template <typename Ip>
void
Enter(const Ptr<Ip>& ip, const Ptr<TcpDontFragment>& layer)
{
    for (uint32_t i = 0; ip && i < ip->GetNInterfaces(); i++)
    {
        ip->GetInterface(i)->SetTrafficControl(layer);
    }
}

// @param node it @param source its address @param destination of a datagram @param payload of it,
// behind IP's headers @param mtu that it may take
template <typename A>
void
Notify(Node& node, A source, A destination, const Ptr<const Packet>& payload, uint32_t mtu)
{
    std::array<uint8_t, 8> head{};
    payload->CopyData(head.data(), head.size());
    const auto table = node.GetObject<TcpEndPointTable>();
    // behind what is sending now
    Simulator::ScheduleNow([=]() { table->NotifyTooBig(source, destination, head.data(), mtu); });
}

} // namespace

TypeId
TcpDontFragment::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::TcpDontFragment").SetParent<TrafficControlLayer>().SetGroupName("Iwarp");
    return tid;
}

Ptr<TcpDontFragment>
TcpDontFragment::Install(Ptr<Node> node)
{
    NS_LOG_FUNCTION(node);
    const auto labels = node->GetObject<Ipv6FlowLabels>();
    const auto next = labels ? labels->GetLayer() : node->GetObject<TrafficControlLayer>();
    if (!next)
    {
        return nullptr;
    }
    Ptr<TcpDontFragment> layer = CreateObject<TcpDontFragment>();
    layer->m_next = next;
    layer->m_node = PeekPointer(node);
    Enter(node->GetObject<Ipv4L3Protocol>(), layer);
    Enter(node->GetObject<Ipv6L3Protocol>(), layer);
    return layer;
}

void
TcpDontFragment::DoDispose()
{
    m_next = nullptr;
    TrafficControlLayer::DoDispose();
}

void
TcpDontFragment::Receive(Ptr<NetDevice> device,
                         Ptr<const Packet> packet,
                         uint16_t protocol,
                         const Address& from,
                         const Address& to,
                         NetDevice::PacketType type)
{
    m_next->Receive(device, packet, protocol, from, to, type);
}

void
TcpDontFragment::Send(Ptr<NetDevice> device, Ptr<QueueDiscItem> item)
{
    if (m_marks == 0)
    {
        m_next->Send(device, item);
    }
    else if (const auto* ipv4 = dynamic_cast<const Ipv4QueueDiscItem*>(PeekPointer(item)))
    {
        SendIpv4(device, *ipv4);
    }
    else if (const Ptr<QueueDiscItem> whole = Permit(device, item))
    {
        m_next->Send(device, whole);
    }
}

void
TcpDontFragment::SendIpv4(const Ptr<NetDevice>& device, const Ipv4QueueDiscItem& item)
{
    Ipv4Header header = item.GetHeader(); // which has not been written yet
    if (header.IsLastFragment() && header.GetFragmentOffset() == 0)
    {
        header.SetDontFragment();
        m_next->Send(device, MakeTcpQueueDiscItem(item, header));
        return;
    }
    NS_LOG_LOGIC("larger than the link takes: " << header);
    if (header.GetFragmentOffset() == 0)
    {
        NotifyTooBig(m_node,
                     header.GetSource(),
                     header.GetDestination(),
                     item.GetPacket(),
                     device->GetMtu());
    }
}

Ptr<QueueDiscItem>
TcpDontFragment::Permit(const Ptr<NetDevice>& device, const Ptr<QueueDiscItem>& item)
{
    auto* ipv6 = dynamic_cast<Ipv6QueueDiscItem*>(PeekPointer(item));
    if (!ipv6 || ipv6->GetHeader().GetNextHeader() != Ipv6Header::IPV6_EXT_FRAGMENTATION)
    {
        return ipv6 ? MakeTcpQueueDiscItem(*ipv6, ipv6->GetHeader()) : item;
    }
    const auto& header = ipv6->GetHeader();
    NS_LOG_LOGIC("larger than link or path take: " << header);
    Ipv6ExtensionFragmentHeader extension;
    const Ptr<Packet> payload = item->GetPacket()->Copy();
    payload->RemoveHeader(extension);
    if (extension.GetOffset() == 0)
    { // IPv6 may know of a path that takes less than the link; its fragments do
        uint32_t mtu = item->GetPacket()->GetSize() + header.GetSerializedSize();
        if (mtu < LEAST_PATH6 && device->GetMtu() >= LEAST_PATH6)
        { // ns-3's IPv6 has believed what no path can be like (RFC 8201 section 4)
            mtu = LEAST_PATH6;
            m_node->GetObject<Ipv6L3Protocol>()->SetPmtu(header.GetDestination(), mtu);
        }
        NotifyTooBig(m_node, header.GetSource(), header.GetDestination(), payload, mtu);
    }
    return nullptr;
}

void
TcpDontFragment::NotifyTooBig(Ptr<Node> node,
                              Ipv4Address source,
                              Ipv4Address destination,
                              Ptr<const Packet> payload,
                              uint32_t mtu)
{
    Notify(*node, source, destination, payload, mtu);
}

void
TcpDontFragment::NotifyTooBig(Ptr<Node> node,
                              Ipv6Address source,
                              Ipv6Address destination,
                              Ptr<const Packet> payload,
                              uint32_t mtu)
{
    Notify(*node, source, destination, payload, mtu);
}

} // namespace ns3
