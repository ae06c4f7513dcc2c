/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rnic-datapath.h"

#include "ns3/abort.h"

#include <algorithm>

namespace ns3
{

namespace
{

// stages, in the order in which they are added
enum Rx : uint32_t
{
    RX_MAC,
    RX_TCP,
    RX_CLASSIFY,
    RX_MPA,
    RX_CRC,
    RX_PLACE,
};

enum Tx : uint32_t
{
    TX_SCHEDULE,
    TX_BUILD,
    TX_CRC,
    TX_MAC,
};

} // namespace

RnicDatapath::RnicDatapath(const RnicConfig& config, const RnicCache::Random& random)
    : m_config(config)
{
    const std::string fault = config.Check();
    NS_ABORT_MSG_UNLESS(fault.empty(), "RNIC, bad figures:\n" << fault);
    m_rx.AddStage("mac", config.rxMac);
    m_rx.AddStage("tcp", config.rxTcp);
    m_rx.AddStage("classify", config.rxClassify);
    m_rx.AddStage("mpa", config.rxMpa);
    m_rx.AddStage("crc", config.rxCrc);
    m_rx.AddStage("place", config.rxPlace);
    m_tx.AddStage("schedule", config.txSchedule);
    m_tx.AddStage("build", config.txBuild);
    m_tx.AddStage("crc", config.txCrc);
    m_tx.AddStage("mac", config.txMac);
    m_host = RnicHostInterface(config.host);
    m_memory = RnicReassemblyMemory(config.memory);
    m_buffer = RnicPacketBuffer(config.packetBuffer);
    m_contexts = RnicCache(config.contextEntries, config.replacement, random);
    m_translations = RnicCache(config.translationEntries, config.replacement, random);
    m_cpus.resize(config.cpu.cores);
    m_copyRate = RnicRate(config.cpu.copyRate);
    m_crcRate = RnicRate(config.cpu.crcRate);
}

RnicTime
RnicDatapath::FetchContext(RnicTime now, RnicTime at, uint64_t connection, bool& hit)
{
    hit = m_contexts.Access(connection);
    return hit ? at : m_host.Read(now, at, m_config.contextSize);
}

bool
RnicDatapath::Joins(Burst& burst,
                    RnicTime now,
                    uint64_t connection,
                    uint64_t octets,
                    uint64_t limit)
{
    // a burst is what comes for a connection while the CPU has not got to it
    if (connection == burst.connection && now <= burst.begin && burst.octets + octets <= limit)
    {
        burst.octets += octets;
        return true;
    }
    burst.connection = connection;
    burst.octets = octets;
    burst.begin = now;
    return false;
}

RnicTime
RnicDatapath::UseCpu(RnicTime now, RnicTime at, uint64_t connection, RnicTime time)
{
    return m_cpus[connection % m_cpus.size()].Book(now, at, time).end;
}

RnicDatapath::Departure
RnicDatapath::Transmit(RnicTime now, Flow& flow, uint32_t frame, uint32_t payload, uint32_t inlined)
{
    Departure departure;
    RnicTime at = now;
    if (m_config.receiver == RnicReceiver::HOST_SOFTWARE)
    {
        RnicTime work = m_copyRate.Take(payload) + m_crcRate.Take(payload);
        if (!Joins(m_txBurst, now, flow.key, payload, m_config.cpu.sendOffload))
        {
            work += m_config.cpu.packetTime;
        }
        // the adapter reads whole frames; its MAC is the net device
        at = m_host.Read(now, UseCpu(now, now, flow.key, work), frame);
    }
    else
    {
        m_tx.Enter(now);
        m_tx.Next(TX_SCHEDULE, frame);
        m_tx.WaitUntil(FetchContext(now, m_tx.GetTime(), flow.key, departure.contextHit));
        m_tx.WaitUntil(m_host.Read(now, m_tx.GetTime(), payload - inlined));
        m_tx.Next(TX_BUILD, frame);
        m_tx.Next(TX_CRC, payload, payload > 0 ? 1 : 0);
        m_tx.Next(TX_MAC, frame);
        at = m_tx.GetTime();
    }
    if (payload > 0 && m_config.txFlow > 0)
    {
        at = std::max(at, flow.nextOut);
        flow.nextOut = at + m_config.txFlow;
    }
    flow.lastOut = std::max(flow.lastOut, at);
    departure.at = flow.lastOut;
    return departure;
}

RnicDatapath::Arrival
RnicDatapath::Receive(RnicTime now, Flow& flow, uint32_t frame)
{
    Arrival arrival;
    arrival.admitted = m_buffer.Admit(now, frame);
    if (!arrival.admitted)
    {
        return arrival;
    }
    m_rx.Enter(now);
    m_rx.Next(RX_MAC, frame);
    if (m_config.receiver == RnicReceiver::HOST_SOFTWARE)
    {
        const RnicTime written = m_host.Write(now, m_rx.GetTime(), frame);
        m_buffer.HoldUntil(frame, written);
        const bool joins = Joins(m_rxBurst, now, flow.key, frame, m_config.cpu.receiveOffload);
        // the adapter's descriptor is its CQE; one for all that it has gathered
        RnicTime known = joins ? m_host.GetVisible(written) : m_host.Complete(now, written);
        const RnicTime time = joins ? 0 : m_config.cpu.packetTime;
        if (!joins && m_config.cpu.receiveOffload > 0)
        {
            m_rxBurst.begin = known;
        }
        known = UseCpu(now, known, flow.key, time);
        arrival.beforeClassify = known;
        arrival.toTcp = std::max(known, flow.lastIn);
        flow.lastIn = arrival.toTcp;
        return arrival;
    }
    m_rx.Next(RX_TCP, frame);
    arrival.beforeClassify = m_rx.GetTime();
    m_rx.Next(RX_CLASSIFY, frame);
    m_rx.WaitUntil(FetchContext(now, m_rx.GetTime(), flow.key, arrival.contextHit));
    arrival.toTcp = std::max(m_rx.GetTime(), flow.lastIn);
    flow.lastIn = arrival.toTcp;
    return arrival;
}

RnicDatapath::Placement
RnicDatapath::Place(RnicTime now,
                    const Flow& flow,
                    const Arrival& arrival,
                    uint32_t frame,
                    const RnicOps& ops,
                    const MpaPlacementList& placements)
{
    Placement placement;
    uint64_t placed = 0;
    uint64_t fromMemory = 0;
    for (const auto& ulpdu : placements)
    {
        placed += ulpdu.octets;
        fromMemory += ulpdu.fromMemory;
    }
    if (m_config.receiver == RnicReceiver::HOST_SOFTWARE)
    {
        placement.crcDone = UseCpu(now, now, flow.key, m_crcRate.Take(ops.crcOctets));
        placement.done =
            UseCpu(now, placement.crcDone, flow.key, m_copyRate.Take(placed + ops.localStore));
        placement.visible = placement.done;
        return placement;
    }

    const bool aligned = ops.slowPath == 0;
    RnicTime extra = 0;
    if (!aligned)
    {
        extra = m_config.slowPath + ops.stateFetch * m_config.stateFetch +
                (ops.partialCrcFetch + ops.partialCrcStore) * m_config.partialCrc +
                ops.markerSearch * m_config.markerSearch;
    }
    RnicTime held = arrival.toTcp;
    if (m_config.receiver == RnicReceiver::STORE_AND_FORWARD)
    {
        held = m_memory.Access(now, held, frame);  // all of it goes in …
        held = m_memory.Access(now, held, placed); // … and comes out again
    }
    else
    {
        m_memory.Access(now, held, ops.localStore);
        held = m_memory.Access(now, held, fromMemory);
    }
    m_rx.Enter(held);
    m_rx.Next(RX_MPA, frame, ops.lengthRead, extra);
    const bool beside =
        aligned && m_config.crcParallel && m_config.receiver == RnicReceiver::FLOW_THROUGH;
    if (beside)
    {
        const RnicTime before = m_rx.GetTime();
        m_rx.Enter(arrival.beforeClassify);
        m_rx.Next(RX_CRC, ops.crcOctets, ops.crcRun);
        m_rx.WaitUntil(before);
    }
    else
    {
        m_rx.Next(RX_CRC, ops.crcOctets, ops.crcRun);
    }
    placement.crcDone = m_rx.GetTime();
    m_rx.Next(RX_PLACE, placed, ops.copy);
    auto& translations = placement.translations;
    for (const auto& ulpdu : placements)
    {
        const uint64_t region = ulpdu.region > 0 ? ulpdu.region : flow.key;
        if (ulpdu.octets == 0 || (!translations.empty() && translations.back().region == region))
        {
            continue;
        }
        translations.push_back({region, m_translations.Access(region)});
        if (!translations.back().hit)
        {
            m_rx.WaitUntil(m_host.Read(now, m_rx.GetTime(), m_config.translationSize));
        }
    }
    placement.done = m_host.Write(now, m_rx.GetTime(), placed);
    placement.visible = m_host.GetVisible(placement.done);
    m_buffer.HoldUntil(frame, placement.done);
    return placement;
}

void
RnicDatapath::Discard(const Arrival& arrival, uint32_t frame)
{
    if (m_config.receiver != RnicReceiver::HOST_SOFTWARE)
    {
        m_buffer.HoldUntil(frame, arrival.toTcp);
    }
}

void
RnicDatapath::Forget(RnicTime now, const Flow& flow)
{
    m_contexts.Invalidate(flow.key);
    m_translations.Invalidate(flow.key);
    m_memory.Forget(now, flow.key);
}

RnicHostInterface&
RnicDatapath::GetHost()
{
    return m_host;
}

RnicReassemblyMemory&
RnicDatapath::GetMemory()
{
    return m_memory;
}

RnicPacketBuffer&
RnicDatapath::GetBuffer()
{
    return m_buffer;
}

const RnicPipeline&
RnicDatapath::GetRxPipeline() const
{
    return m_rx;
}

const RnicPipeline&
RnicDatapath::GetTxPipeline() const
{
    return m_tx;
}

const RnicCache&
RnicDatapath::GetContextCache() const
{
    return m_contexts;
}

const RnicCache&
RnicDatapath::GetTranslationCache() const
{
    return m_translations;
}

const RnicConfig&
RnicDatapath::GetConfig() const
{
    return m_config;
}

RnicTime
RnicDatapath::GetCpuBusy() const
{
    RnicTime busy = 0;
    for (const auto& cpu : m_cpus)
    {
        busy += cpu.GetBusy();
    }
    return busy;
}

} // namespace ns3
