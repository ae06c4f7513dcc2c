/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdmap-capture.h"
#include "rdmap-test-memories.h"
#include "requirement-record.h"

#include "ns3/ddp-header.h"
#include "ns3/ns3-compat.h"
#include "ns3/test.h"

using namespace ns3;

namespace
{

/// What an endpoint has sent.
struct Sent
{
    DdpHeader header;            //!< DDP header
    std::vector<uint8_t> octets; //!< ULPDU
};

/// @param node an endpoint @return all that it has to send, in order
std::vector<Sent>
Take(RdmapTestNode& node)
{
    std::vector<Sent> sent;
    for (auto ulpdu = node.Output(); !ulpdu.empty(); ulpdu = node.Output())
    {
        Sent one;
        one.header.Read(ulpdu.data(), ulpdu.size());
        one.octets = std::move(ulpdu);
        sent.push_back(std::move(one));
    }
    return sent;
}

/// One operation of each kind, segment by segment.
class RdmapWireTest : public TestCase
{
  public:
    RdmapWireTest()
        : TestCase("segments of each operation, and when it completes")
    {
    }

  private:
    /// A segment as it is to be.
    struct Row
    {
        uint8_t control; //!< RDMAP's control octet
        bool tagged;     //!< T
        bool last;       //!< L
        uint32_t qn;     //!< queue
        uint32_t msn;    //!< message
        uint32_t word;   //!< Invalidate STag, or STag
        uint32_t size;   //!< octets of the ULPDU
    };

