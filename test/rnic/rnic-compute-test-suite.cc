/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "../helper/iwarp-run-scenario.h"
#include "../iwarp-test.h"

#include "ns3/app-message.h"

#include <cstdint>
#include <string>

using namespace ns3;

namespace
{

IWARP_TEST_SUITE(rnicCompute, "rnic-compute");

/// One stream of FPDUs of one size, into one receiving RNIC.
class RnicComputeTest : public ScenarioTestCase
{
  protected:
    static constexpr uint32_t EMSS = 1448;    //!< MTU 1500, IPv4, timestamps
    static constexpr uint32_t MESSAGES = 500; //!< of each run

    /// @param name of the case
    explicit RnicComputeTest(const std::string& name)
        : ScenarioTestCase(name,
                           {{"HostPairs", "1"},
                            {"Flows", "1"},
                            {"Rnic", "ideal"},
                            {"PlainTcp", "false"},
                            {"LinkRate", "100Gbps"},
                            {"AccessRate", "100Gbps"},
                            {"QueueSize", "20000p"},
                            {"MinRto", "10ms"},
                            {"DelayedAck", "1ms"},
                            {"Markers", "false"},
                            {"QueueDepth", "1000"}})
    {
    }

    /// @param ulpdu octets of a ULPDU @return octets of its FPDU (RFC 5044 section 4)
    static uint32_t FpduSize(uint32_t ulpdu)
    {
        return (2 + ulpdu + 3) / 4 * 4 + 4;
    }

    /// @param ulpdu octets of each of MESSAGES ULPDUs @param settings over those that all have in
    /// common @return metrics
    ScenarioResults RunStream(uint32_t ulpdu, ScenarioSettings settings)
    {
        const uint32_t message = ulpdu - iwarp::MESSAGE_HEADER;
        settings["MessageSizes"] = "fixed:" + std::to_string(message);
        settings["Octets"] = std::to_string(message * MESSAGES);
        ScenarioResults results = RunScenario(settings);
        NS_TEST_EXPECT_MSG_EQ(results["emss"], EMSS, "EMSS");
        return results;
    }
};

/// Full segments of a stream, without loss: where FPDUs are cut is arithmetic.
struct Cuts
{
    uint32_t segments{0}; //!< with payload
    uint32_t crossing{0}; //!< ends of segments inside of an FPDU
    uint32_t slow{0};     //!< segments that begin or end inside of one
    uint64_t held{0};     //!< octets in front of such ends, back to the FPDU's beginning

    /// @param fpdu octets of each FPDU, at most @p emss @param count FPDUs @param emss octets of
    /// each segment but the last
    Cuts(uint32_t fpdu, uint32_t count, uint32_t emss)
    {
        const uint32_t stream = fpdu * count;
        bool begins = true; // the segment begins with an FPDU
        for (uint32_t at = 0; at < stream; at += emss)
        {
            const uint32_t rest = at + emss < stream ? (at + emss) % fpdu : 0;
            ++segments;
            crossing += rest > 0 ? 1 : 0;
            held += rest;
            slow += !begins || rest > 0 ? 1 : 0;
            begins = rest == 0;
        }
    }
};

} // namespace

