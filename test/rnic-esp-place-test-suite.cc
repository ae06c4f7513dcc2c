/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rnic-esp-test-util.h"

#include "ns3/ns3-compat.h"
#include "ns3/rnic-cpu.h"
#include "ns3/rnic-host-interface.h"
#include "ns3/test.h"

#include <string>
#include <utility>

using namespace ns3;
using namespace rnictest;

/// A lookaside engine has the host interface carry every packet there and back.
class RnicEspLookaside : public TestCase
{
  public:
    RnicEspLookaside()
        : TestCase("lookaside: latency of a packet, octets and rate of the bus")
    {
    }

  private:
    void DoRun() override
    {
        // 125 ps an octet; packets of 256 octets with headers of 24; requests of up to 512
        const std::string bus = "HostInterface.WriteRate=64Gbps HostInterface.ReadRate=64Gbps "
                                "HostInterface.Header=24 HostInterface.MaxPayload=256 "
                                "HostInterface.MaxReadRequest=512 HostInterface.ReadTags=64 ";
        constexpr uint64_t payload = 1460 + 6 * 24; // read to be sent
        constexpr uint64_t there = 1500 + 6 * 24;   // in the clear
        constexpr uint64_t back = 1536 + 6 * 24;    // protected
        constexpr uint64_t requests = 3 * 24;       // of each read
        const std::string esp = "TxEsp.TimePerPacket=100ns RxEsp.TimePerPacket=100ns";

        const auto out = StartEsp(EspPlace::LOOKASIDE, bus + esp);
        const double shared = MeasureBacklog(*out);
        NS_TEST_EXPECT_MSG_EQ_TOL(shared,
                                  125.0 * (payload + back),
                                  0.001 * shared,
                                  "payload and what comes back share a direction");
        auto& host = out->GetHost();
        NS_TEST_EXPECT_MSG_EQ(host.GetFromHost().GetOctets(), BACKLOG * (payload + back), "read");
        NS_TEST_EXPECT_MSG_EQ(host.GetToHost().GetOctets(),
                              BACKLOG * (there + 2 * requests),
                              "written");

        const auto inside = StartEsp(EspPlace::INLINE, bus + esp);
        const double alone = MeasureBacklog(*inside);
        NS_TEST_EXPECT_MSG_EQ_TOL(alone, 125.0 * payload, 1, "inline");

        // an engine slower than the bus
        const auto slow = StartEsp(EspPlace::LOOKASIDE, bus + "TxEsp.TimePerPacket=600ns");
        const double limited = MeasureBacklog(*slow);
        NS_TEST_EXPECT_MSG_EQ_TOL(limited, 600e3, 1, "engine");

        // one packet alone, coming in: across, work, request, back
        const auto in = StartEsp(EspPlace::LOOKASIDE,
                                 bus + esp +
                                     " HostInterface.WriteLatency=250ns "
                                     "HostInterface.ReadLatency=500ns");
        RnicConnectionState connection;
        const auto received = ReceiveProtected(*in, 0, connection, MakeWork(1));
        NS_TEST_EXPECT_MSG_EQ(
            received.time,
            RnicTime(125 * back + 250'000 + 100'000 + 125 * 24 + 500'000 + 125 * there),
            "there and back");
    }
};

/// CPUs: those of a HostSoftware receiver do ESP beside TCP, and lose segmentation offload by it.
class RnicEspSoftware : public TestCase
{
  public:
    RnicEspSoftware()
        : TestCase("software: CPUs, their number, and offloads that cannot be used")
    {
    }

  private:
    void DoRun() override
    {
        constexpr double esp = 300'000 + 1484 * 400; // 300 ns and 20 Gb/s
        const std::string work = "TxEsp.TimePerPacket=300ns TxEsp.Rate=20Gbps ";
        auto measure = [](const std::string& settings, uint32_t associations) {
            const auto path = StartEsp(EspPlace::SOFTWARE, settings, MakeSoftware());
            return MeasureBacklog(*path, associations);
        };
        NS_TEST_EXPECT_MSG_EQ_TOL(measure(work, 1), esp, 1, "one CPU");
        NS_TEST_EXPECT_MSG_EQ_TOL(measure(work + "Cpu.TimePerPacket=800ns", 1),
                                  esp + 800'000,
                                  1,
                                  "that does TCP as well");
        NS_TEST_EXPECT_MSG_EQ_TOL(measure(work + "Cpu.Cores=4", 1), esp, 1, "bound to one of four");
        NS_TEST_EXPECT_MSG_EQ_TOL(measure(work + "Cpu.Cores=4", 4), esp / 4, 0.001 * esp, "four");
        NS_TEST_EXPECT_MSG_EQ_TOL(measure(work + "Cpu.Cores=4 TxEsp.Spread=true", 1),
                                  esp / 4,
                                  0.001 * esp,
                                  "spread over four");

        // ten segments that a plain adapter could cut from one
        auto busy = [](EspPlace place) {
            const auto path = StartEsp(place,
                                       "Cpu.TimePerPacket=800ns Cpu.LargeSendOffload=65536 "
                                       "Cpu.LargeReceiveOffload=65536",
                                       MakeSoftware());
            RnicConnectionState connection;
            for (uint32_t i = 0; i < 10; ++i)
            {
                TransmitProtected(*path, 0, connection, MakeWork(1));
            }
            const RnicTime sent = path->Get<RnicCpu>("Cpu")->GetBusy();
            for (uint32_t i = 0; i < 10; ++i)
            {
                ReceiveProtected(*path, 100'000'000, connection, MakeWork(1));
            }
            return std::pair(sent, path->Get<RnicCpu>("Cpu")->GetBusy() - sent);
        };
        const auto inside = busy(EspPlace::INLINE);
        NS_TEST_EXPECT_MSG_EQ(inside.first, 800'000, "ESP behind segmentation");
        NS_TEST_EXPECT_MSG_EQ(inside.second, 800'000, "ESP before gathering");
        for (EspPlace place : {EspPlace::LOOKASIDE, EspPlace::SOFTWARE})
        {
            const auto outside = busy(place);
            NS_TEST_EXPECT_MSG_EQ(outside.first, 8'000'000, "ESP before segmentation");
            NS_TEST_EXPECT_MSG_EQ(outside.second, 8'000'000, "ESP behind gathering");
        }
    }
};

/// Suite "rnic-esp-place".
class RnicEspPlaceTestSuite : public TestSuite
{
  public:
    RnicEspPlaceTestSuite()
        : TestSuite("rnic-esp-place")
    {
        AddTestCase(new RnicEspLookaside, IWARP_TEST_QUICK);
        AddTestCase(new RnicEspSoftware, IWARP_TEST_QUICK);
    }
};

static RnicEspPlaceTestSuite g_rnicEspPlaceTestSuite; //!< registers the suite
