/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef MPA_RECEIVER_H
#define MPA_RECEIVER_H

#include "mpa-error.h"
#include "mpa-fpdu.h"
#include "mpa-reassembly-store.h"

#include "ns3/record-segment-classifier.h"
#include "ns3/record-segment-report.h"

#include <cstdint>
#include <vector>

namespace ns3
{

/// @ingroup iwarp-mpa
/// @brief How a receiving half connection works.
struct MpaReceiverConfig
{
    uint32_t seqStart{0};   //!< TCP sequence number of the first octet of the MPA stream
    uint32_t position{0};   //!< position of that octet (see mpa-marker.h), 0 to 508: not 0 where a
                            //!< stream is joined midway
    mpa::FpduFormat format; //!< Markers and CRC in this direction
    bool outOfOrder{true};  //!< pass FPDUs out of order (only ever with Markers)
    mpa::CheckMarkers check{mpa::CheckMarkers::ALL}; //!< which Markers are compared
    bool silentDrop{false};      //!< on codes 2 and 3 ask for the segment to be dropped, as if lost
    bool strictLength{false};    //!< a ULPDU_Length of 0 or above 64768 is an error (code 3)
    uint64_t memory{UINT64_MAX}; //!< octets of reassembly memory; at least 140
    uint32_t reserve{140};       //!< octets of it that only data in order may use; at least 140
    uint32_t records{8192};      //!< records at which segments out of order are refused, at least 1
};

/// @ingroup iwarp-mpa
/// @brief A ULPDU handed up.
struct MpaUlpdu
{
    uint32_t seq{0};      //!< TCP sequence number of the FPDU's first octet: the order of the peer
    uint32_t wireSize{0}; //!< stream octets of its FPDU
    const uint8_t* fpdu{nullptr}; //!< the FPDU's octets as in the stream, as long as @ref data
    const uint8_t* data{nullptr}; //!< the ULPDU's octets, valid during the call only
    uint32_t length{0};           //!< octets of the ULPDU
    bool inOrder{false};          //!< everything before it has been passed too
    uint64_t stamp{0};            //!< largest stamp of the segments that brought its FPDU
    bool aligned{false};          //!< its FPDU came whole within one segment
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
 *
 * A start found by a Marker is a claim until the length chain in order gets there. So an FPDU out
 * of order that seems faulty is only held; the fault is told when the chain reaches it. If the
 * chain has another boundary where an FPDU was passed, that is code 3.
 *
 * @par Reassembly memory
 * TCP has acknowledged what is held, so nothing can be thrown away again, and what is held out of
 * order may need octets in order before it can leave. So octets in order never wait for those out
 * of order: of config.memory, out-of-order octets may use what is left besides the reserve, the
 * largest of config.reserve and of the FPDUs passed so far, and data in order (the beginning of one
 * FPDU) may use all of it. The sum exceeds config.memory only if an FPDU longer than the reserve
 * comes in parts for the first time. A segment that does not fit is refused, and TCP sends it
 * again; one in order that ends an FPDU may be taken up to there, so that a sender that is not
 * aligned gets on in a full memory, by an FPDU a segment. An FPDU that is not passed on arrival
 * needs memory for all but its last segment, whence A.5.2's rule: memory for an FPDU of the link's
 * MTU, and at least 140 octets.
 *
 * @par Records
 * Besides its octets, each segment that waits to be classified and each FPDU passed out of order
 * has a record, which may be larger than they are. While config.records of them are in use,
 * segments out of order are refused; one in order never is, and at most an FPDU's wait.
 *
 * @par Silent drop
 * With silentDrop, a segment that would complete a faulty FPDU is refused before any FPDU of it is
 * passed, and TCP sends it again. A fault that lies wholly in octets accepted earlier cannot be
 * mended so, since TCP has acknowledged them, and is reported.
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
     * @brief Begin at config.seqStart, with nothing held.
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
    RecordSegmentReport Segment(uint32_t seq,
                                const uint8_t* data,
                                uint32_t size,
                                uint64_t stamp = 0);

    /**
     * @brief Limit the next segment besides, for a memory shared with other receivers.
     * @param inOrder octets in order that may be held in addition
     * @param outOfOrder octets out of order that may be held in addition
     * @param behind octets that may be held in all of the FPDU behind one that ends in the segment
     */
    void SetRoom(uint64_t inOrder, uint64_t outOfOrder, uint64_t behind = UINT64_MAX);

    /**
     * @brief TCP is complete up to here: deliver.
     * @param seq left edge of the receive window
     */
    void Advance(uint32_t seq);

    /// Count the octets that wait. @return octets in the reassembly memory
    uint64_t GetHeld() const;
    /// Count what else takes memory. @return segments that wait to be classified, and FPDUs passed
    /// out of order
    uint32_t GetRecords() const;
    /// Count what was validated, in order or not. @return ULPDUs passed so far
    uint64_t GetPassed() const;
    /// Count what became complete in order. @return ULPDUs delivered so far
    uint64_t GetDelivered() const;
    /// Tell whether the stream is broken. @return true after an error: nothing is passed any more
    bool HasFailed() const;
    /// Find how far the length chain in order has come. @return sequence number at which the next
    /// FPDU in order starts
    uint32_t GetNext() const;

