/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "../iwarp-test.h"
#include "../path/path-mtu-run.h"

#include "ns3/ns3-compat.h"
#include "ns3/tcp-mtu-search.h"

#include <algorithm>
#include <cstddef>
#include <string>

using namespace ns3;

namespace
{

IWARP_TEST_SUITE(mpaMtuPath, "mpa-mtu-path");

/// A path that takes less all at once, with ICMP and without.
class PathTest : public TestCase
{
  public:
    explicit PathTest(bool ipv6)
        : TestCase(ipv6 ? "paths that change, IPv6" : "paths that change, IPv4"),
          m_ipv6(ipv6),
          m_headers(ipv6 ? 72 : 52)
    {
    }

  private:
    /// @param probing MtuProbing @return a run whose core takes 1400 octets from 10 ms on
    PathMtuSetup MakeSetup(const std::string& probing) const
    {
        PathMtuSetup setup;
        setup.ipv6 = m_ipv6;
        setup.octets = 2'000'000;
        setup.changes = {{MilliSeconds(10), 1400}};
        setup.factory = {{"MtuProbing", probing}};
        return setup;
    }

    /// @param run a run that is over @param last segments @return these were whole FPDUs
    static bool EndsAligned(const PathMtuRun& run, std::size_t last)
    {
        return run.aligned.size() > last &&
               std::count(run.aligned.end() - static_cast<std::ptrdiff_t>(last),
                          run.aligned.end(),
                          false) == 0;
    }

    void CheckIcmp()
    {
        PathMtuRun run(MakeSetup("Off"));
        run.Run();
        NS_TEST_EXPECT_MSG_EQ(run.IsDone(), true, "all there");
        NS_TEST_EXPECT_MSG_EQ(run.emss.back(), 1400 - m_headers, "exact");
        NS_TEST_EXPECT_MSG_EQ(run.emss.size(), 2, "one step");
        NS_TEST_EXPECT_MSG_EQ(run.fpdus.front(), (1500 - m_headers) / 4 * 4, "full segments");
        const auto first = std::find_if(run.fpdus.begin() + 1, run.fpdus.end(), [&](uint32_t fpdu) {
            return fpdu == (1400 - m_headers) / 4 * 4;
        });
        NS_TEST_EXPECT_MSG_EQ((first != run.fpdus.end()), true, "new FPDUs fit");
        NS_TEST_EXPECT_MSG_LT_OR_EQ(*std::max_element(first, run.fpdus.end()),
                                    1400 - m_headers,
                                    "and stay so");
        IWARP_COVERS("MPA-A.5.2-06");
        NS_TEST_EXPECT_MSG_GT(std::count(run.aligned.begin(), run.aligned.end(), false),
                              0,
                              "those that were queued are cut");
        NS_TEST_EXPECT_MSG_EQ(EndsAligned(run, 500), true, "then all are whole again");
        IWARP_COVERS("MPA-A.5.2-05 MPA-A.5.2-07");
    }

    void CheckBlackHole()
    {
        PathMtuSetup setup = MakeSetup("Off");
        setup.filter = true;
        {
            PathMtuRun run(setup);
            run.Run();
            NS_TEST_EXPECT_MSG_EQ(run.IsDone(), false, "Off: it hangs");
            NS_TEST_EXPECT_MSG_EQ(run.errors.size(), 1, "until TCP gives up");
            NS_TEST_EXPECT_MSG_GT(run.filter->GetDropped(), 0, "nobody was told");
        }
        for (const std::string alignment : {"true", "false"})
        {
            setup = MakeSetup("BlackHole");
            setup.filter = true;
            setup.socket = {{"Alignment", alignment}};
            PathMtuRun run(setup);
            run.Run();
            NS_TEST_EXPECT_MSG_EQ(run.IsDone(), true, "all there");
            NS_TEST_ASSERT_MSG_GT(run.emss.size(), 2, "steps");
            NS_TEST_EXPECT_MSG_EQ(run.emss[1], 1024, "down to BaseMss");
            // probes are FPDUs, multiples of 4 octets
            const uint32_t most = 1400 + (m_ipv6 ? iwarp::IPV6_MTU_EXCESS : 0) - m_headers;
            NS_TEST_EXPECT_MSG_LT_OR_EQ(run.emss.back(), most, "fits");
            NS_TEST_EXPECT_MSG_GT(run.emss.back() + TcpMtuSearch::THRESHOLD + 4, most, "all but");
            if (alignment == "true")
            {
                NS_TEST_EXPECT_MSG_EQ(EndsAligned(run, 300), true, "whole FPDUs");
            }
        }
    }

    void CheckGrowth()
    {
        PathMtuSetup setup = MakeSetup("Off");
        setup.changes.emplace_back(MilliSeconds(30), 1500);
        setup.factory.emplace_back("ProbeInterval", "50ms");
        PathMtuRun run(setup);
        run.Run();
        NS_TEST_EXPECT_MSG_EQ(run.IsDone(), true, "all there");
        NS_TEST_ASSERT_MSG_EQ(run.emss.size(), 3, "down and up");
        NS_TEST_EXPECT_MSG_EQ(run.emss[1], 1400 - m_headers, "told by ICMP");
        NS_TEST_EXPECT_MSG_EQ(run.emss[2], 1500 - m_headers, "after the interval");
        NS_TEST_EXPECT_MSG_LT_OR_EQ(run.fpdus.back(), 1500 - m_headers, "FPDUs fit");
        NS_TEST_EXPECT_MSG_EQ(EndsAligned(run, 300), true, "whole FPDUs");

        setup.changes.pop_back(); // still narrow: ICMP tells again
        PathMtuRun narrow(setup);
        narrow.Run();
        NS_TEST_EXPECT_MSG_EQ(narrow.IsDone(), true, "all there");
        NS_TEST_EXPECT_MSG_EQ(narrow.emss.back(), 1400 - m_headers, "told again");
    }

    void CheckAlways()
    {
        PathMtuSetup setup = MakeSetup("Always");
        setup.changes.clear();
        PathMtuRun run(setup);
        run.Run();
        NS_TEST_EXPECT_MSG_EQ(run.IsDone(), true, "all there");
        NS_TEST_EXPECT_MSG_EQ(run.emss.front(), 1024, "from BaseMss");
        NS_TEST_EXPECT_MSG_EQ(std::is_sorted(run.emss.begin(), run.emss.end()), true, "upwards");
        NS_TEST_EXPECT_MSG_GT(run.emss.back() + TcpMtuSearch::THRESHOLD + 4,
                              1500 - m_headers,
                              "to the top");
        NS_TEST_EXPECT_MSG_EQ(std::count(run.aligned.begin(), run.aligned.end(), false),
                              0,
                              "no FPDU is cut");
    }

    void DoRun() override
    {
        CheckIcmp();
        CheckBlackHole();
        CheckGrowth();
        CheckAlways();
    }

    bool m_ipv6;        //!< IPv6
    uint32_t m_headers; //!< octets of IP and TCP with timestamps
};

IWARP_TEST_CASES(mpaMtuPath)
{
    suite.AddTestCase(new PathTest(false));
    suite.AddTestCase(new PathTest(true));
}

} // namespace
