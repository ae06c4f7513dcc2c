/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "../iwarp-test.h"
#include "ipsec-run.h"

#include "ns3/ike-keying.h"
#include "ns3/inet-socket-address.h"
#include "ns3/internet-stack-helper.h"
#include "ns3/ipsec-helper.h"
#include "ns3/ipv4-address-helper.h"
#include "ns3/point-to-point-helper.h"
#include "ns3/random-variable-stream.h"
#include "ns3/simulator.h"
#include "ns3/udp-socket-factory.h"

#include <set>
#include <string>
#include <vector>

using namespace ns3;

namespace
{

/// Names of associations.
IWARP_TEST_SUITE(ipsecSpi, "ipsec-spi", TestSuite::Type::SYSTEM);

using Configs = std::vector<IpsecAssociationConfig>; // of associations

/**
 * A node with several addresses receives each association by an SPI of its own, since the SPI alone
 * names it (RFC 4301 section 4.1).
 */
IWARP_TEST(ipsecSpi, "SPIs of a node with several addresses")
{
    NodeContainer nodes(4);
    InternetStackHelper().Install(nodes);
    PointToPointHelper link;
    Ipv4AddressHelper addresses("10.1.0.0", "255.255.255.0");
    for (const uint32_t i : {1, 2, 3})
    {
        addresses.Assign(link.Install(nodes.Get(0), nodes.Get(i)));
        addresses.NewNetwork();
    }
    IpsecHelper ipsec;
    Configs made;
    RecordCreated(ipsec.GetKeying(), made);
    ipsec.Install(nodes);
    IpsecSelector udp;
    udp.protocol = 17;
    for (uint32_t i = 0; i < nodes.GetN(); i++)
    {
        ipsec.ProtectTransport(nodes.Get(i)->GetObject<IpsecStack>(), udp);
    }
    Simulator::Run(); // begins
    std::vector<Ptr<Socket>> sockets;
    for (const uint32_t i : {1, 2, 3})
    {
        sockets.push_back(Socket::CreateSocket(nodes.Get(i), UdpSocketFactory::GetTypeId()));
        const std::string to = "10.1." + std::to_string(i - 1) + ".1";
        sockets.back()->SendTo(Create<Packet>(100),
                               0,
                               InetSocketAddress(Ipv4Address(to.c_str()), 9));
    }
    Simulator::Run();
    std::set<uint32_t> spis;
    uint32_t here = 0;
    for (const auto& config : made)
    {
        if (ipsec.GetKeying()->Find(config.destination) == nodes.Get(0)->GetObject<IpsecStack>())
        {
            ++here;
            spis.insert(config.spi);
        }
    }
    NS_TEST_EXPECT_MSG_EQ(here, 3, "one of each neighbour");
    NS_TEST_EXPECT_MSG_EQ(spis.size(), here, "each has its own SPI");
    const auto& counters = nodes.Get(0)->GetObject<IpsecStack>()->GetCounters();
    NS_TEST_EXPECT_MSG_EQ(counters.opened, 3, "received");
    Simulator::Destroy();
}

/// Keying does not take an SPI that the node has given to another association.
struct SpiTakenTest : TestCase
{
    using TestCase::TestCase;

    /// @param exchange keys come by messages @param taken SPIs that are not free at any host
    /// @return what was made
    Configs Run(bool exchange, const Configs& taken)
    {
        IpsecSetup setup;
        setup.stop = Seconds(20);
        setup.keying =
            exchange ? Ptr<IpsecKeying>(CreateObject<IkeKeying>()) : CreateObject<IpsecKeying>();
        setup.keying->AssignStreams(7);
        Configs made;
        RecordCreated(setup.keying, made);
        IpsecRun run(setup);
        uint32_t added = 0;
        for (const auto& config : taken)
        {
            IpsecAssociationConfig other = config;
            other.keys.cipher.assign(other.keys.cipher.size(), 0x5A);
            const bool first = run.GetHostAddress(0) == config.destination;
            added += run.hosts[first ? 0 : 1]->GetAssociations().AddInbound(other);
        }
        NS_TEST_EXPECT_MSG_EQ(added, taken.size(), "another has them");
        run.Run();
        const std::string what = exchange ? ", by messages" : ", at once";
        NS_TEST_EXPECT_MSG_EQ(run.IsDone(), true, "all messages, and right" << what);
        NS_TEST_EXPECT_MSG_LT(run.last, Seconds(1), "nothing waits for a timer" << what);
        for (const auto& stack : run.hosts)
        {
            NS_TEST_EXPECT_MSG_EQ(stack->GetCounters().GetDropped(IpsecDrop::BAD_ICV),
                                  0,
                                  "everything comes by its own association" << what);
        }
        return made;
    }
};

IWARP_TEST(ipsecSpi, "SPIs that are taken", SpiTakenTest)
{
    for (const bool exchange : {false, true})
    {
        const Configs free = Run(exchange, {});
        const Configs other = Run(exchange, free);
        NS_TEST_EXPECT_MSG_EQ(other.size(), free.size(), "as many");
    }
}

/**
 * SPIs below 256 are reserved (RFC 4303 section 2.1): of a stream of random numbers in which one
 * comes where the responder draws its SPI, the next one is taken. Before it are the nonces of two
 * exchanges, of 64 bits each, and behind the third of these the initiator's SPI.
 */
IWARP_TEST(ipsecSpi, "SPIs that are reserved")
{
    constexpr int64_t STREAM = 5546575;
    const auto random = CreateObject<UniformRandomVariable>();
    random->SetStream(STREAM);
    std::vector<uint32_t> numbers;
    for (uint32_t i = 0; i < 11; i++)
    {
        numbers.push_back(random->GetInteger(0, UINT32_MAX));
    }
    NS_TEST_ASSERT_MSG_LT(numbers[9], 256, "the stream has one there");
    IpsecSetup setup;
    setup.stop = Seconds(1);
    setup.keying = CreateObject<IkeKeying>();
    setup.keying->AssignStreams(STREAM);
    Configs made;
    RecordCreated(setup.keying, made);
    IpsecRun run(setup);
    run.Run();
    std::set<uint32_t> spis;
    for (const auto& config : made)
    {
        spis.insert(config.spi);
    }
    NS_TEST_EXPECT_MSG_EQ(spis.count(numbers[6]), 1, "the initiator's");
    NS_TEST_EXPECT_MSG_EQ(spis.count(numbers[10]), 1, "the responder's");
    NS_TEST_EXPECT_MSG_EQ(spis.count(numbers[9]), 0, "is none that is reserved");
}

} // namespace
