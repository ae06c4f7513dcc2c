/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "../iwarp-test.h"
#include "rdmap-capture.h"
#include "rdmap-test-memories.h"

#include <string>
#include <utility>
#include <vector>

using namespace ns3;

namespace
{

/// Suite of where the responses of Reads go.
IWARP_TEST_SUITE(rdmapReadSink, "rdmap-read-sink");

const std::string BOUNDS = "DDP, tagged buffer: base or bounds violation (1/1/1)";
const std::string STAG = "DDP, tagged buffer: invalid STag (1/1/0)";
const std::string ODD = "RDMAP, remote operation: unspecified (0/2/255)";

/// A segment of a Read Response that does nothing but say where it goes.
struct Part
{
    uint32_t stag; //!< STag
    uint64_t to;   //!< TO
    uint32_t size; //!< octets
    bool last;     //!< L

    /// @return its ULPDU
    std::vector<uint8_t> Make() const
    {
        DdpHeader header;
        header.tagged = true;
        header.last = last;
        header.ulpControl = 0x42; // RDMAP version 1, Read Response
        header.stag = stag;
        header.to = to;
        std::vector<uint8_t> ulpdu(header.GetSize() + size, 0xAA);
        header.Write(ulpdu.data());
        return ulpdu;
    }
};

/**
 * Two Reads of 100 octets are under way, the first to 0x1000, the second to 0x2000 (RFC 5040
 * section 5.5: responses come in the order of the requests, so the next one is the first's).
 */
struct RdmapReadSinkTest : TestCase
{
    using TestCase::TestCase;

    /// @param parts segments that arrive in order @param completed Reads that complete
    /// @param description of the failure, or nothing
    void Expect(const std::vector<Part>& parts,
                std::size_t completed,
                const std::string& description)
    {
        RdmapTestNode node(RdmapTestConfig());
        std::vector<uint8_t> memory(0x10000);
        const uint32_t first = node.Register(DdpMemory::Wrap(memory.data(), 0x3000));
        const uint32_t second = node.Register(DdpMemory::Wrap(memory.data() + 0x3000, 0x3000));
        NS_TEST_ASSERT_MSG_EQ(first, 0x101, "first STag of a table");
        NS_TEST_ASSERT_MSG_EQ(second, 0x201, "second STag of a table");
        for (uint32_t i = 0; i < 2; i++)
        {
            RdmapWork work = MakeWork(i, RdmapWorkKind::READ, {{0x1000 + 0x1000 * i, 100, 0x101}});
            work.remoteStag = 0x9900;
            node.endpoint->PostSend(std::move(work));
            node.Output();
        }
        for (const Part& part : parts)
        {
            node.Input(part.Make());
        }
        std::size_t successes = 0;
        for (const auto& completion : node.completions)
        {
            successes += completion.status == RdmapStatus::SUCCESS ? 1 : 0;
        }
        NS_TEST_EXPECT_MSG_EQ(successes, completed, "Reads completed; " << description);
        NS_TEST_EXPECT_MSG_EQ((node.failure ? node.failure->Describe() : ""),
                              description,
                              "failure");
    }
};

IWARP_TEST(rdmapReadSink,
           "a response completes the Read whose sink it has filled, and no other",
           RdmapReadSinkTest)
{
    constexpr uint32_t s = 0x101;
    Expect({{s, 0x1000, 100, true}, {s, 0x2000, 100, true}}, 2, "");
    // the second's sink, while the first is due
    Expect({{s, 0x2000, 100, true}}, 0, BOUNDS);
    Expect({{s, 0x1000, 50, false}, {s, 0x2032, 50, true}}, 0, BOUNDS);
    Expect({{s, 0x1000, 100, true}, {s, 0x1000, 100, true}}, 1, BOUNDS);
    // the same octets twice are not 100 octets
    Expect({{s, 0x1000, 50, false}, {s, 0x1000, 50, true}}, 0, ODD);
    Expect({{s, 0x1032, 50, false}, {s, 0x1032, 50, true}}, 0, ODD);
    Expect({{s, 0x1000, 60, false}, {s, 0x1032, 50, true}}, 0, ODD);
    Expect({{s, 0x1014, 10, false}, {s, 0x1000, 90, true}}, 0, ODD);
    // nor are they if all 100 have come besides
    Expect({{s, 0x1000, 50, false}, {s, 0x1000, 50, false}, {s, 0x1032, 50, true}}, 0, ODD);
    Expect({{s, 0x1014, 20, false},
            {s, 0x1014, 20, false},
            {s, 0x1000, 20, false},
            {s, 0x1028, 60, true}},
           0,
           ODD);
    // a hole
    Expect({{s, 0x1000, 40, false}, {s, 0x1032, 50, true}}, 0, ODD);
    Expect({{s, 0x1032, 50, true}}, 0, ODD);
    // increasing TO is a SHOULD of the sender: any order fills the sink
    Expect({{s, 0x1032, 50, false}, {s, 0x1000, 50, true}, {s, 0x2000, 100, true}}, 2, "");
    Expect({{s, 0x1050, 20, false},
            {s, 0x1014, 20, false},
            {s, 0x1000, 20, false},
            {s, 0x1028, 40, true},
            {s, 0x2000, 100, true}},
           2,
           "");
    // another STag is not open at all
    Expect({{0x201, 0x1000, 100, true}}, 0, STAG);
}

/// Scattered octets of a response are kept account of within a limit.
IWARP_TEST(rdmapReadSink, "a response in single octets with gaps between them")
{
    RdmapTestNode node(RdmapTestConfig());
    const uint32_t stag = node.Register(DdpMemory::CreateVirtual(1 << 20));
    RdmapWork work = MakeWork(1, RdmapWorkKind::READ, {{0, 1 << 20, stag}});
    work.remoteStag = 0x9900;
    node.endpoint->PostSend(std::move(work));
    node.Output();
    uint32_t taken = 0;
    uint32_t most = 0;
    for (; taken < 10000 && !node.failure; taken++)
    {
        node.Input(Part{stag, 1 + 2 * uint64_t{taken}, 1, false}.Make());
        most = std::max(most, node.endpoint->GetRequester().GetScattered());
    }
    NS_TEST_EXPECT_MSG_EQ(taken, RdmapConfig().readRuns + 1, "ended by the first too many");
    NS_TEST_EXPECT_MSG_EQ(most, RdmapConfig().readRuns + 1, "runs kept account of");
    NS_TEST_ASSERT_MSG_EQ(node.failure.has_value(), true, "ended");
    NS_TEST_EXPECT_MSG_EQ(node.failure->Describe(), ODD, "by this");
}

} // namespace
