/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "../iwarp-test.h"
#include "../verbs/rdma-test-pair.h"

#include "ns3/record-sources.h"
#include "ns3/rnic-helper.h"
#include "ns3/rnic.h"
#include "ns3/string.h"

#include <algorithm>
#include <cstdint>
#include <set>
#include <string>
#include <utility>
#include <vector>

using namespace ns3;

namespace
{

IWARP_TEST_SUITE(rnicPages, "rnic-pages");

/// Trace sink. @param seen keys of pages of regions, which have the STag in front; those of the
/// connection's own memory, which MPA's startup frames take, have none @param cache which @param
/// key of the entry
void
NotePage(std::set<uint64_t>* seen, Rnic::Cache cache, uint64_t key, bool)
{
    if (cache == Rnic::Cache::TRANSLATION && key >> 32 > 0)
    {
        seen->insert(key);
    }
}

/// @param stag of a region @param address of the first octet @param octets how many
/// @param[out] keys receives those of their pages
void
AddPages(uint32_t stag, uint64_t address, uint32_t octets, std::set<uint64_t>& keys)
{
    for (uint64_t page = address / 4096; page <= (address + octets - 1) / 4096; ++page)
    {
        keys.insert(uint64_t(stag) << 32 | page);
    }
}

} // namespace

/// Octets of a stream and where they come from.
IWARP_TEST(rnicPages, "what is sent is found in memory, octet by octet, until it is over")
{
    // a piece every 10 octets, 6 long, at an address that tells its number
    RecordSources records;
    for (uint32_t i = 0; i < 100; ++i)
    {
        records.Append({i * 10, i * 10 + 6, i % 3 + 1, i * 1000, i % 5 == 4});
    }
    for (uint64_t over : {0, 5, 500, 995})
    {
        records.DropUpTo(over);
        for (uint64_t begin = over; begin < 1000; begin += 7)
        {
            for (uint64_t end : {begin, begin + 1, begin + 9, begin + 40})
            {
                uint64_t inlined = 0;
                std::vector<std::pair<uint32_t, uint64_t>> expected; // region and address
                for (uint64_t at = begin; at < std::min<uint64_t>(end, 1000); ++at)
                {
                    const uint64_t i = at / 10;
                    inlined += at % 10 < 6 && i % 5 == 4;
                    if (at % 10 < 6 && i % 5 != 4)
                    {
                        expected.emplace_back(i % 3 + 1, i * 1000 + at % 10);
                    }
                }
                std::vector<std::pair<uint32_t, uint64_t>> found;
                records.ForEachRun(begin,
                                   end,
                                   [&](uint32_t region, uint64_t address, uint64_t octets) {
                                       for (uint64_t j = 0; j < octets; ++j)
                                       {
                                           found.emplace_back(region, address + j);
                                       }
                                   });
                NS_TEST_EXPECT_MSG_EQ((found == expected), true, begin << " to " << end);
                NS_TEST_EXPECT_MSG_EQ(records.CountInline(begin, end), inlined, "inline");
            }
        }
    }
}

/// Each page of a work request's memory is translated, at either end.
struct RnicPagesVerbs : TestCase
{
    using TestCase::TestCase;

    /// A request of a. @param opcode what @param pieces of memory at a: offset and octets
    /// @param remote offset at b
    void Check(RdmaOpcode opcode,
               const std::vector<std::pair<uint64_t, uint32_t>>& pieces,
               uint64_t remote)
    {
        std::set<uint64_t> seen[2];
        std::set<uint64_t> expected[2];
        RdmaTestPair p;
        RnicHelper helper;
        helper.Set("TranslationCache.Entries", StringValue("1000"));
        for (uint32_t i = 0; i < 2; ++i)
        {
            helper.Install(p.hosts.GetNode(i))
                ->TraceConnectWithoutContext("CacheAccess", MakeBoundCallback(&NotePage, &seen[i]));
        }
        RdmaSendRequest request;
        request.id = 1;
        request.opcode = opcode;
        request.flags = RDMA_SEND_SIGNALED;
        request.rkey = p.b.region->GetRkey();
        request.remoteAddress = 0x10000 + remote;
        uint32_t octets = 0;
        for (const auto& [offset, size] : pieces)
        {
            request.sges.push_back(p.a.region->GetSge(offset, size));
            AddPages(p.a.region->GetLkey(), 0x10000 + offset, size, expected[0]);
            octets += size;
        }
        AddPages(request.rkey, request.remoteAddress, octets, expected[1]);
        p.Start();
        p.b.PostReceive(2, remote, 200000);
        p.onEstablished = [&] { NS_TEST_EXPECT_MSG_EQ(p.a.qp->PostSend(request), 0, "posted"); };
        p.Run();
        NS_TEST_ASSERT_MSG_EQ(p.a.completions.empty(), false, "done");
        for (uint32_t i = 0; i < 2; ++i)
        {
            NS_TEST_EXPECT_MSG_EQ(seen[i].size(), expected[i].size(), "pages of host " << i);
            NS_TEST_EXPECT_MSG_EQ((seen[i] == expected[i]), true, "the right ones");
        }
    }
};

IWARP_TEST(rnicPages,
           "Send, RDMA Write and RDMA Read need the entry of each page at source and sink",
           RnicPagesVerbs)
{
    for (const RdmaOpcode opcode :
         {RdmaOpcode::SEND, RdmaOpcode::RDMA_WRITE, RdmaOpcode::RDMA_READ})
    {
        Check(opcode, {{0, 1}}, 0);
        Check(opcode, {{4095, 1}}, 8192);
        Check(opcode, {{4000, 200}}, 4095);
        Check(opcode, {{100, 100000}}, 5);
    }
    for (const RdmaOpcode opcode : {RdmaOpcode::SEND, RdmaOpcode::RDMA_WRITE})
    {
        Check(opcode, {{300000, 500}, {20000, 9000}, {100000, 3}}, 12345);
    }
}
