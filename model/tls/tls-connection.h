/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef TLS_CONNECTION_H
#define TLS_CONNECTION_H

#include "tls-handshake.h"
#include "tls-protection.h"
#include "tls-record-sizer.h"

#include "ns3/packet.h"
#include "ns3/ptr.h"

#include <cstdint>
#include <memory>

namespace ns3
{

/// @ingroup iwarp-tls
/// @brief A record that was sent or opened.
struct TlsRecordReport
{
    TlsContentType type{TlsContentType::INVALID}; //!< of its content
    uint32_t content{0};                          //!< octets of content
    uint32_t padding{0};                          //!< octets of padding
    uint32_t size{0};                             //!< octets in the stream
    bool encrypted{false};                        //!< it is not in clear
    uint64_t sequence{0};                         //!< its number under its key
};

/// @ingroup iwarp-tls
/// @brief How a connection ended.
enum class TlsEnd : uint8_t
{
    CLOSED,    //!< the peer has sent close_notify
    TRUNCATED, //!< the stream ended without it, or within a record
    FAILED,    //!< this end has sent an alert
    ALERTED,   //!< the peer has
    LOST,      //!< TCP has failed
};

/**
 * @ingroup iwarp-tls
 * @brief One end of a connection of TLS 1.3: records in, contents out, and the other way;
 * handshake, key updates, alerts and closure. Pure: events in, calls of its User out, time as a
 * number.
 *
 * What a peer does wrong is answered by the alert that RFC 8446 has for it, and ends the
 * connection: nothing of what comes behind is heeded.
 */
class TlsConnection final : private TlsHandshake::User
{
  public:
    /// What an end wants.
    struct Settings
    {
        TlsHandshake::Settings handshake; //!< of the handshake
        TlsRecordSizer::Settings records; //!< sizes of records
        uint64_t updateRecords{0};        //!< records behind which keys are updated; 0: as many as
                                          //!< the cipher suite takes (section 5.5)
    };

    /// Who sends records and uses contents.
    class User
    {
      public:
        /// Send a record. @param record its octets @param report what is in it
        virtual void SendRecord(const Ptr<Packet>& record, const TlsRecordReport& report) = 0;
        /// A record has come and was opened. @param report what was in it
        virtual void HandleOpened(const TlsRecordReport& report) = 0;
        /// Application data has come. @param content octets, those of a record
        virtual void HandleContent(const Ptr<Packet>& content) = 0;
        virtual void HandleEstablished() = 0; //!< Application data may be sent
        /// An alert was sent, or has come. @param alert it @param sent by this end
        virtual void HandleAlert(TlsAlert alert, bool sent) = 0;
        /// Keys were updated. @param sent those of this end's records @param requested the other
        /// end is to do the same
        virtual void HandleKeyUpdate(bool sent, bool requested) = 0;
        /// A secret is known. @param entry it, as a key log has it
        virtual void HandleSecret(const TlsKeyLog::Entry& entry) = 0;
        /// Wait for as long as computing takes, then call HandleComputed(). @param time ns
        virtual void WaitFor(int64_t time) = 0;
        virtual TlsRandom DrawRandomOctets() = 0; //!< Draw octets. @return they
        /// Nothing more will come. @param end why
        virtual void HandleOver(TlsEnd end) = 0;

      protected:
        ~User() = default;
    };

    /// Make one. @param role which end @param settings what is wanted @param user of it; outlives
    /// this
    TlsConnection(TlsRole role, const Settings& settings, User& user);

    void Start(); //!< TCP is connected
    /// A record has come. @param record its octets, head included; or the head alone of one that
    /// may not be
    void Receive(const Ptr<const Packet>& record);
    void HandleComputed(); //!< WaitFor()'s time is over
    void HandleTimeout();  //!< The handshake has taken too long: give up
    /// TCP brings nothing more. @param lost it has failed
    void HandleStreamEnd(bool lost);

    /// Send application data. @param content octets, which become one or more records
    /// @param now time in ns, which does not go back
    void Send(const Ptr<const Packet>& content, int64_t now);
    /// Update the keys of what is sent. @param request the peer is to do so as well
    void UpdateKeys(bool request);
    void Close(); //!< Send close_notify: no more data follows

    /// Tell whether data may be sent. @return true from the handshake until Close() or a failure;
    /// the peer's close_notify ends the other direction alone
    bool CanSend() const;
    bool IsOver() const; //!< Tell whether nothing more comes. @return true behind HandleOver()
    /// Tell what ended it. @return alert that was sent or received; NONE if none was
    TlsAlert GetAlert() const;
    const TlsHandshake& GetHandshake() const; //!< Get the handshake. @return it

  private:
    // TlsHandshake::User
    void SendHandshake(const TlsHandshakeMessage& message) override;
    void SendChangeCipherSpec() override;
    void SetSendKeys(const TlsSecret& secret) override;
    void SetReceiveKeys(const TlsSecret& secret) override;
    void LogSecret(const TlsKeyLog::Entry& entry) override;
    void Compute(int64_t time) override;
    TlsRandom DrawRandom() override;
    void HandleComplete() override;

    /// @param type of content @param content of a record, which is sent as it has to be now
    void SendContent(TlsContentType type, const Ptr<const Packet>& content);
    void SendAlert(TlsAlert alert); //!< @param alert that is sent
    void Fail(TlsAlert alert);      //!< @param alert that is sent and ends it
    void Finish(TlsEnd end);        //!< nothing more comes @param end why

    /// @param head of a record @param record it @return what has to be answered
    TlsAlert Open(const TlsRecordHead& head, const Ptr<const Packet>& record);
    /// @param head of a record in clear @param record it @return what has to be answered
    TlsAlert ProcessClear(const TlsRecordHead& head, const Ptr<const Packet>& record);
    /// @param type of a record's content @param content it @return what has to be answered
    TlsAlert ProcessContent(TlsContentType type, const Ptr<Packet>& content);
    TlsAlert ProcessAlert(const TlsOctets& octets);     //!< @param octets of it @return answer
    TlsAlert ProcessHandshake(const TlsOctets& octets); //!< @param octets of it @return answer
    /// @param body of a KeyUpdate @param last nothing else was in its record @return answer
    TlsAlert ProcessKeyUpdate(const TlsOctets& body, bool last);

    Settings m_settings;                      //!< what is wanted
    User& m_user;                             //!< uses contents
    TlsRole m_role;                           //!< which end
    TlsHandshake m_handshake;                 //!< the handshake
    TlsRecordSizer m_sizer;                   //!< sizes of records
    TlsHandshakeReader m_reader;              //!< messages that are not whole
    std::unique_ptr<TlsProtection> m_send;    //!< of what is sent; in clear without
    std::unique_ptr<TlsProtection> m_receive; //!< of what comes
    bool m_begun{false};                      //!< a hello was sent or has come
    bool m_complete{false};                   //!< the handshake is
    bool m_data{false};                       //!< application data may come
    bool m_closing{false};                    //!< close_notify was sent
    bool m_over{false};                       //!< nothing more comes
    TlsEnd m_end{TlsEnd::CLOSED};             //!< why, then
    TlsAlert m_alert{TlsAlert::NONE};         //!< see GetAlert()
};

} // namespace ns3

#endif // TLS_CONNECTION_H
