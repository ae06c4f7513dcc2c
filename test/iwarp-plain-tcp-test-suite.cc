/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "iwarp-run-scenario.h"

#include "ns3/abort.h"
#include "ns3/iwarp-child-process.h"
#include "ns3/ns3-compat.h"
#include "ns3/test.h"

#include <csignal>
#include <functional>
#include <iterator>
#include <stdexcept>
#include <string>

using namespace ns3;

namespace
{

/**
 * @ingroup iwarp-test
 * What is done in a child gives its result, or why there is none, and leaves this process as it is.
 */
class ChildTest : public TestCase
{
  public:
    ChildTest()
        : TestCase("Something is done in a process of its own")
    {
    }

  private:
    void DoRun() override
    {
        std::string problem = "none yet";
        int count = 0;
        const std::string all(1000000, 'x');
        const auto work = [&count, &all] {
            count++;
            return all;
        };
        NS_TEST_EXPECT_MSG_EQ((iwarp::RunInChild(work, problem) == all), true, "its result");
        NS_TEST_EXPECT_MSG_EQ(problem, "", "all went well");
        NS_TEST_EXPECT_MSG_EQ(count, 0, "what changed there did not change here");

        const auto expect = [this](const std::function<std::string()>& failing,
                                   const std::string& says) {
            std::string why;
            NS_TEST_EXPECT_MSG_EQ(iwarp::RunInChild(failing, why), "", "no result");
            NS_TEST_EXPECT_MSG_EQ(why, says, "why");
        };
        expect([]() -> std::string { throw std::runtime_error("no such thing"); }, "no such thing");
        expect(
            []() -> std::string {
                std::raise(SIGKILL);
                return "";
            },
            "Killed");
        expect(
            []() -> std::string {
                NS_ABORT_MSG("it is full");
                return "";
            },
            "Aborted: it is full");
    }
};

/**
 * @ingroup iwarp-test
 * ns-3's TcpTxBuffer::Update() looks at the first of the segments under way, and an old
 * acknowledgment with SACK blocks that comes when there are none ends a process with assertions. It
 * costs the comparison alone, and a caution says so.
 */
class PlainTcpTest : public ScenarioTestCase
{
  public:
    PlainTcpTest()
        : ScenarioTestCase("Plain TCP that ends its process takes its own metrics along",
                           {{"Flows", "6"},
                            {"Octets", "60000"},
                            {"Reordering", "0.1"},
                            {"ReorderingDelay", "900us"},
                            {"ImpairmentDirection", "both"},
                            {"ImpairmentPlace", "core"}})
    {
    }

  private:
    void DoRun() override
    {
        const std::string begin = "PlainTcp: no plain_tcp_ metrics, since ns-3's own TCP failed (";
        bool failed = false;
        bool went = false;
        for (uint32_t seed = 1; seed <= 100 && !(failed && went); seed++)
        {
            const std::string text = std::to_string(seed);
            const auto scenario = Make({{"Seed", text}});
            auto beside = Measure(scenario);
            const bool complete = beside.count("plain_tcp_goodput") > 0;
            if (complete ? went : failed)
            {
                continue; // that has been seen
            }
            (complete ? went : failed) = true;
            const auto& cautions = scenario->GetCautions();
            NS_TEST_ASSERT_MSG_EQ(cautions.size(), (complete ? 0 : 1), "what is missing is named");
            NS_TEST_EXPECT_MSG_EQ((complete || cautions[0].rfind(begin, 0) == 0), true, "and why");
            for (auto metric = beside.begin(); metric != beside.end();)
            {
                const bool plain = metric->first.rfind("plain_tcp_", 0) == 0;
                NS_TEST_EXPECT_MSG_EQ((complete || !plain), true, metric->first << " of a part");
                metric = plain ? beside.erase(metric) : std::next(metric);
            }
            const auto alone = RunScenario({{"Seed", text}, {"PlainTcp", "false"}});
            NS_TEST_EXPECT_MSG_EQ((alone == beside), true, "all others are as without it");
        }
        NS_TEST_EXPECT_MSG_EQ(went, true, "a comparison that goes well");
#ifdef NS3_ASSERT_ENABLE
        NS_TEST_EXPECT_MSG_EQ(failed, true, "and one that does not");
#endif
    }
};

/// @ingroup iwarp-test
/// The suite.
class PlainTcpTestSuite : public TestSuite
{
  public:
    PlainTcpTestSuite()
        : TestSuite("iwarp-plain-tcp")
    {
        AddTestCase(new ChildTest, IWARP_TEST_QUICK);
        AddTestCase(new PlainTcpTest, IWARP_TEST_QUICK);
    }
};

PlainTcpTestSuite g_plainTcpTestSuite; //!< registers the suite

} // namespace
