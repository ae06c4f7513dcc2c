/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "../iwarp-test.h"

#include "ns3/roce-head.h"
#include "ns3/roce-receiver.h"
#include "ns3/roce-sender.h"

#include <algorithm>
#include <cstdint>
#include <deque>
#include <random>
#include <string>
#include <vector>

using namespace ns3;

namespace
{

/// RoCE-like transports without a simulator
IWARP_TEST_SUITE(roceTransport, "roce-transport");

/**
 * Packets octet by octet, as the InfiniBand specification's figures of BTH, RETH and AETH have
 * them.
 */
struct RoceHeadTest : TestCase
{
    using TestCase::TestCase;

    /// @param head headers @param octets what they are on the wire @param payload behind them
    void Compare(const RoceHead& head, const std::vector<uint8_t>& octets, uint32_t payload)
    {
        std::vector<uint8_t> written(head.GetSize(), 0xEE);
        head.Write(written.data());
        NS_TEST_EXPECT_MSG_EQ((written == octets), true, "written");
        RoceHead read;
        const std::size_t size = octets.size() + payload + head.pad + RoceHead::ICRC;
        NS_TEST_ASSERT_MSG_EQ(read.Read(octets.data(), octets.size(), size), true, "read");
        NS_TEST_EXPECT_MSG_EQ((read.kind == head.kind), true, "kind");
        NS_TEST_EXPECT_MSG_EQ(read.queuePair, head.queuePair, "queue pair");
        NS_TEST_EXPECT_MSG_EQ(read.psn, head.psn, "PSN");
        NS_TEST_EXPECT_MSG_EQ(read.asksAck, head.asksAck, "acknowledge request");
        NS_TEST_EXPECT_MSG_EQ(read.length, head.length, "length");
        NS_TEST_EXPECT_MSG_EQ(+read.syndrome, +head.syndrome, "syndrome");
        NS_TEST_EXPECT_MSG_EQ(read.hasArrived, head.hasArrived, "has a PSN that came");
        NS_TEST_EXPECT_MSG_EQ(read.arrived, head.arrived, "it");
        NS_TEST_EXPECT_MSG_EQ(read.GetPayload(size), payload, "payload");
        for (std::size_t less = 0; less < octets.size(); less++)
        {
            NS_TEST_EXPECT_MSG_EQ(read.Read(octets.data(), less, size), false, "cut at " << less);
        }
        NS_TEST_EXPECT_MSG_EQ(read.Read(octets.data(), octets.size(), 15), false, "no ICRC");
    }
};

IWARP_TEST(roceTransport, "Headers octet by octet", RoceHeadTest)
{
    RoceHead only;
    only.kind = RoceHead::Kind::WRITE_ONLY;
    only.queuePair = 0x123456;
    only.psn = 0xABCDEF;
    only.asksAck = true;
    only.pad = 3;
    only.length = 0x01020304;
    Compare(only,
            {0x0A, 0x30, 0xFF, 0xFF, 0, 0x12, 0x34, 0x56, 0x80, 0xAB, 0xCD, 0xEF, 0, 0,
             0,    0,    0,    0,    0, 0,    0,    0,    0,    0,    1,    2,    3, 4},
            1);
    RoceHead middle;
    middle.kind = RoceHead::Kind::WRITE_MIDDLE;
    middle.queuePair = 1;
    middle.psn = 2;
    Compare(middle, {0x07, 0, 0xFF, 0xFF, 0, 0, 0, 1, 0, 0, 0, 2}, 1024);
    RoceHead ack;
    ack.psn = 7;
    Compare(ack, {0x11, 0, 0xFF, 0xFF, 0, 0, 0, 0, 0, 0, 0, 7, 0x1F, 0, 0, 0}, 0);
    ack.syndrome = RoceHead::REFUSED;
    ack.hasArrived = true;
    ack.arrived = 9;
    Compare(ack, {0x11, 0, 0xFF, 0xFF, 0, 0, 0, 0, 0, 0, 0, 7, 0x60, 0, 0, 0, 0, 0, 0, 9}, 0);
    const uint8_t other[16] = {0x64}; // UD Send Only
    NS_TEST_EXPECT_MSG_EQ(ack.Read(other, 16, 16), false, "another operation");

    NS_TEST_EXPECT_MSG_EQ(RoceHead::Expand(0, 0xFFFFFF), 0x1000000U, "wraps");
    NS_TEST_EXPECT_MSG_EQ(RoceHead::Expand(0xFFFFFF, 0x1000000), 0xFFFFFFU, "before the wrap");
    NS_TEST_EXPECT_MSG_EQ(RoceHead::Expand(5, 0x3000004), 0x3000005U, "next");
    NS_TEST_EXPECT_MSG_EQ(RoceHead::Expand(0xFFFFF0, 3), 0U, "none before 0");
}

/// Sends packets until none may go, of which the sender tells beforehand whether some go again.
/// @param sender of them @return numbers, with "r" behind those sent again
std::string
Drain(RoceSender& sender)
{
    const bool again = sender.HasAgain();
    std::string text;
    for (RoceSegment segment; sender.Next(segment);)
    {
        text +=
            (text.empty() ? "" : " ") + std::to_string(segment.number) + (segment.again ? "r" : "");
    }
    const bool told = again == (text.find('r') != std::string::npos) && !sender.HasAgain();
    return text + (told ? "" : " unlike what HasAgain() told");
}

/// Drops by hand: ten packets, a window of five.
struct RoceRecoveryTest : TestCase
{
    using TestCase::TestCase;

