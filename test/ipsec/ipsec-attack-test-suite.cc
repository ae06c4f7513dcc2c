/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "../iwarp-test.h"
#include "ipsec-run.h"

#include "ns3/config.h"
#include "ns3/util-crc32c.h"

#include <boost/endian/conversion.hpp>
#include <functional>

using namespace ns3;

namespace
{

using Octets = std::vector<uint8_t>; // of a datagram

/// @param packet it @return its octets
Octets
ReadOctets(const Ptr<const Packet>& packet)
{
    Octets octets(packet->GetSize());
    packet->CopyData(octets.data(), packet->GetSize());
    return octets;
}

/// @param octets of a datagram, whose length is set in its header @return packet
Ptr<Packet>
Write(Octets octets)
{
    boost::endian::store_big_u16(octets.data() + 2, static_cast<uint16_t>(octets.size()));
    return Create<Packet>(octets.data(), static_cast<uint32_t>(octets.size()));
}

/**
 * @ingroup iwarp-test
 * Besides what is sent, somebody sends packets of his own: none passes, each is counted, and the
 * stream is unharmed: no octet of memory differs, in modelled and in real mode.
 */
class AttackTest : public IpsecRunTestCase
{
  public:
    using Forge = std::function<Octets(const Octets&, uint32_t)>; //!< makes one of what was sent

    /// @param name of the attack @param mode of ESP @param forge makes the packet @param drops
    /// reasons why such may be dropped
    AttackTest(const std::string& name,
               EspCodec::Mode mode,
               const Forge& forge,
               const std::vector<IpsecDrop>& drops)
        : IpsecRunTestCase(name, IpsecPlace::TRANSPORT, mode),
          m_forge(forge),
          m_drops(drops)
    {
    }

  private:
    void DoRunWith(IpsecSetup setup) override
    {
        IpsecRun run(setup);
        uint64_t sent = 0;
        uint64_t attacks = 0;
        run.box->onPacket = [&](Ptr<Packet> packet, bool forth, const auto& send) {
            const Octets octets = ReadOctets(packet);
            send(packet);
            if (forth)
            {
                ++sent;
                ++attacks;
                send(Write(m_forge(octets, static_cast<uint32_t>(attacks))));
            }
        };
        run.Run();
        NS_TEST_EXPECT_MSG_EQ(run.IsDone(), true, "all messages, and right");
        const auto& counters = run.hosts[1]->GetCounters();
        NS_TEST_EXPECT_MSG_EQ(counters.opened, sent, "what was sent passes");
        uint64_t dropped = 0;
        for (const auto drop : m_drops)
        {
            dropped += counters.GetDropped(drop);
        }
        NS_TEST_EXPECT_MSG_EQ(dropped, attacks, "nothing else does");
        NS_TEST_EXPECT_MSG_GT(attacks, 140, "there were some");
        IWARP_COVERS("MPA-9.2-01 MPA-9.3-02");
    }

    Forge m_forge;                  //!< makes a packet
    std::vector<IpsecDrop> m_drops; //!< reasons
};

/**
 * @ingroup iwarp-test
 * Packets that come later than the anti-replay window is wide are dropped, TCP sends them again;
 * within the window, and without one, none is (RFC 4303 section 3.4.3).
 */
class LateTest : public TestCase
{
  public:
    LateTest()
        : TestCase("reordering beyond the window")
    {
    }

  private:
    void DoRun() override
    {
        constexpr uint32_t LATE = 50; // packets that overtake
        for (const uint32_t window : {32, 50, 64, 0})
        {
            IpsecSetup setup;
            setup.proposal.replayWindow = window;
            IpsecRun run(setup);
            uint64_t count = 0;
            Ptr<Packet> held;
            run.box->onPacket = [&](Ptr<Packet> packet, bool forth, const auto& send) {
                count += forth;
                if (forth && count == 60)
                {
                    held = packet;
                    return;
                }
                send(packet);
                if (forth && held && count == 60 + LATE)
                {
                    send(held);
                    held = nullptr;
                }
            };
            run.Run();
            NS_TEST_EXPECT_MSG_EQ(run.IsDone(), true, "all messages, and right");
            // number n is in a window of w that ends with n + LATE if w > LATE
            NS_TEST_EXPECT_MSG_EQ(run.hosts[1]->GetCounters().GetDropped(IpsecDrop::TOO_OLD),
                                  (window > 0 && window <= LATE ? 1 : 0),
                                  "window of " << window);
        }
    }
};

/**
 * @ingroup iwarp-test
 * Somebody on the path changes payload and gives the FPDU a CRC that fits (RFC 5044 section 9.1.1):
 * MPA alone takes it, ESP does not.
 */
class ModifierTest : public TestCase
{
  public:
    ModifierTest()
        : TestCase("changed payload with the right CRC")
    {
    }

