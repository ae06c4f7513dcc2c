/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rnic-host-interface.h"

#include "ns3/abort.h"

#include <algorithm>
#include <functional>
#include <sstream>

namespace ns3
{

std::string
RnicHostConfig::Check() const
{
    std::ostringstream fault;
    auto size = [&fault](const char* what, uint32_t value, uint32_t least, uint32_t most) {
        if (value < least || value > most)
        {
            fault << what << " of " << value << " octets is outside " << least << " to " << most
                  << "; ";
        }
    };
    if (toHostRate < RnicRate::SLOWEST || fromHostRate < RnicRate::SLOWEST)
    {
        fault << "a bus below " << RnicRate::SLOWEST << " bit/s never ends; ";
    }
    size("a packet header", header, 0, 1024);
    size("a largest payload", maxPayload, 64, 65536);
    size("a largest read request", maxReadRequest, 64, 65536);
    size("a doorbell", doorbell, 1, 4096);
    size("a WQE", wqe, 1, 4096);
    size("a CQE", cqe, 1, 4096);
    size("an inline limit", inlineLimit, 0, 4096);
    if (tags < 1 || tags > 65536)
    {
        fault << "reads need 1 to 65536 tags, not " << tags << "; ";
    }
    constexpr RnicTime longest = 1'000'000'000'000; // a second
    for (RnicTime t :
         {readLatency, writeLatency, doorbellLatency, pollTime, interruptTime, moderation})
    {
        if (t < 0 || t > longest)
        {
            fault << "a time of " << t << " ps is outside 0 to 1 s; ";
        }
    }
    return fault.str();
}

RnicHostInterface::RnicHostInterface(const RnicHostConfig& config)
    : m_config(config)
{
    const std::string fault = config.Check();
    NS_ABORT_MSG_UNLESS(fault.empty(), "RNIC, host interface: " << fault);
    m_toHost = RnicLink(config.toHostRate);
    m_fromHost = RnicLink(config.fromHostRate);
    m_tags.assign(config.tags, 0);
}

uint64_t
RnicHostInterface::OnWire(uint64_t octets) const
{
    const uint64_t packets = (octets + m_config.maxPayload - 1) / m_config.maxPayload;
    return octets + packets * m_config.header;
}

RnicTime
RnicHostInterface::Read(RnicTime now, RnicTime arrival, uint64_t octets)
{
    RnicTime end = arrival;
    m_reads += octets > 0;
    while (octets > 0)
    {
        const uint64_t part = std::min<uint64_t>(octets, m_config.maxReadRequest);
        octets -= part;

        std::pop_heap(m_tags.begin(), m_tags.end(), std::greater<>());
        const RnicTime ready = std::max(arrival, m_tags.back());
        m_tagWait += ready - arrival;
        const RnicTime sent = m_toHost.Carry(now, ready, m_config.header).end;
        const RnicTime in = m_fromHost.Carry(now, sent + m_config.readLatency, OnWire(part)).end;
        m_tags.back() = in;
        std::push_heap(m_tags.begin(), m_tags.end(), std::greater<>());

        end = std::max(end, in);
        ++m_readRequests;
    }
    return end;
}

RnicTime
RnicHostInterface::Write(RnicTime now, RnicTime arrival, uint64_t octets)
{
    if (octets == 0)
    {
        return arrival;
    }
    ++m_writes;
    return m_toHost.Carry(now, arrival, OnWire(octets)).end;
}

RnicTime
RnicHostInterface::GetVisible(RnicTime written) const
{
    return written + m_config.writeLatency;
}

bool
RnicHostInterface::IsInline(uint64_t payload) const
{
    return payload <= m_config.inlineLimit && m_config.inlineLimit > 0;
}

RnicTime
RnicHostInterface::Post(RnicTime now, RnicTime arrival, uint64_t payload)
{
    ++m_doorbells;
    const bool brought = IsInline(payload);
    const uint64_t octets = m_config.doorbell + (brought ? m_config.wqe + payload : 0);
    const RnicTime rung =
        m_fromHost.Carry(now, arrival, OnWire(octets)).end + m_config.doorbellLatency;
    return brought ? rung : Read(now, rung, m_config.wqe);
}

RnicTime
RnicHostInterface::Complete(RnicTime now, RnicTime arrival)
{
    ++m_completions;
    const RnicTime seen = GetVisible(Write(now, arrival, m_config.cqe));
    if (m_config.notify == RnicNotify::POLLING)
    {
        return seen + m_config.pollTime;
    }
    if (seen > m_lastInterrupt) // the pending interrupt is too early for this CQE
    {
        m_lastInterrupt = std::max(seen, m_nextInterrupt);
        m_nextInterrupt = m_lastInterrupt + m_config.moderation;
        ++m_interrupts;
    }
    return m_lastInterrupt + m_config.interruptTime;
}

uint64_t
RnicHostInterface::GetReadRequests() const
{
    return m_readRequests;
}

uint64_t
RnicHostInterface::GetReads() const
{
    return m_reads;
}

uint64_t
RnicHostInterface::GetWrites() const
{
    return m_writes;
}

uint64_t
RnicHostInterface::GetDoorbells() const
{
    return m_doorbells;
}

uint64_t
RnicHostInterface::GetInterrupts() const
{
    return m_interrupts;
}

uint64_t
RnicHostInterface::GetCompletions() const
{
    return m_completions;
}

RnicTime
RnicHostInterface::GetTagWait() const
{
    return m_tagWait;
}

const RnicLink&
RnicHostInterface::GetToHost() const
{
    return m_toHost;
}

const RnicLink&
RnicHostInterface::GetFromHost() const
{
    return m_fromHost;
}

const RnicHostConfig&
RnicHostInterface::GetConfig() const
{
    return m_config;
}

} // namespace ns3
