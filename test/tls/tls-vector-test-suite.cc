/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "../iwarp-test.h"
#include "tls-data.h"

#include <algorithm>
#include <numeric>

using namespace ns3;

namespace
{

IWARP_TEST_SUITE(tlsVector, "tls-vector");

/// Records of RFC 8448 under one secret.
struct TlsTraceDirection
{
    /// @param trace octets by name @param secret name of the traffic secret
    TlsTraceDirection(const std::map<std::string, TlsOctets>& trace, const std::string& secret)
        : send(GetTlsCipherSuites()[0], TlsMode::REAL, Direction::ENCRYPT, trace.at(secret)),
          receive(GetTlsCipherSuites()[0], TlsMode::REAL, Direction::DECRYPT, trace.at(secret))
    {
    }

    using Direction = TlsProtection::Direction;

    TlsProtection send;    //!< makes records
    TlsProtection receive; //!< opens them
};

} // namespace

/// @brief Keys and IVs, and what HKDF-Expand-Label makes of other labels.
IWARP_TEST(tlsVector, "keys of RFC 8448")
{
    if (!HasRealTls())
    {
        return;
    }
    const auto trace = ReadTlsTrace();
    const TlsCipherSuite& suite = GetTlsCipherSuites()[0];
    for (const std::string name :
         {"client_handshake", "server_handshake", "client_application", "server_application"})
    {
        const auto keys = TlsTrafficKeys::Derive(suite, TlsMode::REAL, trace.at(name));
        NS_TEST_ASSERT_MSG_EQ((keys.key == trace.at(name + "_key")), true, name);
        NS_TEST_ASSERT_MSG_EQ((keys.iv == trace.at(name + "_iv")), true, name);
        IWARP_COVERS("TLS-7.3-01");
    }
    const auto finished =
        ExpandTlsLabel(suite, TlsMode::REAL, trace.at("server_handshake"), "finished", {}, 32);
    NS_TEST_EXPECT_MSG_EQ((finished == trace.at("server_finished_key")), true, "finished");
    IWARP_COVERS("TLS-7.1-01");
}

/// @brief More octets than the hash has: each block goes into the next one (RFC 5869 section 2.3).
/// The octets are those of Python's hmac.
IWARP_TEST(tlsVector, "three blocks of HKDF-Expand")
{
    if (!HasRealTls())
    {
        return;
    }
    TlsSecret secret(32);
    std::iota(secret.begin(), secret.end(), uint8_t{0});
    // HMAC-SHA256 under 00 01 ... 1f, info 00 50 0e "tls13 exporter" 00
    const TlsOctets wanted{0x1d, 0xc5, 0x41, 0xa2, 0xd5, 0x5f, 0x69, 0xf8, 0xd9, 0x47, 0x38, 0x2b,
                           0xc7, 0x0e, 0x16, 0x23, 0x16, 0x9f, 0x50, 0x84, 0x6b, 0x99, 0x5e, 0xa8,
                           0x07, 0xdb, 0xf4, 0x1a, 0xbb, 0xf5, 0x67, 0xc0, 0xf2, 0x1b, 0x17, 0xf5,
                           0x73, 0xa2, 0x43, 0x20, 0x5b, 0x91, 0xf2, 0xaf, 0x38, 0x9e, 0x5f, 0xb4,
                           0x60, 0x1b, 0x9c, 0x63, 0x89, 0x69, 0xde, 0x7a, 0xaf, 0x2b, 0x50, 0xd9,
                           0xc7, 0xf1, 0x47, 0x9b, 0xc8, 0x84, 0xeb, 0x03, 0x9b, 0x90, 0x58, 0x80,
                           0x78, 0xf2, 0x9d, 0xfd, 0x84, 0xc0, 0xbc, 0xf1};
    const auto octets =
        ExpandTlsLabel(GetTlsCipherSuites()[0], TlsMode::REAL, secret, "exporter", {}, 80);
    NS_TEST_EXPECT_MSG_EQ((octets == wanted), true, "80 octets");
    IWARP_COVERS("TLS-7.1-01");
}

