/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "../iwarp-test.h"
#include "path-tcp-datagram.h"

#include "ns3/path-tcp-coalescer.h"
#include "ns3/path-tcp-run.h"
#include "ns3/path-tcp-segment.h"
#include "ns3/socket.h"

#include <algorithm>
#include <functional>
#include <random>
#include <string>
#include <vector>

using namespace ns3;

namespace
{

/// The suite
IWARP_TEST_SUITE(pathTcpRecut, "path-tcp-recut");

using Octets = Datagram::Octets;
using Segment = PathTcpSegment;

/// @param run run @param size octets of each piece @return datagrams
std::vector<Datagram>
Cut(const PathTcpRun& run, const std::function<uint32_t()>& size)
{
    uint16_t id = 1000;
    std::vector<Datagram> pieces;
    for (const auto& piece : run.Cut(size, [&id] { return id++; }))
    {
        pieces.push_back(Datagram::Read(piece.Write()));
    }
    return pieces;
}

/**
 * @ingroup iwarp-test
 * A segment of n octets becomes ceil(n/m) of m octets, the last of the rest; headers are those of
 * what host hardware makes of a large segment.
 */
class FixedCutTest : public TestCase
{
  public:
    explicit FixedCutTest(bool ipv6) //!< @param ipv6 use IPv6
        : TestCase(std::string("Pieces of a fixed size, ") + (ipv6 ? "IPv6" : "IPv4")),
          m_ipv6(ipv6)
    {
    }

  private:
    /// @param whole a datagram @param most octets of a piece
    void Check(const Datagram& whole, uint32_t most)
    {
        const auto n = static_cast<uint32_t>(whole.payload.size());
        const auto pieces = Cut(PathTcpRun(*ReadSegment(whole)), [most] { return most; });
        NS_TEST_ASSERT_MSG_EQ(pieces.size(), (n + most - 1) / most, n << " by " << most);
        Octets octets;
        for (std::size_t i = 0; i < pieces.size(); i++)
        {
            const Datagram& piece = pieces[i];
            const bool first = i == 0;
            const bool last = i + 1 == pieces.size();
            NS_TEST_EXPECT_MSG_EQ(piece.payload.size(),
                                  std::min<std::size_t>(most, n - i * most),
                                  "size");
            NS_TEST_EXPECT_MSG_EQ(piece.seq, static_cast<uint32_t>(whole.seq + i * most), "seq");
            uint8_t flags = whole.flags;
            flags &= last ? 0xFF : 0xF6;  // PSH and FIN
            flags &= first ? 0xFF : 0x7F; // CWR
            NS_TEST_EXPECT_MSG_EQ(+piece.flags, +flags, "flags of piece " << i);
            NS_TEST_EXPECT_MSG_EQ(piece.good && piece.checksums, true, "lengths, checksums");
            NS_TEST_EXPECT_MSG_EQ(piece.ack, whole.ack, "acknowledgment number");
            NS_TEST_EXPECT_MSG_EQ(piece.window, whole.window, "window");
            NS_TEST_EXPECT_MSG_EQ((piece.options == whole.options), true, "options");
            NS_TEST_EXPECT_MSG_EQ(+piece.ecn, +whole.ecn, "ECN");
            NS_TEST_EXPECT_MSG_EQ(+piece.ttl, +whole.ttl, "time to live");
            if (!m_ipv6)
            {
                NS_TEST_EXPECT_MSG_EQ(piece.fragment, whole.fragment, "DF");
                NS_TEST_EXPECT_MSG_EQ(piece.id, (first ? whole.id : 999 + i), "identification");
            }
            octets.insert(octets.end(), piece.payload.begin(), piece.payload.end());
        }
        NS_TEST_EXPECT_MSG_EQ((octets == whole.payload), true, "octets");
    }

