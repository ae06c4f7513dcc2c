/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "../iwarp-test.h"

#include "ns3/tls-handshake.h"

#include <set>
#include <vector>

using namespace ns3;

namespace
{

IWARP_TEST_SUITE(tlsHandshake, "tls-handshake");

/// One end without records: what it sends is kept as messages.
class TlsLoneEnd : public TlsHandshake::User
{
  public:
    /// @param role which end @param settings of it
    TlsLoneEnd(TlsRole role, const TlsHandshake::Settings& settings)
        : handshake(role, settings, *this)
    {
    }

    TlsHandshake handshake;                //!< this end
    std::vector<TlsHandshakeMessage> sent; //!< by it
    uint32_t complete{0};                  //!< times that it was

  private:
    void SendHandshake(const TlsHandshakeMessage& message) override
    {
        sent.push_back(message);
    }

    void SendChangeCipherSpec() override
    {
    }

    void SetSendKeys(const TlsSecret& /* secret */) override
    {
    }

    void SetReceiveKeys(const TlsSecret& /* secret */) override
    {
    }

    void LogSecret(const TlsKeyLog::Entry& /* entry */) override
    {
    }

    void Compute(int64_t /* time */) override
    {
        handshake.HandleComputed();
    }

    TlsRandom DrawRandom() override
    {
        TlsRandom random;
        random.fill(7);
        return random;
    }

    void HandleComplete() override
    {
        complete++;
    }
};

/// A client that has sent its hello, and the answer that a server would give.
class TlsLoneClient
{
  public:
    /// @param settings of the client
    explicit TlsLoneClient(const TlsHandshake::Settings& settings = {})
        : end(TlsRole::CLIENT, settings)
    {
        end.handshake.Start();
        TlsClientHello hello;
        hello.Read(end.sent.at(0).body);
        answer.session = hello.session;
        answer.suite = hello.suites.at(0);
    }

    /// @param last nothing else is in the record @return what the client says to the answer
    TlsAlert Answer(bool last = true)
    {
        return end.handshake.Process(answer.Write(), last);
    }

    TlsLoneEnd end;        //!< the client
    TlsServerHello answer; //!< to its hello
};

} // namespace

/// @brief Records hold parts of messages, which are put together up to a length (RFC 8446 5.1).
IWARP_TEST(tlsHandshake, "messages in parts")
{
    TlsHandshakeReader reader;
    TlsHandshakeMessage message;
    const auto first = TlsHandshakeMessage{TlsHandshakeType::FINISHED, TlsOctets(3, 7)}.Write();
    for (const uint8_t octet : first)
    {
        NS_TEST_EXPECT_MSG_EQ(reader.Pop(message), false, "not yet");
        reader.Add({octet});
    }
    NS_TEST_EXPECT_MSG_EQ(reader.Pop(message), true, "whole");
    NS_TEST_EXPECT_MSG_EQ((message.Write() == first), true, "as it was");
    NS_TEST_EXPECT_MSG_EQ(reader.IsEmpty(), true, "nothing is left");
    reader.Add({20, 2, 0, 0}); // 2^17 octets
    NS_TEST_EXPECT_MSG_EQ(reader.IsTooLong(), false, "the longest");
    TlsHandshakeReader longer;
    longer.Add({20, 2, 0, 1});
    NS_TEST_EXPECT_MSG_EQ(longer.IsTooLong(), true, "an octet more");
}

/// @brief A ClientHello is padded to the octets that are asked for (RFC 7685), where it is shorter
/// by an extension's head at least.
IWARP_TEST(tlsHandshake, "padding of a ClientHello")
{
    TlsClientHello hello;
    hello.suites = {0x1301};
    const std::size_t bare = hello.Write().Write().size();
    for (uint32_t more = 0; more < 20; more++)
    {
        hello.size = static_cast<uint32_t>(bare) + more;
        const std::size_t size = hello.Write().Write().size();
        NS_TEST_EXPECT_MSG_EQ(size, (more < 4 ? bare : hello.size), "an extension has a head of 4");
        TlsClientHello read;
        NS_TEST_EXPECT_MSG_EQ((read.Read(hello.Write().body) == TlsAlert::NONE),
                              true,
                              "and is read");
    }
}

