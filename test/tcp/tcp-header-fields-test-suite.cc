/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "../iwarp-test.h"

#include "ns3/buffer.h"
#include "ns3/packet.h"
#include "ns3/tcp-header-fields.h"
#include "ns3/tcp-header.h"
#include "ns3/tcp-option-ts.h"
#include "ns3/tcp-option-winscale.h"
#include "ns3/tcp-plain-header.h"

#include <sstream>
#include <vector>

using namespace ns3;

namespace
{

/// The suite.
IWARP_TEST_SUITE(tcpHeaderFields, "tcp-header-fields");

/// Headers as ns-3 and as Linux write them, and what is none.
struct SegmentHeaderTest : TestCase
{
    using TestCase::TestCase;

    static std::vector<uint8_t> Write(const TcpHeader& header)
    {
        Buffer buffer;
        buffer.AddAtStart(header.GetSerializedSize());
        header.Serialize(buffer.Begin());
        std::vector<uint8_t> octets(buffer.GetSize());
        buffer.CopyData(octets.data(), octets.size());
        return octets;
    }

    static TcpHeader Make()
    {
        TcpHeader header;
        header.SetSourcePort(0x1234);
        header.SetDestinationPort(0x5678);
        header.SetSequenceNumber(SequenceNumber32(0xf1020304));
        header.SetAckNumber(SequenceNumber32(0x05060708));
        header.SetFlags(TcpHeader::ACK | TcpHeader::PSH);
        header.SetWindowSize(0xfedc);
        return header;
    }

    static Ptr<TcpOptionTS> MakeTimestamps()
    {
        auto option = CreateObject<TcpOptionTS>();
        option->SetTimestamp(0xa1a2a3a4);
        option->SetEcho(0xb1b2b3b4);
        return option;
    }

    void CheckTimestamps(const std::vector<uint8_t>& octets, bool plain)
    {
        TcpHeaderFields fields;
        NS_TEST_ASSERT_MSG_EQ(fields.Read(octets.data(), octets.size()), true, "read");
        NS_TEST_EXPECT_MSG_EQ(fields.size, octets.size(), "size");
        NS_TEST_ASSERT_MSG_EQ(fields.plain, plain, "no option but timestamps");
        NS_TEST_ASSERT_MSG_EQ(fields.timestamps, plain, "timestamps");
        NS_TEST_EXPECT_MSG_EQ(fields.timestamp, (plain ? 0xa1a2a3a4 : 0), "TSval");
        NS_TEST_EXPECT_MSG_EQ(fields.echo, (plain ? 0xb1b2b3b4 : 0), "TSecr");
    }
};

IWARP_TEST(tcpHeaderFields, "fields of TCP headers", SegmentHeaderTest)
{
    TcpHeaderFields fields;
    TcpHeader header = Make();
    auto octets = Write(header);
    NS_TEST_ASSERT_MSG_EQ(fields.Read(octets.data(), octets.size()), true, "read");
    NS_TEST_EXPECT_MSG_EQ(fields.source, 0x1234, "source port");
    NS_TEST_EXPECT_MSG_EQ(fields.destination, 0x5678, "destination port");
    NS_TEST_EXPECT_MSG_EQ(fields.seq, 0xf1020304, "sequence number");
    NS_TEST_EXPECT_MSG_EQ(fields.ack, 0x05060708, "acknowledgment number");
    NS_TEST_EXPECT_MSG_EQ(+fields.flags, 0x18, "flags");
    NS_TEST_EXPECT_MSG_EQ(fields.window, 0xfedc, "window");
    NS_TEST_EXPECT_MSG_EQ(fields.size, 20, "size");
    NS_TEST_EXPECT_MSG_EQ(fields.plain, true, "no options");
    NS_TEST_EXPECT_MSG_EQ(fields.timestamps, false, "no timestamps");

    header.AppendOption(MakeTimestamps());
    octets = Write(header);
    NS_TEST_ASSERT_MSG_EQ(octets.size(), 32, "as ns-3 pads it");
    CheckTimestamps(octets, true);
    octets.resize(24);
    NS_TEST_ASSERT_MSG_EQ(fields.Read(octets.data(), octets.size()), true, "a part is there");
    NS_TEST_EXPECT_MSG_EQ(fields.plain, false, "so that the options are not known");

    octets = Write(Make()); // as Linux pads it
    octets[12] = 8 << 4;
    const std::vector<uint8_t> kernel{1, 1, 8, 10, 0xa1, 0xa2, 0xa3, 0xa4, 0xb1, 0xb2, 0xb3, 0xb4};
    octets.insert(octets.end(), kernel.begin(), kernel.end());
    CheckTimestamps(octets, true);
    octets[21] = 3; // another option between
    CheckTimestamps(octets, false);

    header = Make();
    header.AppendOption(MakeTimestamps());
    header.AppendOption(CreateObject<TcpOptionWinScale>());
    octets = Write(header); // 36 octets
    CheckTimestamps(octets, false);

    octets = Write(Make());
    NS_TEST_EXPECT_MSG_EQ(fields.Read(octets.data(), 19), false, "too short");
    octets[12] = 4 << 4;
    NS_TEST_EXPECT_MSG_EQ(fields.Read(octets.data(), 20), false, "less than a header");
}

/// A header without an object for each option has the octets of ns-3's, and is one for packets.
IWARP_TEST(tcpHeaderFields, "a plain header is a TcpHeader", SegmentHeaderTest)
{
    Packet::EnablePrinting();
    for (const bool timestamps : {false, true})
    {
        TcpHeader header = Make();
        if (timestamps)
        {
            header.AppendOption(MakeTimestamps());
        }
        const auto octets = Write(header);
        TcpHeaderFields fields;
        NS_TEST_ASSERT_MSG_EQ(fields.Read(octets.data(), octets.size()), true, "read");
        const auto packet = Create<Packet>(100);
        packet->AddHeader(TcpPlainHeader(fields));
        NS_TEST_ASSERT_MSG_EQ(packet->GetSize(), octets.size() + 100, "size");
        std::vector<uint8_t> written(octets.size());
        packet->CopyData(written.data(), written.size());
        NS_TEST_EXPECT_MSG_EQ((written == octets), true, "octets");
        std::ostringstream print;
        packet->Print(print);
        const auto another = Create<Packet>(100);
        another->AddHeader(header);
        std::ostringstream expected;
        another->Print(expected);
        NS_TEST_EXPECT_MSG_EQ(print.str(), expected.str(), "metadata");
        TcpHeader read;
        NS_TEST_EXPECT_MSG_EQ(packet->RemoveHeader(read), octets.size(), "removed as a TcpHeader");
        NS_TEST_EXPECT_MSG_EQ((Write(read) == octets), true, "the same");
    }
}

} // namespace
