/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "../iwarp-test.h"

#include "ns3/ddp-sctp-session.h"

#include <algorithm>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

using namespace ns3;

namespace
{

/// @brief Suite of DDP sessions over SCTP, carried by vectors.
IWARP_TEST_SUITE(ddpSctpSession, "ddp-sctp-session");

using Octets = std::vector<uint8_t>;
using Function = DdpSctpControl::Function;
using Status = DdpSctpControl::Status;
using Stage = DdpSctpSession::State;

/// A chunk on its way
struct SctpChunk
{
    uint32_t ppid; //!< payload protocol
    Octets octets; //!< user data
};

/// One end of a session: does what the machine says and keeps what it sends.
class SessionEnd
{
  public:
    /// @param config what this end wants
    explicit SessionEnd(const DdpSctpSessionConfig& config)
        : session(config)
    {
    }

    /**
     * @param actions what a call of the machine returned
     * @return the actions in words: "send5", "report6", "segment", "fail7"
     */
    std::string Do(const DdpSctpSession::Actions& actions)
    {
        using Kind = DdpSctpSession::Action::Kind;
        std::string words;
        for (const auto& action : actions)
        {
            words += words.empty() ? "" : " ";
            switch (action.kind)
            {
            case Kind::SEND:
                words += action.ppid == 17 ? "send" + std::to_string(action.octets.at(3)) : "send";
                sent.push_back({action.ppid, action.octets});
                break;
            case Kind::REPORT:
                words += "report" + std::to_string(static_cast<int>(action.message.function));
                privateData = action.message.privateData;
                break;
            case Kind::DELIVER:
                words += "segment";
                delivered.push_back(action.octets);
                break;
            case Kind::FAIL:
                words += "fail" + std::to_string(static_cast<int>(action.error));
                break;
            }
        }
        return words;
    }

    /// @param chunks what arrives @return actions in words
    std::string Feed(const std::vector<SctpChunk>& chunks)
    {
        std::string words;
        for (const auto& chunk : chunks)
        {
            const std::string more =
                Do(session.Receive(chunk.ppid, chunk.octets.data(), chunk.octets.size()));
            words += (words.empty() || more.empty() ? "" : " ") + more;
        }
        return words;
    }

    /// @return what was sent since the last call
    std::vector<SctpChunk> TakeSent()
    {
        std::vector<SctpChunk> chunks;
        chunks.swap(sent);
        return chunks;
    }

    DdpSctpSession session;        //!< the thing under test
    std::vector<SctpChunk> sent;   //!< chunks sent and not yet taken
    std::vector<Octets> delivered; //!< DDP Segments
    Octets privateData;            //!< of the last report
};

/**
 * @param role role
 * @param wanted the active side wants the enhanced messages
 * @return configuration
 */
DdpSctpSessionConfig
ConfigOf(MpaRole role, bool wanted = true)
{
    DdpSctpSessionConfig config;
    config.role = role;
    config.enhanced.wanted = wanted;
    config.enhanced.ird = 16;
    config.enhanced.ord = 8;
    config.enhanced.maxIrd = 32;
    return config;
}

} // namespace

