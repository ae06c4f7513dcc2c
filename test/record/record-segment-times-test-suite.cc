/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "../iwarp-test.h"

#include "ns3/record-segment-times.h"

using namespace ns3;

namespace
{

IWARP_TEST_SUITE(recordSegmentTimes, "record-segment-times");

} // namespace

/// @brief When the last octet of a record came, whatever the order.
IWARP_TEST(recordSegmentTimes, "times of records")
{
    RecordSegmentTimes times;
    times.Add(0, 100, 10);
    NS_TEST_EXPECT_MSG_EQ(times.Find(0, 50), 10, "in order");
    times.Add(200, 300, 20); // before what is lost
    times.Add(300, 400, 30);
    times.Add(200, 300, 35); // twice
    times.Add(0, 100, 36);   // what was there
    times.Add(100, 250, 40); // and more than what was lost
    NS_TEST_EXPECT_MSG_EQ(times.Find(50, 150), 40, "waited for the middle");
    NS_TEST_EXPECT_MSG_EQ(times.Find(150, 210), 40, "likewise");
    NS_TEST_EXPECT_MSG_EQ(times.Find(210, 310), 30, "had come before");
    NS_TEST_EXPECT_MSG_EQ(times.Find(310, 400), 30, "to the end");
    NS_TEST_EXPECT_MSG_EQ(times.Find(400, 500), -1, "nothing is known");
}
