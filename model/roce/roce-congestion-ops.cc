/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "roce-congestion-ops.h"

#include <limits>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(RoceCongestionOps);

TypeId
RoceCongestionOps::GetTypeId()
{
    static TypeId tid = TypeId("ns3::RoceCongestionOps")
                            .SetParent<Object>()
                            .SetGroupName("Iwarp")
                            .AddConstructor<RoceCongestionOps>();
    return tid;
}

RoceCongestionOps::RoceCongestionOps() = default;
RoceCongestionOps::~RoceCongestionOps() = default;

void
RoceCongestionOps::Start(double /* line */)
{
}

double
RoceCongestionOps::GetRate(Time /* now */)
{
    return std::numeric_limits<double>::infinity();
}

Time
RoceCongestionOps::GetPeriod() const
{
    return Time();
}

uint32_t
RoceCongestionOps::GetBurst() const
{
    return 0;
}

Time
RoceCongestionOps::GetCnpInterval() const
{
    return Time();
}

bool
RoceCongestionOps::WantsRoundTrips() const
{
    return false;
}

void
RoceCongestionOps::NotifySent(Time /* now */, uint32_t /* octets */)
{
}

void
RoceCongestionOps::NotifyCnp(Time /* now */)
{
}

void
RoceCongestionOps::NotifyRoundTrip(Time /* now */, Time /* roundTrip */)
{
}

} // namespace ns3
