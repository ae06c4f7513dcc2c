/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "tls-handshake.h"

#include <algorithm>

namespace ns3
{

TlsHandshake::TlsHandshake(TlsRole role, const Settings& settings, User& user)
    : m_role(role),
      m_settings(settings),
      m_user(user)
{
}

const char*
GetTlsStateName(TlsHandshake::State state)
{
    static const char* const names[] = {"start",
                                        "wait_server_hello",
                                        "wait_extensions",
                                        "wait_certificate",
                                        "wait_verify",
                                        "wait_finished",
                                        "computing",
                                        "complete"};
    return names[static_cast<std::size_t>(state)];
}

TlsHandshake::State
TlsHandshake::GetState() const
{
    return m_state;
}

const TlsCipherSuite*
TlsHandshake::GetSuite() const
{
    return m_suite;
}

uint16_t
TlsHandshake::GetPeerLimit() const
{
    return m_peerLimit;
}

bool
TlsHandshake::IsResumed() const
{
    return m_server.resumed;
}

// ---- what is sent -------------------------------------------------------------------------------

void
TlsHandshake::ComputeFor(int64_t time)
{
    m_state = State::COMPUTING;
    if (time > 0)
    {
        m_user.Compute(time);
    }
    else
    {
        HandleComputed();
    }
}

void
TlsHandshake::Start()
{
    if (m_role == TlsRole::CLIENT)
    {
        ComputeFor(m_settings.shareTime);
    }
}

void
TlsHandshake::HandleComputed()
{
    if (m_role == TlsRole::SERVER)
    {
        SendServerFlight();
    }
    else if (m_suite)
    {
        SendClientFinished();
    }
    else
    {
        SendClientHello();
    }
}

void
TlsHandshake::SendClientHello()
{
    m_client.random = m_user.DrawRandom();
    m_client.share = m_user.DrawRandom();
    if (m_settings.compatible)
    {
        const TlsRandom session = m_user.DrawRandom();
        m_client.session.assign(session.begin(), session.end());
    }
    m_client.suites = m_settings.suites;
    m_client.recordSizeLimit = m_settings.recordSizeLimit;
    m_client.size = m_settings.helloSize;
    if (m_settings.resumes)
    {
        const TlsCipherSuite* suite = FindTlsCipherSuite(m_settings.suites.front());
        m_client.ticket.assign(m_settings.ticketSize, 1);
        m_client.binder = suite->hashSize;
    }
    m_state = State::WAIT_SERVER_HELLO;
    m_user.SendHandshake(m_client.Write());
}

void
TlsHandshake::FindSecrets()
{
    m_secrets = TlsSecrets::Derive(*m_suite, m_settings.mode, m_client.random, m_server.random);
    m_user.LogSecret({TlsKeyLog::CLIENT_HANDSHAKE, m_client.random, m_secrets.clientHandshake});
    m_user.LogSecret({TlsKeyLog::SERVER_HANDSHAKE, m_client.random, m_secrets.serverHandshake});
    m_user.LogSecret({TlsKeyLog::CLIENT_APPLICATION, m_client.random, m_secrets.clientApplication});
    m_user.LogSecret({TlsKeyLog::SERVER_APPLICATION, m_client.random, m_secrets.serverApplication});
}

TlsHandshakeMessage
TlsHandshake::MakeFinished(const TlsSecret& secret) const
{
    TlsOctets randoms(m_client.random.begin(), m_client.random.end());
    randoms.insert(randoms.end(), m_server.random.begin(), m_server.random.end());
    return {
        TlsHandshakeType::FINISHED,
        ExpandTlsLabel(*m_suite, m_settings.mode, secret, "finished", randoms, m_suite->hashSize)};
}

void
TlsHandshake::SendServerFlight()
{
    m_server.random = m_user.DrawRandom();
    m_server.share = m_user.DrawRandom();
    m_state = State::WAIT_FINISHED;
    m_user.SendHandshake(m_server.Write());
    if (!m_client.session.empty())
    {
        m_user.SendChangeCipherSpec();
    }
    FindSecrets();
    m_user.SetSendKeys(m_secrets.serverHandshake);
    m_user.SetReceiveKeys(m_secrets.clientHandshake);
    // a limit is answered if there was one (RFC 8449 section 4)
    const bool limits = m_peerLimit > 0 && m_settings.recordSizeLimit > 0;
    m_user.SendHandshake(MakeTlsEncryptedExtensions(limits ? m_settings.recordSizeLimit : 0));
    if (!m_server.resumed)
    {
        m_user.SendHandshake(MakeTlsCertificates(m_settings.certificates));
        m_user.SendHandshake(MakeTlsCertificateVerify(m_settings.signatureSize));
    }
    m_user.SendHandshake(MakeFinished(m_secrets.serverHandshake));
    m_user.SetSendKeys(m_secrets.serverApplication);
}

void
TlsHandshake::SendClientFinished()
{
    m_state = State::COMPLETE;
    if (m_settings.compatible)
    {
        m_user.SendChangeCipherSpec(); // right before the second flight (appendix D.4)
    }
    m_user.SendHandshake(MakeFinished(m_secrets.clientHandshake));
    m_user.SetSendKeys(m_secrets.clientApplication);
    m_user.HandleComplete();
}

// ---- what comes ---------------------------------------------------------------------------------

TlsAlert
TlsHandshake::Process(const TlsHandshakeMessage& message, bool last)
{
    using Type = TlsHandshakeType;
    const bool client = m_role == TlsRole::CLIENT;
    const Type type = message.type;
    const bool beforeKeys =
        type == Type::CLIENT_HELLO || type == Type::SERVER_HELLO || type == Type::FINISHED;
    if (beforeKeys && !last)
    {
        return TlsAlert::UNEXPECTED_MESSAGE; // it has to end its record (section 5.1)
    }
    if (!client && m_state == State::START && type == Type::CLIENT_HELLO)
    {
        return ProcessClientHello(message.body);
    }
    if (client && m_state == State::WAIT_SERVER_HELLO && type == Type::SERVER_HELLO)
    {
        return ProcessServerHello(message.body);
    }
    if (m_state == State::WAIT_EXTENSIONS && type == Type::ENCRYPTED_EXTENSIONS)
    {
        return ProcessExtensions(message.body);
    }
    if (m_state == State::WAIT_CERTIFICATE && type == Type::CERTIFICATE)
    {
        return ProcessCertificates(message.body);
    }
    if (m_state == State::WAIT_VERIFY && type == Type::CERTIFICATE_VERIFY)
    {
        m_state = State::WAIT_FINISHED;
        return ReadTlsCertificateVerify(message.body);
    }
    if (m_state == State::WAIT_FINISHED && type == Type::FINISHED)
    {
        return ProcessFinished(message.body);
    }
    if (client && m_state == State::COMPLETE && type == Type::NEW_SESSION_TICKET)
    {
        return ReadTlsTicket(message.body);
    }
    return TlsAlert::UNEXPECTED_MESSAGE;
}

TlsAlert
TlsHandshake::ProcessClientHello(const TlsOctets& body)
{
    const TlsAlert alert = m_client.Read(body);
    if (alert != TlsAlert::NONE)
    {
        return alert;
    }
    const auto offers = [this](uint16_t id) {
        const auto& offered = m_client.suites;
        return FindTlsCipherSuite(id) &&
               std::find(offered.begin(), offered.end(), id) != offered.end();
    };
    const auto chosen = std::find_if(m_settings.suites.begin(), m_settings.suites.end(), offers);
    if (chosen == m_settings.suites.end())
    {
        return TlsAlert::HANDSHAKE_FAILURE;
    }
    m_suite = FindTlsCipherSuite(*chosen);
    m_peerLimit = m_client.recordSizeLimit;
    m_server.suite = m_suite->id;
    m_server.session = m_client.session;
    m_server.resumed = !m_client.ticket.empty();
    ComputeFor(m_settings.shareTime + m_settings.exchangeTime +
               (m_server.resumed ? 0 : m_settings.signTime));
    return TlsAlert::NONE;
}

TlsAlert
TlsHandshake::ProcessServerHello(const TlsOctets& body)
{
    const TlsAlert alert = m_server.Read(body);
    if (alert != TlsAlert::NONE)
    {
        return alert;
    }
    const auto& offered = m_client.suites;
    const bool known = std::find(offered.begin(), offered.end(), m_server.suite) != offered.end();
    const bool asked = !m_server.resumed || !m_client.ticket.empty();
    m_suite = known ? FindTlsCipherSuite(m_server.suite) : nullptr;
    if (!m_suite || !asked || m_server.session != m_client.session)
    {
        m_suite = nullptr;
        return TlsAlert::ILLEGAL_PARAMETER;
    }
    FindSecrets();
    m_user.SetSendKeys(m_secrets.clientHandshake);
    m_user.SetReceiveKeys(m_secrets.serverHandshake);
    m_state = State::WAIT_EXTENSIONS;
    return TlsAlert::NONE;
}

TlsAlert
TlsHandshake::ProcessExtensions(const TlsOctets& body)
{
    m_state = m_server.resumed ? State::WAIT_FINISHED : State::WAIT_CERTIFICATE;
    return ReadTlsEncryptedExtensions(body, m_peerLimit);
}

TlsAlert
TlsHandshake::ProcessCertificates(const TlsOctets& body)
{
    m_state = State::WAIT_VERIFY;
    return ReadTlsCertificates(body, m_certificates);
}

TlsAlert
TlsHandshake::ProcessFinished(const TlsOctets& body)
{
    const bool client = m_role == TlsRole::CLIENT;
    const TlsSecret& peers = client ? m_secrets.serverHandshake : m_secrets.clientHandshake;
    if (body != MakeFinished(peers).body)
    {
        return body.size() == m_suite->hashSize ? TlsAlert::DECRYPT_ERROR : TlsAlert::DECODE_ERROR;
    }
    m_user.SetReceiveKeys(client ? m_secrets.serverApplication : m_secrets.clientApplication);
    if (client)
    {
        // the chain's certificates, and CertificateVerify
        const int64_t verified = m_server.resumed ? 0 : m_certificates + 1;
        ComputeFor(m_settings.exchangeTime + verified * m_settings.verifyTime);
        return TlsAlert::NONE;
    }
    m_state = State::COMPLETE;
    m_user.HandleComplete();
    for (uint32_t i = 0; i < m_settings.tickets; i++)
    {
        m_user.SendHandshake(MakeTlsTicket(static_cast<uint8_t>(i), m_settings.ticketSize));
    }
    return TlsAlert::NONE;
}

} // namespace ns3
