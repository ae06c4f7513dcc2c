/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "iwarp-workload-rdma.h"

#include "iwarp-acknowledged-messages.h"
#include "iwarp-workload-watch.h"

#include "ns3/boolean.h"
#include "ns3/ddp-header.h"
#include "ns3/ns3-compat.h"
#include "ns3/rdmap-stream.h"
#include "ns3/uinteger.h"

#include <functional>
#include <string>
#include <utility>

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

/// @param flow where @param operation how messages are moved @param backed they have content
/// @return server of the flow, which it has got
Ptr<RdmaBulkServer>
InstallServer(const IwarpWorkload::Flow& flow, RdmaBulkOperation operation, bool backed)
{
    const auto server = CreateObject<RdmaBulkServer>();
    server->SetAttribute("Local", AddressValue(flow.any));
    server->SetAttribute("Backed", BooleanValue(backed));
    (operation == RdmaBulkOperation::READ ? flow.sender : flow.receiver)->AddApplication(server);
    return server;
}

/// @param flow where @param operation how messages are moved @param backed they have content
/// @return client of the flow, which it has got, without messages and start
Ptr<RdmaBulkClient>
InstallClient(const IwarpWorkload::Flow& flow, RdmaBulkOperation operation, bool backed)
{
    const bool reads = operation == RdmaBulkOperation::READ;
    const auto client = CreateObject<RdmaBulkClient>();
    client->SetAttribute("Remote", AddressValue(reads ? flow.senderAddress : flow.receiverAddress));
    client->SetAttribute("Operation", iwarp::MakeEnumValue(operation));
    client->SetAttribute("Backed", BooleanValue(backed));
    (reads ? flow.receiver : flow.sender)->AddApplication(client);
    return client;
}

/// Carries messages of an open loop over queue pairs.
class RdmaCarrier : public iwarp::MessageCarrier
{
  public:
    /// Makes a client ready
    using Configure = std::function<void(const Ptr<RdmaBulkClient>&)>;

    /// Who and how, but for the flow
    struct Manner
    {
        RdmaBulkOperation operation; //!< how messages are moved
        bool backed;                 //!< they have content
        bool acknowledged;           //!< they end when the sender knows that they have come
        Configure configure;         //!< makes a client ready
    };

    /// @param flow where @param listener told of connections @param manner how @param user told
    RdmaCarrier(const IwarpWorkload::Flow& flow,
                const iwarp::FlowListener& listener,
                Manner manner,
                User& user)
        : MessageCarrier(user),
          m_flow(flow),
          m_listener(listener),
          m_manner(std::move(manner)),
          m_reads(m_manner.operation == RdmaBulkOperation::READ),
          m_server(InstallServer(flow, m_manner.operation, m_manner.backed))
    {
    }

    void Watch() //!< Hear of the server, once
    {
        Ptr<RdmaCarrier> self(this);
        Follow(self, m_server, !m_reads);
        if (!m_reads && !m_manner.acknowledged)
        {
            m_server->TraceConnectWithoutContext("MessageReceived",
                                                 MakeCallback(&RdmaCarrier::HandleReceived, self));
        }
    }

    void Open() override
    {
        Ptr<RdmaCarrier> self(this);
        m_clients.push_back(InstallClient(m_flow, m_manner.operation, m_manner.backed));
        const auto& client = m_clients.back();
        m_manner.configure(client);
        client->Allow(0);
        Follow(self, client, m_reads);
        client->TraceConnectWithoutContext("Connected",
                                           MakeCallback(&RdmaCarrier::HandleConnected, self));
        if (m_reads)
        {
            client->TraceConnectWithoutContext("MessageReceived",
                                               MakeCallback(&RdmaCarrier::HandleRead, self));
        }
    }

    void Post(uint64_t octets) override
    {
        if (m_acknowledged)
        {
            m_acknowledged->Post(octets);
        }
        m_clients.back()->Post(octets);
    }

    void Finish(iwarp::MetricSet& metrics) override
    {
        uint64_t errors = m_server->GetContentErrors();
        for (const auto& client : m_clients)
        {
            errors += client->GetContentErrors();
        }
        metrics.Add("content_errors", errors);
        m_clients.clear();
        m_server = nullptr;
        m_acknowledged = nullptr;
    }

  private:
    /// @param self it hears @param application of connections @param receives payload goes there
    static void Follow(const Ptr<RdmaCarrier>& self,
                       const Ptr<RdmaApplication>& application,
                       bool receives)
    {
        application->TraceConnectWithoutContext(
            "Connected",
            receives ? MakeCallback(&RdmaCarrier::FollowReceiver, self)
                     : MakeCallback(&RdmaCarrier::FollowSender, self));
        application->TraceConnectWithoutContext("Failed",
                                                MakeCallback(&RdmaCarrier::HandleFailed, self));
    }

    void FollowSender(Ptr<RdmaQueuePair> pair) //!< @param pair that sends
    {
        iwarp::WatchSender(Create<FlowCollector>(m_listener), pair);
    }

