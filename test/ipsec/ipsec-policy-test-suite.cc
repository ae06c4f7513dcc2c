/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "../iwarp-test.h"

#include "ns3/esp-algorithm.h"
#include "ns3/ipsec-policies.h"
#include "ns3/ipsec-policy-database.h"
#include "ns3/ipsec-selector.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>

using namespace ns3;

/// The policy database.
IWARP_TEST_SUITE(ipsecPolicy, "ipsec-policy");

/// \param from source \param to destination \param protocol of the next layer
/// \param port destination \return a flow from port 40000
static IpsecFlow
Flow(const char* from, const char* to, uint8_t protocol = 6, uint16_t port = 20049)
{
    return {from, to, protocol, 40000, port};
}

/// Addresses, prefixes and ports.
IWARP_TEST(ipsecPolicy, "selectors of both versions of IP")
{
    /// A prefix, an address, and whether it is of the prefix.
    struct Row
    {
        const char* prefix;
        const char* address;
        bool holds;
    };

    for (const auto& row : {Row{"any", "10.0.0.1", true},
                            Row{"any", "2001:db8::1", true},
                            Row{"0.0.0.0/0", "10.0.0.1", true},
                            Row{"0.0.0.0/0", "2001:db8::1", false},
                            Row{"10.0.0.0/8", "10.255.0.1", true},
                            Row{"10.0.0.0/8", "11.0.0.1", false},
                            Row{"10.1.2.0/23", "10.1.3.255", true},
                            Row{"10.1.2.0/23", "10.1.4.0", false},
                            Row{"10.1.2.3", "10.1.2.3", true},
                            Row{"10.1.2.3", "10.1.2.2", false},
                            Row{"10.1.2.3/32", "10.1.2.2", false},
                            Row{"::/0", "2001:db8::1", true},
                            Row{"::/0", "10.0.0.1", false},
                            Row{"2001:db8::/33", "2001:db8:7fff::1", true},
                            Row{"2001:db8::/33", "2001:db8:8000::1", false},
                            Row{"2001:db8::1", "2001:db8::1", true},
                            Row{"2001:db8::1/128", "2001:db8::3", false}})
    {
        NS_TEST_ASSERT_MSG_EQ(IpsecPrefix::Parse(row.prefix).Holds(row.address),
                              row.holds,
                              row.prefix << " " << row.address);
    }
    NS_TEST_ASSERT_MSG_EQ(IpsecAddress("10.1.2.3").ToString(), "10.1.2.3", "as text");
    NS_TEST_ASSERT_MSG_EQ(IpsecAddress("2001:db8::1").ToString(), "2001:db8::1", "as text");

    IpsecSelector selector;
    selector.source = IpsecPrefix::Parse("10.0.0.0/24");
    selector.protocol = 6;
    selector.destinationPorts = {20049, 20050};
    NS_TEST_ASSERT_MSG_EQ(selector.Selects(Flow("10.0.0.9", "9.9.9.9")), true, "first port");
    NS_TEST_ASSERT_MSG_EQ(selector.Selects(Flow("10.0.0.9", "9.9.9.9", 6, 20050)),
                          true,
                          "last port");
    NS_TEST_ASSERT_MSG_EQ(selector.Selects(Flow("10.0.0.9", "9.9.9.9", 6, 20051)), false, "port");
    NS_TEST_ASSERT_MSG_EQ(selector.Selects(Flow("10.0.0.9", "9.9.9.9", 17)), false, "UDP");
    NS_TEST_ASSERT_MSG_EQ(selector.Selects(Flow("10.0.1.9", "9.9.9.9")), false, "source");
    NS_TEST_ASSERT_MSG_EQ(selector.Selects({"10.0.0.9", "9.9.9.9", 6}),
                          false,
                          "a fragment shows no port");
    IpsecSelector low;
    low.destinationPorts = {0, 1023};
    NS_TEST_EXPECT_MSG_EQ(low.Selects({"10.0.0.9", "9.9.9.9", 6}),
                          false,
                          "nor of a range that begins at 0 (RFC 4301 section 4.4.1.1)");
    NS_TEST_EXPECT_MSG_EQ(low.Selects({"10.0.0.9", "9.9.9.9", 6, 5000, 1023}), true, "a low port");
    low.destinationPorts = IpsecPorts();
    NS_TEST_EXPECT_MSG_EQ(low.Selects({"10.0.0.9", "9.9.9.9", 1}), true, "whatever the ports");
    const IpsecFlow there = Flow("10.0.0.9", "9.9.9.9");
    NS_TEST_ASSERT_MSG_EQ(selector.GetReverse().Selects(there), false, "the other way");
    NS_TEST_ASSERT_MSG_EQ(selector.GetReverse().Selects(there.GetReverse()), true, "the answers");
}

