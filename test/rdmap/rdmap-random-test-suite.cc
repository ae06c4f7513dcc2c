/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "../iwarp-test.h"
#include "../random-seed.h"
#include "rdmap-pair.h"

#include <array>
#include <cstring>
#include <map>

using namespace ns3;

namespace
{

/// Suite of random programs.
IWARP_TEST_SUITE(rdmapRandom, "rdmap-random");

constexpr uint32_t ARENA = 1 << 20;               // octets of memory at each end
constexpr uint32_t COUNTERS = 512;                // octets at its start that Atomics use
constexpr uint32_t SOURCE = ARENA / 2;            // from here on the memory is only read
constexpr uint64_t BASES[] = {0x7F0000000000, 0}; // TO of the first octet at each end

/// Random programs of work requests against a sequential model of memory and completions.
class RdmapRandomTest : public TestCase
{
  public:
    /// @param first first seed @param count number of seeds
    RdmapRandomTest(uint32_t first, uint32_t count)
        : TestCase("programs from seed " + std::to_string(first)),
          m_first(first),
          m_count(count)
    {
    }

  private:
    /// What a Send or Immediate Data has to bring.
    struct Message
    {
        uint32_t place;              // where its buffer lies at the receiver
        uint32_t length;             // octets
        uint32_t source;             // where they come from at the sender, or inline
        std::vector<uint8_t> octets; // inline octets
        bool immediate;              // Immediate Data
        bool solicited;              // asks for an event
        uint32_t writes;             // Writes posted before it
    };

    /// A copy that a Write or Read makes, from the source part of one end to the other end.
    struct Copy
    {
        uint32_t from;
        uint32_t to;
        uint32_t length;
    };

    /// One end's program.
    struct Program
    {
        std::vector<uint8_t> memory;
        uint32_t stag;
        uint32_t place = COUNTERS;                  // next free octet of the part that is written
        std::vector<Message> messages;              // to the other end
        std::vector<Copy> writes;                   // to the other end
        std::vector<Copy> reads;                    // from the other end
        std::vector<uint64_t> work;                 // ids in order of posting
        std::vector<uint32_t> originals;            // where originals of Atomics are put
        std::array<uint64_t, COUNTERS / 8> added{}; // by Atomics, at the other end
    };

    bool Same(const Program& from, uint32_t source, const Program& to, uint32_t sink, uint32_t size)
    {
        return std::memcmp(&from.memory[source], &to.memory[sink], size) == 0;
    }