    void DoRun() override
    {
        Datagram whole;
        whole.ipv6 = m_ipv6;
        whole.seq = 0xFFFFFF00; // wraps
        whole.ecn = Segment::CE;
        for (const uint32_t n : {1, 2, 699, 700, 701, 1399, 1400, 1428, 8948})
        {
            whole.payload = Datagram::MakePayload(n);
            for (const uint32_t most : {1, 536, 699, 700, 701, 65535})
            {
                if (most == 1 && n > 1000)
                {
                    continue;
                }
                for (const uint8_t flags : {0x10, 0x18, 0x11, 0xD9})
                {
                    whole.flags = flags;
                    whole.options = flags == 0x10 ? Octets{} : Datagram::Timestamps(5, 6);
                    whole.fragment = flags == 0x11 ? 0 : 0x4000;
                    Check(whole, most);
                }
            }
        }
    }

    bool m_ipv6; //!< IPv6 rather than IPv4
};

/**
 * @ingroup iwarp-test
 * Segments of any size, merged and cut anywhere: the same octets at the same sequence numbers, with
 * right checksums, and PSH where it was last.
 */
class RandomCutTest : public TestCase
{
  public:
    /// @param seeds how many
    explicit RandomCutTest(uint32_t seeds)
        : TestCase("Runs of random segments in random pieces, " + std::to_string(seeds)),
          m_seeds(seeds)
    {
    }

  private:
    void DoRun() override
    {
        for (uint32_t seed = 0; seed < m_seeds; seed++)
        {
            std::mt19937 random(seed);
            const auto draw = [&random](uint32_t least, uint32_t most) {
                return least + random() % (most - least + 1);
            };
            Datagram next;
            next.ipv6 = draw(0, 1);
            next.seq = static_cast<uint32_t>(random());
            next.options = draw(0, 1) ? Datagram::Timestamps(1, 1) : Octets{};
            const uint32_t start = next.seq;
            Octets sent = next.payload = Datagram::MakePayload(draw(1, 300), seed);
            PathTcpRun run(*ReadSegment(next));
            const uint32_t segments = draw(1, 6);
            for (uint32_t i = 1; i < segments; i++)
            {
                next.seq = start + static_cast<uint32_t>(sent.size());
                next.payload =
                    Datagram::MakePayload(draw(1, 300), static_cast<uint32_t>(sent.size()));
                next.ack += draw(0, 100);
                next.flags = i + 1 == segments ? 0x18 : 0x10;
                NS_TEST_ASSERT_MSG_EQ(run.CanAppend(*ReadSegment(next)), true, "continues");
                run.Append(*ReadSegment(next));
                sent.insert(sent.end(), next.payload.begin(), next.payload.end());
            }
            NS_TEST_EXPECT_MSG_EQ(run.GetSize(), sent.size(), "octets");
            Octets got;
            bool right = true;
            for (const auto& piece : Cut(run, [&draw] { return draw(1, 400); }))
            {
                right = right && piece.good && piece.checksums && piece.ack == next.ack &&
                        piece.seq == start + static_cast<uint32_t>(got.size());
                got.insert(got.end(), piece.payload.begin(), piece.payload.end());
                right = right && (piece.flags == (got.size() == sent.size() ? next.flags : 0x10));
            }
            NS_TEST_EXPECT_MSG_EQ(right, true, "headers, seed " << seed);
            NS_TEST_EXPECT_MSG_EQ((got == sent), true, "octets, seed " << seed);
        }
    }

    uint32_t m_seeds; //!< how many runs
};

/**
 * @ingroup iwarp-test
 * What may be merged, and what the headers are then.
 */
class MergeTest : public TestCase
{
  public:
    explicit MergeTest(bool ipv6) //!< @param ipv6 use IPv6
        : TestCase(std::string("What can be merged, ") + (ipv6 ? "IPv6" : "IPv4"))
    {
        m_first.ipv6 = ipv6;
        m_first.options = Datagram::Timestamps(100, 50);
        m_first.payload = Datagram::MakePayload(100);
        m_next = m_first;
        m_next.seq += 100;
        m_next.id++;
        m_next.options = Datagram::Timestamps(101, 51);
    }

