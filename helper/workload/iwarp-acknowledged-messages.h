/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef IWARP_ACKNOWLEDGED_MESSAGES_H
#define IWARP_ACKNOWLEDGED_MESSAGES_H

#include "ns3/callback.h"
#include "ns3/mpa-stream.h"
#include "ns3/ptr.h"
#include "ns3/sequence-number.h"
#include "ns3/simple-ref-count.h"

#include <cstdint>
#include <deque>

namespace ns3
{
namespace iwarp
{

/**
 * @ingroup iwarp-helper
 * @brief Tells when the sender of messages knows that they have come: TCP has acknowledged the last
 * octet of the last FPDU of each.
 */
class AcknowledgedMessages : public SimpleRefCount<AcknowledgedMessages>
{
  public:
    /// Begin without messages. @param headers octets of a ULPDU that are no payload @param ended
    /// called for each message, in the order of posting
    AcknowledgedMessages(uint32_t headers, Callback<void> ended);

    /// Watch the stream that carries them. @param stream in Full Operation, which keeps this
    void Attach(const Ptr<MpaStream>& stream);

    void Post(uint64_t octets); //!< A message is posted. @param octets payload, at least 1
    /// An FPDU is given to TCP. @param seq sequence number of its first octet @param ulpdu octets
    /// of its ULPDU @param wire octets of it in the stream
    void Send(uint32_t seq, uint32_t ulpdu, uint32_t wire);
    /// TCP's peer acknowledges. @param next sequence number of the first octet that it lacks
    void Acknowledge(uint32_t next);

  private:
    /// HighestRxAck. @param before acknowledged so far @param now acknowledged
    void HandleAck(SequenceNumber32 before, SequenceNumber32 now);

    uint32_t m_headers;             //!< octets of a ULPDU that are no payload
    Callback<void> m_ended;         //!< told of each message
    uint64_t m_sent{0};             //!< payload given to TCP
    uint64_t m_posted{0};           //!< payload posted
    std::deque<uint64_t> m_waiting; //!< where messages end that are not wholly given to TCP, in
                                    //!< payload
    std::deque<uint32_t> m_ends;    //!< sequence numbers behind those that are
};

} // namespace iwarp
} // namespace ns3

#endif // IWARP_ACKNOWLEDGED_MESSAGES_H
