/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rnic-crc-stage.h"

#include "ns3/boolean.h"

#include <algorithm>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(RnicTxCrcStage);
NS_OBJECT_ENSURE_REGISTERED(RnicRxCrcStage);
NS_OBJECT_ENSURE_REGISTERED(RnicStreamCrcStage);

TypeId
RnicTxCrcStage::GetTypeId()
{
    static TypeId tid = TypeId("ns3::RnicTxCrcStage")
                            .SetParent<RnicServerStage>()
                            .SetGroupName("Iwarp")
                            .AddConstructor<RnicTxCrcStage>();
    return tid;
}

RnicServerStage::Load
RnicTxCrcStage::GetLoad(const RnicSegment& segment) const
{
    return {segment.payload, segment.payload > 0};
}

TypeId
RnicRxCrcStage::GetTypeId()
{
    static TypeId tid = TypeId("ns3::RnicRxCrcStage")
                            .SetParent<RnicServerStage>()
                            .SetGroupName("Iwarp")
                            .AddConstructor<RnicRxCrcStage>();
    return tid;
}

RnicServerStage::Load
RnicRxCrcStage::GetLoad(const RnicSegment& segment) const
{
    return {segment.ops->crcOctets, segment.ops->crcRun};
}

TypeId
RnicStreamCrcStage::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::RnicStreamCrcStage")
            .SetParent<RnicRxCrcStage>()
            .SetGroupName("Iwarp")
            .AddConstructor<RnicStreamCrcStage>()
            .AddAttribute(
                "Parallel",
                "The CRC of aligned segments runs beside classification (RFC 5044 B.2.1).",
                BooleanValue(false),
                MakeBooleanAccessor(&RnicStreamCrcStage::m_parallel),
                MakeBooleanChecker());
    return tid;
}

void
RnicStreamCrcStage::Serve(RnicSegment& segment)
{
    const RnicTime found = segment.time;
    if (m_parallel && segment.ops->slowPath == 0)
    {
        segment.time = segment.checked;
    }
    RnicRxCrcStage::Serve(segment);
    segment.time = std::max(segment.time, found);
}

} // namespace ns3
