/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "../iwarp-test.h"
#include "esp-test-util.h"

#include "ns3/esp-algorithm.h"
#include "ns3/ipsec-association-database.h"
#include "ns3/ipsec-association.h"
#include "ns3/ipsec-associations.h"
#include "ns3/nstime.h"
#include "ns3/simulator.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

using namespace ns3;

/// Associations and where they are kept.
IWARP_TEST_SUITE(ipsecAssociation, "ipsec-association");

/// \param spi security parameters index \return an association between two hosts
static IpsecAssociationConfig
TwoHostsConfig(uint32_t spi = 0x1001)
{
    IpsecAssociationConfig config;
    config.spi = spi;
    config.source = "10.0.0.1";
    config.destination = "10.0.0.2";
    config.transform = FindEspTransform("aes-gcm-16-128");
    config.keys = TestKeys(*config.transform);
    return config;
}

/// A sender and a receiver with the same keys.
struct IpsecAssociationPair : TestCase
{
    using TestCase::TestCase;

    /// What goes over the wire, modelled mode.
    struct Wire
    {
        EspFields fields;
        EspOctets head = EspOctets(EspCodec::MAX_HEAD);
        EspOctets tail;
        uint32_t size{0};
        uint32_t ciphered{0};
    };

    /// \param config of both ends
    void Exchange(const IpsecAssociationConfig& config)
    {
        IpsecAssociation sender(config, Seconds(0));
        IpsecAssociation receiver(config, Seconds(0));
        uint64_t octets = 0;
        uint32_t inOrder = 0;
        for (uint32_t i = 1; i <= 40; ++i)
        {
            const Wire wire = Send(sender, 100 + i);
            octets += wire.ciphered;
            inOrder += wire.fields.sequence == config.sequence + i ? 1 : 0;
            Wire forged = wire;
            forged.tail.back() ^= 1;
            Expect(receiver, forged, IpsecDrop::BAD_ICV);
            Wire cut = wire;
            cut.size -= 1;
            Expect(receiver, cut, IpsecDrop::TRUNCATED);
            Expect(receiver, wire, IpsecDrop::NONE);
            IWARP_COVERS("MPA-9.2-01 DDP-8.4.2-3");
            Expect(receiver, wire, IpsecDrop::REPLAYED);
            IWARP_COVERS("MPA-9.2-01 DDP-8.4.2-3");
        }
        NS_TEST_ASSERT_MSG_EQ(inOrder, 40, "sequence numbers go up by one");
        NS_TEST_ASSERT_MSG_EQ(sender.GetOctets(), octets, "octets under the cipher");
        NS_TEST_ASSERT_MSG_EQ(receiver.GetOctets(), octets, "at both ends");
        NS_TEST_ASSERT_MSG_EQ(receiver.GetPackets(), 40, "good ones only");
        NS_TEST_ASSERT_MSG_EQ(receiver.GetSequence(), config.sequence + 40, "right edge");
        NS_TEST_ASSERT_MSG_EQ(receiver.GetDropped(IpsecDrop::BAD_ICV), 40, "by reason");
        NS_TEST_ASSERT_MSG_EQ(receiver.GetDropped(IpsecDrop::TRUNCATED), 40, "by reason");
        NS_TEST_ASSERT_MSG_EQ(receiver.GetDropped(IpsecDrop::REPLAYED), 40, "by reason");
        // one that comes when 64 others have
        const Wire late = Send(sender, 10);
        for (uint32_t i = 0; i < 64; ++i)
        {
            Expect(receiver, Send(sender, 10), IpsecDrop::NONE);
        }
        // with 64 bits what lies left of the window is taken for one of the next 2^32 (Appendix
        // A2.1)
        Expect(receiver, late, config.extended ? IpsecDrop::BAD_ICV : IpsecDrop::TOO_OLD);
    }

    /// \param sender association \param payload octets \return a packet
    Wire Send(IpsecAssociation& sender, uint32_t payload)
    {
        const EspSizes sizes = GetEspSizes(sender.GetCodec().GetTransform(), payload);
        Wire wire;
        wire.fields.nextHeader = 6;
        wire.size = sizes.GetTotal();
        wire.ciphered = sizes.GetCiphered();
        wire.tail.resize(sizes.GetTail());
        const IpsecDrop drop = sender.Begin(sizes.GetCiphered(), Seconds(1), wire.fields);
        NS_TEST_EXPECT_MSG_EQ((drop == IpsecDrop::NONE), true, "sent");
        sender.GetCodec().SealModelled(wire.fields, sizes, 0, wire.head.data(), wire.tail.data());
        return wire;
    }

