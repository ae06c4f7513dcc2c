/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "path-impairment.h"

#include "ns3/log.h"
#include "ns3/ns3-compat.h"
#include "ns3/path-payload.h"
#include "ns3/point-to-point-net-device.h"
#include "ns3/pointer.h"
#include "ns3/simulator.h"

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("PathImpairment");
NS_OBJECT_ENSURE_REGISTERED(PathImpairment);

TypeId
PathImpairment::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::PathImpairment")
            .SetParent<ErrorModel>()
            .SetGroupName("Iwarp")
            .AddAttribute("Packets",
                          "Packets that meet it: all, acks, TCP segments without payload, or data, "
                          "all others",
                          iwarp::MakeEnumValue(Packets::ALL),
                          iwarp::MakeEnumAccessor(&PathImpairment::m_packets),
                          iwarp::MakeEnumChecker(Packets::ALL,
                                                 "all",
                                                 Packets::DATA,
                                                 "data",
                                                 Packets::ACKS,
                                                 "acks"));
    return tid;
}

PathImpairment::PathImpairment() = default;
PathImpairment::~PathImpairment() = default;

void
PathImpairment::DoDispose()
{
    NS_LOG_FUNCTION(this);
    m_receive = ReceiveFunction();
    m_previous = nullptr;
    ErrorModel::DoDispose();
}

bool
PathImpairment::Install(Ptr<NetDevice> device)
{
    NS_LOG_FUNCTION(this << device);
    Ptr<PointToPointNetDevice> pointToPoint = DynamicCast<PointToPointNetDevice>(device);
    if (!pointToPoint || CanReceiveLater())
    {
        return false;
    }
    PointerValue previous;
    pointToPoint->GetAttribute("ReceiveErrorModel", previous);
    m_previous = previous.Get<ErrorModel>();
    pointToPoint->SetReceiveErrorModel(this);
    m_receive = MakeCallback(&PointToPointNetDevice::Receive, pointToPoint);
    return true;
}

void
PathImpairment::SetReceiveFunction(ReceiveFunction receive)
{
    NS_LOG_FUNCTION(this);
    m_receive = receive;
}

int64_t
PathImpairment::AssignStreams(int64_t stream)
{
    NS_LOG_FUNCTION(this << stream);
    auto previous = DynamicCast<PathImpairment>(m_previous);
    const int64_t used = previous ? previous->AssignStreams(stream) : 0;
    return used + DoAssignStreams(stream + used);
}

std::string
PathImpairment::GetIdleAttribute() const
{
    return "";
}

bool
PathImpairment::CanReceiveLater() const
{
    return !m_receive.IsNull();
}

bool
PathImpairment::DoCorrupt(Ptr<Packet> packet)
{
    if (m_passing)
    {
        return false;
    }
    return (m_previous && m_previous->IsCorrupt(packet)) ||
           (IsEnabled() && Concerns(packet) && Impair(packet));
}

bool
PathImpairment::Concerns(const Ptr<const Packet>& packet) const
{
    if (m_packets == Packets::ALL)
    {
        return true;
    }
    uint8_t head[PathPayload::HEAD];
    PathPayload at;
    const bool isAck = at.Find(head, packet->CopyData(head, sizeof(head)), packet->GetSize()) &&
                       at.begin == at.end;
    return isAck == (m_packets == Packets::ACKS);
}

void
PathImpairment::DoReset()
{
    if (m_previous)
    {
        m_previous->Reset();
    }
}

void
PathImpairment::ReceiveLater(Ptr<Packet> packet, Time delay)
{
    NS_LOG_FUNCTION(this << packet << delay);
    Simulator::Schedule(delay, &PathImpairment::ReceiveNow, Ptr<PathImpairment>(this), packet);
}

void
PathImpairment::ReceiveNow(Ptr<Packet> packet)
{
    if (CanReceiveLater())
    {
        m_passing = true;
        m_receive(packet);
        m_passing = false;
    }
}

} // namespace ns3
