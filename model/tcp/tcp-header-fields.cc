/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "tcp-header-fields.h"

#include <boost/endian/conversion.hpp>

namespace ns3
{

namespace
{

using boost::endian::load_big_u16;
using boost::endian::load_big_u32;
using boost::endian::store_big_u16;
using boost::endian::store_big_u32;

constexpr uint8_t END = 0;                // TCP option: end of options (RFC 9293 section 3.2)
constexpr uint8_t NOP = 1;                // TCP option: no operation
constexpr uint8_t TIMESTAMPS = 8;         // TCP option: timestamps (RFC 7323 section 3.2) …
constexpr uint8_t TIMESTAMPS_LENGTH = 10; // … and its octets

/// @param octets of timestamps and padding, in either order @return timestamps; nullptr if it is
/// something else
const uint8_t*
FindTimestamps(const uint8_t* octets)
{
    const bool padded = octets[0] == NOP && octets[1] == NOP;
    const uint8_t* option = octets + (padded ? 2 : 0);
    if (option[0] != TIMESTAMPS || option[1] != TIMESTAMPS_LENGTH)
    {
        return nullptr;
    }
    return padded || octets[TIMESTAMPS_LENGTH] == END ? option : nullptr;
}

} // namespace

bool
TcpHeaderFields::Read(const uint8_t* octets, uint32_t available)
{
    if (available < SHORT)
    {
        return false;
    }
    source = load_big_u16(octets);
    destination = load_big_u16(octets + 2);
    seq = load_big_u32(octets + 4);
    ack = load_big_u32(octets + 8);
    size = (octets[12] >> 4) * 4;
    flags = octets[13];
    window = load_big_u16(octets + 14);
    const uint8_t* option =
        size == LONG && available >= LONG ? FindTimestamps(octets + SHORT) : nullptr;
    timestamps = option;
    if (option)
    {
        timestamp = load_big_u32(option + 2);
        echo = load_big_u32(option + 6);
    }
    plain = option || size == SHORT;
    return size >= SHORT;
}

void
TcpHeaderFields::Write(uint8_t* octets) const
{
    store_big_u16(octets, source);
    store_big_u16(octets + 2, destination);
    store_big_u32(octets + 4, seq);
    store_big_u32(octets + 8, ack);
    octets[12] = size / 4 << 4;
    octets[13] = flags;
    store_big_u16(octets + 14, window);
    store_big_u32(octets + 16, 0); // checksum and urgent pointer
    if (timestamps)
    { // in the order of TcpHeader
        octets[20] = TIMESTAMPS;
        octets[21] = TIMESTAMPS_LENGTH;
        store_big_u32(octets + 22, timestamp);
        store_big_u32(octets + 26, echo);
        octets[30] = END;
        octets[31] = END;
    }
}

TcpHeader
TcpHeaderFields::ToHeader() const
{
    TcpHeader header;
    header.SetSourcePort(source);
    header.SetDestinationPort(destination);
    header.SetSequenceNumber(SequenceNumber32(seq));
    header.SetAckNumber(SequenceNumber32(ack));
    header.SetFlags(flags);
    header.SetWindowSize(window);
    return header;
}

} // namespace ns3
