/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef TLS_HANDSHAKE_H
#define TLS_HANDSHAKE_H

#include "tls-handshake-message.h"
#include "tls-key-log.h"
#include "tls-protection.h"

#include <cstdint>
#include <vector>

namespace ns3
{

/// @ingroup iwarp-tls
/// @brief Which end of a connection.
enum class TlsRole : uint8_t
{
    CLIENT, //!< begins
    SERVER, //!< answers
};

/**
 * @ingroup iwarp-tls
 * @brief The handshake of TLS 1.3 as its states, messages and the time that they take: pure, events
 * in, calls of its User out. The states are those of RFC 8446 appendix A.
 *
 * Nothing is exchanged in secret, verified or signed: see TlsSecrets. 1-RTT and resumption of a
 * session (psk_dhe_ke) are there; HelloRetryRequest, 0-RTT and client certificates are not.
 */
class TlsHandshake
{
  public:
    /// What an end wants. All sizes are in octets, all times in ns.
    struct Settings
    {
        TlsMode mode{TlsMode::MODELLED};      //!< whether records are really enciphered
        std::vector<uint16_t> suites{0x1301}; //!< that it takes, the best first
        uint16_t recordSizeLimit{0};          //!< what it wants to get at most (RFC 8449); 0: none
        uint32_t helloSize{216};              //!< of a ClientHello, at least
        bool compatible{true};                //!< change_cipher_spec (appendix D.4); client
        bool resumes{false};                  //!< the client has a ticket
        std::vector<uint32_t> certificates{378}; //!< of the server's chain
        uint32_t signatureSize{70};              //!< of CertificateVerify
        uint32_t tickets{2};                     //!< NewSessionTickets that a server sends
        uint32_t ticketSize{192};                //!< of each ticket
        int64_t shareTime{0};                    //!< to make a key share
        int64_t exchangeTime{0};                 //!< to derive secrets of two shares
        int64_t signTime{0};                     //!< to make a signature
        int64_t verifyTime{0};                   //!< to verify one
    };

    /// Who sends messages and sets keys.
    class User
    {
      public:
        /// Send a message in records of its own. @param message it
        virtual void SendHandshake(const TlsHandshakeMessage& message) = 0;
        virtual void SendChangeCipherSpec() = 0; //!< Send that record
        /// Records that are sent have these keys from here on. @param secret traffic secret
        virtual void SetSendKeys(const TlsSecret& secret) = 0;
        /// Records that come have these keys from here on. @param secret traffic secret
        virtual void SetReceiveKeys(const TlsSecret& secret) = 0;
        /// A secret is known. @param entry it, as a key log has it
        virtual void LogSecret(const TlsKeyLog::Entry& entry) = 0;
        /// Wait for as long as computing takes, then call HandleComputed(). @param time ns, more
        /// than 0
        virtual void Compute(int64_t time) = 0;
        virtual TlsRandom DrawRandom() = 0; //!< Draw octets. @return they
        virtual void HandleComplete() = 0;  //!< Application data may be sent

      protected:
        ~User() = default;
    };

    /// Where it stands.
    enum class State : uint8_t
    {
        START,             //!< the first message is to be sent, or to come
        WAIT_SERVER_HELLO, //!< client
        WAIT_EXTENSIONS,   //!< client: EncryptedExtensions
        WAIT_CERTIFICATE,  //!< client
        WAIT_VERIFY,       //!< client: CertificateVerify
        WAIT_FINISHED,     //!< either
        COMPUTING,         //!< its own flight is being made
        COMPLETE,          //!< done
    };

    /// Begin. @param role which end @param settings what is wanted @param user of it; outlives this
    TlsHandshake(TlsRole role, const Settings& settings, User& user);

    void Start();          //!< TCP is connected: a client begins
    void HandleComputed(); //!< Compute()'s time is over
    /// A message has come. @param message it @param last nothing else was in its record behind it
    /// @return what has to be answered, NONE if all is well
    TlsAlert Process(const TlsHandshakeMessage& message, bool last);

    State GetState() const; //!< Tell where it stands. @return state
    /// Get what was agreed on. @return suite; nullptr before hellos are exchanged
    const TlsCipherSuite* GetSuite() const;
    /// Get what the peer wants. @return octets of content, type and padding at most; 0: no limit
    uint16_t GetPeerLimit() const;
    bool IsResumed() const; //!< Tell about the session. @return true if it is an earlier one's

  private:
    TlsAlert ProcessClientHello(const TlsOctets& body);  //!< @param body of it @return alert
    TlsAlert ProcessServerHello(const TlsOctets& body);  //!< @param body of it @return alert
    TlsAlert ProcessExtensions(const TlsOctets& body);   //!< @param body of it @return alert
    TlsAlert ProcessCertificates(const TlsOctets& body); //!< @param body of it @return alert
    TlsAlert ProcessFinished(const TlsOctets& body);     //!< @param body of it @return alert

    void ComputeFor(int64_t time); //!< @param time ns until HandleComputed()
    void SendClientHello();        //!< client's first flight
    void SendServerFlight();       //!< server's flight
    void SendClientFinished();     //!< client's second flight
    void FindSecrets();            //!< both randoms are known
    /// @param secret handshake traffic secret of who sends it @return a Finished
    TlsHandshakeMessage MakeFinished(const TlsSecret& secret) const;

    TlsRole m_role;                         //!< which end
    Settings m_settings;                    //!< what is wanted
    User& m_user;                           //!< sends messages
    State m_state{State::START};            //!< where it stands
    TlsClientHello m_client;                //!< what the client has said
    TlsServerHello m_server;                //!< what the server has said
    const TlsCipherSuite* m_suite{nullptr}; //!< agreed on
    TlsSecrets m_secrets;                   //!< of the connection
    uint16_t m_peerLimit{0};                //!< see GetPeerLimit()
    uint32_t m_certificates{0};             //!< that the server has sent
};

/// @ingroup iwarp-tls
/// @brief Name a state. @param state any @return in snake_case
const char* GetTlsStateName(TlsHandshake::State state);

} // namespace ns3

#endif // TLS_HANDSHAKE_H
