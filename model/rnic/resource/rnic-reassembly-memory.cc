/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rnic-reassembly-memory.h"

#include "ns3/log.h"
#include "ns3/rnic-attribute.h"
#include "ns3/rnic-buffer-formulas.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <iterator>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("RnicReassemblyMemory");
NS_OBJECT_ENSURE_REGISTERED(RnicReassemblyMemory);

TypeId
RnicReassemblyMemory::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::RnicReassemblyMemory")
            .SetParent<RnicPart>()
            .SetGroupName("Iwarp")
            .AddConstructor<RnicReassemblyMemory>()
            .AddAttribute("Capacity",
                          "Octets of reassembly memory, all connections together (RFC 5044 A.5.2), "
                          "at least 140; 0 for no limit.",
                          UintegerValue(0),
                          MakeUintegerAccessor(&RnicReassemblyMemory::m_capacity),
                          MakeUintegerChecker<uint64_t>())
            .AddAttribute(
                "PerConnection",
                "Octets of it that one connection may hold, at least 140; 0 for no limit.",
                UintegerValue(0),
                MakeUintegerAccessor(&RnicReassemblyMemory::m_perConnection),
                MakeUintegerChecker<uint64_t>())
            .AddAttribute("Rate",
                          "Rate of the memory, reads and writes together; low if it is off chip; 0 "
                          "for no limit.",
                          DataRateValue(DataRate(0)),
                          rnic::MakeRateAccessor(&RnicReassemblyMemory::m_rate),
                          MakeDataRateChecker())
            .AddAttribute("Latency",
                          "Time for an access to the memory, besides; more if it is off chip.",
                          TimeValue(Time(0)),
                          rnic::MakeTimeAccessor(&RnicReassemblyMemory::m_latency),
                          rnic::MakeTimeChecker());
    return tid;
}

std::string
RnicReassemblyMemory::Check() const
{
    for (uint64_t octets : {m_capacity, m_perConnection})
    {
        if (octets > 0 && octets < rnic::MIN_REASSEMBLY_MEMORY)
        {
            return "memory and share of a connection have to be " +
                   std::to_string(rnic::MIN_REASSEMBLY_MEMORY) +
                   " octets at least (RFC 5044 section A.5.2), or 0 for no limit, not " +
                   std::to_string(octets);
        }
    }
    const std::string slow = RnicRate::Check(m_rate);
    return slow.empty() ? "" : "a memory of " + slow;
}

bool
RnicReassemblyMemory::IsIdeal() const
{
    return RnicRate::IsUnlimited(m_rate) && m_latency == 0;
}

bool
RnicReassemblyMemory::HasLimit() const
{
    return m_capacity > 0 || m_perConnection > 0;
}

void
RnicReassemblyMemory::DoInitialize()
{
    NS_LOG_FUNCTION(this);
    RnicPart::DoInitialize();
    m_room = m_capacity > 0 ? m_capacity : UINT64_MAX;
    m_share = m_perConnection > 0 ? m_perConnection : UINT64_MAX;
    m_port = RnicLink(m_rate);
    KeepReserve(rnic::MIN_REASSEMBLY_MEMORY);
}

void
RnicReassemblyMemory::KeepReserve(uint64_t mtu)
{
    m_reserve = std::max(m_reserve, std::min(mtu, m_room));
}

uint64_t
RnicReassemblyMemory::GetPoolRoom() const
{
    const uint64_t free = m_room - m_held;
    return free - std::min(free, m_reserve - m_reserveUsed);
}

uint64_t
RnicReassemblyMemory::GetLimit(uint64_t holder, bool inOrder) const
{
    const bool reserve = inOrder && (m_reserveUsed == 0 || m_reserveOwner == holder);
    const uint64_t room = reserve ? m_room - m_held : GetPoolRoom();
    const uint64_t held = GetHeld(holder);
    return held >= m_share ? held : held + std::min(room, m_share - held);
}

uint64_t
RnicReassemblyMemory::GetPoolLimit(uint64_t holder) const
{
    const auto found = m_holders.find(holder);
    const uint64_t own =
        found == m_holders.end() ? 0 : found->second.octets - found->second.reserve;
    return std::min(own + GetPoolRoom(), m_share);
}

void
RnicReassemblyMemory::Integrate(RnicTime now)
{
    m_integral += static_cast<double>(m_held) * static_cast<double>(now - m_last);
    m_last = now;
}

