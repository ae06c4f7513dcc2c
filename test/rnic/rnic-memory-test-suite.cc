/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "../iwarp-test.h"
#include "rnic-test-util.h"

#include "ns3/random-variable-stream.h"
#include "ns3/rnic-buffer-formulas.h"
#include "ns3/rnic-packet-buffer.h"
#include "ns3/rnic-reassembly-memory.h"
#include "ns3/rnic-server.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <deque>
#include <string>
#include <utility>
#include <vector>

using namespace ns3;
using namespace rnictest;

IWARP_TEST_SUITE(rnicMemory, "rnic-memory");

/// The three formulas with the RFC's example and others.
IWARP_TEST(rnicMemory, "formulas")
{
    using namespace rnic;
    const DataRate gigabit("1Gbps");
    NS_TEST_EXPECT_MSG_EQ_TOL(BufferSizeTcp(DataRate("10Gbps"), MicroSeconds(100)),
                              125000,
                              1e-6,
                              "MPA-B.2-01");
    IWARP_COVERS("MPA-B.2-01");
    NS_TEST_EXPECT_MSG_EQ_TOL(BufferSizeTcp(gigabit, MilliSeconds(100)), 12.5e6, 1e-6, "long");
    NS_TEST_EXPECT_MSG_EQ_TOL(BufferSizeTcp(DataRate("100Gbps"), MicroSeconds(100), 2),
                              10 * BufferSizeTcp(DataRate("10Gbps"), MicroSeconds(100), 2),
                              1e-6,
                              "MPA-B.2-02");
    IWARP_COVERS("MPA-B.2-02");
    NS_TEST_EXPECT_MSG_EQ(BufferSizeNaf(1500, 10000), 15e6, "MPA-B.2-06");
    NS_TEST_EXPECT_MSG_EQ(BufferSizeNaf(1500, 10000, 1, 1), 15e6 + 1500, "K2");
    IWARP_COVERS("MPA-B.2-06");
    NS_TEST_EXPECT_MSG_EQ(BufferSizeNaf(1460, 10000), 14.6e6, "EMSS 1460");
    NS_TEST_EXPECT_MSG_EQ(BufferSizeNaf(8960, 10000, 2), 2 * 89.6e6, "EMSS 8960, K1 2");
    NS_TEST_EXPECT_MSG_EQ(BufferSizeNaf(1500, 1000), 1.5e6, "a tenth of them");
    IWARP_COVERS("MPA-B.2-09");
    NS_TEST_EXPECT_MSG_EQ(BufferSizeAf(1500, 100), 150000, "MPA-B.2-07");
    NS_TEST_EXPECT_MSG_EQ(BufferSizeNaf(1500, 0, 1, 100), BufferSizeAf(1500, 100), "none");
    IWARP_COVERS("MPA-B.2-07");
}

