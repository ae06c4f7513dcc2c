/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "../iwarp-test.h"
#include "rdmap-capture.h"
#include "rdmap-test-memories.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <numeric>
#include <utility>
#include <vector>

using namespace ns3;

namespace
{

/// Suite of what RDMAP puts on the wire, and takes from it.
IWARP_TEST_SUITE(rdmapWire, "rdmap-wire");

using Octets = std::vector<uint8_t>; //!< of a ULPDU

/// @param node an endpoint @return all ULPDUs that it has to send, in order
std::vector<Octets>
Take(RdmapTestNode& node)
{
    std::vector<Octets> sent;
    for (auto ulpdu = node.Output(); !ulpdu.empty(); ulpdu = node.Output())
    {
        sent.push_back(std::move(ulpdu));
    }
    return sent;
}

/// @param ulpdu octets @param at place @param size how many, at most 8 @return the number there
uint64_t
Number(const Octets& ulpdu, std::size_t at, std::size_t size)
{
    uint64_t number = 0;
    for (std::size_t i = 0; i < size; i++)
    {
        number = number << 8 | ulpdu.at(at + i);
    }
    return number;
}

/// One operation of each kind, segment by segment.
struct RdmapWireTest : TestCase
{
    using TestCase::TestCase;

    /// A segment: fields at the places of RFC 5041 figures 3 and 4 and RFC 5040 figure 3.
    struct Row
    {
        uint32_t control; //!< RDMAP's control octet
        uint32_t tagged;  //!< T
        uint32_t last;    //!< L
        uint32_t qn;      //!< queue, 0 with T
        uint32_t msn;     //!< message, 0 with T
        uint32_t word;    //!< Invalidate STag, or STag
        uint32_t size;    //!< octets of the ULPDU
    };

    using Rows = std::vector<Row>; //!< segments in order

    /// @param sent ULPDUs @return what their octets say
    static Rows Read(const std::vector<Octets>& sent)
    {
        Rows rows;
        for (const auto& ulpdu : sent)
        {
            Row row{};
            row.control = ulpdu.at(1);
            row.tagged = ulpdu.at(0) >> 7;
            row.last = ulpdu.at(0) >> 6 & 1;
            row.word = Number(ulpdu, 2, 4);
            row.qn = row.tagged ? 0 : Number(ulpdu, 6, 4);
            row.msn = row.tagged ? 0 : Number(ulpdu, 10, 4);
            row.size = ulpdu.size();
            rows.push_back(row);
        }
        return rows;
    }

    /// @param seen segments @param rows as many, as they are to be @param field of all of them
    /// @param name its name
    void Compare(const Rows& seen, const Rows& rows, uint32_t Row::*field, const char* name)
    {
        for (std::size_t i = 0; i < rows.size(); i++)
        {
            NS_TEST_EXPECT_MSG_EQ(seen[i].*field, rows[i].*field, name << " of segment " << i);
        }
    }

    /// Post at a. @param work what
    void Post(RdmapWork work)
    {
        NS_TEST_EXPECT_MSG_EQ(m_pair.a.endpoint->PostSend(std::move(work)), 0, "posted");
    }

    /// Post a Send. @param id its id @param octets length @param solicited with an event
    /// @param stag STag to invalidate, or 0
    void PostSend(uint64_t id, uint32_t octets, bool solicited, uint32_t stag)
    {
        RdmapWork work = MakeWork(id, RdmapWorkKind::SEND, {{0x10000, octets, m_memory.stagA}});
        work.solicited = solicited;
        work.invalidate = stag != 0;
        work.invalidateStag = stag;
        Post(work);
    }

    /// Post an operation on the peer's memory. @param id its id @param kind which
    /// @param local place here @param remote place there @param octets length
    void PostRemote(uint64_t id,
                    RdmapWorkKind kind,
                    uint32_t local,
                    uint32_t remote,
                    uint32_t octets)
    {
        RdmapWork work = MakeWork(id, kind, {{0x10000 + local, octets, m_memory.stagA}});
        work.remoteStag = m_memory.stagB;
        work.remoteTo = 0x20000 + remote;
        work.atomic.data = id;
        Post(work);
    }

