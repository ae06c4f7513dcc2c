/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "iwarp-workload-perf.h"

#include "iwarp-workload-watch.h"

#include "ns3/boolean.h"
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

/// @param test a test @return whether its messages have a size of their own
bool
IsAtomic(RdmaPerfTest test)
{
    return test == RdmaPerfTest::ATOMIC_BW || test == RdmaPerfTest::ATOMIC_LAT;
}

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

bool
PerfWorkload::IsAll() const
{
    return m_parameters.perfAll && !IsAtomic(m_parameters.perfTest);
}

uint32_t
PerfWorkload::GetSize() const
{
    const auto test = m_parameters.perfTest;
    if (IsAtomic(test))
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
    client->SetAttribute("All", BooleanValue(IsAll()));
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
PerfWorkload::Finished(Ptr<FlowCollector> collector, const RdmaPerfReport&)
{
    collector->Completed(GetOctets(), GetCount());
}

uint64_t
PerfWorkload::GetCount() const
{
    const uint64_t sizes = IsAll() ? RdmaPerfParameters::ALL_COUNT : 1;
    return sizes * m_parameters.perfIterations;
}

uint64_t
PerfWorkload::GetOctets() const
{
    // the sizes are a geometric series
    const uint64_t octets =
        IsAll() ? 2 * RdmaPerfParameters::ALL_LAST - RdmaPerfParameters::ALL_FIRST : GetSize();
    return octets * m_parameters.perfIterations;
}

void
PerfWorkload::Finish(std::vector<IwarpMetric>& metrics)
{
    for (const auto& client : m_clients)
    {
        for (const auto& report : client->GetReports())
        {
            std::string suffix(IsAll() ? 1 : 0, '_');
            suffix += IsAll() ? std::to_string(report.size) : "";
            MergeMetrics(report.GetMetrics(), "perf_", metrics, suffix);
        }
    }
}

std::string
PerfWorkload::GetReport() const
{
    std::ostringstream text;
    for (const auto& client : m_clients)
    {
        RdmaPerfReport::PrintTable(text, client->GetReports());
    }
    return text.str();
}

} // namespace iwarp
} // namespace ns3
