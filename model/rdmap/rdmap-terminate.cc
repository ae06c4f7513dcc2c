/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdmap-terminate.h"

#include "ns3/ddp-octets.h"

#include <algorithm>
#include <sstream>

namespace ns3
{

namespace
{

constexpr uint32_t CONTROL_SIZE = 4;        // layer, type, code, header bits, reserved
constexpr uint32_t SEGMENT_LENGTH_SIZE = 2; // DDP Segment Length

const char*
RdmapErrorText(uint8_t type, uint8_t code)
{
    switch (static_cast<RdmapError>(type << 8 | code))
    {
    case RdmapError::PROTECTION_INVALID_STAG:
        return "remote protection: invalid STag";
    case RdmapError::PROTECTION_BASE_BOUNDS:
        return "remote protection: base or bounds violation";
    case RdmapError::PROTECTION_ACCESS:
        return "remote protection: access rights violation";
    case RdmapError::PROTECTION_NOT_ASSOCIATED:
        return "remote protection: STag not associated with the stream";
    case RdmapError::PROTECTION_TO_WRAP:
        return "remote protection: TO wrap";
    case RdmapError::PROTECTION_CANNOT_INVALIDATE:
    case RdmapError::OPERATION_CANNOT_INVALIDATE:
        return "STag cannot be invalidated";
    case RdmapError::PROTECTION_UNSPECIFIED:
        return "remote protection: unspecified";
    case RdmapError::OPERATION_VERSION:
        return "remote operation: invalid RDMAP version";
    case RdmapError::OPERATION_OPCODE:
        return "remote operation: unexpected opcode";
    case RdmapError::OPERATION_STREAM:
        return "remote operation: catastrophic, this stream";
    case RdmapError::OPERATION_GLOBAL:
        return "remote operation: catastrophic, all streams";
    case RdmapError::OPERATION_UNSPECIFIED:
        return "remote operation: unspecified";
    case RdmapError::LOCAL_CATASTROPHIC:
    case RdmapError::NONE:
        break;
    }
    return type == 0 ? "local catastrophic error" : "unknown error";
}

const char*
LlpErrorText(uint8_t code)
{
    static const char* const texts[] = {"unknown error",
                                        "TCP connection closed, lost or reset",
                                        "CRC error",
                                        "Marker and ULPDU length disagree",
                                        "invalid Request or Reply Frame",
                                        "local catastrophic error",
                                        "insufficient IRD resources",
                                        "no matching RTR option"};
    return texts[code < 8 ? code : 0];
}

} // namespace

uint32_t
RdmapTerminate::GetDdpHeaderSize() const
{
    return hasDdpHeader ? DdpHeader::SizeOf((ddpHeader[0] & 0x80) != 0) : 0;
}

uint32_t
RdmapTerminate::GetSize() const
{
    return CONTROL_SIZE + (hasDdpHeader ? SEGMENT_LENGTH_SIZE + GetDdpHeaderSize() : 0) +
           (hasReadHeader ? rdmap::READ_REQUEST_SIZE : 0);
}

uint32_t
RdmapTerminate::Write(uint8_t* out, RdmapTerminateForm form) const
{
    out[1] = code;
    if (form == RdmapTerminateForm::RFC)
    {
        out[0] = layer << 4 | (type & 15);
        out[2] = lengthValid << 7 | hasDdpHeader << 6 | hasReadHeader << 5 | (reserved >> 8 & 0x1F);
    }
    else
    {
        out[0] = type << 4 | (layer & 15);
        out[2] = lengthValid | hasDdpHeader << 1 | hasReadHeader << 2 | (reserved >> 8 & 0x1F) << 3;
    }
    out[3] = reserved & 0xFF;
    uint8_t* end = out + CONTROL_SIZE;
    if (hasDdpHeader)
    {
        ddp::StoreBig<uint16_t>(end, segmentLength);
        end = std::copy_n(ddpHeader.begin(), GetDdpHeaderSize(), end + SEGMENT_LENGTH_SIZE);
    }
    if (hasReadHeader)
    {
        end = std::copy(readHeader.begin(), readHeader.end(), end);
    }
    return end - out;
}

uint32_t
RdmapTerminate::Read(const uint8_t* data, std::size_t size, RdmapTerminateForm form)
{
    if (size < CONTROL_SIZE)
    {
        return 0;
    }
    RdmapTerminate read;
    read.code = data[1];
    if (form == RdmapTerminateForm::RFC)
    {
        read.layer = data[0] >> 4;
        read.type = data[0] & 15;
        read.lengthValid = (data[2] & 0x80) != 0;
        read.hasDdpHeader = (data[2] & 0x40) != 0;
        read.hasReadHeader = (data[2] & 0x20) != 0;
        read.reserved = (data[2] & 0x1F) << 8 | data[3];
    }
    else
    {
        read.layer = data[0] & 15;
        read.type = data[0] >> 4;
        read.lengthValid = (data[2] & 0x01) != 0;
        read.hasDdpHeader = (data[2] & 0x02) != 0;
        read.hasReadHeader = (data[2] & 0x04) != 0;
        read.reserved = data[2] >> 3 << 8 | data[3];
    }
    if (read.hasDdpHeader)
    {
        // the T bit of the copy decides how long it is
        const std::size_t copyStart = CONTROL_SIZE + SEGMENT_LENGTH_SIZE;
        if (size <= copyStart)
        {
            return 0;
        }
        read.ddpHeader[0] = data[copyStart];
    }
    if (size < read.GetSize())
    {
        return 0;
    }
    const uint8_t* next = data + CONTROL_SIZE;
    if (read.hasDdpHeader)
    {
        read.segmentLength = ddp::LoadBig<uint16_t>(next);
        next += SEGMENT_LENGTH_SIZE;
        std::copy_n(next, read.GetDdpHeaderSize(), read.ddpHeader.begin());
        next += read.GetDdpHeaderSize();
    }
    if (read.hasReadHeader)
    {
        std::copy_n(next, rdmap::READ_REQUEST_SIZE, read.readHeader.begin());
    }
    *this = read;
    return GetSize();
}

void
RdmapTerminate::CopyHeaders(const uint8_t* ulpdu,
                            uint32_t available,
                            uint32_t length,
                            bool withRead)
{
    DdpHeader header;
    const uint32_t headerSize = header.Read(ulpdu, available);
    if (headerSize == 0)
    {
        return;
    }
    lengthValid = true;
    hasDdpHeader = true;
    segmentLength = length;
    std::copy_n(ulpdu, headerSize, ddpHeader.begin());
    const bool isRead = !header.tagged && RdmapControl::Decode(header.ulpControl).opcode ==
                                              static_cast<uint8_t>(RdmapOpcode::READ_REQUEST);
    if (withRead && isRead && available >= headerSize + rdmap::READ_REQUEST_SIZE)
    {
        hasReadHeader = true;
        std::copy_n(ulpdu + headerSize, rdmap::READ_REQUEST_SIZE, readHeader.begin());
    }
}

RdmapTerminate
RdmapTerminate::ForRdmap(RdmapError error)
{
    RdmapTerminate t;
    t.layer = static_cast<uint8_t>(RdmapLayer::RDMAP);
    t.type = static_cast<uint16_t>(error) >> 8;
    t.code = static_cast<uint16_t>(error) & 0xFF;
    return t;
}

RdmapTerminate
RdmapTerminate::ForDdp(DdpError error)
{
    RdmapTerminate t;
    t.layer = static_cast<uint8_t>(RdmapLayer::DDP);
    t.type = DdpErrorType(error);
    t.code = DdpErrorCode(error);
    return t;
}

RdmapTerminate
RdmapTerminate::ForLlp(uint8_t code)
{
    RdmapTerminate t;
    t.layer = static_cast<uint8_t>(RdmapLayer::LLP);
    t.code = code;
    return t;
}

std::string
RdmapTerminate::Describe() const
{
    std::ostringstream text;
    switch (static_cast<RdmapLayer>(layer))
    {
    case RdmapLayer::RDMAP:
        text << "RDMAP, " << RdmapErrorText(type, code);
        break;
    case RdmapLayer::DDP:
        text << "DDP, " << DdpErrorText(static_cast<DdpError>(type << 8 | code));
        break;
    case RdmapLayer::LLP:
        text << "MPA, " << LlpErrorText(type == 0 ? code : 0);
        break;
    default:
        text << "layer " << unsigned(layer) << ", unknown error";
        break;
    }
    text << " (" << unsigned(layer) << "/" << unsigned(type) << "/" << unsigned(code) << ")";
    return text.str();
}

} // namespace ns3
