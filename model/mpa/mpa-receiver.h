/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef MPA_RECEIVER_H
#define MPA_RECEIVER_H

#include "mpa-error.h"
#include "mpa-fpdu.h"

#include <cstdint>
#include <map>
#include <vector>

namespace ns3
{

/// @ingroup iwarp-mpa
/// @brief How a receiving half connection works.
struct MpaReceiverConfig
{
    uint32_t seqStart{0};   //!< TCP sequence number of the first octet of the MPA stream
    mpa::FpduFormat format; //!< Markers and CRC in this direction
    bool outOfOrder{true};  //!< pass FPDUs out of order (only ever with Markers)
    mpa::CheckMarkers check{mpa::CheckMarkers::ALL}; //!< which Markers are compared
    bool silentDrop{false};      //!< on codes 2 and 3 ask for the segment to be dropped, as if lost
    uint64_t memory{UINT64_MAX}; //!< octets of reassembly memory; at least 140
    bool strictLength{false};    //!< a ULPDU_Length of 0 or above 64768 is an error (code 3)
};

/// @ingroup iwarp-mpa
/// @brief A ULPDU handed up.
struct MpaUlpdu
{
    uint32_t seq{0};      //!< TCP sequence number of the FPDU's first octet: the order of the peer
    uint32_t wireSize{0}; //!< stream octets of its FPDU
    const uint8_t* data{nullptr}; //!< the ULPDU's octets, valid during the call only
    uint32_t length{0};           //!< octets of the ULPDU
    bool inOrder{false};          //!< everything before it has been passed too
    uint64_t stamp{0};            //!< largest stamp of the segments that brought its FPDU
    bool aligned{false};          //!< its FPDU came whole within one segment
};

/// @ingroup iwarp-mpa
/// @brief What one segment meant, for traces, counters and RNIC timing (RFC 5044 B.2.1).
struct MpaSegmentReport
{
    bool inOrder{false};          //!< the segment began at the left edge
    bool duplicate{false};        //!< nothing new in it
    bool dropped{false};          //!< the caller must drop it: TCP is to see it as lost
    bool memoryFull{false};       //!< dropped since the reassembly memory is full
    uint32_t passed{0};           //!< FPDUs passed on this segment's arrival
    uint32_t passedOutOfOrder{0}; //!< of these, out of order
    uint32_t stored{0};           //!< octets of it put into the reassembly memory
    uint64_t crcOctets{0};        //!< octets that went through the CRC
    uint32_t crcRuns{0};          //!< CRC computations begun or resumed
    uint32_t markerSearches{0};   //!< times a Marker served to find an FPDU
};

/**
 * @ingroup iwarp-mpa
 * @brief Receiving half of MPA: segments in, ULPDUs out (RFC 5044 sections 5, 6, 8 and A.3, A.4).
 *
 * Pure: it knows sequence numbers and octets, neither sockets nor time. Octets that TCP will keep
 * go in through Segment(), in order or not; Advance() tells how far TCP is complete. ULPDUs come
 * out through the Listener: passed as soon as they are validated, delivered in order.
 *
 * With outOfOrder and Markers, an FPDU in a segment out of order is passed if its start is proved
 * by a Marker or by the length chain from an FPDU so found. Otherwise segments out of order wait
 * in the reassembly memory. Octets already passed are never handed up again.
 */
class MpaReceiver
{
  public:
    /// Where ULPDUs and events go.
    class Listener
    {
      public:
        virtual ~Listener() = default;
        /// A ULPDU is validated (placement). @param ulpdu what came
        virtual void Pass(const MpaUlpdu& ulpdu) = 0;
        /// The next @p count ULPDUs in the peer's order are complete. @param count at least 1
        virtual void Deliver(uint32_t count) = 0;
        /// An error of code 2 or 3; no ULPDU follows. @param error code @param seq where
        virtual void Error(MpaError error, uint32_t seq) = 0;
        /// A segment's place among FPDU boundaries is known. Called once a segment, when the length
        /// chain has reached its end. @param seq its sequence number @param size its octets
        /// @param headerAligned it begins with an FPDU @param fpduAligned and holds whole FPDUs
        /// only
        virtual void Classified(uint32_t seq,
                                uint32_t size,
                                bool headerAligned,
                                bool fpduAligned) = 0;
    };

    /**
     * @param config how to work; memory below 140 octets is raised to it (A.5.2)
     * @param listener where ULPDUs go; outlives the receiver
     */
    MpaReceiver(const MpaReceiverConfig& config, Listener& listener);

    /**
     * @brief A segment that TCP found good, in window and is going to keep.
     * @param seq sequence number of the first octet
     * @param data octets
     * @param size number of octets, at least 1
     * @param stamp the caller's clock, never decreasing; comes back with the ULPDUs
     * @return what it meant; if dropped is set nothing of it was taken
     */
    MpaSegmentReport Segment(uint32_t seq, const uint8_t* data, uint32_t size, uint64_t stamp = 0);

    /**
     * @brief TCP is complete up to here: deliver.
     * @param seq left edge of the receive window
     */
    void Advance(uint32_t seq);

    uint64_t GetHeld() const;      //!< @return octets in the reassembly memory
    uint64_t GetPassed() const;    //!< @return ULPDUs passed so far
    uint64_t GetDelivered() const; //!< @return ULPDUs delivered so far
    bool HasFailed() const;        //!< @return true after an error: nothing is passed any more
    uint32_t GetNext() const; //!< @return sequence number at which the next FPDU in order starts
    // private part: to be designed with the implementation
};

} // namespace ns3

#endif // MPA_RECEIVER_H
