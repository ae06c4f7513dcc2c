/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdmap-header.h"

#include "ns3/ddp-octets.h"

namespace ns3
{

using ddp::LoadBig;
using ddp::StoreBig;

const char*
rdmap::OpcodeName(uint8_t opcode)
{
    static const char* const names[] = {"RDMA Write",
                                        "RDMA Read Request",
                                        "RDMA Read Response",
                                        "Send",
                                        "Send with Invalidate",
                                        "Send with SE",
                                        "Send with SE and Invalidate",
                                        "Terminate",
                                        "Immediate Data",
                                        "Immediate Data with SE",
                                        "Atomic Request",
                                        "Atomic Response"};
    return IsAssigned(opcode) ? names[opcode] : "reserved opcode";
}

void
RdmapReadRequest::Write(uint8_t* out) const
{
    StoreBig<uint32_t>(out, sinkStag);
    StoreBig<uint64_t>(out + 4, sinkTo);
    StoreBig<uint32_t>(out + 12, size);
    StoreBig<uint32_t>(out + 16, srcStag);
    StoreBig<uint64_t>(out + 20, srcTo);
}

void
RdmapReadRequest::Read(const uint8_t* data)
{
    sinkStag = LoadBig<uint32_t>(data);
    sinkTo = LoadBig<uint64_t>(data + 4);
    size = LoadBig<uint32_t>(data + 12);
    srcStag = LoadBig<uint32_t>(data + 16);
    srcTo = LoadBig<uint64_t>(data + 20);
}

void
RdmapReadRequest::Advance(uint32_t done)
{
    sinkTo += done;
    srcTo += done;
    size -= done;
}

void
RdmapAtomicRequest::Write(uint8_t* out) const
{
    StoreBig<uint32_t>(out, reserved << 4 | (opcode & 15));
    StoreBig<uint32_t>(out + 4, requestId);
    StoreBig<uint32_t>(out + 8, stag);
    StoreBig<uint64_t>(out + 12, to);
    StoreBig<uint64_t>(out + 20, data);
    StoreBig<uint64_t>(out + 28, dataMask);
    StoreBig<uint64_t>(out + 36, compare);
    StoreBig<uint64_t>(out + 44, compareMask);
}

void
RdmapAtomicRequest::Read(const uint8_t* octets)
{
    const auto word = LoadBig<uint32_t>(octets);
    reserved = word >> 4;
    opcode = word & 15;
    requestId = LoadBig<uint32_t>(octets + 4);
    stag = LoadBig<uint32_t>(octets + 8);
    to = LoadBig<uint64_t>(octets + 12);
    data = LoadBig<uint64_t>(octets + 20);
    dataMask = LoadBig<uint64_t>(octets + 28);
    compare = LoadBig<uint64_t>(octets + 36);
    compareMask = LoadBig<uint64_t>(octets + 44);
}

bool
RdmapAtomicRequest::IsSupported() const
{
    return opcode == static_cast<uint8_t>(RdmapAtomicOpcode::FETCH_ADD) ||
           opcode == static_cast<uint8_t>(RdmapAtomicOpcode::COMPARE_SWAP);
}

uint64_t
RdmapAtomicRequest::Apply(uint64_t old) const
{
    if (opcode == static_cast<uint8_t>(RdmapAtomicOpcode::COMPARE_SWAP))
    {
        const bool equal = ((compare ^ old) & compareMask) == 0;
        return equal ? (old & ~dataMask) | (data & dataMask) : old;
    }
    // A mask bit marks the top bit of a field: add the bits below it with carry, and the top bits
    // without, so that no carry leaves a field.
    const uint64_t below = (old & ~dataMask) + (data & ~dataMask);
    return below ^ ((old ^ data) & dataMask);
}

void
RdmapAtomicResponse::Write(uint8_t* out) const
{
    StoreBig<uint32_t>(out, requestId);
    StoreBig<uint64_t>(out + 4, original);
}

void
RdmapAtomicResponse::Read(const uint8_t* data)
{
    requestId = LoadBig<uint32_t>(data);
    original = LoadBig<uint64_t>(data + 4);
}

} // namespace ns3
