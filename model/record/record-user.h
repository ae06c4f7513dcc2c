/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RECORD_USER_H
#define RECORD_USER_H

#include "ns3/packet.h"
#include "ns3/ptr.h"
#include "ns3/sequence-number.h"

#include <cstdint>

namespace ns3
{

/// @ingroup iwarp-record
/// @brief What the layer above says of a segment before TCP commits to it.
enum class RecordVerdict : uint8_t
{
    KEEP, //!< TCP keeps and acknowledges it
    DROP, //!< TCP treats it as lost
    TAKE, //!< the layer above needs no copy: if the segment is the next in order, TCP
          //!< acknowledges it and Recv() does not return its octets; otherwise KEEP
};

/// @ingroup iwarp-record
/// @brief The layer above a RecordTcpSocket, or above many of them: a virtual call takes no memory,
/// a callback some hundred octets.
class RecordUser
{
  public:
    virtual ~RecordUser() = default;
    /**
     * @brief See an acceptable segment, in order or not, before TCP stores it. Whatever the
     * verdict, the receive callback is called once data in order has come.
     * @param seq sequence number of its first octet
     * @param packet payload, trimmed to what TCP is about to keep; if that is in several
     * pieces, each is shown
     * @return what is to be done with it
     */
    virtual RecordVerdict InspectSegment(SequenceNumber32 seq, Ptr<const Packet> packet) = 0;
    /// Segments take another number of octets now. @param emss EMSS now
    virtual void EmssChanged(uint32_t emss) = 0;
};

} // namespace ns3

#endif // RECORD_USER_H
