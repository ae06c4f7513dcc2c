/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rnic-reassembly-memory.h"

#include "rnic-buffer-formulas.h"

#include "ns3/abort.h"

#include <algorithm>
#include <sstream>

namespace ns3
{

std::string
RnicMemoryConfig::Check() const
{
    std::ostringstream fault;
    const auto least = rnic::MIN_REASSEMBLY_MEMORY;
    if (capacity < least || perConnection < least || reserve < least)
    {
        fault << "memory, reserve and share of a connection have to be " << least
              << " octets at least (RFC 5044 section A.5.2), not " << capacity << ", " << reserve
              << " and " << perConnection;
    }
    else if (bitRate < RnicRate::SLOWEST)
    {
        fault << "a memory of " << bitRate << " bit/s never ends";
    }
    else if (latency < 0 || latency > 1'000'000'000'000)
    {
        fault << "an access takes 0 to 1 s, not " << latency << " ps";
    }
    return fault.str();
}

RnicReassemblyMemory::RnicReassemblyMemory(const RnicMemoryConfig& config)
    : m_config(config)
{
    const std::string fault = config.Check();
    NS_ABORT_MSG_UNLESS(fault.empty(), "RNIC, reassembly memory: " << fault);
    m_config.reserve = std::min(config.reserve, config.capacity);
    m_port = RnicLink(config.bitRate);
}

uint64_t
RnicReassemblyMemory::GetPoolRoom() const
{
    return m_config.capacity - m_config.reserve - (m_held - m_reserveUsed);
}

uint64_t
RnicReassemblyMemory::GetLimit(uint64_t holder, bool inOrder) const
{
    uint64_t room = GetPoolRoom();
    if (inOrder && (m_reserveUsed == 0 || m_reserveOwner == holder))
    {
        room += m_config.reserve - m_reserveUsed;
    }
    const uint64_t held = GetHeld(holder);
    return held >= m_config.perConnection ? held
                                          : held + std::min(room, m_config.perConnection - held);
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
}

RnicReassemblyMemory::Refusal
RnicReassemblyMemory::Refuse(uint64_t holder, uint64_t octets)
{
    Refusal reason = Refusal::FULL;
    if (octets > m_config.capacity)
    {
        reason = Refusal::TOO_SMALL;
    }
    else if (GetHeld(holder) + octets > m_config.perConnection)
    {
        reason = Refusal::PER_CONNECTION;
    }
    m_refused[static_cast<uint8_t>(reason)] += octets;
    return reason;
}

void
RnicReassemblyMemory::Forget(RnicTime now, uint64_t holder)
{
    SetHeld(now, holder, 0);
    m_holders.erase(holder);
}

RnicTime
RnicReassemblyMemory::Access(RnicTime now, RnicTime arrival, uint64_t octets)
{
    return octets == 0 ? arrival : m_port.Carry(now, arrival, octets).end + m_config.latency;
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
RnicReassemblyMemory::GetLongest() const
{
    return m_longest;
}

double
RnicReassemblyMemory::GetMean(RnicTime now) const
{
    const double integral =
        m_integral + static_cast<double>(m_held) * static_cast<double>(now - m_last);
    return now > 0 ? integral / static_cast<double>(now) : 0;
}

double
RnicReassemblyMemory::GetMeanStay(RnicTime now) const
{
    return m_taken > 0 ? GetMean(now) * static_cast<double>(now) / static_cast<double>(m_taken) : 0;
}

uint64_t
RnicReassemblyMemory::GetRefused(Refusal reason) const
{
    return m_refused[static_cast<uint8_t>(reason)];
}

const RnicMemoryConfig&
RnicReassemblyMemory::GetConfig() const
{
    return m_config;
}

} // namespace ns3
