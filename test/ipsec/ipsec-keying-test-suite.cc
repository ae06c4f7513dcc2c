/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "../iwarp-test.h"
#include "ipsec-run.h"

#include "ns3/boolean.h"
#include "ns3/esp-format.h"
#include "ns3/ike-keying.h"
#include "ns3/inet-socket-address.h"
#include "ns3/internet-stack-helper.h"
#include "ns3/ipsec-helper.h"
#include "ns3/ipv4-address-helper.h"
#include "ns3/point-to-point-helper.h"
#include "ns3/simulator.h"
#include "ns3/udp-l4-protocol.h"
#include "ns3/udp-socket-factory.h"

#include <algorithm>
#include <vector>

using namespace ns3;

namespace
{

/// Keys by messages.
IWARP_TEST_SUITE(ipsecKeying, "ipsec-keying", TestSuite::Type::SYSTEM);

/// @param datagrams seen @param protocol one @return first of it
Time
FindFirst(const std::vector<IpsecRun::Datagram>& datagrams, uint8_t protocol)
{
    const auto found =
        std::find_if(datagrams.begin(), datagrams.end(), [protocol](const auto& datagram) {
            return datagram.protocol == protocol;
        });
    return found == datagrams.end() ? Time::Max() : found->time;
}

/// @param packet datagram of IPv4 @return it is of key exchange
bool
IsIke(const Ptr<const Packet>& packet)
{
    uint8_t octets[24] = {};
    packet->CopyData(octets, sizeof(octets));
    return octets[9] == UdpL4Protocol::PROT_NUMBER && octets[22] == 500 / 256 &&
           octets[23] == 500 % 256;
}

/**
 * The first packet waits for two round trips of key exchange, and for what they compute (RFC 7296
 * section 1.2).
 */
IWARP_TEST(ipsecKeying, "two round trips before the first packet")
{
    for (const auto place : {IpsecPlace::TRANSPORT, IpsecPlace::GATEWAY})
    {
        IpsecSetup setup;
        setup.place = place;
        auto keying = CreateObject<IkeKeying>();
        setup.keying = keying;
        keying->SetAttribute("Exponentiation", TimeValue(MilliSeconds(3)));
        keying->SetAttribute("Signature", TimeValue(MilliSeconds(5)));
        keying->SetAttribute("Handling", TimeValue(Time(0)));
        IpsecRun run(setup);
        run.Run();
        NS_TEST_EXPECT_MSG_EQ(run.IsDone(), true, "all messages, and right");
        const Time begin = FindFirst(run.crossed, UdpL4Protocol::PROT_NUMBER);
        const Time waited = FindFirst(run.crossed, ESP_PROTOCOL) - begin;
        // each end makes a key pair and a secret, and makes and checks an authentication; of
        // these 32 ms those before the first message are over
        const Time computing = MilliSeconds(4 * 3 + 4 * 5 - 3);
        const Time hop = place == IpsecPlace::GATEWAY ? Time(0) : 4 * MicroSeconds(10);
        const Time least = 2 * (2 * MilliSeconds(1) + hop) + computing;
        NS_TEST_EXPECT_MSG_GT(waited, least, "propagation and computing");
        // the datagrams of four messages take the links some time
        NS_TEST_EXPECT_MSG_LT(waited, least + MicroSeconds(200), "and little else");
        NS_TEST_EXPECT_MSG_EQ(keying->GetResent(), 0, "nothing is lost");
    }
}

/**
 * What an association is for is as narrow as what shares it: the two hosts of its packets, and of a
 * connection its ports (RFC 4301 section 4.4.1, PFP flags). SPIs to 255 are reserved (RFC 4303
 * section 2.1).
 */
IWARP_TEST(ipsecKeying, "what an association is for")
{
    for (const auto sharing : {IpsecSharing::POLICY, IpsecSharing::HOSTS, IpsecSharing::CONNECTION})
    {
        NodeContainer nodes(2);
        InternetStackHelper().Install(nodes);
        Ipv4AddressHelper("10.1.0.0", "255.255.255.0").Assign(PointToPointHelper().Install(nodes));
        IpsecHelper ipsec;
        ipsec.SetSharing(sharing);
        ipsec.Install(nodes);
        IpsecSelector udp;
        udp.protocol = 17;
        for (const uint32_t i : {0, 1})
        {
            ipsec.ProtectTransport(nodes.Get(i)->GetObject<IpsecStack>(), udp);
        }
        std::vector<IpsecAssociationConfig> made;
        RecordCreated(ipsec.GetKeying(), made);
        Simulator::Run(); // begins
        const auto sender = Socket::CreateSocket(nodes.Get(0), UdpSocketFactory::GetTypeId());
        sender->Bind(InetSocketAddress(Ipv4Address::GetAny(), 1000));
        sender->SendTo(Create<Packet>(100), 0, InetSocketAddress("10.1.0.2", 9));
        Simulator::Run();
        Simulator::Destroy();
        const auto number = static_cast<int>(sharing);
        NS_TEST_ASSERT_MSG_EQ(made.size(), 2, "one each way");
        const bool all = sharing != IpsecSharing::CONNECTION;
        for (const auto& config : made)
        {
            NS_TEST_EXPECT_MSG_GT(config.spi, 255, number);
            const bool forth = config.source == IpsecAddress("10.1.0.1");
            const auto selects = [&config, forth](const IpsecFlow& flow) {
                return config.selector.Selects(forth ? flow : flow.GetReverse());
            };
            NS_TEST_EXPECT_MSG_EQ(selects({"10.1.0.1", "10.1.0.2", 17, 1000, 9}), true, number);
            NS_TEST_EXPECT_MSG_EQ(selects({"10.1.0.1", "10.1.0.2", 17, 1001, 9}), all, number);
            NS_TEST_EXPECT_MSG_EQ(selects({"10.1.0.1", "10.1.0.2", 17, 1000, 8}), all, number);
            NS_TEST_EXPECT_MSG_EQ(selects({"10.1.0.3", "10.1.0.2", 17, 1000, 9}), false, number);
            NS_TEST_EXPECT_MSG_EQ(selects({"10.1.0.1", "10.1.0.3", 17, 1000, 9}), false, number);
            NS_TEST_EXPECT_MSG_EQ(selects({"10.1.0.1", "10.1.0.2", 6, 1000, 9}), false, number);
        }
    }
}

/// Two ends agree on a tunnel if each has it between the same two addresses (RFC 4301 section
/// 4.4.1.2): otherwise there is no association, and nothing goes.
IWARP_TEST(ipsecKeying, "tunnels that do not meet")
{
    struct Row
    {
        const char* source;      //!< of the second host's tunnel
        const char* destination; //!< of that
        bool meets;              //!< it is the first one's, turned
    };

    for (const auto& [source, destination, meets] : {Row{"10.1.0.2", "10.1.0.1", true},
                                                     Row{"10.1.0.2", "10.1.0.9", false},
                                                     Row{"10.1.0.9", "10.1.0.1", false}})
    {
        NodeContainer nodes(2);
        InternetStackHelper().Install(nodes);
        Ipv4AddressHelper("10.1.0.0", "255.255.255.0").Assign(PointToPointHelper().Install(nodes));
        IpsecHelper ipsec;
        ipsec.Install(nodes);
        IpsecSelector udp;
        udp.protocol = 17;
        const auto stack = [&nodes](uint32_t i) { return nodes.Get(i)->GetObject<IpsecStack>(); };
        ipsec.ProtectTunnel(stack(0), udp, "10.1.0.1", "10.1.0.2");
        ipsec.ProtectTunnel(stack(1), udp, source, destination);
        std::vector<IpsecAssociationConfig> made;
        RecordCreated(ipsec.GetKeying(), made);
        Simulator::Run(); // begins
        const auto sender = Socket::CreateSocket(nodes.Get(0), UdpSocketFactory::GetTypeId());
        sender->SendTo(Create<Packet>(100), 0, InetSocketAddress("10.1.0.2", 9));
        Simulator::Run();
        const std::string ends = std::string(source) + " to " + destination;
        NS_TEST_EXPECT_MSG_EQ(made.size(), (meets ? 2 : 0), ends);
        NS_TEST_EXPECT_MSG_EQ(stack(0)->GetCounters().sealed, (meets ? 1 : 0), ends);
        Simulator::Destroy();
    }
}

/**
 * @ingroup iwarp-test
 * Associations are replaced while octets flow, and nobody notices.
 */
class ReplaceTest : public IpsecRunTestCase
{
  public:
    /// @param place where there is IPsec @param mode of ESP
    ReplaceTest(IpsecPlace place, EspCodec::Mode mode)
        : IpsecRunTestCase("replaced", place, mode)
    {
    }