    void Run(uint32_t seed)
    {
        Ptr<UniformRandomVariable> random = CreateObject<UniformRandomVariable>();
        random->SetStream(RandomSeed(seed));
        RdmapConfig config;
        config.ird = random->GetInteger(1, 5);
        config.ord = random->GetInteger(1, config.ird);
        RdmapTestPair pair(config);
        RdmapTestNode* nodes[] = {&pair.a, &pair.b};
        Program programs[2];
        for (int side = 0; side < 2; side++)
        {
            Program& p = programs[side];
            p.memory.resize(ARENA);
            for (uint32_t i = SOURCE; i < ARENA; i += 4)
            {
                const uint32_t value = random->GetInteger(0, 0xFFFFFFFE);
                std::memcpy(&p.memory[i], &value, 4);
            }
            p.stag = nodes[side]->Register(DdpMemory::Wrap(p.memory.data(), ARENA), BASES[side]);
        }
        for (int side = 0; side < 2; side++)
        {
            const uint32_t count = random->GetInteger(0, 40);
            for (uint32_t i = 0; i < count; i++)
            {
                Add(*nodes[side],
                    programs[side],
                    *nodes[1 - side],
                    programs[1 - side],
                    side,
                    random);
            }
        }
        // at a Send's delivery all Writes before it are in place
        std::size_t checked[2] = {0, 0};
        auto check = [&] {
            for (int side = 0; side < 2; side++)
            {
                Program& from = programs[1 - side];
                Program& to = programs[side];
                while (checked[side] < nodes[side]->received.size())
                {
                    const Message& m = from.messages[checked[side]++];
                    for (uint32_t w = 0; w < m.writes; w++)
                    {
                        const Copy& c = from.writes[w];
                        NS_TEST_EXPECT_MSG_EQ(Same(from, c.from, to, c.to, c.length),
                                              true,
                                              "seed " << seed << ": Write before Send");
                    }
                    IWARP_COVERS("DDP-4.1-7 DDP-5.4-5 RDMAP-5.1-07");
                }
            }
        };
        pair.Shuffle(random, check);

        for (int side = 0; side < 2; side++)
        {
            const Program& from = programs[side];
            const Program& to = programs[1 - side];
            const RdmapTestNode& sender = *nodes[side];
            const RdmapTestNode& receiver = *nodes[1 - side];
            NS_TEST_ASSERT_MSG_EQ(sender.failure.has_value(), false, "seed " << seed);
            NS_TEST_ASSERT_MSG_EQ(sender.completions.size(), from.work.size(), "seed " << seed);
            for (std::size_t i = 0; i < from.work.size(); i++)
            {
                NS_TEST_ASSERT_MSG_EQ(sender.completions[i].id, from.work[i], "in order");
                NS_TEST_ASSERT_MSG_EQ((sender.completions[i].status == RdmapStatus::SUCCESS),
                                      true,
                                      "well");
                IWARP_COVERS("RDMAP-5.5-17");
            }
            NS_TEST_ASSERT_MSG_EQ(receiver.received.size(), from.messages.size(), "seed " << seed);
            for (std::size_t i = 0; i < from.messages.size(); i++)
            {
                const Message& m = from.messages[i];
                const RdmapReceived& r = receiver.received[i];
                NS_TEST_ASSERT_MSG_EQ(r.buffer.context, i, "buffers in order");
                IWARP_COVERS("DDP-5.3-8 RDMAP-5.3-05");
                NS_TEST_ASSERT_MSG_EQ(r.length, m.length, "length");
                NS_TEST_ASSERT_MSG_EQ(r.hasImmediate, m.immediate, "kind");
                NS_TEST_ASSERT_MSG_EQ(r.solicited, m.solicited, "event");
                if (m.immediate)
                {
                    NS_TEST_ASSERT_MSG_EQ(r.immediate, i + 1000, "Immediate Data");
                }
                const uint8_t* octets = m.octets.empty() ? &from.memory[m.source] : m.octets.data();
                NS_TEST_ASSERT_MSG_EQ(
                    (m.immediate || std::memcmp(octets, &to.memory[m.place], m.length) == 0),
                    true,
                    "seed " << seed << " message " << i);
                IWARP_COVERS("DDP-5.2-5");
            }
            for (const Copy& c : from.writes)
            {
                NS_TEST_ASSERT_MSG_EQ(Same(from, c.from, to, c.to, c.length), true, "Write");
                IWARP_COVERS("DDP-5.2-5");
            }
            for (const Copy& c : from.reads)
            {
                NS_TEST_ASSERT_MSG_EQ(Same(to, c.from, from, c.to, c.length), true, "Read");
                IWARP_COVERS("RDMAP-5.5-13");
            }
            for (uint32_t i = 0; i < COUNTERS / 8; i++)
            {
                uint64_t value;
                std::memcpy(&value, &to.memory[8 * i], 8);
                NS_TEST_ASSERT_MSG_EQ(value, from.added[i], "sum of Atomics");
            }
            for (std::size_t i = 0; i < from.originals.size(); i++)
            {
                uint64_t value;
                std::memcpy(&value, &from.memory[from.originals[i]], 8);
                NS_TEST_ASSERT_MSG_EQ(value, m_expectedOriginals[side][i], "original value");
                IWARP_COVERS("EXT-5.4-07");
            }
            NS_TEST_ASSERT_MSG_EQ(sender.endpoint->IsDrained(), true, "nothing is left");
        }
        m_expectedOriginals[0].clear();
        m_expectedOriginals[1].clear();
    }

