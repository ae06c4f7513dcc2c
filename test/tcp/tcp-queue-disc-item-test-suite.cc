/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "../iwarp-test.h"

#include "ns3/ipv4-header.h"
#include "ns3/ipv4-queue-disc-item.h"
#include "ns3/ipv6-header.h"
#include "ns3/ipv6-queue-disc-item.h"
#include "ns3/mac48-address.h"
#include "ns3/packet.h"
#include "ns3/tcp-header.h"
#include "ns3/tcp-option-ts.h"
#include "ns3/tcp-queue-disc-item.h"

#include <cstdint>
#include <random>

using namespace ns3;

namespace
{

IWARP_TEST_SUITE(tcpQueueDiscItem, "tcp-queue-disc-item");

using SegmentRandom = std::mt19937;

/// @param random source of ports @return segment with timestamps
Ptr<Packet>
MakeSegment(SegmentRandom& random)
{
    TcpHeader header;
    header.SetSourcePort(random());
    header.SetDestinationPort(random());
    header.SetFlags(TcpHeader::ACK);
    header.AppendOption(CreateObject<TcpOptionTS>());
    auto packet = Create<Packet>(random() % 100);
    packet->AddHeader(header);
    return packet;
}

/// @param random source of addresses @param protocol next layer @return header
Ipv4Header
MakeHeader4(SegmentRandom& random, uint8_t protocol)
{
    Ipv4Header header;
    header.SetSource(Ipv4Address(random()));
    header.SetDestination(Ipv4Address(random()));
    header.SetProtocol(protocol);
    return header;
}

/// @param random source of octets @return address
Ipv6Address
MakeAddress6(SegmentRandom& random)
{
    uint8_t octets[16];
    for (auto& octet : octets)
    {
        octet = static_cast<uint8_t>(random());
    }
    return Ipv6Address(octets);
}

/// @param random source of addresses @param next next header @return header
Ipv6Header
MakeHeader6(SegmentRandom& random, uint8_t next)
{
    Ipv6Header header;
    header.SetSource(MakeAddress6(random));
    header.SetDestination(MakeAddress6(random));
    header.SetNextHeader(next);
    return header;
}

/// @param item of ns-3 @return its place is taken by one that finds the flow by itself
template <typename Item>
bool
IsOurs(const Item& item)
{
    const auto made = MakeTcpQueueDiscItem(item, item.GetHeader());
    return dynamic_cast<TcpQueueDiscItem<Item>*>(PeekPointer(made)) != nullptr;
}

} // namespace

/// Flows of items.
struct TcpQueueDiscItemFlows : TestCase
{
    using TestCase::TestCase;

    /// @param theirs item of ns-3 @param random source of perturbations
    template <typename Item>
    void Compare(const Item& theirs, SegmentRandom& random)
    {
        const Ptr<QueueDiscItem> ours = MakeTcpQueueDiscItem(theirs, theirs.GetHeader());
        NS_TEST_ASSERT_MSG_EQ(IsOurs(theirs), true, "a segment");
        const uint32_t perturbation = random();
        NS_TEST_EXPECT_MSG_EQ(ours->Hash(perturbation), theirs.Hash(perturbation), "flow");
        NS_TEST_EXPECT_MSG_EQ(ours->Hash(), theirs.Hash(0), "flow");
        NS_TEST_EXPECT_MSG_EQ((ours->GetPacket() == theirs.GetPacket()), true, "packet");
        NS_TEST_EXPECT_MSG_EQ(ours->GetAddress(), theirs.GetAddress(), "address");
        NS_TEST_EXPECT_MSG_EQ(ours->GetProtocol(), theirs.GetProtocol(), "protocol");
        NS_TEST_EXPECT_MSG_EQ(ours->GetSize(), theirs.GetSize(), "octets");
        const bool known = dynamic_cast<Item*>(PeekPointer(ours));
        NS_TEST_EXPECT_MSG_EQ(known, true, "packet filters know it");
    }
};

IWARP_TEST(tcpQueueDiscItem,
           "a segment's item has the flow that ns-3's item has, and all else of it",
           TcpQueueDiscItemFlows)
{
    SegmentRandom random(1);
    const Mac48Address mac("00:00:00:00:00:07");
    for (int i = 0; i < 100; i++)
    {
        Compare(Ipv4QueueDiscItem(MakeSegment(random), mac, 0x0800, MakeHeader4(random, 6)),
                random);
        Compare(Ipv6QueueDiscItem(MakeSegment(random), mac, 0x86DD, MakeHeader6(random, 6)),
                random);
    }

    Ipv4Header behind = MakeHeader4(random, 6);
    behind.SetFragmentOffset(8);
    const Ipv4QueueDiscItem fragment(MakeSegment(random), mac, 0x0800, behind);
    NS_TEST_EXPECT_MSG_EQ(IsOurs(fragment), false, "no ports");
    const Ipv4QueueDiscItem udp(MakeSegment(random), mac, 0x0800, MakeHeader4(random, 17));
    NS_TEST_EXPECT_MSG_EQ(IsOurs(udp), false, "UDP");
    const Ipv6QueueDiscItem udp6(MakeSegment(random), mac, 0x86DD, MakeHeader6(random, 17));
    NS_TEST_EXPECT_MSG_EQ(IsOurs(udp6), false, "UDP");
}
