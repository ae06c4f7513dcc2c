/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef IWARP_RATE_BOUNDS_H
#define IWARP_RATE_BOUNDS_H

#include "ns3/app-metric.h"
#include "ns3/iwarp-topology.h"

#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <vector>

namespace ns3
{
namespace iwarp
{

/**
 * @ingroup iwarp-helper
 * @brief The physical bounds of the rates that a run reports: of links, and of hosts' RNICs.
 *
 * A rate above its bound is an error of what measures it or of what simulates. Where a time is
 * measured that begins after the flows have, octets come on top that were on their way then: to
 * links those that waited behind a hole or were in RNICs, to hosts all of a window.
 */
class RateBounds
{
  public:
    static constexpr uint32_t FPDU_HEADERS = 2 + 4 + 14; //!< least octets around a message's: an
                                                         //!< FPDU's length and CRC, and the header
                                                         //!< of a tagged DDP segment

    /// What the RNIC of a host can do at most
    struct Host
    {
        double fromHost; //!< data that the host interface reads, bit/s
        double toHost;   //!< data that it writes, bit/s
        double messages; //!< messages that it begins, 1/s
    };

    /**
     * @brief Find the bounds that links and headers set to all pairs of hosts together.
     *
     * Each pair is counted at that link of its path that has the least for each of the pairs that
     * have to cross it; where paths divide, at a host's own link. Their sum is no less than any
     * flow through the network.
     * @param network with routes
     * @param ends pairs of hosts, sending and receiving
     * @param headers octets in a full datagram besides the payload of the transport
     * @param message octets there besides the payload of a message
     * @param bothWays messages have payload from receiving hosts to sending ones as well
     */
    RateBounds(const IwarpNetwork& network,
               const IwarpTopology::Ends& ends,
               uint32_t headers,
               uint32_t message = FPDU_HEADERS,
               bool bothWays = false);

    /**
     * @brief Find the bounds that RNICs set to the same pairs of hosts, in the same way.
     * @param find tells what that of a host can do; infinity for no limit
     */
    void AddHosts(const std::function<Host(uint32_t)>& find);

    /// Say what can be on its way, or wait behind a hole, at any time. @param octets of all
    /// connections' receive windows; if not called, bounds that depend on it are left out
    void SetHeld(double octets);

    /// Say what RNICs had of the payload that counts, and hosts not. @param start octets when
    /// counting began @param together the same when the time began in which all flows run
    void SetInRnics(double start, double together);

    /// Say what may come with the octets that begin a time that is measured. @param octets of a
    /// segment of each connection
    void SetSegments(double octets);
    double GetSegments() const; //!< Get what was set by SetSegments(). @return octets

    /// Get what full segments leave to TCP's payload, one way. @return bit/s
    double GetTcp() const;
    /// Get what full segments of an FPDU each leave to the payload of tagged DDP segments, which
    /// have the shortest headers, in all directions that it goes. @return bit/s
    double GetPayload() const;

    /**
     * @brief Compare the rates of a run.
     * @param metrics of the run
     * @return "", or one line that says which rate is above what, or that the time it is of is too
     * short: a segment that ends a message may begin the next
     */
    std::string Check(const std::vector<AppMetric>& metrics) const;

  private:
    /// The most that a metric can be
    struct Limit
    {
        std::string metric; //!< its name, without the size that a series has
        double most;        //!< in its unit
        const char* by;     //!< what sets it
        double time{NONE};  //!< from a message's end on, s; if another end begins it, NONE
    };

    static constexpr double NONE = std::numeric_limits<double>::infinity(); //!< no limit

    /// @param metrics of a run @param suffix that those of a series have @return their limits
    std::vector<Limit> ListLimits(const std::vector<AppMetric>& metrics,
                                  const std::string& suffix) const;

    IwarpTopology::Ends m_ends;  //!< from where to where messages have payload
    double m_tcp{0};             //!< for TCP's payload, one way, bit/s
    double m_payload{0};         //!< for messages, bit/s
    double m_held{NONE};         //!< see SetHeld(), bit
    double m_inRnics{0};         //!< see SetInRnics(), when counting began, bit
    double m_inRnicsTogether{0}; //!< and when all flows had begun, bit
    double m_segments{0};        //!< see SetSegments(), bit
    double m_there{NONE};        //!< what RNICs leave to messages of sending hosts, bit/s
    double m_back{NONE};         //!< to those of receiving hosts, bit/s
    double m_begunThere{NONE};   //!< messages that RNICs of sending hosts begin, 1/s
    double m_begunBack{NONE};    //!< and those of receiving hosts, 1/s
};

} // namespace iwarp
} // namespace ns3

#endif // IWARP_RATE_BOUNDS_H
