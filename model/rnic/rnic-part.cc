/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rnic-part.h"

#include "ns3/abort.h"
#include "ns3/log.h"

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("RnicPart");
NS_OBJECT_ENSURE_REGISTERED(RnicPart);
NS_OBJECT_ENSURE_REGISTERED(RnicStage);

TypeId
RnicPart::GetTypeId()
{
    static TypeId tid = TypeId("ns3::RnicPart").SetParent<Object>().SetGroupName("Iwarp");
    return tid;
}

void
RnicPart::Bind(const RnicDatapath& /* path */)
{
}

void
RnicPart::Release(RnicTime /* now */, uint64_t /* connection */)
{
}

void
RnicPart::RestartStatistics(RnicTime /* now */)
{
}

void
RnicPart::DoInitialize()
{
    NS_LOG_FUNCTION(this);
    const std::string fault = Check();
    NS_ABORT_MSG_UNLESS(fault.empty(), "RNIC, " << GetInstanceTypeId().GetName() << ": " << fault);
    Object::DoInitialize();
}

TypeId
RnicStage::GetTypeId()
{
    static TypeId tid = TypeId("ns3::RnicStage").SetParent<RnicPart>().SetGroupName("Iwarp");
    return tid;
}

bool
RnicStage::KeepsOrder() const
{
    return false;
}

RnicTime
RnicStage::Reserve(RnicSegment& segment)
{
    return segment.time;
}

} // namespace ns3
