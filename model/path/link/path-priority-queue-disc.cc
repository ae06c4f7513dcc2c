/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "path-priority-queue-disc.h"

#include "ns3/abort.h"
#include "ns3/ipv4-queue-disc-item.h"
#include "ns3/ipv6-queue-disc-item.h"
#include "ns3/log.h"
#include "ns3/net-device-queue-interface.h"

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("PathPriorityQueueDisc");
NS_OBJECT_ENSURE_REGISTERED(PathPriorityQueueDisc);

TypeId
PathPriorityQueueDisc::GetTypeId()
{
    static TypeId tid = TypeId("ns3::PathPriorityQueueDisc")
                            .SetParent<QueueDisc>()
                            .SetGroupName("Iwarp")
                            .AddConstructor<PathPriorityQueueDisc>();
    return tid;
}

PathPriorityQueueDisc::PathPriorityQueueDisc()
    : QueueDisc(QueueDiscSizePolicy::NO_LIMITS),
      m_scheduler({0}),
      m_gate(Create<PathPauseGate>(this))
{
}

PathPriorityQueueDisc::~PathPriorityQueueDisc() = default;

void
PathPriorityQueueDisc::SetPriorities(const PathPriorities& priorities,
                                     const std::function<Ptr<QueueDisc>(uint8_t)>& make)
{
    NS_LOG_FUNCTION(this << +priorities.GetCount());
    NS_ABORT_MSG_IF(GetNQueueDiscClasses() > 0, "PathPriorityQueueDisc has its priorities");
    m_priorities = priorities;
    m_scheduler = PathPriorityScheduler(priorities.GetWeights());
    for (uint8_t priority = 0; priority < priorities.GetCount(); priority++)
    {
        auto own = CreateObject<QueueDiscClass>();
        own->SetQueueDisc(make(priority));
        AddQueueDiscClass(own);
    }
}

void
PathPriorityQueueDisc::SetDscp(uint8_t dscp)
{
    NS_LOG_FUNCTION(this << +dscp);
    NS_ABORT_MSG_IF(dscp >= PathPriorities::DSCPS, "a DSCP is 0 to 63, not " << +dscp);
    m_dscp = dscp;
}

void
PathPriorityQueueDisc::SetAdmission(PathAdmission* admission, uint32_t port)
{
    NS_LOG_FUNCTION(this << admission << port);
    m_admission = admission;
    m_port = port;
}

Ptr<PathPauseGate>
PathPriorityQueueDisc::GetGate() const
{
    return m_gate;
}

void
PathPriorityQueueDisc::DoDispose()
{
    m_admission = nullptr;
    QueueDisc::DoDispose();
}

Ptr<QueueDiscItem>
PathPriorityQueueDisc::Colour(const Ptr<QueueDiscItem>& item) const
{
    const auto colour = [&item](const auto& ip, auto set) -> Ptr<QueueDiscItem> {
        auto header = ip.GetHeader();
        set(header);
        using Item = std::decay_t<decltype(ip)>;
        auto other =
            Create<Item>(item->GetPacket(), item->GetAddress(), item->GetProtocol(), header);
        other->SetTxQueueIndex(item->GetTxQueueIndex());
        return other;
    };
    const auto bits = static_cast<uint8_t>(m_dscp << 2);
    if (const auto* ipv4 = dynamic_cast<const Ipv4QueueDiscItem*>(PeekPointer(item)))
    {
        return colour(*ipv4, [bits](auto& header) { header.SetTos(header.GetTos() | bits); });
    }
    if (const auto* ipv6 = dynamic_cast<const Ipv6QueueDiscItem*>(PeekPointer(item)))
    {
        return colour(*ipv6, [bits](auto& header) {
            header.SetTrafficClass(header.GetTrafficClass() | bits);
        });
    }
    return item;
}

bool
PathPriorityQueueDisc::DoEnqueue(Ptr<QueueDiscItem> item)
{
    uint8_t tos = 0;
    item->GetUint8Value(QueueItem::IP_DSFIELD, tos);
    Ptr<QueueDiscItem> entry = item;
    if (m_dscp > 0 && tos >> 2 == 0)
    {
        entry = Colour(item);
        entry->GetUint8Value(QueueItem::IP_DSFIELD, tos);
    }
    const uint8_t priority = m_priorities.Get(tos);
    if (m_admission)
    {
        const char* const reason =
            m_admission->Admit(m_port, priority, item->GetPacket(), item->GetSize());
        if (reason)
        {
            DropBeforeEnqueue(item, reason);
            return false;
        }
    }
    // what its disc drops it drops as this one's child
    return GetQueueDiscClass(priority)->GetQueueDisc()->Enqueue(entry);
}

Ptr<QueueDiscItem>
PathPriorityQueueDisc::DoDequeue()
{
    while (true)
    {
        uint32_t ready = 0;
        for (std::size_t priority = 0; priority < GetNQueueDiscClasses(); priority++)
        {
            const bool waits = GetQueueDiscClass(priority)->GetQueueDisc()->GetNPackets() > 0;
            ready |= waits ? 1U << priority : 0;
        }
        const auto chosen =
            m_scheduler.Choose(static_cast<uint8_t>(ready & ~uint32_t{m_gate->GetPaused()}));
        if (!chosen)
        {
            return nullptr;
        }
        if (Ptr<QueueDiscItem> item = GetQueueDiscClass(*chosen)->GetQueueDisc()->Dequeue())
        {
            m_scheduler.Charge(*chosen, item->GetSize());
            return item;
        } // it has dropped all that it had
    }
}

bool
PathPriorityQueueDisc::CheckConfig()
{
    NS_LOG_FUNCTION(this);
    if (GetNQueueDiscClasses() == 0)
    {
        NS_LOG_ERROR("PathPriorityQueueDisc needs SetPriorities() first");
        return false;
    }
    return true;
}

void
PathPriorityQueueDisc::InitializeParams()
{
    for (std::size_t priority = 0; priority < GetNQueueDiscClasses(); priority++)
    { // FqCoDelQueueDisc takes its quantum from the device
        GetQueueDiscClass(priority)->GetQueueDisc()->SetNetDeviceQueueInterface(
            GetNetDeviceQueueInterface());
    }
}

} // namespace ns3