void
RnicReassemblyMemory::SetHeld(RnicTime now, uint64_t holder, uint64_t octets)
{
    auto found = m_holders.find(holder);
    if (found == m_holders.end())
    {
        if (octets == 0)
        {
            return;
        }
        found = m_holders.emplace(holder, Holding()).first;
    }
    Holding& h = found->second;
    if (octets > h.octets)
    {
        octets = std::min(octets, GetLimit(holder, true));
    }
    if (octets == h.octets)
    {
        return;
    }
    Integrate(now);
    if (octets > h.octets)
    {
        const uint64_t more = octets - h.octets;
        const uint64_t pool = std::min(more, GetPoolRoom());
        if (more > pool)
        {
            h.reserve += more - pool;
            m_reserveUsed += more - pool;
            m_reserveOwner = holder;
        }
        if (h.octets == 0)
        {
            h.since = now;
            m_peakHolding = std::max(m_peakHolding, ++m_holding);
        }
        m_held += more;
        m_taken += more;
        m_peak = std::max(m_peak, m_held);
        h.octets = octets;
        h.peak = std::max(h.peak, octets);
        FreeReserve();
        return;
    }
    const uint64_t less = h.octets - octets;
    const uint64_t fromReserve = std::min(less, h.reserve);
    h.reserve -= fromReserve;
    m_reserveUsed -= fromReserve;
    m_held -= less;
    h.octets = octets;
    if (octets == 0)
    {
        --m_holding;
        m_longest = std::max(m_longest, now - h.since);
    }
    FreeReserve();
}

void
RnicReassemblyMemory::FreeReserve()
{
    if (m_reserveUsed > 0 && m_reserveUsed <= GetPoolRoom())
    {
        m_holders[m_reserveOwner].reserve = 0;
        m_reserveUsed = 0;
    }
}

RnicReassemblyMemory::Refusal
RnicReassemblyMemory::Refuse(uint64_t holder, uint64_t octets)
{
    Refusal reason = Refusal::FULL;
    if (octets > m_room)
    {
        reason = Refusal::TOO_SMALL;
    }
    else if (GetHeld(holder) + octets > m_share)
    {
        reason = Refusal::PER_CONNECTION;
    }
    m_refused[static_cast<uint8_t>(reason)] += octets;
    return reason;
}

void
RnicReassemblyMemory::Release(RnicTime now, uint64_t holder)
{
    SetHeld(now, holder, 0);
    m_holders.erase(holder);
}

void
RnicReassemblyMemory::RestartStatistics(RnicTime now)
{
    m_start = now;
    m_last = now;
    m_integral = 0;
    m_peak = m_held;
    m_peakHolding = m_holding;
    m_taken = m_held;
    m_longest = 0;
    for (auto& [key, holding] : m_holders)
    {
        holding.peak = holding.octets;
        holding.since = now;
    }
    std::fill(std::begin(m_refused), std::end(m_refused), 0);
}

const RnicLink&
RnicReassemblyMemory::GetPort() const
{
    return m_port;
}

RnicTime
RnicReassemblyMemory::Access(RnicTime now, RnicTime arrival, uint64_t octets)
{
    return octets == 0 ? arrival : m_port.Transfer(now, arrival, octets).end + m_latency;
}

uint64_t
RnicReassemblyMemory::GetHeld() const
{
    return m_held;
}

uint64_t
RnicReassemblyMemory::GetHeld(uint64_t holder) const
{
    const auto found = m_holders.find(holder);
    return found == m_holders.end() ? 0 : found->second.octets;
}

uint64_t
RnicReassemblyMemory::GetPeak() const
{
    return m_peak;
}

uint64_t
RnicReassemblyMemory::GetPeakOf(uint64_t holder) const
{
    const auto found = m_holders.find(holder);
    return found == m_holders.end() ? 0 : found->second.peak;
}

uint64_t
RnicReassemblyMemory::GetHolders() const
{
    return m_holding;
}

uint64_t
RnicReassemblyMemory::GetPeakHolders() const
{
    return m_peakHolding;
}

uint64_t
RnicReassemblyMemory::GetTaken() const
{
    return m_taken;
}

RnicTime
RnicReassemblyMemory::GetLongest(RnicTime now) const
{
    RnicTime longest = m_longest;
    for (const auto& [key, holding] : m_holders)
    {
        longest = std::max(longest, holding.octets > 0 ? now - holding.since : 0);
    }
    return longest;
}

double
RnicReassemblyMemory::GetMean(RnicTime now) const
{
    const double integral =
        m_integral + static_cast<double>(m_held) * static_cast<double>(now - m_last);
    return now > m_start ? integral / static_cast<double>(now - m_start) : 0;
}

double
RnicReassemblyMemory::GetMeanStay(RnicTime now) const
{
    const auto time = static_cast<double>(now - m_start);
    return m_taken > 0 ? GetMean(now) * time / static_cast<double>(m_taken) : 0;
}

uint64_t
RnicReassemblyMemory::GetRefused(Refusal reason) const
{
    return m_refused[static_cast<uint8_t>(reason)];
}

} // namespace ns3
