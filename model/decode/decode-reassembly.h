/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DECODE_REASSEMBLY_H
#define DECODE_REASSEMBLY_H

#include "decode-event.h"
#include "decode-packet.h"

#include <cstdint>
#include <map>

namespace ns3
{

/// @ingroup iwarp-decode
/// @brief Octets of one TCP segment, wherever the capture holds them.
struct DecodePiece
{
    uint64_t offset{0};           //!< place in the stream, 1 for its first octet
    const uint8_t* data{nullptr}; //!< octets captured
    uint32_t size{0};             //!< how many
    uint32_t length{0};           //!< octets that there were
    uint64_t frame{0};            //!< number of the frame
    int64_t time{0};              //!< its time, ns

    /// Leave out the first octets. @param octets how many, at most @ref size @return the rest
    DecodePiece From(uint32_t octets) const
    {
        return {offset + octets, data + octets, size - octets, length - octets, frame, time};
    }
};

/**
 * @ingroup iwarp-decode
 * @brief Puts one direction of a TCP connection in order, as the receiver's TCP did.
 *
 * Octets are never copied. What the peer acknowledged though the capture does not hold it is a
 * gap: nothing will fill it. A segment with a bad checksum is none, unless the peer acknowledges
 * what nothing else brought: then it was right, and only the capture has it wrong.
 */
class DecodeReassembly
{
  public:
    /// Takes the stream.
    class Listener
    {
      public:
        virtual ~Listener() = default;
        /// The next octets in order. @param piece what is new of a segment @return octets taken; if
        /// they are not all, the rest waits for Resume()
        virtual uint32_t InOrder(const DecodePiece& piece) = 0;
        /// Octets are not in the capture. @param from first @param to behind the last @param next
        /// segment that shows it
        virtual void Gap(uint64_t from, uint64_t to, const DecodePiece& next) = 0;
        /// The peer's FIN is next in order. @param frame its number @param time its time, ns
        virtual void End(uint64_t frame, int64_t time) = 0;
    };

    /**
     * @brief Begin with a direction of which nothing was seen.
     * @param listener takes the stream; outlives this
     * @param stats figures to count in; outlives this
     */
    DecodeReassembly(Listener& listener, DecodeStats& stats);

    /**
     * @brief A segment of this direction.
     * @param segment the segment
     * @param frame the frame that holds it
     */
    void Add(const DecodeSegment& segment, const DecodeFrame& frame);

    /**
     * @brief The other direction acknowledges.
     * @param ack acknowledgment number
     */
    void Acknowledged(uint32_t ack);

    /// Begin with octets that nothing brought yet. @param initial sequence number of offset 0
    void Start(uint32_t initial);

    /// Nothing will bring the octets before an offset: go on there. @param offset at the edge or
    /// behind it
    void PassOver(uint64_t offset);

    void Resume(); //!< The listener wants more.
    void Finish(); //!< Nothing more comes: what lies behind gaps is given out as it is.

    bool HasStarted() const;     //!< Tell whether a segment came. @return true then
    bool HasSyn() const;         //!< Tell whether the beginning was captured. @return true then
    uint32_t GetInitial() const; //!< Get the sequence number of offset 0. @return sequence number
    uint64_t GetEdge() const;    //!< Get the place of the next octet in order. @return offset
    uint64_t GetAcknowledged() const; //!< Get the end of what the peer acknowledged. @return offset
    /// Count the segments that wait for others or for Resume(). @return segments
    std::size_t GetWaiting() const;

    static constexpr std::size_t MAX_WAITING = 65536; //!< segments that wait for a gap to be filled

  private:
    using Pieces = std::multimap<uint64_t, DecodePiece>; //!< by offset

    /// @param segment a segment @return it begins the stream, perhaps anew
    bool IsBeginning(const DecodeSegment& segment) const;
    uint64_t Unwrap(uint32_t seq) const; //!< @param seq sequence number @return its offset
    void Pump();                         //!< give out what can be
    void Give(DecodePiece piece);        //!< @param piece next one, at the edge or before
    /// Find a segment of bad checksum to go on with. @return true if there was one
    bool IsCredible();

    Listener& m_listener;       //!< takes the stream
    DecodeStats& m_stats;       //!< figures
    bool m_started{false};      //!< a segment came
    bool m_syn{false};          //!< the beginning was captured
    bool m_paused{false};       //!< the listener wants nothing
    bool m_finish{false};       //!< nothing more comes
    uint32_t m_initial{0};      //!< sequence number of offset 0
    uint64_t m_edge{1};         //!< next octet in order
    uint64_t m_acknowledged{0}; //!< the peer has what comes before this
    uint64_t m_end{0};          //!< offset of FIN, 0 before it came
    uint64_t m_endFrame{0};     //!< frame of FIN
    int64_t m_endTime{0};       //!< its time
    bool m_ended{false};        //!< FIN was told
    bool m_anyGood{false};      //!< a segment with a good checksum came
    Pieces m_waiting;           //!< segments ahead of the edge
    Pieces m_doubtful;          //!< segments with a bad checksum
};

} // namespace ns3

#endif // DECODE_REASSEMBLY_H
