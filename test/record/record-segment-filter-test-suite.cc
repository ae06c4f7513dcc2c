/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "../iwarp-test.h"

#include "ns3/record-segment-filter.h"
#include "ns3/tcp-rx-buffer.h"

#include <cstdint>
#include <utility>
#include <vector>

using namespace ns3;

namespace
{

/// The suite.
IWARP_TEST_SUITE(recordSegmentFilter, "record-segment-filter");

using SeenPieces = std::vector<std::pair<uint32_t, uint32_t>>; //!< first octet and how many

/// A layer above that says what it is told to.
class ScriptedUser : public RecordUser
{
  public:
    RecordVerdict InspectSegment(SequenceNumber32 seq, Ptr<const Packet> packet) override
    {
        seen.emplace_back(seq.GetValue(), packet->GetSize());
        if (keep > 0)
        {
            filter->KeepFirst(keep);
        }
        return verdict;
    }

    void EmssChanged(uint32_t /* emss */) override
    {
    }

    RecordSegmentFilter* filter{nullptr};       //!< that asks
    RecordVerdict verdict{RecordVerdict::KEEP}; //!< what it says
    uint32_t keep{0};                           //!< octets that it keeps, if not 0
    SeenPieces seen;                            //!< what it saw
};

/// What TCP is to do with segments, by what the layer above says of them.
struct SegmentFilterTest : TestCase
{
    using TestCase::TestCase;

    /// @param seq first octet @param size octets of a segment, of which those that are left are
    /// stored, as TCP does @return what is to be done with it
    RecordSegmentFilter::Outcome Arrive(uint32_t seq, uint32_t size)
    {
        TcpHeader header;
        header.SetSequenceNumber(SequenceNumber32(seq));
        m_user.seen.clear();
        m_left = Create<Packet>(size);
        const auto outcome = m_filter.Show(m_left, header, *m_rx, m_dropped);
        if (!outcome.lost && !outcome.taken)
        {
            m_rx->Add(m_left, header);
        }
        m_filter.DropUpTo(m_rx->NextRxSequence());
        return outcome;
    }

    ScriptedUser m_user;                      //!< layer above
    RecordSegmentFilter m_filter;             //!< what is tested
    RecordSegmentFilter::DropTrace m_dropped; //!< nobody listens
    Ptr<TcpRxBuffer> m_rx;                    //!< where TCP stores
    Ptr<Packet> m_left;                       //!< of the last segment
};

IWARP_TEST(recordSegmentFilter, "who sees segments says what is stored", SegmentFilterTest)
{
    m_rx = CreateObject<TcpRxBuffer>(1000);
    m_rx->SetMaxBufferSize(10000);
    m_user.filter = &m_filter;
    m_filter.SetUser(&m_user, true);
    NS_TEST_EXPECT_MSG_EQ(m_filter.IsSeen(), true, "it sees");

    const auto say = [this](RecordVerdict verdict) {
        m_user.verdict = verdict;
        return Arrive(1000, 100);
    };
    NS_TEST_EXPECT_MSG_EQ(say(RecordVerdict::DROP).lost, true, "dropped");
    NS_TEST_EXPECT_MSG_EQ(say(RecordVerdict::TAKE).taken, true, "taken");
    NS_TEST_EXPECT_MSG_EQ(say(RecordVerdict::KEEP).taken, false, "kept");
    NS_TEST_EXPECT_MSG_EQ(m_rx->NextRxSequence(), SequenceNumber32(1100), "and stored");
    m_user.verdict = RecordVerdict::TAKE;
    NS_TEST_EXPECT_MSG_EQ(Arrive(1100, 100).taken, false, "has to join what is stored");

    m_user.verdict = RecordVerdict::KEEP;
    m_user.keep = 40;
    const auto part = Arrive(1200, 100);
    NS_TEST_EXPECT_MSG_EQ(part.ackAtOnce, true, "the peer has to send the rest again");
    NS_TEST_EXPECT_MSG_EQ(m_left->GetSize(), 40, "the beginning is left");
    NS_TEST_EXPECT_MSG_EQ(m_rx->NextRxSequence(), SequenceNumber32(1240), "and stored");
    m_user.keep = 0;

    // 1300 to 1400 and 1500 to 1600 out of order, then all from 1240 on
    Arrive(1300, 100);
    NS_TEST_EXPECT_MSG_EQ((m_user.seen == SeenPieces{{1300, 100}}), true, "out of order");
    Arrive(1300, 100);
    NS_TEST_EXPECT_MSG_EQ(m_user.seen.size(), 0, "nothing is shown twice");
    Arrive(1500, 100);
    Arrive(1240, 400);
    NS_TEST_EXPECT_MSG_EQ((m_user.seen == SeenPieces{{1240, 60}, {1400, 100}, {1600, 40}}),
                          true,
                          "only what is new");
    NS_TEST_EXPECT_MSG_EQ(m_rx->NextRxSequence(), SequenceNumber32(1640), "all is there");
    NS_TEST_EXPECT_MSG_EQ(m_rx->Available(), 640, "octet by octet");

    m_filter.SetUser(&m_user, false);
    NS_TEST_EXPECT_MSG_EQ(m_filter.IsSeen(), false, "it looks away");
    const RecordSegmentFilter fork(m_filter);
    NS_TEST_EXPECT_MSG_EQ((fork.GetUser() == nullptr), true, "who is the next one's, is open");
}

} // namespace
