/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "../iwarp-test.h"
#include "iwarp-run-scenario.h"

#include "ns3/abort.h"
#include "ns3/iwarp-child-process.h"
#include "ns3/tcp-congestion-ops.h"

#include <csignal>
#include <functional>
#include <iterator>
#include <stdexcept>
#include <string>
#include <unistd.h>

using namespace ns3;

namespace
{

/// The suite.
IWARP_TEST_SUITE(iwarpPlainTcp, "iwarp-plain-tcp");

/// What is done in a child gives its result, or why there is none, and leaves this process as it
/// is.
IWARP_TEST(iwarpPlainTcp, "Something is done in a process of its own")
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

/// Congestion control of a TCP that ends each process but that of the tests.
class ChildEndingControl : public TcpNewReno
{
  public:
    static TypeId GetTypeId() //!< @return its type
    {
        static TypeId tid = TypeId("ns3::ChildEndingControl")
                                .SetParent<TcpNewReno>()
                                .AddConstructor<ChildEndingControl>();
        return tid;
    }

    void IncreaseWindow(Ptr<TcpSocketState> state, uint32_t segments) override
    {
        NS_ABORT_MSG_IF(getpid() != PARENT, "no window in a child");
        TcpNewReno::IncreaseWindow(state, segments);
    }

    Ptr<TcpCongestionOps> Fork() override
    {
        return CopyObject<ChildEndingControl>(this);
    }

  private:
    inline static const pid_t PARENT = getpid(); //!< process of the tests
};

NS_OBJECT_ENSURE_REGISTERED(ChildEndingControl);

/**
 * ns-3's TCP can end a process: its TcpTxBuffer::Update() looks at the first of the segments under
 * way, also for an old acknowledgment with SACK blocks that comes when there are none. It costs the
 * comparison alone, and a caution says so.
 */
struct PlainTcpTest : ScenarioTestCase
{
    /// @param title of the case
    explicit PlainTcpTest(const std::string& title)
        : ScenarioTestCase(title,
                           {{"Flows", "6"},
                            {"Octets", "60000"},
                            {"Reordering", "0.1"},
                            {"ReorderingDelay", "900us"},
                            {"ImpairmentDirection", "both"},
                            {"ImpairmentPlace", "core"}})
    {
    }

    inline static const std::string CAUTION =
        "PlainTcp: no plain_tcp_ metrics, since ns-3's own TCP failed (Aborted: no window in a "
        "child); all others are those of a run without it"; //!< what is said of it
};

IWARP_TEST(iwarpPlainTcp,
           "Plain TCP that ends its process takes its own metrics along",
           PlainTcpTest)
{
    for (const bool complete : {true, false})
    {
        const std::string control = complete ? "TcpNewReno" : "ChildEndingControl";
        const auto scenario = Make({{"CongestionControl", control}});
        auto beside = Measure(scenario);
        const auto& cautions = scenario->GetCautions();
        NS_TEST_ASSERT_MSG_EQ(cautions.size(), (complete ? 0 : 1), "what is missing is named");
        NS_TEST_EXPECT_MSG_EQ((complete ? CAUTION : cautions[0]), CAUTION, "and why");
        NS_TEST_EXPECT_MSG_EQ(beside.count("plain_tcp_goodput"), complete, "a comparison");
        for (auto metric = beside.begin(); metric != beside.end();)
        {
            const bool plain = metric->first.rfind("plain_tcp_", 0) == 0;
            NS_TEST_EXPECT_MSG_EQ((complete || !plain), true, metric->first << " of a part");
            metric = plain ? beside.erase(metric) : std::next(metric);
        }
        const auto alone = RunScenario({{"CongestionControl", control}, {"PlainTcp", "false"}});
        NS_TEST_EXPECT_MSG_EQ((alone == beside), true, "all others are as without it");
    }
}

} // namespace
