/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "decode-tls.h"

#include "ns3/tls-packet.h"
#include "ns3/tls-record.h"

#include <utility>

namespace ns3
{

namespace
{

/// @param type of content @return its name
const char*
GetTlsContentName(TlsContentType type)
{
    switch (type)
    {
    case TlsContentType::CHANGE_CIPHER_SPEC:
        return "change_cipher_spec";
    case TlsContentType::ALERT:
        return "alert";
    case TlsContentType::HANDSHAKE:
        return "handshake";
    case TlsContentType::APPLICATION_DATA:
        return "application_data";
    default:
        return "unknown";
    }
}

} // namespace

DecodeTls::DecodeTls(std::shared_ptr<const TlsKeyLog> log)
    : m_log(std::move(log)),
      m_closed(!m_log || !HasRealTls())
{
}

const char*
DecodeTls::GetName() const
{
    return "tls";
}

bool
DecodeTls::IsBeginning(const uint8_t* octets, uint32_t size) const
{
    if (size <= tls::HEAD)
    {
        return false;
    }
    // a record of the handshake that begins with a hello
    const TlsRecordHead head = TlsRecordHead::Read(octets);
    const auto message = static_cast<TlsHandshakeType>(octets[tls::HEAD]);
    return head.type == TlsContentType::HANDSHAKE && head.version >> 8 == 3 &&
           GetSize(octets) > 0 &&
           (message == TlsHandshakeType::CLIENT_HELLO || message == TlsHandshakeType::SERVER_HELLO);
}

uint32_t
DecodeTls::GetHeadSize() const
{
    return tls::HEAD;
}

uint32_t
DecodeTls::GetSize(const uint8_t* head) const
{
    return TlsFraming().ReadHead(head).size;
}

void
DecodeTls::Read(DecodePdu& pdu)
{
    const TlsRecordHead head = TlsRecordHead::Read(pdu.octets);
    pdu.name = GetTlsContentName(head.type);
    pdu.fields = {{"type", static_cast<uint64_t>(head.type)},
                  {"version", head.version},
                  {"length", head.length}};
    if (head.type == TlsContentType::APPLICATION_DATA)
    {
        pdu.payload = TlsFraming().ReadHead(pdu.octets).payload;
        ReadEncrypted(pdu);
    }
}

void
DecodeTls::ReadEncrypted(DecodePdu& pdu)
{
    if (m_closed)
    {
        return;
    }
    const auto record = Create<Packet>(pdu.octets, pdu.size);
    const TlsProtection::Opened opened = m_keys ? m_keys->Open(record) : FindKeys(record);
    if (m_closed)
    {
        return;
    }
    if (opened.alert != TlsAlert::NONE)
    {
        // with octets or records missing that means nothing
        pdu.digest = m_failed || pdu.missing > 0 ? DecodeCrc::UNKNOWN : DecodeCrc::BAD;
        pdu.fault = pdu.digest == DecodeCrc::BAD
                        ? "it cannot be opened: " + GetTlsAlertName(opened.alert)
                        : "";
        m_failed = true;
        return;
    }
    m_failed = false;
    pdu.digest = DecodeCrc::GOOD;
    pdu.name = GetTlsContentName(opened.type);
    pdu.fields.push_back({"inner_type", static_cast<uint64_t>(opened.type)});
    pdu.fields.push_back({"content", opened.content->GetSize()});
    pdu.fields.push_back({"padding", opened.padding});
    const bool data = opened.type == TlsContentType::APPLICATION_DATA;
    pdu.payload = data ? opened.content->GetSize() : 0;
    if (opened.type == TlsContentType::HANDSHAKE)
    {
        ReadMessages(CopyTlsOctets(opened.content));
    }
}

TlsProtection::Opened
DecodeTls::FindKeys(const Ptr<const Packet>& record)
{
    for (const auto& entry : m_log->GetEntries())
    {
        for (const auto& suite : GetTlsCipherSuites())
        {
            if (entry.secret.size() != suite.hashSize)
            {
                continue;
            }
            m_keys = std::make_unique<TlsProtection>(suite,
                                                     TlsMode::REAL,
                                                     TlsProtection::Direction::DECRYPT,
                                                     entry.secret);
            const auto opened = m_keys->Open(record);
            if (opened.alert == TlsAlert::NONE)
            {
                return opened;
            }
        }
    }
    m_keys = nullptr;
    m_closed = true;
    return {};
}

void
DecodeTls::ReadMessages(const TlsOctets& octets)
{
    m_messages.Add(octets);
    TlsHandshakeMessage message;
    while (m_messages.Pop(message))
    {
        if (message.type == TlsHandshakeType::FINISHED)
        {
            m_keys = nullptr; // the next record has others
        }
        else if (message.type == TlsHandshakeType::KEY_UPDATE && m_keys)
        {
            m_keys->Update();
        }
    }
}

} // namespace ns3
