/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ddp-header.h"

#include "ddp-octets.h"

#include <tuple>

namespace ns3
{

namespace
{

constexpr uint8_t FLAG_TAGGED = 0x80;
constexpr uint8_t FLAG_LAST = 0x40;
constexpr unsigned RESERVED_SHIFT = 2;
constexpr uint8_t RESERVED_MASK = 0x0F;
constexpr uint8_t VERSION_MASK = 0x03;

} // namespace

uint32_t
DdpHeader::Write(uint8_t* out) const
{
    out[0] = (tagged ? FLAG_TAGGED : 0) | (last ? FLAG_LAST : 0) |
             (reserved & RESERVED_MASK) << RESERVED_SHIFT | (version & VERSION_MASK);
    out[1] = ulpControl;
    if (tagged)
    {
        ddp::StoreBig<uint32_t>(out + 2, stag);
        ddp::StoreBig<uint64_t>(out + 6, to);
    }
    else
    {
        ddp::StoreBig<uint32_t>(out + 2, ulpWord);
        ddp::StoreBig<uint32_t>(out + 6, qn);
        ddp::StoreBig<uint32_t>(out + 10, msn);
        ddp::StoreBig<uint32_t>(out + 14, mo);
    }
    return GetSize();
}

uint32_t
DdpHeader::Read(const uint8_t* data, std::size_t size)
{
    if (size == 0 || size < SizeOf((data[0] & FLAG_TAGGED) != 0))
    {
        return 0;
    }
    *this = DdpHeader();
    tagged = (data[0] & FLAG_TAGGED) != 0;
    last = (data[0] & FLAG_LAST) != 0;
    reserved = data[0] >> RESERVED_SHIFT & RESERVED_MASK;
    version = data[0] & VERSION_MASK;
    ulpControl = data[1];
    if (tagged)
    {
        stag = ddp::LoadBig<uint32_t>(data + 2);
        to = ddp::LoadBig<uint64_t>(data + 6);
    }
    else
    {
        ulpWord = ddp::LoadBig<uint32_t>(data + 2);
        qn = ddp::LoadBig<uint32_t>(data + 6);
        msn = ddp::LoadBig<uint32_t>(data + 10);
        mo = ddp::LoadBig<uint32_t>(data + 14);
    }
    return GetSize();
}

bool
operator==(const DdpHeader& a, const DdpHeader& b)
{
    auto fields = [](const DdpHeader& h) {
        return std::tie(h.tagged,
                        h.last,
                        h.reserved,
                        h.version,
                        h.ulpControl,
                        h.ulpWord,
                        h.stag,
                        h.to,
                        h.qn,
                        h.msn,
                        h.mo);
    };
    return fields(a) == fields(b);
}

} // namespace ns3
