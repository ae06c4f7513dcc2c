/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rnic-record-stage.h"

#include "ns3/boolean.h"
#include "ns3/ns3-compat.h"
#include "ns3/rnic-attribute.h"
#include "ns3/rnic-datapath.h"
#include "ns3/rnic-host-interface.h"
#include "ns3/uinteger.h"

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(RnicRxRecordStage);
NS_OBJECT_ENSURE_REGISTERED(RnicTxRecordStage);

TypeId
RnicRxRecordStage::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::RnicRxRecordStage")
            .SetParent<RnicServerStage>()
            .SetGroupName("Iwarp")
            .AddConstructor<RnicRxRecordStage>()
            .AddAttribute(
                "Resync",
                "How the adapter finds records again behind a gap that had the head of "
                "one: it scans for what looks like a head and asks software (Scan), or "
                "waits until software tells (Software).",
                iwarp::MakeEnumValue(RnicResync::SCAN),
                iwarp::MakeEnumAccessor(&RnicRxRecordStage::m_resync),
                iwarp::MakeEnumChecker(RnicResync::SCAN, "Scan", RnicResync::SOFTWARE, "Software"))
            .AddAttribute("AlignedHeads",
                          "A scan looks at the first octets of segments only, as where senders "
                          "keep records aligned with segments.",
                          BooleanValue(false),
                          MakeBooleanAccessor(&RnicRxRecordStage::m_aligned),
                          MakeBooleanChecker())
            .AddAttribute("Patience",
                          "How far a segment may be behind the octet that the adapter waits for "
                          "before it gives up and scans [octets]",
                          UintegerValue(0),
                          MakeUintegerAccessor(&RnicRxRecordStage::m_patience),
                          MakeUintegerChecker<uint32_t>())
            .AddAttribute("AnswerTime",
                          "From software's answer, or word where to resume, until it counts in the "
                          "adapter.",
                          TimeValue(Time(0)),
                          rnic::MakeTimeAccessor(&RnicRxRecordStage::m_answerTime),
                          rnic::MakeTimeChecker())
            .AddAttribute("Connections",
                          "Connections whose records are followed at a time; others are left to "
                          "software. 0 is no limit.",
                          UintegerValue(0),
                          MakeUintegerAccessor(&RnicRxRecordStage::m_limit),
                          MakeUintegerChecker<uint32_t>());
    return tid;
}

RnicRxRecordStage::RnicRxRecordStage() = default;
RnicRxRecordStage::~RnicRxRecordStage() = default;

bool
RnicRxRecordStage::IsIdeal() const
{
    return false; // without time, it still makes a difference to software
}

RnicServerStage::Load
RnicRxRecordStage::GetLoad(const RnicSegment& segment) const
{
    return {segment.worked, segment.worked > 0};
}

RnicRecordTracker::Config
RnicRxRecordStage::GetConfig() const
{
    return {m_resync == RnicResync::SCAN, m_patience, m_aligned};
}

Time
RnicRxRecordStage::GetAnswerTime() const
{
    return FromRnicTime(m_answerTime);
}

bool
RnicRxRecordStage::Acquire()
{
    if (m_limit > 0 && m_connections >= m_limit)
    {
        return false;
    }
    m_connections++;
    return true;
}

void
RnicRxRecordStage::Release()
{
    m_connections--;
}

TypeId
RnicTxRecordStage::GetTypeId()
{
    static TypeId tid = TypeId("ns3::RnicTxRecordStage")
                            .SetParent<RnicServerStage>()
                            .SetGroupName("Iwarp")
                            .AddConstructor<RnicTxRecordStage>();
    return tid;
}

RnicTxRecordStage::RnicTxRecordStage() = default;
RnicTxRecordStage::~RnicTxRecordStage() = default;

bool
RnicTxRecordStage::IsIdeal() const
{
    return false;
}

void
RnicTxRecordStage::Bind(const RnicDatapath& path)
{
    m_host = path.Get<RnicHostInterface>("HostInterface");
}

void
RnicTxRecordStage::Serve(RnicSegment& segment)
{
    segment.time = m_host->Read(segment.now, segment.time, segment.recovered);
    RnicServerStage::Serve(segment);
}

RnicServerStage::Load
RnicTxRecordStage::GetLoad(const RnicSegment& segment) const
{
    const uint64_t octets = uint64_t{segment.worked} + segment.recovered;
    return {octets, octets > 0};
}

} // namespace ns3