/// @brief What a ServerHello may not say (RFC 8446 sections 4.1.3, 4.2.11 and 5.1): one by one.
IWARP_TEST(tlsHandshake, "a ServerHello that nobody asked for")
{
    TlsLoneClient good;
    NS_TEST_ASSERT_MSG_EQ((good.Answer() == TlsAlert::NONE), true, "as asked for");

    TlsLoneClient joined;
    NS_TEST_EXPECT_MSG_EQ((joined.Answer(false) == TlsAlert::UNEXPECTED_MESSAGE),
                          true,
                          "keys change behind it, so that it ends its record");
    IWARP_COVERS("TLS-5.1-04");
    NS_TEST_EXPECT_MSG_EQ(
        (joined.end.handshake.GetState() == TlsHandshake::State::WAIT_SERVER_HELLO),
        true,
        "and does not count");

    TlsLoneClient suite;
    suite.answer.suite = 0x1302;
    NS_TEST_EXPECT_MSG_EQ((suite.Answer() == TlsAlert::ILLEGAL_PARAMETER),
                          true,
                          "a suite that was not offered");

    TlsLoneClient resumed;
    resumed.answer.resumed = true;
    NS_TEST_EXPECT_MSG_EQ((resumed.Answer() == TlsAlert::ILLEGAL_PARAMETER),
                          true,
                          "a ticket that was not shown");

    TlsLoneClient session;
    NS_TEST_ASSERT_MSG_EQ(session.answer.session.size(), 32, "a session to be echoed");
    session.answer.session[31] ^= 1;
    NS_TEST_EXPECT_MSG_EQ((session.Answer() == TlsAlert::ILLEGAL_PARAMETER),
                          true,
                          "the echo of another session");
}

/// @brief A ticket belongs behind the handshake (RFC 8446 section 4.6.1).
IWARP_TEST(tlsHandshake, "a ticket before the end of the handshake")
{
    TlsLoneClient client;
    const auto ticket = MakeTlsTicket(0, 192);
    NS_TEST_EXPECT_MSG_EQ(
        (client.end.handshake.Process(ticket, true) == TlsAlert::UNEXPECTED_MESSAGE),
        true,
        "before ServerHello");
    client.Answer();
    NS_TEST_EXPECT_MSG_EQ(
        (client.end.handshake.Process(ticket, true) == TlsAlert::UNEXPECTED_MESSAGE),
        true,
        "before Finished");
}

/// @brief Messages come in one order (RFC 8446 section 4): at each step any other one is refused.
IWARP_TEST(tlsHandshake, "each message in the place of each other one")
{
    TlsLoneClient first;
    TlsLoneEnd server(TlsRole::SERVER, {});
    server.handshake.Process(first.end.sent.at(0), true);
    const auto& flight = server.sent;
    NS_TEST_ASSERT_MSG_EQ(flight.size(), 5, "ServerHello to Finished");
    for (std::size_t due = 0; due < flight.size(); due++)
    {
        for (std::size_t given = 0; given <= flight.size(); given++)
        {
            TlsLoneClient client;
            for (std::size_t i = 0; i < due; i++)
            {
                NS_TEST_ASSERT_MSG_EQ(
                    (client.end.handshake.Process(flight[i], true) == TlsAlert::NONE),
                    true,
                    "in order, " << i);
            }
            const auto& message = given < flight.size() ? flight[given] : client.end.sent.at(0);
            const TlsAlert alert = client.end.handshake.Process(message, true);
            NS_TEST_EXPECT_MSG_EQ((alert == TlsAlert::UNEXPECTED_MESSAGE),
                                  (given != due),
                                  given << " in the place of " << due);
        }
    }
    for (const auto& message : flight)
    {
        TlsLoneEnd begun(TlsRole::SERVER, {});
        NS_TEST_EXPECT_MSG_EQ(
            (begun.handshake.Process(message, true) == TlsAlert::UNEXPECTED_MESSAGE),
            true,
            "in the place of ClientHello");
    }
}

