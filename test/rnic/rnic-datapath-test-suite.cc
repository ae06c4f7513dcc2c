/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "../iwarp-test.h"
#include "rnic-test-util.h"

#include "ns3/rnic-cpu.h"
#include "ns3/rnic-queue-pairs.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

using namespace ns3;
using namespace rnictest;

namespace
{

IWARP_TEST_SUITE(rnicDatapath, "rnic-datapath");

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
const char* const DISTINCT =
    "RxMac.Rate=100Gbps RxMac.TimePerPacket=11ns " // 80 ps an octet
    "RxTcp.TimePerPacket=70ns RxClassify.TimePerPacket=30ns "
    "RxMpa.TimePerPacket=5ns RxMpa.TimePerUnit=3ns "
    "RxCrc.TimePerUnit=2ns RxCrc.Rate=160Gbps " // 50 ps
    "RxPlace.TimePerUnit=7ns "
    "RxMpa.SlowPathTime=101ns RxMpa.StateFetchTime=43ns RxMpa.PartialCrcTime=17ns "
    "RxMpa.MarkerSearchTime=29ns "
    "TxSchedule.TimePerPacket=90ns TxBuild.TimePerPacket=21ns TxCrc.Rate=160Gbps "
    "TxMac.Rate=100Gbps "
    "HostInterface.WriteRate=64Gbps HostInterface.ReadRate=64Gbps " // 125 ps
    "HostInterface.Header=24 HostInterface.MaxPayload=256 HostInterface.MaxReadRequest=4096 "
    "HostInterface.ReadLatency=500ns HostInterface.WriteLatency=250ns ";

} // namespace

