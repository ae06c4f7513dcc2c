/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DECODE_FRAMING_H
#define DECODE_FRAMING_H

#include "decode-reassembly.h"

#include <cstdint>

namespace ns3
{

/**
 * @ingroup iwarp-decode
 * @brief What frames the octets of one direction: MPA (DecodeFpdus), or what a DecodeFramer
 * describes (DecodePdus).
 */
class DecodeFraming
{
  public:
    virtual ~DecodeFraming() = default;

    /// The next octets in order. @param piece them
    virtual void Process(const DecodePiece& piece) = 0;

    /**
     * @brief Octets are not in the capture.
     * @param from first
     * @param to behind the last
     */
    virtual void Skip(uint64_t from, uint64_t to) = 0;

    /// Tell whether it is known where frames begin. @return true then
    virtual bool IsInSync() const = 0;
    /// Tell whether that is or was known. @return true then
    virtual bool WasEverInSync() const = 0;

    /// Count the octets of a frame that is not whole. @param edge end of the stream @return octets
    /// before it that begin a frame
    virtual uint64_t GetUnfinished(uint64_t edge) const = 0;
};

} // namespace ns3

#endif // DECODE_FRAMING_H
