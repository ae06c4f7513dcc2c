/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rnic-test-util.h"

#include "ns3/rnic-estimate.h"
#include "ns3/rnic-host-interface.h"
#include "ns3/rnic-profile.h"
#include "ns3/test.h"

#include <algorithm>
#include <string>
#include <vector>

using namespace ns3;
using namespace rnictest;

namespace
{

// @param profile name @param link rate @return what it does
RnicEstimate
Estimate(const std::string& profile, const std::string& link)
{
    return RnicEstimate(RnicProfile::GetDesign(profile), DataRate(link));
}

} // namespace

/// Published figures of adapters against the profiles: the errors are those that doc/rnic.rst
/// tells.
class RnicCalibration : public TestCase
{
  public:
    RnicCalibration()
        : TestCase("errors of the calibration figures")
    {
    }

  private:
    void DoRun() override
    {
        const RnicEstimate t5 = Estimate("t5-like", "40Gbps");
        const RnicEstimate e810 = Estimate("e810-like", "100Gbps");
        const auto host = StartPart<RnicHostInterface>(
            "ReadRate=62.96Gbps WriteRate=62.96Gbps Header=24 ReadLatency=500ns");
        const double read = static_cast<double>(host->Read(0, 0, 64));

        struct Figure
        {
            std::string name; //!< what
            double model;     //!< what the model says
            double published; //!< what is published
            double error;     //!< error in doc/rnic.rst, percent
        };

        for (const auto& f : std::vector<Figure>{
                 {"T580-CR, 64-octet RDMA Write, us", t5.GetWriteLatency(64) * 1e6, 2.89, -0.7},
                 {"T580-CR, 64-octet RDMA Writes, million/s", t5.GetWriteRate(64) * 1e-6, 3.24, 0},
                 {"T5, end-to-end latency, us", t5.GetWriteLatency(64) * 1e6, 1.5, 91.3},
                 {"E810, 1 queue pair, Gb/s", e810.GetThroughput(1, true, 18) * 1e-9, 49, 0.2},
                 {"E810, 2 queue pairs, Gb/s", e810.GetThroughput(2, true, 18) * 1e-9, 88, 6.1},
                 {"E810, 3 queue pairs, Gb/s", e810.GetThroughput(3, true, 18) * 1e-9, 91, 2.6},
                 {"PCIe read of 64 octets, ns", read * 1e-3, 550, -6.5}})
        {
            NS_TEST_EXPECT_MSG_EQ_TOL(100 * (f.model / f.published - 1),
                                      f.error,
                                      0.2,
                                      f.name << ": " << f.model);
        }
        // not more than five figures are fitted
        std::vector<std::string> fitted;
        for (const auto& name : RnicProfile::GetNames())
        {
            for (const auto& figure : RnicProfile::Get(name))
            {
                if (figure.sure == RnicFigure::Sure::FITTED ||
                    figure.source.substr(0, 8) == "so that ")
                {
                    fitted.push_back(name + " " + figure.path);
                }
            }
        }
        NS_TEST_EXPECT_MSG_EQ(fitted.size(), 4, "fitted figures");
    }
};

/// Closed forms of what RnicEstimate says.
class RnicEstimateForms : public TestCase
{
  public:
    RnicEstimateForms()
        : TestCase("estimates of single bottlenecks are closed forms, to 1 %")
    {
    }

  private:
    void DoRun() override
    {
        auto estimate = [](const std::string& settings) {
            return RnicEstimate(MakeDesign(settings), DataRate("100Gbps"));
        };
        // nothing but the link: payload over frame, preamble and gap
        NS_TEST_EXPECT_MSG_EQ_TOL(estimate("").GetThroughput(1),
                                  100e9 * 1440 / 1538,
                                  1e8,
                                  "the link");
        NS_TEST_EXPECT_MSG_EQ_TOL(estimate("").GetWriteLatency(64),
                                  (84 + 58 + 20) * 8 / 100e9,
                                  1e-12,
                                  "the link");
        for (uint32_t n : {1U, 2U, 3U, 16U})
        {
            const double limit = std::min(n * 1440 * 8 / 400e-9, 100e9 * 1440 / 1538);
            NS_TEST_EXPECT_MSG_EQ_TOL(estimate("TxPace.Interval=400ns").GetThroughput(n),
                                      limit,
                                      0.01 * limit,
                                      n << " connections at their own pace");
        }
        NS_TEST_EXPECT_MSG_EQ_TOL(estimate("RxTcp.TimePerPacket=200ns").GetWriteRate(64),
                                  5e6,
                                  5e4,
                                  "TCP");
        const RnicEstimate slow = estimate("RxMpa.SlowPathTime=300ns");
        NS_TEST_EXPECT_MSG_EQ_TOL(slow.GetThroughput(4, false),
                                  1440 * 8 / 300e-9,
                                  4e8,
                                  "slow path");
        NS_TEST_EXPECT_MSG_EQ_TOL(slow.GetThroughput(4, true),
                                  100e9 * 1440 / 1538,
                                  1e8,
                                  "not taken by aligned segments");
        // 1460 octets are read in 3 requests, 4 at a time a microsecond
        const RnicEstimate tags = estimate("HostInterface.ReadTags=4 "
                                           "HostInterface.MaxReadRequest=512 "
                                           "HostInterface.ReadLatency=1us");
        NS_TEST_EXPECT_MSG_EQ_TOL(tags.GetThroughput(1),
                                  4.0 / 3 / 1e-6 * 1440 * 8,
                                  0.01 * 1.536e10,
                                  "tags");
        // software, too, is told by a doorbell, as the simulator does
        NS_TEST_EXPECT_MSG_EQ_TOL(
            estimate("Receiver=HostSoftware HostInterface.DoorbellLatency=1us").GetWriteLatency(64),
            (84 + 58 + 20) * 8 / 100e9 + 1e-6,
            1e-12,
            "doorbell");
    }
};

/// @ingroup iwarp-test
class RnicCalibrationTestSuite : public TestSuite
{
  public:
    RnicCalibrationTestSuite()
        : TestSuite("rnic-calibration")
    {
        AddTestCase(new RnicCalibration);
        AddTestCase(new RnicEstimateForms);
    }
};

static RnicCalibrationTestSuite g_rnicCalibrationTestSuite; //!< registers the suite
