/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ipsec-timing.h"

#include "ns3/simulator.h"

#include <utility>

namespace ns3
{

IpsecTiming::IpsecTiming(Object* owner)
    : m_owner(owner)
{
}

void
IpsecTiming::SetForecast(const Ptr<EspForecast>& forecast)
{
    m_forecast = forecast;
}

void
IpsecTiming::SetEngine(const Ptr<EspEngine>& engine)
{
    m_engine = engine;
}

bool
IpsecTiming::HasEngine() const
{
    return static_cast<bool>(m_engine);
}

EspForecast&
IpsecTiming::GetForecast() const
{
    return *m_forecast;
}

void
IpsecTiming::Process(EspDirection direction, const EspWork& work, std::function<void()> go)
{
    // events of the same time run in their order, and so do packets that leave together
    Simulator::Schedule(m_engine->Serve(direction, work),
                        [this, owner = Ptr<Object>(m_owner), go = std::move(go)] {
                            if (m_engine) // the node is still there
                            {
                                go();
                            }
                        });
}

void
IpsecTiming::Charge(const EspWork& work)
{
    if (m_engine)
    {
        m_engine->Serve(EspDirection::INBOUND, work);
    }
    else
    {
        m_forecast->NotifyForged(work);
    }
}

void
IpsecTiming::NotifyGone(EspDirection direction, uint64_t number)
{
    if (m_forecast)
    {
        m_forecast->NotifyGone(direction, number);
    }
    if (m_engine)
    {
        m_engine->Release(direction, number);
    }
}

void
IpsecTiming::Clear()
{
    m_forecast = nullptr;
    m_engine = nullptr;
}

} // namespace ns3
