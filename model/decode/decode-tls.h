/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DECODE_TLS_H
#define DECODE_TLS_H

#include "decode-event.h"
#include "decode-framer.h"

#include "ns3/tls-handshake-message.h"
#include "ns3/tls-key-log.h"
#include "ns3/tls-protection.h"

#include <cstdint>
#include <memory>

namespace ns3
{

/**
 * @ingroup iwarp-decode
 * @brief Records of TLS 1.3, which are opened with the secrets of a key log.
 *
 * Which of them a direction has shows by trial: a tag is right under one secret alone. Behind
 * octets that are not in the capture records stay closed.
 */
class DecodeTls : public DecodeFramer
{
  public:
    /// Begin a direction. @param log secrets; nullptr: records stay closed
    explicit DecodeTls(std::shared_ptr<const TlsKeyLog> log);

    const char* GetName() const override;
    bool IsBeginning(const uint8_t* octets, uint32_t size) const override;
    uint32_t GetHeadSize() const override;
    uint32_t GetSize(const uint8_t* head) const override;
    void Read(DecodePdu& pdu) override;

  private:
    /// @param[in,out] pdu an encrypted record, into which one looks
    void ReadEncrypted(DecodePdu& pdu);
    /// @param record it @return what the secret that fits it opens, or an alert
    TlsProtection::Opened FindKeys(const Ptr<const Packet>& record);
    void ReadMessages(const TlsOctets& octets); //!< @param octets of the handshake

    std::shared_ptr<const TlsKeyLog> m_log; //!< secrets
    std::unique_ptr<TlsProtection> m_keys;  //!< those that fit now
    TlsHandshakeReader m_messages;          //!< of the handshake
    bool m_closed;                          //!< no secret fits
    bool m_failed{false};                   //!< the record before could not be opened
};

} // namespace ns3

#endif // DECODE_TLS_H
