/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "../iwarp-test.h"
#include "rnic-esp-test-util.h"

#include "ns3/random-variable-stream.h"
#include "ns3/rnic-association-cache.h"
#include "ns3/rnic-esp-engine.h"
#include "ns3/simulator.h"

#include <algorithm>
#include <string>
#include <vector>

using namespace ns3;
using namespace rnictest;

/// Suite "rnic-esp".
IWARP_TEST_SUITE(rnicEsp, "rnic-esp");

/// Sizes of what the engine works on, by hand from RFC 4303 section 2.
IWARP_TEST(rnicEsp, "octets of a datagram before, in and behind the engine")
{
    // 1480 + pad 2 + 2; SPI, sequence number, IV 8, ICV 16
    const EspWork gcm = MakeWork(7);
    NS_TEST_EXPECT_MSG_EQ(gcm.association, 7, "number");
    NS_TEST_EXPECT_MSG_EQ(gcm.ciphered, 1484, "a multiple of 4");
    NS_TEST_EXPECT_MSG_EQ(gcm.clear, 1500, "without ESP");
    NS_TEST_EXPECT_MSG_EQ(gcm.sealed, 20 + 8 + 8 + 1484 + 16, "with ESP");
    EspEncapsulation tunnel;
    tunnel.transform = FindEspTransform("aes-cbc-128/hmac-sha1-96");
    tunnel.mode = IpsecMode::TUNNEL;
    const EspWork cbc(8, tunnel, 1500, 20);
    NS_TEST_EXPECT_MSG_EQ(cbc.ciphered, 1504, "94 blocks for 1502");
    NS_TEST_EXPECT_MSG_EQ(cbc.sealed, 20 + 8 + 16 + 1504 + 12, "a new header");
}