  private:
    void DoRunWith(IpsecSetup setup) override
    {
        setup.proposal.soft.packets = 100;
        setup.proposal.hard.packets = 400;
        setup.octets = 1'000'000;
        auto keying = CreateObject<IkeKeying>();
        setup.keying = keying;
        IpsecRun run(setup);
        run.Run();
        NS_TEST_EXPECT_MSG_EQ(run.IsDone(), true, "all messages, and right");
        const uint64_t packets = run.crossed.size();
        NS_TEST_EXPECT_MSG_GT(keying->GetReplaced(), packets / 400, "before 400 packets");
        NS_TEST_EXPECT_MSG_LT(keying->GetReplaced(), packets / 100 + 1, "after 100 packets");
        for (const auto& stacks : {run.hosts, run.gateways})
        {
            for (const auto& stack : stacks)
            {
                const auto& counters = stack->GetCounters();
                NS_TEST_EXPECT_MSG_EQ(counters.GetDropped(IpsecDrop::EXPIRED), 0, "in time");
                NS_TEST_EXPECT_MSG_EQ(counters.GetDropped(IpsecDrop::NO_ASSOCIATION),
                                      0,
                                      "with overlap");
            }
        }
    }
};

IWARP_TEST_CASES(ipsecKeying)
{
    suite.AddTestCase(new ReplaceTest(IpsecPlace::TRANSPORT, EspCodec::Mode::MODELLED));
    suite.AddTestCase(new ReplaceTest(IpsecPlace::TRANSPORT, EspCodec::Mode::REAL));
    suite.AddTestCase(new ReplaceTest(IpsecPlace::GATEWAY, EspCodec::Mode::MODELLED));
}

/**
 * With forward secrecy an association that is made anew takes an exchange of keys of its own: a key
 * pair and a secret at each end (RFC 7146 section 3.2 wants it to be there).
 */
struct SecrecyTest : TestCase
{
    using TestCase::TestCase;

