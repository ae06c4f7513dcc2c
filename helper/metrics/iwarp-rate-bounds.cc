/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "iwarp-rate-bounds.h"

#include "ns3/iwarp-link-shares.h"
#include "ns3/nvme-pdu.h"
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
constexpr double EDGES = 1e-2;        //!< of a rate; what more of segments at the ends of the time
                                      //!< make of it is no rate
constexpr uint32_t MPA = 2 + 4;       //!< octets of an FPDU's length and CRC
constexpr uint32_t UNTAGGED = 18;     //!< octets of the header of an untagged DDP segment
constexpr double OCTET = 8;           //!< bits

/// @param metrics of a run @param names of some @return whether one of these is more than 0
bool
Any(const std::vector<AppMetric>& metrics, const std::set<std::string>& names)
{
    return std::any_of(metrics.begin(), metrics.end(), [&names](const AppMetric& metric) {
        return metric.value > 0 && names.count(metric.name) > 0;
    });
}

/// @param metrics of a run @param name of one @return its value; 0 if it is not there
double
Find(const std::vector<AppMetric>& metrics, const std::string& name)
{
    const auto found = std::find_if(metrics.begin(), metrics.end(), [&name](const auto& metric) {
        return metric.name == name;
    });
    return found == metrics.end() ? 0 : found->value;
}

/// @param bits on top @param time of a rate, s; 0 if there is none @return the rate that they are
double
Divide(double bits, double time)
{
    return bits > 0 ? bits / time : 0;
}

/**
 * @param paths parts that each has to cross
 * @param find tells the rate of a part
 * @return the narrowest parts of all paths, none twice
 */
