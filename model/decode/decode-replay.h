/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DECODE_REPLAY_H
#define DECODE_REPLAY_H

#include "decode-event.h"

#include "ns3/mpa-receiver.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

namespace ns3
{

/// @ingroup iwarp-decode
/// @brief Octets that a receiver kept of one segment.
struct DecodeKeptPiece
{
    uint64_t offset{0};           //!< first one
    const uint8_t* data{nullptr}; //!< octets captured
    uint32_t size{0};             //!< how many
    int64_t time{0};              //!< when they came, ns
    std::size_t segment{0};       //!< which segment brought them
};

/// @ingroup iwarp-decode
/// @brief What a received segment meant, see RecordSegmentReport.
struct DecodeSegmentOutcome
{
    bool inOrder{false}; //!< its first new octet was next in order
    uint32_t passed{0};  //!< FPDUs placed on its arrival
    uint32_t early{0};   //!< of these, out of order
    uint32_t stored{0};  //!< octets of it put into the reassembly memory
    uint64_t held{0};    //!< octets in that memory afterwards
    bool isSeen{false};  //!< the receiver has looked at it
};

/// @ingroup iwarp-decode
/// @brief What became of an FPDU.
enum class DecodeFate : uint8_t
{
    AT_ONCE,    //!< placed in order, with the one segment that brought it
    IN_PARTS,   //!< placed in order, when the last of several segments had come
    MARKER,     //!< placed out of order: a Marker told where it begins
    LENGTH,     //!< placed out of order: it follows one so found
    WAITED,     //!< it was whole, and waited for octets before it
    BAD,        //!< its CRC or a Marker is wrong
    INCOMPLETE, //!< octets of it are not in the capture
};

/// @ingroup iwarp-decode
/// @brief An FPDU, or PDU of another framing, and what became of it.
struct DecodeFpduOutcome
{
    DecodeFate fate{DecodeFate::INCOMPLETE}; //!< in short
    int64_t first{0};                        //!< when its first octets came, ns
    int64_t complete{0};                     //!< when the last of its own octets had come
    int64_t placed{0};                       //!< when it was placed
    int64_t delivered{0};                    //!< when all before it had come too
};

/// @ingroup iwarp-decode
/// @brief A stretch of a stream, as DecodeReplay takes it.
struct DecodeFpduPlace
{
    uint64_t begin{0};             //!< first octet
    uint32_t size{0};              //!< octets in the stream
    uint32_t position{0};          //!< of the first octet, see mpa-marker.h
    bool markers{false};           //!< there are Markers
    bool isMpa{false};             //!< an FPDU, and no other frame
    DecodeCrc crc{DecodeCrc::OFF}; //!< verdict on its CRC
    uint32_t missing{0};           //!< octets that are not in the capture
    int64_t time{0};               //!< when the last octet in order of it had come, ns
};

/**
 * @ingroup iwarp-decode
 * @brief Lets a connection's segments come once more, as its receiver got them, and tells what
 * became of each FPDU.
 *
 * MpaReceiver, which simulated connections have, gets the octets that were kept, in the order in
 * which they came. It begins where FPDUs are known to, and anew behind one that is damaged or not
 * all in the capture, where a receiver would end the stream. Frames of other framings are placed
 * in order. Pure: it knows offsets, octets and times.
 */
class DecodeReplay : private MpaReceiver::Listener
{
  public:
    /**
     * @brief Take a direction.
     * @param pieces what the receiver kept, in the order in which it came
     * @param segments segments that there are
     * @param places where FPDUs are, by offset
     */
    DecodeReplay(std::vector<DecodeKeptPiece> pieces,
                 std::size_t segments,
                 std::vector<DecodeFpduPlace> places);

    void Run(); //!< Let it come.

    /// Get what segments meant. @return outcomes by number of the segment
    const std::vector<DecodeSegmentOutcome>& GetSegments() const;
    /// Get what became of FPDUs. @return outcomes in the order of the places
    const std::vector<DecodeFpduOutcome>& GetFpdus() const;

  private:
    // MpaReceiver::Listener
    void Pass(const MpaUlpdu& ulpdu) override;
    void Deliver(uint32_t count) override;
    void Error(MpaError error, uint32_t seq) override;
    void Classified(uint32_t seq, uint32_t size, bool headerAligned, bool fpduAligned) override;

    /// @param place an FPDU that is as it should be, or may be a part of such a run @return so
    static bool IsSound(const DecodeFpduPlace& place);
    /// FPDUs that follow each other. @param from first @param to behind the last @return the one
    /// to go on with
    std::size_t RunStretch(std::size_t from, std::size_t to);
    /// @param seq sequence number of an FPDU @return which of the stretch; @ref m_to if it is none
    std::size_t FindPlace(uint32_t seq) const;
    /// @param begin an offset @param end another @return pieces in between, in the order in which
    /// they came
    std::vector<std::size_t> FindPieces(uint64_t begin, uint64_t end) const;
    /// Tell when octets came. @param place an FPDU @param[out] outcome times of it
    void FindTimes(const DecodeFpduPlace& place, DecodeFpduOutcome& outcome) const;
    /// Give a piece to the receiver. @param receiver it @param piece which @param begin first
    /// offset of the stretch @param end behind its last one
    void Feed(MpaReceiver& receiver, const DecodeKeptPiece& piece, uint64_t begin, uint64_t end);

    const std::vector<DecodeKeptPiece> m_pieces;  //!< what came
    const std::vector<DecodeFpduPlace> m_places;  //!< FPDUs
    std::vector<std::size_t> m_byOffset;          //!< pieces by their offsets, which do not overlap
    std::vector<DecodeSegmentOutcome> m_segments; //!< results
    std::vector<DecodeFpduOutcome> m_fpdus;       //!< results
    std::map<uint64_t, uint64_t> m_came;          //!< runs of octets that came of the stretch
    uint64_t m_edge{0};                           //!< what came without a gap ends there
    std::size_t m_from{0};                        //!< first FPDU of the stretch
    std::size_t m_to{0};                          //!< behind its last one
    std::size_t m_delivered{0};                   //!< next FPDU to be delivered
    std::vector<bool> m_early;                    //!< FPDUs that were placed out of order
    int64_t m_now{0};                             //!< time of the piece at hand
    std::optional<std::size_t> m_fault;           //!< FPDU that the receiver fails at
};

} // namespace ns3

#endif // DECODE_REPLAY_H