/// What section B.2.1 lists for an aligned segment in order, through a scenario: one of each, and
/// nothing of the algorithm for lost alignment.
IWARP_TEST(rnicCompute, "operations of an aligned stream: one of each a segment", RnicComputeTest)
{
    ScenarioResults r = RunStream(EMSS - 6, {}); // an FPDU fills a segment
    for (const char* name : {"link_crc",
                             "ip",
                             "tcp_checksum",
                             "classify",
                             "align_check",
                             "length_read",
                             "crc_run",
                             "crc_check",
                             "address_computation",
                             "copy"})
    {
        NS_TEST_EXPECT_MSG_EQ(r[std::string("rnic_op_") + name], MESSAGES, name);
    }
    IWARP_COVERS("MPA-B.2.1-03 MPA-B.2.1-10 MPA-B.2.1-11");
    NS_TEST_EXPECT_MSG_EQ(r["rnic_op_crc_octets"], MESSAGES * EMSS, "each octet once");
    for (const char* name : {"state_fetch",
                             "marker_search",
                             "partial_crc_fetch",
                             "partial_crc_store",
                             "local_store",
                             "local_load",
                             "slow_path"})
    {
        NS_TEST_EXPECT_MSG_EQ(r[std::string("rnic_op_") + name], 0, name);
    }
    IWARP_COVERS("MPA-B.2.1-11 MPA-B.2.1-14");

    // two FPDUs in each segment: the loop of steps 5 to 9, and still no state
    ScenarioResults two = RunStream(EMSS / 2 - 6, {});
    NS_TEST_EXPECT_MSG_EQ(two["rnic_op_classify"], MESSAGES / 2, "two FPDUs a segment");
    for (const char* name : {"length_read", "crc_run", "crc_check", "copy"})
    {
        NS_TEST_EXPECT_MSG_EQ(two[std::string("rnic_op_") + name], MESSAGES, name);
    }
    NS_TEST_EXPECT_MSG_EQ(two["rnic_op_state_fetch"] + two["rnic_op_partial_crc_fetch"],
                          0,
                          "no state");
    IWARP_COVERS("MPA-B.2.1-11");
}

/// Reordered, with Markers: the same handling, FPDU by FPDU.
IWARP_TEST(rnicCompute,
           "operations of an aligned stream that is reordered: the same",
           RnicComputeTest)
{
    // with an interval that does not have TCP take it for loss
    ScenarioResults r = RunStream(1400,
                                  {{"Markers", "true"},
                                   {"Reordering", "0.1"},
                                   {"ReorderingDelay", "600ns"},
                                   {"LinkRate", "40Gbps"}});
    NS_TEST_EXPECT_MSG_GT(r["fpdus_passed_out_of_order"], 10, "some are out of order");
    NS_TEST_EXPECT_MSG_EQ(r["retransmitted_octets"], 0, "each segment comes once");
    for (const char* name : {"length_read", "crc_run", "crc_check", "address_computation", "copy"})
    {
        NS_TEST_EXPECT_MSG_EQ(r[std::string("rnic_op_") + name], MESSAGES, name);
    }
    IWARP_COVERS("MPA-B.2.1-12");
    NS_TEST_EXPECT_MSG_EQ(r["rnic_op_local_store"] + r["rnic_op_local_load"],
                          0,
                          "reassembly is in place");
    IWARP_COVERS("MPA-B.2.1-12");
}

/// What section B.2.1 lists for segments that end one FPDU and begin another.
IWARP_TEST(rnicCompute,
           "operations of an unaligned stream: two copies, two runs, state",
           RnicComputeTest)
{
    const uint32_t fpdu = FpduSize(1000);
    const Cuts cuts(fpdu, MESSAGES, EMSS);
    ScenarioResults r = RunStream(1000, {{"Alignment", "false"}});
    auto op = [&r](const std::string& name) { return r["rnic_op_" + name]; };
    NS_TEST_EXPECT_MSG_EQ(op("classify"), cuts.segments, "full segments");
    NS_TEST_EXPECT_MSG_EQ(op("align_check"), cuts.segments, "checked each time");
    IWARP_COVERS("MPA-B.2.1-03 MPA-B.2.1-10");
    NS_TEST_EXPECT_MSG_EQ(op("state_fetch"), cuts.crossing, "where the FPDU before ends");
    IWARP_COVERS("MPA-B.2.1-04");
    NS_TEST_EXPECT_MSG_EQ(op("partial_crc_fetch"), cuts.crossing, "to be finished");
    NS_TEST_EXPECT_MSG_EQ(op("partial_crc_store"), cuts.crossing, "when begun");
    NS_TEST_EXPECT_MSG_EQ(op("crc_run"), MESSAGES + cuts.crossing, "finish one, start one");
    NS_TEST_EXPECT_MSG_EQ(op("crc_check"), MESSAGES, "each FPDU's");
    NS_TEST_EXPECT_MSG_EQ(op("crc_octets"), MESSAGES * fpdu, "in order each octet once");
    IWARP_COVERS("MPA-B.2.1-05");
    NS_TEST_EXPECT_MSG_EQ(op("copy"), MESSAGES + cuts.crossing, "two portions");
    NS_TEST_EXPECT_MSG_EQ(op("address_computation"), op("copy"), "an address each");
    IWARP_COVERS("MPA-B.2.1-06");
    NS_TEST_EXPECT_MSG_EQ(op("local_store"), cuts.held, "first portions");
    NS_TEST_EXPECT_MSG_EQ(op("local_load"), cuts.held, "each read once");
    IWARP_COVERS("MPA-B.2.1-06 MPA-B.2.1-07");
    NS_TEST_EXPECT_MSG_EQ(op("slow_path"), cuts.slow, "the algorithm for lost alignment");
    IWARP_COVERS("MPA-B.2.1-15");
}

