/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "../iwarp-test.h"
#include "../random-seed.h"
#include "ddp-counted-stags.h"

#include "ns3/ddp-buffer.h"
#include "ns3/ddp-memory.h"
#include "ns3/random-variable-stream.h"

#include <algorithm>
#include <array>
#include <set>

using namespace ns3;

namespace
{

/// Suite of STags and the memory behind them.
IWARP_TEST_SUITE(ddpStag, "ddp-stag");

constexpr uint32_t PD = 7;
constexpr uint32_t STREAM = 5;
constexpr uint32_t ALL_ACCESS =
    DDP_ACCESS_LOCAL_WRITE | DDP_ACCESS_REMOTE_WRITE | DDP_ACCESS_REMOTE_READ;

DdpStagEntry
Entry(uint64_t base, uint64_t length, uint32_t pd = PD, uint32_t stream = 0)
{
    DdpStagEntry entry;
    entry.pd = pd;
    entry.stream = stream;
    entry.access = ALL_ACCESS;
    entry.base = base;
    entry.length = length;
    entry.memory = DdpMemory::CreateVirtual(length);
    return entry;
}

/// Association, rights, range and validity of STags.
struct DdpStagCheckTest : TestCase
{
    using TestCase::TestCase;

    DdpStagVerdict Check(uint32_t stag,
                         uint64_t to,
                         uint64_t length,
                         uint32_t access = DDP_ACCESS_REMOTE_WRITE,
                         uint32_t pd = PD,
                         uint32_t stream = STREAM)
    {
        const DdpStagEntry* entry = nullptr;
        return m_table.Check(stag, pd, stream, to, length, access, &entry);
    }

    void Expect(DdpStagVerdict actual, DdpStagVerdict expected, const std::string& what)
    {
        NS_TEST_EXPECT_MSG_EQ(static_cast<int>(actual), static_cast<int>(expected), what);
    }

