/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef TCP_TIMESTAMP_ECHO_H
#define TCP_TIMESTAMP_ECHO_H

#include "ns3/sequence-number.h"

#include <cstdint>

namespace ns3
{

/// @ingroup iwarp-tcp
/// @brief The peer's clock as its segments tell it: TS.Recent of RFC 7323, which segments echo, and
/// which shows old duplicates (PAWS). Timestamps wrap.
class TcpTimestampEcho
{
  public:
    /// The peer's SYN has come. @param timestamp its TSval
    void Start(uint32_t timestamp)
    {
        m_recent = timestamp;
    }

    /// A segment has come (section 4.3). @param seq its sequence number @param lastAckSent
    /// Last.ACK.sent @param timestamp its TSval
    void Update(SequenceNumber32 seq, SequenceNumber32 lastAckSent, uint32_t timestamp)
    {
        if (!IsOld(timestamp) && seq <= lastAckSent)
        {
            m_recent = timestamp;
        }
    }

    /// Tell old duplicates (section 5.3). @param timestamp TSval of a segment @return true if it is
    /// one of the past
    bool IsOld(uint32_t timestamp) const
    {
        return static_cast<int32_t>(timestamp - m_recent) < 0;
    }

    /// Get what segments echo. @return TSecr
    uint32_t Get() const
    {
        return m_recent;
    }

  private:
    uint32_t m_recent{0}; //!< TS.Recent
};

} // namespace ns3

#endif // TCP_TIMESTAMP_ECHO_H
