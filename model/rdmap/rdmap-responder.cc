/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdmap-responder.h"

#include <utility>

namespace ns3
{

RdmapError
RdmapErrorFor(DdpStagVerdict verdict)
{
    switch (verdict)
    {
    case DdpStagVerdict::INVALID:
        return RdmapError::PROTECTION_INVALID_STAG;
    case DdpStagVerdict::NOT_ASSOCIATED:
        return RdmapError::PROTECTION_NOT_ASSOCIATED;
    case DdpStagVerdict::NO_RIGHT:
        return RdmapError::PROTECTION_ACCESS;
    case DdpStagVerdict::WRAP:
        return RdmapError::PROTECTION_TO_WRAP;
    case DdpStagVerdict::BOUNDS:
        return RdmapError::PROTECTION_BASE_BOUNDS;
    case DdpStagVerdict::OK:
        break;
    }
    return RdmapError::NONE;
}

RdmapResponder::RdmapResponder(const DdpStagTable& table,
                               uint32_t pd,
                               uint32_t stream,
                               uint32_t ird,
                               bool atomics)
    : m_table(table),
      m_pd(pd),
      m_stream(stream),
      m_pool(atomics ? rdmap::ATOMIC_REQUEST_SIZE : rdmap::READ_REQUEST_SIZE, ird)
{
}

RdmapError
RdmapResponder::Check(const Inbound& inbound,
                      uint32_t offset,
                      uint32_t size,
                      const DdpStagEntry** entry) const
{
    const uint32_t stag = inbound.isAtomic ? inbound.atomic.stag : inbound.read.srcStag;
    const uint64_t to = inbound.isAtomic ? inbound.atomic.to : inbound.read.srcTo + offset;
    const uint32_t access = inbound.isAtomic ? DDP_ACCESS_REMOTE_ATOMIC : DDP_ACCESS_REMOTE_READ;
    return RdmapErrorFor(m_table.Check(stag, m_pd, m_stream, to, size, access, entry));
}

RdmapError
RdmapResponder::Accept(const DdpDelivery& delivery)
{
    Inbound inbound;
    inbound.header = delivery.header;
    inbound.buffer = delivery.buffer;
    inbound.isAtomic = RdmapControl::Decode(delivery.header.ulpControl).opcode ==
                       static_cast<uint8_t>(RdmapOpcode::ATOMIC_REQUEST);
    const DdpStagEntry* entry = nullptr;
    RdmapError error = RdmapError::NONE;
    if (inbound.isAtomic)
    {
        inbound.atomic.Read(delivery.buffer.octets);
        error = !inbound.atomic.IsSupported() ? RdmapError::OPERATION_OPCODE
                : inbound.atomic.to % rdmap::ATOMIC_OCTETS != 0
                    ? RdmapError::OPERATION_STREAM
                    : Check(inbound, 0, rdmap::ATOMIC_OCTETS, &entry);
    }
    else
    {
        inbound.read.Read(delivery.buffer.octets);
        // the source of an empty Read is not to be checked (RFC 5040 section 5.2)
        if (inbound.read.size > 0)
        {
            error = Check(inbound, 0, inbound.read.size, &entry);
        }
    }
    if (error != RdmapError::NONE)
    {
        return error;
    }
    m_inbound.push_back(std::move(inbound));
    return RdmapError::NONE;
}

bool
RdmapResponder::IsReady() const
{
    return !m_inbound.empty();
}

RdmapError
RdmapResponder::Begin(DdpSender& sender, uint64_t context)
{
    Inbound& inbound = m_inbound.front();
    if (inbound.isAtomic)
    {
        const RdmapError error = Operate(inbound);
        if (error != RdmapError::NONE)
        {
            return error;
        }
        sender.SubmitUntagged(
            RdmapControl(RdmapOpcode::ATOMIC_RESPONSE, sender.GetVersion()).Encode(),
            0,
            rdmap::QN_ATOMIC_RESPONSE,
            rdmap::ATOMIC_RESPONSE_SIZE,
            context);
    }
    else
    {
        sender.SubmitTagged(RdmapControl(RdmapOpcode::READ_RESPONSE, sender.GetVersion()).Encode(),
                            inbound.read.sinkStag,
                            inbound.read.sinkTo,
                            inbound.read.size,
                            context);
    }
    return RdmapError::NONE;
}

RdmapError
RdmapResponder::Operate(Inbound& inbound) const
{
    const DdpStagEntry* entry = nullptr;
    const RdmapError error = Check(inbound, 0, rdmap::ATOMIC_OCTETS, &entry);
    if (error != RdmapError::NONE)
    {
        return error;
    }
    // the target is a number in this machine's own octet order
    const uint64_t place = entry->offset + (inbound.atomic.to - entry->base);
    uint8_t octets[rdmap::ATOMIC_OCTETS] = {};
    entry->memory->Read(place, octets, rdmap::ATOMIC_OCTETS);
    std::copy_n(octets, rdmap::ATOMIC_OCTETS, reinterpret_cast<uint8_t*>(&inbound.original));
    const uint64_t result = inbound.atomic.Apply(inbound.original);
    std::copy_n(reinterpret_cast<const uint8_t*>(&result), rdmap::ATOMIC_OCTETS, octets);
    entry->memory->Write(place, octets, rdmap::ATOMIC_OCTETS, rdmap::ATOMIC_OCTETS);
    return RdmapError::NONE;
}

RdmapError
RdmapResponder::Fill(const DdpSender::Segment& segment, RdmapOutput& output)
{
    Inbound& inbound = m_inbound.front();
    output.last = segment.header.last;
    output.withDoorbell = false;
    output.headSize = segment.header.Write(output.head.data());
    output.tail = nullptr;
    output.tailSize = 0;
    if (inbound.isAtomic)
    {
        output.opcode = RdmapOpcode::ATOMIC_RESPONSE;
        RdmapAtomicResponse response;
        response.requestId = inbound.atomic.requestId;
        response.original = inbound.original;
        response.Write(output.head.data() + output.headSize);
        output.headSize += rdmap::ATOMIC_RESPONSE_SIZE;
        return RdmapError::NONE;
    }
    output.opcode = RdmapOpcode::READ_RESPONSE;
    output.tailSize = segment.length;
    inbound.done = segment.offset;
    if (segment.length == 0)
    {
        return RdmapError::NONE;
    }
    const DdpStagEntry* entry = nullptr;
    const RdmapError error = Check(inbound, segment.offset, segment.length, &entry);
    if (error != RdmapError::NONE)
    {
        return error;
    }
    const uint64_t place = entry->offset + (inbound.read.srcTo + segment.offset - entry->base);
    output.tail = entry->memory->View(place, segment.length);
    return RdmapError::NONE;
}

void
RdmapResponder::Locate(const DdpSender::Segment& segment, DdpSgeList& sges) const
{
    const Inbound& inbound = m_inbound.front();
    if (!inbound.isAtomic)
    {
        sges.push_back({inbound.read.srcTo + segment.offset, segment.length, inbound.read.srcStag});
    }
}

void
RdmapResponder::Sent()
{
    m_pool.Release(m_inbound.front().buffer);
    m_inbound.pop_front();
}

uint32_t
RdmapResponder::GetFailed(uint8_t (&ulpdu)[RdmapOutput::MAX_HEAD]) const
{
    const Inbound& inbound = m_inbound.front();
    const uint32_t headerSize = inbound.header.Write(ulpdu);
    if (inbound.isAtomic)
    {
        inbound.atomic.Write(ulpdu + headerSize);
        return headerSize + rdmap::ATOMIC_REQUEST_SIZE;
    }
    RdmapReadRequest rest = inbound.read;
    rest.Advance(inbound.done);
    rest.Write(ulpdu + headerSize);
    return headerSize + rdmap::READ_REQUEST_SIZE;
}

RdmapBufferPool&
RdmapResponder::GetPool()
{
    return m_pool;
}

uint32_t
RdmapResponder::GetPending() const
{
    return m_inbound.size();
}

uint32_t
RdmapResponder::GetIrd() const
{
    return m_pool.GetInUse() + m_pool.GetAvailable();
}

void
RdmapResponder::SetIrd(uint32_t ird)
{
    m_pool.SetLimit(ird);
}

} // namespace ns3
