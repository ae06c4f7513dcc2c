/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ipsec-stack.h"

#include "ns3/simulator.h"

#include <memory>
#include <utility>

/**
 * @file
 * @ingroup iwarp-ipsec
 * IpsecStack: the life of associations, and what it tells those who take the time of ESP.
 */

namespace ns3
{

void
IpsecStack::Tell(IpsecAssociation& association, bool received)
{
    if (m_noticed && received && association.GetPackets() == 1)
    {
        m_noticed(association, Notice::FIRST_RECEIVED);
    }
    const IpsecAge age = association.GetAge(Simulator::Now());
    if (m_noticed && age == IpsecAge::SOFT)
    {
        m_noticed(association, received ? Notice::RECEIVING_AGED : Notice::SENDING_AGED);
    }
    if (received && age == IpsecAge::HARD)
    {
        // once an engine has had this packet
        Simulator::ScheduleNow(
            [self = Ptr<IpsecStack>(this), kept = association.shared_from_this()] {
                self->Expire(EspDirection::INBOUND, kept);
            });
    }
}

void
IpsecStack::ExpireInTime(EspDirection direction, const Association& association)
{
    const Time life = association->GetConfig().hard.time;
    if (!life.IsStrictlyPositive())
    {
        return;
    }
    const std::weak_ptr<IpsecAssociation> kept = association;
    Simulator::Schedule(life, [self = Ptr<IpsecStack>(this), direction, kept] {
        if (const Association old = kept.lock())
        {
            self->Expire(direction, old);
        }
    });
}

void
IpsecStack::Expire(EspDirection direction, const Association& association)
{
    const bool sends = direction == EspDirection::OUTBOUND;
    if (sends && !m_acquire)
    {
        return; // it stays, to say why packets are dropped
    }
    if ((sends ? m_outbound : m_inbound).Remove(association))
    {
        // who asks for another does so first
        Simulator::ScheduleNow([self = Ptr<IpsecStack>(this), sends, association] {
            if (self->m_noticed)
            {
                self->m_noticed(*association,
                                sends ? Notice::SENDING_EXPIRED : Notice::RECEIVING_EXPIRED);
            }
        });
    }
}

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
            if (direction == EspDirection::OUTBOUND)
            {
                m_gone.Add(association);
            }
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
