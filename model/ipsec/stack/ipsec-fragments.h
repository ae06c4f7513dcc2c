/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef IPSEC_FRAGMENTS_H
#define IPSEC_FRAGMENTS_H

#include "ipsec-view.h"

#include "ns3/nstime.h"
#include "ns3/packet.h"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <unordered_map>
#include <utility>
#include <vector>

namespace ns3
{

/// @ingroup iwarp-ipsec
/// @brief What the fragments of a datagram share (RFC 791, RFC 8200 section 4.5).
struct IpsecFragmentKey
{
    IpsecFlow flow;             //!< without ports
    uint32_t identification{0}; //!< of the datagram
    uint64_t way{0};            //!< that they came by: a tunnel's ends, or how; 0: in clear

    /// @param view of a fragment @param way that it came by @return its key
    static IpsecFragmentKey Of(const IpsecView& view, uint64_t way);

    /// @param other a key @return whether it is the same
    bool operator==(const IpsecFragmentKey& other) const;
};

/// @ingroup iwarp-ipsec
/// @brief Makes hash tables by key.
struct IpsecFragmentHash
{
    /// @param key any @return a number that spreads well
    std::size_t operator()(const IpsecFragmentKey& key) const;
};

/**
 * @ingroup iwarp-ipsec
 * @brief Remembers the ports of first fragments, for those that follow (RFC 4301 section 7.3:
 * stateful fragment checking). What came by an association and what came in clear do not share
 * them.
 */
class IpsecFragmentPorts
{
  public:
    static constexpr std::size_t REMEMBERED = 4096; //!< most datagrams; the oldest are forgotten

    /**
     * @brief Find the ports of a fragment.
     * @param[in,out] view of the datagram; its flow receives the ports
     * @param opened it came by an association
     * @param now the clock
     * @return false if it should have ports, and nobody knows them
     */
    bool Find(IpsecView& view, bool opened, Time now);

  private:
    /// What a first fragment has told.
    struct Ports
    {
        uint16_t source;      //!< port
        uint16_t destination; //!< port
        Time since;           //!< when
    };

    std::unordered_map<IpsecFragmentKey, Ports, IpsecFragmentHash> m_ports; //!< by datagram
    std::deque<IpsecFragmentKey> m_order;                                   //!< oldest first
};

/**
 * @ingroup iwarp-ipsec
 * @brief Puts together the fragments for this node that came by an association, apart from all that
 * came in clear, so that nobody can put octets of his own among them (RFC 4301 section 7).
 *
 * Fragments that overlap give up their datagram (RFC 5722), and those of which some are marked CE
 * and some not ECN-capable (RFC 3168 section 5.3).
 */
class IpsecReassembly
{
  public:
    static constexpr std::size_t PLACES = 64; //!< most datagrams; the oldest is given up

    /**
     * @brief Take a fragment.
     * @param view of it
     * @param way that it came by: a hash of the tunnel's ends, whose associations follow one
     * another
     * @param payload of the fragment, behind the headers that all of them have
     * @param[in,out] tos type of service or traffic class of the fragment; that of the datagram
     * @param now the clock
     * @return what its datagram carries, if that is whole now, else nullptr
     */
    Ptr<Packet> Add(const IpsecView& view,
                    uint64_t way,
                    const Ptr<const Packet>& payload,
                    uint8_t& tos,
                    Time now);

  private:
    /// A datagram that is not whole.
    struct Partial
    {
        Time since;                                     //!< of its first fragment here
        uint32_t octets{0};                             //!< that are there
        uint32_t end{UINT32_MAX};                       //!< octets that it has, once that is known
        std::vector<uint8_t> services{};                //!< types of service of its fragments
        std::map<uint32_t, Ptr<const Packet>> pieces{}; //!< by offset
    };

    using Partials = std::unordered_map<IpsecFragmentKey, Partial, IpsecFragmentHash>;

    /// @param partial it @param view of a fragment @param size octets of that
    /// @return it has its place there
    static bool Fits(const Partial& partial, const IpsecView& view, uint32_t size);
    /// @param key of a datagram @param now the clock @return its place
    Partial& Open(const IpsecFragmentKey& key, Time now);

    Partials m_partials; //!< by datagram
};

} // namespace ns3

#endif // IPSEC_FRAGMENTS_H
