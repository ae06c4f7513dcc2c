/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "../iwarp-test.h"
#include "ipsec-run.h"
#include "ipsec-wire.h"

#include "ns3/boolean.h"
#include "ns3/config.h"
#include "ns3/inet-socket-address.h"
#include "ns3/inet6-socket-address.h"
#include "ns3/ipsec-view.h"
#include "ns3/socket.h"
#include "ns3/udp-socket-factory.h"

#include <algorithm>
#include <vector>

using namespace ns3;

namespace
{

/// ICMP where there is IPsec.
IWARP_TEST_SUITE(ipsecIcmp, "ipsec-icmp", TestSuite::Type::SYSTEM);

/// Counts what crosses the link between the routers in clear. @param run to watch
/// @param[out] clear datagrams that are not ESP, nor neighbour discovery
void
CountClear(IpsecRun& run, uint32_t& clear)
{
    run.box->onPacket = [&clear](Ptr<Packet> packet, bool, const auto& send) {
        const auto octets = ipsec_wire::Read(packet);
        clear +=
            ipsec_wire::GetProtocol(octets) != ipsec_wire::ESP && !ipsec_wire::IsDiscovery(octets);
        send(packet);
    };
}

/**
 * @ingroup iwarp-test
 * What comes out of a tunnel does not fit behind it: the far gateway tells the sender, and what it
 * quotes goes back through the tunnel (RFC 4301 section 6.2), to be heeded at once.
 */
class FarGatewayTest : public TestCase
{
  public:
    /// @param place where there is IPsec @param ipv6 IPv6 @param deny all but that
    FarGatewayTest(IpsecPlace place, bool ipv6, bool deny)
        : TestCase("narrow behind the tunnel, place " + std::to_string(static_cast<int>(place)) +
                   (ipv6 ? ", IPv6" : ", IPv4") + (deny ? ", all else denied" : "")),
          m_place(place),
          m_ipv6(ipv6),
          m_deny(deny)
    {
    }

  private:
    void DoRun() override
    {
        Config::SetDefault("ns3::TcpSocketBase::Timestamp", BooleanValue(false));
        IpsecSetup setup;
        setup.place = m_place;
        setup.ipv6 = m_ipv6;
        setup.deny = m_deny;
        IpsecRun run(setup);
        run.network.GetLinkDevices(run.network.GetHostLink(1)).Get(0)->SetMtu(1300);
        uint32_t clear = 0;
        CountClear(run, clear);
        run.Run();
        Config::Reset();
        NS_TEST_EXPECT_MSG_EQ(run.IsDone(), true, "all messages, and right");
        NS_TEST_EXPECT_MSG_EQ(clear, 0, "nothing in clear between the gateways");
        const uint32_t header = m_ipv6 ? 40 : 20;
        const uint32_t inside = m_place == IpsecPlace::GATEWAY
                                    ? 1300 - header
                                    : (1300 - header - 32) / 4 * 4 - 2; // of aes-gcm-16
        NS_TEST_EXPECT_MSG_EQ(run.emss.back(), inside - 20, "EMSS");
        NS_TEST_EXPECT_MSG_LT(run.last, MilliSeconds(200), "no timeout");
    }

    IpsecPlace m_place; //!< where there is IPsec
    bool m_ipv6;        //!< IPv6
    bool m_deny;        //!< all but that
};

/**
 * @ingroup iwarp-test
 * A host has no use for a datagram that came by a tunnel, and says so: in the tunnel.
 */
class UnreachableTest : public TestCase
{
  public:
    /// @param place where there is IPsec @param ipv6 IPv6
    UnreachableTest(IpsecPlace place, bool ipv6)
        : TestCase("port unreachable, place " + std::to_string(static_cast<int>(place)) +
                   (ipv6 ? ", IPv6" : ", IPv4")),
          m_place(place),
          m_ipv6(ipv6)
    {
    }

