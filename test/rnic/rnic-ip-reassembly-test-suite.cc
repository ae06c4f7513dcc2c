/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "../iwarp-test.h"
#include "../random-seed.h"
#include "rnic-test-util.h"

#include "ns3/rnic-ip-reassembly.h"

#include <algorithm>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

using namespace ns3;
using namespace rnictest;

namespace
{

/// The RNIC's IP reassembly, without a network.
IWARP_TEST_SUITE(rnicIpReassembly, "rnic-ip-reassembly");

constexpr uint32_t IP_HEADER = 20; // octets of an IPv4 header

/// @param offset of an octet of a datagram's payload @param id of the datagram @return the octet
uint8_t
Pattern(uint32_t offset, uint32_t id)
{
    return static_cast<uint8_t>(offset * 7 + offset / 251 + id * 31);
}

/// @param id of a datagram @param offset first octet @param size octets @param more others follow
/// @return a fragment of it
RnicIpReassembly::Fragment
MakePiece(uint32_t id, uint32_t offset, uint32_t size, bool more)
{
    std::vector<uint8_t> octets(size);
    for (uint32_t i = 0; i < size; i++)
    {
        octets[i] = Pattern(offset + i, id);
    }
    RnicIpReassembly::Fragment fragment;
    fragment.key.source[0] = 10;
    fragment.key.destination[0] = 11;
    fragment.key.identification = id;
    fragment.key.protocol = 6;
    fragment.header = IP_HEADER;
    fragment.offset = offset;
    fragment.more = more;
    fragment.payload = Create<Packet>(octets.data(), size);
    fragment.whole = Create<Packet>(size + IP_HEADER);
    return fragment;
}

/// @param id of a datagram @param size octets of its payload @param mtu of the link
/// @return its fragments as RFC 791 cuts them
std::vector<RnicIpReassembly::Fragment>
CutDatagram(uint32_t id, uint32_t size, uint32_t mtu)
{
    const uint32_t most = (mtu - IP_HEADER) / 8 * 8;
    std::vector<RnicIpReassembly::Fragment> fragments;
    for (uint32_t at = 0; at < size; at += most)
    {
        fragments.push_back(MakePiece(id, at, std::min(most, size - at), at + most < size));
    }
    return fragments;
}

/// @param payload of a datagram put together @param id of it @param size octets it should have
/// @return it is that
bool
IsIntact(const Ptr<Packet>& payload, uint32_t id, uint32_t size)
{
    if (!payload || payload->GetSize() != size)
    {
        return false;
    }
    std::vector<uint8_t> octets(size);
    payload->CopyData(octets.data(), size);
    for (uint32_t i = 0; i < size; i++)
    {
        if (octets[i] != Pattern(i, id))
        {
            return false;
        }
    }
    return true;
}

/// What several fragments have come to.
struct ReassemblySum
{
    uint32_t whole{0};   //!< datagrams, right to the octet
    uint32_t wrong{0};   //!< datagrams that are not
    uint32_t refused{0}; //!< first fragments whose senders are to be told
};

/// @param buffer takes @param fragments these, at the same time @param size octets of each payload
/// @return what comes of it
ReassemblySum
AddAll(RnicIpReassembly& buffer,
       const std::vector<RnicIpReassembly::Fragment>& fragments,
       uint32_t size)
{
    ReassemblySum sum;
    for (const auto& fragment : fragments)
    {
        const auto outcome = buffer.Add(0, fragment);
        sum.refused += static_cast<uint32_t>(outcome.refused.size());
        if (outcome.payload)
        {
            const bool good = IsIntact(outcome.payload, fragment.key.identification, size);
            ++(good ? sum.whole : sum.wrong);
        }
    }
    return sum;
}

/// @param datagrams how many @param size octets of payload of each @param mtu of the link
/// @return their fragments, those of all datagrams in turn
std::vector<RnicIpReassembly::Fragment>
Interleave(uint32_t datagrams, uint32_t size, uint32_t mtu)
{
    std::vector<RnicIpReassembly::Fragment> all;
    const std::size_t pieces = CutDatagram(0, size, mtu).size();
    for (std::size_t i = 0; i < pieces; i++)
    {
        for (uint32_t id = 0; id < datagrams; id++)
        {
            all.push_back(CutDatagram(id, size, mtu)[i]);
        }
    }
    return all;
}

/// The five policies of RFC 5044 A.5.1: what each puts together, holds, and has the sender told.
IWARP_TEST(rnicIpReassembly, "five policies of reassembly")
{
    // 1: nothing
    auto buffer = StartPart<RnicIpReassembly>("Policy=Drop");
    ReassemblySum sum = AddAll(*buffer, CutDatagram(1, 1480, 1000), 1480);
    NS_TEST_EXPECT_MSG_EQ(sum.whole + sum.wrong, 0, "dropped");
    NS_TEST_EXPECT_MSG_EQ(sum.refused, 1, "one message for two fragments (RFC 1122 3.2.2)");
    NS_TEST_EXPECT_MSG_EQ(buffer->GetDropped(), 2, "both");
    NS_TEST_EXPECT_MSG_EQ(buffer->GetPeak(), 0, "no memory");

    // 2: one buffer, as long as the link's MTU
    buffer = StartPart<RnicIpReassembly>("Policy=Limited");
    buffer->SetLinkMtu(1500);
    sum = AddAll(*buffer, CutDatagram(1, 1480, 1000), 1480);
    NS_TEST_EXPECT_MSG_EQ(sum.whole, 1, "1500 octets with the header");
    NS_TEST_EXPECT_MSG_EQ(buffer->GetPeak(), 1500, "held with its last fragment");
    sum = AddAll(*buffer, CutDatagram(2, 1481, 1000), 1481);
    NS_TEST_EXPECT_MSG_EQ(sum.whole + sum.wrong, 0, "an octet too much");
    NS_TEST_EXPECT_MSG_EQ(sum.refused, 1, "and the sender is told");
    auto backwards = CutDatagram(3, 1481, 1000);
    std::reverse(backwards.begin(), backwards.end());
    sum = AddAll(*buffer, backwards, 1481);
    NS_TEST_EXPECT_MSG_EQ(sum.whole + sum.wrong, 0, "in any order");
    NS_TEST_EXPECT_MSG_EQ(sum.refused, 1, "told when the first one comes");
    buffer->SetLinkMtu(1501);
    sum = AddAll(*buffer, CutDatagram(4, 1481, 1000), 1481);
    NS_TEST_EXPECT_MSG_EQ(sum.whole, 1, "a longer MTU, a longer buffer");
    sum = AddAll(*StartPart<RnicIpReassembly>("Policy=Limited Octets=1501"),
                 CutDatagram(2, 1481, 1000),
                 1481);
    NS_TEST_EXPECT_MSG_EQ(sum.whole, 1, "Octets");
    IWARP_COVERS("MPA-A.5.1-04");

    // 3: no limit
    buffer = StartPart<RnicIpReassembly>("");
    sum = AddAll(*buffer, Interleave(10, 4000, 576), 4000);
    NS_TEST_EXPECT_MSG_EQ(sum.whole, 10, "ten at once");
    NS_TEST_EXPECT_MSG_EQ(sum.refused + sum.wrong, 0, "and nothing else");
    NS_TEST_EXPECT_MSG_EQ(buffer->GetHeld(), 0, "empty");
    IWARP_COVERS("MPA-A.5.1-05");

    // 4: one buffer for the largest datagram
    buffer = StartPart<RnicIpReassembly>("Policy=Max64K");
    sum = AddAll(*buffer, CutDatagram(1, 65515, 1500), 65515);
    NS_TEST_EXPECT_MSG_EQ(sum.whole, 1, "65535 octets");
    NS_TEST_EXPECT_MSG_EQ(buffer->GetPeak(), 65535, "all of it");
    sum = AddAll(*buffer, Interleave(2, 2000, 1000), 2000);
    NS_TEST_EXPECT_MSG_EQ(sum.whole + sum.wrong, 0, "two that alternate");
    sum = AddAll(*buffer, CutDatagram(3, 2000, 1000), 2000);
    NS_TEST_EXPECT_MSG_EQ(sum.whole, 1, "what they left behind is in nobody's way");
    IWARP_COVERS("MPA-A.5.1-06");

    // 5: one buffer for several: three at once take 3 * (20 + 1956) octets at most
    buffer = StartPart<RnicIpReassembly>("Policy=Pooled Octets=6000");
    sum = AddAll(*buffer, Interleave(3, 1956, 1000), 1956);
    NS_TEST_EXPECT_MSG_EQ(sum.whole, 3, "they fit");
    NS_TEST_EXPECT_MSG_LT_OR_EQ(buffer->GetPeak(), 6000, "within the limit");
    sum = AddAll(*buffer, Interleave(7, 1956, 1000), 1956);
    NS_TEST_EXPECT_MSG_LT(sum.whole, 7, "seven do not");
    NS_TEST_EXPECT_MSG_GT(sum.refused, 0, "senders are told");
    NS_TEST_EXPECT_MSG_LT_OR_EQ(buffer->GetPeak(), 6000, "within the limit");
    IWARP_COVERS("MPA-A.5.1-07");

    // statistics that begin anew begin with what is held: headers and payload of the two that wait
    buffer = StartPart<RnicIpReassembly>("");
    AddAll(*buffer, Interleave(3, 1956, 1000), 1956);
    AddAll(*buffer, {MakePiece(7, 0, 800, true), MakePiece(8, 0, 400, true)}, 0);
    NS_TEST_EXPECT_MSG_GT(buffer->GetPeak(), 3 * 1956, "three at once");
    buffer->RestartStatistics(0);
    NS_TEST_EXPECT_MSG_EQ(buffer->GetPeak(), 800 + 400 + 2 * IP_HEADER, "held yet");
    NS_TEST_EXPECT_MSG_EQ(buffer->GetFragments() + buffer->GetDropped(), 0, "none since");

    const auto fault = CreatePart<RnicIpReassembly>("Octets=67")->Check();
    NS_TEST_EXPECT_MSG_NE(fault.find("68"), std::string::npos, "" << fault);
}

/// Overlaps, duplicates, fragments that cannot be, lost ones.
IWARP_TEST(rnicIpReassembly, "overlapping, repeated, wrong and lost fragments")
{
    // RFC 8200 section 4.5: an exact duplicate does no harm
    auto buffer = StartPart<RnicIpReassembly>("");
    ReassemblySum sum = AddAll(
        *buffer,
        {MakePiece(1, 0, 800, true), MakePiece(1, 0, 800, true), MakePiece(1, 800, 8, false)},
        808);
    NS_TEST_EXPECT_MSG_EQ(sum.whole, 1, "duplicate");
    NS_TEST_EXPECT_MSG_EQ(buffer->GetDropped(), 1, "counted");

    // RFC 5722: overlapping fragments discard the datagram, and what is still to come of it
    for (const auto& overlap : {MakePiece(2, 792, 800, true),   // back into the first
                                MakePiece(2, 0, 808, true),     // over the first
                                MakePiece(2, 80, 80, true),     // inside the first
                                MakePiece(2, 80, 81, false),    // end inside the first
                                MakePiece(2, 1500, 10, false),  // another end
                                MakePiece(2, 1600, 800, true),  // behind the end
                                MakePiece(2, 800, 1000, true)}) // across a gap
    {
        buffer = StartPart<RnicIpReassembly>("");
        sum = AddAll(*buffer,
                     {MakePiece(2, 0, 800, true),
                      MakePiece(2, 1592, 8, false),
                      overlap,
                      MakePiece(2, 800, 792, true),
                      MakePiece(2, 0, 800, true),
                      MakePiece(2, 1592, 8, false)},
                     1600);
        NS_TEST_EXPECT_MSG_EQ(sum.whole + sum.wrong,
                              0,
                              "overlap at " << overlap.offset << ": discarded");
        NS_TEST_EXPECT_MSG_EQ(sum.refused, 0, "silently");
        NS_TEST_EXPECT_MSG_EQ(buffer->GetHeld(), IP_HEADER, "nothing of it is held");
    }

    // a last one that others are behind
    buffer = StartPart<RnicIpReassembly>("");
    sum = AddAll(*buffer,
                 {MakePiece(2, 800, 800, true),
                  MakePiece(2, 0, 800, false),
                  MakePiece(2, 0, 800, true),
                  MakePiece(2, 1600, 8, false)},
                 1608);
    NS_TEST_EXPECT_MSG_EQ(sum.whole + sum.wrong, 0, "a last one with others behind: discarded");
    NS_TEST_EXPECT_MSG_EQ(buffer->GetHeld(), IP_HEADER, "nothing of it is held");

    // RFC 791, RFC 1858: what no sender makes
    buffer = StartPart<RnicIpReassembly>("");
    const auto wrong = {MakePiece(3, 0, 801, true),     // no multiple of 8 octets
                        MakePiece(3, 0, 0, true),       // nothing
                        MakePiece(3, 65520, 16, false), // more than 65535 octets
                        MakePiece(3, 0, 8, true),       // TCP's flags are in the next one
                        MakePiece(3, 8, 800, true)};    // and that one
    sum = AddAll(*buffer, wrong, 0);
    NS_TEST_EXPECT_MSG_EQ(buffer->GetDropped(), wrong.size(), "each of them");
    NS_TEST_EXPECT_MSG_EQ(buffer->GetHeld(), 0, "none is held");
    NS_TEST_EXPECT_MSG_EQ(sum.refused, 0, "and none answered");
    // IPv6 counts what is behind its header (RFC 8200 section 3), IPv4 that, too
    for (const bool ipv6 : {false, true})
    {
        const auto longest = StartPart<RnicIpReassembly>("");
        auto last = MakePiece(3, 65520, 15, false);
        last.key.ipv6 = ipv6;
        longest->Add(0, last);
        NS_TEST_EXPECT_MSG_EQ(longest->GetDropped(), (ipv6 ? 0 : 1), "65535 octets");
    }
    auto udp = MakePiece(3, 0, 8, true);
    udp.key.protocol = 17;
    buffer->Add(0, udp);
    NS_TEST_EXPECT_MSG_EQ(buffer->GetHeld(), IP_HEADER + 8, "not TCP");

    // a lost one: given up after Timeout, the first fragment is known
    buffer = StartPart<RnicIpReassembly>("Timeout=30s");
    buffer->Add(5, MakePiece(4, 0, 800, true));
    buffer->Add(6, MakePiece(5, 800, 8, false));
    const RnicTime second = 1'000'000'000'000;
    NS_TEST_EXPECT_MSG_EQ(buffer->GetNextExpiry(), 5 + 30 * second, "30 s from the first");
    NS_TEST_EXPECT_MSG_EQ(buffer->Expire(4 + 30 * second).size(), 0, "not yet");
    NS_TEST_EXPECT_MSG_EQ(buffer->Expire(5 + 30 * second).size(), 1, "RFC 792: now");
    NS_TEST_EXPECT_MSG_EQ(buffer->Expire(6 + 30 * second).size(), 0, "no first fragment");
    NS_TEST_EXPECT_MSG_EQ(buffer->GetHeld(), 0, "all gone");
    NS_TEST_EXPECT_MSG_EQ(buffer->GetNextExpiry(), -1, "nothing waits");
    NS_TEST_EXPECT_MSG_EQ(buffer->GetDropped(), 2, "counted");
}

/// Datagrams in fragments in random order, some repeated: all come out right; with a limit, what
/// is held never goes beyond it, whatever comes.
IWARP_TEST(rnicIpReassembly, "random orders and garbage")
{
    for (uint32_t seed = 0; seed < 200; seed++)
    {
        std::mt19937 random(RandomSeed(seed));
        const auto number = static_cast<uint32_t>(1 + random() % 5);
        const auto size = static_cast<uint32_t>(40 + random() % 3000);
        auto fragments = Interleave(number, size, static_cast<uint32_t>(68 + random() % 999));
        std::shuffle(fragments.begin(), fragments.end(), random);
        fragments.push_back(fragments[random() % fragments.size()]);
        const auto pooled = StartPart<RnicIpReassembly>("Policy=Pooled Octets=3000");
        const auto unlimited = StartPart<RnicIpReassembly>("");
        uint32_t datagrams = 0;
        for (const auto& fragment : fragments)
        {
            const auto outcome = unlimited->Add(0, fragment);
            if (outcome.payload)
            {
                ++datagrams;
                const uint32_t id = fragment.key.identification;
                NS_TEST_EXPECT_MSG_EQ(IsIntact(outcome.payload, id, size), true, "" << seed);
            }
            const auto offset = static_cast<uint32_t>(random() % 9000 * 8);
            const auto octets = static_cast<uint32_t>(random() % 300 * 8);
            const auto id = static_cast<uint32_t>(random() % 9);
            const auto garbage = MakePiece(id, offset, octets, random() % 4 > 0);
            pooled->Add(0, random() % 2 ? garbage : fragment);
            NS_TEST_EXPECT_MSG_LT_OR_EQ(pooled->GetHeld(), 3000, "seed " << seed);
        }
        NS_TEST_EXPECT_MSG_GT_OR_EQ(datagrams, number, "all, seed " << seed);
        pooled->Expire(INT64_MAX);
        NS_TEST_EXPECT_MSG_EQ(pooled->GetHeld(), 0, "nothing is lost, seed " << seed);
    }
}

} // namespace
