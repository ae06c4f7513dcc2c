/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "../iwarp-test.h"
#include "tls-data.h"
#include "tls-pair.h"

#include <algorithm>
#include <functional>
#include <string>

using namespace ns3;

namespace
{

IWARP_TEST_SUITE(tlsConnection, "tls-connection");

using Settings = TlsConnection::Settings;
using Type = TlsContentType;

/// @return the modes that this build has
std::vector<TlsMode>
ListTlsModes()
{
    return HasRealTls() ? std::vector<TlsMode>{TlsMode::MODELLED, TlsMode::REAL}
                        : std::vector<TlsMode>{TlsMode::MODELLED};
}

/// @param reports of records @return their octets in the stream
std::vector<uint32_t>
GetWireSizes(const std::vector<TlsRecordReport>& reports)
{
    std::vector<uint32_t> sizes;
    for (const auto& report : reports)
    {
        sizes.push_back(report.size);
    }
    return sizes;
}

/// @param side of a capture @param count records @return octets of the first ones in the stream
std::vector<uint32_t>
GetCapturedSizes(const TlsCapturedSide& side, std::size_t count)
{
    std::vector<uint32_t> sizes;
    for (const auto& record : side.GetRecords())
    {
        sizes.push_back(static_cast<uint32_t>(record.size()));
    }
    sizes.resize(std::min(sizes.size(), count));
    return sizes;
}

/// @param type of a record @param body octets behind its head @return the record, in clear
Ptr<Packet>
MakeClearRecord(Type type, const TlsOctets& body)
{
    TlsRecordHead head;
    head.type = type;
    head.length = static_cast<uint16_t>(body.size());
    const auto written = head.Write();
    TlsOctets octets(written.begin(), written.end());
    octets.insert(octets.end(), body.begin(), body.end());
    return MakeTlsPacket(octets);
}

/// A server that has a connection with somebody who does anything: a client of this module
/// connects, and records of one's own follow under its keys.
class TlsRogue
{
  public:
    /// @param settings of the server
    explicit TlsRogue(const Settings& settings = {})
        : pair({}, settings)
    {
        pair.Connect();
        const auto& secrets = pair.client.secrets;
        const auto found = std::find_if(secrets.begin(), secrets.end(), [](const auto& entry) {
            return entry.label == TlsKeyLog::CLIENT_APPLICATION;
        });
        m_keys = std::make_unique<TlsProtection>(GetTlsCipherSuites()[0],
                                                 TlsMode::MODELLED,
                                                 TlsProtection::Direction::ENCRYPT,
                                                 found->secret);
    }

    /// @param type of content @param content octets @param padding zeros: a record for the server
    void Send(Type type, const TlsOctets& content, uint32_t padding = 0)
    {
        Give(m_keys->Seal(type, MakeTlsPacket(content), padding));
    }

    /// @param record for the server
    void Give(const Ptr<Packet>& record)
    {
        pair.server.connection.Receive(record);
    }

    /// @return the alert that the server has sent, which has ended the connection
    TlsAlert GetAnswer() const
    {
        const auto& server = pair.server;
        const bool failed = server.ends == std::vector<TlsEnd>{TlsEnd::FAILED};
        return failed && server.alertsSent.size() == 1 ? server.alertsSent[0] : TlsAlert::NONE;
    }

    TlsPair pair; //!< client and server

  private:
    std::unique_ptr<TlsProtection> m_keys; //!< the client's
};

} // namespace

