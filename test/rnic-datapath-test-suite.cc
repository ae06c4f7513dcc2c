/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "mpa-receiver-test-util.h"

#include "ns3/rnic-datapath.h"
#include "ns3/rnic-ops.h"
#include "ns3/test.h"

#include <algorithm>
#include <sstream>
#include <utility>
#include <vector>

using namespace ns3;
using namespace mpatest;

namespace
{

// @param frame octets @param fpdus aligned FPDUs in it @return operations for it
RnicOps
AlignedOps(uint64_t crcOctets, uint64_t fpdus)
{
    RnicOps ops;
    ops.linkCrc = ops.ip = ops.tcpChecksum = ops.classify = ops.alignCheck = 1;
    ops.lengthRead = ops.crcRun = ops.crcCheck = ops.addressComputation = ops.copy = fpdus;
    ops.crcOctets = crcOctets;
    return ops;
}

// An RNIC whose figures are all different, so that none can be mistaken for another
RnicConfig
DistinctFigures()
{
    RnicConfig c;
    c.rxMac.bitRate = 100'000'000'000; // 80 ps an octet
    c.rxMac.perPacket = 11'000;
    c.rxTcp.perPacket = 70'000;
    c.rxClassify.perPacket = 30'000;
    c.rxMpa.perPacket = 5'000;
    c.rxMpa.perUnit = 3'000;
    c.rxCrc.perUnit = 2'000;
    c.rxCrc.bitRate = 160'000'000'000; // 50 ps
    c.rxPlace.perUnit = 7'000;
    c.slowPath = 101'000;
    c.stateFetch = 43'000;
    c.partialCrc = 17'000;
    c.markerSearch = 29'000;
    c.txSchedule.perPacket = 90'000;
    c.txBuild.perPacket = 21'000;
    c.txCrc.bitRate = 160'000'000'000;
    c.txMac.bitRate = 100'000'000'000;
    c.host.toHostRate = 64'000'000'000; // 125 ps
    c.host.fromHostRate = 64'000'000'000;
    c.host.header = 24;
    c.host.maxPayload = 256;
    c.host.maxReadRequest = 4096;
    c.host.readLatency = 500'000;
    c.host.writeLatency = 250'000;
    return c;
}

} // namespace

/// Times of single segments are sums of the configured times.
class RnicDatapathSums : public TestCase
{
  public:
    RnicDatapathSums()
        : TestCase("MPA-A.2-08 MPA-B.1.3-02 MPA-B.2.1-01 MPA-B.2.1-14 MPA-B.2.1-15 times add up")
    {
    }

