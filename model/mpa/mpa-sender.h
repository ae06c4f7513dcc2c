/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef MPA_SENDER_H
#define MPA_SENDER_H

#include "mpa-fpdu.h"

#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

namespace ns3
{

/**
 * @ingroup iwarp-mpa
 * @brief Sending half of an MPA stream: which ULPDUs are taken, which wait, and what their FPDUs
 * look like (RFC 5044 sections 4 and 7.1.2).
 *
 * Pure: it knows sequence numbers and octets; the caller has the socket and tells what room there
 * is.
 */
class MpaSender
{
  public:
    /// What becomes of a ULPDU.
    enum class Admission : uint8_t
    {
        SEND,     //!< it goes out now, if there is room for its FPDU
        QUEUE,    //!< it waits for Full Operation, if there will be room
        BAD_SIZE, //!< there is no such FPDU
        BUSY,     //!< others still wait, which go first
        SHUTDOWN, //!< nothing is taken after Shutdown()
        NOT_OPEN, //!< nothing is taken yet
    };

    /**
     * @brief Full Operation begins.
     * @param format Markers and CRC of what is sent
     * @param seq TCP sequence number of the first octet
     */
    void Open(const mpa::FpduFormat& format, uint32_t seq);

    void Shutdown();     //!< Take nothing more (section 7.2); what waits still goes out
    bool IsOpen() const; //!< Tell whether FPDUs may go out. @return true from Open() on
    /// Tell whether no more ULPDUs are taken. @return true from Shutdown() on
    bool IsShutdown() const;

    /**
     * @brief Tell what becomes of a ULPDU.
     * @param size octets of it
     * @param most octets of the longest one that the ULP's settings allow; 0 for any
     * @param accepted the peer's frame was accepted, so that ULPDUs may wait
     * @return that
     */
    Admission Admit(uint64_t size, uint32_t most, bool accepted) const;

    /**
     * @brief Find the octets of an FPDU.
     * @param size octets of its ULPDU
     * @param seq TCP sequence number of its first octet
     * @return octets in the stream, Markers among them
     */
    uint32_t GetWireSize(uint32_t size, uint32_t seq) const;

    /**
     * @brief Write an FPDU.
     * @param [out] out receives GetWireSize() octets
     * @param head first part of the ULPDU
     * @param headSize octets of it
     * @param tail the rest; nullptr means zero octets
     * @param tailSize octets of the rest
     * @param seq TCP sequence number of the FPDU's first octet
     */
    void Encode(uint8_t* out,
                const uint8_t* head,
                uint32_t headSize,
                const uint8_t* tail,
                uint32_t tailSize,
                uint32_t seq) const;

    /**
     * @brief Let a ULPDU wait.
     * @param head as for Encode()
     * @param headSize as for Encode()
     * @param tail as for Encode()
     * @param tailSize as for Encode()
     * @param room octets of send buffer for all that wait
     * @return false if there is no room for it
     */
    bool Enqueue(const uint8_t* head,
                 uint32_t headSize,
                 const uint8_t* tail,
                 uint32_t tailSize,
                 uint32_t room);

    /// See what waits for Full Operation. @return ULPDU to go first; nullptr if none
    const std::vector<uint8_t>* GetFront() const;
    void Pop(); //!< The first one has gone
    /// Count what the waiting ULPDUs are going to take. @return octets of send buffer for all that
    /// wait
    uint32_t GetQueued() const;

    /// Find the largest ULPDU that fits a segment wherever it starts. @param emss octets of payload
    /// that a segment takes @return MULPDU (section 4.5)
    uint32_t GetMulpdu(uint32_t emss) const;

    /**
     * @brief Find the MULPDU that suits the segment being filled (section 4.5).
     * @param emss octets of payload that a segment takes
     * @param room octets that the segment being filled still takes
     * @param seq TCP sequence number of the next FPDU
     * @return the largest ULPDU to post
     */
    uint32_t GetOfferedMulpdu(uint32_t emss, uint32_t room, uint32_t seq) const;

  private:
    /// ULPDUs that wait.
    struct Queue
    {
        std::deque<std::vector<uint8_t>> ulpdus; //!< in order, at least one
        uint32_t octets{0};                      //!< of their FPDUs, at most
    };

    mpa::FpduFormat m_format;       //!< format of what is sent
    bool m_open{false};             //!< Open() was called
    bool m_shutdown{false};         //!< Shutdown() was called
    uint32_t m_seqStart{0};         //!< TCP sequence number of the first octet
    std::unique_ptr<Queue> m_queue; //!< what waits for Full Operation, if anything
};

} // namespace ns3

#endif // MPA_SENDER_H
