/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DECODE_FRAGMENTS_H
#define DECODE_FRAGMENTS_H

#include "decode-packet.h"

#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <tuple>
#include <vector>

namespace ns3
{

/**
 * @ingroup iwarp-decode
 * @brief Puts IP datagrams together that came in fragments (RFC 791 section 3.2, RFC 8200 section
 * 4.5).
 *
 * As Linux does it: a datagram whose fragments overlap without being the same is dropped, and so is
 * one that is not whole after 30 s. One with a fragment that was captured in part stays away too.
 * Octets are copied when a datagram is whole, so that there are never more than the capture holds.
 */
class DecodeFragments
{
  public:
    /// A datagram.
    struct Datagram
    {
        std::vector<uint8_t> octets; //!< all of it, without an IP header
        uint64_t fragments{0};       //!< how many made it up
    };

    /**
     * @brief Take a fragment.
     * @param fragment it; its octets outlive this
     * @param time of its frame, ns
     * @return the datagram that it completes, valid as long as this; nullptr if it does not
     */
    const Datagram* Add(const DecodeFragment& fragment, int64_t time);

    static constexpr int64_t TIMEOUT = INT64_C(30000000000); //!< ns that a datagram has
    static constexpr uint32_t MAX_DATAGRAM = 65535;          //!< octets of the largest

  private:
    using Address = std::array<uint8_t, 16>;
    /// IPv6, from, to, protocol, Identification
    using Key = std::tuple<bool, Address, Address, uint8_t, uint32_t>;

    /// A datagram in the making.
    struct Partial
    {
        int64_t begin{0};                         //!< time of the first fragment that came
        uint32_t size{0};                         //!< octets of the datagram; 0 until it is known
        uint32_t have{0};                         //!< octets that are there
        std::map<uint32_t, DecodeFragment> parts; //!< by offset
    };

    /// @param partial a datagram @param fragment another part @return false if they do not fit
    static bool Insert(Partial& partial, const DecodeFragment& fragment);

    std::map<Key, Partial> m_partial; //!< datagrams that are not whole
    std::deque<Datagram> m_whole;     //!< datagrams that are
};

} // namespace ns3

#endif // DECODE_FRAGMENTS_H
