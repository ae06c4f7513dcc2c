/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "../helper/iwarp-run-scenario.h"
#include "../iwarp-test.h"
#include "ipsec-run.h"

#include "ns3/ike-keying.h"
#include "ns3/internet-stack-helper.h"
#include "ns3/ipv4-address-helper.h"
#include "ns3/point-to-point-helper.h"
#include "ns3/udp-socket-factory.h"

#include <memory>
#include <string>
#include <vector>

using namespace ns3;

namespace
{

/// Deletion of what is idle.
IWARP_TEST_SUITE(ipsecIdle, "ipsec-idle", TestSuite::Type::SYSTEM);

/**
 * Associations are deleted after idle times that are shorter than the way from one end to the
 * other: streams are slower then, and come to their end (RFC 5044 section 9.4).
 */
IWARP_TEST(ipsecIdle, "idle times below the one-way delay")
{
    for (const char* idle : {"10us", "200us", "600us", "900us", "1ms", "1500us", "2ms"})
    {
        IpsecSetup setup;
        setup.stop = Seconds(20);
        auto keying = CreateObject<IkeKeying>();
        keying->SetAttribute("IdleTime", StringValue(idle));
        setup.keying = keying;
        IpsecRun run(setup);
        std::vector<IpsecAssociationConfig> made;
        RecordCreated(keying, made);
        for (const auto& stack : run.hosts)
        { // a window may wait for a pair
            stack->SetAttribute("MaxWaiting", UintegerValue(1000));
        }
        run.Run();
        NS_TEST_EXPECT_MSG_EQ(run.IsDone(), true, "all messages, and right, idle " << idle);
        NS_TEST_EXPECT_MSG_EQ(run.errors, 0, "the stream stays, idle " << idle);
        IWARP_COVERS("MPA-9.4-03 MPA-9.4-04 DDP-8.4.2-5");
        NS_TEST_EXPECT_MSG_LT_OR_EQ(2 * keying->GetDeleted(),
                                    made.size(),
                                    "each pair once, " << idle);
        for (const auto& stack : run.hosts)
        {
            NS_TEST_EXPECT_MSG_EQ(stack->GetCounters().GetDropped(IpsecDrop::NO_ASSOCIATION),
                                  0,
                                  "and loses nothing, idle " << idle);
        }
    }
}

/**
 * Who looks for idle pairs does not use them: where there is room for two associations to send by,
 * a third takes the place of the one that was longest unused.
 */
struct IdleOrderTest : TestCase
{
    using TestCase::TestCase;