  private:
    void DoRun() override
    {
        IpsecSetup setup;
        setup.place = m_place;
        setup.ipv6 = m_ipv6;
        IpsecRun run(setup);
        uint32_t clear = 0;
        CountClear(run, clear);
        const auto socket =
            Socket::CreateSocket(run.network.GetHost(0), UdpSocketFactory::GetTypeId());
        socket->Connect(run.network.GetHostSocketAddress(1, 4321));
        const uint64_t count = 10;
        for (uint64_t i = 0; i < count; i++)
        {
            Simulator::Schedule(MilliSeconds(100 + i),
                                [socket] { socket->Send(Create<Packet>(1000)); });
        }
        run.Run();
        NS_TEST_EXPECT_MSG_EQ(run.IsDone(), true, "all messages, and right");
        NS_TEST_EXPECT_MSG_EQ(clear, 0, "nothing in clear between the routers");
        const auto& far = run.gateways.empty() ? run.hosts : run.gateways;
        const auto unreachable =
            std::count_if(run.answered.begin(), run.answered.end(), [&](const auto& datagram) {
                return datagram.time > MilliSeconds(100);
            });
        // IpsecRun does not see ICMPv6
        NS_TEST_EXPECT_MSG_EQ((unreachable >= 10 || (m_ipv6 && !run.gateways.empty())),
                              true,
                              "it is said");
        NS_TEST_EXPECT_MSG_GT_OR_EQ(far[1]->GetCounters().sealed, count, "in ESP");
    }

    IpsecPlace m_place; //!< where there is IPsec
    bool m_ipv6;        //!< IPv6
};

/**
 * @ingroup iwarp-test
 * ICMP that comes in clear and speaks of TCP which goes in ESP is not heeded (RFC 4301 section
 * 6.1), nor is ICMP about a segment that is not on its way (RFC 5927 section 4); the rest is.
 */
class ClearIcmpTest : public TestCase
{
  public:
    /// @param place where there is IPsec @param ipv6 IPv6 @param far sequence number besides what
    /// is on its way
    ClearIcmpTest(IpsecPlace place, bool ipv6, bool far)
        : TestCase("clear ICMP, place " + std::to_string(static_cast<int>(place)) +
                   (ipv6 ? ", IPv6" : ", IPv4") + (far ? ", far" : "")),
          m_place(place),
          m_ipv6(ipv6),
          m_far(far)
    {
    }

  private:
    /// @param packet that host 0 has sent, in modelled ESP or none @return the datagram of TCP
    ipsec_wire::Octets FindTcp(const ipsec_wire::Octets& packet) const
    {
        const auto header = static_cast<long>(ipsec_wire::GetHeader(packet));
        const long esp = m_place == IpsecPlace::NOWHERE ? 0 : 16; // SPI, number, IV of aes-gcm
        const bool tunnel = m_place == IpsecPlace::TUNNEL || m_place == IpsecPlace::GATEWAY;
        const long inside = header + esp;
        if (tunnel)
        {
            return {packet.begin() + inside, packet.end()};
        }
        ipsec_wire::Octets datagram(packet.begin(), packet.begin() + header);
        datagram.insert(datagram.end(), packet.begin() + inside, packet.end());
        datagram[m_ipv6 ? 6 : 9] = ipsec_wire::TCP;
        return datagram;
    }

    void DoRun() override
    {
        Config::SetDefault("ns3::TcpSocketBase::Timestamp", BooleanValue(false));
        IpsecSetup setup;
        setup.place = m_place;
        setup.ipv6 = m_ipv6;
        IpsecRun run(setup);
        ipsec_wire::Octets last;
        uint32_t forged = 0;
        run.box->onPacket = [&](Ptr<Packet> packet, bool forth, const auto& send) {
            const auto octets = ipsec_wire::Read(packet);
            send(packet);
            if (ipsec_wire::IsDiscovery(octets))
            {
                return;
            }
            if (forth)
            {
                last = octets.size() > 1000 ? octets : ipsec_wire::Octets();
            }
            else if (!last.empty())
            {
                auto about = FindTcp(last);
                about[ipsec_wire::GetHeader(about) + 4] ^= m_far ? 0x80 : 0;
                send(ipsec_wire::MakeTooBig(about, 1280));
                ++forged;
            }
        };
        run.Run();
        Config::Reset();
        NS_TEST_EXPECT_MSG_EQ(run.IsDone(), true, "all messages, and right");
        NS_TEST_EXPECT_MSG_GT(forged, 20, "there were some");
        const bool heeded = m_place == IpsecPlace::NOWHERE && !m_far;
        NS_TEST_EXPECT_MSG_EQ((run.emss.back() == 1280 - (m_ipv6 ? 40 : 20) - 20),
                              heeded,
                              "EMSS " << run.emss.back());
        // a gateway has told what it needs itself
        const std::size_t changes = m_place == IpsecPlace::GATEWAY ? 3 : 2;
        NS_TEST_EXPECT_MSG_EQ(run.emss.size(), changes + heeded, "it has changed");
    }

