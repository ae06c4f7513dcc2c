/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RECORD_SEGMENT_FILTER_H
#define RECORD_SEGMENT_FILTER_H

#include "record-user.h"

#include "ns3/tcp-header.h"
#include "ns3/util-lazy-trace.h"

#include <cstdint>
#include <memory>

namespace ns3
{

class TcpHeldOctets;
class TcpRxBuffer;

/**
 * @ingroup iwarp-record
 * @brief Shows a connection's segments to the layer above, each octet once, and says what of them
 * TCP is to store. Octets that TCP holds out of order stay what they are.
 */
class RecordSegmentFilter
{
  public:
    /// Told of what TCP treats as lost: sequence number and octets.
    using DropTrace = LazyTracedCallback<SequenceNumber32, uint32_t>;

    /// What is to be done with the part of a segment that is left.
    struct Outcome
    {
        bool lost{false};      //!< nothing: the whole segment is lost
        bool taken{false};     //!< it is in order, and need not be stored
        bool ackAtOnce{false}; //!< it is to be acknowledged at once, since the rest is lost
    };

    RecordSegmentFilter();
    ~RecordSegmentFilter();
    /// A connection of a listener begins with no user.
    RecordSegmentFilter(const RecordSegmentFilter&);
    RecordSegmentFilter& operator=(const RecordSegmentFilter&) = delete;

    /// Name the layer above. @param user layer above, or nullptr @param sees it sees segments
    void SetUser(RecordUser* user, bool sees);

    /// Find the layer above. @return it, or nullptr
    RecordUser* GetUser() const
    {
        return m_user;
    }

    /// Tell whether segments are to be shown. @return true if the layer above sees them
    bool IsSeen() const
    {
        return m_sees;
    }

    /// Keep only the beginning of what is being shown. @param octets at least 1
    void KeepFirst(uint32_t octets);

    /**
     * @brief Show a segment.
     * @param packet its payload, shortened to the part that is left to store
     * @param header its header
     * @param rx where TCP stores
     * @param dropped told of parts of it that are lost
     * @return what is to be done with the part that is left
     */
    Outcome Show(Ptr<Packet>& packet,
                 const TcpHeader& header,
                 TcpRxBuffer& rx,
                 const DropTrace& dropped);

    /// Follow the window. @param next left edge of the window
    void DropUpTo(SequenceNumber32 next);

  private:
    /// @param seq of a segment @param packet payload @return what the layer above says of it
    RecordVerdict Ask(SequenceNumber32 seq, Ptr<const Packet> packet);
    /// As Show(), for what is not simply the next in order. @param packet payload @param header
    /// header @param rx where TCP stores @param dropped told of parts that are lost @return what is
    /// to be done
    Outcome ShowPieces(Ptr<Packet>& packet,
                       const TcpHeader& header,
                       TcpRxBuffer& rx,
                       const DropTrace& dropped);
    /// @param seq sequence number of a segment @param size its octets @param rx where TCP stores
    /// @return behind the last octet of it that TCP would store
    SequenceNumber32 GetEndOfRoom(SequenceNumber32 seq, uint32_t size, const TcpRxBuffer& rx) const;

    RecordUser* m_user{nullptr};           //!< layer above
    std::unique_ptr<TcpHeldOctets> m_held; //!< octets stored out of order; none at first
    uint32_t m_keep{0};                    //!< octets to keep of what is shown
    bool m_sees{false};                    //!< the layer above sees segments
};

} // namespace ns3

#endif // RECORD_SEGMENT_FILTER_H
