/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "iwarp-workload-rdma.h"

#include "iwarp-workload-watch.h"

#include "ns3/app-message-sizes.h"
#include "ns3/ns3-compat.h"
#include "ns3/pointer.h"
#include "ns3/uinteger.h"

namespace ns3
{
namespace iwarp
{
namespace
{

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

RdmaWorkload::RdmaWorkload(RdmaBulkOperation operation,
                           const IwarpScenarioParameters& parameters,
                           const FlowListener& listener)
    : m_operation(operation),
      m_parameters(parameters),
      m_listener(listener)
{
}

void
RdmaWorkload::Install(const Flow& flow)
{
    const auto& p = m_parameters;
    auto collector = Create<FlowCollector>(m_listener);
    const bool reads = m_operation == RdmaBulkOperation::READ;

    Ptr<RdmaBulkServer> server = CreateObject<RdmaBulkServer>();
    server->SetAttribute("Local", AddressValue(flow.any));
    server->TraceConnectWithoutContext("MessageReceived",
                                       MakeBoundCallback(&MessageReceived, collector));
    (reads ? flow.sender : flow.receiver)->AddApplication(server);

    std::string problem;
    Ptr<RdmaBulkClient> client = CreateObject<RdmaBulkClient>();
    client->SetAttribute("Remote", AddressValue(reads ? flow.senderAddress : flow.receiverAddress));
    client->SetAttribute("Operation", MakeEnumValue(m_operation));
    client->SetAttribute("MaxOctets", UintegerValue(p.octets));
    client->SetAttribute("QueueDepth", UintegerValue(p.queueDepth));
    client->SetAttribute("MessageSizes", PointerValue(MakeDistribution(p.messageSizes, problem)));
    if (!p.intervals.empty())
    {
        client->SetAttribute("Intervals", PointerValue(MakeDistribution(p.intervals, problem)));
    }
    client->AssignStreams(flow.stream);
    client->SetStartTime(flow.start);
    client->TraceConnectWithoutContext("MessagePosted",
                                       MakeBoundCallback(&MessagePosted, collector));
    client->TraceConnectWithoutContext("MessageReceived",
                                       MakeBoundCallback(&MessageRead, collector));
    (reads ? flow.receiver : flow.sender)->AddApplication(client);
    m_clients.push_back(client);

    WatchApplications(collector,
                      reads ? Ptr<RdmaApplication>(server) : Ptr<RdmaApplication>(client),
                      reads ? Ptr<RdmaApplication>(client) : Ptr<RdmaApplication>(server));
}

uint64_t
RdmaWorkload::GetOctets() const
{
    return m_parameters.octets;
}

void
RdmaWorkload::Finish(std::vector<IwarpMetric>& /* metrics */)
{
    for (const auto& client : m_clients)
    {
        m_listener.totals->refused += client->GetMessagesRefused();
    }
}

} // namespace iwarp
} // namespace ns3
