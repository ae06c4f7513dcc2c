/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "../iwarp-test.h"
#include "ipsec-run.h"
#include "ipsec-wire.h"

#include "ns3/boolean.h"
#include "ns3/config.h"

#include <algorithm>

using namespace ns3;

namespace
{

/// ESP on paths that take little.
IWARP_TEST_SUITE(ipsecSmallPath, "ipsec-small-path", TestSuite::Type::SYSTEM);

constexpr uint32_t SEGMENT_HEADER = 20; // octets of a TCP header without options

/// @param ipv6 IPv6 @return octets that each host takes (RFC 791), or each link (RFC 8200): who
/// sends is not asked for less
uint32_t
GetFloor(bool ipv6)
{
    return ipv6 ? 1280 : 576;
}

/// @param mtu of a path @param ipv6 IPv6 @return octets that aes-gcm-16 can protect: SPI, sequence
/// number, IV and ICV are 32, what is enciphered is aligned to 4 and ends with 2 of the trailer
uint32_t
FindInside(uint32_t mtu, bool ipv6)
{
    return (mtu - (ipv6 ? 40 : 20) - 32) / 4 * 4 - 2;
}

/// @param place where there is IPsec @param ipv6 IPv6 @param mtu of the path @return EMSS due
uint32_t
FindSmallEmss(IpsecPlace place, bool ipv6, uint32_t mtu)
{
    const uint32_t ip = ipv6 ? 40 : 20;
    const uint32_t floor = GetFloor(ipv6);
    const uint32_t path = std::max(mtu, floor);
    const uint32_t asked = std::max(FindInside(path, ipv6), floor); // by a gateway
    switch (place)
    {
    case IpsecPlace::TRANSPORT:
        return FindInside(path, ipv6) - SEGMENT_HEADER;
    case IpsecPlace::TUNNEL:
        return FindInside(path, ipv6) - ip - SEGMENT_HEADER;
    case IpsecPlace::GATEWAY:
        return asked - ip - SEGMENT_HEADER;
    case IpsecPlace::NESTED:
        return FindInside(asked, ipv6) - SEGMENT_HEADER;
    case IpsecPlace::NOWHERE:
        break;
    }
    return path - ip - SEGMENT_HEADER;
}

/**
 * @ingroup iwarp-test
 * A stream gets on whatever a path takes that may take so little (RFC 791: 68 octets; RFC 8200:
 * 1280), and its EMSS is that of a sum by hand; what does not fit is divided outside ESP (RFC 4301
 * section 8.1, RFC 2473 section 7.1).
 */
class SmallPathTest : public TestCase
{
  public:
    /// @param place where there is IPsec @param ipv6 IPv6 @param mtu of the path @param beyond
    /// behind the first router, which tells of it; otherwise on its link, or the hosts'
    SmallPathTest(IpsecPlace place, bool ipv6, uint32_t mtu, bool beyond)
        : TestCase("place " + std::to_string(static_cast<int>(place)) +
                   (ipv6 ? ", IPv6, " : ", IPv4, ") + std::to_string(mtu) +
                   (beyond ? " beyond" : "")),
          m_place(place),
          m_ipv6(ipv6),
          m_mtu(mtu),
          m_beyond(beyond)
    {
    }

  private:
    void DoRun() override
    {
        Config::SetDefault("ns3::TcpSocketBase::Timestamp", BooleanValue(false));
        IpsecSetup setup;
        setup.place = m_place;
        setup.ipv6 = m_ipv6;
        setup.octets = 60'000;
        setup.stop = Seconds(30); // a SYN that is too big is sent again after 3 s, and 6
        const bool hosts = m_place == IpsecPlace::TRANSPORT || m_place == IpsecPlace::TUNNEL;
        (m_beyond ? setup.deep : hosts ? setup.access : setup.core) = m_mtu;
        IpsecRun run(setup);
        run.Run();
        Config::Reset();
        NS_TEST_EXPECT_MSG_EQ(run.IsDone(), true, "all messages, and right");
        NS_TEST_EXPECT_MSG_EQ(run.errors, 0, "the stream has stayed");
        NS_TEST_EXPECT_MSG_EQ(run.emss.back(), FindSmallEmss(m_place, m_ipv6, m_mtu), "EMSS");
        const bool fits =
            m_mtu >= GetFloor(m_ipv6) && (hosts || FindInside(m_mtu, m_ipv6) >= GetFloor(m_ipv6));
        const auto& seen = hosts ? run.sent : run.crossed;
        const bool divided = std::any_of(seen.begin(), seen.end(), [](const auto& datagram) {
            return datagram.fragment;
        });
        NS_TEST_EXPECT_MSG_EQ((divided && fits), false, "no more is divided than has to be");
    }

