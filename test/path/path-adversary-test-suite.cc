/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "../ipsec/ipsec-run.h"
#include "../iwarp-test.h"

#include "ns3/config.h"
#include "ns3/double.h"
#include "ns3/global-value.h"
#include "ns3/ike-keying.h"
#include "ns3/path-adversary-middlebox.h"

#include <map>
#include <set>
#include <string>
#include <vector>

using namespace ns3;

namespace
{

/// What an adversary on the path can do, and what he cannot.
IWARP_TEST_SUITE(pathAdversary, "path-adversary", TestSuite::Type::SYSTEM);

using Act = PathAdversaryMiddlebox::Act;
using Deeds = std::map<std::string, double>; //!< attributes of the adversary and probabilities

/// A stream between two hosts, with an adversary between the routers.
class AdversaryRun : public IpsecRun
{
  public:
    /// @param setup of the run @param deeds what the adversary does, from 10 ms on
    AdversaryRun(const IpsecSetup& setup, const Deeds& deeds)
        : IpsecRun(setup),
          adversary(CreateObject<PathAdversaryMiddlebox>())
    {
        adversary->AssignStreams(11);
        adversary->SetAttribute("Begin", TimeValue(MilliSeconds(10))); // the connection stands
        for (const auto& [name, probability] : deeds)
        {
            adversary->SetAttribute(name, DoubleValue(probability));
        }
        adversary->TraceConnectWithoutContext("Act", MakeCallback(&AdversaryRun::HandleAct, this));
        sink->TraceConnectWithoutContext("StreamCreated",
                                         MakeCallback(&AdversaryRun::HandleAccepted, this));
        network.InsertMiddlebox(0, adversary);
    }

    /// @return acts that were traced
    uint64_t GetTraced() const
    {
        uint64_t sum = 0;
        for (const auto& [act, count] : traced)
        {
            sum += count;
        }
        return sum;
    }

    Ptr<PathAdversaryMiddlebox> adversary; //!< between the routers
    std::map<Act, uint64_t> traced;        //!< acts
    std::string accepted;                  //!< errors of host 1's stream

  private:
    void HandleAccepted(Ptr<MpaStream> stream)
    {
        stream->TraceConnectWithoutContext("Error",
                                           MakeCallback(&AdversaryRun::HandleAcceptedError, this));
    }

    void HandleAcceptedError(MpaError /* error */, const std::string& text)
    {
        accepted += text + "; ";
    }

    void HandleAct(Act act, Ptr<const Packet> /* packet */)
    {
        ++traced[act];
    }
};

/// Runs with an adversary.
struct AdversaryTest : TestCase
{
    /// @param title of the case
    explicit AdversaryTest(const std::string& title)
        : TestCase(title)
    {
    }

    /// Nothing that the adversary does changes what the application gets, nor ends the connection.
    /// @param setup of the run @param deeds what he does @param text says which run it is
    /// @return the run's EMSS, one after the other
    std::vector<uint32_t> CheckHarmless(const IpsecSetup& setup,
                                        const Deeds& deeds,
                                        const std::string& text)
    {
        AdversaryRun run(setup, deeds);
        run.Run();
        NS_TEST_EXPECT_MSG_EQ(run.IsDone(), true, text << ": all messages, and right");
        NS_TEST_EXPECT_MSG_EQ(run.errors, 0, text << ": " << run.reason);
        NS_TEST_EXPECT_MSG_GT(run.adversary->GetAllActs(), 10, text << ": there were some");
        NS_TEST_EXPECT_MSG_EQ(run.adversary->GetAllActs(), run.GetTraced(), "each is traced");
        return run.emss;
    }

    /// @param ipv6 version @param place of IPsec @return setup
    static IpsecSetup MakeSetup(bool ipv6, IpsecPlace place = IpsecPlace::NOWHERE)
    {
        IpsecSetup setup;
        setup.ipv6 = ipv6;
        setup.place = place;
        return setup;
    }

    /// Have one act happen in a stream without ESP, and look at what comes of it. @param name of
    /// the act @param text in host 1's error @return the run's content errors
    uint64_t CheckEnds(const std::string& name, const std::string& text)
    {
        AdversaryRun run(MakeSetup(false), {{name, 1}});
        run.adversary->SetAttribute("MaxActs", UintegerValue(1));
        run.Run();
        NS_TEST_EXPECT_MSG_EQ(run.adversary->GetAllActs(), 1, name << ": once");
        NS_TEST_EXPECT_MSG_EQ(run.IsDone(), false, name << ": not all comes");
        const std::string& told = run.accepted;
        NS_TEST_EXPECT_MSG_EQ((told.find(text) != std::string::npos), true, name << ": " << told);
        return run.sink->GetContentErrors();
    }
};

const Deeds ALL_DEEDS{{"IcmpTooBig", 0.02},
                      {"IcmpUnreachable", 0.02},
                      {"Repeat", 0.1},
                      {"MixFragments", 0.02},
                      {"ResetOutside", 0.05},
                      {"ResetInside", 0.05},
                      {"ResetExact", 0.05},
                      {"ForgeData", 0.05},
                      {"Change", 0.02},
                      {"RepeatIke", 0.3},
                      {"WithholdIke", 0.1},
                      {"RepeatOldEsp", 0.1}}; //!< everything that he can do

} // namespace