    /// Send a datagram of each of some flows. @param lastUsed of the first two, that which is used
    /// last before the third
    void RunOrder(uint32_t lastUsed)
    {
        NodeContainer nodes(2);
        InternetStackHelper().Install(nodes);
        Ipv4AddressHelper("10.1.0.0", "255.255.255.0").Assign(PointToPointHelper().Install(nodes));
        auto keying = CreateObject<IkeKeying>();
        keying->AssignStreams(1);
        keying->SetAttribute("IdleTime", TimeValue(Seconds(5)));
        IpsecHelper ipsec;
        ipsec.SetSharing(IpsecSharing::CONNECTION);
        ipsec.SetKeying(keying);
        ipsec.Install(nodes);
        // of the receiver, which sends nothing, it would take those that are there longest
        nodes.Get(0)->GetObject<IpsecStack>()->SetAttribute("MaxAssociations", UintegerValue(2));
        IpsecSelector udp;
        udp.protocol = 17;
        for (const uint32_t i : {0, 1})
        {
            ipsec.ProtectTransport(nodes.Get(i)->GetObject<IpsecStack>(), udp);
        }
        std::vector<Ptr<Socket>> senders;
        for (uint16_t i = 0; i < 3; i++)
        {
            senders.push_back(Socket::CreateSocket(nodes.Get(0), UdpSocketFactory::GetTypeId()));
            senders[i]->Bind(InetSocketAddress(Ipv4Address::GetAny(), 1000 + i));
        }
        const auto sendAt = [&senders](double time, uint32_t who) {
            Simulator::Schedule(Seconds(time), [&senders, who] {
                senders[who]->SendTo(Create<Packet>(10), 0, InetSocketAddress("10.1.0.2", 9));
            });
        };
        sendAt(1, 0);
        sendAt(1.5, 1);
        sendAt(2, 1 - lastUsed);
        sendAt(3, lastUsed);
        auto& associations = nodes.Get(0)->GetObject<IpsecStack>()->GetAssociations().GetOutbound();
        std::shared_ptr<IpsecAssociation> used;
        Simulator::Schedule(Seconds(6.4), [&] { // idle pairs were looked for once
            for (const auto& association : associations.GetIdle(Time::Max()))
            {
                if (!used || used->GetLastUse() < association->GetLastUse())
                {
                    used = association;
                }
            }
        });
        sendAt(6.5, 2);
        Simulator::Stop(Seconds(6.9));
        Simulator::Run();
        NS_TEST_ASSERT_MSG_EQ((used != nullptr), true, "there are associations");
        NS_TEST_EXPECT_MSG_EQ(used->GetLastUse(), Seconds(3), "the one that was used last");
        NS_TEST_EXPECT_MSG_EQ(associations.GetEvicted(), 1, "the third takes a place");
        const auto& config = used->GetConfig();
        NS_TEST_EXPECT_MSG_EQ(associations.Has(config.spi, config.destination),
                              true,
                              "not that of the one used last, flow " << lastUsed);
        NS_TEST_EXPECT_MSG_EQ(keying->GetDeleted(), 0, "none was idle");
        Simulator::Destroy();
    }
};

IWARP_TEST(ipsecIdle, "the order in which associations were used", IdleOrderTest)
{
    RunOrder(0);
    RunOrder(1);
}

/**
 * Messages that begin at any moment of a deletion: none of their packets is lost, so that each
 * waits for a round trip of key exchange, or two where the window has the deletion before it, and
 * for no timer.
 */
IWARP_TEST(ipsecIdle, "traffic during a deletion")
{
    constexpr double idle = 0.010;
    uint64_t deleted = 0;
    for (const bool forth : {false, true}) // which packets of a message are on their way
    {
        for (double interval = idle; interval < 2.5 * idle; interval += 0.0007)
        {
            IpsecSetup setup;
            setup.octets = 20 * (forth ? 1'000 : 8'000);
            setup.message = forth ? 1'000 : 8'000;
            setup.interval = interval;
            setup.stop = Seconds(20);
            auto keying = CreateObject<IkeKeying>();
            keying->SetAttribute("IdleTime", TimeValue(Seconds(idle)));
            setup.keying = keying;
            IpsecRun run(setup);
            run.Run();
            deleted += keying->GetDeleted();
            NS_TEST_EXPECT_MSG_EQ(run.IsDone(), true, "all messages, and right");
            for (const auto& stack : run.hosts)
            {
                NS_TEST_EXPECT_MSG_EQ(stack->GetCounters().GetDropped(IpsecDrop::NO_ASSOCIATION),
                                      0,
                                      "interval " << interval);
            }
            // from the start: two exchanges, TCP's and MPA's; of the last message: a deletion,
            // a new pair and the message itself
            const double most = 0.001 + 5 * 0.0022 + 19 * interval + 3 * 0.0022;
            NS_TEST_EXPECT_MSG_LT(run.last, Seconds(most), "interval " << interval);
        }
    }
    NS_TEST_EXPECT_MSG_GT(deleted, 100, "deletions");
}

/// Reads over a path of 50 ms.
struct IdleReadTest : ScenarioTestCase
{
    /// @param title of the case
    explicit IdleReadTest(const std::string& title)
        : ScenarioTestCase(title,
                           {{"HostPairs", "1"},
                            {"Flows", "1"},
                            {"PlainTcp", "false"},
                            {"Workload", "rdma-read"},
                            {"Delay", "50ms"},
                            {"Octets", "200000"},
                            {"Ipsec", "transport"},
                            {"KeyExchange", "true"},
                            {"Backed", "true"}})
    {
    }
};

IWARP_TEST(ipsecIdle, "Reads whose associations are idle for most of a round trip", IdleReadTest)
{
    for (const char* idle : {"10ms", "30ms", "45ms", "70ms"})
    {
        auto run = RunScenario({{"IkeKeying.IdleTime", idle}});
        NS_TEST_EXPECT_MSG_EQ(run["payload_octets"], 200000, "all of it, idle " << idle);
        NS_TEST_EXPECT_MSG_EQ(run["content_errors"], 0, "and right, idle " << idle);
        NS_TEST_EXPECT_MSG_EQ(run["esp_drops"], 0, "nothing is lost, idle " << idle);
    }
}

/**
 * Windows of Writes over a path of 50 ms: both ends ask for a pair at once, and neither sends by
 * what it has answered before the other can know of it.
 */
struct IdleWriteTest : ScenarioTestCase
{
    /// @param title of the case
    explicit IdleWriteTest(const std::string& title)
        : ScenarioTestCase(title,
                           {{"HostPairs", "1"},
                            {"Flows", "1"},
                            {"PlainTcp", "false"},
                            {"Workload", "rdma-write"},
                            {"Delay", "50ms"},
                            {"Octets", "1310720"},
                            {"Ipsec", "transport"},
                            {"KeyExchange", "true"},
                            {"IpsecStack.MaxWaiting", "1000"}})
    {
    }
};

IWARP_TEST(ipsecIdle, "Writes whose associations both ends ask for at once", IdleWriteTest)
{
    for (const char* idle : {"10ms", "15ms", "30ms"})
    {
        auto run = RunScenario({{"IkeKeying.IdleTime", idle}});
        NS_TEST_EXPECT_MSG_GT(run["esp_idle_deletes"], 5, "deletions, idle " << idle);
        NS_TEST_EXPECT_MSG_EQ(run["esp_drops"], 0, "nothing is lost, idle " << idle);
        NS_TEST_EXPECT_MSG_EQ(run["retransmitted_octets"], 0, "or late, idle " << idle);
    }
}

/**
 * Hosts' ESP within a tunnel of gateways: what waits there for a pair turns out to be too big when
 * the hosts' own pair is idle, or gone, and leaves together with answers sent long before it. As
 * much is sent as where no pair is deleted.
 */
struct IdleNestedTest : ScenarioTestCase
{
    /// @param title of the case
    explicit IdleNestedTest(const std::string& title)
        : ScenarioTestCase(title,
                           {{"HostPairs", "1"},
                            {"Flows", "1"},
                            {"PlainTcp", "false"},
                            {"Workload", "rdma-write"},
                            {"Octets", "60000"},
                            {"Ipsec", "nested"},
                            {"KeyExchange", "true"},
                            {"IpsecStack.MaxWaiting", "1000"}})
    {
    }
};

IWARP_TEST(ipsecIdle,
           "Writes whose first window is too big for a tunnel that is not there",
           IdleNestedTest)
{
    for (const std::string ipv6 : {"false", "true"})
    {
        for (const std::string delay : {"1ms", "10ms", "50ms"})
        {
            auto calm = RunScenario({{"Delay", delay}, {"Ipv6", ipv6}});
            double deletes = 0;
            for (const std::string idle : {"1ms", "3ms", "10ms", "30ms", "100ms", "300ms", "1s"})
            {
                auto run =
                    RunScenario({{"IkeKeying.IdleTime", idle}, {"Delay", delay}, {"Ipv6", ipv6}});
                const std::string which = "idle " + idle + ", delay " + delay + ", IPv6 " + ipv6;
                for (const char* figure :
                     {"payload_octets", "esp_drops", "retransmitted_octets", "segments_sent"})
                {
                    NS_TEST_EXPECT_MSG_EQ(run[figure], calm[figure], figure << ", " << which);
                }
                deletes += run["esp_idle_deletes"];
            }
            NS_TEST_EXPECT_MSG_GT(deletes, 0, "deletions, delay " << delay);
        }
    }
}

} // namespace
