/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "../helper/iwarp-run-scenario.h"
#include "../iwarp-test.h"

#include "ns3/inet-socket-address.h"
#include "ns3/internet-stack-helper.h"
#include "ns3/ipsec-helper.h"
#include "ns3/ipsec-stack.h"
#include "ns3/ipv4-address-helper.h"
#include "ns3/point-to-point-helper.h"
#include "ns3/random-variable-stream.h"
#include "ns3/rnic-association-cache.h"
#include "ns3/rnic-esp-engine.h"
#include "ns3/rnic-helper.h"
#include "ns3/simulator.h"
#include "ns3/udp-socket-factory.h"
#include "ns3/uinteger.h"

#include <cmath>
#include <string>
#include <utility>
#include <vector>

using namespace ns3;

namespace
{

/// Associations that go and come.
IWARP_TEST_SUITE(ipsecChurn, "ipsec-churn", TestSuite::Type::SYSTEM);

/**
 * A node that has N connections and room for C associations, or an engine with their contexts on
 * chip: each that sends in turn always finds its own gone, unless N is at most C; drawn at random
 * it finds it with the probability C / N, as any cache does of which the least recently used goes.
 */
struct ChurnRoomTest : TestCase
{
    using TestCase::TestCase;

    static constexpr uint32_t N = 40;       //!< connections
    static constexpr uint32_t SENDS = 4000; //!< datagrams

    /// What was not there
    struct Missing
    {
        uint64_t associations; //!< that were made
        uint64_t contexts;     //!< that were fetched
    };

    /// @param room for associations @param chip room for contexts @param isRandom who sends is
    /// drawn, and does not take turns @return what was not there
    Missing Count(uint32_t room, uint32_t chip, bool isRandom)
    {
        NodeContainer nodes(2);
        InternetStackHelper().Install(nodes);
        Ipv4AddressHelper("10.1.0.0", "255.255.255.0").Assign(PointToPointHelper().Install(nodes));
        IpsecHelper ipsec;
        ipsec.SetSharing(IpsecSharing::CONNECTION);
        ipsec.SetAttribute("MaxAssociations", UintegerValue(room));
        ipsec.Install(nodes);
        RnicHelper rnic;
        rnic.AddEsp("inline");
        rnic.Set("AssociationCache.Entries", UintegerValue(chip));
        const auto engine = rnic.InstallEspEngine(nodes.Get(0));
        IpsecSelector udp;
        udp.protocol = 17;
        for (const uint32_t i : {0, 1})
        {
            ipsec.ProtectTransport(nodes.Get(i)->GetObject<IpsecStack>(), udp);
        }
        uint64_t made = 0;
        ipsec.GetKeying()->TraceConnectWithoutContext(
            "Created",
            MakeBoundCallback(
                +[](uint64_t* count, const IpsecAssociationConfig&) { ++*count; },
                &made));
        const auto receiver = Socket::CreateSocket(nodes.Get(1), UdpSocketFactory::GetTypeId());
        receiver->Bind(InetSocketAddress(Ipv4Address::GetAny(), 9));
        uint32_t received = 0;
        receiver->SetRecvCallback(MakeBoundCallback(
            +[](uint32_t* count, Ptr<Socket> socket) {
                while (socket->Recv())
                {
                    ++*count;
                }
            },
            &received));
        std::vector<Ptr<Socket>> senders;
        for (uint32_t i = 0; i < N; i++)
        {
            senders.push_back(Socket::CreateSocket(nodes.Get(0), UdpSocketFactory::GetTypeId()));
            senders[i]->Bind(InetSocketAddress(Ipv4Address::GetAny(), 1000 + i));
        }
        Simulator::Run(); // begins
        auto draw = CreateObject<UniformRandomVariable>();
        draw->SetStream(1);
        for (uint32_t i = 0; i < SENDS; i++)
        {
            const uint32_t who = isRandom ? draw->GetInteger(0, N - 1) : i % N;
            senders[who]->SendTo(Create<Packet>(10), 0, InetSocketAddress("10.1.0.2", 9));
            Simulator::Run();
        }
        const auto& there = nodes.Get(1)->GetObject<IpsecStack>()->GetCounters();
        NS_TEST_EXPECT_MSG_EQ(received, SENDS, "all come");
        NS_TEST_EXPECT_MSG_EQ(there.opened, SENDS, "protected");
        const auto& out = nodes.Get(0)->GetObject<IpsecStack>()->GetAssociations().GetOutbound();
        NS_TEST_EXPECT_MSG_EQ(out.GetN(), (room > 0 ? std::min(room, N) : N), "as many as fit");
        NS_TEST_EXPECT_MSG_EQ(out.GetEvicted(), made / 2 - out.GetN(), "the others went");
        const auto contexts = engine->GetDatapath().Get<RnicCache>("AssociationCache");
        const Missing missing{made / 2, contexts->GetMisses()}; // one each way
        Simulator::Destroy();
        return missing;
    }