  private:
    void DoRun() override
    {
        Config::SetDefault("ns3::MpaStream::Markers", BooleanValue(false));
        for (const auto place : {IpsecPlace::NOWHERE, IpsecPlace::TRANSPORT})
        {
            IpsecSetup setup;
            setup.place = place;
            IpsecRun run(setup);
            uint32_t count = 0;
            bool changed = false;
            run.box->onPacket = [&](Ptr<Packet> packet, bool forth, const auto& send) {
                Octets octets = ReadOctets(packet);
                if (!forth || octets.size() < 1400 || ++count != 20)
                {
                    send(packet);
                    return;
                }
                const uint32_t tcp = (octets[IPV4_SIZE + 12] >> 4) * 4U;
                uint8_t* fpdu = octets.data() + IPV4_SIZE + tcp;
                const uint32_t length = boost::endian::load_big_u16(fpdu);
                const uint32_t crc = (2 + length + 3) / 4 * 4;
                octets[octets.size() / 2] ^= 1;
                changed = place == IpsecPlace::TRANSPORT ||
                          IPV4_SIZE + tcp + crc + 4 == octets.size(); // one FPDU fills the segment
                if (place == IpsecPlace::NOWHERE && changed)
                {
                    iwarp::Crc32c sum;
                    sum.Update(fpdu, crc);
                    sum.Write(fpdu + crc);
                }
                send(Write(octets));
            };
            run.Run();
            NS_TEST_EXPECT_MSG_EQ(changed, true, "the attack was there");
            NS_TEST_EXPECT_MSG_EQ(run.sink->GetMessageOctets(), setup.octets, "all comes");
            const bool harmed = run.sink->GetContentErrors() > 0;
            NS_TEST_EXPECT_MSG_EQ(harmed, (place == IpsecPlace::NOWHERE), "octets");
            IWARP_COVERS("MPA-9.1.1-02");
            if (place == IpsecPlace::TRANSPORT)
            {
                NS_TEST_EXPECT_MSG_EQ(run.hosts[1]->GetCounters().GetDropped(IpsecDrop::BAD_ICV),
                                      1,
                                      "it was noticed");
            }
        }
        Config::Reset();
    }
};

/**
 * @ingroup iwarp-test
 * Attacks on ESP.
 */
class IpsecAttackTestSuite : public TestSuite
{
  public:
    IpsecAttackTestSuite()
        : TestSuite("ipsec-attack", Type::SYSTEM)
    {
        using Mode = EspCodec::Mode;
        for (const auto mode : {Mode::MODELLED, Mode::REAL})
        {
            Add("replay", mode, [](const Octets& o, uint32_t) { return o; }, {IpsecDrop::REPLAYED});
            Add("a bit changed",
                mode,
                [](Octets o, uint32_t n) {
                    boost::endian::store_big_u32(&o[IPV4_SIZE + 4], 100'000 + n);
                    o[IPV4_SIZE + 8 + n * 7919 % (o.size() - IPV4_SIZE - 8)] ^= 1 << n % 8;
                    return o;
                },
                {IpsecDrop::BAD_ICV});
            Add("a number of its own",
                mode,
                [](Octets o, uint32_t n) {
                    boost::endian::store_big_u32(&o[IPV4_SIZE + 4], 100'000 + n);
                    return o;
                },
                {IpsecDrop::BAD_ICV});
            Add("cut off",
                mode,
                [](Octets o, uint32_t n) {
                    if (o.size() >= IPV4_SIZE + 8)
                    {
                        boost::endian::store_big_u32(&o[IPV4_SIZE + 4], 100'000 + n);
                    }
                    o.resize(IPV4_SIZE + n * 7919 % (o.size() - IPV4_SIZE));
                    return o;
                },
                {IpsecDrop::TRUNCATED, IpsecDrop::BAD_ICV});
            Add("wrong SPI",
                mode,
                [](Octets o, uint32_t n) {
                    boost::endian::store_big_u32(&o[IPV4_SIZE], 77'000 + n);
                    return o;
                },
                {IpsecDrop::NO_ASSOCIATION});
            Add("without ESP",
                mode,
                [](Octets o, uint32_t) {
                    o[9] = 6; // TCP
                    return o;
                },
                {IpsecDrop::POLICY});
        }
        AddTestCase(new LateTest, IWARP_TEST_QUICK);
        AddTestCase(new ModifierTest, IWARP_TEST_QUICK);
    }

  private:
    /// @param name of the attack @param mode of ESP @param forge makes the packet @param drops
    /// reasons
    void Add(const std::string& name,
             EspCodec::Mode mode,
             const AttackTest::Forge& forge,
             const std::vector<IpsecDrop>& drops)
    {
        AddTestCase(new AttackTest(name, mode, forge, drops), IWARP_TEST_QUICK);
    }
};

IpsecAttackTestSuite g_ipsecAttackTestSuite; //!< registers the suite

} // namespace
