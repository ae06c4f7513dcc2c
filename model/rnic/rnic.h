/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RNIC_H
#define RNIC_H

#include "rnic-datapath.h"
#include "rnic-flow.h"
#include "rnic-ops.h"
#include "rnic-settings.h"
#include "rnic-socket-homes.h"

#include "ns3/ip-l4-protocol.h"
#include "ns3/ipv4-header.h"
#include "ns3/ipv4-interface.h"
#include "ns3/ipv6-header.h"
#include "ns3/ipv6-interface.h"
#include "ns3/packet.h"
#include "ns3/random-variable-stream.h"
#include "ns3/traced-callback.h"
#include "ns3/traced-value.h"

#include <memory>
#include <string>
#include <vector>

namespace ns3
{

class RnicProtocol;

/**
 * @ingroup iwarp-rnic
 * @brief An RNIC, aggregated to a node that has an internet stack.
 *
 * It stands between IP and TCP in both directions. Segments and ACKs of its connections, those of
 * MpaTcpSocket, pass its pipelines; all others are left alone. Its connection table leads a
 * received segment straight to the endpoint of its connection.
 *
 * Sockets have to be created after the RNIC is there (RnicHelper). With nothing that takes time,
 * which is the default, segments come and go as without it.
 */
class Rnic : public RnicSettings
{
  public:
    /// Why something was dropped.
    enum class DropReason : uint8_t
    {
        PACKET_BUFFER,         //!< no room for the frame on its way in
        MEMORY_FULL,           //!< no room in the reassembly memory
        MEMORY_PER_CONNECTION, //!< the connection holds all that one may
        MEMORY_TOO_SMALL,      //!< not even an empty reassembly memory would do
    };

    /// Which cache.
    enum class Cache : uint8_t
    {
        CONTEXT,     //!< contexts of connections
        TRANSLATION, //!< translation and protection entries
    };

    /// Signature of Transmit and Receive. @param flow key of the connection @param frame octets of
    /// the frame @param delay time that it spends in the RNIC before the link, or before TCP
    typedef void (*FrameTracedCallback)(uint64_t flow, uint32_t frame, Time delay);
    /// Signature of Placed. @param flow key of the connection @param octets placed on the arrival
    /// of a segment @param delay from then until the host sees them @param aligned the segment is
    typedef void (*PlacedTracedCallback)(uint64_t flow, uint64_t octets, Time delay, bool aligned);
    /// Signature of Ops. @param flow key of the connection @param ops what a segment needed
    typedef void (*OpsTracedCallback)(uint64_t flow, const RnicOps& ops);
    /// Signature of Drop. @param flow key of the connection @param octets dropped @param reason why
    typedef void (*DropTracedCallback)(uint64_t flow, uint32_t octets, DropReason reason);
    /// Signature of CacheAccess. @param cache which @param key of the entry @param hit it was there
    typedef void (*CacheTracedCallback)(Cache cache, uint64_t key, bool hit);

    static TypeId GetTypeId(); //!< @return the object TypeId
    Rnic();
    ~Rnic() override;

    /// @return what is wrong with the attributes, for people; empty if nothing. A simulation does
    /// not start with wrong ones.
    std::string Check() const;

    /// @param stream first stream of random numbers @return streams used: 1
    int64_t AssignStreams(int64_t stream);

    RnicDatapath& GetDatapath();     //!< @return pipelines and memories, with their statistics
    const RnicOps& GetOps() const;   //!< @return operations so far
    uint64_t GetConnections() const; //!< @return connections and listeners in the table

    // Seen from the stack

