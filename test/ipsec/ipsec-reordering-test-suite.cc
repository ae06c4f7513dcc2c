/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "../iwarp-test.h"
#include "ipsec-run.h"

#include "ns3/random-variable-stream.h"

#include <algorithm>
#include <boost/endian/conversion.hpp>
#include <cmath>
#include <map>

using namespace ns3;

namespace
{

/// Reordering and the anti-replay window.
IWARP_TEST_SUITE(ipsecReordering, "ipsec-reordering", TestSuite::Type::SYSTEM);

/**
 * @ingroup iwarp-test
 * Of packets that come late by 1 to L others, as many each, those are lost that are late by the
 * window W or more: (L - W + 1) / L of them (RFC 4303 section 3.4.3). TCP sends them again.
 */
class LateShareTest : public TestCase
{
  public:
    /// @param window of the receiver, in packets
    explicit LateShareTest(uint32_t window)
        : TestCase("late by up to 100 packets, window of " + std::to_string(window)),
          m_window(window)
    {
    }

  private:
    static constexpr uint32_t LATE = 100;      //!< packets, at most
    static constexpr double PROBABILITY = 0.1; //!< that a packet is late

    void DoRun() override
    {
        IpsecSetup setup;
        setup.proposal.replayWindow = m_window;
        setup.octets = 3'000'000;
        IpsecRun run(setup);
        auto draw = CreateObject<UniformRandomVariable>();
        draw->SetStream(3);
        uint32_t passed = 0;  // packets that were not late
        uint32_t highest = 0; // number of what has passed
        uint32_t late = 0;    // packets that were
        uint32_t lost = 0;    // of these, beyond the window
        std::multimap<uint32_t, std::pair<uint32_t, Ptr<Packet>>> held; // by when they go
        run.box->onPacket = [&](Ptr<Packet> packet, bool forth, const auto& send) {
            if (!forth)
            {
                send(packet);
                return;
            }
            uint8_t octets[IPV4_SIZE + 8] = {};
            packet->CopyData(octets, sizeof(octets));
            const uint32_t number = boost::endian::load_big_u32(octets + IPV4_SIZE + 4);
            if (draw->GetValue() < PROBABILITY)
            {
                held.emplace(passed + draw->GetInteger(1, LATE), std::make_pair(number, packet));
                return;
            }
            highest = std::max(highest, number);
            ++passed;
            send(packet);
            for (; !held.empty() && held.begin()->first <= passed; held.erase(held.begin()))
            {
                const auto& [own, waiting] = held.begin()->second;
                ++late;
                lost += highest >= own + m_window;
                highest = std::max(highest, own);
                send(waiting);
            }
        };
        run.Run();
        NS_TEST_EXPECT_MSG_EQ(run.IsDone(), true, "all messages, and right");
        NS_TEST_EXPECT_MSG_GT(late, 150, "some were late");
        const auto& counters = run.hosts[1]->GetCounters();
        NS_TEST_EXPECT_MSG_EQ(counters.GetDropped(IpsecDrop::TOO_OLD), lost, "each by its number");
        // others are held too, so that one that is overtaken by n has a number smaller by n / 0.9
        const double reach = std::min<double>(LATE, m_window * (1 - PROBABILITY));
        const double share = 1 - (reach - 1) / LATE;
        const double tolerance = 4 * std::sqrt(late * share * (1 - share)) + 2;
        NS_TEST_EXPECT_MSG_EQ_TOL(double(lost), late * share, tolerance, "in closed form");
    }

    uint32_t m_window; //!< of the receiver
};

IWARP_TEST_CASES(ipsecReordering)
{
    for (const uint32_t window : {32, 64, 96})
    {
        suite.AddTestCase(new LateShareTest(window));
    }
}

} // namespace