/// Which fragments have to be told apart by ports (RFC 4301 sections 4.4.1 and 7.3).
IWARP_TEST(ipsecPolicy, "whose fragments need ports")
{
    const IpsecFlow fragment{"10.0.0.1", "10.0.1.1", 17};
    const auto needs = [&fragment](uint16_t last, IpsecSharing sharing) {
        IpsecPolicy policy;
        policy.selector.protocol = 17;
        policy.selector.destinationPorts = {0, last};
        policy.sharing = sharing;
        IpsecPolicyDatabase database;
        database.Add(policy);
        return database.NeedsPorts(fragment);
    };
    NS_TEST_EXPECT_MSG_EQ(needs(65535, IpsecSharing::POLICY), false, "all ports, one association");
    NS_TEST_EXPECT_MSG_EQ(needs(65534, IpsecSharing::POLICY), true, "some ports");
    NS_TEST_EXPECT_MSG_EQ(needs(65535, IpsecSharing::CONNECTION), true, "an association for each");
    NS_TEST_EXPECT_MSG_EQ(IpsecPolicyDatabase().NeedsPorts(fragment), false, "no policy");
}

/// Which rule counts.
IWARP_TEST(ipsecPolicy, "the first policy that selects a flow counts")
{
    IpsecPolicyDatabase database;
    const IpsecFlow flow = Flow("10.0.0.1", "10.0.1.1");
    NS_TEST_ASSERT_MSG_EQ((database.Find(flow) == IpsecPolicyDatabase::NONE), true, "empty");
    NS_TEST_ASSERT_MSG_EQ((database.GetAction(flow) == IpsecAction::DISCARD),
                          true,
                          "what no policy selects (RFC 4301 section 5.1)");
    IpsecPolicyDatabase open(IpsecAction::BYPASS);
    NS_TEST_ASSERT_MSG_EQ((open.GetAction(flow) == IpsecAction::BYPASS), true, "told so");

    IpsecPolicy ping;
    ping.selector.protocol = 1;
    IpsecPolicy host;
    host.selector.source = IpsecAddress("10.0.0.66");
    host.action = IpsecAction::DISCARD;
    IpsecPolicy net;
    net.selector.source = IpsecPrefix::Parse("10.0.0.0/24");
    net.selector.destination = IpsecPrefix::Parse("10.0.1.0/24");
    net.action = IpsecAction::PROTECT;
    net.transform = FindEspTransform("aes-gcm-16-128");
    IpsecPolicy late; // behind one that selects the same
    late.selector = net.selector;
    late.action = IpsecAction::DISCARD;
    for (const auto* policy : {&ping, &host, &net, &late})
    {
        database.Add(*policy);
    }
    NS_TEST_ASSERT_MSG_EQ(database.GetN(), 4, "policies");
    NS_TEST_ASSERT_MSG_EQ(database.Find(Flow("10.0.0.66", "10.0.1.1", 1)), 0, "protocol first");
    NS_TEST_ASSERT_MSG_EQ(database.Find(Flow("10.0.0.66", "10.0.1.1")), 1, "then the host");
    NS_TEST_ASSERT_MSG_EQ(database.Find(flow), 2, "found anew since policies came");
    NS_TEST_ASSERT_MSG_EQ((database.GetAction(flow) == IpsecAction::PROTECT), true, "action");
    NS_TEST_ASSERT_MSG_EQ((database.Get(2).transform == net.transform), true, "the policy");
    NS_TEST_ASSERT_MSG_EQ(
        (database.Find(Flow("10.0.2.1", "10.0.1.1")) == IpsecPolicyDatabase::NONE),
        true,
        "none");
    // one search a flow, however many packets
    const uint64_t searches = database.GetSearches();
    for (uint32_t i = 0; i < 1000; ++i)
    {
        database.Find(Flow("10.0.0.1", "10.0.1.1", 6, static_cast<uint16_t>(30000 + i % 10)));
    }
    NS_TEST_ASSERT_MSG_EQ(database.GetSearches() - searches, 10, "flows");
    // a peer that sends from everywhere fills no memory
    std::size_t most = 0;
    for (uint32_t i = 0; i < 100000; ++i)
    {
        const IpsecAddress from(Ipv4Address(0x0A000000 + i));
        database.Find({from, "10.0.1.1", 6, 40000, 20049});
        most = std::max(most, database.GetRemembered());
    }
    const std::size_t limit = IpsecPolicyDatabase::REMEMBERED;
    NS_TEST_ASSERT_MSG_EQ(most, limit, "flows remembered");
    NS_TEST_ASSERT_MSG_EQ(database.Find(flow), 2, "found as before");
}