    /// Compare what a has sent. @param sent ULPDUs @param rows what they are to be
    void CheckRequests(const std::vector<Octets>& sent, const Rows& rows)
    {
        NS_TEST_ASSERT_MSG_EQ(sent.size(), rows.size(), "segments");
        const Rows seen = Read(sent);
        Compare(seen, rows, &Row::control, "version and opcode");
        IWARP_COVERS("RDMAP-4.1-01 RDMAP-4.1-04 RDMAP-4.1-06 RDMAP-5.5-15 EXT-4.1-01");
        Compare(seen, rows, &Row::tagged, "T");
        IWARP_COVERS("RDMAP-4.1-03 RDMAP-5.1-01 RDMAP-5.2.1-01 RDMAP-5.3-01 EXT-5.2.1-06 "
                     "EXT-6.3-01");
        Compare(seen, rows, &Row::last, "L");
        Compare(seen, rows, &Row::qn, "queue");
        IWARP_COVERS("RDMAP-4.1-05 RDMAP-5.2.1-06 RDMAP-5.3-08 EXT-5.2.1-11 EXT-6.3-04");
        Compare(seen, rows, &Row::msn, "MSN");
        IWARP_COVERS("RDMAP-5.2.1-02 RDMAP-5.3-09 EXT-5.2-01 EXT-5.2.1-07 EXT-6.3-06");
        Compare(seen, rows, &Row::word, "STag");
        IWARP_COVERS("RDMAP-4.1-02 RDMAP-5.1-08 RDMAP-5.3-12 EXT-4.1-02");
        Compare(seen, rows, &Row::size, "size");
        IWARP_COVERS("RDMAP-4.2-01 RDMAP-5.1-06 RDMAP-5.1-09 RDMAP-5.3-10 EXT-4.2-01 EXT-6.3-05");
        NS_TEST_EXPECT_MSG_EQ(Number(sent[10], 18 + 12, 4), 3000, "RDMARDSZ of the first Read");
        NS_TEST_EXPECT_MSG_EQ(Number(sent[13], 18 + 12, 4), 0, "and of the second");
        IWARP_COVERS("RDMAP-5.2.1-07 RDMAP-5.2.1-12");
        NS_TEST_EXPECT_MSG_EQ(Number(sent[12], 18 + 20, 8), 10, "Add Data of the first Atomic");
        NS_TEST_EXPECT_MSG_EQ(Number(sent[14], 18 + 20, 8), 12, "and of the second");
        IWARP_COVERS("EXT-5.2.1-12");
        NS_TEST_EXPECT_MSG_EQ(Number(sent[8], 18, 8), 0x0102030405060708, "behind DDP's header");
        IWARP_COVERS("EXT-6.2-01");
    }

    /// Compare what b has answered. @param answers ULPDUs @param rows what they are to be
    /// @param sent requests
    void CheckAnswers(const std::vector<Octets>& answers,
                      const Rows& rows,
                      const std::vector<Octets>& sent)
    {
        NS_TEST_ASSERT_MSG_EQ(answers.size(), rows.size(), "segments");
        const Rows seen = Read(answers);
        Compare(seen, rows, &Row::control, "version and opcode");
        IWARP_COVERS(
            "RDMAP-5.2-01 RDMAP-5.2.1-11 RDMAP-5.2.2-01 EXT-5.2.1-14 EXT-5.2.2-02 EXT-7-02");
        Compare(seen, rows, &Row::tagged, "T");
        IWARP_COVERS("RDMAP-5.2.2-02");
        Compare(seen, rows, &Row::last, "L");
        Compare(seen, rows, &Row::qn, "queue");
        IWARP_COVERS("EXT-5-05");
        Compare(seen, rows, &Row::msn, "MSN");
        IWARP_COVERS("EXT-5.2.2-03");
        Compare(seen, rows, &Row::word, "STag");
        IWARP_COVERS("RDMAP-5.2.2-09");
        Compare(seen, rows, &Row::size, "size");
        IWARP_COVERS("RDMAP-5.2.1-08 RDMAP-5.2.1-15 RDMAP-5.2.2-07 RDMAP-5.5-22");
        NS_TEST_EXPECT_MSG_EQ(Number(answers[0], 6, 8), 0x10000 + 5003, "where the Read wants it");
        IWARP_COVERS("RDMAP-4.4-04");
        for (const auto& [request, answer] : {std::pair{12, 3}, {14, 5}})
        {
            NS_TEST_EXPECT_MSG_EQ(Number(answers[answer], 18, 4),
                                  Number(sent[request], 22, 4),
                                  "Request Identifier");
        }
        IWARP_COVERS("EXT-5.2.1-03 EXT-5.2.2-08");
    }