/// @brief Octets of session control messages.
IWARP_TEST(ddpSctpSession, "messages")
{
    struct Row
    {
        uint16_t ssn;
        Function function;
        Octets data;
        Octets octets;
    };

    const Row rows[] = {
        {0, Function::INITIATE, {}, {0, 0, 0, 1}},
        {0, Function::ACCEPT, {0xAA}, {0, 0, 0, 2, 0xAA}},
        {1, Function::REJECT, {}, {0, 1, 0, 3}},
        {0x1234, Function::TERMINATE, {}, {0x12, 0x34, 0, 4}},
        {0,
         Function::ENHANCED_INITIATE,
         {0x80, 0x10, 0xC0, 0x08, 'P'},
         {0, 0, 0, 5, 0x80, 0x10, 0xC0, 0x08, 'P'}},
        {0,
         Function::ENHANCED_ACCEPT,
         {0x80, 0x08, 0x80, 0x10},
         {0, 0, 0, 6, 0x80, 0x08, 0x80, 0x10}},
        {0xFFFF, Function::ENHANCED_REJECT, {0, 0, 0, 0}, {0xFF, 0xFF, 0, 7, 0, 0, 0, 0}},
    };
    for (const auto& row : rows)
    {
        DdpSctpControl message;
        message.ssn = row.ssn;
        message.function = row.function;
        message.privateData = row.data;
        NS_TEST_EXPECT_MSG_EQ((message.Encode() == row.octets), true, "encoded");
        IWARP_COVERS("ENH-7-2 ENH-7-3 ENH-1.2-1 ENH-11-1");
        DdpSctpControl read;
        NS_TEST_ASSERT_MSG_EQ(
            (DdpSctpControl::Decode(row.octets.data(), row.octets.size(), read) == Status::GOOD),
            true,
            "decodes");
        NS_TEST_EXPECT_MSG_EQ(read.ssn, row.ssn, "DDP-SSN");
        NS_TEST_EXPECT_MSG_EQ((read.function == row.function), true, "function");
        NS_TEST_EXPECT_MSG_EQ((read.privateData == row.data), true, "Private Data");
        IWARP_COVERS("ENH-7-1 ENH-7-6");
        NS_TEST_EXPECT_MSG_EQ(read.IsEnhanced(), (row.octets[3] >= 5), "enhanced");
    }
    const auto decode = [](Octets octets, std::size_t size) {
        octets.resize(size);
        DdpSctpControl read;
        return DdpSctpControl::Decode(octets.data(), size, read);
    };
    NS_TEST_EXPECT_MSG_EQ((decode({0, 0, 0}, 3) == Status::TRUNCATED), true, "3 octets");
    for (const Octets& code : {Octets{0, 0}, Octets{0, 8}, Octets{1, 1}, Octets{0xFF, 0xFF}})
    {
        NS_TEST_EXPECT_MSG_EQ((decode({0, 0, code[0], code[1]}, 4) == Status::UNKNOWN_FUNCTION),
                              true,
                              "no code of the registry");
    }
    NS_TEST_EXPECT_MSG_EQ((decode({0, 0, 0, 1}, 516) == Status::GOOD), true, "512 octets");
    NS_TEST_EXPECT_MSG_EQ((decode({0, 0, 0, 1}, 517) == Status::TOO_LONG), true, "513 octets");
    NS_TEST_EXPECT_MSG_EQ((decode({0, 0, 0, 5}, 516) == Status::GOOD), true, "508 and word");
    NS_TEST_EXPECT_MSG_EQ((decode({0, 0, 0, 6}, 520) == Status::TOO_LONG), true, "516 octets");
    NS_TEST_EXPECT_MSG_EQ((decode({0, 0, 0, 4}, 5) == Status::UNEXPECTED_DATA), true, "TERM");
    NS_TEST_EXPECT_MSG_EQ((decode({0, 0, 0, 7}, 7) == Status::NO_WORD), true, "half a word");
    IWARP_COVERS("ENH-7-8 ENH-7-9");
}

/// @brief Sequences of messages, legal and not.
struct DdpSctpSequenceTest : TestCase
{
    using TestCase::TestCase;

