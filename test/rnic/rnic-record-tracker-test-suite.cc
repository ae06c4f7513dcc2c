/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "../iwarp-test.h"
#include "../random-seed.h"

#include "ns3/rnic-record-tracker.h"

#include <algorithm>
#include <boost/endian/conversion.hpp>
#include <cmath>
#include <cstring>
#include <deque>
#include <map>
#include <random>
#include <vector>

using namespace ns3;

namespace
{

IWARP_TEST_SUITE(rnicRecordTracker, "rnic-record-tracker");

using State = RnicRecordTracker::State;
using TrackerConfig = RnicRecordTracker::Config;

/// Records of a magic octet, two octets of length of what follows, and that.
class MagicFraming : public RecordFraming
{
  public:
    static constexpr uint32_t HEAD = 3;       //!< octets of a head
    static constexpr uint8_t MAGIC = 0xA5;    //!< its first
    static constexpr uint32_t LONGEST = 8192; //!< octets of payload at most

    const char* GetName() const override
    {
        return "magic";
    }

    uint32_t GetHeadSize() const override
    {
        return HEAD;
    }

    RecordHead ReadHead(const uint8_t* head) const override
    {
        const uint32_t payload = boost::endian::load_big_u16(head + 1);
        const bool good = head[0] == MAGIC && payload > 0 && payload <= LONGEST;
        return good ? RecordHead{HEAD + payload, payload, HEAD} : RecordHead{};
    }
};

const MagicFraming g_magic; //!< of all streams here

/// A stream of records, as its sender has it.
struct TrackedStream
{
    std::vector<uint8_t> octets;    //!< all of it
    std::vector<uint32_t> starts{}; //!< where records begin, and the end

    /// @param sizes of payloads @param fill makes an octet of payload
    template <typename F>
    TrackedStream(const std::vector<uint32_t>& sizes, F fill)
    {
        for (const uint32_t size : sizes)
        {
            starts.push_back(static_cast<uint32_t>(octets.size()));
            octets.push_back(MagicFraming::MAGIC);
            octets.push_back(static_cast<uint8_t>(size >> 8));
            octets.push_back(static_cast<uint8_t>(size));
            for (uint32_t i = 0; i < size; i++)
            {
                octets.push_back(fill());
            }
        }
        starts.push_back(static_cast<uint32_t>(octets.size()));
    }

    /// @param at octet @return a record begins there
    bool IsStart(uint32_t at) const
    {
        return std::binary_search(starts.begin(), starts.end() - 1, at);
    }

    /// @param from octet @param to octet @return payload in between
    uint32_t CountPayload(uint32_t from, uint32_t to) const
    {
        uint32_t payload = 0;
        for (std::size_t i = 0; i + 1 < starts.size(); i++)
        {
            const uint32_t first = std::max(from, starts[i] + MagicFraming::HEAD);
            const uint32_t last = std::min(to, starts[i + 1]);
            payload += first < last ? last - first : 0;
        }
        return payload;
    }
};

/// A stream and an adapter that follows it.
class TrackedPath
{
  public:
    /// @param stream it @param config of the adapter @param base sequence number of its first octet
    TrackedPath(const TrackedStream& stream, const TrackerConfig& config, uint32_t base = 0)
        : m_stream(stream),
          m_base(base),
          tracker(g_magic, base, config, counters)
    {
    }

    /// A segment arrives. @param from its first octet @param to behind its last @return what
    /// becomes of it
    RnicRecordTracker::Outcome Arrive(uint32_t from, uint32_t to)
    {
        const auto copy = [&](uint32_t at, uint32_t size, uint8_t* out) {
            std::memcpy(out, m_stream.octets.data() + from + at, size);
        };
        return tracker.Process(m_base + from, to - from, copy, [&](uint32_t first, uint32_t last) {
            return RnicRecordTracker::FindHead(g_magic, to - from, first, last, copy);
        });
    }

  private:
    const TrackedStream& m_stream; //!< it
    uint32_t m_base;               //!< sequence number of its first octet

