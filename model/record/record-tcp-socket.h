/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RECORD_TCP_SOCKET_H
#define RECORD_TCP_SOCKET_H

#include "record-offload.h"
#include "record-segment-filter.h"
#include "record-segment-sink.h"
#include "record-segmenter.h"
#include "record-sources.h"

#include "ns3/rfc9293-tcp-socket.h"

#include <cstdint>
#include <memory>

namespace ns3
{

/**
 * @ingroup iwarp-record
 * @brief TCP that sends records and keeps their boundaries, shows what comes in to the layer above,
 * in order or not, and has hardware below it know what a segment meant.
 *
 * A record is what one Send() hands over, or several behind BeginRecord(). With Alignment on, a
 * segment begins with a record and holds whole records only, as long as a record fits the EMSS;
 * retransmissions keep the boundaries. A record is cut only if it is longer than the EMSS, if
 * nothing is in flight and the window still has no room for it, or to probe a closed window:
 * RecordCut tells. With one record of an EMSS a segment it and TcpSocketBase send the same segments
 * at the same times.
 *
 * A protocol that has records derives a socket of its own name, as MpaTcpSocket is one, and is its
 * User.
 */
class RecordTcpSocket : public Rfc9293TcpSocket
{
  public:
    using Verdict = RecordVerdict; //!< what the layer above says of a segment
    using User = RecordUser;       //!< the layer above

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

    /// Signature of SegmentSent. @param seq sequence number @param size octets of payload
    /// @param headerAligned it begins with a record @param recordAligned and holds whole records
    /// only @param retransmission it has been sent before
    typedef void (*SegmentSentTracedCallback)(SequenceNumber32 seq,
                                              uint32_t size,
                                              bool headerAligned,
                                              bool recordAligned,
                                              bool retransmission);
    /// Signature of RecordCut. @param seq sequence number of the segment behind which the rest of
    /// the record follows @param size octets of the segment @param reason why
    typedef void (*RecordCutTracedCallback)(SequenceNumber32 seq, uint32_t size, CutReason reason);
    /// Signature of RedundantRetransmission. @param seq sequence number of a segment sent again as
    /// a whole @param size octets of it that the peer had acknowledged before
    typedef void (*RedundantRetransmissionTracedCallback)(SequenceNumber32 seq, uint32_t size);
    /// Signature of SegmentDropped. @param seq sequence number @param size octets
    typedef void (*SegmentDroppedTracedCallback)(SequenceNumber32 seq, uint32_t size);

    RecordTcpSocket();
    RecordTcpSocket(const RecordTcpSocket& other); //!< for Fork() @param other listening socket
    ~RecordTcpSocket() override;

    /// Add the attributes and trace sources; as Rfc9293TcpSocket::AddAttributes(). @param tid type
    /// of a socket @return the same
    static TypeId AddAttributes(TypeId tid);

    /**
     * @brief Give the socket its user, for which callbacks can find it by the socket.
     * @param user layer above, which stays until it is replaced; or nullptr for none
     * @param sees it sees segments
     */
    void SetUser(User* user, bool sees);

    /// Find the layer above. @return it, nullptr if SetUser() has not told
    User* GetUser() const
    {
        return m_filter.GetUser();
    }

    /// Keep only the beginning of the segment that the layer above is being shown, and take the
    /// rest for lost: to be called before it says KEEP or TAKE. @param octets at least 1
    void KeepFirst(uint32_t octets);

    /// Do not delay the ACK of the segment that the layer above is being shown.
    void AckAtOnce();

    /// Find the room in the segment being filled. @return octets left in the segment that the next
    /// record joins; EMSS if it starts one
    uint32_t GetRoomInSegment() const;

    /// Count what TCP has and has not sent yet. @return octets
    uint32_t GetUnsent() const;

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

    /// Tell whether the peer sends no more. @return true once its FIN and all before have come
    bool HasPeerClosed() const;

    /**
     * @brief Say where the record that Send() has just taken comes from, for hardware below TCP.
     * @param size octets of the record
     * @param head octets of it in front of those that @p source is about
     * @param source where these lie, or that the whole record came with its work request
     */
    void SetSource(uint32_t size, uint32_t head, const RecordSource& source);

    /// Find who below TCP follows the stream. @return hardware below TCP that wants to know what
    /// segments mean; nullptr if there is none
    RecordSegmentSink* GetSegmentSink() const;

