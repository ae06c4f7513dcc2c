/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rnic-host-interface.h"

#include "rnic-attribute.h"

#include "ns3/log.h"
#include "ns3/ns3-compat.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <iterator>
#include <limits>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("RnicHostInterface");
NS_OBJECT_ENSURE_REGISTERED(RnicHostInterface);

TypeId
RnicHostInterface::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::RnicHostInterface")
            .SetParent<RnicPart>()
            .SetGroupName("Iwarp")
            .AddConstructor<RnicHostInterface>()
            .AddAttribute("WriteRate",
                          "Rate of the bus towards the host, headers included; 0 for no limit.",
                          DataRateValue(DataRate(0)),
                          rnic::MakeRateAccessor(&RnicHostInterface::m_writeRate),
                          MakeDataRateChecker())
            .AddAttribute("ReadRate",
                          "Rate of the bus from the host, headers included; 0 for no limit.",
                          DataRateValue(DataRate(0)),
                          rnic::MakeRateAccessor(&RnicHostInterface::m_readRate),
                          MakeDataRateChecker())
            .AddAttribute("Header",
                          "Octets around each packet of the bus.",
                          UintegerValue(0),
                          MakeUintegerAccessor(&RnicHostInterface::m_header),
                          MakeUintegerChecker<uint32_t>(0, 1024))
            .AddAttribute("MaxPayload",
                          "Octets of data in a packet of the bus at most.",
                          UintegerValue(256),
                          MakeUintegerAccessor(&RnicHostInterface::m_maxPayload),
                          MakeUintegerChecker<uint32_t>(64, 65536))
            .AddAttribute("MaxReadRequest",
                          "Octets that a read request asks for at most.",
                          UintegerValue(512),
                          MakeUintegerAccessor(&RnicHostInterface::m_maxReadRequest),
                          MakeUintegerChecker<uint32_t>(64, 65536))
            .AddAttribute("ReadTags",
                          "Read requests in flight at most.",
                          UintegerValue(64),
                          MakeUintegerAccessor(&RnicHostInterface::m_readTags),
                          MakeUintegerChecker<uint32_t>(1, 65536))
            .AddAttribute("ReadLatency",
                          "Time from a read request to the first octet of its data.",
                          TimeValue(Time(0)),
                          rnic::MakeTimeAccessor(&RnicHostInterface::m_readLatency),
                          rnic::MakeTimeChecker())
            .AddAttribute("WriteLatency",
                          "Time from a write until CPUs see it.",
                          TimeValue(Time(0)),
                          rnic::MakeTimeAccessor(&RnicHostInterface::m_writeLatency),
                          rnic::MakeTimeChecker())
            .AddAttribute("DoorbellLatency",
                          "Time from a CPU's write until the RNIC sees it.",
                          TimeValue(Time(0)),
                          rnic::MakeTimeAccessor(&RnicHostInterface::m_doorbellLatency),
                          rnic::MakeTimeChecker())
            .AddAttribute("DoorbellSize",
                          "Octets of a doorbell.",
                          UintegerValue(8),
                          MakeUintegerAccessor(&RnicHostInterface::m_doorbellSize),
                          MakeUintegerChecker<uint32_t>(1, 4096))
            .AddAttribute("WqeSize",
                          "Octets of a work queue element.",
                          UintegerValue(64),
                          MakeUintegerAccessor(&RnicHostInterface::m_wqeSize),
                          MakeUintegerChecker<uint32_t>(1, 4096))
            .AddAttribute("CqeSize",
                          "Octets of a completion queue element.",
                          UintegerValue(64),
                          MakeUintegerAccessor(&RnicHostInterface::m_cqeSize),
                          MakeUintegerChecker<uint32_t>(1, 4096))
            .AddAttribute(
                "InlineLimit",
                "Octets of payload that a doorbell may bring along; with a request that has "
                "more of them in its work queue element they are fetched with that.",
                UintegerValue(0),
                MakeUintegerAccessor(&RnicHostInterface::m_inlineLimit),
                MakeUintegerChecker<uint32_t>(0, 4096))
            .AddAttribute("Notify",
                          "How the host learns of completions.",
                          iwarp::MakeEnumValue(RnicNotify::POLLING),
                          iwarp::MakeEnumAccessor(&RnicHostInterface::m_notify),
                          iwarp::MakeEnumChecker(RnicNotify::POLLING,
                                                 "Polling",
                                                 RnicNotify::INTERRUPT,
                                                 "Interrupt"))
            .AddAttribute("PollTime",
                          "Time from the sight of a completion to the application, when polling.",
                          TimeValue(Time(0)),
                          rnic::MakeTimeAccessor(&RnicHostInterface::m_pollTime),
                          rnic::MakeTimeChecker())
            .AddAttribute("InterruptTime",
                          "Time from an interrupt to the application.",
                          TimeValue(Time(0)),
                          rnic::MakeTimeAccessor(&RnicHostInterface::m_interruptTime),
                          rnic::MakeTimeChecker())
            .AddAttribute("InterruptModeration",
                          "Time between two interrupts at least.",
                          TimeValue(Time(0)),
                          rnic::MakeTimeAccessor(&RnicHostInterface::m_moderation),
                          rnic::MakeTimeChecker());
    return tid;
}

std::string
RnicHostInterface::Check() const
{
    for (uint64_t rate : {m_writeRate, m_readRate})
    {
        const std::string fault = RnicRate::Check(rate);
        if (!fault.empty())
        {
            return "a bus of " + fault;
        }
    }
    return "";
}

