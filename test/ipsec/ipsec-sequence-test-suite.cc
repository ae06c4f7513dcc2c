/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "../iwarp-test.h"
#include "ipsec-run.h"

#include "ns3/ike-keying.h"

#include <limits>
#include <string>

using namespace ns3;

namespace
{

/// What no association can be used for.
IWARP_TEST_SUITE(ipsecSequence, "ipsec-sequence", TestSuite::Type::SYSTEM);

constexpr uint64_t LEFT = 200; // sequence numbers that are left at the start

/// @param extended sequence numbers have 64 bits @return the last one
uint64_t
GetLastNumber(bool extended)
{
    return extended ? std::numeric_limits<uint64_t>::max() : std::numeric_limits<uint32_t>::max();
}

/// @param exchange by messages @return how keys come
Ptr<IpsecKeying>
MakeSequenceKeying(bool exchange)
{
    return exchange ? Ptr<IpsecKeying>(CreateObject<IkeKeying>()) : CreateObject<IpsecKeying>();
}

/**
 * A stream needs more packets than an association has sequence numbers: another association takes
 * over in anticipation of that (RFC 4303 section 3.3.3), and the stream does not notice.
 */
IWARP_TEST(ipsecSequence, "sequence numbers that end, with keying")
{
    for (const bool exchange : {false, true})
    {
        for (const bool extended : {false, true})
        {
            IpsecSetup setup;
            setup.octets = 1'000'000;
            setup.stop = Seconds(20);
            setup.proposal.extended = extended;
            setup.proposal.sequence = GetLastNumber(extended) - LEFT;
            setup.keying = MakeSequenceKeying(exchange);
            IpsecRun run(setup);
            run.Run();
            const std::string what = std::string(exchange ? ", by messages" : ", at once") +
                                     (extended ? ", 64 bits" : ", 32 bits");
            NS_TEST_EXPECT_MSG_EQ(run.IsDone(), true, "all messages, and right" << what);
            NS_TEST_EXPECT_MSG_GT(run.crossed.size(), 3 * LEFT, "more than one has" << what);
            for (const auto& stack : run.hosts)
            {
                for (const auto reason :
                     {IpsecDrop::EXHAUSTED, IpsecDrop::EXPIRED, IpsecDrop::NO_ASSOCIATION})
                {
                    NS_TEST_EXPECT_MSG_EQ(stack->GetCounters().GetDropped(reason),
                                          0,
                                          ToString(reason) << what);
                }
            }
            NS_TEST_EXPECT_MSG_LT(run.last, Seconds(2), "nothing waits for a timer" << what);
        }
    }
}

/**
 * Where nobody makes another association the packet behind the last is not sent, and sequence
 * numbers do not go round (RFC 4303 section 3.3.3); TCP ends the connection for want of an answer.
 */
IWARP_TEST(ipsecSequence, "sequence numbers that end, without keying")
{
    for (const auto place : {IpsecPlace::TRANSPORT, IpsecPlace::TUNNEL})
    {
        for (const bool extended : {false, true})
        {
            IpsecSetup setup;
            setup.place = place;
            setup.octets = 1'000'000;
            setup.stop = Seconds(2000);
            setup.proposal.extended = extended;
            setup.proposal.sequence = GetLastNumber(extended) - LEFT;
            IpsecRun run(setup);
            const auto keying = run.ipsec.GetKeying();
            const IpsecFlow flow{run.GetHostAddress(0), run.GetHostAddress(1), 6, 49153, 7};
            IpsecKeying::Pair pair;
            const bool agreed = keying->Agree(run.hosts[0],
                                              run.hosts[0]->GetPolicies().FindOutbound(flow),
                                              flow,
                                              pair);
            NS_TEST_ASSERT_MSG_EQ(agreed, true, "associations");
            keying->InstallAtReceiver(pair);
            keying->InstallAtSender(pair);
            for (const auto& stack : run.hosts)
            {
                stack->GetAssociations().SetAcquire({});
                stack->GetAssociations().SetNotice({});
            }
            Simulator::Schedule(Seconds(1), [this, &run] {
                NS_TEST_EXPECT_MSG_EQ(run.hosts[0]->GetCounters().sealed, LEFT, "all there are");
            });
            uint64_t traced = 0;
            run.hosts[0]->TraceConnectWithoutContext(
                "Sealed",
                MakeBoundCallback(
                    +[](uint64_t* count, Ptr<const Packet>, const IpsecFlow&, uint32_t) {
                        ++*count;
                    },
                    &traced));
            run.Run();
            const auto& counters = run.hosts[0]->GetCounters();
            NS_TEST_EXPECT_MSG_EQ(counters.sealed, LEFT, "and none twice");
            NS_TEST_EXPECT_MSG_EQ(traced, LEFT, "what is dropped is not told of as protected");
            NS_TEST_EXPECT_MSG_GT(counters.GetDropped(IpsecDrop::EXHAUSTED), 0, "told");
            NS_TEST_EXPECT_MSG_EQ(run.IsDone(), false, "the rest does not come");
            NS_TEST_EXPECT_MSG_GT(run.errors, 0, "the connection ends");
            NS_TEST_EXPECT_MSG_EQ(run.reason, "TCP lost the connection", "with a reason");
        }
    }
}

/// What is behind its hard lifetime goes, at both ends, whichever of them finds out.
struct LeftoverTest : TestCase
{
    using TestCase::TestCase;

    /// @param setup what it is like @param what is tried
    void Try(IpsecSetup setup, const std::string& what)
    {
        for (const bool exchange : {false, true})
        {
            setup.keying = MakeSequenceKeying(exchange);
            std::vector<IpsecAssociationConfig> made;
            RecordCreated(setup.keying, made);
            IpsecRun run(setup);
            run.Run();
            const std::string which = what + (exchange ? ", by messages" : ", at once");
            NS_TEST_EXPECT_MSG_EQ(run.IsDone(), true, "all messages, and right" << which);
            NS_TEST_EXPECT_MSG_GT(made.size(), 8, "several after each other" << which);
            for (const auto& stack : run.hosts)
            {
                // one pair, and another where both ends asked for one at once
                NS_TEST_EXPECT_MSG_LT(stack->GetAssociations().GetInbound().GetN(),
                                      3,
                                      "to receive by" << which);
                NS_TEST_EXPECT_MSG_LT(stack->GetAssociations().GetOutbound().GetN(),
                                      3,
                                      "to send by" << which);
            }
        }
    }
};

IWARP_TEST(ipsecSequence, "associations behind their hard lifetime are removed", LeftoverTest)
{
    IpsecSetup setup;
    setup.octets = 1'000'000;
    setup.stop = Seconds(30);
    setup.proposal.hard.packets = 50;
    Try(setup, ", packets");
    setup.proposal.hard.packets = 0;
    setup.proposal.hard.octets = 70'000;
    Try(setup, ", octets");
    setup.proposal.hard.octets = 0;
    setup.proposal.hard.time = MilliSeconds(15);
    Try(setup, ", time");
}

} // namespace
