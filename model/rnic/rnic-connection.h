/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RNIC_CONNECTION_H
#define RNIC_CONNECTION_H

#include "rnic-segment.h"

#include "ns3/rdma-hardware-queue.h"
#include "ns3/record-segment-sink.h"
#include "ns3/rnic-retirement.h"
#include "ns3/tcp-connection.h"

#include <cstdint>
#include <memory>

namespace ns3
{

class Rnic;

/**
 * @ingroup iwarp-rnic
 * @brief A connection or a listener of an RNIC: what the layers above see of it, and what the RNIC
 * remembers of it.
 */
class RnicConnection : public TcpConnection, public RecordSegmentSink, public RdmaHardwareQueue
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
    bool WantsSources() const override;
    uint64_t GetUnretired() override;
    Time GetTimeToRetire(uint64_t octets) override;
    // RdmaHardwareQueue
    bool RingDoorbell(uint32_t count, uint64_t payload, bool inlined, uint32_t waiting) override;
    Time Begin(uint32_t waiting) override;
    Time BeginLocal(uint32_t waiting, uint32_t pages) override;
    void TakeReceive() override;
    Time Complete(bool invalidates) override;
    Time GetTimeToHost() const override;

    RnicConnectionState path;    //!< what the datapath remembers
    RnicSegment* atTcp{nullptr}; //!< the segment that TCP works on, if it does
    RnicTime placedAt{0};        //!< ps, when all that was placed so far has left for the host
    RnicTime seenAt{0};          //!< ps, when a program that looks sees all of that
    uint64_t octetsInMemory{0};  //!< octets that wait for the rest of their FPDU
    std::unique_ptr<RnicRetirement> retirement; //!< what has not been retired, if that is counted

  private:
    Ptr<Rnic> m_rnic; //!< its RNIC
};

} // namespace ns3

#endif // RNIC_CONNECTION_H
