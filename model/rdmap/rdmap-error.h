/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMAP_ERROR_H
#define RDMAP_ERROR_H

#include <cstdint>

namespace ns3
{

/**
 * @ingroup iwarp-rdmap
 * @brief Errors that RDMAP itself finds (RFC 5040 section 4.8).
 *
 * The value is the 4-bit error type times 256 plus the 8-bit error code of layer RDMAP.
 */
enum class RdmapError : uint16_t
{
    LOCAL_CATASTROPHIC = 0x000,           //!< failure on this side
    PROTECTION_INVALID_STAG = 0x100,      //!< STag unknown or invalidated
    PROTECTION_BASE_BOUNDS = 0x101,       //!< octets outside the buffer
    PROTECTION_ACCESS = 0x102,            //!< the buffer does not grant the right
    PROTECTION_NOT_ASSOCIATED = 0x103,    //!< STag of another protection domain or stream
    PROTECTION_TO_WRAP = 0x104,           //!< TO plus length does not fit 64 bits
    PROTECTION_CANNOT_INVALIDATE = 0x109, //!< the STag of a Send with Invalidate
    PROTECTION_UNSPECIFIED = 0x1FF,       //!< another protection error
    OPERATION_VERSION = 0x205,            //!< RV is not 1
    OPERATION_OPCODE = 0x206,             //!< opcode reserved, not supported, or not expected here
    OPERATION_STREAM = 0x207,             //!< catastrophic, this stream only
    OPERATION_GLOBAL = 0x208,             //!< catastrophic, all streams
    OPERATION_CANNOT_INVALIDATE = 0x209,  //!< another number that peers use for 0x109
    OPERATION_UNSPECIFIED = 0x2FF,        //!< another operation error
    NONE = 0xFFFF,                        //!< no error
};

} // namespace ns3

#endif // RDMAP_ERROR_H
