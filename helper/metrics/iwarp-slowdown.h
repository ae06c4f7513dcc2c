/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef IWARP_SLOWDOWN_H
#define IWARP_SLOWDOWN_H

#include "iwarp-metrics.h"

#include "ns3/iwarp-network.h"
#include "ns3/nstime.h"
#include "ns3/simple-ref-count.h"
#include "ns3/util-sample-set.h"

#include <cstdint>
#include <map>
#include <vector>

namespace ns3
{
namespace iwarp
{

/**
 * @ingroup iwarp-helper
 * @brief How long a message takes alone on the empty path between two hosts, at the least.
 *
 * A closed form of what links and headers cost, as simulations of data centres reckon the time of a
 * flow alone: its frames follow each other at the rate of the slowest link, and are stored and
 * forwarded at each. With TCP each segment holds one FPDU of a tagged message, without Markers.
 * Hosts, RNICs and TCP's slow start take no time.
 */
class EmptyPath : public SimpleRefCount<EmptyPath>
{
  public:
    /// Look at a path. @param network with routes @param from host @param to host with a path
    /// @param headers octets in a full datagram besides the payload
    EmptyPath(const IwarpNetwork& network, uint32_t from, uint32_t to, uint32_t headers);

    /// Tell the time of a message. @param octets payload, at least 1 @return from its first octet's
    /// being sent until the last has come
    Time GetTime(uint64_t octets) const;

    uint32_t GetPayload() const; //!< Tell the payload of a full packet. @return octets
    /// Tell the time of a full packet and its acknowledgement. @return from its first octet's being
    /// sent until a least frame that answers it has come back
    Time GetRoundTrip() const;
    /// Tell the bandwidth-delay product. @return full packets that the slowest link carries in
    /// GetRoundTrip(), rounded up
    uint64_t GetWindow() const;

  private:
    std::vector<IwarpNetwork::Link> m_links; //!< that each packet crosses
    Time m_delay;                            //!< propagation delay of the path
    uint32_t m_headers;                      //!< octets in a datagram besides the payload
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