/// @brief Flights have the records that OpenSSL's have, of the same sizes; data follows.
IWARP_TEST(tlsConnection, "flights as OpenSSL sends them")
{
    const auto captured = ReadTlsCapture("aes128");
    // certificate and signature of the capture, by the sizes of its records: 17 octets around a
    // message, 13 around a certificate, 8 around a signature
    const auto sizes = GetCapturedSizes(captured[1], 8);
    for (const TlsMode mode : ListTlsModes())
    {
        Settings settings;
        settings.handshake.mode = mode;
        settings.handshake.certificates = {sizes[3] - 5 - 17 - 13};
        settings.handshake.signatureSize = sizes[4] - 5 - 17 - 8;
        TlsPair pair(settings, settings);
        pair.Connect();
        NS_TEST_ASSERT_MSG_EQ(pair.client.established + pair.server.established, 2, "both ends");
        const auto client = GetCapturedSizes(captured[0], 3);
        NS_TEST_EXPECT_MSG_EQ((GetWireSizes(pair.client.sentReports) == client), true, "client's");
        NS_TEST_EXPECT_MSG_EQ((GetWireSizes(pair.server.sentReports) == sizes), true, "server's");
        pair.client.connection.Send(MakeTlsPacket({1, 2, 3}), 0);
        pair.server.connection.Send(MakeTlsPacket({4, 5}), 0);
        pair.Run();
        NS_TEST_EXPECT_MSG_EQ((pair.server.octets == TlsOctets{1, 2, 3}), true, "forth");
        NS_TEST_EXPECT_MSG_EQ((pair.client.octets == TlsOctets{4, 5}), true, "back");
        pair.client.connection.Close();
        pair.Run();
        const std::vector<TlsEnd> closed{TlsEnd::CLOSED};
        NS_TEST_EXPECT_MSG_EQ((pair.server.ends == closed), true, "close_notify");
        IWARP_COVERS("TLS-6.1-01");
        NS_TEST_EXPECT_MSG_EQ(pair.server.connection.CanSend(), true, "the other half is open");
        pair.server.connection.Close();
        pair.Run();
        NS_TEST_EXPECT_MSG_EQ((pair.client.ends == closed), true, "and closed");
    }
}

/// @brief Versions in heads: the first ClientHello has that of TLS 1.0.
IWARP_TEST(tlsConnection, "legacy_record_version")
{
    TlsPair pair({}, {});
    pair.server.connection.Start();
    pair.client.connection.Start();
    const auto version = [](const TlsPairEnd& end) {
        return TlsRecordHead::Read(CopyTlsOctets(end.sent.at(0)).data()).version;
    };
    NS_TEST_ASSERT_MSG_EQ(version(pair.client), 0x0301, "ClientHello");
    IWARP_COVERS("TLS-5.1-08");
    pair.server.connection.Receive(pair.client.sent.at(0));
    NS_TEST_ASSERT_MSG_EQ(version(pair.server), 0x0303, "ServerHello");
    IWARP_COVERS("TLS-5.1-08");
}

/// @brief A session resumed: the flights of OpenSSL without certificate and signature.
IWARP_TEST(tlsConnection, "flights of a session resumed")
{
    const auto captured = ReadTlsCapture("aes256-resumed");
    Settings settings;
    settings.handshake.suites = {0x1302};
    settings.handshake.ticketSize = 208;
    settings.handshake.resumes = true;
    settings.handshake.tickets = 1;
    settings.handshake.helloSize = GetCapturedSizes(captured[0], 1)[0] - tls::HEAD;
    TlsPair pair(settings, settings);
    pair.Connect();
    NS_TEST_ASSERT_MSG_EQ(pair.client.established + pair.server.established, 2, "both ends");
    NS_TEST_EXPECT_MSG_EQ(pair.client.connection.GetHandshake().IsResumed(), true, "resumed");
    const auto client = GetCapturedSizes(captured[0], 3);
    NS_TEST_EXPECT_MSG_EQ((GetWireSizes(pair.client.sentReports) == client), true, "client's");
    const auto server = GetCapturedSizes(captured[1], 5);
    NS_TEST_EXPECT_MSG_EQ((GetWireSizes(pair.server.sentReports) == server), true, "server's");
}

