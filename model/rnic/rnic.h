/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RNIC_H
#define RNIC_H

#include "rnic-connection.h"
#include "rnic-design.h"
#include "rnic-ip-input.h"

#include "ns3/esp-forecast.h"
#include "ns3/object.h"
#include "ns3/packet.h"
#include "ns3/path-framing.h"
#include "ns3/rnic-ops.h"
#include "ns3/tcp-end-point-table.h"
#include "ns3/traced-callback.h"
#include "ns3/traced-value.h"

#include <memory>
#include <string>

namespace ns3
{

/**
 * @ingroup iwarp-rnic
 * @brief An RNIC, aggregated to a node that has an internet stack.
 *
 * It stands between IP and TCP in both directions, with the node's TcpEndPointTable. Segments and
 * ACKs of the connections there, those of MpaTcpSocket, pass its pipelines; all others are left
 * alone.
 *
 * Where its design has stages for ESP, segments that the node's EspForecast knows as protected take
 * their time there, and go over the link as long as they are with ESP.
 *
 * Sockets have to listen or connect after the RNIC is there (RnicHelper). With nothing that takes
 * time, which is the default, segments come and go as without it.
 */
class Rnic : public Object
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

    static TypeId GetTypeId(); //!< Get the type ID. @return the object TypeId
    Rnic();
    ~Rnic() override;

    /// Look for attributes of the parts that make no sense. A simulation does not start with such.
    /// @return what is wrong with them, for people; empty if nothing
    std::string Check();

    /// Make the random numbers of the RNIC reproducible.
    /// @param stream first stream of random numbers @return streams used: 1
    int64_t AssignStreams(int64_t stream);

    /// Say what the RNIC is made of; ideal parts if this is not called. NS_ABORT if it has started.
    /// @param design its stages and resources
    void SetDesign(const RnicDesign& design);

    /// Give access to the parts, for their statistics, and for stages to be added before the start.
    /// @return pipelines and resources
    RnicDatapath& GetDatapath();

    /// Count what received segments needed of the RNIC, all connections together.
    /// @return operations so far
    const RnicOps& GetOps() const;
    /// Begin to count anew, operations and what the parts count; what is held stays.
    void RestartStatistics();
    /// Count what senders of IP fragments were told. @return ICMP messages that their datagrams are
    /// too large, since the start or RestartStatistics()
    uint64_t GetIcmpSent() const;
    /// Count the sockets that the RNIC works for. @return connections and listeners in the table
    uint64_t GetConnections() const;

    // Seen from its connections

    /// A segment comes in. @param connection to which it belongs @param head of it
    /// @param packet segment @param header its IP header @param interface where it came in
    void Receive(RnicConnection& connection,
                 const TcpSegmentHead& head,
                 Ptr<Packet> packet,
                 const Ipv4Header& header,
                 Ptr<Ipv4Interface> interface);
    /// As above, for IPv6. @param connection connection @param head head @param packet segment
    /// @param header IP header @param interface where it came in
    void Receive(RnicConnection& connection,
                 const TcpSegmentHead& head,
                 Ptr<Packet> packet,
                 const Ipv6Header& header,
                 Ptr<Ipv6Interface> interface);
    /// A segment goes out. @param connection to which it belongs @param head of it
    /// @param packet segment @param from source @param to destination @param route route
    void Send(RnicConnection& connection,
              const TcpSegmentHead& head,
              Ptr<Packet> packet,
              Ipv4Address from,
              Ipv4Address to,
              Ptr<Ipv4Route> route);
    /// As above, for IPv6. @param connection connection @param head head @param packet segment
    /// @param from source @param to destination @param route route
    void Send(RnicConnection& connection,
              const TcpSegmentHead& head,
              Ptr<Packet> packet,
              Ipv6Address from,
              Ipv6Address to,
              Ptr<Ipv6Route> route);
    void Forget(const RnicConnection& connection); //!< Its socket is gone. @param connection it

    /// Tell whether the window of a connection has to heed the reassembly memory.
    /// @return true if the memory, or what one connection may hold of it, has a limit
    bool HasMemoryLimit();
    /// Tell how much more of the reassembly memory a connection may take.
    /// @param connection connection @param inOrder for octets at the left edge of its window
    /// @return octets that it may hold in addition
    uint64_t GetMemoryRoom(const RnicConnection& connection, bool inOrder);
    /// Tell how much of the reassembly memory a connection may hold in all besides the reserve.
    /// @param connection connection @return octets
    uint64_t GetMemoryBehind(const RnicConnection& connection);
    /// Tell whether translation entries may be missing. @return true if their cache has a limit
    bool TranslatesAddresses() const;
    /// Time what MPA says of a segment. @param connection connection @param report what it meant
    /// @param size its octets @param placements where its ULPDUs go @param held octets that the
    /// connection holds now
    void HandleSegment(RnicConnection& connection,
                       const RecordSegmentReport& report,
                       uint32_t size,
                       const RecordPlacementList& placements,
                       uint64_t held);
    /// Ring the doorbell for work requests, see RdmaHardwareQueue.
    /// @param connection connection @param count how many @param payload octets that they send
    /// @param inlined these are in the work requests, not in host memory
    /// @param waiting work requests in front of them @return true if the doorbell brings them along
    bool RingDoorbell(RnicConnection& connection,
                      uint32_t count,
                      uint64_t payload,
                      bool inlined,
                      uint32_t waiting);
    /// Begin a message, see RdmaHardwareQueue. @param connection connection
    /// @param waiting work requests that have not begun @return time until it has
    Time Begin(RnicConnection& connection, uint32_t waiting);
    /// Begin what changes who may use memory, see RdmaHardwareQueue. @param connection connection
    /// @param waiting work requests that have not begun @param pages that it registers
    /// @return time until it is done
    Time BeginLocal(RnicConnection& connection, uint32_t waiting, uint32_t pages);
    /// Complete a work request, with all that was placed so far, see RdmaHardwareQueue.
    /// @param connection connection @param invalidates it has invalidated an STag
    /// @return time until the application knows
    Time Complete(const RnicConnection& connection, bool invalidates);
    /// Tell when host memory shows all that was placed so far, see RdmaHardwareQueue.
    /// @param connection connection @return time until a program that looks there sees it
    Time GetTimeToHost(const RnicConnection& connection) const;

