/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RNIC_H
#define RNIC_H

#include "rnic-connection.h"
#include "rnic-delay-line.h"
#include "rnic-design.h"
#include "rnic-ip-input.h"
#include "rnic-transmit-queues.h"

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

class RnicRxRecordStage;

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

    /// Signature of Transmit and Receive, whenever a frame is at the link. @param flow key of the
    /// connection @param frame octets of it @param delay time that it has been in the RNIC since
    /// TCP sent it, or will be there before TCP gets it
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

    // For its connections

    /// Tell whether nothing takes time. @return true if all parts are ideal
    bool IsIdeal() const;
    /// Tell whether translation entries may be missing. @return true if their cache has a limit
    bool TranslatesAddresses() const;
    /// Find what tells of ESP. @return the node's forecast; nullptr if it has no IPsec, or the RNIC
    /// no stages for ESP
    const EspForecast* GetForecast() const;
    /// Find the table of endpoints. @return the node's; nullptr once that is gone
    TcpEndPointTable* GetTable() const;
    /// Find the size of a frame. @param datagram octets of IP @return octets on the link
    uint32_t GetFrame(uint32_t datagram) const;
    bool IsTcpOnHost() const; //!< Tell who does TCP. @return true if the host's CPUs do
    /// Find what works on records beside TCP. @return its stage; nullptr if there is none
    RnicRxRecordStage* GetRecordEngine() const;
    /// Reach what is counted of records beside TCP. @return all connections together, since the
    /// start or RestartStatistics()
    RnicOffloadCounters& GetOffloadCounters();
    RnicDelayLine& GetOutgoing(); //!< Get the way to the link. @return where segments wait for it
    /// Get where segments wait for their turn. @return queues; nullptr if they take none
    RnicTransmitQueues* GetTransmitQueues() const;
    RnicDelayLine& GetIncoming(); //!< Get the way to TCP. @return where segments wait for it
    /// Say what a connection holds. @param flow key of the connection @param octets in the
    /// reassembly memory
    void SetMemoryHeld(uint64_t flow, uint64_t octets);
    void Release(uint64_t flow); //!< A socket is gone. @param flow key of its connection

    /// Tell of a segment that goes out. @param flow key of its connection @param frame octets
    /// @param delay time until it leaves
    void NotifyTransmitted(uint64_t flow, uint32_t frame, Time delay);
    /// Tell of a segment that comes in. @param flow key of its connection @param frame octets
    /// @param delay time until TCP gets it
    void NotifyReceived(uint64_t flow, uint32_t frame, Time delay);
    /// Tell of payload that goes to the host. @param flow key of its connection @param octets of it
    /// @param delay time until the host sees it @param aligned its segment is
    void NotifyPlaced(uint64_t flow, uint64_t octets, Time delay, bool aligned);
    /// Count what a segment needed. @param flow key of its connection @param ops operations
    void NotifyOps(uint64_t flow, const RnicOps& ops);
    /// Tell of a segment that is dropped. @param flow key of its connection @param octets dropped
    /// @param reason why
    void NotifyDropped(uint64_t flow, uint32_t octets, DropReason reason);
    void NotifyBufferHeld(RnicTime now); //!< A frame has come in. @param now ps, the clock

  protected:
    void NotifyNewAggregate() override;
    void DoInitialize() override;
    void DoDispose() override;

  private:
    /// @param direction of packets @param association number of one that is gone
    void ReleaseAssociation(EspDirection direction, uint64_t association);
    void ReceiveForged(const EspWork& work); //!< @param work of a packet that IPsec drops then
    void LimitQueuePairs();                  //!< tells the node's RdmaDevice how many there can be
    void Start(); //!< begins with the attributes of the parts as they are
    /// @param key of a context that was needed @param hit it was there
    void NotifyContext(uint64_t key, bool hit);
    /// @param key of a translation entry that was needed @param hit it was there
    void NotifyTranslation(uint64_t key, bool hit);
    Ptr<TcpConnection> CreateConnection(); //!< @return a connection for the table
    static RnicTime Now();                 //!< @return ps, the clock

    Ptr<TcpEndPointTable> m_table;        //!< the node's, with its connections
    uint64_t m_nextKey{0};                //!< of the next connection
    std::unique_ptr<RnicDatapath> m_path; //!< pipelines and resources
    std::unique_ptr<RnicIpInput> m_input; //!< puts IP fragments together, from the start
    bool m_started{false};                //!< the parts' attributes count as they were then
    Ptr<EspForecast> m_forecast;          //!< the node's, if it has IPsec
    bool m_protects{false};               //!< started, and there are stages for ESP
    bool m_ideal{false};                  //!< started, and nothing takes time
    bool m_isTcpOnHost{false};            //!< started, and the host's CPUs do TCP
    Ptr<RnicRxRecordStage> m_engine;      //!< works on records beside TCP, once started
    RnicOffloadCounters m_offload;        //!< what it has counted
    bool m_translates{false};             //!< started, and translation entries may be missing
    PathFraming m_framing;                //!< see Framing
    std::unique_ptr<RnicTransmitQueues> m_queues; //!< segments that wait for their turn, from the
                                                  //!< start, if they take turns
    RnicDelayLine m_outgoing;                     //!< segments that wait to leave
    RnicDelayLine m_incoming;                     //!< segments that wait for TCP
    RnicOps m_ops;                                //!< operations

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
