/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "../iwarp-test.h"

#include "ns3/boolean.h"
#include "ns3/double.h"
#include "ns3/error-model.h"
#include "ns3/inet-socket-address.h"
#include "ns3/inet6-socket-address.h"
#include "ns3/internet-stack-helper.h"
#include "ns3/ipv4-address-helper.h"
#include "ns3/ipv6-address-helper.h"
#include "ns3/mpa-tcp-socket-factory.h"
#include "ns3/point-to-point-helper.h"
#include "ns3/pointer.h"
#include "ns3/rng-seed-manager.h"
#include "ns3/rnic-helper.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/tcp-socket-factory.h"
#include "ns3/tls-handshake-message.h"
#include "ns3/tls-packet.h"
#include "ns3/tls-stream.h"
#include "ns3/uinteger.h"

#include <functional>
#include <string>
#include <vector>

using namespace ns3;

namespace
{

IWARP_TEST_SUITE(tlsStream, "tls-stream");

/// Two hosts on a link, each with a stream.
class TlsStreamPair
{
  public:
    /// One end.
    struct End : TlsStream::User
    {
        Ptr<TlsStream> stream{CreateObject<TlsStream>()}; //!< its stream
        std::vector<uint8_t> octets;                      //!< that have come
        std::vector<uint32_t> sizes;                      //!< of records, as they came
        uint64_t payload{0};                              //!< that has come, in records or not
        std::vector<TlsEnd> ends;                         //!< of the stream
        Time established{-1};                             //!< when it was
        std::function<void()> onEstablished;              //!< called then
        std::function<void()> onRoom;                     //!< called when there is room
        bool closes{true};                                //!< it closes when the peer has

        void HandleEstablished(TlsStream& /* stream */) override
        {
            established = Simulator::Now();
            if (onEstablished)
            {
                onEstablished();
            }
        }

        void HandleData(TlsStream& /* stream */, const Ptr<Packet>& content) override
        {
            const auto more = CopyTlsOctets(content);
            octets.insert(octets.end(), more.begin(), more.end());
            sizes.push_back(content->GetSize());
        }

        void HandleRoom(TlsStream& /* stream */) override
        {
            if (onRoom)
            {
                onRoom();
            }
        }

        void HandleEnd(TlsStream& /* stream */, TlsEnd end) override
        {
            ends.push_back(end);
            if (closes)
            {
                stream->Close();
            }
        }
    };

    /// @param factory of the sockets @param ipv6 over IPv6 @param loss of packets, both ways
    /// @param adapters hosts have RNICs that work on records beside TCP
    explicit TlsStreamPair(const std::string& factory = "ns3::MpaTcpSocketFactory",
                           bool ipv6 = false,
                           double loss = 0,
                           bool adapters = false)
    {
        RngSeedManager::SetSeed(1);
        NodeContainer nodes(2);
        PointToPointHelper link;
        link.SetDeviceAttribute("DataRate", StringValue("1Gbps"));
        link.SetChannelAttribute("Delay", StringValue("50us"));
        const NetDeviceContainer devices = link.Install(nodes);
        InternetStackHelper().Install(nodes);
        for (uint32_t i = 0; i < nodes.GetN(); i++)
        {
            MpaTcpSocketFactory::Install(nodes.Get(i));
            auto errors = CreateObject<RateErrorModel>();
            errors->SetAttribute("ErrorRate", DoubleValue(loss));
            errors->SetAttribute("ErrorUnit", StringValue("ERROR_UNIT_PACKET"));
            errors->AssignStreams(i + 1);
            devices.Get(i)->SetAttribute("ReceiveErrorModel", PointerValue(errors));
        }
        if (adapters)
        {
            RnicHelper helper;
            helper.Set("Receiver", StringValue("Autonomous"));
            rnics = helper.Install(nodes);
        }
        Address any = InetSocketAddress(Ipv4Address::GetAny(), PORT);
        if (ipv6)
        {
            const auto interfaces =
                Ipv6AddressHelper(Ipv6Address("2001:db8::"), Ipv6Prefix(64)).Assign(devices);
            m_to = Inet6SocketAddress(interfaces.GetAddress(1, 1), PORT);
            any = Inet6SocketAddress(Ipv6Address::GetAny(), PORT);
        }
        else
        {
            const auto interfaces = Ipv4AddressHelper("10.0.0.0", "255.255.255.0").Assign(devices);
            m_to = InetSocketAddress(interfaces.GetAddress(1), PORT);
        }
        const TypeId type = TypeId::LookupByName(factory);
        m_listener = Socket::CreateSocket(nodes.Get(1), type);
        m_listener->Bind(any);
        m_listener->Listen();
        m_listener->SetAcceptCallback(MakeNullCallback<bool, Ptr<Socket>, const Address&>(),
                                      MakeCallback(&TlsStreamPair::HandleAccept, this));
        socket = Socket::CreateSocket(nodes.Get(0), type);
        for (const auto& one : {socket, m_listener})
        {
            one->SetAttribute("DataRetries", UintegerValue(100)); // ns-3 counts them all together
        }
        socket->SetConnectCallback(MakeCallback(&TlsStreamPair::HandleConnect, this),
                                   MakeNullCallback<void, Ptr<Socket>>());
        int64_t number = 1;
        for (End* end : {&client, &server})
        {
            end->stream->SetUser(end);
            end->stream->AssignStreams(number++);
            end->stream->TraceConnectWithoutContext(
                "PayloadArrived",
                iwarp::MakeLambdaCallback<Callback<void, uint64_t>>(
                    [end](uint64_t octets) { end->payload += octets; }));
        }
    }

