/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RNIC_SERVER_H
#define RNIC_SERVER_H

#include "ns3/rnic-time.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

/// @ingroup iwarp-rnic
/// @brief What a stage of the RNIC takes for its work. The default takes no time.
struct RnicServerConfig
{
    RnicTime perPacket{0}; //!< ps for each packet, whatever is in it
    RnicTime perUnit{0};   //!< ps for each thing in it, such as an FPDU
    uint64_t bitRate{0};   //!< bit/s at which one engine works through octets; 0 for no limit
    RnicTime latency{0};   //!< ps of delay behind the service; keeps no engine busy
    uint32_t engines{1};   //!< packets served at a time, 1 to 1024

    /// Look for figures out of range. Times may be up to 1 s, rates from RnicRate::SLOWEST on.
    /// @return what is wrong with the figures, for people; empty if nothing
    std::string Check() const;

    /// Tell whether packets pass as if the stage were not there. @return true if nothing takes time
    bool IsIdeal() const;
};

/**
 * @ingroup iwarp-rnic
 * @brief A FIFO stage with one or several equal engines, in closed form.
 *
 * The times of a packet are known when it arrives: it starts on the engine that is free first, not
 * before it has arrived, and departs in the order of arrivals. So a packet needs no event however
 * many stages it crosses. Arrivals have to come in the order of their times.
 */
class RnicServer
{
  public:
    /// When a packet is served.
    struct Visit
    {
        RnicTime start;     //!< ps, service begins
        RnicTime departure; //!< ps, it leaves the stage
    };

    /// Make a stage that is free from time 0 on.
    /// @param config figures; NS_ABORT with a message if Check() finds fault
    explicit RnicServer(const RnicServerConfig& config = {});

    /**
     * @brief A packet arrives.
     * @param arrival ps; an earlier time than that of the last arrival counts as that
     * @param octets to work through
     * @param units things in it
     * @param extra ps for which it occupies the engine besides, such as a wait for context
     * @return when it is served
     */
    Visit Serve(RnicTime arrival, uint64_t octets, uint64_t units = 1, RnicTime extra = 0);

    uint64_t GetServed() const; //!< Count packets that have arrived. @return packets served
    uint64_t GetOctets() const; //!< Count octets worked through. @return octets served
    /// Tell how long engines have worked, or will for what has arrived.
    /// @return ps of service, summed over the engines
    RnicTime GetBusy() const;
    /// Tell how long packets wait for an engine. @return ps, summed over the packets
    RnicTime GetWaited() const;
    RnicTime GetMaxWait() const; //!< Tell the longest wait of a packet for an engine. @return ps
    /// Tell when the next packet can start. @return ps, when an engine is free at the earliest
    RnicTime GetFreeAt() const;

  private:
    RnicServerConfig m_config;    //!< figures
    RnicRate m_rate;              //!< octets to time
    std::vector<RnicTime> m_free; //!< when each engine is free: a heap, the earliest first
    RnicTime m_lastArrival{0};    //!< ps
    RnicTime m_lastDeparture{0};  //!< ps
    uint64_t m_served{0};         //!< packets
    uint64_t m_octets{0};         //!< octets
    RnicTime m_busy{0};           //!< ps
    RnicTime m_waited{0};         //!< ps
    RnicTime m_maxWait{0};        //!< ps
};

} // namespace ns3

#endif // RNIC_SERVER_H
