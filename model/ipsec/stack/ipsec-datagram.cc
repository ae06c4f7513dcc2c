/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ipsec-datagram.h"

#include "ns3/esp-format.h"
#include "ns3/ike-message.h"
#include "ns3/tcp-l4-protocol.h"
#include "ns3/udp-l4-protocol.h"

#include <algorithm>
#include <boost/endian/conversion.hpp>

namespace ns3
{

namespace
{

constexpr uint8_t ECN = 3;      // bits of ECN in a traffic class
constexpr uint8_t NOT_ECT = 0;  // the sender knows no ECN
constexpr uint8_t ECT_1 = 1;    // it does, and says 1
constexpr uint8_t ECT_0 = 2;    // it does, and says 0
constexpr uint8_t CE = 3;       // congestion was met
constexpr uint32_t PORTS = 4;   // octets of both ports
constexpr uint32_t UNIT = 8;    // octets that fragments are counted in
constexpr uint32_t HEADER = 20; // octets of an IPv4 header

} // namespace

IpsecPassage
PlanIpsecPassage(bool fits, bool divisible, IpsecDontFragment outer, IpsecFragments fragments)
{
    const bool whole =
        outer == IpsecDontFragment::SET || (outer == IpsecDontFragment::COPY && !divisible);
    if (fits || !whole)
    {
        const bool before = !fits && divisible && fragments == IpsecFragments::BEFORE_ESP;
        return before  ? IpsecPassage::FRAGMENTED_FIRST
               : whole ? IpsecPassage::WHOLE
                       : IpsecPassage::DIVISIBLE;
    }
    return divisible ? IpsecPassage::FRAGMENTED_FIRST : IpsecPassage::TOO_BIG;
}

IpsecFlow
ReadIpsecFlow(const IpsecAddress& source,
              const IpsecAddress& destination,
              uint8_t protocol,
              const Ptr<const Packet>& payload)
{
    IpsecFlow flow{source, destination, protocol};
    const bool hasPorts =
        protocol == TcpL4Protocol::PROT_NUMBER || protocol == UdpL4Protocol::PROT_NUMBER;
    uint8_t ports[PORTS];
    if (payload && hasPorts && payload->CopyData(ports, PORTS) == PORTS)
    {
        flow.sourcePort = boost::endian::load_big_u16(ports);
        flow.destinationPort = boost::endian::load_big_u16(ports + 2);
    }
    return flow;
}

bool
IsKeyExchange(const IpsecFlow& flow)
{
    return flow.protocol == UdpL4Protocol::PROT_NUMBER && flow.sourcePort == IKE_PORT &&
           flow.destinationPort == IKE_PORT;
}

uint64_t
GetIpsecEntropy(const IpsecFlow& flow, uint32_t label)
{
    return IpsecFlowHash()(flow) + label * uint64_t{0x9E3779B97F4A7C15};
}

uint16_t
GetIpsecUdpPort(uint64_t entropy)
{
    return static_cast<uint16_t>(entropy | ESP_UDP_FIRST_ENTROPY);
}

bool
MergeIpsecEcn(const std::vector<uint8_t>& fragments, uint8_t& tos)
{
    const auto has = [&fragments](uint8_t ecn) {
        return std::any_of(fragments.begin(), fragments.end(), [ecn](uint8_t fragment) {
            return (fragment & ECN) == ecn;
        });
    };
    const bool isMarked = has(CE);
    tos |= isMarked ? CE : 0;
    return !isMarked || !has(NOT_ECT);
}

bool
CopyIpsecEcn(uint8_t outer, uint8_t& inner)
{
    const uint8_t mark = outer & ECN;
    switch (inner & ECN)
    {
    case NOT_ECT:
        return mark != CE;
    case ECT_0:
    case ECT_1:
        // what ECT(0) was made on the way counts; ECT(1) is not made ECT(0)
        if (mark == CE || mark == ECT_1)
        {
            inner = static_cast<uint8_t>((inner & ~ECN) | mark);
        }
        return true;
    default:
        return true;
    }
}

std::vector<std::pair<Ipv4Header, Ptr<Packet>>>
DivideIpv4(const Ipv4Header& header, const Ptr<const Packet>& payload, uint32_t mtu)
{
    const uint32_t most = (mtu - HEADER) / UNIT * UNIT;
    const uint32_t size = payload->GetSize();
    std::vector<std::pair<Ipv4Header, Ptr<Packet>>> pieces;
    for (uint32_t at = 0; at < size; at += most)
    {
        const uint32_t octets = std::min(most, size - at);
        Ipv4Header piece = header;
        piece.SetFragmentOffset(static_cast<uint16_t>(header.GetFragmentOffset() + at));
        piece.SetPayloadSize(static_cast<uint16_t>(octets));
        if (at + octets < size)
        {
            piece.SetMoreFragments();
        }
        pieces.emplace_back(piece, payload->CreateFragment(at, octets));
    }
    return pieces;
}

} // namespace ns3
