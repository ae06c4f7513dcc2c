/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rnic-flow.h"

#include "rnic.h"

#include "ns3/ipv4-end-point.h"
#include "ns3/ipv6-end-point.h"
#include "ns3/simulator.h"

#include <cstring>

namespace ns3
{

namespace
{

constexpr uint64_t NOT_IPV6 = UINT64_MAX; // in the place of half an IPv6 address

} // namespace

RnicTuple::RnicTuple(Ipv4Address local, uint16_t localPort, Ipv4Address peer, uint16_t peerPort)
    : address{local.Get(), NOT_IPV6, peer.Get(), NOT_IPV6},
      ports(uint32_t(localPort) << 16 | peerPort)
{
}

RnicTuple::RnicTuple(const Ipv6Address& local,
                     uint16_t localPort,
                     const Ipv6Address& peer,
                     uint16_t peerPort)
    : ports(uint32_t(localPort) << 16 | peerPort)
{
    if (peer.IsIpv4MappedAddress())
    {
        *this = RnicTuple(local.GetIpv4MappedAddress(),
                          localPort,
                          peer.GetIpv4MappedAddress(),
                          peerPort);
        return;
    }
    uint8_t octets[32];
    local.GetBytes(octets);
    peer.GetBytes(octets + 16);
    std::memcpy(address.data(), octets, sizeof(octets));
}

std::size_t
RnicTuple::Hash::operator()(const RnicTuple& tuple) const
{
    uint64_t hash = tuple.ports;
    for (uint64_t word : tuple.address)
    {
        hash = (hash ^ word) * 0x9E3779B97F4A7C15ULL;
        hash ^= hash >> 32;
    }
    return hash;
}

RnicFlow::RnicFlow(Rnic* rnic,
                   uint64_t key,
                   Ipv4EndPoint* const* endPoint,
                   Ipv6EndPoint* const* endPoint6)
    : region(key),
      m_rnic(rnic),
      m_endPoint(endPoint),
      m_endPoint6(endPoint6)
{
    path.key = key;
}

Ipv4EndPoint*
RnicFlow::GetEndPoint() const
{
    return m_endPoint ? *m_endPoint : nullptr;
}

Ipv6EndPoint*
RnicFlow::GetEndPoint6() const
{
    return m_endPoint6 ? *m_endPoint6 : nullptr;
}

RnicTuple
RnicFlow::FindTuple() const
{
    if (auto* e = GetEndPoint())
    {
        return {e->GetLocalAddress(), e->GetLocalPort(), e->GetPeerAddress(), e->GetPeerPort()};
    }
    auto* e = GetEndPoint6();
    return e ? RnicTuple(e->GetLocalAddress(),
                         e->GetLocalPort(),
                         e->GetPeerAddress(),
                         e->GetPeerPort())
             : RnicTuple();
}

bool
RnicFlow::HasMemoryLimit() const
{
    return m_rnic->HasMemoryLimit();
}

uint64_t
RnicFlow::GetMemoryRoom(bool inOrder) const
{
    return m_rnic->GetMemoryRoom(*this, inOrder);
}

void
RnicFlow::Segment(const MpaSegmentReport& report, uint32_t size, uint64_t placed, uint64_t holds)
{
    m_rnic->HandleSegment(*this, report, size, placed, holds);
}

Time
RnicFlow::Post(uint64_t octets)
{
    return m_rnic->Post(*this, octets);
}

Time
RnicFlow::Complete()
{
    return m_rnic->Complete(*this);
}

Time
RnicFlow::GetTimeToHost() const
{
    return m_rnic->GetTimeToHost(*this);
}

uint64_t
RnicFlow::GetUnretired()
{
    if (!retirement)
    {
        retirement = std::make_unique<RnicRetirement>();
    }
    return retirement->GetHeld(ToRnicTime(Simulator::Now()));
}

Time
RnicFlow::GetTimeToRetire(uint64_t octets)
{
    const RnicTime now = ToRnicTime(Simulator::Now());
    return retirement ? FromRnicTime(retirement->GetTime(now, octets) - now) : Time(0);
}

void
RnicFlow::SetRegion(uint64_t key)
{
    region = key > 0 ? key : path.key;
}

void
RnicFlow::Detach()
{
    m_endPoint = nullptr;
    m_endPoint6 = nullptr;
}

} // namespace ns3