    ~TlsStreamPair()
    {
        client.stream->Dispose();
        server.stream->Dispose();
        socket = nullptr;
        m_listener = nullptr;
        Simulator::Destroy();
    }

    /// @param name of an attribute of both streams @param value it
    void Set(const std::string& name, const std::string& value)
    {
        client.stream->SetAttribute(name, StringValue(value));
        server.stream->SetAttribute(name, StringValue(value));
    }

    /// Connect at 2 s, and run. @param seconds until when
    void Run(double seconds = 30)
    {
        Simulator::Schedule(Seconds(2), [this] { socket->Connect(m_to); });
        Simulator::Stop(Seconds(seconds));
        Simulator::Run();
    }

    End client;                   //!< that connects
    End server;                   //!< that is connected to
    Ptr<Socket> socket;           //!< of the client
    std::vector<Ptr<Rnic>> rnics; //!< of both, if they have any

    static constexpr uint16_t PORT = 443; //!< that is listened on

  private:
    void HandleAccept(Ptr<Socket> accepted, const Address& /* from */)
    {
        server.stream->SetSocket(accepted);
        server.stream->Start(TlsRole::SERVER);
    }

    void HandleConnect(Ptr<Socket> connected)
    {
        client.stream->SetSocket(connected);
        client.stream->Start(TlsRole::CLIENT);
    }

    Address m_to;           //!< where to connect
    Ptr<Socket> m_listener; //!< of the server
};

/// @param size octets @return as many, no two runs of them alike
std::vector<uint8_t>
MakeTlsText(uint32_t size)
{
    std::vector<uint8_t> octets(size);
    for (uint32_t i = 0; i < size; i++)
    {
        octets[i] = static_cast<uint8_t>((i >> 8) * 31 + i * 7);
    }
    return octets;
}

/// Sends octets in pieces as there is room, and closes behind them.
struct TlsTextSender
{
    /// Give what there is room for.
    void Fill()
    {
        while (at < octets.size() && end.stream->HasRoom())
        {
            const auto size =
                static_cast<uint32_t>(std::min<std::size_t>(piece, octets.size() - at));
            end.stream->Send(Create<Packet>(octets.data() + at, size));
            at += size;
        }
        if (at == octets.size())
        {
            end.stream->Close();
        }
    }

    TlsStreamPair::End& end;     //!< sends
    std::vector<uint8_t> octets; //!< all of them
    uint32_t piece;              //!< octets at once
    std::size_t at{0};           //!< sent
};

} // namespace