    /// \param receiver association \param wire a packet \param expected what becomes of it
    void Expect(IpsecAssociation& receiver, const Wire& wire, IpsecDrop expected)
    {
        uint64_t sequence = 0;
        const auto low = static_cast<uint32_t>(wire.fields.sequence);
        IpsecDrop drop = receiver.Admit(low, Seconds(2), sequence);
        if (drop == IpsecDrop::NONE)
        {
            EspOctets tail(EspCodec::MAX_TAIL - wire.tail.size());
            tail.insert(tail.end(), wire.tail.begin(), wire.tail.end());
            const std::size_t shown = std::min<std::size_t>(wire.size, EspCodec::MAX_TAIL);
            const EspOpened opened = receiver.GetCodec().OpenModelled(sequence,
                                                                      wire.head.data(),
                                                                      &tail[tail.size() - shown],
                                                                      wire.size,
                                                                      [](uint32_t) { return 0; });
            drop = receiver.Finish(sequence, wire.ciphered, opened.result, Seconds(2));
        }
        NS_TEST_ASSERT_MSG_EQ(ToString(drop), ToString(expected), "packet " << low);
    }
};

IWARP_TEST(ipsecAssociation,
           "packets from end to end: authentic, whole, taken once",
           IpsecAssociationPair)
{
    for (auto mode : {IpsecMode::TRANSPORT, IpsecMode::TUNNEL})
    {
        for (bool extended : {false, true})
        {
            IpsecAssociationConfig config = TwoHostsConfig();
            config.mode = mode;
            config.extended = extended;
            config.sequence = extended ? 0xFFFFFFF0 : 0;
            Exchange(config);
        }
    }
}

/// Without an ICV nothing but its padding tells that a packet was changed.
IWARP_TEST(ipsecAssociation, "padding that was changed", IpsecAssociationPair)
{
    IpsecAssociationConfig config = TwoHostsConfig();
    config.transform = FindEspTransform("aes-cbc-128/none");
    config.keys = TestKeys(*config.transform);
    IpsecAssociation sender(config, Seconds(0));
    IpsecAssociation receiver(config, Seconds(0));
    const Wire wire = Send(sender, 100); // 10 octets of padding, their number and what is carried
    Wire changed = wire;
    changed.tail[changed.tail.size() - 3] ^= 1;
    Expect(receiver, changed, IpsecDrop::BAD_PADDING);
    Expect(receiver, wire, IpsecDrop::NONE);
    NS_TEST_EXPECT_MSG_EQ(receiver.GetDropped(IpsecDrop::BAD_PADDING), 1, "counted");
}

/// When an association ages.
struct IpsecAssociationLifetimes : TestCase
{
    using TestCase::TestCase;

    /// \param config with bounds \param sizes octets of packets \param ages before each packet and
    /// behind the last: valid, soft or hard, and x for the packet that is refused
    void Age(const IpsecAssociationConfig& config,
             const std::vector<uint32_t>& sizes,
             const std::string& ages)
    {
        IpsecAssociation association(config, Seconds(0));
        std::string found;
        for (uint32_t size : sizes)
        {
            EspFields fields;
            const IpsecAge age = association.GetAge(Seconds(1));
            found += age == IpsecAge::VALID ? 'v' : age == IpsecAge::SOFT ? 's' : 'h';
            if (association.Begin(size, Seconds(1), fields) == IpsecDrop::EXPIRED)
            {
                found += 'x';
            }
        }
        NS_TEST_ASSERT_MSG_EQ(found, ages, "ages");
        NS_TEST_ASSERT_MSG_EQ(association.GetDropped(IpsecDrop::EXPIRED), 1, "counted");
    }

