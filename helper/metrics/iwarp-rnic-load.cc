/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "iwarp-rnic-load.h"

#include "ns3/rnic-cpu.h"
#include "ns3/rnic-server-stage.h"
#include "ns3/uinteger.h"

#include <utility>
#include <vector>

namespace ns3
{
namespace iwarp
{
namespace
{

using Merge = MetricMerge;

/// Stages on the way of received segments that are queues, with their metrics
const std::vector<std::pair<std::string, MetricInfo>> STAGE_METRICS{
    {"RxMac",
     {"rnic_busy_rx_mac",
      "s",
      "Time for which an engine that checks frames works (stage RxMac of the receiving RNICs)",
      Merge::RATIO}},
    {"RxTcp",
     {"rnic_busy_rx_tcp",
      "s",
      "Time for which an engine of IP and TCP works (stage RxTcp of the receiving RNICs)",
      Merge::RATIO}},
    {"RxClassify",
     {"rnic_busy_rx_classify",
      "s",
      "Time for which an engine that finds connections works (stage RxClassify)",
      Merge::RATIO}},
    {"RxMpa",
     {"rnic_busy_rx_mpa",
      "s",
      "Time for which an engine that finds FPDUs works, state and partial CRCs fetched and stored "
      "among it (stage RxMpa)",
      Merge::RATIO}},
    {"RxCrc",
     {"rnic_busy_rx_crc",
      "s",
      "Time for which a CRC engine works (stage RxCrc of the receiving RNICs)",
      Merge::RATIO}},
    {"RxPlace",
     {"rnic_busy_rx_place",
      "s",
      "Time for which an engine that computes addresses and commands copies works (stage RxPlace)",
      Merge::RATIO}},
};

const MetricDeclarations g_stages{[] {
    std::vector<MetricInfo> metrics;
    for (const auto& [stage, metric] : STAGE_METRICS)
    {
        metrics.push_back(metric);
    }
    return metrics;
}()};

const MetricDeclarations g_resources{std::vector<MetricInfo>{
    {"rnic_busy_memory",
     "s",
     "Time for which the way in and out of the reassembly memory is in use",
     Merge::RATIO},
    {"rnic_busy_to_host",
     "s",
     "Time for which the bus towards the receiving host is in use",
     Merge::RATIO},
    {"rnic_busy_from_host",
     "s",
     "Time for which the bus from the receiving host is in use",
     Merge::RATIO},
    {"rnic_busy_cpu",
     "s",
     "Time for which a CPU of the receiving host does an RNIC's work, mean over its CPUs",
     Merge::RATIO},
    {"rnic_cpu_time",
     "s",
     "Time of the receiving hosts' CPUs for an RNIC's work, all CPUs together",
     Merge::SUM},
    {"rnic_octets_to_host",
     "octets",
     "Octets on the bus towards the receiving hosts, headers included, if it has a limit",
     Merge::SUM},
    {"rnic_octets_from_host",
     "octets",
     "Octets on the bus from the receiving hosts, headers included, if it has a limit",
     Merge::SUM},
}};

/// @param part of an RNIC @param name of an attribute that counts @return its value
double
GetCount(const RnicPart& part, const std::string& name)
{
    UintegerValue count;
    part.GetAttribute(name, count);
    return static_cast<double>(count.Get());
}

} // namespace

std::vector<RnicLoad>
ReadRnicLoad(const RnicDatapath& path)
{
    const auto seconds = [](RnicTime time) { return static_cast<double>(time) / RNIC_SECOND; };
    std::vector<RnicLoad> loads;
    for (const auto& [name, metric] : STAGE_METRICS)
    {
        if (const auto stage = DynamicCast<RnicServerStage>(path.Find(name)))
        {
            loads.push_back({metric.name.c_str(),
                             seconds(stage->GetServer().GetBusy()),
                             GetCount(*stage, "Engines")});
        }
    }
    const auto memory = path.Get<RnicReassemblyMemory>("ReassemblyMemory");
    const auto host = path.Get<RnicHostInterface>("HostInterface");
    const auto cpu = path.Get<RnicCpu>("Cpu");
    const auto& to = host->GetToHost();
    const auto& from = host->GetFromHost();
    const double cpuTime = seconds(cpu->GetBusy());
    loads.push_back({"rnic_busy_memory", seconds(memory->GetPort().GetBusy()), 1});
    loads.push_back({"rnic_busy_to_host", seconds(to.GetBusy()), 1});
    loads.push_back({"rnic_busy_from_host", seconds(from.GetBusy()), 1});
    loads.push_back({"rnic_octets_to_host", static_cast<double>(to.GetOctets()), 1});
    loads.push_back({"rnic_octets_from_host", static_cast<double>(from.GetOctets()), 1});
    loads.push_back({"rnic_busy_cpu", cpuTime, GetCount(*cpu, "Cores")});
    loads.push_back({"rnic_cpu_time", cpuTime, 1});
    return loads;
}

} // namespace iwarp
} // namespace ns3