    /// @param packet TCP segment @param header its IP header @param interface where it came in
    /// @return as IpL4Protocol::Receive()
    IpL4Protocol::RxStatus Receive(Ptr<Packet> packet,
                                   const Ipv4Header& header,
                                   Ptr<Ipv4Interface> interface);
    /// @param packet TCP segment @param header its IP header @param interface where it came in
    /// @return as IpL4Protocol::Receive()
    IpL4Protocol::RxStatus Receive(Ptr<Packet> packet,
                                   const Ipv6Header& header,
                                   Ptr<Ipv6Interface> interface);
    /// @param source sender of the message @param ttl its time to live @param type its type
    /// @param code its code @param info its data @param from source of the datagram it is about
    /// @param to destination of that @param payload first octets of the segment in it
    void ReceiveIcmp(Ipv4Address source,
                     uint8_t ttl,
                     uint8_t type,
                     uint8_t code,
                     uint32_t info,
                     Ipv4Address from,
                     Ipv4Address to,
                     const uint8_t payload[8]);
    /// @param source sender of the message @param ttl its hop limit @param type its type
    /// @param code its code @param info its data @param from source of the datagram it is about
    /// @param to destination of that @param payload first octets of the segment in it
    void ReceiveIcmp(Ipv6Address source,
                     uint8_t ttl,
                     uint8_t type,
                     uint8_t code,
                     uint32_t info,
                     Ipv6Address from,
                     Ipv6Address to,
                     const uint8_t payload[8]);
    void SetDownTarget(IpL4Protocol::DownTargetCallback down);   //!< @param down way to IPv4
    void SetDownTarget6(IpL4Protocol::DownTargetCallback6 down); //!< @param down way to IPv6
    IpL4Protocol::DownTargetCallback GetDownTarget() const;      //!< @return way to IPv4
    IpL4Protocol::DownTargetCallback6 GetDownTarget6() const;    //!< @return way to IPv6

    // Seen from connections

    Ptr<TcpL4Protocol> TakeHome() override;
    void LeaveHome(Ptr<TcpL4Protocol> home) override;
    uint16_t TakePort(bool ipv6) override;
    void LeavePort(bool ipv6, uint16_t port) override;
    Ptr<MpaOffloadFlow> Add(Ipv4EndPoint* const* endPoint,
                            Ipv6EndPoint* const* endPoint6,
                            bool listening) override;
    void Remove(Ptr<MpaOffloadFlow> flow) override;

    bool HasMemoryLimit(); //!< @return true if the reassembly memory has a limit
    /// @param flow connection @param inOrder for octets at the left edge of its window
    /// @return octets that it may hold in addition
    uint64_t GetMemoryRoom(const RnicFlow& flow, bool inOrder);
    /// @param flow connection @param report what a segment meant @param size its octets
    /// @param placed octets of the ULPDUs passed @param held octets that the connection holds now
    void HandleSegment(RnicFlow& flow,
                       const MpaSegmentReport& report,
                       uint32_t size,
                       uint64_t placed,
                       uint64_t held);
    Time Post(RnicFlow& flow, uint64_t octets); //!< see MpaOffloadFlow @param flow connection
                                                //!< @param octets payload @return time
    Time Complete(RnicFlow& flow); //!< see MpaOffloadFlow @param flow connection @return time
    Time GetTimeToHost(const RnicFlow& flow) const; //!< see MpaOffloadFlow @param flow connection
                                                    //!< @return time

  protected:
    void NotifyNewAggregate() override;
    void DoInitialize() override;
    void DoDispose() override;

  private:
    /// The segment that is with TCP.
    struct Current
    {
        RnicFlow* flow{nullptr};       //!< its connection
        RnicDatapath::Arrival arrival; //!< how it came
        uint32_t frame{0};             //!< octets of its frame that are still in the packet buffer
    };

