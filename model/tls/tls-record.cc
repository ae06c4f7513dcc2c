/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "tls-record.h"

#include "tls-cipher-suite.h"

#include <boost/endian/conversion.hpp>

namespace ns3
{

TlsRecordHead::Octets
TlsRecordHead::Write() const
{
    Octets octets;
    octets[0] = static_cast<uint8_t>(type);
    boost::endian::store_big_u16(&octets[1], version);
    boost::endian::store_big_u16(&octets[3], length);
    return octets;
}

TlsRecordHead
TlsRecordHead::Read(const uint8_t* octets)
{
    return {static_cast<TlsContentType>(octets[0]),
            boost::endian::load_big_u16(octets + 1),
            boost::endian::load_big_u16(octets + 3)};
}

bool
TlsRecordHead::IsPossible() const
{
    switch (type)
    {
    case TlsContentType::APPLICATION_DATA:
        return length <= tls::MAX_CIPHERTEXT;
    case TlsContentType::CHANGE_CIPHER_SPEC:
    case TlsContentType::ALERT:
    case TlsContentType::HANDSHAKE:
        return length <= tls::MAX_PLAINTEXT;
    default:
        return false;
    }
}

const char*
TlsFraming::GetName() const
{
    return "tls";
}

uint32_t
TlsFraming::GetHeadSize() const
{
    return tls::HEAD;
}

RecordHead
TlsFraming::ReadHead(const uint8_t* head) const
{
    constexpr uint32_t around = TlsCipherSuite::TAG + 1;
    const TlsRecordHead record = TlsRecordHead::Read(head);
    if (!record.IsPossible())
    {
        return {};
    }
    const bool data = record.type == TlsContentType::APPLICATION_DATA && record.length > around;
    return {tls::HEAD + record.length, data ? record.length - around : 0, tls::HEAD};
}

bool
TlsFraming::IsLikely(const uint8_t* head) const
{
    const TlsRecordHead record = TlsRecordHead::Read(head);
    return record.IsPossible() &&
           (record.version == tls::LEGACY_VERSION || record.version == tls::HELLO_VERSION);
}

} // namespace ns3
