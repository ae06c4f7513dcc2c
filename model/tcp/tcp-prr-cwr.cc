/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "tcp-prr-cwr.h"

#include "ns3/tcp-socket-state.h"

#include <algorithm>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(TcpPrrCwr);

TypeId
TcpPrrCwr::GetTypeId()
{
    static TypeId tid = TypeId("ns3::TcpPrrCwr")
                            .SetParent<TcpPrrRecovery>()
                            .SetGroupName("Iwarp")
                            .AddConstructor<TcpPrrCwr>();
    return tid;
}

std::string
TcpPrrCwr::GetName() const
{
    return "TcpPrrCwr";
}

void
TcpPrrCwr::EnterRecovery(Ptr<TcpSocketState> state,
                         uint32_t dupAckCount,
                         uint32_t unAckDataCount,
                         uint32_t delivered)
{
    if (state->m_congState != TcpSocketState::CA_CWR)
    {
        TcpPrrRecovery::EnterRecovery(state, dupAckCount, unAckDataCount, delivered);
        return;
    }
    m_flight = std::max<uint32_t>(1, state->m_bytesInFlight + delivered);
    m_sent = 0;
    Recover(state, delivered, false);
}

void
TcpPrrCwr::Recover(Ptr<TcpSocketState> state, uint32_t delivered, bool isDupAck)
{
    if (state->m_congState != TcpSocketState::CA_CWR)
    {
        RecoveryOf::Recover(state, delivered, isDupAck);
        return;
    }
    const uint64_t pipe = state->m_bytesInFlight;
    const uint64_t ssthresh = state->m_ssThresh;
    const uint64_t all = uint64_t{m_flight} + m_sent;
    const uint64_t arrived = all - std::min(all, pipe); // since the reduction began
    uint64_t window = ssthresh;
    if (pipe > ssthresh)
    {
        const uint64_t allowed = (arrived * ssthresh + m_flight - 1) / m_flight;
        window = pipe + allowed - std::min<uint64_t>(allowed, m_sent);
    }
    else
    { // PRR-SSRB: the ACK advances SND.UNA, and nothing is lost
        const uint64_t limit =
            std::max<uint64_t>(arrived - std::min<uint64_t>(arrived, m_sent), delivered) +
            state->m_segmentSize;
        window = std::min(ssthresh, pipe + limit);
    }
    state->m_cWnd = static_cast<uint32_t>(window);
    state->m_cWndInfl = state->m_cWnd;
}

void
TcpPrrCwr::UpdateBytesSent(uint32_t octets)
{
    TcpPrrRecovery::UpdateBytesSent(octets);
    m_sent += octets;
}

Ptr<TcpRecoveryOps>
TcpPrrCwr::Fork()
{
    return CopyObject<TcpPrrCwr>(this);
}

} // namespace ns3
