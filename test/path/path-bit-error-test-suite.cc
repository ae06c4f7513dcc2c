/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "../iwarp-test.h"

#include "ns3/boolean.h"
#include "ns3/double.h"
#include "ns3/ipv4-header.h"
#include "ns3/ipv6-header.h"
#include "ns3/path-bit-error-impairment.h"
#include "ns3/path-random-impairment.h"
#include "ns3/ppp-header.h"
#include "ns3/string.h"
#include "ns3/tcp-header.h"

#include <bitset>
#include <cmath>
#include <string>
#include <vector>

using namespace ns3;

namespace
{

/// The suite.
IWARP_TEST_SUITE(pathBitError, "path-bit-error");

/// @param octets of a pseudo header and a segment @return their sum in ones' complement
uint32_t
ChecksumOf(const std::vector<uint8_t>& octets)
{
    uint32_t sum = 0;
    for (std::size_t i = 0; i < octets.size(); i++)
    {
        sum += i % 2 == 0 ? octets[i] << 8 : octets[i];
        sum = (sum & 0xFFFF) + (sum >> 16);
    }
    return sum;
}

/**
 * @ingroup iwarp-test
 * Bit errors: as many as the rate says, in the payload only, behind a checksum that stays right.
 */
class BitErrorTest : public TestCase
{
  public:
    /// @param ipv6 rather than IPv4 @param checksums packets have them
    BitErrorTest(bool ipv6, bool checksums)
        : TestCase(std::string("Bit errors, ") + (ipv6 ? "IPv6" : "IPv4") +
                   (checksums ? ", checksums" : ", no checksums")),
          m_ipv6(ipv6),
          m_checksums(checksums)
    {
    }

  private:
    static constexpr uint32_t PAYLOAD = 1001; //!< octets

    /// @param payload octets of TCP's payload, which are not real @return packet of a link
    Ptr<Packet> Make(uint32_t payload) const
    {
        Ptr<Packet> packet = Create<Packet>(payload);
        TcpHeader tcp;
        tcp.SetSourcePort(1234);
        tcp.SetDestinationPort(20049);
        tcp.SetSequenceNumber(SequenceNumber32(99));
        if (m_checksums)
        {
            tcp.EnableChecksums();
        }
        PppHeader ppp;
        if (m_ipv6)
        {
            const Ipv6Address from("fd00::1");
            const Ipv6Address to("fd00::2");
            tcp.InitializeChecksum(from, to, 6);
            packet->AddHeader(tcp);
            Ipv6Header ip;
            ip.SetSource(from);
            ip.SetDestination(to);
            ip.SetNextHeader(6);
            ip.SetPayloadLength(static_cast<uint16_t>(packet->GetSize()));
            packet->AddHeader(ip);
            ppp.SetProtocol(0x0057);
        }
        else
        {
            const Ipv4Address from("10.0.0.1");
            const Ipv4Address to("10.0.0.2");
            tcp.InitializeChecksum(from, to, 6);
            packet->AddHeader(tcp);
            Ipv4Header ip;
            ip.SetSource(from);
            ip.SetDestination(to);
            ip.SetProtocol(6);
            ip.SetPayloadSize(static_cast<uint16_t>(packet->GetSize()));
            packet->AddHeader(ip);
            ppp.SetProtocol(0x0021);
        }
        packet->AddHeader(ppp);
        return packet;
    }

    /// @param packet packet @return sum of its pseudo header and segment, 0xFFFF if it is right
    uint32_t Check(const Ptr<Packet>& packet) const
    {
        std::vector<uint8_t> octets(packet->GetSize());
        packet->CopyData(octets.data(), packet->GetSize());
        const uint32_t addresses = 2 + (m_ipv6 ? 8 : 12);
        const uint32_t tcp = 2 + (m_ipv6 ? 40 : 20);
        const auto size = static_cast<uint16_t>(octets.size() - tcp);
        std::vector<uint8_t> summed(octets.begin() + addresses, octets.end());
        summed.insert(summed.begin(),
                      {0, 6, static_cast<uint8_t>(size >> 8), static_cast<uint8_t>(size)});
        return ChecksumOf(summed);
    }

