/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RECORD_STREAM_H
#define RECORD_STREAM_H

#include "record-arrivals.h"
#include "record-chain.h"
#include "record-framing.h"
#include "record-host-view.h"
#include "record-offload.h"
#include "record-placement.h"
#include "record-segment-classifier.h"
#include "record-user.h"

#include "ns3/packet.h"
#include "ns3/ptr.h"
#include "ns3/simple-ref-count.h"
#include "ns3/socket.h"

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <set>
#include <vector>

namespace ns3
{

class RecordSegmentSink;
class RecordTcpSocket;
struct RecordSegmentReport;

/**
 * @ingroup iwarp-record
 * @brief Records of a protocol over a connected TCP socket, of whatever kind: records in, records
 * out, in order.
 *
 * A RecordTcpSocket, such as MpaTcpSocket, keeps records aligned with segments if its attribute
 * Alignment says so. What the send buffer has no room for goes as room comes, in whole segments.
 *
 * Hardware below such a socket learns what segments meant and what the host's software does for
 * them; hardware that leaves TCP to the host (RecordOffload) may work on records beside it. A
 * record that it has not worked on as a whole is left to software. The user is told of what has
 * come once that is seen in host memory (RecordHostView).
 *
 * From Open() to Close() the stream owns the socket's callbacks.
 */
class RecordStream : public SimpleRefCount<RecordStream>,
                     private RecordUser,
                     private RecordOffload::User
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
        /// The head of a record has come, ahead of the rest and of its payload; nothing has to be
        /// done about it. @param octets of it @param head what it says; size 0 if no record begins
        /// so: BROKEN follows, unless what comes is discarded from here on
        virtual void HandleHead(const uint8_t* octets, const RecordHead& head);
        /// All records that were sent are TCP's now, and there is room for more.
        virtual void HandleRoom() = 0;
        /// Nothing more will come. @param end why
        virtual void HandleEnd(End end) = 0;
        /// It is known now how a received segment lay among records, which only a RecordTcpSocket
        /// tells. @param headerAligned it began with a record @param recordAligned and held whole
        /// records only
        virtual void HandleClassified(bool headerAligned, bool recordAligned);
        /// What waits for octets in front of it has changed, which only a RecordTcpSocket tells.
        /// @param before octets @param after octets
        virtual void HandleHeld(uint64_t before, uint64_t after);
        /// A received segment was dropped, since hardware had no room for it.
        virtual void HandleDropped();

