/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "mpa-tcp-socket-factory.h"
#include "mpa-tcp-socket.h"

#include "ns3/ipv6-end-point.h"
#include "ns3/ipv6-l3-protocol.h"
#include "ns3/log.h"
#include "ns3/net-device.h"
#include "ns3/node.h"
#include "ns3/simulator.h"
#include "ns3/tcp-tx-buffer.h"

#include <algorithm>

/**
 * @file
 * @ingroup iwarp-mpa
 * MpaTcpSocket: what it learns of the path's MTU while it sends.
 */

namespace ns3
{

TcpMtuSettings
MpaTcpSocket::GetMtuSettings() const
{
    return MpaTcpSocketFactory::Install(m_node)->GetMtuSettings();
}

uint32_t
MpaTcpSocket::GetHeaders() const
{
    return m_pathMtu.GetHeaders(m_timestampEnabled);
}

void
MpaTcpSocket::StartMtuSearch()
{
    if (!m_search)
    {
        m_search = std::make_unique<TcpMtuSearch>(GetMtuSettings(),
                                                  GetHeaders(),
                                                  m_pathMtu.GetMtu(),
                                                  Simulator::Now());
    }
}

void
MpaTcpSocket::LetIpSend(uint32_t mtu)
{
    const bool larger = !IsIpv4() && mtu > m_emss + GetHeaders();
    if (const Ptr<NetDevice> device = larger ? FindRouteDevice() : nullptr)
    { // all that the link takes, since other connections may know of more than this one
        m_node->GetObject<Ipv6L3Protocol>()->SetPmtu(m_endPoint6->GetPeerAddress(),
                                                     device->GetMtu());
    }
}

void
MpaTcpSocket::UsePathMtu(uint32_t mtu)
{
    NS_LOG_FUNCTION(this << mtu);
    m_pathMtu.pathMtu = mtu;
    LetIpSend(mtu);
    UpdateEmss(m_timestampEnabled);
}

void
MpaTcpSocket::OfferProbe()
{
    const Time now = Simulator::Now();
    if (m_state != ESTABLISHED || m_segmenter.HasProbe())
    {
        return;
    }
    if (m_search->IsDue(now))
    {
        m_pathMtu.routeMtu = FindRouteMtu();
        if (m_search->Refresh(m_pathMtu.routeMtu, now))
        {
            UsePathMtu(m_search->GetMtu());
        }
    }
    const uint32_t probe = m_search->GetProbe();
    if (probe == 0 || m_tcb->m_congState != TcpSocketState::CA_OPEN)
    {
        return;
    }
    TcpPathMtu wider = m_pathMtu;
    wider.pathMtu = probe;
    const uint32_t emss = wider.GetEmss(m_timestampEnabled);
    if (emss <= m_emss)
    {
        m_search->Fail(probe, now); // the peer takes no more
        return;
    }
    NS_LOG_LOGIC(this << " probes with " << probe);
    LetIpSend(probe);
    m_segmenter.AllowProbe(emss);
    if (m_user)
    {
        m_user->EmssChanged(emss);
    }
}

void
MpaTcpSocket::EndProbe()
{
    const bool offered = m_segmenter.GetAllowedProbe() > 0;
    m_segmenter.AllowProbe(0);
    if (offered && m_user)
    {
        m_user->EmssChanged(m_emss);
    }
}

void
MpaTcpSocket::NoticeLostProbe(SequenceNumber32 seq)
{
    if (!m_segmenter.HasProbe() || !m_segmenter.IsSent(GetOffset(seq)))
    {
        return;
    }
    if (const uint32_t probe = m_segmenter.FindProbe(GetOffset(seq), 0))
    {
        NS_LOG_LOGIC(this << " lost a probe of " << probe);
        m_search->Fail(probe + GetHeaders(), Simulator::Now());
        EndProbe();
    }
}

void
MpaTcpSocket::NoticeArrival()
{
    m_search->NoticeProgress();
    if (const uint32_t probe = m_segmenter.GetProbeUpTo(GetAcknowledged()))
    {
        NS_LOG_LOGIC(this << " a probe of " << probe << " has come through");
        m_search->Succeed(probe + GetHeaders(), Simulator::Now());
        EndProbe();
        UsePathMtu(m_search->GetMtu());
    }
}

void
MpaTcpSocket::NoticeBlackHole()
{
    if (m_state < ESTABLISHED || m_txBuffer->Size() == 0 || !GetMtuSettings().Probes())
    {
        return;
    }
    StartMtuSearch();
    const uint32_t segment =
        std::min(m_segmenter.GetFullSize(GetAcknowledged()), m_txBuffer->Size());
    if (m_search->NoticeTimeout(segment + GetHeaders(), Simulator::Now()))
    {
        EndProbe();
        UsePathMtu(m_search->GetMtu());
    }
}

void
MpaTcpSocket::NoticePathMtu(uint32_t mtu)
{
    NS_LOG_FUNCTION(this << mtu);
    const bool narrower = m_pathMtu.Narrow(mtu);
    if (narrower)
    {
        StartMtuSearch();
    }
    if (m_search)
    { // that may be about a probe, of which what is in use remains. Until it is sent again, one
      // that is under way stays known, so that its loss is no congestion
        m_search->Limit(mtu, Simulator::Now());
        if (narrower || !m_segmenter.IsProbeSent())
        {
            EndProbe();
        }
    }
    if (narrower)
    {
        UpdateEmss(m_timestampEnabled);
        ResendAll();
    }
}

void
MpaTcpSocket::ResendAll()
{
    if (m_state < ESTABLISHED || UnAckDataCount() == 0)
    {
        return; // nothing is in flight
    }
    // RFC 1191 section 6.4: what was too big for the path is sent again at once, what has been sent
    // again already as well. That is no sign of congestion, so that the windows stay.
    if (!m_sackEnabled)
    {
        m_txBuffer->ResetRenoSack();
    }
    m_txBuffer->SetSentListLost(!m_sackEnabled);
    m_history.clear();
    // without SACK, recovery has duplicates of ACKs count as arrivals of what is lost
    if (m_tcb->m_congState != TcpSocketState::CA_LOSS &&
        (m_tcb->m_congState != TcpSocketState::CA_RECOVERY || !m_sackEnabled))
    {
        m_dupAckCount = 0;
        m_recover = m_tcb->m_highTxMark;
        m_recoverActive = true;
        m_tcb->m_congState = TcpSocketState::CA_LOSS;
    }
    SendRecords(false);
}

} // namespace ns3
