/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef TCP_CONNECTION_SOCKET_H
#define TCP_CONNECTION_SOCKET_H

#include "tcp-challenge-limit.h"
#include "tcp-path-socket.h"
#include "tcp-timestamp-echo.h"

#include "ns3/nstime.h"
#include "ns3/tcp-option-sack.h"

#include <cstdint>
#include <optional>

namespace ns3
{

struct TcpHeaderFields;

/**
 * @ingroup iwarp-tcp
 * @brief A TCP socket whose connections begin and end as RFC 9293 says, and which takes the
 * segments that belong to them, and no others (RFC 7323, RFC 5961). What Rfc9293TcpSocket is built
 * upon next.
 *
 * Where TcpSocketBase (3.35 to 3.48) departs from that, or ends the program, each function names
 * what it mends.
 */
class TcpConnectionSocket : public TcpPathSocket
{
  public:
    TcpConnectionSocket();
    TcpConnectionSocket(const TcpConnectionSocket& other); //!< for Fork() @param other listener
    ~TcpConnectionSocket() override;

    /// Add the attributes and trace sources. @param tid type of a socket @return the same
    static TypeId AddAttributes(TypeId tid);

    /**
     * @brief Limit the time that the connection still has: what both ends have not closed then is
     * reset, and the layer above hears of an error.
     * @param limit from now on
     */
    void EndWithin(Time limit);

    int Close() override;

  protected:
    void CompleteFork(Ptr<Packet> p,
                      const TcpHeader& header,
                      const Address& fromAddress,
                      const Address& toAddress) override;
    void DoForwardUp(Ptr<Packet> packet,
                     const Address& fromAddress,
                     const Address& toAddress) override;
    void EstimateRtt(const TcpHeader& header) override;
    void PreviewSegment(const Ptr<const Packet>& packet) override;
    void LastAckTimeout() override;
    void NewAck(const SequenceNumber32& ack, bool resetRto) override;
    void ReTxTimeout() override;
    void SendEmptyPacket(uint8_t flags) override;

    /// Send what the windows allow. @param overridden a window has been too narrow for long: send
    /// less than a whole segment
    virtual void SendPending(bool overridden) = 0;

    /// Hand a timeout to TcpSocketBase, once it is sure to be one of octets.
    virtual void PassTimeout();

    /// Find what the peer may send. @return octets of the window that it was told of, from the next
    /// octet expected on
    virtual int32_t GetWindowLeft() const = 0;

    /// Tell whether closing loses what has come. @return true if there are octets that the
    /// application wants and has not taken
    virtual bool HasUnread() const;

    /// Count a connection that a SYN has begun. @param fork socket for the peer @return the same
    Ptr<TcpSocketBase> EnterSynBacklog(Ptr<TcpConnectionSocket> fork) const;

    void SendAck(); //!< Send an ACK, with ECN's echo if it is due

    /**
     * @brief Tell whether the next segment may go without TcpSocketBase, which makes objects of its
     * options, for who traces it among others.
     * @return true if it has no option but timestamps, and nobody traces it
     */
    bool IsPlain() const;

    /// Send a segment with an ACK and no other flag. @param packet payload @param seq its first
    /// octet
    void SendPlainSegment(const Ptr<Packet>& packet, SequenceNumber32 seq);

    /// Tell old duplicates (RFC 7323 section 5.3). @param header of a segment @return true if its
    /// timestamp is one of the past
    bool IsOld(const TcpHeader& header) const;

    /// Send a segment that TcpSocketBase does not know of. @param packet payload @param header of
    /// it, without ports and options
    void SendByHand(Ptr<Packet> packet, TcpHeader& header);

    uint32_t m_widestWindow{0}; //!< widest window that the peer has offered: MAX.SND.WND

  private:
    // segments, in the order in which they are looked at