    CountedStagTable m_table; //!< table tried
};

IWARP_TEST(ddpStag, "checks of an STag", DdpStagCheckTest)
{
    using V = DdpStagVerdict;
    const uint32_t pdTied = m_table.Add(Entry(0x1000, 0x1000));
    Expect(Check(pdTied, 0x1000, 1), V::OK, "first octet");
    Expect(Check(pdTied, 0x1FFF, 1), V::OK, "last octet");
    Expect(Check(pdTied, 0x1000, 0x1000), V::OK, "all octets");
    IWARP_COVERS("DDP-8.3-3");
    Expect(Check(pdTied, 0x1FFE, 2), V::OK, "up to the end");
    Expect(Check(pdTied, 0x0FFF, 1), V::BOUNDS, "before base");
    IWARP_COVERS("DDP-7.1-15");
    Expect(Check(pdTied, 0x1FFE, 4), V::BOUNDS, "past the end");
    Expect(Check(pdTied, 0x2000, 1), V::BOUNDS, "at the end");
    Expect(Check(pdTied, 0x1000, 0x1001), V::BOUNDS, "one too many");
    IWARP_COVERS("DDP-7.1-16");
    Expect(Check(pdTied, 0xFFFFFFFFFFFFFFFE, 4), V::WRAP, "carry");
    Expect(Check(pdTied, 0xFFFFFFFFFFFFFFFF, 1), V::WRAP, "a sum of 2^64");
    IWARP_COVERS("DDP-7.1-17");
    Expect(Check(pdTied, 0xFFFFFFFFFFFFFFFE, 1), V::BOUNDS, "no carry yet");
    Expect(Check(pdTied, 0x1000, ~uint64_t(0)), V::WRAP, "carry by length");
    Expect(Check(pdTied ^ 1, 0x1000, 1), V::INVALID, "another key");
    Expect(Check(pdTied + 0x100, 0x1000, 1), V::INVALID, "another index");
    Expect(Check(0, 0, 1), V::INVALID, "STag 0");
    Expect(Check(0xFFFFFFFF, 0, 1), V::INVALID, "largest STag");
    IWARP_COVERS("DDP-7.1-13");
    Expect(Check(pdTied, 0x1000, 1, ALL_ACCESS, 8), V::NOT_ASSOCIATED, "another domain");
    Expect(Check(pdTied, 0x1000, 1, ALL_ACCESS, PD, 6), V::OK, "any stream of the domain");
    IWARP_COVERS("DDP-8.2-1 DDP-8.2-5");

    const uint32_t streamTied = m_table.Add(Entry(0, 100, PD, STREAM));
    Expect(Check(streamTied, 0, 100), V::OK, "its stream");
    Expect(Check(streamTied, 0, 1, ALL_ACCESS, PD, 6), V::NOT_ASSOCIATED, "another stream");
    IWARP_COVERS("DDP-8.2-3 DDP-8.2-6 DDP-8.3-7");
    const uint32_t streamOnly = m_table.Add(Entry(0, 100, 0, STREAM));
    Expect(Check(streamOnly, 0, 1, ALL_ACCESS, 99, STREAM), V::OK, "no tie to a domain");
    Expect(Check(streamOnly, 0, 1, ALL_ACCESS, 99, 6), V::NOT_ASSOCIATED, "another stream");
    Expect(Check(m_table.Add(Entry(0, 100, 0, 0)), 0, 1), V::NOT_ASSOCIATED, "no tie at all");

    DdpStagEntry entry = Entry(0, 8192);
    entry.access = DDP_ACCESS_REMOTE_READ;
    const uint32_t stag = m_table.Add(entry);
    Expect(Check(stag, 0, 1), V::NO_RIGHT, "read-only refuses a Write");
    Expect(Check(stag, 0, 1, DDP_ACCESS_REMOTE_READ), V::OK, "and grants a Read");
    entry.access = DDP_ACCESS_REMOTE_WRITE;
    NS_TEST_EXPECT_MSG_EQ(m_table.Update(stag, entry), true, "rights changed");
    Expect(Check(stag, 5000, 1), V::OK, "write-only grants a Write");
    Expect(Check(stag, 0, 1, DDP_ACCESS_REMOTE_READ), V::NO_RIGHT, "and refuses a Read");
    IWARP_COVERS("DDP-8.3.1-6 RDMAP-8.1.1-05");
    entry.length = 4096;
    m_table.Update(stag, entry);
    Expect(Check(stag, 5000, 1), V::BOUNDS, "after the range shrank");
    IWARP_COVERS("DDP-8.3-4 RDMAP-3.2-05");
    NS_TEST_EXPECT_MSG_EQ(m_table.Invalidate(stag), true, "invalidated");
    Expect(Check(stag, 0, 1), V::INVALID, "invalidated");
    IWARP_COVERS("DDP-8.3-5 DDP-7.1-14");
    NS_TEST_EXPECT_MSG_EQ(m_table.Invalidate(stag), false, "only once");
    entry.valid = true;
    m_table.Update(stag, entry);
    Expect(Check(stag, 0, 1), V::OK, "valid again");
    const uint32_t rekeyed = m_table.Rekey(stag);
    Expect(Check(stag, 0, 1), V::INVALID, "old key");
    Expect(Check(rekeyed, 0, 1), V::OK, "new key");
    NS_TEST_EXPECT_MSG_EQ(m_table.Remove(rekeyed), true, "taken back");
    Expect(Check(rekeyed, 0, 1), V::INVALID, "taken back");
    IWARP_COVERS("DDP-8.3.1-5 RDMAP-8.1.1-04");
    NS_TEST_EXPECT_MSG_EQ(m_table.Remove(rekeyed), false, "only once");
    const uint32_t again = m_table.Add(entry);
    NS_TEST_EXPECT_MSG_NE(again, rekeyed, "another STag");
    Expect(Check(rekeyed, 0, 1), V::INVALID, "an old STag does not open the new buffer");

    entry.base = 0xFFFFFFFFFFFFF000;
    entry.length = 0x1000;
    entry.memory = DdpMemory::CreateVirtual(0x1000);
    NS_TEST_EXPECT_MSG_EQ(m_table.Add(entry), 0, "a range that reaches 2^64");
    entry.length = 0xFFF;
    const uint32_t high = m_table.Add(entry);
    Expect(Check(high, 0xFFFFFFFFFFFFFFFE, 1), V::OK, "the last octet there is");
    Expect(Check(high, 0xFFFFFFFFFFFFFFFE, 2), V::WRAP, "no further");
    Expect(Check(high, 0, 1), V::BOUNDS, "nor around");
    entry.offset = 2;
    NS_TEST_EXPECT_MSG_EQ(m_table.Add(entry), 0, "more than the memory holds");
    entry.offset = ~uint64_t(0);
    NS_TEST_EXPECT_MSG_EQ(m_table.Add(entry), 0, "nor by a sum that wraps");

    NS_TEST_EXPECT_MSG_EQ((DdpErrorFor(V::INVALID) == DdpError::TAGGED_INVALID_STAG &&
                           DdpErrorFor(V::NO_RIGHT) == DdpError::TAGGED_INVALID_STAG &&
                           DdpErrorFor(V::BOUNDS) == DdpError::TAGGED_BASE_BOUNDS &&
                           DdpErrorFor(V::WRAP) == DdpError::TAGGED_TO_WRAP &&
                           DdpErrorFor(V::NOT_ASSOCIATED) == DdpError::TAGGED_NOT_ASSOCIATED),
                          true,
                          "error numbers");
}

/// Domains and streams against each other.
IWARP_TEST(ddpStag, "of two rights that are needed none may be missing", DdpStagCheckTest)
{
    const uint32_t both = DDP_ACCESS_REMOTE_WRITE | DDP_ACCESS_REMOTE_READ;
    DdpStagEntry entry = Entry(0, 100);
    entry.access = DDP_ACCESS_LOCAL_WRITE | DDP_ACCESS_REMOTE_WRITE;
    const uint32_t stag = m_table.Add(entry);
    Expect(Check(stag, 0, 1, both), DdpStagVerdict::NO_RIGHT, "to read");
    entry.access |= DDP_ACCESS_REMOTE_READ;
    m_table.Update(stag, entry);
    Expect(Check(stag, 0, 1, both), DdpStagVerdict::OK, "both are there");
}

IWARP_TEST(ddpStag, "octets of virtual memory among others are 0, whatever was there before")
{
    CountedStagTable table;
    DdpStagEntry entry = Entry(0, 4);
    std::vector<uint8_t> real(4, 7);
    entry.memory = DdpMemory::Wrap(real.data(), 4);
    const uint32_t first = table.Add(entry);
    const uint32_t second = table.Add(Entry(0, 4));
    std::vector<uint8_t> scratch(8, 0xEE); // of a gathering before
    const uint8_t* octets = nullptr;
    const auto gather =
        DdpReadSges({{0, 4, first}, {0, 4, second}}, table, PD, 1, 0, 8, scratch, &octets);
    NS_TEST_ASSERT_MSG_EQ((gather == DdpGather::OCTETS), true, "some are not 0");
    NS_TEST_EXPECT_MSG_EQ(
        (std::vector<uint8_t>(octets, octets + 8) == std::vector<uint8_t>{7, 7, 7, 7, 0, 0, 0, 0}),
        true,
        "four of each");
}

IWARP_TEST(ddpStag, "isolation")
{
    CountedStagTable table;
    const DdpStagEntry* entry = nullptr;
    std::vector<uint32_t> byDomain;
    std::vector<uint32_t> byStream;
    for (uint32_t i = 1; i <= 64; i++)
    {
        byDomain.push_back(table.Add(Entry(0, 64, i)));
        byStream.push_back(table.Add(Entry(0, 64, 1, i)));
    }
    uint32_t domains = 0;
    uint32_t streams = 0;
    for (uint32_t i = 0; i < 64; i++)
    {
        for (uint32_t j = 0; j < 64; j++)
        {
            const bool domain =
                table.Check(byDomain[i], j + 1, 1, 0, 1, ALL_ACCESS, &entry) == DdpStagVerdict::OK;
            const bool stream =
                table.Check(byStream[i], 1, j + 1, 0, 1, ALL_ACCESS, &entry) == DdpStagVerdict::OK;
            NS_TEST_EXPECT_MSG_EQ(domain, (i == j), "domain " << i << " by " << j);
            NS_TEST_EXPECT_MSG_EQ(stream, (i == j), "stream " << i << " by " << j);
            domains += domain;
            streams += stream;
        }
    }
    NS_TEST_EXPECT_MSG_EQ(domains, 64, "the diagonal only");
    IWARP_COVERS("DDP-8.3.1-2 DDP-8.3.2-4 RDMAP-8.1.1-01");
    NS_TEST_EXPECT_MSG_EQ(streams, 64, "the diagonal only");
    IWARP_COVERS("DDP-8.3.1-3 RDMAP-8.1.1-02");

    // every octet around a buffer, against arithmetic that cannot wrap
    __extension__ typedef unsigned __int128 Wide;
    const uint64_t bases[] = {0, 16, 0x1000, 0x7FFFFFFFFFFFFFF0, 0xFFFFFFFFFFFFFF00};
    for (uint64_t base : bases)
    {
        const uint64_t size = 32;
        const uint32_t stag = table.Add(Entry(base, size));
        for (int64_t shift = -16; shift <= 48; shift++)
        {
            for (uint64_t length = 1; length <= 40; length++)
            {
                const uint64_t to = base + shift;
                const auto first = static_cast<Wide>(to);
                const bool inside = first >= base && first + length <= base + size;
                const bool passed =
                    table.Check(stag, PD, 1, to, length, ALL_ACCESS, &entry) == DdpStagVerdict::OK;
                NS_TEST_ASSERT_MSG_EQ(passed, inside, base << " " << shift << " " << length);
            }
        }
    }
}

/// Limits of the table.
IWARP_TEST(ddpStag, "a table of 100 STags refuses the 101st")
{
    CountedStagTable table(100);
    std::set<uint32_t> stags;
    for (uint32_t i = 0; i < 100; i++)
    {
        stags.insert(table.Add(Entry(0, 1)));
    }
    NS_TEST_EXPECT_MSG_EQ(stags.size(), 100, "all different");
    NS_TEST_EXPECT_MSG_EQ(stags.count(0), 0, "none is 0");
    NS_TEST_EXPECT_MSG_EQ(table.Add(Entry(0, 1)), 0, "full");
    IWARP_COVERS("DDP-8.3.2-6");
    NS_TEST_EXPECT_MSG_EQ(table.GetSize(), 100, "size");
    table.Remove(*stags.begin());
    NS_TEST_EXPECT_MSG_NE(table.Add(Entry(0, 1)), 0, "room again");
}

/// Virtual and backed memory, and what is recorded of writing.
IWARP_TEST(ddpStag, "memory holds what is written, and nothing outside")
{
    std::array<uint8_t, 48> arena;
    arena.fill(0xEE);
    Ptr<DdpMemory> memory = DdpMemory::Wrap(arena.data() + 16, 16);
    const uint8_t data[] = {1, 2, 3, 4};
    NS_TEST_EXPECT_MSG_EQ(memory->Write(12, data, 4, 4), true, "at the end");
    NS_TEST_EXPECT_MSG_EQ(memory->Write(13, data, 4, 4), false, "past the end");
    IWARP_COVERS("DDP-8.3.1-4 RDMAP-8.1.1-03");
    NS_TEST_EXPECT_MSG_EQ(memory->Write(16, data, 4, 1), false, "at the end");
    NS_TEST_EXPECT_MSG_EQ(memory->Write(~uint64_t(0), data, 4, 2), false, "by a wrap");
    NS_TEST_EXPECT_MSG_EQ(memory->Write(16, data, 0, 0), true, "nothing");
    NS_TEST_EXPECT_MSG_EQ(memory->Write(0, data, 2, 6), true, "zeros behind what is there");
    const std::vector<uint8_t>
        expected{1, 2, 0, 0, 0, 0, 0xEE, 0xEE, 0xEE, 0xEE, 0xEE, 0xEE, 1, 2, 3, 4};
    for (uint32_t i = 0; i < arena.size(); i++)
    {
        const bool inside = i >= 16 && i < 32;
        NS_TEST_EXPECT_MSG_EQ(+arena[i], (inside ? expected[i - 16] : 0xEE), "octet " << i);
    }
    uint8_t out[4];
    NS_TEST_EXPECT_MSG_EQ(memory->Read(13, out, 4), false, "no read past the end");
    NS_TEST_EXPECT_MSG_EQ(memory->Read(12, out, 4), true, "read");
    NS_TEST_EXPECT_MSG_EQ(+out[3], 4, "octet read");
    NS_TEST_EXPECT_MSG_EQ((memory->View(13, 4) == nullptr), true, "no view past the end");

    Ptr<DdpMemory> empty = DdpMemory::CreateVirtual(uint64_t(1) << 40);
    NS_TEST_EXPECT_MSG_EQ(empty->IsVirtual(), true, "virtual");
    empty->StartRecording();
    Ptr<UniformRandomVariable> random = CreateObject<UniformRandomVariable>();
    random->SetStream(RandomSeed(8));
    std::set<uint64_t> octets;
    for (uint32_t i = 0; i < 500; i++)
    {
        const uint64_t at = random->GetInteger(0, 2000);
        const uint32_t size = random->GetInteger(0, 9);
        empty->Write(at, nullptr, 0, size);
        for (uint32_t k = 0; k < size; k++)
        {
            octets.insert(at + k);
        }
        const uint64_t from = random->GetInteger(0, 2000);
        bool all = true;
        for (uint64_t k = from; k < from + 20; k++)
        {
            all = all && octets.count(k) != 0;
        }
        NS_TEST_ASSERT_MSG_EQ(empty->GetRecorded(), octets.size(), "octets recorded");
        NS_TEST_ASSERT_MSG_EQ(empty->IsRecorded(from, 20), all, "a run recorded");
    }
    out[0] = 9;
    NS_TEST_EXPECT_MSG_EQ(empty->Read(0, out, 4), true, "virtual memory reads");
    NS_TEST_EXPECT_MSG_EQ(+out[0], 0, "as zero");
}

/// Buffers in pieces.
IWARP_TEST(ddpStag, "buffers in several pieces, backed and virtual")
{
    Ptr<UniformRandomVariable> random = CreateObject<UniformRandomVariable>();
    random->SetStream(RandomSeed(16));
    for (uint32_t round = 0; round < 300; round++)
    {
        CountedStagTable table;
        DdpStagEntry entry = Entry(0x5000, 4096);
        Ptr<DdpMemory> backed = DdpMemory::CreateBacked(4096);
        entry.memory = backed;
        const uint32_t real = table.Add(entry);
        entry.memory = DdpMemory::CreateVirtual(4096);
        const uint32_t hollow = table.Add(entry);

        // disjoint pieces in steps of 400, and where each octet of the buffer lies
        DdpSgeList pieces;
        std::vector<int64_t> places; // -1 in virtual memory
        const uint32_t count = random->GetInteger(1, 9);
        for (uint32_t i = 0; i < count; i++)
        {
            const bool isReal = random->GetInteger(0, 3) != 0;
            const uint32_t start = (count - 1 - i) * 400 + random->GetInteger(0, 50);
            const uint32_t length = random->GetInteger(0, 350);
            pieces.push_back({0x5000 + uint64_t(start), length, isReal ? real : hollow});
            for (uint32_t k = 0; k < length; k++)
            {
                places.push_back(isReal ? int64_t(start) + k : -1);
            }
        }
        NS_TEST_ASSERT_MSG_EQ(DdpLengthOf(pieces), places.size(), "length");
        NS_TEST_ASSERT_MSG_EQ(DdpMayUse(pieces, table, PD, 1, DDP_ACCESS_LOCAL_WRITE),
                              true,
                              "allowed");
        if (places.empty())
        {
            continue;
        }
        const uint32_t offset = random->GetInteger(0, places.size() - 1);
        const uint32_t size = random->GetInteger(1, places.size() - offset);
        std::vector<uint8_t> data(size);
        for (auto& octet : data)
        {
            octet = random->GetInteger(1, 255);
        }
        NS_TEST_ASSERT_MSG_EQ(DdpWriteSges(pieces, table, PD, 1, offset, data.data(), size, size),
                              true,
                              "written");
        std::vector<uint8_t> expected(4096);
        std::vector<uint8_t> readBack(size);
        for (uint32_t i = 0; i < size; i++)
        {
            if (places[offset + i] >= 0)
            {
                expected[places[offset + i]] = data[i];
                readBack[i] = data[i];
            }
        }
        std::vector<uint8_t> content(4096);
        backed->Read(0, content.data(), 4096);
        NS_TEST_ASSERT_MSG_EQ((content == expected), true, "each octet in its place");

        std::vector<uint8_t> scratch;
        const uint8_t* octets = nullptr;
        const auto found = DdpReadSges(pieces, table, PD, 1, offset, size, scratch, &octets);
        const bool zeros = std::all_of(places.begin() + offset,
                                       places.begin() + offset + size,
                                       [](int64_t p) { return p < 0; });
        NS_TEST_ASSERT_MSG_EQ((found == DdpGather::ZEROS), zeros, "virtual only");
        NS_TEST_ASSERT_MSG_EQ((zeros || std::equal(readBack.begin(), readBack.end(), octets)),
                              true,
                              "read back");

        table.Invalidate(real);
        table.Invalidate(hollow);
        NS_TEST_ASSERT_MSG_EQ((DdpReadSges(pieces, table, PD, 1, offset, size, scratch, &octets) ==
                               DdpGather::INVALID),
                              true,
                              "no read after invalidation");
        NS_TEST_ASSERT_MSG_EQ(DdpWriteSges(pieces, table, PD, 1, offset, data.data(), size, size),
                              false,
                              "no write after invalidation");
    }
    // a piece whose end wraps names no octets at all
    CountedStagTable table;
    const uint32_t stag = table.Add(Entry(0, 4096));
    const DdpSgeList wrapping{DdpSge{0xFFFFFFFFFFFFFFF0, 100, stag}};
    NS_TEST_EXPECT_MSG_EQ(DdpMayUse(wrapping, table, PD, 1, 0), false, "wrap");
    const uint8_t data[4] = {};
    NS_TEST_EXPECT_MSG_EQ(DdpWriteSges(wrapping, table, PD, 1, 50, data, 4, 4), false, "wrap");
}

/// A range of a buffer has the pieces that it has octets of, and no empty ones.
IWARP_TEST(ddpStag, "a range of pieces")
{
    const DdpSgeList list{{100, 10, 1}, {200, 10, 2}, {300, 10, 3}};
    const auto cut = [&list](uint32_t offset, uint32_t size) {
        DdpSgeList range;
        DdpCutSges(list, offset, size, range);
        std::string text;
        for (const auto& piece : range)
        {
            text += std::to_string(piece.to) + "+" + std::to_string(piece.length) + " ";
        }
        return text;
    };
    NS_TEST_EXPECT_MSG_EQ(cut(0, 10), "100+10 ", "the first");
    NS_TEST_EXPECT_MSG_EQ(cut(10, 10), "200+10 ", "the second");
    NS_TEST_EXPECT_MSG_EQ(cut(5, 20), "105+5 200+10 300+5 ", "of all");
    NS_TEST_EXPECT_MSG_EQ(cut(29, 1), "309+1 ", "the last octet");
    NS_TEST_EXPECT_MSG_EQ(cut(15, 0), "", "nothing");
}

} // namespace
