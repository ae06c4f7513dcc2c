/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rnic-ip-input.h"

#include "rnic-time.h"

#include "ns3/arp-l3-protocol.h"
#include "ns3/icmpv4-l4-protocol.h"
#include "ns3/icmpv6-l4-protocol.h"
#include "ns3/ipv4-header.h"
#include "ns3/ipv4-l3-protocol.h"
#include "ns3/ipv6-extension-header.h"
#include "ns3/ipv6-header.h"
#include "ns3/ipv6-l3-protocol.h"
#include "ns3/log.h"
#include "ns3/loopback-net-device.h"
#include "ns3/node.h"
#include "ns3/simulator.h"
#include "ns3/traffic-control-layer.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("RnicIpInput");

namespace
{

constexpr uint32_t LEAST_MTU4 = 68;   // octets that every IPv4 link takes (RFC 791)
constexpr uint32_t LEAST_MTU6 = 1280; // octets that every IPv6 link takes (RFC 8200)
constexpr uint32_t IPV6_SIZE = 40;    // octets

// @param ip IP of a node @return its devices but for loopback
template <typename Ip>
std::vector<Ptr<NetDevice>>
ListDevices(const Ptr<Ip>& ip)
{
    std::vector<Ptr<NetDevice>> devices;
    for (uint32_t i = 0; ip && i < ip->GetNInterfaces(); i++)
    {
        const Ptr<NetDevice> device = ip->GetNetDevice(i);
        if (!DynamicCast<LoopbackNetDevice>(device))
        {
            devices.push_back(device);
        }
    }
    return devices;
}

// @param packet with its IP header @return that is IPv6's
bool
IsIpv6(const Ptr<const Packet>& packet)
{
    uint8_t version = 0;
    packet->CopyData(&version, 1);
    return version >> 4 == 6;
}

} // namespace

RnicIpInput::RnicIpInput(Ptr<Node> node, Ptr<RnicIpReassembly> reassembly, Change change)
    : m_node(PeekPointer(node)),
      m_up(PeekPointer(node->GetObject<TrafficControlLayer>())),
      m_reassembly(reassembly),
      m_change(std::move(change))
{
    if (m_up)
    {
        Register();
    }
}

RnicIpInput::~RnicIpInput()
{
    m_expiry.Cancel();
}

void
RnicIpInput::Register()
{
    const auto devices4 = ListDevices(m_node->GetObject<Ipv4>());
    const auto devices6 = ListDevices(m_node->GetObject<Ipv6>());
    // A handler is removed by what it calls, and IPv4, ARP and IPv6 of all devices call the same:
    // remove all of them, and enter them anew.
    const auto up = MakeCallback(&TrafficControlLayer::Receive, Ptr<TrafficControlLayer>(m_up));
    for (std::size_t i = 0; i < 2 * devices4.size() + devices6.size(); i++)
    {
        m_node->UnregisterProtocolHandler(up);
    }
    for (const auto& device : devices4)
    {
        m_node->RegisterProtocolHandler(up, ArpL3Protocol::PROT_NUMBER, device);
        m_node->RegisterProtocolHandler(MakeCallback(&RnicIpInput::Receive, this),
                                        Ipv4L3Protocol::PROT_NUMBER,
                                        device);
    }
    for (const auto& device : devices6)
    {
        m_node->RegisterProtocolHandler(MakeCallback(&RnicIpInput::Receive, this),
                                        Ipv6L3Protocol::PROT_NUMBER,
                                        device);
    }
}

void
RnicIpInput::Receive(Ptr<NetDevice> device,
                     Ptr<const Packet> packet,
                     uint16_t protocol,
                     const Address& from,
                     const Address& to,
                     NetDevice::PacketType type)
{
    std::array<uint8_t, 8> head{};
    packet->CopyData(head.data(), head.size());
    const bool ipv6 = protocol == Ipv6L3Protocol::PROT_NUMBER;
    const bool isFragment = ipv6
                                ? head[6] == Ipv6Header::IPV6_EXT_FRAGMENTATION // "next header"
                                : (head[6] & 0x3f) != 0 || head[7] != 0; // "more fragments", offset
    RnicIpReassembly::Fragment fragment;
    if (isFragment && (ipv6 ? Read6(packet, fragment) : Read4(packet, fragment)))
    {
        packet = Reassemble(device, fragment);
    }
    if (packet)
    {
        m_up->Receive(device, packet, protocol, from, to, type);
    }
}

bool
RnicIpInput::Read4(Ptr<const Packet> packet, RnicIpReassembly::Fragment& fragment) const
{
    Ipv4Header header;
    if (Node::ChecksumEnabled())
    {
        header.EnableChecksum();
    }
    const Ptr<Packet> payload = packet->Copy();
    payload->RemoveHeader(header);
    if (!header.IsChecksumOk() || payload->GetSize() < header.GetPayloadSize() ||
        m_node->GetObject<Ipv4>()->GetInterfaceForAddress(header.GetDestination()) < 0)
    {
        return false;
    }
    payload->RemoveAtEnd(payload->GetSize() - header.GetPayloadSize());
    header.GetSource().Serialize(fragment.key.source.data());
    header.GetDestination().Serialize(fragment.key.destination.data());
    fragment.key.identification = header.GetIdentification();
    fragment.key.protocol = header.GetProtocol();
    fragment.header = header.GetSerializedSize();
    fragment.offset = header.GetFragmentOffset();
    fragment.more = !header.IsLastFragment();
    fragment.tos = header.GetTos();
    fragment.payload = payload;
    fragment.whole = packet;
    return true;
}

