/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "iwarp-part-tcp.h"

#include "ns3/boolean.h"
#include "ns3/iwarp-qualified-name.h"
#include "ns3/iwarp-queue-watch.h"
#include "ns3/iwarp-scenario-network.h"
#include "ns3/iwarp-scenario-parts.h"
#include "ns3/rnic-tcp-profile.h"
#include "ns3/string.h"
#include "ns3/tcp-congestion-ops.h"
#include "ns3/tcp-dctcp.h"
#include "ns3/tcp-receive-window.h"
#include "ns3/uinteger.h"

#include <algorithm>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(IwarpTcpPart);

namespace
{

constexpr uint64_t MAX_BUFFER = 1 << 30; //!< octets that TCP's window scale option can tell
constexpr const char* SOCKET_TYPE = "TcpL4Protocol.SocketType"; //!< has the congestion control

/// @return whether connections ask for ECN
bool
HasEcn()
{
    iwarp::QualifiedAttribute found;
    return iwarp::FindAttribute("TcpSocketBase.UseEcn", found).empty() &&
           found.info.initialValue->SerializeToString(found.info.checker) == "On";
}

/// @return what keeps Rack, which is on, from what it is for; "" if nothing does
std::string
GetRackCaution()
{
    using iwarp::ScenarioParts;
    if (!ScenarioParts::GetDefault<BooleanValue>("MpaTcpSocket.Rack"))
    {
        return "";
    }
    if (!ScenarioParts::GetDefault<BooleanValue>("TcpSocketBase.Sack"))
    {
        return "Rack, Sack: RACK-TLP wants SACK (RFC 8985 section 4), so it is not used";
    }
    if (!ScenarioParts::GetDefault<BooleanValue>("MpaTcpSocket.Dsack"))
    {
        return "Rack, Dsack: no receiver tells of segments that came twice, so the reordering "
               "window stays a quarter of a round trip; Dsack=true has it adapt";
    }
    return "";
}

} // namespace

TypeId
IwarpTcpPart::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::IwarpTcpPart")
            .SetParent<IwarpScenarioPart>()
            .SetGroupName("Iwarp")
            .AddConstructor<IwarpTcpPart>()
            .AddAttribute("TcpProfile",
                          "TCP as an adapter has it: none, or a profile, whose figures hold for "
                          "what is not set, congestion control among them",
                          StringValue("none"),
                          MakeStringAccessor(&IwarpTcpPart::m_profile),
                          MakeStringChecker())
            .AddAttribute("CongestionControl",
                          "Congestion control of TCP: an ns-3 TcpCongestionOps, with or without "
                          "ns3:: before it",
                          StringValue("TcpCubic"),
                          MakeStringAccessor(&IwarpTcpPart::m_congestionControl),
                          MakeStringChecker())
            .AddAttribute("WindowRate",
                          "Rate that the receive window is to allow over WindowRtt; their product "
                          "replaces ReceiveBuffer (RFC 5041 Appendix A). 0 leaves ReceiveBuffer",
                          DataRateValue(DataRate(0)),
                          MakeDataRateAccessor(&IwarpTcpPart::m_windowRate),
                          MakeDataRateChecker())
            .AddAttribute("WindowRtt",
                          "Round-trip time that WindowRate reckons with",
                          TimeValue(Time(0)),
                          MakeTimeAccessor(&IwarpTcpPart::m_windowRtt),
                          MakeTimeChecker(Time(0), Seconds(60)));
    return tid;
}

IwarpTcpPart::IwarpTcpPart() = default;
IwarpTcpPart::~IwarpTcpPart() = default;

bool
IwarpTcpPart::IsIdle() const
{
    return false;
}

std::vector<std::string>
IwarpTcpPart::ListNames(const std::string& attribute) const
{
    std::vector<std::string> names;
    if (attribute == "TcpProfile")
    {
        names = RnicTcpProfile::GetNames();
        names.emplace(names.begin(), "none");
    }
    return names;
}

std::string
IwarpTcpPart::Check() const
{
    TypeId tid;
    if (!FindCongestionControl(m_congestionControl, tid))
    {
        return "CongestionControl: '" + m_congestionControl +
               "' is no ns-3 congestion control; such are TcpNewReno, TcpCubic, TcpDctcp, TcpBbr";
    }
    return (m_windowRate.GetBitRate() > 0) != m_windowRtt.IsStrictlyPositive()
               ? "WindowRate, WindowRtt: the window is their product, so give both or neither"
               : "";
}

