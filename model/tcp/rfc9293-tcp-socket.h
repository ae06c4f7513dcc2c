/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RFC9293_TCP_SOCKET_H
#define RFC9293_TCP_SOCKET_H

#include "tcp-rack-socket.h"
#include "tcp-receive-window.h"
#include "tcp-sack-blocks.h"
#include "tcp-silly-window.h"

#include "ns3/data-rate.h"
#include "ns3/event-id.h"
#include "ns3/ns3-compat.h"
#include "ns3/nstime.h"
#include "ns3/util-lazy-trace.h"

#include <cstdint>

namespace ns3
{

/**
 * @ingroup iwarp-tcp
 * @brief TCP by the RFCs: a socket in place of ns-3's TcpSocketBase, for any application.
 *
 * Where TcpSocketBase (3.35 to 3.48) departs from RFC 9293, 7323, 5961, 6298 and 6675, or ends the
 * program, this class does not; all other behaviour is TcpSocketBase's. doc/tcp.rst lists the
 * points. TcpPathSocket has what is about the path, TcpConnectionSocket what is about segments and
 * states, TcpRackSocket RACK-TLP, and this class what is sent, and the windows.
 *
 * A receiver of this class tells its peer when the application has made room in a receive buffer
 * that was full; with TcpSocketBase the peer has to wait for its persist timer.
 *
 * Sockets are created by Rfc9293TcpSocketFactory. Send() and Recv() keep the meaning that they have
 * in TcpSocketBase, but for Send() after ShutdownSend(), which takes nothing.
 */
class Rfc9293TcpSocket : public iwarp::WithInstanceTypeId<Rfc9293TcpSocket, TcpRackSocket>
{
  public:
    /// Signature of HeldBack. @param seq sequence number of the next segment @param size octets it
    /// needs @param window octets that may be sent now
    typedef void (*HeldBackTracedCallback)(SequenceNumber32 seq, uint32_t size, uint32_t window);
    /// Signature of WindowUpdate. @param window octets of receive window that the peer is told
    typedef void (*WindowUpdateTracedCallback)(uint32_t window);

    static TypeId GetTypeId(); //!< Get the type ID. @return the object TypeId
    Rfc9293TcpSocket();
    Rfc9293TcpSocket(const Rfc9293TcpSocket& other); //!< for Fork() @param other listening socket
    ~Rfc9293TcpSocket() override;

    /**
     * @brief Add the attributes and trace sources, with those of the parents.
     *
     * Each class of which there are sockets has them as its own: ns-3 sets a default by the name of
     * the class that an attribute was added to, and knows no name of a child.
     * @param tid type of a socket
     * @return the same
     */
    static TypeId AddAttributes(TypeId tid);

    using Socket::Recv; // all of them, not only those that are overridden
    using Socket::Send;

    int Listen() override;
    int Connect(const Address& address) override;
    int Send(Ptr<Packet> p, uint32_t flags) override;
    Ptr<Packet> Recv(uint32_t maxSize, uint32_t flags) override;

  protected:
    Ptr<TcpSocketBase> Fork() override;
    uint32_t SendDataPacket(SequenceNumber32 seq, uint32_t maxSize, bool withAck) override;
    uint32_t Retransmit(SequenceNumber32 seq, uint32_t size, bool withAck) override;
    uint32_t SendNewProbe() override;
    void ReactToLosses() override;
    /**
     * @brief Keep TcpSocketBase from sending, which SendPending() does in its place.
     *
     * TcpSocketBase::SendPendingData() finds each segment by TcpTxBuffer::NextSeg(), which walks
     * through all that are in flight: with a window of 4 MiB half of the run. It is not virtual,
     * but asks here first. SendPending() runs behind each of its calls, at the same time and in the
     * same order: after Send(), ReceivedAck(), ReTxTimeout() and DoForwardUp(), and from the pacing
     * timer.
     * @return 0
     */
    uint32_t AvailableWindow() const override;
    uint16_t AdvertisedWindowSize(bool scale = true) const override;
    void PersistTimeout() override;
    void ReceivedAck(Ptr<Packet> packet, const TcpHeader& header) override;
    void ReceivedData(Ptr<Packet> p, const TcpHeader& header) override;
    void SendPending(bool overridden) override;
    void ResendAll() override;
    int32_t GetWindowLeft() const override;

    /// Probe a closed window, and wait twice as long for the next probe of it. @param waited time
    /// since the last one, or since the window was closed
    virtual void ProbeWindow(Time waited);

    /// Hand an ACK to TcpSocketBase. @param packet payload @param header of the segment
    virtual void PassAck(const Ptr<Packet>& packet, const TcpHeader& header);

