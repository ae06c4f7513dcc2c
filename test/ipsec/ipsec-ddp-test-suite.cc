/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "../iwarp-test.h"
#include "../verbs/rdma-test-pair.h"

#include "ns3/config.h"
#include "ns3/ipsec-helper.h"
#include "ns3/tcp-l4-protocol.h"
#include "ns3/uinteger.h"

#include <algorithm>

using namespace ns3;

namespace
{

/// DDP and ESP.
IWARP_TEST_SUITE(ipsecDdp, "ipsec-ddp", TestSuite::Type::SYSTEM);

constexpr uint32_t IP_HEADER_SIZE = 20; // octets of an IPv4 header

/// What the left host sent.
struct Sent
{
    std::vector<uint8_t> stream; //!< TCP payload
    std::vector<uint32_t> sizes; //!< of the datagrams

    /// @param segment of TCP @param datagram octets that go out
    void Add(const std::vector<uint8_t>& segment, uint32_t datagram)
    {
        const std::size_t header = (segment[12] >> 4) * 4U;
        stream.insert(stream.end(), segment.begin() + static_cast<long>(header), segment.end());
        sizes.push_back(datagram);
    }
};

/// @param sent receives it @param packet datagram
void
HandleClear(Sent* sent, Ptr<const Packet> packet, Ptr<Ipv4> /* ip */, uint32_t /* interface */)
{
    std::vector<uint8_t> octets(packet->GetSize());
    packet->CopyData(octets.data(), packet->GetSize());
    if (octets[9] == TcpL4Protocol::PROT_NUMBER)
    {
        sent->Add({octets.begin() + IP_HEADER_SIZE, octets.end()}, packet->GetSize());
    }
}

/// @param sent receives it @param payload of a datagram @param octets that go out
void
HandleSealed(Sent* sent, Ptr<const Packet> payload, const IpsecFlow& /* flow */, uint32_t octets)
{
    std::vector<uint8_t> segment(payload->GetSize());
    payload->CopyData(segment.data(), payload->GetSize());
    sent->Add(segment, octets);
}

/**
 * DDP and RDMAP do the same under ESP, octet for octet, where the EMSS is the same; what ciphers
 * change is the size of datagrams (RFC 5041 section 8.4).
 */
struct DdpUnderEspTest : TestCase
{
    using TestCase::TestCase;

    /// @param transform of ESP, or "" for none @return what the left host sent
    Sent RunOne(const std::string& transform)
    {
        constexpr uint32_t LENGTH = 100'000;
        Sent sent;
        RdmaTestPair p;
        p.b.device->AssignStreams(1); // the same STag each time
        p.b.region = p.b.pd->RegisterMemory(DdpMemory::Wrap(p.b.memory.data(), RdmaTestHost::SIZE),
                                            0x10000,
                                            RdmaTestHost::ALL);
        const NodeContainer nodes(p.hosts.GetNode(0), p.hosts.GetNode(1));
        if (transform.empty())
        {
            nodes.Get(0)->GetObject<Ipv4>()->TraceConnectWithoutContext(
                "Tx",
                MakeBoundCallback(&HandleClear, &sent));
        }
        else
        {
            IpsecHelper ipsec(transform);
            ipsec.GetProposal().codec =
                EspCodec::HasReal() ? EspCodec::Mode::REAL : EspCodec::Mode::MODELLED;
            ipsec.Install(nodes);
            ipsec.ProtectTransport(nodes);
            nodes.Get(0)->GetObject<IpsecStack>()->TraceConnectWithoutContext(
                "Sealed",
                MakeBoundCallback(&HandleSealed, &sent));
        }
        p.onEstablished = [&p] {
            p.b.PostReceive(7, 500'000, 5000);
            auto write = p.a.Send(1, RdmaOpcode::RDMA_WRITE, 0, LENGTH);
            write.remoteAddress = 0x10000 + 200'000;
            write.rkey = p.b.region->GetRkey();
            p.a.qp->PostSend(write);
            p.a.qp->PostSend(p.a.Send(2, RdmaOpcode::SEND, 0, 5000));
        };
        p.Start();
        p.Run(Seconds(2));
        NS_TEST_EXPECT_MSG_EQ(p.a.completions.size(), 2, "both are done");
        NS_TEST_EXPECT_MSG_EQ(p.b.completions.size(), 1, "the Send has come");
        NS_TEST_EXPECT_MSG_EQ(std::equal(p.a.memory.begin(),
                                         p.a.memory.begin() + LENGTH,
                                         p.b.memory.begin() + 200'000),
                              true,
                              "octets in memory");
        return sent;
    }
};

IWARP_TEST(ipsecDdp, "an RDMA Write and a Send with and without ESP", DdpUnderEspTest)
{
    Config::SetDefault("ns3::MpaTcpSocket::MaxEmss", UintegerValue(1000));
    const Sent clear = RunOne("");
    const Sent null = RunOne("null/hmac-sha1-96");
    const Sent secret = RunOne("aes-cbc-128/hmac-sha1-96");
    Config::Reset();
    NS_TEST_EXPECT_MSG_GT(clear.stream.size(), 105'000, "all was sent");
    NS_TEST_EXPECT_MSG_EQ((null.stream == clear.stream), true, "the same octets under ESP");
    NS_TEST_EXPECT_MSG_EQ((secret.stream == clear.stream), true, "whatever the cipher");
    IWARP_COVERS("DDP-8.4-1 DDP-8.4.1-1 DDP-8.4.2-2 MPA-9.3-02");
    NS_TEST_ASSERT_MSG_EQ(null.sizes.size(), clear.sizes.size(), "as many segments");
    NS_TEST_ASSERT_MSG_EQ(secret.sizes.size(), clear.sizes.size(), "as many segments");
    bool right = true;
    for (std::size_t i = 0; i < clear.sizes.size(); i++)
    {
        // SPI and number 8, pad length and next header 2, ICV 12; for CBC an IV of 16
        const uint32_t payload = clear.sizes[i] - IP_HEADER_SIZE + 2;
        right = right && null.sizes[i] == IP_HEADER_SIZE + 8 + (payload + 3) / 4 * 4 + 12 &&
                secret.sizes[i] == IP_HEADER_SIZE + 8 + 16 + (payload + 15) / 16 * 16 + 12;
    }
    NS_TEST_EXPECT_MSG_EQ(right, true, "ciphers change sizes alone");
    IWARP_COVERS("DDP-8.4-2 MPA-9.1.2-01");
}

} // namespace
