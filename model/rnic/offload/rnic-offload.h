/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RNIC_OFFLOAD_H
#define RNIC_OFFLOAD_H

#include "rnic-record-tracker.h"

#include "ns3/packet.h"
#include "ns3/ptr.h"
#include "ns3/record-offload.h"
#include "ns3/rnic-time.h"

#include <cstdint>
#include <optional>

namespace ns3
{

struct RnicSegment;

/// @ingroup iwarp-rnic
/// @brief What is counted of records beside TCP, over the connections of an adapter.
struct RnicOffloadCounters : RnicRecordTracker::Counters
{
    RnicTime since{0};        //!< ps, when counts began; absences count that began later
    uint64_t absences{0};     //!< times that it stopped to work on a stream, and began again
    RnicTime absentTime{0};   //!< ps, from the first segment that it left out until it worked again
    uint64_t absentOctets{0}; //!< that it left out in these times, but for late ones
    uint64_t recoveries{0};   //!< segments that went out with octets in front of them read again
    uint64_t recovered{0};    //!< octets read again
};

/**
 * @ingroup iwarp-rnic
 * @brief What an adapter that leaves TCP to the host knows of the records of one connection, in
 * both directions.
 */
class RnicOffload
{
  public:
    /// Begin to follow. @param framing of the records @param seq of the next octet received
    /// @param config how to look for heads @param user who answers guesses @param counters where to
    /// count; all outlive this
    RnicOffload(const RecordFraming& framing,
                uint32_t seq,
                const RnicRecordTracker::Config& config,
                RecordOffload::User& user,
                RnicOffloadCounters& counters);

    /// A segment comes in. @param[in,out] segment its sequence number is known; receives what is
    /// worked on, and a guess @param packet TCP's @param payload octets at its end
    void Receive(RnicSegment& segment, const Ptr<const Packet>& packet, uint32_t payload);
    /// A segment goes out. @param[in,out] segment its sequence number and payload are known;
    /// receives what is worked on, and what is read again @param part octets of its record in front
    /// of it
    void Transmit(RnicSegment& segment, uint32_t part);
    /// Have software asked. @param seq a guess
    void Ask(uint32_t seq);

    RnicRecordTracker& GetTracker(); //!< Reach what follows the records received. @return it

  private:
    const RecordFraming& m_framing;   //!< of the records
    RnicRecordTracker m_tracker;      //!< of those received
    RecordOffload::User& m_user;      //!< answers
    RnicOffloadCounters& m_counters;  //!< what has been counted
    std::optional<uint32_t> m_txNext; //!< sequence number that goes out next, once one has
    std::optional<RnicTime> m_absent; //!< ps, since when nothing has been worked on
    uint64_t m_absentOctets{0};       //!< that it has left out since
};

} // namespace ns3

#endif // RNIC_OFFLOAD_H
