/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef MPA_TCP_SOCKET_H
#define MPA_TCP_SOCKET_H

#include "ns3/tcp-socket-base.h"

namespace ns3
{

/**
 * @ingroup iwarp-mpa
 * @brief MPA-aware TCP: a TCP socket that cuts segments at record boundaries (RFC 5044 A.1, A.3).
 *
 * A record is what one Send() hands over; MpaStream hands over one FPDU a call, an ordinary
 * application whatever it sends. With Alignment on a segment begins with a record and holds whole
 * records only, as long as a record fits the EMSS; retransmissions keep the boundaries. All other
 * behaviour is TcpSocketBase's.
 */
class MpaTcpSocket : public TcpSocketBase
{
  public:
    /// What the layer above says of a segment before TCP commits to it.
    enum class Verdict : uint8_t
    {
        KEEP, //!< TCP keeps and acknowledges it
        DROP, //!< TCP treats it as lost
    };

    /**
     * @brief Sees each acceptable segment, in order or not, before TCP stores it. The packet is
     * trimmed to what TCP is about to keep.
     */
    using SegmentCallback = Callback<Verdict, SequenceNumber32, Ptr<const Packet>>;

    /// Signature of the SegmentSent trace: socket, sequence number, octets, begins with a record,
    /// holds whole records only, is a retransmission.
    typedef void (*SegmentSentTracedCallback)(SequenceNumber32 seq,
                                              uint32_t size,
                                              bool headerAligned,
                                              bool recordAligned,
                                              bool retransmission);

    static TypeId GetTypeId(); //!< @return the object TypeId
    TypeId GetInstanceTypeId() const override;
    MpaTcpSocket();
    MpaTcpSocket(const MpaTcpSocket& other); //!< for Fork() @param other listening socket
    ~MpaTcpSocket() override;

    void SetSegmentCallback(SegmentCallback callback); //!< @param callback sees each segment
    uint32_t GetEmss() const;          //!< @return EMSS now: octets of payload a segment takes
    uint32_t GetRoomInSegment() const; //!< @return octets left in the segment that the next record
                                       //!< joins; EMSS if it starts one
    SequenceNumber32 GetNextTxOctet()
        const; //!< @return sequence number that the next octet given to Send() gets
    SequenceNumber32 GetNextRxOctet()
        const; //!< @return sequence number of the next octet in order that Recv() has not returned
    bool HoldsReceivedData()
        const; //!< @return true if TCP holds octets, in order or not, that Recv() has not returned
    void SetPathMtu(uint32_t mtu); //!< @param mtu path MTU in octets of IP datagram
};

} // namespace ns3

#endif // MPA_TCP_SOCKET_H