/// RFC 5961 section 3.2: a reset outside of the window is dropped, one elsewhere in the window than
/// at its left edge is challenged.
IWARP_TEST(pathAdversary, "resets that have not the next number", AdversaryTest)
{
    for (const bool ipv6 : {false, true})
    {
        const auto setup = MakeSetup(ipv6);
        CheckHarmless(setup, {{"ResetOutside", 0.3}}, "RST outside of the window");
        CheckHarmless(setup, {{"ResetInside", 0.3}}, "RST elsewhere in the window");
    }
}

/// RFC 5927 section 4.1: an ICMP error counts only if the number that it quotes is of octets sent
/// and not acknowledged; section 5.2: hard errors end no connection that stands.
IWARP_TEST(pathAdversary, "ICMP errors", AdversaryTest)
{
    for (const bool ipv6 : {false, true})
    {
        const auto setup = MakeSetup(ipv6);
        AdversaryRun calm(setup, {});
        calm.Run();
        NS_TEST_EXPECT_MSG_EQ(calm.adversary->GetAllActs(), 0, "none is set");
        const Deeds deeds{{"IcmpTooBig", 0.3}, {"IcmpUnreachable", 0.3}};
        Config::SetDefault("ns3::PathAdversaryMiddlebox::IcmpQuote", StringValue("Guessed"));
        Config::SetDefault("ns3::PathAdversaryMiddlebox::IcmpMtu", UintegerValue(1300));
        const auto guessed = CheckHarmless(setup, deeds, "guessed numbers");
        // ns-3's IPv6 believes all that it is told, before any transport hears of it
        const uint32_t least = ipv6 ? 1280 - 40 - 32 : calm.emss.back();
        NS_TEST_EXPECT_MSG_GT_OR_EQ(guessed.back(), least, "the path is as wide as before");
        Config::SetDefault("ns3::PathAdversaryMiddlebox::IcmpQuote", StringValue("Real"));
        const auto real = CheckHarmless(setup, deeds, "right numbers");
        const uint32_t slack = ipv6 ? 7 : 0;
        NS_TEST_EXPECT_MSG_EQ_TOL(real.back(),
                                  calm.emss.back() - 200,
                                  slack,
                                  "of one who sees packets; IPv6 counts in units of 8");
        Config::SetDefault("ns3::PathAdversaryMiddlebox::IcmpMtu", UintegerValue(68));
        const auto small = CheckHarmless(setup, deeds, "an MTU below the least");
        NS_TEST_EXPECT_MSG_GT_OR_EQ(small.back(), least, "RFC 5044 section 9.1: is ignored");
        IWARP_COVERS("MPA-9.1-03");
        Config::Reset();
    }
}

/// Without ESP a reset with the next number ends the connection (RFC 9293 section 3.10.7.4).
IWARP_TEST(pathAdversary, "a reset that has the next number", AdversaryTest)
{
    CheckEnds("ResetExact", "lost");
}

/// With CRC an FPDU that was changed, or forged, is an error of MPA and nothing that comes from
/// then on is passed (RFC 5044 section 8); without one its octets reach the application.
IWARP_TEST(pathAdversary, "payload that is changed", AdversaryTest)
{
    for (const bool crc : {true, false})
    {
        Config::SetDefault("ns3::MpaStream::Crc", BooleanValue(crc));
        Config::SetDefault("ns3::MpaStream::Markers", BooleanValue(false));
        for (const std::string name : {"Change", "ForgeData"})
        {
            if (crc)
            {
                NS_TEST_EXPECT_MSG_EQ(CheckEnds(name, "CRC"), 0, name << ": none of it comes");
                IWARP_COVERS("MPA-8-03 MPA-8-14 MPA-9.1-01");
            }
        }
        if (!crc)
        {
            AdversaryRun run(MakeSetup(false), {{"Change", 0.05}});
            run.Run();
            NS_TEST_EXPECT_MSG_GT(run.sink->GetContentErrors(), 0, "octets that are wrong");
        }
        Config::Reset();
    }
}

/// What has come before comes again, and TCP has no use for it (RFC 9293 section 3.10.7.4).
IWARP_TEST(pathAdversary, "packets that come again", AdversaryTest)
{
    for (const bool ipv6 : {false, true})
    {
        CheckHarmless(MakeSetup(ipv6), {{"Repeat", 0.5}}, "again");
        IWARP_COVERS("MPA-9.2-01");
    }
}

