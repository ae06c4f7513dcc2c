/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "../iwarp-test.h"
#include "../random-seed.h"
#include "rdma-cut-host.h"

#include "ns3/mpa-fpdu.h"
#include "ns3/nstime.h"

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

using namespace ns3;

namespace
{

/// Suite of the law that cuts do not matter.
IWARP_TEST_SUITE(rdmaCut, "rdma-cut");

using CutFault = RdmaCutFault;

/**
 * @ingroup iwarp-tests
 * However TCP cuts what a peer sends, in whatever order segments come and how often, completions,
 * errors, the Terminate, what the host sends and its memory are the same.
 */
class RdmaCutCase : public TestCase
{
  public:
    using TestCase::TestCase;

  protected:
    static constexpr uint32_t LARGEST = 1400; //!< octets of a segment

    /// @param shape how the stream is made @return the stream
    static RdmaCutStream Make(const RdmaCutShape& shape)
    {
        return {shape, RdmaCutHost().GetPlaces()};
    }

    /// Run a stream FPDU by FPDU, with which others are compared. @param shape how it is made
    void Begin(const RdmaCutShape& shape)
    {
        m_stream = std::make_unique<RdmaCutStream>(Make(shape));
        m_size = RdmaCutHost::CountOctets(*m_stream);
        const uint32_t ahead = m_size - m_stream->octets.size();
        std::vector<uint32_t> cuts{ahead};
        for (const uint32_t end : m_stream->ends)
        {
            cuts.push_back(ahead + end);
        }
        m_reference = RdmaCutHost().Run(*m_stream, Cut(cuts, MilliSeconds(1)));
    }

    /// @param cuts where to cut, besides where segments would be too long @param wait between
    /// segments @return segments
    RdmaCutPlan Cut(std::vector<uint32_t> cuts, Time wait) const
    {
        cuts.push_back(m_size);
        std::sort(cuts.begin(), cuts.end());
        RdmaCutPlan plan;
        uint32_t at = 0;
        for (const uint32_t cut : cuts)
        {
            while (at < cut)
            {
                const uint32_t to = std::min(cut, at + LARGEST);
                plan.push_back({at, to, wait});
                at = to;
            }
        }
        if (m_stream->fin && (plan.empty() || !m_stream->ends.empty()))
        { // alone
            plan.push_back({m_size, m_size, wait});
        }
        return plan;
    }

    /// Run the stream in segments and compare. @param plan segments @param what for messages
    void Compare(const RdmaCutPlan& plan, const std::string& what)
    {
        const RdmaCutHost::Outcome outcome = RdmaCutHost().Run(*m_stream, plan);
        const std::string where = "seed " + std::to_string(m_stream->shape.seed) + ", fault " +
                                  std::to_string(static_cast<int>(m_stream->shape.fault)) +
                                  (m_stream->shape.markers ? ", Markers" : "") +
                                  (m_stream->shape.listens ? ", listens" : "") +
                                  (m_stream->shape.withReply ? ", with the Reply" : "") + ", " +
                                  what + ": ";
        m_runs++;
        NS_TEST_EXPECT_MSG_EQ(outcome.text, m_reference.text, where << "what happens");
        // Markers let octets behind a fault come to their place ahead of it
        const bool late = m_stream->shape.markers && !IsInOrder(plan);
        const uint32_t from = m_stream->GetReceivePlace(1) > 0 ? RdmaCutStream::RECEIVE_SIZE : 0;
        const uint32_t to = late ? RdmaCutStream::HIGH : outcome.memory.size();
        const auto& memory = m_reference.memory;
        const auto difference = std::mismatch(outcome.memory.begin() + (late ? from : 0),
                                              outcome.memory.begin() + to,
                                              memory.begin() + (late ? from : 0));
        NS_TEST_EXPECT_MSG_EQ(difference.first - outcome.memory.begin(),
                              to,
                              where << "memory is the same up to");
    }

    /// @param plan segments @return none comes ahead of another's octets
    static bool IsInOrder(const RdmaCutPlan& plan)
    {
        uint32_t edge = 0;
        for (const RdmaCutPart& part : plan)
        {
            if (part.from > edge)
            {
                return false;
            }
            edge = std::max(edge, part.to);
        }
        return true;
    }

