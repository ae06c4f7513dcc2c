/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "iwarp-queue-watch.h"

#include "iwarp-rank-ledger.h"

#include "ns3/boolean.h"
#include "ns3/callback.h"
#include "ns3/iwarp-network.h"
#include "ns3/log.h"
#include "ns3/node.h"
#include "ns3/point-to-point-net-device.h"
#include "ns3/queue-disc.h"
#include "ns3/queue.h"
#include "ns3/simulator.h"
#include "ns3/traffic-control-layer.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <set>
#include <utility>

namespace ns3
{
namespace iwarp
{

NS_LOG_COMPONENT_DEFINE("QueueWatch");

namespace
{

const MetricDeclarations g_queueMetrics{std::vector<MetricInfo>{
    {"queue_mean",
     "packets",
     "Length of the queue that is the longest on average over time, without the packet being sent",
     MetricMerge::RUN},
    {"queue_p50",
     "packets",
     "Length that the queue of queue_mean does not exceed for half of the time",
     MetricMerge::RUN},
    {"queue_p90", "packets", "As queue_p50, for 90 % of the time", MetricMerge::RUN},
    {"queue_p99", "packets", "As queue_p50, for 99 % of the time", MetricMerge::RUN},
    {"queue_peak", "packets", "Most packets that waited in one queue", MetricMerge::RUN},
    {"queue_drops",
     "packets",
     "Packets that the queues of all links dropped; absent if ns-3 does not tell",
     MetricMerge::SUM},
    {"ecn_marks",
     "packets",
     "Packets that the queues of all links marked (RFC 3168)",
     MetricMerge::SUM},
    {"plain_tcp_queue_mean", "packets", "As queue_mean, for plain TCP", MetricMerge::RUN},
    {"plain_tcp_queue_p50", "packets", "As queue_p50, for plain TCP", MetricMerge::RUN},
    {"plain_tcp_queue_p90", "packets", "As queue_p90, for plain TCP", MetricMerge::RUN},
    {"plain_tcp_queue_p99", "packets", "As queue_p99, for plain TCP", MetricMerge::RUN},
    {"plain_tcp_queue_peak", "packets", "As queue_peak, for plain TCP", MetricMerge::RUN},
    {"plain_tcp_queue_drops", "packets", "As queue_drops, for plain TCP", MetricMerge::SUM},
    {"plain_tcp_ecn_marks", "packets", "As ecn_marks, for plain TCP", MetricMerge::SUM},

}};

/// @param disc queue disc, or nullptr @return it marks packets, or one inside it does
bool
Marks(const Ptr<QueueDisc>& disc)
{
    BooleanValue marking(false);
    bool marks = disc && disc->GetAttributeFailSafe("UseEcn", marking) && marking;
    for (std::size_t i = 0; disc && !marks && i < disc->GetNQueueDiscClasses(); i++)
    {
        marks = Marks(disc->GetQueueDiscClass(i)->GetQueueDisc());
    }
    return marks;
}

} // namespace

QueueWatch::QueueWatch(const IwarpNetwork& network, Time begin)
    : m_begin(begin),
      m_drops(0)
{
    NS_LOG_FUNCTION(this << network.GetNLinks() << begin);
    std::set<Ptr<Node>> nodes; // those with a device that has no queue disc
    for (uint32_t i = 0; i < 2 * network.GetNLinks(); i++)
    {
        const Ptr<NetDevice> device = network.GetLinkDevices(i / 2).Get(i % 2);
        auto meter = Create<Meter>();
        meter->changed = begin;
        m_meters.push_back(meter);
        // traces keep what they call, as queues may empty when all else is gone
        const auto change = MakeCallback(&Meter::Change, meter);
        DynamicCast<PointToPointNetDevice>(device)->GetQueue()->TraceConnectWithoutContext(
            "PacketsInQueue",
            change);
        if (const Ptr<QueueDisc> disc = IwarpNetwork::GetQueueDisc(device))
        {
            const Ptr<QueueWatch> self(this);
            disc->TraceConnectWithoutContext("PacketsInQueue", change);
            disc->TraceConnectWithoutContext("Drop", MakeCallback(&QueueWatch::DropItem, self));
            disc->TraceConnectWithoutContext("Mark", MakeCallback(&QueueWatch::Mark, self));
        }
        else
        {
            nodes.insert(device->GetNode());
        }
    }
    for (const auto& node : nodes)
    { // without a queue disc it is this that drops
        const auto control = node->GetObject<TrafficControlLayer>();
        if (!control->TraceConnectWithoutContext(
                "TcDrop",
                MakeCallback(&QueueWatch::DropPacket, Ptr<QueueWatch>(this))))
        { // ns-3.35 has no trace of it
            m_drops.reset();
        }
    }
}

QueueWatch::~QueueWatch() = default;

void
QueueWatch::Restart()
{
    m_begin = Simulator::Now();
    m_drops = m_drops ? std::optional<uint64_t>(0) : std::nullopt;
    m_marks = 0;
    for (const auto& meter : m_meters)
    {
        meter->changed = m_begin;
        meter->times.clear();
        meter->peak = meter->level;
    }
}

QueueWatch::Figures
QueueWatch::GetFigures() const
{
    Figures figures;
    figures.drops = m_drops;
    figures.marks = m_marks;
    Meter* longest = nullptr;
    double area = -1;
    for (std::size_t i = 0; i < m_meters.size(); i++)
    {
        const auto& meter = m_meters[i];
        meter->Advance();
        figures.peak = std::max(figures.peak, meter->peak);
        const double found = meter->GetArea();
        if (found > area)
        {
            area = found;
            longest = PeekPointer(meter);
            figures.queue = static_cast<uint32_t>(i);
        }
    }
    const auto steps = static_cast<double>((Simulator::Now() - m_begin).GetTimeStep());
    if (longest && steps > 0)
    {
        figures.mean = area / steps;
        figures.median = longest->GetQuantile(0.5);
        figures.p90 = longest->GetQuantile(0.9);
        figures.p99 = longest->GetQuantile(0.99);
    }
    return figures;
}

bool
QueueWatch::HasMarking(const IwarpNetwork& network)
{
    for (uint32_t i = 0; i < 2 * network.GetNLinks(); i++)
    {
        if (Marks(IwarpNetwork::GetQueueDisc(network.GetLinkDevices(i / 2).Get(i % 2))))
        {
            return true;
        }
    }
    return false;
}

void
QueueWatch::Figures::Share(RankLedger& ledger)
{
    const Figures other = ledger.Exchange(*this);
    if (ledger.IsWritten())
    {
        return;
    }
    const bool isLonger = std::pair(-other.mean, other.queue) < std::pair(-mean, queue);
    Figures merged = isLonger ? other : *this;
    merged.drops = drops ? std::optional(*drops + other.drops.value_or(0)) : std::nullopt;
    merged.marks = marks + other.marks;
    merged.peak = std::max(peak, other.peak);
    *this = merged;
}

void
QueueWatch::Share(RankLedger& ledger)
{
    m_shared = m_shared ? m_shared : GetFigures();
    m_shared->Share(ledger);
}

void
QueueWatch::Report(MetricSet& metrics, const Period& period)
{
    const Figures figures = m_shared ? *m_shared : GetFigures();
    metrics.Add(period.prefix + "queue_mean", figures.mean);
    metrics.Add(period.prefix + "queue_p50", figures.median);
    metrics.Add(period.prefix + "queue_p90", figures.p90);
    metrics.Add(period.prefix + "queue_p99", figures.p99);
    metrics.Add(period.prefix + "queue_peak", figures.peak);
    if (figures.drops)
    {
        metrics.Add(period.prefix + "queue_drops", *figures.drops);
    }
    metrics.Add(period.prefix + "ecn_marks", figures.marks);
}

void
QueueWatch::Meter::Change(uint32_t before, uint32_t now)
{
    Advance();
    level += now - before;
    peak = std::max(peak, level);
}

void
QueueWatch::Meter::Advance()
{
    const Time now = Simulator::Now();
    if (now <= changed)
    {
        return; // nothing counts before the time to count begins
    }
    if (level >= times.size())
    {
        times.resize(std::max<std::size_t>(level + 1, 2 * times.size()));
    }
    times[level] += (now - changed).GetTimeStep();
    changed = now;
}

double
QueueWatch::Meter::GetArea() const
{
    double area = 0;
    for (std::size_t packets = 1; packets < times.size(); packets++)
    {
        area += static_cast<double>(packets) * static_cast<double>(times[packets]);
    }
    return area;
}

uint32_t
QueueWatch::Meter::GetQuantile(double share) const
{
    const auto all = static_cast<double>(std::accumulate(times.begin(), times.end(), int64_t{0}));
    int64_t passed = 0;
    for (std::size_t packets = 0; packets < times.size(); packets++)
    {
        passed += times[packets];
        if (static_cast<double>(passed) >= share * all)
        {
            return static_cast<uint32_t>(packets);
        }
    }
    return 0;
}

void
QueueWatch::DropPacket(Ptr<const Packet> /* packet */)
{
    CountDrop();
}

void
QueueWatch::DropItem(Ptr<const QueueDiscItem> /* item */)
{
    CountDrop();
}

void
QueueWatch::CountDrop()
{
    if (m_drops)
    {
        ++*m_drops;
    }
}

void
QueueWatch::Mark(Ptr<const QueueDiscItem> /* item */, const char* /* reason */)
{
    m_marks++;
}

} // namespace iwarp
} // namespace ns3
