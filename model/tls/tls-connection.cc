/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "tls-connection.h"

#include "tls-packet.h"

#include "ns3/abort.h"

#include <algorithm>

namespace ns3
{

namespace
{

using Direction = CryptoCipher::Direction;

constexpr uint8_t WARNING = 1; //!< level of alerts that do not end a connection
constexpr uint8_t FATAL = 2;   //!< level of all others

/// @param settings of a connection @return the same with what they imply
TlsConnection::Settings
Complete(TlsConnection::Settings settings)
{
    const auto& suites = settings.handshake.suites;
    NS_ABORT_MSG_IF(suites.empty() ||
                        std::any_of(suites.begin(),
                                    suites.end(),
                                    [](uint16_t id) { return !FindTlsCipherSuite(id); }),
                    "TlsConnection: suites are one or more of those of GetTlsCipherSuites()");
    NS_ABORT_MSG_IF(settings.handshake.mode == TlsMode::REAL && !HasRealTls(),
                    "this build of iwarp cannot encipher, since OpenSSL was not found: install "
                    "libssl-dev and configure again, or take modelled TLS");
    return settings;
}

} // namespace

TlsConnection::TlsConnection(TlsRole role, const Settings& settings, User& user)
    : m_settings(Complete(settings)),
      m_user(user),
      m_role(role),
      m_handshake(role, m_settings.handshake, *this),
      m_sizer(m_settings.records)
{
}

bool
TlsConnection::CanSend() const
{
    return m_complete && !m_closing && (!m_over || m_end == TlsEnd::CLOSED);
}

bool
TlsConnection::IsOver() const
{
    return m_over;
}

TlsAlert
TlsConnection::GetAlert() const
{
    return m_alert;
}

const TlsHandshake&
TlsConnection::GetHandshake() const
{
    return m_handshake;
}

// ---- what the handshake does --------------------------------------------------------------------

void
TlsConnection::Start()
{
    m_handshake.Start();
}

void
TlsConnection::HandleComputed()
{
    if (!m_over)
    {
        m_handshake.HandleComputed();
    }
}

void
TlsConnection::SendHandshake(const TlsHandshakeMessage& message)
{
    m_begun = true;
    const TlsOctets octets = message.Write();
    if (m_send && m_handshake.GetPeerLimit() > 0)
    {
        m_sizer.Limit(m_handshake.GetPeerLimit()); // all that is protected (RFC 8449 section 4)
    }
    const uint32_t most = m_sizer.GetMost();
    for (std::size_t at = 0; at < octets.size(); at += most)
    {
        const auto size = static_cast<uint32_t>(std::min<std::size_t>(most, octets.size() - at));
        SendContent(TlsContentType::HANDSHAKE, Create<Packet>(octets.data() + at, size));
    }
}

void
TlsConnection::SendChangeCipherSpec()
{
    TlsRecordHead head;
    head.type = TlsContentType::CHANGE_CIPHER_SPEC;
    head.length = 1;
    TlsOctets octets(tls::HEAD + 1, 1);
    const auto written = head.Write();
    std::copy(written.begin(), written.end(), octets.begin());
    TlsRecordReport report;
    report.type = head.type;
    report.content = 1;
    report.size = tls::HEAD + 1;
    m_user.SendRecord(MakeTlsPacket(octets), report);
}

void
TlsConnection::SetSendKeys(const TlsSecret& secret)
{
    m_send = std::make_unique<TlsProtection>(*m_handshake.GetSuite(),
                                             m_settings.handshake.mode,
                                             Direction::ENCRYPT,
                                             secret);
}

void
TlsConnection::SetReceiveKeys(const TlsSecret& secret)
{
    m_data = m_receive != nullptr; // the second ones are those of application data
    m_receive = std::make_unique<TlsProtection>(*m_handshake.GetSuite(),
                                                m_settings.handshake.mode,
                                                Direction::DECRYPT,
                                                secret);
}

void
TlsConnection::LogSecret(const TlsKeyLog::Entry& entry)
{
    m_user.HandleSecret(entry);
}

void
TlsConnection::Compute(int64_t time)
{
    m_user.WaitFor(time);
}

TlsRandom
TlsConnection::DrawRandom()
{
    return m_user.DrawRandomOctets();
}

void
TlsConnection::HandleComplete()
{
    m_complete = true;
    m_user.HandleEstablished();
}

// ---- what is sent -------------------------------------------------------------------------------

void
TlsConnection::SendContent(TlsContentType type, const Ptr<const Packet>& content)
{
    TlsRecordReport report;
    report.type = type;
    report.content = content->GetSize();
    if (m_send)
    {
        report.padding = m_sizer.GetPadding(report.content);
        report.encrypted = true;
        report.sequence = m_send->GetSequence();
        const Ptr<Packet> record = m_send->Seal(type, content, report.padding);
        report.size = record->GetSize();
        m_user.SendRecord(record, report);
        return;
    }
    TlsRecordHead head;
    head.type = type;
    head.length = static_cast<uint16_t>(report.content);
    const bool hello = m_role == TlsRole::CLIENT && type == TlsContentType::HANDSHAKE;
    head.version = hello ? tls::HELLO_VERSION : tls::LEGACY_VERSION;
    const auto octets = head.Write();
    report.size = tls::HEAD + report.content;
    m_user.SendRecord(AddTlsOctetsBefore(content, octets.data(), tls::HEAD), report);
}

void
TlsConnection::Send(const Ptr<const Packet>& content, int64_t now)
{
    NS_ABORT_MSG_UNLESS(CanSend(), "TlsConnection::Send: the connection takes no data now");
    const uint64_t limit = m_settings.updateRecords > 0 ? m_settings.updateRecords
                                                        : m_handshake.GetSuite()->recordLimit;
    const uint32_t size = content->GetSize();
    for (uint32_t at = 0; at < size && CanSend();)
    {
        if (m_send->GetSequence() >= limit)
        {
            UpdateKeys(false);
        }
        const uint32_t record = m_sizer.Next(size - at, now);
        SendContent(TlsContentType::APPLICATION_DATA, content->CreateFragment(at, record));
        at += record;
    }
}

void
TlsConnection::UpdateKeys(bool request)
{
    NS_ABORT_MSG_UNLESS(CanSend(), "TlsConnection::UpdateKeys: there are no keys to update");
    const TlsOctets octets = MakeTlsKeyUpdate(request).Write();
    SendContent(TlsContentType::HANDSHAKE, MakeTlsPacket(octets));
    m_send->Update();
    m_user.HandleKeyUpdate(true, request);
}

void
TlsConnection::SendAlert(TlsAlert alert)
{
    const uint8_t level = IsTlsErrorAlert(alert) ? FATAL : WARNING;
    SendContent(TlsContentType::ALERT, MakeTlsPacket({level, static_cast<uint8_t>(alert)}));
    m_user.HandleAlert(alert, true);
}

void
TlsConnection::Close()
{
    if (!m_closing && (!m_over || m_end == TlsEnd::CLOSED))
    {
        m_closing = true;
        SendAlert(TlsAlert::CLOSE_NOTIFY);
    }
}

void
TlsConnection::Fail(TlsAlert alert)
{
    if (!m_over)
    {
        m_alert = alert;
        if (!m_closing) // behind close_notify nothing is sent (section 6.1)
        {
            m_closing = true;
            SendAlert(alert);
        }
        Finish(TlsEnd::FAILED);
    }
}

void
TlsConnection::HandleTimeout()
{
    if (!m_complete && !m_over)
    {
        m_alert = TlsAlert::USER_CANCELED;
        SendAlert(TlsAlert::USER_CANCELED);
        Close(); // has to follow (section 6.1)
        Finish(TlsEnd::FAILED);
    }
}

void
TlsConnection::Finish(TlsEnd end)
{
    if (!m_over)
    {
        m_over = true;
        m_end = end;
        m_user.HandleOver(end);
    }
}

// ---- what comes ---------------------------------------------------------------------------------

void
TlsConnection::HandleStreamEnd(bool lost)
{
    Finish(lost ? TlsEnd::LOST : TlsEnd::TRUNCATED);
}

void
TlsConnection::Receive(const Ptr<const Packet>& record)
{
    if (m_over)
    {
        return;
    }
    TlsRecordHead::Octets octets;
    record->CopyData(octets.data(), tls::HEAD);
    const TlsRecordHead head = TlsRecordHead::Read(octets.data());
    const TlsAlert alert = Open(head, record);
    if (alert != TlsAlert::NONE)
    {
        Fail(alert);
    }
}

TlsAlert
TlsConnection::Open(const TlsRecordHead& head, const Ptr<const Packet>& record)
{
    using Type = TlsContentType;
    if (head.type < Type::CHANGE_CIPHER_SPEC || head.type > Type::APPLICATION_DATA)
    {
        return TlsAlert::UNEXPECTED_MESSAGE;
    }
    if (!head.IsPossible())
    {
        return TlsAlert::RECORD_OVERFLOW;
    }
    // a peer whose keys are not there yet answers the first flight in clear
    const bool early = head.type == Type::ALERT && m_receive && m_receive->GetSequence() == 0;
    if (!m_receive || head.type == Type::CHANGE_CIPHER_SPEC || (early && !m_data))
    {
        return ProcessClear(head, record);
    }
    if (head.type != Type::APPLICATION_DATA)
    {
        return TlsAlert::UNEXPECTED_MESSAGE;
    }
    TlsRecordReport report;
    report.sequence = m_receive->GetSequence();
    const TlsProtection::Opened opened = m_receive->Open(record);
    if (opened.alert != TlsAlert::NONE)
    {
        return opened.alert;
    }
    report.type = opened.type;
    report.content = opened.content->GetSize();
    report.padding = opened.padding;
    report.size = record->GetSize();
    report.encrypted = true;
    m_user.HandleOpened(report);
    const uint16_t limit = m_settings.handshake.recordSizeLimit;
    const bool limited = limit > 0 && m_handshake.GetPeerLimit() > 0;
    if (limited && report.content + 1 + report.padding > limit)
    {
        return TlsAlert::RECORD_OVERFLOW; // RFC 8449 section 4
    }
    return m_over ? TlsAlert::NONE : ProcessContent(opened.type, opened.content);
}

TlsAlert
TlsConnection::ProcessClear(const TlsRecordHead& head, const Ptr<const Packet>& record)
{
    TlsRecordReport report;
    report.type = head.type;
    report.content = head.length;
    report.size = tls::HEAD + head.length;
    const Ptr<Packet> content = record->CreateFragment(tls::HEAD, head.length);
    if (head.type == TlsContentType::CHANGE_CIPHER_SPEC)
    {
        // dropped between the first hello and the peer's Finished (section 5)
        const bool right = head.length == 1 && CopyTlsOctets(content)[0] == 1;
        if (!right || !m_begun || m_data)
        {
            return TlsAlert::UNEXPECTED_MESSAGE;
        }
        m_user.HandleOpened(report);
        return m_reader.IsEmpty() ? TlsAlert::NONE : TlsAlert::UNEXPECTED_MESSAGE;
    }
    if (head.type == TlsContentType::APPLICATION_DATA)
    {
        return TlsAlert::UNEXPECTED_MESSAGE; // never in clear (section 5.1)
    }
    m_user.HandleOpened(report);
    return ProcessContent(head.type, content);
}

TlsAlert
TlsConnection::ProcessContent(TlsContentType type, const Ptr<Packet>& content)
{
    if (type == TlsContentType::APPLICATION_DATA)
    {
        if (!m_data || !m_reader.IsEmpty())
        {
            return TlsAlert::UNEXPECTED_MESSAGE;
        }
        if (content->GetSize() > 0)
        {
            m_user.HandleContent(content);
        }
        return TlsAlert::NONE;
    }
    if (content->GetSize() == 0)
    {
        return TlsAlert::UNEXPECTED_MESSAGE; // section 5.4
    }
    if (type == TlsContentType::HANDSHAKE)
    {
        return ProcessHandshake(CopyTlsOctets(content));
    }
    if (type == TlsContentType::ALERT && m_reader.IsEmpty())
    {
        return ProcessAlert(CopyTlsOctets(content));
    }
    return TlsAlert::UNEXPECTED_MESSAGE;
}

TlsAlert
TlsConnection::ProcessAlert(const TlsOctets& octets)
{
    if (octets.size() != 2)
    {
        return TlsAlert::DECODE_ERROR; // one alert a record (section 5.1)
    }
    const auto alert = static_cast<TlsAlert>(octets[1]); // its level does not count (section 6)
    m_user.HandleAlert(alert, false);
    if (alert == TlsAlert::CLOSE_NOTIFY)
    {
        m_alert = m_alert == TlsAlert::NONE ? alert : m_alert;
        Finish(TlsEnd::CLOSED);
    }
    else if (IsTlsErrorAlert(alert))
    {
        m_alert = alert;
        Finish(TlsEnd::ALERTED);
    }
    return TlsAlert::NONE;
}

TlsAlert
TlsConnection::ProcessHandshake(const TlsOctets& octets)
{
    m_begun = true;
    m_reader.Add(octets);
    TlsHandshakeMessage message;
    while (!m_over && m_reader.Pop(message))
    {
        const bool last = m_reader.IsEmpty();
        const TlsAlert alert = message.type == TlsHandshakeType::KEY_UPDATE
                                   ? ProcessKeyUpdate(message.body, last)
                                   : m_handshake.Process(message, last);
        if (alert != TlsAlert::NONE)
        {
            return alert;
        }
    }
    return m_reader.IsTooLong() ? TlsAlert::DECODE_ERROR : TlsAlert::NONE;
}

TlsAlert
TlsConnection::ProcessKeyUpdate(const TlsOctets& body, bool last)
{
    if (!m_data || !last)
    {
        return TlsAlert::UNEXPECTED_MESSAGE; // not before Finished (section 4.6.3)
    }
    bool requested = false;
    const TlsAlert alert = ReadTlsKeyUpdate(body, requested);
    if (alert != TlsAlert::NONE)
    {
        return alert;
    }
    m_receive->Update();
    m_user.HandleKeyUpdate(false, requested);
    if (requested && CanSend())
    {
        UpdateKeys(false);
    }
    return TlsAlert::NONE;
}

} // namespace ns3