/// @brief Data both ways, over each kind of socket, real and modelled, whole or with losses.
IWARP_TEST(tlsStream, "data over sockets")
{
    for (const auto& [factory, ipv6, real, loss] :
         {std::tuple{"ns3::MpaTcpSocketFactory", false, false, 0.0},
          {"ns3::MpaTcpSocketFactory", true, true, 0.01},
          {"ns3::TcpSocketFactory", false, true, 0.005},
          {"ns3::TcpSocketFactory", false, false, 0.0}})
    {
        TlsStreamPair pair(factory, ipv6, loss);
        pair.Set("Real", real && HasRealTls() ? "true" : "false");
        pair.Set("Padding", "Block");
        pair.Set("KeyUpdateRecords", "5");
        TlsTextSender forth{pair.client, MakeTlsText(300000), 50000};
        TlsTextSender back{pair.server, MakeTlsText(70000), 777};
        pair.client.onEstablished = pair.client.onRoom = [&forth] { forth.Fill(); };
        pair.server.onEstablished = pair.server.onRoom = [&back] { back.Fill(); };
        pair.client.closes = pair.server.closes = false; // each has its own end
        pair.Run();
        NS_TEST_ASSERT_MSG_EQ((pair.server.octets == forth.octets), true, factory << ": forth");
        NS_TEST_ASSERT_MSG_EQ((pair.client.octets == back.octets), true, factory << ": back");
        const std::vector<TlsEnd> closed{TlsEnd::CLOSED};
        NS_TEST_EXPECT_MSG_EQ((pair.server.ends == closed), true, factory << ": close_notify");
        NS_TEST_EXPECT_MSG_EQ((pair.client.ends == closed), true, factory << ": close_notify");
        NS_TEST_EXPECT_MSG_GT(pair.server.payload, 300000, factory << ": padding counts");
    }
}

/// @brief A record is told with where it begins in the stream, at both ends alike.
IWARP_TEST(tlsStream, "places of records")
{
    TlsStreamPair pair("ns3::MpaTcpSocketFactory", false, 0.01);
    pair.Set("KeyUpdateRecords", "5");
    TlsTextSender forth{pair.client, MakeTlsText(300000), 50000};
    pair.client.onEstablished = pair.client.onRoom = [&forth] { forth.Fill(); };
    using Records = std::vector<std::pair<uint64_t, uint32_t>>;
    Records sent;
    Records received;
    const auto watch =
        [](const Ptr<TlsStream>& stream, const std::string& trace, Records& records) {
            stream->TraceConnectWithoutContext(
                trace,
                iwarp::MakeLambdaCallback<Callback<void, const TlsRecordReport&, uint64_t>>(
                    [&records](const TlsRecordReport& report, uint64_t offset) {
                        records.emplace_back(offset, report.size);
                    }));
        };
    watch(pair.client.stream, "RecordSent", sent);
    watch(pair.server.stream, "RecordReceived", received);
    pair.Run();
    NS_TEST_ASSERT_MSG_EQ((pair.server.octets == forth.octets), true, "all comes");
    NS_TEST_ASSERT_MSG_GT(sent.size(), 300000 / 16384 + 1, "records");
    uint64_t at = 0;
    for (const auto& [offset, size] : sent)
    {
        NS_TEST_EXPECT_MSG_EQ(offset, at, "one behind the other");
        at += size;
    }
    NS_TEST_EXPECT_MSG_EQ((received == sent), true, "as they were sent");
}

/// @brief A handshake takes two round trips, with TCP's, and the time of computing.
IWARP_TEST(tlsStream, "time of a handshake")
{
    Time first;
    for (const auto& [resume, computing] :
         {std::pair{"false", 29 + (29 + 29 + 20) + 29 + 3 * 62}, {"true", 29 + (29 + 29) + 29}})
    {
        TlsStreamPair pair;
        pair.Set("Resume", resume);
        pair.Run();
        const Time taken = pair.client.established - Seconds(2) - MicroSeconds(computing);
        // 100 us of delay a round trip, and what some kilobits take at 1 Gbit/s
        NS_TEST_EXPECT_MSG_GT(taken, MicroSeconds(200), "two round trips");
        NS_TEST_EXPECT_MSG_LT(taken, MicroSeconds(245), "and no more");
        NS_TEST_EXPECT_MSG_GT(pair.server.established, pair.client.established, "Finished");
        const bool resumed = resume == std::string("true");
        NS_TEST_EXPECT_MSG_EQ(pair.client.stream->IsResumed(), resumed, "as asked for");
        NS_TEST_EXPECT_MSG_EQ(pair.client.stream->GetCipherSuite(), "TLS_AES_128_GCM_SHA256", "");
    }
}