    /// Find who below TCP may follow records beside it. @return hardware that leaves TCP to the
    /// host; nullptr if there is none
    RecordOffload* GetOffload() const;

    /// Have the next calls of Send() hand over one record together, in pieces of whole segments as
    /// far as it has to be cut. @param size octets of the record
    void BeginRecord(uint32_t size);

    using Socket::Send; // all of them, not only the one that is overridden
    int Send(Ptr<Packet> p, uint32_t flags) override;

  protected:
    Ptr<TcpSocketBase> Fork() override = 0;
    void SendEmptyPacket(uint8_t flags) override;
    uint32_t Retransmit(SequenceNumber32 seq, uint32_t size, bool withAck) override;
    void ProbeWindow(Time waited) override;
    uint16_t AdvertisedWindowSize(bool scale = true) const override;
    void SendPending(bool overridden) override;
    uint32_t SendSegment(SequenceNumber32 seq, uint32_t size, bool withAck) override;
    bool IsFragmentable(uint32_t size) const override;
    TcpSegmentChoice ChooseSegment(SequenceNumber32 next,
                                   const TcpSendAllowance& allowance) override;
    void PlaceProbe(SequenceNumber32 next, uint32_t unsent) override;
    void PassAck(const Ptr<Packet>& packet, const TcpHeader& header) override;
    bool StoreData(Ptr<Packet>& p, const TcpHeader& header) override;
    bool HasUnread() const override;
    uint32_t GetUpdatedWindow() const override;
    void WaitForWindow(const TcpWindowUpdate& update) override;
    void EnterTable(bool listening) override;
    uint32_t UpdateSegmentSize(uint32_t emss) override;
    void NotifyEmss(uint32_t emss) override;
    uint32_t GetFirstSegment() const override;
    uint32_t GetInlineOctets(SequenceNumber32 seq, uint32_t size) const override;
    void ForEachSource(SequenceNumber32 seq,
                       uint32_t size,
                       const TcpConnection::SourceFunction& visit) const override;
    uint32_t GetRecordPart(SequenceNumber32 seq) const override;

  private:
    void SetAlignment(bool alignment);              //!< @param alignment see Alignment
    bool GetAlignment() const;                      //!< @return see Alignment
    void SetPacking(bool packing);                  //!< @param packing see Packing
    bool GetPacking() const;                        //!< @return see Packing
    uint64_t GetTail() const;                       //!< @return offset behind what TCP was given
    uint64_t GetOffset(SequenceNumber32 seq) const; //!< @param seq seq @return offset in stream
    uint64_t GetAcknowledged() const;               //!< @return offset that the peer has up to
    /// @param seq first octet @param offset the same in the stream @param size octets sent
    /// @param again they have been sent before
    void TraceSegment(SequenceNumber32 seq, uint64_t offset, uint32_t size, bool again);

    void AcknowledgeSegment(uint32_t size); //!< acknowledges without storing @param size octets

    /// @return octets to advertise where the window counts what has not been retired
    uint32_t GetRetiredWindow() const;
    void TraceRetiredWindow(); //!< shows what the peer has been told by TcpSocketBase's trace

    RecordSegmenter m_segmenter;              //!< cuts the stream
    std::unique_ptr<RecordSources> m_sources; //!< what hardware is told, from the first time on
    RecordSegmentSink* m_sink{nullptr};       //!< the connection below, if it wants to know
    RecordSegmentFilter m_filter;             //!< shows what comes in to the layer above
    uint32_t m_begun{0};                      //!< octets of BeginRecord()'s that are to come
    EventId m_windowEvent;                    //!< runs until enough is retired for an update
    mutable uint32_t m_retiredWindow{0};      //!< that the peer was told last
    WindowMode m_windowMode{WindowMode::CONSTANT}; //!< what the receive window counts
    bool m_resendWhole{false};                     //!< segments are sent again as a whole
    bool m_fragmentOnShrink{false};                //!< records stay whole when the EMSS shrinks

    LazyTracedCallback<SequenceNumber32, uint32_t, bool, bool, bool>
        m_segmentSent;                                                     //!< segment sent
    LazyTracedCallback<SequenceNumber32, uint32_t, CutReason> m_recordCut; //!< record cut
    LazyTracedCallback<SequenceNumber32, uint32_t> m_redundant; //!< sent though acknowledged
    RecordSegmentFilter::DropTrace m_segmentDropped;            //!< segment dropped
};

} // namespace ns3

#endif // RECORD_TCP_SOCKET_H