/// @brief Each record is opened, holds what the RFC says, and is made again octet for octet.
IWARP_TEST(tlsVector, "records of RFC 8448")
{
    if (!HasRealTls())
    {
        return;
    }
    const auto trace = ReadTlsTrace();
    TlsTraceDirection server(trace, "server_application");
    TlsTraceDirection client(trace, "client_application");
    TlsTraceDirection serverHello(trace, "server_handshake");
    TlsTraceDirection clientHello(trace, "client_handshake");
    TlsOctets fifty(50);
    std::generate(fifty.begin(), fifty.end(), [i = uint8_t{0}]() mutable { return i++; });
    const TlsOctets close{1, 0};

    struct Row
    {
        const char* name;             //!< of the record
        TlsTraceDirection& direction; //!< it belongs to
        TlsContentType type;          //!< of its content
        uint32_t size;                //!< octets of that
        const TlsOctets* octets;      //!< they, if the RFC has them alone
    };

    const auto handshake = TlsContentType::HANDSHAKE;
    const auto data = TlsContentType::APPLICATION_DATA;
    const auto alert = TlsContentType::ALERT;
    for (const Row& row : {Row{"server_flight", serverHello, handshake, 657, nullptr},
                           {"client_finished", clientHello, handshake, 36, nullptr},
                           {"server_ticket", server, handshake, 205, nullptr},
                           {"client_data", client, data, 50, &fifty},
                           {"server_data", server, data, 50, &fifty},
                           {"client_close", client, alert, 2, &close},
                           {"server_close", server, alert, 2, &close}})
    {
        const TlsOctets& record = trace.at(row.name);
        const auto opened = row.direction.receive.Open(MakeTlsPacket(record));
        NS_TEST_ASSERT_MSG_EQ((opened.alert == TlsAlert::NONE), true, row.name);
        NS_TEST_EXPECT_MSG_EQ((opened.type == row.type), true, row.name);
        NS_TEST_EXPECT_MSG_EQ(opened.padding, 0, row.name);
        NS_TEST_EXPECT_MSG_EQ(opened.content->GetSize(), row.size, row.name);
        const bool same = !row.octets || CopyTlsOctets(opened.content) == *row.octets;
        NS_TEST_EXPECT_MSG_EQ(same, true, row.name << ": octets");
        const auto made = row.direction.send.Seal(row.type, opened.content);
        NS_TEST_EXPECT_MSG_EQ((CopyTlsOctets(made) == record), true, row.name << ": made again");
        IWARP_COVERS("TLS-5.2-01 TLS-5.2-02 TLS-5.2-05 TLS-5.3-01 TLS-5.3-03");
    }
    NS_TEST_EXPECT_MSG_EQ(server.send.GetSequence(), 3, "a number each");
    IWARP_COVERS("TLS-5.3-02");
}

/// @brief The hellos are read.
IWARP_TEST(tlsVector, "hellos of RFC 8448")
{
    const auto trace = ReadTlsTrace();
    const auto body = [&trace](const char* name) {
        TlsHandshakeReader reader;
        const TlsOctets& record = trace.at(name);
        reader.Add({record.begin() + tls::HEAD, record.end()});
        TlsHandshakeMessage message;
        const bool whole = reader.Pop(message) && reader.IsEmpty();
        return whole ? message.body : TlsOctets();
    };
    TlsClientHello client;
    NS_TEST_ASSERT_MSG_EQ((client.Read(body("client_hello")) == TlsAlert::NONE), true, "client");
    const std::vector<uint16_t> suites{0x1301, 0x1303, 0x1302};
    NS_TEST_EXPECT_MSG_EQ((client.suites == suites), true, "suites");
    NS_TEST_EXPECT_MSG_EQ(client.recordSizeLimit, 0x4001, "record_size_limit");
    NS_TEST_EXPECT_MSG_EQ(client.random[0], 0xcb, "random");
    NS_TEST_EXPECT_MSG_EQ(client.share[0], 0x99, "key share");
    NS_TEST_EXPECT_MSG_EQ(client.session.size() + client.ticket.size(), 0, "no session");
    TlsServerHello server;
    NS_TEST_ASSERT_MSG_EQ((server.Read(body("server_hello")) == TlsAlert::NONE), true, "server");
    NS_TEST_EXPECT_MSG_EQ(server.suite, 0x1301, "suite");
    NS_TEST_EXPECT_MSG_EQ(server.share[0], 0xc9, "key share");
    // and made again: this one has its extensions in another order, and the same size
    NS_TEST_EXPECT_MSG_EQ(server.Write().Write().size() + tls::HEAD,
                          trace.at("server_hello").size(),
                          "size");
}
