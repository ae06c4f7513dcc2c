/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "../iwarp-test.h"

#include "ns3/ns3-compat.h"
#include "ns3/tcp-prr-cwr.h"
#include "ns3/tcp-socket-state.h"

#include <algorithm>
#include <cstdint>
#include <string>

using namespace ns3;

/// A window's reduction by marks.
IWARP_TEST_SUITE(tcpPrrCwr, "tcp-prr-cwr");

namespace
{

constexpr uint32_t SEGMENT = 1000; //!< octets

/// Hand an ACK to a recovery. @param prr recovery @param state of the socket @param octets
/// acknowledged
template <typename Prr>
void
Acknowledge(Prr& prr, Ptr<TcpSocketState> state, uint32_t octets)
{
    if constexpr (iwarp::TCP_SINCE_3_43)
    {
        prr.DoRecovery(state, octets, false);
    }
    else
    {
        prr.DoRecovery(state, octets);
    }
}

/// @param congestion what the socket is in @param window octets @param ssthresh octets @param pipe
/// octets in flight @return state of a socket
Ptr<TcpSocketState>
MakeState(TcpSocketState::TcpCongState_t congestion,
          uint32_t window,
          uint32_t ssthresh,
          uint32_t pipe)
{
    auto state = CreateObject<TcpSocketState>();
    state->m_segmentSize = SEGMENT;
    state->m_cWnd = window;
    state->m_ssThresh = ssthresh;
    state->m_bytesInFlight = pipe;
    state->m_congState = congestion;
    return state;
}

/// What a round trip of a reduction did.
struct Round
{
    uint32_t sent{0};   //!< octets
    int64_t over{0};    //!< most octets sent beyond the share of what had been delivered
    int64_t behind{0};  //!< most octets that it was behind that share while it reduced
    uint32_t pipe{0};   //!< octets in flight at the end
    uint32_t window{0}; //!< octets at the end
};

/// The ACKs of a window that is reduced. @param prr recovery @param flight octets at its begin
/// @param ssthresh octets at its end @param ack octets that each acknowledges @return what happened
Round
Reduce(Ptr<TcpRecoveryOps> prr, uint32_t flight, uint32_t ssthresh, uint32_t ack)
{
    const auto state = MakeState(TcpSocketState::CA_CWR, flight, ssthresh, flight);
    Round round;
    uint32_t delivered = 0;
    uint32_t unseen = 0; // ns-3 asks for whole segments alone
    while (delivered < flight)
    {
        const uint32_t octets = std::min(ack, flight - delivered);
        delivered += octets;
        state->m_bytesInFlight -= octets;
        if (delivered == octets)
        {
            prr->EnterRecovery(state, 0, state->m_bytesInFlight, octets);
        }
        unseen += octets;
        if (unseen >= SEGMENT)
        {
            unseen %= SEGMENT;
            Acknowledge(*prr, state, octets);
        }
        while (state->m_bytesInFlight + SEGMENT <= state->m_cWnd)
        {
            state->m_bytesInFlight += SEGMENT;
            round.sent += SEGMENT;
            prr->UpdateBytesSent(SEGMENT);
        }
        const int64_t share = (static_cast<int64_t>(delivered) * ssthresh + flight - 1) / flight;
        round.over = std::max(round.over, round.sent - share);
        round.behind = std::max(round.behind, share - round.sent);
    }
    round.pipe = state->m_bytesInFlight;
    round.window = state->m_cWnd;
    return round;
}

} // namespace

/// RFC 6937 section 3.1: what is sent is that share of what is delivered that the window is reduced
/// to, at each ACK, so that the window is ssthresh when the flight has been delivered.
IWARP_TEST(tcpPrrCwr, "any window, reduced to any other by any ACKs")
{
    for (uint32_t flight = 2; flight <= 40; flight++)
    {
        for (uint32_t ssthresh = 2; ssthresh <= flight; ssthresh++)
        {
            for (uint32_t ack : {SEGMENT, 2 * SEGMENT, SEGMENT - 40, SEGMENT / 3})
            {
                const auto round =
                    Reduce(CreateObject<TcpPrrCwr>(), flight * SEGMENT, ssthresh * SEGMENT, ack);
                const std::string what = std::to_string(flight) + " to " +
                                         std::to_string(ssthresh) + " by ACKs of " +
                                         std::to_string(ack);
                // between ACKs that ns-3 does not ask about, the window is that of the last
                const int64_t more = ack % SEGMENT == 0 ? 0 : SEGMENT - 1;
                NS_TEST_EXPECT_MSG_LT_OR_EQ(round.over, more, what);
                NS_TEST_EXPECT_MSG_LT(round.behind, SEGMENT + 2 * std::max(ack, SEGMENT), what);
                NS_TEST_EXPECT_MSG_LT_OR_EQ(round.window, ssthresh * SEGMENT, what);
                NS_TEST_EXPECT_MSG_LT_OR_EQ(round.pipe, ssthresh * SEGMENT, what);
                NS_TEST_EXPECT_MSG_GT(round.pipe + 2 * SEGMENT, ssthresh * SEGMENT, what);
            }
        }
    }
}