    /// @param packet changed @param original as it was @return bits of the payload that differ
    uint32_t Compare(const Ptr<Packet>& packet, const Ptr<Packet>& original)
    {
        NS_TEST_EXPECT_MSG_EQ(packet->GetSize(), original->GetSize(), "size");
        std::vector<uint8_t> now(packet->GetSize());
        std::vector<uint8_t> before(packet->GetSize());
        packet->CopyData(now.data(), packet->GetSize());
        original->CopyData(before.data(), packet->GetSize());
        const uint32_t payload = packet->GetSize() - PAYLOAD;
        uint32_t bits = 0;
        for (uint32_t i = 0; i < now.size(); i++)
        {
            const bool isChecksum = i == payload - 4 || i == payload - 3;
            if (i >= payload)
            {
                bits += static_cast<uint32_t>(std::bitset<8>(now[i] ^ before[i]).count());
            }
            else if (!isChecksum || !m_checksums)
            {
                NS_TEST_EXPECT_MSG_EQ(now[i], before[i], "header, octet " << i);
            }
        }
        return bits;
    }

    void DoRun() override
    {
        auto impairment = CreateObject<PathBitErrorImpairment>();
        impairment->AssignStreams(60);
        NS_TEST_EXPECT_MSG_EQ(impairment->IsCorrupt(Make(PAYLOAD)), false, "by default none");
        for (const double rate : {1e-4, 0.01, 1.0})
        {
            impairment = CreateObject<PathBitErrorImpairment>();
            impairment->AssignStreams(60);
            impairment->SetAttribute("Rate", DoubleValue(rate));
            const uint32_t n = 100;
            double bits = 0;
            double clean = 0;
            for (uint32_t i = 0; i < n; i++)
            {
                Ptr<Packet> packet = Make(PAYLOAD);
                NS_TEST_EXPECT_MSG_EQ(impairment->IsCorrupt(packet), false, "it goes on");
                const uint32_t changed = Compare(packet, Make(PAYLOAD));
                bits += changed;
                clean += changed == 0;
                if (m_checksums)
                {
                    NS_TEST_EXPECT_MSG_EQ(Check(packet), 0xFFFF, "checksum");
                }
            }
            const double all = 8.0 * PAYLOAD * n;
            const double expected = rate * all;
            NS_TEST_EXPECT_MSG_EQ_TOL(bits, expected, 4 * std::sqrt(expected * (1 - rate)), "bits");
            const double untouched = n * std::pow(1 - rate, 8 * PAYLOAD);
            NS_TEST_EXPECT_MSG_EQ_TOL(clean, untouched, 4 * std::sqrt(untouched), "whole packets");
        }
        // an ACK has nothing to be changed, and what is no TCP is left alone
        Ptr<Packet> ack = Make(0);
        NS_TEST_EXPECT_MSG_EQ(impairment->IsCorrupt(ack), false, "an ACK");
        NS_TEST_EXPECT_MSG_EQ(impairment->IsCorrupt(Create<Packet>(1000)), false, "no TCP");
        impairment->SetAttribute("Detected", BooleanValue(true));
        NS_TEST_EXPECT_MSG_EQ(impairment->IsCorrupt(Make(PAYLOAD)), true, "detected");

        // which packets meet an impairment
        for (const std::string packets : {"all", "data", "acks"})
        {
            auto loss = CreateObject<PathRandomImpairment>();
            loss->SetAttribute("Loss", DoubleValue(1));
            loss->SetAttribute("Packets", StringValue(packets));
            const std::string what = "only " + packets;
            NS_TEST_EXPECT_MSG_EQ(loss->IsCorrupt(Make(0)), (packets != "data"), what);
            NS_TEST_EXPECT_MSG_EQ(loss->IsCorrupt(Make(1)), (packets != "acks"), what);
            NS_TEST_EXPECT_MSG_EQ(loss->IsCorrupt(Create<Packet>(1000)), (packets != "acks"), what);
        }
    }

    bool m_ipv6;      //!< IPv6 rather than IPv4
    bool m_checksums; //!< packets have checksums
};

IWARP_TEST_CASES(pathBitError)
{
    for (const bool ipv6 : {false, true})
    {
        suite.AddTestCase(new BitErrorTest(ipv6, true));
        suite.AddTestCase(new BitErrorTest(ipv6, false));
    }
}

} // namespace
