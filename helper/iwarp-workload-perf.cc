/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "iwarp-workload-perf.h"

#include "iwarp-workload-watch.h"

#include "ns3/ns3-compat.h"
#include "ns3/uinteger.h"

#include <sstream>

namespace ns3
{
namespace iwarp
{
namespace
{

constexpr uint32_t ATOMIC_SIZE = 8;        //!< octets of an Atomic
constexpr uint32_t BANDWIDTH_SIZE = 65536; //!< perftest's default sizes
constexpr uint32_t LATENCY_SIZE = 2;

/// @param test a test @return whether its payload goes to the client
bool
Reads(RdmaPerfTest test)
{
    return test == RdmaPerfTest::READ_BW || test == RdmaPerfTest::READ_LAT;
}

} // namespace

PerfWorkload::PerfWorkload(const IwarpScenarioParameters& parameters, const FlowListener& listener)
    : m_parameters(parameters),
      m_listener(listener)
{
}

uint32_t
PerfWorkload::GetSize() const
{
    const auto test = m_parameters.perfTest;
    if (test == RdmaPerfTest::ATOMIC_BW || test == RdmaPerfTest::ATOMIC_LAT)
    {
        return ATOMIC_SIZE;
    }
    const uint32_t usual = RdmaPerfIsLatency(test) ? LATENCY_SIZE : BANDWIDTH_SIZE;
    return m_parameters.perfSize > 0 ? m_parameters.perfSize : usual;
}

void
PerfWorkload::Install(const Flow& flow)
{
    const auto& p = m_parameters;
    auto collector = Create<FlowCollector>(m_listener);
    const bool reads = Reads(p.perfTest);

    Ptr<RdmaPerfServer> server = CreateObject<RdmaPerfServer>();
    server->SetAttribute("Local", AddressValue(flow.any));
    (reads ? flow.sender : flow.receiver)->AddApplication(server);

    Ptr<RdmaPerfClient> client = CreateObject<RdmaPerfClient>();
    client->SetAttribute("Remote", AddressValue(reads ? flow.senderAddress : flow.receiverAddress));
    client->SetAttribute("Test", MakeEnumValue(p.perfTest));
    client->SetAttribute("Size", UintegerValue(GetSize()));
    client->SetAttribute("Iterations", UintegerValue(p.perfIterations));
    client->SetAttribute("TxDepth", UintegerValue(p.queueDepth));
    client->SetStartTime(flow.start);
    client->TraceConnectWithoutContext("Finished",
                                       MakeCallback(&PerfWorkload::Finished, this).Bind(collector));
    (reads ? flow.receiver : flow.sender)->AddApplication(client);
    m_clients.push_back(client);
    WatchApplications(collector,
                      reads ? Ptr<RdmaApplication>(server) : Ptr<RdmaApplication>(client),
                      reads ? Ptr<RdmaApplication>(client) : Ptr<RdmaApplication>(server));
}

void
PerfWorkload::Finished(Ptr<FlowCollector> collector, const RdmaPerfReport& report)
{
    m_reports.push_back(report);
    collector->Completed(GetOctets(), m_parameters.perfIterations);
}

uint64_t
PerfWorkload::GetOctets() const
{
    return GetSize() * m_parameters.perfIterations;
}

void
PerfWorkload::Finish(std::vector<IwarpMetric>& metrics)
{
    for (const auto& report : m_reports)
    {
        MergeMetrics(report.GetMetrics(), "perf_", metrics);
    }
}

std::string
PerfWorkload::GetReport() const
{
    std::ostringstream text;
    for (const auto& report : m_reports)
    {
        text << report;
    }
    return text.str();
}

} // namespace iwarp
} // namespace ns3
