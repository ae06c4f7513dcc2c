/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "iwarp-scenario-network.h"

#include "ns3/data-rate.h"
#include "ns3/nstime.h"
#include "ns3/rnic-datapath.h"
#include "ns3/uinteger.h"

#include <algorithm>

namespace ns3
{
namespace iwarp
{
namespace
{

constexpr double SCALED = 1.01; //!< receive windows, with what window scaling rounds them up by

} // namespace

RateBounds
ScenarioNetwork::GetRateBounds(const ScenarioParts& parts) const
{
    const auto headers = parts.GetWorkloadHeaders();
    RateBounds bounds(m_network,
                      m_ends,
                      headers.transport,
                      headers.message,
                      parts.GetWorkload()->IsBothWays());
    if (!m_rnics.empty())
    {
        bounds.AddHosts([this](uint32_t host) {
            auto& path = m_rnics.at(host)->GetDatapath();
            return RateBounds::Host{path.GetHost().GetDataRate(false),
                                    path.GetHost().GetDataRate(true),
                                    path.GetQueuePairs().GetMessageRate()};
        });
    }
    uint32_t mtu = 0;
    for (uint32_t i = 0; i < m_network.GetNLinks(); i++)
    {
        mtu = std::max<uint32_t>(mtu, m_network.GetLink(i).mtu);
    }
    bounds.SetSegments(static_cast<double>(CountFlows()) * mtu);
    // middleboxes and proxies may hold as much as they like
    if (m_parameters.middlebox == "none" && !m_parameters.splitProxy)
    {
        const auto rate =
            ScenarioParts::GetDefault<DataRateValue>("MpaTcpSocket.WindowRate").GetBitRate();
        const auto time = ScenarioParts::GetDefault<TimeValue>("MpaTcpSocket.WindowRtt");
        const double window =
            std::max(double(ScenarioParts::GetDefault<UintegerValue>("TcpSocket.RcvBufSize")),
                     double(rate) * time.GetSeconds() / 8);
        bounds.SetHeld(SCALED * window * static_cast<double>(CountFlows()));
    }
    return bounds;
}

} // namespace iwarp
} // namespace ns3
