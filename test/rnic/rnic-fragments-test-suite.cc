/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "../iwarp-test.h"
#include "../path/path-mtu-run.h"

#include "ns3/icmpv4.h"
#include "ns3/ipv4-header.h"
#include "ns3/ipv4-l3-protocol.h"
#include "ns3/ipv6-extension-header.h"
#include "ns3/ipv6-header.h"
#include "ns3/ipv6-l3-protocol.h"
#include "ns3/path-impairment.h"
#include "ns3/ppp-header.h"

#include <algorithm>
#include <set>
#include <string>
#include <vector>

using namespace ns3;

namespace
{

IWARP_TEST_SUITE(rnicFragments, "rnic-fragments");

/// Delays each last fragment of IPv4, and may keep the first ones.
class LateFragments : public PathImpairment
{
  public:
    Time delay{MilliSeconds(20)}; //!< how long
    uint32_t lost{0};             //!< so many never come

  private:
    int64_t DoAssignStreams(int64_t /* stream */) override
    {
        return 0;
    }

    bool Impair(Ptr<Packet> packet) override
    {
        std::vector<uint8_t> head(10);
        packet->CopyData(head.data(), static_cast<uint32_t>(head.size())); // 2 octets of PPP
        const bool more = (head[8] & 0x20) != 0;
        const bool offset = (head[8] & 0x1f) != 0 || head[9] != 0;
        if (more || !offset)
        {
            return false;
        }
        if (lost > 0)
        {
            lost--;
        }
        else
        {
            ReceiveLater(packet->Copy(), delay);
        }
        return true;
    }
};

/// Writes ECN fields (RFC 3168 section 5) of fragments.
class MarkFragments : public PathImpairment
{
  public:
    uint8_t first{0}; //!< of each first one
    uint8_t rest{0};  //!< of the others

  private:
    int64_t DoAssignStreams(int64_t /* stream */) override
    {
        return 0;
    }

    bool Impair(Ptr<Packet> packet) override
    {
        PppHeader ppp;
        packet->RemoveHeader(ppp);
        if (ppp.GetProtocol() == 0x57)
        {
            Ipv6Header ip;
            Ipv6ExtensionFragmentHeader fragment;
            packet->RemoveHeader(ip);
            if (ip.GetNextHeader() == Ipv6Header::IPV6_EXT_FRAGMENTATION)
            {
                packet->PeekHeader(fragment);
                ip.SetTrafficClass(fragment.GetOffset() > 0 ? rest : first);
            }
            packet->AddHeader(ip);
        }
        else
        {
            Ipv4Header ip;
            packet->RemoveHeader(ip);
            if (!ip.IsLastFragment() || ip.GetFragmentOffset() > 0)
            {
                ip.SetTos(ip.GetFragmentOffset() > 0 ? rest : first);
            }
            packet->AddHeader(ip);
        }
        packet->AddHeader(ppp);
        return false;
    }
};

/// @param run a run that is over @return octets of the longest datagram that left the sender
uint32_t
Longest(const PathMtuRun& run)
{
    uint32_t longest = 0;
    for (const auto& segment : run.sent)
    {
        longest = std::max(longest, segment.datagram);
    }
    return longest;
}

/// The "don't fragment" bit set and clear: what routers do, and what the receiver sees.
IWARP_TEST(rnicFragments, "don't fragment: set and clear")
{
    {
        PathMtuSetup setup;
        setup.changes = {{MilliSeconds(10), 1000}};
        PathMtuRun run(setup);
        run.Run();
        NS_TEST_EXPECT_MSG_EQ(run.IsDone(), true, "all there");
        NS_TEST_EXPECT_MSG_EQ(Longest(run), 1500, "before");
        for (const auto& segment : run.sent)
        {
            NS_TEST_EXPECT_MSG_EQ(segment.dontFragment, true, "the bit is set");
        }
        NS_TEST_EXPECT_MSG_EQ(run.emss.back(), 1000 - PathMtuRun::HEADERS, "EMSS follows");
        NS_TEST_EXPECT_MSG_EQ(run.GetReassembly().GetFragments(), 0, "no fragments");
        IWARP_COVERS("MPA-A.5.1-01");
    }
    for (const uint32_t core : {1000U, 576U, 1499U})
    {
        PathMtuSetup setup;
        setup.core = core;
        setup.dontFragment = false;
        PathMtuRun run(setup);
        run.Run();
        NS_TEST_EXPECT_MSG_EQ(run.IsDone(), true, "all there");
        NS_TEST_EXPECT_MSG_EQ(run.sent.back().dontFragment, false, "the bit is clear");
        NS_TEST_EXPECT_MSG_EQ(run.emss.size(), 1, "EMSS stays");
        NS_TEST_EXPECT_MSG_GT(run.CountFragments(), 0, "there are some");
        NS_TEST_EXPECT_MSG_EQ(run.GetReassembly().GetFragments(),
                              run.CountFragments(),
                              "ceil((L - 20) / (8 * floor((MTU - 20) / 8))) each, " << core);
        NS_TEST_EXPECT_MSG_EQ(run.GetReassembly().GetDropped(), 0, "none is lost");
        NS_TEST_EXPECT_MSG_EQ(run.GetReassembly().GetHeld(), 0, "none is left");
        IWARP_COVERS("MPA-A.5.1-02");
        PathMtuSetup whole = setup;
        whole.core = 1500;
        PathMtuRun other(whole);
        other.Run();
        NS_TEST_EXPECT_MSG_EQ((run.passed == other.passed), true, "the same ULPDUs");
        NS_TEST_EXPECT_MSG_EQ(other.GetReassembly().GetFragments(), 0, "without fragments");
        NS_TEST_EXPECT_MSG_EQ(other.GetReassembly().GetPeak(), 0, "nor memory");
        NS_TEST_EXPECT_MSG_GT(run.GetReassembly().GetPeak(), 0, "which fragments need");
        IWARP_COVERS("MPA-A.5-04 MPA-A.5-02");
    }
}

/// The policies in a network: who gets all, who tells the sender, who stands still.
class PolicyTest : public TestCase
{
  public:
    explicit PolicyTest(bool ipv6)
        : TestCase(ipv6 ? "policies, IPv6" : "policies, IPv4"),
          m_ipv6(ipv6)
    {
    }

