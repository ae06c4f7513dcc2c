/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "../iwarp-test.h"

#include "ns3/rdmap-closing.h"

#include <functional>
#include <map>
#include <string>
#include <vector>

using namespace ns3;

namespace
{

/// Suite of the closing machine.
IWARP_TEST_SUITE(rdmapClosing, "rdmap-closing");

using ClosingState = RdmapClosing::State;
using Action = RdmapClosing::Action;
using Actions = RdmapClosing::Actions;
using Conditions = RdmapClosing::Conditions;

/// What an event leads to.
struct Step
{
    ClosingState state; //!< new state
    Actions actions;    //!< what is to be done
};

/// All states.
const std::vector<ClosingState> CLOSING_STATES{ClosingState::OPEN,
                                               ClosingState::DRAINING,
                                               ClosingState::SEND_CLOSED,
                                               ClosingState::PEER_CLOSED,
                                               ClosingState::DRAINING_FOR_LAST,
                                               ClosingState::TERMINATING,
                                               ClosingState::BOTH_CLOSED,
                                               ClosingState::CLOSED};

/// @return conditions of a stream that is established and has nothing left to do
Conditions
Drained()
{
    Conditions now;
    now.receives = true;
    now.sends = true;
    now.drained = true;
    now.acknowledged = true;
    return now;
}

/// @param state any @return a machine in that state, brought there by events
RdmapClosing
MakeIn(ClosingState state)
{
    RdmapClosing closing;
    switch (state)
    {
    case ClosingState::OPEN:
        break;
    case ClosingState::DRAINING:
        closing.Close();
        break;
    case ClosingState::SEND_CLOSED:
        closing.Close();
        closing.Update(Drained());
        break;
    case ClosingState::PEER_CLOSED:
        closing.PeerClosed();
        break;
    case ClosingState::DRAINING_FOR_LAST:
        closing.PeerClosed();
        closing.Close();
        break;
    case ClosingState::TERMINATING: {
        Conditions failed = Drained();
        failed.failed = true;
        failed.terminatePending = true;
        closing.Update(failed);
        break;
    }
    case ClosingState::BOTH_CLOSED:
        closing.Close();
        closing.Update(Drained());
        closing.PeerClosed();
        break;
    case ClosingState::CLOSED:
        closing.Abort();
        break;
    }
    return closing;
}

/// Each event in each state.
struct RdmapClosingEventTest : TestCase
{
    using TestCase::TestCase;

    using Event = std::function<Actions(RdmapClosing&)>; //!< an event

    /// Try an event in all states. @param name of the event @param event it @param table what it
    /// leads to, by the order of STATES
    void Try(const std::string& name, const Event& event, const std::vector<Step>& table)
    {
        for (std::size_t i = 0; i < CLOSING_STATES.size(); i++)
        {
            RdmapClosing closing = MakeIn(CLOSING_STATES[i]);
            const std::string where = name + " in state " + std::to_string(i);
            NS_TEST_ASSERT_MSG_EQ((closing.GetState() == CLOSING_STATES[i]),
                                  true,
                                  where + " reached");
            const Actions actions = event(closing);
            NS_TEST_EXPECT_MSG_EQ((closing.GetState() == table[i].state), true, where + ": state");
            NS_TEST_EXPECT_MSG_EQ((actions == table[i].actions), true, where + ": actions");
        }
    }
};

IWARP_TEST(rdmapClosing, "each event in each state", RdmapClosingEventTest)
{
    Try("local close",
        [](RdmapClosing& closing) {
            closing.Close();
            return Actions{};
        },
        {{ClosingState::DRAINING, {}},
         {ClosingState::DRAINING, {}},
         {ClosingState::SEND_CLOSED, {}},
         {ClosingState::DRAINING_FOR_LAST, {}},
         {ClosingState::DRAINING_FOR_LAST, {}},
         {ClosingState::TERMINATING, {}},
         {ClosingState::BOTH_CLOSED, {}},
         {ClosingState::CLOSED, {}}});
    Try("FIN of the peer",
        [](RdmapClosing& closing) {
            closing.PeerClosed();
            return Actions{};
        },
        {{ClosingState::PEER_CLOSED, {}},
         {ClosingState::DRAINING_FOR_LAST, {}},
         {ClosingState::BOTH_CLOSED, {}},
         {ClosingState::PEER_CLOSED, {}},
         {ClosingState::DRAINING_FOR_LAST, {}},
         {ClosingState::TERMINATING, {}},
         {ClosingState::BOTH_CLOSED, {}},
         {ClosingState::CLOSED, {}}});
    IWARP_COVERS("DDP-6.2-1");
    // TCP ends before the endpoint is told, whose completions must find it so
    const Step aborted{ClosingState::CLOSED, {Action::CLOSE_TCP, Action::LOSE_LLP, Action::FINISH}};
    const Step lost{ClosingState::CLOSED, {Action::LOSE_LLP, Action::CLOSE_TCP, Action::FINISH}};
    const Step failed{ClosingState::CLOSED, {Action::LOSE_LLP}};
    const Step over{ClosingState::CLOSED, {}};
    Try("abort",
        [](RdmapClosing& closing) { return closing.Abort(); },
        {aborted, aborted, aborted, aborted, aborted, aborted, aborted, over});
    Try("loss of TCP",
        [](RdmapClosing& closing) { return closing.Lost(); },
        {lost, lost, lost, lost, lost, lost, lost, over});
    IWARP_COVERS("DDP-6.2.2-1");
    // MPA itself deals with TCP then, and nothing is told to be over that never began
    Try("failure of startup",
        [](RdmapClosing& closing) { return closing.StartupFailed(); },
        {failed, failed, failed, failed, failed, failed, failed, over});
}

/// Conditions in each state: the machine does what is due and nothing else.
struct RdmapClosingConditionTest : TestCase
{
    using TestCase::TestCase;

