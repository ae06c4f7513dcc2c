/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdmap-read-coverage.h"
#include "rdmap-requester.h"

#include <algorithm>

// The part of RdmapRequester that takes responses.

namespace ns3
{

DdpError
RdmapRequester::CheckSink(const Entry& entry, const DdpHeader& header, uint32_t payload)
{
    if (entry.work.pieces.empty() || entry.work.pieces[0].stag != header.stag)
    {
        return DdpError::TAGGED_INVALID_STAG;
    }
    // the STag's own check has proved that the buffer does not wrap
    const uint64_t sink = entry.work.pieces[0].to;
    const uint64_t ahead = header.to - sink;
    const bool inside =
        header.to >= sink && ahead <= entry.length && payload <= entry.length - ahead;
    return inside ? DdpError::NONE : DdpError::TAGGED_BASE_BOUNDS;
}

RdmapError
RdmapRequester::AdmitResponse(const DdpHeader& header, uint32_t payload, DdpError& error) const
{
    error = DdpError::NONE;
    bool anyRead = false;
    for (const auto& outstanding : m_outstanding)
    {
        if (outstanding.atomic)
        {
            continue;
        }
        const DdpError found =
            payload == 0 ? DdpError::NONE : CheckSink(At(outstanding.number), header, payload);
        if (found == DdpError::NONE)
        {
            error = found;
            return RdmapError::NONE;
        }
        // a sink that has the STag says more than one that has not
        error = !anyRead || found == DdpError::TAGGED_BASE_BOUNDS ? found : error;
        anyRead = true;
    }
    return anyRead ? RdmapError::NONE : RdmapError::OPERATION_OPCODE;
}

RdmapError
RdmapRequester::ResponseDelivered(const DdpHeader& header, uint32_t payload, DdpError& error)
{
    error = DdpError::NONE;
    if (m_outstanding.empty() || m_outstanding.front().atomic)
    {
        return RdmapError::OPERATION_OPCODE;
    }
    if (payload == 0)
    {
        return RdmapError::NONE;
    }
    const Entry& entry = At(m_outstanding.front().number);
    error = CheckSink(entry, header, payload);
    if (error != DdpError::NONE)
    {
        return RdmapError::NONE;
    }
    if (!m_filled)
    {
        m_filled = std::make_unique<RdmapReadCoverage>();
    }
    return m_filled->Add(header.to - entry.work.pieces[0].to, payload)
               ? RdmapError::NONE
               : RdmapError::OPERATION_UNSPECIFIED;
}

RdmapError
RdmapRequester::ReadDelivered()
{
    if (m_outstanding.empty() || m_outstanding.front().atomic)
    {
        return RdmapError::OPERATION_OPCODE;
    }
    const uint64_t number = m_outstanding.front().number;
    if ((m_filled ? m_filled->GetFilled() : 0) != At(number).length)
    {
        return RdmapError::OPERATION_UNSPECIFIED;
    }
    if (m_filled)
    {
        m_filled->Clear();
    }
    m_outstanding.pop_front();
    RdmapLocalWork* const besides = At(number).work.local.get();
    const RdmapStatus status = besides != nullptr ? besides->Perform() : RdmapStatus::SUCCESS;
    End(number, status);
    return status == RdmapStatus::SUCCESS ? RdmapError::NONE : RdmapError::LOCAL_CATASTROPHIC;
}

RdmapError
RdmapRequester::AtomicDelivered(const DdpDelivery& delivery)
{
    if (m_outstanding.empty() || !m_outstanding.front().atomic)
    {
        return RdmapError::OPERATION_OPCODE;
    }
    RdmapAtomicResponse response;
    response.Read(delivery.buffer.octets);
    m_responses.Release(delivery.buffer);
    const uint64_t number = m_outstanding.front().number;
    const RdmapWork& work = At(number).work;
    if (response.requestId != work.atomic.requestId)
    {
        return RdmapError::OPERATION_UNSPECIFIED;
    }
    uint8_t octets[rdmap::ATOMIC_OCTETS];
    std::copy_n(reinterpret_cast<const uint8_t*>(&response.original), rdmap::ATOMIC_OCTETS, octets);
    if (!DdpWritePieces(work.pieces,
                        m_table,
                        m_pd,
                        m_stream,
                        0,
                        octets,
                        rdmap::ATOMIC_OCTETS,
                        rdmap::ATOMIC_OCTETS))
    {
        return RdmapError::LOCAL_CATASTROPHIC;
    }
    m_outstanding.pop_front();
    m_atomics--;
    m_responses.SetLimit(m_atomics);
    End(number, RdmapStatus::SUCCESS);
    return RdmapError::NONE;
}

} // namespace ns3