    /// @param sent segments @param rows what they are to be
    void Compare(const std::vector<Sent>& sent, const std::vector<Row>& rows)
    {
        NS_TEST_ASSERT_MSG_EQ(sent.size(), rows.size(), "segments");
        for (std::size_t i = 0; i < rows.size(); i++)
        {
            const DdpHeader& header = sent[i].header;
            NS_TEST_EXPECT_MSG_EQ(+header.ulpControl, +rows[i].control, "opcode of " << i);
            NS_TEST_EXPECT_MSG_EQ(header.tagged, rows[i].tagged, "T of " << i);
            NS_TEST_EXPECT_MSG_EQ(header.last, rows[i].last, "L of " << i);
            NS_TEST_EXPECT_MSG_EQ(header.qn, rows[i].qn, "queue of " << i);
            NS_TEST_EXPECT_MSG_EQ(header.msn, rows[i].msn, "MSN of " << i);
            NS_TEST_EXPECT_MSG_EQ((header.tagged ? header.stag : header.ulpWord),
                                  rows[i].word,
                                  "STag of " << i);
            NS_TEST_EXPECT_MSG_EQ(sent[i].octets.size(), rows[i].size, "size of " << i);
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
        work.atomic.data = 1;
        Post(work);
    }

    void DoRun() override
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
        Compare(sent,
                {{0x43, false, true, 0, 1, 0, 28},
                 {0x45, false, true, 0, 2, 0, 18},
                 {0x44, false, true, 0, 3, window[0], 23},
                 {0x46, false, true, 0, 4, window[1], 18},
                 {0x40, true, false, 0, 0, stag, 1442},
                 {0x40, true, false, 0, 0, stag, 1442},
                 {0x40, true, true, 0, 0, stag, 158},
                 {0x40, true, true, 0, 0, sent[7].header.stag, 14},
                 {0x48, false, true, 0, 5, 0, 26},
                 {0x49, false, true, 0, 6, 0, 26},
                 {0x41, false, true, 1, 1, 0, 46},
                 {0x40, true, true, 0, 0, stag, 22},
                 {0x4A, false, true, 1, 2, 0, 70},
                 {0x41, false, true, 1, 3, 0, 46},
                 {0x4A, false, true, 1, 4, 0, 70}});
        IWARP_COVERS("RDMAP-4.1-01 RDMAP-4.1-02 RDMAP-4.1-03 RDMAP-4.1-04 RDMAP-4.1-05 "
                     "RDMAP-4.1-06 RDMAP-4.2-01 RDMAP-5.1-01 RDMAP-5.1-06 RDMAP-5.1-08 "
                     "RDMAP-5.1-09 RDMAP-5.2.1-01 RDMAP-5.2.1-02 RDMAP-5.2.1-06 RDMAP-5.2.1-07 "
                     "RDMAP-5.2.1-12 RDMAP-5.3-01 RDMAP-5.3-08 RDMAP-5.3-09 RDMAP-5.3-10 "
                     "RDMAP-5.3-12 RDMAP-5.5-15 EXT-4.1-01 EXT-4.1-02 EXT-4.2-01 EXT-5.2-01 "
                     "EXT-5.2.1-06 EXT-5.2.1-07 EXT-5.2.1-11 EXT-5.2.1-12 EXT-6.3-01 EXT-6.3-04 "
                     "EXT-6.3-05 EXT-6.3-06");
        NS_TEST_EXPECT_MSG_EQ(
            (std::vector<uint8_t>(sent[8].octets.begin() + 18, sent[8].octets.end()) ==
             Hex("0102030405060708")),
            true,
            "right behind the DDP header");
        IWARP_COVERS("EXT-6.2-01");

        for (const auto& segment : sent)
        {
            b.Input(segment.octets);
        }
        NS_TEST_ASSERT_MSG_EQ(b.received.size(), 6, "Sends and Immediate Data take a buffer each");
        IWARP_COVERS("RDMAP-5.3-02 RDMAP-5.3-11 EXT-6.3-02");
        NS_TEST_EXPECT_MSG_EQ(m_memory.Equal(101, 10001, 3000), true, "the Write");
        NS_TEST_EXPECT_MSG_EQ(m_memory.b[10000] + m_memory.b[13001], 0, "and no more");
        IWARP_COVERS("RDMAP-5.1-04 RDMAP-5.1-05 RDMAP-8.1.1-03");

        const auto answers = Take(b);
        Compare(answers,
                {{0x42, true, false, 0, 0, m_memory.stagA, 1442},
                 {0x42, true, false, 0, 0, m_memory.stagA, 1442},
                 {0x42, true, true, 0, 0, m_memory.stagA, 158},
                 {0x4B, false, true, 3, 1, 0, 30},
                 {0x42, true, true, 0, 0, answers[4].header.stag, 14},
                 {0x4B, false, true, 3, 2, 0, 30}});
        IWARP_COVERS("RDMAP-5.2-01 RDMAP-5.2.1-08 RDMAP-5.2.1-11 RDMAP-5.2.1-15 RDMAP-5.2.2-01 "
                     "RDMAP-5.2.2-02 RDMAP-5.2.2-07 RDMAP-5.2.2-09 RDMAP-5.5-22 EXT-5-05 "
                     "EXT-5.2.1-14 EXT-5.2.2-02 EXT-5.2.2-03 EXT-5.2.2-08 EXT-7-02");
        NS_TEST_EXPECT_MSG_EQ(b.completions.size(), 0, "requests are no matter of the ULP");
        IWARP_COVERS("RDMAP-3.2-04 RDMAP-5.2.1-03 RDMAP-5.2.1-04 EXT-5.2.1-08 EXT-5.2.1-09");
        NS_TEST_EXPECT_MSG_EQ(answers[0].header.to, 0x10000 + 5003, "where the Read wants it");
        IWARP_COVERS("RDMAP-4.4-02 RDMAP-4.4-04");
        for (const auto& [request, answer] : {std::pair{12, 3}, {14, 5}})
        {
            NS_TEST_EXPECT_MSG_EQ(std::equal(answers[answer].octets.begin() + 18,
                                             answers[answer].octets.begin() + 22,
                                             sent[request].octets.begin() + 22),
                                  true,
                                  "Request Identifier");
            IWARP_COVERS("EXT-5.2.1-03");
        }

        NS_TEST_EXPECT_MSG_EQ(a.completions.size(), 8, "nothing is done behind the Read");
        const uint32_t done[] = {8, 8, 10, 11, 12, 13};
        for (std::size_t i = 0; i < answers.size(); i++)
        {
            a.Input(answers[i].octets);
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
        NS_TEST_EXPECT_MSG_EQ(values[1], values[2] + 1, "and then the sum");
    }

    RdmapTestPair m_pair{RdmapTestConfig(8, 8)}; //!< endpoints
    RdmapTestMemories m_memory{m_pair};          //!< their memories
};

/// Octets of a peer that are odd, but good; and some that are not.
class RdmapOddPeerTest : public TestCase
{
  public:
    RdmapOddPeerTest()
        : TestCase("reserved bits, Terminates of a peer, and requests that are refused")
    {
    }