    IpsecPlace m_place; //!< where there is IPsec
    bool m_ipv6;        //!< IPv6
    bool m_far;         //!< sequence number is wrong
};

/**
 * @ingroup iwarp-test
 * With "discard" for what no policy selects, what is to be protected goes on, the MTU of paths is
 * found, and all else stays out (RFC 4301 section 4.4.1).
 */
class DefaultDenyTest : public TestCase
{
  public:
    /// @param place where there is IPsec @param ipv6 IPv6
    DefaultDenyTest(IpsecPlace place, bool ipv6)
        : TestCase("all else denied, place " + std::to_string(static_cast<int>(place)) +
                   (ipv6 ? ", IPv6" : ", IPv4")),
          m_place(place),
          m_ipv6(ipv6)
    {
    }

  private:
    void DoRun() override
    {
        IpsecSetup setup;
        setup.place = m_place;
        setup.ipv6 = m_ipv6;
        setup.deny = true;
        setup.deep = 1400;
        IpsecRun run(setup);
        run.Run();
        NS_TEST_EXPECT_MSG_EQ(run.IsDone(), true, "all messages, and right");
        NS_TEST_EXPECT_MSG_LT(run.last, MilliSeconds(300), "no timeout");
        const auto inClear = std::count_if(run.crossed.begin(), run.crossed.end(), [](auto& d) {
            return d.protocol != ipsec_wire::ESP && d.protocol != ipsec_wire::ICMP;
        });
        NS_TEST_EXPECT_MSG_EQ(inClear, 0, "all in ESP");
    }

    IpsecPlace m_place; //!< where there is IPsec
    bool m_ipv6;        //!< IPv6
};

/**
 * @ingroup iwarp-test
 * A gateway that denies all else lets through, in clear, what a policy says, and nothing besides.
 */
class DenyingGatewayTest : public TestCase
{
  public:
    /// @param ipv6 IPv6
    explicit DenyingGatewayTest(bool ipv6)
        : TestCase(std::string("a gateway that denies, ") + (ipv6 ? "IPv6" : "IPv4")),
          m_ipv6(ipv6)
    {
    }

  private:
    void DoRun() override
    {
        for (const bool allowed : {false, true})
        {
            IpsecSetup setup;
            setup.ipv6 = m_ipv6;
            setup.place = IpsecPlace::NOWHERE;
            setup.deny = true;
            setup.stop = Seconds(5);
            IpsecRun run(setup);
            const auto gateway = run.ipsec.InstallGateway(run.network.GetRouter(0));
            if (allowed)
            { // one for both ways: the answers are selected too
                IpsecPolicy policy;
                policy.selector.source = IpsecPrefix(run.GetHostAddress(0));
                gateway->GetPolicies().Add(policy);
            }
            run.Run();
            NS_TEST_EXPECT_MSG_EQ(run.IsDone(), allowed, "what a policy allows");
            NS_TEST_EXPECT_MSG_EQ((gateway->GetCounters().GetDropped(IpsecDrop::POLICY) > 0),
                                  !allowed,
                                  "is not dropped");
        }
    }