/// @brief Certificates of any size; a chain that no record holds is divided.
IWARP_TEST(tlsConnection, "certificates have their sizes")
{
    for (uint32_t size = MIN_TLS_CERTIFICATE; size < 70000; size += size < 600 ? 1 : 997)
    {
        const auto message = MakeTlsCertificates({size});
        const uint32_t made = size == 259 ? 260 : size; // no element of DER has 259 octets
        NS_TEST_ASSERT_MSG_EQ(message.body.size(), 4 + 3 + made + 2, size);
    }
    Settings settings;
    settings.handshake.certificates = {20000, 1000, 15000};
    TlsPair pair({}, settings);
    pair.Connect();
    NS_TEST_EXPECT_MSG_EQ(pair.client.established, 1, "three records");
    const auto full = std::count_if(pair.server.sentReports.begin(),
                                    pair.server.sentReports.end(),
                                    [](const auto& report) { return report.content == 16384; });
    NS_TEST_EXPECT_MSG_EQ(full, 2, "of which two are full");
    IWARP_COVERS("TLS-5.1-02");
}

/// @brief The time that computing takes, by role and kind of handshake.
IWARP_TEST(tlsConnection, "times of computing")
{
    Settings settings;
    settings.handshake.certificates = {500, 400};
    settings.handshake.shareTime = 1;
    settings.handshake.exchangeTime = 10;
    settings.handshake.signTime = 100;
    settings.handshake.verifyTime = 1000;
    TlsPair pair(settings, settings);
    pair.Connect();
    NS_TEST_EXPECT_MSG_EQ((pair.server.times == std::vector<int64_t>{111}), true, "server");
    NS_TEST_EXPECT_MSG_EQ((pair.client.times == std::vector<int64_t>{1, 3010}), true, "client");
    settings.handshake.resumes = true;
    TlsPair again(settings, settings);
    again.Connect();
    NS_TEST_EXPECT_MSG_EQ((again.server.times == std::vector<int64_t>{11}), true, "no signature");
    NS_TEST_EXPECT_MSG_EQ((again.client.times == std::vector<int64_t>{1, 10}), true, "to verify");
}

