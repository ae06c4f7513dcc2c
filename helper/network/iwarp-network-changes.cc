/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "iwarp-network.h"

#include "ns3/abort.h"
#include "ns3/double.h"
#include "ns3/log.h"
#include "ns3/path-ethernet-channel.h"
#include "ns3/path-link-schedule.h"
#include "ns3/path-random-impairment.h"
#include "ns3/path-ranks.h"
#include "ns3/point-to-point-net-device.h"
#include "ns3/simulator.h"

#include <algorithm>

/**
 * @file
 * @ingroup iwarp-helper
 * IwarpNetwork: what links can be, and those that change while packets cross them.
 */

namespace ns3
{
namespace
{

/// @param devices of a link @param delay propagation delay, which parts with boxes between share
void
SetDelay(const NetDeviceContainer& devices, Time delay)
{
    const Ptr<Channel> a = devices.Get(0)->GetChannel();
    const Ptr<Channel> b = devices.Get(1)->GetChannel();
    const Time half = TimeStep(delay.GetTimeStep() / 2);
    a->SetAttribute("Delay", TimeValue(a == b ? delay : half));
    if (a != b)
    {
        b->SetAttribute("Delay", TimeValue(delay - half));
    }
}

} // namespace

std::string
IwarpNetwork::CheckDelay(Time delay)
{
    // seconds, since with the finest resolutions Time itself ends before that
    const double seconds = delay.GetSeconds();
    return delay.IsStrictlyNegative() || seconds > 1000000
               ? "its delay has to be 0 s to 1000000 s, not " + std::to_string(seconds) + " s"
               : "";
}

std::string
IwarpNetwork::CheckLink(const Link& link, bool ipv6)
{
    const uint32_t leastMtu = ipv6 ? 1280 : 68; // RFC 8200 section 5, RFC 791 section 3.2
    if (link.rate.GetBitRate() == 0)
    {
        return "its rate has to be more than 0";
    }
    if (link.mtu < leastMtu || link.mtu > UINT16_MAX)
    {
        return "its MTU has to be " + std::to_string(leastMtu) + " to 65535 octets, not " +
               std::to_string(link.mtu);
    }
    return link.queue.GetValue() == 0 ? "its queue has to hold a packet" : CheckDelay(link.delay);
}

const IwarpNetwork::Link&
IwarpNetwork::Accept(const Link& link)
{
    static const Link usual;
    const std::string problem = CheckLink(link, m_ipv6);
    if (!problem.empty() && m_problem.empty())
    {
        m_problem = "link " + std::to_string(GetNLinks()) + ": " + problem;
    }
    return problem.empty() ? link : usual;
}

const std::string&
IwarpNetwork::GetProblem() const
{
    return m_problem;
}

void
IwarpNetwork::ScheduleChanges(uint32_t link, const std::vector<PathLinkChange>& changes)
{
    using Kind = PathLinkChange::Kind;
    NS_LOG_FUNCTION(this << link << changes.size());
    NS_ABORT_MSG_IF(link >= GetNLinks(), "IwarpNetwork: no such link");
    const NetDeviceContainer devices = m_cables[link].devices;
    std::vector<Ptr<PathRandomImpairment>> cuts;
    const auto isCut = [](const auto& change) {
        return change.kind == Kind::DOWN || change.kind == Kind::UP;
    };
    if (std::any_of(changes.begin(), changes.end(), isCut))
    {
        for (const auto direction : {PathDirection::A_TO_B, PathDirection::B_TO_A})
        {
            cuts.push_back(CreateObject<PathRandomImpairment>());
            cuts.back()->SetAttribute("Loss", DoubleValue(1));
            cuts.back()->Disable();
            Impair(link, direction, cuts.back());
        }
    }
    for (const auto& change : changes)
    {
        // ranks run ahead of each other by the least delay that there is at the start
        NS_ABORT_MSG_IF(change.kind == Kind::DELAY && change.delay < GetLink(link).delay &&
                            ranks::AreApart(devices.Get(0), devices.Get(1)),
                        "IwarpNetwork: the delay of a link between ranks does not shrink");
        if (change.kind == Kind::RATE)
        {
            auto& rate = m_cables[link].link.rate;
            rate = std::max(rate, change.rate);
        }
        Simulator::Schedule(change.at, [devices, change, cuts] {
            switch (change.kind)
            {
            case Kind::RATE:
                for (const uint32_t end : {0, 1})
                {
                    PathEthernetChannel::SetRate(
                        DynamicCast<PointToPointNetDevice>(devices.Get(end)),
                        change.rate);
                }
                break;
            case Kind::DELAY:
                SetDelay(devices, change.delay);
                break;
            case Kind::MTU:
                for (const uint32_t end : {0, 1})
                {
                    devices.Get(end)->SetMtu(static_cast<uint16_t>(change.mtu));
                }
                break;
            case Kind::DOWN:
            case Kind::UP:
                for (const auto& cut : cuts)
                {
                    change.kind == Kind::DOWN ? cut->Enable() : cut->Disable();
                }
                break;
            }
        });
    }
}

} // namespace ns3
