/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "../iwarp-test.h"
#include "ipsec-run.h"

#include "ns3/boolean.h"
#include "ns3/config.h"
#include "ns3/esp-format.h"
#include "ns3/icmpv4.h"
#include "ns3/icmpv6-header.h"
#include "ns3/ipsec-sent-log.h"
#include "ns3/ipv4-l3-protocol.h"
#include "ns3/ipv6-l3-protocol.h"
#include "ns3/udp-l4-protocol.h"

#include <algorithm>
#include <boost/endian/conversion.hpp>
#include <map>

using namespace ns3;

namespace
{

/// What hosts with ESP learn of the path's MTU.
IWARP_TEST_SUITE(ipsecPathMtu, "ipsec-path-mtu", TestSuite::Type::SYSTEM);

/// Of each flow that last sent something that is too long the last datagram is told, and once,
/// however many there were.
IWARP_TEST(ipsecPathMtu, "the last datagrams of flows")
{
    constexpr auto KEPT = static_cast<uint32_t>(IpsecSentLog::KEPT);
    for (const uint32_t n : {1U, 7U, KEPT, KEPT + 1, KEPT + 100, 2 * KEPT, 2 * KEPT + 5})
    {
        IpsecSentLog log;
        std::map<uint16_t, uint32_t> last; // size by port
        for (uint32_t i = 1; i <= n; i++)
        {
            IpsecSentLog::Entry entry;
            entry.destination = "10.0.0.2";
            entry.flow = {"10.0.0.1", "10.0.0.2", 17, static_cast<uint16_t>(i % 3), 9};
            entry.size = i;
            entry.octets = 1000 + i % 2;
            log.Add(entry);
            if (entry.octets > 1000)
            {
                last[entry.flow.sourcePort] = i;
            }
        }
        NS_TEST_EXPECT_MSG_EQ(log.Extract("10.0.0.3", 0).size(), 0, "none to there");
        std::map<uint16_t, uint32_t> found;
        for (const auto& entry : log.Extract("10.0.0.2", 1000))
        {
            NS_TEST_EXPECT_MSG_EQ(found.emplace(entry.flow.sourcePort, entry.size).second,
                                  true,
                                  "one of a flow");
        }
        NS_TEST_EXPECT_MSG_EQ((found == last), true, n);
        NS_TEST_EXPECT_MSG_EQ(log.Extract("10.0.0.2", 1000).size(), 0, "once");
    }
}

/**
 * @ingroup iwarp-test
 * A gateway's tunnel around the hosts' ESP: the hosts hear by ICMP that their packets do not fit,
 * and tell TCP. If the whole first window was too big, it goes out again in smaller pieces at once
 * (RFC 1191 section 6.4; Linux, tcp_simple_retransmit(), whatever the state).
 */
class NestedStartTest : public TestCase
{
  public:
    /// @param ipv6 IPv6
    explicit NestedStartTest(bool ipv6)
        : TestCase(std::string("a first window that is too big, ") + (ipv6 ? "IPv6" : "IPv4")),
          m_ipv6(ipv6)
    {
    }

  private:
    void DoRun() override
    {
        const Time rto = MilliSeconds(200);
        Config::SetDefault("ns3::TcpSocketBase::MinRto", TimeValue(rto));
        IpsecSetup setup;
        setup.ipv6 = m_ipv6;
        setup.place = IpsecPlace::NESTED;
        IpsecRun run(setup);
        run.Run();
        Config::Reset();
        NS_TEST_EXPECT_MSG_EQ(run.IsDone(), true, "all messages, and right");
        const auto pause = [&run](std::size_t i) {
            return run.sent[i].time - run.sent[i - 1].time;
        };
        std::size_t pauses = 0;
        Time longest;
        for (std::size_t i = 1; i < run.sent.size(); i++)
        {
            pauses += pause(i) > rto / 2;
            longest = std::max(longest, pause(i));
        }
        NS_TEST_EXPECT_MSG_EQ(pauses, 0, "no timeout, but " << longest.As(Time::MS));
        NS_TEST_EXPECT_MSG_LT(run.last, MilliSeconds(70), "all goes on");
    }

    bool m_ipv6; //!< IPv6
};

/**
 * @ingroup iwarp-test
 * ESP in UDP (RFC 3948): ICMP messages about it count as those about ESP do; against sums by hand.
 */
class UdpPathTest : public TestCase
{
  public:
    /// @param place where there is IPsec @param ipv6 IPv6 @param entropy ports tell flows apart
    UdpPathTest(IpsecPlace place, bool ipv6, bool entropy)
        : TestCase("narrow beyond, in UDP, place " + std::to_string(static_cast<int>(place)) +
                   (ipv6 ? ", IPv6" : ", IPv4") + (entropy ? ", ports of flows" : "")),
          m_place(place),
          m_ipv6(ipv6),
          m_entropy(entropy)
    {
    }

  private:
    void DoRun() override
    {
        Config::SetDefault("ns3::TcpSocketBase::Timestamp", BooleanValue(false));
        IpsecSetup setup;
        setup.place = m_place;
        setup.ipv6 = m_ipv6;
        setup.proposal.udp = true;
        setup.proposal.udpEntropy = m_entropy;
        setup.deep = 1400;
        setup.stop = Seconds(20);
        IpsecRun run(setup);
        run.Run();
        Config::Reset();
        NS_TEST_EXPECT_MSG_EQ(run.IsDone(), true, "all messages, and right");
        // IP and UDP in front; SPI, number, IV and ICV of aes-gcm-16 are 32 octets, what is
        // enciphered is aligned to 4 and ends with 2 of the trailer
        const uint32_t ip = m_ipv6 ? 40 : 20;
        const uint32_t room = (1400 - ip - 8 - 32) / 4 * 4 - 2;
        const uint32_t inner = m_place == IpsecPlace::TRANSPORT ? 0 : ip;
        NS_TEST_EXPECT_MSG_EQ(run.emss.back(), room - inner - 20, "EMSS");
        for (const auto& datagram : run.crossed)
        {
            NS_TEST_EXPECT_MSG_EQ(datagram.fragment, false, "nothing is divided");
        }
    }