    /// 5, 6, segments, 4 or 1, 2, segments, 4. @param enhanced which
    void Accepted(bool enhanced)
    {
        SessionEnd a(ConfigOf(MpaRole::INITIATOR, enhanced));
        SessionEnd b(ConfigOf(MpaRole::RESPONDER));
        NS_TEST_EXPECT_MSG_EQ(a.Do(a.session.Initiate({'h', 'i'})),
                              (enhanced ? "send5" : "send1"),
                              "asks");
        NS_TEST_EXPECT_MSG_EQ(a.sent[0].ppid, 17, "control");
        const Octets asked =
            enhanced ? Octets{0, 0, 0, 5, 0, 16, 0, 8, 'h', 'i'} : Octets{0, 0, 0, 1, 'h', 'i'};
        NS_TEST_EXPECT_MSG_EQ((a.sent[0].octets == asked), true, "octets");
        IWARP_COVERS("ENH-1.2-1 ENH-7-7 ENH-7-1");
        NS_TEST_EXPECT_MSG_EQ(a.Do(a.session.Send({1})), "fail0", "no segment yet");
        NS_TEST_EXPECT_MSG_EQ(b.Feed(a.TakeSent()), (enhanced ? "report5" : "report1"), "told");
        NS_TEST_EXPECT_MSG_EQ((b.privateData == Octets{'h', 'i'}), true, "Private Data");
        IWARP_COVERS("ENH-7-10 ENH-7-11");
        NS_TEST_EXPECT_MSG_EQ(b.Do(b.session.Accept({'o', 'k'})),
                              (enhanced ? "send6" : "send2"),
                              "accepts");
        // The passive side may send at once, no indication is needed.
        NS_TEST_EXPECT_MSG_EQ(b.Do(b.session.Send({7, 7})), "send", "segment");
        IWARP_COVERS("ENH-7-15");
        NS_TEST_EXPECT_MSG_EQ(b.sent[1].ppid, 16, "segment");
        NS_TEST_EXPECT_MSG_EQ((b.sent[1].octets == Octets{0, 1, 7, 7}), true, "octets");
        NS_TEST_EXPECT_MSG_EQ(a.Feed(b.TakeSent()),
                              (enhanced ? "report6 segment" : "report2 segment"),
                              "answer");
        IWARP_COVERS("ENH-7-5 ENH-7-16");
        NS_TEST_EXPECT_MSG_EQ((a.privateData == Octets{'o', 'k'}), true, "Private Data");
        NS_TEST_EXPECT_MSG_EQ((a.delivered.at(0) == Octets{7, 7}), true, "segment");
        for (const SessionEnd* end : {&a, &b})
        {
            NS_TEST_EXPECT_MSG_EQ((end->session.GetState() == Stage::OPEN), true, "open");
            NS_TEST_EXPECT_MSG_EQ(end->session.Result().used, enhanced, "negotiated");
            NS_TEST_EXPECT_MSG_EQ(end->session.Result().ird, 16, "IRD");
            NS_TEST_EXPECT_MSG_EQ(end->session.Result().ord, 8, "ORD");
        }
        a.Do(a.session.Send({1}));
        NS_TEST_EXPECT_MSG_EQ(a.Do(a.session.Terminate()), "send4", "ends");
        NS_TEST_EXPECT_MSG_EQ((a.sent[1].octets == Octets{0, 2, 0, 4}), true, "no Private Data");
        NS_TEST_EXPECT_MSG_EQ(b.Feed(a.TakeSent()), "segment report4", "told");
        IWARP_COVERS("ENH-7-14");
        NS_TEST_EXPECT_MSG_EQ((b.session.GetState() == Stage::CLOSED), true, "over");
        NS_TEST_EXPECT_MSG_EQ(b.Do(b.session.Terminate()), "", "once");
        NS_TEST_EXPECT_MSG_EQ(b.Do(b.session.Send({1})), "fail0", "too late");
    }

    /// 5, 7 and 5, 4, or 1, 3 and 1, 4. @param enhanced which
    void Rejected(bool enhanced)
    {
        for (const bool backlog : {false, true})
        {
            SessionEnd a(ConfigOf(MpaRole::INITIATOR, enhanced));
            SessionEnd b(ConfigOf(MpaRole::RESPONDER));
            a.Do(a.session.Initiate({}));
            b.Feed(a.TakeSent());
            const std::string code = enhanced ? "7" : "3";
            NS_TEST_EXPECT_MSG_EQ(
                b.Do(backlog ? b.session.Terminate() : b.session.Reject({'n', 'o'})),
                (backlog ? "send4" : "send" + code),
                "refused");
            IWARP_COVERS("ENH-7-4");
            std::vector<SctpChunk> answer = b.TakeSent();
            answer.push_back({16, {0, 1, 9}});
            NS_TEST_EXPECT_MSG_EQ(a.Feed(answer),
                                  (backlog ? "report4" : "report" + code),
                                  "told, and no segment behind it");
            IWARP_COVERS("ENH-7-17 ENH-7-18");
            NS_TEST_EXPECT_MSG_EQ((a.session.GetState() == Stage::CLOSED), true, "over");
            NS_TEST_EXPECT_MSG_EQ(a.privateData.size(), (backlog ? 0 : 2), "Private Data");
            NS_TEST_EXPECT_MSG_EQ(a.session.Result().peerIrd,
                                  (enhanced && !backlog ? 16 : 0x3FFF),
                                  "what there is");
            IWARP_COVERS("ENH-9.1-20");
        }
    }

