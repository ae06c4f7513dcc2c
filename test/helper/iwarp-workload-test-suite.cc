/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "../iwarp-test.h"

#include "ns3/iwarp-scenario.h"
#include "ns3/iwarp-workload-function.h"

#include <map>
#include <string>
#include <vector>

using namespace ns3;

namespace
{

/// The suite.
IWARP_TEST_SUITE(iwarpWorkload, "iwarp-workload");

using AttributeList = std::vector<std::pair<std::string, std::string>>; //!< attributes

/// A test that runs scenarios.
class WorkloadTest : public TestCase
{
  public:
    using TestCase::TestCase;

  protected:
    /// @param settings attributes @return metrics by name; empty if the run failed
    std::map<std::string, double> RunScenario(const AttributeList& settings)
    {
        Ptr<IwarpScenario> scenario = CreateObject<IwarpScenario>();
        for (const auto& [name, value] : settings)
        {
            NS_TEST_EXPECT_MSG_EQ(scenario->SetParameter(name, value), "", "a good value");
        }
        NS_TEST_EXPECT_MSG_EQ(scenario->Run(), true, scenario->GetError());
        std::map<std::string, double> metrics;
        for (const auto& metric : scenario->GetMetrics())
        {
            metrics[metric.name] = metric.value;
        }
        return metrics;
    }
};

/**
 * @ingroup iwarp-test
 * MpaBulkSender's ULPDUs have the headers of RDMA Writes, so Writes over verbs make the same
 * segments at the same times, also when some are lost.
 */
class SameAsMpaTest : public WorkloadTest
{
  public:
    explicit SameAsMpaTest(const AttributeList& settings)
        : WorkloadTest("RDMA Writes are on the wire what the workload mpa is" +
                       std::string(settings.empty() ? "" : ", " + settings[0].first)),
          m_settings(settings)
    {
    }

  private:
    void DoRun() override
    {
        AttributeList settings = m_settings;
        settings.insert(settings.end(), {{"Octets", "1000000"}, {"PlainTcp", "false"}});
        auto mpa = RunScenario(settings);
        settings.emplace_back("Workload", "rdma-write");
        auto write = RunScenario(settings);
        for (const auto* name : {"messages",
                                 "payload_octets",
                                 "fpdus_sent",
                                 "segments_sent",
                                 "retransmitted_octets",
                                 "header_aligned_share",
                                 "fpdu_aligned_share_sent",
                                 "fpdus_passed_out_of_order",
                                 "reassembly_peak"})
        {
            NS_TEST_EXPECT_MSG_EQ(write.at(name), mpa.at(name), name);
        }
        // private data is on the wire besides
        for (const auto* name : {"duration", "message_time_mean", "message_time_p99"})
        {
            NS_TEST_EXPECT_MSG_EQ_TOL(write.at(name), mpa.at(name), 0.01 * mpa.at(name), name);
        }
    }

    AttributeList m_settings; //!< attributes
};

/**
 * @ingroup iwarp-test
 * Messages of one FPDU that fills a segment: as many segments as messages, and one of startup.
 */
class WorkloadSegmentsTest : public WorkloadTest
{
  public:
    /// @param workload it @param header octets of its DDP and RDMAP header (RFC 5040 section 4.1)
    WorkloadSegmentsTest(const std::string& workload, uint32_t header)
        : WorkloadTest("Segments of the workload " + workload),
          m_workload(workload),
          m_header(header)
    {
    }

  private:
    void DoRun() override
    {
        constexpr uint32_t mss = 1500 - 20 - 20 - 12;
        constexpr uint32_t messages = 700;
        const uint32_t payload = mss - 2 - 4 - m_header - (mss - 6) % 4;
        const auto results = RunScenario({{"Workload", m_workload},
                                          {"Markers", "false"},
                                          {"Packing", "false"},
                                          {"MessageSizes", "fixed:" + std::to_string(payload)},
                                          {"Octets", std::to_string(messages * payload)}});
        NS_TEST_ASSERT_MSG_EQ(results.empty(), false, "it runs");
        NS_TEST_EXPECT_MSG_EQ(results.at("messages"), messages, "all there");
        NS_TEST_EXPECT_MSG_EQ(results.at("fpdus_sent"), messages, "one FPDU a message");
        NS_TEST_EXPECT_MSG_EQ(results.at("segments_sent"), messages + 1, "one segment an FPDU");
        NS_TEST_EXPECT_MSG_EQ(results.at("fpdu_aligned_share"), 1, "aligned");
        NS_TEST_EXPECT_MSG_EQ(results.at("retransmitted_octets"), 0, "nothing is lost");
    }

