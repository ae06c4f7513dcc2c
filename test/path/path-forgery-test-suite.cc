/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "../iwarp-test.h"
#include "path-tcp-datagram.h"

#include "ns3/icmpv4.h"
#include "ns3/icmpv6-header.h"
#include "ns3/ipv4-header.h"
#include "ns3/path-forgery.h"
#include "ns3/path-packet-memory.h"
#include "ns3/path-payload.h"

#include <algorithm>
#include <string>
#include <vector>

using namespace ns3;

namespace
{

/// What an adversary makes of a datagram.
IWARP_TEST_SUITE(pathForgery, "path-forgery");

using Forged = std::vector<uint8_t>; //!< octets of a datagram

/// Datagrams to forge others of.
struct ForgeryTest : TestCase
{
    using TestCase::TestCase;

    /// @param ipv6 version @param size octets of payload @return a segment
    static Datagram MakeSegment(bool ipv6, uint32_t size = 100)
    {
        Datagram segment;
        segment.ipv6 = ipv6;
        segment.seq = 0x01020304;
        segment.options = Datagram::Timestamps(7, 8);
        segment.payload = Datagram::MakePayload(size);
        return segment;
    }

    /// @param ipv6 version @param protocol behind the header @param behind octets there
    /// @return datagram
    static Forged Wrap(bool ipv6, uint8_t protocol, const Forged& behind)
    {
        Forged octets = MakeSegment(ipv6).MakeOctets();
        octets.resize(ipv6 ? 40 : 20);
        octets[ipv6 ? 6 : 9] = protocol;
        octets.insert(octets.end(), behind.begin(), behind.end());
        const auto length = static_cast<uint16_t>(octets.size() - (ipv6 ? 40 : 0));
        octets[ipv6 ? 4 : 2] = static_cast<uint8_t>(length >> 8);
        octets[ipv6 ? 5 : 3] = static_cast<uint8_t>(length);
        return octets;
    }

