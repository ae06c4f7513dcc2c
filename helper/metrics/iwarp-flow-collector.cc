/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "iwarp-flow-collector.h"

#include "ns3/abort.h"
#include "ns3/boolean.h"
#include "ns3/record-tcp-socket.h"
#include "ns3/simulator.h"

#include <iterator>
#include <utility>

namespace ns3
{
namespace iwarp
{
namespace
{

using Merge = MetricMerge;

const MetricDeclarations g_flowMetrics{std::vector<MetricInfo>{
    {"payload_octets",
     "octets",
     "Payload that came in duration, of complete messages and of those under way",
     Merge::SUM},
    {"messages", "messages", "Messages complete", Merge::SUM},
    {"common_time",
     "s",
     "From when the last flow runs, after WarmUp, until the first ends, or all do; 0 if all never "
     "run at once",
     Merge::RUN},
    {"common_goodput",
     "bit/s",
     "Payload of all flows that came in common_time, over that; not there if that is fewer than "
     "128 segments of each on average",
     Merge::RUN},
    {"common_fairness",
     "ratio",
     "Jain's index of what each flow has of common_goodput: 1 if all have as much, 1 / n if one of "
     "n has all; told of several flows",
     Merge::RUN},
    {"messages_refused", "messages", "Messages that found QueueDepth posted", Merge::SUM},
    {"header_aligned_share",
     "share",
     "Data segments received that begin with an FPDU",
     Merge::RATIO},
    {"fpdu_aligned_share",
     "share",
     "Data segments received that hold whole FPDUs only",
     Merge::RATIO},
    {"header_aligned_share_sent",
     "share",
     "Data segments sent, again or not, that begin with an FPDU",
     Merge::RATIO},
    {"fpdu_aligned_share_sent",
     "share",
     "Data segments sent, again or not, that hold whole FPDUs only",
     Merge::RATIO},
    {"emss_end",
     "octets",
     "Payload of a full segment at the end, mean of the senders",
     Merge::RATIO},
    {"fpdus_sent", "FPDUs", "FPDUs given to TCP", Merge::SUM},
    {"fpdus_passed", "FPDUs", "FPDUs validated and placed", Merge::SUM},
    {"fpdus_passed_out_of_order",
     "FPDUs",
     "FPDUs placed before all that precedes them had come",
     Merge::SUM},
    {"reassembly_peak",
     "octets",
     "Most octets in the reassembly memory of all receivers at any time",
     Merge::LEVEL},
    {"reassembly_p50",
     "octets",
     "Octets there that are not exceeded for half of the time since the first connection",
     Merge::LEVEL},
    {"reassembly_p99", "octets", "As reassembly_p50, for 99 % of the time", Merge::LEVEL},
    {"reassembly_p999", "octets", "As reassembly_p50, for 99.9 % of the time", Merge::LEVEL},
    {"timeouts",
     "timeouts",
     "Times that a sender waited in vain for acknowledgments; of TCP, those in a row for one loss "
     "count once. Told with Intervals, Load and Rack",
     Merge::SUM},
    {"loss_probes",
     "segments",
     "Tail loss probes that the senders sent (RFC 8985 section 7). Told with Rack",
     Merge::SUM},
    {"segments_dropped",
     "segments",
     "Segments the receivers dropped, such as for want of reassembly memory",
     Merge::SUM},
    {"placement_wait_mean",
     "s",
     "From the arrival of an FPDU's last octet to its placement, mean",
     Merge::SAMPLES},
    {"placement_wait_p99",
     "s",
     "From the arrival of an FPDU's last octet to its placement, 99th percentile",
     Merge::SAMPLES},
    {"placement_wait_max",
     "s",
     "From the arrival of an FPDU's last octet to its placement, maximum",
     Merge::SAMPLES},
    {"delivery_latency_mean",
     "s",
     "From the arrival of an FPDU's last octet to its delivery in order, mean",
     Merge::SAMPLES},
    {"delivery_latency_p99",
     "s",
     "From the arrival of an FPDU's last octet to its delivery in order, 99th percentile",
     Merge::SAMPLES},
    {"message_time_mean",
     "s",
     "From the posting of a message to its completion at the receiver, mean",
     Merge::SAMPLES},
    {"message_time_p99",
     "s",
     "From the posting of a message to its completion at the receiver, 99th percentile",
     Merge::SAMPLES},
    {"content_errors",
     "octets",
     "Octets of messages that are not as they were sent; told with Backed",
     Merge::SUM},
}};

constexpr uint64_t HAS_RECORDS = 1;        //!< of FlowEvent::Kind::SENDER
constexpr uint64_t HAS_RACK = 2;           //!< likewise
constexpr uint64_t IN_ORDER = 1ULL << 32U; //!< of FlowEvent::Kind::PASSED

constexpr double LEAST = 128; //!< segments, of which one more at an end of the time is nothing

/// @param before payload placed of each flow @param after the same later @return Jain's index of
/// what came between, (sum x)^2 / (n sum x^2); 1 if nothing did
double
GetFairness(const std::vector<int64_t>& before, const std::vector<int64_t>& after)
{
    double sum = 0;
    double squares = 0;
    for (std::size_t i = 0; i < after.size(); i++)
    {
        const auto octets = static_cast<double>(after[i] - (i < before.size() ? before[i] : 0));
        sum += octets;
        squares += octets * octets;
    }
    return squares > 0 ? sum * sum / (static_cast<double>(after.size()) * squares) : 1;
}

/// Count a segment. @param shares where @param header it begins with a frame @param whole and holds
/// whole ones only
void
CountSegment(FlowTotals::Shares& shares, bool header, bool whole)
{
    shares.segments++;
    shares.header += header;
    shares.whole += whole;
}

/// Count what has no other effect. @param totals where @param event what has happened
void
CountEvent(FlowTotals& totals, const FlowEvent& event)
{
    using Kind = FlowEvent::Kind;
    switch (event.kind)
    {
    case Kind::FRAME_SENT:
        totals.framesSent++;
        break;
    case Kind::SEGMENT_RECEIVED:
        CountSegment(totals.received, event.first != 0, event.second != 0);
        break;
    case Kind::DROPPED:
        totals.drops++;
        break;
    case Kind::SEGMENT_SENT:
        CountSegment(totals.sent, event.first != 0, event.second != 0);
        break;
    case Kind::EMSS:
        totals.emss += event.second;
        totals.emss -= event.first;
        break;
    case Kind::TIMEOUT:
        totals.timeouts++;
        break;
    case Kind::PROBE:
        totals.probes++;
        break;
    default:
        NS_ABORT_MSG("what has happened is of no flow, or has a reason");
    }
}

} // namespace

Time
FlowTotals::GetNow() const
{
    return replayed ? *replayed : Simulator::Now();
}

void
FlowTotals::Restart()
{
    FlowTotals anew;
    anew.held = held;
    anew.held.Restart();
    anew.emss = emss;
    anew.senders = senders;
    anew.loop = loop;
    anew.placedOf = placedOf;
    anew.followed = followed;
    anew.begun = begun;
    anew.rack = rack;
    anew.m_late = m_late;
    anew.replayed = replayed;
    anew.collectors = collectors;
    anew.start = anew.GetMark();
    anew.together = anew.start;
    *this = std::move(anew);
}

void
FlowTotals::Delay(Time delay)
{
    if (journal)
    {
        const auto steps = static_cast<uint64_t>(delay.GetTimeStep());
        journal->Add({Simulator::Now().GetTimeStep(), steps, 0, 0, FlowEvent::Kind::DELAYED});
        return;
    }
    const Time now = GetNow();
    const int64_t octets = placed - std::exchange(m_timed, placed);
    while (!m_late.empty() && m_late.front().time <= now)
    {
        m_late.pop_front();
    }
    if (octets > 0 && delay.IsStrictlyPositive())
    {
        m_late.push_back({now + delay, static_cast<uint64_t>(octets)});
    }
}

FlowTotals::Mark
FlowTotals::GetMark() const
{
    Mark mark{GetNow(), placed, 0, placedOf};
    for (const auto& [time, octets] : m_late)
    {
        mark.late += time > mark.time ? octets : 0;
    }
    mark.octets -= static_cast<int64_t>(mark.late);
    return mark;
}

uint64_t
FlowTotals::CountPayload() const
{
    return static_cast<uint64_t>(GetMark().octets - start.octets);
}

void
FlowTotals::ReportCommon(MetricSet& metrics, const Mark& end, double edge) const
{
    const Mark& last = apart.time.IsNegative() ? end : apart;
    const bool all = !together.time.IsNegative() && last.time > together.time;
    const double common = all ? (last.time - together.time).GetSeconds() : 0;
    metrics.Add("common_time", common);
    if (common > 0 && last.octets - together.octets >= LEAST * edge)
    {
        metrics.Add("common_goodput", 8.0 * (last.octets - together.octets) / common);
        if (placedOf.size() > 1)
        {
            metrics.Add("common_fairness", GetFairness(together.flows, last.flows));
        }
    }
}

void
FlowTotals::Report(MetricSet& metrics, bool paced, double edge)
{
    const Mark end = GetMark();
    held.Stop(GetNow());
    metrics.Add("payload_octets", CountPayload());
    metrics.Add("messages", messages);
    if (!loop)
    {
        ReportCommon(metrics, end, edge);
    }
    metrics.Add("messages_refused", 0); // workloads add theirs
    metrics.Add("header_aligned_share", received.header, received.segments);
    metrics.Add("fpdu_aligned_share", received.whole, received.segments);
    metrics.Add("header_aligned_share_sent", sent.header, sent.segments);
    metrics.Add("fpdu_aligned_share_sent", sent.whole, sent.segments);
    metrics.Add("emss_end", emss, senders);
    metrics.Add("fpdus_sent", framesSent);
    metrics.Add("fpdus_passed", framesPassed);
    metrics.Add("fpdus_passed_out_of_order", framesOutOfOrder);
    metrics.Add("reassembly_peak", held.GetPeak());
    metrics.Add("reassembly_p50", held.GetQuantile(0.5));
    metrics.Add("reassembly_p99", held.GetQuantile(0.99));
    metrics.Add("reassembly_p999", held.GetQuantile(0.999));
    metrics.Add("segments_dropped", drops);
    metrics.Add("placement_wait_mean", placement.GetMean());
    metrics.Add("placement_wait_p99", placement.GetQuantile(0.99));
    metrics.Add("placement_wait_max", placement.GetMaximum());
    metrics.Add("delivery_latency_mean", delivery.GetMean());
    metrics.Add("delivery_latency_p99", delivery.GetQuantile(0.99));
    if (completion.GetN() > 0)
    {
        metrics.Add("message_time_mean", completion.GetMean());
        metrics.Add("message_time_p99", completion.GetQuantile(0.99));
    }
    if (paced || rack)
    {
        metrics.Add("timeouts", timeouts); // workloads without TCP add theirs
    }
    if (rack)
    {
        metrics.Add("loss_probes", probes);
    }
    slowdown.Report(metrics);
    metrics.Add("content_errors", 0); // workloads add theirs
}

FlowCollector::FlowCollector(const FlowListener& listener)
    : m_listener(listener),
      m_flow(listener.flow.value_or(listener.totals->placedOf.size())),
      m_totals(*listener.totals)
{
    m_totals.placedOf.resize(std::max(m_totals.placedOf.size(), m_flow + 1));
    m_totals.followed++;
    if (m_totals.journal)
    {
        m_totals.collectors.push_back(this);
    }
}

void
FlowCollector::Tell(FlowEvent::Kind kind, uint64_t first, uint64_t second)
{
    const FlowEvent event{m_totals.GetNow().GetTimeStep(),
                          first,
                          second,
                          static_cast<uint32_t>(m_flow),
                          kind};
    if (m_totals.journal)
    {
        m_totals.journal->Add(event);
    }
    else
    {
        Handle(event);
    }
}

void
FlowCollector::Handle(const FlowEvent& event)
{
    using Kind = FlowEvent::Kind;
    switch (event.kind)
    {
    case Kind::SENDER:
        HandleSender(event.first, event.second);
        break;
    case Kind::POSTED:
        HandlePosted();
        break;
    case Kind::COMPLETED:
        HandleCompleted(event.first, event.second);
        break;
    case Kind::PLACED:
        HandlePlaced(event.first);
        break;
    case Kind::EXPECTED:
        m_expected += event.first;
        HandlePlaced(event.first);
        break;
    case Kind::SETTLED:
        HandleSettled();
        break;
    case Kind::READY:
        m_totals.held.Change(0, 0, m_totals.GetNow());
        break;
    case Kind::PASSED:
        HandlePassed(static_cast<uint32_t>(event.first),
                     (event.first & IN_ORDER) != 0,
                     TimeStep(event.second));
        break;
    case Kind::DELIVERED:
        HandleDelivered(event.first);
        break;
    case Kind::HELD:
        m_totals.held.Change(event.first, event.second, m_totals.GetNow());
        break;
    default:
        CountEvent(m_totals, event);
        break;
    }
}

void
FlowCollector::Begin()
{
    if (!std::exchange(m_begun, true) && ++m_totals.begun == m_totals.followed)
    {
        m_totals.together = m_totals.GetMark();
    }
}

void
FlowCollector::WatchSocket(Ptr<Socket> socket)
{
    // bound to a Ptr, the callbacks keep this object as long as what they watch
    Ptr<FlowCollector> self(this);
    if (m_listener.watcher)
    {
        m_listener.watcher->Begin(m_flow, socket);
    }
    BooleanValue rack(false); // of TCP that has it
    socket->GetAttributeFailSafe("Rack", rack);
    const auto records = DynamicCast<RecordTcpSocket>(socket);
    Tell(FlowEvent::Kind::SENDER,
         records ? records->GetEmss() : 0,
         (records ? HAS_RECORDS : 0) + (rack.Get() ? HAS_RACK : 0));
    if (rack.Get())
    {
        socket->TraceConnectWithoutContext("LossProbe",
                                           MakeCallback(&FlowCollector::ProbeSent, self));
    }
    if (m_listener.path || rack.Get())
    {
        socket->TraceConnectWithoutContext("CongState",
                                           MakeCallback(&FlowCollector::StateChanged, self));
    }
    if (records)
    {
        socket->TraceConnectWithoutContext("Emss", MakeCallback(&FlowCollector::EmssChanged, self));
        socket->TraceConnectWithoutContext("SegmentSent",
                                           MakeCallback(&FlowCollector::SegmentSent, self));
    }
}

void
FlowCollector::HandleSender(uint64_t emss, uint64_t kind)
{
    Begin();
    m_totals.rack = m_totals.rack || (kind & HAS_RACK) != 0;
    m_totals.emss += emss;
    m_totals.senders += kind & HAS_RECORDS;
}

void
FlowCollector::Posted()
{
    Tell(FlowEvent::Kind::POSTED);
}

void
FlowCollector::HandlePosted()
{
    Begin();
    m_posted.push_back(m_totals.GetNow());
}

void
FlowCollector::Completed(uint64_t size, uint64_t count)
{
    Tell(FlowEvent::Kind::COMPLETED, size, count);
}

void
FlowCollector::HandleCompleted(uint64_t size, uint64_t count)
{
    const Time now = m_totals.GetNow();
    // what began before the time that counts would come on top of what can pass in it
    const Time began = m_posted.empty() ? m_completed : std::max(m_completed, m_posted.front());
    if (began >= m_totals.start.time)
    {
        m_totals.messages += count;
        m_totals.lastMessage = now;
        if (!m_posted.empty())
        {
            const Time taken = now - m_posted.front();
            m_totals.completion.Add(taken);
            if (m_listener.path)
            {
                m_totals.slowdown.Add(size, taken, m_listener.path->GetTime(size));
            }
        }
        m_listener.message(size);
    }
    if (!m_posted.empty())
    {
        m_posted.pop_front();
    }
    m_completed = now;
    const bool cold = m_octets < m_listener.warmUp;
    m_octets += size;
    if (cold && m_octets >= m_listener.warmUp)
    {
        m_listener.warm();
    }
    if (m_listener.octets > 0 && m_octets >= m_listener.octets && m_totals.apart.time.IsNegative())
    {
        m_totals.apart = m_totals.GetMark();
    }
}

void
FlowCollector::Failed(const std::string& reason)
{
    if (m_totals.journal)
    {
        Tell(FlowEvent::Kind::FAILED, m_totals.journal->Keep(reason));
    }
    else
    {
        m_listener.failure(reason);
    }
}

void
FlowCollector::SegmentSent(SequenceNumber32 /* seq */,
                           uint32_t /* size */,
                           bool header,
                           bool record,
                           bool /* again */)
{
    Tell(FlowEvent::Kind::SEGMENT_SENT, header, record);
}

void
FlowCollector::EmssChanged(uint32_t before, uint32_t now)
{
    Tell(FlowEvent::Kind::EMSS, before, now);
}

void
FlowCollector::StateChanged(TcpSocketState::TcpCongState_t /* before */,
                            TcpSocketState::TcpCongState_t now)
{
    if (now == TcpSocketState::CA_LOSS)
    {
        Tell(FlowEvent::Kind::TIMEOUT);
    }
}

void
FlowCollector::ProbeSent(SequenceNumber32 /* seq */, uint32_t /* size */, bool /* again */)
{
    Tell(FlowEvent::Kind::PROBE);
}

void
FlowCollector::Placed(uint64_t octets)
{
    Tell(FlowEvent::Kind::PLACED, octets);
}

void
FlowCollector::HandlePlaced(uint64_t octets)
{
    Count(static_cast<int64_t>(octets));
}

void
FlowCollector::Count(int64_t octets)
{
    m_totals.placed += octets;
    m_totals.placedOf[m_flow] += octets;
    if (m_listener.watcher)
    {
        m_listener.watcher->Count(m_flow, octets);
    }
}

void
FlowCollector::Expect(uint64_t octets)
{
    Tell(FlowEvent::Kind::EXPECTED, octets);
}

void
FlowCollector::Settle()
{
    Tell(FlowEvent::Kind::SETTLED);
}

void
FlowCollector::HandleSettled()
{
    // what came before a restart counts then as payload of before it
    Count(-static_cast<int64_t>(std::exchange(m_expected, 0)));
}

void
FlowCollector::FrameSent()
{
    Tell(FlowEvent::Kind::FRAME_SENT);
}

void
FlowCollector::ReceiverReady()
{
    Tell(FlowEvent::Kind::READY);
}

void
FlowCollector::SegmentReceived(bool header, bool whole)
{
    Tell(FlowEvent::Kind::SEGMENT_RECEIVED, header, whole);
}

void
FlowCollector::SegmentDropped()
{
    Tell(FlowEvent::Kind::DROPPED);
}

void
FlowCollector::FramePassed(uint32_t seq, bool inOrder, Time wait)
{
    Tell(FlowEvent::Kind::PASSED,
         seq + (inOrder ? IN_ORDER : 0),
         static_cast<uint64_t>(wait.GetTimeStep()));
}

void
FlowCollector::HandlePassed(uint32_t seq, bool inOrder, Time wait)
{
    m_totals.framesPassed++;
    m_totals.framesOutOfOrder += !inOrder;
    m_totals.placement.Add(wait);
    const auto before = [seq](const Passed& passed) {
        return static_cast<int32_t>(passed.seq - seq) < 0;
    };
    auto at = m_undelivered.end();
    while (at != m_undelivered.begin() && !before(*std::prev(at)))
    {
        --at;
    }
    m_undelivered.insert(at, {seq, m_totals.GetNow() - wait});
}

void
FlowCollector::FramesDelivered(uint32_t count)
{
    Tell(FlowEvent::Kind::DELIVERED, count);
}

void
FlowCollector::HandleDelivered(uint64_t count)
{
    for (; count > 0 && !m_undelivered.empty(); count--)
    {
        m_totals.delivery.Add(m_totals.GetNow() - m_undelivered.front().arrival);
        m_undelivered.pop_front();
    }
}

void
FlowCollector::MemoryHeld(uint64_t before, uint64_t after)
{
    Tell(FlowEvent::Kind::HELD, before, after);
}

} // namespace iwarp
} // namespace ns3
