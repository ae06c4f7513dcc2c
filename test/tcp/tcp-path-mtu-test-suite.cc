/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "../iwarp-test.h"

#include "ns3/buffer.h"
#include "ns3/tcp-option-inserter.h"
#include "ns3/tcp-option-ts.h"
#include "ns3/tcp-option-winscale.h"
#include "ns3/tcp-path-mtu.h"

#include <vector>

using namespace ns3;

namespace
{

/// The suite.
IWARP_TEST_SUITE(tcpPathMtu, "tcp-path-mtu");

/// The EMSS and the MSS, against sums by hand (RFC 6691).
IWARP_TEST(tcpPathMtu, "EMSS and MSS")
{
    TcpPathMtu path;
    NS_TEST_EXPECT_MSG_EQ(path.GetEmss(true), 0, "no route");
    path.routeMtu = 1500;
    NS_TEST_EXPECT_MSG_EQ(path.GetEmss(false), 1460, "IPv4");
    NS_TEST_EXPECT_MSG_EQ(path.GetEmss(true), 1448, "timestamps");
    IWARP_COVERS("MPA-2-01");
    NS_TEST_EXPECT_MSG_EQ(path.GetMss(), 1460, "the MSS counts no options");
    IWARP_COVERS("MPA-A.5.1-09");
    path.ipHeader = 40;
    path.overhead = 36;
    NS_TEST_EXPECT_MSG_EQ(path.GetEmss(true), 1500 - 40 - 20 - 36 - 12, "IPv6 and ESP");
    NS_TEST_EXPECT_MSG_EQ(path.GetMss(), 1500 - 40 - 20 - 36, "the peer has the same ESP");
    path.peerMss = 1220;
    NS_TEST_EXPECT_MSG_EQ(path.GetEmss(true), 1208, "options come off the peer's MSS too");
    IWARP_COVERS("MPA-5.1-02");
    path.limit = 1000;
    NS_TEST_EXPECT_MSG_EQ(path.GetEmss(true), 1000, "MaxEmss");
    path.pathMtu = 9000;
    NS_TEST_EXPECT_MSG_EQ(path.GetEmss(true), 1000, "no wider than the route");
    path = TcpPathMtu();
    path.routeMtu = 40;
    path.peerMss = 12;
    NS_TEST_EXPECT_MSG_EQ(path.GetEmss(true), 1, "never less than an octet");
    NS_TEST_EXPECT_MSG_EQ(path.GetMss(), 1, "nor is the MSS");
    path.routeMtu = 100000;
    NS_TEST_EXPECT_MSG_EQ(path.GetMss(), 65535, "what the option can say");
}

/// What an ICMP message may do (RFC 1191 section 3: it never makes a path wider).
IWARP_TEST(tcpPathMtu, "a path becomes narrow")
{
    TcpPathMtu path;
    path.routeMtu = 1500;
    NS_TEST_EXPECT_MSG_EQ(path.Narrow(1500), false, "no news");
    NS_TEST_EXPECT_MSG_EQ(path.Narrow(1400), true, "narrower");
    NS_TEST_EXPECT_MSG_EQ(path.GetEmss(false), 1360, "EMSS");
    NS_TEST_EXPECT_MSG_EQ(path.GetMss(), 1460, "the MSS is about the way back");
    NS_TEST_EXPECT_MSG_EQ(path.Narrow(1450), false, "not wider again");
    NS_TEST_EXPECT_MSG_EQ(path.Narrow(1000), true, "narrower still");
    NS_TEST_EXPECT_MSG_EQ(path.GetEmss(false), 960, "EMSS");
    IWARP_COVERS("MPA-2-01");
}

/// The octets of a SYN's header with the option (RFC 9293 section 3.2: kind 2, length 4).
IWARP_TEST(tcpPathMtu, "octets of the MSS option")
{
    TcpHeader header;
    header.SetSourcePort(0x1234);
    header.SetDestinationPort(0x5678);
    header.SetSequenceNumber(SequenceNumber32(0x01020304));
    header.SetAckNumber(SequenceNumber32(0x05060708));
    header.SetFlags(TcpHeader::SYN | TcpHeader::ACK);
    header.SetWindowSize(0x1000);
    auto scale = CreateObject<TcpOptionWinScale>();
    scale->SetScale(7);
    header.AppendOption(scale);
    const TcpHeader out = TcpAddMssOption(header, 1460);
    Buffer buffer;
    buffer.AddAtStart(out.GetSerializedSize());
    out.Serialize(buffer.Begin());
    std::vector<uint8_t> octets(buffer.GetSize());
    buffer.CopyData(octets.data(), octets.size());
    const std::vector<uint8_t> expected{
        0x12, 0x34, 0x56, 0x78, 1, 2, 3, 4, 5, 6, 7,    8,
        0x70, 0x12, 0x10, 0,    0, 0, 0, 0, 2, 4, 0x05, 0xb4, // MSS
        3,    3,    7,    0,                                  // window scale, end of options
    };
    NS_TEST_EXPECT_MSG_EQ((octets == expected), true, "octets");
    IWARP_COVERS("MPA-A.5.1-09");
}

} // namespace