  private:
    /// @param ulpdu what the peer sends @param description of the failure
    void Expect(const std::string& ulpdu, const std::string& description)
    {
        RdmapTestNode node(RdmapTestConfig());
        const uint32_t stag = node.Register(DdpMemory::CreateVirtual(0x1000), 0x1000);
        node.PostReceive(1, stag, 0x1000, 16);
        node.Input(Hex(ulpdu));
        NS_TEST_ASSERT_MSG_EQ(node.failure.has_value(), true, ulpdu);
        NS_TEST_EXPECT_MSG_EQ(node.failure->Describe(), description, ulpdu);
    }

    void DoRun() override
    {
        RdmapTestNode node(RdmapTestConfig());
        const uint32_t stag = node.Register(DdpMemory::CreateVirtual(0x1000), 0x1000);
        node.PostReceive(1, stag, 0x1000, 16);
        node.Input(Hex("4173 00000101 00000000 00000001 00000000 AA"));
        NS_TEST_ASSERT_MSG_EQ(node.received.size(), 1, "a Send, whatever its reserved bits");
        IWARP_COVERS("RDMAP-4.1-08");
        NS_TEST_EXPECT_MSG_EQ(node.table.Find(stag)->valid, true, "and it invalidates nothing");
        IWARP_COVERS("RDMAP-4.1-09");

        // Terminates
        const std::string terminate = "4147 00000000 00000002 00000001 00000000 ";
        Expect(terminate + "20021FFF", "MPA, CRC error (2/0/2)");
        IWARP_COVERS("RDMAP-4.8-05");
        for (const std::string code : {"00", "07", "FF"})
        {
            Expect(terminate + "00" + code + "0000",
                   "RDMAP, local catastrophic error (0/0/" +
                       std::to_string(std::stoi(code, nullptr, 16)) + ")");
        }
        IWARP_COVERS("RDMAP-4.8-10");
        RdmapTestNode brief(RdmapTestConfig());
        brief.Input(Hex(terminate + "200200"));
        NS_TEST_EXPECT_MSG_EQ(brief.failure.has_value(), true, "a Terminate of 3 octets");
        IWARP_COVERS("RDMAP-5.4-06");

        RdmapTestNode told(RdmapTestConfig());
        told.endpoint->PostSend(MakeWork(1, RdmapWorkKind::SEND));
        told.Input(Hex(terminate + "20020000"));
        NS_TEST_EXPECT_MSG_EQ(told.Output().size(), 0, "nothing is sent behind one");
        IWARP_COVERS("RDMAP-5.4-09");

        // of two errors the first
        RdmapTestNode first(RdmapTestConfig());
        first.Input(Hex("C140 00009900 0000000000001000 AA"));
        first.Input(Hex("4143 00000000 00000009 00000001 00000000 AA"));
        NS_TEST_EXPECT_MSG_EQ(
            (first.Output() == Hex(terminate + "1100C000 000F C140 00009900 0000000000001000")),
            true,
            "header of the first");
        IWARP_COVERS("RDMAP-7.1-05");

        for (const uint32_t size : {0U, 0xFFFFFFFFU})
        {
            RdmapReadRequest request;
            request.size = size;
            std::vector<uint8_t> octets(28);
            request.Write(octets.data());
            RdmapReadRequest back;
            back.Read(octets.data());
            NS_TEST_EXPECT_MSG_EQ(back.size, size, "size of a Read");
        }
        IWARP_COVERS("RDMAP-4.4-05");

        // requests in the wrong place
        const std::string zeros(56, '0');
        Expect("4141 00000000 00000000 00000001 00000000" + zeros,
               "RDMAP, remote operation: unexpected opcode (0/2/6)");
        Expect("4181 00000000 00000001 00000001 00000000" + zeros,
               "RDMAP, remote operation: invalid RDMAP version (0/2/5)");
        Expect("4343 00000000 00000001 00000001 00000000" + zeros,
               "DDP, untagged buffer: invalid DDP version (1/2/6)");
        IWARP_COVERS("RDMAP-7.2-06");
        Expect("4141 00000000 00000001 00000001 00000000 00000101 0000000000001000 00000001 "
               "00000101 0000000000000FFF",
               "RDMAP, remote protection: base or bounds violation (0/1/1)");
        IWARP_COVERS("RDMAP-7.2-09");
        Expect("4188 00000000 00000000 00000001 00000000 0102030405060708",
               "RDMAP, remote operation: invalid RDMAP version (0/2/5)");
        Expect("4148 00000000 00000001 00000001 00000000 0102030405060708",
               "RDMAP, remote operation: unexpected opcode (0/2/6)");
        IWARP_COVERS("EXT-8.2-01");
    }
};

/// Segments that are there before those in front of them.
class RdmapEarlySegmentTest : public TestCase
{
  public:
    RdmapEarlySegmentTest()
        : TestCase("placed out of order, and neither answered nor told of before its turn")
    {
    }

