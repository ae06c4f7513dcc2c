/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "../iwarp-test.h"
#include "rdmap-capture.h"
#include "rdmap-pair.h"
#include "rdmap-test-memories.h"

#include "ns3/rdmap-header.h"
#include "ns3/rdmap-validate.h"

#include <cerrno>
#include <cstdint>
#include <string>
#include <vector>

using namespace ns3;

namespace
{

/// Suite of peers that are odd, but good.
IWARP_TEST_SUITE(rdmapOddPeer, "rdmap-odd-peer");

/// Octets of a peer that are odd, but good; and some that are not.
struct RdmapOddPeerTest : TestCase
{
    using TestCase::TestCase;

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
};

IWARP_TEST(rdmapOddPeer,
           "reserved bits, Terminates of a peer, and requests that are refused",
           RdmapOddPeerTest)
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
    // Immediate Data is of RFC 7306, which is for version 1 (RFC 5040 section 4.1): DDP's version
    // is checked before
    for (const uint8_t version : {0, 1})
    {
        DdpHeader immediate;
        const auto octets = Hex("4108 00000000 00000000 00000001 00000000");
        immediate.Read(octets.data(), octets.size());
        immediate.ulpControl |= version << 6;
        const auto found = RdmapValidate(immediate, rdmap::IMMEDIATE_SIZE, true, version);
        NS_TEST_EXPECT_MSG_EQ((found == RdmapError::NONE), (version == 1), +version);
        NS_TEST_EXPECT_MSG_EQ((found == RdmapError::OPERATION_OPCODE), (version == 0), +version);
    }
}

IWARP_TEST(rdmapOddPeer, "requests of the peer that have to be refused", RdmapOddPeerTest)
{
    const std::string odd = "RDMAP, remote operation: unspecified (0/2/255)";
    const std::string zeros(56, '0');
    Expect("0141 00000000 00000001 00000001 00000000" + zeros, odd);        // not the last segment
    Expect("4141 00000000 00000001 00000001 00000000" + zeros + "00", odd); // an octet more
    const std::string read = "4141 00000000 00000001 00000001 00000000 00000009 0000000000001000";
    Expect(read + "00000008 00000101 FFFFFFFFFFFFFFFC",
           "RDMAP, remote protection: TO wrap (0/1/4)");
    IWARP_COVERS("RDMAP-7.2-11");

    // a Read of what is another protection domain's
    RdmapTestNode apart(RdmapTestConfig());
    DdpStagEntry theirs;
    theirs.pd = apart.endpoint->GetConfig().pd + 1;
    theirs.access = DDP_ACCESS_REMOTE_READ;
    theirs.length = 16;
    theirs.memory = DdpMemory::CreateVirtual(16);
    NS_TEST_ASSERT_MSG_EQ(apart.table.Add(theirs), 0x101, "first STag of a table");
    apart.Input(Hex(read + "00000008 00000101 0000000000000000"));
    NS_TEST_ASSERT_MSG_EQ(apart.failure.has_value(), true, "a Read of another domain's memory");
    NS_TEST_EXPECT_MSG_EQ(apart.failure->Describe(),
                          "RDMAP, remote protection: STag not associated with the stream (0/1/3)",
                          "code");
    IWARP_COVERS("RDMAP-7.2-08");

    // a fetch and add to what may be read only
    RdmapTestNode node(RdmapTestConfig());
    DdpStagEntry entry;
    entry.pd = node.endpoint->GetConfig().pd;
    entry.access = DDP_ACCESS_LOCAL_WRITE | DDP_ACCESS_REMOTE_READ;
    entry.length = 16;
    entry.memory = DdpMemory::CreateVirtual(16);
    NS_TEST_ASSERT_MSG_EQ(node.table.Add(entry), 0x101, "first STag of a table");
    node.Input(Hex("414A 00000000 00000001 00000001 00000000 00000000 00000001 00000101"
                   "0000000000000000" +
                   std::string(64, '0')));
    NS_TEST_ASSERT_MSG_EQ(node.failure.has_value(), true, "an Atomic without the right");
    NS_TEST_EXPECT_MSG_EQ(node.failure->Describe(),
                          "RDMAP, remote protection: access rights violation (0/1/2)",
                          "code");
}

