/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rnic-config.h"

#include <sstream>

namespace ns3
{

namespace
{

// @param config figures of a stage @return true if it takes no time
bool
TakesNoTime(const RnicServerConfig& config)
{
    return config.perPacket == 0 && config.perUnit == 0 && config.latency == 0 &&
           config.bitRate > RnicRate::FASTEST;
}

} // namespace

std::string
RnicConfig::Check() const
{
    std::ostringstream fault;
    auto part = [&fault](const char* name, const std::string& what) {
        if (!what.empty())
        {
            fault << name << ": " << what << "\n";
        }
    };
    part("receive MAC", rxMac.Check());
    part("receive TCP", rxTcp.Check());
    part("classification", rxClassify.Check());
    part("receive MPA", rxMpa.Check());
    part("receive CRC", rxCrc.Check());
    part("placement", rxPlace.Check());
    part("transmit schedule", txSchedule.Check());
    part("transmit build", txBuild.Check());
    part("transmit CRC", txCrc.Check());
    part("transmit MAC", txMac.Check());
    part("host interface", host.Check());
    part("reassembly memory", memory.Check());
    constexpr RnicTime longest = 1'000'000'000'000; // a second
    for (RnicTime t : {slowPath, stateFetch, partialCrc, markerSearch, txFlow, cpu.packetTime})
    {
        part("slow path, pace of a connection and CPU",
             t < 0 || t > longest ? "times are 0 to 1 s" : "");
    }
    part("CPU", cpu.cores < 1 || cpu.cores > 1024 ? "1 to 1024 cores are possible" : "");
    part("CPU",
         cpu.copyRate < RnicRate::SLOWEST || cpu.crcRate < RnicRate::SLOWEST
             ? "a rate below 1 kb/s never ends"
             : "");
    part("packet buffer", packetBuffer < 1514 ? "it has to hold a frame of 1514 octets" : "");
    part("context cache", contextEntries > 0 && contextSize < 1 ? "a context has no octets" : "");
    part("translation cache",
         translationEntries > 0 && translationSize < 1 ? "an entry has no octets" : "");
    return fault.str();
}

bool
RnicConfig::IsIdeal() const
{
    for (const auto* stage : {&rxMac,
                              &rxTcp,
                              &rxClassify,
                              &rxMpa,
                              &rxCrc,
                              &rxPlace,
                              &txSchedule,
                              &txBuild,
                              &txCrc,
                              &txMac})
    {
        if (!TakesNoTime(*stage))
        {
            return false;
        }
    }
    const bool cpuFree =
        cpu.packetTime == 0 && cpu.copyRate > RnicRate::FASTEST && cpu.crcRate > RnicRate::FASTEST;
    const bool busFree = host.toHostRate > RnicRate::FASTEST &&
                         host.fromHostRate > RnicRate::FASTEST && host.readLatency == 0 &&
                         host.writeLatency == 0 && host.doorbellLatency == 0 &&
                         host.pollTime == 0 && host.interruptTime == 0 && host.moderation == 0;
    const bool memoryFree = memory.bitRate > RnicRate::FASTEST && memory.latency == 0;
    return cpuFree && busFree && memoryFree && slowPath == 0 && stateFetch == 0 &&
           partialCrc == 0 && markerSearch == 0 && txFlow == 0 && packetBuffer == UINT64_MAX &&
           contextEntries == 0 && translationEntries == 0;
}

} // namespace ns3
