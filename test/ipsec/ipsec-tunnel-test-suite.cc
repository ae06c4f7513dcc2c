/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "../iwarp-test.h"
#include "ipsec-run.h"

#include "ns3/config.h"
#include "ns3/esp-format.h"
#include "ns3/udp-l4-protocol.h"

#include <algorithm>
#include <set>
#include <vector>

using namespace ns3;

namespace
{

/// ESP in tunnel mode, between hosts and between gateways.
IWARP_TEST_SUITE(ipsecTunnel, "ipsec-tunnel", TestSuite::Type::SYSTEM);

constexpr uint32_t TCP_HEADER_SIZE = 20; // octets of a header without options
constexpr uint32_t AROUND = 32;          // octets of SPI, sequence number, IV and ICV of aes-gcm-16

/// @param mtu of a path @param front octets before ESP @return octets that ESP can protect
uint32_t
FindRoom(uint32_t mtu, uint32_t front)
{
    return (mtu - front - AROUND) / 4 * 4 - 2;
}

/// @param datagrams seen @return protocols of them
std::set<uint8_t>
FindProtocols(const std::vector<IpsecRun::Datagram>& datagrams)
{
    std::set<uint8_t> protocols;
    for (const auto& datagram : datagrams)
    {
        protocols.insert(datagram.protocol);
    }
    return protocols;
}

/// @param datagrams seen @return fragments among them
std::size_t
CountFragments(const std::vector<IpsecRun::Datagram>& datagrams)
{
    return std::count_if(datagrams.begin(), datagrams.end(), [](const auto& datagram) {
        return datagram.fragment;
    });
}

/**
 * @ingroup iwarp-test
 * The EMSS follows what the tunnel leaves of the path, wherever the tunnel begins and the path is
 * narrow, against sums by hand.
 */
class TunnelMtuTest : public TestCase
{
  public:
    /// @param place where there is IPsec @param ipv6 IPv6 @param deep MTU behind a third router
    TunnelMtuTest(IpsecPlace place, bool ipv6, uint32_t deep)
        : TestCase("EMSS, place " + std::to_string(static_cast<int>(place)) +
                   (ipv6 ? ", IPv6" : ", IPv4") + (deep > 0 ? ", narrow beyond" : "")),
          m_place(place),
          m_ipv6(ipv6),
          m_deep(deep)
    {
    }

  private:
    uint32_t FindEmss() const //!< @return what is due
    {
        const uint32_t ip = m_ipv6 ? 40 : 20;
        const uint32_t path = m_deep > 0 ? m_deep : 1500;
        switch (m_place)
        {
        case IpsecPlace::TRANSPORT:
            return FindRoom(path, ip) - TCP_HEADER_SIZE;
        case IpsecPlace::TUNNEL:
        case IpsecPlace::GATEWAY:
            return FindRoom(path, ip) - ip - TCP_HEADER_SIZE;
        case IpsecPlace::NESTED:
            return FindRoom(FindRoom(path, ip), ip) - TCP_HEADER_SIZE;
        case IpsecPlace::NOWHERE:
            break;
        }
        return path - ip - TCP_HEADER_SIZE;
    }

    void DoRun() override
    {
        Config::SetDefault("ns3::TcpSocketBase::Timestamp", BooleanValue(false));
        IpsecSetup setup;
        setup.place = m_place;
        setup.ipv6 = m_ipv6;
        setup.deep = m_deep;
        IpsecRun run(setup);
        run.Run();
        Config::Reset();
        NS_TEST_ASSERT_MSG_EQ(run.IsDone(), true, "all messages, and right");
        NS_TEST_EXPECT_MSG_EQ(run.emss.back(), FindEmss(), "EMSS");
        IWARP_COVERS("MPA-3-10");
        NS_TEST_EXPECT_MSG_EQ(CountFragments(run.crossed), 0, "nothing is divided");
        auto protocols = FindProtocols(run.crossed);
        protocols.erase(1); // ICMP of routers goes in clear
        NS_TEST_EXPECT_MSG_EQ((protocols == std::set<uint8_t>{ESP_PROTOCOL}),
                              true,
                              "all goes in ESP");
        const bool inClear = m_place == IpsecPlace::GATEWAY;
        NS_TEST_EXPECT_MSG_EQ(FindProtocols(run.sent).count(ESP_PROTOCOL),
                              !inClear,
                              "from the host too");
    }

    IpsecPlace m_place; //!< where there is IPsec
    bool m_ipv6;        //!< IPv6
    uint32_t m_deep;    //!< MTU behind a third router
};

/// Fragments after and before ESP, where tunnels say that there may be some.
struct TunnelFragmentsTest : TestCase
{
    using TestCase::TestCase;

