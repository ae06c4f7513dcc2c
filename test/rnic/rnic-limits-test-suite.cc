/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "../app/rdma-perf-bench.h"
#include "../iwarp-test.h"

#include "ns3/rdma-device.h"
#include "ns3/rdma-protection-domain.h"
#include "ns3/rnic-helper.h"
#include "ns3/rnic-profile.h"

#include <cerrno>
#include <string>
#include <utility>
#include <vector>

using namespace ns3;

namespace
{

IWARP_TEST_SUITE(rnicLimits, "rnic-limits");

/// What a device had no more of.
using Refusals = std::vector<std::pair<RdmaResource, uint32_t>>;

/// Trace sink. @param seen what was seen @param resource kind @param limit all that there are
void
NoteRefusal(Refusals* seen, RdmaResource resource, uint32_t limit)
{
    seen->emplace_back(resource, limit);
}

} // namespace

/// A device that has no more says so, for each kind of resource.
IWARP_TEST(rnicLimits, "one more resource than there are: ENOMEM, a trace, and no end of the run")
{
    auto large = CreateObject<RdmaDevice>();
    for (uint32_t i = 0; i < 5000; ++i) // programs with a queue pair each
    {
        const auto domain = large->AllocPd();
        NS_TEST_ASSERT_MSG_NE(domain, nullptr, "protection domain " << i);
        RdmaQueuePairConfig each;
        each.sendCq = each.receiveCq = large->CreateCq(1);
        NS_TEST_ASSERT_MSG_NE(domain->CreateQp(each), nullptr, "queue pair " << i);
    }
    auto device = CreateObject<RdmaDevice>();
    for (const char* name : {"MaxPd", "MaxCq", "MaxMr", "MaxMw", "MaxQp", "MaxSrq"})
    {
        device->SetAttribute(name, UintegerValue(1));
    }
    Refusals seen;
    device->TraceConnectWithoutContext("Refused", MakeBoundCallback(&NoteRefusal, &seen));
    const auto pd = device->AllocPd();
    NS_TEST_ASSERT_MSG_NE(pd, nullptr, "the only one");
    NS_TEST_EXPECT_MSG_EQ(device->AllocPd(), nullptr, "protection domains");
    NS_TEST_EXPECT_MSG_EQ(device->GetErrno(), ENOMEM, "no more");
    const auto cq = device->CreateCq(10);
    NS_TEST_EXPECT_MSG_EQ(device->CreateCq(10), nullptr, "completion queues");
    const auto region = pd->RegisterVirtual(100, 0);
    NS_TEST_EXPECT_MSG_EQ(pd->RegisterVirtual(100, 0), nullptr, "memory regions");
    const auto window = pd->AllocMw();
    NS_TEST_EXPECT_MSG_EQ(pd->AllocMw(), nullptr, "memory windows");
    RdmaQueuePairConfig config;
    config.sendCq = config.receiveCq = cq;
    const auto pair = pd->CreateQp(config);
    NS_TEST_ASSERT_MSG_NE(pair, nullptr, "the only one");
    NS_TEST_EXPECT_MSG_EQ(pd->CreateQp(config), nullptr, "queue pairs");
    NS_TEST_EXPECT_MSG_EQ(device->GetErrno(), ENOMEM, "no more");
    const auto srq = pd->CreateSrq(10, 1);
    NS_TEST_EXPECT_MSG_EQ(pd->CreateSrq(10, 1), nullptr, "shared receive queues");
    const Refusals expected{{RdmaResource::PROTECTION_DOMAIN, 1},
                            {RdmaResource::COMPLETION_QUEUE, 1},
                            {RdmaResource::MEMORY_REGION, 1},
                            {RdmaResource::MEMORY_WINDOW, 1},
                            {RdmaResource::QUEUE_PAIR, 1},
                            {RdmaResource::SHARED_RECEIVE_QUEUE, 1}};
    NS_TEST_EXPECT_MSG_EQ((seen == expected), true, "each is told of");
    pair->Destroy();
    NS_TEST_EXPECT_MSG_NE(pd->CreateQp(config), nullptr, "what is given back is there again");
}

/// The queue pairs of an RNIC are a limit of the node's device, whichever is there first.
struct RnicLimitsOfHardware : TestCase
{
    using TestCase::TestCase;

    /// @param rnic profile @param first the device is there before the RNIC @return its limit
    uint32_t GetLimit(const std::string& rnic, bool first)
    {
        RdmaPerfBench bench;
        const auto node = bench.Nodes().Get(0);
        if (first)
        {
            RdmaDevice::Get(node);
        }
        RnicHelper(rnic).Install(node);
        return RdmaDevice::Get(node)->GetMaxQp();
    }

    /// Three queue pairs of a client, of which one host has two. @param host which
    /// @param error what the client says
    void Refuse(uint32_t host, const std::string& error)
    {
        RdmaPerfBench bench;
        RnicHelper helper;
        helper.Set("QueuePairs.Max", UintegerValue(2));
        helper.Install(bench.Nodes().Get(host));
        Refusals seen;
        RdmaDevice::Get(bench.Nodes().Get(host))
            ->TraceConnectWithoutContext("Refused", MakeBoundCallback(&NoteRefusal, &seen));
        bench.Set("write_bw", 64, 10);
        bench.helper.SetClientAttribute("Qp", UintegerValue(3));
        const auto client = bench.Run();
        const Refusals expected{{RdmaResource::QUEUE_PAIR, 2}};
        NS_TEST_EXPECT_MSG_EQ((seen == expected), true, "told of");
        NS_TEST_EXPECT_MSG_EQ(client->IsFinished(), false, "the test needs all three");
        NS_TEST_EXPECT_MSG_NE(client->GetError().find(error),
                              std::string::npos,
                              "client: " << client->GetError());
        const std::string& server = bench.Server(0)->GetError();
        NS_TEST_EXPECT_MSG_EQ((server.find("no queue pair left, all 2") != std::string::npos),
                              (host == 1),
                              "server: " << server);
    }
};

IWARP_TEST(rnicLimits,
           "queue pairs of an RNIC: those of its profile, and one more is refused",
           RnicLimitsOfHardware)
{
    for (const bool first : {true, false})
    {
        NS_TEST_EXPECT_MSG_EQ(GetLimit("ideal", first), 131072, "MaxQp");
        NS_TEST_EXPECT_MSG_EQ(GetLimit("e810-like", first), 4092, "irdma's default");
        NS_TEST_EXPECT_MSG_EQ(GetLimit("t5-like", first), 65536, "iw_cxgb4");
    }
    Refuse(0, "no queue pair left, all 2 are in use");
    Refuse(1, "reject");
}