/// A window of three that marks take to two sends nothing for the first ACK; ns-3's lets one go at
/// once, and is at three again.
IWARP_TEST(tcpPrrCwr, "three segments become two")
{
    NS_TEST_EXPECT_MSG_EQ(Reduce(CreateObject<TcpPrrCwr>(), 3 * SEGMENT, 2 * SEGMENT, SEGMENT).sent,
                          2 * SEGMENT,
                          "two thirds");
    NS_TEST_EXPECT_MSG_GT(
        Reduce(CreateObject<TcpPrrRecovery>(), 3 * SEGMENT, 2 * SEGMENT, SEGMENT).over,
        0,
        "more than that");
}

/// What an earlier reduction has sent is none of the next one's.
IWARP_TEST(tcpPrrCwr, "a second reduction is like the first")
{
    const auto prr = CreateObject<TcpPrrCwr>();
    const auto first = Reduce(prr, 20 * SEGMENT, 10 * SEGMENT, SEGMENT);
    const auto second = Reduce(prr, 20 * SEGMENT, 10 * SEGMENT, SEGMENT);
    NS_TEST_EXPECT_MSG_EQ(first.sent, 10 * SEGMENT, "half");
    NS_TEST_EXPECT_MSG_EQ(second.sent, first.sent, "half again");
    NS_TEST_EXPECT_MSG_EQ(second.behind, first.behind, "as evenly");
}

/// RFC 6937 section 3.1, PRR-SSRB: an application that has sent nothing meanwhile may fill
/// ssthresh.
IWARP_TEST(tcpPrrCwr, "no more than ssthresh once no more is in flight")
{
    const auto state = MakeState(TcpSocketState::CA_CWR, 16 * SEGMENT, 8 * SEGMENT, 15 * SEGMENT);
    const auto prr = CreateObject<TcpPrrCwr>();
    prr->EnterRecovery(state, 0, 15 * SEGMENT, SEGMENT);
    NS_TEST_EXPECT_MSG_EQ(state->m_cWnd.Get(), 15 * SEGMENT + SEGMENT / 2, "half of a segment");
    for (uint32_t pipe = 14; pipe > 8; pipe--)
    {
        state->m_bytesInFlight = pipe * SEGMENT;
        Acknowledge(*prr, state, SEGMENT);
        const uint32_t share = (16 - pipe) * SEGMENT / 2;
        NS_TEST_EXPECT_MSG_EQ(state->m_cWnd.Get(), pipe * SEGMENT + share, pipe);
    }
    for (const uint32_t pipe : {8, 7})
    {
        state->m_bytesInFlight = pipe * SEGMENT;
        Acknowledge(*prr, state, SEGMENT);
        NS_TEST_EXPECT_MSG_EQ(state->m_cWnd.Get(), 8 * SEGMENT, "ssthresh");
    }
}

/// In any other state it is ns-3's.
IWARP_TEST(tcpPrrCwr, "losses are left to ns-3's class")
{
    const auto windows = [](Ptr<TcpRecoveryOps> prr) {
        const auto state =
            MakeState(TcpSocketState::CA_RECOVERY, 20 * SEGMENT, 10 * SEGMENT, 17 * SEGMENT);
        prr->EnterRecovery(state, 3, 20 * SEGMENT, SEGMENT);
        std::string found = std::to_string(state->m_cWnd);
        for (uint32_t i = 0; i < 15; i++)
        {
            state->m_bytesInFlight -= SEGMENT;
            Acknowledge(*prr, state, SEGMENT);
            found += ' ' + std::to_string(state->m_cWnd);
            if (state->m_cWnd >= state->m_bytesInFlight + SEGMENT)
            {
                state->m_bytesInFlight += SEGMENT;
                prr->UpdateBytesSent(SEGMENT);
            }
        }
        return found;
    };
    NS_TEST_EXPECT_MSG_EQ(windows(CreateObject<TcpPrrCwr>()),
                          windows(CreateObject<TcpPrrRecovery>()),
                          "windows");
}
