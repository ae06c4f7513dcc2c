/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "path-middlebox.h"

#include "ns3/abort.h"
#include "ns3/log.h"
#include "ns3/node.h"

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("PathMiddlebox");
NS_OBJECT_ENSURE_REGISTERED(PathMiddlebox);

TypeId
PathMiddlebox::GetTypeId()
{
    static TypeId tid = TypeId("ns3::PathMiddlebox").SetParent<Object>().SetGroupName("Iwarp");
    return tid;
}

PathMiddlebox::PathMiddlebox() = default;
PathMiddlebox::~PathMiddlebox() = default;

void
PathMiddlebox::DoDispose()
{
    NS_LOG_FUNCTION(this);
    m_a = nullptr;
    m_b = nullptr;
    Object::DoDispose();
}

void
PathMiddlebox::Install(Ptr<NetDevice> a, Ptr<NetDevice> b)
{
    NS_LOG_FUNCTION(this << a << b);
    NS_ABORT_MSG_IF(m_a || a == b || a->GetNode() != b->GetNode(),
                    "PathMiddlebox::Install: once, with two devices of one node");
    m_a = a;
    m_b = b;
    Ptr<Node> node = a->GetNode();
    node->AggregateObject(this);
    for (const auto& port : {a, b})
    {
        node->RegisterProtocolHandler(MakeCallback(&PathMiddlebox::Receive, this), 0, port);
    }
}

int64_t
PathMiddlebox::AssignStreams(int64_t /* stream */)
{
    return 0;
}

void
PathMiddlebox::Receive(Ptr<NetDevice> device,
                       Ptr<const Packet> packet,
                       uint16_t protocol,
                       const Address& /* from */,
                       const Address& /* to */,
                       NetDevice::PacketType /* type */)
{
    NS_LOG_FUNCTION(this << device << packet << protocol);
    Pass(packet->Copy(), protocol, device == m_a ? PathDirection::A_TO_B : PathDirection::B_TO_A);
}

bool
PathMiddlebox::Forward(Ptr<Packet> packet, uint16_t protocol, PathDirection direction)
{
    NS_LOG_FUNCTION(this << packet << protocol);
    const auto& port = direction == PathDirection::A_TO_B ? m_b : m_a;
    return port->Send(packet, port->GetBroadcast(), protocol);
}

} // namespace ns3