/// @brief What may not be agreed on, each with its alert.
IWARP_TEST(tlsConnection, "handshakes that fail")
{
    Settings chacha;
    chacha.handshake.suites = {0x1303};
    TlsPair apart({}, chacha);
    apart.Connect();
    NS_TEST_EXPECT_MSG_EQ((apart.client.connection.GetAlert() == TlsAlert::HANDSHAKE_FAILURE),
                          true,
                          "no suite in common");
    NS_TEST_EXPECT_MSG_EQ((apart.client.ends == std::vector<TlsEnd>{TlsEnd::ALERTED}), true, "");
    NS_TEST_EXPECT_MSG_EQ((apart.server.ends == std::vector<TlsEnd>{TlsEnd::FAILED}), true, "");

    const auto answer = [](Type type, const TlsOctets& octets) {
        TlsPair pair({}, {});
        pair.server.connection.Receive(MakeClearRecord(type, octets));
        return pair.server.alertsSent.empty() ? TlsAlert::NONE : pair.server.alertsSent[0];
    };
    const auto hello = TlsClientHello{};
    auto good = hello;
    good.suites = {0x1301};
    const TlsOctets octets = good.Write().Write();
    NS_TEST_EXPECT_MSG_EQ((answer(Type::HANDSHAKE, octets) == TlsAlert::NONE), true, "good");
    TlsOctets old = octets;
    const TlsOctets version{0, 43, 0, 3, 2, 3, 4};
    const auto at = std::search(old.begin(), old.end(), version.begin(), version.end());
    NS_TEST_ASSERT_MSG_EQ((at != old.end()), true, "supported_versions");
    at[6] = 3;
    NS_TEST_EXPECT_MSG_EQ((answer(Type::HANDSHAKE, old) == TlsAlert::PROTOCOL_VERSION),
                          true,
                          "1.2");
    TlsOctets bad = octets;
    bad[4 + 2 + 32] = 200; // legacy_session_id is longer than the message
    NS_TEST_EXPECT_MSG_EQ((answer(Type::HANDSHAKE, bad) == TlsAlert::DECODE_ERROR), true, "length");
    IWARP_COVERS("TLS-6.2-01");
    auto limit = good;
    limit.recordSizeLimit = 63;
    NS_TEST_EXPECT_MSG_EQ(
        (answer(Type::HANDSHAKE, limit.Write().Write()) == TlsAlert::ILLEGAL_PARAMETER),
        true,
        "record_size_limit below 64");
    TlsOctets two = octets;
    two.insert(two.end(), octets.begin(), octets.end());
    NS_TEST_EXPECT_MSG_EQ((answer(Type::HANDSHAKE, two) == TlsAlert::UNEXPECTED_MESSAGE),
                          true,
                          "what precedes keys ends its record");
    IWARP_COVERS("TLS-5.1-04");
    const auto finished = TlsHandshakeMessage{TlsHandshakeType::FINISHED, TlsOctets(32)}.Write();
    NS_TEST_EXPECT_MSG_EQ((answer(Type::HANDSHAKE, finished) == TlsAlert::UNEXPECTED_MESSAGE),
                          true,
                          "Finished first");
    for (const Type type : {Type::APPLICATION_DATA, Type::CHANGE_CIPHER_SPEC})
    {
        NS_TEST_EXPECT_MSG_EQ((answer(type, {1}) == TlsAlert::UNEXPECTED_MESSAGE),
                              true,
                              "before a hello");
        IWARP_COVERS("TLS-5-04 TLS-5.1-11");
    }
    NS_TEST_EXPECT_MSG_EQ((answer(Type::HANDSHAKE, {}) == TlsAlert::UNEXPECTED_MESSAGE), true, "");
    IWARP_COVERS("TLS-5.1-05");
    const auto other = answer(static_cast<Type>(25), {1});
    NS_TEST_EXPECT_MSG_EQ((other == TlsAlert::UNEXPECTED_MESSAGE), true, "no such type");
    IWARP_COVERS("TLS-5-05");
    const TlsOctets huge{1, 0xff, 0xff, 0xff};
    NS_TEST_EXPECT_MSG_EQ((answer(Type::HANDSHAKE, huge) == TlsAlert::DECODE_ERROR),
                          true,
                          "16 MiB");
    TlsPair overflow({}, {});
    overflow.server.connection.Receive(MakeTlsPacket({22, 3, 3, 0x40, 1}));
    NS_TEST_EXPECT_MSG_EQ((overflow.server.alertsSent == std::vector{TlsAlert::RECORD_OVERFLOW}),
                          true,
                          "by its head alone");
    IWARP_COVERS("TLS-5.1-10");
    TlsPair late({}, {});
    late.client.connection.Start();
    late.client.connection.HandleTimeout();
    const std::vector<TlsAlert> canceled{TlsAlert::USER_CANCELED, TlsAlert::CLOSE_NOTIFY};
    NS_TEST_EXPECT_MSG_EQ((late.client.alertsSent == canceled), true, "nobody answers");
    NS_TEST_EXPECT_MSG_EQ(IsTlsErrorAlert(TlsAlert::CLOSE_NOTIFY), false, "an orderly end");
    NS_TEST_EXPECT_MSG_EQ(IsTlsErrorAlert(TlsAlert::USER_CANCELED), false, "no error");
    NS_TEST_EXPECT_MSG_EQ(IsTlsErrorAlert(TlsAlert::DECODE_ERROR), true, "an error");
}

