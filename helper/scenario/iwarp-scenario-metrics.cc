/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "iwarp-scenario-run.h"

#include "ns3/rnic-buffer-formulas.h"
#include "ns3/simulator.h"

namespace ns3
{

namespace
{

using Merge = MetricMerge;

const iwarp::MetricDeclarations g_scenarioMetrics{std::vector<MetricInfo>{
    {"duration",
     "s",
     "From the first flow's start, or the end of the warm-up, to the last message's completion; "
     "without a warm-up connecting counts",
     Merge::RUN},
    {"warm_up",
     "s",
     "From the first flow's start until all have carried WarmUp octets",
     Merge::RUN},
    {"goodput", "bit/s", "Payload of complete messages over duration, all flows", Merge::RUN},
    {"goodput_bound",
     "bit/s",
     "Most that links and headers leave to the payload of all flows, in the directions in which "
     "goodput counts it, both with storage",
     Merge::RUN},
    {"segments_sent",
     "segments",
     "TCP segments with payload that the senders sent, the two of startup included",
     Merge::SUM},
    {"octets_on_wire",
     "octets",
     "Octets of the IP datagrams with TCP that both ends sent, acknowledgements included",
     Merge::SUM},
    {"retransmitted_octets", "octets", "Octets of TCP payload sent again", Merge::SUM},
    {"bottleneck_share",
     "share",
     "Share of duration for which the busiest link was sending in one direction, gaps between "
     "frames included",
     Merge::RUN},
    {"cross_goodput",
     "bit/s",
     "Payload of the cross traffic that came over duration, all its flows and directions",
     Merge::RUN},
    {"pause_time",
     "s",
     "For how long ends of links paused, all of them added; told with PfcXoff",
     Merge::SUM},
    {"queue_mean",
     "packets",
     "Length of the queue that is the longest on average over time, without the packet being sent",
     Merge::RUN},
    {"queue_peak", "packets", "Most packets that waited in one queue", Merge::RUN},
    {"queue_drops",
     "packets",
     "Packets that the queues of all links dropped; absent if ns-3 does not tell",
     Merge::SUM},
    {"ecn_marks", "packets", "Packets that the queues of all links marked (RFC 3168)", Merge::SUM},
    {"events", "events", "Events that the simulator ran for the flows", Merge::RUN},
    {"emss", "octets", "Payload of a full segment", Merge::RUN},
    {"round_trip", "s", "Propagation delay there and back on the longest path", Merge::RUN},
    {"buffer_size_tcp", "octets", "BufferSizeTCP of RFC 5044 section B.2 with K = 1", Merge::RUN},
    {"buffer_size_naf",
     "octets",
     "BufferSizeNAF of a receiving RNIC (RFC 5044 section B.2), with K1 = K2 = 1",
     Merge::RUN},
    {"buffer_size_af",
     "octets",
     "BufferSizeAF of a receiving RNIC (RFC 5044 section B.2), with K2 = 1",
     Merge::RUN},
    {"plain_tcp_duration", "s", "As duration, for plain TCP", Merge::RUN},
    {"plain_tcp_goodput", "bit/s", "As goodput, for plain TCP", Merge::RUN},
    {"plain_tcp_segments", "segments", "As segments_sent, for plain TCP", Merge::SUM},
    {"plain_tcp_octets", "octets", "As octets_on_wire, for plain TCP", Merge::SUM},
    {"plain_tcp_retransmitted_octets",
     "octets",
     "As retransmitted_octets, for plain TCP",
     Merge::SUM},
    {"plain_tcp_cross_goodput", "bit/s", "As cross_goodput, beside plain TCP", Merge::RUN},
    {"plain_tcp_pause_time", "s", "As pause_time, for plain TCP", Merge::SUM},
    {"plain_tcp_queue_mean", "packets", "As queue_mean, for plain TCP", Merge::RUN},
    {"plain_tcp_queue_peak", "packets", "As queue_peak, for plain TCP", Merge::RUN},
    {"plain_tcp_queue_drops", "packets", "As queue_drops, for plain TCP", Merge::SUM},
    {"plain_tcp_ecn_marks", "packets", "As ecn_marks, for plain TCP", Merge::SUM},
    {"plain_tcp_events", "events", "As events, for plain TCP", Merge::RUN},
}};

} // namespace

bool
IwarpScenarioRun::Pass::IsComplete() const
{
    return cold == 0 && expected > 0 && received >= expected;
}

double
IwarpScenarioRun::Pass::GetSeconds() const
{
    return (last - begin).GetSeconds();
}

double
IwarpScenarioRun::Pass::GetGoodput() const
{
    const double seconds = GetSeconds();
    return seconds > 0 ? 8.0 * received / seconds : 0;
}

void
IwarpScenarioRun::Report(Pass& pass,
                         const iwarp::ScenarioNetwork& network,
                         IwarpWorkload& workload,
                         iwarp::RnicCollector& rnics)
{
    const auto traffic = network.GetTraffic();
    m_metrics.Add("duration", pass.GetSeconds());
    m_metrics.Add("warm_up", (pass.begin - pass.firstStart).GetSeconds());
    m_metrics.Add("goodput", pass.GetGoodput());
    m_metrics.Add("goodput_bound", network.GetRateBounds(m_parts).GetPayload());
    pass.totals.Report(m_metrics, workload.IsPaced());
    pass.totals.ReportTogether(m_metrics, pass.flows);
    m_metrics.Add("segments_sent", traffic.segments);
    m_metrics.Add("octets_on_wire", traffic.octets);
    m_metrics.Add("retransmitted_octets", traffic.retransmitted);
    m_metrics.Add("round_trip", network.GetRoundTrip().GetSeconds());
    m_metrics.Add("bottleneck_share",
                  pass.GetSeconds() > 0 ? traffic.busiest.GetSeconds() / pass.GetSeconds() : 0);
    ReportPath("", pass, traffic);
    m_metrics.Add("events", Simulator::GetEventCount());
    network.ReportIpsec(m_metrics);
    workload.Finish(m_metrics);
    if (m_parts.GetRnicHelper())
    {
        rnics.Report(m_metrics);
        ReportFormulas(network);
    }
}

void
IwarpScenarioRun::ReportFormulas(const iwarp::ScenarioNetwork& network)
{
    const Time roundTrip = network.GetRoundTrip();
    const uint32_t emss = m_parts.GetEmss();
    const uint32_t connections = network.GetMostFlows();
    const DataRate rate = m_parts.GetTopology()->GetBottleneckRate();
    m_metrics.Add("emss", emss);
    m_metrics.Add("buffer_size_tcp", rnic::BufferSizeTcp(rate, roundTrip, 1));
    m_metrics.Add("buffer_size_naf", rnic::BufferSizeNaf(emss, connections, 1, 1));
    m_metrics.Add("buffer_size_af", rnic::BufferSizeAf(emss, 1));
}

void
IwarpScenarioRun::ReportPlainTcp(const Pass& pass, const iwarp::ScenarioNetwork& network)
{
    const auto traffic = network.GetTraffic();
    m_metrics.Add("plain_tcp_duration", pass.GetSeconds());
    m_metrics.Add("plain_tcp_goodput", pass.GetGoodput());
    m_metrics.Add("plain_tcp_segments", traffic.segments);
    m_metrics.Add("plain_tcp_octets", traffic.octets);
    m_metrics.Add("plain_tcp_retransmitted_octets", traffic.retransmitted);
    ReportPath("plain_tcp_", pass, traffic);
    m_metrics.Add("plain_tcp_events", Simulator::GetEventCount());
}

void
IwarpScenarioRun::ReportPath(const std::string& prefix,
                             const Pass& pass,
                             const iwarp::ScenarioNetwork::Traffic& traffic)
{
    if (m_parameters.GetCrossPairs() > 0)
    {
        m_metrics.Add(prefix + "cross_goodput",
                      pass.GetSeconds() > 0 ? 8.0 * traffic.cross / pass.GetSeconds() : 0);
    }
    if (m_parts.GetTopology()->HasPause())
    {
        m_metrics.Add(prefix + "pause_time", traffic.paused.GetSeconds());
    }
    const auto& queues = traffic.queues;
    m_metrics.Add(prefix + "queue_mean", queues.mean);
    m_metrics.Add(prefix + "queue_peak", queues.peak);
    if (queues.drops)
    {
        m_metrics.Add(prefix + "queue_drops", *queues.drops);
    }
    m_metrics.Add(prefix + "ecn_marks", queues.marks);
}

std::vector<AppMetric>
IwarpScenarioRun::GetMetrics() const
{
    return m_metrics.Get();
}

const std::vector<std::string>&
IwarpScenarioRun::GetCautions() const
{
    return m_cautions;
}

const std::vector<iwarp::RandomStreams::Range>&
IwarpScenarioRun::GetRandomStreams() const
{
    return m_streams;
}

std::string
IwarpScenarioRun::GetReport() const
{
    return m_parts.GetWorkload()->GetReport();
}

} // namespace ns3