/// The operations as times of stages and as traffic of the bus.
IWARP_TEST(rnicCompute, "time of stages, and traffic, of given operations", RnicComputeTest)
{
    const ScenarioSettings figures{{"Rnic.RxMpa.TimePerPacket", "3ns"},
                                   {"Rnic.RxMpa.TimePerUnit", "5ns"},
                                   {"Rnic.RxMpa.SlowPathTime", "11ns"},
                                   {"Rnic.RxMpa.StateFetchTime", "13ns"},
                                   {"Rnic.RxMpa.PartialCrcTime", "17ns"},
                                   {"Rnic.RxCrc.TimePerUnit", "7ns"},
                                   {"Rnic.RxCrc.Rate", "80Gbps"},
                                   {"Rnic.RxPlace.TimePerUnit", "19ns"},
                                   {"Rnic.RxPlace.Engines", "2"},
                                   {"Rnic.ReassemblyMemory.Rate", "800Gbps"}};
    const uint32_t n = MESSAGES;
    const double ns = 1e-9;
    ScenarioResults a = RunStream(EMSS - 6, figures);
    NS_TEST_EXPECT_MSG_EQ_TOL(a["rnic_busy_rx_mpa"], n * 8 * ns, 1e-15, "aligned: no state");
    NS_TEST_EXPECT_MSG_EQ_TOL(a["rnic_busy_rx_crc"],
                              n * (EMSS * 0.1 + 7) * ns,
                              1e-12,
                              "a run an FPDU");
    NS_TEST_EXPECT_MSG_EQ_TOL(a["rnic_busy_rx_place"], n * 19 * ns / 2, 1e-15, "a copy each");
    NS_TEST_EXPECT_MSG_EQ(a["rnic_busy_memory"], 0, "memory is not used");

    ScenarioSettings unaligned = figures;
    unaligned["Alignment"] = "false";
    const uint32_t fpdu = FpduSize(1000);
    const Cuts cuts(fpdu, n, EMSS);
    ScenarioResults u = RunStream(1000, unaligned);
    NS_TEST_EXPECT_MSG_EQ_TOL(
        u["rnic_busy_rx_mpa"],
        (cuts.segments * 3 + n * 5 + cuts.slow * 11 + cuts.crossing * (13 + 2 * 17)) * ns,
        1e-15,
        "state fetched, partial CRC fetched and stored");
    NS_TEST_EXPECT_MSG_EQ_TOL(u["rnic_busy_rx_crc"],
                              (n * fpdu * 0.1 + (n + cuts.crossing) * 7) * ns,
                              1e-12,
                              "two runs a crossing FPDU");
    NS_TEST_EXPECT_MSG_EQ_TOL(u["rnic_busy_rx_place"],
                              (n + cuts.crossing) * 19 * ns / 2,
                              1e-15,
                              "two copies a crossing FPDU");
    NS_TEST_EXPECT_MSG_EQ_TOL(u["rnic_busy_memory"],
                              2.0 * cuts.held * 0.01 * ns,
                              1e-12,
                              "first portions are written and read");
    IWARP_COVERS("MPA-B.2.1-05 MPA-B.2.1-06 MPA-B.2.1-14");

    // behind a warm-up, operations and times are of the same segments
    ScenarioSettings warm = unaligned;
    warm["WarmUp"] = "100000";
    ScenarioResults w = RunStream(1000, warm);
    NS_TEST_EXPECT_MSG_GT_OR_EQ(w["rnic_op_copy"], n, "those behind it");
    NS_TEST_EXPECT_MSG_EQ_TOL(w["rnic_busy_rx_place"],
                              w["rnic_op_copy"] * 19 * ns / 2,
                              1e-15,
                              "their time");

    // the bus: 1442 octets in 6 packets of at most 256, with a header of 24 octets each; one
    // more asks for the octets of the MPA Reply
    ScenarioResults bus = RunStream(EMSS - 6,
                                    {{"Rnic.HostInterface.WriteRate", "200Gbps"},
                                     {"Rnic.HostInterface.ReadRate", "200Gbps"},
                                     {"Rnic.HostInterface.Header", "24"},
                                     {"Rnic.HostInterface.MaxPayload", "256"}});
    const uint32_t octets = n * (EMSS - 6 + 6 * 24) + 24;
    NS_TEST_EXPECT_MSG_EQ(bus["rnic_octets_to_host"], octets, "writes");
    NS_TEST_EXPECT_MSG_EQ_TOL(bus["rnic_busy_to_host"], octets * 0.04 * ns, 1e-12, "at 200 Gb/s");
    NS_TEST_EXPECT_MSG_EQ(bus["rnic_octets_from_host"], 20 + 24, "the MPA Reply");
    NS_TEST_EXPECT_MSG_EQ_TOL(bus["rnic_busy_from_host"],
                              (20 + 24) * 0.04 * ns,
                              1e-12,
                              "at 200 Gb/s");
}