/// Work by algorithm: packet, octets of each algorithm, rounds of AES.
IWARP_TEST(rnicEsp, "time of a packet by algorithm and length of key")
{
    const std::string rates =
        " TimePerPacket=50ns Rate=400Gbps AesGcmRate=40Gbps AesCbcRate=80Gbps "
        "AesCtrRate=100Gbps ChaCha20Poly1305Rate=20Gbps HmacSha1Rate=160Gbps "
        "HmacSha2Rate=200Gbps";
    std::string settings;
    for (const auto& [name, value] : ParseSettings(rates))
    {
        settings += " TxEsp." + name + "=" + value;
    }

    struct Case
    {
        const char* transform; //!< its name
        uint32_t ciphered;     //!< octets, to multiples of 4 or 16
        double perOctet;       //!< ps, Rate's 20 besides
    };

    for (const auto& [transform, ciphered, perOctet] :
         std::vector<Case>{{"aes-gcm-16-128", 1484, 200},
                           {"aes-gcm-16-192", 1484, 240},
                           {"aes-gcm-16-256", 1484, 280},
                           {"aes-cbc-128/hmac-sha1-96", 1488, 100 + 50},
                           {"aes-cbc-256/hmac-sha2-256-128", 1488, 140 + 40},
                           {"aes-ctr-128/hmac-sha2-512-256", 1484, 80 + 40},
                           {"chacha20-poly1305", 1484, 400},
                           {"null/hmac-sha1-96", 1484, 50}})
    {
        const auto path = StartEsp(EspPlace::INLINE, settings);
        RnicConnectionState connection;
        const auto sent = TransmitProtected(*path, 0, connection, MakeWork(1, transform));
        const auto expected = RnicTime(50'000 + ciphered * (20 + perOctet) + 0.5);
        NS_TEST_EXPECT_MSG_EQ_TOL(sent.time, expected, 1, transform);
        const auto& done = path->Get<RnicEspStage>("TxEsp")->GetStatistics();
        NS_TEST_EXPECT_MSG_EQ(done.packets, 1, "packets");
        NS_TEST_EXPECT_MSG_EQ(done.octets, ciphered, "octets");
        NS_TEST_EXPECT_MSG_EQ(done.work, sent.time, "work");
        NS_TEST_EXPECT_MSG_EQ(done.spent, sent.time, "nothing else takes time");
        NS_TEST_EXPECT_MSG_EQ(path->Get<RnicEspStage>("RxEsp")->GetStatistics().packets,
                              0,
                              "the other way has a clock of its own");
    }
}

/// The rate of a pipeline is that of its slowest stage, which works on what is really there.
IWARP_TEST(rnicEsp, "rate is the least over engine, link and other stages")
{
    // frames: 1518 in clear, 1554 protected
    auto rate = [this](const std::string& settings, double expected) {
        const auto path = StartEsp(EspPlace::INLINE, settings);
        const double time = MeasureBacklog(*path);
        NS_TEST_EXPECT_MSG_EQ_TOL(time, expected, 0.1, settings);
    };
    rate("TxMac.Rate=100Gbps", 1554 * 80);
    rate("TxBuild.Rate=100Gbps", 1518 * 80);
    rate("TxMac.Rate=100Gbps TxEsp.TimePerPacket=20ns TxEsp.Rate=200Gbps", 1554 * 80);
    rate("TxMac.Rate=100Gbps TxEsp.TimePerPacket=20ns TxEsp.Rate=80Gbps", 20'000 + 1484 * 100);
    rate("TxMac.Rate=100Gbps TxEsp.Rate=200Gbps TxBuild.TimePerPacket=200ns", 200'000);

    // towards TCP: the link brings 1554, TCP sees 1518; one packet's times add up
    const auto path = StartEsp(EspPlace::INLINE,
                               "RxMac.Rate=100Gbps RxTcp.Rate=100Gbps RxEsp.Rate=80Gbps "
                               "RxEsp.TimePerPacket=20ns RxEsp.Latency=300ns");
    RnicConnectionState connection;
    const auto in = ReceiveProtected(*path, 0, connection, MakeWork(1));
    NS_TEST_EXPECT_MSG_EQ(in.time, 1554 * 80 + 20'000 + 1484 * 100 + 300'000 + 1518 * 80, "tandem");
    NS_TEST_EXPECT_MSG_EQ(in.frame, 1518, "as TCP sees it");
    NS_TEST_EXPECT_MSG_EQ(in.buffered, 1554, "as the packet buffer sees it");

    // without protection neither time nor size is another
    RnicTime time = 10'000'000;
    NS_TEST_EXPECT_MSG_EQ(Receive(*path, time, connection, 1518).time - time,
                          2 * 1518 * 80,
                          "in the clear");
}

/// Engines: one SA bound to one of them, or to all.
IWARP_TEST(rnicEsp, "an association has the rate of one engine, or of all")
{
    constexpr double one = 20'000 + 1484 * 100;
    const std::string four = "TxEsp.TimePerPacket=20ns TxEsp.Rate=80Gbps TxEsp.Engines=4";
    auto measure = [&](const std::string& settings, uint32_t associations, uint32_t step) {
        return MeasureBacklog(*StartEsp(EspPlace::INLINE, four + settings), associations, step);
    };
    NS_TEST_EXPECT_MSG_EQ_TOL(measure("", 1, 1), one, 0.1, "one on one of four");
    NS_TEST_EXPECT_MSG_EQ_TOL(measure("", 4, 1), one / 4, 0.001 * one, "four on four");
    NS_TEST_EXPECT_MSG_EQ_TOL(measure("", 4, 2), one / 2, 0.001 * one, "four on two of four");
    NS_TEST_EXPECT_MSG_EQ_TOL(measure("", 4, 4), one, 0.001 * one, "four on the same one");
    NS_TEST_EXPECT_MSG_EQ_TOL(measure(" TxEsp.Spread=true", 1, 1),
                              one / 4,
                              0.001 * one,
                              "one on all four");
    // order: a short packet does not overtake a long one that is on another engine
    const auto path = StartEsp(EspPlace::INLINE, four + " TxEsp.Spread=true");
    RnicConnectionState connection;
    const auto first = TransmitProtected(*path, 0, connection, MakeWork(1));
    const auto then = TransmitProtected(*path, 0, connection, MakeWork(1, "aes-gcm-16-128", 60));
    NS_TEST_EXPECT_MSG_EQ(then.time, first.time, "in order");
    NS_TEST_EXPECT_MSG_EQ(path->Get<RnicEspStage>("TxEsp")->GetWorkers(), 4, "engines");
    // nor do those of a connection whose association was replaced, by another CPU
    const auto host =
        StartEsp(EspPlace::SOFTWARE, "Cpu.Cores=2 RxEsp.AesGcmRate=8Gbps", MakeSoftware());
    RnicConnectionState replaced;
    const auto before = ReceiveProtected(*host, 0, replaced, MakeWork(1));
    const auto behind = ReceiveProtected(*host, 0, replaced, MakeWork(2, "aes-gcm-16-128", 60));
    NS_TEST_EXPECT_MSG_GT(before.time, 1'000'000, "1 ns an octet, at least");
    NS_TEST_EXPECT_MSG_EQ(behind.time, before.time, "in order");
    // nor do those of two connections that share an association, which all CPUs have
    const auto all = StartEsp(EspPlace::SOFTWARE,
                              "Cpu.Cores=2 RxEsp.AesGcmRate=8Gbps RxEsp.Spread=true",
                              MakeSoftware());
    RnicConnectionState shares;
    const auto large = ReceiveProtected(*all, 0, replaced, MakeWork(1));
    const auto small = ReceiveProtected(*all, 0, shares, MakeWork(1, "aes-gcm-16-128", 60));
    NS_TEST_EXPECT_MSG_EQ(small.time, large.time, "in the order of their numbers");
}

/// Contexts of associations: hits, rate, key set-up.
IWARP_TEST(rnicEsp,
           "C of N contexts are hit C over N of the time, misses bound the rate, keys cost work")
{
    struct Case
    {
        uint32_t entries;   //!< C
        uint32_t fetches;   //!< at a time
        const char* memory; //!< where contexts come from
    };

    constexpr uint32_t associations = 1000; // N
    constexpr uint32_t packets = 200000;
    constexpr double latency = 2e6; // ps
    for (const auto& [entries, fetches, memory] :
         std::vector<Case>{{900, 1, "HostInterface.ReadLatency=2us"},
                           {500, 4, "HostInterface.ReadLatency=2us"},
                           {200, 8, "AssociationCache.MemoryLatency=2us"},
                           {200, 64, "AssociationCache.MemoryLatency=2us"}})
    {
        const auto path =
            StartEsp(EspPlace::INLINE,
                     std::string(memory) + " TxEsp.TimePerPacket=100ns " +
                         "TxEsp.KeySetup=60ns AssociationCache.Entries=" + std::to_string(entries) +
                         " AssociationCache.Fetches=" + std::to_string(fetches));
        auto random = CreateObject<UniformRandomVariable>();
        random->SetStream(3);
        RnicConnectionState connection;
        const auto cache = path->Get<RnicCache>("AssociationCache");
        RnicTime warm = 0;
        uint64_t hits = 0;
        std::vector<RnicTime> left(1000, 0); // as many packets are in the RNIC at a time
        for (uint32_t i = 0; i < packets; ++i)
        {
            const auto work = MakeWork(random->GetInteger(0, associations - 1));
            RnicTime& slot = left[i % left.size()];
            slot = TransmitProtected(*path, slot, connection, work).time;
            if (i + 1 == packets / 10)
            {
                warm = slot;
                hits = cache->GetHits();
            }
        }
        const uint32_t counted = packets - packets / 10;
        const double share = double(entries) / associations;
        NS_TEST_EXPECT_MSG_EQ_TOL(double(cache->GetHits() - hits) / counted,
                                  share,
                                  0.01 * share,
                                  entries << " of " << associations);
        const double fetched = (1 - share) * latency / fetches;
        const double worked = 100e3 + (1 - share) * 60e3;
        const double expected = std::max(fetched, worked);
        NS_TEST_EXPECT_MSG_EQ_TOL(double(left[(packets - 1) % left.size()] - warm) / counted,
                                  expected,
                                  0.02 * expected,
                                  fetches << " fetches");
    }
}

/// Contexts go with their association and not with a connection of the same number.
IWARP_TEST(rnicEsp, "a connection that is gone takes no association with it")
{
    const auto path =
        StartEsp(EspPlace::INLINE, "AssociationCache.Entries=2 AssociationCache.MemoryLatency=1us");
    RnicConnectionState connection;
    connection.key = 5;
    auto take = [&](RnicTime now) {
        return TransmitProtected(*path, now, connection, MakeWork(5)).time - now;
    };
    NS_TEST_EXPECT_MSG_EQ(take(0), 1'000'000, "not there");
    NS_TEST_EXPECT_MSG_EQ(take(10'000'000), 0, "there");
    path->Release(20'000'000, 5);
    NS_TEST_EXPECT_MSG_EQ(take(20'000'000), 0, "still there");
    path->Get<RnicCache>("AssociationCache")
        ->Invalidate(RnicAssociationCache::GetKey(EspDirection::OUTBOUND, 5));
    NS_TEST_EXPECT_MSG_EQ(take(30'000'000), 1'000'000, "gone");
    NS_TEST_EXPECT_MSG_EQ(path->Get<RnicEspStage>("TxEsp")->GetStatistics().contextWait,
                          2'000'000,
                          "waits");
}

/// Figures and places that make no sense.
IWARP_TEST(rnicEsp, "what is wrong is told")
{
    RnicDesign hardware;
    NS_TEST_EXPECT_MSG_NE(rnic::AddEsp(hardware, EspPlace::SOFTWARE).find("Receiver"),
                          std::string::npos,
                          "no packets for CPUs");
    NS_TEST_EXPECT_MSG_EQ(rnic::AddEsp(hardware, EspPlace::INLINE), "", "inline");
    NS_TEST_EXPECT_MSG_NE(rnic::AddEsp(hardware, EspPlace::INLINE), "", "but once");
    auto check = [](const std::string& settings) {
        RnicDesign design;
        rnic::AddEsp(design, EspPlace::INLINE);
        return MakeDesign(settings, design).Make()->Check();
    };
    NS_TEST_EXPECT_MSG_EQ(check(""), "", "nothing");
    NS_TEST_EXPECT_MSG_EQ(check("TxEsp.KeySetup=1us"),
                          "TxEsp: KeySetup counts when a context is fetched: set "
                          "AssociationCache.Entries",
                          "keys");
    NS_TEST_EXPECT_MSG_EQ(check("TxEsp.KeySetup=1us AssociationCache.Entries=4"), "", "limit");
    NS_TEST_EXPECT_MSG_EQ(check("RxEsp.Engines=2 EspCore.Engines=2"),
                          "RxEsp: Engines are those of one direction, and EspCore.Engines those "
                          "of both: set one of them",
                          "engines");
    RnicDesign software = MakeSoftware();
    rnic::AddEsp(software, EspPlace::SOFTWARE);
    const std::string fault = MakeDesign("EspCore.Engines=2", software).Make()->Check();
    NS_TEST_EXPECT_MSG_EQ(fault.find("TxEsp: EspCore.Engines are those of an adapter, and CPUs "
                                     "do ESP here: set Cpu.Cores"),
                          0,
                          "CPUs");
    NS_TEST_EXPECT_MSG_NE(check("RxEsp.AesGcmRate=10bps").find("RxEsp: ESP at 10 bit/s"),
                          std::string::npos,
                          "slow");
}

/// The engine of a node without an RNIC, asked in a simulation.
IWARP_TEST(rnicEsp, "an engine at a gateway: a clock each way, in order, contexts")
{
    RnicDesign design;
    rnic::AddEsp(design, EspPlace::INLINE);
    const auto engine = CreateObject<RnicEspEngine>();
    engine->SetDesign(MakeDesign("TxEsp.TimePerPacket=1us RxEsp.TimePerPacket=3us "
                                 "AssociationCache.Entries=8 AssociationCache.MemoryLatency=5us",
                                 design));
    NS_TEST_EXPECT_MSG_EQ(engine->Check(), "", "sound");
    std::vector<Time> times;
    auto serve = [&](EspDirection direction, uint64_t association) {
        times.push_back(engine->Serve(direction, MakeWork(association)));
    };
    auto burst = [&] {
        serve(EspDirection::OUTBOUND, 1);
        serve(EspDirection::OUTBOUND, 1);
        serve(EspDirection::INBOUND, 2);
        serve(EspDirection::INBOUND, 2);
    };
    Simulator::Schedule(MicroSeconds(100), [&] { burst(); });
    Simulator::Schedule(MicroSeconds(200), [&] { burst(); });
    Simulator::Schedule(MicroSeconds(300), [&] {
        engine->Release(EspDirection::OUTBOUND, 1);
        serve(EspDirection::OUTBOUND, 1);
    });
    Simulator::Run();
    Simulator::Destroy();
    const std::vector<int64_t> expected{5 + 1, 5 + 2, 5 + 3, 5 + 6, 1, 2, 3, 6, 5 + 1};
    for (std::size_t i = 0; i < expected.size(); ++i)
    {
        NS_TEST_EXPECT_MSG_EQ(times.at(i), MicroSeconds(expected[i]), "packet " << i);
    }
    // without a design it takes no time
    const auto ideal = CreateObject<RnicEspEngine>();
    NS_TEST_EXPECT_MSG_EQ(ideal->Serve(EspDirection::INBOUND, MakeWork(1)), Time(0), "ideal");
}
