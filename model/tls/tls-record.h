/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef TLS_RECORD_H
#define TLS_RECORD_H

#include "ns3/record-framing.h"

#include <array>
#include <cstdint>

/**
 * @file
 * @ingroup iwarp-tls
 * Records of TLS 1.3 as they stand in a stream (RFC 8446 section 5): a head of type, version and
 * length, and then a fragment in clear (TLSPlaintext) or an encrypted one (TLSCiphertext).
 */

namespace ns3
{

/// @ingroup iwarp-tls
/// @brief What a record holds (RFC 8446 section 5.1).
enum class TlsContentType : uint8_t
{
    INVALID = 0,             //!< nothing: padding has this octet
    CHANGE_CIPHER_SPEC = 20, //!< left from earlier versions, to please middleboxes
    ALERT = 21,              //!< an alert
    HANDSHAKE = 22,          //!< messages of the handshake, and of what follows it
    APPLICATION_DATA = 23,   //!< octets of the user's; or anything, encrypted
};

namespace tls
{

constexpr uint32_t HEAD = 5;                             //!< octets of a record's head
constexpr uint32_t MAX_PLAINTEXT = 1 << 14;              //!< octets of content in a record
constexpr uint32_t MAX_INNER = MAX_PLAINTEXT + 1;        //!< the same with its type and padding
constexpr uint32_t MAX_CIPHERTEXT = MAX_PLAINTEXT + 256; //!< octets behind an encrypted one's head
constexpr uint16_t LEGACY_VERSION = 0x0303;              //!< legacy_record_version of all records
constexpr uint16_t HELLO_VERSION = 0x0301;               //!< that of an initial ClientHello
constexpr uint16_t MIN_RECORD_SIZE_LIMIT = 64;           //!< least limit (RFC 8449 section 4)

} // namespace tls

/// @ingroup iwarp-tls
/// @brief The head of a record.
struct TlsRecordHead
{
    using Octets = std::array<uint8_t, tls::HEAD>; //!< as it stands in the stream

    TlsContentType type{TlsContentType::INVALID}; //!< of its content; APPLICATION_DATA (23) for
                                                  //!< whatever is encrypted
    uint16_t version{tls::LEGACY_VERSION};        //!< legacy_record_version
    uint16_t length{0};                           //!< octets that follow

    Octets Write() const; //!< Get the octets. @return they
    /// Take a head out of a stream. @param octets tls::HEAD of them @return what they say
    static TlsRecordHead Read(const uint8_t* octets);

    /// Tell whether a record may have this head. @return true for a type that TLS 1.3 has, and a
    /// length that a record of it may have; the version does not count (RFC 8446 section 5.1)
    bool IsPossible() const;
};

/**
 * @ingroup iwarp-tls
 * @brief Records of TLS 1.3 by their heads. What of an encrypted record may be content, its type
 * and padding are not known before it is opened: as payload all but tag and type counts.
 */
class TlsFraming : public RecordFraming
{
  public:
    const char* GetName() const override;
    uint32_t GetHeadSize() const override;
    RecordHead ReadHead(const uint8_t* head) const override;
    /// Four types and a length alone are in much content too, so the version counts here, which
    /// receivers ignore. @param head tls::HEAD octets @return true if they may be a record's
    bool IsLikely(const uint8_t* head) const override;
};

} // namespace ns3

#endif // TLS_RECORD_H
