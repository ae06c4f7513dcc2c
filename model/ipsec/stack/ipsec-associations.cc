/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ipsec-associations.h"

#include "ns3/log.h"
#include "ns3/simulator.h"

#include <utility>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("IpsecAssociations");

IpsecAssociations::IpsecAssociations(Object* owner,
                                     const IpsecPolicies& policies,
                                     IpsecStatistics& statistics,
                                     const uint32_t& maxWaiting)
    : m_owner(owner),
      m_policies(policies),
      m_statistics(statistics),
      m_maxWaiting(maxWaiting)
{
    m_outbound.SetEvictionHook([this](const Association& association) {
        if (m_noticed)
        {
            m_noticed(*association, Notice::EVICTED);
        }
    });
}

void
IpsecAssociations::SetRemovalHook(RemovalHook hook)
{
    m_outbound.SetRemovalHook(
        [hook](const Association& association) { hook(EspDirection::OUTBOUND, association); });
    m_inbound.SetRemovalHook(
        [hook](const Association& association) { hook(EspDirection::INBOUND, association); });
}

void
IpsecAssociations::Clear()
{
    m_waiting.clear();
    m_acquire = nullptr;
    m_noticed = nullptr;
}

bool
IpsecAssociations::AddOutbound(const IpsecAssociationConfig& config,
                               Index policy,
                               const IpsecFlow& flow)
{
    NS_LOG_FUNCTION(this << config.spi << policy);
    const IpsecFlow shared = m_policies.GetShared(policy, flow);
    auto numbered = config;
    numbered.number = ++m_numbers[static_cast<std::size_t>(EspDirection::OUTBOUND)];
    const auto association = std::make_shared<IpsecAssociation>(numbered, Simulator::Now());
    if (!m_outbound.Add(association, {policy, shared}))
    {
        return false;
    }
    ExpireInTime(EspDirection::OUTBOUND, association);
    auto& waiting = m_waiting[policy];
    const auto found = waiting.find(shared);
    if (found != waiting.end())
    {
        const auto going = std::move(found->second);
        waiting.erase(found);
        for (const auto& datagram : going)
        {
            datagram.go();
        }
    }
    return true;
}

bool
IpsecAssociations::AddInbound(const IpsecAssociationConfig& config)
{
    NS_LOG_FUNCTION(this << config.spi);
    auto numbered = config;
    numbered.number = ++m_numbers[static_cast<std::size_t>(EspDirection::INBOUND)];
    const auto association = std::make_shared<IpsecAssociation>(numbered, Simulator::Now());
    if (!m_inbound.Add(association))
    {
        return false;
    }
    ExpireInTime(EspDirection::INBOUND, association);
    return true;
}

IpsecAssociations::Association
IpsecAssociations::FindSending(Index policy, const IpsecFlow& flow)
{
    return m_outbound.Find({policy, m_policies.GetShared(policy, flow)});
}

IpsecAssociations::Association
IpsecAssociations::FindAssociation(Index policy, const IpsecFlow& flow)
{
    Association association = FindSending(policy, flow);
    if (association && m_acquire && association->GetAge(Simulator::Now()) == IpsecAge::HARD)
    {
        Expire(EspDirection::OUTBOUND, association);
        return nullptr;
    }
    return association;
}

void
IpsecAssociations::SetAcquire(Acquire acquire)
{
    m_acquire = std::move(acquire);
}

void
IpsecAssociations::SetNotice(Noticed noticed)
{
    m_noticed = std::move(noticed);
}

void
IpsecAssociations::Await(Index policy,
                         const IpsecFlow& flow,
                         const Ptr<const Packet>& packet,
                         std::function<void()> go)
{
    NS_LOG_FUNCTION(this << policy);
    if (!m_acquire)
    {
        m_statistics.Drop(IpsecDrop::NO_ASSOCIATION, packet);
        return;
    }
    auto [waiting, isNew] = m_waiting[policy].try_emplace(m_policies.GetShared(policy, flow));
    if (waiting->second.size() < m_maxWaiting)
    {
        waiting->second.push_back({packet, std::move(go)});
    }
    else
    {
        m_statistics.Drop(IpsecDrop::NO_ASSOCIATION, packet);
    }
    if (isNew)
    {
        m_acquire(policy, flow);
    }
}

void
IpsecAssociations::Abandon(Index policy, const IpsecFlow& flow)
{
    NS_LOG_FUNCTION(this << policy);
    auto& waiting = m_waiting[policy];
    const auto found = waiting.find(m_policies.GetShared(policy, flow));
    if (found != waiting.end())
    {
        const auto given = std::move(found->second);
        waiting.erase(found);
        for (const auto& datagram : given)
        {
            m_statistics.Drop(IpsecDrop::NO_ASSOCIATION, datagram.packet);
        }
    }
}

IpsecAssociationDatabase&
IpsecAssociations::GetOutbound()
{
    return m_outbound;
}

const IpsecAssociationDatabase&
IpsecAssociations::GetOutbound() const
{
    return m_outbound;
}

IpsecAssociationDatabase&
IpsecAssociations::GetInbound()
{
    return m_inbound;
}

void
IpsecAssociations::Notify(IpsecAssociation& association, bool received)
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
            [this, owner = Ptr<Object>(m_owner), kept = association.shared_from_this()] {
                Expire(EspDirection::INBOUND, kept);
            });
    }
}

void
IpsecAssociations::ExpireInTime(EspDirection direction, const Association& association)
{
    const Time life = association->GetConfig().hard.time;
    if (!life.IsStrictlyPositive())
    {
        return;
    }
    const std::weak_ptr<IpsecAssociation> kept = association;
    Simulator::Schedule(life, [this, owner = Ptr<Object>(m_owner), direction, kept] {
        if (const Association old = kept.lock())
        {
            Expire(direction, old);
        }
    });
}

void
IpsecAssociations::Expire(EspDirection direction, const Association& association)
{
    const bool sends = direction == EspDirection::OUTBOUND;
    if (sends && !m_acquire)
    {
        return; // it stays, to say why packets are dropped
    }
    if ((sends ? m_outbound : m_inbound).Remove(association))
    {
        // who asks for another does so first
        Simulator::ScheduleNow([this, owner = Ptr<Object>(m_owner), sends, association] {
            if (m_noticed)
            {
                m_noticed(*association,
                          sends ? Notice::SENDING_EXPIRED : Notice::RECEIVING_EXPIRED);
            }
        });
    }
}

} // namespace ns3