    std::unique_ptr<RdmaCutStream> m_stream; //!< what the peer sends
    uint32_t m_size{0};                      //!< octets of it
    RdmaCutHost::Outcome m_reference;        //!< what comes of it FPDU by FPDU
    uint64_t m_runs{0};                      //!< comparisons
};

/// Short streams, cut everywhere.
class RdmaCutEverywhereTest : public RdmaCutCase
{
  public:
    /// @param shape how the stream is made @param step octets between cuts
    RdmaCutEverywhereTest(const RdmaCutShape& shape, uint32_t step)
        : RdmaCutCase("a short stream cut everywhere, fault " +
                      std::to_string(static_cast<int>(shape.fault)) +
                      (shape.markers ? ", Markers" : "") + (shape.listens ? ", listens" : "") +
                      (shape.withReply ? ", with the Reply" : "")),
          m_shape(shape),
          m_step(step)
    {
    }

  private:
    void DoRun() override
    {
        Begin(m_shape);
        Compare(Cut({}, Time(0)), "whole");
        std::vector<uint32_t> all(m_size);
        std::iota(all.begin(), all.end(), 0);
        Compare(Cut(all, MicroSeconds(2)), "octet by octet"); // what waits on the link is limited
        for (uint32_t cut = 1; cut < m_size && !IsStatusFailure(); cut += m_step)
        {
            auto plan = Cut({cut}, MicroSeconds(10));
            Compare(plan, "cut at " + std::to_string(cut));
            std::reverse(plan.begin(), plan.end());
            Compare(plan, "cut at " + std::to_string(cut) + ", the other way round");
        }
    }

    RdmaCutShape m_shape; //!< how the stream is made
    uint32_t m_step;      //!< octets between cuts
};

IWARP_TEST_CASES(rdmaCut)
{
    for (int fault = 0; fault < static_cast<int>(CutFault::KINDS); fault++)
    {
        RdmaCutShape shape;
        shape.seed = 1 + fault;
        shape.fault = static_cast<CutFault>(fault);
        for (const bool markers : {false, true})
        {
            shape.markers = markers;
            suite.AddTestCase(new RdmaCutEverywhereTest(shape, markers ? 53 : 29));
        }
        if (RdmaCutStream::IsOfReads(shape.fault))
        {
            continue;
        }
        shape.markers = false;
        shape.listens = true;
        suite.AddTestCase(new RdmaCutEverywhereTest(shape, 67));
        shape.listens = false;
        shape.withReply = true;
        suite.AddTestCase(new RdmaCutEverywhereTest(shape, 67));
    }
}

/// Random streams in random segments.
class RdmaCutRandomTest : public RdmaCutCase
{
  public:
    /// @param first first seed @param count number of seeds
    RdmaCutRandomTest(uint32_t first, uint32_t count)
        : RdmaCutCase("random streams in random segments, seeds from " + std::to_string(first)),
          m_first(first),
          m_count(count)
    {
    }

  private:
    /// @param dice random numbers @return segments: in order or not, some twice
    RdmaCutPlan Shuffle(mpatest::Dice& dice) const
    {
        std::vector<uint32_t> cuts;
        for (uint32_t n = dice.Below(12); n > 0; n--)
        {
            cuts.push_back(dice.Below(m_size + 1));
        }
        const Time wait = MicroSeconds(dice.Chance(50) ? 0 : 1 + dice.Below(300));
        RdmaCutPlan plan = Cut(cuts, wait);
        for (uint32_t n = dice.Chance(50) ? dice.Below(6) : 0; n > 0 && m_size > 0; n--)
        { // some octets again, cut in another way
            const uint32_t from = dice.Below(m_size);
            const uint32_t to = std::min(m_size, from + 1 + dice.Below(LARGEST));
            plan.insert(plan.begin() + dice.Below(plan.size() + 1), {from, to, wait});
        }
        const bool ordered = plan.empty() || dice.Chance(40);
        const uint32_t window = ordered ? 0 : 1 + dice.Below(plan.size());
        for (uint32_t i = 0; i + 1 < plan.size() && window > 0; i++)
        {
            std::swap(plan[i], plan[i + dice.Below(std::min<uint32_t>(window, plan.size() - i))]);
        }
        return plan;
    }

