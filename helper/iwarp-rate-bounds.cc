/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "iwarp-rate-bounds.h"

#include "ns3/rdma-storage-message.h"

#include <algorithm>
#include <map>
#include <set>
#include <sstream>
#include <utility>

namespace ns3
{
namespace iwarp
{
namespace
{

constexpr double ROUNDING = 1 + 1e-9; //!< rates are rounded
constexpr uint32_t MPA = 2 + 4;       //!< octets of an FPDU's length and CRC
constexpr uint32_t TAGGED = 14;       //!< octets of the header of a tagged DDP segment
constexpr uint32_t UNTAGGED = 18;     //!< of an untagged one
constexpr double BOTH = 2;            //!< directions
constexpr double OCTET = 8;           //!< bits

/// A link in one direction
using Way = std::pair<uint32_t, PathDirection>;

/// @param network it @param from host @param to host @return links that all packets cross
std::vector<Way>
FindWays(const IwarpNetwork& network, uint32_t from, uint32_t to)
{
    const auto hops = network.GetPath(from, to);
    std::set<Ptr<Node>> nodes;
    std::vector<Way> ways;
    for (const auto& [link, direction] : hops)
    {
        const uint32_t end = direction == PathDirection::A_TO_B ? 0 : 1;
        nodes.insert(network.GetLinkDevices(link).Get(end)->GetNode());
        ways.emplace_back(link, direction);
    }
    if (nodes.size() < hops.size()) // a router has several next hops
    {
        ways = {ways.front(), ways.back()};
    }
    return ways;
}

/// @param metrics of a run @param names of some @return whether one of these is more than 0
bool
Any(const std::vector<AppMetric>& metrics, const std::set<std::string>& names)
{
    return std::any_of(metrics.begin(), metrics.end(), [&names](const AppMetric& metric) {
        return metric.value > 0 && names.count(metric.name) > 0;
    });
}

} // namespace

RateBounds::RateBounds(const IwarpNetwork& network,
                       const IwarpTopology::Ends& ends,
                       uint32_t headers)
{
    std::vector<std::vector<Way>> paths;
    std::map<Way, double> shares;
    for (const auto& [from, to] : ends)
    {
        paths.push_back(FindWays(network, from, to));
        for (const auto& way : paths.back())
        {
            shares[way]++;
        }
    }
    for (auto& [way, share] : shares)
    {
        share = double(network.GetLink(way.first).rate.GetBitRate()) / share;
    }
    const auto less = [&shares](const Way& a, const Way& b) { return shares.at(a) < shares.at(b); };
    std::set<Way> chosen;
    for (const auto& path : paths)
    {
        if (!path.empty())
        {
            chosen.insert(*std::min_element(path.begin(), path.end(), less));
        }
    }
    for (const auto& way : chosen)
    {
        const auto& link = network.GetLink(way.first);
        const double datagrams =
            double(link.rate.GetBitRate()) / framing::GetWireOctets(link.framing, link.mtu);
        m_tcp += datagrams * (link.mtu - headers);
        m_payload += datagrams * (link.mtu - headers - MPA - TAGGED);
    }
}

double
RateBounds::GetTcp() const
{
    return m_tcp;
}

double
RateBounds::GetPayload() const
{
    return m_payload;
}

std::string
RateBounds::Check(const std::vector<AppMetric>& metrics) const
{
    // requests of the storage service go one way, data both ways
    const uint32_t request = MPA + UNTAGGED + RdmaStorageMessage::SIZE;
    const bool warm = Any(metrics, {"warm_up"});
    const bool storage = Any(metrics, {"storage_requests"});
    const double data = storage ? BOTH * m_payload : m_payload;
    std::map<std::string, double> bounds{{"goodput", data},
                                         {"common_goodput", data},
                                         {"storage_goodput", data},
                                         {"storage_request_rate", m_tcp / OCTET / request},
                                         {"plain_tcp_goodput", m_tcp},
                                         {"perf_bw_average", m_payload},
                                         {"perf_bw_peak", m_payload}};
    if (Any(metrics, {"retransmitted_octets", "fpdus_passed_out_of_order"}))
    {
        // what waited behind a hole when the time began that these are of comes on top of them
        for (const auto* name : {"common_goodput", "perf_bw_average", "perf_bw_peak"})
        {
            bounds.erase(name);
        }
        if (warm)
        {
            bounds.erase("goodput");
        }
    }
    if (warm && Any(metrics, {"plain_tcp_retransmitted_octets"}))
    {
        bounds.erase("plain_tcp_goodput");
    }
    for (const auto& metric : metrics)
    {
        // in a series the name ends with a size
        const auto stem = metric.name.find_last_not_of("0123456789");
        const bool series = stem + 1 < metric.name.size() && metric.name[stem] == '_';
        const auto bound = bounds.find(series ? metric.name.substr(0, stem) : metric.name);
        if (bound != bounds.end() && metric.value > ROUNDING * bound->second)
        {
            std::ostringstream text;
            text << metric.name << " is " << metric.value << " " << metric.unit
                 << ", more than the " << bound->second << " " << metric.unit
                 << " that links and headers leave: what measures it, or the model, is wrong";
            return text.str();
        }
    }
    return "";
}

} // namespace iwarp
} // namespace ns3
