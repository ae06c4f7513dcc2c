/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "iwarp-workload-storage.h"

#include "iwarp-request-report.h"
#include "iwarp-workload-watch.h"

#include "ns3/boolean.h"
#include "ns3/double.h"
#include "ns3/uinteger.h"

#include <vector>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(IwarpStorageWorkload);

namespace
{

using iwarp::FlowCollector;

const iwarp::MetricDeclarations g_storageMetrics("storage_", RdmaStorageClient::ListMetrics());

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

TypeId
IwarpStorageWorkload::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::IwarpStorageWorkload")
            .SetParent<IwarpMessageWorkload>()
            .SetGroupName("Iwarp")
            .AddConstructor<IwarpStorageWorkload>()
            .AddAttribute("ReadShare",
                          "Share of requests of the workload storage that read; the others write",
                          DoubleValue(0.5),
                          MakeDoubleAccessor(&IwarpStorageWorkload::m_readShare),
                          MakeDoubleChecker<double>(0, 1))
            .AddAttribute("InlineThreshold",
                          "Most octets of data that the workload storage puts into a Send; more go "
                          "by RDMA [octets]",
                          UintegerValue(4096),
                          MakeUintegerAccessor(&IwarpStorageWorkload::m_inlineThreshold),
                          MakeUintegerChecker<uint32_t>(0, 1048576));
    return tid;
}

IwarpStorageWorkload::IwarpStorageWorkload() = default;
IwarpStorageWorkload::~IwarpStorageWorkload() = default;

int64_t
IwarpStorageWorkload::CountStreams() const
{
    return 4; // sizes, kinds, intervals, service times
}

std::string
IwarpStorageWorkload::Check() const
{
    constexpr uint32_t MOST = 16384; // of RdmaStorageServer
    return GetQueueDepth() > MOST ? "QueueDepth: a connection of storage has " +
                                        std::to_string(MOST) + " requests at most"
                                  : IwarpMessageWorkload::Check();
}

bool
IwarpStorageWorkload::IsShared() const
{
    return true;
}

bool
IwarpStorageWorkload::NeedsAllFlows() const
{
    return IwarpMessageWorkload::IsShared();
}

bool
IwarpStorageWorkload::IsBothWays() const
{
    return true;
}

void
IwarpStorageWorkload::Install(const Flow& flow, const iwarp::FlowListener& listener)
{
    Ptr<RdmaStorageServer> server = CreateObject<RdmaStorageServer>();
    server->SetAttribute("Local", AddressValue(flow.any));
    server->SetAttribute("Backed", BooleanValue(IsBacked()));
    server->SetAttribute("QueueDepth", UintegerValue(GetQueueDepth()));
    server->SetAttribute("InlineThreshold", UintegerValue(m_inlineThreshold));
    flow.receiver->AddApplication(server);
    m_servers.push_back(server);

    Ptr<RdmaStorageClient> client = CreateObject<RdmaStorageClient>();
    Configure(client, flow);
    client->SetAttribute("Remote", AddressValue(flow.receiverAddress));
    client->SetAttribute("ReadShare", DoubleValue(m_readShare));
    client->SetAttribute("InlineThreshold", UintegerValue(m_inlineThreshold));
    AssignStreams(flow, client, server);
    client->SetStartTime(DrawStart(client, flow));
    client->SetAttribute("Backed", BooleanValue(IsBacked()));
    flow.sender->AddApplication(client);
    m_clients.push_back(client);

    auto writes = Create<FlowCollector>(listener);
    iwarp::WatchApplications(writes, client, server, RdmaStorageMessage::SIZE);
    auto reads = Create<FlowCollector>(listener);
    iwarp::WatchApplications(reads, server, client, RdmaStorageMessage::SIZE);
    client->TraceConnectWithoutContext("RequestCompleted",
                                       MakeBoundCallback(&RequestCompleted, writes));
}

void
IwarpStorageWorkload::Restart()
{
    IwarpMessageWorkload::Restart();
    for (const auto& client : m_clients)
    {
        client->RestartTotals();
    }
}

void
IwarpStorageWorkload::Finish(iwarp::MetricSet& metrics)
{
    std::vector<const iwarp::RequestTotals*> totals;
    for (const auto& client : m_clients)
    {
        metrics.Add("content_errors", client->GetContentErrors());
        totals.push_back(&client->GetTotals());
    }
    iwarp::ReportRequests("storage_", totals, metrics);
    for (const auto& server : m_servers)
    {
        metrics.Add("content_errors", server->GetContentErrors());
    }
    m_clients.clear();
    m_servers.clear();
}

} // namespace ns3