    /// Store the payload of a segment. @param p payload, perhaps shortened @param header of the
    /// segment
    /// @return false to treat the segment as lost
    virtual bool StoreData(Ptr<Packet>& p, const TcpHeader& header);

    /// Hand a segment to TcpSocketBase. @param seq first octet @param size octets
    /// @param withAck it acknowledges @return octets sent
    virtual uint32_t SendSegment(SequenceNumber32 seq, uint32_t size, bool withAck);

    /// Tell whether IP may fragment a segment. @param size octets of it @return true if it may
    virtual bool IsFragmentable(uint32_t size) const;

    /// Choose a segment that may as well wait. @param next its first octet @param allowance what
    /// TCP allows @return the segment
    virtual TcpSegmentChoice ChooseSegment(SequenceNumber32 next,
                                           const TcpSendAllowance& allowance);

    /// Make the next octets the probe that is allowed, if they will do. @param next the first of
    /// them, not sent yet @param unsent octets that wait
    virtual void PlaceProbe(SequenceNumber32 next, uint32_t unsent);

    /// Find the window to tell the peer in an update. @return octets
    virtual uint32_t GetUpdatedWindow() const;

    /// The peer waits for a wider window, and none is due. @param update what is known of it
    virtual void WaitForWindow(const TcpWindowUpdate& update);

    /// Note what the peer is told. @param window field of a segment @param scaled it is scaled
    void NotifyAdvertised(uint16_t window, bool scaled) const;

    void SendWindowUpdate();  //!< Tell the peer of room that it cannot know of
    uint32_t GetRoom() const; //!< @return octets that the receive buffer has room for

    /// Of the window; ns-3 tells the peer from a const method.
    mutable TcpRightEdge m_rightEdge;

  private:
    /// @param next first octet @param high behind the last @return false if nothing is to be sent
    bool FindNext(SequenceNumber32& next, SequenceNumber32& high) const;
    /// As FindNext(), where nothing is lost. @param sent octets from the first that is not
    /// acknowledged on that have been sent @param next first octet @param high behind the last
    /// @return false if nothing is to be sent
    bool FindUnsent(uint32_t sent, SequenceNumber32& next, SequenceNumber32& high) const;
    /// @param next first octet @param limit octets of the segment at most @param window usable
    /// window @return what TCP allows
    TcpSendAllowance GetAllowance(SequenceNumber32 next, uint32_t limit, uint32_t window) const;
    /// What is lost is no sign of congestion: have it sent again, and leave the windows as they are
    void ResendCalmly();
    /// @param next first octet @param high behind the last @param window usable window
    /// @param overridden send less than a whole segment @return octets of the segment, 0 to hold it
    /// back
    uint32_t SizeSegment(SequenceNumber32 next,
                         SequenceNumber32 high,
                         uint32_t window,
                         bool overridden);
    /// Send what has not been sent before, as TcpSocketBase::SendDataPacket() does.
    /// @param seq first octet @param size octets of the segment @return octets sent
    uint32_t SendPlainData(SequenceNumber32 seq, uint32_t size);
    /// @param packet payload @param header of the segment @return true if all that it brings is
    /// data, and nothing waits for an ACK
    bool IsDataAlone(const Ptr<const Packet>& packet, const TcpHeader& header) const;
    /// Without SACK, have the rest of a segment, of which only the beginning is sent again, wait
    /// until it is the first that is missing. @param seq first octet of it @param size octets
    void LeaveRest(SequenceNumber32 seq, uint32_t size);
    /// @param packet payload @param header of the segment @return true if all that it brings is
    /// another window
    bool IsWindowUpdate(Ptr<const Packet> packet, const TcpHeader& header);
    void SizeReceiveBuffer(); //!< by WindowRate and WindowRtt, if they are set

    Time m_overrideTimeout;  //!< wait before a narrow window is filled
    EventId m_overrideEvent; //!< runs while a narrow window holds a segment back
    TcpSackBlocks m_blocks;  //!< octets that the peer holds behind a hole

    DataRate m_windowRate;    //!< that the receive window is to allow; 0: RcvBufSize
    Time m_windowRtt;         //!< round trip for that
    int32_t m_lastWindow{-1}; //!< window field of the last ACK; -1: none yet
    bool m_receiving{false};  //!< ReceivedData() runs, and tells of room itself

    LazyTracedCallback<SequenceNumber32, uint32_t, uint32_t> m_heldBack; //!< segment held back
    LazyTracedCallback<uint32_t> m_windowUpdate;                         //!< window update sent
};

} // namespace ns3

#endif // RFC9293_TCP_SOCKET_H