  private:
    /// An FPDU passed out of order that the chain has not reached; offsets in the stream.
    struct Passed
    {
        uint64_t start; //!< its first octet
        uint64_t end;   //!< behind its last one
    };

    struct Scratch; //!< memory for FPDUs that are not contiguous
    class Arrival;  //!< the segment at hand

    /// An FPDU seen in the store.
    struct Found
    {
        mpa::FpduView view;            //!< what it is
        MpaReassemblyStore::Span span; //!< where its octets are
    };

    int64_t Unwrap(uint32_t seq) const;   //!< @param seq sequence number @return its offset
    uint32_t Wrap(uint64_t offset) const; //!< @param offset an offset @return sequence number
    /// @param view a complete FPDU @return the error that it is, or NONE
    MpaError Validate(const mpa::FpduView& view) const;

    void InPlace(Arrival& a); //!< @param a a segment at the chain's end while nothing waits
    /// @param a a segment for InPlace() @return it must not be taken
    bool RefuseInPlace(Arrival& a);
    void Reassemble(Arrival& a); //!< @param a any other segment
    bool InsertNew(Arrival& a);  //!< @param a lends its new octets to the store @return any new?
    bool Refuse(Arrival& a);     //!< @param a a segment lent @return it must not be taken
    /**
     * @brief Follow the lengths from the chain's end on: pass, tell boundaries, or fail.
     * @param a the segment at hand
     * @param dry only look, and note what is found in @p a
     * @return offset at which the chain ends
     */
    uint64_t Chain(Arrival& a, bool dry);
    /**
     * @brief Find FPDUs in the runs of octets out of order that the segment has become part of.
     * @param a the segment at hand
     * @param dry only look, and note what is found in @p a
     */
    void SearchNew(Arrival& a, bool dry);
    /**
     * @brief Find FPDUs in a gapless run of octets out of order (RFC 5044 section 6).
     * @param a the segment at hand
     * @param from first octet
     * @param to behind the last one
     * @param dry as above
     */
    void Search(Arrival& a, uint64_t from, uint64_t to, bool dry);
    /// Tell whether the segment has a part in an FPDU; without one, the FPDU has been judged
    /// before.
    /// @param a the segment at hand @param offset where an FPDU starts @return true if it has, or
    /// if the FPDU's length is not known
    bool HasPart(const Arrival& a, uint64_t offset) const;
    /**
     * @brief Pass FPDUs out of order by their lengths.
     * @param a the segment at hand
     * @param from where one starts
     * @param inside offset that the first one has to reach beyond
     * @param dry as above
     * @return where the FPDU begins that is not complete or not valid
     */
    uint64_t Follow(Arrival& a, uint64_t from, uint64_t inside, bool dry);
    /**
     * @param a the segment at hand
     * @param offset where an FPDU starts
     * @param[out] found the FPDU there
     * @return true if it is complete
     */
    bool Look(Arrival& a, uint64_t offset, Found& found) const;
    /// Find where octets end that go on without a gap; octets up to the next one in order are not
    /// looked through. @param offset where to begin @param want enough @return offset behind them,
    /// at most @p offset + @p want
    uint64_t FindGap(uint64_t offset, uint64_t want = UINT32_MAX) const;
    /// @param a segment @param offset its first octet @param found FPDU @param inOrder in order
    void Pass(Arrival& a, uint64_t offset, const Found& found, bool inOrder);
    /// The length chain has come to a boundary: tell of segments up to there. @param offset its
    /// place
    void ReachBoundary(uint64_t offset);
    /// @param error code @param offset FPDU that shows it; nothing is passed from now on
    void Fail(MpaError error, uint64_t offset);

    MpaReceiverConfig m_config;        //!< how to work
    Listener& m_listener;              //!< where ULPDUs go
    uint64_t m_next{0};                //!< the chain's end: where the next FPDU in order starts
    uint64_t m_edge{0};                //!< first octet that has not come
    uint64_t m_passed{0};              //!< ULPDUs passed
    uint64_t m_delivered{0};           //!< ULPDUs delivered
    uint32_t m_reserve;                //!< octets of memory that only data in order may use
    uint64_t m_room{UINT64_MAX};       //!< octets in order that may be held in addition
    uint64_t m_lateRoom{UINT64_MAX};   //!< octets out of order that may be held in addition
    uint64_t m_behind{UINT64_MAX};     //!< octets that may be held behind an FPDU that ends
    bool m_failed{false};              //!< error reported
    MpaReassemblyStore m_store;        //!< octets that wait
    std::vector<Passed> m_ahead;       //!< FPDUs passed out of order, by offset
    std::vector<uint64_t> m_ends;      //!< ends of FPDUs in order that are not delivered
    RecordSegmentClassifier m_classifier; //!< segments whose place among boundaries is not known
};

} // namespace ns3

#endif // MPA_RECEIVER_H