    RdmapTestPair m_pair{RdmapTestConfig(8, 8)}; //!< endpoints
    RdmapTestMemories m_memory{m_pair};          //!< their memories
};

IWARP_TEST(rdmapWire, "segments of each operation, and when it completes", RdmapWireTest)
{
    auto& a = m_pair.a;
    auto& b = m_pair.b;
    const uint32_t stag = m_memory.stagB;
    std::iota(m_memory.b.begin() + 20000, m_memory.b.begin() + 23100, 3);
    const uint32_t window[] = {b.Register(DdpMemory::CreateVirtual(4)),
                               b.Register(DdpMemory::CreateVirtual(4))};
    for (uint32_t i = 0; i < 7; i++)
    {
        b.PostReceive(i, stag, 0x20000 + 100 * i, 100);
    }
    PostSend(0, 10, false, 0);
    PostSend(1, 0, true, 0);
    PostSend(2, 5, false, window[0]);
    PostSend(3, 0, true, window[1]);
    PostRemote(4, RdmapWorkKind::WRITE, 101, 10001, 3000);
    PostRemote(5, RdmapWorkKind::WRITE, 0, 0, 0);
    for (const bool solicited : {false, true})
    {
        RdmapWork work = MakeWork(6 + solicited, RdmapWorkKind::IMMEDIATE);
        work.immediate = 0x0102030405060708;
        work.solicited = solicited;
        Post(work);
    }
    PostRemote(8, RdmapWorkKind::READ, 5003, 20001, 3000);
    PostRemote(9, RdmapWorkKind::WRITE, 400, 40000, 8);
    PostRemote(10, RdmapWorkKind::ATOMIC, 40000, 40000, 8);
    PostRemote(11, RdmapWorkKind::READ, 50000, 20000, 0);
    PostRemote(12, RdmapWorkKind::ATOMIC, 40008, 40000, 8);

    const auto sent = Take(a);
    CheckRequests(sent,
                  {{0x43, 0, 1, 0, 1, 0, 28},
                   {0x45, 0, 1, 0, 2, 0, 18},
                   {0x44, 0, 1, 0, 3, window[0], 23},
                   {0x46, 0, 1, 0, 4, window[1], 18},
                   {0x40, 1, 0, 0, 0, stag, 1442},
                   {0x40, 1, 0, 0, 0, stag, 1442},
                   {0x40, 1, 1, 0, 0, stag, 158},
                   {0x40, 1, 1, 0, 0, stag, 14},
                   {0x48, 0, 1, 0, 5, 0, 26},
                   {0x49, 0, 1, 0, 6, 0, 26},
                   {0x41, 0, 1, 1, 1, 0, 46},
                   {0x40, 1, 1, 0, 0, stag, 22},
                   {0x4A, 0, 1, 1, 2, 0, 70},
                   {0x41, 0, 1, 1, 3, 0, 46},
                   {0x4A, 0, 1, 1, 4, 0, 70}});
    if (IsStatusFailure())
    {
        return;
    }

    for (const auto& segment : sent)
    {
        b.Input(segment);
    }
    NS_TEST_ASSERT_MSG_EQ(b.received.size(), 6, "Sends and Immediate Data take a buffer each");
    IWARP_COVERS("RDMAP-5.3-02 RDMAP-5.3-11 EXT-6.3-02");
    NS_TEST_EXPECT_MSG_EQ(m_memory.Equal(101, 10001, 3000), true, "the Write");
    NS_TEST_EXPECT_MSG_EQ(m_memory.b[10000] + m_memory.b[13001], 0, "and no more");
    IWARP_COVERS("RDMAP-5.1-04 RDMAP-5.1-05");

    const auto answers = Take(b);
    CheckAnswers(answers,
                 {{0x42, 1, 0, 0, 0, m_memory.stagA, 1442},
                  {0x42, 1, 0, 0, 0, m_memory.stagA, 1442},
                  {0x42, 1, 1, 0, 0, m_memory.stagA, 158},
                  {0x4B, 0, 1, 3, 1, 0, 30},
                  {0x42, 1, 1, 0, 0, m_memory.stagA, 14},
                  {0x4B, 0, 1, 3, 2, 0, 30}},
                 sent);
    if (IsStatusFailure())
    {
        return;
    }
    NS_TEST_EXPECT_MSG_EQ(b.completions.size(), 0, "requests are no matter of the ULP");
    IWARP_COVERS("RDMAP-5.2.1-03 RDMAP-5.2.1-04 EXT-5.2.1-08 EXT-5.2.1-09");
    NS_TEST_EXPECT_MSG_EQ(a.completions.size(), 8, "nothing is done behind the Read");
    const uint32_t done[] = {8, 8, 10, 11, 12, 13};
    for (std::size_t i = 0; i < answers.size(); i++)
    {
        a.Input(answers[i]);
        NS_TEST_EXPECT_MSG_EQ(a.completions.size(), done[i], "with the last segment " << i);
    }
    IWARP_COVERS("RDMAP-5.5-11 RDMAP-5.5-21 RDMAP-5.5-24 EXT-5.4-01 EXT-5.4-06");
    NS_TEST_EXPECT_MSG_EQ(m_memory.Equal(5003, 20001, 3000), true, "the Read");
    IWARP_COVERS("RDMAP-4.4-03 RDMAP-4.4-06 RDMAP-5.2.1-10 RDMAP-5.2.2-06");
    uint64_t values[3];
    std::memcpy(values, &m_memory.a[40000], 16);
    std::memcpy(&values[2], &m_memory.a[400], 8);
    NS_TEST_EXPECT_MSG_EQ(values[0], values[2], "what was written before");
    IWARP_COVERS("EXT-5.4-04 EXT-7-03 RDMAP-5.5-19");
    NS_TEST_EXPECT_MSG_EQ(values[1], values[2] + 10, "and then the sum");
}

/// A Read whose sink the responder knows nothing of, and one whose source is not there.
struct RdmapForeignReadTest : TestCase
{
    using TestCase::TestCase;

