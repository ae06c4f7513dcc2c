/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "iwarp-rnic-collector.h"

#include "iwarp-rank-ledger.h"

#include "ns3/node.h"
#include "ns3/path-ranks.h"
#include "ns3/simulator.h"

#include <algorithm>

namespace ns3
{
namespace iwarp
{
namespace
{

using Merge = MetricMerge;

const MetricDeclarations g_rnicMetrics{std::vector<MetricInfo>{
    {"rnic_memory_peak",
     "octets",
     "Most octets in the reassembly memory of the receiving RNICs at any time",
     Merge::LEVEL},
    {"rnic_memory_p50",
     "octets",
     "Octets there that are not exceeded for half of the time",
     Merge::LEVEL},
    {"rnic_memory_p99", "octets", "As rnic_memory_p50, for 99 % of the time", Merge::LEVEL},
    {"rnic_memory_p999", "octets", "As rnic_memory_p50, for 99.9 % of the time", Merge::LEVEL},
    {"rnic_memory_mean",
     "octets",
     "Octets in the reassembly memory of the receiving RNICs, mean over the time measured",
     Merge::SUM},
    {"rnic_memory_holders_peak",
     "connections",
     "Most connections that hold octets in an RNIC's reassembly memory at one time, added up over "
     "the receiving RNICs",
     Merge::SUM},
    {"rnic_memory_stay_mean",
     "s",
     "How long an octet stays in the reassembly memory, mean",
     Merge::RATIO},
    {"rnic_memory_stay_max",
     "s",
     "Longest time for which a connection held octets in the reassembly memory, up to the end",
     Merge::MAXIMUM},
    {"rnic_octets_dropped",
     "octets",
     "Octets of all segments that the receiving RNICs dropped",
     Merge::SUM},
    {"rnic_packet_buffer_peak",
     "octets",
     "Most octets of frames on their way through an RNIC, added up over the receiving ones",
     Merge::SUM},
    {"rnic_packet_buffer_mean",
     "octets",
     "Octets of frames on their way through the receiving RNICs, mean over the time measured",
     Merge::SUM},
    {"rnic_ip_fragments", "fragments", "IP fragments that came to the receiving RNICs", Merge::SUM},
    {"rnic_ip_fragments_dropped",
     "fragments",
     "Of these, those of datagrams that were not put together",
     Merge::SUM},
    {"rnic_ip_reassembly_peak",
     "octets",
     "Most octets of IP fragments in a receiving RNIC's reassembly",
     Merge::MAXIMUM},
    {"rnic_icmp_sent",
     "messages",
     "ICMP messages of the receiving RNICs about datagrams that they have no room for",
     Merge::SUM},
    {"rnic_receive_delay_mean",
     "s",
     "From a frame's arrival at the RNIC until TCP gets it, mean",
     Merge::SAMPLES},
    {"rnic_receive_delay_p99",
     "s",
     "From a frame's arrival at the RNIC until TCP gets it, 99th percentile",
     Merge::SAMPLES},
    {"rnic_place_delay_mean",
     "s",
     "From TCP until the host sees what a segment brought, mean",
     Merge::SAMPLES},
    {"rnic_place_delay_p99",
     "s",
     "From TCP until the host sees what a segment brought, 99th percentile",
     Merge::SAMPLES},
    {"rnic_context_misses",
     "share",
     "Needs of a connection's context that found it off chip",
     Merge::RATIO},
    {"rnic_translation_misses",
     "share",
     "Needs of a translation entry that found it off chip",
     Merge::RATIO},
    {"rnic_offload_share",
     "share",
     "Octets that hardware beside TCP worked on, of those of records that it follows; told, as all "
     "else of the offload, with receivers of kind Autonomous",
     Merge::RATIO},
    {"rnic_offload_resumed",
     "times",
     "Times that the hardware knew behind a gap where the next record begins",
     Merge::SUM},
    {"rnic_offload_lost",
     "times",
     "Times that the head of a record was lost to the hardware",
     Merge::SUM},
    {"rnic_offload_guesses",
     "times",
     "Times that software was asked whether a record begins where one seems to",
     Merge::SUM},
    {"rnic_offload_rejected", "times", "Of these, times that none did", Merge::SUM},
    {"rnic_offload_broken",
     "times",
     "Times that the hardware gave up by itself what seemed to be a record",
     Merge::SUM},
    {"rnic_offload_searched",
     "octets",
     "Octets that the hardware looked at for the head of a record",
     Merge::SUM},
    {"rnic_offload_absences",
     "times",
     "Times that the hardware stopped to work on a stream, and began again",
     Merge::SUM},
    {"rnic_offload_absent_time",
     "s",
     "From the first segment that it left out until it worked again, mean",
     Merge::RATIO},
    {"rnic_offload_absent_octets",
     "octets",
     "Octets that it left out in such a time, but for those that come late, mean",
     Merge::RATIO},
}};

/// Segments dropped, by Rnic::DropReason
const std::vector<MetricInfo> DROPS{
    {"rnic_drops_packet_buffer", "segments", "Dropped since the packet buffer was full"},
    {"rnic_drops_memory_full",
     "segments",
     "Dropped since connections held all of the reassembly memory"},
    {"rnic_drops_memory_per_connection",
     "segments",
     "Dropped since the connection held all of the reassembly memory that one may"},
    {"rnic_drops_memory_too_small",
     "segments",
     "Dropped though the reassembly memory was empty: not even then was there room"},
};

const MetricDeclarations g_drops{DROPS};

/// @return what each count of RnicOps is
std::vector<MetricInfo>
ListOps()
{
    std::vector<MetricInfo> metrics;
    RnicOps().ForEach([&metrics](const std::string& name, uint64_t /* count */) {
        const bool octets = name == "crc_octets" || name == "cipher_octets" ||
                            name == "placed_ahead" || name.rfind("local_", 0) == 0;
        metrics.push_back({"rnic_op_" + name,
                           octets ? "octets" : "operations",
                           "Operations of the receiving RNICs (RFC 5044 section B.2.1)",
                           Merge::SUM});
    });
    return metrics;
}

const MetricDeclarations g_ops{ListOps()};

} // namespace

RnicCollector::RnicCollector()
    : m_isTakenDown(ranks::IsOn())
{
}

void
RnicCollector::Attach(Ptr<Rnic> rnic)
{
    // bound to a Ptr, the callbacks keep this object as long as the RNIC
    Ptr<RnicCollector> self(this);
    m_rnics.push_back(PeekPointer(rnic));
    rnic->TraceConnectWithoutContext("MemoryHeld", MakeCallback(&RnicCollector::MemoryHeld, self));
    rnic->TraceConnectWithoutContext("Receive", MakeCallback(&RnicCollector::Receive, self));
    rnic->TraceConnectWithoutContext("Placed", MakeCallback(&RnicCollector::Placed, self));
    rnic->TraceConnectWithoutContext("Drop", MakeCallback(&RnicCollector::Drop, self));
}

void
RnicCollector::MemoryHeld(uint64_t before, uint64_t after)
{
    Tell(Event::Kind::HELD, before, after);
}

void
RnicCollector::Tell(Event::Kind kind, uint64_t first, uint64_t second)
{
    const Event event{Simulator::Now().GetTimeStep(), first, second, kind};
    if (m_isTakenDown)
    {
        m_events.push_back(event);
    }
    else
    {
        Handle(event);
    }
}

void
RnicCollector::Handle(const Event& event)
{
    switch (event.kind)
    {
    case Event::Kind::HELD:
        m_held.Change(event.first, event.second, TimeStep(static_cast<uint64_t>(event.time)));
        break;
    case Event::Kind::RECEIVED:
        m_receiveDelay.Add(TimeStep(event.first));
        break;
    case Event::Kind::PLACED:
        m_placeDelay.Add(TimeStep(event.first));
        break;
    }
}

void
RnicCollector::Receive(uint64_t /* flow */, uint32_t /* frame */, Time delay)
{
    Tell(Event::Kind::RECEIVED, static_cast<uint64_t>(delay.GetTimeStep()));
}

void
RnicCollector::Placed(uint64_t /* flow */, uint64_t octets, Time delay, bool /* aligned */)
{
    if (octets > 0)
    {
        Tell(Event::Kind::PLACED, static_cast<uint64_t>(delay.GetTimeStep()));
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
RnicCollector::Begin()
{
}

void
RnicCollector::Restart()
{
    m_held.Restart();
    m_receiveDelay = {};
    m_placeDelay = {};
    m_drops = {};
    m_dropped = {};
    for (Rnic* rnic : m_rnics)
    {
        rnic->RestartStatistics();
    }
    m_loadsBefore.clear();
    for (std::size_t i = 0; i < m_rnics.size(); i++)
    {
        m_loadsBefore.push_back(ReadLoads(i));
    }
}

void
RnicCollector::Report(MetricSet& metrics, const Period& /* period */)
{
    for (const Event& event : m_events)
    {
        Handle(event);
    }
    m_events.clear();
    m_held.Stop();
    metrics.Add("rnic_memory_peak", m_held.GetPeak());
    metrics.Add("rnic_memory_p50", m_held.GetQuantile(0.5));
    metrics.Add("rnic_memory_p99", m_held.GetQuantile(0.99));
    metrics.Add("rnic_memory_p999", m_held.GetQuantile(0.999));
    for (std::size_t i = 0; i < m_rnics.size(); i++)
    {
        const auto found = m_elsewhere.find(i);
        if (found != m_elsewhere.end())
        {
            metrics.Add(found->second);
        }
        else
        {
            ReportOne(i, metrics);
        }
    }
    for (std::size_t i = 0; i < DROPS.size(); i++)
    {
        metrics.Add(DROPS[i].name, m_drops[i]);
        metrics.Add("rnic_octets_dropped", m_dropped[i]);
    }
    metrics.Add("rnic_receive_delay_mean", m_receiveDelay.GetMean());
    metrics.Add("rnic_receive_delay_p99", m_receiveDelay.GetQuantile(0.99));
    metrics.Add("rnic_place_delay_mean", m_placeDelay.GetMean());
    metrics.Add("rnic_place_delay_p99", m_placeDelay.GetQuantile(0.99));
}

void
RnicCollector::Share(RankLedger& ledger)
{
    const auto own = static_cast<std::ptrdiff_t>(m_events.size());
    ledger.Append(m_events);
    std::inplace_merge(m_events.begin(),
                       m_events.begin() + own,
                       m_events.end(),
                       [](const Event& a, const Event& b) { return a.time < b.time; });
    for (std::size_t i = 0; i < m_drops.size(); i++)
    {
        ledger.Sum(m_drops[i]);
        ledger.Sum(m_dropped[i]);
    }
    // each RNIC's are added where one process adds them
    for (std::size_t i = 0; i < m_rnics.size(); i++)
    {
        MetricSet metrics;
        const bool isOwn = ranks::IsOwn(m_rnics[i]->GetObject<Node>());
        if (isOwn && ledger.IsWritten())
        {
            ReportOne(i, metrics);
        }
        if (ledger.Exchange(isOwn))
        {
            metrics.Share(ledger);
            m_elsewhere[i] = metrics;
        }
    }
}

void
RnicCollector::ReportOne(std::size_t index, MetricSet& metrics) const
{
    ReportRnic(m_rnics[index], metrics);
    const auto loads = ReadLoads(index);
    for (std::size_t i = 0; i < loads.size(); i++)
    {
        const double before = m_loadsBefore.empty() ? 0 : m_loadsBefore[index][i].value;
        metrics.Add(loads[i].metric, loads[i].value - before, loads[i].weight);
    }
}

std::vector<RnicLoad>
RnicCollector::ReadLoads(std::size_t index) const
{
    return ReadRnicLoad(m_rnics[index]->GetDatapath());
}

void
RnicCollector::ReportRnic(const Ptr<Rnic>& rnic, MetricSet& metrics)
{
    const RnicTime now = ToRnicTime(Simulator::Now());
    auto& path = rnic->GetDatapath();
    const auto& memory = path.GetMemory();
    const auto taken = static_cast<double>(memory.GetTaken());
    metrics.Add("rnic_memory_mean", memory.GetMean(now));
    metrics.Add("rnic_memory_holders_peak", memory.GetPeakHolders());
    metrics.Add("rnic_memory_stay_mean", memory.GetMeanStay(now) * taken / RNIC_SECOND, taken);
    metrics.Add("rnic_memory_stay_max", static_cast<double>(memory.GetLongest(now)) / RNIC_SECOND);
    metrics.Add("rnic_packet_buffer_peak", path.GetBuffer().GetPeak());
    metrics.Add("rnic_packet_buffer_mean", path.GetBuffer().GetMean(now));
    const auto reassembly = path.Get<RnicIpReassembly>("IpReassembly");
    metrics.Add("rnic_ip_fragments", reassembly->GetFragments());
    metrics.Add("rnic_ip_fragments_dropped", reassembly->GetDropped());
    metrics.Add("rnic_ip_reassembly_peak", reassembly->GetPeak());
    metrics.Add("rnic_icmp_sent", rnic->GetIcmpSent());
    const auto misses = [&metrics](const std::string& name, uint64_t hits, uint64_t misses) {
        metrics.Add(name, misses, static_cast<double>(hits + misses));
    };
    const auto& contexts = path.GetContextCache();
    const auto& translations = path.GetTranslationCache();
    misses("rnic_context_misses", contexts.GetHits(), contexts.GetMisses());
    misses("rnic_translation_misses", translations.GetHits(), translations.GetMisses());
    rnic->GetOps().ForEach([&metrics](const std::string& name, uint64_t count) {
        metrics.Add("rnic_op_" + name, count);
    });
    if (rnic->GetRecordEngine())
    {
        ReportOffload(rnic->GetOffloadCounters(), metrics);
    }
}

void
RnicCollector::ReportOffload(const RnicOffloadCounters& counters, MetricSet& metrics)
{
    const auto ratio = [&metrics](const char* name, double sum, uint64_t of) {
        metrics.Add(name, sum, static_cast<double>(of));
    };
    ratio("rnic_offload_share", counters.offloadedOctets, counters.octets);
    metrics.Add("rnic_offload_resumed", counters.resumed);
    metrics.Add("rnic_offload_lost", counters.lost);
    metrics.Add("rnic_offload_guesses", counters.guesses);
    metrics.Add("rnic_offload_rejected", counters.rejected);
    metrics.Add("rnic_offload_broken", counters.broken);
    metrics.Add("rnic_offload_searched", counters.searched);
    metrics.Add("rnic_offload_absences", counters.absences);
    ratio("rnic_offload_absent_time",
          static_cast<double>(counters.absentTime) / RNIC_SECOND,
          counters.absences);
    ratio("rnic_offload_absent_octets", counters.absentOctets, counters.absences);
}

} // namespace iwarp
} // namespace ns3
