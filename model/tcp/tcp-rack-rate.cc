/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "tcp-rack-rate.h"

#include "tcp-rack.h"

#include "ns3/ns3-compat.h"
#include "ns3/tcp-congestion-ops.h"

#include <utility>

namespace ns3
{

TcpRackRate::TcpRackRate(const TcpRateLinux& before, const TcpRack& rack)
    : TcpRateLinux(before),
      m_rack(rack)
{
}

void
TcpRackRate::Install(Ptr<TcpRateOps>& rate, TcpCongestionOps& control, const TcpRack& rack)
{
    if (const auto before = DynamicCast<TcpRateLinux>(rate))
    {
        rate = CreateObject<TcpRackRate>(*before, rack);
        iwarp::SetRateOps(control, rate);
    }
}

const TcpRateOps::TcpRateSample&
TcpRackRate::GenerateSample(uint32_t delivered,
                            uint32_t /* lost */,
                            bool reneged,
                            uint32_t priorInFlight,
                            const Time& minRtt)
{
    const auto before = std::exchange(m_lost, m_rack.GetTotalLost());
    return TcpRateLinux::GenerateSample(delivered,
                                        static_cast<uint32_t>(m_lost - before),
                                        reneged,
                                        priorInFlight,
                                        minRtt);
}

} // namespace ns3