    /// @param msn of a Read Request @param source its source STag @return its octets: sink STag
    /// DEADBEEF, sink TO 1122334455667788, 4 octets from TO 1000
    static Octets Request(const std::string& msn, const std::string& source)
    {
        return Hex("4141 00000000 00000001" + msn + "00000000 DEADBEEF 1122334455667788 00000004" +
                   source + "0000000000001000");
    }
};

IWARP_TEST(rdmapWire,
           "the sink's STag comes back as it is; the source's has to be good",
           RdmapForeignReadTest)
{
    RdmapTestNode node(RdmapTestConfig(8, 8));
    const uint32_t stag = node.Register(DdpMemory::CreateVirtual(0x1000), 0x1000);
    NS_TEST_ASSERT_MSG_EQ(stag, 0x101, "first STag of a table");
    node.Input(Request("00000001", "00000101"));
    auto answer = node.Output();
    NS_TEST_ASSERT_MSG_EQ(answer.size(), 14 + 4, "Read Response");
    answer.resize(14);
    NS_TEST_EXPECT_MSG_EQ((answer == Hex("C142 DEADBEEF 1122334455667788")),
                          true,
                          "the sink's STag, which is none of this table");
    IWARP_COVERS("RDMAP-4.4-02");
    NS_TEST_EXPECT_MSG_EQ(node.failure.has_value(), false, "a good Read tells nothing");
    NS_TEST_EXPECT_MSG_EQ(node.received.size() + node.completions.size(), 0, "at all");
    node.Input(Request("00000002", "00009900"));
    NS_TEST_EXPECT_MSG_EQ(node.failure.has_value(), true, "a bad one is an error");
    auto terminate = node.Output();
    NS_TEST_ASSERT_MSG_GT(terminate.size(), 20, "Terminate");
    terminate.resize(20);
    // RDMAP, Remote Protection Error, Invalid STag
    NS_TEST_EXPECT_MSG_EQ((terminate == Hex("4147 00000000 00000002 00000001 00000000 0100")),
                          true,
                          "which the peer is told");
    IWARP_COVERS("RDMAP-3.2-04");
}

/// Segments that are there before those in front of them.
struct RdmapEarlySegmentTest : TestCase
{
    using TestCase::TestCase;