/// @brief change_cipher_spec is dropped where it may come.
IWARP_TEST(tlsConnection, "change_cipher_spec")
{
    Settings plain;
    plain.handshake.compatible = false;
    TlsPair none(plain, plain);
    none.Connect();
    const auto count = [](const TlsPairEnd& end) {
        return std::count_if(end.sentReports.begin(), end.sentReports.end(), [](const auto& one) {
            return one.type == Type::CHANGE_CIPHER_SPEC;
        });
    };
    NS_TEST_EXPECT_MSG_EQ(count(none.client) + count(none.server), 0, "not without");
    TlsPair pair({}, {});
    pair.server.connection.Start();
    pair.client.connection.Start();
    pair.client.connection.Receive(MakeClearRecord(Type::CHANGE_CIPHER_SPEC, {1}));
    pair.Run();
    NS_TEST_EXPECT_MSG_EQ(pair.client.established, 1, "dropped");
    IWARP_COVERS("TLS-5-01");
    TlsPair wrong({}, {});
    wrong.client.connection.Start();
    wrong.client.connection.Receive(MakeClearRecord(Type::CHANGE_CIPHER_SPEC, {2}));
    const std::vector<TlsAlert> unexpected{TlsAlert::UNEXPECTED_MESSAGE};
    NS_TEST_EXPECT_MSG_EQ((wrong.client.alertsSent == unexpected), true, "another octet");
    IWARP_COVERS("TLS-5-02");
    TlsRogue inside;
    inside.Send(Type::CHANGE_CIPHER_SPEC, {1});
    NS_TEST_EXPECT_MSG_EQ((inside.GetAnswer() == TlsAlert::UNEXPECTED_MESSAGE), true, "protected");
    IWARP_COVERS("TLS-5-03");
    TlsRogue late;
    late.Give(MakeClearRecord(Type::CHANGE_CIPHER_SPEC, {1}));
    NS_TEST_EXPECT_MSG_EQ((late.GetAnswer() == TlsAlert::UNEXPECTED_MESSAGE), true, "late");
    IWARP_COVERS("TLS-5-04");
}