    /// As TcpPathSocket's, and by header prediction: the data or the ACK that an established
    /// connection waits for. @param packet TCP segment @return false if it has to go through
    /// DoForwardUp()
    bool ReceiveFast(Ptr<Packet> packet) override;
    /// Note what of a segment has come before, for the next ACK to tell (RFC 2883). @param seq its
    /// first octet @param size octets
    void FindDuplicate(SequenceNumber32 seq, uint32_t size);
    /// Process a segment that comes to a listener. @param packet TCP segment @param from the peer's
    /// address @param to the listener's
    void ReceiveAtListener(Ptr<Packet> packet, const Address& from, const Address& to);
    /// Reset who believes in a connection that is not there. @param packet TCP segment, without
    /// effect unless it has an ACK and is no reset @param from the peer's address @param to ours
    void RejectStranger(Ptr<Packet> packet, const Address& from, const Address& to);
    /// Process the answer to a SYN. @param packet TCP segment @return false if it was none, or a
    /// reset, and nothing is left to do
    bool ReceiveHandshake(Ptr<Packet> packet);
    /// We and the peer have connected to each other. @param header of the segment that completes it
    /// @param bare header of its ACK alone
    void CompleteBoth(const TcpHeader& header, const TcpHeader& bare);
    /// Process a segment which TcpSocketBase is not to see. @param packet TCP segment @param fields
    /// of its header @return true if it was one
    bool ReceiveApart(Ptr<Packet> packet, const TcpHeaderFields& fields);
    /// Tell what may come from somebody who sees nothing of the connection (RFC 5961 sections 4 and
    /// 5). @param header of a segment @return true if it does: a SYN, no ACK, or one out of range
    bool IsBlind(const TcpHeaderFields& header) const;
    void SendChallenge(); //!< asks for a better segment, unless that was done just now
    /// Process a reset of a connection. @param seq its sequence number
    void ReceiveReset(SequenceNumber32 seq);
    /// Cut what has come before off a segment with FIN. @param packet TCP segment @param fields of
    /// its header
    void TrimFin(Ptr<Packet> packet, const TcpHeaderFields& fields) const;
    /// The window is closed, whoever wants what. @param fields of a segment's header
    void CheckClosedWindow(const TcpHeaderFields& fields);
    /// The peer has taken the octet of a probe. @param packet TCP segment, whose ACK is changed to
    /// what TcpSocketBase has sent @param fields of its header
    void RewriteProbeAck(Ptr<Packet> packet, const TcpHeaderFields& fields) const;
    /// Process the ACK of a segment that has a FIN, too. @param packet TCP segment
    void ReceiveFinAck(Ptr<const Packet> packet);
    void StartFrom(const TcpHeader& header); //!< @param header of the peer's SYN

    // the SYN, the FIN and the end

    void SendPlainAck();         //!< as TcpSocketBase::SendEmptyPacket() does
    void SendSyn(uint8_t flags); //!< with its options, unless no try is left @param flags flags
    void AnswerSynAgain(uint8_t flags); //!< answers a copy of the peer's SYN @param flags of that
    void LeaveSynBacklog();       //!< in which the connection has been until its handshake was over
    bool HasLostListener() const; //!< @return nobody is left to accept the connection
    void FailConnecting();        //!< gives up before the connection was there
    void Abort();                 //!< resets the connection, unless it is over
    void AbortInError();          //!< ends the connection and tells of an error
    /// End the connection without a segment, as the peer wants it, or since it knows of none.
    /// @param error tell of one
    void AbortQuietly(bool error);
    /// Have a FIN sent again, unless it is acknowledged. @param running the retransmission timer
    /// runs for what is in front of it
    void ScheduleFin(bool running);
    bool IsFinPending() const; //!< @return all but our FIN is acknowledged
    /// Process a timeout which TcpSocketBase is not to see. @return true if it was one
    bool TimeOutApart();
    void RestartTimer(); //!< the retransmission timer, if it is stopped and something is lost

    std::optional<TcpOptionSack::SackBlock> m_duplicate; //!< what has come twice, to be told
    TcpTimestampEcho m_echo;                             //!< the peer's clock
    TcpChallengeLimit m_challenge;                       //!< limits challenge ACKs
    Ptr<const TcpConnectionSocket> m_listener; //!< that has forked it, until its handshake is over
    uint16_t m_backlogPort{0};       //!< of the SYN backlog that it is in; 0: it is in none
    bool m_reportsDuplicates{false}; //!< see Dsack
};

} // namespace ns3

#endif // TCP_CONNECTION_SOCKET_H
