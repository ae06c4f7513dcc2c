/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "iwarp-queue-disc.h"

#include "ns3/abort.h"
#include "ns3/boolean.h"
#include "ns3/double.h"

#include <string>

namespace ns3
{
namespace iwarp
{
namespace
{

/// @param kind not NONE @return class of ns-3
std::string
GetClass(QueueDiscKind kind)
{
    switch (kind)
    {
    case QueueDiscKind::CODEL:
        return "ns3::CoDelQueueDisc";
    case QueueDiscKind::FQ_CODEL:
        return "ns3::FqCoDelQueueDisc";
    case QueueDiscKind::PIE:
        return "ns3::PieQueueDisc";
    case QueueDiscKind::THRESHOLD:
        return "ns3::PathMarkingQueueDisc";
    default:
        return "ns3::RedQueueDisc";
    }
}

} // namespace

ObjectFactory
MakeQueueDiscFactory(const QueueDiscSettings& settings, const DataRate& rate, Time delay)
{
    ObjectFactory factory;
    if (settings.kind == QueueDiscKind::NONE)
    {
        return factory;
    }
    factory.SetTypeId(GetClass(settings.kind));
    factory.Set("MaxSize", QueueSizeValue(settings.size));
    factory.Set("UseEcn", BooleanValue(settings.marking));
    if (settings.kind == QueueDiscKind::RED)
    {
        factory.Set("LinkBandwidth", DataRateValue(rate));
        factory.Set("LinkDelay", TimeValue(delay));
    }
    if (settings.kind == QueueDiscKind::THRESHOLD)
    {
        const auto unit = settings.size.GetUnit();
        const bool ramp = settings.ceiling.GetValue() > 0;
        NS_ABORT_MSG_IF(settings.threshold.GetUnit() != unit ||
                            (ramp && settings.ceiling.GetUnit() != unit),
                        "a queue disc's threshold, ceiling and size have one unit");
        factory.Set("Threshold", QueueSizeValue(settings.threshold));
        factory.Set("Ceiling", QueueSizeValue(settings.ceiling));
        factory.Set("Probability", DoubleValue(settings.probability));
        factory.Set("MarkAtDequeue", BooleanValue(settings.departing));
    }
    return factory;
}

} // namespace iwarp
} // namespace ns3
