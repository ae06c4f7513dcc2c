/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "mpa-tcp-socket.h"

#include "ns3/log.h"
#include "ns3/packet.h"
#include "ns3/tcp-header.h"
#include "ns3/tcp-held-octets.h"
#include "ns3/tcp-option-sack.h"
#include "ns3/tcp-tx-buffer.h"

#include <algorithm>
#include <memory>

/**
 * @file
 * @ingroup iwarp-mpa
 * MpaTcpSocket: what the peer tells of octets behind a hole (RFC 2018).
 */

namespace ns3
{

void
MpaTcpSocket::PassBlocks(Ptr<Packet> packet, const TcpHeader& header)
{
    // TcpSocketBase ends the program for a block that holds the octet expected next, and for any
    // block while nothing is under way, such as those of octets that came twice (RFC 2883)
    const auto option = DynamicCast<const TcpOptionSack>(header.GetOption(TcpOption::SACK));
    const auto blocks = CreateObject<TcpOptionSack>();
    const SequenceNumber32 head = std::max(header.GetAckNumber(), m_txBuffer->HeadSequence());
    for (const auto& [left, right] : option->GetSackList())
    {
        if (!m_sackEnabled || left <= head || left >= right || right > m_tcb->m_highTxMark)
        {
            continue;
        }
        blocks->AddSackBlock({left, right});
        if (!m_told)
        {
            m_told = std::make_unique<TcpHeldOctets>(head);
        }
        for (const auto& piece : m_told->FindNew(left, static_cast<uint32_t>(right - left)))
        {
            m_told->Add(piece);
        }
    }
    if (blocks->GetNumSackBlocks() == option->GetNumSackBlocks())
    {
        PassAck(packet, header);
        return;
    }
    TcpHeader without;
    without.SetSourcePort(header.GetSourcePort());
    without.SetDestinationPort(header.GetDestinationPort());
    without.SetSequenceNumber(header.GetSequenceNumber());
    without.SetAckNumber(header.GetAckNumber());
    without.SetFlags(header.GetFlags());
    without.SetWindowSize(header.GetWindowSize());
    for (const auto& other : header.GetOptionList())
    {
        if (other->GetKind() != TcpOption::SACK)
        {
            without.AppendOption(other);
        }
    }
    if (blocks->GetNumSackBlocks() > 0)
    {
        without.AppendOption(blocks);
    }
    PassAck(packet, without);
}

void
MpaTcpSocket::NoticeForgotten(SequenceNumber32 ack)
{
    if (!m_told || ack <= m_txBuffer->HeadSequence())
    {
        return;
    }
    const bool forgotten = ack < m_tcb->m_highTxMark && m_told->FindNew(ack, 1).empty();
    if (forgotten)
    { // RFC 2018 section 8: TcpSocketBase takes the octets for there, or ends the program
        NS_LOG_LOGIC(this << " the peer has given up what is behind " << ack);
        m_txBuffer->SetSentListLost(true);
    }
    m_told->DropUpTo(ack);
    if (forgotten || m_told->IsEmpty())
    {
        m_told.reset();
    }
}

} // namespace ns3
