/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ipsec-selector.h"

#include "ns3/abort.h"

#include <algorithm>
#include <cstring>

namespace ns3
{

namespace
{

/// @param state of the hash @param value to mix in @return the next state (as boost::hash_combine
/// does, with 64 bits and the finaliser of splitmix64)
uint64_t
Mix(uint64_t state, uint64_t value)
{
    state += value + 0x9E3779B97F4A7C15;
    state = (state ^ state >> 30) * 0xBF58476D1CE4E5B9;
    state = (state ^ state >> 27) * 0x94D049BB133111EB;
    return state ^ state >> 31;
}

} // namespace

IpsecFlow
IpsecFlow::GetReverse() const
{
    return {destination, source, protocol, destinationPort, sourcePort};
}

bool
IpsecFlow::operator==(const IpsecFlow& other) const
{
    return source == other.source && destination == other.destination &&
           protocol == other.protocol && sourcePort == other.sourcePort &&
           destinationPort == other.destinationPort;
}

std::size_t
IpsecFlowHash::operator()(const IpsecFlow& flow) const
{
    uint64_t state = flow.protocol | static_cast<uint64_t>(flow.sourcePort) << 8 |
                     static_cast<uint64_t>(flow.destinationPort) << 24;
    for (const auto* address : {&flow.source, &flow.destination})
    {
        uint64_t halves[2];
        std::memcpy(halves, address->GetOctets().data(), sizeof(halves));
        state = Mix(state, halves[0]);
        if (address->IsIpv6())
        {
            state = Mix(state, halves[1]);
        }
    }
    return state;
}

IpsecPrefix::IpsecPrefix(const IpsecAddress& only)
    : IpsecPrefix(only, only.GetBits())
{
}

IpsecPrefix::IpsecPrefix(const IpsecAddress& from, uint8_t count)
    : address(from),
      bits(count),
      any(false)
{
    NS_ABORT_MSG_IF(bits > address.GetBits(),
                    "a prefix of " << +bits << " bits is longer than the address "
                                   << address.ToString());
}

IpsecPrefix
IpsecPrefix::Parse(const std::string& text)
{
    if (text == "any")
    {
        return {};
    }
    const auto slash = text.find('/');
    const IpsecAddress address(text.substr(0, slash).c_str());
    if (slash == std::string::npos)
    {
        return address;
    }
    const std::string length = text.substr(slash + 1);
    const bool number = !length.empty() && length.size() <= 3 &&
                        std::all_of(length.begin(), length.end(), [](unsigned char c) {
                            return c >= '0' && c <= '9';
                        });
    const int bits = number ? std::stoi(length) : -1;
    NS_ABORT_MSG_IF(bits < 0 || bits > address.GetBits(),
                    "\"" << text << "\" is no prefix: behind the slash goes a number from 0 to "
                         << +address.GetBits());
    return {address, static_cast<uint8_t>(bits)};
}

bool
IpsecPrefix::Holds(const IpsecAddress& candidate) const
{
    return any || address.Agrees(candidate, bits);
}

bool
IpsecSelector::Selects(const IpsecFlow& flow) const
{
    return SelectsBesidesPorts(flow) && sourcePorts.Holds(flow.sourcePort) &&
           destinationPorts.Holds(flow.destinationPort);
}

bool
IpsecSelector::SelectsBesidesPorts(const IpsecFlow& flow) const
{
    return (protocol == 0 || protocol == flow.protocol) && source.Holds(flow.source) &&
           destination.Holds(flow.destination);
}

bool
IpsecSelector::TakesAllPorts() const
{
    return sourcePorts.IsAll() && destinationPorts.IsAll();
}

IpsecSelector
IpsecSelector::GetReverse() const
{
    return {destination, source, protocol, destinationPorts, sourcePorts};
}

} // namespace ns3