    /// @param df of the tunnel @param fragments which @param tcp TCP sets "don't fragment"
    /// @param divided ESP is
    void RunOne(IpsecDontFragment df, IpsecFragments fragments, bool tcp, bool divided)
    {
        Config::SetDefault("ns3::TcpSocketBase::Timestamp", BooleanValue(false));
        IpsecSetup setup;
        setup.place = IpsecPlace::GATEWAY;
        setup.dontFragment = df;
        setup.fragments = fragments;
        setup.dontFragmentTcp = tcp;
        IpsecRun run(setup);
        run.Run();
        Config::Reset();
        NS_TEST_ASSERT_MSG_EQ(run.IsDone(), true, "all messages, and right");
        NS_TEST_EXPECT_MSG_EQ(run.emss.back(), 1460, "the hosts are not told");
        NS_TEST_EXPECT_MSG_EQ((CountFragments(run.crossed) > 100), divided, "fragments of ESP");
        const uint64_t opened = run.gateways[1]->GetCounters().opened;
        NS_TEST_EXPECT_MSG_EQ((opened > run.sent.size() + 100),
                              !divided,
                              "fragments in ESP, which has packets of its own for them");
        const bool whole = std::any_of(run.crossed.begin(), run.crossed.end(), [](const auto& d) {
            return d.whole;
        });
        NS_TEST_EXPECT_MSG_EQ(whole, (df == IpsecDontFragment::SET), "outer header");
    }
};

/**
 * @ingroup iwarp-test
 * Fields of headers through a tunnel between gateways: TTL, TOS and congestion marks.
 */
class TunnelFieldsTest : public TestCase
{
  public:
    /// @param ipv6 IPv6
    explicit TunnelFieldsTest(bool ipv6)
        : TestCase(std::string("header fields, ") + (ipv6 ? "IPv6" : "IPv4")),
          m_ipv6(ipv6)
    {
    }

  private:
    void DoRun() override
    {
        Config::SetDefault("ns3::TcpSocketBase::UseEcn", StringValue("On"));
        IpsecSetup setup;
        setup.place = IpsecPlace::GATEWAY;
        setup.ipv6 = m_ipv6;
        IpsecRun run(setup);
        uint32_t marked = 0;
        run.box->onPacket = [this, &marked](Ptr<Packet> packet, bool forth, const auto& send) {
            std::vector<uint8_t> octets(packet->GetSize());
            packet->CopyData(octets.data(), packet->GetSize());
            uint8_t& field = octets[1];
            const uint8_t ect = m_ipv6 ? 2 << 4 : 2; // ECT(0), bits 6 and 7 of the traffic class
            if (forth && (field & (3 * ect / 2)) == ect && ++marked % 10 == 0)
            {
                field |= ect | ect / 2;
            }
            send(Create<Packet>(octets.data(), octets.size()));
        };
        std::vector<uint8_t> hops;
        uint32_t seen = 0;
        const auto look = [this, &hops, &seen](const Ptr<const Packet>& packet) {
            uint8_t o[12] = {};
            packet->CopyData(o, sizeof(o)); // 2 octets of PPP
            const uint8_t* ip = o + 2;
            if ((m_ipv6 ? ip[6] : ip[9]) == 6)
            {
                hops.push_back(m_ipv6 ? ip[7] : ip[8]);
                seen += (m_ipv6 ? ip[1] >> 4 & 3 : ip[1] & 3) == 3;
            }
        };
        using Look = decltype(look);
        run.network.GetHostDevice(1)->TraceConnectWithoutContext(
            "MacRx",
            MakeBoundCallback(
                +[](Look* f, Ptr<const Packet> packet) { (*f)(packet); },
                &look));
        run.Run();
        Config::Reset();
        NS_TEST_ASSERT_MSG_EQ(run.IsDone(), true, "all messages, and right");
        NS_TEST_EXPECT_MSG_GT(seen, 5, "marks of the outer header come to the host");
        NS_TEST_EXPECT_MSG_EQ(seen, marked / 10, "each of them");
        NS_TEST_EXPECT_MSG_GT(hops.size(), 140, "all segments were looked at");
        NS_TEST_EXPECT_MSG_EQ(std::count(hops.begin(), hops.end(), 62),
                              static_cast<long>(hops.size()),
                              "a tunnel is one hop for what is in it, and its ends are routers");
    }