    IpsecPlace m_place; //!< where there is IPsec
    bool m_ipv6;        //!< IPv6
    uint32_t m_mtu;     //!< of the path
    bool m_beyond;      //!< behind the first router
};

/**
 * @ingroup iwarp-test
 * Who sees a packet, and tells its sender that the path takes next to nothing, ends no stream: a
 * plain one is not ended so either.
 */
class ForgedPathTest : public TestCase
{
  public:
    /// @param place where there is IPsec @param ipv6 IPv6 @param told MTU
    ForgedPathTest(IpsecPlace place, bool ipv6, uint32_t told)
        : TestCase("forged, place " + std::to_string(static_cast<int>(place)) +
                   (ipv6 ? ", IPv6, " : ", IPv4, ") + std::to_string(told)),
          m_place(place),
          m_ipv6(ipv6),
          m_told(told)
    {
    }

  private:
    void DoRun() override
    {
        Config::SetDefault("ns3::TcpSocketBase::Timestamp", BooleanValue(false));
        IpsecSetup setup;
        setup.place = m_place;
        setup.ipv6 = m_ipv6;
        setup.stop = Seconds(30);
        IpsecRun run(setup);
        ipsec_wire::Octets last;
        uint32_t answers = 0;
        uint32_t forged = 0;
        run.box->onPacket = [&](Ptr<Packet> packet, bool forth, const auto& send) {
            const auto octets = ipsec_wire::Read(packet);
            send(packet);
            if (forth)
            {
                last = octets;
            }
            else if (!last.empty() && !ipsec_wire::IsDiscovery(last) && ++answers % 8 == 0)
            {
                send(ipsec_wire::MakeTooBig(last, m_told));
                ++forged;
            }
        };
        run.Run();
        Config::Reset();
        NS_TEST_EXPECT_MSG_GT(forged, 5, "there were some");
        NS_TEST_EXPECT_MSG_EQ(run.IsDone(), true, "all messages, and right");
        NS_TEST_EXPECT_MSG_EQ(run.errors, 0, "the stream has stayed");
        NS_TEST_EXPECT_MSG_GT_OR_EQ(run.emss.back(),
                                    FindSmallEmss(m_place, m_ipv6, GetFloor(m_ipv6)),
                                    "EMSS");
    }

    IpsecPlace m_place; //!< where there is IPsec
    bool m_ipv6;        //!< IPv6
    uint32_t m_told;    //!< MTU
};

/**
 * @ingroup iwarp-test
 * Who hears that a packet of his does not fit tells TCP at once, so that a first flight that is
 * too big as a whole costs no timeout.
 */
class FirstFlightTest : public TestCase
{
  public:
    /// @param place where there is IPsec @param ipv6 IPv6 @param udp ESP is in UDP
    FirstFlightTest(IpsecPlace place, bool ipv6, bool udp)
        : TestCase("first flight, place " + std::to_string(static_cast<int>(place)) +
                   (ipv6 ? ", IPv6" : ", IPv4") + (udp ? ", UDP" : "")),
          m_place(place),
          m_ipv6(ipv6),
          m_udp(udp)
    {
    }

  private:
    void DoRun() override
    {
        IpsecSetup setup;
        setup.place = m_place;
        setup.ipv6 = m_ipv6;
        setup.proposal.udp = m_udp;
        setup.deep = 1400;
        setup.octets = 20'000;
        IpsecRun run(setup);
        run.Run();
        NS_TEST_EXPECT_MSG_EQ(run.IsDone(), true, "all messages, and right");
        // ns-3's least timeout is 1 s
        NS_TEST_EXPECT_MSG_LT(run.last, MilliSeconds(100), "no timeout");
    }

    IpsecPlace m_place; //!< where there is IPsec
    bool m_ipv6;        //!< IPv6
    bool m_udp;         //!< ESP is in UDP
};

IWARP_TEST_CASES(ipsecSmallPath)
{
    for (const auto place :
         {IpsecPlace::TRANSPORT, IpsecPlace::TUNNEL, IpsecPlace::GATEWAY, IpsecPlace::NESTED})
    {
        for (const bool beyond : {false, true})
        {
            for (const uint32_t mtu : {68, 300, 576, 600, 611, 640})
            {
                suite.AddTestCase(new SmallPathTest(place, false, mtu, beyond));
            }
            for (const uint32_t mtu : {1280, 1320, 1380})
            {
                suite.AddTestCase(new SmallPathTest(place, true, mtu, beyond));
            }
        }
    }
    for (const auto place : {IpsecPlace::NOWHERE,
                             IpsecPlace::TRANSPORT,
                             IpsecPlace::TUNNEL,
                             IpsecPlace::GATEWAY,
                             IpsecPlace::NESTED})
    {
        for (const uint32_t told : {0, 68, 576})
        {
            suite.AddTestCase(new ForgedPathTest(place, false, told));
        }
        for (const uint32_t told : {48, 1000, 1279, 1280})
        {
            if (told > 48 || place != IpsecPlace::NOWHERE)
            { // ns-3's IPv6 alone believes that, and makes fragments of nothing for ever
                suite.AddTestCase(new ForgedPathTest(place, true, told));
            }
        }
        for (const bool ipv6 : {false, true})
        {
            suite.AddTestCase(new FirstFlightTest(place, ipv6, false));
        }
    }
    suite.AddTestCase(new FirstFlightTest(IpsecPlace::TUNNEL, false, true));
}

} // namespace
