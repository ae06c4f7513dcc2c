/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "path-pause.h"

#include "path-framing.h"

#include "ns3/abort.h"
#include "ns3/data-rate.h"
#include "ns3/log.h"
#include "ns3/queue-disc.h"
#include "ns3/simulator.h"
#include "ns3/tag.h"
#include "ns3/traffic-control-layer.h"

#include <algorithm>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("PathPause");

namespace
{

/// Says where a packet counts in a switch.
class PathPauseTag : public Tag
{
  public:
    static TypeId GetTypeId() //!< Get the type ID. @return the object TypeId
    {
        static TypeId tid = TypeId("ns3::PathPauseTag").SetParent<Tag>().SetGroupName("Iwarp");
        return tid;
    }

    TypeId GetInstanceTypeId() const override
    {
        return GetTypeId();
    }

    uint32_t GetSerializedSize() const override
    {
        return sizeof(node) + sizeof(port) + sizeof(priority) + 1;
    }

    void Serialize(TagBuffer buffer) const override
    {
        buffer.WriteU32(node);
        buffer.WriteU32(port);
        buffer.WriteU8(priority);
        buffer.WriteU8(counted ? 1 : 0);
    }

    void Deserialize(TagBuffer buffer) override
    {
        node = buffer.ReadU32();
        port = buffer.ReadU32();
        priority = buffer.ReadU8();
        counted = buffer.ReadU8() != 0;
    }

    void Print(std::ostream& os) const override
    {
        os << "node=" << node << " port=" << port << " priority=" << +priority;
    }

    uint32_t node{0};    //!< id of the switch
    uint32_t port{0};    //!< its port: where it came in, or of the queue where it counts
    uint8_t priority{0}; //!< of that queue
    bool counted{false}; //!< it counts
};

NS_OBJECT_ENSURE_REGISTERED(PathPauseTag);

/// @param octets on a device's link @param device it @return time that they take
Time
GetTime(uint32_t octets, PointToPointNetDevice& device)
{
    DataRateValue rate;
    device.GetAttribute("DataRate", rate);
    return rate.Get().CalculateBytesTxTime(octets);
}

/// @param device on a link with priorities @return its queue disc
Ptr<PathPriorityQueueDisc>
FindDisc(const Ptr<PointToPointNetDevice>& device)
{
    const auto control = device->GetNode()->GetObject<TrafficControlLayer>();
    const auto disc = DynamicCast<PathPriorityQueueDisc>(control->GetRootQueueDiscOnDevice(device));
    NS_ABORT_MSG_UNLESS(disc, "PathPause: both ends of a link need a PathPriorityQueueDisc");
    return disc;
}

} // namespace

PathPause::PathPause(const Ptr<Node>& node, const PathBuffer::Settings& buffer)
    : m_id(node->GetId()),
      m_buffer(buffer)
{
    NS_LOG_FUNCTION(this << node << buffer.size);
}

PathPause::~PathPause() = default;

void
PathPause::AddPort(const Ptr<PointToPointNetDevice>& port,
                   const Ptr<PointToPointNetDevice>& peer,
                   const Thresholds& thresholds,
                   Time delay)
{
    NS_LOG_FUNCTION(this << port << peer << thresholds.xoff << thresholds.xon << delay);
    const auto disc = FindDisc(port);
    const auto count = static_cast<uint8_t>(disc->GetNQueueDiscClasses());
    const auto lossless = static_cast<uint8_t>(thresholds.IsOn() ? thresholds.priorities : 0);
    const uint32_t number = m_buffer.AddPort({count,
                                              lossless,
                                              thresholds.xoff,
                                              thresholds.xon,
                                              thresholds.headroom,
                                              thresholds.inputBuffer});
    m_ports.push_back({PeekPointer(port),
                       FindDisc(peer)->GetGate(),
                       delay + thresholds.response,
                       thresholds.IsOn()});
    disc->SetAdmission(this, number);
    // bound to a Ptr, the callbacks keep this object as long as the device
    const Ptr<PathPause> self(this);
    const std::size_t place = number;
    port->TraceConnectWithoutContext("PhyTxBegin", MakeBoundCallback(&Leave, self, place));
    disc->TraceConnectWithoutContext("Drop", MakeBoundCallback(&DropItem, self));
    if (thresholds.CountsAtInput())
    {
        port->TraceConnectWithoutContext("PhyRxEnd", MakeBoundCallback(&Arrive, self, place));
    }
}

