/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rnic-estimate.h"

#include "rnic-datapath.h"

#include <algorithm>
#include <functional>
#include <queue>
#include <tuple>
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

} // namespace

RnicEstimate::RnicEstimate(const RnicConfig& config, DataRate link)
    : m_config(config),
      m_link(link.GetBitRate())
{
}

double
RnicEstimate::GetWriteLatency(uint32_t octets) const
{
    const uint32_t fpdu = FpduSize(octets, 14);
    const uint32_t frame = fpdu + HEADERS;
    RnicDatapath sender(m_config);
    RnicDatapath receiver(m_config);
    RnicDatapath::Flow out;
    RnicDatapath::Flow in;
    RnicRate wire(m_link);
    RnicTime latency = 0;
    for (RnicTime now : {RnicTime(0), RnicTime(1'000'000'000)}) // the first warms the caches
    {
        const bool host = m_config.receiver == RnicReceiver::HOST_SOFTWARE;
        const RnicTime begin = host ? now : sender.GetHost().Post(now, now, octets);
        const bool inlined = sender.GetHost().IsInline(octets);
        const RnicTime left = sender.Transmit(begin, out, frame, fpdu, inlined ? fpdu : 0).at;
        const auto arrival = receiver.Receive(left + wire.Take(frame + WIRE), in, frame);
        const auto placed = receiver.Place(arrival.toTcp,
                                           in,
                                           arrival,
                                           frame,
                                           Operations(fpdu, true),
                                           {{octets, 0, 0}});
        latency = placed.visible + (host ? 0 : m_config.host.pollTime) - now;
    }
    return static_cast<double>(latency) / SECOND;
}

double
RnicEstimate::GetRate(uint32_t connections,
                      uint32_t fpdu,
                      uint32_t payload,
                      bool aligned,
                      bool inlined) const
{
    const uint32_t n = 6000;
    const uint32_t frame = fpdu + HEADERS;
    RnicConfig config = m_config;
    config.packetBuffer = UINT64_MAX; // what waits here would wait at the sender, for its window
    RnicDatapath sender(config);
    RnicDatapath receiver(config);
    std::vector<RnicDatapath::Flow> out(connections);
    std::vector<RnicDatapath::Flow> in(connections);
    std::vector<std::pair<RnicTime, uint32_t>> left;
    for (uint32_t i = 0; i < n; ++i)
    {
        auto& flow = out[i % connections];
        flow.key = in[i % connections].key = i % connections;
        left.emplace_back(sender.Transmit(0, flow, frame, fpdu, inlined ? fpdu : 0).at,
                          i % connections);
    }
    std::stable_sort(left.begin(), left.end(), [](const auto& a, const auto& b) {
        return a.first < b.first;
    });
    // frames that TCP gets, by the time at which it does
    using Delivery = std::tuple<RnicTime, uint32_t, uint32_t>;
    std::priority_queue<Delivery, std::vector<Delivery>, std::greater<>> delivered;
    std::vector<RnicDatapath::Arrival> arrivals;
    std::vector<RnicTime> done;
    const RnicOps ops = Operations(fpdu, aligned);
    auto place = [&](RnicTime until) {
        while (!delivered.empty() && std::get<0>(delivered.top()) <= until)
        {
            const auto [at, number, connection] = delivered.top();
            delivered.pop();
            const auto& flow = in[connection];
            done.push_back(receiver
                               .Place(at,
                                      flow,
                                      arrivals[number],
                                      frame,
                                      ops,
                                      {{payload, aligned ? 0 : payload / 2, 0}})
                               .done);
        }
    };
    RnicRate wire(m_link);
    RnicTime free = 0;
    for (const auto& [at, connection] : left)
    {
        free = std::max(free, at) + wire.Take(frame + WIRE);
        place(free);
        arrivals.push_back(receiver.Receive(free, in[connection], frame));
        delivered.emplace(arrivals.back().toTcp,
                          static_cast<uint32_t>(arrivals.size() - 1),
                          connection);
    }
    place(INT64_MAX);
    std::sort(done.begin(), done.end());
    const std::size_t begin = n / 4; // from when on everything is full
    return static_cast<double>(done.size() - 1 - begin) /
           (static_cast<double>(done.back() - done[begin]) / SECOND);
}

double
RnicEstimate::GetWriteRate(uint32_t octets) const
{
    return GetRate(1,
                   FpduSize(octets, 14),
                   octets,
                   true,
                   RnicHostInterface(m_config.host).IsInline(octets));
}

double
RnicEstimate::GetThroughput(uint32_t connections, bool aligned, uint32_t header) const
{
    const uint32_t payload = EMSS - 6 - header;
    return GetRate(connections, EMSS, payload, aligned, false) * payload * 8;
}

} // namespace ns3
