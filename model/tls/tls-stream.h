/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef TLS_STREAM_H
#define TLS_STREAM_H

#include "tls-connection.h"

#include "ns3/event-id.h"
#include "ns3/nstime.h"
#include "ns3/object.h"
#include "ns3/random-variable-stream.h"
#include "ns3/record-stream.h"
#include "ns3/socket.h"
#include "ns3/traced-callback.h"

#include <memory>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup iwarp-tls
 * @brief TLS 1.3 over a connected TCP socket, of whatever kind: application data in, application
 * data out.
 *
 * What is sent becomes records as the attributes say; what comes is handed up when its record is
 * whole and authentic. Over an MpaTcpSocket records can be aligned with segments (its attribute
 * Alignment). The end of a connection is close_notify, and then FIN.
 */
class TlsStream : public Object, private RecordStream::User, private TlsConnection::User
{
  public:
    /// Who sends and receives data.
    class User
    {
      public:
        /// The handshake is over. @param stream may be sent on now
        virtual void HandleEstablished(TlsStream& stream) = 0;
        /// Data has come, that of a record. @param stream it @param content octets, one at least
        virtual void HandleData(TlsStream& stream, const Ptr<Packet>& content) = 0;
        /// All that was sent is TCP's now. @param stream that takes more
        virtual void HandleRoom(TlsStream& stream) = 0;
        /// Nothing more will come. If the peer has closed, more may be sent. @param stream it
        /// @param end why
        virtual void HandleEnd(TlsStream& stream, TlsEnd end) = 0;

      protected:
        ~User() = default;
    };

    /// Signature of RecordSent and RecordReceived. @param record what is in it @param offset octets
    /// before it in the stream
    typedef void (*RecordTracedCallback)(const TlsRecordReport& record, uint64_t offset);
    /// Signature of Alert. @param alert description @param sent by this end
    typedef void (*AlertTracedCallback)(TlsAlert alert, bool sent);
    /// Signature of KeyUpdate. @param sent the keys of what this end sends @param requested the
    /// other end is to do the same
    typedef void (*KeyUpdateTracedCallback)(bool sent, bool requested);
    /// Signature of Secret. @param line of a key log, without its end
    typedef void (*SecretTracedCallback)(const std::string& line);
    /// Signature of PayloadArrived. @param octets that may be content, of a record that need not be
    /// whole yet
    typedef void (*PayloadTracedCallback)(uint64_t octets);
    /// Signature of SegmentClassified. @param headerAligned a segment began with a record @param
    /// recordAligned and held whole ones only
    typedef void (*ClassifiedTracedCallback)(bool headerAligned, bool recordAligned);
    /// Signature of Held. @param before octets that waited for others in front of them @param after
    /// octets that do
    typedef void (*HeldTracedCallback)(uint64_t before, uint64_t after);
    /// Signature of SegmentDropped.
    typedef void (*DroppedTracedCallback)();
    /// Signature of Established. @param stream it
    typedef void (*StreamTracedCallback)(Ptr<TlsStream> stream);

    static TypeId GetTypeId(); //!< Get the type ID. @return the object TypeId
    TlsStream();
    ~TlsStream() override;

    /// Set who sends and receives. @param user outlives this, or sets nullptr
    void SetUser(User* user);
    /// Set what is below, before Start(). @param socket connected
    void SetSocket(Ptr<Socket> socket);
    /// Begin the handshake; from here on the socket's callbacks are this stream's. @param role
    /// CLIENT for who begins
    void Start(TlsRole role);

    /**
     * @brief Send data.
     * @param content octets, real or virtual; they begin a record, and end one
     * @return false if nothing was taken: before HandleEstablished(), behind Close() or the end,
     * or as long as what was sent before waits for room in TCP (HandleRoom() tells)
     */
    bool Send(const Ptr<const Packet>& content);
    bool HasRoom() const; //!< Tell whether Send() takes data. @return true then
    /// Update the keys of what is sent; NS_ABORT where nothing may be sent. @param request the peer
    /// is to do so as well
    void UpdateKeys(bool request);
    void Close(); //!< Send close_notify and FIN behind all that was sent

    Ptr<Socket> GetSocket() const; //!< Reach the socket below. @return it; nullptr without one
    bool IsEstablished() const;    //!< Tell about the handshake. @return true once it is over
    bool IsResumed() const; //!< Tell about the session. @return true if it is an earlier one's
    /// Get the suite. @return its name; "" before it is agreed on
    std::string GetCipherSuite() const;
    /// Tell what ended the connection. @return alert sent or received; NONE if none was
    TlsAlert GetAlert() const;
    uint64_t GetRecordsSent() const; //!< Count records sent. @return all of them
    uint64_t GetRecordsReceived()
        const; //!< Count records that could be opened. @return all of them

    /// Fix the random stream. @param stream its number @return number of streams used, 1
    int64_t AssignStreams(int64_t stream);

  protected:
    void DoDispose() override;

