/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "../iwarp-test.h"
#include "../rdmap/rdmap-capture.h"
#include "rdma-startup-test-util.h"

#include "ns3/boolean.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <string>
#include <vector>

using namespace ns3;

namespace
{

/// Suite of queue pairs and peers as Linux has them.
IWARP_TEST_SUITE(rdmaLinuxPeer, "rdma-linux-peer");

using Kind = RdmaConnectionEvent::Kind;
using Octets = std::vector<uint8_t>;

} // namespace

/// Connections with peers that do as Linux's drivers do.
struct RdmaLinuxPeerTest : TestCase
{
    using TestCase::TestCase;

    /// siw listens: it rejects a Request with M=1. @param isLinux attribute Personality is Linux
    void Connector(bool isLinux)
    {
        const auto taken =
            ReadCapture(CaptureFolder() + "stock_rping_S64_mtu1500.pcap").at(0).octets;
        const auto refused = ReadCapture(CaptureFolder() + "raw_markers.pcap").at(0).octets;
        RdmaTestPair p;
        StartupFrames requests(p.hosts.GetDevice(0));
        p.connector->SetStreamAttribute("Crc", BooleanValue(false)); // as siw's default
        if (isLinux)
        {
            p.connector->SetStreamAttribute("Personality", StringValue("Linux"));
        }
        RawPeer peer;
        peer.Listen(p.hosts.GetNode(1));
        StartConnector(p);
        Simulator::Schedule(MilliSeconds(100), [&] {
            const bool markers = (peer.end->received.at(16) & 0x80) != 0;
            const auto& from = markers ? refused[1] : taken[1];
            peer.end->Send(Octets(from.begin(), from.begin() + 20 + from[18] * 256 + from[19]));
        });
        p.Run(Seconds(5));
        NS_TEST_EXPECT_MSG_EQ(p.a.Count(Kind::ESTABLISHED), isLinux, "siw takes it");
        NS_TEST_EXPECT_MSG_EQ(p.a.Count(Kind::REJECTED), !isLinux, "siw takes no Markers");
        if (isLinux)
        {
            NS_TEST_EXPECT_MSG_EQ(+requests.frames.at(0)[16],
                                  +taken[0].at(16),
                                  "flags as in siw's own Request");
            NS_TEST_EXPECT_MSG_EQ(+requests.frames.at(0)[17], +taken[0].at(17), "and revision");
        }
    }

    /// siw connects: it closes if the Reply has M=1, and one that requires CRC also if it has C=0.
    /// @param name a string attribute to set @param value its value @param crc attribute Crc
    /// @param flags of the Request @param expected flags of the Reply
    void Listener(const std::string& name,
                  const AttributeValue& value,
                  bool crc,
                  const std::string& flags,
                  const std::string& expected)
    {
        RdmaTestPair p;
        StartupFrames replies(p.hosts.GetDevice(1));
        p.listener->SetStreamAttribute("Crc", BooleanValue(crc));
        p.listener->SetStreamAttribute("PathIntegrity", BooleanValue(true));
        p.listener->SetStreamAttribute(name, value);
        p.Start(1);
        RawPeer peer;
        Simulator::Schedule(MilliSeconds(20), [&] { peer.Connect(p.hosts.GetNode(0)); });
        Simulator::Schedule(MilliSeconds(50), [&] {
            peer.end->Send(Hex("4D504120494420526571204672616D65" + flags + "02 0004 0010 0010"));
        });
        p.Run(Seconds(1));
        NS_TEST_EXPECT_MSG_EQ(replies.Last(),
                              expected + "020004 00100010",
                              "Request with " << flags << ", Crc " << crc << ", " << name);
        NS_TEST_ASSERT_MSG_EQ(p.b.Count(Kind::ESTABLISHED), 1, "accepted");
        // either side's C turns CRC on (RFC 5044 section 7.1.1)
        NS_TEST_EXPECT_MSG_EQ(p.accepted->GetMpa()->GetResult().crc,
                              (crc || flags == "50"),
                              "CRC in force");
    }
};

IWARP_TEST(rdmaLinuxPeer, "peers that want no Markers, or go by the Reply's C", RdmaLinuxPeerTest)
{
    Connector(false);
    Connector(true);
    const StringValue personality("Linux");
    Listener("Personality", StringValue("Ietf"), true, "50", "D0");
    Listener("Personality", personality, true, "50", "50");
    Listener("Personality", personality, true, "10", "50");
    Listener("Personality", personality, false, "10", "10");
    Listener("Personality", personality, false, "50", "50");
    Listener("EchoCrc", BooleanValue(false), false, "50", "90");
}
