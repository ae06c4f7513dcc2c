/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-perf-record.h"

#include "ns3/simulator.h"

#include <algorithm>
#include <map>
#include <utility>

namespace ns3
{

namespace
{

/// @return all records of the simulation by number
std::map<uint32_t, RdmaPerfRecord*>&
Records()
{
    static std::map<uint32_t, RdmaPerfRecord*> records;
    return records;
}

} // namespace

RdmaPerfRecord::RdmaPerfRecord(const RdmaPerfParameters& parameters, uint32_t queuePairs)
    : m_parameters(parameters),
      m_queuePairs(queuePairs)
{
    auto& records = Records();
    // a server of another rank must not find a record of its own by it
    const uint32_t first = (Simulator::GetSystemId() << 20) + 1;
    m_number = records.empty() ? first : records.rbegin()->first + 1;
    records.emplace(m_number, this);
}

RdmaPerfRecord::~RdmaPerfRecord()
{
    Records().erase(m_number);
}

Ptr<RdmaPerfRecord>
RdmaPerfRecord::Find(uint32_t number)
{
    const auto found = Records().find(number);
    return found == Records().end() ? nullptr : Ptr<RdmaPerfRecord>(found->second);
}

uint32_t
RdmaPerfRecord::GetNumber() const
{
    return m_number;
}

uint32_t
RdmaPerfRecord::GetSize() const
{
    return m_parameters.size;
}

uint64_t
RdmaPerfRecord::GetLimit() const
{
    return m_parameters.iterations * m_sizes;
}

void
RdmaPerfRecord::Next(uint32_t size)
{
    m_parameters.size = size;
    m_sizes++;
    m_times = {};
    m_latencies = iwarp::SampleSet();
    m_done = false;
}

void
RdmaPerfRecord::SetDoneCallback(Callback<void> callback)
{
    m_callback = callback;
}

void
RdmaPerfRecord::SetEndedCallback(Callback<void, uint64_t> callback)
{
    m_ended = callback;
}

void
RdmaPerfRecord::Posted(Direction direction, uint64_t count)
{
    m_times[direction].posted.insert(m_times[direction].posted.end(), count, Simulator::Now());
}

void
RdmaPerfRecord::Ended(Direction direction, uint64_t count)
{
    m_times[direction].ended.insert(m_times[direction].ended.end(), count, Simulator::Now());
    Check();
    if (direction == FORWARD && !m_ended.IsNull())
    {
        m_ended(count);
    }
}

void
RdmaPerfRecord::HasRoom()
{
    if (!m_ended.IsNull())
    {
        m_ended(0);
    }
}

void
RdmaPerfRecord::Latency(Time sample)
{
    m_latencies.Add(sample);
    Check();
}

void
RdmaPerfRecord::Close()
{
    m_closed = true;
    Check();
}

bool
RdmaPerfRecord::IsClosed() const
{
    return m_closed;
}

void
RdmaPerfRecord::Check()
{
    bool done = true;
    if (RdmaPerfIsLatency(m_parameters.test))
    {
        done = m_closed || (!m_parameters.endless &&
                            m_latencies.GetN() >= m_parameters.iterations * m_queuePairs);
    }
    else
    {
        for (int i = 0; i < (m_parameters.bidirectional ? 2 : 1); i++)
        {
            const RdmaPerfTimes& times = m_times[i];
            const bool all =
                m_closed || (!m_parameters.endless &&
                             times.ended.size() >= m_parameters.iterations * m_queuePairs);
            done = done && all && times.ended.size() >= times.posted.size();
        }
    }
    if (done && !std::exchange(m_done, true) && !m_callback.IsNull())
    {
        Simulator::ScheduleNow(&RdmaPerfRecord::NotifyDone, Ptr<RdmaPerfRecord>(this));
    }
}

void
RdmaPerfRecord::NotifyDone()
{
    if (!m_callback.IsNull())
    {
        m_callback();
    }
}

RdmaPerfReport
RdmaPerfRecord::MakeReport(uint64_t warmUp, bool peak) const
{
    RdmaPerfReport report;
    report.test = m_parameters.test;
    report.queuePairs = m_queuePairs;
    report.bidirectional = m_parameters.bidirectional;
    report.size = m_parameters.size;
    if (RdmaPerfIsLatency(m_parameters.test))
    {
        report.iterations = m_latencies.GetN();
        report.tMin = m_latencies.GetOrder(0);
        report.tMax = m_latencies.GetOrder(1);
        report.tTypical = m_latencies.GetOrder(0.5);
        report.tAvg = Seconds(m_latencies.GetMean());
        report.tStdev = Seconds(m_latencies.GetDeviation());
        report.t99 = m_latencies.GetOrder(0.99);
        report.t999 = m_latencies.GetOrder(0.999);
        return report;
    }
    const uint64_t ended = m_times[FORWARD].ended.size();
    report.iterations = ended - std::min(ended, warmUp);
    report.warmUp = warmUp;
    report.times.assign(m_times.begin(), m_times.begin() + (m_parameters.bidirectional ? 2 : 1));
    std::vector<RdmaPerfRates> rates;
    for (const auto& [posted, times] : report.times)
    {
        rates.push_back(RdmaPerfMeasure(posted, times, warmUp, peak));
    }
    report.SetRates(rates);
    return report;
}

} // namespace ns3
