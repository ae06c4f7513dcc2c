/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "../iwarp-test.h"

#include "ns3/ddp-sender.h"

#include <cerrno>

using namespace ns3;

namespace
{

/// Suite of the sender.
IWARP_TEST_SUITE(ddpSender, "ddp-sender");

/// The sender's counters and limits.
IWARP_TEST(ddpSender, "sender")
{
    DdpSender sender;
    NS_TEST_EXPECT_MSG_EQ(sender.SubmitUntagged(0x43, 0, 0, 4294967296, 0), EMSGSIZE, "2^32");
    IWARP_COVERS("DDP-5.2-3");
    for (uint32_t i = 0; i < 10; i++)
    {
        sender.SubmitUntagged(0x43, 0, 0, 10, i);
        if (i < 3)
        {
            sender.SubmitUntagged(0x41, 0, 1, 28, 100 + i);
        }
    }
    uint32_t sends = 0;
    uint32_t reads = 0;
    while (!sender.IsIdle())
    {
        const auto s = sender.Show(128);
        sender.Take(s);
        const uint32_t expected = s.header.qn == 0 ? ++sends : ++reads;
        NS_TEST_EXPECT_MSG_EQ(s.header.msn, expected, "MSN of queue " << s.header.qn);
        IWARP_COVERS("DDP-4.3-8 DDP-4.3-9");
    }
    NS_TEST_EXPECT_MSG_EQ(sends, 10, "Sends");
    NS_TEST_EXPECT_MSG_EQ(reads, 3, "Reads");

    sender.SetNextMsn(0, 0xFFFFFFFE);
    for (uint32_t msn : {0xFFFFFFFE, 0xFFFFFFFF, 0u})
    {
        sender.SubmitUntagged(0x43, 0, 0, 1, 0);
        const auto s = sender.Show(128);
        sender.Take(s);
        NS_TEST_EXPECT_MSG_EQ(s.header.msn, msn, "wrap");
        IWARP_COVERS("DDP-4.3-10");
    }

    NS_TEST_EXPECT_MSG_EQ(sender.SubmitTagged(0x40, 1, 0, 0xFFFFFFFF, 0), 0, "2^32 - 1");
    IWARP_COVERS("DDP-5.2-3");
    sender.SubmitUntagged(0x43, 0, 0, 1, 7);
    sender.Close();
    NS_TEST_EXPECT_MSG_EQ(sender.SubmitTagged(0x40, 1, 0, 1, 0), ESHUTDOWN, "after Close()");
    IWARP_COVERS("DDP-6.2.1-2");
    NS_TEST_EXPECT_MSG_EQ(sender.GetQueued(), 2, "what was submitted goes out");
    sender.Take(sender.Show(128));
    NS_TEST_EXPECT_MSG_EQ(sender.IsInMessage(), true, "under way");
    sender.Abort();
    NS_TEST_EXPECT_MSG_EQ(sender.IsIdle(), true, "forgotten");
    NS_TEST_EXPECT_MSG_EQ(sender.IsInMessage(), false, "forgotten");
}

} // namespace
