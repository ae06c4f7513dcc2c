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

void
DdpReceiver::Segment(uint32_t order, const uint8_t* segment, uint32_t available, uint32_t length)
{
    if (m_stopped)
    {
        m_stats.dropped++;
        return;
    }
    Waiting waiting;
    waiting.order = order;
    DdpHeader& header = waiting.header;
    const uint32_t headerSize = header.Read(segment, std::min(available, length));
    if (headerSize == 0)
    {
        Fail(DdpError::LOCAL_CATASTROPHIC, segment, available, length);
        return;
    }
    waiting.payload = length - headerSize;

    DdpError error = DdpError::NONE;
    uint32_t access = DDP_ACCESS_REMOTE_WRITE;
    if (header.version != m_version)
    {
        error = header.tagged ? DdpError::TAGGED_VERSION : DdpError::UNTAGGED_VERSION;
    }
    else if (!header.tagged && (header.qn >= m_queues.size() || !m_queues[header.qn]))
    {
        error = DdpError::UNTAGGED_INVALID_QN;
    }
    else if (!m_listener.Admit(header, segment, available, waiting.payload, access))
    {
        m_stopped = true;
        return;
    }
    else
    {
        error =
            Place(header, segment + headerSize, available - headerSize, waiting.payload, access);
    }
    if (error != DdpError::NONE)
    {
        Fail(error, segment, available, length);
        return;
    }
    m_stats.segments++;
    m_stats.octets += waiting.payload;
    Remember(waiting);
}

DdpError
DdpReceiver::Place(const DdpHeader& header,
                   const uint8_t* data,
                   uint32_t available,
                   uint32_t payload,
                   uint32_t access)
{
    if (!header.tagged)
    {
        return PlaceUntagged(header, data, available, payload);
    }
    if (payload == 0)
    {
        // STag and TO of an empty Tagged segment are not to be checked (section 5.2)
        return DdpError::NONE;
    }
    const DdpStagEntry* entry = nullptr;
    const DdpStagVerdict verdict =
        m_table.Check(header.stag, m_pd, m_stream, header.to, payload, access, &entry);
    if (verdict != DdpStagVerdict::OK)
    {
        return DdpErrorFor(verdict);
    }
    const uint64_t place = entry->offset + (header.to - entry->base);
    return entry->memory->Write(place, data, available, payload) ? DdpError::NONE
                                                                 : DdpError::LOCAL_CATASTROPHIC;
}

DdpError
DdpReceiver::PlaceUntagged(const DdpHeader& header,
                           const uint8_t* data,
                           uint32_t available,
                           uint32_t payload)
{
    DdpBuffer* buffer = nullptr;
    const DdpError error = m_queues[header.qn]->Find(header.msn, &buffer);
    if (error != DdpError::NONE)
    {
        m_stats.systemFaults += error == DdpError::UNTAGGED_NO_BUFFER;
        return error;
    }
    if (payload == 0)
    {
        // MO is then the length of the message
        return header.mo > buffer->length ? DdpError::UNTAGGED_INVALID_MO : DdpError::NONE;
    }
    // the first octet of a message always has a legal offset: an empty buffer is too short for it
    if (header.mo != 0 && header.mo >= buffer->length)
    {
        return DdpError::UNTAGGED_INVALID_MO;
    }
    if (payload > buffer->length - header.mo)
    {
        return DdpError::UNTAGGED_TOO_LONG;
    }
    if (buffer->octets != nullptr)
    {
        const uint32_t real = std::min(available, payload);
        if (real > 0)
        {
            std::memcpy(buffer->octets + header.mo, data, real);
        }
        std::memset(buffer->octets + header.mo + real, 0, payload - real);
        return DdpError::NONE;
    }
    return DdpWritePieces(buffer->pieces,
                          m_table,
                          m_pd,
                          m_stream,
                          header.mo,
                          data,
                          available,
                          payload)
               ? DdpError::NONE
               : DdpError::LOCAL_CATASTROPHIC;
}

void
DdpReceiver::Locate(const DdpHeader& header, uint32_t payload, DdpSgeList& pieces)
{
    DdpBuffer* buffer = nullptr;
    if (header.tagged)
    {
        pieces.push_back({header.to, payload, header.stag});
    }
    else if (m_queues[header.qn]->Find(header.msn, &buffer) == DdpError::NONE)
    {
        DdpCutPieces(buffer->pieces, header.mo, payload, pieces);
    }
}

void
DdpReceiver::Remember(const Waiting& waiting)
{
    auto before = [](const Waiting& a, const Waiting& b) {
        return static_cast<int32_t>(a.order - b.order) < 0;
    };
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
    NS_ABORT_MSG_IF(count > GetWaiting(),
                    "told to deliver " << count << " segments while " << GetWaiting() << " wait");
    for (; count > 0 && !m_stopped; count--)
    {
        const Waiting next = m_waiting[m_first++];
        if (m_first == m_waiting.size())
        {
            m_waiting.clear();
            m_first = 0;
        }
        m_messageOctets += next.payload;
        m_messageSegments++;
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

void
DdpReceiver::DeliverMessage(const Waiting& last)
{
    DdpDelivery delivery;
    delivery.header = last.header;
    delivery.placed = std::exchange(m_messageOctets, 0);
    delivery.segments = std::exchange(m_messageSegments, 0);
    if (!last.header.tagged)
    {
        DdpReceiveQueue& queue = *m_queues[last.header.qn];
        delivery.length = last.header.mo + last.payload;
        if (last.header.msn != queue.GetLower() || !queue.Complete(delivery.buffer))
        {
            // the peer left a message out
            uint8_t segment[ddp::MAX_HEADER_SIZE];
            const uint32_t size = last.header.Write(segment);
            Fail(DdpError::UNTAGGED_MSN_RANGE, segment, size, size + last.payload);
            return;
        }
    }
    m_stats.delivered++;
    m_listener.Delivered(delivery);
}

void
DdpReceiver::Fail(DdpError error, const uint8_t* segment, uint32_t available, uint32_t length)
{
    Stop();
    DdpErrorReport report;
    report.error = error;
    report.segment = segment;
    report.available = std::min(available, length);
    report.length = length;
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