/// What shares an association, and policies that say too little.
struct IpsecPolicySharing : TestCase
{
    using TestCase::TestCase;

    /// \param policy that says too little \param advice that the message gives
    void Wrong(const IpsecPolicy& policy, const std::string& advice)
    {
        const std::string fault = IpsecPolicyDatabase::Check(policy);
        NS_TEST_ASSERT_MSG_NE(fault.find(advice), std::string::npos, fault);
    }
};

IWARP_TEST(ipsecPolicy,
           "what shares an association; policies that say too little",
           IpsecPolicySharing)
{
    IpsecPolicyDatabase database;
    IpsecPolicy policy;
    policy.action = IpsecAction::PROTECT;
    policy.transform = FindEspTransform("chacha20-poly1305");
    for (auto sharing : {IpsecSharing::POLICY, IpsecSharing::HOSTS, IpsecSharing::CONNECTION})
    {
        policy.sharing = sharing;
        database.Add(policy);
    }
    const IpsecFlow flow = Flow("10.0.0.1", "10.0.1.1");
    const IpsecFlow port = Flow("10.0.0.1", "10.0.1.1", 6, 1);
    const IpsecFlow host = Flow("10.0.0.2", "10.0.1.1");
    const auto same = [&database](std::size_t index, const IpsecFlow& a, const IpsecFlow& b) {
        return database.GetShared(index, a) == database.GetShared(index, b);
    };
    policy.sharing = IpsecSharing::POLICY;
    policy.mode = IpsecMode::TUNNEL;
    policy.tunnelSource = "192.0.2.1";
    policy.tunnelDestination = "192.0.2.2";
    database.Add(policy);
    policy = database.Get(0);
    NS_TEST_ASSERT_MSG_EQ(same(3, flow, host), true, "one for all in a tunnel");
    NS_TEST_ASSERT_MSG_EQ(same(0, flow, port), true, "one for two hosts without");
    NS_TEST_ASSERT_MSG_EQ(same(0, flow, host), false, "which has one end each");
    NS_TEST_ASSERT_MSG_EQ(same(1, flow, port), true, "one for two hosts");
    NS_TEST_ASSERT_MSG_EQ(same(1, flow, host), false, "another for others");
    NS_TEST_ASSERT_MSG_EQ(same(2, flow, flow), true, "one a connection");
    NS_TEST_ASSERT_MSG_EQ(same(2, flow, port), false, "another for the next");

    NS_TEST_ASSERT_MSG_EQ(IpsecPolicyDatabase::Check(policy), "", "complete");
    policy.mode = IpsecMode::TUNNEL;
    Wrong(policy, "tunnelSource");
    policy.tunnelSource = "192.0.2.1";
    policy.tunnelDestination = "2001:db8::1";
    Wrong(policy, "two versions of IP");
    policy.tunnelDestination = "192.0.2.2";
    NS_TEST_ASSERT_MSG_EQ(IpsecPolicyDatabase::Check(policy), "", "complete");
    policy.transform = nullptr;
    Wrong(policy, "FindEspTransform()");
}