  public:
    RnicRecordTracker::Counters counters; //!< what it counts
    RnicRecordTracker tracker;            //!< the adapter
};

/// @return an octet that is no magic one
uint8_t
Zero()
{
    return 0;
}

} // namespace

/// @brief In order all segments are worked on, wherever they are cut, and numbers wrap.
IWARP_TEST(rnicRecordTracker, "in order, any cut")
{
    std::mt19937 rng(RandomSeed(3));
    std::vector<uint32_t> sizes;
    for (uint32_t i = 0; i < 60; i++)
    {
        sizes.push_back(1 + rng() % (i % 3 == 0 ? 5000 : 20));
    }
    const TrackedStream stream(sizes, [&rng] { return static_cast<uint8_t>(rng()); });
    for (uint32_t trial = 0; trial < 100; trial++)
    {
        TrackedPath path(stream, {}, UINT32_MAX - 3000);
        const auto size = static_cast<uint32_t>(stream.octets.size());
        for (uint32_t at = 0; at < size;)
        {
            const uint32_t to = std::min<uint32_t>(size, at + 1 + rng() % (trial < 50 ? 7 : 3000));
            const auto outcome = path.Arrive(at, to);
            NS_TEST_ASSERT_MSG_EQ(outcome.offloaded, true, "worked on");
            NS_TEST_ASSERT_MSG_EQ(outcome.payload, stream.CountPayload(at, to), "its payload");
            at = to;
        }
        NS_TEST_EXPECT_MSG_EQ(path.counters.guesses, 0, "nothing is asked");
    }
}

/// @brief The two figures of Linux's tls-offload.rst, segment by segment.
IWARP_TEST(rnicRecordTracker, "a lost segment without and with a head")
{
    // segments of 100: a record of 250 from 0 on, then one of 400
    const TrackedStream stream({247, 397}, Zero);
    TrackedPath good(stream, {});
    NS_TEST_EXPECT_MSG_EQ(good.Arrive(0, 100).offloaded, true, "1 in order");
    // 2 is lost
    NS_TEST_EXPECT_MSG_EQ(good.Arrive(200, 300).offloaded, false, "3 passes untouched");
    NS_TEST_EXPECT_MSG_EQ((good.tracker.GetState() == State::FOLLOWING), true, "its head is known");
    NS_TEST_EXPECT_MSG_EQ(good.Arrive(300, 400).offloaded, true, "4 goes on with the next record");
    NS_TEST_EXPECT_MSG_EQ(good.Arrive(400, 500).offloaded, true, "5 too");
    NS_TEST_EXPECT_MSG_EQ(good.Arrive(100, 200).offloaded, false, "2 comes late");
    NS_TEST_EXPECT_MSG_EQ(good.Arrive(500, 600).offloaded, true, "which changes nothing");
    NS_TEST_EXPECT_MSG_EQ(good.counters.resumed, 1, "resumed once");
    NS_TEST_EXPECT_MSG_EQ(good.counters.past, 1, "one was late");

    // records of 150, 200 and 400: the segment with the head at 150 is lost, and 350 follows
    const TrackedStream heads({147, 197, 397}, Zero);
    TrackedPath bad(heads, {});
    NS_TEST_EXPECT_MSG_EQ(bad.Arrive(0, 100).offloaded, true, "1 in order");
    const auto third = bad.Arrive(200, 300);
    NS_TEST_EXPECT_MSG_EQ(third.offloaded, false, "3 is out of order");
    NS_TEST_EXPECT_MSG_EQ(third.guess.has_value(), false, "and has no head");
    NS_TEST_EXPECT_MSG_EQ((bad.tracker.GetState() == State::SEARCHING), true, "sync is lost");
    const auto fourth = bad.Arrive(300, 400);
    NS_TEST_EXPECT_MSG_EQ(fourth.offloaded, false, "4 is looked through");
    NS_TEST_ASSERT_MSG_EQ(fourth.guess.has_value(), true, "and has a head");
    NS_TEST_EXPECT_MSG_EQ(*fourth.guess, 350, "at 350");
    NS_TEST_EXPECT_MSG_EQ((bad.tracker.GetState() == State::TRACKING), true, "which is tracked");
    NS_TEST_EXPECT_MSG_EQ(bad.Arrive(400, 500).offloaded, false, "as long as software is asked");
    bad.tracker.Confirm(350);
    NS_TEST_EXPECT_MSG_EQ((bad.tracker.GetState() == State::FOLLOWING), true, "it confirms");
    NS_TEST_EXPECT_MSG_EQ(bad.Arrive(500, 600).offloaded, false, "the record under way is lost");
}

