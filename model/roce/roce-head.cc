/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "roce-head.h"

#include <algorithm>
#include <boost/endian/conversion.hpp>

namespace ns3
{
namespace
{

using namespace boost::endian;

constexpr uint8_t PAD_SHIFT = 4;          //!< of the pad count in the BTH
constexpr uint8_t PAD_MASK = 0x03;        //!< of it
constexpr uint16_t PARTITION = 0xFFFF;    //!< the default partition's key
constexpr uint8_t HEADERS_VERSION = 0x0F; //!< of the transport header's version, which is 0
constexpr uint8_t BECN = 0x40;            //!< bit of the BTH: backward congestion notification
constexpr uint8_t ASKS_ACK = 0x80;        //!< bit of the BTH
constexpr uint32_t PSN_MASK = 0xFFFFFF;   //!< bits of a PSN, of a queue pair's number

/// @param kind operation code @return whether a RETH follows
bool
HasReth(RoceHead::Kind kind)
{
    return kind == RoceHead::Kind::WRITE_FIRST || kind == RoceHead::Kind::WRITE_ONLY;
}

} // namespace

uint32_t
RoceHead::GetSize() const
{
    return BTH + (HasReth(kind) ? RETH : 0) + (kind == Kind::ACKNOWLEDGE ? AETH : 0) +
           (kind == Kind::NOTIFICATION ? NOTIFICATION : 0) + (hasArrived ? ARRIVED : 0);
}

void
RoceHead::Write(uint8_t* octets) const
{
    std::fill_n(octets, GetSize(), 0);
    octets[0] = static_cast<uint8_t>(kind);
    octets[1] = static_cast<uint8_t>(pad << PAD_SHIFT);
    store_big_u16(octets + 2, PARTITION);
    octets[4] = kind == Kind::NOTIFICATION ? BECN : 0;
    store_big_u24(octets + 5, queuePair & PSN_MASK);
    octets[8] = asksAck ? ASKS_ACK : 0;
    store_big_u24(octets + 9, psn & PSN_MASK);
    if (HasReth(kind))
    {
        store_big_u64(octets + BTH, address);
        store_big_u32(octets + BTH + 8, key);
        store_big_u32(octets + BTH + 12, length);
    }
    if (kind == Kind::ACKNOWLEDGE)
    {
        octets[BTH] = syndrome;
        store_big_u24(octets + BTH + 1, messages & PSN_MASK);
    }
    if (hasArrived)
    {
        store_big_u32(octets + BTH + AETH, arrived & PSN_MASK);
    }
}

bool
RoceHead::Read(const uint8_t* octets, std::size_t available, std::size_t size)
{
    if (available < BTH || size < BTH + ICRC || (octets[1] & HEADERS_VERSION) != 0 ||
        load_big_u16(octets + 2) != PARTITION)
    {
        return false;
    }
    kind = static_cast<Kind>(octets[0]);
    pad = (octets[1] >> PAD_SHIFT) & PAD_MASK;
    queuePair = load_big_u24(octets + 5);
    asksAck = (octets[8] & ASKS_ACK) != 0;
    psn = load_big_u24(octets + 9);
    switch (kind)
    {
    case Kind::WRITE_FIRST:
    case Kind::WRITE_MIDDLE:
    case Kind::WRITE_LAST:
    case Kind::WRITE_ONLY:
    case Kind::NOTIFICATION:
        hasArrived = false;
        break;
    case Kind::ACKNOWLEDGE:
        hasArrived = size >= BTH + AETH + ARRIVED + ICRC;
        break;
    default:
        return false;
    }
    if (available < GetSize() || size < GetSize() + pad + ICRC)
    {
        return false;
    }
    const bool hasReth = HasReth(kind);
    address = hasReth ? load_big_u64(octets + BTH) : 0;
    key = hasReth ? load_big_u32(octets + BTH + 8) : 0;
    length = hasReth ? load_big_u32(octets + BTH + 12) : 0;
    const bool hasAeth = kind == Kind::ACKNOWLEDGE;
    syndrome = hasAeth ? octets[BTH] : ACK;
    messages = hasAeth ? load_big_u24(octets + BTH + 1) : 0;
    arrived = hasArrived ? load_big_u32(octets + BTH + AETH) & PSN_MASK : 0;
    return true;
}

uint32_t
RoceHead::GetPayload(std::size_t size) const
{
    return static_cast<uint32_t>(size) - GetSize() - pad - ICRC;
}

uint64_t
RoceHead::Expand(uint32_t psn, uint64_t near)
{
    constexpr uint32_t SIGN = 1U << 23;
    const uint32_t ahead = (psn - static_cast<uint32_t>(near)) & PSN_MASK;
    // numbers begin at 0: what would be before that is not one of this connection
    const int64_t distance = static_cast<int64_t>(ahead ^ SIGN) - static_cast<int64_t>(SIGN);
    return distance < 0 && static_cast<uint64_t>(-distance) > near
               ? 0
               : near + static_cast<uint64_t>(distance);
}

} // namespace ns3