std::string
IwarpTcpPart::CheckWith(const iwarp::ScenarioParts& parts) const
{
    using iwarp::ScenarioParts;
    if (ScenarioParts::GetDefault<TimeValue>("TcpSocket.DelAckTimeout") >=
        ScenarioParts::GetDefault<TimeValue>("TcpSocketBase.MinRto"))
    {
        return "DelayedAck: it has to be less than MinRto, or a lone segment would be sent again "
               "before its ACK comes";
    }
    const uint64_t packets = 2 * uint64_t{parts.GetMtu()};
    const uint64_t buffers[] = {ScenarioParts::GetDefault<UintegerValue>("TcpSocket.SndBufSize"),
                                ScenarioParts::GetDefault<UintegerValue>("TcpSocket.RcvBufSize")};
    if (*std::min_element(std::begin(buffers), std::end(buffers)) < packets ||
        *std::max_element(std::begin(buffers), std::end(buffers)) > MAX_BUFFER)
    {
        return "SendBuffer, ReceiveBuffer, or WindowRate times WindowRtt: each has to hold two "
               "packets of Mtu octets, and 1 GiB at most";
    }
    const uint64_t memory = ScenarioParts::GetDefault<UintegerValue>("MpaStream.ReassemblyMemory");
    if (memory > 0 && memory < packets)
    {
        return "ReassemblyMemory: 0, or at least two packets of Mtu octets";
    }
    return "";
}

std::string
IwarpTcpPart::CheckRanks(const iwarp::ScenarioParts& /* parts */) const
{
    return "";
}

void
IwarpTcpPart::SetDefaults(iwarp::ScenarioParts& parts) const
{
    for (const auto& figure : RnicTcpProfile::Get(m_profile))
    {
        if (figure.path != SOCKET_TYPE)
        {
            parts.Derive(figure.path, StringValue(figure.value), "");
        }
    }
    TypeId congestionControl;
    if (FindCongestionControl(GetCongestionControl(parts), congestionControl))
    {
        parts.Derive(SOCKET_TYPE, TypeIdValue(congestionControl), "CongestionControl");
    }
    if (m_windowRate.GetBitRate() > 0 && m_windowRtt.IsStrictlyPositive())
    {
        parts.GetSettings().SetDefault("TcpSocket.RcvBufSize",
                                       UintegerValue(TcpWindowFor(m_windowRate, m_windowRtt)));
    }
}

void
IwarpTcpPart::Install(iwarp::ScenarioNetwork& network) const
{
    const auto& parts = network.GetParts();
    if (parts.GetWorkload()->GetTransport() != IwarpWorkload::Transport::TCP)
    {
        return; // its packets are ECN-capable, and it has no congestion control
    }
    TypeId type;
    const std::string congestionControl = GetCongestionControl(parts);
    const bool isDctcp = FindCongestionControl(congestionControl, type) &&
                         (type == TcpDctcp::GetTypeId() || type.IsChildOf(TcpDctcp::GetTypeId()));
    const bool isEcn = HasEcn();
    const bool marking = iwarp::QueueWatch::HasMarking(network.GetNetwork());
    if (isDctcp && !marking)
    {
        network.AddCaution("CongestionControl, QueueDisc: no queue marks packets, so " +
                           congestionControl +
                           " is told of congestion by loss alone; QueueDisc=threshold marks");
    }
    else if (isEcn && !marking)
    {
        network.AddCaution("Ecn, QueueDisc: no queue marks packets, so ECN has no effect; "
                           "QueueDisc=threshold marks");
    }
    if (const std::string caution = GetRackCaution(); !caution.empty())
    {
        network.AddCaution(caution);
    }
    if (parts.GetWorkload()->EndsWithAck() &&
        iwarp::ScenarioParts::GetDefault<UintegerValue>("TcpSocket.DelAckCount") > 1)
    {
        network.AddCaution("IdealTime, TcpSocket.DelAckCount: messages end when they are "
                           "acknowledged, for which a receiver may wait DelayedAck; "
                           "TcpSocket.DelAckCount=1 has it not wait");
    }
    if (parts.GetSetting("IwarpTopology.QueueDisc") == "threshold" && !isDctcp && !isEcn)
    {
        network.AddCaution("QueueDisc, Ecn: without ECN all that finds MarkingThreshold waiting "
                           "is dropped; Ecn=On has it marked");
    }
}

std::string
IwarpTcpPart::GetCongestionControl(const iwarp::ScenarioParts& parts) const
{
    if (parts.GetSetup().given.count("CongestionControl") == 0)
    {
        for (const auto& figure : RnicTcpProfile::Get(m_profile))
        {
            if (figure.path == SOCKET_TYPE)
            {
                return figure.value;
            }
        }
    }
    return m_congestionControl;
}

bool
IwarpTcpPart::FindCongestionControl(const std::string& name, TypeId& tid)
{
    return (TypeId::LookupByNameFailSafe(name, &tid) ||
            TypeId::LookupByNameFailSafe("ns3::" + name, &tid)) &&
           tid.HasConstructor() &&
           (tid.IsChildOf(TcpCongestionOps::GetTypeId()) ||
            tid.GetName() == "ns3::TcpCubic"); // older releases name a wrong parent for it
}

} // namespace ns3