/// @brief Each transition of the state machine.
IWARP_TEST(rnicRecordTracker, "transitions")
{
    const TrackedStream stream(std::vector<uint32_t>(40, 97), Zero); // 40 records of 100 octets
    const auto state = [](const TrackedPath& path) { return path.tracker.GetState(); };

    TrackedPath path(stream, {});
    path.Arrive(0, 100);
    NS_TEST_EXPECT_MSG_EQ((state(path) == State::FOLLOWING), true, "in order");
    NS_TEST_EXPECT_MSG_EQ(*path.Arrive(250, 350).guess, 300, "a head is lost, another one found");
    NS_TEST_EXPECT_MSG_EQ((state(path) == State::TRACKING), true, "FOLLOWING to TRACKING at once");
    path.tracker.Reject(299);
    NS_TEST_EXPECT_MSG_EQ((state(path) == State::TRACKING), true, "an answer to no question");
    path.tracker.Reject(300);
    NS_TEST_EXPECT_MSG_EQ((state(path) == State::SEARCHING), true, "TRACKING to SEARCHING");
    path.tracker.Confirm(300);
    NS_TEST_EXPECT_MSG_EQ((state(path) == State::SEARCHING), true, "too late");
    NS_TEST_EXPECT_MSG_EQ(*path.Arrive(350, 450).guess, 400, "SEARCHING to TRACKING");
    NS_TEST_EXPECT_MSG_EQ(path.Arrive(100, 200).guess.has_value(), false, "late ones are passed");
    path.Arrive(480, 550); // a gap within the record: the next head is known
    NS_TEST_EXPECT_MSG_EQ((state(path) == State::TRACKING), true, "a gap within a record");
    path.tracker.Confirm(400);
    NS_TEST_EXPECT_MSG_EQ((state(path) == State::FOLLOWING), true, "TRACKING to FOLLOWING");
    NS_TEST_EXPECT_MSG_EQ(path.Arrive(550, 650).offloaded, false, "it has the end of a record");
    NS_TEST_EXPECT_MSG_EQ(path.Arrive(650, 720).offloaded, true, "of records from their beginning");
    NS_TEST_EXPECT_MSG_EQ(path.Arrive(800, 900).offloaded, true, "it begins with the next head");
    NS_TEST_EXPECT_MSG_EQ(path.Arrive(1000, 1100).guess.has_value(), true, "a head is lost");
    NS_TEST_EXPECT_MSG_EQ(path.Arrive(1250, 1290).guess.has_value(), false, "and one more");
    NS_TEST_EXPECT_MSG_EQ((state(path) == State::SEARCHING), true, "so the guess is given up");
    path.tracker.Resume(1500);
    NS_TEST_EXPECT_MSG_EQ((state(path) == State::FOLLOWING), true, "software says where to begin");
    NS_TEST_EXPECT_MSG_EQ(path.Arrive(1400, 1450).offloaded, false, "which is behind this");
    NS_TEST_EXPECT_MSG_EQ(path.Arrive(1450, 1530).offloaded, false, "and within this");
    NS_TEST_EXPECT_MSG_EQ(path.Arrive(1530, 1650).offloaded, true, "from there on");

    TrackerConfig patient;
    patient.patience = 400;
    TrackedPath late(stream, patient);
    late.Arrive(0, 100);
    NS_TEST_EXPECT_MSG_EQ(late.Arrive(200, 300).guess.has_value(), false, "it waits");
    NS_TEST_EXPECT_MSG_EQ(late.Arrive(100, 200).offloaded, true, "what was late is worked on");
    NS_TEST_EXPECT_MSG_EQ(late.Arrive(400, 500).guess.has_value(), false, "it waits again");
    NS_TEST_EXPECT_MSG_EQ(late.Arrive(700, 800).guess.has_value(), true, "but not for ever");

    TrackerConfig aligned;
    aligned.aligned = true;
    TrackedPath beginnings(stream, aligned);
    beginnings.Arrive(0, 100);
    NS_TEST_EXPECT_MSG_EQ(beginnings.Arrive(250, 350).guess.has_value(), false, "not within");
    NS_TEST_EXPECT_MSG_EQ(*beginnings.Arrive(400, 500).guess, 400, "at the beginning only");

    TrackerConfig led;
    led.searches = false;
    TrackedPath driven(stream, led);
    driven.Arrive(0, 100);
    NS_TEST_EXPECT_MSG_EQ(driven.Arrive(200, 300).guess.has_value(), false, "never by itself");
    NS_TEST_EXPECT_MSG_EQ((state(driven) == State::SEARCHING), true, "it waits for software");
}

