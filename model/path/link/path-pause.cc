/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "path-pause.h"

#include "path-framing.h"

#include "ns3/abort.h"
#include "ns3/data-rate.h"
#include "ns3/ipv4-l3-protocol.h"
#include "ns3/ipv6-l3-protocol.h"
#include "ns3/log.h"
#include "ns3/net-device-queue-interface.h"
#include "ns3/queue-disc.h"
#include "ns3/queue-limits.h"
#include "ns3/simulator.h"
#include "ns3/tag.h"
#include "ns3/traffic-control-layer.h"

#include <algorithm>
#include <limits>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("PathPause");

/// Stops the queue disc of a device while it is told to pause.
class PathPauseGate : public QueueLimits
{
  public:
    static TypeId GetTypeId() //!< Get the type ID. @return the object TypeId
    {
        static TypeId tid =
            TypeId("ns3::PathPauseGate").SetParent<QueueLimits>().SetGroupName("Iwarp");
        return tid;
    }

    void SetQueue(
        const Ptr<NetDeviceQueue>& queue) //!< @param queue of the device, which keeps this
    {
        m_queue = PeekPointer(queue);
        queue->SetQueueLimits(this);
    }

    void Pause() //!< a pause frame has come
    {
        m_paused = true;
        m_since = Simulator::Now();
        m_queue->NotifyQueuedBytes(0);
    }

    void GoOn() //!< another that ends it has
    {
        m_total = GetTotal();
        m_paused = false;
        m_queue->NotifyTransmittedBytes(1);
    }

    Time GetTotal() const //!< @return time that it has paused
    {
        return m_total + (m_paused ? Simulator::Now() - m_since : Time());
    }

    void Reset() override
    {
    }

    void Completed(uint32_t /* count */) override
    {
    }

    int32_t Available() const override
    {
        return m_paused ? -1 : std::numeric_limits<int32_t>::max();
    }

    void Queued(uint32_t /* count */) override
    {
    }

  private:
    NetDeviceQueue* m_queue{nullptr}; //!< of the device
    bool m_paused{false};             //!< now
    Time m_since;                     //!< when it was told to
    Time m_total;                     //!< time paused before
};

NS_OBJECT_ENSURE_REGISTERED(PathPauseGate);

namespace
{

/// Says where a packet came into a switch.
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
        return sizeof(node) + sizeof(port);
    }

    void Serialize(TagBuffer buffer) const override
    {
        buffer.WriteU32(node);
        buffer.WriteU32(port);
    }

    void Deserialize(TagBuffer buffer) override
    {
        node = buffer.ReadU32();
        port = buffer.ReadU32();
    }

    void Print(std::ostream& os) const override
    {
        os << "node=" << node << " port=" << port;
    }

    uint32_t node{0}; //!< id of the switch
    uint32_t port{0}; //!< its port
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

} // namespace

PathPause::PathPause(const Ptr<Node>& node)
    : m_id(node->GetId())
{
    NS_LOG_FUNCTION(this << node);
    // bound to a Ptr, the callbacks keep this object as long as the node
    const Ptr<PathPause> self(this);
    if (auto ip = node->GetObject<Ipv4L3Protocol>())
    {
        using Drop = decltype(&DropIp<Ipv4Header, Ipv4L3Protocol::DropReason, Ipv4>);
        const Drop drop = &DropIp<Ipv4Header, Ipv4L3Protocol::DropReason, Ipv4>;
        ip->TraceConnectWithoutContext("Drop", MakeBoundCallback(drop, self));
    }
    if (auto ip = node->GetObject<Ipv6L3Protocol>())
    {
        using Drop = decltype(&DropIp<Ipv6Header, Ipv6L3Protocol::DropReason, Ipv6>);
        const Drop drop = &DropIp<Ipv6Header, Ipv6L3Protocol::DropReason, Ipv6>;
        ip->TraceConnectWithoutContext("Drop", MakeBoundCallback(drop, self));
    }
}

PathPause::~PathPause() = default;