  private:
    /// @param policy of both RNICs @return a run with fragments: IPv4's by the router, IPv6's by
    /// the source, whose IP has learned the path's MTU while its TCP has not
    PathMtuSetup MakeSetup(const std::string& policy) const
    {
        PathMtuSetup setup;
        setup.ipv6 = m_ipv6;
        setup.core = m_ipv6 ? 1400 : 1000;
        setup.dontFragment = false;
        setup.rnic = {{"IpReassembly.Policy", policy}};
        if (m_ipv6)
        {
            setup.factory = {{"IgnoreIcmp", "true"}};
        }
        return setup;
    }

    void DoRun() override
    {
        for (const std::string policy : {"Unlimited", "Limited", "Pooled", "Max64K"})
        {
            PathMtuSetup setup = MakeSetup(policy);
            PathMtuRun run(setup);
            run.Run();
            NS_TEST_EXPECT_MSG_EQ(run.IsDone(), true, policy << ": all there");
            NS_TEST_EXPECT_MSG_GT(run.GetReassembly().GetDatagrams(),
                                  100,
                                  policy << ": put together");
            NS_TEST_EXPECT_MSG_EQ(run.rnics[1]->GetIcmpSent(), 0, policy << ": nobody is told");
        }
        if (m_ipv6)
        {
            return; // an IPv6 source that hears of fragments makes none
        }
        PathMtuSetup setup = MakeSetup("Drop");
        PathMtuRun run(setup);
        run.Run();
        NS_TEST_EXPECT_MSG_EQ(run.IsDone(), true, "all there");
        NS_TEST_EXPECT_MSG_GT(run.GetReassembly().GetDropped(), 0, "fragments are dropped");
        NS_TEST_EXPECT_MSG_GT(run.rnics[1]->GetIcmpSent(), 0, "the sender is told");
        // the first fragment of 20 + 8 * floor((1000 - 20) / 8) octets has come through
        NS_TEST_EXPECT_MSG_EQ(run.emss.back(), 996 - PathMtuRun::HEADERS, "and heeds it");
        IWARP_COVERS("MPA-A.5.1-03");
        // fragments that have crossed the network in vain
        PathMtuRun other(MakeSetup("Unlimited"));
        other.Run();
        NS_TEST_EXPECT_MSG_EQ(other.GetReassembly().GetDropped(), 0, "the default wastes none");
        IWARP_COVERS("MPA-A.5.1-08");

        // a buffer that is too small for the datagrams: option 2 has the sender told
        setup = MakeSetup("Limited");
        setup.rnic.emplace_back("IpReassembly.Octets", "1200");
        PathMtuRun limited(setup);
        limited.Run();
        NS_TEST_EXPECT_MSG_EQ(limited.IsDone(), true, "all there");
        NS_TEST_EXPECT_MSG_EQ(limited.emss.back(), 996 - PathMtuRun::HEADERS, "told");
        NS_TEST_EXPECT_MSG_LT_OR_EQ(limited.GetReassembly().GetPeak(), 1200, "within the limit");

        // A.5.1: a peer that ignores the messages makes no progress
        setup = MakeSetup("Drop");
        setup.factory = {{"IgnoreIcmp", "true"}};
        PathMtuRun deaf(setup);
        deaf.Run();
        NS_TEST_EXPECT_MSG_EQ(deaf.emss.size(), 1, "it does not heed it");
        NS_TEST_EXPECT_MSG_EQ(deaf.sink->GetMessages(), 0, "no progress");
        NS_TEST_EXPECT_MSG_EQ((deaf.errors == std::vector<MpaError>{MpaError::CONNECTION_LOST}),
                              true,
                              "until TCP gives up");
        IWARP_COVERS("MPA-A.5.1-11");
    }