/// @brief The other end's Finished is verified (RFC 8446 section 4.4.4): each octet counts.
IWARP_TEST(tlsHandshake, "a Finished that is not right")
{
    for (const int64_t changed : {-1, 0, 31})
    {
        TlsLoneClient client;
        TlsHandshake::Settings settings;
        TlsLoneEnd server(TlsRole::SERVER, settings);
        server.handshake.Process(client.end.sent.at(0), true);
        auto flight = server.sent; // hello, extensions, certificate, its signature, Finished
        NS_TEST_ASSERT_MSG_EQ(flight.size(), 5, "the server's flight");
        if (changed >= 0)
        {
            flight[4].body[changed] ^= 0x80;
        }
        for (std::size_t i = 0; i < 4; i++)
        {
            const auto alert = client.end.handshake.Process(flight[i], true);
            NS_TEST_ASSERT_MSG_EQ((alert == TlsAlert::NONE), true, "message " << i);
        }
        const auto alert = client.end.handshake.Process(flight[4], true);
        const auto wanted = changed < 0 ? TlsAlert::NONE : TlsAlert::DECRYPT_ERROR;
        NS_TEST_EXPECT_MSG_EQ((alert == wanted), true, "octet " << changed);
        NS_TEST_EXPECT_MSG_EQ(client.end.complete, (changed < 0 ? 1U : 0U), "octet " << changed);
    }
}

/// @brief An extension answers one of the client's (RFC 8446 section 4.2, RFC 8449 section 4).
IWARP_TEST(tlsHandshake, "a limit of records answers one")
{
    for (const uint16_t asked : {0, 500})
    {
        TlsHandshake::Settings settings;
        settings.recordSizeLimit = asked;
        TlsLoneClient client(settings);
        settings.recordSizeLimit = 1000;
        TlsLoneEnd server(TlsRole::SERVER, settings);
        server.handshake.Process(client.end.sent.at(0), true);
        uint16_t told = 1;
        const auto alert = ReadTlsEncryptedExtensions(server.sent.at(1).body, told);
        NS_TEST_ASSERT_MSG_EQ((alert == TlsAlert::NONE), true, "EncryptedExtensions");
        NS_TEST_EXPECT_MSG_EQ(told, (asked > 0 ? 1000 : 0), "the client's is " << asked);
        NS_TEST_EXPECT_MSG_EQ(server.handshake.GetPeerLimit(), asked, "the client's");
    }
}

/// @brief Four secrets of a connection, each with the label of RFC 8446 section 7.1.
IWARP_TEST(tlsHandshake, "each direction has secrets of its own")
{
    const TlsCipherSuite& suite = GetTlsCipherSuites()[0];
    TlsRandom random;
    random.fill(3);
    const auto secrets = TlsSecrets::Derive(suite, TlsMode::MODELLED, random, random);
    const TlsSecret both(64, 3);
    const auto derive = [&](const char* label) {
        return ExpandTlsLabel(suite, TlsMode::MODELLED, both, label, {}, suite.hashSize);
    };
    NS_TEST_EXPECT_MSG_EQ((secrets.clientHandshake == derive("c hs traffic")), true, "c hs");
    NS_TEST_EXPECT_MSG_EQ((secrets.serverHandshake == derive("s hs traffic")), true, "s hs");
    NS_TEST_EXPECT_MSG_EQ((secrets.clientApplication == derive("c ap traffic")), true, "c ap");
    NS_TEST_EXPECT_MSG_EQ((secrets.serverApplication == derive("s ap traffic")), true, "s ap");
    const std::set<TlsSecret> different{secrets.clientHandshake,
                                        secrets.serverHandshake,
                                        secrets.clientApplication,
                                        secrets.serverApplication};
    NS_TEST_EXPECT_MSG_EQ(different.size(), 4, "no two are the same");
    IWARP_COVERS("TLS-7.1-01");
}
