/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "../iwarp-test.h"
#include "ipsec-run.h"

#include "ns3/boolean.h"
#include "ns3/double.h"
#include "ns3/path-bit-error-impairment.h"

#include <cmath>
#include <vector>

using namespace ns3;

namespace
{

/// Bit errors and ESP.
IWARP_TEST_SUITE(ipsecBitError, "ipsec-bit-error", TestSuite::Type::SYSTEM);

/// Octets as they stand on the wire.
using Octets = std::vector<uint8_t>;

/// @param octets of a packet @return it
Ptr<Packet>
MakePacket(const Octets& octets)
{
    return Create<Packet>(octets.data(), static_cast<uint32_t>(octets.size()));
}

/**
 * Which octets of a packet are changed: with ESP all behind the sequence number, with IKE and what
 * else is in UDP none. Packets by hand, after RFC 791, RFC 4303 section 2 and RFC 3948 section 2.
 */
struct BitErrorPlaceTest : TestCase
{
    using TestCase::TestCase;

    /// @param head octets before what may be changed @param some how many may be
    void Check(const Octets& head, uint32_t some)
    {
        Octets octets = head;
        octets.resize(head.size() + some, 0x55);
        octets[head[0] >> 4 == 6 ? 5 : 3] =
            static_cast<uint8_t>(octets.size() - (head[0] >> 4 == 6 ? 40 : 0));
        auto impairment = CreateObject<PathBitErrorImpairment>();
        impairment->AssignStreams(1);
        impairment->SetAttribute("Rate", DoubleValue(1)); // every bit
        const Ptr<Packet> packet = MakePacket(octets);
        NS_TEST_EXPECT_MSG_EQ(impairment->IsCorrupt(packet), false, "it goes on");
        Octets now(packet->GetSize());
        packet->CopyData(now.data(), packet->GetSize());
        for (std::size_t i = head.size(); i < octets.size(); i++)
        {
            octets[i] ^= m_changes ? 0xFF : 0;
        }
        NS_TEST_EXPECT_MSG_EQ((now == octets), true, "octets behind " << head.size());
    }

    bool m_changes{false}; //!< bits are to change
};

IWARP_TEST(ipsecBitError, "where bits of ESP are changed", BitErrorPlaceTest)
{
    const Octets ipv4{0x45, 0, 0, 0, 0, 0, 0, 0, 64, 50, 0, 0, 10, 0, 0, 1, 10, 0, 0, 2};
    Octets ipv6(40, 1);
    ipv6[0] = 0x60;
    ipv6[4] = 0;
    ipv6[6] = 50;
    const Octets esp{0, 0, 0x10, 1, 0, 0, 0, 9}; // SPI 0x1001, number 9
    const auto join = [](Octets a, const Octets& b) {
        a.insert(a.end(), b.begin(), b.end());
        return a;
    };
    m_changes = true;
    Check(join(ipv4, esp), 44);
    Check(join(ipv6, esp), 44);
    const Octets udp{0x11, 0x94, 0x11, 0x94, 0, 60, 0, 0}; // port 4500
    Octets ipv4udp = ipv4;
    ipv4udp[9] = 17;
    Octets ipv6udp = ipv6;
    ipv6udp[6] = 17;
    Check(join(join(ipv4udp, udp), esp), 44);
    Check(join(join(ipv6udp, udp), esp), 44);
    m_changes = false;
    const Octets ike{0, 0, 0, 0, 1, 2, 3, 4}; // the mark that says it is not ESP
    Check(join(join(ipv4udp, udp), ike), 44);
    const Octets other{0x12, 0x94, 0x12, 0x94, 0, 60, 0, 0}; // another port
    Check(join(join(ipv4udp, other), esp), 44);
    Octets later = ipv4;
    later[7] = 8; // a fragment behind the first
    Check(join(later, esp), 44);
}

/**
 * @ingroup iwarp-test
 * Each packet of ESP that has an error is dropped for its ICV, by whoever opens it; TCP sends what
 * was in it again, and no octet of memory differs.
 */
class DroppedTest : public IpsecRunTestCase
{
  public:
    /// @param mode of ESP @param place where there is IPsec @param udp it is in UDP
    DroppedTest(EspCodec::Mode mode, IpsecPlace place, bool udp)
        : IpsecRunTestCase(udp ? "bit errors, UDP" : "bit errors", place, mode),
          m_udp(udp)
    {
    }

  private:
    void DoRunWith(IpsecSetup setup) override
    {
        constexpr double RATE = 2e-6;
        setup.proposal.udp = m_udp;
        setup.octets = 1'000'000;
        IpsecRun run(setup);
        auto impairment = CreateObject<PathBitErrorImpairment>();
        impairment->AssignStreams(7);
        impairment->SetAttribute("Rate", DoubleValue(RATE));
        uint64_t damaged = 0;
        impairment->TraceConnectWithoutContext(
            "ErrorEvent",
            MakeBoundCallback(
                +[](uint64_t* count, Ptr<const Packet>) { ++*count; },
                &damaged));
        run.box->onPacket = [&](Ptr<Packet> packet, bool forth, const auto& send) {
            if (forth)
            {
                impairment->IsCorrupt(packet);
            }
            send(packet);
        };
        run.Run();
        NS_TEST_EXPECT_MSG_EQ(run.IsDone(), true, "all messages, and right");
        const auto& stack = run.gateways.empty() ? run.hosts[1] : run.gateways[1];
        NS_TEST_EXPECT_MSG_EQ(stack->GetCounters().GetDropped(IpsecDrop::BAD_ICV),
                              damaged,
                              "each is dropped, and nothing else");
        const double bits = 8.0 * static_cast<double>(setup.octets);
        NS_TEST_EXPECT_MSG_EQ_TOL(static_cast<double>(damaged),
                                  bits * RATE,
                                  4 * std::sqrt(bits * RATE),
                                  "as many as there are errors");
    }

    bool m_udp; //!< it is in UDP
};

IWARP_TEST_CASES(ipsecBitError)
{
    using Mode = EspCodec::Mode;
    for (const auto mode : {Mode::MODELLED, Mode::REAL})
    {
        suite.AddTestCase(new DroppedTest(mode, IpsecPlace::TRANSPORT, false));
        suite.AddTestCase(new DroppedTest(mode, IpsecPlace::TRANSPORT, true));
        suite.AddTestCase(new DroppedTest(mode, IpsecPlace::GATEWAY, false));
    }
}

} // namespace
