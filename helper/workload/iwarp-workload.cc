/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "iwarp-workload.h"

#include "ns3/boolean.h"
#include "ns3/ipv4-raw-socket-factory.h"
#include "ns3/ipv6-raw-socket-factory.h"
#include "ns3/iwarp-rate-bounds.h"
#include "ns3/packet-socket-factory.h"
#include "ns3/socket-factory.h"
#include "ns3/udp-socket-factory.h"
#include "ns3/uinteger.h"

#include <utility>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(IwarpWorkload);

TypeId
IwarpWorkload::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::IwarpWorkload")
            .SetParent<Object>()
            .SetGroupName("Iwarp")
            .AddAttribute("QueueDepth",
                          "Messages posted and not wholly given to TCP; with Intervals, those that "
                          "find so many are refused [messages]",
                          UintegerValue(16),
                          MakeUintegerAccessor(&IwarpWorkload::m_queueDepth),
                          MakeUintegerChecker<uint32_t>(1))
            .AddAttribute("Backed",
                          "Messages have real content, which the receivers compare; Atomics have "
                          "none",
                          BooleanValue(false),
                          MakeBooleanAccessor(&IwarpWorkload::m_backed),
                          MakeBooleanChecker())
            .AddAttribute("Dscp",
                          "DSCP that the adapters of hosts with flows give datagrams that have "
                          "none, by which queues choose among Priorities",
                          UintegerValue(0),
                          MakeUintegerAccessor(&IwarpWorkload::m_dscp),
                          MakeUintegerChecker<uint8_t>(0, PathPriorities::DSCPS - 1));
    return tid;
}

IwarpWorkload::IwarpWorkload() = default;
IwarpWorkload::~IwarpWorkload() = default;

std::string
IwarpWorkload::CheckRanks() const
{
    return "Workload: both ends of its flows share what they know, so they cannot be of several "
           "ranks; mpa, rdma-write, rdma-read and send can";
}

std::string
IwarpWorkload::CheckProtocol(const TypeId& factory)
{
    const auto is = [&factory](const TypeId& type) {
        return factory == type || factory.IsChildOf(type);
    };
    const bool stream =
        factory.IsChildOf(SocketFactory::GetTypeId()) && !is(UdpSocketFactory::GetTypeId()) &&
        !is(Ipv4RawSocketFactory::GetTypeId()) && !is(Ipv6RawSocketFactory::GetTypeId()) &&
        !is(PacketSocketFactory::GetTypeId());
    return stream ? ""
                  : "Protocol: " + factory.GetName() +
                        " is no socket factory of TCP, such as ns3::MpaTcpSocketFactory or "
                        "ns3::TcpSocketFactory";
}

std::string
IwarpWorkload::Check() const
{
    return "";
}

uint8_t
IwarpWorkload::GetDscp() const
{
    return m_dscp;
}

uint64_t
IwarpWorkload::GetTotal(uint32_t flows) const
{
    return GetOctets() * flows;
}

bool
IwarpWorkload::CountsInHost() const
{
    return false;
}

std::vector<IwarpWorkload::OwnSetting>
IwarpWorkload::ListOwnSettings() const
{
    return {};
}

uint64_t
IwarpWorkload::GetWarmUp() const
{
    return 0;
}

uint64_t
IwarpWorkload::GetMaxOctets() const
{
    return IsShared() ? 0 : GetOctets();
}

bool
IwarpWorkload::IsShared() const
{
    return GetWarmUp() > 0;
}

bool
IwarpWorkload::NeedsAllFlows() const
{
    return IsShared();
}

bool
IwarpWorkload::IsPaced() const
{
    return false;
}

bool
IwarpWorkload::IsBothWays() const
{
    return false;
}

IwarpWorkload::Transport
IwarpWorkload::GetTransport() const
{
    return Transport::TCP;
}

IwarpWorkload::Headers
IwarpWorkload::GetHeaders(uint32_t ip, uint32_t tcp) const
{
    return {ip + tcp, iwarp::RateBounds::FPDU_HEADERS};
}

IwarpWorkload::LoadBasis
IwarpWorkload::GetLoadBasis() const
{
    return LoadBasis::SHARE;
}

std::string
IwarpWorkload::ChooseEnds(const std::function<std::vector<std::string>()>& /* hosts */,
                          IwarpTopology::Ends& /* ends */)
{
    return "";
}

bool
IwarpWorkload::HasStage() const
{
    return false;
}

void
IwarpWorkload::Begin(const Stage& /* stage */)
{
}

std::vector<std::string>
IwarpWorkload::ListCautions() const
{
    return {};
}

bool
IwarpWorkload::EndsWithAck() const
{
    return false;
}

int64_t
IwarpWorkload::CountStreams() const
{
    return 2;
}

void
IwarpWorkload::EnablePcap(const std::string& /* prefix */)
{
}

void
IwarpWorkload::Restart()
{
    m_before = {};
    Count(m_before);
}

void
IwarpWorkload::Count(iwarp::MetricSet& /* counts */) const
{
}

void
IwarpWorkload::ReportCounts(iwarp::MetricSet& metrics)
{
    Count(metrics);
    const iwarp::MetricSet before = std::exchange(m_before, {});
    for (const auto& metric : before.Get())
    {
        metrics.Add(metric.name, -metric.value);
    }
}

std::string
IwarpWorkload::GetReport() const
{
    return "";
}

bool
IwarpWorkload::IsBacked() const
{
    return m_backed;
}

uint32_t
IwarpWorkload::GetQueueDepth() const
{
    return m_queueDepth;
}

} // namespace ns3
