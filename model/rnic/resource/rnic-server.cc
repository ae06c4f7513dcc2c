/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rnic-server.h"

#include "ns3/abort.h"

#include <algorithm>
#include <functional>
#include <sstream>

namespace ns3
{

std::string
RnicServerConfig::Check() const
{
    constexpr RnicTime longest = 1'000'000'000'000; // a second
    std::ostringstream fault;
    if (perPacket < 0 || perUnit < 0 || latency < 0 || perPacket > longest || perUnit > longest ||
        latency > longest)
    {
        fault << "times of a stage have to be between 0 and 1 s";
    }
    else if (const std::string slow = RnicRate::Check(bitRate); !slow.empty())
    {
        fault << "a stage of " << slow;
    }
    else if (engines < 1 || engines > 1024)
    {
        fault << "a stage needs 1 to 1024 engines, not " << engines;
    }
    return fault.str();
}

bool
RnicServerConfig::IsIdeal() const
{
    return perPacket == 0 && perUnit == 0 && latency == 0 && RnicRate::IsUnlimited(bitRate);
}

RnicServer::RnicServer(const RnicServerConfig& config)
    : m_config(config)
{
    const std::string fault = config.Check();
    NS_ABORT_MSG_UNLESS(fault.empty(), "RNIC: " << fault);
    m_rate = RnicRate(config.bitRate);
    m_free.assign(config.engines, 0);
}

RnicServer::Visit
RnicServer::Serve(RnicTime arrival, uint64_t octets, uint64_t units, RnicTime extra)
{
    arrival = std::max(arrival, m_lastArrival);
    m_lastArrival = arrival;
    const RnicTime service = m_config.perPacket + static_cast<RnicTime>(units) * m_config.perUnit +
                             m_rate.Serve(octets) + extra;

    Visit visit;
    visit.start = std::max(arrival, m_free.front());
    const RnicTime end = visit.start + service;
    if (m_free.size() == 1)
    {
        m_free.front() = end;
    }
    else
    {
        std::pop_heap(m_free.begin(), m_free.end(), std::greater<>());
        m_free.back() = end;
        std::push_heap(m_free.begin(), m_free.end(), std::greater<>());
    }
    visit.departure = std::max(end + m_config.latency, m_lastDeparture);
    m_lastDeparture = visit.departure;

    ++m_served;
    m_octets += octets;
    m_busy += service;
    m_waited += visit.start - arrival;
    m_maxWait = std::max(m_maxWait, visit.start - arrival);
    return visit;
}

uint64_t
RnicServer::GetServed() const
{
    return m_served;
}

uint64_t
RnicServer::GetOctets() const
{
    return m_octets;
}

RnicTime
RnicServer::GetBusy() const
{
    return m_busy;
}

RnicTime
RnicServer::GetWaited() const
{
    return m_waited;
}

RnicTime
RnicServer::GetMaxWait() const
{
    return m_maxWait;
}

RnicTime
RnicServer::GetFreeAt() const
{
    return m_free.front();
}

} // namespace ns3
