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
    if (settings.kind == QueueDiscKind::RED || settings.kind == QueueDiscKind::THRESHOLD)
    {
        factory.Set("LinkBandwidth", DataRateValue(rate));
        factory.Set("LinkDelay", TimeValue(delay));
    }
    if (settings.kind == QueueDiscKind::THRESHOLD)
    {
        NS_ABORT_MSG_IF(settings.threshold.GetUnit() != settings.size.GetUnit(),
                        "a queue disc's threshold and size have one unit");
        const DoubleValue threshold(settings.threshold.GetValue());
        factory.Set("MinTh", threshold);
        factory.Set("MaxTh", threshold);
        factory.Set("QW", DoubleValue(1)); // the mean is the length at hand
        factory.Set("Gentle", BooleanValue(false));
        factory.Set("UseHardDrop", BooleanValue(false));
    }
    return factory;
}

} // namespace iwarp
} // namespace ns3