/// @brief What a peer can do wrong under its keys, each with its alert.
IWARP_TEST(tlsConnection, "records that may not be")
{
    const TlsOctets update = MakeTlsKeyUpdate(false).Write();
    TlsOctets twice = update;
    twice.insert(twice.end(), update.begin(), update.end());

    struct Row
    {
        const char* what;                   //!< it is
        TlsAlert alert;                     //!< that answers it
        std::function<void(TlsRogue&)> act; //!< does it
    };

    const auto unexpected = TlsAlert::UNEXPECTED_MESSAGE;
    const std::vector<Row> rows{
        {"a tag that is wrong",
         TlsAlert::BAD_RECORD_MAC,
         [](TlsRogue& rogue) {
             rogue.Give(MakeClearRecord(Type::APPLICATION_DATA, TlsOctets(50, 9)));
         }},
        {"data in clear",
         unexpected,
         [](TlsRogue& rogue) {
             rogue.Give(MakeClearRecord(Type::ALERT, {1, 0}));
         }},
        {"an empty alert", unexpected, [](TlsRogue& rogue) { rogue.Send(Type::ALERT, {}, 5); }},
        {"an empty message",
         unexpected,
         [](TlsRogue& rogue) { rogue.Send(Type::HANDSHAKE, {}, 5); }},
        {"nothing but padding",
         unexpected,
         [](TlsRogue& rogue) { rogue.Send(Type::INVALID, {}, 5); }},
        {"two alerts in a record",
         TlsAlert::DECODE_ERROR,
         [](TlsRogue& rogue) {
             rogue.Send(Type::ALERT, {1, 0, 1, 0});
         }},
        {"half an alert",
         TlsAlert::DECODE_ERROR,
         [](TlsRogue& rogue) { rogue.Send(Type::ALERT, {1}); }},
        {"data within a message",
         unexpected,
         [&update](TlsRogue& rogue) {
             rogue.Send(Type::HANDSHAKE, {update.begin(), update.begin() + 3});
             rogue.Send(Type::APPLICATION_DATA, {1});
         }},
        {"a message behind a key update",
         unexpected,
         [&twice](TlsRogue& rogue) { rogue.Send(Type::HANDSHAKE, twice); }},
        {"a key update that asks for 2",
         TlsAlert::ILLEGAL_PARAMETER,
         [](TlsRogue& rogue) {
             rogue.Send(Type::HANDSHAKE, {24, 0, 0, 1, 2});
         }},
        {"a key update of two octets",
         TlsAlert::DECODE_ERROR,
         [](TlsRogue& rogue) {
             rogue.Send(Type::HANDSHAKE, {24, 0, 0, 2, 0, 0});
         }},
        {"a ticket of a client's",
         unexpected,
         [](TlsRogue& rogue) { rogue.Send(Type::HANDSHAKE, MakeTlsTicket(0, 10).Write()); }},
        {"a type that is none",
         unexpected,
         [](TlsRogue& rogue) { rogue.Send(static_cast<Type>(99), {1}); }},
        {"a length above 2^14 + 256",
         TlsAlert::RECORD_OVERFLOW,
         [](TlsRogue& rogue) {
             rogue.Give(MakeTlsPacket({23, 3, 3, 0x41, 1}));
         }},
    };
    for (const Row& row : rows)
    {
        TlsRogue rogue;
        row.act(rogue);
        NS_TEST_EXPECT_MSG_EQ(GetTlsAlertName(rogue.GetAnswer()),
                              GetTlsAlertName(row.alert),
                              row.what);
        IWARP_COVERS("TLS-5.1-03 TLS-5.1-06 TLS-5.2-03 TLS-5.2-06 TLS-5.4-04 TLS-5.4-06 "
                     "TLS-5.1-05 TLS-4.6.3-02 TLS-4.6.3-03 TLS-6.2-01 TLS-5-05");
        rogue.Send(Type::APPLICATION_DATA, {1, 2, 3});
        NS_TEST_EXPECT_MSG_EQ(rogue.pair.server.octets.size(), 0, "nothing counts behind it");
        IWARP_COVERS("TLS-6.2-02");
        rogue.pair.Run();
        const auto alert = rogue.pair.client.connection.GetAlert();
        NS_TEST_EXPECT_MSG_EQ((alert == row.alert), true, row.what << ": the peer knows");
    }
    TlsRogue empty;
    empty.Send(Type::APPLICATION_DATA, {}, 100);
    empty.Send(Type::APPLICATION_DATA, {7}, 0);
    NS_TEST_EXPECT_MSG_EQ((empty.pair.server.octets == TlsOctets{7}), true, "empty data may be");
    IWARP_COVERS("TLS-5.1-07 TLS-5.4-03");
    TlsRogue closed;
    closed.Send(Type::ALERT, {2, 0}); // whatever its level
    closed.Send(Type::APPLICATION_DATA, {7});
    NS_TEST_EXPECT_MSG_EQ(closed.pair.server.octets.size(), 0, "data behind close_notify");
    IWARP_COVERS("TLS-6.1-02 TLS-6-01");
    NS_TEST_EXPECT_MSG_EQ((closed.pair.server.ends == std::vector<TlsEnd>{TlsEnd::CLOSED}),
                          true,
                          "");
    TlsRogue closing;
    closing.pair.server.connection.Close();
    closing.Send(Type::ALERT, {1}); // half an alert
    const std::vector<TlsAlert> notify{TlsAlert::CLOSE_NOTIFY};
    NS_TEST_EXPECT_MSG_EQ((closing.pair.server.alertsSent == notify), true, "nothing behind it");
    NS_TEST_EXPECT_MSG_EQ((closing.pair.server.ends == std::vector<TlsEnd>{TlsEnd::FAILED}),
                          true,
                          "though it fails");
    TlsRogue fatal;
    fatal.Send(Type::ALERT, {1, 77}); // a number that is none
    NS_TEST_EXPECT_MSG_EQ((fatal.pair.server.ends == std::vector<TlsEnd>{TlsEnd::ALERTED}),
                          true,
                          "");
    IWARP_COVERS("TLS-6-02");
    TlsRogue ended;
    ended.pair.server.connection.HandleStreamEnd(false);
    const std::vector<TlsEnd> truncated{TlsEnd::TRUNCATED};
    NS_TEST_EXPECT_MSG_EQ((ended.pair.server.ends == truncated), true, "no close_notify");
    IWARP_COVERS("TLS-6.1-03");
}