    /// @param secrecy whether there is any @return when the last message was there
    Time Find(bool secrecy)
    {
        IpsecSetup setup;
        setup.octets = 60'000;
        setup.interval = 10;
        auto keying = CreateObject<IkeKeying>();
        keying->SetAttribute("Exponentiation", TimeValue(MilliSeconds(3)));
        keying->SetAttribute("ForwardSecrecy", BooleanValue(secrecy));
        keying->SetAttribute("IdleTime", TimeValue(Seconds(1)));
        setup.keying = keying;
        IpsecRun run(setup);
        run.Run();
        NS_TEST_EXPECT_MSG_EQ(run.IsDone(), true, "all messages, and right");
        NS_TEST_EXPECT_MSG_GT(keying->GetDeleted(), 1, "made anew");
        return run.last;
    }
};

IWARP_TEST(ipsecKeying, "forward secrecy", SecrecyTest)
{
    const Time more = Find(true) - Find(false);
    NS_TEST_EXPECT_MSG_GT_OR_EQ(more, MilliSeconds(4 * 3), "key pairs and secrets");
    NS_TEST_EXPECT_MSG_LT(more, MilliSeconds(4 * 3) + MicroSeconds(50), "and longer messages");
}

/**
 * Associations that are idle are deleted; the connection and the MPA stream stay, and new ones are
 * made when there is something to send (RFC 5044 section 9.4).
 */
IWARP_TEST(ipsecKeying, "deleted when idle")
{
    IpsecSetup setup;
    setup.octets = 60'000;
    setup.interval = 10;
    setup.place = IpsecPlace::NOWHERE;
    Time before;
    {
        IpsecRun clear(setup);
        clear.Run();
        before = clear.last;
    }
    setup.place = IpsecPlace::TRANSPORT;
    auto keying = CreateObject<IkeKeying>();
    keying->SetAttribute("IdleTime", TimeValue(Seconds(1)));
    setup.keying = keying;
    IpsecRun run(setup);
    std::size_t associations = 1;
    Simulator::Schedule(Seconds(9), [&run, &associations] {
        associations = run.hosts[0]->GetAssociations().GetOutbound().GetN() +
                       run.hosts[1]->GetAssociations().GetInbound().GetN() +
                       run.hosts[0]->GetAssociations().GetInbound().GetN() +
                       run.hosts[1]->GetAssociations().GetOutbound().GetN();
    });
    std::vector<IpsecAssociationConfig> made;
    RecordCreated(keying, made);
    uint64_t syns = 0;
    run.hosts[0]->TraceConnectWithoutContext(
        "Sealed",
        MakeBoundCallback(
            +[](uint64_t* count, Ptr<const Packet> p, const IpsecFlow&, uint32_t) {
                uint8_t tcp[14] = {};
                p->CopyData(tcp, sizeof(tcp));
                *count += (tcp[13] & 2) != 0;
            },
            &syns));
    run.Run();
    NS_TEST_EXPECT_MSG_EQ(associations, 0, "they are gone between messages");
    NS_TEST_EXPECT_MSG_GT(keying->GetDeleted(), 1, "each time");
    NS_TEST_EXPECT_MSG_LT_OR_EQ(2 * keying->GetDeleted(),
                                made.size(),
                                "once, though both ends ask");
    IWARP_COVERS("MPA-9.4-02");
    NS_TEST_EXPECT_MSG_EQ(run.IsDone(), true, "all messages, and right");
    NS_TEST_EXPECT_MSG_EQ(syns, 1, "over one connection");
    NS_TEST_EXPECT_MSG_EQ(run.errors, 0, "the MPA stream stays");
    NS_TEST_EXPECT_MSG_GT(run.last - before, MilliSeconds(2), "a message waits for a round trip");
    NS_TEST_EXPECT_MSG_LT(run.last - before, MilliSeconds(12), "and little else");
    IWARP_COVERS("MPA-9.4-03 MPA-9.4-04 DDP-8.4.2-5");
}

/**
 * Messages of key exchange are lost: they come again, or what waits is dropped; nothing goes in
 * clear.
 */
IWARP_TEST(ipsecKeying, "lost messages")
{
    for (const uint32_t lost : {2, 1000})
    {
        IpsecSetup setup;
        auto keying = CreateObject<IkeKeying>();
        setup.keying = keying;
        setup.stop = Seconds(600);
        IpsecRun run(setup);
        uint32_t seen = 0;
        run.box->onPacket = [&](Ptr<Packet> packet, bool, const auto& send) {
            if (!IsIke(packet) || ++seen > lost)
            {
                send(packet);
            }
        };
        run.Run();
        const bool never = lost == 1000;
        NS_TEST_EXPECT_MSG_EQ(run.IsDone(), !never, "messages");
        NS_TEST_EXPECT_MSG_GT_OR_EQ(keying->GetResent(), std::min(lost, 3U), "tried again");
        const Time first = FindFirst(run.sent, ESP_PROTOCOL);
        NS_TEST_EXPECT_MSG_EQ((first > Seconds(4)), true, "a first retry after 4 s");
        NS_TEST_EXPECT_MSG_EQ((FindFirst(run.sent, 6) == Time::Max()), true, "none in clear");
        const auto dropped = run.hosts[0]->GetCounters().GetDropped(IpsecDrop::NO_ASSOCIATION);
        NS_TEST_EXPECT_MSG_EQ((dropped > 0), never, "what waits is given up with the exchange");
    }
}

} // namespace
