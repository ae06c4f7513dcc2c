/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "../iwarp-test.h"
#include "rdmap-capture.h"

#include "ns3/ddp-header.h"
#include "ns3/random-variable-stream.h"
#include "ns3/rdmap-header.h"
#include "ns3/rdmap-terminate.h"

using namespace ns3;

namespace
{

/// Suite of the RDMAP headers.
IWARP_TEST_SUITE(rdmapHeader, "rdmap-header");

constexpr uint32_t FPDU_LENGTH = 2; // ULPDU_Length in front of the vectors below
constexpr uint32_t FPDU_CRC = 4;    // CRC behind them

/**
 * @param fpdu octets of an FPDU without pad
 * @return the ULPDU in it
 */
std::vector<uint8_t>
Ulpdu(const std::vector<uint8_t>& fpdu)
{
    return {fpdu.begin() + FPDU_LENGTH, fpdu.end() - FPDU_CRC};
}

/// Headers with their DDP header, as whole FPDUs that tshark finds good.
struct RdmapHeaderVectorTest : TestCase
{
    using TestCase::TestCase;

    template <typename T>
    void ExpectUntagged(const std::string& hex,
                        RdmapOpcode opcode,
                        uint32_t msn,
                        const T& rdmap,
                        uint32_t size)
    {
        const auto ulpdu = Ulpdu(Hex(hex));
        DdpHeader header;
        header.last = true;
        header.ulpControl = RdmapControl(opcode).Encode();
        header.qn = rdmap::QueueOf(opcode);
        header.msn = msn;
        std::vector<uint8_t> out(header.GetSize() + size);
        header.Write(out.data());
        rdmap.Write(&out[header.GetSize()]);
        NS_TEST_EXPECT_MSG_EQ((out == ulpdu), true, hex);
    }

    /// Gives a Terminate the face of the other headers.
    struct TerminateWriter
    {
        RdmapTerminate terminate; //!< the Terminate

