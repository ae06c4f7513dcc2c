/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef IWARP_SLOWDOWN_H
#define IWARP_SLOWDOWN_H

#include "iwarp-metrics.h"

#include "ns3/iwarp-network.h"
#include "ns3/nstime.h"
#include "ns3/path-framing.h"
#include "ns3/simple-ref-count.h"
#include "ns3/util-sample-set.h"

#include <cstdint>
#include <map>
#include <tuple>
#include <vector>

namespace ns3
{
namespace iwarp
{

/// @ingroup iwarp-helper
/// @brief What the time that a message takes alone is reckoned by.
enum class IdealTime : uint8_t
{
    HOMA, //!< until its last octet has come: EmptyPath::GetTime()
    HPCC, //!< until the sender knows that: EmptyPath::GetSenderTime()
};

/**
 * @ingroup iwarp-helper
 * @brief How long a message takes alone on the empty path between two hosts, at the least.
 *
 * A closed form of what links and headers cost. With TCP each segment holds one FPDU of a tagged
 * message, without Markers. Hosts, RNICs and TCP's slow start take no time.
 */
class EmptyPath : public SimpleRefCount<EmptyPath>
{
  public:
    /// Look at a path. @param network with routes @param from host @param to host with a path
    /// @param headers octets in a full datagram besides the payload @param spare octets that it
    /// leaves besides
    EmptyPath(const IwarpNetwork& network,
              uint32_t from,
              uint32_t to,
              uint32_t headers,
              uint32_t spare = 0);

    /**
     * @brief Tell the time of a message as B. Montazeri et al. reckon it (Homa: A Receiver-Driven
     * Low-Latency Transport Protocol Using Network Priorities, SIGCOMM 2018).
     *
     * Its frames follow each other at the rate of the slowest link, and are stored and forwarded at
     * each: the least that it can take.
     * @param octets payload, at least 1
     * @return from its first octet's being sent until the last has come
     */
    Time GetTime(uint64_t octets) const;

    /**
     * @brief Tell the time of a message as Y. Li et al. reckon it (HPCC: High Precision Congestion
     * Control, SIGCOMM 2019; standalone_fct in the simulator that is published with it).
     *
     * It is the base round trip and what all frames take at the rate of the slowest link; the base
     * round trip is the propagation delay there and back and a full frame at each link. A message
     * of few octets can take less: that counts as a slowdown of 1 there.
     * @param octets payload, at least 1
     * @return from its first octet's being sent until its sender knows that the last has come
     */
    Time GetSenderTime(uint64_t octets) const;

    /// Tell the time of a message by a definition. @param octets payload, at least 1
    /// @param ideal which one @return it
    Time GetTime(uint64_t octets, IdealTime ideal) const;

    /// Tell what a message costs the slowest link. @param octets payload, at least 1 @return octets
    /// of all its frames with what is around them
    uint64_t GetWireOctets(uint64_t octets) const;

    /// Tell what the MTU leaves to the payload of a packet. @return octets
    uint32_t GetPayload() const;
    /// Tell the time of a frame as long as the MTU and its acknowledgement. @return from its first
    /// octet's being sent until a least frame that answers it has come back
    Time GetRoundTrip() const;
    /// Tell the bandwidth-delay product. @return frames as long as the MTU that the slowest link
    /// carries in GetRoundTrip(), rounded up
    uint64_t GetWindow() const;

  private:
    /// A link that each packet crosses
    struct Step
    {
        double rate;         //!< bit/s
        uint32_t mtu;        //!< octets
        PathFraming framing; //!< what a datagram costs
        /// @param octets on the link @return time to send them, seconds
        double GetSeconds(uint32_t octets) const;
        double GetFull() const; //!< @return what a full frame takes with all around it, seconds
    };

    /// How a message is sent
    struct Cut
    {
        uint64_t full;   //!< full datagrams in front of the last
        uint32_t octets; //!< octets of each of these
        uint32_t last;   //!< octets of the last datagram
    };

    Cut Divide(uint64_t octets) const; //!< @param octets payload @return its datagrams
    const Step& FindSlowest() const;   //!< @return step at which full frames take longest

    std::vector<Step> m_links; //!< that each packet crosses
    Time m_delay;              //!< propagation delay of the path
    uint32_t m_headers;        //!< octets in a datagram besides the payload
    uint32_t m_spare;          //!< octets that a full one leaves
};

/**
 * @ingroup iwarp-helper
 * @brief Empty paths of many pairs of hosts, of which those share one that differ in nothing.
 */
class EmptyPaths
{
  public:
    /// Begin without paths. @param network with routes; outlives this @param headers octets in a
    /// full datagram besides the payload @param spare octets that it leaves besides
    EmptyPaths(const IwarpNetwork& network, uint32_t headers, uint32_t spare = 0);

    /// Get a path. @param from host @param to host with a path @return it, not to be changed
    Ptr<EmptyPath> Get(uint32_t from, uint32_t to);

  private:
    /// What of a host's link matters: rate in bit/s, delay in steps, MTU and framing
    using Link = std::tuple<uint64_t, int64_t, uint32_t, PathFraming>;

    /// Look at a host's link. @param host its index @return what matters
    Link Look(uint32_t host) const;

    const IwarpNetwork& m_network; //!< links
    uint32_t m_headers;            //!< octets in a datagram besides the payload
    uint32_t m_spare;              //!< octets that a full one leaves
    /// Those there are, by route and the links of the hosts
    std::map<std::tuple<const IwarpNetwork::Route*, Link, Link>, Ptr<EmptyPath>> m_paths;
};

/**
 * @ingroup iwarp-helper
 * @brief Times of messages and their slowdown, by size.
 *
 * A bin holds the messages of more octets than a tenth of its number and at most its number, which
 * is a power of ten.
 */
class Slowdown
{
  public:
    /// Add a message. @param octets its payload @param taken its time @param alone its time on the
    /// empty path
    void Add(uint64_t octets, Time taken, Time alone);
    /// Report all, if there were messages. @param metrics where to add
    void Report(MetricSet& metrics) const;

  private:
    /// Messages of some sizes
    struct Bin
    {
        SampleSet taken;    //!< their times
        SampleSet slowdown; //!< times over times alone, as seconds
    };

    Bin m_all;                      //!< messages of all sizes
    std::map<uint64_t, Bin> m_bins; //!< by the largest size
};

} // namespace iwarp
} // namespace ns3

#endif // IWARP_SLOWDOWN_H
