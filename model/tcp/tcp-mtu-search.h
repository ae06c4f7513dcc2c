/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef TCP_MTU_SEARCH_H
#define TCP_MTU_SEARCH_H

#include "ns3/nstime.h"

#include <cstdint>

namespace ns3
{

/**
 * @ingroup iwarp-tcp
 * @brief How the MTU of a path is found besides what ICMP tells (RFC 1191, RFC 4821).
 */
struct TcpMtuSettings
{
    /// When segments larger than the path is known to take are tried.
    enum class Probing : uint8_t
    {
        OFF,        //!< never
        BLACK_HOLE, //!< once full segments have vanished without a word
        ALWAYS,     //!< from the start, beginning with BaseMss
    };

    Probing probing;   //!< when it probes
    uint32_t baseMss;  //!< MSS that a path is trusted to take
    uint32_t timeouts; //!< timeouts in a row that make a black hole
    Time interval;     //!< what is known counts so long; then it looks again
    bool ignoreIcmp;   //!< ICMP messages about the MTU are not heeded

    /// Tell whether it ever probes. @return true if it does
    bool Probes() const
    {
        return probing != Probing::OFF;
    }
};

/**
 * @ingroup iwarp-tcp
 * @brief The search for the MTU of a path: pure, its events are told, its sizes asked for.
 *
 * It knows a size that the path takes, which segments have, and one that it may take at most. In
 * between it looks by bisection: one probe at a time, which arrives or is lost. Segments of full
 * size that vanish again and again have it fall back to BaseMss, and from there to the half, as
 * Linux does (tcp_mtu_probing). What it has found counts for an interval; then the path may have
 * grown. All sizes are octets of IP datagrams.
 */
class TcpMtuSearch
{
  public:
    static constexpr uint32_t THRESHOLD = 8;  //!< octets too few to be worth a probe, as in Linux
    static constexpr uint32_t LEAST_MSS = 48; //!< MSS that it never goes below, as in Linux

    /**
     * @brief Begin.
     * @param settings how to search
     * @param headers octets of a datagram around TCP's payload
     * @param most size that route and peer permit
     * @param now the clock
     */
    TcpMtuSearch(const TcpMtuSettings& settings, uint32_t headers, uint32_t most, Time now);

    /// Find the size of segments. @return octets that the path takes, as far as it is known
    uint32_t GetMtu() const
    {
        return m_low;
    }

    /// Find what to try next. @return size of a probe, larger than GetMtu(); 0 for none
    uint32_t GetProbe() const;

    /// A probe has arrived. @param size its octets @param now the clock
    void Succeed(uint32_t size, Time now);
    /// A probe was lost. @param size its octets @param now the clock
    void Fail(uint32_t size, Time now);
    /// The path takes no more, says ICMP. @param mtu size @param now the clock
    void Limit(uint32_t mtu, Time now);
    /**
     * @brief The retransmission timer has run out.
     * @param size octets of the segment that waits
     * @param now the clock
     * @return true if it is a black hole: GetMtu() is less now
     */
    bool NotifyTimeout(uint32_t size, Time now);
    void NotifyProgress(); //!< Something new has arrived.

    /// Tell whether it is time for Refresh(). @param now the clock @return true if nothing is left
    /// to probe and what is known is older than the interval
    bool IsDue(Time now) const;

    /**
     * @brief Look again: the path may have grown.
     * @param most size that route and peer permit
     * @param now the clock
     * @return true if GetMtu() has changed
     */
    bool Refresh(uint32_t most, Time now);

  private:
    TcpMtuSettings m_settings; //!< how to search
    uint32_t m_headers;        //!< octets besides the payload
    uint32_t m_low;            //!< size that the path takes
    uint32_t m_high;           //!< size that it may take
    uint32_t m_timeouts{0};    //!< timeouts in a row
    Time m_since;              //!< since when all this is known
    bool m_fallen{false};      //!< to BaseMss, or less
};

} // namespace ns3

#endif // TCP_MTU_SEARCH_H