    /// What is due by the rules, said once more: who closes, and when.
    /// @param state any @param now conditions @return what Update() has to do
    static Step Expect(ClosingState state, const Conditions& now)
    {
        const bool sendOver =
            state == ClosingState::SEND_CLOSED || state == ClosingState::BOTH_CLOSED;
        if (state == ClosingState::CLOSED)
        {
            return {ClosingState::CLOSED, {}};
        }
        if (state == ClosingState::BOTH_CLOSED)
        {
            return {ClosingState::CLOSED, {Action::CLOSE_TCP, Action::FINISH}};
        }
        if (now.failed && !now.receives)
        {
            return {state, {}};
        }
        const bool limited = state == ClosingState::TERMINATING;
        if (now.failed && (sendOver || !now.terminatePending || !now.sends))
        {
            return {ClosingState::CLOSED,
                    limited ? Actions{Action::CLOSE_TCP, Action::FINISH}
                            : Actions{Action::LIMIT_END, Action::CLOSE_TCP, Action::FINISH}};
        }
        if (now.failed)
        {
            return {ClosingState::TERMINATING, limited ? Actions{} : Actions{Action::LIMIT_END}};
        }
        const bool peerOver =
            state == ClosingState::PEER_CLOSED || state == ClosingState::DRAINING_FOR_LAST;
        if (peerOver && now.held)
        {
            return {ClosingState::CLOSED, {Action::LOSE_LLP, Action::CLOSE_TCP, Action::FINISH}};
        }
        if (state == ClosingState::SEND_CLOSED)
        {
            return {state, now.owes ? Actions{Action::LIMIT_END} : Actions{}};
        }
        const bool asked =
            state == ClosingState::DRAINING || state == ClosingState::DRAINING_FOR_LAST;
        if (!asked || !now.drained)
        {
            return {state, {}};
        }
        if (!now.receives)
        {
            return {ClosingState::CLOSED, {Action::CLOSE_TCP, Action::LOSE_LLP, Action::FINISH}};
        }
        if (state == ClosingState::DRAINING)
        {
            return {ClosingState::SEND_CLOSED, {Action::SHUTDOWN_SEND}};
        }
        if (!now.acknowledged)
        {
            return {state, {}};
        }
        return {ClosingState::CLOSED, {Action::SHUTDOWN_SEND, Action::CLOSE_TCP, Action::FINISH}};
    }
};

IWARP_TEST(rdmapClosing, "each condition in each state", RdmapClosingConditionTest)
{
    for (const ClosingState state : CLOSING_STATES)
    {
        for (uint32_t bits = 0; bits < 256; bits++)
        {
            Conditions now;
            now.receives = bits & 1;
            now.sends = bits & 2;
            now.failed = bits & 4;
            now.terminatePending = bits & 8;
            now.drained = bits & 16;
            now.acknowledged = bits & 32;
            now.held = bits & 64;
            now.owes = bits & 128;
            const std::string where = "state " + std::to_string(static_cast<int>(state)) +
                                      ", conditions " + std::to_string(bits);
            RdmapClosing closing = MakeIn(state);
            const bool idle = closing.IsIdle();
            const Step expected = Expect(state, now);
            const Actions actions = closing.Update(now);
            NS_TEST_EXPECT_MSG_EQ((closing.GetState() == expected.state), true, where);
            NS_TEST_EXPECT_MSG_EQ((actions == expected.actions), true, where + ": actions");
            NS_TEST_EXPECT_MSG_EQ((idle && !now.failed && !actions.empty()),
                                  false,
                                  where + ": idle means that nothing is due");
            IWARP_COVERS("DDP-6.2-1");
            NS_TEST_EXPECT_MSG_EQ((closing.MaySend() && closing.GetState() == ClosingState::CLOSED),
                                  false,
                                  where + ": nothing is sent when all is over");
        }
    }
}

/// Whole lives of streams.
IWARP_TEST(rdmapClosing, "whole lives")
{
    Conditions now = Drained();
    {
        // a request that comes behind this side's FIN: the end is limited, once
        RdmapClosing closing = MakeIn(ClosingState::SEND_CLOSED);
        Conditions owing = Drained();
        owing.owes = true;
        NS_TEST_EXPECT_MSG_EQ((closing.Update(owing) == Actions{Action::LIMIT_END}),
                              true,
                              "a limit");
        NS_TEST_EXPECT_MSG_EQ(closing.Update(owing).empty(), true, "set once");
    }
    {
        // the first FIN goes when all work is done, the second one ends the stream
        RdmapClosing closing;
        closing.Close();
        now.drained = false;
        NS_TEST_EXPECT_MSG_EQ(closing.Update(now).empty(), true, "work goes out first");
        now.drained = true;
        NS_TEST_EXPECT_MSG_EQ((closing.Update(now) == Actions{Action::SHUTDOWN_SEND}),
                              true,
                              "then FIN");
        IWARP_COVERS("DDP-6.2.1-1");
        NS_TEST_EXPECT_MSG_EQ(closing.Update(now).empty(), true, "once");
        closing.PeerClosed();
        NS_TEST_EXPECT_MSG_EQ((closing.Update(now) == Actions{Action::CLOSE_TCP, Action::FINISH}),
                              true,
                              "over");
        IWARP_COVERS("DDP-6.2-2");
    }
    {
        // the second FIN waits until the peer has acknowledged all
        RdmapClosing closing;
        closing.PeerClosed();
        NS_TEST_EXPECT_MSG_EQ(closing.Update(now).empty(), true, "this side goes on");
        NS_TEST_EXPECT_MSG_EQ(closing.MaySend(), true, "and sends");
        IWARP_COVERS("DDP-6.2.1-5");
        closing.Close();
        now.acknowledged = false;
        NS_TEST_EXPECT_MSG_EQ(closing.Update(now).empty(), true, "not yet");
        now.acknowledged = true;
        NS_TEST_EXPECT_MSG_EQ(closing.Update(now).size(), 3, "FIN, close, over");
        IWARP_COVERS("DDP-6.2.1-6");
        NS_TEST_EXPECT_MSG_EQ(closing.MaySend(), false, "nothing more");
    }
    {
        // a Terminate leaves before TCP closes
        RdmapClosing closing;
        now.failed = true;
        now.terminatePending = true;
        NS_TEST_EXPECT_MSG_EQ((closing.Update(now) == Actions{Action::LIMIT_END}),
                              true,
                              "it waits for room, for a limited time");
        NS_TEST_EXPECT_MSG_EQ(closing.Update(now).empty(), true, "told once");
        NS_TEST_EXPECT_MSG_EQ(closing.MaySend(), true, "it may leave");
        now.terminatePending = false;
        NS_TEST_EXPECT_MSG_EQ((closing.Update(now) == Actions{Action::CLOSE_TCP, Action::FINISH}),
                              true,
                              "then FIN");
        IWARP_COVERS("DDP-6.2.2-6");
        NS_TEST_EXPECT_MSG_EQ(closing.Abort().empty(), true, "nothing is left to abort");
    }
    {
        // a Terminate for which there was no room in time
        RdmapClosing closing;
        now.terminatePending = true;
        closing.Update(now);
        NS_TEST_EXPECT_MSG_EQ(
            (closing.Lost() == Actions{Action::LOSE_LLP, Action::CLOSE_TCP, Action::FINISH}),
            true,
            "TCP was reset");
    }
    {
        // an error before startup is over is startup's to report
        RdmapClosing closing;
        now.receives = false;
        NS_TEST_EXPECT_MSG_EQ(closing.Update(now).empty(), true, "the peer's frame is awaited");
        NS_TEST_EXPECT_MSG_EQ((closing.StartupFailed() == Actions{Action::LOSE_LLP}),
                              true,
                              "and nothing more");
    }
}

} // namespace