    void Start();          //!< makes the datapath of the attributes
    static RnicTime Now(); //!< @return ps, the clock
    /// @param tuple addresses @return the connection or nullptr
    RnicFlow* Find(const RnicTuple& tuple);
    /// @param endPoint of a connection @param interface where a segment came in @return it takes it
    template <typename E, typename I>
    static bool Takes(E& endPoint, const Ptr<I>& interface);
    /**
     * @brief Find the way up for a segment.
     * @param packet segment
     * @param local destination of its datagram
     * @param peer source of its datagram
     * @param interface where it came in
     * @param[out] port of the peer
     * @return its connection, or nullptr if it is not the RNIC's
     */
    template <typename A, typename I>
    RnicFlow* FindReceiver(const Ptr<Packet>& packet,
                           const A& local,
                           const A& peer,
                           const Ptr<I>& interface,
                           uint16_t& port);
    template <typename H, typename I>
    IpL4Protocol::RxStatus DoReceive(Ptr<Packet> packet,
                                     const H& header,
                                     Ptr<I> interface); //!< @param packet segment @param header
                                                        //!< of IP @param interface @return status
    /// @param flow connection @param packet segment @param header of IP @param port of the peer
    /// @param interface where it came in
    void Forward(RnicFlow& flow,
                 Ptr<Packet> packet,
                 const Ipv4Header& header,
                 uint16_t port,
                 Ptr<Ipv4Interface> interface);
    /// @param flow connection @param packet segment @param header of IP @param port of the peer
    /// @param interface where it came in
    void Forward(RnicFlow& flow,
                 Ptr<Packet> packet,
                 const Ipv6Header& header,
                 uint16_t port,
                 Ptr<Ipv6Interface> interface);
    /// A segment that is past the pipelines.
    template <typename H, typename I>
    struct Delivery;
    /// @param delivery what goes up to TCP now
    template <typename H, typename I>
    void Deliver(const Delivery<H, I>& delivery);
    /// A segment that goes down. @param packet segment @param from source @param to destination
    /// @param protocol TCP @param route route
    void Send(Ptr<Packet> packet,
              Ipv4Address from,
              Ipv4Address to,
              uint8_t protocol,
              Ptr<Ipv4Route> route);
    /// A segment that goes down. @param packet segment @param from source @param to destination
    /// @param protocol TCP @param route route
    void Send6(Ptr<Packet> packet,
               Ipv6Address from,
               Ipv6Address to,
               uint8_t protocol,
               Ptr<Ipv6Route> route);
    /// @param packet segment @param from source @param to destination @param header octets of its
    /// IP header @param[out] delay time until it leaves @return false if it may leave at once
    template <typename A>
    bool Delay(const Ptr<Packet>& packet, const A& from, const A& to, uint32_t header, Time& delay);
    /// @param packet segment @param from source @param to destination @param route route
    void SendNow(Ptr<Packet> packet, Ipv4Address from, Ipv4Address to, Ptr<Ipv4Route> route);
    /// @param packet segment @param from source @param to destination @param route route
    void SendNow6(Ptr<Packet> packet, Ipv6Address from, Ipv6Address to, Ptr<Ipv6Route> route);

    Ptr<TcpL4Protocol> m_tcp;                  //!< the node's own
    Ptr<RnicProtocol> m_protocol;              //!< what IP knows
    IpL4Protocol::DownTargetCallback m_down;   //!< way to IPv4
    IpL4Protocol::DownTargetCallback6 m_down6; //!< way to IPv6
    RnicSocketHomes m_homes;                   //!< where connections keep their endpoints
    std::vector<bool> m_ports[2];              //!< ephemeral ports in use, IPv4 and IPv6
    RnicFlowTable m_flows;                     //!< connections
    uint64_t m_nextKey{0};                     //!< of the next connection
    std::unique_ptr<RnicDatapath> m_path;      //!< pipelines and memories, once started
    Ptr<UniformRandomVariable> m_random;       //!< for random replacement
    bool m_ideal{false};                       //!< started, and nothing takes time
    uint32_t m_linkOverhead{0};                //!< octets around a datagram
    Current m_current;                         //!< segment that is with TCP
    uint64_t m_leaving{0};                     //!< segments that wait to leave
    uint64_t m_coming{0};                      //!< segments that wait for TCP
    RnicOps m_ops;                             //!< operations

    TracedValue<uint64_t> m_memoryHeld{0};                        //!< octets
    TracedValue<uint64_t> m_bufferHeld{0};                        //!< octets
    TracedCallback<uint64_t, uint32_t, Time> m_transmitTrace;     //!< Transmit
    TracedCallback<uint64_t, uint32_t, Time> m_receiveTrace;      //!< Receive
    TracedCallback<uint64_t, uint64_t, Time, bool> m_placedTrace; //!< Placed
    TracedCallback<uint64_t, const RnicOps&> m_opsTrace;          //!< Ops
    TracedCallback<uint64_t, uint32_t, DropReason> m_dropTrace;   //!< Drop
    TracedCallback<Cache, uint64_t, bool> m_cacheTrace;           //!< CacheAccess
};

} // namespace ns3

#endif // RNIC_H
