/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "path-marking-queue-disc.h"

#include "ns3/boolean.h"
#include "ns3/double.h"
#include "ns3/drop-tail-queue.h"
#include "ns3/log.h"
#include "ns3/object-factory.h"
#include "ns3/random-variable-stream.h"

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("PathMarkingQueueDisc");
NS_OBJECT_ENSURE_REGISTERED(PathMarkingQueueDisc);

namespace
{

constexpr const char* LENGTH_MARK = "length mark"; //!< why a packet is marked
constexpr const char* LENGTH_DROP = "length drop"; //!< why one that cannot be marked is dropped

} // namespace

TypeId
PathMarkingQueueDisc::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::PathMarkingQueueDisc")
            .SetParent<QueueDisc>()
            .SetGroupName("Iwarp")
            .AddConstructor<PathMarkingQueueDisc>()
            .AddAttribute("MaxSize",
                          "Most that waits, packets or octets",
                          QueueSizeValue(QueueSize("1000p")),
                          MakeQueueSizeAccessor(&QueueDisc::SetMaxSize, &QueueDisc::GetMaxSize),
                          MakeQueueSizeChecker())
            .AddAttribute("Threshold",
                          "Length below which no packet is marked, in the unit of MaxSize (Kmin)",
                          QueueSizeValue(QueueSize("65p")),
                          MakeQueueSizeAccessor(&PathMarkingQueueDisc::m_threshold),
                          MakeQueueSizeChecker())
            .AddAttribute("Ceiling",
                          "Length from which each packet is marked, in the unit of MaxSize (Kmax); "
                          "0 is Threshold",
                          QueueSizeValue(QueueSize("0p")),
                          MakeQueueSizeAccessor(&PathMarkingQueueDisc::m_ceiling),
                          MakeQueueSizeChecker())
            .AddAttribute("Probability",
                          "Probability of being marked just below Ceiling, to which it grows from "
                          "0 at Threshold (Pmax; Zhu et al., SIGCOMM 2015: 1 %)",
                          DoubleValue(0.01),
                          MakeDoubleAccessor(&PathMarkingQueueDisc::m_probability),
                          MakeDoubleChecker<double>(0, 1))
            .AddAttribute("UseEcn",
                          "Mark what is ECN-capable in place of dropping it",
                          BooleanValue(true),
                          MakeBooleanAccessor(&PathMarkingQueueDisc::m_marking),
                          MakeBooleanChecker())
            .AddAttribute("MarkAtDequeue",
                          "Mark a packet when it leaves, by the length behind it, rather than when "
                          "it comes",
                          BooleanValue(false),
                          MakeBooleanAccessor(&PathMarkingQueueDisc::m_departing),
                          MakeBooleanChecker());
    return tid;
}

PathMarkingQueueDisc::PathMarkingQueueDisc()
    : QueueDisc(QueueDiscSizePolicy::SINGLE_INTERNAL_QUEUE),
      m_uniform(CreateObject<UniformRandomVariable>())
{
}

PathMarkingQueueDisc::~PathMarkingQueueDisc() = default;

void
PathMarkingQueueDisc::DoDispose()
{
    NS_LOG_FUNCTION(this);
    m_uniform = nullptr;
    QueueDisc::DoDispose();
}

int64_t
PathMarkingQueueDisc::AssignStreams(int64_t stream)
{
    NS_LOG_FUNCTION(this << stream);
    m_uniform->SetStream(stream);
    return 1;
}

double
PathMarkingQueueDisc::GetMarkingProbability(uint32_t waiting) const
{
    const uint32_t least = m_threshold.GetValue();
    const uint32_t most = m_ceiling.GetValue();
    if (waiting < least)
    {
        return 0;
    }
    return waiting >= most ? 1 : m_probability * (waiting - least) / (most - least);
}

bool
PathMarkingQueueDisc::Choose()
{
    const double probability =
        GetMarkingProbability(GetInternalQueue(0)->GetCurrentSize().GetValue());
    return probability >= 1 || (probability > 0 && m_uniform->GetValue() < probability);
}

bool
PathMarkingQueueDisc::DoEnqueue(Ptr<QueueDiscItem> item)
{
    NS_LOG_FUNCTION(this << item);
    if (!m_departing && Choose() && !(m_marking && Mark(item, LENGTH_MARK)))
    {
        DropBeforeEnqueue(item, LENGTH_DROP);
        return false;
    }
    return GetInternalQueue(0)->Enqueue(item);
}

Ptr<QueueDiscItem>
PathMarkingQueueDisc::DoDequeue()
{
    Ptr<QueueDiscItem> item = GetInternalQueue(0)->Dequeue();
    while (m_departing && item && Choose() && !(m_marking && Mark(item, LENGTH_MARK)))
    {
        DropAfterDequeue(item, LENGTH_DROP);
        item = GetInternalQueue(0)->Dequeue();
    }
    return item;
}

bool
PathMarkingQueueDisc::CheckConfig()
{
    const auto unit = GetMaxSize().GetUnit();
    if (GetNQueueDiscClasses() > 0 || GetNPacketFilters() > 0)
    {
        NS_LOG_ERROR("PathMarkingQueueDisc has neither classes nor filters");
        return false;
    }
    if (m_threshold.GetUnit() != unit || (m_ceiling.GetValue() > 0 && m_ceiling.GetUnit() != unit))
    {
        NS_LOG_ERROR("PathMarkingQueueDisc: Threshold, Ceiling and MaxSize have one unit");
        return false;
    }
    if (GetNInternalQueues() == 0)
    {
        AddInternalQueue(
            CreateObjectWithAttributes<DropTailQueue<QueueDiscItem>>("MaxSize",
                                                                     QueueSizeValue(GetMaxSize())));
    }
    return GetNInternalQueues() == 1;
}

void
PathMarkingQueueDisc::InitializeParams()
{
}

} // namespace ns3