    /// @param to where @param order place @param ulpdu a ULPDU that is not in order yet
    static void Place(RdmapTestNode& to, uint32_t order, const std::vector<uint8_t>& ulpdu)
    {
        to.endpoint->Segment(order, ulpdu.data(), ulpdu.size(), ulpdu.size(), false);
    }
};

IWARP_TEST(rdmapWire,
           "placed out of order, and neither answered nor told of before its turn",
           RdmapEarlySegmentTest)
{
    RdmapTestPair pair(RdmapTestConfig());
    RdmapTestMemories m(pair);
    pair.b.PostReceive(1, m.stagB, 0x20000 + 30000, 2000);
    pair.b.PostReceive(2, m.stagB, 0x20000 + 33000, 2000);
    auto post = [&](uint64_t id, RdmapWorkKind kind, uint32_t local, uint32_t octets) {
        RdmapWork work = MakeWork(id, kind, {{0x10000 + local, octets, m.stagA}});
        work.remoteStag = m.stagB;
        work.remoteTo = 0x20000 + local;
        work.atomic.data = 1;
        NS_TEST_EXPECT_MSG_EQ(pair.a.endpoint->PostSend(std::move(work)), 0, "posted");
    };
    post(1, RdmapWorkKind::WRITE, 0, 2000);
    post(2, RdmapWorkKind::SEND, 5000, 2000);
    post(3, RdmapWorkKind::ATOMIC, 40000, 8);
    post(4, RdmapWorkKind::READ, 50000, 2000);
    post(5, RdmapWorkKind::SEND, 0, 10);
    std::fill_n(m.b.begin() + 50000, 2000, 0x77);
    const auto sent = Take(pair.a);
    NS_TEST_ASSERT_MSG_EQ(sent.size(), 7, "Write, Send, two requests, Send");

    Place(pair.b, 1, sent[1]);
    NS_TEST_EXPECT_MSG_EQ(m.Equal(1428, 1428, 572), true, "the end of the Write");
    NS_TEST_EXPECT_MSG_EQ(+m.b[0], 0, "and not its beginning");
    IWARP_COVERS("RDMAP-5.5-05");
    Place(pair.b, 3, sent[3]);
    Place(pair.b, 4, sent[4]);
    Place(pair.b, 5, sent[5]);
    Place(pair.b, 6, sent[6]);
    NS_TEST_EXPECT_MSG_EQ(m.Equal(6424, 31424, 576), true, "the end of the Send");
    IWARP_COVERS("RDMAP-5.5-04");
    Place(pair.b, 2, sent[2]);
    pair.b.endpoint->Deliver(0);
    NS_TEST_EXPECT_MSG_EQ(pair.b.received.size(), 0, "the Send is not told of");
    IWARP_COVERS("RDMAP-5.5-18");
    NS_TEST_EXPECT_MSG_EQ(pair.b.Output().size(), 0, "no request is answered");
    IWARP_COVERS("RDMAP-5.5-12");
    NS_TEST_EXPECT_MSG_EQ(+m.b[40000], 0, "and no word changed");
    IWARP_COVERS("EXT-5.4-02");

    Place(pair.b, 0, sent[0]);
    pair.b.endpoint->Deliver(7);
    NS_TEST_EXPECT_MSG_EQ(pair.b.received.size(), 2, "now the Sends");
    NS_TEST_EXPECT_MSG_EQ(+m.b[40000], 0, "the second one before the requests are answered");
    IWARP_COVERS("RDMAP-5.5-20 EXT-5.4-03 EXT-5.4-05");
    const auto answers = Take(pair.b);
    NS_TEST_EXPECT_MSG_EQ(+m.b[40000], 1, "and the Atomic");
    NS_TEST_ASSERT_MSG_EQ(answers.size(), 3, "Atomic Response, two segments of a Read");
    Place(pair.a, 2, answers[2]);
    NS_TEST_EXPECT_MSG_EQ(+m.a[51999], 0x77, "the end of the Read");
    NS_TEST_EXPECT_MSG_NE(+m.a[50001], 0x77, "and not its beginning");
    IWARP_COVERS("RDMAP-5.5-06");
    Place(pair.a, 1, answers[1]);
    pair.a.endpoint->Deliver(0);
    NS_TEST_EXPECT_MSG_EQ(pair.a.completions.size(), 2, "neither is done");
    IWARP_COVERS("RDMAP-5.5-21 EXT-5.4-06");
    Place(pair.a, 0, answers[0]);
    pair.a.endpoint->Deliver(3);
    NS_TEST_EXPECT_MSG_EQ(pair.a.completions.size(), 5, "all are");
}

} // namespace