/// @brief What looks like a head is tracked until the next one is missing, and software knows.
IWARP_TEST(rnicRecordTracker, "false guesses")
{
    // a record whose payload has a head that leads to nothing, and one that leads to the next
    // record
    TrackedStream stream({197, 397, 97, 97}, Zero);
    const auto fake = [&stream](uint32_t at, uint32_t size) {
        stream.octets[at] = MagicFraming::MAGIC;
        stream.octets[at + 1] = static_cast<uint8_t>((size - 3) >> 8);
        stream.octets[at + 2] = static_cast<uint8_t>(size - 3);
    };
    fake(320, 30);  // to 350, where there is none
    fake(420, 180); // to 600, where there is one
    TrackedPath path(stream, {});
    path.Arrive(0, 100);
    const auto first = path.Arrive(300, 400); // the head at 200 is lost
    NS_TEST_EXPECT_MSG_EQ(first.guess.has_value(), false, "no record follows at 350");
    NS_TEST_EXPECT_MSG_EQ(path.counters.broken, 1, "seen within the segment");
    const auto second = path.Arrive(400, 500);
    NS_TEST_ASSERT_MSG_EQ(second.guess.has_value(), true, "one follows at 600");
    NS_TEST_EXPECT_MSG_EQ(*second.guess, 420, "but that is none");
    path.Arrive(500, 650);
    NS_TEST_EXPECT_MSG_EQ((path.tracker.GetState() == State::TRACKING), true, "a record follows");
    path.tracker.Reject(420);
    NS_TEST_EXPECT_MSG_EQ(*path.Arrive(650, 750).guess, 700, "the next head is right");
    path.tracker.Confirm(700);
    NS_TEST_EXPECT_MSG_EQ(path.counters.rejected, 1, "one false guess");
    NS_TEST_EXPECT_MSG_EQ(path.counters.confirmed, 1, "one good one");

    // of random octets each is the magic one in 1 of 256 cases, with a length in 8192 of 65536
    std::mt19937 rng(11);
    std::vector<uint8_t> noise(4'000'000);
    std::generate(noise.begin(), noise.end(), [&rng] { return static_cast<uint8_t>(rng()); });
    const auto size = static_cast<uint32_t>(noise.size());
    uint32_t found = 0;
    for (uint32_t at = 0; at + MagicFraming::HEAD <= size; at++)
    {
        found += g_magic.ReadHead(noise.data() + at).size > 0 ? 1 : 0;
    }
    const double chance = 1.0 / 256 * MagicFraming::LONGEST / 65536;
    const double expected = chance * (size - MagicFraming::HEAD + 1);
    NS_TEST_EXPECT_MSG_EQ_TOL(found, expected, 4 * std::sqrt(expected), "by the closed form");
}

