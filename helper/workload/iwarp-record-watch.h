/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef IWARP_RECORD_WATCH_H
#define IWARP_RECORD_WATCH_H

#include "ns3/iwarp-flow-collector.h"
#include "ns3/packet.h"
#include "ns3/record-segment-times.h"
#include "ns3/sequence-number.h"
#include "ns3/simple-ref-count.h"
#include "ns3/socket.h"
#include "ns3/tcp-header.h"
#include "ns3/tcp-socket-base.h"

#include <cstdint>
#include <vector>

namespace ns3
{
namespace iwarp
{

/**
 * @ingroup iwarp-helper
 * @brief Tells a collector of the records that come over a TCP socket of any kind, which are its
 * frames: it knows when segments came, and so how long records waited for others.
 */
class RecordWatch : public SimpleRefCount<RecordWatch>
{
  public:
    /// @param collector of the flow; kept as long as this
    explicit RecordWatch(Ptr<FlowCollector> collector);

    /// Follow the segments of a connection. @param socket of it, to which nothing has come; it
    /// keeps this
    void Watch(Ptr<Socket> socket);

    /**
     * @brief A record is there, whole and in order: tell of each.
     * @param offset octets of the stream before it
     * @param size its octets
     * @param counts it is a frame of the flow; those of startup are not
     */
    void HandleRecord(uint64_t offset, uint64_t size, bool counts);

  private:
    /// One that has come
    struct Segment
    {
        SequenceNumber32 seq; //!< of its first octet
        uint32_t size;        //!< octets
        int64_t time;         //!< when it came
    };

    /// A segment is there. @param packet payload @param header of it @param socket that it came to
    void HandleSegment(Ptr<const Packet> packet,
                       const TcpHeader& header,
                       Ptr<const TcpSocketBase> socket);
    /// @param segment whose place in the stream can be told now
    void Add(const Segment& segment);

    Ptr<FlowCollector> m_collector; //!< of the flow
    RecordSegmentTimes m_times;     //!< segments
    std::vector<Segment> m_first;   //!< before the first record
    SequenceNumber32 m_start{0};    //!< of the stream's first octet
    bool m_isKnown{false};          //!< m_start is
    uint64_t m_offset{0};           //!< behind the last record that is whole
};

} // namespace iwarp
} // namespace ns3

#endif // IWARP_RECORD_WATCH_H
