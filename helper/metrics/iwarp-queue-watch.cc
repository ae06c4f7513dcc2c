/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "iwarp-queue-watch.h"

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
#include <set>

namespace ns3
{
namespace iwarp
{

NS_LOG_COMPONENT_DEFINE("QueueWatch");

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
            BooleanValue marking(false);
            m_marking = (disc->GetAttributeFailSafe("UseEcn", marking) && marking) || m_marking;
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
        meter->area = 0;
        meter->peak = meter->level;
    }
}

QueueWatch::Figures
QueueWatch::GetFigures() const
{
    Figures figures{m_drops, m_marks, 0, 0};
    double area = 0;
    for (const auto& meter : m_meters)
    {
        meter->Advance();
        area = std::max(area, meter->area);
        figures.peak = std::max(figures.peak, meter->peak);
    }
    const double seconds = (Simulator::Now() - m_begin).GetSeconds();
    figures.mean = seconds > 0 ? area / seconds : 0;
    return figures;
}

bool
QueueWatch::HasMarking() const
{
    return m_marking;
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
    area += level * (now - changed).GetSeconds();
    changed = now;
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