/// MaxActs is of all kinds together.
IWARP_TEST(pathAdversary, "a limit of acts", AdversaryTest)
{
    AdversaryRun run(MakeSetup(false), {{"Repeat", 0.5}, {"ResetOutside", 0.5}});
    run.adversary->SetAttribute("MaxActs", UintegerValue(6));
    run.Run();
    NS_TEST_EXPECT_MSG_EQ(run.IsDone(), true, "all messages");
    NS_TEST_EXPECT_MSG_EQ(run.traced.size(), 2, "of both kinds");
    NS_TEST_EXPECT_MSG_EQ(run.adversary->GetAllActs(), 6, "so many");
}

/// Octets of another datagram in one that was cut do not pass TCP's checksum (RFC 9293
/// section 3.1).
IWARP_TEST(pathAdversary, "fragments that are mixed", AdversaryTest)
{
    GlobalValue::Bind("ChecksumEnabled", BooleanValue(true));
    CheckHarmless(MakeSetup(false), {{"MixFragments", 0.05}}, "with checksums");
    GlobalValue::Bind("ChecksumEnabled", BooleanValue(false));
    AdversaryRun run(MakeSetup(false), {{"MixFragments", 0.05}});
    run.Run();
    NS_TEST_EXPECT_MSG_EQ(run.sink->GetContentErrors(), 0, "without, MPA's CRC is there");
}

namespace
{

/**
 * @ingroup iwarp-test
 * With ESP all that he does changes no octet of what the application gets, whatever the mode, and
 * ends nothing; each packet that is forged, changed or comes again is dropped and counted (RFC 4303
 * sections 3.4.3 and 3.4.4).
 */
class ProtectedAdversaryTest : public IpsecRunTestCase
{
  public:
    /// @param place where there is IPsec @param mode of ESP @param ipv6 version
    ProtectedAdversaryTest(IpsecPlace place, EspCodec::Mode mode, bool ipv6)
        : IpsecRunTestCase(std::string("everything against ESP, ") + (ipv6 ? "IPv6" : "IPv4"),
                           place,
                           mode),
          m_ipv6(ipv6)
    {
    }

  private:
    void DoRunWith(IpsecSetup setup) override
    {
        setup.ipv6 = m_ipv6;
        setup.proposal.soft.packets = 100;
        setup.proposal.hard.packets = 1000;
        setup.octets = 400'000;
        auto keying = CreateObject<IkeKeying>();
        keying->AssignStreams(5);
        setup.keying = keying;
        AdversaryRun run(setup, ALL_DEEDS);
        run.Run();
        NS_TEST_EXPECT_MSG_EQ(run.IsDone(), true, "all messages, and right");
        NS_TEST_EXPECT_MSG_EQ(run.errors, 0, run.reason);
        const bool all = run.traced.size() == PathAdversaryMiddlebox::ACTS - m_ipv6;
        NS_TEST_EXPECT_MSG_EQ(all, true, "of all kinds, but for fragments of IPv6");
        NS_TEST_EXPECT_MSG_GT(keying->GetReplaced(), 0, "associations were replaced meanwhile");
        uint64_t forged = 0;
        uint64_t replayed = 0;
        for (const auto& stacks : {run.hosts, run.gateways})
        {
            for (const auto& stack : stacks)
            {
                const auto& counters = stack->GetCounters();
                forged += counters.GetDropped(IpsecDrop::BAD_ICV);
                replayed += counters.GetDropped(IpsecDrop::REPLAYED) +
                            counters.GetDropped(IpsecDrop::TOO_OLD);
            }
        }
        const uint64_t changes = run.traced[Act::CHANGE] + run.traced[Act::FORGE_DATA];
        NS_TEST_EXPECT_MSG_GT(forged, changes / 2, "most of them: others are of associations gone");
        NS_TEST_EXPECT_MSG_GT(replayed, run.traced[Act::REPEAT] / 4, "the same");
        IWARP_COVERS("MPA-9.1.1-02 MPA-9.2-01");
    }

    const bool m_ipv6; //!< version of IP
};

IWARP_TEST_CASES(pathAdversary)
{
    using Mode = EspCodec::Mode;
    for (const auto place :
         {IpsecPlace::TRANSPORT, IpsecPlace::TUNNEL, IpsecPlace::GATEWAY, IpsecPlace::NESTED})
    {
        for (const bool ipv6 : {false, true})
        {
            suite.AddTestCase(new ProtectedAdversaryTest(place, Mode::MODELLED, ipv6));
            suite.AddTestCase(new ProtectedAdversaryTest(place, Mode::REAL, ipv6));
        }
    }
}

} // namespace
