/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "path-middlebox.h"

#include "ns3/abort.h"
#include "ns3/log.h"
#include "ns3/node.h"
#include "ns3/tag.h"
#include "ns3/type-id.h"

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("PathMiddlebox");
NS_OBJECT_ENSURE_REGISTERED(PathMiddlebox);

namespace
{

/// Keeps the link-layer addresses with which a packet came.
class PathFrameTag : public Tag
{
  public:
    /// @return the tag's type
    static TypeId GetTypeId()
    {
        static TypeId tid = TypeId("ns3::PathFrameTag")
                                .SetParent<Tag>()
                                .SetGroupName("Iwarp")
                                .AddConstructor<PathFrameTag>();
        return tid;
    }

    TypeId GetInstanceTypeId() const override
    {
        return GetTypeId();
    }

    uint32_t GetSerializedSize() const override
    {
        return m_from.GetSerializedSize() + m_to.GetSerializedSize();
    }

    // Address::Serialize() takes a buffer by its value, and so leaves ours where it is
    void Serialize(TagBuffer buffer) const override
    {
        for (const Address& address : {m_from, m_to})
        {
            uint8_t octets[Address::MAX_SIZE + 2]; // type and length first
            buffer.Write(octets, address.CopyAllTo(octets, sizeof(octets)));
        }
    }

    void Deserialize(TagBuffer buffer) override
    {
        for (Address* address : {&m_from, &m_to})
        {
            uint8_t octets[Address::MAX_SIZE + 2];
            buffer.Read(octets, 2);
            buffer.Read(octets + 2, octets[1]);
            address->CopyAllFrom(octets, octets[1] + 2);
        }
    }

    void Print(std::ostream& os) const override
    {
        os << m_from << " to " << m_to;
    }

    Address m_from; //!< source
    Address m_to;   //!< destination
};

NS_OBJECT_ENSURE_REGISTERED(PathFrameTag);

} // namespace

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
        NS_ABORT_MSG_UNLESS(port->SupportsSendFrom() || port->IsPointToPoint(),
                            "PathMiddlebox::Install: a port that is not point-to-point has to "
                            "support SendFrom()");
        node->RegisterProtocolHandler(MakeCallback(&PathMiddlebox::Receive, this), 0, port, true);
    }
}

int64_t
PathMiddlebox::AssignStreams(int64_t /* stream */)
{
    return 0;
}

std::string
PathMiddlebox::GetIdleAttribute() const
{
    return "";
}

void
PathMiddlebox::Receive(Ptr<NetDevice> device,
                       Ptr<const Packet> packet,
                       uint16_t protocol,
                       const Address& from,
                       const Address& to,
                       NetDevice::PacketType /* type */)
{
    NS_LOG_FUNCTION(this << device << packet << protocol);
    const auto direction = device == m_a ? PathDirection::A_TO_B : PathDirection::B_TO_A;
    Ptr<Packet> copy = packet->Copy();
    if (GetPort(direction)->SupportsSendFrom())
    {
        PathFrameTag tag;
        tag.m_from = from;
        tag.m_to = to;
        copy->AddPacketTag(tag);
    }
    Pass(copy, protocol, direction);
}

bool
PathMiddlebox::Forward(Ptr<Packet> packet, uint16_t protocol, PathDirection direction)
{
    NS_LOG_FUNCTION(this << packet << protocol);
    const auto& port = GetPort(direction);
    PathFrameTag tag;
    if (port->SupportsSendFrom() && packet->RemovePacketTag(tag))
    {
        return port->SendFrom(packet, tag.m_from, tag.m_to, protocol);
    }
    return port->Send(packet, port->GetBroadcast(), protocol);
}

uint16_t
PathMiddlebox::GetMtu(PathDirection direction) const
{
    return GetPort(direction)->GetMtu();
}

const Ptr<NetDevice>&
PathMiddlebox::GetPort(PathDirection direction) const
{
    return direction == PathDirection::A_TO_B ? m_b : m_a;
}

} // namespace ns3
