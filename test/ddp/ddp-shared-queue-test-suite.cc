/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "../iwarp-test.h"
#include "../random-seed.h"
#include "ddp-receiver-test-util.h"

#include "ns3/ddp-receive-queue.h"

#include <algorithm>
#include <numeric>
#include <random>
#include <vector>

using namespace ns3;

namespace
{

/// Suite of receive queues that take their buffers from a source.
IWARP_TEST_SUITE(ddpSharedQueue, "ddp-shared-queue");

/// A shared receive queue with any number of buffers, each known by its number.
struct ManyBuffers : DdpBufferSource
{
    uint32_t left{0};  //!< buffers
    uint64_t given{0}; //!< buffers taken so far

    /// @param count buffers
    explicit ManyBuffers(uint32_t count)
        : left(count)
    {
    }

    uint32_t GetAvailable() const override
    {
        return left;
    }

    bool Pop(DdpBuffer& buffer) override
    {
        if (left == 0)
        {
            return false;
        }
        left--;
        buffer.context = ++given;
        buffer.length = 100;
        return true;
    }
};

/// A peer that begins with the highest MSN that there is a buffer for.
IWARP_TEST(ddpSharedQueue, "one segment takes one buffer and one slot, whatever its MSN")
{
    constexpr uint32_t many = 1000000;
    for (const uint32_t first : {1U, 0xFFFFFF00U})
    {
        ManyBuffers source(many);
        DdpReceiveQueue queue(&source, first);
        DdpBuffer* buffer = nullptr;
        NS_TEST_EXPECT_MSG_EQ((queue.Find(first + many, &buffer) == DdpError::UNTAGGED_NO_BUFFER),
                              true,
                              "one too far");
        NS_TEST_EXPECT_MSG_EQ((queue.Find(first + many - 1, &buffer) == DdpError::NONE),
                              true,
                              "the last");
        NS_TEST_EXPECT_MSG_EQ(buffer->context, 1, "the first buffer");
        NS_TEST_EXPECT_MSG_EQ(source.left, many - 1, "one is taken");
        NS_TEST_EXPECT_MSG_EQ(queue.GetBound(), 1, "one is bound");
        NS_TEST_EXPECT_MSG_LT(queue.GetSlots(), 100, "memory for a few");
        NS_TEST_EXPECT_MSG_EQ((queue.Find(first + many - 1, &buffer) == DdpError::NONE),
                              true,
                              "its next segment");
        NS_TEST_EXPECT_MSG_EQ(buffer->context, 1, "goes to the same buffer");
        // the messages before it come, and it is its turn
        for (uint32_t i = 0; i < many; i++)
        {
            NS_TEST_ASSERT_MSG_EQ((queue.Find(first + i, &buffer) == DdpError::NONE),
                                  true,
                                  "message " << i);
            DdpBuffer done;
            NS_TEST_ASSERT_MSG_EQ(queue.Complete(done), true, "message " << i);
            NS_TEST_ASSERT_MSG_EQ(done.context, (i == many - 1 ? 1 : i + 2), "its buffer");
        }
        NS_TEST_EXPECT_MSG_EQ(queue.GetBound(), 0, "nothing is left");
    }
}

/// Messages in any order keep their buffers, and flushes give back all of them.
IWARP_TEST(ddpSharedQueue, "a message that has no buffer yet is not complete")
{
    ManyBuffers source(2);
    DdpReceiveQueue queue(&source, 1);
    DdpBuffer* buffer = nullptr;
    queue.Find(2, &buffer);
    DdpBuffer done;
    NS_TEST_EXPECT_MSG_EQ(queue.Complete(done), false, "message 1 has not come");
    NS_TEST_EXPECT_MSG_EQ(queue.GetLower(), 1, "it is still waited for");
}

IWARP_TEST(ddpSharedQueue, "messages far apart, in random order")
{
    std::mt19937 engine(RandomSeed(1));
    for (uint32_t run = 0; run < 100; run++)
    {
        const uint32_t count = 1 + engine() % 500;
        const uint32_t first = run % 2 == 0 ? 1 : 0xFFFFFFFF - engine() % 300;
        ManyBuffers source(count);
        DdpReceiveQueue queue(&source, first);
        std::vector<uint32_t> order(count);
        std::iota(order.begin(), order.end(), 0);
        std::shuffle(order.begin(), order.end(), engine);
        std::vector<uint64_t> contexts(count); // by message
        uint32_t delivered = 0;
        const uint32_t stop = engine() % 2 == 0 ? count : count / 2; // flush the rest
        for (uint32_t i = 0; i < stop; i++)
        {
            DdpBuffer* buffer = nullptr;
            NS_TEST_ASSERT_MSG_EQ((queue.Find(first + order[i], &buffer) == DdpError::NONE),
                                  true,
                                  "found");
            contexts[order[i]] = buffer->context;
            DdpBuffer done;
            for (; delivered < count && contexts[delivered] != 0; delivered++)
            {
                NS_TEST_ASSERT_MSG_EQ(queue.Complete(done), true, "complete");
                NS_TEST_ASSERT_MSG_EQ(done.context, contexts[delivered], "its own");
            }
            NS_TEST_ASSERT_MSG_EQ(queue.GetBound(), i + 1 - delivered, "bound");
        }
        DdpBuffer flushed;
        for (; delivered < count; delivered++)
        {
            if (contexts[delivered] != 0)
            {
                NS_TEST_ASSERT_MSG_EQ(queue.Flush(flushed), true, "one is left");
                NS_TEST_ASSERT_MSG_EQ(flushed.context, contexts[delivered], "oldest first");
            }
        }
        NS_TEST_ASSERT_MSG_EQ(queue.Flush(flushed), false, "none is left");
        NS_TEST_ASSERT_MSG_EQ(queue.GetBound(), 0, "none is left");
    }
}

} // namespace
