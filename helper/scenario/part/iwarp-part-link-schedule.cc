/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "iwarp-part-link-schedule.h"

#include "iwarp-part-network.h"

#include "ns3/iwarp-scenario-network.h"
#include "ns3/iwarp-scenario-parts.h"
#include "ns3/iwarp-workload.h"
#include "ns3/ns3-compat.h"
#include "ns3/path-link-schedule.h"
#include "ns3/string.h"

#include <algorithm>
#include <set>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(IwarpLinkSchedulePart);

namespace
{

constexpr uint32_t SMALLEST_MTU6 = 1280; //!< octets that every link takes (RFC 8200 section 5)

} // namespace

TypeId
IwarpLinkSchedulePart::GetTypeId()
{
    using iwarp::PathPlace;
    static TypeId tid =
        TypeId("ns3::IwarpLinkSchedulePart")
            .SetParent<IwarpScenarioPart>()
            .SetGroupName("Iwarp")
            .AddConstructor<IwarpLinkSchedulePart>()
            .AddAttribute(
                "LinkSchedule",
                "Changes of links in mid-run, such as "
                "10ms:rate=1Gbps,20ms:delay=1ms,25ms:mtu=1000,30ms:down,31ms:up, at simulated "
                "times; "
                "the first flow starts at 1ms",
                StringValue(""),
                MakeStringAccessor(&IwarpLinkSchedulePart::m_schedule),
                MakeStringChecker())
            .AddAttribute("LinkSchedulePlace",
                          "Links that change: those of the sending hosts, those between routers, "
                          "or those of the receiving hosts",
                          iwarp::MakeEnumValue(PathPlace::CORE),
                          iwarp::MakeEnumAccessor(&IwarpLinkSchedulePart::m_place),
                          iwarp::MakePlaceChecker());
    return tid;
}

IwarpLinkSchedulePart::IwarpLinkSchedulePart() = default;
IwarpLinkSchedulePart::~IwarpLinkSchedulePart() = default;

bool
IwarpLinkSchedulePart::IsIdle() const
{
    return m_schedule.empty();
}

std::string
IwarpLinkSchedulePart::Check() const
{
    std::vector<PathLinkChange> changes;
    const std::string problem = ParseLinkSchedule(m_schedule, changes);
    return problem.empty() ? "" : "LinkSchedule: " + problem;
}

std::string
IwarpLinkSchedulePart::CheckWith(const iwarp::ScenarioParts& parts) const
{
    std::vector<PathLinkChange> changes;
    ParseLinkSchedule(m_schedule, changes);
    const auto isMtu = [](const PathLinkChange& change) {
        return change.kind == PathLinkChange::Kind::MTU;
    };
    if (parts.GetWorkload()->GetTransport() == IwarpWorkload::Transport::UDP &&
        std::any_of(changes.begin(), changes.end(), isMtu))
    {
        return "LinkSchedule, Workload: queue pairs of go-back-n and selective-repeat keep their "
               "MTU; leave mtu= out";
    }
    const bool narrow =
        std::any_of(changes.begin(), changes.end(), [](const PathLinkChange& change) {
            return change.kind == PathLinkChange::Kind::MTU && change.mtu < SMALLEST_MTU6;
        });
    return narrow && parts.Get<IwarpNetworkPart>()->IsIpv6()
               ? "LinkSchedule: every link of IPv6 takes 1280 octets"
               : "";
}

std::string
IwarpLinkSchedulePart::CheckNetwork(const iwarp::ScenarioParts& /* parts */,
                                    const IwarpNetwork& network,
                                    const IwarpTopology::Ends& ends) const
{
    return IsIdle() ? "" : CheckPlace("LinkSchedulePlace", network, ends, m_place);
}

void
IwarpLinkSchedulePart::Install(iwarp::ScenarioNetwork& network) const
{
    std::vector<PathLinkChange> changes;
    const std::string problem = ParseLinkSchedule(m_schedule, changes);
    NS_ABORT_MSG_UNLESS(problem.empty(), problem);
    std::set<uint32_t> links;
    for (const auto& hop : FindHops(network.GetNetwork(), network.GetEnds(), m_place, false))
    {
        if (links.insert(hop.link).second)
        {
            network.GetNetwork().ScheduleChanges(hop.link, changes);
        }
    }
}

} // namespace ns3