void
PathPause::Arrive(Ptr<PathPause> self, std::size_t port, Ptr<const Packet> packet)
{
    PathPauseTag tag;
    tag.node = self->m_id;
    tag.port = static_cast<uint32_t>(port);
    ConstCast<Packet>(packet)->ReplacePacketTag(tag); // traces of arrival have what goes on up
}

std::optional<uint32_t>
PathPause::FindInput(const Ptr<const Packet>& packet, uint32_t node)
{
    PathPauseTag tag;
    return packet->PeekPacketTag(tag) && tag.node == node ? std::optional(tag.port) : std::nullopt;
}

const char*
PathPause::Admit(uint32_t port, uint8_t priority, const Ptr<Packet>& packet, uint32_t octets)
{
    PathPauseTag tag;
    const bool came = packet->PeekPacketTag(tag) && tag.node == m_id;
    const bool atInput = came && m_buffer.CountsAtInput(tag.port, priority);
    if (!atInput && !m_buffer.IsLimited())
    {
        return nullptr;
    }
    tag.node = m_id;
    tag.port = atInput ? tag.port : port;
    tag.priority = priority;
    const bool paused = m_buffer.WantsPause(tag.port, priority);
    const auto verdict = m_buffer.Add(tag.port, priority, octets);
    if (!paused && m_buffer.WantsPause(tag.port, priority))
    {
        SendPause(tag.port, priority);
    }
    if (verdict == PathBuffer::Verdict::ACCEPTED)
    {
        tag.counted = true;
        packet->ReplacePacketTag(tag);
        return nullptr;
    }
    const bool shared = verdict == PathBuffer::Verdict::NO_SHARED;
    (shared ? m_drops.shared : m_drops.headroom)++;
    return shared ? PathPriorityQueueDisc::NO_SHARED : PathPriorityQueueDisc::NO_HEADROOM;
}

void
PathPause::Release(const Ptr<const Packet>& packet, uint64_t octets)
{
    PathPauseTag tag;
    if (!packet->PeekPacketTag(tag) || tag.node != m_id || !tag.counted)
    {
        return;
    }
    const bool paused = m_buffer.WantsPause(tag.port, tag.priority);
    m_buffer.Remove(tag.port, tag.priority, octets);
    if (paused && !m_buffer.WantsPause(tag.port, tag.priority))
    {
        SendPause(tag.port, tag.priority);
    }
}

void
PathPause::SendPause(uint32_t number, uint8_t priority)
{
    const Port& port = m_ports[number];
    const bool full = m_buffer.WantsPause(number, priority);
    NS_LOG_LOGIC(
        port.device << (full ? " pauses its peer, priority " : " lets its peer go on, priority ")
                    << +priority);
    m_pauses += full ? 1 : 0;
    const Time now = Simulator::Now();
    const Time arrival = std::max(port.busy, now) +
                         GetTime(framing::GetSentOctets(PathFraming::ETHERNET, 0), *port.device) +
                         port.delay;
    const auto act = full ? &PathPauseGate::Pause : &PathPauseGate::GoOn;
    Simulator::Schedule(arrival - now, act, port.gate, priority);
}

void
PathPause::Leave(Ptr<PathPause> self, std::size_t port, Ptr<const Packet> packet)
{
    Port& at = self->m_ports[port];
    const uint32_t datagram = packet->GetSize() - framing::PPP_HEADER;
    if (at.pauses)
    {
        at.busy = Simulator::Now() +
                  GetTime(framing::GetWireOctets(PathFraming::ETHERNET, datagram), *at.device);
    }
    self->Release(packet, datagram);
}

void
PathPause::DropItem(Ptr<PathPause> self, Ptr<const QueueDiscItem> item)
{
    self->Release(item->GetPacket(), item->GetSize());
}

const PathBuffer&
PathPause::GetBuffer() const
{
    return m_buffer;
}

const PathPause::Drops&
PathPause::GetDrops() const
{
    return m_drops;
}

Time
PathPause::GetPaused() const
{
    Time total;
    for (const auto& port : m_ports)
    {
        total += port.pauses ? port.gate->GetTotal() : Time();
    }
    return total;
}

uint64_t
PathPause::CountPauses() const
{
    return m_pauses;
}

} // namespace ns3