    /// Messages that fit no legal sequence end the session. @param enhanced which
    void Illegal(bool enhanced)
    {
        const uint8_t initiate = enhanced ? 5 : 1;
        const auto control = [](uint8_t ssn, uint8_t code) {
            return code > 4 ? SctpChunk{17, {0, ssn, 0, code, 0, 16, 0, 8}}
                            : SctpChunk{17, {0, ssn, 0, code}};
        };
        const SctpChunk segment0 = {16, {0, 0, 1}};
        const SctpChunk segment1 = {16, {0, 1, 1}};
        const std::string reported = "report" + std::to_string(initiate);
        const std::vector<SctpChunk> passive[] = {
            {segment0},
            {control(0, 2)},
            {control(0, 6)},
            {control(0, 7)},
            {control(0, 4)},
            {control(0, initiate), segment1},
            {control(0, initiate), control(1, initiate)},
            {control(0, initiate), control(1, 6)},
            {control(0, initiate), SctpChunk{99, {0, 1, 0, 4}}},
            {control(0, initiate), SctpChunk{17, {0, 1, 0, 8}}},
            {SctpChunk{17, {0}}},
        };
        for (const auto& chunks : passive)
        {
            SessionEnd b(ConfigOf(MpaRole::RESPONDER));
            const std::string words = (chunks.size() > 1 ? reported + " " : "") + "send4 fail4";
            NS_TEST_EXPECT_MSG_EQ(b.Feed(chunks), words, "passive side");
            NS_TEST_EXPECT_MSG_EQ((b.session.GetState() == Stage::CLOSED), true, "over");
            NS_TEST_EXPECT_MSG_EQ(b.Do(b.session.Accept({})), "fail0", "too late");
            NS_TEST_EXPECT_MSG_EQ(b.Do(b.session.Reject({})), "fail0", "too late");
        }
        const std::vector<SctpChunk> active[] = {
            {segment0},
            {control(0, enhanced ? 2 : 6)},
            {control(0, enhanced ? 3 : 7)},
            {control(0, initiate)},
        };
        for (const auto& chunks : active)
        {
            SessionEnd a(ConfigOf(MpaRole::INITIATOR, enhanced));
            a.Do(a.session.Initiate({}));
            NS_TEST_EXPECT_MSG_EQ(a.Feed(chunks), "send4 fail4", "active side");
        }
    }
};

IWARP_TEST(ddpSctpSession, "sequences", DdpSctpSequenceTest)
{
    for (const bool enhanced : {true, false})
    {
        Accepted(enhanced);
        Rejected(enhanced);
        Illegal(enhanced);
    }
    // Room for the ULP
    SessionEnd a(ConfigOf(MpaRole::INITIATOR));
    NS_TEST_EXPECT_MSG_EQ(a.session.MaxPrivateData(), 508, "with a word");
    NS_TEST_EXPECT_MSG_EQ(a.Do(a.session.Initiate(Octets(509))), "fail0", "509 octets");
    NS_TEST_EXPECT_MSG_EQ(a.Do(a.session.Initiate(Octets(508))), "send5", "508 octets");
    NS_TEST_EXPECT_MSG_EQ(a.Do(a.session.Initiate({})), "fail0", "once");
    SessionEnd plain(ConfigOf(MpaRole::INITIATOR, false));
    NS_TEST_EXPECT_MSG_EQ(plain.session.MaxPrivateData(), 512, "without");
}

