/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "../helper/iwarp-datagrams.h"
#include "../iwarp-test.h"

#include <array>
#include <cmath>
#include <string>

using namespace ns3;

namespace
{

/// The suite.
IWARP_TEST_SUITE(pathFraming, "path-framing");

/**
 * @ingroup iwarp-test
 * Datagrams sent back to back arrive as far apart as Ethernet frames: preamble and start of frame
 * 8, header 14, FCS 4, gap 12 (IEEE 802.3), and no frame shorter than 64.
 */
class BackToBackTest : public TestCase
{
  public:
    /// @param rate of the links, bit/s @param datagram octets @param ipv6 with IPv6
    BackToBackTest(double rate, uint32_t datagram, bool ipv6)
        : TestCase("Frames of " + std::to_string(datagram) + " octets back to back at " +
                   std::to_string(int(rate / 1e9)) + " Gbps, " + (ipv6 ? "IPv6" : "IPv4")),
          m_rate(rate),
          m_datagram(datagram),
          m_ipv6(ipv6)
    {
    }

  private:
    void DoRun() override
    {
        constexpr uint32_t packets = 500;
        IwarpNetwork network(m_ipv6);
        IwarpNetwork::Link link;
        link.rate = DataRate(static_cast<uint64_t>(m_rate));
        link.delay = MicroSeconds(10);
        link.mtu = 9000;
        network.AddRouter();
        const uint32_t from = network.AddHost(0, link);
        const uint32_t to = network.AddHost(0, link);
        network.InstallRoutes();
        Datagrams datagrams(network, from, to);
        const Time start = Seconds(1);
        for (uint32_t i = 0; i <= packets; i++)
        {
            datagrams.Send(start, i, 0, m_datagram - (m_ipv6 ? 48 : 28));
        }
        Simulator::Run();
        const auto& arrivals = datagrams.m_arrivals;
        NS_TEST_ASSERT_MSG_EQ(arrivals.size(), packets + 1, "all arrive");
        // the first is whole at the router, and then at the host, when its FCS is there
        const double frame = std::max(14.0 + m_datagram + 4, 64.0);
        const double first = 2 * (8 * (8 + frame) / m_rate * 1e9 + 10e3);
        NS_TEST_EXPECT_MSG_EQ_TOL(double((arrivals[0].at - start).GetNanoSeconds()),
                                  first,
                                  2.01,
                                  "the first frame, ns");
        const double wire = 8 * (8 + frame + 12) / m_rate * 1e9;
        for (uint32_t i = 1; i <= packets; i++)
        {
            NS_TEST_EXPECT_MSG_EQ_TOL(double((arrivals[i].at - arrivals[0].at).GetNanoSeconds()),
                                      i * wire,
                                      2.01,
                                      "as far behind the first as " << i << " frames take, ns");
        }
        Simulator::Destroy();
    }

    double m_rate;       //!< bit/s
    uint32_t m_datagram; //!< octets
    bool m_ipv6;         //!< IPv6 rather than IPv4
};

IWARP_TEST_CASES(pathFraming)
{
    for (const double rate : {1e9, 10e9, 100e9, 400e9})
    {
        for (const uint32_t datagram : {40, 45, 46, 47, 1500, 9000})
        {
            suite.AddTestCase(new BackToBackTest(rate, datagram, false));
        }
        suite.AddTestCase(new BackToBackTest(rate, 1500, true));
    }
}

} // namespace
