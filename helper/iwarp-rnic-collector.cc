/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "iwarp-rnic-collector.h"

#include "ns3/simulator.h"

#include <algorithm>

namespace ns3
{
namespace iwarp
{

void
RnicCollector::Attach(Ptr<Rnic> rnic)
{
    // bound to a Ptr, the callbacks keep this object as long as the RNIC
    Ptr<RnicCollector> self(this);
    m_rnics.push_back(rnic);
    rnic->TraceConnectWithoutContext("MemoryHeld", MakeCallback(&RnicCollector::MemoryHeld, self));
    rnic->TraceConnectWithoutContext("Receive", MakeCallback(&RnicCollector::Receive, self));
    rnic->TraceConnectWithoutContext("Placed", MakeCallback(&RnicCollector::Placed, self));
    rnic->TraceConnectWithoutContext("Drop", MakeCallback(&RnicCollector::Drop, self));
}

void
RnicCollector::MemoryHeld(uint64_t before, uint64_t after)
{
    m_held.Change(before, after);
}

void
RnicCollector::Receive(uint64_t /* flow */, uint32_t /* frame */, Time delay)
{
    m_receiveDelay.Add(delay);
}

void
RnicCollector::Placed(uint64_t /* flow */, uint64_t octets, Time delay, bool /* aligned */)
{
    if (octets > 0)
    {
        m_placeDelay.Add(delay);
    }
}

void
RnicCollector::Drop(uint64_t /* flow */, uint32_t octets, Rnic::DropReason reason)
{
    const auto index = static_cast<std::size_t>(reason);
    ++m_drops.at(index);
    m_dropped.at(index) += octets;
}

void
RnicCollector::Stop(std::vector<IwarpMetric>& metrics)
{
    const auto add =
        [&metrics](const std::string& name, double value, const char* unit, const char* help) {
            metrics.push_back({name, value, unit, help});
        };
    m_held.Stop();
    const RnicTime now = ToRnicTime(Simulator::Now());
    double mean = 0;
    double bufferMean = 0;
    double stay = 0; // octets times ps
    uint64_t taken = 0;
    uint64_t holders = 0;
    uint64_t bufferPeak = 0;
    RnicTime longest = 0;
    std::array<uint64_t, 4> accesses{}; // hits and misses of contexts, then of translations
    RnicOps ops;
    for (const auto& rnic : m_rnics)
    {
        auto& path = rnic->GetDatapath();
        const auto& memory = path.GetMemory();
        mean += memory.GetMean(now);
        stay += memory.GetMeanStay(now) * static_cast<double>(memory.GetTaken());
        taken += memory.GetTaken();
        holders += memory.GetPeakHolders();
        longest = std::max(longest, memory.GetLongest());
        bufferPeak += path.GetBuffer().GetPeak();
        bufferMean += path.GetBuffer().GetMean(now);
        accesses[0] += path.GetContextCache().GetHits();
        accesses[1] += path.GetContextCache().GetMisses();
        accesses[2] += path.GetTranslationCache().GetHits();
        accesses[3] += path.GetTranslationCache().GetMisses();
        ops += rnic->GetOps();
    }
    const auto share = [](uint64_t part, uint64_t rest) {
        return part + rest > 0 ? static_cast<double>(part) / static_cast<double>(part + rest) : 0;
    };
    constexpr double second = 1e12; // ps

    add("rnic_memory_peak",
        m_held.GetPeak(),
        "octets",
        "Most octets in the reassembly memory of the receiving RNICs at any time");
    add("rnic_memory_p99",
        m_held.GetQuantile(0.99),
        "octets",
        "Octets there that are not exceeded for 99 % of the time");
    add("rnic_memory_mean", mean, "octets", "Octets there, mean over the whole simulation");
    add("rnic_memory_holders_peak",
        holders,
        "connections",
        "Most connections that hold octets there at one time");
    add("rnic_memory_stay_mean",
        taken > 0 ? stay / static_cast<double>(taken) / second : 0,
        "s",
        "How long an octet stays there, mean");
    add("rnic_memory_stay_max",
        static_cast<double>(longest) / second,
        "s",
        "Longest time for which a connection held octets there");
    static const char* const reasons[] = {"packet_buffer",
                                          "memory_full",
                                          "memory_per_connection",
                                          "memory_too_small"};
    static const char* const help[] = {
        "Segments dropped since the packet buffer was full",
        "Segments dropped since connections held all of the reassembly memory",
        "Segments dropped since the connection held all that one may",
        "Segments dropped that not even an empty reassembly memory would take"};
    for (std::size_t i = 0; i < m_drops.size(); i++)
    {
        add(std::string("rnic_drops_") + reasons[i], m_drops[i], "segments", help[i]);
    }
    uint64_t dropped = 0;
    for (uint64_t octets : m_dropped)
    {
        dropped += octets;
    }
    add("rnic_octets_dropped", dropped, "octets", "Octets of all segments that the RNICs dropped");
    add("rnic_packet_buffer_peak",
        bufferPeak,
        "octets",
        "Most octets of frames on their way through the receiving RNICs");
    add("rnic_packet_buffer_mean", bufferMean, "octets", "The same, mean over the simulation");
    add("rnic_receive_delay_mean",
        m_receiveDelay.GetMean(),
        "s",
        "From a frame's arrival at the RNIC until TCP gets it, mean");
    add("rnic_receive_delay_p99", m_receiveDelay.GetQuantile(0.99), "s", "99th percentile of that");
    add("rnic_place_delay_mean",
        m_placeDelay.GetMean(),
        "s",
        "From TCP until the host sees what a segment brought, mean");
    add("rnic_place_delay_p99", m_placeDelay.GetQuantile(0.99), "s", "99th percentile of that");
    add("rnic_context_misses",
        share(accesses[1], accesses[0]),
        "share",
        "Needs of a connection's context that found it off chip");
    add("rnic_translation_misses",
        share(accesses[3], accesses[2]),
        "share",
        "Needs of a translation entry that found it off chip");
    ops.ForEach([&add](const char* name, uint64_t count) {
        const std::string text = name;
        add("rnic_op_" + text,
            count,
            text == "crc_octets" || text == "local_store" ? "octets" : "operations",
            "Operations of the receiving RNICs (RFC 5044 section B.2.1)");
    });
}

} // namespace iwarp
} // namespace ns3