    std::string m_workload; //!< workload
    uint32_t m_header;      //!< octets of its header
};

IWARP_TEST_CASES(iwarpWorkload)
{
    suite.AddTestCase(new SameAsMpaTest(AttributeList{}));
    suite.AddTestCase(new SameAsMpaTest(AttributeList{{"Loss", "0.01"}}));
    suite.AddTestCase(new SameAsMpaTest(AttributeList{{"Alignment", "false"}, {"Loss", "0.01"}}));
    suite.AddTestCase(new WorkloadSegmentsTest("rdma-write", 14));
    suite.AddTestCase(new WorkloadSegmentsTest("rdma-read", 14));
    suite.AddTestCase(new WorkloadSegmentsTest("send", 18));
}

/**
 * @ingroup iwarp-test
 * All messages arrive through loss, reordering and duplication, whatever carries them.
 */
class LossyTest : public WorkloadTest
{
  public:
    explicit LossyTest(const std::string& workload) //!< @param workload it
        : WorkloadTest("Loss, reordering and duplication under the workload " + workload),
          m_workload(workload)
    {
    }

  private:
    void DoRun() override
    {
        for (const auto* alignment : {"true", "false"})
        {
            for (uint32_t run = 1; run <= 5; run++)
            {
                const auto results = RunScenario({{"Workload", m_workload},
                                                  {"Alignment", alignment},
                                                  {"Flows", "2"},
                                                  {"Octets", "300000"},
                                                  {"Loss", "0.03"},
                                                  {"Reordering", "0.1"},
                                                  {"Duplication", "0.05"},
                                                  {"PlainTcp", "false"},
                                                  {"Ipv6", run % 2 ? "true" : "false"},
                                                  {"Run", std::to_string(run)}});
                NS_TEST_ASSERT_MSG_EQ(results.empty(), false, "run " << run);
                // requests of the storage service are not cut to fit
                const double octets = results.at("payload_octets");
                const bool whole = m_workload == "storage" ? octets >= 600000 : octets == 600000;
                NS_TEST_EXPECT_MSG_EQ(whole, true, octets << " octets are there");
                NS_TEST_EXPECT_MSG_GT(results.at("retransmitted_octets"), 0, "after losses");
                NS_TEST_EXPECT_MSG_GT(results.at("fpdus_passed_out_of_order"), 0, "out of order");
            }
        }
    }

