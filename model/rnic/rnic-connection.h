/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RNIC_CONNECTION_H
#define RNIC_CONNECTION_H

#include "rnic-segment.h"

#include "ns3/rdma-hardware-queue.h"
#include "ns3/record-offload.h"
#include "ns3/record-segment-sink.h"
#include "ns3/rnic-offload.h"
#include "ns3/rnic-retirement.h"
#include "ns3/sequence-number.h"
#include "ns3/tcp-connection.h"

#include <cstdint>
#include <memory>
#include <optional>

namespace ns3
{

class Rnic;

/**
 * @ingroup iwarp-rnic
 * @brief A connection or a listener of an RNIC: what happens to its segments and work requests, and
 * what the layers above see of that.
 *
 * Its way through the RNIC's pipelines is here; what all connections share, and the traces, are the
 * RNIC's.
 */
class RnicConnection : public TcpConnection,
                       public RecordSegmentSink,
                       public RecordOffload,
                       public RdmaHardwareQueue
{
  public:
    /// Make a connection or a listener of an RNIC.
    /// @param rnic its RNIC @param key unique among the RNIC's connections
    RnicConnection(Ptr<Rnic> rnic, uint64_t key);
    ~RnicConnection() override;

    // TcpConnection
    void Receive(TcpEndPointTable& table,
                 const TcpSegmentHead& head,
                 Ptr<Packet> packet,
                 const Ipv4Header& header,
                 Ptr<Ipv4Interface> interface) override;
    void Receive(TcpEndPointTable& table,
                 const TcpSegmentHead& head,
                 Ptr<Packet> packet,
                 const Ipv6Header& header,
                 Ptr<Ipv6Interface> interface) override;
    void Send(TcpEndPointTable& table,
              const TcpSegmentHead& head,
              Ptr<Packet> packet,
              Ipv4Address from,
              Ipv4Address to,
              Ptr<Ipv4Route> route) override;
    void Send(TcpEndPointTable& table,
              const TcpSegmentHead& head,
              Ptr<Packet> packet,
              Ipv6Address from,
              Ipv6Address to,
              Ptr<Ipv6Route> route) override;
    void Removed() override;
    // RecordSegmentSink
    bool HasMemoryLimit() const override;
    uint64_t GetMemoryRoom(bool inOrder) const override;
    uint64_t GetMemoryBehind() const override;
    void Segment(const RecordSegmentReport& report,
                 uint32_t size,
                 const RecordPlacementList& placements,
                 uint64_t held) override;
    void ReleaseHeld() override;
    bool WantsSources() const override;
    uint64_t GetUnretired() override;
    Time GetTimeToRetire(uint64_t octets) override;
    Time GetTimeToHost() const override;
    // RecordOffload
    bool HoldsSegments() const override;
    void SetService(const RecordService& service) override;
    bool Follow(const RecordFraming& framing, uint32_t seq, RecordOffload::User& user) override;
    void Unfollow() override;
    bool WasWorkedOn() const override;
    bool WaitsForSoftware() const override;
    void Answer(uint32_t seq, bool isRecord) override;
    void Resume(uint32_t seq) override;
    // RdmaHardwareQueue
    bool RingDoorbell(uint32_t count, uint64_t payload, bool inlined, uint32_t waiting) override;
    Time Begin(uint32_t waiting) override;
    Time BeginLocal(uint32_t waiting, uint32_t pages) override;
    void ConsumeReceive() override;
    Time Complete(bool invalidates) override;

  private:
    /// @param table of the node @param head of a segment that comes in @param packet segment
    /// @param header IP header @param interface where it came in
    template <typename H, typename I>
    void DoReceive(TcpEndPointTable& table,
                   const TcpSegmentHead& head,
                   const Ptr<Packet>& packet,
                   const H& header,
                   const Ptr<I>& interface);
    /// A segment is past the pipelines. @param segment how it came; other parameters as
    /// DoReceive()
    template <typename H, typename I>
    void Deliver(RnicSegment segment,
                 const TcpSegmentHead& head,
                 const Ptr<Packet>& packet,
                 const H& header,
                 const Ptr<I>& interface);
    /// @param table of the node @param head of a segment that goes out @param packet segment
    /// @param from source @param to destination @param route route
    template <typename A, typename R>
    void DoSend(TcpEndPointTable& table,
                const TcpSegmentHead& head,
                const Ptr<Packet>& packet,
                const A& from,
                const A& to,
                const Ptr<R>& route);
    /// @param head of a segment @param tos type of service or traffic class of its IP header
    /// @return the same for the pipelines, on its way from now on
    RnicSegment MakeSegment(const TcpSegmentHead& head, uint8_t tos);
    /// @param head of a segment that goes out @param size its octets @param[in,out] segment gets
    /// what it says of its payload @param[out] sources where that is
    void FindPayload(const TcpSegmentHead& head,
                     uint32_t size,
                     RnicSegment& segment,
                     RecordPlacementList& sources);
    /// Take a segment through the pipeline. @param head of it @param size its octets
    /// @param segment without its payload @param protection what ESP does to it, nullptr if nothing
    /// @param leave called with it when it is through, now or later
    template <typename F>
    void Transmit(const TcpSegmentHead& head,
                  uint32_t size,
                  RnicSegment segment,
                  const RnicProtection* protection,
                  F leave);
    void SetHeld(uint64_t held); //!< @param held octets that wait for the rest of their FPDU
    /// Bring payload to the host. @param size octets of its segment @param ops what that needed
    /// @param placements where it goes @return time until the host sees it
    Time Place(uint32_t size, const RnicOps& ops, const RecordPlacementList& placements);

    Ptr<Rnic> m_rnic;                       //!< its RNIC
    RnicConnectionState m_state;            //!< what the datapath remembers
    RnicSegment* m_atTcp{nullptr};          //!< the segment that TCP works on, if it does
    RnicTime m_placedAt{0};                 //!< ps, when all that was placed so far has left
                                            //!< for the host
    RnicTime m_seenAt{0};                   //!< ps, when a program that looks sees all of that
    std::optional<SequenceNumber32> m_sent; //!< behind all payload that was sent, once some was
    uint64_t m_held{0};                     //!< octets that wait for the rest of their FPDU
    std::unique_ptr<RnicOffload> m_offload; //!< beside TCP, if it works on records
    bool m_follows{false};                  //!< on those that come, too
    std::unique_ptr<RnicRetirement> m_retirement; //!< what has not been retired, if that is counted
};

} // namespace ns3

#endif // RNIC_CONNECTION_H
