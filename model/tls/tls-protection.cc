/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "tls-protection.h"

#include "tls-packet.h"

#include "ns3/abort.h"
#include "ns3/crypto-modelled-tag.h"

#include <algorithm>
#include <boost/endian/conversion.hpp>
#include <vector>

namespace ns3
{

TlsProtection::TlsProtection(const TlsCipherSuite& suite,
                             TlsMode mode,
                             Direction direction,
                             const TlsSecret& secret)
    : m_suite(suite),
      m_mode(mode),
      m_direction(direction),
      m_secret(secret)
{
    NS_ABORT_MSG_IF(secret.size() != suite.hashSize,
                    suite.name << ": a secret has " << +suite.hashSize << " octets, not "
                               << secret.size());
    SetUp();
}

void
TlsProtection::SetUp()
{
    m_keys = TlsTrafficKeys::Derive(m_suite, m_mode, m_secret);
    m_sequence = 0;
    if (m_mode == TlsMode::REAL)
    {
        m_cipher = CryptoCipher::Create(m_suite.cipher, m_keys.key.data(), m_direction);
    }
}

void
TlsProtection::Update()
{
    m_secret = UpdateTlsSecret(m_suite, m_mode, m_secret);
    SetUp();
}

uint64_t
TlsProtection::GetSequence() const
{
    return m_sequence;
}

const TlsCipherSuite&
TlsProtection::GetSuite() const
{
    return m_suite;
}

const TlsSecret&
TlsProtection::GetSecret() const
{
    return m_secret;
}

TlsProtection::Nonce
TlsProtection::GetNonce() const
{
    Nonce nonce{};
    boost::endian::store_big_u64(nonce.data() + nonce.size() - sizeof(m_sequence), m_sequence);
    std::transform(nonce.begin(),
                   nonce.end(),
                   m_keys.iv.begin(),
                   nonce.begin(),
                   [](auto a, auto b) { return static_cast<uint8_t>(a ^ b); });
    return nonce;
}

TlsProtection::Tag
TlsProtection::GetModelledTag(const TlsRecordHead::Octets& head,
                              const uint8_t* inner,
                              uint32_t size) const
{
    const Nonce nonce = GetNonce();
    CryptoModelledTag covered(m_suite.id);
    covered.Cover(m_keys.key.data(), m_keys.key.size());
    covered.Cover(nonce.data(), nonce.size());
    covered.Cover(head.data(), head.size());
    covered.Cover(CryptoModelledTag::Digest(inner, size));
    Tag tag;
    covered.Write(tag.data(), tag.size());
    return tag;
}

bool
TlsProtection::Process(const TlsRecordHead::Octets& head,
                       uint8_t* inner,
                       uint32_t size,
                       uint8_t* tag)
{
    bool good = true;
    if (m_mode == TlsMode::REAL)
    {
        const Nonce nonce = GetNonce();
        CryptoText text;
        text.iv = nonce.data();
        text.associated = head.data();
        text.associatedSize = head.size();
        text.octets = inner;
        text.size = size;
        text.tag = tag;
        text.tagSize = TlsCipherSuite::TAG;
        good = m_cipher->Process(text);
    }
    else
    {
        const Tag right = GetModelledTag(head, inner, size);
        good = m_direction == Direction::ENCRYPT || std::equal(right.begin(), right.end(), tag);
        std::copy(right.begin(), right.end(), tag);
    }
    m_sequence++;
    return good;
}

Ptr<Packet>
TlsProtection::Seal(TlsContentType type, const Ptr<const Packet>& content, uint32_t padding)
{
    const uint32_t size = content->GetSize() + 1 + padding;
    NS_ABORT_MSG_IF(size > tls::MAX_INNER,
                    "TlsProtection::Seal: " << size << " octets of content, type and padding are "
                                            << "more than " << tls::MAX_INNER);
    TlsRecordHead head;
    head.type = TlsContentType::APPLICATION_DATA;
    head.length = static_cast<uint16_t>(size + TlsCipherSuite::TAG);
    const TlsRecordHead::Octets octets = head.Write();
    std::vector<uint8_t> body(size + TlsCipherSuite::TAG);
    content->CopyData(body.data(), content->GetSize());
    body[content->GetSize()] = static_cast<uint8_t>(type);
    Process(octets, body.data(), size, body.data() + size);
    // modelled too: ns-3's buffers write what stands behind virtual octets to a wrong place once
    // pieces of a packet are joined that begin within these (Buffer::Iterator::Write, to 3.48)
    return AddTlsOctetsBefore(MakeTlsPacket(body), octets.data(), tls::HEAD);
}

TlsProtection::Opened
TlsProtection::Open(const Ptr<const Packet>& record)
{
    Opened opened;
    std::vector<uint8_t> octets = CopyTlsOctets(record);
    const uint32_t body = record->GetSize() - tls::HEAD;
    if (body > tls::MAX_CIPHERTEXT)
    {
        opened.alert = TlsAlert::RECORD_OVERFLOW;
        return opened;
    }
    TlsRecordHead::Octets head;
    std::copy_n(octets.begin(), tls::HEAD, head.begin());
    uint8_t* const inner = octets.data() + tls::HEAD;
    const uint32_t size = body - std::min(body, TlsCipherSuite::TAG);
    if (body < TlsCipherSuite::TAG || !Process(head, inner, size, inner + size))
    {
        opened.alert = TlsAlert::BAD_RECORD_MAC;
        return opened;
    }
    if (size > tls::MAX_INNER)
    {
        opened.alert = TlsAlert::RECORD_OVERFLOW;
        return opened;
    }
    uint32_t end = size;
    while (end > 0 && inner[end - 1] == 0)
    {
        end--;
    }
    if (end == 0)
    {
        opened.alert = TlsAlert::UNEXPECTED_MESSAGE;
        return opened;
    }
    opened.type = static_cast<TlsContentType>(inner[end - 1]);
    opened.padding = size - end;
    if (m_mode == TlsMode::REAL)
    {
        opened.content = Create<Packet>(inner, end - 1);
    }
    else
    {
        opened.content = record->CreateFragment(tls::HEAD, end - 1);
    }
    return opened;
}

} // namespace ns3