    bool m_ipv6; //!< IPv6
};

/// An error message quotes as much as its sender likes: what it says of a datagram is what is
/// there, octets by hand (RFC 792, RFC 4443 section 3, RFC 8200 section 4.5).
IWARP_TEST(ipsecIcmp, "what a quoted datagram tells")
{
    using Octets = std::vector<uint8_t>;
    const auto read = [](bool ipv6, const Octets& quoted) {
        Octets octets(8); // of ICMP
        octets[0] = ipv6 ? 2 : 3;
        octets[1] = ipv6 ? 0 : 4;
        octets[7] = 200; // MTU
        octets.insert(octets.end(), quoted.begin(), quoted.end());
        return ReadIpsecIcmpError(
            ipv6 ? 58 : 1,
            Create<Packet>(octets.data(), static_cast<uint32_t>(octets.size())));
    };
    const auto quote = [](bool ipv6, uint8_t protocol) {
        Octets header(ipv6 ? 40 : 20);
        header[0] = ipv6 ? 0x60 : 0x45;
        header[ipv6 ? 6 : 9] = protocol;
        return header;
    };
    const Octets behind{0x12, 0x34, 0x56, 0x78, 0x9a};
    for (const bool ipv6 : {false, true})
    {
        for (const uint8_t protocol : {17, 50})
        {
            Octets quoted = quote(ipv6, protocol);
            for (std::size_t i = 0; i <= behind.size(); i++)
            {
                const auto error = read(ipv6, quoted);
                NS_TEST_ASSERT_MSG_EQ(error.has_value(), true, "a header is enough");
                const bool ports = protocol == 17 && i >= 4;
                const bool spi = protocol == 50 && i >= 4;
                NS_TEST_EXPECT_MSG_EQ(error->flow.sourcePort, (ports ? 0x1234 : 0), i);
                NS_TEST_EXPECT_MSG_EQ(error->flow.destinationPort, (ports ? 0x5678 : 0), i);
                NS_TEST_EXPECT_MSG_EQ(error->spi.has_value(), spi, i);
                NS_TEST_EXPECT_MSG_EQ(error->spi.value_or(0), (spi ? 0x12345678U : 0), i);
                NS_TEST_EXPECT_MSG_EQ(error->mtu.value_or(0), 200, i);
                quoted.push_back(i < behind.size() ? behind[i] : 0);
            }
        }
        NS_TEST_EXPECT_MSG_EQ(read(ipv6, {}).has_value(), false, "nothing is quoted");
        Octets cut = quote(ipv6, 17);
        cut.pop_back();
        NS_TEST_EXPECT_MSG_EQ(read(ipv6, cut).has_value(), false, "half a header");
    }
    // a later fragment has neither ports nor an SPI
    Octets late = quote(false, 50);
    late[7] = 1;
    late.insert(late.end(), behind.begin(), behind.end());
    NS_TEST_EXPECT_MSG_EQ(read(false, late)->spi.has_value(), false, "IPv4");
    Octets extended = quote(true, 44);
    for (const uint8_t octet : {50, 0, 0, 8, 0, 0, 0, 1})
    {
        extended.push_back(octet);
    }
    extended.insert(extended.end(), behind.begin(), behind.end());
    NS_TEST_EXPECT_MSG_EQ(read(true, extended)->spi.has_value(), false, "IPv6");
    extended[43] = 1; // the first, of several
    NS_TEST_EXPECT_MSG_EQ(read(true, extended)->spi.value_or(0), 0x12345678, "the first one has");
    // a header of destination options of 16 octets, one of 8, and then ESP (RFC 8200 section 4.6)
    Octets options = quote(true, 60);
    options.insert(options.end(), {60, 1, 1, 12, 9, 9, 9, 9, 59, 9, 9, 9, 9, 9, 9, 9});
    options.insert(options.end(), {50, 0, 1, 4, 0, 0, 0, 0});
    options.insert(options.end(), behind.begin(), behind.end());
    options.insert(options.end(), 3, 0); // as ESP has more
    NS_TEST_EXPECT_MSG_EQ(+read(true, options)->flow.protocol, 50, "behind two of options");
    NS_TEST_EXPECT_MSG_EQ(read(true, options)->spi.value_or(0), 0x12345678, "of options");
}

IWARP_TEST_CASES(ipsecIcmp)
{
    for (const bool ipv6 : {false, true})
    {
        for (const bool deny : {false, true})
        {
            suite.AddTestCase(new FarGatewayTest(IpsecPlace::GATEWAY, ipv6, deny));
            suite.AddTestCase(new FarGatewayTest(IpsecPlace::NESTED, ipv6, deny));
        }
        for (const auto place : {IpsecPlace::TUNNEL, IpsecPlace::GATEWAY})
        {
            suite.AddTestCase(new UnreachableTest(place, ipv6));
        }
        for (const auto place :
             {IpsecPlace::NOWHERE, IpsecPlace::TRANSPORT, IpsecPlace::TUNNEL, IpsecPlace::GATEWAY})
        {
            suite.AddTestCase(new ClearIcmpTest(place, ipv6, false));
            if (!ipv6 || place != IpsecPlace::NOWHERE)
            { // alone, ns-3's IPv6 believes any message about paths, for all who send
                suite.AddTestCase(new ClearIcmpTest(place, ipv6, true));
            }
        }
        for (const auto place :
             {IpsecPlace::TRANSPORT, IpsecPlace::TUNNEL, IpsecPlace::GATEWAY, IpsecPlace::NESTED})
        {
            suite.AddTestCase(new DefaultDenyTest(place, ipv6));
        }
        suite.AddTestCase(new DenyingGatewayTest(ipv6));
    }
}

} // namespace