    /// \param config whose sequence numbers have two left
    void Last(const IpsecAssociationConfig& config)
    {
        IpsecAssociation association(config, Seconds(0));
        EspFields fields;
        NS_TEST_ASSERT_MSG_EQ((association.GetAge(Seconds(0)) == IpsecAge::SOFT), true, "few left");
        NS_TEST_ASSERT_MSG_EQ(ToString(association.Begin(8, Seconds(0), fields)), "none", "last 2");
        NS_TEST_ASSERT_MSG_EQ(ToString(association.Begin(8, Seconds(0), fields)), "none", "last");
        NS_TEST_ASSERT_MSG_EQ(fields.sequence, config.sequence + 2, "the last one");
        NS_TEST_ASSERT_MSG_EQ((association.GetAge(Seconds(0)) == IpsecAge::HARD), true, "its end");
        NS_TEST_ASSERT_MSG_EQ(ToString(association.Begin(8, Seconds(0), fields)),
                              "exhausted",
                              "they must not go round (RFC 4303 section 3.3.3)");
        // four fifths of those that there were, at either end
        IpsecAssociationConfig few = config;
        few.sequence -= 998;
        for (const uint64_t used : {799, 800})
        {
            IpsecAssociation sender(few, Seconds(0));
            IpsecAssociation receiver(few, Seconds(0));
            for (uint64_t i = 0; i < used; ++i)
            {
                sender.Begin(8, Seconds(0), fields);
            }
            receiver.Finish(fields.sequence, 8, EspResult::OK, Seconds(0));
            const IpsecAge age = used < 800 ? IpsecAge::VALID : IpsecAge::SOFT;
            NS_TEST_ASSERT_MSG_EQ((sender.GetAge(Seconds(0)) == age), true, used << " sent");
            NS_TEST_ASSERT_MSG_EQ((receiver.GetAge(Seconds(0)) == age), true, used << " received");
        }
    }
};

IWARP_TEST(ipsecAssociation,
           "lifetimes in octets, packets and time; sequence numbers that end",
           IpsecAssociationLifetimes)
{
    IpsecAssociationConfig octets = TwoHostsConfig();
    octets.soft.octets = 300;
    octets.hard.octets = 500;
    Age(octets, {100, 100, 100, 100, 100, 100}, "vvvsshx");
    Age(octets, {299, 1, 199, 1, 1}, "vvsshx");
    IpsecAssociationConfig packets = TwoHostsConfig();
    packets.soft.packets = 2;
    packets.hard.packets = 4;
    Age(packets, {9, 9, 9, 9, 9}, "vvsshx");
    IpsecAssociationConfig time = TwoHostsConfig();
    time.soft.time = Seconds(3);
    time.hard.time = Seconds(5);
    IpsecAssociation association(time, Seconds(100));
    for (int second = 0; second < 8; ++second)
    {
        const IpsecAge age = association.GetAge(Seconds(100 + second));
        const IpsecAge expected = second < 3   ? IpsecAge::VALID
                                  : second < 5 ? IpsecAge::SOFT
                                               : IpsecAge::HARD;
        NS_TEST_ASSERT_MSG_EQ((age == expected), true, second << " s");
    }
    uint64_t sequence = 0;
    NS_TEST_ASSERT_MSG_EQ(ToString(association.Admit(1, Seconds(105), sequence)),
                          "expired",
                          "nor is anything received");

    for (bool extended : {false, true})
    {
        IpsecAssociationConfig last = TwoHostsConfig();
        last.extended = extended;
        last.sequence = extended ? 0xFFFFFFFFFFFFFFFD : 0xFFFFFFFD;
        Last(last);
    }
}

/// What an association cannot be made of.
struct IpsecAssociationMisuse : TestCase
{
    using TestCase::TestCase;

    /// \param config to check \param advice that the message gives
    void Wrong(const IpsecAssociationConfig& config, const std::string& advice)
    {
        const std::string fault = config.Check();
        NS_TEST_ASSERT_MSG_NE(fault.find(advice), std::string::npos, fault);
    }
};

IWARP_TEST(ipsecAssociation, "what an association cannot be made of", IpsecAssociationMisuse)
{
    NS_TEST_ASSERT_MSG_EQ(TwoHostsConfig().Check(), "", "nothing wrong");
    IpsecAssociationConfig config = TwoHostsConfig(255);
    Wrong(config, "take 256 or more");
    config = TwoHostsConfig();
    config.transform = nullptr;
    Wrong(config, "FindEspTransform()");
    config = TwoHostsConfig();
    config.keys.cipher.pop_back();
    Wrong(config, "4 of salt");
    for (uint32_t window : {1U, 31U, 4097U})
    {
        config = TwoHostsConfig();
        config.replayWindow = window;
        Wrong(config, "take 32 to 4096, or 0 for none");
    }
    config.replayWindow = 0;
    NS_TEST_ASSERT_MSG_EQ(config.Check(), "", "no anti-replay service");
    config.extended = true;
    Wrong(config, "32 packets or more");
    config = TwoHostsConfig();
    config.sequence = 0x100000000;
    Wrong(config, "take extended ones");
    config.sequence = 0xFFFFFFFF;
    Wrong(config, "take 0 for a new association");
    config.replayWindow = 64;
    config.extended = true;
    config.sequence = UINT64_MAX;
    Wrong(config, "take 0 for a new association");
    config = TwoHostsConfig();
    config.destination = "2001:db8::1";
    Wrong(config, "two versions of IP");
}

