/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "../iwarp-test.h"

#include "ns3/app-message.h"

#include <algorithm>
#include <random>
#include <vector>

using namespace ns3;

namespace
{

/// The suite
IWARP_TEST_SUITE(iwarpMessage, "iwarp-message");

using Octets = std::vector<uint8_t>;
using iwarp::MessageAssembler;

/// @param message number @param offset in it @param size of payload @param last ends it
/// @return a ULPDU with its pattern
Octets
MakeUlpdu(uint32_t message, uint64_t offset, uint32_t size, bool last)
{
    Octets ulpdu(iwarp::MESSAGE_HEADER + size);
    iwarp::WriteMessageHeader(ulpdu.data(), message, offset, last);
    std::copy_n(iwarp::MessagePattern(message, offset),
                size,
                ulpdu.begin() + iwarp::MESSAGE_HEADER);
    return ulpdu;
}

/// The header's octets as RFC 5041 Figure 4 and RFC 5040 Figure 3 lay them out.
IWARP_TEST(iwarpMessage, "Header octets")
{
    Octets octets(iwarp::MESSAGE_HEADER);
    iwarp::WriteMessageHeader(octets.data(), 0x01020304, 0x05060708090A0B0C, false);
    NS_TEST_EXPECT_MSG_EQ((octets == Octets{0x81, 0x40, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}),
                          true,
                          "T, DV=1; RDMAP version 1, RDMA Write; STag; TO");
    iwarp::WriteMessageHeader(octets.data(), 0, 0, true);
    NS_TEST_EXPECT_MSG_EQ(uint32_t{octets[0]}, 0xC1, "T and L");
}

/**
 * ULPDUs placed in random order, delivered in the sender's: each message is complete exactly when
 * its last ULPDU in order is delivered.
 */
IWARP_TEST(iwarpMessage, "ULPDUs in any order")
{
    for (uint32_t seed = 0; seed < 200; seed++)
    {
        std::mt19937 random(seed);
        std::vector<Octets> ulpdus;
        std::vector<uint32_t> lasts; // index of each message's last ULPDU
        std::vector<uint64_t> sizes;
        for (uint32_t message = 0; message < 6; message++)
        {
            uint64_t offset = 0;
            const uint32_t segments = 1 + random() % 5;
            for (uint32_t i = 1; i <= segments; i++)
            {
                const uint32_t size = random() % 300 + (i == segments);
                ulpdus.push_back(MakeUlpdu(message, offset, size, i == segments));
                offset += size;
            }
            lasts.push_back(ulpdus.size() - 1);
            sizes.push_back(offset);
        }
        std::vector<uint32_t> order(ulpdus.size());
        for (uint32_t i = 0; i < order.size(); i++)
        {
            order[i] = i;
        }
        std::shuffle(order.begin(), order.end(), random);

        uint32_t messages = 0;
        uint32_t delivered = 0;
        MessageAssembler assembler(true, [&](uint32_t number, uint64_t size) {
            NS_TEST_EXPECT_MSG_EQ(number, messages, "in order");
            NS_TEST_EXPECT_MSG_EQ(size, sizes[number], "size");
            messages++;
        });
        std::vector<bool> placed(ulpdus.size());
        for (const uint32_t i : order)
        {
            const auto fault = assembler.Place(ulpdus[i].data(), ulpdus[i].size());
            NS_TEST_ASSERT_MSG_EQ((fault == MessageAssembler::Fault::NONE), true, "placed");
            placed[i] = true;
            uint32_t count = 0;
            while (delivered + count < placed.size() && placed[delivered + count])
            {
                count++;
            }
            delivered += count;
            assembler.Deliver(count);
            const auto complete = std::count_if(lasts.begin(), lasts.end(), [&](uint32_t l) {
                return l < delivered;
            });
            NS_TEST_ASSERT_MSG_EQ(messages, complete, "complete as soon as delivered");
        }
        NS_TEST_EXPECT_MSG_EQ(messages, 6, "all messages");
        NS_TEST_EXPECT_MSG_EQ(assembler.GetContentErrors(), 0, "content");
    }
}

/// What is wrong with content is counted, and what is wrong with a ULPDU is refused.
struct WrongTest : TestCase
{
    using TestCase::TestCase;

    using Fault = MessageAssembler::Fault;

    static uint64_t Errors(const std::vector<Octets>& ulpdus)
    {
        MessageAssembler assembler(true, {});
        for (const auto& ulpdu : ulpdus)
        {
            assembler.Place(ulpdu.data(), ulpdu.size());
        }
        assembler.Deliver(ulpdus.size());
        return assembler.GetContentErrors();
    }

    void Expect(const Octets& ulpdu, Fault fault, const std::string& what)
    {
        MessageAssembler assembler(true, {});
        NS_TEST_EXPECT_MSG_EQ((assembler.Place(ulpdu.data(), ulpdu.size()) == fault), true, what);
    }
};

IWARP_TEST(iwarpMessage, "Wrong content and wrong ULPDUs", WrongTest)
{
    const auto head = MakeUlpdu(0, 0, 1000, false);
    const auto tail = MakeUlpdu(0, 1000, 500, true);
    NS_TEST_EXPECT_MSG_EQ(Errors({head, tail}), 0, "as sent");
    auto flipped = tail;
    flipped[iwarp::MESSAGE_HEADER + 77] ^= 1;
    NS_TEST_EXPECT_MSG_EQ(Errors({head, flipped}), 1, "one octet differs");
    auto moved = MakeUlpdu(0, 1001, 500, true);
    iwarp::WriteMessageHeader(moved.data(), 0, 1000, true);
    NS_TEST_EXPECT_MSG_GT(Errors({head, moved}), 450, "a shift by one octet shows");
    auto other = MakeUlpdu(1, 1000, 500, true);
    iwarp::WriteMessageHeader(other.data(), 0, 1000, true);
    NS_TEST_EXPECT_MSG_GT(Errors({head, other}), 450, "another message's octets show");
    NS_TEST_EXPECT_MSG_EQ(Errors({head, MakeUlpdu(0, 500, 1000, true)}),
                          500,
                          "500 octets came twice");
    NS_TEST_EXPECT_MSG_GT(Errors({MakeUlpdu(0, 0, 400, false), tail}), 600, "a hole shows");

    Expect({}, Fault::HEADER, "nothing");
    Expect(Octets(13, 0x81), Fault::HEADER, "too short for a header");
    Expect(Octets(40, 0), Fault::HEADER, "untagged, version 0");
    auto send = head;
    send[1] = 0x43;
    Expect(send, Fault::HEADER, "an RDMAP Send");
    Expect(MakeUlpdu(1 << 20, 0, 10, true), Fault::RANGE, "a message far ahead");
    Octets far(iwarp::MESSAGE_HEADER + 1);
    iwarp::WriteMessageHeader(far.data(), 0, 0xFFFFFFFFFFFFFFFF, true);
    Expect(far, Fault::RANGE, "an offset that wraps");
    iwarp::WriteMessageHeader(far.data(), 0, 0xF0000000, true);
    Expect(far, Fault::RANGE, "an offset beyond what can be in flight");

    MessageAssembler assembler(true, {});
    assembler.Place(tail.data(), tail.size());
    NS_TEST_EXPECT_MSG_EQ((assembler.Place(tail.data(), tail.size()) == Fault::RANGE),
                          true,
                          "a second end of one message");
    const auto behind = MakeUlpdu(0, 1400, 200, false);
    NS_TEST_EXPECT_MSG_EQ((assembler.Place(behind.data(), behind.size()) == Fault::RANGE),
                          true,
                          "octets behind the end");
}

} // namespace