        /// @param out receives its octets
        void Write(uint8_t* out) const
        {
            terminate.Write(out);
        }
    };
};

IWARP_TEST(rdmapHeader,
           "vectors of Read Request, Send with Invalidate, Atomics and Terminate",
           RdmapHeaderVectorTest)
{
    RdmapReadRequest request;
    request.sinkStag = 0x1100;
    request.sinkTo = 0x10000;
    request.size = 4096;
    request.srcStag = 0x2200;
    request.srcTo = 0x20000;
    ExpectUntagged("002E 4141 00000000 00000001 00000002 00000000 00001100 0000000000010000"
                   "00001000 00002200 0000000000020000 532EB306",
                   RdmapOpcode::READ_REQUEST,
                   2,
                   request,
                   28);
    IWARP_COVERS("RDMAP-4.4-01 RDMAP-4.1-01 RDMAP-4.2-01");

    RdmapAtomicRequest atomic;
    atomic.requestId = 7;
    atomic.stag = 0x2200;
    atomic.to = 0x20008;
    atomic.data = 5;
    ExpectUntagged("0046 414A 00000000 00000001 00000003 00000000 00000000 00000007 00002200"
                   "0000000000020008 0000000000000005 0000000000000000 0000000000000000"
                   "FFFFFFFFFFFFFFFF C4CE2DDE",
                   RdmapOpcode::ATOMIC_REQUEST,
                   3,
                   atomic,
                   52);
    IWARP_COVERS("EXT-5.2.1-01 EXT-5.2.1-05");

    RdmapAtomicResponse response;
    response.requestId = 7;
    response.original = 41;
    ExpectUntagged("001E 414B 00000000 00000003 00000001 00000000 00000007 0000000000000029"
                   "B9EBAFE8",
                   RdmapOpcode::ATOMIC_RESPONSE,
                   1,
                   response,
                   12);
    IWARP_COVERS("EXT-5.2.2-01 EXT-4.1-02");

    // a Write of 2 octets past the end of its buffer
    RdmapTerminate bounds = RdmapTerminate::ForDdp(DdpError::TAGGED_BASE_BOUNDS);
    const auto bad = Hex("C140ABCD01000000000000005000 AAAA");
    bounds.CopyHeaders(bad.data(), bad.size(), bad.size(), false);
    ExpectUntagged("0026 4147 00000000 00000002 00000001 00000000 1101C000 0010"
                   "C140ABCD01000000000000005000 8DE030E0",
                   RdmapOpcode::TERMINATE,
                   1,
                   TerminateWriter{bounds},
                   20);
    IWARP_COVERS("RDMAP-4.8-01 RDMAP-4.2-01 RDMAP-4.8-05");

    // a Read Request beyond its source buffer
    RdmapTerminate source = RdmapTerminate::ForRdmap(RdmapError::PROTECTION_BASE_BOUNDS);
    const auto segment = Hex("4141 00000000 00000001 00000002 00000000 00001100"
                             "0000000000010000 00001000 00002200 0000000000020000");
    source.CopyHeaders(segment.data(), segment.size(), segment.size(), true);
    ExpectUntagged("0046 4147 00000000 00000002 00000001 00000000 0101E000 002E"
                   "414100000000000000010000000200000000 00001100 0000000000010000 00001000"
                   "00002200 0000000000020000 2C051626",
                   RdmapOpcode::TERMINATE,
                   1,
                   TerminateWriter{source},
                   52);
    IWARP_COVERS("RDMAP-4.8-08 RDMAP-4.8-01");
}

/// Control octets and what each opcode means.
IWARP_TEST(rdmapHeader, "control octet, queues and buffer models of all opcodes")
{
    for (uint32_t octet = 0; octet < 256; octet++)
    {
        NS_TEST_EXPECT_MSG_EQ(+RdmapControl::Decode(octet).Encode(), octet, "comes back");
    }

    struct Row
    {
        uint8_t octet;
        bool tagged;
        uint32_t qn;
        bool invalidate;
        bool solicited;
    };

    const Row rows[] = {{0x40, true, 0, false, false},
                        {0x41, false, 1, false, false},
                        {0x42, true, 0, false, false},
                        {0x43, false, 0, false, false},
                        {0x44, false, 0, true, false},
                        {0x45, false, 0, false, true},
                        {0x46, false, 0, true, true},
                        {0x47, false, 2, false, false},
                        {0x48, false, 0, false, false},
                        {0x49, false, 0, false, true},
                        {0x4A, false, 1, false, false},
                        {0x4B, false, 3, false, false}};
    for (const auto& row : rows)
    {
        const auto opcode = static_cast<RdmapOpcode>(row.octet & 15);
        NS_TEST_EXPECT_MSG_EQ(+RdmapControl(opcode).Encode(), +row.octet, "RV 1, Rsv 0");
        IWARP_COVERS("RDMAP-4.1-04 EXT-4.1-01");
        NS_TEST_EXPECT_MSG_EQ(rdmap::IsAssigned(row.octet & 15), true, "assigned");
        NS_TEST_EXPECT_MSG_EQ(rdmap::IsTagged(opcode), row.tagged, "model");
        NS_TEST_EXPECT_MSG_EQ(rdmap::IsInvalidate(opcode), row.invalidate, "invalidate");
        NS_TEST_EXPECT_MSG_EQ(rdmap::IsSolicited(opcode), row.solicited, "event");
        if (!row.tagged)
        {
            NS_TEST_EXPECT_MSG_EQ(rdmap::QueueOf(opcode), row.qn, "queue");
            IWARP_COVERS("RDMAP-4.1-05 EXT-4.1-03");
        }
    }
    for (uint8_t opcode = 12; opcode < 16; opcode++)
    {
        NS_TEST_EXPECT_MSG_EQ(rdmap::IsAssigned(opcode), false, "not assigned");
        IWARP_COVERS("RDMAP-7.2-02");
    }
}

/// Arithmetic of the atomic operations (RFC 7306 sections 5.2.1 and 5.2.2).
IWARP_TEST(rdmapHeader, "FetchAdd by fields and masked CmpSwap")
{
    RdmapAtomicRequest add;
    add.data = 1;
    NS_TEST_EXPECT_MSG_EQ(add.Apply(0xFFFFFFFF), 0x100000000, "one field of 64 bits");
    NS_TEST_EXPECT_MSG_EQ(add.Apply(~uint64_t(0)), 0, "wraps");
    add.dataMask = 0x80000000;
    NS_TEST_EXPECT_MSG_EQ(add.Apply(0xFFFFFFFF), 0, "two fields of 32 bits");
    IWARP_COVERS("EXT-5.1.1-01");
    add.data = 0x0001000100010001;
    add.dataMask = 0x8000800080008000;
    NS_TEST_EXPECT_MSG_EQ(add.Apply(~uint64_t(0)), 0, "four fields of 16 bits");

    RdmapAtomicRequest swap;
    swap.opcode = 2;
    swap.compare = 0x3344;
    swap.compareMask = 0xFFFF;
    swap.data = 0xAABB;
    swap.dataMask = 0xFF00;
    NS_TEST_EXPECT_MSG_EQ(swap.Apply(0x11223344), 0x1122AA44, "equal");
    swap.compare = 0x3345;
    NS_TEST_EXPECT_MSG_EQ(swap.Apply(0x11223344), 0x11223344, "not equal");
    IWARP_COVERS("EXT-5.1.2-01");
    swap.opcode = 1;
    NS_TEST_EXPECT_MSG_EQ(swap.IsSupported(), false, "reserved operation");

    // fields of 8 bits against a sum octet by octet
    Ptr<UniformRandomVariable> random = CreateObject<UniformRandomVariable>();
    random->SetStream(7306);
    for (uint32_t i = 0; i < 1000; i++)
    {
        uint64_t old = 0;
        uint64_t data = 0;
        uint64_t sum = 0;
        for (unsigned shift = 0; shift < 64; shift += 8)
        {
            const uint64_t a = random->GetInteger(0, 255);
            const uint64_t b = random->GetInteger(0, 255);
            old |= a << shift;
            data |= b << shift;
            sum |= ((a + b) & 255) << shift;
        }
        add.data = data;
        add.dataMask = 0x8080808080808080;
        NS_TEST_ASSERT_MSG_EQ(add.Apply(old), sum, "eight fields");
    }
}

/// Terminates of all forms, short ones too.
IWARP_TEST(rdmapHeader, "Terminate in both forms, with and without copies")
{
    // sizes by what is copied: 22, 38, 42 and 70 octets of ULPDU
    RdmapTerminate t = RdmapTerminate::ForLlp(2);
    NS_TEST_EXPECT_MSG_EQ(t.GetSize(), 4, "no copies");
    const auto tagged = Hex("C140 00000001 0000000000000000");
    t.CopyHeaders(tagged.data(), tagged.size(), tagged.size(), true);
    NS_TEST_EXPECT_MSG_EQ(t.GetSize(), 20, "Tagged copy");
    t = RdmapTerminate::ForDdp(DdpError::UNTAGGED_TOO_LONG);
    const auto send = Hex("4143 00000000 00000000 00000001 00000000 01020304");
    t.CopyHeaders(send.data(), send.size(), 1000, true);
    NS_TEST_EXPECT_MSG_EQ(t.GetSize(), 24, "Untagged copy");
    IWARP_COVERS("RDMAP-4.8-07");
    NS_TEST_EXPECT_MSG_EQ(t.segmentLength, 1000, "length of the segment");
    IWARP_COVERS("RDMAP-4.8-06");
    t = RdmapTerminate::ForRdmap(RdmapError::PROTECTION_INVALID_STAG);
    auto atomic = Hex("414A 00000000 00000001 00000001 00000000");
    atomic.resize(atomic.size() + rdmap::ATOMIC_REQUEST_SIZE);
    t.CopyHeaders(atomic.data(), atomic.size(), atomic.size(), true);
    NS_TEST_EXPECT_MSG_EQ(t.GetSize(), 24, "of an Atomic no Read's header");
    t = RdmapTerminate();
    t.CopyHeaders(send.data(), 17, 17, true);
    NS_TEST_EXPECT_MSG_EQ(t.GetSize(), 4, "no header, no copy");

    // the driver's form of a Read with a bad STag against the RFC's
    uint8_t octets[rdmap::TERMINATE_MAX_SIZE];
    t = RdmapTerminate::ForRdmap(RdmapError::PROTECTION_INVALID_STAG);
    t.lengthValid = t.hasDdpHeader = t.hasReadHeader = true;
    t.Write(octets);
    NS_TEST_EXPECT_MSG_EQ((Hex("0100E000") == std::vector<uint8_t>(octets, octets + 4)),
                          true,
                          "RFC");
    t.Write(octets, RdmapTerminateForm::MIRRORED);
    NS_TEST_EXPECT_MSG_EQ((Hex("10000700") == std::vector<uint8_t>(octets, octets + 4)),
                          true,
                          "mirrored");

    Ptr<UniformRandomVariable> random = CreateObject<UniformRandomVariable>();
    random->SetStream(5040);
    uint32_t whole = 0;
    for (uint32_t i = 0; i < 20000; i++)
    {
        std::vector<uint8_t> in(random->GetInteger(0, 60));
        for (auto& octet : in)
        {
            octet = random->GetInteger(0, 255);
        }
        const auto form = i % 2 == 0 ? RdmapTerminateForm::RFC : RdmapTerminateForm::MIRRORED;
        RdmapTerminate back;
        const uint32_t used = back.Read(in.data(), in.size(), form);
        NS_TEST_ASSERT_MSG_LT_OR_EQ(used, in.size(), "within the octets");
        if (used == 0)
        {
            continue;
        }
        whole++;
        NS_TEST_ASSERT_MSG_EQ(back.Write(octets, form), used, "same size");
        NS_TEST_ASSERT_MSG_EQ(std::equal(in.begin(), in.begin() + used, octets),
                              true,
                              "same octets");
        NS_TEST_ASSERT_MSG_EQ(back.Describe().empty(), false, "described");
    }
    NS_TEST_EXPECT_MSG_GT(whole, 5000, "many were whole");

    NS_TEST_EXPECT_MSG_EQ(RdmapTerminate::ForLlp(2).Describe(), "MPA, CRC error (2/0/2)", "text");
}

/// A Read Request that has been answered in part.
IWARP_TEST(rdmapHeader, "a Read Request advances by what was answered")
{
    RdmapReadRequest r;
    r.sinkTo = 0x10000;
    r.srcTo = 0x20000;
    r.size = 4096;
    r.Advance(2048);
    NS_TEST_EXPECT_MSG_EQ(r.sinkTo, 0x10800, "SinkTO");
    NS_TEST_EXPECT_MSG_EQ(r.srcTo, 0x20800, "SrcTO");
    NS_TEST_EXPECT_MSG_EQ(r.size, 2048, "RDMARDSZ");
    IWARP_COVERS("RDMAP-4.8-09");
}

} // namespace
