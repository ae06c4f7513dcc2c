/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "../iwarp-test.h"
#include "path-tcp-datagram.h"

#include "ns3/flow-id-tag.h"
#include "ns3/path-prefix.h"
#include "ns3/path-tcp-run.h"
#include "ns3/path-tcp-segment.h"

#include <algorithm>
#include <random>
#include <string>
#include <vector>

using namespace ns3;

namespace
{

/// The suite
IWARP_TEST_SUITE(pathTcpSegment, "path-tcp-segment");

using Octets = Datagram::Octets;
using Segment = PathTcpSegment;

/// What is not understood is not touched; what is, is written as it was read.
struct UnderstandTest : TestCase
{
    using TestCase::TestCase;

    /// @param octets of a datagram @param checksums in use @return whether it is understood
    static bool Understands(const Octets& octets, bool checksums = true)
    {
        const uint16_t protocol = octets[0] >> 4 == 6 ? 0x86DD : 0x0800;
        return Segment::Read(Datagram::ToPacket(octets), protocol, checksums).has_value();
    }

    /// @param datagram datagram @param at an octet of it @param value the octet's new one
    /// @return whether it is understood then, where nobody looks at checksums
    static bool WithOctet(const Datagram& datagram, std::size_t at, uint8_t value)
    {
        Octets octets = datagram.MakeOctets();
        octets[at] = value;
        return Understands(octets, false);
    }

