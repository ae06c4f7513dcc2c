/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DDP_ERROR_H
#define DDP_ERROR_H

#include <cstdint>

namespace ns3
{

/**
 * @ingroup iwarp-ddp
 * @brief Error numbers that DDP reports to the layer above (RFC 5041 section 7.2).
 *
 * The value is the 4-bit error type times 256 plus the 8-bit error code. Type 3 is left to the
 * layer below and never used here.
 */
enum class DdpError : uint16_t
{
    LOCAL_CATASTROPHIC = 0x000,    //!< failure on this side, or a segment shorter than its header
    TAGGED_INVALID_STAG = 0x100,   //!< STag unknown, invalidated or without the right asked for
    TAGGED_BASE_BOUNDS = 0x101,    //!< octets outside the Tagged Buffer
    TAGGED_NOT_ASSOCIATED = 0x102, //!< STag of another protection domain or stream
    TAGGED_TO_WRAP = 0x103,        //!< TO plus length does not fit 64 bits
    TAGGED_VERSION = 0x104,        //!< DV of a Tagged segment is not the stream's
    UNTAGGED_INVALID_QN = 0x201,   //!< queue not enabled
    UNTAGGED_NO_BUFFER = 0x202,    //!< no buffer posted for this MSN
    UNTAGGED_MSN_RANGE = 0x203,    //!< MSN of a message that is complete already
    UNTAGGED_INVALID_MO = 0x204,   //!< MO outside the buffer
    UNTAGGED_TOO_LONG = 0x205,     //!< MO inside the buffer, MO plus length outside
    UNTAGGED_VERSION = 0x206,      //!< DV of an Untagged segment is not the stream's
    NONE = 0xFFFF,                 //!< no error
};

/**
 * @brief Take the error type out of an error number: 0 local, 1 Tagged, 2 Untagged.
 * @param error any value but NONE
 * @return its error type, 0..2
 */
constexpr uint8_t
DdpErrorType(DdpError error)
{
    return static_cast<uint16_t>(error) >> 8;
}

/**
 * @brief Take the error code out of an error number.
 * @param error any value but NONE
 * @return its error code
 */
constexpr uint8_t
DdpErrorCode(DdpError error)
{
    return static_cast<uint16_t>(error) & 0xFF;
}

/**
 * @brief Describe an error in words.
 * @param error any value
 * @return a short English description, for traces and messages
 */
const char* DdpErrorText(DdpError error);

} // namespace ns3

#endif // DDP_ERROR_H
