/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef TLS_HANDSHAKE_MESSAGE_H
#define TLS_HANDSHAKE_MESSAGE_H

#include "tls-alert.h"
#include "tls-keys.h"

#include <cstdint>
#include <vector>

/**
 * @file
 * @ingroup iwarp-tls
 * Messages of the handshake (RFC 8446 section 4) as octets. They have the form and the sizes of
 * real ones; keys, certificates and signatures in them are filled with octets that mean nothing.
 */

namespace ns3
{

/// @ingroup iwarp-tls
/// @brief Messages of the handshake protocol.
enum class TlsHandshakeType : uint8_t
{
    CLIENT_HELLO = 1,         //!< section 4.1.2
    SERVER_HELLO = 2,         //!< section 4.1.3
    NEW_SESSION_TICKET = 4,   //!< section 4.6.1
    ENCRYPTED_EXTENSIONS = 8, //!< section 4.3.1
    CERTIFICATE = 11,         //!< section 4.4.2
    CERTIFICATE_VERIFY = 15,  //!< section 4.4.3
    FINISHED = 20,            //!< section 4.4.4
    KEY_UPDATE = 24,          //!< section 4.6.3
};

/// @ingroup iwarp-tls
/// @brief Octets of a message or of a part of it.
using TlsOctets = std::vector<uint8_t>;

/// @ingroup iwarp-tls
/// @brief A message: its type, and what is behind its head of 4 octets.
struct TlsHandshakeMessage
{
    static constexpr uint32_t HEAD = 4; //!< octets of type and length

    TlsHandshakeType type; //!< which
    TlsOctets body;        //!< octets behind the head

    TlsOctets Write() const; //!< Get the message with its head. @return octets
};

/**
 * @ingroup iwarp-tls
 * @brief Puts messages together from the records that they are divided among.
 */
class TlsHandshakeReader
{
  public:
    static constexpr uint32_t MAX_BODY = 1 << 17; //!< octets of a message that is put together

    void Add(const TlsOctets& octets); //!< Octets follow. @param octets of a record
    /// Take the first message that is whole. @param[out] message it @return false if none is
    bool Pop(TlsHandshakeMessage& message);
    bool IsEmpty() const;   //!< Tell whether part of a message is held. @return true if not
    bool IsTooLong() const; //!< Tell about the message under way. @return true above MAX_BODY

  private:
    TlsOctets m_octets; //!< of messages that are not taken
};

/// @ingroup iwarp-tls
/// @brief What a ClientHello says.
struct TlsClientHello
{
    TlsRandom random{};           //!< by which key logs know the connection
    TlsOctets session;            //!< legacy_session_id: 32 octets for middleboxes, or none
    std::vector<uint16_t> suites; //!< cipher suites that are offered
    TlsRandom share{};            //!< key share, of X25519
    uint16_t recordSizeLimit{0};  //!< RFC 8449; 0: none
    TlsOctets ticket;             //!< of a session that is to be resumed; none: not
    uint8_t binder{0};            //!< octets of the binder that goes with it
    uint32_t size{0};             //!< octets of the message with its head, at least

    TlsHandshakeMessage Write() const; //!< Make the message. @return it
    /// Read a message. @param body of it @return what is wrong, NONE if nothing is
    TlsAlert Read(const TlsOctets& body);
};

/// @ingroup iwarp-tls
/// @brief What a ServerHello says.
struct TlsServerHello
{
    TlsRandom random{};  //!< the server's
    TlsOctets session;   //!< that of the ClientHello
    uint16_t suite{0};   //!< cipher suite
    TlsRandom share{};   //!< key share, of X25519
    bool resumed{false}; //!< the client's ticket is accepted

    TlsHandshakeMessage Write() const; //!< Make the message. @return it
    /// Read a message. @param body of it @return what is wrong, NONE if nothing is
    TlsAlert Read(const TlsOctets& body);
};

/// @ingroup iwarp-tls
/// @brief Make an EncryptedExtensions. @param recordSizeLimit RFC 8449; 0: none @return it
TlsHandshakeMessage MakeTlsEncryptedExtensions(uint16_t recordSizeLimit);

/// @ingroup iwarp-tls
/// @brief Read an EncryptedExtensions. @param body of it @param[out] recordSizeLimit RFC 8449; 0 if
/// there is none @return what is wrong, NONE if nothing is
TlsAlert ReadTlsEncryptedExtensions(const TlsOctets& body, uint16_t& recordSizeLimit);

/// @ingroup iwarp-tls
/// @brief Least octets of a certificate that MakeTlsCertificates() makes.
constexpr uint32_t MIN_TLS_CERTIFICATE = 200;

/// @ingroup iwarp-tls
/// @brief Tell whether a peer takes a chain: its Certificate may not be longer than
/// TlsHandshakeReader::MAX_BODY. @param sizes octets of each certificate @return so
bool IsTlsChainTaken(const std::vector<uint32_t>& sizes);

/// @ingroup iwarp-tls
/// @brief Make a Certificate. @param sizes octets of each certificate of the chain, at least
/// MIN_TLS_CERTIFICATE each @return it
TlsHandshakeMessage MakeTlsCertificates(const std::vector<uint32_t>& sizes);

/// @ingroup iwarp-tls
/// @brief Count the certificates in a Certificate. @param body of it @param[out] count certificates
/// @return what is wrong, NONE if nothing is
TlsAlert ReadTlsCertificates(const TlsOctets& body, uint32_t& count);

/// @ingroup iwarp-tls
/// @brief Make a CertificateVerify. @param signature octets of it @return it
TlsHandshakeMessage MakeTlsCertificateVerify(uint32_t signature);

/// @ingroup iwarp-tls
/// @brief Read a CertificateVerify. @param body of it @return what is wrong, NONE if nothing is
TlsAlert ReadTlsCertificateVerify(const TlsOctets& body);

/// @ingroup iwarp-tls
/// @brief Make a NewSessionTicket. @param number of the ticket, from 0 @param size octets of it
/// @return it
TlsHandshakeMessage MakeTlsTicket(uint8_t number, uint32_t size);

/// @ingroup iwarp-tls
/// @brief Read a NewSessionTicket. @param body of it @return what is wrong, NONE if nothing is
TlsAlert ReadTlsTicket(const TlsOctets& body);

/// @ingroup iwarp-tls
/// @brief Make a KeyUpdate. @param requested the peer is asked for one as well @return it
TlsHandshakeMessage MakeTlsKeyUpdate(bool requested);

/// @ingroup iwarp-tls
/// @brief Read a KeyUpdate. @param body of it @param[out] requested it asks for one @return what is
/// wrong, NONE if nothing is
TlsAlert ReadTlsKeyUpdate(const TlsOctets& body, bool& requested);

} // namespace ns3

#endif // TLS_HANDSHAKE_MESSAGE_H
