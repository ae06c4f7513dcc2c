/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "iwarp-scenario-run.h"

#include "ns3/rnic-buffer-formulas.h"

#include <algorithm>

namespace ns3
{

double
IwarpScenarioRun::GetSeconds(const Pass& pass) const
{
    return (pass.last - pass.firstStart).GetSeconds();
}

void
IwarpScenarioRun::Add(const std::string& name, double value, const char* unit, const char* help)
{
    m_metrics.push_back({name, value, unit, help});
}

void
IwarpScenarioRun::AddMetrics(const Pass& pass)
{
    const auto& t = pass.totals;
    const double seconds = GetSeconds(pass);
    const auto share = [](uint64_t part, uint64_t whole) {
        return whole > 0 ? static_cast<double>(part) / whole : 0;
    };
    Add("duration", seconds, "s", "From the first flow's start to the last message's completion");
    Add("goodput",
        seconds > 0 ? 8.0 * pass.received / seconds : 0,
        "bit/s",
        "Payload of complete messages over duration, all flows");
    Add("payload_octets", pass.received, "octets", "Payload of complete messages");
    Add("messages", t.messages, "messages", "Messages complete");
    Add("messages_refused", t.refused, "messages", "Messages that found QueueDepth posted");
    Add("header_aligned_share",
        share(t.received.header, t.received.segments),
        "share",
        "Data segments received that begin with an FPDU");
    Add("fpdu_aligned_share",
        share(t.received.fpdu, t.received.segments),
        "share",
        "Data segments received that hold whole FPDUs only");
    Add("header_aligned_share_sent",
        share(t.sent.header, t.sent.segments),
        "share",
        "Data segments sent, again or not, that begin with an FPDU");
    Add("fpdu_aligned_share_sent",
        share(t.sent.fpdu, t.sent.segments),
        "share",
        "Data segments sent, again or not, that hold whole FPDUs only");
    Add("fpdus_sent", t.fpdusSent, "FPDUs", "FPDUs given to TCP");
    Add("fpdus_passed", t.fpdusPassed, "FPDUs", "FPDUs validated and placed");
    Add("fpdus_passed_out_of_order",
        t.fpdusOutOfOrder,
        "FPDUs",
        "FPDUs placed before all that precedes them had come");
    Add("reassembly_peak",
        t.held.GetPeak(),
        "octets",
        "Most octets in reassembly memory at any time, all receivers");
    Add("reassembly_p99",
        t.held.GetQuantile(0.99),
        "octets",
        "Octets in reassembly memory that are not exceeded for 99 % of the time, all receivers");
    Add("segments_dropped",
        t.drops,
        "segments",
        "Segments the receivers dropped, such as for want "
        "of reassembly memory");
    Add("segments_sent",
        pass.traffic.segments,
        "segments",
        "TCP segments with payload that the senders sent");
    Add("octets_on_wire",
        pass.traffic.octets,
        "octets",
        "Octets of the IP datagrams that both ends sent, acknowledgements included");
    Add("retransmitted_octets",
        pass.traffic.retransmitted,
        "octets",
        "Octets of TCP payload sent again");
    Add("placement_wait_mean",
        t.placement.GetMean(),
        "s",
        "From the arrival of an FPDU's last octet to its placement, mean");
    Add("placement_wait_p99", t.placement.GetQuantile(0.99), "s", "The same, 99th percentile");
    Add("placement_wait_max", t.placement.GetMaximum(), "s", "The same, maximum");
    Add("delivery_latency_mean",
        t.delivery.GetMean(),
        "s",
        "From the arrival of an FPDU's last octet to its delivery in order, mean");
    Add("delivery_latency_p99", t.delivery.GetQuantile(0.99), "s", "The same, 99th percentile");
    if (t.completion.GetN() > 0)
    {
        Add("message_time_mean",
            t.completion.GetMean(),
            "s",
            "From the posting of a message to its completion at the receiver, mean");
        Add("message_time_p99", t.completion.GetQuantile(0.99), "s", "The same, 99th percentile");
    }
    Add("content_errors",
        t.contentErrors,
        "octets",
        "Octets of messages that are not as they were sent; told with Backed");
    Add("events", pass.events, "events", "Events that the simulator ran for the flows");
    m_metrics.insert(m_metrics.end(), pass.own.begin(), pass.own.end());
}

uint32_t
IwarpScenarioRun::GetEmss() const
{
    const auto& p = m_parameters;
    return p.mtu - (p.ipv6 ? 40 : 20) - 20 - (p.timestamps ? 12 : 0);
}

void
IwarpScenarioRun::AddFormulas(std::vector<IwarpMetric>& metrics, Time roundTrip) const
{
    const auto& p = m_parameters;
    const uint32_t emss = GetEmss();
    const uint32_t pairs = p.hostPairs > 0 ? p.hostPairs : p.flows;
    const uint32_t connections = (p.flows + pairs - 1) / pairs;
    const DataRate rate = std::min(p.linkRate, p.accessRate);
    metrics.push_back({"emss", double(emss), "octets", "Payload of a full segment"});
    metrics.push_back({"round_trip",
                       roundTrip.GetSeconds(),
                       "s",
                       "Propagation delay there and back on the longest path"});
    metrics.push_back({"buffer_size_tcp",
                       rnic::BufferSizeTcp(rate, roundTrip, 1),
                       "octets",
                       "BufferSizeTCP of RFC 5044 section B.2 with K = 1"});
    metrics.push_back({"buffer_size_naf",
                       rnic::BufferSizeNaf(emss, connections, 1, 1),
                       "octets",
                       "BufferSizeNAF of a receiving RNIC, with K1 = K2 = 1"});
    metrics.push_back({"buffer_size_af",
                       rnic::BufferSizeAf(emss, 1),
                       "octets",
                       "BufferSizeAF of a receiving RNIC, with K2 = 1"});
}

void
IwarpScenarioRun::AddPlainMetrics(const Pass& pass)
{
    const double seconds = GetSeconds(pass);
    Add("plain_tcp_duration", seconds, "s", "As duration, for plain TCP");
    Add("plain_tcp_goodput",
        seconds > 0 ? 8.0 * pass.received / seconds : 0,
        "bit/s",
        "As goodput, for plain TCP");
    Add("plain_tcp_segments", pass.traffic.segments, "segments", "As segments_sent, for plain TCP");
    Add("plain_tcp_octets", pass.traffic.octets, "octets", "As octets_on_wire, for plain TCP");
    Add("plain_tcp_retransmitted_octets",
        pass.traffic.retransmitted,
        "octets",
        "As retransmitted_octets, for plain TCP");
    Add("plain_tcp_events", pass.events, "events", "As events, for plain TCP");
}

} // namespace ns3
