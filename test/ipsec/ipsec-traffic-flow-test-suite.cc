/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "../iwarp-test.h"
#include "ipsec-run.h"

#include "ns3/esp-format.h"

#include <algorithm>
#include <cstdint>

using namespace ns3;

namespace
{

/// Traffic-flow padding, in the whole of a simulation.
IWARP_TEST_SUITE(ipsecTrafficFlow, "ipsec-traffic-flow", TestSuite::Type::SYSTEM);

/**
 * @ingroup iwarp-test
 * Traffic-flow padding (RFC 4303 section 2.7): a tunnel makes each datagram look as long as one of
 * 600 octets at least, and what comes out of it is as if it had not.
 */
class TrafficFlowTest : public IpsecRunTestCase
{
  public:
    /// @param place of the tunnel @param mode of ESP
    TrafficFlowTest(IpsecPlace place, EspCodec::Mode mode)
        : IpsecRunTestCase("padded", place, mode)
    {
    }

  private:
    void DoRunWith(IpsecSetup setup) override
    {
        setup.proposal.tfcLength = 600;
        IpsecRun run(setup);
        run.Run();
        NS_TEST_EXPECT_MSG_EQ(run.IsDone(), true, "all messages, and right");
        // outer header, SPI and sequence number, IV, 600 and trailer aligned to 4, ICV
        const uint32_t least = 20 + 8 + 8 + 604 + 16;
        uint32_t shortest = UINT32_MAX;
        uint32_t padded = 0;
        uint32_t full = 0;
        for (const auto& datagram : run.crossed)
        {
            NS_TEST_EXPECT_MSG_EQ(uint32_t(datagram.protocol),
                                  uint32_t(ESP_PROTOCOL),
                                  "nothing in clear");
            shortest = std::min(shortest, datagram.octets);
            padded += datagram.octets == least;
            full += datagram.octets > 1400;
        }
        NS_TEST_EXPECT_MSG_EQ(shortest, least, "none is shorter");
        NS_TEST_EXPECT_MSG_GT(padded, 3, "such as SYN, ACK and MPA's Request");
        // ten messages of 20,000 octets fill 14 segments each, with 390 to 680 octets left
        NS_TEST_EXPECT_MSG_EQ(full, 140, "and full ones are no longer than before");
    }
};

IWARP_TEST_CASES(ipsecTrafficFlow)
{
    for (const auto place : {IpsecPlace::TUNNEL, IpsecPlace::GATEWAY})
    {
        for (const auto mode : {EspCodec::Mode::MODELLED, EspCodec::Mode::REAL})
        {
            suite.AddTestCase(new TrafficFlowTest(place, mode));
        }
    }
}

} // namespace