/// Who holds how much, how long, and what is refused.
IWARP_TEST(rnicMemory, "occupancy, stay and refusals of reassembly memory")
{
    const std::string limits = "Capacity=10000 PerConnection=6000 ";
    const auto memory = StartPart<RnicReassemblyMemory>(limits);
    memory->KeepReserve(1500);
    NS_TEST_EXPECT_MSG_EQ(memory->HasLimit(), true, "limits");
    NS_TEST_EXPECT_MSG_EQ(memory->GetLimit(1, false), 6000, "share of a connection");
    memory->SetHeld(1000, 1, 6000);
    NS_TEST_EXPECT_MSG_EQ(memory->GetLimit(1, false), 6000, "has its share");
    NS_TEST_EXPECT_MSG_EQ(memory->GetLimit(1, true), 6000, "in order too");
    NS_TEST_EXPECT_MSG_EQ(memory->GetLimit(2, false), 2500, "all but the reserve");
    NS_TEST_EXPECT_MSG_EQ(memory->GetLimit(2, true), 4000, "and the reserve");
    NS_TEST_EXPECT_MSG_EQ(static_cast<int>(memory->Refuse(1, 100)),
                          static_cast<int>(RnicReassemblyMemory::Refusal::PER_CONNECTION),
                          "beyond its share");
    memory->SetHeld(2000, 2, 4000);
    NS_TEST_EXPECT_MSG_EQ(memory->GetHeld(), 10000, "full");
    NS_TEST_EXPECT_MSG_EQ(memory->GetLimit(3, true), 0, "nothing left");
    NS_TEST_EXPECT_MSG_EQ(static_cast<int>(memory->Refuse(3, 1460)),
                          static_cast<int>(RnicReassemblyMemory::Refusal::FULL),
                          "full");
    NS_TEST_EXPECT_MSG_EQ(static_cast<int>(memory->Refuse(3, 10000)),
                          static_cast<int>(RnicReassemblyMemory::Refusal::PER_CONNECTION),
                          "all of it is more than a share");
    NS_TEST_EXPECT_MSG_EQ(static_cast<int>(memory->Refuse(3, 10001)),
                          static_cast<int>(RnicReassemblyMemory::Refusal::TOO_SMALL),
                          "never fits");
    NS_TEST_EXPECT_MSG_EQ(memory->GetRefused(RnicReassemblyMemory::Refusal::FULL), 1460, "count");
    memory->SetHeld(5000, 2, 0);
    memory->Release(7000, 1);
    NS_TEST_EXPECT_MSG_EQ(memory->GetHeld(), 0, "empty");
    NS_TEST_EXPECT_MSG_EQ(memory->GetPeak(), 10000, "peak");
    NS_TEST_EXPECT_MSG_EQ(memory->GetPeakOf(2), 4000, "peak of one");
    NS_TEST_EXPECT_MSG_EQ(memory->GetPeakHolders(), 2, "holders");
    NS_TEST_EXPECT_MSG_EQ(memory->GetHolders(), 0, "holders now");
    NS_TEST_EXPECT_MSG_EQ(memory->GetLongest(10000), 6000, "longest");
    IWARP_COVERS("MPA-A.5-01");
    // 6000 octets for 6000 ps and 4000 for 3000
    NS_TEST_EXPECT_MSG_EQ_TOL(memory->GetMean(10000), 4800, 1e-9, "mean");
    NS_TEST_EXPECT_MSG_EQ_TOL(memory->GetMeanStay(10000), 4800, 1e-9, "stay");

    // 1000 octets for 1000 ps, then 400: counted anew from there on
    const auto anew = StartPart<RnicReassemblyMemory>();
    anew->SetHeld(0, 1, 1000);
    anew->SetHeld(500, 2, 1);
    anew->SetHeld(500, 2, 0);
    anew->SetHeld(1000, 1, 400);
    NS_TEST_EXPECT_MSG_EQ_TOL(anew->GetMean(1000), 1000, 1e-9, "so far");
    NS_TEST_EXPECT_MSG_EQ(anew->GetPeakHolders(), 2, "at once");
    anew->RestartStatistics(1000);
    NS_TEST_EXPECT_MSG_EQ(anew->GetPeak(), 400, "what there is");
    NS_TEST_EXPECT_MSG_EQ(anew->GetPeakHolders(), 1, "of whom");
    NS_TEST_EXPECT_MSG_EQ_TOL(anew->GetMean(3000), 400, 1e-9, "mean since");
    anew->SetHeld(3000, 1, 700);
    NS_TEST_EXPECT_MSG_EQ(anew->GetPeak(), 700, "peak since");
    NS_TEST_EXPECT_MSG_EQ_TOL(anew->GetMean(4000), 500, 1e-9, "400 for 2000 ps, 700 for 1000");

    const auto offChip = StartPart<RnicReassemblyMemory>(limits + "Rate=8000Gbps Latency=70ns");
    NS_TEST_EXPECT_MSG_EQ(offChip->Access(0, 0, 1000), 71'000, "off chip");
    NS_TEST_EXPECT_MSG_EQ(offChip->Access(0, 0, 1000), 72'000, "bandwidth is shared");
    NS_TEST_EXPECT_MSG_EQ(offChip->Access(0, 500, 0), 500, "nothing");

    const auto unlimited = StartPart<RnicReassemblyMemory>();
    NS_TEST_EXPECT_MSG_EQ(unlimited->Check(), "", "the default is good");
    NS_TEST_EXPECT_MSG_EQ(unlimited->HasLimit(), false, "0 is no limit");
    NS_TEST_EXPECT_MSG_GT(unlimited->GetLimit(1, false), 1'000'000'000'000'000, "none at all");
    for (const auto& [settings, word] :
         std::vector<std::pair<std::string, std::string>>{{"Capacity=139", "140"},
                                                          {"PerConnection=139", "140"},
                                                          {"Rate=999bps", "never ends"}})
    {
        const std::string fault = CreatePart<RnicReassemblyMemory>(settings)->Check();
        NS_TEST_EXPECT_MSG_NE(fault.find(word), std::string::npos, "" << fault);
    }
    NS_TEST_EXPECT_MSG_EQ(CreatePart<RnicReassemblyMemory>("Capacity=140")->Check(), "", "least");
    IWARP_COVERS("MPA-A.5.2-03");
}

/// The reserve is that of the largest MTU so far.
IWARP_TEST(rnicMemory, "the reserve follows the largest MTU of the links")
{
    const auto memory = StartPart<RnicReassemblyMemory>("Capacity=20000");
    auto expect = [this, &memory](uint64_t late, uint64_t inOrder, const char* what) {
        NS_TEST_EXPECT_MSG_EQ(memory->GetLimit(2, false), late, what << ", out of order");
        NS_TEST_EXPECT_MSG_EQ(memory->GetLimit(2, true), inOrder, what << ", in order");
    };
    expect(20000 - 140, 20000, "before a link is known: RFC 5044 A.5.2's least");
    memory->KeepReserve(1500);
    expect(18500, 20000, "a link");
    memory->KeepReserve(9000);
    expect(11000, 20000, "one with jumbo frames");
    memory->KeepReserve(1500);
    expect(11000, 20000, "FPDUs of the larger MTU may still be on their way");

    // it grows in a memory that is full but for the smaller one
    const auto full = StartPart<RnicReassemblyMemory>("Capacity=20000");
    full->KeepReserve(1500);
    full->SetHeld(0, 1, 18500);
    full->KeepReserve(9000);
    NS_TEST_EXPECT_MSG_EQ(full->GetLimit(2, false), 0, "nothing besides the reserve");
    NS_TEST_EXPECT_MSG_EQ(full->GetLimit(2, true), 1500, "of which there is so much");
    full->SetHeld(0, 2, 1500);
    NS_TEST_EXPECT_MSG_EQ(full->GetHeld(), 20000, "full");
    NS_TEST_EXPECT_MSG_EQ(full->GetLimit(3, true), 0, "full");
    full->SetHeld(0, 1, 10000);
    NS_TEST_EXPECT_MSG_EQ(full->GetLimit(3, true), 1000, "another may not use the reserve");
    NS_TEST_EXPECT_MSG_EQ(full->GetLimit(2, true), 10000, "its user may use the rest of it");
    full->SetHeld(0, 2, 0);
    NS_TEST_EXPECT_MSG_EQ(full->GetLimit(3, false), 1000, "besides the reserve");
    NS_TEST_EXPECT_MSG_EQ(full->GetLimit(3, true), 10000, "which is free again");

    // who holds it gives it back as soon as there is room outside
    const auto round = StartPart<RnicReassemblyMemory>("Capacity=4000");
    round->KeepReserve(1500);
    round->SetHeld(0, 1, 2500);
    NS_TEST_EXPECT_MSG_EQ(round->GetPoolLimit(2), 0, "others hold all but the reserve");
    round->SetHeld(0, 2, 1000);
    NS_TEST_EXPECT_MSG_EQ(round->GetPoolLimit(2), 0, "it is in the reserve");
    NS_TEST_EXPECT_MSG_EQ(round->GetLimit(3, true), 0, "which another may not use");
    round->SetHeld(0, 1, 1501);
    NS_TEST_EXPECT_MSG_EQ(round->GetLimit(3, true), 999, "nor when an octet is missing");
    round->SetHeld(0, 1, 1500);
    NS_TEST_EXPECT_MSG_EQ(round->GetPoolLimit(2), 1000, "it is in the rest of the memory");
    NS_TEST_EXPECT_MSG_EQ(round->GetLimit(3, true), 1500, "and the reserve is free");
    round->SetHeld(0, 3, 1500);
    NS_TEST_EXPECT_MSG_EQ(round->GetHeld(), 4000, "full");
    NS_TEST_EXPECT_MSG_EQ(round->GetPoolLimit(2), 1000, "what it holds it may hold again");

    // a reserve that has grown in a full memory is another's once its user is done, before it is
    // complete
    const auto grown = StartPart<RnicReassemblyMemory>("Capacity=20000");
    grown->KeepReserve(1500);
    grown->SetHeld(0, 1, 18500);
    grown->KeepReserve(9000);
    grown->SetHeld(0, 2, 1500);
    NS_TEST_EXPECT_MSG_EQ(grown->GetLimit(3, true), 0, "in use");
    grown->SetHeld(0, 2, 0);
    NS_TEST_EXPECT_MSG_EQ(grown->GetLimit(3, true), 1500, "given back");
    NS_TEST_EXPECT_MSG_EQ(grown->GetLimit(3, false), 0, "for segments in order only");

    // a memory smaller than that is all reserve
    const auto small = StartPart<RnicReassemblyMemory>("Capacity=1500");
    small->KeepReserve(9000);
    NS_TEST_EXPECT_MSG_EQ(small->GetLimit(1, false), 0, "nothing out of order");
    NS_TEST_EXPECT_MSG_EQ(small->GetLimit(1, true), 1500, "all in order");
}

/// Many connections, each in the midst of an FPDU in several parts, in a memory for one: all get
/// on.
struct RnicMemoryNoDeadlock : TestCase
{
    using TestCase::TestCase;

    /// @param mtu of the link @param parts of each FPDU, octets @param capacities of memories
    void Check(uint32_t mtu,
               const std::array<uint32_t, 3>& parts,
               const std::vector<uint64_t>& capacities)
    {
        for (uint64_t capacity : capacities)
        {
            const auto memory =
                StartPart<RnicReassemblyMemory>("Capacity=" + std::to_string(capacity));
            memory->KeepReserve(mtu);
            auto rng = CreateObject<UniformRandomVariable>();
            rng->SetStream(5);

            struct Stream
            {
                uint32_t next{0}; //!< part to be sent
                uint32_t done{0}; //!< FPDUs complete
            };

            std::vector<Stream> streams(100);
            uint32_t complete = 0;
            RnicTime now = 0;
            uint32_t turns = 0;
            while (complete < 2000 && ++turns < 1'000'000)
            {
                const uint64_t who = rng->GetInteger(0, 99);
                Stream& s = streams[who];
                now += 1000;
                if (s.next == 2)
                {
                    memory->SetHeld(now, who, 0);
                    s.next = 0;
                    ++s.done;
                    ++complete;
                    continue;
                }
                const uint64_t wanted = memory->GetHeld(who) + parts[s.next];
                if (wanted > memory->GetLimit(who, true))
                {
                    memory->Refuse(who, parts[s.next]);
                    continue;
                }
                memory->SetHeld(now, who, wanted);
                NS_TEST_ASSERT_MSG_LT_OR_EQ(memory->GetHeld(), capacity, "never beyond the memory");
                ++s.next;
            }
            NS_TEST_EXPECT_MSG_EQ(complete, 2000, "progress with " << capacity);
            IWARP_COVERS("MPA-A.5.2-05");
            const auto least =
                std::min_element(streams.begin(),
                                 streams.end(),
                                 [](const Stream& a, const Stream& b) { return a.done < b.done; });
            NS_TEST_EXPECT_MSG_GT(least->done, 0, "each gets its turn, with " << capacity);
            IWARP_COVERS("MPA-A.5.2-02");
        }
    }
};

IWARP_TEST(rnicMemory, "no deadlock in a full memory", RnicMemoryNoDeadlock)
{
    // FPDUs of 1460 octets in three parts; parts 1 and 2 have to wait for part 3. A refused
    // part is sent again, as TCP would. Without a reserve the first parts of three connections
    // fill 1500 octets, and no second part finds room.
    Check(1500, {480, 490, 490}, {1500, 2000, 10000});
    Check(9000, {2980, 2990, 2990}, {9000, 12000, 36000});
}

/// Held octets of an open loop of arrivals and stays, by Little's law.
IWARP_TEST(rnicMemory, "mean occupancy is arrival rate times stay, to 1 %")
{
    // every 100 ns one of 50 connections puts in 1000 octets and takes them out 2 us later
    const auto memory = StartPart<RnicReassemblyMemory>();
    std::deque<std::pair<RnicTime, uint64_t>> leave;
    RnicTime now = 0;
    for (uint32_t i = 0; i < 100000; ++i)
    {
        now = RnicTime(i) * 100'000;
        while (!leave.empty() && leave.front().first <= now)
        {
            memory->SetHeld(leave.front().first, leave.front().second, 0);
            leave.pop_front();
        }
        memory->SetHeld(now, i % 50, 1000);
        leave.emplace_back(now + 2'000'000, i % 50);
    }
    NS_TEST_EXPECT_MSG_EQ_TOL(memory->GetMean(now), 20000, 200, "mean");
    NS_TEST_EXPECT_MSG_EQ_TOL(memory->GetMeanStay(now), 2e6, 2e4, "stay");
    NS_TEST_EXPECT_MSG_EQ(memory->GetPeakHolders(), 20, "connections at a time");
}

/// What an aligned receiver needs follows the time for a frame, not the number of connections.
IWARP_TEST(rnicMemory, "packet buffer is arrival rate times local time")
{
    // frames of 1500 octets back to back through a fixed latency and a bus
    auto peak = [](uint64_t link, double busOverLink, RnicTime local) {
        RnicRate wire(link);
        RnicServerConfig config;
        config.bitRate = static_cast<uint64_t>(static_cast<double>(link) * busOverLink);
        RnicServer bus(config);
        const auto buffer = StartPart<RnicPacketBuffer>();
        RnicTime now = 0;
        for (uint32_t i = 0; i < 20000; ++i)
        {
            now += wire.Serve(1500);
            buffer->Admit(now, 1500);
            buffer->HoldUntil(1500, bus.Serve(now + local, 1500).departure);
        }
        return static_cast<double>(buffer->GetPeak());
    };
    for (uint64_t gb : {10, 40, 100, 400})
    {
        const double held = peak(gb * 1'000'000'000, 2, 1'000'000);
        // rate times (local time + bus time), and the frame that has just come
        const double expected = gb * 1e9 / 8 * 1e-6 + 1500 / 2.0;
        NS_TEST_EXPECT_MSG_EQ_TOL(held, expected, 1500, gb << " Gb/s, 1 us");
        IWARP_COVERS("MPA-B.2-10 MPA-B.2-12");
        // with a time for a frame that shrinks with the frame's own, it does not grow at all
        const double scaled = peak(gb * 1'000'000'000, 2, 1'000'000 * 10 / RnicTime(gb));
        NS_TEST_EXPECT_MSG_EQ_TOL(scaled, peak(10'000'000'000, 2, 1'000'000), 1500, "flat");
        IWARP_COVERS("MPA-B.2-12");
        // a bus of half the rate: half of what comes piles up
        const double piled = peak(gb * 1'000'000'000, 0.5, 1'000'000);
        NS_TEST_EXPECT_MSG_EQ_TOL(piled, 0.5 * 20000 * 1500, 0.02 * 15e6, "slow bus");
        IWARP_COVERS("MPA-B.2-10");
    }
}

/// A packet buffer that is too small drops and counts.
IWARP_TEST(rnicMemory, "packet buffer: every octet leaves, is held or is counted as dropped")
{
    const auto exact = StartPart<RnicPacketBuffer>("Capacity=3000");
    NS_TEST_EXPECT_MSG_EQ(exact->Admit(0, 1000), true, "room");
    NS_TEST_EXPECT_MSG_EQ(exact->Admit(0, 2001), false, "an octet too much");
    NS_TEST_EXPECT_MSG_EQ(exact->Admit(0, 2000), true, "fills it to the last octet");
    NS_TEST_EXPECT_MSG_EQ(exact->Admit(0, 1), false, "full");
    exact->HoldUntil(1000, 10);
    NS_TEST_EXPECT_MSG_EQ(exact->Admit(9, 1), false, "still there");
    NS_TEST_EXPECT_MSG_EQ(exact->Admit(10, 1000), true, "has just left");
    NS_TEST_EXPECT_MSG_EQ(exact->GetPeak(), 3000, "peak");
    NS_TEST_EXPECT_MSG_EQ(exact->GetDrops(), 3, "drops");
    NS_TEST_EXPECT_MSG_EQ(exact->GetDropped(), 2003, "octets of these");
    exact->RestartStatistics(10);
    NS_TEST_EXPECT_MSG_EQ(exact->GetDrops(), 0, "drops since");
    NS_TEST_EXPECT_MSG_EQ(exact->GetDropped(), 0, "octets of these");
    NS_TEST_EXPECT_MSG_EQ(exact->Admit(10, 1), false, "full yet");
    NS_TEST_EXPECT_MSG_EQ(exact->GetDrops(), 1, "one since");

    auto rng = CreateObject<UniformRandomVariable>();
    rng->SetStream(9);
    const auto buffer = StartPart<RnicPacketBuffer>("Capacity=20000");
    RnicTime now = 0;
    uint64_t came = 0;
    std::vector<std::pair<RnicTime, uint64_t>> held;
    double integral = 0;
    for (uint32_t i = 0; i < 5000; ++i)
    {
        now += rng->GetInteger(0, 2000);
        const uint32_t octets = rng->GetInteger(64, 1500);
        uint64_t inside = 0;
        for (const auto& h : held)
        {
            inside += h.first > now ? h.second : 0;
        }
        const bool fits = inside + octets <= 20000;
        came += octets;
        NS_TEST_ASSERT_MSG_EQ(buffer->Admit(now, octets), fits, "room");
        if (fits)
        {
            const RnicTime until = now + rng->GetInteger(1, 40000);
            buffer->HoldUntil(octets, until);
            held.emplace_back(until, octets);
            integral += double(until - now) * octets;
        }
    }
    uint64_t admitted = 0;
    for (const auto& h : held)
    {
        admitted += h.second;
    }
    NS_TEST_EXPECT_MSG_GT(buffer->GetDrops(), 0, "some were dropped");
    NS_TEST_EXPECT_MSG_EQ(buffer->GetDropped() + admitted, came, "conservation");
    NS_TEST_EXPECT_MSG_LT_OR_EQ(buffer->GetPeak(), 20000, "peak");
    now += 1'000'000;
    NS_TEST_EXPECT_MSG_EQ_TOL(buffer->GetMean(now), integral / double(now), 1e-6, "mean");
    NS_TEST_EXPECT_MSG_EQ(buffer->GetHeld(now), 0, "all left");
}
