/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "path-input-queue-disc.h"

#include "path-pause.h"

#include "ns3/drop-tail-queue.h"
#include "ns3/log.h"
#include "ns3/object-factory.h"

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("PathInputQueueDisc");
NS_OBJECT_ENSURE_REGISTERED(PathInputQueueDisc);

namespace
{

constexpr uint32_t NO_LIMIT = 1U << 30; //!< packets of a queue, which the switch's memory limits

} // namespace

TypeId
PathInputQueueDisc::GetTypeId()
{
    static TypeId tid = TypeId("ns3::PathInputQueueDisc")
                            .SetParent<QueueDisc>()
                            .SetGroupName("Iwarp")
                            .AddConstructor<PathInputQueueDisc>();
    return tid;
}

PathInputQueueDisc::PathInputQueueDisc()
    : QueueDisc(QueueDiscSizePolicy::NO_LIMITS)
{
}

PathInputQueueDisc::~PathInputQueueDisc() = default;

void
PathInputQueueDisc::SetNode(uint32_t node)
{
    NS_LOG_FUNCTION(this << node);
    m_node = node;
}

void
PathInputQueueDisc::DoDispose()
{
    NS_LOG_FUNCTION(this);
    m_turns.clear();
    QueueDisc::DoDispose();
}

bool
PathInputQueueDisc::DoEnqueue(Ptr<QueueDiscItem> item)
{
    NS_LOG_FUNCTION(this << item);
    const auto input = PathPause::FindInput(item->GetPacket(), m_node);
    const std::size_t place = input ? *input + 1 : 0;
    while (GetNInternalQueues() <= place)
    {
        AddInternalQueue(CreateObjectWithAttributes<DropTailQueue<QueueDiscItem>>(
            "MaxSize",
            QueueSizeValue(QueueSize(QueueSizeUnit::PACKETS, NO_LIMIT))));
    }
    const bool idle = GetInternalQueue(place)->IsEmpty();
    const bool accepted = GetInternalQueue(place)->Enqueue(item);
    if (idle && accepted)
    {
        m_turns.push_back(place);
    }
    return accepted;
}

Ptr<QueueDiscItem>
PathInputQueueDisc::DoDequeue()
{
    if (m_turns.empty())
    {
        return nullptr;
    }
    const std::size_t place = m_turns.front();
    m_turns.pop_front();
    Ptr<QueueDiscItem> item = GetInternalQueue(place)->Dequeue();
    if (!GetInternalQueue(place)->IsEmpty())
    {
        m_turns.push_back(place);
    }
    return item;
}

bool
PathInputQueueDisc::CheckConfig()
{
    if (GetNQueueDiscClasses() > 0 || GetNPacketFilters() > 0)
    {
        NS_LOG_ERROR("PathInputQueueDisc has neither classes nor filters");
        return false;
    }
    return true;
}

void
PathInputQueueDisc::InitializeParams()
{
}

} // namespace ns3