IWARP_TEST(rdmapOddPeer, "immediate data that overtake others go with their own message")
{
    RdmapTestNode node(RdmapTestConfig());
    const uint32_t stag = node.Register(DdpMemory::CreateVirtual(0x1000), 0x1000);
    node.PostReceive(1, stag, 0x1000, 16);
    node.PostReceive(2, stag, 0x1010, 16);
    const auto first = Hex("4148 00000000 00000000 00000001 00000000 0102030405060708");
    const auto second = Hex("4148 00000000 00000000 00000002 00000000 1112131415161718");
    const auto size = static_cast<uint32_t>(first.size());
    node.endpoint->Segment(1, second.data(), size, size, false);
    node.endpoint->Segment(0, first.data(), size, size, true);
    node.endpoint->Deliver(2);
    NS_TEST_ASSERT_MSG_EQ(node.received.size(), 2, "both");
    NS_TEST_EXPECT_MSG_EQ(node.received[0].immediate, 0x0102030405060708, "the first's");
    NS_TEST_EXPECT_MSG_EQ(node.received[1].immediate, 0x1112131415161718, "the second's");
}

/// Buffers that never come.
struct NoRdmapBuffers : DdpBufferSource
{
    uint32_t GetAvailable() const override
    {
        return 0;
    }

    bool Pop(DdpBuffer&) override
    {
        return false;
    }
};

IWARP_TEST(rdmapOddPeer, "what an endpoint refuses its user")
{
    RdmapTestNode old(RdmapTestConfig());
    old.endpoint->SetVersion(0);
    NS_TEST_EXPECT_MSG_EQ(old.endpoint->PostSend(MakeWork(1, RdmapWorkKind::IMMEDIATE)),
                          EOPNOTSUPP,
                          "extensions are of version 1");
    NoRdmapBuffers source;
    RdmapConfig config = RdmapTestConfig();
    config.receives = &source;
    RdmapTestNode shared(config);
    NS_TEST_EXPECT_MSG_EQ(shared.endpoint->PostReceive({}), EINVAL, "buffers are shared");
    RdmapTestNode over(RdmapTestConfig());
    const uint32_t stag = over.Register(DdpMemory::CreateVirtual(100));
    over.endpoint->PostSend(MakeWork(1, RdmapWorkKind::SEND, {{0, 100, stag}}));
    over.endpoint->LlpLost();
    NS_TEST_EXPECT_MSG_EQ(over.endpoint->PostReceive({}), ESHUTDOWN, "the stream has failed");
    NS_TEST_ASSERT_MSG_EQ(over.completions.size(), 1, "flushed");
    NS_TEST_EXPECT_MSG_EQ(over.completions[0].octets, 0, "nothing of it was moved");

    // a Read needs a sink that can be written
    RdmapTestNode reader(RdmapTestConfig());
    DdpStagEntry entry;
    entry.pd = reader.endpoint->GetConfig().pd;
    entry.access = DDP_ACCESS_REMOTE_READ;
    entry.length = 100;
    entry.memory = DdpMemory::CreateVirtual(100);
    const uint32_t sink = reader.table.Add(entry);
    reader.endpoint->PostSend(MakeWork(1, RdmapWorkKind::READ, {{0, 100, sink}}));
    reader.Output();
    NS_TEST_ASSERT_MSG_EQ(reader.completions.size(), 1, "refused when it is its turn");
    NS_TEST_EXPECT_MSG_EQ((reader.completions[0].status == RdmapStatus::LOCAL_PROTECTION),
                          true,
                          "for want of a right");
}

IWARP_TEST(rdmapOddPeer, "responses are due before an endpoint has done all, and in their turn")
{
    RdmapTestNode node(RdmapTestConfig());
    const uint32_t stag = node.Register(DdpMemory::CreateVirtual(0x1000), 0x1000);
    node.endpoint->PostSend(MakeWork(1, RdmapWorkKind::SEND, {{0x1000, 10, stag}}));
    node.Output();
    NS_TEST_EXPECT_MSG_EQ(node.endpoint->IsDrained(), true, "all is sent");
    node.Input(Hex("4141 00000000 00000001 00000001 00000000 00000999 0000000000000000 00000010 "
                   "00000101 0000000000001000"));
    NS_TEST_EXPECT_MSG_EQ(node.endpoint->IsDrained(), false, "the peer has asked for 16 octets");
    node.endpoint->PostSend(MakeWork(2, RdmapWorkKind::SEND, {{0x1000, 10, stag}}));
    NS_TEST_EXPECT_MSG_EQ((node.endpoint->GetStart() == RdmapEndpoint::Start::OTHER),
                          true,
                          "it is the response's turn");
    NS_TEST_EXPECT_MSG_EQ(+node.Output()[1], 0x42, "a Read Response");
    NS_TEST_EXPECT_MSG_EQ(+node.Output()[1], 0x43, "then the Send");
}

} // namespace