    bool m_ipv6; //!< IPv6
};

IWARP_TEST_CASES(rnicFragments)
{
    suite.AddTestCase(new PolicyTest(false));
    suite.AddTestCase(new PolicyTest(true));
}

/// IP reassembly has no flow control: its memory grows to the TCP receive window.
IWARP_TEST(rnicFragments, "memory of late fragments: the receive window")
{
    PathMtuSetup setup;
    setup.core = 1480; // first fragments of 20 + 1456 octets, last ones of 20 + 24
    setup.dontFragment = false;
    setup.octets = 2'000'000;
    setup.message = 2'000'000; // no segment is so short that it overtakes others
    setup.socket = {{"RcvBufSize", "65535"}, {"WindowScaling", "false"}, {"InitialCwnd", "64"}};
    PathMtuRun run(setup);
    const auto late = CreateObject<LateFragments>();
    run.network.Impair(run.network.GetHostLink(1), PathDirection::A_TO_B, late);
    run.Run();
    NS_TEST_EXPECT_MSG_EQ(run.IsDone(), true, "all there");
    const uint64_t segments = 65535 / 1448;
    // with Markers some segments have 4 octets less
    NS_TEST_EXPECT_MSG_EQ_TOL(run.GetReassembly().GetPeak(),
                              segments * (1456 + 20) + 24,
                              4,
                              "a window of segments, the first of them whole");
    NS_TEST_EXPECT_MSG_GT(run.GetReassembly().GetPeak(), 65535, "the receive window");
    IWARP_COVERS("MPA-A.5.1-10");
}

/// RFC 3168 section 5.3: what one fragment has met, their datagram has; where the sender knows no
/// ECN, it is not handed up.
IWARP_TEST(rnicFragments, "congestion that fragments have met")
{
    constexpr uint8_t NOT_ECT = 0;
    constexpr uint8_t ECT_0 = 2;
    constexpr uint8_t CE = 3;
    for (const bool ipv6 : {false, true})
    {
        for (const uint8_t first : {NOT_ECT, ECT_0, CE})
        {
            PathMtuSetup setup;
            setup.ipv6 = ipv6;
            setup.core = ipv6 ? 1400 : 1000;
            setup.dontFragment = false;
            setup.stop = Seconds(20);
            if (ipv6)
            {
                setup.factory = {{"IgnoreIcmp", "true"}};
            }
            PathMtuRun run(setup);
            const auto mark = CreateObject<MarkFragments>();
            mark->first = first;
            mark->rest = first == CE ? ECT_0 : CE;
            run.network.Impair(run.network.GetHostLink(1), PathDirection::A_TO_B, mark);
            std::set<int> seen; // ECN fields of datagrams put together
            const auto look = [&seen, &setup](Ptr<const Packet> packet) {
                if (packet->GetSize() > setup.core)
                {
                    uint8_t head[2];
                    packet->CopyData(head, sizeof head);
                    seen.insert(setup.ipv6 ? head[1] >> 4 & 3 : head[1] & 3);
                }
            };
            const auto host = run.network.GetHost(1);
            if (ipv6)
            {
                host->GetObject<Ipv6L3Protocol>()->TraceConnectWithoutContext(
                    "Rx",
                    iwarp::MakeLambdaCallback<
                        Callback<void, Ptr<const Packet>, Ptr<Ipv6>, uint32_t>>(
                        [&look](Ptr<const Packet> packet, Ptr<Ipv6>, uint32_t) { look(packet); }));
            }
            else
            {
                host->GetObject<Ipv4L3Protocol>()->TraceConnectWithoutContext(
                    "Rx",
                    iwarp::MakeLambdaCallback<
                        Callback<void, Ptr<const Packet>, Ptr<Ipv4>, uint32_t>>(
                        [&look](Ptr<const Packet> packet, Ptr<Ipv4>, uint32_t) { look(packet); }));
            }
            run.Run();
            const auto expected = first == NOT_ECT ? std::set<int>{} : std::set<int>{CE};
            NS_TEST_EXPECT_MSG_EQ((seen == expected), true, "from " << int{first});
            NS_TEST_EXPECT_MSG_EQ(run.IsDone(), (first != NOT_ECT), "from " << int{first});
            NS_TEST_EXPECT_MSG_EQ((run.GetReassembly().GetDropped() > 0),
                                  (first == NOT_ECT),
                                  "no other is lost");
        }
    }
}

/// What never becomes whole is given up after Timeout, and the sender is told (RFC 792: code 1).
IWARP_TEST(rnicFragments, "fragments that wait in vain")
{
    for (const int64_t timeout : {100, 400})
    {
        PathMtuSetup setup;
        setup.core = 1000;
        setup.dontFragment = false;
        setup.rnic = {{"IpReassembly.Timeout", std::to_string(timeout) + "ms"}};
        PathMtuRun run(setup);
        const auto late = CreateObject<LateFragments>();
        late->delay = MilliSeconds(0);
        late->lost = 3;
        run.network.Impair(run.network.GetHostLink(1), PathDirection::A_TO_B, late);
        std::vector<Time> told;
        run.network.GetHost(1)->GetObject<Ipv4L3Protocol>()->TraceConnectWithoutContext(
            "Tx",
            iwarp::MakeLambdaCallback<Callback<void, Ptr<const Packet>, Ptr<Ipv4>, uint32_t>>(
                [&told](Ptr<const Packet> packet, Ptr<Ipv4>, uint32_t) {
                    const Ptr<Packet> rest = packet->Copy();
                    Ipv4Header ip;
                    Icmpv4Header icmp;
                    rest->RemoveHeader(ip);
                    if (ip.GetProtocol() == 1 && rest->PeekHeader(icmp) > 0 &&
                        icmp.GetType() == 11 && icmp.GetCode() == 1)
                    {
                        told.push_back(Simulator::Now());
                    }
                }));
        run.Run();
        NS_TEST_EXPECT_MSG_EQ(run.IsDone(), true, "TCP sends them again");
        NS_TEST_ASSERT_MSG_EQ(told.size(), 3, "each is told of once");
        NS_TEST_EXPECT_MSG_GT(told[0], MilliSeconds(timeout), "as long as they may wait");
        NS_TEST_EXPECT_MSG_LT(told[0], MilliSeconds(timeout + 50), "and no longer");
        NS_TEST_EXPECT_MSG_EQ(run.GetReassembly().GetHeld(), 0, "none is left");
    }
}

} // namespace
