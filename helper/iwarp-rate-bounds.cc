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

/// @param metrics of a run @param name of a time @return it, s; 0 if it is not there
double
FindTime(const std::vector<AppMetric>& metrics, const std::string& name)
{
    const auto found = std::find_if(metrics.begin(), metrics.end(), [&name](const auto& metric) {
        return metric.name == name;
    });
    return found == metrics.end() ? 0 : found->value;
}

/**
 * @brief Choose for each path the part that has the least for each path that has to cross it.
 * @tparam P part
 * @param paths parts that each has to cross
 * @param find tells the rate of a part
 * @return the parts chosen, which all paths cross
 */
template <typename P>
std::set<P>
FindNarrowest(const std::vector<std::vector<P>>& paths, const std::function<double(P)>& find)
{
    std::map<P, double> shares;
    for (const auto& path : paths)
    {
        for (const auto& part : path)
        {
            shares[part]++;
        }
    }
    for (auto& [part, share] : shares)
    {
        share = find(part) / share;
    }
    const auto less = [&shares](const P& a, const P& b) { return shares.at(a) < shares.at(b); };
    std::set<P> chosen;
    for (const auto& path : paths)
    {
        if (!path.empty())
        {
            chosen.insert(*std::min_element(path.begin(), path.end(), less));
        }
    }
    return chosen;
}

/// What an RNIC does for a pair of hosts
enum class Duty : uint8_t
{
    READ,  //!< of host memory
    WRITE, //!< to it
    BEGIN, //!< of messages
};

/// A host and what its RNIC does
using Bus = std::pair<uint32_t, Duty>;

/// @param paths parts that each pair has to cross @param find tells what an RNIC can do
/// @return what they leave to all pairs together
double
Sum(const std::vector<std::vector<Bus>>& paths,
    const std::function<RateBounds::Host(uint32_t)>& find)
{
    const auto rate = [&find](const Bus& bus) {
        const auto host = find(bus.first);
        return bus.second == Duty::READ    ? host.fromHost
               : bus.second == Duty::WRITE ? host.toHost
                                           : host.messages;
    };
    double sum = 0;
    for (const auto& bus : FindNarrowest<Bus>(paths, rate))
    {
        sum += rate(bus);
    }
    return sum;
}

} // namespace

RateBounds::RateBounds(const IwarpNetwork& network,
                       const IwarpTopology::Ends& ends,
                       uint32_t headers)
{
    std::vector<std::vector<Way>> paths;
    for (const auto& [from, to] : ends)
    {
        paths.push_back(FindWays(network, from, to));
    }
    const auto rate = [&network](const Way& way) {
        return double(network.GetLink(way.first).rate.GetBitRate());
    };
    for (const auto& way : FindNarrowest<Way>(paths, rate))
    {
        const auto& link = network.GetLink(way.first);
        const double datagrams = rate(way) / framing::GetWireOctets(link.framing, link.mtu);
        m_tcp += datagrams * (link.mtu - headers);
        m_payload += datagrams * (link.mtu - headers - MPA - TAGGED);
    }
}

void
RateBounds::AddHosts(const IwarpTopology::Ends& ends, const std::function<Host(uint32_t)>& find)
{
    std::vector<std::vector<Bus>> there;
    std::vector<std::vector<Bus>> back;
    std::vector<std::vector<Bus>> senders;
    std::vector<std::vector<Bus>> receivers;
    for (const auto& [from, to] : ends)
    {
        there.push_back({{from, Duty::READ}, {to, Duty::WRITE}});
        back.push_back({{to, Duty::READ}, {from, Duty::WRITE}});
        senders.push_back({{from, Duty::BEGIN}});
        receivers.push_back({{to, Duty::BEGIN}});
    }
    m_there = Sum(there, find);
    m_back = Sum(back, find);
    m_begunThere = Sum(senders, find);
    m_begunBack = Sum(receivers, find);
}

void
RateBounds::SetHeld(double octets)
{
    m_held = OCTET * octets;
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

std::vector<RateBounds::Limit>
RateBounds::ListLimits(const std::vector<AppMetric>& metrics) const
{
    constexpr const char* links = "links and headers leave";
    constexpr const char* hosts = "host interfaces leave";
    // requests of the storage service go one way, data both ways
    const uint32_t request = MPA + UNTAGGED + RdmaStorageMessage::SIZE;
    const bool storage = Any(metrics, {"storage_requests"});
    const double data = storage ? BOTH * m_payload : m_payload;
    // whichever way data go
    const double placed = storage ? m_there + m_back : std::max(m_there, m_back);
    const double begun = storage ? m_begunThere + m_begunBack : std::max(m_begunThere, m_begunBack);

    const bool warm = Any(metrics, {"warm_up"});
    const bool verbs = storage || Any(metrics, {"perf_msg_rate"});
    const bool holes = Any(metrics, {"retransmitted_octets", "fpdus_passed_out_of_order"});
    const bool plainHoles = Any(metrics, {"plain_tcp_retransmitted_octets"});
    const double duration = FindTime(metrics, "duration");
    const double early = m_held / duration;
    const double earlyPlain = m_held / FindTime(metrics, "plain_tcp_duration");
    const double earlyCommon = m_held / FindTime(metrics, "common_time");
    return {{"goodput", data + (warm && holes ? early : 0), links},
            {"goodput", placed + (warm ? early : 0), hosts},
            {"common_goodput", data + (holes ? earlyCommon : 0), links},
            {"common_goodput", placed + earlyCommon, hosts},
            {"storage_goodput", data, links},
            {"storage_goodput", placed, hosts},
            {"storage_request_rate", m_tcp / OCTET / request, links},
            {"plain_tcp_goodput", m_tcp + (warm && plainHoles ? earlyPlain : 0), links},
            {"perf_bw_average", holes ? NONE : m_payload, links},
            {"perf_bw_peak", holes ? NONE : m_payload, links},
            {"messages", verbs && !warm ? begun * duration : NONE, "RNICs begin"}};
}

std::string
RateBounds::Check(const std::vector<AppMetric>& metrics) const
{
    const auto limits = ListLimits(metrics);
    for (const auto& metric : metrics)
    {
        // in a series the name ends with a size
        const auto stem = metric.name.find_last_not_of("0123456789");
        const bool series = stem + 1 < metric.name.size() && metric.name[stem] == '_';
        const std::string name = series ? metric.name.substr(0, stem) : metric.name;
        for (const auto& limit : limits)
        {
            if (limit.metric == name && metric.value > ROUNDING * limit.most)
            {
                std::ostringstream text;
                text << metric.name << " is " << metric.value << " " << metric.unit
                     << ", more than the " << limit.most << " " << metric.unit << " that "
                     << limit.by << ": what measures it, or the model, is wrong";
                return text.str();
            }
        }
    }
    return "";
}

} // namespace iwarp
} // namespace ns3
