/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "tcp-queue-disc-item.h"

#include "ns3/hash.h"
#include "ns3/ipv4-header.h"
#include "ns3/ipv6-header.h"
#include "ns3/tcp-l4-protocol.h"

#include <array>
#include <boost/endian/conversion.hpp>

namespace ns3
{

namespace
{

constexpr uint32_t TCP_PORTS_SIZE = 4; // octets of both ports, with which a TCP header begins

// @param source of a segment @param destination of it @param packet segment behind the IP header
// @param perturbation of the queue disc @return hash, N octets an address
template <std::size_t N, typename A>
uint32_t
HashTcpFlow(const A& source,
            const A& destination,
            const Ptr<const Packet>& packet,
            uint32_t perturbation)
{
    std::array<uint8_t, 2 * N + 1 + TCP_PORTS_SIZE + sizeof(perturbation)> key{};
    uint8_t* at = key.data();
    source.Serialize(at);
    destination.Serialize(at + N);
    at += 2 * N;
    *at++ = TcpL4Protocol::PROT_NUMBER;
    packet->CopyData(at, TCP_PORTS_SIZE);
    boost::endian::store_big_u32(at + TCP_PORTS_SIZE, perturbation);
    return Hash32(reinterpret_cast<const char*>(key.data()), key.size());
}

} // namespace

template <>
uint32_t
TcpQueueDiscItem<Ipv4QueueDiscItem>::Hash(uint32_t perturbation) const
{
    const Ipv4Header& header = GetHeader();
    return HashTcpFlow<4>(header.GetSource(), header.GetDestination(), GetPacket(), perturbation);
}

template <>
uint32_t
TcpQueueDiscItem<Ipv6QueueDiscItem>::Hash(uint32_t perturbation) const
{
    const Ipv6Header& header = GetHeader();
    return HashTcpFlow<16>(header.GetSource(), header.GetDestination(), GetPacket(), perturbation);
}

Ptr<QueueDiscItem>
MakeTcpQueueDiscItem(const Ipv4QueueDiscItem& item, const Ipv4Header& header)
{
    if (header.GetProtocol() == TcpL4Protocol::PROT_NUMBER && header.GetFragmentOffset() == 0)
    {
        return Create<TcpQueueDiscItem<Ipv4QueueDiscItem>>(item, header);
    }
    return Create<Ipv4QueueDiscItem>(item.GetPacket(),
                                     item.GetAddress(),
                                     item.GetProtocol(),
                                     header);
}

Ptr<QueueDiscItem>
MakeTcpQueueDiscItem(const Ipv6QueueDiscItem& item, const Ipv6Header& header)
{
    if (header.GetNextHeader() == TcpL4Protocol::PROT_NUMBER)
    {
        return Create<TcpQueueDiscItem<Ipv6QueueDiscItem>>(item, header);
    }
    return Create<Ipv6QueueDiscItem>(item.GetPacket(),
                                     item.GetAddress(),
                                     item.GetProtocol(),
                                     header);
}

} // namespace ns3
