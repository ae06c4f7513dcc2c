/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef TCP_RACK_SOCKET_H
#define TCP_RACK_SOCKET_H

#include "tcp-connection-socket.h"
#include "tcp-rack.h"
#include "tcp-tail-loss-probe.h"

#include "ns3/event-id.h"
#include "ns3/nstime.h"
#include "ns3/util-lazy-trace.h"

#include <cstdint>
#include <memory>
#include <optional>

namespace ns3
{

/**
 * @ingroup iwarp-tcp
 * @brief A TCP socket that finds what is lost by RACK-TLP (RFC 8985), if attribute Rack is on and
 * both ends use SACK; otherwise as TcpSocketBase does, by RFC 6675. What Rfc9293TcpSocket is built
 * upon last.
 *
 * TcpRack and TcpTailLossProbe decide; this class has their timers, and has TcpSocketBase's
 * congestion control and recovery (PRR, for instance) react. The scoreboard of TcpTxBuffer, in
 * which nothing can be marked as lost but what is first, counts for none of it.
 */
class TcpRackSocket : public TcpConnectionSocket
{
  public:
    TcpRackSocket();
    TcpRackSocket(const TcpRackSocket& other); //!< for Fork() @param other listening socket
    ~TcpRackSocket() override;

    /// Signature of LossProbe. @param seq first octet of a probe @param size octets @param again
    /// they have been sent before
    typedef void (*LossProbeTracedCallback)(SequenceNumber32 seq, uint32_t size, bool again);
    /// Signature of RackLoss. @param octets found to be lost at once @param timer by the reordering
    /// timer, and not by an ACK
    typedef void (*RackLossTracedCallback)(uint32_t octets, bool timer);
    /// Signature of ReorderingWindow. @param window time for which a segment may come late
    typedef void (*ReorderingWindowTracedCallback)(Time window);

    /// Add the attributes and trace sources. @param tid type of a socket @return the same
    static TypeId AddAttributes(TypeId tid);

  protected:
    uint32_t BytesInFlight() const override;
    void EstimateRtt(const TcpHeader& header) override;
    void PassTimeout() override;
    void ReTxTimeout() override;

    /// Send a part of what was sent before, whatever the window is. @param seq first octet
    /// @param size octets at most @param withAck it acknowledges @return octets sent
    virtual uint32_t Retransmit(SequenceNumber32 seq, uint32_t size, bool withAck) = 0;

    /// Send a segment that was not sent before as a probe, whatever the congestion window is.
    /// @return octets sent; 0 if there are none, or the peer has no room
    virtual uint32_t SendNewProbe() = 0;

    /// Have congestion control react to losses, unless they are no sign of congestion.
    virtual void ReactToLosses() = 0;

    /// Tell whether RACK finds what is lost. @return true if it does
    bool HasRack() const
    {
        return m_rack != nullptr;
    }

    /// Begin, if a connection's first octets are about to be sent. @return RACK finds what is lost
    bool PrepareRack();

    /// What TcpSocketBase wants to be sent again. @return octets that it is told were sent
    uint32_t RetransmitByRack(uint32_t size);

    /// A segment was sent. @param seq first octet @param size octets
    void NotifySegmentSent(SequenceNumber32 seq, uint32_t size);

    /// Note what an ACK tells of octets that came twice, if RACK finds what is lost. @param header
    /// of it, with all its blocks
    void NoteDuplicates(const TcpHeader& header);

    /// Process an ACK. @param packet payload @param header of the segment, without blocks of what
    /// is acknowledged
    void ReceiveAckByRack(const Ptr<Packet>& packet, const TcpHeader& header);

    /// Have all sent again. @param forget the peer has given up what it had told of
    void MarkAllLost(bool forget);

    /// Get the scoreboard. @return it; there must be one
    const TcpRack& GetRack() const;

    /// Enter fast recovery, or react once more to what is lost again (RFC 8985 section 9.3).
    void RecoverByRack();

  private:
    struct State;

    /// What the timer waits for (section 8).
    enum class Waiting : uint8_t
    {
        NOTHING,    //!< the retransmission timer, if any
        REORDERING, //!< segments that may come late
        PROBE,      //!< an ACK that is overdue
    };

    bool IsRecovering() const; //!< @return fast recovery or RTO recovery is on
    /// @param losses what is found @param timer by the timer
    void ProcessLosses(const TcpRack::Losses& losses, bool timer);
    void ReactOnceMore(); //!< a retransmission is lost
    /// @param flight octets outstanding before the ACK that tells that a probe has repaired a loss
    void ReactToRepair(uint32_t flight);
    /// @param header of an ACK @return what it tells
    TcpRack::Ack ReadAck(const TcpHeader& header) const;
    /// @param losses what is found @param restart an ACK has acknowledged something new
    void ChooseTimer(const TcpRack::Losses& losses, bool restart);
    void StartProbeTimer();                   //!< unless no probe is wanted
    void StartTimer(Waiting what, Time time); //!< @param what it is about @param time from now on
    void StopTimer();
    void TimeOutByRack();          //!< the timer's time has come
    void SendProbe();              //!< unless it must not be
    void RestartRetransmitTimer(); //!< for what is outstanding
    void TraceWindow();            //!< shows the reordering window, if it has changed

    std::unique_ptr<State> m_rack; //!< of a connection that RACK is used for
    Time m_handshakeRtt;           //!< of the handshake; 0: none was measured
    Time m_rackRttWindow;          //!< time for which the least RTT counts
    bool m_useRack{false};         //!< see Rack

    LazyTracedCallback<SequenceNumber32, uint32_t, bool> m_lossProbe; //!< probe sent
    LazyTracedCallback<uint32_t, bool> m_rackLoss;                    //!< losses found
    LazyTracedCallback<Time> m_reorderingWindow;                      //!< reordering window changed
};

} // namespace ns3

#endif // TCP_RACK_SOCKET_H