  private:
    /// @param what for people @param change what is done to both @return whether they can be merged
    template <typename F>
    bool Can(F change)
    {
        Datagram first = m_first;
        Datagram next = m_next;
        change(first, next);
        return PathTcpRun(*ReadSegment(first)).CanAppend(*ReadSegment(next));
    }

    void DoRun() override
    {
        using D = Datagram;
        NS_TEST_EXPECT_MSG_EQ(Can([](D&, D&) {}), true, "as they are");
        NS_TEST_EXPECT_MSG_EQ(Can([](D&, D& b) { b.seq++; }), false, "a gap");
        NS_TEST_EXPECT_MSG_EQ(Can([](D&, D& b) { b.seq--; }), false, "an overlap");
        NS_TEST_EXPECT_MSG_EQ(Can([](D&, D& b) { b.payload.clear(); }), false, "no data");
        NS_TEST_EXPECT_MSG_EQ(Can([](D&, D& b) { b.ack--; }), false, "an older ACK");
        NS_TEST_EXPECT_MSG_EQ(Can([](D&, D& b) { b.ack += 5; }), true, "a newer ACK");
        NS_TEST_EXPECT_MSG_EQ(Can([](D&, D& b) { b.window = 1; }), true, "another window");
        NS_TEST_EXPECT_MSG_EQ(Can([](D&, D& b) { b.ttl--; }), false, "another TTL");
        NS_TEST_EXPECT_MSG_EQ(Can([](D&, D& b) { b.options.clear(); }), false, "other options");
        NS_TEST_EXPECT_MSG_EQ(Can([](D& a, D& b) {
                                  a.options = b.options = {1, 1, 5, 10, 0, 0, 0, 1, 0, 0, 0, 2};
                              }),
                              false,
                              "SACK blocks");
        if (!m_first.ipv6)
        {
            NS_TEST_EXPECT_MSG_EQ(Can([](D&, D& b) { b.fragment = 0; }), false, "DF");
        }
        DoRunFlags();
        DoRunHeaders();
    }

    void DoRunFlags()
    {
        using D = Datagram;

        struct Flags
        {
            uint8_t first;
            uint8_t next;
            bool can;
        };

        for (const auto& [first, next, can] : std::vector<Flags>{{0x10, 0x18, true},
                                                                 {0x18, 0x10, false}, // PSH
                                                                 {0x10, 0x11, true},
                                                                 {0x11, 0x10, false}, // FIN
                                                                 {0x10, 0x14, false}, // RST
                                                                 {0x10, 0x12, false}, // SYN
                                                                 {0x10, 0x30, false}, // URG
                                                                 {0x10, 0x00, false}, // no ACK
                                                                 {0x10, 0x90, false}, // CWR
                                                                 {0x90, 0x10, true},
                                                                 {0x10, 0x50, false}, // ECE
                                                                 {0x50, 0x10, false},
                                                                 {0x50, 0x50, true}})
        {
            const bool found = Can([f = first, n = next](D& a, D& b) {
                a.flags = f;
                b.flags = n;
            });
            NS_TEST_EXPECT_MSG_EQ(found, can, "flags " << +first << " and " << +next);
        }
        // by rows the first one's ECN field, by columns the next one's: none, ECT(1), ECT(0), CE
        const bool ecn[4][4] = {{true, false, false, false},
                                {false, true, false, true},
                                {false, false, true, true},
                                {false, true, true, true}};
        for (uint8_t i = 0; i < 16; i++)
        {
            const bool found = Can([i](D& a, D& b) {
                a.ecn = i / 4;
                b.ecn = i % 4;
            });
            NS_TEST_EXPECT_MSG_EQ(found, ecn[i / 4][i % 4], "ECN " << i / 4 << " and " << i % 4);
        }
    }