/// What a node does by its policies: out, in, and across (RFC 4301 section 5).
IWARP_TEST(ipsecPolicy, "policies of both directions")
{
    auto otherwise = IpsecAction::BYPASS;
    IpsecPolicies policies(otherwise);
    IpsecPolicy protect;
    protect.selector.destination = IpsecPrefix::Parse("10.0.0.2");
    protect.action = IpsecAction::PROTECT;
    protect.transform = FindEspTransform("aes-gcm-16-128");
    IpsecPolicy discard;
    discard.selector.destination = IpsecPrefix::Parse("10.0.0.3");
    discard.action = IpsecAction::DISCARD;
    NS_TEST_ASSERT_MSG_EQ(policies.Add(protect), 0, "the first");
    NS_TEST_ASSERT_MSG_EQ(policies.Add(discard), 1, "the second");

    const IpsecFlow out = Flow("10.0.0.1", "10.0.0.2");
    const IpsecFlow in = out.GetReverse();
    const IpsecFlow other = Flow("10.0.0.1", "10.0.0.4");
    NS_TEST_EXPECT_MSG_EQ(policies.FindOutbound(out), 0, "SPD-O");
    NS_TEST_EXPECT_MSG_EQ(policies.FindInbound(in), 0, "SPD-I has the same, turned");
    NS_TEST_EXPECT_MSG_EQ(policies.FindInbound(out), IpsecPolicyDatabase::NONE, "and only so");
    NS_TEST_EXPECT_MSG_EQ(policies.Protects(out), true, "goes out protected");
    NS_TEST_EXPECT_MSG_EQ(policies.Protects(other), false, "goes out in clear");
    NS_TEST_EXPECT_MSG_EQ(policies.AcceptsClear(in), false, "does not come in clear");
    NS_TEST_EXPECT_MSG_EQ(policies.AcceptsClear(other), true, "does");
    NS_TEST_EXPECT_MSG_EQ((policies.GetProposal(0).transform == protect.transform),
                          true,
                          "the policy's");

    const auto across = [&](const IpsecFlow& flow, bool opened) {
        return policies.AcceptsForwarded(flow, policies.FindOutbound(flow), opened);
    };
    NS_TEST_EXPECT_MSG_EQ(across(out, false), true, "outward, to be protected");
    NS_TEST_EXPECT_MSG_EQ(across(in, false), false, "inward, in clear");
    NS_TEST_EXPECT_MSG_EQ(across(in, true), true, "inward, as it should");
    NS_TEST_EXPECT_MSG_EQ(across(Flow("10.0.0.1", "10.0.0.3"), true), false, "discarded");
    NS_TEST_EXPECT_MSG_EQ(across(other, false), true, "nobody minds");
    // what comes back is of one port: a fragment of it has to show that
    IpsecPolicy answers;
    answers.selector.source = IpsecPrefix::Parse("10.0.0.1");
    answers.selector.destination = IpsecPrefix::Parse("10.0.0.5");
    answers.selector.protocol = 17;
    answers.selector.destinationPorts = {80, 80};
    answers.action = IpsecAction::DISCARD;
    policies.Add(answers);
    const IpsecFlow fragment{"10.0.0.5", "10.0.0.1", 17};
    NS_TEST_EXPECT_MSG_EQ(policies.FindOutbound(fragment), IpsecPolicyDatabase::NONE, "SPD-O");
    NS_TEST_EXPECT_MSG_EQ(policies.NeedsPorts(fragment), true, "inward");
    NS_TEST_EXPECT_MSG_EQ(policies.NeedsPorts(fragment.GetReverse()), true, "outward");
    NS_TEST_EXPECT_MSG_EQ(policies.NeedsPorts({"10.0.0.6", "10.0.0.1", 17}), false, "another's");
    otherwise = IpsecAction::DISCARD;
    NS_TEST_EXPECT_MSG_EQ(across(other, false), false, "unless all else is discarded");
    NS_TEST_EXPECT_MSG_EQ(policies.AcceptsClear(other), false, "here, too");
    NS_TEST_EXPECT_MSG_EQ((policies.GetAction(IpsecPolicyDatabase::NONE) == otherwise),
                          true,
                          "and out");
}