/// How associations are found, and which one goes.
struct IpsecAssociationsKept : TestCase
{
    using TestCase::TestCase;

    using Traffic = IpsecAssociationDatabase::Traffic;     //!< what an association is for
    using Association = std::shared_ptr<IpsecAssociation>; //!< one of them
    using Associations = std::vector<Association>;         //!< several

    /// \param spi security parameters index \param to destination \return an association
    static Association Make(uint32_t spi, const char* to = "10.0.0.2")
    {
        IpsecAssociationConfig config = TwoHostsConfig(spi);
        config.destination = to;
        return std::make_shared<IpsecAssociation>(config, Seconds(0));
    }

    /// \param number of a connection \return its traffic
    static Traffic Connection(uint32_t number)
    {
        return {0, {"10.0.0.1", "10.0.0.2", 6, static_cast<uint16_t>(number), 20049}};
    }

    /// Two associations for the same traffic overlap.
    void Rekeying()
    {
        IpsecAssociationDatabase database;
        const Association old = Make(300);
        const Association fresh = Make(301);
        NS_TEST_ASSERT_MSG_EQ(database.Add(old, Connection(1)), true, "kept");
        NS_TEST_ASSERT_MSG_EQ(database.Add(Make(300)), false, "its name is taken");
        NS_TEST_ASSERT_MSG_EQ(database.Add(Make(300, "10.0.0.3")), true, "another destination");
        NS_TEST_ASSERT_MSG_EQ((database.Find(Connection(1)) == old), true, "by traffic");
        NS_TEST_ASSERT_MSG_EQ((database.Find(Connection(2)) == nullptr), true, "other traffic");
        NS_TEST_ASSERT_MSG_EQ((database.Find(300, "10.0.0.2") == old), true, "by name");
        NS_TEST_ASSERT_MSG_EQ((database.Find(301, "10.0.0.2") == nullptr), true, "unknown SPI");

        database.Add(fresh, Connection(1));
        NS_TEST_ASSERT_MSG_EQ((database.Find(Connection(1)) == fresh), true, "it takes over");
        NS_TEST_ASSERT_MSG_EQ((database.Find(300, "10.0.0.2") == old), true, "overlap");
        NS_TEST_ASSERT_MSG_EQ((database.Remove(300, "10.0.0.2") == old), true, "the old one goes");
        NS_TEST_ASSERT_MSG_EQ((database.Find(Connection(1)) == fresh), true, "the new one stays");
        NS_TEST_ASSERT_MSG_EQ((database.Remove(300, "10.0.0.2") == nullptr), true, "once");
        database.Remove(301, "10.0.0.2");
        NS_TEST_ASSERT_MSG_EQ((database.Find(Connection(1)) == nullptr), true, "none is left");
        NS_TEST_ASSERT_MSG_EQ(database.GetN(), 1, "that of the other destination");

        IpsecAssociationDatabase inbound(0, IpsecAssociationDatabase::Naming::SPI);
        NS_TEST_ASSERT_MSG_EQ(inbound.Add(old), true, "kept");
        const bool another = inbound.Add(Make(300, "10.0.0.3"));
        NS_TEST_ASSERT_MSG_EQ(another, false, "the SPI alone names it (RFC 4301 section 4.1)");
        NS_TEST_ASSERT_MSG_EQ((inbound.Find(300, "10.0.0.3") == old), true, "wherever it comes");
        NS_TEST_ASSERT_MSG_EQ(inbound.Remove(Make(300)), false, "of the same name, not it");
        NS_TEST_ASSERT_MSG_EQ(inbound.Remove(old), true, "it");
        NS_TEST_ASSERT_MSG_EQ(inbound.GetN(), 0, "gone");
    }

    /// With a limit the one longest unused goes.
    void Eviction()
    {
        IpsecAssociationDatabase database(3);
        std::vector<uint32_t> evicted;
        database.SetEvictionHook([&evicted](const Association& association) {
            evicted.push_back(association->GetConfig().spi);
        });
        for (uint32_t spi : {300, 301, 302})
        {
            database.Add(Make(spi), Connection(spi));
        }
        database.Find(300, "10.0.0.2");
        database.Find(Connection(301));
        database.Add(Make(303), Connection(303)); // 302 goes
        database.Add(Make(304), Connection(304)); // 300 goes
        NS_TEST_ASSERT_MSG_EQ((evicted == std::vector<uint32_t>{302, 300}), true, "order");
        NS_TEST_ASSERT_MSG_EQ((database.Find(Connection(302)) == nullptr), true, "not found");
        NS_TEST_ASSERT_MSG_EQ(database.GetN(), 3, "the limit");
        NS_TEST_ASSERT_MSG_EQ(database.GetEvicted(), 2, "counted");
    }

