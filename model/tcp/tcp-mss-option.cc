/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "tcp-mss-option.h"

#include "ns3/ipv4-address.h"
#include "ns3/ipv4-route.h"
#include "ns3/ipv6-address.h"
#include "ns3/ipv6-route.h"
#include "ns3/node.h"
#include "ns3/tcp-l4-protocol.h"
#include "ns3/tcp-option-rfc793.h"

namespace ns3
{

TcpHeader
TcpAddMssOption(const TcpHeader& header, uint16_t mss)
{
    TcpHeader out;
    out.SetSourcePort(header.GetSourcePort());
    out.SetDestinationPort(header.GetDestinationPort());
    out.SetSequenceNumber(header.GetSequenceNumber());
    out.SetAckNumber(header.GetAckNumber());
    out.SetFlags(header.GetFlags());
    out.SetWindowSize(header.GetWindowSize());
    out.SetUrgentPointer(header.GetUrgentPointer());
    auto option = CreateObject<TcpOptionMSS>();
    option->SetMSS(mss);
    out.AppendOption(option);
    for (const auto& other : header.GetOptionList())
    {
        if (other->GetKind() != TcpOption::END)
        {
            out.AppendOption(other);
        }
    }
    return out;
}

TcpMssInserter::TcpMssInserter(Ptr<TcpL4Protocol> tcp, uint16_t mss)
    : m_tcp(tcp),
      m_down(tcp->GetDownTarget()),
      m_down6(tcp->GetDownTarget6()),
      m_mss(mss)
{
    m_tcp->SetDownTarget(MakeCallback(&TcpMssInserter::SendDown, this));
    m_tcp->SetDownTarget6(MakeCallback(&TcpMssInserter::SendDown6, this));
}

TcpMssInserter::~TcpMssInserter()
{
    m_tcp->SetDownTarget(m_down);
    m_tcp->SetDownTarget6(m_down6);
}

void
TcpMssInserter::Add(Ptr<Packet> packet,
                    const Address& from,
                    const Address& to,
                    uint8_t protocol) const
{
    TcpHeader old;
    packet->RemoveHeader(old);
    TcpHeader header = TcpAddMssOption(old, m_mss);
    if (Node::ChecksumEnabled())
    {
        header.EnableChecksums();
    }
    header.InitializeChecksum(from, to, protocol);
    packet->AddHeader(header);
}

void
TcpMssInserter::SendDown(Ptr<Packet> packet,
                         Ipv4Address from,
                         Ipv4Address to,
                         uint8_t protocol,
                         Ptr<Ipv4Route> route)
{
    Add(packet, from, to, protocol);
    m_down(packet, from, to, protocol, route);
}

void
TcpMssInserter::SendDown6(Ptr<Packet> packet,
                          Ipv6Address from,
                          Ipv6Address to,
                          uint8_t protocol,
                          Ptr<Ipv6Route> route)
{
    Add(packet, from, to, protocol);
    m_down6(packet, from, to, protocol, route);
}

} // namespace ns3
