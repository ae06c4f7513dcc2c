/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef TCP_TAIL_LOSS_PROBE_H
#define TCP_TAIL_LOSS_PROBE_H

#include "ns3/nstime.h"
#include "ns3/sequence-number.h"

#include <optional>

namespace ns3
{

/**
 * @ingroup iwarp-tcp
 * @brief Tail loss probes (RFC 8985 section 7): when one is due, whether it may be sent, and what
 * its ACK means. Pure: its events are told.
 */
class TcpTailLossProbe
{
  public:
    /// What decides when a probe is due.
    struct Situation
    {
        Time smoothed;    //!< SRTT; 0: nothing is measured
        bool lone{false}; //!< one segment is outstanding
        Time ackDelay;    //!< TLP.max_ack_delay, which it may take the peer to acknowledge that
        Time retransmit;  //!< time until the retransmission timer runs out
    };

    /// What an ACK tells.
    struct Ack
    {
        SequenceNumber32 ack;                     //!< acknowledgment number
        std::optional<SequenceNumber32> repeated; //!< end of its DSACK block, if it has one
        bool plain{false}; //!< it acknowledges nothing new, brings nothing and has no SACK block
    };

    /// Find when a probe is due (section 7.2). @param situation what decides @return time from now:
    /// PTO
    static Time GetTimeout(const Situation& situation);

    /// Forget a probe: recovery begins (section 7.1).
    void Reset()
    {
        m_end.reset();
    }

    /// A round-trip time was measured.
    void NotifyMeasured()
    {
        m_measured = true;
    }

    /// Tell whether a probe is outstanding. @return true if it is
    bool IsOutstanding() const
    {
        return m_end.has_value();
    }

    /// Tell whether a probe may be sent (section 7.3). @return true if none is outstanding, and a
    /// round-trip time was measured since the last one
    bool IsAllowed() const
    {
        return !m_end && m_measured;
    }

    /// A probe is sent. @param end SND.NXT behind it @param again it repeats octets
    void NotifySent(SequenceNumber32 end, bool again)
    {
        m_end = end;
        m_again = again;
        m_measured = false;
    }

    /// An ACK has come (section 7.4.2). @param ack it @return the probe has repaired a loss, to
    /// which congestion control is to react
    bool NotifyAck(const Ack& ack);

  private:
    std::optional<SequenceNumber32> m_end; //!< TLP.end_seq
    bool m_again{false};                   //!< TLP.is_retrans
    bool m_measured{false};                //!< an RTT was measured since the last probe
};

} // namespace ns3

#endif // TCP_TAIL_LOSS_PROBE_H
