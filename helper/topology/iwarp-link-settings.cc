/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "iwarp-link-settings.h"

#include "iwarp-topology.h"

#include "ns3/enum.h"
#include "ns3/ns3-compat.h"
#include "ns3/util-attribute-text.h"
#include "ns3/util-text.h"

#include <map>

namespace ns3
{
namespace iwarp
{

std::string
LinkSettings::Set(const std::string& column, const std::string& text)
{
    static const std::map<std::string, std::string> attributes{{"rate", "LinkRate"},
                                                               {"delay", "Delay"},
                                                               {"queue", "QueueDisc"},
                                                               {"buffer", "QueueSize"}};
    const auto attribute = attributes.find(column);
    if (attribute == attributes.end())
    {
        return "there is no column '" + column + "'; there are rate, delay, queue, buffer";
    }
    if (text.empty())
    {
        return "";
    }
    TypeId::AttributeInformation info;
    IwarpTopology::GetTypeId().LookupAttributeByName(attribute->second, &info);
    std::string problem;
    const auto value = ParseAttribute(info, text, problem);
    if (!value)
    {
        return column + ": " + problem;
    }
    if (column == "rate")
    {
        rate = DynamicCast<DataRateValue>(value)->Get();
    }
    else if (column == "delay")
    {
        delay = DynamicCast<TimeValue>(value)->Get();
    }
    else if (column == "queue")
    {
        using KindValue = decltype(MakeEnumValue(QueueDiscKind::NONE));
        queue = static_cast<QueueDiscKind>(DynamicCast<KindValue>(value)->Get());
    }
    else
    {
        buffer = DynamicCast<QueueSizeValue>(value)->Get();
    }
    return "";
}

} // namespace iwarp
} // namespace ns3
