/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef MPA_OFFLOAD_H
#define MPA_OFFLOAD_H

#include "ns3/nstime.h"
#include "ns3/object.h"
#include "ns3/simple-ref-count.h"

#include <cstdint>

namespace ns3
{

class Ipv4EndPoint;
class Ipv6EndPoint;
class TcpL4Protocol;
struct MpaSegmentReport;

/**
 * @ingroup iwarp-mpa
 * @brief A connection as hardware below TCP keeps it.
 */
class MpaOffloadFlow : public SimpleRefCount<MpaOffloadFlow>
{
  public:
    virtual ~MpaOffloadFlow() = default;

    /// @return true if octets that wait for the rest of their FPDU share a memory with others'
    virtual bool HasMemoryLimit() const = 0;

    /// @param inOrder for octets at the left edge of the window
    /// @return octets that the connection may hold in addition to what it holds
    virtual uint64_t GetMemoryRoom(bool inOrder) const = 0;

    /**
     * @brief MPA has looked at a segment.
     * @param report what it meant
     * @param size octets of it
     * @param placed octets of the ULPDUs passed on its arrival
     * @param held octets that the connection holds now
     */
    virtual void Segment(const MpaSegmentReport& report,
                         uint32_t size,
                         uint64_t placed,
                         uint64_t held) = 0;

    /**
     * @brief A work request is posted to a send queue that was empty.
     * @param octets of its payload
     * @return time until the hardware begins with it
     */
    virtual Time Post(uint64_t octets) = 0;

    /**
     * @brief A work request is complete, and with it all that was placed so far.
     * @return time until the application knows
     */
    virtual Time Complete() = 0;

    /// @return time until an application that looks at host memory sees all that was placed so far
    virtual Time GetTimeToHost() const = 0;

    /// @return octets of the segments that MPA has looked at and the hardware has not yet retired:
    /// they are in its pipeline or wait for host memory. Counted from the first call on.
    virtual uint64_t GetUnretired() = 0;

    /// @param octets any @return time until no more than so many of those are left
    virtual Time GetTimeToRetire(uint64_t octets) = 0;

    /// @param region key of the memory region that the payload of the segment at hand goes to,
    /// above 2^32; 0 for that of the connection
    virtual void SetRegion(uint64_t region) = 0;
};

/**
 * @ingroup iwarp-mpa
 * @brief Hardware below TCP that carries MPA's connections, aggregated to a node: an RNIC.
 *
 * MpaTcpSocket tells it of its connections and lets it choose the TcpL4Protocol that keeps their
 * endpoints; MpaStream tells it what received segments meant.
 */
class MpaOffload : public Object
{
  public:
    static TypeId GetTypeId(); //!< @return the object TypeId

    /// @return where a connection that is being set up keeps its endpoint
    virtual Ptr<TcpL4Protocol> TakeHome() = 0;

    /// @param home that TakeHome() returned, no longer used by the caller
    virtual void LeaveHome(Ptr<TcpL4Protocol> home) = 0;

    /// @param ipv6 for IPv6 @return an ephemeral port that nobody uses; 0 if there is none
    virtual uint16_t TakePort(bool ipv6) = 0;

    /// @param ipv6 for IPv6 @param port that TakePort() returned, no longer used by the caller
    virtual void LeavePort(bool ipv6, uint16_t port) = 0;

    /**
     * @brief A socket listens, or its connection is being set up: both addresses are known.
     * @param endPoint where the socket keeps its endpoint for IPv4, nullptr once it has none
     * @param endPoint6 the same for IPv6
     * @param listening it listens
     * @return the connection, until Remove()
     */
    virtual Ptr<MpaOffloadFlow> Add(Ipv4EndPoint* const* endPoint,
                                    Ipv6EndPoint* const* endPoint6,
                                    bool listening) = 0;

    /// @param flow that Add() returned; its socket is gone
    virtual void Remove(Ptr<MpaOffloadFlow> flow) = 0;
};

} // namespace ns3

#endif // MPA_OFFLOAD_H
