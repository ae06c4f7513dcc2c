/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "../iwarp-test.h"
#include "rdmap-test-memories.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

using namespace ns3;

namespace
{

/// Suite of Atomics.
IWARP_TEST_SUITE(rdmapAtomics, "rdmap-atomics");

/// Atomics of several streams on one word, and one that is not aligned.
IWARP_TEST(rdmapAtomics, "Atomics of two streams on one word, and a swap that is not aligned")
{
    std::vector<uint64_t> word(2);
    const auto shared = DdpMemory::Wrap(reinterpret_cast<uint8_t*>(word.data()), 16);
    RdmapTestPair pairs[2] = {RdmapTestPair(RdmapTestConfig()), RdmapTestPair(RdmapTestConfig())};
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
        RdmapWork work = MakeWork(place, RdmapWorkKind::ATOMIC, {{8 * place, 8, sinks[stream]}});
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
    IWARP_COVERS("EXT-5-01 EXT-5.3-01");

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

/// As many Atomics at once as are agreed: queue 3 has a buffer for each response.
struct RdmapAtomicsAtOnceTest : TestCase
{
    using TestCase::TestCase;

    static constexpr uint32_t ORD = 8; //!< Atomics under way at most

    RdmapTestPair m_pair{RdmapTestConfig(ORD, ORD)}; //!< endpoints
    RdmapTestMemories m_memory{m_pair};              //!< their memories
};

IWARP_TEST(rdmapAtomics, "as many Atomics at once as ORD says", RdmapAtomicsAtOnceTest)
{
    auto& a = m_pair.a;
    for (uint32_t i = 0; i <= ORD; i++)
    {
        RdmapWork work = MakeWork(i, RdmapWorkKind::ATOMIC, {{0x10000 + 8 * i, 8, m_memory.stagA}});
        work.remoteStag = m_memory.stagB;
        work.remoteTo = 0x20000;
        work.atomic.data = 1;
        NS_TEST_EXPECT_MSG_EQ(a.endpoint->PostSend(std::move(work)), 0, "posted");
    }
    std::memset(m_memory.b.data(), 0, 8);
    for (uint32_t i = 0; i < ORD; i++)
    {
        m_pair.b.Input(a.Output());
    }
    NS_TEST_EXPECT_MSG_EQ(a.Output().empty(), true, "the last one has to wait");
    for (uint32_t i = 0; i < ORD; i++)
    {
        const auto answer = m_pair.b.Output();
        NS_TEST_ASSERT_MSG_EQ(answer.size(), 30, "an Atomic Response");
        NS_TEST_EXPECT_MSG_EQ(+answer[9], 3, "queue");
        NS_TEST_EXPECT_MSG_EQ(+answer[13], i + 1, "message");
        a.Input(answer);
        NS_TEST_EXPECT_MSG_EQ(a.failure.has_value(), false, "it has a buffer");
        NS_TEST_ASSERT_MSG_EQ(a.completions.size(), i + 1, "and completes its Atomic");
        NS_TEST_EXPECT_MSG_EQ((a.completions[i].status == RdmapStatus::SUCCESS), true, "well");
        uint64_t found;
        std::memcpy(&found, &m_memory.a[8 * i], 8);
        NS_TEST_EXPECT_MSG_EQ(found, i, "what the one before has left");
    }
    IWARP_COVERS("EXT-5.2.2-05");
    m_pair.Pump();
    NS_TEST_EXPECT_MSG_EQ(a.completions.size(), ORD + 1, "the last one, too");
}

/// One Atomic is under way, or a Read and an Atomic, and the peer answers as it likes.
struct RdmapAtomicsPeerTest : TestCase
{
    using TestCase::TestCase;

    /// Ask for an Atomic, or a Read of 8 octets. @param node who asks @param kind of both
    /// @return the request
    static std::vector<uint8_t> Ask(RdmapTestNode& node, RdmapWorkKind kind)
    {
        const uint32_t sink = node.Register(DdpMemory::CreateVirtual(8));
        RdmapWork work = MakeWork(1, kind, {{0, 8, sink}});
        work.remoteStag = 0x9900;
        node.endpoint->PostSend(std::move(work));
        return node.Output();
    }

    /// @param msn MSN @param id request identifier @return an Atomic Response
    static std::vector<uint8_t> Answer(uint8_t msn, uint8_t id)
    {
        std::vector<uint8_t> ulpdu(30);
        ulpdu[0] = 0x41;
        ulpdu[1] = 0x4B;
        ulpdu[9] = 3; // queue
        ulpdu[13] = msn;
        ulpdu[21] = id;
        return ulpdu;
    }

    /// @param node whose stream has to have failed @param description why
    void ExpectFailure(const RdmapTestNode& node, const std::string& description)
    {
        NS_TEST_ASSERT_MSG_EQ(node.failure.has_value(), true, description);
        NS_TEST_EXPECT_MSG_EQ(node.failure->Describe(), description, "why");
    }
};

IWARP_TEST(rdmapAtomics, "responses that do not answer what was asked", RdmapAtomicsPeerTest)
{
    const std::string odd = "RDMAP, remote operation: unspecified (0/2/255)";
    const std::string opcode = "RDMAP, remote operation: unexpected opcode (0/2/6)";
    const std::string none = "DDP, untagged buffer: invalid MSN, no buffer available (1/2/2)";
    constexpr auto atomic = RdmapWorkKind::ATOMIC;
    {
        RdmapTestNode node(RdmapTestConfig());
        const auto first = Ask(node, atomic);
        const auto second = Ask(node, atomic);
        NS_TEST_EXPECT_MSG_NE(+first[25], +second[25], "each request has its identifier");
        node.Input(Answer(1, first[25]));
        NS_TEST_EXPECT_MSG_EQ(node.completions.size(), 1, "the first's");
        node.Input(Answer(2, first[25]));
        ExpectFailure(node, odd);
        IWARP_COVERS("EXT-5.2.2-05");
    }
    {
        RdmapTestNode node(RdmapTestConfig());
        node.Input(Answer(1, 0));
        ExpectFailure(node, none); // nothing was asked
    }
    {
        RdmapTestNode node(RdmapTestConfig());
        const auto asked = Ask(node, atomic);
        node.Input(Answer(2, asked[25]));
        ExpectFailure(node, none); // one Atomic, one buffer
    }
    {
        RdmapTestNode node(RdmapTestConfig());
        const auto asked = Ask(node, atomic);
        node.Input(Answer(1, asked[25]));
        NS_TEST_EXPECT_MSG_EQ(node.completions.size(), 1, "answered");
        node.Input(Answer(2, asked[25]));
        ExpectFailure(node, none); // and that one is gone
    }
    {
        RdmapTestNode node(RdmapTestConfig());
        Ask(node, RdmapWorkKind::READ);
        const auto asked = Ask(node, atomic);
        node.Input(Answer(1, asked[25]));
        ExpectFailure(node, opcode); // it is the Read's turn
    }
    {
        RdmapTestNode node(RdmapTestConfig());
        Ask(node, atomic);
        Ask(node, RdmapWorkKind::READ);
        DdpHeader header;
        header.tagged = true;
        header.last = true;
        header.ulpControl = 0x42; // Read Response
        header.stag = 0x201;      // second STag of a table
        std::vector<uint8_t> ulpdu(header.GetSize() + 8);
        header.Write(ulpdu.data());
        node.Input(ulpdu);
        ExpectFailure(node, opcode); // it is the Atomic's turn
    }
}

} // namespace
