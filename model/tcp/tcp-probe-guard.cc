/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "tcp-probe-guard.h"

namespace ns3
{

TcpProbeGuard::TcpProbeGuard(Ptr<TcpCongestionOps>& control,
                             const TcpSocketState& state,
                             Ptr<const TcpTxBuffer> sent,
                             uint32_t probe)
    : m_control(control),
      m_sent(sent),
      m_probe(probe),
      m_threshold(state.m_ssThresh),
      m_window(state.m_cWnd),
      m_inflated(state.m_cWndInfl)
{
    control = this;
}

bool
TcpProbeGuard::End(Ptr<TcpCongestionOps>& control, TcpSocketState& state) const
{
    control = m_control;
    if (m_lost)
    {
        state.m_ssThresh = m_threshold;
        state.m_cWnd = m_window;
        state.m_cWndInfl = m_inflated;
        state.m_congState = TcpSocketState::CA_LOSS;
    }
    return m_lost;
}

std::string
TcpProbeGuard::GetName() const
{
    return m_control->GetName();
}

uint32_t
TcpProbeGuard::GetSsThresh(Ptr<const TcpSocketState> state, uint32_t inFlight)
{
    return m_lost ? m_threshold : m_control->GetSsThresh(state, inFlight);
}

void
TcpProbeGuard::IncreaseWindow(Ptr<TcpSocketState> state, uint32_t segments)
{
    if (!m_lost)
    {
        m_control->IncreaseWindow(state, segments);
    }
}

void
TcpProbeGuard::PktsAcked(Ptr<TcpSocketState> state, uint32_t segments, const Time& rtt)
{
    if (!m_lost)
    {
        m_control->PktsAcked(state, segments, rtt);
    }
}

void
TcpProbeGuard::CongestionStateSet(Ptr<TcpSocketState> state,
                                  const TcpSocketState::TcpCongState_t next)
{
    m_lost |= next == TcpSocketState::CA_RECOVERY && m_sent->GetLost() <= m_probe;
    if (!m_lost)
    {
        m_control->CongestionStateSet(state, next);
    }
}

void
TcpProbeGuard::CwndEvent(Ptr<TcpSocketState> state, const TcpSocketState::TcpCAEvent_t event)
{
    if (!m_lost)
    {
        m_control->CwndEvent(state, event);
    }
}

bool
TcpProbeGuard::HasCongControl() const
{
    return m_control->HasCongControl();
}

void
TcpProbeGuard::CongControl(Ptr<TcpSocketState> state,
                           const TcpRateOps::TcpRateConnection& connection,
                           const TcpRateOps::TcpRateSample& sample)
{
    if (!m_lost)
    {
        m_control->CongControl(state, connection, sample);
    }
}

Ptr<TcpCongestionOps>
TcpProbeGuard::Fork()
{
    return m_control->Fork();
}

} // namespace ns3