    /// @param octets of a datagram of ICMP @return they have right checksums (RFC 792, RFC 4443
    /// section 2.3)
    static bool IsSummed(const Forged& octets)
    {
        if (octets[0] >> 4 == 4)
        {
            return Datagram::Checksum({octets.begin(), octets.begin() + 20}) == 0 &&
                   Datagram::Checksum({octets.begin() + 20, octets.end()}) == 0;
        }
        Forged sum(octets.begin() + 8, octets.begin() + 40); // addresses
        Datagram::Put(sum, octets.size() - 40, 4);
        Datagram::Put(sum, 58, 4);
        sum.insert(sum.end(), octets.begin() + 40, octets.end());
        return Datagram::Checksum(sum) == 0;
    }
};

/// Octets of addresses that stand where Ethernet has its type make no Ethernet of a datagram.
IWARP_TEST(pathForgery, "addresses that look like a type of Ethernet", ForgeryTest)
{
    for (const bool ipv6 : {false, true})
    {
        for (const uint16_t type : {0x0800, 0x86DD})
        {
            Forged octets = MakeSegment(ipv6).MakeOctets();
            octets[12] = static_cast<uint8_t>(type >> 8); // of the source
            octets[13] = static_cast<uint8_t>(type);
            for (const uint32_t front : {0, 2, 14})
            {
                Forged frame(front);
                if (front > 0)
                {
                    const uint16_t link =
                        front == 2 ? (ipv6 ? 0x0057 : 0x0021) : (ipv6 ? 0x86DD : 0x0800);
                    frame[front - 2] = static_cast<uint8_t>(link >> 8);
                    frame[front - 1] = static_cast<uint8_t>(link);
                }
                frame.insert(frame.end(), octets.begin(), octets.end());
                PathPayload at;
                const auto size = static_cast<uint32_t>(frame.size());
                const uint32_t known = std::min(size, +PathPayload::HEAD);
                NS_TEST_EXPECT_MSG_EQ(at.Find(frame.data(), known, size),
                                      true,
                                      type << " behind " << front);
                NS_TEST_EXPECT_MSG_EQ(at.tcp, front + (ipv6 ? 40 : 20), "TCP's header");
                NS_TEST_EXPECT_MSG_EQ(at.end, size, "the end");
            }
        }
    }
}

IWARP_TEST(pathForgery, "ICMP errors of IPv4", ForgeryTest)
{
    const Forged about = MakeSegment(false).MakeOctets();
    const Forged message = MakePathIcmp(about, PathIcmpError::TooBig(false, 1006));
    // RFC 792: 20 octets of IP, 8 of ICMP, then IP's header and 8 octets
    NS_TEST_ASSERT_MSG_EQ(message.size(), 20 + 8 + 20 + 8, "size");
    const Forged head{3, 4}; // unreachable, fragmentation needed
    NS_TEST_EXPECT_MSG_EQ(std::equal(head.begin(), head.end(), &message[20]), true, "type, code");
    NS_TEST_EXPECT_MSG_EQ(Datagram::Get(message, 24, 4), 1006, "unused, and the MTU: RFC 1191 4");
    NS_TEST_EXPECT_MSG_EQ(std::equal(message.begin() + 28, message.end(), about.begin()),
                          true,
                          "quotes the datagram");
    NS_TEST_EXPECT_MSG_EQ(std::equal(&message[12], &message[16], &about[16]), true, "from there");
    NS_TEST_EXPECT_MSG_EQ(std::equal(&message[16], &message[20], &about[12]), true, "to here");
    NS_TEST_EXPECT_MSG_EQ(IsSummed(message), true, "checksums");
    // as ns-3 reads it
    const Ptr<Packet> packet = Datagram::ToPacket(message);
    Ipv4Header ip;
    packet->RemoveHeader(ip);
    Icmpv4Header icmp;
    packet->RemoveHeader(icmp);
    Icmpv4DestinationUnreachable unreachable;
    packet->RemoveHeader(unreachable);
    NS_TEST_EXPECT_MSG_EQ(int{ip.GetProtocol()}, 1, "ICMP");
    NS_TEST_EXPECT_MSG_EQ(unreachable.GetNextHopMtu(), 1006, "MTU");
    uint8_t data[8];
    unreachable.GetData(data);
    NS_TEST_EXPECT_MSG_EQ(Datagram::Get({data, data + 8}, 4, 4), 0x01020304, "number quoted");
    for (const uint8_t which : {0, 1})
    {
        const Forged other = MakePathIcmp(about, PathIcmpError::Unreachable(false, which));
        NS_TEST_EXPECT_MSG_EQ(int{other[20]}, 3, "unreachable");
        NS_TEST_EXPECT_MSG_EQ(int{other[21]}, 2 + which, "protocol, port: RFC 1122 4.2.3.9");
        NS_TEST_EXPECT_MSG_EQ(IsSummed(other), true, "checksums");
    }
}

IWARP_TEST(pathForgery, "ICMP errors of IPv6", ForgeryTest)
{
    const Forged about = MakeSegment(true, 2000).MakeOctets();
    const Forged message = MakePathIcmp(about, PathIcmpError::TooBig(true, 1300));
    NS_TEST_ASSERT_MSG_EQ(message.size(), 1280, "no more than the least MTU: RFC 4443 2.4 (c)");
    NS_TEST_EXPECT_MSG_EQ(int{message[40]}, 2, "packet too big: RFC 4443 3.2");
    NS_TEST_EXPECT_MSG_EQ(Datagram::Get(message, 44, 4), 1300, "MTU");
    NS_TEST_EXPECT_MSG_EQ(std::equal(message.begin() + 48, message.end(), about.begin()),
                          true,
                          "quotes as much as fits");
    NS_TEST_EXPECT_MSG_EQ(IsSummed(message), true, "checksums");
    const Forged prohibited = MakePathIcmp(about, PathIcmpError::Unreachable(true, 0));
    NS_TEST_EXPECT_MSG_EQ(int{prohibited[40]}, 1, "destination unreachable: RFC 4443 3.1");
    NS_TEST_EXPECT_MSG_EQ(int{prohibited[41]}, 1, "administratively prohibited");
    const Forged unknown = MakePathIcmp(about, PathIcmpError::Unreachable(true, 1));
    NS_TEST_EXPECT_MSG_EQ(int{unknown[40]}, 4, "parameter problem: RFC 4443 3.4");
    NS_TEST_EXPECT_MSG_EQ(int{unknown[41]}, 1, "unrecognized next header");
    NS_TEST_EXPECT_MSG_EQ(Datagram::Get(unknown, 44, 4), 6, "where it is");
    NS_TEST_EXPECT_MSG_EQ(IsSummed(unknown), true, "checksums");
}

IWARP_TEST(pathForgery, "numbers that are guessed", ForgeryTest)
{
    for (const bool ipv6 : {false, true})
    {
        const std::size_t header = ipv6 ? 40 : 20;
        const Forged esp{0, 0, 0x10, 1, 0, 0, 0, 9, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
        Forged udp{0x11, 0x94, 0x11, 0x94, 0, 28, 0, 0}; // RFC 3948: port 4500
        udp.insert(udp.end(), esp.begin(), esp.end());
        const std::pair<Forged, std::size_t> cases[] = {
            {MakeSegment(ipv6).MakeOctets(), header + 4},
            {Wrap(ipv6, 50, esp), header},
            {Wrap(ipv6, 17, udp), header + 8},
        };
        for (const auto& [before, at] : cases)
        {
            Forged octets = before;
            NS_TEST_EXPECT_MSG_EQ(GuessPathNumber(octets, 0xCAFEBABE), true, "there is one");
            NS_TEST_EXPECT_MSG_EQ(Datagram::Get(octets, at, 4), 0xCAFEBABE, "guessed");
            std::copy_n(&before[at], 4, &octets[at]);
            NS_TEST_EXPECT_MSG_EQ((octets == before), true, "nothing else");
        }
        Forged other =
            Wrap(ipv6, 17, {0, 53, 0, 53, 0, 28, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12});
        NS_TEST_EXPECT_MSG_EQ(GuessPathNumber(other, 1), false, "other UDP has none");
    }
}

IWARP_TEST(pathForgery, "segments of TCP", ForgeryTest)
{
    for (const bool ipv6 : {false, true})
    {
        const Datagram about = MakeSegment(ipv6);
        const auto segment = ReadSegment(about);
        const auto reset = Datagram::Read(MakePathReset(*segment, 77).Write());
        NS_TEST_EXPECT_MSG_EQ(int{reset.flags}, 4, "RST alone");
        NS_TEST_EXPECT_MSG_EQ(reset.seq, 77, "number");
        NS_TEST_EXPECT_MSG_EQ(reset.payload.size(), 0, "no payload");
        NS_TEST_EXPECT_MSG_EQ((reset.good && reset.checksums), true, "well-formed");
        NS_TEST_EXPECT_MSG_EQ(reset.port, about.port, "of the same connection");
        const Forged any{9, 8, 7, 6, 5};
        const auto data = Datagram::Read(MakePathData(*segment, 78, any).Write());
        NS_TEST_EXPECT_MSG_EQ(int{data.flags}, 0x18, "ACK and PSH");
        NS_TEST_EXPECT_MSG_EQ(data.seq, 78, "number");
        NS_TEST_EXPECT_MSG_EQ(data.ack, about.ack, "acknowledgment number");
        NS_TEST_EXPECT_MSG_EQ((data.payload == any), true, "payload");
        NS_TEST_EXPECT_MSG_EQ((data.good && data.checksums), true, "well-formed");
        const auto blind = Datagram::Read(
            Datagram::ToPacket(MakePathBlindReset(Wrap(ipv6, 50, Forged(44)), {5000, 80}, 79)));
        NS_TEST_EXPECT_MSG_EQ(int{blind.flags}, 4, "RST alone");
        NS_TEST_EXPECT_MSG_EQ(blind.seq, 79, "number");
        NS_TEST_EXPECT_MSG_EQ(blind.port, 5000, "port");
        NS_TEST_EXPECT_MSG_EQ((blind.good && blind.checksums), true, "well-formed");
    }
}

IWARP_TEST(pathForgery, "packets of ESP", ForgeryTest)
{
    Forged esp{0, 0, 0x10, 1, 0, 0, 0, 9};
    esp.resize(8 + 32, 0x55);
    const Forged about = Wrap(false, 50, esp);
    const Forged forged = MakePathEsp(about, 1, Forged(100, 0xAA));
    Forged wanted = about;
    wanted[20 + 7] = 10;
    std::fill(wanted.begin() + 28, wanted.end(), 0xAA);
    NS_TEST_EXPECT_MSG_EQ((forged == wanted), true, "next number, other octets");
    NS_TEST_EXPECT_MSG_EQ(MakePathEsp(MakeSegment(false).MakeOctets(), 1, {}).size(),
                          0,
                          "TCP is none");
}

IWARP_TEST(pathForgery, "fragments", ForgeryTest)
{
    const Forged whole = MakeSegment(false, 1001).MakeOctets();
    const auto pieces = CutPathDatagram(whole);
    NS_TEST_ASSERT_MSG_EQ(pieces.size(), 2, "two");
    // 20 + 12 + 1001 octets behind IP's header: half is 516, of these a multiple of 8 is 512
    NS_TEST_EXPECT_MSG_EQ(Datagram::Get(pieces[0], 6, 2), 0x2000, "more, offset 0; DF is gone");
    NS_TEST_EXPECT_MSG_EQ(Datagram::Get(pieces[1], 6, 2), 512 / 8, "the last, its offset");
    Forged joined(whole.begin(), whole.begin() + 20);
    for (const auto& piece : pieces)
    {
        NS_TEST_EXPECT_MSG_EQ(Datagram::Get(piece, 2, 2), piece.size(), "length");
        NS_TEST_EXPECT_MSG_EQ(Datagram::Get(piece, 4, 2), Datagram::Get(whole, 4, 2), "id");
        NS_TEST_EXPECT_MSG_EQ(Datagram::Checksum({piece.begin(), piece.begin() + 20}),
                              0,
                              "checksum");
        joined.insert(joined.end(), piece.begin() + 20, piece.end());
    }
    NS_TEST_EXPECT_MSG_EQ((joined == whole), true, "nothing is lost");
    const auto again = CutPathDatagram(pieces[1]); // 521 octets: 256 and 265
    NS_TEST_EXPECT_MSG_EQ(Datagram::Get(again[0], 6, 2), 0x2000 + 512 / 8, "a fragment's begin");
    NS_TEST_EXPECT_MSG_EQ(Datagram::Get(again[1], 6, 2), (512 + 256) / 8, "a fragment's end");
    NS_TEST_EXPECT_MSG_EQ(CutPathDatagram(Wrap(false, 50, Forged(15))).size(), 0, "too short");
    const auto least = CutPathDatagram(Wrap(false, 50, Forged(16)));
    NS_TEST_ASSERT_MSG_EQ(least.size(), 2, "just long enough");
    NS_TEST_EXPECT_MSG_EQ(least[0].size(), 20 + 8, "a unit of 8 octets");
    NS_TEST_EXPECT_MSG_EQ(least[1].size(), 20 + 8, "and the other");
    NS_TEST_EXPECT_MSG_EQ(CutPathDatagram(MakeSegment(true).MakeOctets()).size(), 0, "IPv6");
    const Forged other = Wrap(false, 6, Forged(600, 0xEE));
    const Forged mixed = MixPathFragment(pieces[1], other);
    NS_TEST_EXPECT_MSG_EQ(mixed.size(), pieces[1].size(), "as large");
    Forged wanted = pieces[1];
    std::fill_n(wanted.begin() + 20, 600 - 512, 0xEE); // what the other has there
    NS_TEST_EXPECT_MSG_EQ((mixed == wanted), true, "octets of another");
}

IWARP_TEST(pathForgery, "what is key exchange", ForgeryTest)
{
    for (const bool ipv6 : {false, true})
    {
        const auto is = [ipv6](const Forged& udp, uint8_t protocol = 17) {
            const Forged octets = Wrap(ipv6, protocol, udp);
            return PathPayload::IsKeyExchange(octets.data(), static_cast<uint32_t>(octets.size()));
        };
        NS_TEST_EXPECT_MSG_EQ(is({1, 0xF4, 1, 0xF4, 0, 12, 0, 0, 1, 2, 3, 4}), true, "port 500");
        NS_TEST_EXPECT_MSG_EQ(is({0x11, 0x94, 0x11, 0x94, 0, 12, 0, 0, 0, 0, 0, 0}), true, "4500");
        NS_TEST_EXPECT_MSG_EQ(is({0x11, 0x94, 0x11, 0x94, 0, 12, 0, 0, 0, 0, 1, 0}), false, "ESP");
        NS_TEST_EXPECT_MSG_EQ(is({0, 53, 0, 53, 0, 12, 0, 0, 0, 0, 0, 0}), false, "another port");
        NS_TEST_EXPECT_MSG_EQ(is({1, 0xF4, 1, 0xF4, 0, 12, 0, 0, 1, 2, 3, 4}, 6), false, "TCP");
    }
}

IWARP_TEST(pathForgery, "what an adversary remembers")
{
    PathPacketMemory memory;
    const auto push = [&memory](uint32_t size, PathDirection direction, uint32_t spi) {
        memory.Push({Create<Packet>(size), 0x0800, direction, spi}, 3);
    };
    push(1, PathDirection::A_TO_B, 0);
    push(2, PathDirection::A_TO_B, 100);
    push(3, PathDirection::B_TO_A, 200);
    push(4, PathDirection::A_TO_B, 100);
    push(5, PathDirection::A_TO_B, 101);
    const auto& last = memory.GetLast();
    NS_TEST_ASSERT_MSG_EQ(last.size(), 3, "the last three");
    NS_TEST_EXPECT_MSG_EQ(last.front().packet->GetSize(), 3, "the oldest first");
    auto others = memory.ListOthers(PathDirection::A_TO_B, 101);
    NS_TEST_ASSERT_MSG_EQ(others.size(), 1, "one other association of that direction");
    NS_TEST_EXPECT_MSG_EQ(others[0].packet->GetSize(), 4, "its last packet");
    push(6, PathDirection::A_TO_B, 102);
    others = memory.ListOthers(PathDirection::A_TO_B, 102);
    NS_TEST_ASSERT_MSG_EQ(others.size(), 1, "three associations, the oldest is forgotten");
    NS_TEST_EXPECT_MSG_EQ(others[0].spi, 101, "the one before");
}

} // namespace
