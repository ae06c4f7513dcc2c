/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "iwarp-workload-rdma.h"

#include "iwarp-workload-watch.h"

#include "ns3/boolean.h"
#include "ns3/ns3-compat.h"
#include "ns3/uinteger.h"

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(IwarpRdmaWorkload);
NS_OBJECT_ENSURE_REGISTERED(IwarpRdmaWriteWorkload);
NS_OBJECT_ENSURE_REGISTERED(IwarpRdmaReadWorkload);
NS_OBJECT_ENSURE_REGISTERED(IwarpSendWorkload);

namespace
{

using iwarp::FlowCollector;

/// @param collector flow
void
MessagePosted(Ptr<FlowCollector> collector, uint32_t /* message */, uint64_t /* size */)
{
    collector->Posted();
}

/// @param collector flow @param size octets
void
MessageRead(Ptr<FlowCollector> collector, uint32_t /* message */, uint64_t size)
{
    collector->Completed(size);
}

/// @param collector flow @param size octets
void
MessageReceived(Ptr<FlowCollector> collector, Ptr<RdmaQueuePair> /* pair */, uint64_t size)
{
    collector->Completed(size);
}

} // namespace

iwarp::RdmaPair
iwarp::InstallRdmaPair(const IwarpWorkload::Flow& flow,
                       const FlowListener& listener,
                       RdmaBulkOperation operation,
                       bool backed)
{
    const auto collector = Create<FlowCollector>(listener);
    const bool reads = operation == RdmaBulkOperation::READ;

    const auto server = CreateObject<RdmaBulkServer>();
    server->SetAttribute("Local", AddressValue(flow.any));
    server->SetAttribute("Backed", BooleanValue(backed));
    server->TraceConnectWithoutContext("MessageReceived",
                                       MakeBoundCallback(&MessageReceived, collector));
    (reads ? flow.sender : flow.receiver)->AddApplication(server);

    const auto client = CreateObject<RdmaBulkClient>();
    client->SetAttribute("Remote", AddressValue(reads ? flow.senderAddress : flow.receiverAddress));
    client->SetAttribute("Operation", iwarp::MakeEnumValue(operation));
    client->SetAttribute("Backed", BooleanValue(backed));
    client->TraceConnectWithoutContext("MessagePosted",
                                       MakeBoundCallback(&MessagePosted, collector));
    client->TraceConnectWithoutContext("MessageReceived",
                                       MakeBoundCallback(&MessageRead, collector));
    (reads ? flow.receiver : flow.sender)->AddApplication(client);

    WatchApplications(collector,
                      reads ? Ptr<RdmaApplication>(server) : Ptr<RdmaApplication>(client),
                      reads ? Ptr<RdmaApplication>(client) : Ptr<RdmaApplication>(server));
    return {client, server};
}

void
iwarp::ReportRdmaPair(const RdmaPair& pair, MetricSet& metrics)
{
    metrics.Add("content_errors",
                pair.client->GetContentErrors() + pair.server->GetContentErrors());
    metrics.Add("messages_refused", pair.client->GetMessagesRefused());
}

TypeId
IwarpRdmaWorkload::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::IwarpRdmaWorkload").SetParent<IwarpMessageWorkload>().SetGroupName("Iwarp");
    return tid;
}

IwarpRdmaWorkload::IwarpRdmaWorkload(RdmaBulkOperation operation)
    : m_operation(operation)
{
}

IwarpRdmaWorkload::~IwarpRdmaWorkload() = default;

void
IwarpRdmaWorkload::Install(const Flow& flow, const iwarp::FlowListener& listener)
{
    m_pairs.push_back(iwarp::InstallRdmaPair(flow, listener, m_operation, IsBacked()));
    const auto& client = m_pairs.back().client;
    Configure(client, flow);
    client->SetAttribute("MaxOctets", UintegerValue(GetMaxOctets()));
    AssignStreams(flow, client);
    client->SetStartTime(DrawStart(client, flow));
    Prepare(client);
}

void
IwarpRdmaWorkload::Prepare(Ptr<RdmaBulkClient> /* client */)
{
}

void
IwarpRdmaWorkload::Finish(iwarp::MetricSet& metrics)
{
    for (const auto& pair : m_pairs)
    {
        iwarp::ReportRdmaPair(pair, metrics);
    }
    m_pairs.clear();
}

TypeId
IwarpRdmaWriteWorkload::GetTypeId()
{
    static TypeId tid = TypeId("ns3::IwarpRdmaWriteWorkload")
                            .SetParent<IwarpRdmaWorkload>()
                            .SetGroupName("Iwarp")
                            .AddConstructor<IwarpRdmaWriteWorkload>();
    return tid;
}

IwarpRdmaWriteWorkload::IwarpRdmaWriteWorkload()
    : IwarpRdmaWorkload(RdmaBulkOperation::WRITE)
{
}

TypeId
IwarpRdmaReadWorkload::GetTypeId()
{
    static TypeId tid = TypeId("ns3::IwarpRdmaReadWorkload")
                            .SetParent<IwarpRdmaWorkload>()
                            .SetGroupName("Iwarp")
                            .AddConstructor<IwarpRdmaReadWorkload>();
    return tid;
}

IwarpRdmaReadWorkload::IwarpRdmaReadWorkload()
    : IwarpRdmaWorkload(RdmaBulkOperation::READ)
{
}

TypeId
IwarpSendWorkload::GetTypeId()
{
    static TypeId tid = TypeId("ns3::IwarpSendWorkload")
                            .SetParent<IwarpRdmaWorkload>()
                            .SetGroupName("Iwarp")
                            .AddConstructor<IwarpSendWorkload>();
    return tid;
}

IwarpSendWorkload::IwarpSendWorkload()
    : IwarpRdmaWorkload(RdmaBulkOperation::SEND)
{
}

} // namespace ns3
