/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rnic-protocol.h"

#include "rnic.h"

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(RnicProtocol);

TypeId
RnicProtocol::GetTypeId()
{
    static TypeId tid = TypeId("ns3::RnicProtocol")
                            .SetParent<IpL4Protocol>()
                            .SetGroupName("Iwarp")
                            .AddConstructor<RnicProtocol>();
    return tid;
}

void
RnicProtocol::SetRnic(Ptr<Rnic> rnic)
{
    m_rnic = rnic;
}

int
RnicProtocol::GetProtocolNumber() const
{
    return 6; // TCP
}

IpL4Protocol::RxStatus
RnicProtocol::Receive(Ptr<Packet> packet, const Ipv4Header& header, Ptr<Ipv4Interface> interface)
{
    return m_rnic->Receive(packet, header, interface);
}

IpL4Protocol::RxStatus
RnicProtocol::Receive(Ptr<Packet> packet, const Ipv6Header& header, Ptr<Ipv6Interface> interface)
{
    return m_rnic->Receive(packet, header, interface);
}

void
RnicProtocol::ReceiveIcmp(Ipv4Address source,
                          uint8_t ttl,
                          uint8_t type,
                          uint8_t code,
                          uint32_t info,
                          Ipv4Address payloadSource,
                          Ipv4Address payloadDestination,
                          const uint8_t payload[8])
{
    m_rnic->ReceiveIcmp(source, ttl, type, code, info, payloadSource, payloadDestination, payload);
}

void
RnicProtocol::ReceiveIcmp(Ipv6Address source,
                          uint8_t ttl,
                          uint8_t type,
                          uint8_t code,
                          uint32_t info,
                          Ipv6Address payloadSource,
                          Ipv6Address payloadDestination,
                          const uint8_t payload[8])
{
    m_rnic->ReceiveIcmp(source, ttl, type, code, info, payloadSource, payloadDestination, payload);
}

void
RnicProtocol::SetDownTarget(DownTargetCallback callback)
{
    m_rnic->SetDownTarget(callback);
}

void
RnicProtocol::SetDownTarget6(DownTargetCallback6 callback)
{
    m_rnic->SetDownTarget6(callback);
}

IpL4Protocol::DownTargetCallback
RnicProtocol::GetDownTarget() const
{
    return m_rnic->GetDownTarget();
}

IpL4Protocol::DownTargetCallback6
RnicProtocol::GetDownTarget6() const
{
    return m_rnic->GetDownTarget6();
}

void
RnicProtocol::DoDispose()
{
    m_rnic = nullptr;
    IpL4Protocol::DoDispose();
}

} // namespace ns3
