/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "../iwarp-test.h"
#include "iwarp-run-scenario.h"

#include <string>

using namespace ns3;

namespace
{

/// The suite.
IWARP_TEST_SUITE(iwarpFlowEnd, "iwarp-flow-end");

/**
 * @ingroup iwarp-test
 * A flow whose payload is damaged behind TCP's checksum ends by the CRC of MPA and says so, whether
 * its sender still has work, or has done all as far as it knows (RFC 5044 section 8, RFC 5040
 * section 7).
 */
class CrcEndTest : public ScenarioTestCase
{
  public:
    explicit CrcEndTest(const std::string& workload) //!< @param workload what flows carry
        : ScenarioTestCase("The CRC ends a flow, " + workload,
                           {{"Workload", workload},
                            {"Impairment", "bit-error"},
                            {"PathBitErrorImpairment.Rate", "4e-5"},
                            {"PlainTcp", "false"},
                            {"TimeLimit", "100s"}})
    {
    }

  private:
    void DoRun() override
    {
        for (const char* octets : {"200000", "2000000", "20000000"})
        {
            const auto scenario = Make({{"Octets", octets}});
            const bool good = scenario->Run();
            NS_TEST_EXPECT_MSG_EQ(good, false, octets << " octets");
            const std::string& error = scenario->GetError();
            NS_TEST_EXPECT_MSG_NE(error.find("CRC"), std::string::npos, octets << ": " << error);
            IWARP_COVERS("MPA-8-03");
        }
    }
};

IWARP_TEST_CASES(iwarpFlowEnd)
{
    for (const auto* workload : {"mpa", "rdma-write", "rdma-read", "send", "storage", "perf"})
    {
        suite.AddTestCase(new CrcEndTest(workload));
    }
}

} // namespace
