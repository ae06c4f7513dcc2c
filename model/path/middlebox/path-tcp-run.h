/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef PATH_TCP_RUN_H
#define PATH_TCP_RUN_H

#include "path-tcp-segment.h"

#include "ns3/packet.h"

#include <cstdint>
#include <functional>
#include <vector>

namespace ns3
{

/**
 * @ingroup iwarp-path
 * @brief Segments of a flow, each of which continues the one before, and how they are cut anew.
 *
 * Merging follows what hosts do on receipt (Linux's GRO): segments are merged only where nothing
 * of their headers is lost, see CanAppend(). The merged one has the latest acknowledgment number,
 * window and echoed timestamp, the first one's own timestamp (RFC 7323 section 4.3: that of the
 * earliest octet), CE if any has it (RFC 3168 section 5.3), and PSH or FIN of the last.
 *
 * Cutting follows what hosts do when they send (TSO): all pieces have the headers of the whole, but
 * PSH and FIN are on the last piece only, CWR on the first only (RFC 3168 section 6.1.2), and
 * sequence numbers, lengths, checksums and IPv4's identification are their own.
 */
class PathTcpRun
{
  public:
    /// Chooses the size of a piece. @return octets of the next piece, at least 1; more than are
    /// left count as all
    using CutFunction = std::function<uint32_t()>;
    /// Numbers datagrams. @return identification for a new datagram of IPv4
    using IdFunction = std::function<uint16_t()>;

    /// Begin a run. @param first a segment with plain data (PathTcpSegment::IsPlainData())
    explicit PathTcpRun(const PathTcpSegment& first);

    /**
     * @brief Tell whether a segment continues the run and can be merged with it.
     *
     * It is plain data that begins where the run ends; headers are alike
     * (PathTcpSegment::HasHeadersOf()), ECE too; the run has no PSH or FIN yet, and this segment no
     * CWR; ECN fields are equal, or one is CE and the other ECN-capable; its acknowledgment number
     * is not older.
     *
     * @param next segment of the same flow
     * @return whether Append() takes it
     */
    bool CanAppend(const PathTcpSegment& next) const;

    void Append(const PathTcpSegment& next); //!< Add a segment. @param next one that CanAppend()

    bool IsComplete() const;  //!< Tell whether it ends with PSH or FIN. @return whether it does
    uint32_t GetSize() const; //!< Count the octets of payload. @return octets
    /// Count the segments that came. @return segments
    uint32_t GetSegments() const;
    /// Count what is kept of them. @return octets of their datagrams, headers included
    uint32_t GetHeld() const;
    /// Get the headers of the whole. @return segment with the first one's sequence number
    const PathTcpSegment& GetHead() const;

    /**
     * @brief Cut the run.
     * @param next asked for the size of each piece in turn
     * @param id asked for the identification of each piece but the first, which keeps that of the
     * first segment
     * @return pieces in order; together they have the octets of the run
     */
    std::vector<PathTcpSegment> Cut(const CutFunction& next, const IdFunction& id) const;

  private:
    /// @param from offset in the run @param size octets @return them
    Ptr<Packet> Gather(uint32_t from, uint32_t size) const;

    PathTcpSegment m_head;               //!< headers of the whole
    std::vector<Ptr<Packet>> m_payloads; //!< payload of each segment
    uint32_t m_size{0};                  //!< octets of these
};

} // namespace ns3

#endif // PATH_TCP_RUN_H
