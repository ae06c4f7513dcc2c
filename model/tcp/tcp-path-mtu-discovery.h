/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef TCP_PATH_MTU_DISCOVERY_H
#define TCP_PATH_MTU_DISCOVERY_H

#include "tcp-mtu-search.h"
#include "tcp-path-mtu.h"

#include "ns3/nstime.h"
#include "ns3/sequence-number.h"

#include <cstdint>
#include <memory>

namespace ns3
{

/**
 * @ingroup iwarp-tcp
 * @brief What a connection knows of its path's MTU, and the probe by which it learns more (RFC
 * 1191, RFC 8201, RFC 4821). Pure: it is told what happens, and its caller applies what follows.
 *
 * There is one probe at a time: a segment longer than the EMSS. First it is allowed, then it has a
 * place in the stream, and in the end it is acknowledged or lost.
 */
class TcpPathMtuDiscovery
{
  public:
    TcpPathMtuDiscovery() = default;
    /// A connection of a listener begins with its settings, and knows nothing of a path.
    /// @param other the listener's
    TcpPathMtuDiscovery(const TcpPathMtuDiscovery& other);
    TcpPathMtuDiscovery& operator=(const TcpPathMtuDiscovery&) = delete;

    /// Reach what segments follow from. @return sizes of route, path, headers and peer
    TcpPathMtu& GetSizes()
    {
        return m_sizes;
    }

    /// As above. @return sizes
    const TcpPathMtu& GetSizes() const
    {
        return m_sizes;
    }

    /**
     * @brief A connection begins. With Probing::ALWAYS the path is trusted to take BaseMss, and the
     * search is on.
     * @param settings how to search
     * @param timestamps segments have that option
     * @param now the clock
     */
    void Start(const TcpMtuSettings& settings, bool timestamps, Time now);

    /// Begin to search, unless that is under way. @param settings how @param timestamps segments
    /// have that option @param now the clock
    void Search(const TcpMtuSettings& settings, bool timestamps, Time now);

    /// Tell whether there is a search. @return true from Search() on
    bool IsSearching() const
    {
        return m_search != nullptr;
    }

    /// Tell whether it is time for Refresh(). @param now the clock @return true if it is
    bool IsDue(Time now) const;

    /// Look again, since the path may have grown. @param routeMtu MTU of the route now @param now
    /// the clock @return true if the EMSS follows from another MTU
    bool Refresh(uint32_t routeMtu, Time now);

    /**
     * @brief Allow a probe, if there is one to be made.
     * @param emss EMSS now
     * @param timestamps segments have that option
     * @param now the clock
     * @return most octets of payload that the probe may have, more than the EMSS; 0 for no probe
     */
    uint32_t AllowProbe(uint32_t emss, bool timestamps, Time now);

    /// Find what AllowProbe() waits for. @return octets that the probe may have; 0 if none is
    /// wanted, or it has its place
    uint32_t GetAllowedProbe() const
    {
        return m_allowed;
    }

    /// Give the probe that is allowed its place. @param start its first octet @param size octets,
    /// at most GetAllowedProbe()
    void PlaceProbe(SequenceNumber32 start, uint32_t size);

    /// Find the probe. @param seq first octet of a segment @return octets of the probe that starts
    /// there; 0 if none does
    uint32_t FindProbe(SequenceNumber32 seq) const
    {
        return m_start == seq ? m_size : 0;
    }

    /// Tell whether there is a probe. @return true while one is allowed, waits or is in flight
    bool HasProbe() const
    {
        return m_allowed > 0 || m_size > 0;
    }

    /// Tell whether the probe is in flight. @param sent number behind all that was sent @return
    /// true from when it is sent
    bool IsProbeSent(SequenceNumber32 sent) const
    {
        return m_size > 0 && m_start < sent;
    }

    /// Forget the probe. @return true if it was allowed only
    bool EndProbe();

    /**
     * @brief A segment is sent again. If it begins with the probe, the probe is lost. If it has the
     * probe's first octet behind others, these were lost as well: it is not known then whether the
     * path takes the probe (RFC 4821 section 7.6), and an ACK does not tell.
     * @param seq its first octet
     * @param size octets
     * @param sent number behind all that was sent
     * @param timestamps segments have that option
     * @param now the clock
     * @return true if it has the probe's first octet: there is no probe any more
     */
    bool NotifyLost(SequenceNumber32 seq,
                    uint32_t size,
                    SequenceNumber32 sent,
                    bool timestamps,
                    Time now);

    /**
     * @brief Something new was acknowledged.
     * @param head number of the first octet that is not
     * @param timestamps segments have that option
     * @param now the clock
     * @return true if the probe has come through: the EMSS follows from another MTU
     */
    bool NotifyAcknowledged(SequenceNumber32 head, bool timestamps, Time now);

    /**
     * @brief The retransmission timer has run out.
     * @param segment octets of payload of what waits
     * @param timestamps segments have that option
     * @param now the clock
     * @return true if the path is a black hole for those: the EMSS follows from another MTU
     */
    bool NotifyTimeout(uint32_t segment, bool timestamps, Time now);

    /**
     * @brief The path takes no more, as ICMP says, or the node itself.
     * @param mtu octets of a datagram
     * @param settings how to search from there
     * @param timestamps segments have that option
     * @param now the clock
     * @return true if that is less than was known: the EMSS follows from another MTU
     */
    bool Narrow(uint32_t mtu, const TcpMtuSettings& settings, bool timestamps, Time now);

  private:
    TcpPathMtu m_sizes;                     //!< what segments follow from
    std::unique_ptr<TcpMtuSearch> m_search; //!< search, once there is reason
    SequenceNumber32 m_start{0};            //!< first octet of the probe, once it has a place
    uint32_t m_size{0};                     //!< its octets; 0 until it has a place
    uint32_t m_allowed{0};                  //!< most octets of it, until it has a place
};

} // namespace ns3

#endif // TCP_PATH_MTU_DISCOVERY_H
