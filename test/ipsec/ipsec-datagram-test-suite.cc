/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "../iwarp-test.h"

#include "ns3/ipsec-datagram.h"

#include <algorithm>
#include <vector>

using namespace ns3;

namespace
{

/// IP headers and IPsec.
IWARP_TEST_SUITE(ipsecDatagram, "ipsec-datagram");

/// ECN at the end of a tunnel, against the table of RFC 6040 (Figure 4).
IWARP_TEST(ipsecDatagram, "RFC 6040 Figure 4")
{
    constexpr uint8_t DROP = 9;
    // by inner and outer field: Not-ECT 0, ECT(1) 1, ECT(0) 2, CE 3
    const uint8_t table[4][4] = {{0, 0, 0, DROP}, {1, 1, 1, 3}, {2, 1, 2, 3}, {3, 3, 3, 3}};
    for (uint8_t inner = 0; inner < 4; inner++)
    {
        for (uint8_t outer = 0; outer < 4; outer++)
        {
            uint8_t tos = 0xB8 | inner;
            const bool passes = CopyIpsecEcn(outer, tos);
            const uint8_t due = table[inner][outer];
            NS_TEST_EXPECT_MSG_EQ(passes, (due != DROP), +inner << " in " << +outer);
            NS_TEST_EXPECT_MSG_EQ(+tos,
                                  (0xB8 | (due == DROP ? inner : due)),
                                  +inner << " in " << +outer << ": the DSCP is the inner one");
        }
    }
}

/// What happens to datagrams that fit a tunnel or not (RFC 4301 section 8.1 and appendix D).
IWARP_TEST(ipsecDatagram, "passage through a tunnel")
{
    using Df = IpsecDontFragment;
    using P = IpsecPassage;

    struct Row
    {
        bool fits;      // fits
        bool divisible; // DF is clear
        Df outer;       // outer DF
        P after;        // fragments after ESP
        P before;       // fragments before ESP
    };

    const Row rows[] = {
        {true, true, Df::COPY, P::DIVISIBLE, P::DIVISIBLE},
        {true, true, Df::SET, P::WHOLE, P::WHOLE},
        {true, true, Df::CLEAR, P::DIVISIBLE, P::DIVISIBLE},
        {true, false, Df::COPY, P::WHOLE, P::WHOLE},
        {true, false, Df::SET, P::WHOLE, P::WHOLE},
        {true, false, Df::CLEAR, P::DIVISIBLE, P::DIVISIBLE},
        {false, true, Df::COPY, P::DIVISIBLE, P::FRAGMENTED_FIRST},
        {false, true, Df::SET, P::FRAGMENTED_FIRST, P::FRAGMENTED_FIRST},
        {false, true, Df::CLEAR, P::DIVISIBLE, P::FRAGMENTED_FIRST},
        {false, false, Df::COPY, P::TOO_BIG, P::TOO_BIG},
        {false, false, Df::SET, P::TOO_BIG, P::TOO_BIG},
        {false, false, Df::CLEAR, P::DIVISIBLE, P::DIVISIBLE},
    };
    for (const auto& row : rows)
    {
        for (const bool before : {false, true})
        {
            const auto fragments = before ? IpsecFragments::BEFORE_ESP : IpsecFragments::AFTER_ESP;
            const P passage = PlanIpsecPassage(row.fits, row.divisible, row.outer, fragments);
            NS_TEST_EXPECT_MSG_EQ(static_cast<int>(passage),
                                  static_cast<int>(before ? row.before : row.after),
                                  &row - rows << (before ? " before" : " after"));
        }
    }
}

/// Fragments of IPv4 datagrams and of fragments, against RFC 791.
IWARP_TEST(ipsecDatagram, "fragments")
{
    for (const bool more : {false, true})
    {
        for (const uint32_t size : {1, 8, 55, 56, 57, 1480, 4000})
        {
            std::vector<uint8_t> octets(size);
            for (uint32_t i = 0; i < size; i++)
            {
                octets[i] = static_cast<uint8_t>(i * 7);
            }
            Ipv4Header header;
            header.SetFragmentOffset(80);
            header.SetIdentification(77);
            more ? header.SetMoreFragments() : header.SetLastFragment();
            const auto pieces = DivideIpv4(header, Create<Packet>(octets.data(), size), 80);
            NS_TEST_EXPECT_MSG_EQ(pieces.size(), (size + 55) / 56, "(80 - 20) / 8 * 8 each");
            uint32_t at = 0;
            for (const auto& [piece, payload] : pieces)
            {
                NS_TEST_EXPECT_MSG_EQ(piece.GetFragmentOffset(), 80 + at, "offset");
                NS_TEST_EXPECT_MSG_EQ(piece.GetPayloadSize(), payload->GetSize(), "length");
                NS_TEST_EXPECT_MSG_EQ(piece.GetIdentification(), 77, "identification");
                std::vector<uint8_t> part(payload->GetSize());
                payload->CopyData(part.data(), payload->GetSize());
                NS_TEST_EXPECT_MSG_EQ(std::equal(part.begin(), part.end(), octets.begin() + at),
                                      true,
                                      "octets");
                at += payload->GetSize();
                NS_TEST_EXPECT_MSG_EQ(piece.IsLastFragment(),
                                      (at == size && !more),
                                      "more fragments");
            }
        }
    }
}

} // namespace
