/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "../iwarp-test.h"
#include "ipsec-run.h"

#include "ns3/rnic-datapath.h"
#include "ns3/rnic-esp-engine.h"
#include "ns3/rnic-esp-stage.h"
#include "ns3/rnic-helper.h"
#include "ns3/rnic.h"

#include <boost/endian/conversion.hpp>

using namespace ns3;

namespace
{

/// What an attacker costs.
IWARP_TEST_SUITE(ipsecForged, "ipsec-forged", TestSuite::Type::SYSTEM);

/// What does ESP at the receiver.
enum class Does
{
    CPU,     //!< the host's
    RNIC,    //!< its RNIC, inline
    GATEWAY, //!< an engine of its gateway
};

/**
 * @ingroup iwarp-test
 * A packet that is forged keeps an engine as busy as a good one, since only the ICV tells (RFC 4303
 * section 3.4.4); one that is replayed does not, since its number tells before (section 3.4.3).
 */
class ForgedTest : public TestCase
{
  public:
    /// @param does what does ESP @param replayed packets are replayed, not forged
    ForgedTest(Does does, bool replayed)
        : TestCase(std::string(replayed ? "replayed" : "forged") + " packets at " +
                   (does == Does::CPU    ? "a CPU"
                    : does == Does::RNIC ? "an RNIC"
                                         : "a gateway")),
          m_does(does),
          m_replayed(replayed)
    {
    }

  private:
    void DoRun() override
    {
        IpsecSetup setup;
        setup.place = m_does == Does::GATEWAY ? IpsecPlace::GATEWAY : IpsecPlace::TRANSPORT;
        IpsecRun run(setup);
        RnicHelper helper("ideal");
        NS_TEST_ASSERT_MSG_EQ(helper.AddEsp("inline"), "", "it can do ESP");
        helper.Set("RxEsp.TimePerPacket", TimeValue(MicroSeconds(3)));
        RnicDatapath* path = nullptr;
        if (m_does == Does::RNIC)
        {
            path = &helper.Install(run.network.GetHost(1))->GetDatapath();
        }
        else
        {
            const auto node =
                m_does == Does::CPU ? run.network.GetHost(1) : run.network.GetRouter(1);
            path = &helper.InstallEspEngine(node)->GetDatapath();
        }
        uint32_t attacks = 0;
        run.box->onPacket = [&](Ptr<Packet> packet, bool forth, const auto& send) {
            std::vector<uint8_t> octets(packet->GetSize());
            packet->CopyData(octets.data(), packet->GetSize());
            send(packet);
            if (forth)
            {
                ++attacks;
                if (!m_replayed)
                {
                    boost::endian::store_big_u32(&octets[IPV4_SIZE + 4], 100'000 + attacks);
                }
                send(Create<Packet>(octets.data(), static_cast<uint32_t>(octets.size())));
            }
        };
        run.Run();
        NS_TEST_EXPECT_MSG_EQ(run.IsDone(), true, "all messages, and right");
        const auto& counters =
            (m_does == Does::GATEWAY ? run.gateways[1] : run.hosts[1])->GetCounters();
        const auto reason = m_replayed ? IpsecDrop::REPLAYED : IpsecDrop::BAD_ICV;
        NS_TEST_EXPECT_MSG_EQ(counters.GetDropped(reason), attacks, "each is dropped");
        NS_TEST_EXPECT_MSG_GT(attacks, 140, "there were some");
        const auto& done = path->Get<RnicEspStage>("RxEsp")->GetStatistics();
        const uint64_t worked = counters.opened + (m_replayed ? 0 : attacks);
        NS_TEST_EXPECT_MSG_EQ(done.packets, worked, "packets of the engine");
        NS_TEST_EXPECT_MSG_EQ(done.work, RnicTime(worked) * 3'000'000, "3 us each, in ps");
    }

    Does m_does;     //!< what does ESP
    bool m_replayed; //!< packets are replayed
};

IWARP_TEST_CASES(ipsecForged)
{
    for (const auto does : {Does::CPU, Does::RNIC, Does::GATEWAY})
    {
        suite.AddTestCase(new ForgedTest(does, false));
        suite.AddTestCase(new ForgedTest(does, true));
    }
}

} // namespace