  protected:
    void NotifyNewAggregate() override;
    void DoInitialize() override;
    void DoDispose() override;

  private:
    /// @param direction of packets @param association number of one that is gone
    void ForgetAssociation(EspDirection direction, uint64_t association);
    void ReceiveForged(const EspWork& work); //!< @param work of a packet that IPsec drops then
    void LimitQueuePairs();                  //!< tells the node's RdmaDevice how many there can be
    void Start(); //!< begins with the attributes of the parts as they are
    void NoteContext(uint64_t key, bool hit); //!< @param key of a context @param hit it was there
    void NoteTranslation(uint64_t key,
                         bool hit);        //!< @param key of an entry @param hit it was there
    Ptr<TcpConnection> CreateConnection(); //!< @return a connection for the table
    static RnicTime Now();                 //!< @return ps, the clock
    /// A segment that is past the pipelines.
    template <typename H, typename I>
    struct Delivery;
    /// @param connection connection @param head of the segment @param packet segment
    /// @param header of IP @param interface where it came in
    template <typename H, typename I>
    void DoReceive(RnicConnection& connection,
                   const TcpSegmentHead& head,
                   Ptr<Packet> packet,
                   const H& header,
                   Ptr<I> interface);
    /// @param delivery what goes up to TCP now
    template <typename H, typename I>
    void Deliver(const Delivery<H, I>& delivery);
    /// @param connection connection @param head of the segment @param packet segment
    /// @param from source @param to destination @param route route @param ip octets of IP's header
    template <typename A, typename R>
    void DoSend(RnicConnection& connection,
                const TcpSegmentHead& head,
                Ptr<Packet> packet,
                const A& from,
                const A& to,
                Ptr<R> route,
                uint32_t ip);
    /// @param connection connection @param head of the segment @param size its octets
    /// @param ip octets of IP's header @param protection what ESP does to it, nullptr if nothing
    /// @return time until it leaves
    Time Transmit(RnicConnection& connection,
                  const TcpSegmentHead& head,
                  uint32_t size,
                  uint32_t ip,
                  RnicProtection* protection);
    /// A segment leaves for the link. @param packet segment @param from source @param to
    /// destination @param route route @param whole it is not to be fragmented
    template <typename A, typename R>
    void SendNow(Ptr<Packet> packet, A from, A to, Ptr<R> route, bool whole);

    Ptr<TcpEndPointTable> m_table;        //!< the node's, with its connections
    uint64_t m_nextKey{0};                //!< of the next connection
    std::unique_ptr<RnicDatapath> m_path; //!< pipelines and resources
    std::unique_ptr<RnicIpInput> m_input; //!< puts IP fragments together, from the start
    bool m_started{false};                //!< the parts' attributes count as they were then
    Ptr<EspForecast> m_forecast;          //!< the node's, if it has IPsec
    bool m_protects{false};               //!< started, and there are stages for ESP
    bool m_ideal{false};                  //!< started, and nothing takes time
    bool m_translates{false};             //!< started, and translation entries may be missing
    PathFraming m_framing;                //!< see Framing
    uint64_t m_leaving{0};                //!< segments that wait to leave
    uint64_t m_coming{0};                 //!< segments that wait for TCP
    RnicOps m_ops;                        //!< operations

    TracedValue<uint64_t> m_memoryHeld{0};                        //!< octets
    TracedValue<uint64_t> m_bufferHeld{0};                        //!< octets
    TracedValue<uint64_t> m_fragmentsHeld{0};                     //!< octets
    TracedCallback<uint64_t, uint32_t, Time> m_transmitTrace;     //!< Transmit
    TracedCallback<uint64_t, uint32_t, Time> m_receiveTrace;      //!< Receive
    TracedCallback<uint64_t, uint64_t, Time, bool> m_placedTrace; //!< Placed
    TracedCallback<uint64_t, const RnicOps&> m_opsTrace;          //!< Ops
    TracedCallback<uint64_t, uint32_t, DropReason> m_dropTrace;   //!< Drop
    TracedCallback<Cache, uint64_t, bool> m_cacheTrace;           //!< CacheAccess
};

} // namespace ns3

#endif // RNIC_H