    void GoBackN()
    {
        RoceSender sender(RoceRecovery::GO_BACK_N, 5, 100);
        sender.Post(950);
        NS_TEST_EXPECT_MSG_EQ(Drain(sender), "0 1 2 3 4", "a window");
        NS_TEST_EXPECT_MSG_EQ(sender.Acknowledge(1), true, "news");
        NS_TEST_EXPECT_MSG_EQ(Drain(sender), "5", "it moves");
        NS_TEST_EXPECT_MSG_EQ(sender.Refuse(2, 3), true, "2 is lost, 1 has come");
        NS_TEST_EXPECT_MSG_EQ(Drain(sender), "2r 3r 4r 5r 6", "all from it on");
        NS_TEST_EXPECT_MSG_EQ(sender.Refuse(1, 3), false, "an old one");
        NS_TEST_EXPECT_MSG_EQ(Drain(sender), "", "is nothing");
        sender.Expire();
        NS_TEST_EXPECT_MSG_EQ(Drain(sender), "2r 3r 4r 5r 6r", "a timeout");
        NS_TEST_EXPECT_MSG_EQ(sender.Acknowledge(7), true, "all");
        NS_TEST_EXPECT_MSG_EQ(Drain(sender), "7 8 9", "the rest");
        NS_TEST_EXPECT_MSG_EQ(sender.GetMessages(), 1U, "not yet");
        sender.Acknowledge(11);
        NS_TEST_EXPECT_MSG_EQ(sender.GetMessages(), 1U, "never sent");
        sender.Acknowledge(10);
        NS_TEST_EXPECT_MSG_EQ(sender.GetMessages(), 0U, "all has come");
        NS_TEST_EXPECT_MSG_EQ(sender.GetOutstanding(), 0U, "all has come");
        NS_TEST_EXPECT_MSG_EQ(sender.PopArrived(), 950U, "a message");
        NS_TEST_EXPECT_MSG_EQ(sender.PopArrived(), 0U, "and no more");
        RoceSender late(RoceRecovery::GO_BACK_N, 5, 100);
        late.Post(1000);
        NS_TEST_EXPECT_MSG_EQ(Drain(late), "0 1 2 3 4", "a window");
        late.Expire();
        late.Acknowledge(3); // too late for the timer
        NS_TEST_EXPECT_MSG_EQ(Drain(late), "3r 4r 5 6 7", "what has come does not go again");
    }