    void DoRunHeaders()
    {
        m_next.ack += 5;
        m_next.window = 77;
        m_next.ecn = Segment::CE;
        m_next.flags = 0x19;
        PathTcpRun run(*ReadSegment(m_first));
        run.Append(*ReadSegment(m_next));
        NS_TEST_EXPECT_MSG_EQ(run.IsComplete(), true, "PSH and FIN end it");
        NS_TEST_EXPECT_MSG_EQ(run.GetSegments(), 2, "segments");
        NS_TEST_EXPECT_MSG_EQ(run.GetHeld(),
                              m_first.MakeOctets().size() + m_next.MakeOctets().size(),
                              "octets held");
        const auto pieces = Cut(run, [] { return 10000; });
        NS_TEST_ASSERT_MSG_EQ(pieces.size(), 1, "one");
        const Datagram& merged = pieces[0];
        NS_TEST_EXPECT_MSG_EQ(merged.good && merged.checksums, true, "lengths, checksums");
        NS_TEST_EXPECT_MSG_EQ(merged.seq, m_first.seq, "sequence number");
        NS_TEST_EXPECT_MSG_EQ(merged.ack, m_next.ack, "the newer ACK");
        NS_TEST_EXPECT_MSG_EQ(merged.window, 77, "the newer window");
        NS_TEST_EXPECT_MSG_EQ(+merged.ecn, +Segment::CE, "CE of any");
        NS_TEST_EXPECT_MSG_EQ(+merged.flags, 0x19, "PSH and FIN of the last");
        NS_TEST_EXPECT_MSG_EQ((merged.options == Datagram::Timestamps(100, 51)),
                              true,
                              "timestamp of the first octet, echo of the newest ACK");
        Octets both = m_first.payload;
        both.insert(both.end(), m_next.payload.begin(), m_next.payload.end());
        NS_TEST_EXPECT_MSG_EQ((merged.payload == both), true, "octets");
    }

    Datagram m_first; //!< a segment
    Datagram m_next;  //!< one that continues it
};

IWARP_TEST_CASES(pathTcpRecut)
{
    for (const bool ipv6 : {false, true})
    {
        suite.AddTestCase(new FixedCutTest(ipv6));
        suite.AddTestCase(new MergeTest(ipv6));
    }
    suite.AddTestCase(new RandomCutTest(3000));
    suite.AddTestCase(new RandomCutTest(100000), IWARP_TEST_EXTENSIVE);
}

/// A piece has the tags of the segment that its first octet was in.
IWARP_TEST(pathTcpRecut, "Tags of pieces")
{
    const auto make = [](uint32_t seq, uint8_t priority) {
        Datagram datagram;
        datagram.seq = seq;
        datagram.payload = Datagram::MakePayload(100);
        Segment segment = *ReadSegment(datagram);
        SocketPriorityTag tag;
        tag.SetPriority(priority);
        segment.GetPayload()->AddPacketTag(tag);
        return segment;
    };
    PathTcpRun run(make(0, 1));
    run.Append(make(100, 2));
    run.Append(make(200, 3));
    // pieces from 0, 100, 150 and 250
    std::vector<uint32_t> sizes{100, 50, 100, 50};
    auto size = sizes.begin();
    std::string priorities;
    for (const auto& piece : run.Cut([&size] { return *size++; }, [] { return uint16_t{0}; }))
    {
        SocketPriorityTag tag;
        NS_TEST_ASSERT_MSG_EQ(piece.GetPayload()->PeekPacketTag(tag), true, "a tag");
        priorities += std::to_string(tag.GetPriority());
    }
    NS_TEST_EXPECT_MSG_EQ(priorities, "1223", "of the first octet's segment");
}

/// How long data wait, in which order they go, and how much of them can wait.
struct CoalescerTest : TestCase
{
    using TestCase::TestCase;