/// @brief Limits of what a peer takes (RFC 8449), told in hellos.
IWARP_TEST(tlsConnection, "record_size_limit")
{
    Settings server;
    server.handshake.recordSizeLimit = 501;
    Settings client;
    client.handshake.recordSizeLimit = 16385;
    TlsPair pair(client, server);
    pair.Connect();
    pair.client.connection.Send(Create<Packet>(1200), 0);
    pair.server.connection.Send(Create<Packet>(1200), 0);
    pair.Run();
    NS_TEST_EXPECT_MSG_EQ(pair.server.octets.size(), 1200, "forth");
    NS_TEST_EXPECT_MSG_EQ(pair.client.octets.size(), 1200, "back");
    const auto& forth = pair.client.sentReports;
    NS_TEST_ASSERT_MSG_GT(forth.size(), 3, "records");
    NS_TEST_EXPECT_MSG_EQ(forth[forth.size() - 3].content, 500, "500 octets and a type");
    NS_TEST_EXPECT_MSG_EQ(forth.back().content, 200, "the rest");
    NS_TEST_EXPECT_MSG_EQ(pair.server.sentReports.back().content, 1200, "no limit");
    IWARP_COVERS("TLS-5.4-08");
    for (const auto padding : {TlsPadding::NONE, TlsPadding::BLOCK, TlsPadding::MAXIMUM})
    {
        Settings least; // each record of the handshake that is protected, too
        least.handshake.recordSizeLimit = 64;
        least.records.padding = padding;
        TlsPair both(least, least);
        both.Connect();
        NS_TEST_ASSERT_MSG_EQ(both.server.connection.CanSend(), true, "the handshake is over");
        both.server.connection.Send(Create<Packet>(1200), 0);
        both.Run();
        NS_TEST_EXPECT_MSG_EQ(both.client.octets.size(), 1200, "with the least limit");
        for (const auto& report : both.server.sentReports)
        {
            NS_TEST_EXPECT_MSG_EQ(report.encrypted && report.content + 1 + report.padding > 64,
                                  false,
                                  "below it");
        }
    }
    IWARP_COVERS("TLS-5.4-08");
    // a limit that the peer has not answered is none (RFC 8449 section 4)
    Settings asking;
    asking.handshake.recordSizeLimit = 100;
    Settings silent;
    silent.handshake.tickets = 0; // so that the first record is ours
    TlsPair alone(asking, silent);
    alone.Connect();
    const auto& known = alone.client.secrets;
    const auto found = std::find_if(known.begin(), known.end(), [](const auto& entry) {
        return entry.label == TlsKeyLog::SERVER_APPLICATION;
    });
    NS_TEST_ASSERT_MSG_EQ((found != known.end()), true, "the server's key");
    TlsProtection large(GetTlsCipherSuites()[0],
                        TlsMode::MODELLED,
                        TlsProtection::Direction::ENCRYPT,
                        found->secret);
    alone.client.connection.Receive(large.Seal(Type::APPLICATION_DATA, Create<Packet>(1200), 0));
    NS_TEST_EXPECT_MSG_EQ(alone.client.octets.size(), 1200, "taken");
    NS_TEST_EXPECT_MSG_EQ(alone.client.alertsSent.size(), 0, "without an alert");
    TlsPair greedy(client, server);
    greedy.Connect();
    const auto& secrets = greedy.client.secrets;
    TlsProtection keys(GetTlsCipherSuites()[0],
                       TlsMode::MODELLED,
                       TlsProtection::Direction::ENCRYPT,
                       secrets[2].secret);
    greedy.server.connection.Receive(keys.Seal(Type::APPLICATION_DATA, Create<Packet>(500), 1));
    const std::vector<TlsAlert> overflow{TlsAlert::RECORD_OVERFLOW};
    NS_TEST_EXPECT_MSG_EQ((greedy.server.alertsSent == overflow), true, "padding counts");
    IWARP_COVERS("TLS-5.4-08");
}