    void DoRun() override
    {
        for (uint32_t seed = m_first; seed < m_first + m_count && !IsStatusFailure(); seed++)
        {
            mpatest::Dice dice(seed);
            RdmaCutShape shape;
            shape.seed = seed;
            shape.fault = static_cast<CutFault>(dice.Below(static_cast<int>(CutFault::KINDS)));
            shape.markers = dice.Chance(50);
            shape.crc = dice.Chance(80);
            const bool plain = RdmaCutStream::IsOfReads(shape.fault);
            shape.listens = !plain && dice.Chance(40);
            shape.withReply = !plain && !shape.listens && dice.Chance(30);
            shape.before = dice.Below(dice.Chance(20) ? 40 : 6);
            shape.behind = dice.Below(6);
            shape.largest = 1 + dice.Below(dice.Chance(50) ? 64 : 999);
            Begin(shape);
            for (uint32_t i = 0; i < 4; i++)
            {
                Compare(Shuffle(dice), "plan " + std::to_string(i));
            }
        }
    }

    uint32_t m_first; //!< first seed
    uint32_t m_count; //!< number of seeds
};

/// What comes in order ahead of a segment in error is done, though one TCP segment brings both.
struct RdmaCutAheadTest : TestCase
{
    using TestCase::TestCase;

    /// @param what case @param octets FPDUs in one segment @param receives posted
    /// @param answers opcodes that the host sends, the Terminate behind them
    void Try(const std::string& what,
             const std::string& octets,
             uint32_t receives,
             const std::vector<int>& answers)
    {
        RdmaScriptedHost c;
        c.Connect(Hex("4D504120494420526570204672616D65 5002 0004 0010 0010"));
        for (uint32_t id = 2; id <= receives; id++)
        {
            c.host.PostReceive(id, 1000 * id, 1000);
        }
        c.onEstablished = [&] {
            Simulator::Schedule(MilliSeconds(10), [&] { c.peer.Send(0, Hex(octets)); });
        };
        c.Run(Seconds(1));
        NS_TEST_ASSERT_MSG_EQ(c.host.completions.size(), receives, what << ": receives");
        for (const RdmaCompletion& completion : c.host.completions)
        {
            NS_TEST_EXPECT_MSG_EQ((completion.status == RdmapStatus::SUCCESS),
                                  true,
                                  what << ": receive " << completion.id);
        }
        std::vector<int> opcodes;
        const auto& sent = c.peer.received; // a Request of 24 octets, then FPDUs
        for (std::size_t at = 24; at + 4 <= sent.size();)
        {
            opcodes.push_back(sent[at + 3] & 15);
            at += mpa::BaseSize(256 * sent[at] + sent[at + 1]);
        }
        NS_TEST_EXPECT_MSG_EQ((opcodes == answers), true, what << ": what the host sends");
        NS_TEST_EXPECT_MSG_EQ(c.host.Count(RdmaConnectionEvent::Kind::FAILED), 1, what);
    }
};

IWARP_TEST(rdmaCut, "messages ahead of an error", RdmaCutAheadTest)
{
    // each octet by hand; CRCs by a CRC32c that is not the module's
    const std::string first = "0016 4143 00000000 00000000 00000001 00000000 11223344 A2A7A020";
    const std::string second = "0016 4143 00000000 00000000 00000002 00000000 11223344 8BAB0F39";
    const std::string third = "0016 4143 00000000 00000000 00000003 00000000 11223344 C37D31CD";
    const std::string read = "002E 4141 00000000 00000001 00000001 00000000 00000001"
                             "0000000000000000 00000000 00000000 0000000000000000 6F0DE913";
    Try("three Sends and two receives", first + second + third, 2, {7});
    IWARP_COVERS("DDP-5.4-6");
    Try("a Read as well", first + read + second, 1, {2, 7});
}

IWARP_TEST_CASES(rdmaCut)
{
    suite.AddTestCase(new RdmaCutRandomTest(RandomSeed(1), 60));
    // with the Reply, out of order, an error that MPA finds ahead of more than a segment; with
    // Markers, an Atomic ahead of a Write, and all regions invalidated
    for (const uint32_t seed : {1725, 3459, 4001, 7755, 4097, 4201, 8864})
    {
        suite.AddTestCase(new RdmaCutRandomTest(seed, 1));
    }
    // IWARP_CUT_SEEDS=FIRST:COUNT runs others
    const char* seeds = std::getenv("IWARP_CUT_SEEDS");
    const std::string range = seeds ? seeds : "1000:10000";
    suite.AddTestCase(
        new RdmaCutRandomTest(std::stoul(range), std::stoul(range.substr(range.find(':') + 1))),
        IWARP_TEST_EXTENSIVE);
}

} // namespace