/// The operations as CPU time of a receiver in software.
struct RnicComputeSoftware : RnicComputeTest
{
    using RnicComputeTest::RnicComputeTest;

    /// @param ulpdu octets of each ULPDU @param settings of the run @return CPU time, s
    double GetTime(uint32_t ulpdu, ScenarioSettings settings)
    {
        settings["Rnic.Receiver"] = "HostSoftware";
        settings["Rnic.Cpu.Cores"] = "2";
        ScenarioResults r = RunStream(ulpdu, settings);
        NS_TEST_EXPECT_MSG_EQ_TOL(r["rnic_busy_cpu"], r["rnic_cpu_time"] / 2, 1e-15, "of two");
        NS_TEST_EXPECT_MSG_EQ(r.count("rnic_busy_rx_mpa"), 0, "there is no such stage");
        return r["rnic_cpu_time"];
    }
};

IWARP_TEST(rnicCompute, "CPU time of a receiver in software", RnicComputeSoftware)
{
    const uint32_t n = MESSAGES;
    const uint32_t reply = 20; // octets of the MPA Reply, which the CPU copies as it sends them
    const double octet = 8 / 80e9;
    const ScenarioSettings copies{{"Rnic.Cpu.CopyRate", "80Gbps"}};
    NS_TEST_EXPECT_MSG_EQ_TOL(GetTime(EMSS - 6, copies),
                              (n * (EMSS - 6) + reply) * octet,
                              1e-12,
                              "aligned: each octet of payload is copied once");
    const uint32_t fpdu = FpduSize(1000);
    const Cuts cuts(fpdu, n, EMSS);
    ScenarioSettings unaligned = copies;
    unaligned["Alignment"] = "false";
    NS_TEST_EXPECT_MSG_EQ_TOL(GetTime(1000, unaligned),
                              (n * 1000 + cuts.held + reply) * octet,
                              1e-12,
                              "first portions twice");
    IWARP_COVERS("MPA-B.2.1-06");
    unaligned = {{"Rnic.Cpu.CrcRate", "80Gbps"}, {"Alignment", "false"}};
    NS_TEST_EXPECT_MSG_EQ_TOL(GetTime(1000, unaligned),
                              (n * fpdu + reply) * octet,
                              1e-12,
                              "CRC of each octet once");
}
