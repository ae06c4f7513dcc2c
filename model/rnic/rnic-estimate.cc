/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rnic-estimate.h"

#include "ns3/uinteger.h"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <memory>
#include <queue>
#include <utility>
#include <vector>

namespace ns3
{

namespace
{

constexpr uint32_t HEADERS = 20 + 20 + 18; // octets of TCP, IPv4 and Ethernet around a payload
constexpr uint32_t WIRE = 20;              // octets of preamble and gap that a link needs besides
constexpr uint32_t EMSS = 1460;            // MTU 1500, IPv4, no options
constexpr double SECOND = 1e12;            // ps
constexpr uint32_t SEGMENTS = 6000;        // that a rate is taken from

// @param octets payload @param header of DDP @return octets of its FPDU
uint32_t
FpduSize(uint32_t octets, uint32_t header)
{
    return (2 + header + octets + 3) / 4 * 4 + 4;
}

// @param fpdu octets of a segment @param aligned it is an FPDU, or else the end of one and the
// beginning of another @return what a receiver does for it
RnicOps
Operations(uint32_t fpdu, bool aligned)
{
    RnicOps ops;
    ops.lengthRead = 1;
    ops.crcRun = ops.copy = ops.addressComputation = aligned ? 1 : 2;
    ops.crcOctets = fpdu;
    if (!aligned)
    {
        ops.stateFetch = ops.partialCrcFetch = ops.partialCrcStore = ops.slowPath = 1;
        ops.localStore = fpdu / 2;
    }
    return ops;
}

// when a segment leaves its sender, and its connection
using Departure = std::pair<RnicTime, uint32_t>;

// when TCP gets a segment, and its number
using Delivery = std::pair<RnicTime, std::size_t>;

// @param design of an RNIC @return its datapath, started
std::unique_ptr<RnicDatapath>
Start(const RnicDesign& design)
{
    auto path = design.Make();
    path->Start();
    return path;
}

// TCP and MPA look at a segment as soon as it is there. @param segment from the receive pipeline
// @param ops what the receiver has to do @param placements what goes to the host
void
Found(RnicSegment& segment, const RnicOps& ops, const MpaPlacementList& placements)
{
    segment.now = segment.time;
    segment.ops = &ops;
    segment.placements = &placements;
}

// Send many segments back to back. @param sender datapath @param connections in turn
// @param fpdu octets of each segment @param messages each segment is a message of its own
// @return segments in the order in which they leave
std::vector<Departure>
SendAll(RnicDatapath& sender, uint32_t connections, uint32_t fpdu, bool messages)
{
    std::vector<RnicConnectionState> states(connections);
    std::vector<Departure> sent;
    RnicTime now = 0;
    for (uint32_t i = 0; i < SEGMENTS; ++i)
    {
        const uint32_t connection = i % connections;
        states[connection].key = connection;
        if (messages)
        {
            now = sender.GetQueuePairs().Begin(now, states[connection].sends, SEGMENTS - i);
        }
        RnicSegment segment;
        segment.connection = &states[connection];
        segment.now = now;
        segment.frame = fpdu + HEADERS;
        segment.payload = fpdu;
        sender.Transmit(segment);
        sent.emplace_back(segment.time, connection);
    }
    std::stable_sort(sent.begin(), sent.end(), [](const auto& a, const auto& b) {
        return a.first < b.first;
    });
    return sent;
}

// Receive and place segments that come over one link. @param receiver datapath @param sent when
// they leave @param connections so many @param wire the link @param fpdu octets of each segment
// @param ops what the receiver has to do for each @param placements what goes to the host of each
// @return when each one is in the host, in that order
std::vector<RnicTime>
PlaceAll(RnicDatapath& receiver,
         const std::vector<Departure>& sent,
         uint32_t connections,
         RnicRate wire,
         uint32_t fpdu,
         const RnicOps& ops,
         const MpaPlacementList& placements)
{
    const uint32_t frame = fpdu + HEADERS;
    std::vector<RnicConnectionState> states(connections);
    std::vector<RnicSegment> segments;
    std::vector<RnicTime> placed;
    // frames that TCP gets, by the time at which it does
    std::priority_queue<Delivery, std::vector<Delivery>, std::greater<>> delivered;
    auto place = [&](RnicTime until) {
        while (!delivered.empty() && delivered.top().first <= until)
        {
            RnicSegment& segment = segments[delivered.top().second];
            delivered.pop();
            Found(segment, ops, placements);
            receiver.Place(segment);
            placed.push_back(segment.time);
        }
    };
    RnicTime free = 0;
    for (const auto& [at, connection] : sent)
    {
        free = std::max(free, at) + wire.Take(frame + WIRE);
        place(free);
        states[connection].key = connection;
        RnicSegment segment;
        segment.connection = &states[connection];
        segment.now = free;
        segment.frame = frame;
        receiver.Receive(segment);
        delivered.emplace(segment.time, segments.size());
        segments.push_back(segment);
    }
    place(INT64_MAX);
    std::sort(placed.begin(), placed.end());
    return placed;
}

} // namespace

RnicEstimate::RnicEstimate(const RnicDesign& design, DataRate link)
    : m_design(design),
      m_link(link.GetBitRate())
{
}

double
RnicEstimate::GetWriteLatency(uint32_t octets) const
{
    const uint32_t fpdu = FpduSize(octets, 14);
    const RnicOps ops = Operations(fpdu, true);
    const MpaPlacementList placements{{octets, 0, 0}};
    const auto sender = Start(m_design);
    const auto receiver = Start(m_design);
    RnicConnectionState out;
    RnicConnectionState in;
    RnicRate wire(m_link);
    RnicTime latency = 0;
    for (RnicTime now : {RnicTime(0), RnicTime(1'000'000'000)}) // the first warms the caches
    {
        RnicSegment sent;
        sent.connection = &out;
        const bool inlined = sender->GetQueuePairs().Ring(now, out.sends, octets, 0);
        sent.now = sender->GetQueuePairs().Begin(now, out.sends, 1);
        sent.frame = fpdu + HEADERS;
        sent.payload = fpdu;
        sent.inlined = inlined ? fpdu : 0;
        sender->Transmit(sent);

        RnicSegment received;
        received.connection = &in;
        received.now = sent.time + wire.Take(sent.frame + WIRE);
        received.frame = sent.frame;
        receiver->Receive(received);
        Found(received, ops, placements);
        receiver->Place(received);
        latency = received.seen - now;
    }
    return static_cast<double>(latency) / SECOND;
}

double
RnicEstimate::GetRate(uint32_t connections,
                      uint32_t fpdu,
                      uint32_t payload,
                      bool aligned,
                      bool messages) const
{
    RnicDesign design = m_design;
    // what waits in the packet buffer would wait at the sender, for its window
    design.Set("PacketBuffer.Capacity", UintegerValue(0));
    const auto sent = SendAll(*Start(design), connections, fpdu, messages);
    const auto placed = PlaceAll(*Start(design),
                                 sent,
                                 connections,
                                 RnicRate(m_link),
                                 fpdu,
                                 Operations(fpdu, aligned),
                                 {{payload, aligned ? 0 : payload / 2, 0}});
    const std::size_t begin = placed.size() / 4; // from when on everything is full
    return static_cast<double>(placed.size() - 1 - begin) /
           (static_cast<double>(placed.back() - placed[begin]) / SECOND);
}

double
RnicEstimate::GetWriteRate(uint32_t octets) const
{
    return GetRate(1, FpduSize(octets, 14), octets, true, true);
}

double
RnicEstimate::GetThroughput(uint32_t connections, bool aligned, uint32_t header) const
{
    const uint32_t payload = EMSS - 6 - header;
    return GetRate(connections, EMSS, payload, aligned, false) * payload * 8;
}

} // namespace ns3