/// @brief Records are aligned with segments by the socket's attribute.
IWARP_TEST(tlsStream, "records aligned with segments")
{
    for (const bool alignment : {true, false})
    {
        TlsStreamPair pair;
        pair.socket->SetAttribute("Alignment", BooleanValue(alignment));
        pair.Set("MaxRecord", "1000");
        uint32_t segments = 0;
        uint32_t whole = 0;
        const auto sent =
            iwarp::MakeLambdaCallback<Callback<void, SequenceNumber32, uint32_t, bool, bool, bool>>(
                [&](SequenceNumber32, uint32_t, bool, bool record, bool) {
                    segments++;
                    whole += record ? 1 : 0;
                });
        pair.client.onEstablished = [&] {
            pair.socket->TraceConnectWithoutContext("SegmentSent", sent);
            pair.client.stream->Send(Create<Packet>(40000));
        };
        pair.Run();
        NS_TEST_EXPECT_MSG_EQ(pair.server.octets.size(), 40000, "all comes");
        NS_TEST_EXPECT_MSG_EQ((pair.server.sizes == std::vector<uint32_t>(40, 1000)),
                              true,
                              "records");
        if (alignment)
        {
            NS_TEST_EXPECT_MSG_GT_OR_EQ(segments, 40, "a record each: two do not fit");
            NS_TEST_EXPECT_MSG_EQ(whole, segments, "whole");
        }
        else
        {
            NS_TEST_EXPECT_MSG_LT(segments, 32, "full ones");
            NS_TEST_EXPECT_MSG_LT(whole, segments / 2, "cut");
        }
    }
}

/// @brief Adapters that leave TCP to the host work on records from the handshake on.
IWARP_TEST(tlsStream, "records beside TCP")
{
    {
        TlsStreamPair pair("ns3::MpaTcpSocketFactory", false, 0, true);
        pair.socket->SetAttribute("Alignment", BooleanValue(false));
        pair.Set("MaxRecord", "1000");
        pair.client.onEstablished = [&pair] { pair.client.stream->Send(Create<Packet>(40000)); };
        pair.Run();
        NS_TEST_EXPECT_MSG_EQ(pair.server.octets.size(), 40000, "all comes");
        const auto& counters = pair.rnics[1]->GetOffloadCounters();
        // but for the first, which came with the Finished that began the service
        NS_TEST_EXPECT_MSG_GT(counters.offloadedOctets, 37 * 1022, "records of data");
        NS_TEST_EXPECT_MSG_LT_OR_EQ(counters.offloadedOctets, 40 * 1022, "and no others");
        NS_TEST_EXPECT_MSG_EQ(counters.guesses, 0, "nothing is asked");
    }
    {
        TlsStreamPair pair("ns3::MpaTcpSocketFactory", false, 0.01, true);
        pair.socket->SetAttribute("Alignment", BooleanValue(false));
        pair.Set("Real", HasRealTls() ? "true" : "false");
        TlsTextSender forth{pair.client, MakeTlsText(1000000), 60000};
        pair.client.onEstablished = pair.client.onRoom = [&forth] { forth.Fill(); };
        pair.Run();
        NS_TEST_EXPECT_MSG_EQ((pair.server.octets == forth.octets), true, "as it was sent");
        const auto& counters = pair.rnics[1]->GetOffloadCounters();
        NS_TEST_EXPECT_MSG_GT(counters.resumed + counters.guesses, 0, "it finds its way back");
        NS_TEST_EXPECT_MSG_GT(counters.offloadedOctets, 100000, "some are right");
        NS_TEST_EXPECT_MSG_LT(counters.offloadedOctets, 1000000, "some records are software's");
    }
}

