/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "../iwarp-test.h"

#include "ns3/tcp-mtu-search.h"
#include "ns3/tcp-probe-guard.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

using namespace ns3;

namespace
{

IWARP_TEST_SUITE(tcpMtuSearch, "tcp-mtu-search");

using Probing = TcpMtuSettings::Probing;

constexpr uint32_t TCP_IP_HEADERS = 52;  // octets: IPv4, TCP with timestamps
constexpr uint32_t MOST = 1500;          // octets: MTU of the route
constexpr uint32_t BASE_MTU = 1024 + 52; // octets: MTU that a path is trusted to take

/// @param probing when it probes @return a search with Linux's figures
TcpMtuSearch
Begin(Probing probing)
{
    return {{probing, 1024, 3, Seconds(600), false}, TCP_IP_HEADERS, MOST, Time(0)};
}

/// Bisection finds any MTU, in as many probes as it should.
IWARP_TEST(tcpMtuSearch, "bisection")
{
    const double halvings = std::log2((MOST - BASE_MTU) / double{TcpMtuSearch::THRESHOLD});
    for (uint32_t path = BASE_MTU; path <= MOST; path++)
    {
        TcpMtuSearch search = Begin(Probing::ALWAYS);
        NS_TEST_ASSERT_MSG_EQ(search.GetMtu(), BASE_MTU, "from BaseMss");
        uint32_t probes = 0;
        while (const uint32_t probe = search.GetProbe())
        {
            NS_TEST_ASSERT_MSG_GT(probe, search.GetMtu(), "larger than what is known");
            if (++probes == 1)
            {
                NS_TEST_ASSERT_MSG_EQ(probe, (BASE_MTU + MOST) / 2, "the middle");
            }
            probe <= path ? search.Succeed(probe, Time(0)) : search.Fail(probe, Time(0));
        }
        NS_TEST_EXPECT_MSG_LT_OR_EQ(search.GetMtu(), path, "fits");
        NS_TEST_EXPECT_MSG_GT(search.GetMtu() + TcpMtuSearch::THRESHOLD, path, "all but");
        NS_TEST_EXPECT_MSG_LT_OR_EQ(probes, std::ceil(halvings) + 1, "log2, path " << path);
    }
}

/// A probe that is lost says that its own size is too large: 7 octets are left, too few to probe.
IWARP_TEST(tcpMtuSearch, "the size of a lost probe")
{
    TcpMtuSearch search({Probing::ALWAYS, 1024, 3, Seconds(600), false},
                        TCP_IP_HEADERS,
                        BASE_MTU + 16,
                        Time(0));
    NS_TEST_ASSERT_MSG_EQ(search.GetProbe(), BASE_MTU + 8, "the middle");
    search.Fail(BASE_MTU + 8, Time(0));
    NS_TEST_EXPECT_MSG_EQ(search.GetProbe(), 0, "nothing is left to probe");
    NS_TEST_EXPECT_MSG_EQ(search.GetMtu(), BASE_MTU, "what is known");
}

/// A lost probe is no congestion (RFC 4821 section 3): window and threshold are what they were,
/// whatever recovery has made of them.
IWARP_TEST(tcpMtuSearch, "what a lost probe leaves of congestion control")
{
    for (const bool lost : {true, false})
    {
        const auto state = CreateObject<TcpSocketState>();
        state->m_ssThresh = 50000;
        state->m_cWnd = 20000;
        state->m_cWndInfl = 21000;
        Ptr<TcpCongestionOps> control = CreateObject<TcpNewReno>();
        const auto own = control;
        const auto guard =
            CreateObject<TcpProbeGuard>(control, *state, CreateObject<TcpTxBuffer>(0), MOST);
        NS_TEST_EXPECT_MSG_NE(control, own, "in its place");
        if (lost)
        {
            control->CongestionStateSet(state, TcpSocketState::CA_RECOVERY);
        }
        state->m_ssThresh = 10000;
        state->m_cWnd = 11000;
        state->m_cWndInfl = 12000;
        NS_TEST_EXPECT_MSG_EQ(guard->End(control, *state), lost, "the probe is lost");
        NS_TEST_EXPECT_MSG_EQ(control, own, "as before");
        NS_TEST_EXPECT_MSG_EQ(state->m_ssThresh.Get(), (lost ? 50000U : 10000U), "threshold");
        NS_TEST_EXPECT_MSG_EQ(state->m_cWnd.Get(), (lost ? 20000U : 11000U), "window");
        NS_TEST_EXPECT_MSG_EQ(state->m_cWndInfl.Get(), (lost ? 21000U : 12000U), "inflated");
    }
}

/// When the search falls back, and how far: as Linux's tcp_mtu_probing().
IWARP_TEST(tcpMtuSearch, "black hole")
{
    const Time now;
    TcpMtuSearch search = Begin(Probing::BLACK_HOLE);
    NS_TEST_EXPECT_MSG_EQ(search.GetMtu(), MOST, "the route's");
    NS_TEST_EXPECT_MSG_EQ(search.GetProbe(), 0, "nothing to probe");
    for (uint32_t i = 0; i < 10; i++)
    {
        NS_TEST_EXPECT_MSG_EQ(search.NotifyTimeout(BASE_MTU, now), false, "BaseMss got lost");
    }
    NS_TEST_EXPECT_MSG_EQ(search.NotifyTimeout(MOST, now), false, "once");
    NS_TEST_EXPECT_MSG_EQ(search.NotifyTimeout(MOST, now), false, "twice");
    search.NotifyProgress();
    NS_TEST_EXPECT_MSG_EQ(search.NotifyTimeout(MOST, now), false, "once");
    NS_TEST_EXPECT_MSG_EQ(search.NotifyTimeout(MOST, now), false, "twice");
    NS_TEST_EXPECT_MSG_EQ(search.NotifyTimeout(MOST, now), true, "tcp_retries1");
    NS_TEST_EXPECT_MSG_EQ(search.GetMtu(), BASE_MTU, "tcp_base_mss");
    NS_TEST_EXPECT_MSG_EQ(search.GetProbe(), (BASE_MTU + MOST) / 2, "and up again");
    // it stays so: to the half of the MSS, but not below 48
    uint32_t mss = 1024;
    while (search.NotifyTimeout(MOST, now))
    {
        mss = std::max(mss / 2, 48U);
        NS_TEST_EXPECT_MSG_EQ(search.GetMtu(), TCP_IP_HEADERS + mss, "the half");
    }
    NS_TEST_EXPECT_MSG_EQ(mss, 48, "tcp_mtu_probe_floor");

    TcpMtuSearch none = Begin(Probing::OFF);
    for (uint32_t i = 0; i < 10; i++)
    {
        NS_TEST_EXPECT_MSG_EQ(none.NotifyTimeout(MOST, now), false, "Off");
    }
}

/// What ICMP tells, and what is tried again after the interval.
IWARP_TEST(tcpMtuSearch, "limits and time")
{
    TcpMtuSearch told = Begin(Probing::OFF);
    told.Limit(1000, Seconds(5));
    NS_TEST_EXPECT_MSG_EQ(told.GetMtu(), 1000, "ICMP");
    NS_TEST_EXPECT_MSG_EQ(told.GetProbe(), 0, "Off");
    NS_TEST_EXPECT_MSG_EQ(told.IsDue(Seconds(604)), false, "not yet");
    NS_TEST_EXPECT_MSG_EQ(told.IsDue(Seconds(605)), true, "RFC 1191: 10 minutes");
    NS_TEST_EXPECT_MSG_EQ(told.Refresh(MOST, Seconds(605)), true, "at once");
    NS_TEST_EXPECT_MSG_EQ(told.GetMtu(), MOST, "ICMP will tell");
    NS_TEST_EXPECT_MSG_EQ(told.Refresh(MOST, Seconds(9999)), false, "nothing new");

    TcpMtuSearch probes = Begin(Probing::BLACK_HOLE);
    probes.Limit(1300, Seconds(5));
    NS_TEST_EXPECT_MSG_EQ(probes.GetMtu(), 1300, "ICMP");
    NS_TEST_EXPECT_MSG_EQ(probes.GetProbe(), 0, "which is exact");
    NS_TEST_EXPECT_MSG_EQ(probes.Refresh(MOST, Seconds(605)), false, "no leap");
    NS_TEST_EXPECT_MSG_EQ(probes.GetProbe(), 1400, "but a probe");
    NS_TEST_EXPECT_MSG_EQ(probes.IsDue(Seconds(9999)), false, "which is under way");
    probes.Limit(1350, Seconds(606)); // says ICMP of the probe
    NS_TEST_EXPECT_MSG_EQ(probes.GetMtu(), 1300, "what is in use fits");
    NS_TEST_EXPECT_MSG_EQ(probes.GetProbe(), 1325, "below what is told");
}

} // namespace
