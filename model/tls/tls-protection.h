/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef TLS_PROTECTION_H
#define TLS_PROTECTION_H

#include "tls-alert.h"
#include "tls-keys.h"
#include "tls-record.h"

#include "ns3/crypto-cipher.h"
#include "ns3/packet.h"
#include "ns3/ptr.h"

#include <array>
#include <cstdint>
#include <memory>

namespace ns3
{

/**
 * @ingroup iwarp-tls
 * @brief Record protection of one direction (RFC 8446 section 5.2): contents in, records out, or
 * the other way, each with its sequence number. A direction that is sent and one that is received
 * have one each.
 */
class TlsProtection
{
  public:
    /// Octets of an encrypted record besides its content and padding: head, type and tag.
    static constexpr uint32_t OVERHEAD = tls::HEAD + 1 + TlsCipherSuite::TAG;

    /// Which way it works.
    using Direction = CryptoCipher::Direction;

    /// What was in a record.
    struct Opened
    {
        TlsAlert alert{TlsAlert::NONE};               //!< what has to be answered; else NONE
        TlsContentType type{TlsContentType::INVALID}; //!< of the content
        uint32_t padding{0};                          //!< octets behind the type
        Ptr<Packet> content;                          //!< the content
    };

    /**
     * @brief Begin with a traffic secret and sequence number 0.
     * @param suite cipher suite
     * @param mode whether records are really enciphered; NS_ABORT where they cannot be
     * @param direction contents to records (ENCRYPT), or records to contents
     * @param secret traffic secret
     */
    TlsProtection(const TlsCipherSuite& suite,
                  TlsMode mode,
                  Direction direction,
                  const TlsSecret& secret);

    /**
     * @brief Make a record, TLSCiphertext. None of its octets is virtual.
     * @param type of the content
     * @param content octets; with type and padding tls::MAX_INNER at most
     * @param padding zeros to add
     * @return the record, its head included
     */
    Ptr<Packet> Seal(TlsContentType type, const Ptr<const Packet>& content, uint32_t padding = 0);

    /**
     * @brief Open a record, TLSCiphertext.
     * @param record its octets, head included, tls::HEAD at least
     * @return what was in it: or alert record_overflow if it is too long, in clear or not,
     * bad_record_mac if it cannot be opened, unexpected_message if nothing but padding is in it
     */
    Opened Open(const Ptr<const Packet>& record);

    void Update(); //!< Go on with the next generation of keys (section 7.2), from 0

    /// Count the records since the last Update(). @return the sequence number of the next one
    uint64_t GetSequence() const;
    const TlsCipherSuite& GetSuite() const; //!< Get the cipher suite. @return it
    const TlsSecret& GetSecret() const;     //!< Get the traffic secret. @return it

  private:
    using Nonce = std::array<uint8_t, TlsCipherSuite::IV>;
    using Tag = std::array<uint8_t, TlsCipherSuite::TAG>;

    void SetUp();           //!< keys of the secret
    Nonce GetNonce() const; //!< @return nonce of the next record (section 5.3)
    /// @param head of the record @param inner its TLSInnerPlaintext, enciphered in place
    /// @param size octets of it @param tag written, or verified @return it is right
    bool Process(const TlsRecordHead::Octets& head, uint8_t* inner, uint32_t size, uint8_t* tag);
    /// @param head of the record @param inner its TLSInnerPlaintext @param size octets of it
    /// @return tag of modelled mode
    Tag GetModelledTag(const TlsRecordHead::Octets& head,
                       const uint8_t* inner,
                       uint32_t size) const;

    const TlsCipherSuite& m_suite;                //!< cipher suite
    TlsMode m_mode;                               //!< real or modelled
    Direction m_direction;                        //!< which way
    TlsSecret m_secret;                           //!< traffic secret
    TlsTrafficKeys m_keys;                        //!< of it
    std::unique_ptr<const CryptoCipher> m_cipher; //!< key set up, real mode
    uint64_t m_sequence{0};                       //!< of the next record
};

} // namespace ns3

#endif // TLS_PROTECTION_H
