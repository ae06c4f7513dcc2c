/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "../iwarp-test.h"

#include "ns3/sequence-number.h"
#include "ns3/util-sequence.h"

#include <cstdint>

using namespace ns3;

/// Sequence numbers as places that do not wrap.
IWARP_TEST_SUITE(utilSequence, "util-sequence");

/// The place has the number, and is as far away as ns-3's own numbers say.
IWARP_TEST(utilSequence, "places near any other against SequenceNumber32")
{
    for (const uint64_t near : {uint64_t{1} << 32,
                                (uint64_t{1} << 33) - 1,
                                (uint64_t{7} << 32) + 0x80000001,
                                (uint64_t{7} << 32) + 12345})
    {
        const auto low = static_cast<uint32_t>(near);
        for (const uint32_t seq : {low, low + 1, low - 1, low + 0x7FFFFFFF, low - 0x7FFFFFFF, 0U})
        {
            const uint64_t place = iwarp::UnwrapSequence(near, seq);
            NS_TEST_EXPECT_MSG_EQ(static_cast<uint32_t>(place), seq, "the number");
            NS_TEST_EXPECT_MSG_EQ(static_cast<int64_t>(place - near),
                                  SequenceNumber32(seq) - SequenceNumber32(low),
                                  "how far");
        }
    }
}
