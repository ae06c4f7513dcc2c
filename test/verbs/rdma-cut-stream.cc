/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-cut-stream.h"

#include "../mpa/mpa-fpdu-test-util.h"

#include <algorithm>

using namespace ns3;

using Fault = RdmaCutFault;

RdmaCutStream::RdmaCutStream(const RdmaCutShape& how, const RdmaCutPlaces& places)
    : shape(how),
      m_places(places),
      m_dice(how.seed)
{
    const std::string key = shape.listens ? "MPA ID Req Frame" : "MPA ID Rep Frame";
    startup.assign(key.begin(), key.end());
    const uint8_t flags = 0x10 | (shape.crc ? 0x40 : 0);
    startup.insert(startup.end(), {flags, 2, 0, 4, 0, 16, 0, 16});
    for (uint32_t i = 0; i < shape.before; i++)
    {
        PostGood();
    }
    m_firstBehind = m_msns[0] + 1;
    PostFault();
    if (shape.fault != Fault::NO_RECEIVE)
    {
        receives = std::max<uint32_t>(1, m_msns[0]);
        m_firstBehind = m_msns[0] + 1;
    }
    m_behind = true;
    for (uint32_t i = 0; i < shape.behind && !fin; i++)
    {
        PostGood();
    }
    if (shape.fault != Fault::NO_RECEIVE)
    {
        receives = std::max<uint32_t>(1, m_msns[0]);
    }
}

uint32_t
RdmaCutStream::GetReceivePlace(uint32_t id) const
{
    return RECEIVE_SIZE * (id - 1) + (id >= m_firstBehind ? HIGH : 0);
}

bool
RdmaCutStream::IsOfReads(RdmaCutFault fault)
{
    return fault == Fault::RESPONSE_BOUNDS || fault == Fault::RESPONSE_AGAIN ||
           fault == Fault::RESPONSE_SHORT;
}

uint32_t
RdmaCutStream::Random(uint32_t below)
{
    return m_dice.Below(below);
}

RdmaCutStream::Octets
RdmaCutStream::Payload(uint32_t size)
{
    Octets octets(size);
    for (uint8_t& octet : octets)
    {
        octet = static_cast<uint8_t>(1 + Random(255));
    }
    return octets;
}

void
RdmaCutStream::Post(const Octets& ulpdu)
{
    const auto position = static_cast<uint32_t>(octets.size());
    const Octets fpdu = mpatest::Encode(ulpdu, position, {shape.markers, shape.crc});
    octets.insert(octets.end(), fpdu.begin(), fpdu.end());
    ends.push_back(static_cast<uint32_t>(octets.size()));
}

void
RdmaCutStream::Post(const DdpHeader& header, const Octets& payload)
{
    Octets ulpdu(header.GetSize());
    header.Write(ulpdu.data());
    ulpdu.insert(ulpdu.end(), payload.begin(), payload.end());
    Post(ulpdu);
}

DdpHeader
RdmaCutStream::Untagged(RdmapOpcode opcode)
{
    DdpHeader header;
    header.last = true;
    header.ulpControl = RdmapControl(opcode).Encode();
    header.qn = rdmap::QueueOf(opcode);
    header.msn = ++m_msns[header.qn];
    return header;
}

DdpHeader
RdmaCutStream::Tagged(RdmapOpcode opcode, uint32_t key, uint64_t at) const
{
    DdpHeader header;
    header.tagged = true;
    header.last = true;
    header.ulpControl = RdmapControl(opcode).Encode();
    header.stag = key;
    header.to = m_places.base + at;
    return header;
}

uint32_t
RdmaCutStream::NextPlace()
{
    return (m_behind ? HIGH_WRITES : WRITES) + 0x400 * (m_writes++ % 128);
}

// ---- operations ---------------------------------------------------------------------------------

void
RdmaCutStream::PostGood()
{
    switch (Random(shape.listens || shape.withReply || m_behind ? 10 : 12))
    {
    case 0:
    case 1:
    case 2:
        PostSend();
        break;
    case 3:
    case 4:
    case 5:
        PostWrite();
        break;
    case 6:
        m_requests < 8 ? PostReadRequest(m_places.key, 0) : PostWrite();
        break;
    case 7:
        PostImmediate(rdmap::IMMEDIATE_SIZE);
        break;
    case 8:
        m_requests < 8 ? PostAtomic(0) : PostSend();
        break;
    case 9:
        m_spares < RdmaCutPlaces::SPARES ? PostInvalidate() : PostSend();
        break;
    default:
        reads < 8 ? PostResponse() : PostWrite();
        break;
    }
}