/// @brief Whatever is lost, comes late or twice, and whatever payload looks like: what is worked on
/// had all of its records' octets in order, and their boundaries were the right ones.
IWARP_TEST(rnicRecordTracker, "nothing is worked on that was not followed from its beginning")
{
    uint64_t offloaded = 0;
    uint64_t rejected = 0;
    uint64_t confirmed = 0;
    for (uint32_t seed = 1; seed <= 300; seed++)
    {
        std::mt19937 rng(RandomSeed(seed));
        std::vector<uint32_t> sizes;
        for (uint32_t i = 0; i < 120; i++)
        {
            sizes.push_back(1 + rng() % (seed % 3 == 0 ? 4000 : 300));
        }
        // payload of magic octets and small lengths: heads everywhere
        const TrackedStream stream(sizes, [&rng] {
            const uint8_t few[] = {MagicFraming::MAGIC, 0, 0, 1, 40, 200};
            return few[rng() % 6];
        });
        TrackerConfig config;
        config.patience = seed % 5 == 0 ? 3000 : 0;
        TrackedPath path(stream, config, rng());
        const auto size = static_cast<uint32_t>(stream.octets.size());
        std::deque<std::pair<uint32_t, uint32_t>> sent; // segments on their way
        for (uint32_t at = 0; at < size;)
        {
            const uint32_t to = std::min<uint32_t>(size, at + 1 + rng() % 1000);
            sent.emplace_back(at, to);
            at = to;
        }
        std::map<uint32_t, uint32_t> arrived; // what the host has, by its first octet
        std::map<uint32_t, uint32_t> asked;   // questions, with the octet that answers them
        uint32_t inOrder = 0;                 // what the host has without a gap
        std::vector<std::pair<uint32_t, uint32_t>> passed; // segments, as the adapter saw them
        const uint32_t base = path.tracker.GetExpected();
        while (!sent.empty())
        {
            auto [from, to] = sent.front();
            sent.pop_front();
            const uint32_t fate = rng() % 20;
            if (fate == 0 && sent.size() > 3) // lost, and sent again later
            {
                sent.insert(sent.begin() + 3 + rng() % std::min<std::size_t>(30, sent.size() - 2),
                            {from, to});
                continue;
            }
            if (fate == 1 && !sent.empty())
            {
                sent.insert(sent.begin() + 1, {from, to});
                continue;
            }
            const auto outcome = path.Arrive(from, to);
            if (outcome.offloaded)
            {
                // what works octet by octet needs all from the record's first to this in order
                offloaded++;
                const auto next =
                    std::upper_bound(stream.starts.begin(), stream.starts.end(), from);
                uint32_t worked = *std::prev(next);
                for (const auto& [first, last] : passed)
                {
                    worked = first <= worked && worked < last ? last : worked;
                }
                NS_TEST_ASSERT_MSG_GT_OR_EQ(worked, from, "from its record's beginning");
                NS_TEST_ASSERT_MSG_EQ(outcome.payload, stream.CountPayload(from, to), "payload");
            }
            passed.emplace_back(from, to);
            if (outcome.guess)
            {
                asked.emplace(*outcome.guess - base, 0);
            }
            arrived[from] = to;
            for (auto next = arrived.find(inOrder); next != arrived.end();
                 next = arrived.find(inOrder))
            {
                inOrder = next->second;
            }
            for (auto question = asked.begin();
                 question != asked.end() && question->first + MagicFraming::HEAD <= inOrder;
                 question = asked.erase(question))
            {
                if (stream.IsStart(question->first))
                {
                    path.tracker.Confirm(base + question->first);
                }
                else
                {
                    path.tracker.Reject(base + question->first);
                }
            }
        }
        rejected += path.counters.rejected;
        confirmed += path.counters.confirmed;
    }
    NS_TEST_EXPECT_MSG_GT(offloaded, 5000, "much is worked on all the same");
    NS_TEST_EXPECT_MSG_GT(rejected, 100, "wrong guesses were made");
    NS_TEST_EXPECT_MSG_GT(confirmed, 100, "and right ones");
}
