/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-random-test.h"

#include "ns3/ns3-compat.h"
#include "ns3/test.h"

using namespace ns3;

namespace
{

/// @ingroup iwarp-tests
class RdmaRandomTestSuite : public TestSuite
{
  public:
    RdmaRandomTestSuite()
        : TestSuite("rdma-random")
    {
        AddTestCase(new RdmaRandomTest(1, 20), IWARP_TEST_QUICK);
        AddTestCase(new RdmaRandomTest(10000, 60, true), IWARP_TEST_QUICK);
        // ACKs with SACK blocks come late, behind a close
        AddTestCase(new RdmaRandomTest(1054, 1), IWARP_TEST_QUICK);
        AddTestCase(new RdmaRandomTest(2238, 1), IWARP_TEST_QUICK);
        // a queue pair without a program is the last to be established
        AddTestCase(new RdmaRandomTest(11438, 1, true), IWARP_TEST_QUICK);
        AddTestCase(new RdmaRandomTest(1000, 3000), IWARP_TEST_EXTENSIVE);
        AddTestCase(new RdmaRandomTest(10060, 2000, true), IWARP_TEST_EXTENSIVE);
    }
};

RdmaRandomTestSuite g_rdmaRandomTestSuite; //!< registers the suite

} // namespace