  private:
    /// @param to where @param order place @param ulpdu a ULPDU that is not in order yet
    static void Place(RdmapTestNode& to, uint32_t order, const std::vector<uint8_t>& ulpdu)
    {
        to.endpoint->Segment(order, ulpdu.data(), ulpdu.size(), ulpdu.size());
    }

    void DoRun() override
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

        Place(pair.b, 1, sent[1].octets);
        NS_TEST_EXPECT_MSG_EQ(m.Equal(1428, 1428, 572), true, "the end of the Write");
        NS_TEST_EXPECT_MSG_EQ(+m.b[0], 0, "and not its beginning");
        IWARP_COVERS("RDMAP-5.5-05");
        Place(pair.b, 3, sent[3].octets);
        Place(pair.b, 4, sent[4].octets);
        Place(pair.b, 5, sent[5].octets);
        Place(pair.b, 6, sent[6].octets);
        NS_TEST_EXPECT_MSG_EQ(m.Equal(6424, 31424, 576), true, "the end of the Send");
        IWARP_COVERS("RDMAP-5.5-04");
        Place(pair.b, 2, sent[2].octets);
        pair.b.endpoint->Deliver(0);
        NS_TEST_EXPECT_MSG_EQ(pair.b.received.size(), 0, "the Send is not told of");
        IWARP_COVERS("RDMAP-5.5-18");
        NS_TEST_EXPECT_MSG_EQ(pair.b.Output().size(), 0, "no request is answered");
        IWARP_COVERS("RDMAP-5.5-12");
        NS_TEST_EXPECT_MSG_EQ(+m.b[40000], 0, "and no word changed");
        IWARP_COVERS("EXT-5.4-02");

        Place(pair.b, 0, sent[0].octets);
        pair.b.endpoint->Deliver(7);
        NS_TEST_EXPECT_MSG_EQ(pair.b.received.size(), 2, "now the Sends");
        NS_TEST_EXPECT_MSG_EQ(+m.b[40000], 0, "the second one before the requests are answered");
        IWARP_COVERS("RDMAP-5.5-20 EXT-5.4-03 EXT-5.4-05");
        const auto answers = Take(pair.b);
        NS_TEST_EXPECT_MSG_EQ(+m.b[40000], 1, "and the Atomic");
        NS_TEST_ASSERT_MSG_EQ(answers.size(), 3, "Atomic Response, two segments of a Read");
        Place(pair.a, 2, answers[2].octets);
        NS_TEST_EXPECT_MSG_EQ(+m.a[51999], 0x77, "the end of the Read");
        NS_TEST_EXPECT_MSG_NE(+m.a[50001], 0x77, "and not its beginning");
        IWARP_COVERS("RDMAP-5.5-06");
        Place(pair.a, 1, answers[1].octets);
        pair.a.endpoint->Deliver(0);
        NS_TEST_EXPECT_MSG_EQ(pair.a.completions.size(), 2, "neither is done");
        IWARP_COVERS("RDMAP-5.5-21 EXT-5.4-06");
        Place(pair.a, 0, answers[0].octets);
        pair.a.endpoint->Deliver(3);
        NS_TEST_EXPECT_MSG_EQ(pair.a.completions.size(), 5, "all are");
    }
};

/// Atomics of several streams on one word, and one that is not aligned.
class RdmapSharedWordTest : public TestCase
{
  public:
    RdmapSharedWordTest()
        : TestCase("Atomics of two streams on one word, and a swap that is not aligned")
    {
    }

