/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef TCP_PRR_CWR_H
#define TCP_PRR_CWR_H

#include "tcp-recovery-of.h"

#include "ns3/tcp-prr-recovery.h"

#include <cstdint>
#include <string>

namespace ns3
{

/**
 * @ingroup iwarp-tcp
 * @brief Proportional rate reduction (RFC 6937, RFC 9937) that holds for ECN's marks (state
 * CA_CWR), too, as in Linux's tcp_cwnd_reduction().
 *
 * ns-3's TcpPrrRecovery counts the ACK that begins a reduction for marks twice and a segment
 * besides, measures against the octets in flight behind that ACK, and lets at least a segment go,
 * as for a fast retransmit. The window then ends above ssthresh where it is of few segments. Here a
 * reduction of F octets in flight, before its first ACK, to ssthresh sends
 * ceil(delivered * ssthresh / F) until pipe is ssthresh, and then fills it up. What is delivered is
 * F and what has been sent since less pipe: ns-3 leaves out ACKs of less than a segment, which all
 * are where FPDUs are shorter. Losses are left to ns-3's class.
 *
 * A factory of this module's sockets takes this class where TcpPrrRecovery is asked for.
 */
class TcpPrrCwr : public iwarp::RecoveryOf<TcpPrrRecovery>
{
  public:
    static TypeId GetTypeId(); //!< Get the type ID. @return the object TypeId

    std::string GetName() const override;
    void EnterRecovery(Ptr<TcpSocketState> state,
                       uint32_t dupAckCount,
                       uint32_t unAckDataCount,
                       uint32_t delivered) override;
    void UpdateBytesSent(uint32_t octets) override;
    Ptr<TcpRecoveryOps> Fork() override;

  protected:
    void Recover(Ptr<TcpSocketState> state, uint32_t delivered, bool isDupAck) override;

  private:
    uint32_t m_flight{0}; //!< octets in flight when marks began the reduction, before that ACK
    uint32_t m_sent{0};   //!< octets sent since
};

} // namespace ns3

#endif // TCP_PRR_CWR_H
