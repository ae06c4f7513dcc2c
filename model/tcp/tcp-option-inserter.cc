/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "tcp-option-inserter.h"

#include "ns3/ipv4-address.h"
#include "ns3/ipv4-route.h"
#include "ns3/ipv6-address.h"
#include "ns3/ipv6-route.h"
#include "ns3/node.h"
#include "ns3/tcp-l4-protocol.h"
#include "ns3/tcp-option-rfc793.h"

#include <utility>

namespace ns3
{

TcpHeader
TcpReplaceOptions(const TcpHeader& header, const std::vector<Ptr<const TcpOption>>& options)
{
    TcpHeader out;
    out.SetSourcePort(header.GetSourcePort());
    out.SetDestinationPort(header.GetDestinationPort());
    out.SetSequenceNumber(header.GetSequenceNumber());
    out.SetAckNumber(header.GetAckNumber());
    out.SetFlags(header.GetFlags());
    out.SetWindowSize(header.GetWindowSize());
    out.SetUrgentPointer(header.GetUrgentPointer());
    for (const auto& option : options)
    {
        if (option->GetKind() != TcpOption::END)
        {
            out.AppendOption(option);
        }
    }
    return out;
}

TcpHeader
TcpAddMssOption(const TcpHeader& header, uint16_t mss)
{
    auto option = CreateObject<TcpOptionMSS>();
    option->SetMSS(mss);
    std::vector<Ptr<const TcpOption>> options{option};
    const auto& others = header.GetOptionList();
    options.insert(options.end(), others.begin(), others.end());
    return TcpReplaceOptions(header, options);
}

TcpOptionInserter::TcpOptionInserter(Ptr<TcpL4Protocol> tcp, Change change)
    : m_tcp(tcp),
      m_down(tcp->GetDownTarget()),
      m_down6(tcp->GetDownTarget6()),
      m_change(std::move(change))
{
    m_tcp->SetDownTarget(MakeCallback(&TcpOptionInserter::SendDown, this));
    m_tcp->SetDownTarget6(MakeCallback(&TcpOptionInserter::SendDown6, this));
}

TcpOptionInserter::~TcpOptionInserter()
{
    m_tcp->SetDownTarget(m_down);
    m_tcp->SetDownTarget6(m_down6);
}

void
TcpOptionInserter::Apply(Ptr<Packet> packet,
                         const Address& from,
                         const Address& to,
                         uint8_t protocol) const
{
    TcpHeader old;
    packet->RemoveHeader(old);
    TcpHeader header = m_change(old);
    if (Node::ChecksumEnabled())
    {
        header.EnableChecksums();
    }
    header.InitializeChecksum(from, to, protocol);
    packet->AddHeader(header);
}

void
TcpOptionInserter::SendDown(Ptr<Packet> packet,
                            Ipv4Address from,
                            Ipv4Address to,
                            uint8_t protocol,
                            Ptr<Ipv4Route> route)
{
    Apply(packet, from, to, protocol);
    m_down(packet, from, to, protocol, route);
}

void
TcpOptionInserter::SendDown6(Ptr<Packet> packet,
                             Ipv6Address from,
                             Ipv6Address to,
                             uint8_t protocol,
                             Ptr<Ipv6Route> route)
{
    Apply(packet, from, to, protocol);
    m_down6(packet, from, to, protocol, route);
}

} // namespace ns3
