/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "tcp-tuple.h"

#include <boost/endian/conversion.hpp>
#include <cstring>

namespace ns3
{

namespace
{

using boost::endian::load_big_u16;

constexpr uint64_t NOT_IPV6 = UINT64_MAX; // in the place of half an IPv6 address

} // namespace

TcpTuple::TcpTuple(Ipv4Address local, uint16_t localPort, Ipv4Address peer, uint16_t peerPort)
    : address{local.Get(), NOT_IPV6, peer.Get(), NOT_IPV6},
      ports(uint32_t(localPort) << 16 | peerPort)
{
}

TcpTuple::TcpTuple(const Ipv6Address& local,
                   uint16_t localPort,
                   const Ipv6Address& peer,
                   uint16_t peerPort)
    : ports(uint32_t(localPort) << 16 | peerPort)
{
    if (peer.IsIpv4MappedAddress())
    {
        *this = TcpTuple(local.GetIpv4MappedAddress(),
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
TcpTuple::Hash::operator()(const TcpTuple& tuple) const
{
    uint64_t hash = tuple.ports;
    for (uint64_t word : tuple.address)
    {
        hash = (hash ^ word) * 0x9E3779B97F4A7C15ULL;
        hash ^= hash >> 32;
    }
    return hash;
}

bool
TcpSegmentHead::Read(const Ptr<const Packet>& packet)
{
    uint8_t octets[14]{};
    if (packet->CopyData(octets, sizeof(octets)) < 4)
    {
        return false;
    }
    sourcePort = load_big_u16(octets);
    destinationPort = load_big_u16(octets + 2);
    seq = boost::endian::load_big_u32(octets + 4);
    ack = boost::endian::load_big_u32(octets + 8);
    headerSize = (octets[12] >> 4) * 4U;
    flags = octets[13];
    return true;
}

} // namespace ns3