void
RdmaCutStream::PostSend()
{
    DdpHeader header = Untagged(Random(2) == 0 ? RdmapOpcode::SEND : RdmapOpcode::SEND_SE);
    const uint32_t size = Random(shape.largest);
    if (size > 8 && Random(3) == 0)
    {
        const uint32_t first = 1 + Random(size - 1);
        header.last = false;
        Post(header, Payload(first));
        header.last = true;
        header.mo = first;
        Post(header, Payload(size - first));
        return;
    }
    Post(header, Payload(size));
}

void
RdmaCutStream::PostWrite()
{
    DdpHeader header = Tagged(RdmapOpcode::WRITE, m_places.key, NextPlace());
    const uint32_t size = Random(shape.largest);
    if (size > 8 && Random(3) == 0)
    {
        const uint32_t first = 1 + Random(size - 1);
        header.last = false;
        Post(header, Payload(first));
        header.last = true;
        header.to += first;
        Post(header, Payload(size - first));
        return;
    }
    Post(header, Payload(size));
}

void
RdmaCutStream::PostReadRequest(uint32_t key, uint32_t missing)
{
    RdmapReadRequest request;
    request.sinkStag = 0x12345678;
    request.sinkTo = 0x1000 * m_requests;
    request.size = Random(shape.largest);
    request.srcStag = key;
    request.srcTo = m_places.base + SOURCE;
    request.size += key == m_places.key ? 0 : 1;
    m_requests++;
    Octets payload(rdmap::READ_REQUEST_SIZE);
    request.Write(payload.data());
    payload.resize(payload.size() - missing);
    Post(Untagged(RdmapOpcode::READ_REQUEST), payload);
}

void
RdmaCutStream::PostResponse()
{
    const uint32_t at = SINKS + 0x100 * reads++;
    Post(Tagged(RdmapOpcode::READ_RESPONSE, m_places.key, at), Payload(READ_SIZE));
}

void
RdmaCutStream::PostImmediate(uint32_t size)
{
    PostWrite();
    Post(Untagged(RdmapOpcode::IMMEDIATE), Payload(size));
}

void
RdmaCutStream::PostAtomic(uint32_t shift)
{
    RdmapAtomicRequest request;
    request.opcode = static_cast<uint8_t>(RdmapAtomicOpcode::FETCH_ADD);
    request.requestId = m_requests;
    request.stag = m_places.key;
    request.to = m_places.base + (m_behind ? HIGH_ATOMICS : ATOMICS) + 8 * m_requests++ + shift;
    request.data = 1 + Random(1000);
    Octets payload(rdmap::ATOMIC_REQUEST_SIZE);
    request.Write(payload.data());
    Post(Untagged(RdmapOpcode::ATOMIC_REQUEST), payload);
}

void
RdmaCutStream::PostInvalidated()
{
    if (m_spares < RdmaCutPlaces::SPARES)
    {
        PostInvalidate();
    }
}

void
RdmaCutStream::PostInvalidate()
{
    DdpHeader header = Untagged(RdmapOpcode::SEND_INVALIDATE);
    header.ulpWord = m_places.spares[m_spares++];
    Post(header, Payload(Random(shape.largest)));
}

// ---- what is wrong ------------------------------------------------------------------------------

void
RdmaCutStream::PostFault()
{
    switch (shape.fault)
    {
    case Fault::NONE:
        break;
    case Fault::FIN:
        fin = true;
        break;
    case Fault::FIN_IN_FPDU:
        PostSend();
        octets.resize(octets.size() - 1 - Random(20));
        ends.pop_back();
        fin = true;
        break;
    case Fault::CRC:
    case Fault::MARKER:
    case Fault::SHORT_SEGMENT:
    case Fault::EMPTY_ULPDU:
        PostMpaFault();
        break;
    default:
        shape.fault < Fault::RDMAP_VERSION ? PostDdpFault() : PostRdmapFault();
        break;
    }
}

void
RdmaCutStream::PostMpaFault()
{
    const auto start = static_cast<uint32_t>(octets.size());
    if (shape.fault == Fault::SHORT_SEGMENT || shape.fault == Fault::EMPTY_ULPDU)
    {
        Post(Octets(shape.fault == Fault::EMPTY_ULPDU ? 0 : 1 + Random(13), 0xC1));
        return;
    }
    DdpHeader header = Untagged(RdmapOpcode::SEND);
    m_msns[0] = header.msn;
    Post(header, Payload(shape.fault == Fault::MARKER ? 600 : 8));
    const uint32_t marker = (start + 511) / 512 * 512; // one of those in it
    if (shape.fault == Fault::MARKER && shape.markers)
    {
        octets[marker + 3] ^= 4;
        Octets fpdu(octets.begin() + start, octets.end());
        mpatest::FixCrc(fpdu);
        std::copy(fpdu.begin(), fpdu.end(), octets.begin() + start);
        return;
    }
    octets.back() ^= 1;
}