    /// Connections take turns: with room for all of them each is found, with room for one less
    /// none.
    void HitRate()
    {
        for (uint32_t capacity : {99U, 100U, 101U})
        {
            IpsecAssociationDatabase database(capacity);
            uint32_t hits = 0;
            for (uint32_t i = 0; i < 1000; ++i)
            {
                const Traffic traffic = Connection(i % 100);
                if (database.Find(traffic))
                {
                    ++hits;
                }
                else
                {
                    database.Add(Make(1000 + i), traffic);
                }
            }
            NS_TEST_ASSERT_MSG_EQ(hits, (capacity < 100 ? 0 : 900), "room for " << capacity);
        }
    }

    /// Those that were not used for some time.
    void Idleness()
    {
        IpsecAssociationDatabase database;
        for (uint32_t spi : {300, 301, 302})
        {
            const Association association = Make(spi);
            EspFields fields;
            association->Begin(100, Seconds(spi - 290), fields);
            database.Add(association);
        }
        const Associations idle = database.GetIdle(Seconds(12));
        NS_TEST_ASSERT_MSG_EQ(idle.size(), 2, "used at 10, 11 and 12 s");
        NS_TEST_ASSERT_MSG_EQ(idle.at(0)->GetConfig().spi, 300, "the first");
        NS_TEST_ASSERT_MSG_EQ(idle.at(1)->GetConfig().spi, 301, "the second");
    }
};

IWARP_TEST(ipsecAssociation,
           "associations by name and by traffic; rekeying, eviction, idleness",
           IpsecAssociationsKept)
{
    Rekeying();
    Eviction();
    HitRate();
    Idleness();
}

/// What waits for an association goes in its order once there is one, or is dropped.
IWARP_TEST(ipsecAssociation, "datagrams wait while keying is asked once")
{
    const IpsecStatistics::SealedTrace sealed;
    const IpsecStatistics::DropTrace dropped;
    IpsecStatistics statistics(sealed, dropped);
    const auto otherwise = IpsecAction::BYPASS;
    IpsecPolicies policies(otherwise);
    IpsecPolicy protect;
    protect.action = IpsecAction::PROTECT;
    protect.transform = FindEspTransform("aes-gcm-16-128");
    const auto policy = policies.Add(protect);
    const uint32_t most = 2;
    IpsecAssociations associations(nullptr, policies, statistics, most);
    const IpsecFlow flow{"10.0.0.1", "10.0.0.2", 6, 40000, 20049};
    std::vector<int> gone;
    uint32_t asked = 0;
    const auto wait = [&](int which) {
        associations.Await(policy, flow, Create<Packet>(100), [&gone, which] {
            gone.push_back(which);
        });
    };
    const auto getDropped = [&] {
        return statistics.GetCounters().GetDropped(IpsecDrop::NO_ASSOCIATION);
    };
    wait(0);
    NS_TEST_EXPECT_MSG_EQ(getDropped(), 1, "nobody gets one");
    associations.SetAcquire([&](IpsecPolicyDatabase::Index, const IpsecFlow&) { ++asked; });
    wait(1);
    wait(2);
    wait(3);
    NS_TEST_EXPECT_MSG_EQ(asked, 1, "once for all");
    NS_TEST_EXPECT_MSG_EQ(getDropped(), 2, "two may wait");
    NS_TEST_ASSERT_MSG_EQ(associations.AddOutbound(TwoHostsConfig(), policy, flow), true, "new");
    NS_TEST_EXPECT_MSG_EQ((gone == std::vector<int>{1, 2}), true, "in order");
    NS_TEST_EXPECT_MSG_EQ(!associations.FindAssociation(policy, flow), false, "for later ones");
    NS_TEST_EXPECT_MSG_EQ(associations.AddOutbound(TwoHostsConfig(), policy, flow),
                          false,
                          "its name is taken");
    associations.GetOutbound().Remove(associations.FindSending(policy, flow));
    wait(4);
    NS_TEST_EXPECT_MSG_EQ(asked, 2, "anew");
    associations.Abandon(policy, flow);
    NS_TEST_EXPECT_MSG_EQ(getDropped(), 3, "what waited for it");
    NS_TEST_EXPECT_MSG_EQ(gone.size(), 2, "does not go");
    Simulator::Destroy();
}