    void SelectiveRepeat()
    {
        RoceSender sender(RoceRecovery::SELECTIVE_REPEAT, 5, 100);
        sender.Post(1000);
        NS_TEST_EXPECT_MSG_EQ(Drain(sender), "0 1 2 3 4", "a window");
        sender.Refuse(0, 1); // 0 is lost
        NS_TEST_EXPECT_MSG_EQ(Drain(sender), "0r", "it alone");
        sender.Refuse(0, 3); // and so is 2
        NS_TEST_EXPECT_MSG_EQ(Drain(sender), "2r", "a later one has come");
        sender.Refuse(0, 4);
        NS_TEST_EXPECT_MSG_EQ(Drain(sender), "", "each goes again once");
        sender.Acknowledge(2);
        NS_TEST_EXPECT_MSG_EQ(Drain(sender), "5 6", "the window moves");
        sender.Expire(); // 2 is lost again
        NS_TEST_EXPECT_MSG_EQ(Drain(sender), "2r", "what has come does not go again");
        sender.Acknowledge(5);
        NS_TEST_EXPECT_MSG_EQ(Drain(sender), "7 8 9", "all that was sent before the loss");
        sender.Acknowledge(10);
        NS_TEST_EXPECT_MSG_EQ(sender.GetMessages(), 0U, "all has come");
        RoceSender holes(RoceRecovery::SELECTIVE_REPEAT, 5, 100);
        holes.Post(1000);
        NS_TEST_EXPECT_MSG_EQ(Drain(holes), "0 1 2 3 4", "a window");
        holes.Refuse(0, 2); // 0 and 1 are lost
        NS_TEST_EXPECT_MSG_EQ(Drain(holes), "0r 1r", "both");
        holes.Acknowledge(3);
        NS_TEST_EXPECT_MSG_EQ(Drain(holes), "5 6 7", "the window moves");
        holes.Refuse(3, 7); // and so are 3 to 6
        NS_TEST_EXPECT_MSG_EQ(Drain(holes), "3r 4r", "what was sent before the first loss");
        holes.Acknowledge(5);
        NS_TEST_EXPECT_MSG_EQ(Drain(holes), "5r 6r 8 9", "the rest without a timer");
        RoceSender again(RoceRecovery::SELECTIVE_REPEAT, 5, 100);
        again.Post(1000);
        NS_TEST_EXPECT_MSG_EQ(Drain(again), "0 1 2 3 4", "a window");
        again.Refuse(0, 1);
        NS_TEST_EXPECT_MSG_EQ(Drain(again), "0r", "one is lost");
        again.Acknowledge(5);
        NS_TEST_EXPECT_MSG_EQ(Drain(again), "5 6 7 8 9", "all has come");
        again.Refuse(5, 6);
        NS_TEST_EXPECT_MSG_EQ(Drain(again), "5r", "a later loss is one of its own");
        RoceSender slow(RoceRecovery::SELECTIVE_REPEAT, 8, 100);
        slow.Post(800);
        NS_TEST_EXPECT_MSG_EQ(Drain(slow), "0 1 2 3 4 5 6 7", "a window");
        slow.Refuse(0, 5);
        RoceSegment first;
        NS_TEST_EXPECT_MSG_EQ(slow.Next(first), true, "0 is lost");
        slow.Acknowledge(3); // 1 and 2 were late
        NS_TEST_EXPECT_MSG_EQ(Drain(slow), "3r 4r", "none that has come since");
        RoceSender odd(RoceRecovery::SELECTIVE_REPEAT, 5, 100);
        odd.Post(1000);
        NS_TEST_EXPECT_MSG_EQ(Drain(odd), "0 1 2 3 4", "a window");
        odd.Refuse(0, 0); // says that what is missing has come
        NS_TEST_EXPECT_MSG_EQ(Drain(odd), "0r", "it has not");
        odd.Refuse(0, 1'000'000'000); // was never sent
        NS_TEST_EXPECT_MSG_EQ(Drain(odd), "", "nothing is known of the others");
        odd.Refuse(0, 2);
        NS_TEST_EXPECT_MSG_EQ(Drain(odd), "1r", "now there is");
    }

    /// @param recovery of a receiver @param period packets that an acknowledgement is for
    /// @return its answers to packets 0, 2, 3, 1, 1, 4
    std::string Offer(RoceRecovery recovery, uint32_t period = 2)
    {
        RoceReceiver receiver(recovery, 8, period);
        std::vector<uint64_t> messages;
        std::string text;
        for (const uint64_t number : {0, 2, 3, 1, 1, 4})
        {
            bool taken = false;
            const RoceSegment segment{number, 10, 0, false, number == 4, false};
            const auto answer = receiver.Receive(segment, messages, taken);
            text += "-AN"[static_cast<int>(answer.kind)] + std::to_string(answer.expected) +
                    (taken ? "t " : " ");
        }
        for (const uint64_t octets : messages)
        {
            text += std::to_string(octets);
        }
        return text;
    }

    /// A peer that keeps to no window. @param recovery of the receiver
    void Flood(RoceRecovery recovery)
    {
        constexpr uint64_t window = 16;
        RoceReceiver receiver(recovery, window, 1);
        std::vector<uint64_t> messages;
        uint64_t placed = 0;
        std::size_t most = 0;
        for (uint64_t number = 1; number < 100'000; number++)
        {
            bool taken = false;
            receiver.Receive({number, 10, 0, false, true, false}, messages, taken);
            placed += taken;
            most = std::max(most, receiver.GetHeld());
        }
        const uint64_t kept = recovery == RoceRecovery::SELECTIVE_REPEAT ? window - 1 : 0;
        NS_TEST_EXPECT_MSG_EQ(most, kept, "no more than the window is kept");
        NS_TEST_EXPECT_MSG_EQ(placed, kept, "nor placed");
        bool taken = false;
        receiver.Receive({0, 10, 0, false, true, false}, messages, taken);
        NS_TEST_EXPECT_MSG_EQ(messages.size(), kept + 1, "the hole is filled");
        NS_TEST_EXPECT_MSG_EQ(receiver.GetHeld(), 0, "and nothing left");
    }
};

IWARP_TEST(roceTransport, "Each third packet is acknowledged, and each message counted")
{
    RoceReceiver receiver(RoceRecovery::GO_BACK_N, 8, 3);
    std::vector<uint64_t> messages;
    std::string text;
    for (uint64_t number = 0; number < 10; number++)
    {
        bool taken = false;
        const RoceSegment segment{number, 10, 0, false, number == 7, false};
        text += "-AN"[static_cast<int>(receiver.Receive(segment, messages, taken).kind)];
    }
    NS_TEST_EXPECT_MSG_EQ(text, "--A--A-A--", "or the last of a message");
    NS_TEST_EXPECT_MSG_EQ(receiver.GetCompleted(), 1, "message");
    bool taken = false;
    receiver.Receive({10, 10, 0, false, true, false}, messages, taken);
    NS_TEST_EXPECT_MSG_EQ((messages == std::vector<uint64_t>{80, 30}), true, "octets of each");
}

IWARP_TEST(roceTransport, "What is sent again, by hand", RoceRecoveryTest)
{
    GoBackN();
    SelectiveRepeat();
    Flood(RoceRecovery::GO_BACK_N);
    Flood(RoceRecovery::SELECTIVE_REPEAT);
    NS_TEST_EXPECT_MSG_EQ(Offer(RoceRecovery::GO_BACK_N),
                          "-1t N1 -1 A2t A2 N2 ",
                          "one refusal a hole, an acknowledgement for two packets");
    NS_TEST_EXPECT_MSG_EQ(Offer(RoceRecovery::SELECTIVE_REPEAT),
                          "-1t N1t N1t A4t A4 A5t 50",
                          "each is refused, and kept");
    NS_TEST_EXPECT_MSG_EQ(Offer(RoceRecovery::SELECTIVE_REPEAT, 100),
                          "-1t N1t N1t A4t A4 A5t 50",
                          "what fills the hole is acknowledged, whatever the period");
}

/**
 * @ingroup iwarp-test
 * Efficiency under random loss, a packet a slot and answers a window later: (1 - p) / (1 - p + pW)
 * for go-back-N, 1 - p for selective repeat (Bertsekas and Gallager, Data Networks, section 2.4).
 */
class RoceEfficiencyTest : public TestCase
{
  public:
    /// @param recovery what is sent again @param loss probability
    RoceEfficiencyTest(RoceRecovery recovery, double loss)
        : TestCase(
              (recovery == RoceRecovery::GO_BACK_N ? "Go-back-N, loss " : "Selective repeat, ") +
              std::to_string(loss)),
          m_recovery(recovery),
          m_loss(loss)
    {
    }

  private:
    static constexpr uint64_t WINDOW = 32; //!< packets

    void DoRun() override
    {
        constexpr uint64_t packets = 200000;
        const bool selective = m_recovery == RoceRecovery::SELECTIVE_REPEAT;
        std::mt19937 random(1);
        std::bernoulli_distribution lost(m_loss);
        // selective repeat keeps the pipe full while it waits for what is lost, maybe twice
        const uint64_t window = selective ? 8 * WINDOW : WINDOW;
        RoceSender sender(m_recovery, window, 1);
        RoceReceiver receiver(m_recovery, window, 1);
        sender.Post(packets);
        std::deque<RoceAnswer> answers; // of the slots under way
        std::vector<uint64_t> messages;
        uint64_t slots = 0;
        uint64_t quiet = 0;
        for (; sender.GetMessages() > 0; slots++)
        {
            RoceAnswer answer{RoceAnswer::Kind::NONE, 0, 0};
            RoceSegment segment;
            bool taken = false;
            if (sender.Next(segment) && !lost(random))
            {
                answer = receiver.Receive(segment, messages, taken);
            }
            answers.push_back(answer);
            if (answers.size() < WINDOW)
            {
                continue;
            }
            answer = answers.front();
            answers.pop_front();
            bool news = false;
            if (answer.kind == RoceAnswer::Kind::ACK)
            {
                news = sender.Acknowledge(answer.expected);
            }
            else if (answer.kind == RoceAnswer::Kind::REFUSED)
            {
                sender.Refuse(answer.expected, answer.arrived);
                news = !selective; // it sends all again: the timeout is that of the last
            }
            quiet = news ? 0 : quiet + 1;
            if (quiet >= (selective ? 2 : 1) * WINDOW)
            {
                sender.Expire();
                quiet = 0;
            }
        }
        const double closed =
            selective ? 1 - m_loss : (1 - m_loss) / (1 - m_loss + m_loss * WINDOW);
        const double efficiency = double(packets) / double(slots);
        NS_TEST_EXPECT_MSG_EQ_TOL(efficiency, closed, 0.02 * closed, "share of the slots");
        NS_TEST_EXPECT_MSG_EQ(messages.size(), 1U, "the message");
        NS_TEST_EXPECT_MSG_EQ(messages.at(0), packets, "all of it");
    }

    RoceRecovery m_recovery; //!< what is sent again
    double m_loss;           //!< probability
};

IWARP_TEST_CASES(roceTransport)
{
    for (const double loss : {0.0, 0.001, 0.01, 0.05})
    {
        for (const auto recovery : {RoceRecovery::GO_BACK_N, RoceRecovery::SELECTIVE_REPEAT})
        {
            suite.AddTestCase(new RoceEfficiencyTest(recovery, loss));
        }
    }
}

} // namespace