/// Times of single segments are sums of the configured times.
IWARP_TEST(rnicDatapath, "times add up")
{
    {
        const auto path = StartPath(DISTINCT);
        RnicConnectionState connection;
        // a 1460-octet payload: 6 packets on the bus
        const RnicTime bus = (1460 + 6 * 24) * 125;
        NS_TEST_EXPECT_MSG_EQ(Transmit(*path, 0, connection, 1518, 1460),
                              90'000 + 24 * 125 + 500'000 + bus + 21'000 + 1460 * 50 + 1518 * 80,
                              "transmit");
        const RnicTime t = 10'000'000;
        NS_TEST_EXPECT_MSG_EQ(Transmit(*path, t, connection, 1518, 1460, 1460) - t,
                              90'000 + 21'000 + 1460 * 50 + 1518 * 80,
                              "payload that came with the doorbell is not read");
        NS_TEST_EXPECT_MSG_EQ(Transmit(*path, 2 * t, connection, 58, 0) - 2 * t,
                              90'000 + 21'000 + 58 * 80,
                              "an ACK reads nothing");
    }
    // n FPDUs in a segment of the same size
    RnicTime one = 0;
    for (uint32_t fpdus : {1U, 2U, 7U})
    {
        const auto path = StartPath(DISTINCT);
        RnicConnectionState connection;
        const auto arrival = Receive(*path, 0, connection, 1518);
        NS_TEST_EXPECT_MSG_EQ(arrival.buffered, 1518, "room");
        NS_TEST_EXPECT_MSG_EQ(arrival.checked, 11'000 + 1518 * 80 + 70'000, "checked");
        NS_TEST_EXPECT_MSG_EQ(arrival.time, arrival.checked + 30'000, "to TCP");
        const auto p = Place(*path, arrival, AlignedOps(1460, fpdus), {{1400, 0, 0}});
        NS_TEST_EXPECT_MSG_EQ(p.time,
                              arrival.time + 5'000 + fpdus * 5'000 + 1460 * 50 + fpdus * 7'000 +
                                  (1400 + 6 * 24) * 125,
                              "in the host, MPA-B.2.1-01: after the CRC");
        IWARP_COVERS("MPA-B.2.1-01");
        NS_TEST_EXPECT_MSG_EQ(p.visible, p.time + 250'000, "seen");
        one = fpdus == 1 ? p.time : one;
        NS_TEST_EXPECT_MSG_EQ(p.time - one,
                              RnicTime(fpdus - 1) * (3'000 + 2'000 + 7'000),
                              "base + n perFpdu");
        IWARP_COVERS("MPA-A.2-08");
    }
    // the same octets, crossing: state, partial CRC there and back, a second copy, a second run
    auto ops = AlignedOps(1460, 1);
    ops.slowPath = 1;
    ops.stateFetch = 1;
    ops.partialCrcFetch = 1;
    ops.partialCrcStore = 1;
    ops.crcRun = 2;
    ops.copy = 2;
    auto crossing = [&ops] {
        const auto path = StartPath(DISTINCT);
        RnicConnectionState connection;
        return Place(*path, Receive(*path, 0, connection, 1518), ops, {{1400, 700, 0}}).time;
    };
    const RnicTime crossed = crossing();
    NS_TEST_EXPECT_MSG_EQ(crossed - one,
                          101'000 + 43'000 + 2 * 17'000 + 2'000 + 7'000,
                          "slow path, state, partial CRC, run, copy");
    IWARP_COVERS("MPA-B.1.3-02 MPA-B.2.1-14");
    ops.markerSearch = 3;
    NS_TEST_EXPECT_MSG_EQ(crossing() - crossed, 3 * 29'000, "three searches");
}

/// What begins messages takes its time for each, one behind the other; the latency of one keeps no
/// other waiting.
IWARP_TEST(rnicDatapath, "messages begin one behind the other, and with a latency")
{
    const auto path = StartPath("QueuePairs.TimePerMessage=100ns QueuePairs.Latency=1us");
    RnicQueuePairs& pairs = path->GetQueuePairs();
    RnicWorkQueue one;
    RnicWorkQueue other;
    NS_TEST_EXPECT_MSG_EQ(pairs.Begin(0, one, 0), 1'100'000, "both");
    NS_TEST_EXPECT_MSG_EQ(pairs.Begin(0, other, 0), 1'200'000, "behind the other's 100 ns");
}

/// CRC beside classification takes the longer of the two times, behind it their sum.
IWARP_TEST(rnicDatapath, "CRC beside classification, for aligned segments only")
{
    auto done = [](const std::string& settings, uint32_t octets, bool aligned) {
        const auto path = StartPath("RxClassify.TimePerPacket=40ns RxCrc.Rate=160Gbps " + settings);
        RnicConnectionState connection;
        auto ops = AlignedOps(octets, 1);
        ops.slowPath = aligned ? 0 : 1;
        const auto arrival = Receive(*path, 0, connection, octets);
        return Place(*path, arrival, ops, {{octets, 0, 0}}).time;
    };
    for (uint32_t octets : {100U, 799U, 800U, 801U, 1460U})
    {
        const RnicTime crc = octets * 50;
        NS_TEST_EXPECT_MSG_EQ(done("", octets, true), 40'000 + crc, "behind");
        const char* const parallel = "RxCrc.Parallel=true";
        NS_TEST_EXPECT_MSG_EQ(done(parallel, octets, true), std::max<RnicTime>(40'000, crc), "max");
        NS_TEST_EXPECT_MSG_EQ(done(parallel, octets, false), 40'000 + crc, "not aligned");
    }
    IWARP_COVERS("MPA-B.2.1-13");
}

/// Back to back frames leave at the pace of the slowest stage, memory or bus.
IWARP_TEST(rnicDatapath, "throughput is that of the slowest part; every frame admitted leaves")
{
    auto pace = [this](const std::string& settings) {
        const RnicDesign design = MakeDesign(settings);
        const auto path = StartPath(design);
        RnicConnectionState connection;
        const uint32_t n = 2000;
        RnicTime last = 0;
        std::vector<RnicSegment> arrivals;
        for (uint32_t i = 0; i < n; ++i)
        {
            arrivals.push_back(Receive(*path, 0, connection, 1518));
        }
        for (const auto& arrival : arrivals)
        {
            last = Place(*path, arrival, AlignedOps(1460, 1), {{1440, 0, 0}}).time;
        }
        // in software the bus takes frames at once
        if (design.GetReceiver() != RnicReceiver::HOST_SOFTWARE)
        {
            NS_TEST_EXPECT_MSG_EQ(path->GetBuffer().GetPeak(), n * 1518ULL, "all came at once");
        }
        NS_TEST_EXPECT_MSG_EQ(path->GetBuffer().GetHeld(last), 0, "all left");
        return static_cast<double>(last) / n;
    };
    const std::string figures = DISTINCT;
    const double bus = (1440 + 6 * 24) * 125.0;
    NS_TEST_EXPECT_MSG_EQ_TOL(pace(figures), bus, 0.01 * bus, "the bus");
    const std::string tcp = figures + "RxTcp.TimePerPacket=400ns ";
    NS_TEST_EXPECT_MSG_EQ_TOL(pace(tcp), 400'000, 4000, "TCP");
    const std::string four = tcp + "RxTcp.Engines=4 ReassemblyMemory.Rate=80Gbps "; // 100 ps
    NS_TEST_EXPECT_MSG_EQ_TOL(pace(four), bus, 0.01 * bus, "flow-through, TCP on four engines");
    // store and forward: each octet crosses the memory twice
    const double twice = (1518 + 1440) * 100.0;
    NS_TEST_EXPECT_MSG_EQ_TOL(pace(four + "Receiver=StoreAndForward"),
                              twice,
                              0.01 * twice,
                              "memory");
    // host software: a packet's time, CRC and copy on one core
    const double cpu = 600'000 + 1460 * 125.0 + 1440 * 100.0;
    NS_TEST_EXPECT_MSG_EQ_TOL(pace("Receiver=HostSoftware Cpu.TimePerPacket=600ns "
                                   "Cpu.CrcRate=64Gbps Cpu.CopyRate=80Gbps"),
                              cpu,
                              0.01 * cpu,
                              "CPU");
}

/// Contexts and translation entries that are not on chip cost a read.
IWARP_TEST(rnicDatapath, "cache misses cost a read of host memory, hits nothing")
{
    const auto path = StartPath("ContextCache.Entries=4 ContextCache.EntrySize=375 "
                                "TranslationCache.Entries=2 TranslationCache.EntrySize=64 "
                                "HostInterface.ReadLatency=500ns HostInterface.ReadRate=64Gbps");
    std::vector<RnicConnectionState> connections(5);
    RnicTime now = 0;
    auto receive = [&](uint32_t i) {
        now += 10'000'000;
        connections[i].key = i;
        RnicSegment segment = Receive(*path, now, connections[i], 100);
        path->Discard(segment);
        return segment.time - now;
    };
    const RnicTime context = 500'000 + 375 * 125;
    for (uint32_t i = 0; i < 40; ++i)
    {
        NS_TEST_EXPECT_MSG_EQ(receive(i % 4), (i < 4 ? context : 0), "four fit");
    }
    for (uint32_t i = 0; i < 20; ++i)
    {
        NS_TEST_EXPECT_MSG_EQ(receive(i % 5), (i < 4 ? 0 : context), "five do not fit");
    }
    NS_TEST_EXPECT_MSG_EQ(path->GetContextCache().GetHits(), 40, "hits");
    NS_TEST_EXPECT_MSG_EQ(path->GetContextCache().GetMisses(), 20, "misses");
    auto place = [&](const RecordPlacementList& placements) {
        now += 10'000'000;
        const auto arrival = Receive(*path, now, connections[0], 100);
        return Place(*path, arrival, AlignedOps(50, 1), placements).time - arrival.time;
    };
    const RnicTime entry = 500'000 + 64 * 125;
    for (uint32_t i = 0; i < 10; ++i)
    {
        NS_TEST_EXPECT_MSG_EQ(place({{40, 0, 1000 + i / 5}}),
                              (i % 5 != 0 ? 0 : entry),
                              "region " << i / 5);
    }
    // ULPDUs of one segment for several regions
    NS_TEST_EXPECT_MSG_EQ(place({{10, 0, 7}, {10, 0, 7}, {10, 0, 8}}),
                          2 * entry,
                          "two regions, two entries, one behind the other");
    NS_TEST_EXPECT_MSG_EQ(place({{10, 0, 8}, {0, 0, 9}, {10, 0, 7}}), 0, "both are there");
    NS_TEST_EXPECT_MSG_EQ(place({{10, 0, 0}}), entry, "the connection's own");
    // two segments of a connection whose context is being read stay in order
    const auto order = StartPath("ContextCache.Entries=1 HostInterface.ReadLatency=500ns");
    RnicConnectionState connection;
    NS_TEST_EXPECT_MSG_EQ(Receive(*order, 0, connection, 100).time, 500'000, "waits for it");
    NS_TEST_EXPECT_MSG_EQ(Receive(*order, 1000, connection, 100).time, 500'000, "behind it");
    order->Release(2000, connection.key);
    NS_TEST_EXPECT_MSG_EQ(order->GetContextCache().GetSize(), 0, "gone");
}

/// Offloads of a host that does the work itself: one packet time for many segments.
IWARP_TEST(rnicDatapath,
           "large-segment offload and coalescing save packet times, and are off by default")
{
    const std::string software = "Receiver=HostSoftware Cpu.TimePerPacket=1us ";
    auto sent = [&](const std::string& offload) {
        const auto path = StartPath(software + offload);
        RnicConnectionState connection;
        for (uint32_t i = 0; i < 100; ++i)
        {
            Transmit(*path, 0, connection, 1518, 1460);
        }
        return path->Get<RnicCpu>("Cpu")->GetBusy() / 1'000'000;
    };
    NS_TEST_EXPECT_MSG_EQ(sent(""), 100, "off");
    NS_TEST_EXPECT_MSG_EQ(sent("Cpu.LargeSendOffload=14600"), 10, "ten segments at a time");
    NS_TEST_EXPECT_MSG_EQ(sent("Cpu.LargeSendOffload=65536"), 3, "44 segments at a time");
    auto received = [&](const std::string& offload) {
        const auto path = StartPath(software + offload);
        RnicConnectionState connection;
        for (uint32_t i = 0; i < 100; ++i)
        {
            Receive(*path, 0, connection, 1500);
        }
        return path->Get<RnicCpu>("Cpu")->GetBusy() / 1'000'000;
    };
    NS_TEST_EXPECT_MSG_EQ(received(""), 100, "off");
    NS_TEST_EXPECT_MSG_EQ(received("Cpu.LargeReceiveOffload=15000"), 10, "ten frames at a time");
    // two connections on two cores do not wait for each other
    const auto path = StartPath(software + "Cpu.Cores=2");
    RnicConnectionState a;
    RnicConnectionState b;
    b.key = 1;
    NS_TEST_EXPECT_MSG_EQ(Receive(*path, 0, a, 100).time, 1'000'000, "one core");
    NS_TEST_EXPECT_MSG_EQ(Receive(*path, 0, b, 100).time, 1'000'000, "the other");
    NS_TEST_EXPECT_MSG_EQ(Receive(*path, 0, a, 100).time, 2'000'000, "the first again");
}

/// What is ideal takes no time; what makes no sense is told.
IWARP_TEST(rnicDatapath, "ideal and bad figures of an RNIC")
{
    const auto path = RnicDesign().Make();
    NS_TEST_EXPECT_MSG_EQ(path->Check(), "", "the default is good");
    NS_TEST_EXPECT_MSG_EQ(path->IsIdeal(), true, "and ideal");
    path->Start();
    RnicConnectionState connection;
    NS_TEST_EXPECT_MSG_EQ(Transmit(*path, 7, connection, 1518, 1460), 7, "transmit");
    const auto arrival = Receive(*path, 7, connection, 1518);
    NS_TEST_EXPECT_MSG_EQ(arrival.time, 7, "receive");
    const auto placed = Place(*path, arrival, AlignedOps(1460, 1), {{1440, 0, 0}});
    NS_TEST_EXPECT_MSG_EQ(placed.seen, 7, "place");
    for (const char* settings : {"RxTcp.TimePerPacket=1ns",
                                 "TxMac.Rate=400Gbps",
                                 "TxPace.Interval=1ns",
                                 "HostInterface.ReadLatency=1ns",
                                 "HostInterface.WriteRate=1Mbps",
                                 "ReassemblyMemory.Latency=1ns",
                                 "RxMpa.SlowPathTime=1ns",
                                 "Cpu.TimePerPacket=1ns",
                                 "ContextCache.Entries=5",
                                 "PacketBuffer.Capacity=262144"})
    {
        const auto other = MakeDesign(settings).Make();
        NS_TEST_EXPECT_MSG_EQ(other->IsIdeal(), false, settings);
        NS_TEST_EXPECT_MSG_EQ(other->Check(), "", settings);
    }
    for (const auto& [settings, words] : std::vector<std::pair<std::string, std::string>>{
             {"RxMac.Rate=999bps", "RxMac: a stage of 999 bit/s never ends"},
             {"HostInterface.ReadRate=1bps", "HostInterface: a bus of 1 bit/s never ends"},
             {"ReassemblyMemory.Capacity=100", "ReassemblyMemory: memory and share"},
             {"ReassemblyMemory.PerConnection=139", "not 139"},
             {"ReassemblyMemory.Rate=5bps", "ReassemblyMemory: a memory of 5 bit/s"},
             {"Cpu.CopyRate=5bps", "Cpu: a CPU of 5 bit/s"},
             {"PacketBuffer.Capacity=1000", "PacketBuffer: it has to hold a frame of 1514"}})
    {
        const std::string fault = MakeDesign(settings).Make()->Check();
        NS_TEST_EXPECT_MSG_NE(fault.find(words), std::string::npos, fault);
    }
    // a packet buffer for two frames drops the third
    const auto tight = StartPath("PacketBuffer.Capacity=3100 RxMac.TimePerPacket=1ns");
    NS_TEST_EXPECT_MSG_EQ(Receive(*tight, 0, connection, 1518).buffered, 1518, "one");
    NS_TEST_EXPECT_MSG_EQ(Receive(*tight, 0, connection, 1518).buffered, 1518, "two");
    NS_TEST_EXPECT_MSG_EQ(Receive(*tight, 0, connection, 1518).buffered, 0, "three");
    NS_TEST_EXPECT_MSG_EQ(tight->GetBuffer().GetDropped(), 1518, "counted");
}