    bool m_ipv6; //!< IPv6
};

IWARP_TEST_CASES(ipsecTunnel)
{
    for (const auto place :
         {IpsecPlace::TRANSPORT, IpsecPlace::TUNNEL, IpsecPlace::GATEWAY, IpsecPlace::NESTED})
    {
        for (const bool ipv6 : {false, true})
        {
            suite.AddTestCase(new TunnelMtuTest(place, ipv6, 0));
            suite.AddTestCase(new TunnelMtuTest(place, ipv6, 1400));
        }
    }
    for (const bool ipv6 : {false, true})
    {
        suite.AddTestCase(new TunnelFieldsTest(ipv6));
    }
}

/// Headers made for tunnels have the node's time to live (RFC 4301 section 5.1.2.1), and so have
/// those within that a host makes.
IWARP_TEST(ipsecTunnel, "the node's time to live and hop limit")
{
    for (const bool ipv6 : {false, true})
    {
        for (const auto place : {IpsecPlace::TUNNEL, IpsecPlace::GATEWAY})
        {
            Config::SetDefault("ns3::Ipv4L3Protocol::DefaultTtl", UintegerValue(100));
            Config::SetDefault("ns3::Ipv6L3Protocol::DefaultTtl", UintegerValue(100));
            IpsecSetup setup;
            setup.place = place;
            setup.ipv6 = ipv6;
            setup.transform = "null/hmac-sha2-256-128"; // shows what is within
            IpsecRun run(setup);
            std::set<int> outer;
            std::set<int> inner;
            run.box->onPacket = [&](const Ptr<Packet>& packet, bool, const auto& send) {
                std::vector<uint8_t> octets(packet->GetSize());
                packet->CopyData(octets.data(), packet->GetSize());
                const uint32_t within = (ipv6 ? 40 : IPV4_SIZE) + 8; // behind SPI and number
                if (octets[ipv6 ? 6 : 9] == ESP_PROTOCOL)
                {
                    outer.insert(octets[ipv6 ? 7 : 8]);
                    inner.insert(octets[within + (ipv6 ? 7 : 8)]);
                }
                send(packet);
            };
            run.Run();
            Config::Reset();
            NS_TEST_ASSERT_MSG_EQ(run.IsDone(), true, "all messages, and right");
            const bool gateway = place == IpsecPlace::GATEWAY;
            NS_TEST_EXPECT_MSG_EQ((outer == std::set<int>{gateway ? 100 : 99}), true, "outside");
            NS_TEST_EXPECT_MSG_EQ((inner == std::set<int>{gateway ? 99 : 100}), true, "within");
        }
    }
}

IWARP_TEST(ipsecTunnel, "fragments", TunnelFragmentsTest)
{
    using Df = IpsecDontFragment;
    RunOne(Df::CLEAR, IpsecFragments::AFTER_ESP, true, true);
    RunOne(Df::CLEAR, IpsecFragments::AFTER_ESP, false, true);
    RunOne(Df::CLEAR, IpsecFragments::BEFORE_ESP, false, false);
    RunOne(Df::COPY, IpsecFragments::AFTER_ESP, false, true);
    RunOne(Df::COPY, IpsecFragments::BEFORE_ESP, false, false);
    RunOne(Df::SET, IpsecFragments::AFTER_ESP, false, false);
}

/**
 * @ingroup iwarp-test
 * ESP in UDP (RFC 3948): 8 octets more.
 */
class UdpTest : public TestCase
{
  public:
    /// @param place where there is IPsec
    explicit UdpTest(IpsecPlace place)
        : TestCase("in UDP, place " + std::to_string(static_cast<int>(place))),
          m_place(place)
    {
    }

  private:
    void DoRun() override
    {
        Config::SetDefault("ns3::TcpSocketBase::Timestamp", BooleanValue(false));
        IpsecSetup setup;
        setup.place = m_place;
        setup.proposal.udp = true;
        IpsecRun run(setup);
        run.Run();
        Config::Reset();
        NS_TEST_ASSERT_MSG_EQ(run.IsDone(), true, "all messages, and right");
        const uint32_t inner = m_place == IpsecPlace::TRANSPORT ? 0 : 20;
        NS_TEST_EXPECT_MSG_EQ(run.emss.back(),
                              FindRoom(1500, 20 + 8) - inner - TCP_HEADER_SIZE,
                              "EMSS");
        NS_TEST_EXPECT_MSG_EQ(
            (FindProtocols(run.crossed) == std::set<uint8_t>{UdpL4Protocol::PROT_NUMBER}),
            true,
            "all goes in UDP");
    }

    IpsecPlace m_place; //!< where there is IPsec
};

IWARP_TEST_CASES(ipsecTunnel)
{
    suite.AddTestCase(new UdpTest(IpsecPlace::TRANSPORT));
    suite.AddTestCase(new UdpTest(IpsecPlace::TUNNEL));
}

/// What a gateway is to protect does not pass it in clear, either way (RFC 4301 section 5.2).
IWARP_TEST(ipsecTunnel, "clear traffic does not pass a gateway")
{
    IpsecSetup setup;
    setup.place = IpsecPlace::NOWHERE;
    setup.stop = Seconds(10);
    IpsecRun run(setup);
    const auto gateway = run.ipsec.InstallGateway(run.network.GetRouter(1));
    IpsecSelector selector;
    selector.source = IpsecPrefix(run.GetHostAddress(1));
    run.ipsec.ProtectTunnel(gateway, selector, run.GetRouterAddress(1), run.GetRouterAddress(0));
    run.Run();
    NS_TEST_EXPECT_MSG_GT(run.sent.size(), 1, "SYNs are sent");
    NS_TEST_EXPECT_MSG_EQ(gateway->GetCounters().GetDropped(IpsecDrop::POLICY),
                          run.sent.size(),
                          "and dropped");
    NS_TEST_EXPECT_MSG_EQ(run.answered.empty(), true, "nothing comes");
    IWARP_COVERS("MPA-9.4-05");
}

} // namespace
