/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "../iwarp-test.h"
#include "../mpa/mpa-receiver-test-util.h"

#include "ns3/rnic-ops.h"

#include <cstddef>
#include <cstdint>
#include <sstream>
#include <vector>

using namespace ns3;
using namespace mpatest;

IWARP_TEST_SUITE(rnicOps, "rnic-ops");

/// Operations of the steps of B.2.1, from a real receiver.
struct RnicOpsOfReceiver : TestCase
{
    using TestCase::TestCase;

    /// @param stream FPDUs @param cuts where segments end @param order of segments
    /// @return all operations
    RnicOps Run(const Stream& stream,
                const std::vector<uint32_t>& cuts,
                const std::vector<std::size_t>& order)
    {
        MpaReceiverConfig config;
        config.format = stream.format;
        ReceiverProbe probe(config);
        RnicOps ops;
        for (std::size_t i : order)
        {
            ops += CountOps(probe.Feed(stream, i == 0 ? 0 : cuts[i - 1], cuts[i]));
        }
        NS_TEST_EXPECT_MSG_EQ(probe.passed.size(), stream.fpdus.size(), "all passed");
        return ops;
    }
};

IWARP_TEST(rnicOps, "operations, aligned or not", RnicOpsOfReceiver)
{
    const uint32_t n = 50;
    Stream stream(true);
    stream.PostSizes(std::vector<uint32_t>(n, 1000));
    const auto end = static_cast<uint32_t>(stream.octets.size());
    std::vector<uint32_t> aligned;
    std::vector<uint32_t> crossing;
    std::vector<std::size_t> inOrder;
    std::vector<std::size_t> swapped;
    for (uint32_t i = 0; i < n; ++i)
    {
        aligned.push_back(stream.fpdus[i].end);
        crossing.push_back(i + 1 < n ? stream.fpdus[i].end + 500 : end);
        inOrder.push_back(i);
        swapped.push_back(i ^ 1);
    }

    const RnicOps a = Run(stream, aligned, inOrder);
    for (uint64_t count : {a.linkCrc,
                           a.ip,
                           a.tcpChecksum,
                           a.classify,
                           a.alignCheck,
                           a.lengthRead,
                           a.crcRun,
                           a.crcCheck,
                           a.addressComputation,
                           a.copy})
    {
        NS_TEST_EXPECT_MSG_EQ(count, n, "one of each a segment");
    }
    IWARP_COVERS("MPA-B.2.1-03 MPA-B.2.1-10 MPA-B.2.1-11");
    NS_TEST_EXPECT_MSG_EQ(a.stateFetch + a.partialCrcFetch + a.partialCrcStore + a.markerSearch +
                              a.localStore + a.slowPath,
                          0,
                          "and nothing else");
    IWARP_COVERS("MPA-B.2.1-11");
    NS_TEST_EXPECT_MSG_EQ(a.crcOctets, end, "each octet once");

    // the same, swapped in pairs: per FPDU the same work, but Markers have to prove the starts
    const RnicOps s = Run(stream, aligned, swapped);
    NS_TEST_EXPECT_MSG_EQ(s.crcRun, a.crcRun, "MPA-B.2.1-12");
    NS_TEST_EXPECT_MSG_EQ(s.copy, a.copy, "MPA-B.2.1-12");
    NS_TEST_EXPECT_MSG_EQ(s.crcOctets, a.crcOctets, "MPA-B.2.1-12");
    IWARP_COVERS("MPA-B.2.1-12");
    NS_TEST_EXPECT_MSG_EQ(s.localStore, 0, "nothing is copied locally");
    IWARP_COVERS("MPA-B-01");

    // each segment ends one FPDU and begins the next
    const RnicOps x = Run(stream, crossing, inOrder);
    NS_TEST_EXPECT_MSG_EQ(x.stateFetch, n - 1, "MPA-B.2.1-04");
    IWARP_COVERS("MPA-B.2.1-04");
    NS_TEST_EXPECT_MSG_EQ(x.partialCrcFetch, n - 1, "MPA-B.2.1-05");
    NS_TEST_EXPECT_MSG_EQ(x.partialCrcStore, n - 1, "MPA-B.2.1-05");
    NS_TEST_EXPECT_MSG_EQ(x.crcRun, 2 * n - 1, "two runs a segment");
    IWARP_COVERS("MPA-B.2.1-05");
    NS_TEST_EXPECT_MSG_EQ(x.copy, 2 * n - 1, "two copies a crossing FPDU");
    NS_TEST_EXPECT_MSG_EQ(x.addressComputation, x.copy, "MPA-B.2.1-06");
    IWARP_COVERS("MPA-B.2.1-06");
    NS_TEST_EXPECT_MSG_EQ(x.slowPath, n, "MPA-B.2.1-15");
    IWARP_COVERS("MPA-B.2.1-15");
    NS_TEST_EXPECT_MSG_EQ(x.localStore, (n - 1) * 500, "MPA-B.2.1-07");
    IWARP_COVERS("MPA-B.2.1-07 MPA-B-04");

    // out of order, not aligned and without Markers: held data passes the CRC again
    Stream plain(false);
    plain.PostSizes(std::vector<uint32_t>(n, 1000));
    for (uint32_t i = 0; i + 1 < n; ++i)
    {
        crossing[i] = plain.fpdus[i].end + 500;
    }
    crossing.back() = static_cast<uint32_t>(plain.octets.size());
    const RnicOps o = Run(plain, crossing, swapped);
    NS_TEST_EXPECT_MSG_GT(o.crcOctets, plain.octets.size(), "twice through CRC");
    IWARP_COVERS("MPA-B.2.1-09");
    NS_TEST_EXPECT_MSG_GT(o.localStore, x.localStore, "whole segments are held");
    IWARP_COVERS("MPA-B.2.1-08");

    std::ostringstream text;
    text << a;
    NS_TEST_EXPECT_MSG_EQ(text.str().substr(0, 15), "link_crc=50 ip=", "for people");
}
