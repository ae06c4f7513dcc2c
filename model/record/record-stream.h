/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RECORD_STREAM_H
#define RECORD_STREAM_H

#include "record-chain.h"
#include "record-framing.h"

#include "ns3/packet.h"
#include "ns3/ptr.h"
#include "ns3/simple-ref-count.h"
#include "ns3/socket.h"

#include <cstdint>
#include <deque>
#include <memory>

namespace ns3
{

class RecordTcpSocket;

/**
 * @ingroup iwarp-record
 * @brief Records of a protocol over a connected TCP socket, of whatever kind: records in, records
 * out, in order.
 *
 * A record is what one Send() of the socket hands over, so that a RecordTcpSocket, such as
 * MpaTcpSocket, keeps records aligned with segments if its attribute Alignment says so. Records
 * that the send buffer does not hold go in pieces of whole segments.
 *
 * From Open() to Close() the stream owns the socket's callbacks.
 */
class RecordStream : public SimpleRefCount<RecordStream>
{
  public:
    /// How a stream ended.
    enum class End : uint8_t
    {
        CLOSED,    //!< the peer has closed it behind a whole record
        TRUNCATED, //!< the peer has closed it within a record
        BROKEN,    //!< no record begins where one has to
        LOST,      //!< TCP has failed
    };

    /// Who sends and receives records.
    class User
    {
      public:
        /// A record has come, whole and in order. @param record its octets, head included @param
        /// head what its head says
        virtual void HandleRecord(const Ptr<Packet>& record, const RecordHead& head) = 0;
        /// Some payload of a record has come, in order; its record may not be whole yet. @param
        /// octets of payload
        virtual void HandlePayload(uint64_t octets) = 0;
        /// All records that were sent are TCP's now, and there is room for more.
        virtual void HandleRoom() = 0;
        /// Nothing more will come. @param end why
        virtual void HandleEnd(End end) = 0;

      protected:
        ~User() = default;
    };

    /// Make a stream. @param framing of both directions @param user who sends and receives; both
    /// outlive this
    RecordStream(const RecordFraming& framing, User& user);
    ~RecordStream();
    RecordStream(const RecordStream&) = delete;
    RecordStream& operator=(const RecordStream&) = delete;

    /// Begin. @param socket connected; what comes from here on are records
    void Open(Ptr<Socket> socket);
    bool IsOpen() const;           //!< Tell whether there is a socket. @return true until Close()
    Ptr<Socket> GetSocket() const; //!< Reach the socket below. @return it, nullptr without one
    /// Find what the socket can do with records. @return it if it keeps their boundaries; nullptr
    /// otherwise
    Ptr<RecordTcpSocket> GetRecordSocket() const;

    /// Send a record, behind those that wait. @param record its octets, head included
    void Send(Ptr<Packet> record);
    /// Count what waits for room in the socket. @return octets
    uint64_t GetWaiting() const;

    /// End the connection: FIN behind all that was sent, with which the peer's records are over as
    /// well unless it goes on.
    void Close();

  private:
    // what the socket calls back
    void HandleReceive(Ptr<Socket> socket);             //!< octets in order @param socket has them
    void HandleSend(Ptr<Socket> socket, uint32_t room); //!< @param socket has it @param room octets
    void HandleNormalClose(Ptr<Socket> socket);         //!< @param socket whose peer has closed
    void HandleErrorClose(Ptr<Socket> socket);          //!< @param socket that has failed

    void Read(const Ptr<Packet>& packet); //!< @param packet octets that are next in order
    /// Hand up what has come of a record. @param record it @param from offset in the stream that
    /// was come to before @param octets from there on
    void Advance(const RecordChain::Record& record, uint64_t from, const Ptr<Packet>& octets);
    void Finish(End end); //!< nothing more comes @param end why
    void Release();       //!< give the socket's callbacks back
    bool SendWaiting();   //!< @return all that waited is TCP's

    const RecordFraming& m_framing;       //!< of both directions
    User& m_user;                         //!< sends and receives
    Ptr<Socket> m_socket;                 //!< transport
    Ptr<RecordTcpSocket> m_recordSocket;  //!< the same, if it keeps records' boundaries
    std::unique_ptr<RecordChain> m_chain; //!< of what comes in
    Ptr<Packet> m_record;                 //!< octets that have come of the record under way
    std::deque<Ptr<Packet>> m_waiting;    //!< records that wait for room, the oldest first
    uint64_t m_octetsWaiting{0};          //!< octets of them
    bool m_closing{false};                //!< FIN follows what waits
    bool m_over{false};                   //!< the user knows of the end
};

} // namespace ns3

#endif // RECORD_STREAM_H
