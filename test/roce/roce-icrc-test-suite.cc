/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "../iwarp-test.h"

#include "ns3/roce-head.h"
#include "ns3/roce-icrc.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

using namespace ns3;

namespace
{

/// What packets of RoCEv2 are, octet for octet
IWARP_TEST_SUITE(roceIcrc, "roce-icrc");

/// Octets of IPv4's header in these datagrams
constexpr std::size_t CAPTURED_IP = 20;

/// A CNP that a ConnectX-4 Lx sent, from IP to ICRC, as in Scapy's tests of RoCE
/// (test/contrib/roce.uts)
const std::vector<uint8_t> g_capturedCnp{
    0x45, 0xC2, 0x00, 0x3C, 0x71, 0x8C, 0x40, 0x00, 0x40, 0x11, 0x91, 0x61, 0x0A, 0x00, 0x11,
    0x01, 0x0A, 0x00, 0x12, 0x01, 0x00, 0x00, 0x12, 0xB7, 0x00, 0x28, 0x00, 0x00, 0x81, 0x00,
    0xFF, 0xFF, 0x40, 0x00, 0x01, 0x18, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
    0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x82, 0xFD, 0x00, 0x2A};

/// A UC SEND Only with 18 octets of payload and two of padding, from the same place
const std::vector<uint8_t> g_capturedSend{
    0x45, 0x01, 0x00, 0x40, 0x04, 0x78, 0x40, 0x00, 0x40, 0x11, 0xB4, 0xD5, 0xC0, 0xA8, 0x00, 0x07,
    0xC0, 0xA8, 0x00, 0x07, 0xC0, 0x00, 0x12, 0xB7, 0x00, 0x2C, 0xAC, 0xA2, 0x24, 0x60, 0xFF, 0xFF,
    0x00, 0x00, 0x00, 0xD3, 0x00, 0xCF, 0x17, 0x10, 0x46, 0x30, 0x81, 0x8B, 0xE2, 0x89, 0x35, 0xD9,
    0x0E, 0x9A, 0x95, 0x50, 0x54, 0x01, 0xBE, 0x88, 0x5E, 0x50, 0x00, 0x00, 0x78, 0xF3, 0x53, 0xF3};

/// @param datagram from its IP header on, without ICRC @return its ICRC's octets
std::array<uint8_t, RoceHead::ICRC>
ComputeIcrc(const std::vector<uint8_t>& datagram)
{
    std::array<uint8_t, RoceHead::ICRC> octets{};
    RoceIcrc::Write(RoceIcrc::Compute(datagram.data(), datagram.size()), octets.data());
    return octets;
}

IWARP_TEST(roceIcrc, "The ICRC of packets that others have sent")
{
    for (const auto& packet : {g_capturedCnp, g_capturedSend})
    {
        std::vector<uint8_t> datagram(packet.begin(), packet.end() - RoceHead::ICRC);
        const auto icrc = ComputeIcrc(datagram);
        NS_TEST_EXPECT_MSG_EQ(std::equal(icrc.begin(), icrc.end(), packet.end() - RoceHead::ICRC),
                              true,
                              "that of the sender");
        // what routers and queues change: ECN, time to live, checksums, FECN and BECN
        datagram[1] ^= 3;
        datagram[8]--;
        datagram[10] ^= 0xA5;
        datagram[CAPTURED_IP + 7] ^= 0x11;
        datagram[CAPTURED_IP + RoceHead::UDP + 4] ^= 0xC0;
        NS_TEST_EXPECT_MSG_EQ((ComputeIcrc(datagram) == icrc), true, "is not part of it");
        for (const std::size_t at :
             {std::size_t{0}, std::size_t{5}, CAPTURED_IP, datagram.size() - 1})
        {
            datagram[at] ^= 0x80;
            NS_TEST_EXPECT_MSG_EQ((ComputeIcrc(datagram) == icrc), false, "octet " << at << " is");
            datagram[at] ^= 0x80;
        }
    }
}

IWARP_TEST(roceIcrc, "A CNP that an adapter has sent")
{
    const std::size_t begin = CAPTURED_IP + RoceHead::UDP;
    const std::size_t size = g_capturedCnp.size() - begin;
    RoceHead head;
    NS_TEST_ASSERT_MSG_EQ(head.Read(g_capturedCnp.data() + begin, size, size), true, "is one");
    NS_TEST_EXPECT_MSG_EQ((head.kind == RoceHead::Kind::NOTIFICATION), true, "kind");
    NS_TEST_EXPECT_MSG_EQ(head.queuePair, 0x118, "queue pair");
    NS_TEST_EXPECT_MSG_EQ(head.GetPayload(size), 0, "no payload");
    std::vector<uint8_t> written(head.GetSize(), 0xEE);
    head.Write(written.data());
    NS_TEST_EXPECT_MSG_EQ(written.size(), size - RoceHead::ICRC, "as long");
    NS_TEST_EXPECT_MSG_EQ(std::equal(written.begin(), written.end(), g_capturedCnp.begin() + begin),
                          true,
                          "octet for octet");
    for (std::size_t less = 0; less < size; less++)
    {
        NS_TEST_EXPECT_MSG_EQ(head.Read(g_capturedCnp.data() + begin, less, less), false, less);
    }
}

/// What is none of these packets is not read as one.
IWARP_TEST(roceIcrc, "Octets that are no packet of a connection")
{
    RoceHead good;
    good.kind = RoceHead::Kind::WRITE_ONLY;
    std::vector<uint8_t> octets(good.GetSize());
    good.Write(octets.data());
    const std::size_t size = octets.size() + RoceHead::ICRC;
    RoceHead read;
    NS_TEST_EXPECT_MSG_EQ(read.Read(octets.data(), octets.size(), size), true, "as it is");
    octets[1] ^= 1;
    NS_TEST_EXPECT_MSG_EQ(read.Read(octets.data(), octets.size(), size), false, "version 1");
    octets[1] ^= 1;
    octets[3] ^= 1;
    NS_TEST_EXPECT_MSG_EQ(read.Read(octets.data(), octets.size(), size), false, "a partition");
    octets[3] ^= 1;
    octets[1] |= 3 << 4;
    NS_TEST_EXPECT_MSG_EQ(read.Read(octets.data(), octets.size(), size), false, "only padding");
    const std::vector<int> known{0x06, 0x07, 0x08, 0x0A, 0x11, 0x81};
    for (int kind = 0; kind < 256; kind++)
    {
        std::vector<uint8_t> any(64);
        any[0] = static_cast<uint8_t>(kind);
        any[2] = any[3] = 0xFF;
        const bool isKnown = std::find(known.begin(), known.end(), kind) != known.end();
        NS_TEST_EXPECT_MSG_EQ(read.Read(any.data(), any.size(), any.size()), isKnown, kind);
    }
}

} // namespace
