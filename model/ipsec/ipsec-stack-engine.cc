/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ipsec-stack.h"

#include "ns3/simulator.h"

#include <utility>

/**
 * @file
 * @ingroup iwarp-ipsec
 * IpsecStack: what it tells those who take the time of ESP.
 */

namespace ns3
{

void
IpsecStack::Watch()
{
    m_forecast = CreateObject<EspForecast>();
    m_forecast->SetFunction(
        [this](const auto& flow, uint32_t datagram, uint32_t header, auto& work) {
            return Foresee(flow, datagram, header, work);
        });
    m_node->AggregateObject(m_forecast);
    auto tell = [this](EspDirection direction) {
        return [this, direction](const Association& association) {
            const uint64_t number = association->GetConfig().number;
            if (m_forecast)
            {
                m_forecast->NotifyGone(direction, number);
            }
            if (m_engine)
            {
                m_engine->Forget(direction, number);
            }
        };
    };
    m_outbound.SetRemovalHook(tell(EspDirection::OUTBOUND));
    m_inbound.SetRemovalHook(tell(EspDirection::INBOUND));
    m_outbound.SetEvictionHook([this](const Association& association) {
        if (m_noticed)
        {
            m_noticed(*association, Notice::EVICTED);
        }
    });
}

bool
IpsecStack::Foresee(const IpsecFlow& flow, uint32_t datagram, uint32_t header, EspWork& work)
{
    const Index policy = m_outPolicies.Find(flow);
    if (GetAction(m_outPolicies, policy) != IpsecAction::PROTECT)
    {
        return false;
    }
    const Association association =
        m_outbound.Find({policy, m_outPolicies.GetShared(policy, flow)});
    work = association ? EspWork(association->GetConfig().number,
                                 association->GetEncapsulation(),
                                 datagram,
                                 header)
                       : EspWork(0, GetEncapsulation(policy), datagram, header);
    return true;
}

void
IpsecStack::Waste(const EspWork& work)
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
IpsecStack::Engage(EspDirection direction, const EspWork& work, std::function<void()> go)
{
    // events of the same time run in their order, and so do packets that leave together
    Simulator::Schedule(m_engine->Serve(direction, work),
                        [self = Ptr<IpsecStack>(this), go = std::move(go)] {
                            if (self->m_engine) // the node is still there
                            {
                                go();
                            }
                        });
}

} // namespace ns3