/// @brief What the words lead to on SCTP.
IWARP_TEST(ddpSctpSession, "negotiation")
{
    // Read offered to a side that knows Send only: the provider rejects, the ULP is not asked.
    DdpSctpSessionConfig asking = ConfigOf(MpaRole::INITIATOR);
    asking.enhanced.peerToPeer = true;
    asking.enhanced.rtr = {false, false, true};
    DdpSctpSessionConfig asked = ConfigOf(MpaRole::RESPONDER);
    asked.enhanced.rtr = {true, false, false};
    SessionEnd a(asking);
    SessionEnd b(asked);
    a.Do(a.session.Initiate({}));
    NS_TEST_EXPECT_MSG_EQ(b.Feed(a.TakeSent()), "send7", "no report");
    IWARP_COVERS("ENH-7-12");
    NS_TEST_EXPECT_MSG_EQ((b.sent[0].octets == Octets{0, 0, 0, 7, 0xC0, 16, 0, 8}),
                          true,
                          "the kinds there are");
    IWARP_COVERS("ENH-7-13");
    NS_TEST_EXPECT_MSG_EQ(a.Feed(b.TakeSent()), "report7", "told");

    // A kind in common
    asked.enhanced.rtr = {true, false, true};
    SessionEnd c(asking);
    SessionEnd d(asked);
    c.Do(c.session.Initiate({}));
    d.Feed(c.TakeSent());
    d.Do(d.session.Accept({}));
    NS_TEST_EXPECT_MSG_EQ(c.Feed(d.TakeSent()), "report6", "accepted");
    NS_TEST_EXPECT_MSG_EQ((c.session.Result().rtr == MpaRtr::READ), true, "Read");
    NS_TEST_EXPECT_MSG_EQ(c.Do(c.session.Send({1})), "send", "open");

    // More reads needed than offered: an Enhanced Reject with the ORD that is needed
    DdpSctpSessionConfig needy = ConfigOf(MpaRole::RESPONDER);
    needy.enhanced.ord = 32;
    needy.enhanced.minOrd = 32;
    SessionEnd e(ConfigOf(MpaRole::INITIATOR));
    SessionEnd f(needy);
    e.Do(e.session.Initiate({}));
    f.Feed(e.TakeSent());
    NS_TEST_EXPECT_MSG_EQ(f.Do(f.session.Accept({})), "send7 fail6", "rejected");
    IWARP_COVERS("ENH-9.1-13");
    e.Feed(f.TakeSent());
    NS_TEST_EXPECT_MSG_EQ(e.session.Result().peerOrd, 32, "what is needed");

    // An answer that needs more than there is ends the session
    SessionEnd g(ConfigOf(MpaRole::INITIATOR));
    g.Do(g.session.Initiate({}));
    NS_TEST_EXPECT_MSG_EQ(g.Feed({{17, {0, 0, 0, 6, 0, 8, 0, 33}}}),
                          "report6 send4 fail6",
                          "ORD 33 with resources for 32");
}

/// @brief Unordered chunks are put in order by DDP-SSN, which wraps.
IWARP_TEST(ddpSctpSession, "order of chunks")
{
    std::mt19937 random(5043);
    SessionEnd a(ConfigOf(MpaRole::INITIATOR));
    SessionEnd b(ConfigOf(MpaRole::RESPONDER));
    a.Do(a.session.Initiate({}));
    b.Feed(a.TakeSent());
    b.Do(b.session.Accept({}));
    a.Feed(b.TakeSent());
    uint32_t next = 0;
    for (int round = 0; round < 1400; round++)
    {
        for (uint32_t i = 0; i < 50; i++)
        {
            const uint32_t n = round * 50 + i;
            a.Do(a.session.Send({static_cast<uint8_t>(n >> 16),
                                 static_cast<uint8_t>(n >> 8),
                                 static_cast<uint8_t>(n)}));
        }
        std::vector<SctpChunk> chunks = a.TakeSent();
        chunks.push_back(chunks[7]);
        std::shuffle(chunks.begin(), chunks.end(), random);
        b.Feed(chunks);
        NS_TEST_ASSERT_MSG_EQ(b.delivered.size(), 50, "each once");
        for (const auto& segment : b.delivered)
        {
            const uint32_t n = segment[0] << 16 | segment[1] << 8 | segment[2];
            NS_TEST_ASSERT_MSG_EQ(n, next, "in order");
            next++;
        }
        b.delivered.clear();
    }
    NS_TEST_EXPECT_MSG_GT(next, 65536, "the DDP-SSN has wrapped");
    // A chunk that never comes does not fill the memory.
    a.Do(a.session.Send({0}));
    a.TakeSent();
    for (std::size_t i = 0; i < DdpSctpSession::MAX_HELD; i++)
    {
        a.Do(a.session.Send({1}));
    }
    NS_TEST_EXPECT_MSG_EQ(b.Feed(a.TakeSent()), "", "held");
    a.Do(a.session.Send({1}));
    NS_TEST_EXPECT_MSG_EQ(b.Feed(a.TakeSent()), "send4 fail4", "too many");
}