template <typename P>
std::set<P>
ChoosePath(const std::vector<std::vector<P>>& paths, const std::function<double(P)>& find)
{
    std::set<P> chosen;
    for (const auto& [part, share] : FindNarrowest<P>(paths, find))
    {
        if (share > 0)
        {
            chosen.insert(part);
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
SumRates(const std::vector<std::vector<Bus>>& paths,
         const std::function<RateBounds::Host(uint32_t)>& find)
{
    const auto rate = [&find](const Bus& bus) {
        const auto host = find(bus.first);
        return bus.second == Duty::READ    ? host.fromHost
               : bus.second == Duty::WRITE ? host.toHost
                                           : host.messages;
    };
    double sum = 0;
    for (const auto& bus : ChoosePath<Bus>(paths, rate))
    {
        sum += rate(bus);
    }
    return sum;
}

} // namespace

RateBounds::RateBounds(const IwarpNetwork& network,
                       const IwarpTopology::Ends& ends,
                       uint32_t headers,
                       uint32_t message,
                       bool bothWays)
    : m_ends(ends)
{
    std::vector<std::vector<Way>> paths;
    const auto rate = [&network](const Way& way) {
        return double(network.GetLink(way.first).rate.GetBitRate());
    };
    const auto sum = [&network, &paths, &rate](uint32_t besides) {
        double payload = 0;
        for (const auto& way : ChoosePath<Way>(paths, rate))
        {
            const auto& link = network.GetLink(way.first);
            payload +=
                rate(way) / framing::GetWireOctets(link.framing, link.mtu) * (link.mtu - besides);
        }
        return payload;
    };
    for (const auto& [from, to] : ends)
    {
        paths.push_back(FindWays(network, from, to));
    }
    m_tcp = sum(headers);
    for (const auto& [from, to] : bothWays ? ends : IwarpTopology::Ends())
    {
        m_ends.emplace_back(to, from);
        paths.push_back(FindWays(network, to, from));
    }
    m_payload = sum(headers + message);
}

void
RateBounds::AddHosts(const std::function<Host(uint32_t)>& find)
{
    std::vector<std::vector<Bus>> there;
    std::vector<std::vector<Bus>> back;
    std::vector<std::vector<Bus>> senders;
    std::vector<std::vector<Bus>> receivers;
    for (const auto& [from, to] : m_ends)
    {
        there.push_back({{from, Duty::READ}, {to, Duty::WRITE}});
        back.push_back({{to, Duty::READ}, {from, Duty::WRITE}});
        senders.push_back({{from, Duty::BEGIN}});
        receivers.push_back({{to, Duty::BEGIN}});
    }
    m_there = SumRates(there, find);
    m_back = SumRates(back, find);
    m_begunThere = SumRates(senders, find);
    m_begunBack = SumRates(receivers, find);
}

void
RateBounds::SetHeld(double octets)
{
    m_held = OCTET * octets;
}

void
RateBounds::SetInRnics(double start, double together)
{
    m_inRnics = OCTET * start;
    m_inRnicsTogether = OCTET * together;
}

void
RateBounds::SetSegments(double octets)
{
    m_segments = OCTET * octets;
}

double
RateBounds::GetSegments() const
{
    return m_segments / OCTET;
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
RateBounds::ListLimits(const std::vector<AppMetric>& metrics, const std::string& suffix) const
{
    constexpr const char* links = "links and headers leave";
    constexpr const char* hosts = "host interfaces leave";
    const uint32_t request = MPA + UNTAGGED + RdmaStorageMessage::SIZE;
    const uint32_t command = nvme::GetHeaderSize(NvmePduType::CAPSULE_CMD);
    // whichever way data go
    const double placed = std::max(m_there, m_back);
    const double begun = std::max(m_begunThere, m_begunBack);

    const bool warm = Any(metrics, {"warm_up", "plain_tcp_warm_up"});
    const bool verbs = Any(metrics, {"perf_msg_rate", "storage_requests"});
    const bool holes = Any(metrics, {"retransmitted_octets", "fpdus_passed_out_of_order"});
    // between the links and what counts payload: octets behind holes, which may have been filled
    // before all counts began, and what CPUs have to do yet
    const bool waits =
        holes || Any(metrics, {"rnic_cpu_time", "rnic_memory_peak", "reassembly_peak"});
    const bool plainHoles = Any(metrics, {"plain_tcp_retransmitted_octets"});
    const double duration = Find(metrics, "duration");
    const double early = m_held / duration;
    const double plain = Find(metrics, "plain_tcp_duration");
    const double earlyPlain = m_held / plain;
    const double common = Find(metrics, "common_time");
    const double earlyCommon = m_held / common;
    // links had passed it before
    const double passed = waits ? early : Divide(m_inRnics, duration);
    const double passedCommon = waits ? earlyCommon : Divide(m_inRnicsTogether, common);
    const double perf = Find(metrics, "perf_bw_average" + suffix);
    const double perfOctets =
        Find(metrics, "perf_iterations" + suffix) * Find(metrics, "perf_size" + suffix);
    const double measured = perfOctets > 0 ? perfOctets * OCTET / perf : NONE;
    return {{"goodput", m_payload + (warm ? passed : 0), links, warm ? duration : NONE},
            {"goodput", placed + (warm ? early : 0), hosts},
            {"common_goodput", m_payload + passedCommon, links, common},
            {"common_goodput", placed + earlyCommon, hosts},
            {"storage_goodput", m_payload, links},
            {"storage_goodput", placed, hosts},
            {"storage_request_rate", m_tcp / OCTET / request, links},
            {"nvme_goodput", m_payload, links},
            {"nvme_goodput", placed, hosts},
            {"nvme_request_rate", m_tcp / OCTET / command, links},
            {"plain_tcp_goodput",
             m_tcp + (warm && plainHoles ? earlyPlain : 0),
             links,
             warm ? plain : NONE},
            {"perf_bw_average", holes ? NONE : m_payload, links, measured},
            {"perf_bw_peak", holes ? NONE : m_payload, links, measured},
            {"messages", verbs && !warm ? begun * duration : NONE, "RNICs begin"}};
}

std::string
RateBounds::Check(const std::vector<AppMetric>& metrics) const
{
    std::map<std::string, std::vector<Limit>> limits; // by the size that names of a series end with
    for (const auto& metric : metrics)
    {
        // in a series the name ends with a size
        const auto stem = metric.name.find_last_not_of("0123456789");
        const bool series = stem + 1 < metric.name.size() && metric.name[stem] == '_';
        const std::string name = series ? metric.name.substr(0, stem) : metric.name;
        const std::string suffix = metric.name.substr(name.size());
        if (limits.count(suffix) == 0)
        {
            limits[suffix] = ListLimits(metrics, suffix);
        }
        for (const auto& limit : limits[suffix])
        {
            // what began the time may have brought some of what counts
            const double edge = m_segments / limit.time;
            const double most = limit.most + (edge < EDGES * limit.most ? edge : 0);
            if (limit.metric == name && metric.value > ROUNDING * most)
            {
                std::ostringstream text;
                const bool brief = metric.value <= limit.most + edge;
                if (brief)
                {
                    text << (name.rfind("perf_", 0) == 0 ? "PerfIterations" : "Octets")
                         << ": too few for a rate: in " << limit.time << " s ";
                }
                text << metric.name << " is " << metric.value << " " << metric.unit
                     << ", more than the " << limit.most << " " << metric.unit << " that "
                     << limit.by
                     << (brief ? ", as a segment that ends one message may begin the next"
                               : ": what measures it, or the model, is wrong");
                return text.str();
            }
        }
    }
    return "";
}

} // namespace iwarp
} // namespace ns3
