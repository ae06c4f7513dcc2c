/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "iwarp-workload-rounds.h"

#include "ns3/rdma-bulk-client.h"
#include "ns3/simulator.h"

#include <algorithm>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(IwarpRoundsWorkload);

namespace
{

using Merge = MetricMerge;

const iwarp::MetricDeclarations g_roundMetrics{std::vector<MetricInfo>{
    {"rounds", "rounds", "Rounds complete, of workload rounds", Merge::RUN},
    {"round_time_mean",
     "s",
     "From the requests of a round to the last octet of its last answer, mean",
     Merge::RUN},
    {"round_time_p99", "s", "As round_time_mean, 99th percentile", Merge::RUN},
    {"round_time_max", "s", "As round_time_mean, maximum", Merge::RUN},
    {"round_goodput", "bit/s", "Payload of complete rounds over their times", Merge::RUN},
}};

} // namespace

TypeId
IwarpRoundsWorkload::GetTypeId()
{
    static TypeId tid = TypeId("ns3::IwarpRoundsWorkload")
                            .SetParent<IwarpRdmaWorkload>()
                            .SetGroupName("Iwarp")
                            .AddConstructor<IwarpRoundsWorkload>();
    return tid;
}

IwarpRoundsWorkload::IwarpRoundsWorkload()
    : IwarpRdmaWorkload(RdmaBulkOperation::READ)
{
}

std::string
IwarpRoundsWorkload::CheckRanks() const
{
    return IwarpWorkload::CheckRanks(); // all flows wait for each other
}

std::string
IwarpRoundsWorkload::Check() const
{
    const std::string problem = IwarpRdmaWorkload::Check();
    if (problem.empty() && HasStage())
    {
        return "ArrivalWindow, Arrivals: rounds follow each other and are no open loop";
    }
    if (problem.empty() && IwarpRdmaWorkload::IsPaced())
    {
        return "Load, Intervals: rounds follow each other, so give neither";
    }
    return problem.empty() && GetWarmUp() > 0 ? "WarmUp: rounds begin cold, so leave it 0"
                                              : problem;
}

bool
IwarpRoundsWorkload::IsPaced() const
{
    return true; // by the slowest of each round, which plain TCP in bulk is not
}

bool
IwarpRoundsWorkload::NeedsAllFlows() const
{
    return true; // a round waits for all of them
}

void
IwarpRoundsWorkload::Prepare(Ptr<RdmaBulkClient> client)
{
    client->Allow(0);
    client->TraceConnectWithoutContext("Connected",
                                       MakeCallback(&IwarpRoundsWorkload::Connected, this));
    client->TraceConnectWithoutContext("MessageReceived",
                                       MakeCallback(&IwarpRoundsWorkload::Completed, this));
    m_waiting.push_back(client);
    m_missing++;
}

void
IwarpRoundsWorkload::Connected(Ptr<RdmaQueuePair> /* pair */)
{
    if (--m_missing == 0)
    {
        Simulator::ScheduleNow(&IwarpRoundsWorkload::BeginRound, this);
    }
}

void
IwarpRoundsWorkload::BeginRound()
{
    m_begin = Simulator::Now();
    m_roundOctets = 0;
    // messages that differ in size make up a flow's octets in more or fewer rounds
    m_waiting.erase(std::remove_if(m_waiting.begin(),
                                   m_waiting.end(),
                                   [](const auto& client) { return !client->MayPost(); }),
                    m_waiting.end());
    m_missing = m_waiting.size();
    m_rounds++;
    for (const auto& client : m_waiting)
    {
        client->Allow(m_rounds);
    }
}

void
IwarpRoundsWorkload::Completed(uint32_t /* message */, uint64_t size)
{
    m_roundOctets += size;
    if (--m_missing == 0)
    {
        m_times.Add(Simulator::Now() - m_begin);
        m_octets += m_roundOctets;
        // not from within its completion
        Simulator::ScheduleNow(&IwarpRoundsWorkload::BeginRound, this);
    }
}

void
IwarpRoundsWorkload::FinishFlows(iwarp::MetricSet& metrics)
{
    metrics.Add("rounds", m_times.GetN());
    if (m_times.GetN() > 0)
    {
        metrics.Add("round_time_mean", m_times.GetMean());
        metrics.Add("round_time_p99", m_times.GetQuantile(0.99));
        metrics.Add("round_time_max", m_times.GetMaximum());
        metrics.Add("round_goodput", 8 * m_octets / (m_times.GetMean() * m_times.GetN()));
    }
    m_waiting.clear();
    m_missing = 0;
    m_rounds = 0;
    m_octets = 0;
    m_times = iwarp::SampleSet();
    IwarpRdmaWorkload::FinishFlows(metrics);
}

} // namespace ns3
