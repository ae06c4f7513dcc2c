/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RNIC_RECORD_TRACKER_H
#define RNIC_RECORD_TRACKER_H

#include "ns3/record-chain.h"
#include "ns3/record-framing.h"

#include <cstdint>
#include <functional>
#include <optional>

namespace ns3
{

/**
 * @ingroup iwarp-rnic
 * @brief How an adapter that leaves TCP to the host follows the records of a received stream: by
 * their heads as long as segments come in order, and back again after a loss.
 *
 * This is the state machine of autonomous offloads (Pismenny et al., Autonomous NIC Offloads,
 * ASPLOS 2021, section 4.3; Linux, Documentation/networking/tls-offload.rst, "Resync handling"): it
 * holds no segment back and reorders none. A segment behind a gap passes as it came. If the record
 * that was under way ends in it, the next head is found there, and work goes on with that record.
 * If a head has been lost, the adapter looks for octets that look like one, asks software whether a
 * record begins there, follows the records from there on in the meantime, and works again once
 * software has said so.
 *
 * Pure: sequence numbers, sizes, and octets of heads. What software answers comes by Confirm() and
 * Reject().
 */
class RnicRecordTracker
{
  public:
    /// What the adapter knows.
    enum class State : uint8_t
    {
        FOLLOWING, //!< where records begin; also behind a gap, as long as a head may still come
        SEARCHING, //!< nothing: it looks for a head
        TRACKING,  //!< a guess, from which on it follows, while software is asked
    };

    /// How the adapter looks for a head that it has lost.
    struct Config
    {
        /// Whether it does; otherwise it waits for Resume()
        bool searches{true};
        /// Octets behind the one that it waits for, beyond which it gives up to wait, and searches
        uint32_t patience{0};
        /// Whether a head can be at the beginning of a segment only, as where senders align records
        bool aligned{false};
    };

    /// What became of a segment.
    struct Outcome
    {
        bool past{false}; //!< it is behind what has come already
        bool offloaded{
            false};          //!< all of it was worked on, of records that were from their beginning
        uint32_t payload{0}; //!< if so, octets of it that are payload
        std::optional<uint32_t> guess; //!< software is asked whether a record begins at this number
    };

    /// What has been counted.
    struct Counters
    {
        uint64_t segments{0};        //!< segments
        uint64_t octets{0};          //!< of them
        uint64_t offloaded{0};       //!< segments that were worked on
        uint64_t offloadedOctets{0}; //!< of them
        uint64_t past{0};            //!< segments behind what has come already
        uint64_t resumed{0};         //!< times that the next head was known behind a gap
        uint64_t lost{0};            //!< times that a head was lost
        uint64_t searched{0};        //!< octets that were looked at for a head
        uint64_t guesses{0};         //!< times that software was asked
        uint64_t broken{0};          //!< guesses given up, since no record followed
        uint64_t confirmed{0};       //!< guesses that were right
        uint64_t rejected{0};        //!< guesses that were wrong
    };

    /// Copies octets of a segment. @param at first @param size how many @param to where to
    using Copy = std::function<void(uint32_t at, uint32_t size, uint8_t* to)>;
    /// Looks for a head in a segment. @param first first octet that may begin one @param last
    /// behind the last such @return where one seems to be, whole; nothing if there is none
    using Scan = std::function<std::optional<uint32_t>(uint32_t first, uint32_t last)>;

    /// Begin to follow. @param framing of the records @param seq sequence number of the first octet
    /// of one @param config how to look for heads @param counters where to count, several trackers
    /// together if need be; framing and counters outlive this
    RnicRecordTracker(const RecordFraming& framing,
                      uint32_t seq,
                      const Config& config,
                      Counters& counters);

    /**
     * @brief A segment comes in.
     * @param seq sequence number of its first octet
     * @param size octets, at least 1
     * @param copy copies some of them
     * @param scan looks for a head in them
     * @return what became of it
     */
    Outcome Process(uint32_t seq, uint32_t size, const Copy& copy, const Scan& scan);

    /// Software says that a record begins at a guess. @param seq the guess
    void Confirm(uint32_t seq);
    /// Software says that no record begins at a guess. @param seq the guess
    void Reject(uint32_t seq);
    /// Software says where a record will begin that has not come yet. @param seq its first octet
    void Resume(uint32_t seq);

    State GetState() const;       //!< Tell what the adapter knows. @return state
    uint32_t GetExpected() const; //!< Find what it waits for. @return next sequence number

    /**
     * @brief Look for a head octet by octet.
     * @param framing of the records
     * @param size octets of a segment
     * @param first first of them that may begin a head
     * @param last behind the last such
     * @param copy copies some of them
     * @return where one seems to be, whole; nothing if there is none
     */
    static std::optional<uint32_t> FindHead(const RecordFraming& framing,
                                            uint32_t size,
                                            uint32_t first,
                                            uint32_t last,
                                            const Copy& copy);

  private:
    /// A segment at hand.
    struct Segment
    {
        uint64_t start;   //!< offset of its first octet
        uint64_t end;     //!< behind its last one
        const Copy& copy; //!< copies some of them
        const Scan& scan; //!< looks for a head
    };

    /// @param seq sequence number near the next one @return its offset
    uint64_t GetOffset(uint32_t seq) const;
    /// Follow the records of the next segment, or of the rest of one. @param segment it
    /// @return their payload; nothing if no record begins where one has to
    std::optional<uint32_t> Follow(const Segment& segment);
    /// @param segment behind a gap @param outcome receives what becomes of it @return it is known
    /// where the next record begins, or may be still
    bool Skip(const Segment& segment, Outcome& outcome);
    /// @param segment where to look for a head @return what becomes of it
    Outcome Search(const Segment& segment);

    const Config m_config;           //!< how to look for heads
    RecordChain m_chain;             //!< where records begin, as far as is known
    State m_state{State::FOLLOWING}; //!< what is known
    uint64_t m_whole;                //!< records from here on are worked on from their beginning
    uint64_t m_guess{0};             //!< what software is asked
    Counters& m_counters;            //!< what has been counted
};

} // namespace ns3

#endif // RNIC_RECORD_TRACKER_H