    /// Change octets at random: no crash, and what is understood is written as it was read.
    void DoRunMutations()
    {
        std::mt19937 random(1);
        uint32_t understood = 0;
        for (uint32_t i = 0; i < 20000; i++)
        {
            Datagram datagram;
            datagram.ipv6 = i % 2;
            datagram.options = Datagram::Timestamps(1, 2);
            datagram.payload = Datagram::MakePayload(i % 50);
            Octets octets = datagram.MakeOctets();
            for (uint32_t n = i % 4; n > 0; n--)
            {
                octets[random() % octets.size()] = static_cast<uint8_t>(random());
            }
            octets.resize(octets.size() - (i % 7 == 0 ? random() % octets.size() : 0));
            const auto packet = Datagram::ToPacket(octets);
            const auto segment = Segment::Read(packet, datagram.GetProtocol(), false);
            if (segment)
            {
                understood++;
                Octets written = Datagram::ToOctets(segment->Write());
                octets.resize(written.size()); // padding, where the length has become less
                NS_TEST_EXPECT_MSG_EQ((written == octets), true, "as it was, " << i);
            }
        }
        NS_TEST_EXPECT_MSG_GT(understood, 5000, "many");
        NS_TEST_EXPECT_MSG_LT(understood, 19000, "not all");
    }
};

IWARP_TEST(pathTcpSegment, "What is understood", UnderstandTest)
{
    Datagram four;
    four.payload = Datagram::MakePayload(100);
    four.options = {1, 1, 1, 0};
    Datagram six = four;
    six.ipv6 = true;
    NS_TEST_EXPECT_MSG_EQ(Understands(four.MakeOctets()), true, "IPv4");
    NS_TEST_EXPECT_MSG_EQ(Understands(six.MakeOctets()), true, "IPv6");
    NS_TEST_EXPECT_MSG_EQ(Segment::Read(four.Make(), 0x0806, true).has_value(), false, "ARP");
    NS_TEST_EXPECT_MSG_EQ(WithOctet(four, 0, 0x46), false, "IP options");
    NS_TEST_EXPECT_MSG_EQ(WithOctet(four, 6, 0x20), false, "the first fragment");
    NS_TEST_EXPECT_MSG_EQ(WithOctet(four, 7, 0x01), false, "a later fragment");
    NS_TEST_EXPECT_MSG_EQ(WithOctet(four, 9, 17), false, "UDP");
    NS_TEST_EXPECT_MSG_EQ(WithOctet(six, 6, 0), false, "hop-by-hop options");
    NS_TEST_EXPECT_MSG_EQ(WithOctet(six, 6, 44), false, "a fragment of IPv6");
    NS_TEST_EXPECT_MSG_EQ(WithOctet(four, 3, 145), false, "longer than it is");
    NS_TEST_EXPECT_MSG_EQ(WithOctet(four, 32, 0x40), false, "a TCP header of 16 octets");
    NS_TEST_EXPECT_MSG_EQ(WithOctet(four, 3, 43), false, "shorter than its headers");
    for (const auto& options : std::vector<Octets>{{8, 0, 0, 0},  // no length
                                                   {8, 10, 0, 0}, // beyond the end
                                                   {1, 1, 1, 2},  // no room for a length
                                                   {2, 3, 0, 0},  // an MSS of one octet
                                                   {8, 4, 0, 0},
                                                   {30, 5, 0, 0}}) // an octet beyond the end
    {
        four.options = options;
        NS_TEST_EXPECT_MSG_EQ(Understands(four.MakeOctets()), false, "malformed options");
    }
    four.options = {0, 8, 0, 0};
    NS_TEST_EXPECT_MSG_EQ(Understands(four.MakeOctets()), true, "nothing counts behind the end");

    Octets wrong = four.MakeOctets();
    wrong.back() ^= 1;
    NS_TEST_EXPECT_MSG_EQ(Understands(wrong), false, "a wrong checksum stays wrong");
    NS_TEST_EXPECT_MSG_EQ(Understands(wrong, false), true, "unless there are none");
    Octets padded = four.MakeOctets();
    padded.resize(padded.size() + 6);
    const auto cut = Segment::Read(Datagram::ToPacket(padded), 0x0800, true);
    NS_TEST_EXPECT_MSG_EQ(cut->GetSize(), 100, "padding is left off");
    DoRunMutations();
}

/// Options are overwritten in place, the MSS is lowered; checksums follow.
IWARP_TEST(pathTcpSegment, "Options kept and stripped")
{
    for (const bool ipv6 : {false, true})
    {
        Datagram syn;
        syn.ipv6 = ipv6;
        syn.flags = 0x02;
        syn.options = {2, 4, 5, 180, 4, 2, 8, 10, 1, 2, 3, 4, 0, 0, 0, 0, 1, 3, 3, 7};
        auto segment = *ReadSegment(syn);
        NS_TEST_EXPECT_MSG_EQ(segment.ClampMss(1460), false, "no more than that");
        NS_TEST_EXPECT_MSG_EQ(segment.ClampMss(1000), true, "more");
        NS_TEST_EXPECT_MSG_EQ(segment.StripOption(Segment::SACK), false, "no blocks");
        NS_TEST_EXPECT_MSG_EQ(segment.StripOption(Segment::SACK_OK), true, "SACK permitted");
        auto read = Datagram::Read(segment.Write());
        NS_TEST_EXPECT_MSG_EQ(read.checksums && read.good, true, "checksums");
        NS_TEST_EXPECT_MSG_EQ(
            (read.options == Octets{2, 4, 3, 232, 1, 1, 8, 10, 1, 2, 3, 4, 0, 0, 0, 0, 1, 3, 3, 7}),
            true,
            "clamped, SACK gone");
        NS_TEST_EXPECT_MSG_EQ(segment.StripOption(Segment::TIMESTAMPS), true, "timestamps");
        read = Datagram::Read(segment.Write());
        Octets rest(20, 1);
        std::copy_n(Octets{2, 4, 3, 232}.begin(), 4, rest.begin());
        std::copy_n(Octets{3, 3, 7}.begin(), 3, rest.begin() + 17);
        NS_TEST_EXPECT_MSG_EQ((read.options == rest), true, "window scale is left");
        NS_TEST_EXPECT_MSG_EQ(read.checksums && read.good, true, "checksums");
    }
}

/// Each option of a kind goes, and no other one.
IWARP_TEST(pathTcpSegment, "An option that is there twice")
{
    Datagram syn;
    syn.flags = 0x02;
    syn.options = {4, 2, 2, 4, 5, 180, 4, 2};
    auto segment = *ReadSegment(syn);
    NS_TEST_EXPECT_MSG_EQ(segment.StripOption(Segment::SACK_OK), true, "SACK permitted");
    const auto read = Datagram::Read(segment.Write());
    NS_TEST_EXPECT_MSG_EQ((read.options == Datagram::Octets{1, 1, 2, 4, 5, 180, 1, 1}),
                          true,
                          "both are gone");
}

/// Payload that ns-3 only counts, without checksums; tags stay where their octets are.
IWARP_TEST(pathTcpSegment, "Virtual payload and tags")
{
    Datagram headers;
    headers.checksums = false;
    headers.fragment = 0;
    Octets octets = headers.MakeOctets();
    octets[2] = (1040 >> 8);
    octets[3] = 1040 & 0xFF;
    const auto packet = Datagram::ToPacket(octets);
    const auto counted = Create<Packet>(1000);
    counted->AddByteTag(FlowIdTag(42), 700, 1000);
    packet->AddAtEnd(counted);
    const auto segment = Segment::Read(packet, 0x0800, false);
    NS_TEST_ASSERT_MSG_EQ(segment.has_value(), true, "understood");
    const auto pieces = PathTcpRun(*segment).Cut([] { return 600; }, [] { return 1; });
    NS_TEST_ASSERT_MSG_EQ(pieces.size(), 2, "two");
    FlowIdTag tag;
    NS_TEST_EXPECT_MSG_EQ(pieces[0].Write()->FindFirstMatchingByteTag(tag), false, "no tag");
    NS_TEST_EXPECT_MSG_EQ(pieces[1].Write()->FindFirstMatchingByteTag(tag), true, "the tag");
    Octets second = Datagram::ToOctets(pieces[1].Write());
    NS_TEST_EXPECT_MSG_EQ(second.size(), 440, "octets");
    NS_TEST_EXPECT_MSG_EQ(Datagram::Get(second, 10, 2), 0, "no checksum of IP");
    NS_TEST_EXPECT_MSG_EQ(Datagram::Get(second, 36, 2), 0, "none of TCP");
    NS_TEST_EXPECT_MSG_EQ((Octets(second.begin() + 40, second.end()) == Octets(400)),
                          true,
                          "nothing");
}

/// Prefixes as text.
IWARP_TEST(pathTcpSegment, "Prefixes")
{
    const Octets four{10, 1, 2, 3};
    Octets six{0x20, 0x01, 0x0D, 0xB8};
    six.resize(16);

    struct Case
    {
        const char* text;
        bool good;
        bool four;
        bool six;
    };

    for (const auto& [text, good, isFour, isSix] :
         std::vector<Case>{{"", true, true, true},
                           {"10.1.2.3", true, true, false},
                           {"10.1.2.4", true, false, false},
                           {"10.1.0.0/16", true, true, false},
                           {"10.1.2.2/31", true, true, false},
                           {"10.1.2.4/30", true, false, false},
                           {"0.0.0.0/0", true, true, false},
                           {"::/0", true, false, true},
                           {"2001:db8::/32", true, false, true},
                           {"2001:db8::", true, false, true},
                           {"2001:db9::/32", true, false, false},
                           {"2001:db9::/31", true, false, true},
                           {"10.1.2", false, false, false},
                           {"10.1.2.3/", false, false, false},
                           {"10.1.2.3/33", false, false, false},
                           {"10.1.2.3/-1", false, false, false},
                           {"::/129", false, false, false},
                           {"host", false, false, false}})
    {
        PathPrefix prefix;
        NS_TEST_EXPECT_MSG_EQ(prefix.Parse(text), good, text);
        NS_TEST_EXPECT_MSG_EQ(prefix.GetText(), (good ? text : ""), "text");
        if (good)
        {
            NS_TEST_EXPECT_MSG_EQ(prefix.Matches(four.data(), false), isFour, text);
            NS_TEST_EXPECT_MSG_EQ(prefix.Matches(six.data(), true), isSix, text);
        }
    }
}

} // namespace