  private:
    void DoRun() override
    {
        std::vector<uint64_t> word(2);
        const auto shared = DdpMemory::Wrap(reinterpret_cast<uint8_t*>(word.data()), 16);
        RdmapTestPair pairs[2] = {RdmapTestPair(RdmapTestConfig()),
                                  RdmapTestPair(RdmapTestConfig())};
        std::vector<uint64_t> before(21);
        uint32_t stags[2];
        uint32_t sinks[2];
        for (uint32_t i = 0; i < 2; i++)
        {
            stags[i] = pairs[i].b.Register(shared);
            sinks[i] = pairs[i].a.Register(
                DdpMemory::Wrap(reinterpret_cast<uint8_t*>(before.data()), 8 * before.size()));
        }
        auto post = [&](uint32_t stream, uint32_t place, uint8_t opcode, uint64_t to) {
            RdmapWork work =
                MakeWork(place, RdmapWorkKind::ATOMIC, {{8 * place, 8, sinks[stream]}});
            work.remoteStag = stags[stream];
            work.remoteTo = to;
            work.atomic.opcode = opcode;
            work.atomic.data = 1;
            work.atomic.dataMask = opcode == 2 ? ~uint64_t(0) : 0;
            NS_TEST_EXPECT_MSG_EQ(pairs[stream].a.endpoint->PostSend(std::move(work)), 0, "posted");
        };
        for (uint32_t i = 0; i < 20; i++)
        {
            post(i % 2, i, 0, 0);
        }
        for (uint32_t round = 0; round < 20; round++)
        {
            for (auto& pair : pairs)
            {
                const auto request = pair.a.Output();
                if (!request.empty())
                {
                    pair.b.Input(request);
                }
                const auto response = pair.b.Output();
                if (!response.empty())
                {
                    pair.a.Input(response);
                }
            }
        }
        NS_TEST_EXPECT_MSG_EQ(word[0], 20, "no addition is lost");
        std::sort(before.begin(), before.end() - 1);
        for (uint32_t i = 0; i < 20; i++)
        {
            NS_TEST_EXPECT_MSG_EQ(before[i], i, "each found another value");
        }
        IWARP_COVERS("EXT-5-01 EXT-5.3-01 EXT-5.2.2-05");

        post(0, 20, 2, 1);
        pairs[0].Pump();
        NS_TEST_ASSERT_MSG_EQ(pairs[0].a.failure.has_value(), true, "not aligned");
        NS_TEST_EXPECT_MSG_EQ(pairs[0].a.failure->Describe(),
                              "RDMAP, remote operation: catastrophic, this stream (0/2/7)",
                              "code");
        IWARP_COVERS("EXT-5.1.2-05");
        NS_TEST_EXPECT_MSG_EQ(word[0] + word[1], 20, "nothing has changed");
        IWARP_COVERS("EXT-5.1.2-04");
    }
};

/// Suite of what RDMAP puts on the wire, and takes from it.
class RdmapWireTestSuite : public TestSuite
{
  public:
    RdmapWireTestSuite()
        : TestSuite("rdmap-wire", TestSuite::Type::UNIT)
    {
        AddTestCase(new RdmapWireTest, IWARP_TEST_QUICK);
        AddTestCase(new RdmapOddPeerTest, IWARP_TEST_QUICK);
        AddTestCase(new RdmapEarlySegmentTest, IWARP_TEST_QUICK);
        AddTestCase(new RdmapSharedWordTest, IWARP_TEST_QUICK);
    }
};

RdmapWireTestSuite g_rdmapWireTestSuite; //!< registers the suite

} // namespace