    void FollowReceiver(Ptr<RdmaQueuePair> pair) //!< @param pair that receives
    {
        iwarp::WatchReceiver(Create<FlowCollector>(m_listener), pair);
    }

    void HandleFailed(const std::string& reason) //!< @param reason why a connection ends early
    {
        m_listener.failure(reason);
    }

    /// @param pair the client's, which is connected
    void HandleConnected(Ptr<RdmaQueuePair> pair)
    {
        if (m_manner.acknowledged && !m_reads)
        {
            const bool sends = m_manner.operation == RdmaBulkOperation::SEND;
            m_acknowledged = Create<iwarp::AcknowledgedMessages>(
                sends ? ddp::UNTAGGED_HEADER_SIZE : ddp::TAGGED_HEADER_SIZE,
                MakeCallback(&RdmaCarrier::HandleAcknowledged, Ptr<RdmaCarrier>(this)));
            m_acknowledged->Attach(pair->GetStream()->GetMpa());
        }
        NotifyReady();
    }

    void HandleReceived(Ptr<RdmaQueuePair> /* pair */, uint64_t /* size */)
    {
        NotifyMessage();
    }

    void HandleRead(uint32_t /* message */, uint64_t /* size */)
    {
        NotifyMessage();
    }

    void HandleAcknowledged() //!< all of the oldest message is acknowledged
    {
        NotifyMessage();
    }

    const IwarpWorkload::Flow m_flow;                //!< where
    const iwarp::FlowListener m_listener;            //!< told of connections
    const Manner m_manner;                           //!< how
    const bool m_reads;                              //!< the client is at the receiving host
    Ptr<RdmaBulkServer> m_server;                    //!< of all connections
    std::vector<Ptr<RdmaBulkClient>> m_clients;      //!< one a connection, the last one now
    Ptr<iwarp::AcknowledgedMessages> m_acknowledged; //!< of the last, if that matters
};

} // namespace

iwarp::RdmaPair
iwarp::InstallRdmaPair(const IwarpWorkload::Flow& flow,
                       const FlowListener& listener,
                       RdmaBulkOperation operation,
                       bool backed)
{
    const auto collector = Create<FlowCollector>(listener);
    const bool reads = operation == RdmaBulkOperation::READ;
    const auto server = InstallServer(flow, operation, backed);
    server->TraceConnectWithoutContext("MessageReceived",
                                       MakeBoundCallback(&MessageReceived, collector));
    const auto client = InstallClient(flow, operation, backed);
    client->TraceConnectWithoutContext("MessagePosted",
                                       MakeBoundCallback(&MessagePosted, collector));
    client->TraceConnectWithoutContext("MessageReceived",
                                       MakeBoundCallback(&MessageRead, collector));
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
}

TypeId
IwarpRdmaWorkload::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::IwarpRdmaWorkload").SetParent<IwarpOpenLoopWorkload>().SetGroupName("Iwarp");
    return tid;
}

IwarpRdmaWorkload::IwarpRdmaWorkload(RdmaBulkOperation operation)
    : m_operation(operation)
{
}

IwarpRdmaWorkload::~IwarpRdmaWorkload() = default;

std::string
IwarpRdmaWorkload::CheckRanks() const
{
    return CheckFlowRanks();
}

void
IwarpRdmaWorkload::InstallFlow(const Flow& flow, const iwarp::FlowListener& listener)
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

bool
IwarpRdmaWorkload::EndsWithAck() const
{
    return HasStage() && GetIdealTime() == iwarp::IdealTime::HPCC &&
           m_operation != RdmaBulkOperation::READ;
}

void
IwarpRdmaWorkload::FinishFlows(iwarp::MetricSet& metrics)
{
    for (const auto& pair : m_pairs)
    {
        iwarp::ReportRdmaPair(pair, metrics);
    }
    ReportCounts(metrics);
    m_pairs.clear();
}

void
IwarpRdmaWorkload::Count(iwarp::MetricSet& counts) const
{
    for (const auto& pair : m_pairs)
    {
        counts.Add("messages_refused", pair.client->GetMessagesRefused());
    }
}

Ptr<iwarp::MessageCarrier>
IwarpRdmaWorkload::MakeCarrier(const Flow& flow,
                               const iwarp::FlowListener& listener,
                               iwarp::MessageCarrier::Kind kind,
                               iwarp::MessageCarrier::User& user)
{
    const auto configure = [this, kind](const Ptr<RdmaBulkClient>& client) {
        ConfigureCarrier(client, kind);
    };
    const bool acknowledged = GetIdealTime() == iwarp::IdealTime::HPCC;
    const auto carrier =
        Create<RdmaCarrier>(flow,
                            listener,
                            RdmaCarrier::Manner{m_operation, IsBacked(), acknowledged, configure},
                            user);
    carrier->Watch();
    return carrier;
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