/// @brief The other ends of a stream.
IWARP_TEST(tlsStream, "ends in disorder")
{
    {
        TlsStreamPair pair;
        pair.client.stream->SetAttribute("Certificates", StringValue("300"));
        pair.server.stream->SetAttribute("CipherSuites",
                                         StringValue("TLS_CHACHA20_POLY1305_SHA256"));
        pair.Run();
        NS_TEST_EXPECT_MSG_EQ((pair.client.ends == std::vector<TlsEnd>{TlsEnd::ALERTED}), true, "");
        NS_TEST_EXPECT_MSG_EQ(DescribeTlsEnd(pair.client.ends[0], pair.client.stream->GetAlert()),
                              "the peer has sent alert handshake_failure",
                              "no suite");
        NS_TEST_EXPECT_MSG_EQ((pair.server.ends == std::vector<TlsEnd>{TlsEnd::FAILED}), true, "");
    }
    {
        TlsStreamPair pair; // an end that is real and one that is not
        pair.client.stream->SetAttribute("Real", BooleanValue(HasRealTls()));
        pair.server.stream->SetAttribute("CipherSuites", StringValue("TLS_AES_128_GCM_SHA256"));
        pair.Run();
        if (HasRealTls())
        {
            NS_TEST_EXPECT_MSG_EQ((pair.client.stream->GetAlert() == TlsAlert::BAD_RECORD_MAC),
                                  true,
                                  "cannot be opened");
        }
    }
    {
        TlsStreamPair pair; // what is no TLS
        pair.socket->SetConnectCallback(
            iwarp::MakeLambdaCallback<Callback<void, Ptr<Socket>>>([](Ptr<Socket> connected) {
                const std::string text = "GET / HTTP/1.0\r\n\r\n";
                connected->Send(reinterpret_cast<const uint8_t*>(text.data()), text.size(), 0);
            }),
            MakeNullCallback<void, Ptr<Socket>>());
        pair.Run();
        NS_TEST_EXPECT_MSG_EQ((pair.server.stream->GetAlert() == TlsAlert::UNEXPECTED_MESSAGE),
                              true,
                              "answered");
    }
    {
        TlsStreamPair pair; // TCP ends without close_notify
        pair.client.onEstablished = [&pair] {
            Simulator::Schedule(Seconds(1), [&pair] { pair.socket->Close(); });
        };
        pair.Run();
        NS_TEST_EXPECT_MSG_EQ((pair.server.ends == std::vector<TlsEnd>{TlsEnd::TRUNCATED}),
                              true,
                              "");
    }
    {
        TlsStreamPair pair; // nobody answers
        pair.socket->SetConnectCallback(MakeNullCallback<void, Ptr<Socket>>(),
                                        MakeNullCallback<void, Ptr<Socket>>());
        pair.Run();
        NS_TEST_EXPECT_MSG_EQ((pair.server.ends == std::vector<TlsEnd>{TlsEnd::FAILED}), true, "");
        NS_TEST_EXPECT_MSG_EQ((pair.server.stream->GetAlert() == TlsAlert::USER_CANCELED),
                              true,
                              "behind 10 s");
    }
}

/// @brief A stream takes chains of certificates that its peer reads, and no longer ones.
IWARP_TEST(tlsStream, "chains of certificates as long as may be")
{
    // type, length, context, length of the chain; each has its length and that of no extensions
    const uint32_t most = TlsHandshakeReader::MAX_BODY - 4 - 2 * 5 - 99999;
    for (const bool fits : {true, false})
    {
        const std::string chain = "99999+" + std::to_string(fits ? most : most + 1);
        const auto stream = CreateObject<TlsStream>();
        NS_TEST_EXPECT_MSG_EQ(stream->SetAttributeFailSafe("Certificates", StringValue(chain)),
                              fits,
                              chain);
        TlsHandshakeReader reader;
        reader.Add(MakeTlsCertificates({99999, fits ? most : most + 1}).Write());
        NS_TEST_EXPECT_MSG_EQ(reader.IsTooLong(), !fits, "as its peer finds");
    }
}