  private:
    // RecordStream::User
    void HandleHead(const uint8_t* octets, const RecordHead& head) override;
    void HandleRecord(const Ptr<Packet>& record, const RecordHead& head) override;
    void HandlePayload(uint64_t octets) override;
    void HandleRoom() override;
    void HandleEnd(RecordStream::End end) override;
    void HandleClassified(bool headerAligned, bool recordAligned) override;
    void HandleHeld(uint64_t before, uint64_t after) override;
    void HandleDropped() override;
    // TlsConnection::User
    void SendRecord(const Ptr<Packet>& record, const TlsRecordReport& report) override;
    void HandleOpened(const TlsRecordReport& report) override;
    void HandleContent(const Ptr<Packet>& content) override;
    void HandleEstablished() override;
    void HandleAlert(TlsAlert alert, bool sent) override;
    void HandleKeyUpdate(bool sent, bool requested) override;
    void HandleSecret(const TlsKeyLog::Entry& entry) override;
    void WaitFor(int64_t time) override;
    TlsRandom DrawRandomOctets() override;
    void HandleOver(TlsEnd end) override;

    void BeginService();                         //!< hardware may work on records from here on
    void FinishComputing();                      //!< WaitFor()'s time is over
    void HandleTimeout();                        //!< the handshake has taken too long
    TlsConnection::Settings GetSettings() const; //!< @return what the attributes say
    bool SetSuites(std::string text); //!< @param text names @return whether they are suites
    std::string GetSuites() const;    //!< @return names
    bool SetChain(std::string text);  //!< @param text sizes @return whether they are
    std::string GetChain() const;     //!< @return sizes

    // attributes
    bool m_real;                         //!< Real
    std::vector<uint16_t> m_suites;      //!< CipherSuites
    TlsRecordSizing m_sizing;            //!< RecordSizing
    uint32_t m_maxRecord;                //!< MaxRecord
    uint32_t m_smallRecord;              //!< SmallRecord
    uint32_t m_mediumRecord;             //!< MediumRecord
    uint32_t m_stepRecords;              //!< StepRecords
    Time m_stepPause;                    //!< StepPause
    uint32_t m_growthSegment;            //!< GrowthSegment
    uint64_t m_growthOctets;             //!< GrowthOctets
    TlsPadding m_padding;                //!< Padding
    uint32_t m_paddingBlock;             //!< PaddingBlock
    uint16_t m_recordSizeLimit;          //!< RecordSizeLimit
    uint64_t m_updateRecords;            //!< KeyUpdateRecords
    uint32_t m_helloSize;                //!< ClientHelloSize
    bool m_compatible;                   //!< MiddleboxCompatibility
    bool m_resumes;                      //!< Resume
    std::vector<uint32_t> m_chain;       //!< Certificates
    uint32_t m_signatureSize;            //!< SignatureSize
    uint32_t m_tickets;                  //!< Tickets
    uint32_t m_ticketSize;               //!< TicketSize
    Time m_shareTime;                    //!< KeyShareTime
    Time m_exchangeTime;                 //!< KeyExchangeTime
    Time m_signTime;                     //!< SignTime
    Time m_verifyTime;                   //!< VerifyTime
    Time m_timeout;                      //!< HandshakeTimeout
    Ptr<UniformRandomVariable> m_random; //!< randoms of hellos

    User* m_user{nullptr};                       //!< sends and receives
    Ptr<Socket> m_socket;                        //!< transport
    Ptr<RecordStream> m_records;                 //!< records over the socket
    std::unique_ptr<TlsConnection> m_connection; //!< what they mean
    EventId m_computing;                         //!< until FinishComputing()
    EventId m_expiry;                            //!< until HandleTimeout()
    bool m_served{false};                        //!< see BeginService()
    bool m_established{false};                   //!< see IsEstablished()
    bool m_closing{false};                       //!< see Close()
    uint64_t m_sentOctets{0};                    //!< of records given to TCP
    uint64_t m_receivedOctets{0};                //!< of records before the one at hand
    uint64_t m_sent{0};                          //!< records
    uint64_t m_received{0};                      //!< records

    TracedCallback<const TlsRecordReport&, uint64_t> m_sentTrace;     //!< RecordSent
    TracedCallback<const TlsRecordReport&, uint64_t> m_receivedTrace; //!< RecordReceived
    TracedCallback<TlsAlert, bool> m_alertTrace;                      //!< Alert
    TracedCallback<bool, bool> m_updateTrace;                         //!< KeyUpdate
    TracedCallback<const std::string&> m_secretTrace;                 //!< Secret
    TracedCallback<uint64_t> m_payloadTrace;                          //!< PayloadArrived
    TracedCallback<Ptr<TlsStream>> m_establishedTrace;                //!< Established
    TracedCallback<bool, bool> m_classifiedTrace;                     //!< SegmentClassified
    TracedCallback<uint64_t, uint64_t> m_heldTrace;                   //!< Held
    TracedCallback<> m_droppedTrace;                                  //!< SegmentDropped
};

/// @ingroup iwarp-tls
/// @brief Put the end of a stream into words. @param end why it ended @param alert that was sent or
/// received @return words; "" for an end in order
std::string DescribeTlsEnd(TlsEnd end, TlsAlert alert);

} // namespace ns3

#endif // TLS_STREAM_H