      protected:
        ~User() = default;
    };

    /// Make a stream. @param framing of both directions @param user who sends and receives; both
    /// outlive this
    RecordStream(const RecordFraming& framing, User& user);
    ~RecordStream() override;
    RecordStream(const RecordStream&) = delete;
    RecordStream& operator=(const RecordStream&) = delete;

    /// Begin. @param socket connected; what comes from here on are records
    void Open(Ptr<Socket> socket);
    /// Say what has to be done for the octets of records from here on, once that is agreed, and
    /// have hardware do it that can, from the next record on. Call it where that is known, see
    /// IsNextKnown(). @param service by hardware or software
    void SetService(const RecordService& service);
    /// Tell whether SetService() may be called. @return true unless what was read ends within a
    /// head
    bool IsNextKnown() const;
    bool IsOpen() const;           //!< Tell whether there is a socket. @return true until Close()
    Ptr<Socket> GetSocket() const; //!< Reach the socket below. @return it, nullptr without one
    /// Find what the socket can do with records. @return it if it keeps their boundaries; nullptr
    /// otherwise
    Ptr<RecordTcpSocket> GetRecordSocket() const;

    /// Send a record, behind those that wait. @param record its octets, head included
    void Send(Ptr<Packet> record);
    /// Count what waits for room in the socket. @return octets
    uint64_t GetWaiting() const;

    /// Look at the record that HandleRecord() is called with. @return octets of it that hardware
    /// has worked on, as far as a RecordOffload is there
    uint64_t GetWorkedOn() const;

    /// Take no more records: what comes is dropped and waits for nothing, until the end, which is
    /// told.
    void Discard();

    /// End the connection: FIN behind all that was sent, with which the peer's records are over as
    /// well unless it goes on.
    void Close();

    /// The user goes: it is told nothing more, of what is on its way to host memory neither, and
    /// the socket's callbacks are free.
    void Leave();

  private:
    // what the socket calls back
    void HandleReceive(Ptr<Socket> socket);             //!< octets in order @param socket has them
    void HandleSend(Ptr<Socket> socket, uint32_t room); //!< @param socket has it @param room octets
    void HandleNormalClose(Ptr<Socket> socket);         //!< @param socket whose peer has closed
    void HandleErrorClose(Ptr<Socket> socket);          //!< @param socket that has failed
    // RecordUser
    RecordVerdict InspectSegment(SequenceNumber32 seq, Ptr<const Packet> packet) override;
    void EmssChanged(uint32_t emss) override;
    // RecordOffload::User
    void HandleGuess(uint32_t seq) override;

    void Read(const Ptr<Packet>& packet); //!< @param packet octets that are next in order
    /// What has come is something to tell the user of: at once, or once TellNews() is called if
    /// hardware has to hear of it first. @param tell calls the user
    template <typename F>
    void Tell(F tell);
    void TellNews(); //!< hardware has heard of what is to be told: tell it when the host sees it
    /// Look at what has come of a record. @param record it @param from offset in the stream that
    /// was come to before @param octets from there on @param report receives what it needed
    void Advance(const RecordChain::Record& record,
                 uint64_t from,
                 const Ptr<Packet>& octets,
                 RecordSegmentReport& report);
    /// @param record whole @param report receives what software does for it
    void Serve(const RecordChain::Record& record, RecordSegmentReport& report) const;
    /// All up to here has been read. @param begin offset from which on @param report what it needed
    void Report(uint64_t begin, RecordSegmentReport& report);
    /// Tells hardware whether it has guessed right. @param records whose heads are whole now
    void AnswerGuesses(const std::vector<RecordChain::Record>& records);
    void ResumeOffload(); //!< tells hardware where to begin again, if it waits for that
    /// @param seq sequence number near the next one @return its offset in the stream
    uint64_t GetOffset(uint32_t seq) const;
    bool IsTaking() const; //!< @return records are taken
    void ForgetSegments(); //!< those whose octets have not been read are not wanted
    void Unfollow();       //!< hardware has to do with them no longer
    void Finish(End end);  //!< nothing more comes @param end why
    bool SendWaiting();    //!< @return all that waited is TCP's

    /// Records that hardware has not touched before software tells it where to resume, at first and
    /// at most, twice as many each time: as Linux's TLS (Documentation/networking/tls-offload.rst)
    static constexpr uint32_t RESUME_AFTER = 2;
    static constexpr uint32_t RESUME_MOST = 128; //!< see RESUME_AFTER

    const RecordFraming& m_framing;       //!< of both directions
    User& m_user;                         //!< sends and receives
    Ptr<Socket> m_socket;                 //!< transport
    Ptr<RecordTcpSocket> m_recordSocket;  //!< the same, if it keeps records' boundaries
    RecordSegmentSink* m_sink{nullptr};   //!< hardware that is told of segments, if there is any
    RecordOffload* m_offload{nullptr};    //!< the same, as far as it has to do with records
    bool m_isFollowed{false};             //!< it works on them beside TCP
    RecordService m_service;              //!< what is done for their octets
    std::unique_ptr<RecordChain> m_chain; //!< of what comes in
    uint32_t m_base{0};                   //!< sequence number at offset 0
    RecordArrivals m_arrivals;            //!< segments whose octets have not been read
    RecordSegmentClassifier m_classifier; //!< those whose place among records is not known
    RecordPlacementList m_placements;     //!< where payload goes that is being read
    std::set<uint64_t> m_guesses;         //!< offsets at which hardware takes records to begin
    uint32_t m_missed{0};                 //!< records in a row that hardware has not touched
    uint32_t m_patience{RESUME_AFTER};    //!< of those, so many before it is told where to resume
    uint64_t m_worked{0};                 //!< see GetWorkedOn()
    RecordHostView m_hostView;            //!< when the user sees what has come
    std::vector<std::function<void()>> m_news; //!< calls of the user about what is being read
    Ptr<Packet> m_record;                      //!< octets that have come of the record under way
    std::deque<Ptr<Packet>> m_waiting;         //!< records that wait for room, the oldest first
    bool m_isBegun{false};                     //!< a part of the oldest one is TCP's
    uint64_t m_octetsWaiting{0};               //!< octets of them
    bool m_closing{false};                     //!< FIN follows what waits
    bool m_discarding{false};                  //!< what comes is dropped
    bool m_over{false};                        //!< the user knows of the end
};

} // namespace ns3

#endif // RECORD_STREAM_H
