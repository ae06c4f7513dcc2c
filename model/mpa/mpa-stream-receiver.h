/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef MPA_STREAM_RECEIVER_H
#define MPA_STREAM_RECEIVER_H

#include "mpa-stream-traces.h"
#include "mpa-tcp-socket.h"

#include "ns3/record-placement.h"
#include "ns3/record-receive-path.h"

#include <cstddef>
#include <cstdint>

namespace ns3
{

/**
 * @ingroup iwarp-mpa
 * @brief Receiving half of an MpaStream: what the socket shows and hands up goes to an MpaReceiver,
 * what that finds to the stream, and what a segment meant to hardware below TCP.
 */
class MpaStreamReceiver : private MpaReceiver::Listener
{
  public:
    /// Where ULPDUs go.
    class Listener
    {
      public:
        /// A ULPDU is validated. @param ulpdu it @param placements receives where its payload goes;
        /// nullptr if nobody asks
        virtual void Pass(const MpaUlpdu& ulpdu, RecordPlacementList* placements) = 0;
        /// ULPDUs are complete in the peer's order. @param count how many, at least 1
        virtual void Deliver(uint32_t count) = 0;
        /// An error of code 2 or 3; no ULPDU follows. @param error code @param seq where
        virtual void Error(MpaError error, uint32_t seq) = 0;

      protected:
        ~Listener() = default;
    };

    /// Make the receiving half of a stream. @param traces of the stream @param listener where
    /// ULPDUs go; both outlive this
    MpaStreamReceiver(MpaStreamTraces& traces, Listener& listener);

    /// Keep octets that came ahead of the ULP's decision. @param data octets @param size how many
    void HoldEarly(const uint8_t* data, std::size_t size);
    /// Decode what comes from here on as FPDUs. @param socket transport @param config how to
    /// receive
    void Open(const MpaTcpSocket& socket, MpaReceiverConfig config);
    bool IsOpen() const; //!< Tell whether FPDUs are decoded. @return true from Open() on
    /// Tell whether octets of HoldEarly() wait. @return true until Drain()
    bool HasEarly() const;
    /// Tell whether the peer's FIN ends the stream well. @param socket transport
    /// @return it stands behind a whole FPDU, or the stream had failed before
    bool IsWhole(const MpaTcpSocket& socket);

    /// Look at a segment, before TCP keeps it. @param socket transport @param seq its sequence
    /// number @param packet its octets @return what TCP does with it
    MpaTcpSocket::Verdict See(MpaTcpSocket& socket, uint32_t seq, const Packet& packet);
    /// Take octets in order out of TCP, and deliver. @param socket transport
    void Drain(MpaTcpSocket& socket);

  private:
    /// A segment that the receiver looks at.
    struct Arriving
    {
        uint32_t seq;                   //!< sequence number
        uint32_t size;                  //!< octets
        RecordPlacementList placements; //!< where its ULPDUs go
    };

    // MpaReceiver::Listener
    void Pass(const MpaUlpdu& ulpdu) override;
    void Deliver(uint32_t count) override;
    void Error(MpaError error, uint32_t seq) override;
    void Classified(uint32_t seq, uint32_t size, bool headerAligned, bool fpduAligned) override;

    /// Let the receiver look at octets. @param socket transport @param seq sequence number
    /// @param data octets @param size how many @return what they meant
    RecordSegmentReport ProcessSegment(const MpaTcpSocket& socket,
                                       uint32_t seq,
                                       const uint8_t* data,
                                       uint32_t size);

    MpaStreamTraces& m_traces;             //!< of the stream
    Listener& m_listener;                  //!< where ULPDUs go
    RecordReceivePath<MpaReceiver> m_path; //!< which octets the receiver gets
    Arriving* m_arriving{nullptr};         //!< segment that it looks at, if hardware asks
};

} // namespace ns3

#endif // MPA_STREAM_RECEIVER_H
