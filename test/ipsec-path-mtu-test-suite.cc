/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ipsec-run.h"

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
    }
};

IpsecPathMtuTestSuite g_ipsecPathMtuTestSuite; //!< registers the suite

} // namespace
