/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "tcp-dctcp-min-cwnd.h"

#include "ns3/uinteger.h"

#include <algorithm>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(TcpDctcpMinCwnd);

TypeId
TcpDctcpMinCwnd::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::TcpDctcpMinCwnd")
            .SetParent<TcpDctcp>()
            .SetGroupName("Iwarp")
            .AddConstructor<TcpDctcpMinCwnd>()
            .AddAttribute("MinCwnd",
                          "Segments that a reduction of the congestion window leaves. Linux: 2; 0 "
                          "is TcpDctcp of ns-3, which has no least window.",
                          UintegerValue(2),
                          MakeUintegerAccessor(&TcpDctcpMinCwnd::m_minCwnd),
                          MakeUintegerChecker<uint32_t>(0, 65535));
    return tid;
}

std::string
TcpDctcpMinCwnd::GetName() const
{
    return "TcpDctcpMinCwnd";
}

uint32_t
TcpDctcpMinCwnd::GetSsThresh(Ptr<const TcpSocketState> state, uint32_t inFlight)
{
    return std::max(TcpDctcp::GetSsThresh(state, inFlight), m_minCwnd * state->m_segmentSize);
}

Ptr<TcpCongestionOps>
TcpDctcpMinCwnd::Fork()
{
    return CopyObject<TcpDctcpMinCwnd>(this);
}

} // namespace ns3
