/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef PATH_PRIORITIES_H
#define PATH_PRIORITIES_H

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup iwarp-path
 * @brief The priorities of a link's queues: how many there are, which one a datagram has, and how
 * they share the link.
 *
 * Priorities are those of IEEE 802.1Q, 0 to 7. A datagram's follows from its DSCP, as in switches
 * that trust layer 3: unless a map says otherwise it is the DSCP's class selector, DSCP / 8
 * (RFC 2474 section 4.2.2), or the greatest that there is.
 */
class PathPriorities
{
  public:
    static constexpr uint8_t MOST = 8;   //!< priorities of IEEE 802.1Q
    static constexpr uint8_t DSCPS = 64; //!< values of a DSCP

    /// Have one priority, or more. @param count 1 to MOST; those of higher class selectors are the
    /// last
    explicit PathPriorities(uint8_t count = 1);

    /**
     * @brief Have datagrams of some DSCPs be of another priority.
     * @param text pairs such as "26:3,48:6", a DSCP (0 to 63) and its priority each, or ""
     * @return "", or what is wrong with it, in one line
     */
    std::string ParseMap(const std::string& text);

    /**
     * @brief Have priorities share the link.
     * @param text a weight (0 to 1000) for each priority from 0 on, such as "1,3,0": what they send
     * in turn is as these; those of weight 0 go first, the highest of them before all. "" is 0 for
     * each: strict priorities
     * @return "", or what is wrong with it, in one line
     */
    std::string ParseWeights(const std::string& text);

    /// Count them. @return how many there are
    uint8_t GetCount() const
    {
        return m_count;
    }

    /// Find that of a datagram. @param tos type of service or traffic class @return priority
    uint8_t Get(uint8_t tos) const
    {
        return m_map[tos >> 2];
    }

    /// Get how they share the link. @return weight of each, 0 for a strict one
    const std::vector<uint32_t>& GetWeights() const;

  private:
    uint8_t m_count;                    //!< how many
    std::array<uint8_t, DSCPS> m_map{}; //!< priority of each DSCP
    std::vector<uint32_t> m_weights;    //!< of each
};

/**
 * @ingroup iwarp-path
 * @brief Parse a set of priorities.
 * @param text numbers such as "3,4", or "all"
 * @param count priorities that there are
 * @param [out] mask bit p is 1 if priority p is in it
 * @return "", or what is wrong with it, in one line
 */
std::string ParsePrioritySet(const std::string& text, uint8_t count, uint8_t& mask);

} // namespace ns3

#endif // PATH_PRIORITIES_H