    std::string m_workload; //!< workload
};

/// SACK beside out-of-order passing spares retransmissions.
IWARP_TEST(iwarpWorkload, "SACK on against off", WorkloadTest)
{
    double resent[2] = {0, 0};
    for (int sack : {0, 1})
    {
        for (uint32_t run = 1; run <= 10; run++)
        {
            const auto results = RunScenario({{"Sack", sack ? "true" : "false"},
                                              {"Loss", "0.03"},
                                              {"Delay", "1ms"},
                                              {"Octets", "1000000"},
                                              {"PlainTcp", "false"},
                                              {"Run", std::to_string(run)}});
            NS_TEST_ASSERT_MSG_EQ(results.empty(), false, "run " << run);
            resent[sack] += results.at("retransmitted_octets");
            NS_TEST_EXPECT_MSG_GT(results.at("fpdus_passed_out_of_order"), 0, "out of order");
        }
    }
    NS_TEST_EXPECT_MSG_LT(resent[1], 0.8 * resent[0], "octets sent again");
    IWARP_COVERS("MPA-A.3-09");
}

/**
 * Over a TCP that does not align, whoever has it send each FPDU at once starts more segments with
 * one than who lets it gather them.
 */
IWARP_TEST(iwarpWorkload, "TcpNoDelay on against off", WorkloadTest)
{
    double share[2] = {0, 0};
    for (int noDelay : {0, 1})
    {
        // ten messages a round trip, none of which fills a segment
        const auto results = RunScenario({{"Alignment", "false"},
                                          {"NoDelay", noDelay ? "true" : "false"},
                                          {"Delay", "1ms"},
                                          {"Intervals", "fixed:0.0002"},
                                          {"MessageSizes", "fixed:500"},
                                          {"Octets", "100000"},
                                          {"PlainTcp", "false"}});
        NS_TEST_ASSERT_MSG_EQ(results.empty(), false, "it runs");
        NS_TEST_EXPECT_MSG_EQ(results.at("messages"), 200, "all there");
        share[noDelay] = results.at("header_aligned_share");
    }
    NS_TEST_EXPECT_MSG_EQ(share[1], 1, "each FPDU is a segment");
    NS_TEST_EXPECT_MSG_LT(share[0], 0.8, "segments are filled with what is there");
    IWARP_COVERS("MPA-5.1-04");
}

/// A function posts what flows carry: at once, at times of its own, and when messages have come.
IWARP_TEST(iwarpWorkload, "A function posts the messages", WorkloadTest)
{
    using Installer = IwarpFunctionWorkload::Installer;
    uint32_t answers = 0;
    const auto function = [&answers](Installer& installer) {
        installer.Install(RdmaBulkOperation::SEND);
        installer.Post(1000);
        installer.Post(500, MilliSeconds(20));
        installer.SetCompletion([&answers, &installer](uint64_t size) {
            if (size == 1000 && answers < 3)
            {
                answers++;
                installer.Post(1000);
            }
        });
    };
    auto scenario = CreateObject<IwarpScenario>();
    scenario->SetWorkload(CreateObject<IwarpFunctionWorkload>(function));
    scenario->SetParameter("PlainTcp", "false");
    scenario->SetParameter("Flows", "1");
    for (uint32_t run : {1, 2}) // the same again
    {
        answers = 0;
        NS_TEST_ASSERT_MSG_EQ(scenario->Run(), true, scenario->GetError());
        std::map<std::string, double> metrics;
        for (const auto& metric : scenario->GetMetrics())
        {
            metrics[metric.name] = metric.value;
        }
        NS_TEST_EXPECT_MSG_EQ(metrics.at("messages"), 1 + 3 + 1, "run " << run);
        NS_TEST_EXPECT_MSG_EQ(metrics.at("payload_octets"), 4 * 1000 + 500, "run " << run);
        NS_TEST_EXPECT_MSG_GT(metrics.at("duration"), 0.02, "the last has a time");
    }
    scenario->SetWorkload(CreateObject<IwarpFunctionWorkload>([](Installer&) {}));
    NS_TEST_EXPECT_MSG_EQ(scenario->Run(), false, "nothing to carry");
    NS_TEST_EXPECT_MSG_EQ(scenario->GetError(),
                          "no message was posted, and Duration is 0",
                          "what is wrong");
}

/// A run whose servers need more Reads than the clients grant (RFC 6581 section 9.1) is over with
/// words about that.
IWARP_TEST(iwarpWorkload, "Clients that grant too few Reads")
{
    for (const auto* workload : {"rdma-write", "rdma-read", "send", "storage"})
    {
        const auto scenario = CreateObject<IwarpScenario>();
        for (const auto& [name, value] : AttributeList{{"Workload", workload},
                                                       {"PlainTcp", "false"},
                                                       {"RdmaConnection.Ird", "4"},
                                                       {"RdmaConnection.MinOrd", "8"}})
        {
            NS_TEST_EXPECT_MSG_EQ(scenario->SetParameter(name, value), "", "a good value");
        }
        NS_TEST_EXPECT_MSG_EQ(scenario->Run(), false, workload << ": no flow comes to be");
        const std::string& error = scenario->GetError();
        NS_TEST_EXPECT_MSG_NE(error.find("reject"), std::string::npos, workload << ": " << error);
    }
}

/// Messages of the workload perf at random, of few slots, whose completions come with an interrupt
/// that waits: each of them is sent in the end.
IWARP_TEST(iwarpWorkload, "Random order with interrupts that wait", WorkloadTest)
{
    for (const auto* depth : {"1", "2", "4"})
    {
        for (const uint32_t pairs : {1, 4})
        {
            auto results = RunScenario({{"Workload", "perf"},
                                        {"PlainTcp", "false"},
                                        {"Flows", "1"},
                                        {"PerfTest", "write_bw"},
                                        {"PerfOrder", "Random"},
                                        {"PerfTxDepth", depth},
                                        {"PerfQp", std::to_string(pairs)},
                                        {"PerfIterations", "200"},
                                        {"PerfSize", "8"},
                                        {"Rnic", "t5-like"},
                                        {"Delay", "1us"},
                                        {"Rnic.HostInterface.Notify", "Interrupt"},
                                        {"Rnic.HostInterface.InterruptModeration", "20us"},
                                        {"TimeLimit", "5s"}});
            NS_TEST_EXPECT_MSG_EQ(results["messages"],
                                  200 * pairs,
                                  "all there, with TxDepth " << depth);
        }
    }
}

IWARP_TEST_CASES(iwarpWorkload)
{
    for (const auto* workload : {"rdma-write", "rdma-read", "send", "storage"})
    {
        suite.AddTestCase(new LossyTest(workload));
    }
}

} // namespace
