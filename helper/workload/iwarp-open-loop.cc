/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "iwarp-open-loop.h"

#include "ns3/app-distribution.h"
#include "ns3/app-message-sizes.h"
#include "ns3/double.h"
#include "ns3/iwarp-link-loads.h"
#include "ns3/simulator.h"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <fstream>
#include <sstream>
#include <utility>

namespace ns3
{
namespace iwarp
{
namespace
{

using Merge = MetricMerge;

const MetricDeclarations g_loopMetrics{std::vector<MetricInfo>{
    {"connections_opened",
     "connections",
     "Connections that were made because a message arrived: each with Connections=own, with pool "
     "those that joined it, with ConnectOnDemand all; told with ArrivalWindow",
     Merge::SUM},
    {"messages_waited",
     "messages",
     "Messages that waited for a connection of their hosts, as none was idle and PoolGrows is "
     "false; told with ArrivalWindow",
     Merge::SUM},
}};

constexpr uint32_t GRID = 1000; //!< sizes that stand for a distribution

/// @param values in any order @param p share @return the smallest that at least so many do not
/// exceed
uint64_t
FindOrder(std::vector<uint64_t>& values, double p)
{
    const auto rank = static_cast<std::size_t>(std::ceil(p * static_cast<double>(values.size())));
    const auto place =
        values.begin() + static_cast<std::ptrdiff_t>(std::max<std::size_t>(rank, 1)) - 1;
    std::nth_element(values.begin(), place, values.end());
    return *place;
}

} // namespace

OpenLoop::OpenLoop(const Settings& settings, const FlowListener& listener, CarrierFactory make)
    : m_settings(settings),
      m_listener(listener),
      m_make(std::move(make))
{
    m_listener.totals->loop = true;
}

OpenLoop::~OpenLoop()
{
    for (const auto& slot : m_slots)
    {
        if (slot.carrier)
        {
            slot.carrier->Detach();
        }
    }
}

// ---- before the first message -------------------------------------------------------------------

void
OpenLoop::AddFlow(const IwarpWorkload::Flow& flow)
{
    const auto [place, isNew] =
        m_pairIndices.emplace(flow.pair, static_cast<uint32_t>(m_pairs.size()));
    if (isNew)
    {
        m_pairs.emplace_back();
        m_pairs.back().flow = flow;
    }
    Pair& pair = m_pairs[place->second];
    pair.slots.push_back(AddSlot(place->second, flow));
    pair.share += flow.share;
}

uint32_t
OpenLoop::AddSlot(uint32_t pair, const IwarpWorkload::Flow& flow)
{
    const auto number = static_cast<uint32_t>(m_slots.size());
    m_slots.emplace_back();
    m_slots.back().pair = pair;
    m_slots.back().start = flow.start;
    m_slots.back().flow = std::make_unique<IwarpWorkload::Flow>(flow);
    if (!m_settings.onDemand)
    {
        MakeCarrier(number);
    }
    return number;
}

void
OpenLoop::MakeCarrier(uint32_t number)
{
    using Kind = MessageCarrier::Kind;
    const Kind kind = m_settings.use == ConnectionUse::OWN ? Kind::SINGLE : Kind::LASTING;
    Slot& slot = m_slots[number];
    slot.carrier = m_make(*slot.flow, kind, *this);
    slot.flow = nullptr;
    m_slotOf[PeekPointer(slot.carrier)] = number;
}

void
OpenLoop::Begin(const IwarpWorkload::Stage& stage)
{
    m_stage = stage;
    if (m_settings.file)
    {
        const double last = m_settings.file->ListMessages().back().time.GetSeconds();
        for (auto& pair : m_pairs)
        {
            pair.share = 0;
        }
        for (const auto& message : m_settings.file->ListMessages())
        {
            Pair& pair = m_pairs[m_pairIndices.at(message.pair)];
            pair.share += last > 0 ? 8.0 * message.octets / last : 0;
        }
    }
    else
    {
        MakeSources();
    }
    CheckCapacity();
    m_window.SetBins(m_settings.bins);
    m_window.SetEdges(ListEdges());
    const bool later = m_settings.onDemand || m_settings.use == ConnectionUse::OWN;
    Time first = Time::Max();
    for (uint32_t i = 0; i < m_slots.size(); i++)
    {
        Pair& pair = m_pairs[m_slots[i].pair];
        first = std::min(first, m_slots[i].start);
        if (later)
        {
            pair.idle.push_back(i);
            continue;
        }
        m_missing++;
        const uint32_t node = pair.flow.sender->GetId();
        Simulator::ScheduleWithContext(node, m_slots[i].start, &OpenLoop::Open, this, i);
    }
    if (later)
    {
        Simulator::Schedule(first, &OpenLoop::Start, this);
    }
}

void
OpenLoop::MakeSources()
{
    std::map<uint64_t, std::size_t> sources; // by what tells them apart
    for (uint32_t slot = 0; slot < m_slots.size(); slot++)
    {
        const Pair& pair = m_pairs[m_slots[slot].pair];
        const uint64_t key = m_settings.source == ArrivalSource::PAIR   ? m_slots[slot].pair
                             : m_settings.source == ArrivalSource::HOST ? pair.flow.from
                                                                        : 0;
        const auto [place, isNew] = sources.emplace(key, m_sources.size());
        if (isNew)
        {
            m_sources.emplace_back();
            Source& source = m_sources.back();
            source.node = pair.flow.sender->GetId();
            source.sizes = m_settings.makeSizes();
            source.choice = CreateObject<UniformRandomVariable>();
            source.sizes->SetStream(pair.flow.stream);
            source.choice->SetStream(pair.flow.stream + 1);
        }
        Source& source = m_sources[place->second];
        source.slots.push_back(slot);
        source.share += pair.share / static_cast<double>(pair.slots.size());
        source.until.push_back(source.share);
    }
    double capacity = 0;
    const double mean = FindMean(m_settings.makeSizes()).value_or(0);
    for (Source& source : m_sources)
    {
        const double load = m_settings.load * source.share; // bit/s
        source.arrivals = m_settings.makeArrivals(load > 0 ? 8 * mean / load : 0);
        const Pair& pair = m_pairs[m_slots[source.slots.front()].pair];
        source.arrivals->AssignStreams(pair.flow.stream + 2);
        capacity += source.share;
    }
    m_window.SetCapacity(m_settings.load > 0 ? capacity : 0);
}

double
OpenLoop::GetExpansion() const
{
    const auto& path = *m_pairs.front().flow.path;
    double payload = 0;
    double wire = 0;
    const auto add = [&path, &payload, &wire](uint64_t octets) {
        payload += static_cast<double>(octets);
        wire += static_cast<double>(path.GetWireOctets(octets));
    };
    if (m_settings.file)
    {
        for (const auto& message : m_settings.file->ListMessages())
        {
            add(message.octets);
        }
        return wire / payload;
    }
    const auto sizes = m_settings.makeSizes();
    for (uint32_t i = 0; i < GRID; i++)
    {
        const auto size = FindQuantile(sizes, (i + 0.5) / GRID);
        add(std::max<uint64_t>(1, std::llround(size.value_or(path.GetPayload()))));
    }
    return wire / payload;
}

void
OpenLoop::CheckCapacity() const
{
    LinkLoads loads(*m_stage.network);
    const double by = m_settings.file ? 1 : m_settings.load;
    if (by <= 0)
    {
        return; // Intervals say nothing of a rate
    }
    const double expansion = by * GetExpansion();
    for (const Pair& pair : m_pairs)
    {
        loads.Add(pair.flow.from, pair.flow.to, expansion * pair.share);
    }
    using Kind = LinkLoads::Kind;
    for (const auto& [kind, name] :
         {std::pair(Kind::EDGE, "of a host"), std::pair(Kind::CORE, "between routers")})
    {
        const auto busiest = loads.FindBusiest(kind);
        if (busiest.load > 1)
        {
            std::ostringstream text;
            text << (m_settings.file ? "Arrivals" : "Load, LoadBasis") << ": with what is around "
                 << "payload, messages take " << std::llround(100 * busiest.load)
                 << " % of the rate of link " << busiest.link << ", one " << name
                 << ": queues grow as long as they arrive, and so do the times of messages";
            m_stage.caution(text.str());
        }
    }
}

std::vector<uint64_t>
OpenLoop::ListEdges() const
{
    std::vector<uint64_t> edges;
    auto listed = m_settings.file ? m_settings.file->ListSizes() : std::vector<uint64_t>();
    const auto sizes = m_settings.file ? nullptr : m_settings.makeSizes();
    for (uint32_t bin = 1; bin <= m_settings.bins; bin++)
    {
        const double p = double(bin) / m_settings.bins;
        const auto size = m_settings.file ? std::optional<double>(FindOrder(listed, p))
                                          : FindQuantile(sizes, std::min(p, 1 - 1e-9));
        if (!size)
        {
            return {};
        }
        const auto edge = std::max<uint64_t>(1, std::llround(*size));
        if (edges.empty() || edge > edges.back())
        {
            edges.push_back(edge);
        }
    }
    return edges;
}

void
OpenLoop::Open(uint32_t slot)
{
    if (!m_slots[slot].carrier)
    {
        m_opened += m_settings.use != ConnectionUse::OWN; // of those, each message counts
        MakeCarrier(slot);
    }
    m_slots[slot].opening = true;
    m_stage.connect(m_pairs[m_slots[slot].pair].flow.from);
    m_slots[slot].carrier->Open();
}

void
OpenLoop::HandleReady(MessageCarrier& carrier)
{
    const uint32_t number = m_slotOf.at(&carrier);
    Slot& slot = m_slots[number];
    slot.ready = true;
    for (const Message& message : slot.messages)
    {
        carrier.Post(message.octets);
    }
    if (!m_started)
    {
        if (m_settings.use == ConnectionUse::POOL)
        {
            m_pairs[slot.pair].idle.push_back(number);
        }
        if (--m_missing == 0)
        {
            Simulator::ScheduleNow(&OpenLoop::Start, this);
        }
    }
}

void
OpenLoop::Start()
{
    m_started = true;
    m_start = Simulator::Now();
    const auto open = [this, before = m_opened] {
        m_opened = before; // those that were there at the start, without what the warm-up opened
        m_waited = 0;
        m_stage.restart();
        m_window.Open(Simulator::Now());
    };
    if (m_settings.warmUp.IsZero())
    {
        open();
    }
    else
    {
        Simulator::Schedule(m_settings.warmUp, open);
    }
    const Time end = m_settings.window.IsZero()
                         ? m_settings.file->ListMessages().back().time + TimeStep(1)
                         : m_settings.warmUp + m_settings.window;
    Simulator::Schedule(end, &OpenLoop::CloseWindow, this);
    for (std::size_t source = 0; source < m_sources.size(); source++)
    {
        ScheduleNext(source);
    }
    if (m_settings.file)
    {
        Simulator::Schedule(m_settings.file->ListMessages().front().time,
                            &OpenLoop::ReadNext,
                            this);
    }
}

// ---- messages arrive ----------------------------------------------------------------------------

void
OpenLoop::ScheduleNext(std::size_t source)
{
    constexpr double LONGEST = 1e6; // seconds, longer than any run
    const double gap = std::clamp(m_sources[source].arrivals->DrawGap(), 0.0, LONGEST);
    Simulator::ScheduleWithContext(m_sources[source].node,
                                   std::max(Seconds(gap), NanoSeconds(1)),
                                   &OpenLoop::Draw,
                                   this,
                                   source);
}

void
OpenLoop::Draw(std::size_t number)
{
    if (m_stopped)
    {
        return;
    }
    ScheduleNext(number);
    const Source& source = m_sources[number];
    const uint64_t octets = DrawMessageSize(source.sizes);
    const double drawn = source.choice->GetValue(0, source.share);
    const auto place = std::upper_bound(source.until.begin(), source.until.end() - 1, drawn);
    Arrive(source.slots[static_cast<std::size_t>(place - source.until.begin())], octets);
}

void
OpenLoop::ReadNext()
{
    const auto& messages = m_settings.file->ListMessages();
    const Time now = Simulator::Now() - m_start;
    for (; m_next < messages.size() && messages[m_next].time <= now; m_next++)
    {
        Pair& pair = m_pairs[m_pairIndices.at(messages[m_next].pair)];
        Arrive(pair.slots[pair.read++ % pair.slots.size()], messages[m_next].octets);
    }
    if (m_next < messages.size())
    {
        Simulator::Schedule(messages[m_next].time - now, &OpenLoop::ReadNext, this);
    }
}

void
OpenLoop::Arrive(uint32_t slot, uint64_t octets)
{
    const Time now = Simulator::Now();
    const uint32_t index = m_slots[slot].pair;
    if (m_settings.limit > 0 && m_pairs[index].underWay >= m_settings.limit)
    {
        m_window.Refuse(now, octets, index);
        return;
    }
    m_pairs[index].underWay++;
    const Message message{m_window.Arrive(now, octets, index), octets};
    if (m_settings.use == ConnectionUse::MULTIPLEXED)
    {
        Give(slot, message);
    }
    else if (!m_pairs[index].idle.empty())
    {
        const uint32_t idle = m_pairs[index].idle.back();
        m_pairs[index].idle.pop_back();
        m_opened += m_settings.use == ConnectionUse::OWN;
        Give(idle, message);
    }
    else if (m_settings.grows || m_settings.use == ConnectionUse::OWN)
    {
        m_opened += !m_settings.onDemand || m_settings.use == ConnectionUse::OWN;
        Give(AddSlot(index, m_stage.add(m_pairs[index].flow.pair)), message);
    }
    else
    {
        m_waited++;
        m_pairs[index].waiting.push_back(message);
    }
}

void
OpenLoop::Give(uint32_t number, const Message& message)
{
    Slot& slot = m_slots[number];
    slot.messages.push_back(message);
    if (slot.ready)
    {
        slot.carrier->Post(message.octets);
    }
    else if (!slot.opening)
    {
        Open(number);
    }
}

void
OpenLoop::HandleMessage(MessageCarrier& carrier)
{
    const uint32_t number = m_slotOf.at(&carrier);
    Slot& slot = m_slots[number];
    Pair& pair = m_pairs[slot.pair];
    const Message message = slot.messages.front();
    slot.messages.pop_front();
    pair.underWay--;
    m_window.End(message.ticket,
                 Simulator::Now(),
                 pair.flow.path->GetTime(message.octets, m_settings.ideal));
    m_listener.totals->messages++;
    m_listener.totals->lastMessage = Simulator::Now();
    m_listener.message(message.octets);
    if (m_settings.use == ConnectionUse::OWN)
    {
        slot.opening = false;
        slot.ready = false;
    }
    if (m_settings.use != ConnectionUse::MULTIPLEXED)
    {
        if (pair.waiting.empty())
        {
            pair.idle.push_back(number);
        }
        else
        {
            const Message next = pair.waiting.front();
            pair.waiting.pop_front();
            Give(number, next);
        }
    }
    if (m_window.IsComplete())
    {
        Stop();
    }
}

// ---- the end ------------------------------------------------------------------------------------

void
OpenLoop::CloseWindow()
{
    m_window.Close(Simulator::Now());
    if (m_window.IsComplete())
    {
        Stop();
    }
    else if (!m_settings.drain.IsZero())
    {
        Simulator::Schedule(m_settings.drain, &OpenLoop::Stop, this);
    }
}

void
OpenLoop::Stop()
{
    if (!std::exchange(m_stopped, true))
    {
        m_stage.stop();
    }
}

void
OpenLoop::Report(MetricSet& metrics)
{
    m_window.Report(metrics, Simulator::Now());
    metrics.Add("connections_opened", m_opened);
    metrics.Add("messages_waited", m_waited);
    for (const auto& slot : m_slots)
    {
        if (slot.carrier)
        {
            slot.carrier->Detach();
            slot.carrier->Finish(metrics);
        }
    }
}

std::vector<std::string>
OpenLoop::ListCautions() const
{
    return m_window.ListCautions();
}

std::string
OpenLoop::WriteLog() const
{
    if (m_settings.log.empty())
    {
        return "";
    }
    std::ofstream out(m_settings.log);
    out << "time,source,destination,octets,taken,slowdown,end\n";
    out.precision(17);
    for (const auto& message : m_window.ListMessages())
    {
        const auto& flow = m_pairs[message.flow].flow;
        out << (message.arrival - m_start).GetSeconds() << ',' << flow.from << ',' << flow.to << ','
            << message.octets << ',';
        if (message.ended)
        {
            out << message.taken.GetSeconds() << ',' << message.slowdown << ",completed\n";
        }
        else
        {
            out << ",," << (message.refused ? "refused" : "censored") << '\n';
        }
    }
    out.close();
    return out ? "" : "MessageLog: " + m_settings.log + ": " + std::strerror(errno);
}

} // namespace iwarp
} // namespace ns3