    /// @param host flow @param seq of the segment @param size octets @param flags flags
    static Segment Make(uint8_t host, uint32_t seq, uint32_t size, uint8_t flags = 0x10)
    {
        Datagram datagram;
        datagram.host = host;
        datagram.seq = seq;
        datagram.flags = flags;
        datagram.payload = Datagram::MakePayload(size);
        return *ReadSegment(datagram);
    }

    /// @param runs runs @param sizes octets that they are expected to have
    void Expect(const PathTcpCoalescer::Runs& runs, const std::vector<uint32_t>& sizes)
    {
        std::vector<uint32_t> got;
        for (const auto& run : runs)
        {
            got.push_back(run.GetSize());
        }
        NS_TEST_EXPECT_MSG_EQ((got == sizes), true, "runs, of " << sizes.size());
    }
};

IWARP_TEST(pathTcpRecut, "Coalescing by time, size and memory", CoalescerTest)
{
    PathTcpCoalescer coalescer;
    coalescer.SetLimits({1000, MicroSeconds(10), 10000});
    const auto at = [](int64_t us) { return MicroSeconds(us); };
    Expect(coalescer.Push(Make(1, 0, 400), at(0)), {});
    Expect(coalescer.Push(Make(2, 0, 300), at(4)), {});
    Expect(coalescer.Push(Make(1, 400, 400), at(5)), {});
    NS_TEST_EXPECT_MSG_EQ(coalescer.GetHeld(), 3 * 40 + 1100, "held");
    NS_TEST_EXPECT_MSG_EQ(coalescer.GetDeadline(), at(10), "since the first");
    Expect(coalescer.Expire(at(9)), {});
    Expect(coalescer.Push(Make(1, 800, 400), at(9)), {800});   // would be too many: waits anew
    Expect(coalescer.Push(Make(1, 1200, 600), at(9)), {1000}); // as many as may be
    NS_TEST_EXPECT_MSG_EQ(coalescer.GetDeadline(), at(14), "the other flow");
    Expect(coalescer.Expire(at(14)), {300});
    NS_TEST_EXPECT_MSG_EQ(coalescer.IsEmpty(), true, "no more");
    NS_TEST_EXPECT_MSG_EQ(coalescer.GetHeld(), 0, "nothing");

    Expect(coalescer.Push(Make(1, 0, 100), at(20)), {});
    Expect(coalescer.Push(Make(1, 300, 50), at(20)), {100}); // out of order
    Expect(coalescer.Push(Make(1, 100, 60), at(20)), {50});
    Expect(coalescer.Push(Make(1, 160, 40, 0x18), at(20)), {100}); // PSH goes at once
    Expect(coalescer.Push(Make(1, 200, 40, 0x18), at(20)), {40});
    Expect(coalescer.Push(Make(1, 240, 1000), at(20)), {1000}); // so does a large one
    Expect(coalescer.Push(Make(1, 1240, 10), at(20)), {});
    Expect(coalescer.Flush(Make(2, 0, 1).GetFlow()), {});
    Expect(coalescer.Flush(Make(1, 0, 1).GetFlow()), {10});

    coalescer.SetLimits({1000, MicroSeconds(10), 300});
    Expect(coalescer.Push(Make(1, 0, 100), at(30)), {});
    Expect(coalescer.Push(Make(2, 0, 100), at(30)), {});
    NS_TEST_EXPECT_MSG_EQ(coalescer.GetHeld(), 280, "held");
    Expect(coalescer.Push(Make(1, 100, 1), at(30)), {100, 1}); // no memory: in order
    NS_TEST_EXPECT_MSG_EQ(coalescer.GetHeld(), 140, "held");
    for (uint8_t host = 3; host < 100; host++) // many flows
    {
        coalescer.Push(Make(host, 0, 1), at(30));
        NS_TEST_EXPECT_MSG_LT_OR_EQ(coalescer.GetHeld(), 300, "no more than that");
    }
    Expect(coalescer.Expire(at(40)), {100, 1, 1, 1});
}

} // namespace