void
RdmaCutStream::PostDdpFault()
{
    DdpHeader header = Tagged(RdmapOpcode::WRITE, m_places.key, FAULT);
    Octets payload = Payload(8);
    switch (shape.fault)
    {
    case Fault::DDP_VERSION:
        header.version = 2;
        break;
    case Fault::BAD_QN:
        header = Untagged(RdmapOpcode::SEND);
        m_msns[0]--;
        header.qn = 9;
        break;
    case Fault::NO_RECEIVE:
        receives = std::max<uint32_t>(1, m_msns[0]);
        while (m_msns[0] < receives)
        {
            PostSend();
        }
        m_firstBehind = m_msns[0] + 1;
        header = Untagged(RdmapOpcode::SEND);
        break;
    case Fault::MSN_AGAIN:
        PostSend();
        header = Untagged(RdmapOpcode::SEND);
        header.msn = --m_msns[0];
        // where placement is out of order, octets of a message that is not delivered may change
        payload.resize(shape.markers ? 0 : payload.size());
        break;
    case Fault::MSN_SKIPPED:
        m_msns[0]++;
        header = Untagged(RdmapOpcode::SEND);
        break;
    case Fault::BAD_MO:
        header = Untagged(RdmapOpcode::SEND);
        header.mo = RECEIVE_SIZE + 1;
        break;
    case Fault::TOO_LONG:
        header = Untagged(RdmapOpcode::SEND);
        header.mo = RECEIVE_SIZE - 4;
        break;
    case Fault::BAD_STAG:
        header.stag++;
        break;
    case Fault::OUT_OF_BOUNDS:
        header.to = m_places.base + 0x100000 - 4;
        break;
    default:
        header.to = UINT64_MAX - 4;
        break;
    }
    Post(header, payload);
}

void
RdmaCutStream::PostRdmapFault()
{
    DdpHeader header = Tagged(RdmapOpcode::WRITE, m_places.key, FAULT);
    Octets payload = Payload(8);
    switch (shape.fault)
    {
    case Fault::RDMAP_VERSION:
        header.ulpControl ^= 0x80;
        break;
    case Fault::OPCODE:
        header.ulpControl |= 0xF;
        break;
    case Fault::OPCODE_QUEUE:
        header = Untagged(RdmapOpcode::READ_REQUEST);
        header.ulpControl = RdmapControl(RdmapOpcode::SEND).Encode();
        break;
    case Fault::RESPONSE_UNASKED:
        header = Tagged(RdmapOpcode::READ_RESPONSE, m_places.key, FAULT);
        break;
    case Fault::RESPONSE_BOUNDS:
        header = Tagged(RdmapOpcode::READ_RESPONSE, m_places.key, SINKS + 0x100 * reads++ + 36);
        break;
    case Fault::RESPONSE_AGAIN:
        PostResponse();
        header = Tagged(RdmapOpcode::READ_RESPONSE, m_places.key, SINKS + 0x100 * (reads - 1));
        payload.resize(shape.markers ? 0 : payload.size()); // see Fault::MSN_AGAIN
        break;
    case Fault::RESPONSE_SHORT:
        header = Tagged(RdmapOpcode::READ_RESPONSE, m_places.key, SINKS + 0x100 * reads++);
        break;
    case Fault::READ_STAG:
        PostReadRequest(m_places.key + 1, 0);
        return;
    case Fault::READ_SIZE:
        PostReadRequest(m_places.key, 1);
        return;
    case Fault::ATOMIC_ALIGNMENT:
        PostAtomic(4);
        return;
    case Fault::INVALIDATED_AGAIN:
        PostInvalidated();
        m_spares--;
        PostInvalidate();
        return;
    case Fault::INVALIDATED_WRITTEN:
        PostInvalidated();
        header = Tagged(RdmapOpcode::WRITE,
                        m_places.spares[m_spares - 1],
                        SPARE + SPARE_SIZE * (m_spares - 1));
        break;
    case Fault::IMMEDIATE_SIZE:
        PostImmediate(7);
        return;
    default: // Terminate: RDMAP, remote operation error, unspecified
        header = Untagged(RdmapOpcode::TERMINATE);
        payload = {0x02, 0xFF, 0, 0};
        break;
    }
    Post(header, payload);
}
