/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ddp-receiver.h"

#include "ns3/abort.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace ns3
{

namespace
{

/// @param a place in the sender's order @param b another @return a comes before b
bool
DdpIsBefore(uint32_t a, uint32_t b)
{
    return static_cast<int32_t>(a - b) < 0;
}

} // namespace

DdpReceiver::DdpReceiver(const DdpStagTable& table,
                         uint32_t pd,
                         uint32_t stream,
                         Listener& listener)
    : m_table(table),
      m_pd(pd),
      m_stream(stream),
      m_listener(listener)
{
    NS_ABORT_MSG_IF(pd == 0 || stream == 0, "a DDP stream has a protection domain and an identity");
}

void
DdpReceiver::EnableQueue(uint32_t qn, DdpBufferSource* source, uint32_t firstMsn)
{
    NS_ABORT_MSG_IF(qn >= MAX_QUEUES, "queue numbers go from 0 to " << MAX_QUEUES - 1);
    if (qn >= m_queues.size())
    {
        m_queues.resize(qn + 1);
    }
    m_queues[qn] = std::make_unique<DdpReceiveQueue>(source, firstMsn);
}

DdpReceiveQueue&
DdpReceiver::GetQueue(uint32_t qn)
{
    NS_ABORT_MSG_IF(qn >= m_queues.size() || !m_queues[qn], "queue " << qn << " is not enabled");
    return *m_queues[qn];
}

void
DdpReceiver::SetVersion(uint8_t version)
{
    m_version = version;
}

DdpReceiver::Result
DdpReceiver::Segment(uint32_t order,
                     const uint8_t* segment,
                     uint32_t available,
                     uint32_t length,
                     bool inOrder,
                     DdpSgeList* sges)
{
    if (m_stopped || (m_fault && !DdpIsBefore(order, m_fault->order)))
    {
        m_stats.dropped++;
        return {};
    }
    available = std::min(available, length);
    if (inOrder && GetWaiting() > 0 && DdpIsBefore(m_waiting[m_first].order, order))
    {
        return KeepLate(order, segment, available, length, sges);
    }
    Waiting waiting;
    waiting.order = order;
    DdpErrorReport report;
    report.segment = segment;
    report.available = available;
    report.length = length;
    if (Place(waiting, report, sges))
    {
        waiting.turn = inOrder ? Turn::PLACED : Turn::OUT_OF_ORDER;
        Remember(waiting);
        return {Taken::PLACED, true, waiting.header, waiting.payload};
    }
    if (inOrder)
    {
        Fail(report);
    }
    else
    {
        KeepFault(order, report);
    }
    return {};
}

DdpReceiver::Result
DdpReceiver::KeepLate(uint32_t order,
                      const uint8_t* segment,
                      uint32_t available,
                      uint32_t length,
                      DdpSgeList* sges)
{
    Waiting waiting;
    waiting.order = order;
    waiting.turn = Turn::LATER;
    waiting.payload = length;
    waiting.available = available;
    waiting.place = m_late.size();
    m_late.insert(m_late.end(), segment, segment + available);
    m_lateSegments++;
    Remember(waiting);
    Result result;
    result.taken = Taken::LATER;
    const uint32_t headerSize = result.header.Read(segment, available);
    if (headerSize == 0)
    {
        return result;
    }
    result.hasHeader = true;
    result.payload = length - headerSize;
    if (sges)
    {
        const DdpHeader& header = result.header;
        DdpBuffer* buffer = nullptr;
        if (!header.tagged && header.qn < m_queues.size() && m_queues[header.qn])
        {
            m_queues[header.qn]->Find(header.msn, &buffer);
        }
        Locate(header, result.payload, buffer, *sges);
    }
    return result;
}

bool
DdpReceiver::Validate(Waiting& waiting, Target& target, DdpErrorReport& report)
{
    DdpHeader& header = waiting.header;
    const uint32_t headerSize = header.Read(report.segment, report.available);
    if (headerSize == 0)
    {
        report.error = DdpError::LOCAL_CATASTROPHIC;
        return false;
    }
    waiting.payload = report.length - headerSize;
    if (header.version != m_version)
    {
        report.error = header.tagged ? DdpError::TAGGED_VERSION : DdpError::UNTAGGED_VERSION;
        return false;
    }
    if (!header.tagged && (header.qn >= m_queues.size() || !m_queues[header.qn]))
    {
        report.error = DdpError::UNTAGGED_INVALID_QN;
        return false;
    }
    const DdpAdmission admission =
        m_listener.Admit(header, report.segment, report.available, waiting.payload);
    waiting.access = admission.access;
    report.error = admission.error;
    report.refusal = admission.refusal;
    if (report.error == DdpError::NONE && report.refusal == DdpAdmission::ADMITTED)
    {
        report.error = header.tagged ? CheckTagged(header, waiting.payload, waiting.access, target)
                                     : CheckUntagged(header, waiting.payload, target);
    }
    return report.error == DdpError::NONE && report.refusal == DdpAdmission::ADMITTED;
}

bool
DdpReceiver::Place(Waiting& waiting, DdpErrorReport& report, DdpSgeList* sges)
{
    Target target;
    if (!Validate(waiting, target, report))
    {
        return false;
    }
    const uint32_t headerSize = waiting.header.GetSize();
    if (!Write(waiting.header,
               report.segment + headerSize,
               report.available - headerSize,
               waiting.payload,
               target))
    {
        report.error = DdpError::LOCAL_CATASTROPHIC;
        return false;
    }
    m_stats.segments++;
    m_stats.octets += waiting.payload;
    if (sges)
    {
        Locate(waiting.header, waiting.payload, target.buffer, *sges);
    }
    return true;
}

DdpError
DdpReceiver::CheckTagged(const DdpHeader& header,
                         uint32_t payload,
                         uint32_t access,
                         Target& target) const
{
    if (payload == 0)
    {
        // STag and TO of an empty Tagged segment are not to be checked (section 5.2)
        return DdpError::NONE;
    }
    const DdpStagVerdict verdict =
        m_table.Check(header.stag, m_pd, m_stream, header.to, payload, access, &target.entry);
    return verdict == DdpStagVerdict::OK ? DdpError::NONE : DdpErrorFor(verdict);
}

DdpError
DdpReceiver::CheckUntagged(const DdpHeader& header, uint32_t payload, Target& target)
{
    const DdpError error = m_queues[header.qn]->Find(header.msn, &target.buffer);
    if (error != DdpError::NONE)
    {
        m_stats.systemFaults += error == DdpError::UNTAGGED_NO_BUFFER;
        return error;
    }
    const uint32_t length = target.buffer->length;
    if (payload == 0)
    {
        // MO is then the length of the message
        return header.mo > length ? DdpError::UNTAGGED_INVALID_MO : DdpError::NONE;
    }
    // the first octet of a message always has a legal offset: an empty buffer is too short for it
    if (header.mo != 0 && header.mo >= length)
    {
        return DdpError::UNTAGGED_INVALID_MO;
    }
    return payload > length - header.mo ? DdpError::UNTAGGED_TOO_LONG : DdpError::NONE;
}

bool
DdpReceiver::Write(const DdpHeader& header,
                   const uint8_t* data,
                   uint32_t available,
                   uint32_t payload,
                   const Target& target)
{
    if (payload == 0)
    {
        return true;
    }
    if (header.tagged)
    {
        const uint64_t place = target.entry->offset + (header.to - target.entry->base);
        return target.entry->memory->Write(place, data, available, payload);
    }
    if (target.buffer->octets != nullptr)
    {
        const uint32_t real = std::min(available, payload);
        if (real > 0)
        {
            std::memcpy(target.buffer->octets + header.mo, data, real);
        }
        std::memset(target.buffer->octets + header.mo + real, 0, payload - real);
        return true;
    }
    return DdpWriteSges(target.buffer->sges,
                        m_table,
                        m_pd,
                        m_stream,
                        header.mo,
                        data,
                        available,
                        payload);
}

void
DdpReceiver::KeepFault(uint32_t order, const DdpErrorReport& report)
{
    m_fault = std::make_unique<Fault>();
    m_fault->order = order;
    m_fault->report = report;
    const auto head = std::min<std::size_t>(report.available, m_fault->head.size());
    std::copy_n(report.segment, head, m_fault->head.begin());
    m_fault->report.segment = m_fault->head.data();
    m_fault->report.available = static_cast<uint32_t>(head);
    Waiting waiting;
    waiting.order = order;
    waiting.turn = Turn::FAULT;
    Remember(waiting);
}

void
DdpReceiver::Locate(const DdpHeader& header,
                    uint32_t payload,
                    const DdpBuffer* buffer,
                    DdpSgeList& sges)
{
    if (header.tagged)
    {
        sges.push_back({header.to, payload, header.stag});
    }
    else if (buffer)
    {
        DdpCutSges(buffer->sges, header.mo, payload, sges);
    }
}

void
DdpReceiver::Remember(const Waiting& waiting)
{
    auto before = [](const Waiting& a, const Waiting& b) { return DdpIsBefore(a.order, b.order); };
    if (m_first == m_waiting.size() || before(m_waiting.back(), waiting))
    {
        m_waiting.push_back(waiting);
        return;
    }
    const auto place =
        std::lower_bound(m_waiting.begin() + m_first, m_waiting.end(), waiting, before);
    if (place->order != waiting.order)
    {
        m_waiting.insert(place, waiting);
    }
}

void
DdpReceiver::Deliver(uint32_t count)
{
    if (m_stopped)
    {
        return;
    }
    // those behind an error do not wait
    NS_ABORT_MSG_IF(count > GetWaiting() && !m_fault,
                    "told to deliver " << count << " segments while " << GetWaiting() << " wait");
    for (; count > 0 && !m_stopped; count--)
    {
        Waiting next = m_waiting[m_first++];
        if (m_first == m_waiting.size())
        {
            m_waiting.clear();
            m_first = 0;
        }
        if (next.turn != Turn::PLACED && !PopInOrder(next))
        {
            return;
        }
        m_messageOctets += next.payload;
        if (next.header.tagged)
        {
            m_listener.SegmentDelivered(next.header, next.payload);
        }
        if (next.header.last && !m_stopped)
        {
            DeliverMessage(next);
        }
    }
    // give back the front of a long run once it is the larger part
    if (m_first > 64 && m_first > m_waiting.size() / 2)
    {
        m_waiting.erase(m_waiting.begin(), m_waiting.begin() + m_first);
        m_first = 0;
    }
}

bool
DdpReceiver::PopInOrder(Waiting& next)
{
    if (next.turn != Turn::OUT_OF_ORDER)
    {
        return PlaceInTurn(next);
    }
    Target target;
    const DdpError error = next.header.tagged
                               ? CheckTagged(next.header, next.payload, next.access, target)
                               : DdpError::NONE;
    if (error != DdpError::NONE)
    {
        Fail(error, next);
        return false;
    }
    return true;
}

bool
DdpReceiver::PlaceInTurn(Waiting& next)
{
    DdpErrorReport report;
    if (next.turn == Turn::FAULT)
    {
        // segments ahead of it have come since then, and may have made another error of it
        Target target;
        report = m_fault->report;
        if (Validate(next, target, report))
        {
            report = m_fault->report;
        }
        Fail(report);
        return false;
    }
    report.segment = m_late.data() + next.place;
    report.available = next.available;
    report.length = next.payload;
    if (!Place(next, report))
    {
        Fail(report);
        return false;
    }
    if (--m_lateSegments == 0)
    {
        constexpr std::size_t some = 4096; // of many streams, each would keep its most
        m_late.clear();
        if (m_late.capacity() > some)
        {
            m_late.shrink_to_fit();
        }
    }
    m_listener.PlacedLate(next.header, next.payload);
    return !m_stopped;
}

void
DdpReceiver::DeliverMessage(const Waiting& last)
{
    DdpDelivery delivery;
    delivery.header = last.header;
    delivery.payload = last.payload;
    delivery.placed = std::exchange(m_messageOctets, 0);
    if (!last.header.tagged)
    {
        DdpReceiveQueue& queue = *m_queues[last.header.qn];
        delivery.length = last.header.mo + last.payload;
        if (last.header.msn != queue.GetLower() || !queue.Complete(delivery.buffer))
        {
            // the peer left a message out
            Fail(DdpError::UNTAGGED_MSN_RANGE, last);
            return;
        }
    }
    m_stats.delivered++;
    m_listener.Delivered(delivery);
}

void
DdpReceiver::Fail(DdpError error, const Waiting& at)
{
    uint8_t segment[ddp::MAX_HEADER_SIZE];
    DdpErrorReport report;
    report.error = error;
    report.segment = segment;
    report.available = at.header.Write(segment);
    report.length = report.available + at.payload;
    Fail(report);
}

void
DdpReceiver::Fail(const DdpErrorReport& report)
{
    Stop();
    m_listener.Failed(report);
}

void
DdpReceiver::Stop()
{
    m_stopped = true;
}

bool
DdpReceiver::HasStopped() const
{
    return m_stopped;
}

uint32_t
DdpReceiver::GetWaiting() const
{
    return m_waiting.size() - m_first;
}

const DdpReceiverStats&
DdpReceiver::GetStats() const
{
    return m_stats;
}

} // namespace ns3