  private:
    void DoRun() override
    {
        const RnicConfig config = DistinctFigures();
        {
            RnicDatapath path(config);
            RnicDatapath::Flow flow;
            // a 1460-octet payload: 6 packets on the bus
            const RnicTime bus = (1460 + 6 * 24) * 125;
            const RnicTime out = path.Transmit(0, flow, 1518, 1460).at;
            NS_TEST_EXPECT_MSG_EQ(out,
                                  90'000 + 24 * 125 + 500'000 + bus + 21'000 + 1460 * 50 +
                                      1518 * 80,
                                  "transmit");
            const RnicTime t = 10'000'000;
            NS_TEST_EXPECT_MSG_EQ(path.Transmit(t, flow, 1518, 1460, 1460).at - t,
                                  90'000 + 21'000 + 1460 * 50 + 1518 * 80,
                                  "payload that came with the doorbell is not read");
            NS_TEST_EXPECT_MSG_EQ(path.Transmit(2 * t, flow, 58, 0).at - 2 * t,
                                  90'000 + 21'000 + 58 * 80,
                                  "an ACK reads nothing");
        }
        // n FPDUs in a segment of the same size
        RnicTime one = 0;
        for (uint32_t fpdus : {1U, 2U, 7U})
        {
            RnicDatapath path(config);
            RnicDatapath::Flow flow;
            const auto arrival = path.Receive(0, flow, 1518);
            NS_TEST_EXPECT_MSG_EQ(arrival.admitted, true, "room");
            NS_TEST_EXPECT_MSG_EQ(arrival.toTcp, 11'000 + 1518 * 80 + 70'000 + 30'000, "to TCP");
            const auto ops = AlignedOps(1460, fpdus);
            const uint64_t placed = 1400;
            const auto p = path.Place(arrival.toTcp, flow, arrival, 1518, ops, {{placed, 0, 0}});
            NS_TEST_EXPECT_MSG_EQ(p.crcDone,
                                  arrival.toTcp + 5'000 + fpdus * 5'000 + 1460 * 50,
                                  "CRC done");
            NS_TEST_EXPECT_MSG_EQ(p.done,
                                  p.crcDone + fpdus * 7'000 + (1400 + 6 * 24) * 125,
                                  "in the host, MPA-B.2.1-01: after the CRC");
            NS_TEST_EXPECT_MSG_EQ(p.visible, p.done + 250'000, "seen");
            one = fpdus == 1 ? p.done : one;
            NS_TEST_EXPECT_MSG_EQ(p.done - one,
                                  RnicTime(fpdus - 1) * (3'000 + 2'000 + 7'000),
                                  "MPA-A.2-08 base + n perFpdu");
        }
        // the same octets, crossing: state, partial CRC there and back, a second copy, a second run
        RnicDatapath path(config);
        RnicDatapath::Flow flow;
        const auto arrival = path.Receive(0, flow, 1518);
        auto ops = AlignedOps(1460, 1);
        ops.slowPath = 1;
        ops.stateFetch = 1;
        ops.partialCrcFetch = 1;
        ops.partialCrcStore = 1;
        ops.crcRun = 2;
        ops.copy = 2;
        const auto p = path.Place(arrival.toTcp, flow, arrival, 1518, ops, {{1400, 700, 0}});
        NS_TEST_EXPECT_MSG_EQ(p.done - one,
                              101'000 + 43'000 + 2 * 17'000 + 2'000 + 7'000,
                              "MPA-B.2.1-14: slow path, state, partial CRC, run, copy");
        // markers searched
        RnicDatapath other(config);
        const auto late = other.Receive(0, flow, 1518);
        ops.markerSearch = 3;
        const auto q = other.Place(late.toTcp, flow, late, 1518, ops, {{1400, 700, 0}});
        NS_TEST_EXPECT_MSG_EQ(q.done - p.done, 3 * 29'000, "three searches");
    }
};

/// CRC beside classification takes the longer of the two times, behind it their sum.
class RnicDatapathCrcBeside : public TestCase
{
  public:
    RnicDatapathCrcBeside()
        : TestCase("MPA-B.2.1-13 CRC beside classification, for aligned segments only")
    {
    }

  private:
    void DoRun() override
    {
        RnicConfig config;
        config.rxClassify.perPacket = 40'000;
        config.rxCrc.bitRate = 160'000'000'000;
        auto done = [&](bool parallel, uint32_t octets, bool aligned) {
            config.crcParallel = parallel;
            RnicDatapath path(config);
            RnicDatapath::Flow flow;
            const auto arrival = path.Receive(0, flow, octets);
            auto ops = AlignedOps(octets, 1);
            ops.slowPath = aligned ? 0 : 1;
            return path.Place(arrival.toTcp, flow, arrival, octets, ops, {{octets, 0, 0}}).crcDone;
        };
        for (uint32_t octets : {100U, 799U, 800U, 801U, 1460U})
        {
            const RnicTime crc = octets * 50;
            NS_TEST_EXPECT_MSG_EQ(done(false, octets, true), 40'000 + crc, "behind");
            NS_TEST_EXPECT_MSG_EQ(done(true, octets, true), std::max<RnicTime>(40'000, crc), "max");
            NS_TEST_EXPECT_MSG_EQ(done(true, octets, false), 40'000 + crc, "not aligned: behind");
        }
    }
};

/// Back to back frames leave at the pace of the slowest stage, memory or bus.
class RnicDatapathPace : public TestCase
{
  public:
    RnicDatapathPace()
        : TestCase("throughput is that of the slowest part; every frame admitted leaves")
    {
    }

  private:
    void DoRun() override
    {
        auto pace = [this](const RnicConfig& config) {
            RnicDatapath path(config);
            RnicDatapath::Flow flow;
            const uint32_t n = 2000;
            RnicTime last = 0;
            std::vector<RnicDatapath::Arrival> arrivals;
            for (uint32_t i = 0; i < n; ++i)
            {
                arrivals.push_back(path.Receive(0, flow, 1518));
            }
            for (uint32_t i = 0; i < n; ++i)
            {
                const auto p = path.Place(arrivals[i].toTcp,
                                          flow,
                                          arrivals[i],
                                          1518,
                                          AlignedOps(1460, 1),
                                          {{1440, 0, 0}});
                last = p.done;
            }
            if (config.receiver != RnicReceiver::HOST_SOFTWARE) // there the bus takes them at once
            {
                NS_TEST_EXPECT_MSG_EQ(path.GetBuffer().GetPeak(), n * 1518ULL, "all came at once");
            }
            NS_TEST_EXPECT_MSG_EQ(path.GetBuffer().GetHeld(last), 0, "all left");
            return static_cast<double>(last) / n;
        };
        RnicConfig config = DistinctFigures();
        const double bus = (1440 + 6 * 24) * 125.0;
        NS_TEST_EXPECT_MSG_EQ_TOL(pace(config), bus, 0.01 * bus, "the bus");
        config.rxTcp.perPacket = 400'000;
        NS_TEST_EXPECT_MSG_EQ_TOL(pace(config), 400'000, 4000, "TCP");
        config.rxTcp.engines = 4;
        NS_TEST_EXPECT_MSG_EQ_TOL(pace(config), bus, 0.01 * bus, "TCP on four engines");
        // store and forward: each octet crosses the memory twice
        config.receiver = RnicReceiver::STORE_AND_FORWARD;
        config.memory.bitRate = 80'000'000'000; // 100 ps
        const double twice = (1518 + 1440) * 100.0;
        NS_TEST_EXPECT_MSG_EQ_TOL(pace(config), twice, 0.01 * twice, "memory");
        config.receiver = RnicReceiver::FLOW_THROUGH;
        NS_TEST_EXPECT_MSG_EQ_TOL(pace(config), bus, 0.01 * bus, "flow-through passes it by");
        // host software: a packet's time, CRC and copy on one core
        config = RnicConfig();
        config.receiver = RnicReceiver::HOST_SOFTWARE;
        config.cpu.packetTime = 600'000;
        config.cpu.crcRate = 64'000'000'000;
        config.cpu.copyRate = 80'000'000'000;
        const double cpu = 600'000 + 1460 * 125.0 + 1440 * 100.0;
        NS_TEST_EXPECT_MSG_EQ_TOL(pace(config), cpu, 0.01 * cpu, "CPU");
    }
};

/// Contexts and translation entries that are not on chip cost a read.
class RnicDatapathCaches : public TestCase
{
  public:
    RnicDatapathCaches()
        : TestCase("cache misses cost a read of host memory, hits nothing")
    {
    }

  private:
    void DoRun() override
    {
        RnicConfig config;
        config.contextEntries = 4;
        config.contextSize = 375;
        config.translationEntries = 2;
        config.translationSize = 64;
        config.host.readLatency = 500'000;
        config.host.fromHostRate = 64'000'000'000;
        RnicDatapath path(config);
        std::vector<RnicDatapath::Flow> flows(5);
        RnicTime now = 0;
        for (uint32_t round = 0; round < 10; ++round)
        {
            for (uint32_t i = 0; i < 4; ++i)
            {
                flows[i].key = i;
                now += 10'000'000;
                const auto a = path.Receive(now, flows[i], 100);
                NS_TEST_EXPECT_MSG_EQ(a.contextHit, (round > 0), "four fit");
                NS_TEST_EXPECT_MSG_EQ(a.toTcp - now,
                                      (round > 0 ? 0 : 500'000 + 375 * 125),
                                      "penalty of a context");
                path.Discard(a, 100);
            }
        }
        flows[4].key = 4;
        for (uint32_t i = 0; i < 20; ++i)
        {
            now += 10'000'000;
            const auto a = path.Receive(now, flows[i % 5], 100);
            NS_TEST_EXPECT_MSG_EQ(a.contextHit, (i < 4), "five do not fit");
            path.Discard(a, 100);
        }
        NS_TEST_EXPECT_MSG_EQ(path.GetContextCache().GetHits(), 40, "hits");
        NS_TEST_EXPECT_MSG_EQ(path.GetContextCache().GetMisses(), 20, "misses");
        for (uint32_t i = 0; i < 10; ++i)
        {
            now += 10'000'000;
            const auto a = path.Receive(now, flows[0], 100);
            const auto p =
                path.Place(a.toTcp, flows[0], a, 100, AlignedOps(50, 1), {{40, 0, 1000 + i / 5}});
            NS_TEST_EXPECT_MSG_EQ(p.translations.at(0).hit, (i % 5 != 0), "region " << i / 5);
            NS_TEST_EXPECT_MSG_EQ(p.done - a.toTcp,
                                  (i % 5 != 0 ? 0 : 500'000 + 64 * 125),
                                  "penalty of a translation entry");
        }
        // two segments of a connection whose context is being read stay in order
        config = RnicConfig();
        config.contextEntries = 1;
        config.host.readLatency = 500'000;
        RnicDatapath order(config);
        RnicDatapath::Flow flow;
        const auto first = order.Receive(0, flow, 100);
        const auto second = order.Receive(1000, flow, 100);
        NS_TEST_EXPECT_MSG_EQ(first.toTcp, 500'000, "waits for its context");
        NS_TEST_EXPECT_MSG_EQ(second.toTcp, 500'000, "waits behind it");
        RnicDatapath::Flow none;
        order.Forget(2000, flow);
        NS_TEST_EXPECT_MSG_EQ(order.GetContextCache().GetSize(), 0, "gone");
    }
};

/// Offloads of a host that does the work itself: one packet time for many segments.
class RnicDatapathOffloads : public TestCase
{
  public:
    RnicDatapathOffloads()
        : TestCase("large-segment offload and coalescing save packet times, and are off by default")
    {
    }

  private:
    void DoRun() override
    {
        RnicConfig config;
        config.receiver = RnicReceiver::HOST_SOFTWARE;
        config.cpu.packetTime = 1'000'000;
        auto sent = [&](uint32_t offload) {
            config.cpu.sendOffload = offload;
            RnicDatapath path(config);
            RnicDatapath::Flow flow;
            for (uint32_t i = 0; i < 100; ++i)
            {
                path.Transmit(0, flow, 1518, 1460);
            }
            return path.GetCpuBusy() / 1'000'000;
        };
        NS_TEST_EXPECT_MSG_EQ(sent(0), 100, "off");
        NS_TEST_EXPECT_MSG_EQ(sent(14600), 10, "ten segments at a time");
        NS_TEST_EXPECT_MSG_EQ(sent(65536), 3, "44 segments at a time");
        auto received = [&](uint32_t offload) {
            config.cpu.receiveOffload = offload;
            RnicDatapath path(config);
            RnicDatapath::Flow flow;
            for (uint32_t i = 0; i < 100; ++i)
            {
                path.Receive(0, flow, 1500);
            }
            return path.GetCpuBusy() / 1'000'000;
        };
        NS_TEST_EXPECT_MSG_EQ(received(0), 100, "off");
        NS_TEST_EXPECT_MSG_EQ(received(15000), 10, "ten frames at a time");
        // two connections on two cores do not wait for each other
        config.cpu.receiveOffload = 0;
        config.cpu.cores = 2;
        RnicDatapath path(config);
        RnicDatapath::Flow a;
        RnicDatapath::Flow b;
        b.key = 1;
        NS_TEST_EXPECT_MSG_EQ(path.Receive(0, a, 100).toTcp, 1'000'000, "one core");
        NS_TEST_EXPECT_MSG_EQ(path.Receive(0, b, 100).toTcp, 1'000'000, "the other");
        NS_TEST_EXPECT_MSG_EQ(path.Receive(0, a, 100).toTcp, 2'000'000, "the first again");
    }
};

/// What is ideal takes no time; what makes no sense is told.
class RnicDatapathFigures : public TestCase
{
  public:
    RnicDatapathFigures()
        : TestCase("ideal and bad figures of an RNIC")
    {
    }

  private:
    void DoRun() override
    {
        RnicConfig config;
        NS_TEST_EXPECT_MSG_EQ(config.Check(), "", "the default is good");
        NS_TEST_EXPECT_MSG_EQ(config.IsIdeal(), true, "and ideal");
        RnicDatapath path;
        RnicDatapath::Flow flow;
        NS_TEST_EXPECT_MSG_EQ(path.Transmit(7, flow, 1518, 1460).at, 7, "transmit");
        const auto a = path.Receive(7, flow, 1518);
        NS_TEST_EXPECT_MSG_EQ(a.toTcp, 7, "receive");
        const auto p = path.Place(7, flow, a, 1518, AlignedOps(1460, 1), {{1440, 0, 0}});
        NS_TEST_EXPECT_MSG_EQ(p.visible, 7, "place");
        for (auto change : std::vector<void (*)(RnicConfig&)>{
                 [](RnicConfig& c) { c.rxTcp.perPacket = 1; },
                 [](RnicConfig& c) { c.txMac.bitRate = 400'000'000'000; },
                 [](RnicConfig& c) { c.host.readLatency = 1; },
                 [](RnicConfig& c) { c.host.toHostRate = 1'000'000; },
                 [](RnicConfig& c) { c.memory.latency = 1; },
                 [](RnicConfig& c) { c.slowPath = 1; },
                 [](RnicConfig& c) { c.cpu.packetTime = 1; },
                 [](RnicConfig& c) { c.packetBuffer = 262144; }})
        {
            RnicConfig other;
            change(other);
            NS_TEST_EXPECT_MSG_EQ(other.IsIdeal(), false, "something takes time or has a limit");
            NS_TEST_EXPECT_MSG_EQ(other.Check(), "", "and is good");
        }
        for (const auto& [word, change] :
             std::vector<std::pair<std::string, void (*)(RnicConfig&)>>{
                 {"receive MAC", [](RnicConfig& c) { c.rxMac.bitRate = 0; }},
                 {"transmit build", [](RnicConfig& c) { c.txBuild.engines = 0; }},
                 {"host interface", [](RnicConfig& c) { c.host.tags = 0; }},
                 {"reassembly memory", [](RnicConfig& c) { c.memory.capacity = 100; }},
                 {"cores", [](RnicConfig& c) { c.cpu.cores = 0; }},
                 {"1514", [](RnicConfig& c) { c.packetBuffer = 1000; }},
                 {"slow path", [](RnicConfig& c) { c.slowPath = -1; }}})
        {
            RnicConfig bad;
            change(bad);
            NS_TEST_EXPECT_MSG_NE(bad.Check().find(word), std::string::npos, word);
        }
        // a packet buffer for two frames drops the third
        RnicConfig small;
        small.packetBuffer = 3100;
        small.rxMac.perPacket = 1000;
        RnicDatapath tight(small);
        NS_TEST_EXPECT_MSG_EQ(tight.Receive(0, flow, 1518).admitted, true, "one");
        NS_TEST_EXPECT_MSG_EQ(tight.Receive(0, flow, 1518).admitted, true, "two");
        NS_TEST_EXPECT_MSG_EQ(tight.Receive(0, flow, 1518).admitted, false, "three");
        NS_TEST_EXPECT_MSG_EQ(tight.GetBuffer().GetDropped(), 1518, "counted");
    }
};

/// Operations of the steps of B.2.1, from a real receiver.
class RnicOpsOfReceiver : public TestCase
{
  public:
    RnicOpsOfReceiver()
        : TestCase("MPA-B.2.1-03 MPA-B.2.1-04 MPA-B.2.1-05 MPA-B.2.1-06 MPA-B.2.1-10 MPA-B.2.1-11 "
                   "MPA-B.2.1-12 MPA-B.2.1-15 MPA-B-04 operations, aligned or not")
    {
    }

  private:
    /// @param stream FPDUs @param cuts where segments end @param order of segments
    /// @return all operations
    RnicOps Run(const Stream& stream,
                const std::vector<uint32_t>& cuts,
                const std::vector<std::size_t>& order)
    {
        MpaReceiverConfig config;
        config.format = stream.format;
        ReceiverProbe probe(config);
        RnicOps ops;
        for (std::size_t i : order)
        {
            ops += CountOps(probe.Feed(stream, i == 0 ? 0 : cuts[i - 1], cuts[i]));
        }
        NS_TEST_EXPECT_MSG_EQ(probe.passed.size(), stream.fpdus.size(), "all passed");
        return ops;
    }

    void DoRun() override
    {
        const uint32_t n = 50;
        Stream stream(true);
        stream.PostSizes(std::vector<uint32_t>(n, 1000));
        const auto end = static_cast<uint32_t>(stream.octets.size());
        std::vector<uint32_t> aligned;
        std::vector<uint32_t> crossing;
        std::vector<std::size_t> inOrder;
        std::vector<std::size_t> swapped;
        for (uint32_t i = 0; i < n; ++i)
        {
            aligned.push_back(stream.fpdus[i].end);
            crossing.push_back(i + 1 < n ? stream.fpdus[i].end + 500 : end);
            inOrder.push_back(i);
            swapped.push_back(i ^ 1);
        }

        const RnicOps a = Run(stream, aligned, inOrder);
        for (uint64_t count : {a.linkCrc,
                               a.ip,
                               a.tcpChecksum,
                               a.classify,
                               a.alignCheck,
                               a.lengthRead,
                               a.crcRun,
                               a.crcCheck,
                               a.addressComputation,
                               a.copy})
        {
            NS_TEST_EXPECT_MSG_EQ(count, n, "MPA-B.2.1-03 -10 -11: one of each a segment");
        }
        NS_TEST_EXPECT_MSG_EQ(a.stateFetch + a.partialCrcFetch + a.partialCrcStore +
                                  a.markerSearch + a.localStore + a.slowPath,
                              0,
                              "MPA-B.2.1-11 and nothing else");
        NS_TEST_EXPECT_MSG_EQ(a.crcOctets, end, "each octet once");

        // the same, swapped in pairs: per FPDU the same work, but Markers have to prove the starts
        const RnicOps s = Run(stream, aligned, swapped);
        NS_TEST_EXPECT_MSG_EQ(s.crcRun, a.crcRun, "MPA-B.2.1-12");
        NS_TEST_EXPECT_MSG_EQ(s.copy, a.copy, "MPA-B.2.1-12");
        NS_TEST_EXPECT_MSG_EQ(s.crcOctets, a.crcOctets, "MPA-B.2.1-12");
        NS_TEST_EXPECT_MSG_EQ(s.localStore, 0, "MPA-B-01 nothing is copied locally");

        // each segment ends one FPDU and begins the next
        const RnicOps x = Run(stream, crossing, inOrder);
        NS_TEST_EXPECT_MSG_EQ(x.stateFetch, n - 1, "MPA-B.2.1-04");
        NS_TEST_EXPECT_MSG_EQ(x.partialCrcFetch, n - 1, "MPA-B.2.1-05");
        NS_TEST_EXPECT_MSG_EQ(x.partialCrcStore, n - 1, "MPA-B.2.1-05");
        NS_TEST_EXPECT_MSG_EQ(x.crcRun, 2 * n - 1, "MPA-B.2.1-05 two runs a segment");
        NS_TEST_EXPECT_MSG_EQ(x.copy, 2 * n - 1, "MPA-B.2.1-06 two copies a crossing FPDU");
        NS_TEST_EXPECT_MSG_EQ(x.addressComputation, x.copy, "MPA-B.2.1-06");
        NS_TEST_EXPECT_MSG_EQ(x.slowPath, n, "MPA-B.2.1-15");
        NS_TEST_EXPECT_MSG_EQ(x.localStore, (n - 1) * 500, "MPA-B.2.1-07");

        // out of order, not aligned and without Markers: held data passes the CRC again
        Stream plain(false);
        plain.PostSizes(std::vector<uint32_t>(n, 1000));
        for (uint32_t i = 0; i + 1 < n; ++i)
        {
            crossing[i] = plain.fpdus[i].end + 500;
        }
        crossing.back() = static_cast<uint32_t>(plain.octets.size());
        const RnicOps o = Run(plain, crossing, swapped);
        NS_TEST_EXPECT_MSG_GT(o.crcOctets, plain.octets.size(), "MPA-B.2.1-09 twice through CRC");
        NS_TEST_EXPECT_MSG_GT(o.localStore, x.localStore, "MPA-B.2.1-08 whole segments are held");

        std::ostringstream text;
        text << a;
        NS_TEST_EXPECT_MSG_EQ(text.str().substr(0, 15), "link_crc=50 ip=", "for people");
    }
};

/// @ingroup iwarp-test
class RnicDatapathTestSuite : public TestSuite
{
  public:
    RnicDatapathTestSuite()
        : TestSuite("rnic-datapath")
    {
        AddTestCase(new RnicDatapathSums);
        AddTestCase(new RnicDatapathCrcBeside);
        AddTestCase(new RnicDatapathPace);
        AddTestCase(new RnicDatapathCaches);
        AddTestCase(new RnicDatapathOffloads);
        AddTestCase(new RnicDatapathFigures);
        AddTestCase(new RnicOpsOfReceiver);
    }
};

static RnicDatapathTestSuite g_rnicDatapathTestSuite; //!< registers the suite
