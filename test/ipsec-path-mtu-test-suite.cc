/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ipsec-run.h"

#include "ns3/boolean.h"
#include "ns3/config.h"
#include "ns3/ns3-compat.h"
#include "ns3/test.h"

#include <algorithm>

using namespace ns3;

namespace
{

/**
 * @ingroup iwarp-test
 * A gateway's tunnel around the hosts' ESP: the hosts hear by ICMP that their packets do not fit,
 * and TCP when it sends the next one, which is after a timeout if the whole first window was too
 * big. What it sends then is too big too, and goes out again in smaller pieces at once, not after a
 * second timeout (RFC 1191 section 6.4; Linux, tcp_simple_retransmit(), whatever the state).
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
        NS_TEST_EXPECT_MSG_EQ(pauses, 1, "one timeout");
        NS_TEST_EXPECT_MSG_LT(longest, rto + MilliSeconds(10), "and no longer one");
        NS_TEST_EXPECT_MSG_LT(run.last, rto + MilliSeconds(70), "then all goes on");
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
    /// @param place where there is IPsec @param ipv6 IPv6
    UdpPathTest(IpsecPlace place, bool ipv6)
        : TestCase("narrow beyond, in UDP, place " + std::to_string(static_cast<int>(place)) +
                   (ipv6 ? ", IPv6" : ", IPv4")),
          m_place(place),
          m_ipv6(ipv6)
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
};

/**
 * @ingroup iwarp-test
 * What hosts with ESP learn of the path's MTU.
 */
class IpsecPathMtuTestSuite : public TestSuite
{
  public:
    IpsecPathMtuTestSuite()
        : TestSuite("ipsec-path-mtu", Type::SYSTEM)
    {
        AddTestCase(new NestedStartTest(false), IWARP_TEST_QUICK);
        AddTestCase(new NestedStartTest(true), IWARP_TEST_QUICK);
        for (const auto place : {IpsecPlace::TRANSPORT, IpsecPlace::TUNNEL, IpsecPlace::GATEWAY})
        {
            AddTestCase(new UdpPathTest(place, false), IWARP_TEST_QUICK);
            AddTestCase(new UdpPathTest(place, true), IWARP_TEST_QUICK);
        }
    }
};

IpsecPathMtuTestSuite g_ipsecPathMtuTestSuite; //!< registers the suite

} // namespace