void
PathPause::AddPort(const Ptr<PointToPointNetDevice>& port,
                   const Ptr<PointToPointNetDevice>& peer,
                   const Thresholds& thresholds,
                   Time delay)
{
    NS_LOG_FUNCTION(this << port << peer << thresholds.xoff << thresholds.xon << delay);
    const Ptr<PathPause> self(this);
    const std::size_t number = m_ports.size();
    m_ports.push_back({PeekPointer(port), nullptr, thresholds, delay});
    port->TraceConnectWithoutContext("PhyTxBegin", MakeBoundCallback(&Leave, self, number));
    if (const auto disc =
            port->GetNode()->GetObject<TrafficControlLayer>()->GetRootQueueDiscOnDevice(port))
    {
        disc->TraceConnectWithoutContext("Drop", MakeBoundCallback(&DropItem, self));
    }
    if (thresholds.xoff > 0)
    {
        const auto queues = peer->GetObject<NetDeviceQueueInterface>();
        NS_ABORT_MSG_UNLESS(queues, "PathPause: the peer has no flow control");
        m_ports.back().gate = CreateObject<PathPauseGate>();
        m_ports.back().gate->SetQueue(queues->GetTxQueue(0));
        port->TraceConnectWithoutContext("PhyRxEnd", MakeBoundCallback(&Arrive, self, number));
    }
}

void
PathPause::Arrive(Ptr<PathPause> self, std::size_t port, Ptr<const Packet> packet)
{
    const uint32_t octets = packet->GetSize() - framing::PPP_HEADER;
    PathPauseTag tag;
    tag.node = self->m_id;
    tag.port = static_cast<uint32_t>(port);
    ConstCast<Packet>(packet)->ReplacePacketTag(tag); // traces of arrival have what goes on up
    Port& at = self->m_ports[port];
    at.held += octets;
    self->m_peak = std::max(self->m_peak, at.held);
    if (!at.full && at.held > at.thresholds.xoff)
    {
        at.full = true;
        self->SendPause(at);
    }
}

void
PathPause::Release(const Ptr<const Packet>& packet, uint64_t octets)
{
    PathPauseTag tag;
    if (!packet->PeekPacketTag(tag) || tag.node != m_id)
    {
        return; // the switch's own, or of a port that does not count
    }
    Port& at = m_ports[tag.port];
    at.held -= std::min(at.held, octets); // fragments have a header each
    if (at.full && at.held <= at.thresholds.xon)
    {
        at.full = false;
        SendPause(at);
    }
}

void
PathPause::SendPause(Port& port)
{
    NS_LOG_LOGIC(port.device << (port.full ? " pauses its peer" : " lets its peer go on"));
    const Time now = Simulator::Now();
    const Time arrival = std::max(port.busy, now) +
                         GetTime(framing::GetSentOctets(PathFraming::ETHERNET, 0), *port.device) +
                         port.delay;
    const auto act = port.full ? &PathPauseGate::Pause : &PathPauseGate::GoOn;
    Simulator::Schedule(arrival - now, act, port.gate);
}

void
PathPause::Leave(Ptr<PathPause> self, std::size_t port, Ptr<const Packet> packet)
{
    Port& at = self->m_ports[port];
    const uint32_t datagram = packet->GetSize() - framing::PPP_HEADER;
    at.busy = Simulator::Now() +
              GetTime(framing::GetWireOctets(PathFraming::ETHERNET, datagram), *at.device);
    self->Release(packet, datagram);
}

void
PathPause::DropItem(Ptr<PathPause> self, Ptr<const QueueDiscItem> item)
{
    self->Release(item->GetPacket(), item->GetSize());
}

template <typename H, typename R, typename I>
void
PathPause::DropIp(Ptr<PathPause> self,
                  const H& header,
                  Ptr<const Packet> packet,
                  R /* reason */,
                  Ptr<I> /* ip */,
                  uint32_t /* interface */)
{
    self->Release(packet, packet->GetSize() + header.GetSerializedSize());
}

Time
PathPause::GetPaused() const
{
    Time total;
    for (const auto& port : m_ports)
    {
        total += port.gate ? port.gate->GetTotal() : Time();
    }
    return total;
}

uint64_t
PathPause::GetPeak() const
{
    return m_peak;
}

} // namespace ns3
