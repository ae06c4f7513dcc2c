/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef MPA_TCP_SOCKET_H
#define MPA_TCP_SOCKET_H

#include "ns3/callback.h"
#include "ns3/data-rate.h"
#include "ns3/ns3-compat.h"
#include "ns3/record-segment-sink.h"
#include "ns3/record-segmenter.h"
#include "ns3/record-sources.h"
#include "ns3/tcp-end-point-lease.h"
#include "ns3/tcp-mtu-search.h"
#include "ns3/tcp-path-mtu.h"
#include "ns3/tcp-receive-window.h"
#include "ns3/tcp-socket-base.h"
#include "ns3/traced-callback.h"
#include "ns3/traced-value.h"

#include <memory>

namespace ns3
{

class Ipv4Header;
class Ipv4Interface;
class Ipv6Header;
class Ipv6Interface;
class LogComponent;
class TcpHeldOctets;
class TcpHeader;
struct TcpHeaderFields;

/**
 * @ingroup iwarp-mpa
 * @brief MPA-aware TCP: a TCP socket that cuts segments at record boundaries (RFC 5044 A.1, A.3).
 *
 * A record is what one Send() hands over; MpaStream hands over one FPDU a call, an ordinary
 * application whatever it sends. With Alignment on, a segment begins with a record and holds whole
 * records only, as long as a record fits the EMSS; retransmissions keep the boundaries. A record
 * is cut only if it is longer than the EMSS, if nothing is in flight and the window still has no
 * room for it, or to probe a closed window: RecordCut tells. With one record of an EMSS a segment
 * it and TcpSocketBase send the same segments at the same times.
 *
 * Where TcpSocketBase (3.35 to 3.48) departs from RFC 9293 and RFC 7323, or ends the program, this
 * class does not; all other behaviour is TcpSocketBase's. doc/tcp.rst lists the points, and cases
 * with what both do.
 *
 * The EMSS follows from the MTU of the route and of the path, from the options in use and from the
 * peer's MSS option; TcpSocket's attribute SegmentSize has no effect. SYN segments carry an MSS
 * option, which TcpSocketBase's do not, unless MssOption is off.
 *
 * A receiver of this class tells its peer when the application has made room in a receive buffer
 * that was full; with TcpSocketBase the peer has to wait for its persist timer.
 *
 * Sockets are created by MpaTcpSocketFactory. Send() and Recv() keep the meaning that they have in
 * TcpSocketBase, but for Send() after ShutdownSend(), which takes nothing.
 */
class MpaTcpSocket : public iwarp::WithInstanceTypeId<MpaTcpSocket, TcpSocketBase>,
                     private TcpConnection::Owner
{
  public:
    /// What the layer above says of a segment before TCP commits to it.
    enum class Verdict : uint8_t
    {
        KEEP, //!< TCP keeps and acknowledges it
        DROP, //!< TCP treats it as lost
        TAKE, //!< the layer above needs no copy: if the segment is the next in order, TCP
              //!< acknowledges it and Recv() does not return its octets; otherwise KEEP
    };

    /// Why a record was not sent whole.
    enum class CutReason : uint8_t
    {
        EMSS,       //!< it is longer than the EMSS
        WINDOW,     //!< nothing in flight, and the window has no room for it
        PROBE,      //!< a closed window is probed with its first octet
        RETRANSMIT, //!< TCP retransmits a part, for instance since the peer has the rest
    };

    /// What the receive window counts as taken (RFC 5041 Appendix A).
    enum class WindowMode : uint8_t
    {
        CONSTANT, //!< what TCP holds: the window stays as it is for segments placed at once
        RETIRED,  //!< besides, what the hardware below TCP has not retired yet
    };

    /**
     * @brief Sees each acceptable segment, in order or not, before TCP stores it. The packet is
     * trimmed to what TCP is about to keep; if that is in several pieces, each is shown. Whatever
     * the verdict, the receive callback is called once data in order has come.
     */
    using SegmentCallback = Callback<Verdict, SequenceNumber32, Ptr<const Packet>>;

    /// A layer above that has as many sockets as there are: a virtual call takes no memory, a
    /// callback takes some hundred octets.
    class User
    {
      public:
        virtual ~User() = default;
        /// As SegmentCallback. @param seq of the segment @param packet its payload @return verdict
        virtual Verdict SeeSegment(SequenceNumber32 seq, Ptr<const Packet> packet) = 0;
        /// Segments take another number of octets now. @param emss EMSS now
        virtual void EmssChanged(uint32_t emss) = 0;
    };

    /// Signature of SegmentSent. @param seq sequence number @param size octets of payload
    /// @param headerAligned it begins with a record @param recordAligned and holds whole records
    /// only @param retransmission it has been sent before
    typedef void (*SegmentSentTracedCallback)(SequenceNumber32 seq,
                                              uint32_t size,
                                              bool headerAligned,
                                              bool recordAligned,
                                              bool retransmission);
    /// Signature of HeldBack. @param seq sequence number of the next segment @param size octets it
    /// needs @param window octets that may be sent now
    typedef void (*HeldBackTracedCallback)(SequenceNumber32 seq, uint32_t size, uint32_t window);
    /// Signature of RecordCut. @param seq sequence number of the segment behind which the rest of
    /// the record follows @param size octets of the segment @param reason why
    typedef void (*RecordCutTracedCallback)(SequenceNumber32 seq, uint32_t size, CutReason reason);
    /// Signature of RedundantRetransmission. @param seq sequence number of a segment sent again as
    /// a whole @param size octets of it that the peer had acknowledged before
    typedef void (*RedundantRetransmissionTracedCallback)(SequenceNumber32 seq, uint32_t size);
    /// Signature of SegmentDropped. @param seq sequence number @param size octets
    typedef void (*SegmentDroppedTracedCallback)(SequenceNumber32 seq, uint32_t size);
    /// Signature of WindowUpdate. @param window octets of receive window that the peer is told
    typedef void (*WindowUpdateTracedCallback)(uint32_t window);

    static TypeId GetTypeId(); //!< Get the type ID. @return the object TypeId
    MpaTcpSocket();
    MpaTcpSocket(const MpaTcpSocket& other); //!< for Fork() @param other listening socket
    ~MpaTcpSocket() override;

    /// Look at segments before TCP stores them. @param callback sees each segment
    void SetSegmentCallback(SegmentCallback callback);

    /// Keep only the beginning of the segment that the layer above is being shown, and take the
    /// rest for lost: to be called before it says KEEP or TAKE. @param octets at least 1
    void KeepFirst(uint32_t octets);

    /// Do not delay the ACK of the segment that the layer above is being shown.
    void AckAtOnce();

    /// Find the size of a full segment. @return EMSS now: octets of payload the next segment takes;
    /// 536 until the route is known
    uint32_t GetEmss() const;

    /// Find the room in the segment being filled. @return octets left in the segment that the next
    /// record joins; EMSS if it starts one
    uint32_t GetRoomInSegment() const;

    /// Find the size of the send buffer. @return octets that the send buffer holds at most
    uint32_t GetTxCapacity() const;

    /// Find where the next record starts. @return sequence number that the next octet given to
    /// Send() gets
    SequenceNumber32 GetNextTxOctet() const;

    /// Find how far Recv() has come. @return sequence number of the next octet in order that Recv()
    /// has not returned
    SequenceNumber32 GetNextRxOctet() const;

    /// Tell whether anything waits for Recv(). @return true if TCP holds octets, in order or not,
    /// that Recv() has not returned
    bool HoldsReceivedData() const;

    /**
     * @brief Tell the MTU of the path, as path MTU discovery would; before or after connecting.
     *
     * The MTU of the route's first link stays an upper limit. Records that no longer fit are cut.
     * @param mtu octets of an IP datagram, at least 68
     */
    void SetPathMtu(uint32_t mtu);

    using Socket::Recv; // all of them, not only those that are overridden
    using Socket::Send;

    /**
     * @brief Say where the record that Send() has just taken comes from, for hardware below TCP.
     * @param size octets of the record
     * @param head octets of it in front of those that @p source is about
     * @param source where these lie, or that the whole record came with its work request
     */
    void NoteSource(uint32_t size, uint32_t head, const RecordSource& source);

    /**
     * @brief Keep endpoint, port and connection in a table; before the socket is bound.
     * @param table the node's, or nullptr for none; sockets forked for a peer inherit it
     */
    void SetEndPointTable(Ptr<TcpEndPointTable> table);

    /**
     * @brief Give the socket its user, for which callbacks can find it by the socket.
     * @param user layer above, which stays until it is replaced; or nullptr for none
     * @param sees it sees segments, in place of a segment callback
     */
    void SetUser(User* user, bool sees);

    /// Find the layer above. @return it, nullptr if SetUser() has not told
    User* GetUser() const
    {
        return m_user;
    }

    /// Find what the node's endpoint table has of the socket. @return the connection; nullptr
    /// before it is being set up
    TcpConnection* GetConnection() const;

    /// Tell whether the peer sends no more. @return true once its FIN and all before have come
    bool HasPeerClosed() const;

    /**
     * @brief Limit the time that the connection still has: what both ends have not closed then is
     * reset, and the layer above hears of an error.
     * @param limit from now on
     */
    void EndWithin(Time limit);

    /// Find who below TCP follows the stream. @return hardware below TCP that wants to know what
    /// segments mean; nullptr if there is none
    RecordSegmentSink* GetSegmentSink() const;

    int Bind() override;
    int Bind6() override;
    int Bind(const Address& address) override;
    int Listen() override;
    int Connect(const Address& address) override;
    int Close() override;
    int Send(Ptr<Packet> p, uint32_t flags) override;
    Ptr<Packet> Recv(uint32_t maxSize, uint32_t flags) override;

  protected:
    Ptr<TcpSocketBase> Fork() override;
    void CompleteFork(Ptr<Packet> p,
                      const TcpHeader& header,
                      const Address& fromAddress,
                      const Address& toAddress) override;
    void DoForwardUp(Ptr<Packet> packet,
                     const Address& fromAddress,
                     const Address& toAddress) override;
    void EstimateRtt(const TcpHeader& header) override;
    void LastAckTimeout() override;
    void NewAck(const SequenceNumber32& ack, bool resetRto) override;
    void ReTxTimeout() override;
    void SendEmptyPacket(uint8_t flags) override;
    uint32_t SendDataPacket(SequenceNumber32 seq, uint32_t maxSize, bool withAck) override;
    /**
     * @brief Keep TcpSocketBase from sending, which SendRecords() does in its place.
     *
     * TcpSocketBase::SendPendingData() finds each segment by TcpTxBuffer::NextSeg(), which walks
     * through all that are in flight: with a window of 4 MiB half of the run. It is not virtual,
     * but asks here first. SendRecords() runs behind each of its calls, at the same time and in the
     * same order: after Send(), ReceivedAck(), ReTxTimeout() and DoForwardUp(), and from the pacing
     * timer.
     * @return 0
     */
    uint32_t AvailableWindow() const override;
    uint16_t AdvertisedWindowSize(bool scale = true) const override;
    void PersistTimeout() override;
    void ReceivedAck(Ptr<Packet> packet, const TcpHeader& header) override;
    void ReceivedData(Ptr<Packet> p, const TcpHeader& header) override;

  private:
    /// Component that logs all of the class, in whichever file. The macros look for this name.
    static LogComponent& g_log;

    // Path and options
    void SetPathOverhead(uint32_t octets); //!< @param octets for each segment
    uint32_t GetPathOverhead() const;      //!< @return octets for each segment
    void SetMaxEmss(uint32_t octets);      //!< @param octets upper limit
    uint32_t GetMaxEmss() const;           //!< @return upper limit
    bool IsIpv4() const;                   //!< @return true if datagrams are IPv4's
    /// @return device of the route, nullptr if there is none
    Ptr<NetDevice> FindRouteDevice() const;
    uint32_t FindRouteMtu() const;   //!< @return what the route's device leaves to TCP, or 0
    Address GetLocalAddress() const; //!< @return address and port of an endpoint that is there
    Address GetPeerAddress() const;  //!< @return those of its peer
    void LearnPeerMss(const TcpHeader& header); //!< @param header of the peer's SYN
    void UpdateEmss(bool timestamps);           //!< @param timestamps option in use
    void WatchEndPoint();                       //!< gets its segments and ICMP messages
    void ResendAll();                           //!< what is in flight did not fit the path
    /// @return how the node looks for MTUs, see MpaTcpSocketFactory
    TcpMtuSettings GetMtuSettings() const;
    uint32_t GetHeaders() const; //!< @return octets of a datagram around its payload
    /// Have IPv6, which knows of a path that took less once, not cut what is larger now.
    /// @param mtu that segments may have now
    void LetIpSend(uint32_t mtu);
    void UsePathMtu(uint32_t mtu); //!< @param mtu that segments follow from now on
    void StartMtuSearch();         //!< unless it is under way
    void OfferProbe();             //!< has a probe made of the next record, if one is due
    /// The segment that starts there is sent again. @param seq its first octet
    void NoticeLostProbe(SequenceNumber32 seq);
    void EndProbe();        //!< there is none any more
    void NoticeArrival();   //!< something new was acknowledged
    void NoticeBlackHole(); //!< the retransmission timer has run out
    void OnIcmp(Ipv4Address from, uint8_t ttl, uint8_t type, uint8_t code, uint32_t info);
    void OnIcmp6(Ipv6Address from, uint8_t ttl, uint8_t type, uint8_t code, uint32_t info);

    // The node's endpoint table, TcpConnection::Owner among it
    Ipv4EndPoint* GetEndPoint() const override;
    Ipv6EndPoint* GetEndPoint6() const override;
    uint32_t GetInlineOctets(SequenceNumber32 seq, uint32_t size) const override;
    void ForEachSource(SequenceNumber32 seq,
                       uint32_t size,
                       const TcpConnection::SourceFunction& visit) const override;
    bool IsOutstanding(SequenceNumber32 seq) const override;
    void NoticePathMtu(uint32_t mtu) override;
    uint16_t AcquirePort(bool ipv6); //!< @param ipv6 for IPv6 @return ephemeral port, 0 if none
    void EnterShard();               //!< moves to a shard for the endpoint
    void EnterTable(bool listening); //!< enters the connection @param listening or listener

    // How a connection ends
    void EndNow();     //!< resets the connection, unless it is over
    void EndInError(); //!< ends the connection and tells of an error
    /// End the connection without a segment, as the peer wants it, or since it knows of none.
    /// @param error tell of one
    void EndQuietly(bool error);
    void FailConnecting(); //!< gives up before the connection was there
    /// Have a FIN sent again, unless it is acknowledged. @param running the retransmission timer
    /// runs for what is in front of it
    void WatchFin(bool running);
    bool IsFinPending() const; //!< @return all but our FIN is acknowledged
    /// Process a timeout which TcpSocketBase is not to see. @return true if it was one
    bool TimeOut();
    void KeepTimer(); //!< starts the retransmission timer, if it is stopped and something is lost
    /// Process a reset of a connection. @param seq its sequence number
    void TakeReset(SequenceNumber32 seq);
    uint16_t GetLocalPort() const; //!< @return port of the endpoint
    /// Tell what may come from somebody who sees nothing of the connection (RFC 5961 sections 4 and
    /// 5). @param header of a segment @return true if it does: a SYN, no ACK, or one out of range
    bool MayBeGuessed(const TcpHeaderFields& header) const;
    void Challenge(); //!< sends an ACK that asks for a better segment, unless one was sent just now
    /// Process a segment which TcpSocketBase is not to see. @param packet TCP segment @param fields
    /// of its header @return true if it was one
    bool ReceiveApart(Ptr<Packet> packet, const TcpHeaderFields& fields);
    /// Process a segment that comes to a listener. @param packet TCP segment @param from the peer's
    /// address @param to the listener's
    void ReceiveAtListener(Ptr<Packet> packet, const Address& from, const Address& to);
    /// Reset who believes in a connection that is not there. @param packet TCP segment with an ACK
    /// that comes to a listener @param from the peer's address @param to the listener's
    void RefuseStranger(Ptr<Packet> packet, const Address& from, const Address& to);
    void SendSyn(uint8_t flags); //!< with its options, unless no try is left @param flags flags
    void AnswerSynAgain(uint8_t flags); //!< answers a copy of the peer's SYN @param flags of that
    void LeaveSynBacklog(); //!< in which the connection has been until its handshake was over

    // Sender
    void SetAlignment(bool alignment);              //!< @param alignment see Alignment
    bool GetAlignment() const;                      //!< @return see Alignment
    void SetPacking(bool packing);                  //!< @param packing see Packing
    bool GetPacking() const;                        //!< @return see Packing
    uint64_t GetOffset(SequenceNumber32 seq) const; //!< @param seq seq @return offset in stream
    uint64_t GetAcknowledged() const;               //!< @return offset that the peer has up to
    /// Send what the windows allow. @param overridden a window has been too narrow for long: cut
    void SendRecords(bool overridden);
    /// @param next first octet @param high behind the last @return false if nothing is to be sent
    bool FindNext(SequenceNumber32& next, SequenceNumber32& high) const;
    /// @param next first octet @param high behind the last @param window usable window
    /// @param overridden cut @return octets of the segment, 0 to hold it back
    uint32_t SizeSegment(SequenceNumber32 next,
                         SequenceNumber32 high,
                         uint32_t window,
                         bool overridden);
    /// Hand an ACK to TcpSocketBase: with ResendWhole, that of a part of a segment only as that of
    /// what is in front of it. @param packet payload @param header of the segment
    void PassAck(Ptr<Packet> packet, const TcpHeader& header);
    /// Hand an ACK with SACK blocks to TcpSocketBase, without those that cannot be. @param packet
    /// payload @param header of the segment
    void PassBlocks(Ptr<Packet> packet, const TcpHeader& header);
    /// The peer has acknowledged up to there. @param ack where it stops, perhaps in front of octets
    /// that it has told of
    void NoticeForgotten(SequenceNumber32 ack);
    /// @param packet payload @param header of the segment @return true if all that it brings is
    /// another window
    bool IsWindowUpdate(Ptr<const Packet> packet, const TcpHeader& header);
    /// The window is closed, whoever wants what. @param fields of a segment's header
    void NoticeClosedWindow(const TcpHeaderFields& fields);
    /// The peer has taken the octet of a probe. @param packet TCP segment, whose ACK is changed to
    /// what TcpSocketBase has sent @param fields of its header
    void TakeAckOfProbe(Ptr<Packet> packet, const TcpHeaderFields& fields) const;
    /// Hand a segment to TcpSocketBase. @param seq first octet @param size octets
    /// @param withAck it acknowledges @return octets sent
    uint32_t SendSegment(SequenceNumber32 seq, uint32_t size, bool withAck);
    /// Without SACK, have the rest of a segment, of which only the beginning is sent again, wait
    /// until it is the first that is missing. @param seq first octet of it @param size octets
    void LeaveRest(SequenceNumber32 seq, uint32_t size);
    /// Send a segment that TcpSocketBase does not know of. @param packet payload @param header of
    /// it, without ports and options
    void SendByHand(Ptr<Packet> packet, TcpHeader& header);
    /// @param seq first octet @param offset the same in the stream @param size octets sent
    /// @param again they have been sent before
    void TraceSegment(SequenceNumber32 seq, uint64_t offset, uint32_t size, bool again);

    // Receiver
    void SizeReceiveBuffer(); //!< by WindowRate and WindowRtt, if they are set
    uint32_t GetRoom() const; //!< @return octets that the receive buffer has room for
    /// @return octets to advertise where the window counts what has not been retired
    uint32_t GetRetiredWindow() const;
    /// @param packet TCP segment @param header set to what its header says
    /// @return false if it is malformed or out of range
    bool IsAcceptable(Ptr<const Packet> packet, TcpHeaderFields& header);
    /// Process a segment by header prediction: the data or the ACK that an established connection
    /// waits for. @param packet TCP segment @param fields of its header
    /// @return false if it has to go through DoForwardUp()
    bool ReceivePredicted(Ptr<Packet> packet, const TcpHeaderFields& fields);
    /// @param packet TCP segment @param header its IP header @param port source port
    /// @param interface where it came in
    void Receive(Ptr<Packet> packet,
                 Ipv4Header header,
                 uint16_t port,
                 Ptr<Ipv4Interface> interface);
    /// @param packet TCP segment @param header its IP header @param port source port
    /// @param interface where it came in
    void Receive6(Ptr<Packet> packet,
                  Ipv6Header header,
                  uint16_t port,
                  Ptr<Ipv6Interface> interface);
    void StartFrom(const TcpHeader& header); //!< @param header of the peer's SYN
    /// Follow the peer's clock (RFC 7323 section 4.3). @param seq of a segment @param timestamp
    /// TSval
    void NoteTimestamp(SequenceNumber32 seq, uint32_t timestamp);
    /// @param header of a segment @return true if its timestamp is that of an old duplicate
    bool IsOld(const TcpHeader& header) const;
    /// Process the ACK of a segment that has a FIN, too. @param packet TCP segment
    void TakeAckOfFin(Ptr<const Packet> packet);
    /// Process the answer to a SYN. @param packet TCP segment @return false if it was none, or a
    /// reset, and nothing is left to do
    bool ReceiveAnswer(Ptr<Packet> packet);
    /// @param seq of a segment @param packet payload @return what the layer above says of it
    Verdict Show(SequenceNumber32 seq, Ptr<const Packet> packet);
    /// @param p segment's payload, shortened to the part that is left to store
    /// @param header its header @param taken set if TCP need not store it
    /// @return false to treat it as lost
    bool ShowSegment(Ptr<Packet>& p, const TcpHeader& header, bool& taken);
    /// @param p segment's payload, shortened to the part that is left to store
    /// @param header its header @return false to treat it as lost
    bool ShowPieces(Ptr<Packet>& p, const TcpHeader& header);
    /// @param p segment's payload @return behind the last octet of it that TCP would store
    /// @param seq its sequence number
    SequenceNumber32 GetEndOfRoom(SequenceNumber32 seq, Ptr<const Packet> p) const;
    void TakeSegment(uint32_t size); //!< acknowledges without storing @param size octets
    void SendAck();                  //!< sends an ACK, with ECN's echo if it is due
    void UpdateWindow();             //!< tells the peer of room that it cannot know of

    // Attributes
    uint32_t m_minPathMtu{576};       //!< least path MTU believed (IPv4)
    uint32_t m_minPathMtu6{1280};     //!< least path MTU believed (IPv6)
    uint32_t m_peerMssDefault{65535}; //!< MSS of a peer that sends no option
    bool m_resendWhole{false};        //!< segments are sent again as a whole
    bool m_fragmentOnShrink{false};   //!< records stay whole when the EMSS shrinks
    bool m_mssOption{true};           //!< SYN segments carry an MSS option
    uint16_t m_backlogPort{0};        //!< of the SYN backlog that it is in; 0: it is in none
    Time m_overrideTimeout;           //!< wait before a record is cut for a narrow window

    DataRate m_windowRate; //!< that the receive window is to allow; 0: RcvBufSize
    Time m_windowRtt;      //!< round trip for that
    WindowMode m_windowMode{WindowMode::CONSTANT}; //!< what the receive window counts

    // The node's endpoint table
    TcpEndPointLease m_place;                 //!< what the socket has of it
    RecordSegmentSink* m_sink{nullptr};       //!< the connection there, if it wants to know
    std::unique_ptr<RecordSources> m_sources; //!< what hardware is told, from the first time on

    // Path and options
    TracedValue<uint32_t> m_emss{536};      //!< EMSS
    TcpPathMtu m_pathMtu;                   //!< what it follows from
    std::unique_ptr<TcpMtuSearch> m_search; //!< search for the path's MTU, once there is reason

    // Sender
    RecordSegmenter m_segmenter;           //!< cuts the stream
    std::unique_ptr<TcpHeldOctets> m_told; //!< octets that SACK blocks named; none at first
    int32_t m_lastWindow{-1};              //!< window field of the last ACK; -1: none yet
    EventId m_overrideEvent;               //!< runs while a narrow window holds a record back

    // Receiver
    User* m_user{nullptr};                 //!< see SetUser()
    bool m_userSees{false};                //!< it sees segments
    uint32_t m_keep{0};                    //!< octets to keep of the segment that is shown
    SegmentCallback m_segmentCallback;     //!< layer above
    std::unique_ptr<TcpHeldOctets> m_held; //!< octets stored out of order; none at first
    mutable TcpRightEdge m_rightEdge; //!< of the window; ns-3 tells the peer from a const method
    uint32_t m_tsRecent{0};           //!< TS.Recent (RFC 7323), which segments echo
    bool m_receiving{false};          //!< ReceivedData() runs, and tells of room itself
    EventId m_windowEvent;            //!< runs until enough is retired for a window update

    // Traces
    TracedCallback<SequenceNumber32, uint32_t, bool, bool, bool> m_segmentSent; //!< segment sent
    TracedCallback<SequenceNumber32, uint32_t, uint32_t> m_heldBack;   //!< segment held back
    TracedCallback<SequenceNumber32, uint32_t, CutReason> m_recordCut; //!< record cut
    TracedCallback<SequenceNumber32, uint32_t> m_redundant;            //!< sent though acknowledged
    TracedCallback<SequenceNumber32, uint32_t> m_segmentDropped;       //!< segment dropped
    TracedCallback<uint32_t> m_windowUpdate;                           //!< window update sent

    Time m_lastChallenge{-1}; //!< when Challenge() has sent an ACK; negative: never
};

} // namespace ns3

#endif // MPA_TCP_SOCKET_H