/// @brief Key updates, asked for, and where a key has protected enough.
IWARP_TEST(tlsConnection, "key updates")
{
    for (const TlsMode mode : ListTlsModes())
    {
        Settings settings;
        settings.handshake.mode = mode;
        settings.updateRecords = 3;
        TlsPair pair(settings, settings);
        pair.Connect();
        pair.client.connection.UpdateKeys(true);
        pair.Run();
        NS_TEST_EXPECT_MSG_EQ(pair.server.updatesReceived, 1, "asks");
        NS_TEST_EXPECT_MSG_EQ(pair.client.updatesReceived, 1, "is answered");
        IWARP_COVERS("TLS-4.6.3-01");
        for (uint8_t i = 0; i < 7; i++)
        {
            pair.client.connection.Send(MakeTlsPacket({i}), 0);
        }
        pair.Run();
        NS_TEST_EXPECT_MSG_EQ((pair.server.octets == TlsOctets{0, 1, 2, 3, 4, 5, 6}), true, "all");
        NS_TEST_EXPECT_MSG_EQ(pair.client.updatesSent, 3, "behind three records each");
        IWARP_COVERS("TLS-5.5-01");
        uint64_t most = 0;
        for (const auto& report : pair.server.opened)
        {
            most = std::max(most, report.sequence);
        }
        NS_TEST_EXPECT_MSG_EQ(most, 3, "the update itself is the fourth");
    }
}

/// @brief Any octet changed in any record ends the connection in order, and hands nothing wrong up.
IWARP_TEST(tlsConnection, "damage anywhere")
{
    for (const TlsMode mode : ListTlsModes())
    {
        Settings settings;
        settings.handshake.mode = mode;
        for (uint32_t number = 0; number < 12; number++)
        {
            for (uint32_t at : {0, 1, 3, 4, 5, 6, 9, 20})
            {
                TlsPair pair(settings, settings);
                uint32_t count = 0;
                const auto move = [&](TlsPairEnd& from, TlsPairEnd& to) {
                    if (from.sent.empty())
                    {
                        return false;
                    }
                    auto octets = CopyTlsOctets(from.sent.front());
                    from.sent.pop_front();
                    if (count++ == number && at < octets.size())
                    {
                        octets[at] ^= 0x11;
                        const auto head = TlsRecordHead::Read(octets.data());
                        octets.resize(head.IsPossible() ? tls::HEAD + head.length : tls::HEAD, 3);
                    }
                    to.connection.Receive(MakeTlsPacket(octets));
                    return true;
                };
                pair.client.connection.Start();
                while (move(pair.client, pair.server) || move(pair.server, pair.client))
                {
                }
                for (auto* end : {&pair.client, &pair.server})
                {
                    if (end->connection.CanSend())
                    {
                        end->connection.Send(MakeTlsPacket({1, 2, 3}), 0);
                    }
                }
                while (move(pair.client, pair.server) || move(pair.server, pair.client))
                {
                }
                for (const auto* end : {&pair.client, &pair.server})
                {
                    const bool right = end->octets.empty() || end->octets == TlsOctets{1, 2, 3};
                    NS_TEST_ASSERT_MSG_EQ(right, true, "record " << number << ", octet " << at);
                    NS_TEST_ASSERT_MSG_LT(end->ends.size(), 2, "one end at most");
                }
            }
        }
    }
}