bool
RnicHostInterface::IsIdeal() const
{
    return RnicRate::IsUnlimited(m_writeRate) && RnicRate::IsUnlimited(m_readRate) &&
           m_readLatency == 0 && m_writeLatency == 0 && m_doorbellLatency == 0 && m_pollTime == 0 &&
           m_interruptTime == 0 && m_moderation == 0;
}

void
RnicHostInterface::DoInitialize()
{
    NS_LOG_FUNCTION(this);
    RnicPart::DoInitialize();
    m_toHost = RnicLink(m_writeRate);
    m_fromHost = RnicLink(m_readRate);
    m_tags = RnicTags(m_readTags);
}

uint64_t
RnicHostInterface::OnWire(uint64_t octets) const
{
    const uint64_t packets = (octets + m_maxPayload - 1) / m_maxPayload;
    return octets + packets * m_header;
}

RnicTime
RnicHostInterface::Read(RnicTime now, RnicTime arrival, uint64_t octets)
{
    RnicTime end = arrival;
    m_reads += octets > 0;
    while (octets > 0)
    {
        const uint64_t part = std::min<uint64_t>(octets, m_maxReadRequest);
        octets -= part;

        const uint64_t onWire = OnWire(part);
        const RnicTime ready = m_tags.Find(arrival, [&](RnicTime at) {
            const RnicTime sent = m_toHost.Predict(at, m_header);
            return m_fromHost.Predict(sent + m_readLatency, onWire);
        });
        m_tagWait += ready - arrival;
        const RnicTime sent = m_toHost.Transfer(now, ready, m_header).end;
        const RnicTime in = m_fromHost.Transfer(now, sent + m_readLatency, onWire).end;
        m_tags.Hold(now, ready, in);

        end = std::max(end, in);
        ++m_readRequests;
    }
    return end;
}

RnicTime
RnicHostInterface::Write(RnicTime now, RnicTime arrival, uint64_t octets)
{
    if (octets == 0)
    {
        return arrival;
    }
    return m_toHost.Transfer(now, arrival, OnWire(octets)).end;
}

RnicTime
RnicHostInterface::GetVisible(RnicTime written) const
{
    return written + m_writeLatency;
}

bool
RnicHostInterface::IsInline(uint64_t payload) const
{
    return payload <= m_inlineLimit && m_inlineLimit > 0;
}

RnicTime
RnicHostInterface::GetReadLatency() const
{
    return m_readLatency;
}

RnicTime
RnicHostInterface::GetPollTime() const
{
    return m_pollTime;
}

RnicTime
RnicHostInterface::Ring(RnicTime now, RnicTime arrival, uint64_t octets)
{
    ++m_doorbells;
    return m_fromHost.Transfer(now, arrival, OnWire(octets)).end + m_doorbellLatency;
}

RnicTime
RnicHostInterface::Ring(RnicTime now, RnicTime arrival)
{
    return Ring(now, arrival, m_doorbellSize);
}

RnicTime
RnicHostInterface::Fetch(RnicTime now, RnicTime arrival, uint32_t count, uint64_t payload)
{
    return Read(now, arrival, uint64_t(count) * m_wqeSize + payload);
}

RnicTime
RnicHostInterface::Post(RnicTime now, RnicTime arrival, uint64_t payload, bool inlined)
{
    return IsInline(payload) ? Ring(now, arrival, m_doorbellSize + m_wqeSize + payload)
                             : Fetch(now, Ring(now, arrival), 1, inlined ? payload : 0);
}

RnicTime
RnicHostInterface::Complete(RnicTime now, RnicTime arrival)
{
    ++m_completions;
    const RnicTime seen = GetVisible(Write(now, arrival, m_cqeSize));
    if (m_notify == RnicNotify::POLLING)
    {
        return seen + m_pollTime;
    }
    return Interrupt(now, seen) + m_interruptTime;
}

RnicTime
RnicHostInterface::Interrupt(RnicTime now, RnicTime seen)
{
    while (m_raised.size() > 1 && m_raised[1] <= now)
    {
        m_raised.pop_front();
    }
    const auto next = std::lower_bound(m_raised.begin(), m_raised.end(), seen);
    const RnicTime at =
        next == m_raised.begin() ? seen : std::max(seen, *std::prev(next) + m_moderation);
    if (next != m_raised.end() && (*next == at || *next - at < m_moderation))
    {
        return *next; // not moved on for those that come later
    }
    m_raised.insert(next, at);
    ++m_interrupts;
    return at;
}

double
RnicHostInterface::GetDataRate(bool toHost) const
{
    const uint64_t rate = toHost ? m_writeRate : m_readRate;
    return RnicRate::IsUnlimited(rate)
               ? std::numeric_limits<double>::infinity()
               : static_cast<double>(rate) * m_maxPayload / (m_maxPayload + m_header);
}

uint64_t
RnicHostInterface::GetReadRequests() const
{
    return m_readRequests;
}

uint64_t
RnicHostInterface::GetReads() const
{
    return m_reads;
}

uint64_t
RnicHostInterface::GetDoorbells() const
{
    return m_doorbells;
}

uint64_t
RnicHostInterface::GetInterrupts() const
{
    return m_interrupts;
}

uint64_t
RnicHostInterface::GetCompletions() const
{
    return m_completions;
}

RnicTime
RnicHostInterface::GetTagWait() const
{
    return m_tagWait;
}

const RnicLink&
RnicHostInterface::GetToHost() const
{
    return m_toHost;
}

const RnicLink&
RnicHostInterface::GetFromHost() const
{
    return m_fromHost;
}

} // namespace ns3
