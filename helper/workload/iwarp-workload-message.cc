/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "iwarp-workload-message.h"

#include "ns3/app-distribution.h"
#include "ns3/app-message-sizes.h"
#include "ns3/double.h"
#include "ns3/pointer.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <algorithm>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(IwarpMessageWorkload);

TypeId
IwarpMessageWorkload::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::IwarpMessageWorkload")
            .SetParent<IwarpWorkload>()
            .SetGroupName("Iwarp")
            .AddAttribute("MessageSizes",
                          "Distribution of message sizes in octets: fixed:65536, "
                          "cdf:alistorage2019, ns3::ExponentialRandomVariable[Mean=8000]",
                          StringValue("cdf:alistorage2019"),
                          MakeStringAccessor(&IwarpMessageWorkload::m_messageSizes),
                          MakeStringChecker())
            .AddAttribute("Intervals",
                          "Distribution of the time between messages of a flow in seconds, in the "
                          "same form; empty posts a message whenever fewer than QueueDepth are",
                          StringValue(""),
                          MakeStringAccessor(&IwarpMessageWorkload::m_intervals),
                          MakeStringChecker())
            .AddAttribute("Load",
                          "Rate at which payload arrives at random times (Poisson), as a part of "
                          "the link that leaves a flow the least if all flows share their links "
                          "alike; each flow connects with its first message, and all go on until "
                          "Octets have come of each on average. 0 is off",
                          DoubleValue(0),
                          MakeDoubleAccessor(&IwarpMessageWorkload::m_load),
                          MakeDoubleChecker<double>(0, 10))
            .AddAttribute("Octets",
                          "Payload that each flow sends; 0 is no limit, Duration decides [octets]",
                          UintegerValue(4000000),
                          MakeUintegerAccessor(&IwarpMessageWorkload::m_octets),
                          MakeUintegerChecker<uint64_t>())
            .AddAttribute("WarmUp",
                          "Payload of a flow after which it is warm. If more than 0, measurements "
                          "begin when all flows are, and last until Octets more have come of each "
                          "on average; all flows send throughout [octets]",
                          UintegerValue(0),
                          MakeUintegerAccessor(&IwarpMessageWorkload::m_warmUp),
                          MakeUintegerChecker<uint64_t>());
    return tid;
}

IwarpMessageWorkload::IwarpMessageWorkload() = default;
IwarpMessageWorkload::~IwarpMessageWorkload() = default;

std::string
IwarpMessageWorkload::Check() const
{
    std::string problem = IwarpWorkload::Check();
    if (!problem.empty())
    {
        return problem;
    }
    if (!iwarp::MakeDistribution(m_messageSizes, problem))
    {
        return "MessageSizes: " + problem;
    }
    const auto intervals =
        m_intervals.empty()
            ? nullptr
            : iwarp::MakeDistribution(m_intervals, problem, iwarp::Measure::SECONDS);
    if (!problem.empty())
    {
        return "Intervals: " + problem;
    }
    if (intervals && !iwarp::HasGaps(intervals))
    {
        return "Intervals: messages at intervals of no time would have no end; leave it empty, and "
               "a message is posted whenever fewer than QueueDepth are";
    }
    if (m_load > 0 && !m_intervals.empty())
    {
        return "Load, Intervals: both say when messages are posted, so give one of them";
    }
    if (m_load > 0 && GetMeanSize() <= 0)
    {
        return "Load: it needs the mean of MessageSizes, which fixed: and cdf: have, and uniform, "
               "exponential, log-normal and Pareto distributions without bounds";
    }
    return "";
}

double
IwarpMessageWorkload::GetMeanSize() const
{
    return std::max(0.0, iwarp::FindMean(MakeSizes()).value_or(0));
}

double
IwarpMessageWorkload::GetLoad() const
{
    return m_load;
}

Ptr<RandomVariableStream>
IwarpMessageWorkload::MakeSizes() const
{
    std::string problem;
    return iwarp::MakeDistribution(m_messageSizes, problem);
}

Ptr<RandomVariableStream>
IwarpMessageWorkload::MakeIntervals() const
{
    std::string problem;
    return m_intervals.empty()
               ? nullptr
               : iwarp::MakeDistribution(m_intervals, problem, iwarp::Measure::SECONDS);
}

uint64_t
IwarpMessageWorkload::GetOctets() const
{
    return m_octets;
}

uint64_t
IwarpMessageWorkload::GetWarmUp() const
{
    return m_warmUp;
}

bool
IwarpMessageWorkload::IsPaced() const
{
    return m_load > 0 || !m_intervals.empty();
}

bool
IwarpMessageWorkload::IsShared() const
{
    return m_load > 0 || IwarpWorkload::IsShared();
}

void
IwarpMessageWorkload::Configure(const Ptr<Object>& client, const Flow& flow) const
{
    client->SetAttribute("QueueDepth", UintegerValue(GetQueueDepth()));
    client->SetAttribute("MessageSizes", PointerValue(MakeSizes()));
    if (m_load > 0)
    {
        auto intervals = CreateObject<ExponentialRandomVariable>();
        intervals->SetAttribute("Mean", DoubleValue(8 * GetMeanSize() / (m_load * flow.share)));
        client->SetAttribute("Intervals", PointerValue(intervals));
    }
    else if (const auto intervals = MakeIntervals())
    {
        client->SetAttribute("Intervals", PointerValue(intervals));
    }
}

Time
IwarpMessageWorkload::DrawStart(const Ptr<Object>& client, const Flow& flow) const
{
    if (m_load <= 0)
    {
        return flow.start;
    }
    PointerValue intervals;
    client->GetAttribute("Intervals", intervals);
    return flow.start + iwarp::DrawInterval(intervals.Get<RandomVariableStream>());
}

} // namespace ns3
