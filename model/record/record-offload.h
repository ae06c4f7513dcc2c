/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RECORD_OFFLOAD_H
#define RECORD_OFFLOAD_H

#include "record-framing.h"

#include <cstdint>

namespace ns3
{

/// @ingroup iwarp-record
/// @brief What has to be done for the octets of records, by hardware or by the host's software.
struct RecordService
{
    bool crc{false};       //!< a CRC covers them, as the digests of NVMe/TCP
    bool cipher{false};    //!< they are enciphered, as those of TLS
    bool placement{false}; //!< a head says where payload goes, so that hardware can place it
};

/**
 * @ingroup iwarp-record
 * @brief What hardware that leaves TCP to the host offers for the records of a connection: it
 * follows them beside TCP, and asks software where they are once it has lost them.
 *
 * A connection of the node's TcpEndPointTable may offer it; who sends and receives records finds it
 * by RecordTcpSocket::GetOffload().
 */
class RecordOffload
{
  public:
    /// Software that knows where records begin.
    class User
    {
      public:
        /// Hardware asks; Answer() once all octets up to the head have come in order. @param seq
        /// sequence number at which a record seems to begin
        virtual void HandleGuess(uint32_t seq) = 0;

      protected:
        ~User() = default;
    };

    /// Tell who does TCP. @return hardware does: what waits for octets in front of it waits there
    virtual bool HoldsSegments() const = 0;

    /**
     * @brief Say what is done for octets of the connection, sent and received.
     * @param service by hardware or by software
     */
    virtual void SetService(const RecordService& service) = 0;

    /**
     * @brief Have hardware work on the records of the connection.
     * @param framing of the records; stays until Unfollow()
     * @param seq sequence number of the next octet to be received, a record's first
     * @param user who answers, until Unfollow()
     * @return false if the hardware does no such thing, or has no room for another connection
     */
    virtual bool Follow(const RecordFraming& framing, uint32_t seq, User& user) = 0;
    /// No more records come that are wanted: hardware follows them no longer, and has room for
    /// those of another connection. It still works on what is sent.
    virtual void Unfollow() = 0;

    /// Look at the segment that TCP is showing now. @return hardware has worked on all of it
    virtual bool WasWorkedOn() const = 0;
    /// Tell how hardware finds its way back. @return it waits for Resume() instead of guessing
    virtual bool WaitsForSoftware() const = 0;
    /// Answer a guess. @param seq it @param isRecord a record begins there
    virtual void Answer(uint32_t seq, bool isRecord) = 0;
    /// Say where the next record begins, of which no octet has come. @param seq its first
    virtual void Resume(uint32_t seq) = 0;

  protected:
    ~RecordOffload() = default;
};

} // namespace ns3

#endif // RECORD_OFFLOAD_H
