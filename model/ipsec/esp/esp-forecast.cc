/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "esp-forecast.h"

#include "ns3/trace-source-accessor.h"

#include <utility>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(EspForecast);

TypeId
EspForecast::GetTypeId()
{
    static TypeId tid = TypeId("ns3::EspForecast")
                            .SetParent<Object>()
                            .SetGroupName("Iwarp")
                            .AddConstructor<EspForecast>()
                            .AddTraceSource("AssociationGone",
                                            "An association was deleted.",
                                            MakeTraceSourceAccessor(&EspForecast::m_goneCallback),
                                            "ns3::EspForecast::AssociationTracedCallback")
                            .AddTraceSource("Forged",
                                            "A packet came whose ICV was wrong.",
                                            MakeTraceSourceAccessor(&EspForecast::m_forgedCallback),
                                            "ns3::EspForecast::ForgedTracedCallback");
    return tid;
}

void
EspForecast::SetFunction(Function foresee)
{
    m_foresee = std::move(foresee);
}

bool
EspForecast::Predict(const IpsecFlow& flow, uint32_t datagram, uint32_t header, EspWork& work) const
{
    return m_foresee && m_foresee(flow, datagram, header, work);
}

void
EspForecast::NotifyGone(EspDirection direction, uint64_t association)
{
    m_goneCallback(direction, association);
}

void
EspForecast::NotifyForged(const EspWork& work)
{
    m_forgedCallback(work);
}

} // namespace ns3