bool
RnicIpInput::Read6(Ptr<const Packet> packet, RnicIpReassembly::Fragment& fragment) const
{
    Ipv6Header header;
    Ipv6ExtensionFragmentHeader extension;
    const Ptr<Packet> payload = packet->Copy();
    payload->RemoveHeader(header);
    if (payload->GetSize() < header.GetPayloadLength() ||
        header.GetPayloadLength() < extension.GetSerializedSize() ||
        m_node->GetObject<Ipv6>()->GetInterfaceForAddress(header.GetDestination()) < 0)
    {
        return false;
    }
    payload->RemoveAtEnd(payload->GetSize() - header.GetPayloadLength());
    payload->RemoveHeader(extension);
    header.GetSource().Serialize(fragment.key.source.data());
    header.GetDestination().Serialize(fragment.key.destination.data());
    fragment.key.identification = extension.GetIdentification();
    fragment.key.protocol = extension.GetNextHeader();
    fragment.key.ipv6 = true;
    fragment.header = header.GetSerializedSize();
    fragment.offset = extension.GetOffset();
    fragment.more = extension.GetMoreFragment();
    fragment.tos = header.GetTrafficClass();
    fragment.payload = payload;
    fragment.whole = packet;
    return true;
}

Ptr<Packet>
RnicIpInput::Reassemble(Ptr<NetDevice> device, const RnicIpReassembly::Fragment& fragment)
{
    NS_LOG_FUNCTION(this << device << fragment.offset);
    const uint32_t mtu = device->GetMtu();
    m_reassembly->SetLinkMtu(mtu);
    const auto outcome = m_reassembly->Add(ToRnicTime(Simulator::Now()), fragment);
    for (const auto& first : outcome.refused)
    {
        NotifyTooBig(first, IsIpv6(first), mtu);
    }
    Watch();
    m_change();
    if (!outcome.payload)
    {
        return nullptr;
    }
    const uint32_t size = outcome.payload->GetSize();
    if (fragment.key.ipv6)
    {
        Ipv6Header header;
        outcome.first->PeekHeader(header);
        header.SetTrafficClass(outcome.tos);
        header.SetNextHeader(fragment.key.protocol);
        header.SetPayloadLength(static_cast<uint16_t>(size));
        outcome.payload->AddHeader(header);
    }
    else
    {
        Ipv4Header header;
        outcome.first->PeekHeader(header);
        header.SetTos(outcome.tos);
        header.SetLastFragment();
        header.SetFragmentOffset(0);
        header.SetPayloadSize(static_cast<uint16_t>(size));
        if (Node::ChecksumEnabled())
        {
            header.EnableChecksum();
        }
        outcome.payload->AddHeader(header);
    }
    return outcome.payload;
}

void
RnicIpInput::NotifyTooBig(Ptr<const Packet> first, bool ipv6, uint32_t mtu)
{
    NS_LOG_FUNCTION(this << ipv6 << mtu);
    ++m_icmpSent;
    const uint32_t arrived = std::min(mtu, first->GetSize());
    if (ipv6)
    {
        // The fragment header is left out: ns-3's ICMPv6 looks for TCP right behind IPv6's header
        Ipv6Header header;
        Ipv6ExtensionFragmentHeader extension;
        const Ptr<Packet> quoted = first->Copy();
        quoted->RemoveHeader(header);
        quoted->RemoveHeader(extension);
        header.SetNextHeader(extension.GetNextHeader());
        quoted->AddHeader(header);
        m_node->GetObject<Icmpv6L4Protocol>()->SendErrorTooBig(quoted,
                                                               header.GetSource(),
                                                               std::max(arrived, LEAST_MTU6));
        return;
    }
    Ipv4Header header;
    const Ptr<Packet> quoted = first->Copy();
    quoted->RemoveHeader(header);
    m_node->GetObject<Icmpv4L4Protocol>()->SendDestUnreachFragNeeded(
        header,
        quoted,
        static_cast<uint16_t>(std::max(arrived, LEAST_MTU4)));
}

void
RnicIpInput::SendTimeExceeded(Ptr<const Packet> first)
{
    if (IsIpv6(first))
    {
        Ipv6Header header;
        first->PeekHeader(header);
        m_node->GetObject<Icmpv6L4Protocol>()->SendErrorTimeExceeded(
            first->CreateFragment(0, std::min(first->GetSize(), LEAST_MTU6 - IPV6_SIZE - 8)),
            header.GetSource(),
            Icmpv6Header::ICMPV6_FRAGTIME);
        return;
    }
    Ipv4Header header;
    const Ptr<Packet> quoted = first->Copy();
    quoted->RemoveHeader(header);
    m_node->GetObject<Icmpv4L4Protocol>()->SendTimeExceededTtl(header, quoted, true);
}

void
RnicIpInput::Expire()
{
    for (const auto& first : m_reassembly->Expire(ToRnicTime(Simulator::Now())))
    {
        SendTimeExceeded(first);
    }
    Watch();
    m_change();
}

void
RnicIpInput::Watch()
{
    const RnicTime next = m_reassembly->GetNextExpiry();
    if (next < 0)
    {
        m_expiry.Cancel();
    }
    else if (m_expiry.IsExpired())
    {
        const Time wait = FromRnicTime(next) - Simulator::Now();
        m_expiry = Simulator::Schedule(wait, &RnicIpInput::Expire, this);
    }
}

uint64_t
RnicIpInput::GetIcmpSent() const
{
    return m_icmpSent;
}

void
RnicIpInput::RestartStatistics()
{
    m_icmpSent = 0;
}

} // namespace ns3
