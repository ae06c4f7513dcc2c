/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "../iwarp-test.h"
#include "../random-seed.h"
#include "rdma-random-test.h"

using namespace ns3;

namespace
{

IWARP_TEST_SUITE(rdmaRandom, "rdma-random");

IWARP_TEST_CASES(rdmaRandom)
{
    suite.AddTestCase(new RdmaRandomTest(RandomSeed(1), 20));
    suite.AddTestCase(new RdmaRandomTest(RandomSeed(10000), 60, true));
    // ACKs with SACK blocks come late, behind a close
    suite.AddTestCase(new RdmaRandomTest(1054, 1));
    suite.AddTestCase(new RdmaRandomTest(2238, 1));
    // a queue pair without a program is the last to be established
    suite.AddTestCase(new RdmaRandomTest(11438, 1, true));
    suite.AddTestCase(new RdmaRandomTest(1000, 3000), IWARP_TEST_EXTENSIVE);
    suite.AddTestCase(new RdmaRandomTest(10060, 2000, true), IWARP_TEST_EXTENSIVE);
}

} // namespace