    /// @param room there is @return what is missing at random, and how much that may be off
    std::pair<double, double> Expect(uint32_t room) const
    {
        const double miss = 1 - double(room) / N;
        return {SENDS * miss, 4 * std::sqrt(SENDS * miss * (1 - miss)) + room};
    }
};

IWARP_TEST(ipsecChurn,
           "associations and contexts that are there, of those that are needed",
           ChurnRoomTest)
{
    NS_TEST_EXPECT_MSG_EQ(Count(0, N, false).associations, N, "room for all");
    NS_TEST_EXPECT_MSG_EQ(Count(N, 0, true).associations, N, "room enough");
    NS_TEST_EXPECT_MSG_EQ(Count(0, N, true).contexts, N, "chip big enough");
    NS_TEST_EXPECT_MSG_EQ(Count(N - 1, 0, false).associations, SENDS, "in turn: never there");
    for (const uint32_t chip : {4U, 16U, N - 1})
    {
        const uint64_t fetched = Count(0, chip, false).contexts;
        NS_TEST_EXPECT_MSG_EQ(fetched, SENDS, "in turn: never there, chip for " << chip);
    }
    for (const uint32_t room : {4, 10, 30})
    {
        const auto [missing, off] = Expect(room);
        const double made = Count(room, 0, true).associations;
        NS_TEST_EXPECT_MSG_EQ_TOL(made, missing, off, "at random, room for " << room);
        const double fetched = Count(0, room, true).contexts;
        NS_TEST_EXPECT_MSG_EQ_TOL(fetched, missing, off, "at random, chip for " << room);
    }
}

/**
 * Connections that share a host with room for a tenth of their associations: these go and are made
 * again all the time, by messages or at once, and no connection ends.
 */
struct ChurnTest : ScenarioTestCase
{
    /// @param title of the case
    explicit ChurnTest(const std::string& title)
        : ScenarioTestCase(title,
                           {{"HostPairs", "1"},
                            {"Flows", "100"},
                            {"PlainTcp", "false"},
                            {"LinkRate", "10Gbps"},
                            {"AccessRate", "10Gbps"},
                            {"Delay", "5us"},
                            {"Octets", "20000"},
                            {"MessageSizes", "fixed:2000"},
                            {"Intervals", "fixed:0.02"},
                            {"StartSpread", "20ms"},
                            {"MinRto", "10ms"},
                            {"DelayedAck", "1ms"},
                            {"IpsecSharing", "connection"},
                            {"Backed", "true"}})
    {
    }
};

IWARP_TEST(ipsecChurn, "100 connections on 10 associations", ChurnTest)
{
    for (const std::string exchange : {"false", "true"})
    {
        auto run = RunScenario({{"Ipsec", "transport"},
                                {"KeyExchange", exchange},
                                {"IpsecStack.MaxAssociations", "10"}});
        NS_TEST_EXPECT_MSG_EQ(run["payload_octets"], 100 * 20000, "all comes");
        NS_TEST_EXPECT_MSG_EQ(run["content_errors"], 0, "and is right");
        // a connection sends ten messages, each after as long a pause as the others take turns
        NS_TEST_EXPECT_MSG_GT(run["esp_evictions"], 900, "most messages need a new association");
        IWARP_COVERS("MPA-9.4-03 MPA-9.4-04 DDP-8.4.2-5");
        const auto plain = RunScenario({{"Ipsec", "none"}});
        NS_TEST_EXPECT_MSG_EQ(run["messages"], plain.at("messages"), "as without ESP");
    }
}

} // namespace