    IpsecPlace m_place; //!< where there is IPsec
    bool m_ipv6;        //!< IPv6
    bool m_entropy;     //!< ports tell flows apart
};

/**
 * @ingroup iwarp-test
 * ICMP messages that speak of packets which no association has sent, by SPI, by destination or in
 * UDP, change nothing; one that speaks of an association does (RFC 4301 section 8.2), even if that
 * has gone since the packet was sent; against a sum by hand.
 */
class StrangerTest : public TestCase
{
  public:
    /// @param ipv6 IPv6 @param gone the association goes before it is spoken of
    StrangerTest(bool ipv6, bool gone)
        : TestCase(std::string("ICMP about packets of nobody, and of an association that ") +
                   (gone ? "was there, " : "is there, ") + (ipv6 ? "IPv6" : "IPv4")),
          m_ipv6(ipv6),
          m_gone(gone)
    {
    }

  private:
    /// Tell host 0 of a packet to host 1. @param run both @param protocol of the packet
    /// @param word its first four octets @param mtu that the path takes
    void Notify(const IpsecRun& run, int protocol, uint32_t word, uint32_t mtu) const
    {
        uint8_t payload[8] = {};
        boost::endian::store_big_u32(payload, word);
        const auto host = run.network.GetHost(0);
        const auto from = run.network.GetHostAddress(0);
        const auto to = run.network.GetHostAddress(1);
        if (m_ipv6)
        {
            const auto source = Ipv6Address::ConvertFrom(from);
            const auto destination = Ipv6Address::ConvertFrom(to);
            host->GetObject<Ipv6L3Protocol>()->GetProtocol(protocol)->ReceiveIcmp(
                destination,
                64,
                Icmpv6Header::ICMPV6_ERROR_PACKET_TOO_BIG,
                0,
                mtu,
                source,
                destination,
                payload);
            return;
        }
        const auto source = Ipv4Address::ConvertFrom(from);
        const auto destination = Ipv4Address::ConvertFrom(to);
        host->GetObject<Ipv4L3Protocol>()->GetProtocol(protocol)->ReceiveIcmp(
            destination,
            64,
            Icmpv4Header::ICMPV4_DEST_UNREACH,
            Icmpv4DestinationUnreachable::ICMPV4_FRAG_NEEDED,
            mtu,
            source,
            destination,
            payload);
    }

    void DoRun() override
    {
        Config::SetDefault("ns3::TcpSocketBase::Timestamp", BooleanValue(false));
        IpsecSetup setup;
        setup.ipv6 = m_ipv6;
        setup.octets = 1'000'000;
        IpsecRun run(setup);
        const auto getSpi = [&run] {
            const auto there = run.hosts[0]->GetAssociations().GetOutbound().GetIdle(Time::Max());
            return there.empty() ? 0 : there.front()->GetConfig().spi;
        };
        Simulator::Schedule(MilliSeconds(20), [&] {
            for (uint32_t i = 1; i <= 1000; i++)
            {
                Notify(run, ESP_PROTOCOL, getSpi() + i, 1300);
            }
            Notify(run, UdpL4Protocol::PROT_NUMBER, ESP_UDP_PORT << 16 | ESP_UDP_PORT, 1300);
        });
        Simulator::Schedule(MilliSeconds(40), [&] {
            const uint32_t spi = getSpi();
            if (m_gone)
            {
                run.hosts[0]->GetAssociations().GetOutbound().Remove(spi, run.GetHostAddress(1));
            }
            Notify(run, ESP_PROTOCOL, spi, 1400);
        });
        run.Run();
        Config::Reset();
        NS_TEST_EXPECT_MSG_EQ(run.IsDone(), true, "all messages, and right");
        // SPI, number, IV and ICV of aes-gcm-16 are 32 octets, what is enciphered is aligned to 4
        // and ends with 2 of the trailer
        const auto getEmss = [this](uint32_t mtu) {
            return (mtu - (m_ipv6 ? 40 : 20) - 32) / 4 * 4 - 2 - 20;
        };
        const std::vector<uint32_t> expected{0, getEmss(1500), getEmss(1400)};
        NS_TEST_EXPECT_MSG_EQ((run.emss == expected), true, "EMSS of what is ours alone");
    }

    bool m_ipv6; //!< IPv6
    bool m_gone; //!< the association goes before it is spoken of
};

IWARP_TEST_CASES(ipsecPathMtu)
{
    suite.AddTestCase(new NestedStartTest(false));
    suite.AddTestCase(new NestedStartTest(true));
    for (const auto place : {IpsecPlace::TRANSPORT, IpsecPlace::TUNNEL, IpsecPlace::GATEWAY})
    {
        for (const bool entropy : {false, true})
        {
            suite.AddTestCase(new UdpPathTest(place, false, entropy));
            suite.AddTestCase(new UdpPathTest(place, true, entropy));
        }
    }
    for (const bool gone : {false, true})
    {
        suite.AddTestCase(new StrangerTest(false, gone));
        suite.AddTestCase(new StrangerTest(true, gone));
    }
}

} // namespace
