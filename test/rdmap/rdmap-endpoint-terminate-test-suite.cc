/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "../iwarp-test.h"
#include "rdmap-capture.h"
#include "rdmap-test-memories.h"

#include <cerrno>
#include <functional>
#include <string>
#include <utility>
#include <vector>

using namespace ns3;

namespace
{

/// Suite of the Terminates of the RDMAP endpoint.
IWARP_TEST_SUITE(rdmapEndpointTerminate, "rdmap-endpoint-terminate");

/// Terminates for what a peer does wrong, to the octet.
struct RdmapTerminateCauseTest : TestCase
{
    using TestCase::TestCase;

    using Octets = std::vector<uint8_t>; //!< of a ULPDU

    /// @param name cause @param ulpdu what the peer sends @param control first 4 octets of the
    /// Terminate header @param copy what follows @param prepare done before
    void Expect(
        const std::string& name,
        const std::string& ulpdu,
        const std::string& control,
        const std::string& copy,
        const std::function<void(RdmapTestNode&)>& prepare = [](RdmapTestNode&) {},
        const RdmapConfig& config = RdmapTestConfig())
    {
        RdmapTestNode node(config);
        const uint32_t stag = node.Register(DdpMemory::CreateVirtual(0x1000), 0x1000);
        NS_TEST_ASSERT_MSG_EQ(stag, 0x101, "first STag of a table");
        node.PostReceive(1, stag, 0x1000, 16);
        RdmapWork work = MakeWork(9, RdmapWorkKind::SEND, {{0x1000, 4000, stag}});
        node.endpoint->PostSend(std::move(work));
        node.Output(); // a message is under way
        prepare(node);
        node.Input(Hex(ulpdu));
        NS_TEST_ASSERT_MSG_EQ(node.failure.has_value(), true, name);
        IWARP_COVERS("RDMAP-7.1-01");
        NS_TEST_EXPECT_MSG_EQ(node.completions.size(), 1, name << ": requests are flushed");
        const Octets terminate = node.Output();
        NS_TEST_ASSERT_MSG_GT_OR_EQ(terminate.size(), 22, name << ": a Terminate is next");
        const auto begin = terminate.begin();
        NS_TEST_EXPECT_MSG_EQ(
            (Octets(begin, begin + 18) == Hex("4147 00000000 00000002 00000001 00000000")),
            true,
            name << ": the first message of queue 2");
        IWARP_COVERS("DDP-6.2.2-6 RDMAP-5.4-01 RDMAP-5.4-02");
        NS_TEST_EXPECT_MSG_EQ((Octets(begin + 18, begin + 22) == Hex(control)),
                              true,
                              name << ": " << node.failure->Describe());
        IWARP_COVERS("RDMAP-4.8-03");
        NS_TEST_EXPECT_MSG_EQ((Octets(begin + 22, terminate.end()) == Hex(copy)),
                              true,
                              name << ": length and headers of the segment");
        IWARP_COVERS("DDP-7.1-20 RDMAP-4.8-06 RDMAP-4.8-07 RDMAP-7.1-03");
        NS_TEST_EXPECT_MSG_EQ(node.Output().size(), 0, name << ": nothing behind the Terminate");
        IWARP_COVERS("DDP-7.1-22 RDMAP-5.4-08");
        const uint64_t deliveries = node.delivered.size();
        node.Input(Hex("C140 00000101 0000000000001000 AA"));
        NS_TEST_EXPECT_MSG_EQ(node.delivered.size(), deliveries, name << ": peer is ignored");
        IWARP_COVERS("DDP-7.1-21 RDMAP-7-01");
        NS_TEST_EXPECT_MSG_EQ(node.endpoint->PostSend(MakeWork(1, RdmapWorkKind::SEND)),
                              ESHUTDOWN,
                              name << ": no more work");
        DdpBuffer buffer;
        NS_TEST_EXPECT_MSG_EQ(node.endpoint->FlushReceive(buffer),
                              node.received.empty(),
                              name << ": receive buffers come back");
        NS_TEST_EXPECT_MSG_EQ(node.endpoint->FlushReceive(buffer), false, name << ": each once");
    }
};

IWARP_TEST(rdmapEndpointTerminate, "a Terminate for each cause", RdmapTerminateCauseTest)
{
    auto tie = [](uint32_t pd, uint32_t access) {
        return [pd, access](RdmapTestNode& n) {
            DdpStagEntry e = *n.table.Find(0x101);
            e.pd = pd;
            e.access = access;
            n.table.Update(0x101, e);
        };
    };
    // Tagged: DDP finds them
    Expect("unknown STag",
           "C140 00009900 0000000000001000 AAAA",
           "1100C000",
           "0010 C140 00009900 0000000000001000");
    IWARP_COVERS("DDP-7.2-4");
    Expect("bounds",
           "C140 00000101 0000000000001FFF AAAA",
           "1101C000",
           "0010 C140 00000101 0000000000001FFF");
    IWARP_COVERS("DDP-7.2-2 DDP-7.2-5");
    Expect("domain",
           "C140 00000101 0000000000001000 AAAA",
           "1102C000",
           "0010 C140 00000101 0000000000001000",
           tie(8, 15));
    IWARP_COVERS("DDP-7.2-6");
    Expect("TO wrap",
           "C140 00000101 FFFFFFFFFFFFFFFF AAAA",
           "1103C000",
           "0010 C140 00000101 FFFFFFFFFFFFFFFF");
    IWARP_COVERS("DDP-7.2-7");
    Expect("version",
           "C240 00000101 0000000000001000 AAAA",
           "1104C000",
           "0010 C240 00000101 0000000000001000");
    IWARP_COVERS("DDP-7.2-8");
    Expect("no right to write",
           "C140 00000101 0000000000001000 AAAA",
           "1100C000",
           "0010 C140 00000101 0000000000001000",
           tie(7, 5));
    IWARP_COVERS("RDMAP-5.1-03");
    // Untagged: DDP finds them
    Expect("queue",
           "4143 00000000 00000009 00000001 00000000 AA",
           "1201C000",
           "0013 4143 00000000 00000009 00000001 00000000");
    IWARP_COVERS("DDP-7.2-9");
    Expect("no buffer",
           "4143 00000000 00000000 00000002 00000000 AA",
           "1202C000",
           "0013 4143 00000000 00000000 00000002 00000000");
    IWARP_COVERS("DDP-7.2-10 RDMAP-5.3-07");
    Expect("second Terminate",
           "4147 00000000 00000002 00000002 00000000 01020000",
           "1202C000",
           "0016 4147 00000000 00000002 00000002 00000000");
    IWARP_COVERS("RDMAP-5.4-03");
    Expect("message twice",
           "4143 00000000 00000000 00000001 00000000 AA",
           "1203C000",
           "0013 4143 00000000 00000000 00000001 00000000",
           [](RdmapTestNode& n) { n.Input(Hex("4143 00000000 00000000 00000001 00000000 AA")); });
    IWARP_COVERS("DDP-7.2-11");
    Expect("offset",
           "4143 00000000 00000000 00000001 00000010 AA",
           "1204C000",
           "0013 4143 00000000 00000000 00000001 00000010");
    IWARP_COVERS("DDP-7.2-12");
    Expect("too long",
           "4143 00000000 00000000 00000001 0000000F AAAA",
           "1205C000",
           "0014 4143 00000000 00000000 00000001 0000000F");
    IWARP_COVERS("DDP-7.2-13 RDMAP-5.3-04");
    Expect("version",
           "4343 00000000 00000000 00000001 00000000 AA",
           "1206C000",
           "0013 4343 00000000 00000000 00000001 00000000");
    IWARP_COVERS("DDP-7.2-14 RDMAP-7.2-01");
    Expect("buffer gone",
           "4143 00000000 00000000 00000001 00000000 AA",
           "1000C000",
           "0013 4143 00000000 00000000 00000001 00000000",
           [](RdmapTestNode& n) { n.table.Remove(0x101); });
    IWARP_COVERS("DDP-7.2-3");
    Expect("short segment", "4143 0000", "10000000", "");
    // RDMAP finds them
    Expect("RDMAP version",
           "4103 00000000 00000000 00000001 00000000 AA",
           "0205C000",
           "0013 4103 00000000 00000000 00000001 00000000");
    IWARP_COVERS("RDMAP-7.2-03");
    Expect("reserved opcode",
           "414C 00000000 00000000 00000001 00000000 AA",
           "0206C000",
           "0013 414C 00000000 00000000 00000001 00000000");
    IWARP_COVERS("RDMAP-7.2-02");
    Expect("Tagged Send",
           "C143 00000101 0000000000001000 AA",
           "0206C000",
           "000F C143 00000101 0000000000001000");
    IWARP_COVERS("RDMAP-5.3-01");
    Expect("Untagged Write",
           "4140 00000000 00000000 00000001 00000000 AA",
           "0206C000",
           "0013 4140 00000000 00000000 00000001 00000000");
    IWARP_COVERS("RDMAP-5.1-01");
    Expect("Send on queue 1",
           "4143 00000000 00000001 00000001 00000000 AA",
           "0206C000",
           "0013 4143 00000000 00000001 00000001 00000000");
    IWARP_COVERS("RDMAP-5.3-08");
    RdmapConfig plain = RdmapTestConfig();
    plain.extensions = false;
    Expect(
        "extension that is off",
        "4148 00000000 00000000 00000001 00000000 0102030405060708",
        "0206C000",
        "001A 4148 00000000 00000000 00000001 00000000",
        [](RdmapTestNode&) {},
        plain);
    Expect(
        "queue 3 without the extension",
        "414B 00000000 00000003 00000001 00000000 000000070000000000000029",
        "1201C000",
        "001E 414B 00000000 00000003 00000001 00000000",
        [](RdmapTestNode&) {},
        plain);
    Expect("Immediate Data of 7 octets",
           "4148 00000000 00000000 00000001 00000000 01020304050607",
           "02FFC000",
           "0019 4148 00000000 00000000 00000001 00000000");
    IWARP_COVERS("EXT-6.3-07 EXT-6.1-02 EXT-6.3-05");
    Expect("Read Request of 27 octets",
           "4141 00000000 00000001 00000001 00000000" + std::string(54, '0'),
           "02FFC000",
           "002D 4141 00000000 00000001 00000001 00000000");
    IWARP_COVERS("RDMAP-5.2.1-05");
    Expect("Atomic Response that nobody awaits",
           "414B 00000000 00000003 00000001 00000000 000000070000000000000029",
           "1202C000",
           "001E 414B 00000000 00000003 00000001 00000000");
    IWARP_COVERS("EXT-5.2.2-07");
    Expect("STag to invalidate unknown",
           "4144 00009900 00000000 00000001 00000000 AA",
           "0109C000",
           "0013 4144 00009900 00000000 00000001 00000000");
    IWARP_COVERS("RDMAP-4.8-04 RDMAP-7.2-04");
    Expect("STag to invalidate of another domain",
           "4144 00000102 00000000 00000001 00000000 AA",
           "0109C000",
           "0013 4144 00000102 00000000 00000001 00000000",
           [](RdmapTestNode& n) {
               DdpStagEntry e;
               e.pd = 8;
               e.memory = DdpMemory::CreateVirtual(1);
               n.table.Add(e);
           });
    IWARP_COVERS("RDMAP-7.2-05 RDMAP-5.3-14 RDMAP-8.1.1-01");
    // Read Requests
    const std::string header = "4141 00000000 00000001 00000001 00000000";
    auto read = [&](const std::string& name,
                    const std::string& size,
                    const std::string& stag,
                    const std::string& to,
                    const std::string& control,
                    const std::function<void(RdmapTestNode&)>& prepare) {
        const std::string request = "00001100 0000000000010000" + size + stag + to;
        Expect(name, header + request, control, "002E" + header + request, prepare);
        IWARP_COVERS("RDMAP-4.8-08 RDMAP-7.1-04");
    };
    auto nothing = [](RdmapTestNode&) {};
    read("source unknown", "00001000", "00009900", "0000000000001000", "0100E000", nothing);
    IWARP_COVERS("RDMAP-5.2.1-13 RDMAP-7.2-07");
    read("source bounds", "00001001", "00000101", "0000000000001000", "0101E000", nothing);
    IWARP_COVERS("RDMAP-4.8-04 RDMAP-7.2-10");
    read("source right", "00000001", "00000101", "0000000000001000", "0102E000", tie(7, 3));
    read("source domain", "00000001", "00000101", "0000000000001000", "0103E000", tie(8, 15));
    IWARP_COVERS("RDMAP-7.2-08");
    read("source wrap", "00001000", "00000101", "FFFFFFFFFFFFF000", "0104E000", nothing);
    IWARP_COVERS("RDMAP-5.2.1-13 RDMAP-7.2-11");
    // Atomics
    Expect("Atomic with a reserved operation",
           "414A 00000000 00000001 00000001 00000000 00000001 00000007 00000101"
           "0000000000001000" +
               std::string(64, '0'),
           "0206C000",
           "0046 414A 00000000 00000001 00000001 00000000");
    IWARP_COVERS("EXT-5.2.1-10");
    Expect("Atomic out of bounds",
           "414A 00000000 00000001 00000001 00000000 00000000 00000007 00000101"
           "0000000000002000" +
               std::string(64, '0'),
           "0101C000",
           "0046 414A 00000000 00000001 00000001 00000000");
    IWARP_COVERS("EXT-8.1-02");

    // from below, and from nowhere
    for (uint8_t code : {2, 3, 6, 7})
    {
        RdmapTestNode node(RdmapTestConfig());
        node.endpoint->LlpFailed(code);
        auto expected = Hex("4147 00000000 00000002 00000001 00000000 20000000");
        expected[19] = code;
        NS_TEST_EXPECT_MSG_EQ((node.Output() == expected), true, "MPA code");
        NS_TEST_EXPECT_MSG_EQ(node.failure.has_value(), true, "the layer above knows");
    }
    IWARP_COVERS("DDP-7-1 DDP-6.2.2-2 RDMAP-4.8-03 RDMAP-6.2.1-01");
    RdmapTestNode local(RdmapTestConfig());
    local.endpoint->FailLocally();
    NS_TEST_EXPECT_MSG_EQ(
        (local.Output() == Hex("4147 00000000 00000002 00000001 00000000 00000000")),
        true,
        "local catastrophic");
    IWARP_COVERS("RDMAP-4.8-02 RDMAP-4.8-03");
    RdmapTestNode lost(RdmapTestConfig());
    lost.endpoint->PostSend(MakeWork(1, RdmapWorkKind::SEND));
    lost.endpoint->LlpLost();
    NS_TEST_EXPECT_MSG_EQ(lost.Output().size(), 0, "nothing can be sent");
    IWARP_COVERS("DDP-6.2.2-1 RDMAP-6.2-02");
    NS_TEST_EXPECT_MSG_EQ(lost.failure.has_value(), true, "but the layer above knows");
    IWARP_COVERS("DDP-6.2.2-1");
    NS_TEST_EXPECT_MSG_EQ(lost.completions.size(), 1, "and its work has ended");
    IWARP_COVERS("DDP-6.2.2-5");
}

/**
 * An RDMA Read Response that ends before it has all that was asked for is found out when it is
 * delivered. The DDP Segment Length of its Terminate is that of the segment with L, header and
 * payload (RFC 5040 section 4.8), neither of the header alone nor of the whole message.
 */
IWARP_TEST(rdmapEndpointTerminate, "the length of the segment that ends a response too early")
{
    const std::string ten(20, 'A');

    const struct
    {
        std::string name;                //!< of the case
        std::vector<std::string> ulpdus; //!< of the response
        std::string copy;                //!< length and header in the Terminate
    } rows[] = {
        {"one segment",
         {"C142 00000101 0000000000001100" + ten},
         "0018 C142 00000101 0000000000001100"},
        {"the last one of two",
         {"8142 00000101 0000000000001100" + ten + ten, "C142 00000101 0000000000001114" + ten},
         "0018 C142 00000101 0000000000001114"},
        {"a last one without payload",
         {"8142 00000101 0000000000001100" + ten, "C142 00000101 000000000000110A"},
         "000E C142 00000101 000000000000110A"},
    };

    for (const auto& row : rows)
    {
        RdmapTestNode node(RdmapTestConfig());
        const uint32_t stag = node.Register(DdpMemory::CreateVirtual(0x1000), 0x1000);
        NS_TEST_ASSERT_MSG_EQ(stag, 0x101, "first STag of a table");
        RdmapWork work = MakeWork(1, RdmapWorkKind::READ, {{0x1100, 100, stag}});
        work.remoteStag = 0x9900;
        node.endpoint->PostSend(std::move(work));
        node.Output();
        for (const auto& ulpdu : row.ulpdus)
        {
            NS_TEST_ASSERT_MSG_EQ(node.failure.has_value(), false, row.name << ": good so far");
            node.Input(Hex(ulpdu));
        }
        NS_TEST_ASSERT_MSG_EQ(node.failure.has_value(), true, row.name << ": too short");
        const auto expected = Hex("4147 00000000 00000002 00000001 00000000 02FFC000" + row.copy);
        NS_TEST_EXPECT_MSG_EQ((node.Output() == expected), true, row.name);
        IWARP_COVERS("RDMAP-4.8-06 RDMAP-4.8-07 DDP-7.1-20");
    }
}

} // namespace
