/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "mpa-startup-frame.h"

#include "ns3/abort.h"

#include <algorithm>
#include <cstring>

namespace ns3
{

namespace
{

constexpr char REQUEST_KEY[] = "MPA ID Req Frame"; //!< what an Initiator's frame begins with
constexpr char REPLY_KEY[] = "MPA ID Rep Frame";   //!< what a Responder's frame begins with

constexpr uint8_t FLAG_MARKERS = 0x80;  //!< M in octet 16
constexpr uint8_t FLAG_CRC = 0x40;      //!< C in octet 16
constexpr uint8_t FLAG_REJECT = 0x20;   //!< R in octet 16
constexpr uint8_t MASK_RESERVED = 0x1F; //!< Res in octet 16

} // namespace

bool
MpaStartupFrame::IsEnhanced() const
{
    return (reserved & ENHANCED) != 0 && revision >= 2;
}

std::vector<uint8_t>
MpaStartupFrame::Encode() const
{
    NS_ABORT_MSG_IF(privateData.size() > MAX_PRIVATE_DATA,
                    "an MPA startup frame takes at most " << MAX_PRIVATE_DATA
                                                          << " octets of Private Data, not "
                                                          << privateData.size());
    std::vector<uint8_t> octets;
    octets.reserve(HEADER_SIZE + privateData.size());
    const char* key = reply ? REPLY_KEY : REQUEST_KEY;
    octets.insert(octets.end(), key, key + KEY_SIZE);
    octets.push_back(static_cast<uint8_t>((markers ? FLAG_MARKERS : 0) | (crc ? FLAG_CRC : 0) |
                                          (reject ? FLAG_REJECT : 0) | (reserved & MASK_RESERVED)));
    octets.push_back(revision);
    octets.push_back(static_cast<uint8_t>(privateData.size() >> 8));
    octets.push_back(static_cast<uint8_t>(privateData.size() & 0xFF));
    octets.insert(octets.end(), privateData.begin(), privateData.end());
    return octets;
}

MpaStartupFrame::Status
MpaStartupFrame::Decode(const uint8_t* data,
                        std::size_t size,
                        bool expectReply,
                        MpaStartupFrame& frame)
{
    const char* key = expectReply ? REPLY_KEY : REQUEST_KEY;
    if (size > 0 && std::memcmp(data, key, std::min(size, KEY_SIZE)) != 0)
    {
        return Status::BAD_KEY;
    }
    if (size < HEADER_SIZE)
    {
        return Status::INCOMPLETE;
    }
    const std::size_t length = (data[18] << 8) | data[19];
    if (length > MAX_PRIVATE_DATA)
    {
        return Status::BAD_LENGTH;
    }
    if (size < HEADER_SIZE + length)
    {
        return Status::INCOMPLETE;
    }
    const uint8_t flags = data[KEY_SIZE];
    frame.reply = expectReply;
    frame.markers = (flags & FLAG_MARKERS) != 0;
    frame.crc = (flags & FLAG_CRC) != 0;
    frame.reject = (flags & FLAG_REJECT) != 0;
    frame.reserved = flags & MASK_RESERVED;
    frame.revision = data[17];
    frame.privateData.assign(data + HEADER_SIZE, data + HEADER_SIZE + length);
    return Status::COMPLETE;
}

} // namespace ns3
