/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "iwarp-workload-storage.h"

#include "iwarp-workload-watch.h"

#include "ns3/app-message-sizes.h"
#include "ns3/double.h"
#include "ns3/pointer.h"
#include "ns3/uinteger.h"

namespace ns3
{
namespace iwarp
{
namespace
{

/// @param collector flow @param size octets of data
void
RequestCompleted(Ptr<FlowCollector> collector,
                 RdmaStorageKind /* kind */,
                 uint32_t size,
                 Time /* latency */)
{
    collector->Completed(size);
}

} // namespace

StorageWorkload::StorageWorkload(const IwarpScenarioParameters& parameters,
                                 const FlowListener& listener)
    : m_parameters(parameters),
      m_listener(listener)
{
}

void
StorageWorkload::Install(const Flow& flow)
{
    const auto& p = m_parameters;
    Ptr<RdmaStorageServer> server = CreateObject<RdmaStorageServer>();
    server->SetAttribute("Local", AddressValue(flow.any));
    server->SetAttribute("QueueDepth", UintegerValue(p.queueDepth));
    server->SetAttribute("InlineThreshold", UintegerValue(p.storageInlineThreshold));
    flow.receiver->AddApplication(server);

    std::string problem;
    Ptr<RdmaStorageClient> client = CreateObject<RdmaStorageClient>();
    client->SetAttribute("Remote", AddressValue(flow.receiverAddress));
    client->SetAttribute("ReadShare", DoubleValue(p.storageReadShare));
    client->SetAttribute("InlineThreshold", UintegerValue(p.storageInlineThreshold));
    client->SetAttribute("QueueDepth", UintegerValue(p.queueDepth));
    client->SetAttribute("MessageSizes", PointerValue(MakeDistribution(p.messageSizes, problem)));
    if (!p.intervals.empty())
    {
        client->SetAttribute("Intervals", PointerValue(MakeDistribution(p.intervals, problem)));
    }
    client->AssignStreams(flow.stream);
    client->SetStartTime(flow.start);
    flow.sender->AddApplication(client);
    m_clients.push_back(client);

    auto writes = Create<FlowCollector>(m_listener);
    WatchApplications(writes, client, server);
    auto reads = Create<FlowCollector>(m_listener);
    WatchApplications(reads, server, client);
    client->TraceConnectWithoutContext("RequestCompleted",
                                       MakeBoundCallback(&RequestCompleted, writes));
}

uint64_t
StorageWorkload::GetOctets() const
{
    return m_parameters.octets;
}

void
StorageWorkload::Finish(std::vector<IwarpMetric>& metrics)
{
    for (const auto& client : m_clients)
    {
        MergeMetrics(client->GetMetrics(), "storage_", metrics);
    }
}

} // namespace iwarp
} // namespace ns3