    void Add(RdmapTestNode& node,
             Program& p,
             RdmapTestNode& peer,
             Program& q,
             int side,
             Ptr<UniformRandomVariable> random)
    {
        const uint32_t kinds[] = {0, 1, 40, 1500, 20000};
        const uint32_t length = random->GetInteger(0, kinds[random->GetInteger(0, 4)]);
        const uint32_t source = SOURCE + random->GetInteger(0, SOURCE - length - 1);
        const uint64_t id = p.work.size() * 3 + 1;
        RdmapWork work = MakeWork(id, RdmapWorkKind::SEND);
        work.fence = random->GetInteger(0, 5) == 0;
        auto piece = [&](uint32_t place, uint32_t size) {
            return DdpSge{BASES[side] + place, size, p.stag};
        };
        auto take = [](Program& owner, uint32_t size) {
            const uint32_t place = owner.place;
            owner.place += (size + 7) / 8 * 8 + 8;
            return place;
        };
        switch (random->GetInteger(0, 5))
        {
        case 0:
        case 1: {
            const bool immediate = random->GetInteger(0, 4) == 0;
            const uint32_t size = immediate ? 8 : length;
            const uint32_t room = size + random->GetInteger(0, 50);
            Message m{take(q, room),
                      size,
                      source,
                      {},
                      immediate,
                      random->GetInteger(0, 1) != 0,
                      uint32_t(p.writes.size())};
            peer.PostReceive(p.messages.size(), q.stag, BASES[1 - side] + m.place, room);
            work.kind = immediate ? RdmapWorkKind::IMMEDIATE : RdmapWorkKind::SEND;
            work.immediate = p.messages.size() + 1000;
            work.solicited = m.solicited;
            if (!immediate && size > 0 && size < 100 && random->GetInteger(0, 1) != 0)
            {
                m.octets.assign(size, 1 + random->GetInteger(0, 200));
                work.inlined = true;
                work.inlineOctets = m.octets;
            }
            else if (!immediate)
            {
                const uint32_t cut = random->GetInteger(0, size);
                work.sges = {piece(source, cut), piece(source + cut, size - cut)};
            }
            p.messages.push_back(m);
            break;
        }
        case 2:
        case 3: {
            work.kind = RdmapWorkKind::WRITE;
            const uint32_t place = take(q, length);
            work.sges = {piece(source, length)};
            work.remoteStag = q.stag;
            work.remoteTo = BASES[1 - side] + place;
            p.writes.push_back({source, place, length});
            break;
        }
        case 4: {
            work.kind = RdmapWorkKind::READ;
            // either of the constant part, or of what the last Write has put there
            const bool own = !p.writes.empty() && random->GetInteger(0, 1) != 0;
            const uint32_t from = own ? p.writes.back().to : source;
            const uint32_t size = own ? p.writes.back().length : length;
            const uint32_t place = take(p, size);
            work.sges = {piece(place, size)};
            work.remoteStag = q.stag;
            work.remoteTo = BASES[1 - side] + from;
            p.reads.push_back({from, place, size});
            break;
        }
        case 5: {
            work.kind = RdmapWorkKind::ATOMIC;
            const uint32_t index = random->GetInteger(0, COUNTERS / 8 - 1);
            const uint32_t place = take(p, 8);
            work.sges = {piece(place, 8)};
            work.remoteStag = q.stag;
            work.remoteTo = BASES[1 - side] + 8 * index;
            work.atomic.data = random->GetInteger(0, 0xFFFFFFFE);
            p.originals.push_back(place);
            m_expectedOriginals[side].push_back(p.added[index]);
            p.added[index] += work.atomic.data;
            break;
        }
        }
        NS_TEST_ASSERT_MSG_EQ((p.place < SOURCE && q.place < SOURCE), true, "room in the arena");
        p.work.push_back(id);
        NS_TEST_ASSERT_MSG_EQ(node.endpoint->PostSend(std::move(work)), 0, "posted");
    }

    void DoRun() override
    {
        for (uint32_t seed = m_first; seed < m_first + m_count && !IsStatusFailure(); seed++)
        {
            Run(seed);
        }
    }

    uint32_t m_first;                             //!< first seed
    uint32_t m_count;                             //!< number of seeds
    std::vector<uint64_t> m_expectedOriginals[2]; //!< originals of each end's Atomics
};

IWARP_TEST_CASES(rdmapRandom)
{
    suite.AddTestCase(new RdmapRandomTest(1, 100));
    suite.AddTestCase(new RdmapRandomTest(1000, 5000), IWARP_TEST_EXTENSIVE);
}

} // namespace
