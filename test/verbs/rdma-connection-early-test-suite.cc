/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "../iwarp-test.h"
#include "rdma-test-pair.h"

#include "ns3/boolean.h"

#include <algorithm>

using namespace ns3;

namespace
{

/// Connections whose sides do not wait for a first FPDU.
IWARP_TEST_SUITE(rdmaConnectionEarly, "rdma-connection-early");

/**
 * The server of ib_write_lat writes before its client has sent anything, and finds a peer that
 * takes it (Linux's siw): WaitForFirstFpdu is off at the listener.
 */
IWARP_TEST(rdmaConnectionEarly, "a listener's side that writes first")
{
    using Kind = RdmaConnectionEvent::Kind;
    constexpr uint32_t LENGTH = 5000;
    RdmaTestPair p;
    p.listener->SetStreamAttribute("WaitForFirstFpdu", BooleanValue(false));
    p.connector->SetStreamAttribute("WaitForFirstFpdu", BooleanValue(false));
    std::fill_n(p.b.memory.begin(), LENGTH, uint8_t{0x5A});
    p.onEstablished = [&p] {
        auto write = p.b.Send(1, RdmaOpcode::RDMA_WRITE, 0, LENGTH);
        write.remoteAddress = 0x10000 + 200'000;
        write.rkey = p.a.region->GetRkey();
        p.b.qp->PostSend(write);
    };
    p.Start();
    p.Run(Seconds(2));
    NS_TEST_EXPECT_MSG_EQ(p.b.Count(Kind::ESTABLISHED), 1, "told once at the listener's side");
    NS_TEST_EXPECT_MSG_EQ(p.a.Count(Kind::ESTABLISHED), 1, "and at the other");
    NS_TEST_EXPECT_MSG_EQ(p.a.Count(Kind::DISCONNECTED) + p.b.Count(Kind::DISCONNECTED),
                          0,
                          "nobody closes");
    const auto& done = p.b.completions;
    NS_TEST_EXPECT_MSG_EQ((done.size() == 1 && done[0].status == RdmapStatus::SUCCESS),
                          true,
                          "the RDMA Write is done, and well");
    NS_TEST_EXPECT_MSG_EQ(
        std::equal(p.b.memory.begin(), p.b.memory.begin() + LENGTH, p.a.memory.begin() + 200'000),
        true,
        "octets in memory");
}

} // namespace
