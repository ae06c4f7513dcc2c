/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ipsec-fragments.h"

#include "ipsec-datagram.h"

#include <algorithm>
#include <iterator>

namespace ns3
{

namespace
{

/// How long fragments wait for each other, as in ns-3's IP
const Time PATIENCE = Seconds(30);

} // namespace

// ---- IpsecFragmentKey ---------------------------------------------------------------------------

IpsecFragmentKey
IpsecFragmentKey::Of(const IpsecView& view, uint64_t way)
{
    IpsecFragmentKey key{view.flow, view.identification, way};
    key.flow.sourcePort = 0;
    key.flow.destinationPort = 0;
    return key;
}

bool
IpsecFragmentKey::operator==(const IpsecFragmentKey& other) const
{
    return flow == other.flow && identification == other.identification && way == other.way;
}

std::size_t
IpsecFragmentHash::operator()(const IpsecFragmentKey& key) const
{
    return IpsecFlowHash()(key.flow) ^ (key.identification + (key.way << 32)) * 0x9E3779B9;
}

// ---- IpsecFragmentPorts -------------------------------------------------------------------------

bool
IpsecFragmentPorts::Find(IpsecView& view, bool opened, Time now)
{
    if (!view.fragment)
    {
        return true;
    }
    const auto key = IpsecFragmentKey::Of(view, opened);
    const auto known = m_ports.find(key);
    if (view.offset == 0)
    {
        const Ports ports{view.flow.sourcePort, view.flow.destinationPort, now};
        if (!view.ShowsPorts())
        {
            return false; // too short to tell
        }
        if (known != m_ports.end())
        {
            known->second = ports;
            return true;
        }
        if (m_order.size() == REMEMBERED)
        {
            m_ports.erase(m_order.front());
            m_order.pop_front();
        }
        m_ports.emplace(key, ports);
        m_order.push_back(key);
        return true;
    }
    if (known != m_ports.end() && now - known->second.since < PATIENCE)
    {
        view.flow.sourcePort = known->second.source;
        view.flow.destinationPort = known->second.destination;
    }
    return view.ShowsPorts();
}

// ---- IpsecReassembly ----------------------------------------------------------------------------

bool
IpsecReassembly::Fits(const Partial& partial, const IpsecView& view, uint32_t size)
{
    const uint32_t end = view.offset + size;
    const auto next = partial.pieces.lower_bound(view.offset);
    const bool overlaps =
        (next != partial.pieces.end() && next->first < end) ||
        (next != partial.pieces.begin() &&
         std::prev(next)->first + std::prev(next)->second->GetSize() > view.offset);
    const bool known = partial.end != UINT32_MAX;
    const uint32_t last = partial.pieces.empty() ? 0
                                                 : partial.pieces.rbegin()->first +
                                                       partial.pieces.rbegin()->second->GetSize();
    return !overlaps && size > 0 && end <= UINT16_MAX && end <= partial.end &&
           (view.more || (!known && end >= last));
}

IpsecReassembly::Partial&
IpsecReassembly::Open(const IpsecFragmentKey& key, Time now)
{
    if (m_partials.size() == PLACES)
    {
        m_partials.erase(std::min_element(
            m_partials.begin(),
            m_partials.end(),
            [](const auto& a, const auto& b) { return a.second.since < b.second.since; }));
    }
    return m_partials.emplace(key, Partial{now}).first->second;
}

Ptr<Packet>
IpsecReassembly::Add(const IpsecView& view,
                     uint64_t way,
                     const Ptr<const Packet>& payload,
                     uint8_t& tos,
                     Time now)
{
    const auto key = IpsecFragmentKey::Of(view, way);
    const auto found = m_partials.find(key);
    const bool old = found != m_partials.end() && now - found->second.since >= PATIENCE;
    if (old)
    {
        m_partials.erase(found);
    }
    Partial& partial = found == m_partials.end() || old ? Open(key, now) : found->second;
    const uint32_t size = payload->GetSize();
    if (!Fits(partial, view, size))
    {
        m_partials.erase(key);
        return nullptr;
    }
    partial.pieces.emplace(view.offset, payload);
    partial.octets += size;
    partial.services.push_back(tos);
    if (!view.more)
    {
        partial.end = view.offset + size;
    }
    if (partial.octets != partial.end)
    {
        return nullptr;
    }
    if (!MergeIpsecEcn(partial.services, tos))
    {
        m_partials.erase(key);
        return nullptr;
    }
    const Ptr<Packet> whole = partial.pieces.begin()->second->Copy();
    for (auto piece = std::next(partial.pieces.begin()); piece != partial.pieces.end(); ++piece)
    {
        whole->AddAtEnd(piece->second);
    }
    m_partials.erase(key);
    return whole;
}

} // namespace ns3
