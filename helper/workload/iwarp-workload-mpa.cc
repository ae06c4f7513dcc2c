/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "iwarp-workload-mpa.h"

#include "iwarp-acknowledged-messages.h"
#include "iwarp-workload-watch.h"

#include "ns3/app-message.h"
#include "ns3/boolean.h"
#include "ns3/simulator.h"
#include "ns3/uinteger.h"

#include <functional>
#include <utility>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(IwarpMpaWorkload);

namespace
{

using iwarp::FlowCollector;

/// @param collector flow
void
StreamMessagePosted(Ptr<FlowCollector> collector, uint32_t /* message */, uint64_t /* size */)
{
    collector->Posted();
}

/// @param collector flow @param size octets
void
StreamMessageReceived(Ptr<FlowCollector> collector,
                      Ptr<MpaStream> /* stream */,
                      uint32_t /* message */,
                      uint64_t size)
{
    collector->Completed(size);
}

/// @param collector flow @param reason why
void
SinkFailed(Ptr<FlowCollector> collector, Ptr<MpaStream> /* stream */, const std::string& reason)
{
    collector->Failed(reason);
}

/// @param flow where @param backed messages have content @return sink of the flow, which its
/// receiver has got
Ptr<MpaSink>
InstallSink(const IwarpWorkload::Flow& flow, bool backed)
{
    Ptr<MpaSink> sink = CreateObject<MpaSink>();
    sink->SetAttribute("Local", AddressValue(flow.any));
    sink->SetAttribute("Backed", BooleanValue(backed));
    flow.receiver->AddApplication(sink);
    return sink;
}

/// Carries messages of an open loop over MPA streams.
class MpaCarrier : public iwarp::MessageCarrier
{
  public:
    /// Makes a sender ready
    using Configure = std::function<void(const Ptr<MpaBulkSender>&)>;

    /// Who and how, but for the flow
    struct Manner
    {
        bool backed;         //!< messages have content
        bool acknowledged;   //!< they end when the sender knows that they have come
        Configure configure; //!< makes a sender ready
    };

    /// @param flow where @param listener told of connections @param manner how @param user told
    MpaCarrier(const IwarpWorkload::Flow& flow,
               const iwarp::FlowListener& listener,
               Manner manner,
               User& user)
        : MessageCarrier(user),
          m_flow(flow),
          m_listener(listener),
          m_manner(std::move(manner)),
          m_sink(InstallSink(flow, m_manner.backed))
    {
    }

    void Watch() //!< Hear of the sink, once
    {
        Ptr<MpaCarrier> self(this);
        m_sink->TraceConnectWithoutContext("StreamCreated",
                                           MakeCallback(&MpaCarrier::FollowSink, self));
        m_sink->TraceConnectWithoutContext("Failed", MakeCallback(&MpaCarrier::HandleSink, self));
        if (!m_manner.acknowledged)
        {
            m_sink->TraceConnectWithoutContext("MessageReceived",
                                               MakeCallback(&MpaCarrier::HandleReceived, self));
        }
    }

    void Open() override
    {
        Ptr<MpaCarrier> self(this);
        m_sender = CreateObject<MpaBulkSender>();
        m_manner.configure(m_sender);
        m_sender->SetAttribute("Remote", AddressValue(m_flow.receiverAddress));
        m_sender->SetAttribute("Backed", BooleanValue(m_manner.backed));
        m_sender->Allow(0);
        m_sender->TraceConnectWithoutContext("Failed",
                                             MakeCallback(&MpaCarrier::HandleFailed, self));
        m_sender->TraceConnectWithoutContext("Established",
                                             MakeCallback(&MpaCarrier::HandleEstablished, self));
        m_flow.sender->AddApplication(m_sender);
    }

    void Post(uint64_t octets) override
    {
        if (m_acknowledged)
        {
            m_acknowledged->Post(octets);
        }
        m_sender->Post(octets);
    }

    void Finish(iwarp::MetricSet& metrics) override
    {
        metrics.Add("content_errors", m_sink->GetContentErrors());
        m_sink = nullptr;
        m_sender = nullptr;
        m_acknowledged = nullptr;
    }

  private:
    void FollowSink(Ptr<MpaStream> stream) //!< @param stream of the sink, which gets messages
    {
        const auto collector = Create<FlowCollector>(m_listener);
        iwarp::WatchMpaReceiver(collector, stream);
        iwarp::WatchMpaPayload(collector, stream);
    }

    /// @param stream the sender's, in Full Operation
    void HandleEstablished(Ptr<MpaStream> stream)
    {
        iwarp::WatchMpaSender(Create<FlowCollector>(m_listener), stream);
        if (m_manner.acknowledged)
        {
            m_acknowledged = Create<iwarp::AcknowledgedMessages>(
                iwarp::MESSAGE_HEADER,
                MakeCallback(&MpaCarrier::HandleAcknowledged, Ptr<MpaCarrier>(this)));
            m_acknowledged->Attach(stream);
        }
        // the sender begins when it has told of this
        Simulator::ScheduleNow(&MpaCarrier::HandleReady, Ptr<MpaCarrier>(this));
    }

    void HandleReady() //!< messages may be posted
    {
        NotifyReady();
    }

    void HandleReceived(Ptr<MpaStream> /* stream */, uint32_t /* message */, uint64_t /* size */)
    {
        NotifyMessage();
    }

    void HandleAcknowledged() //!< all of the oldest message is acknowledged
    {
        NotifyMessage();
    }

    void HandleFailed(const std::string& reason) //!< @param reason why the sender ends early
    {
        m_listener.failure(reason);
    }

    void HandleSink(Ptr<MpaStream> /* stream */, const std::string& reason)
    {
        m_listener.failure(reason);
    }

    const IwarpWorkload::Flow m_flow;                //!< where
    const iwarp::FlowListener m_listener;            //!< told of connections
    const Manner m_manner;                           //!< how
    Ptr<MpaSink> m_sink;                             //!< of all connections
    Ptr<MpaBulkSender> m_sender;                     //!< of the last connection
    Ptr<iwarp::AcknowledgedMessages> m_acknowledged; //!< of the last, if that matters
};

} // namespace

TypeId
IwarpMpaWorkload::GetTypeId()
{
    static TypeId tid = TypeId("ns3::IwarpMpaWorkload")
                            .SetParent<IwarpOpenLoopWorkload>()
                            .SetGroupName("Iwarp")
                            .AddConstructor<IwarpMpaWorkload>();
    return tid;
}

IwarpMpaWorkload::IwarpMpaWorkload() = default;
IwarpMpaWorkload::~IwarpMpaWorkload() = default;

std::string
IwarpMpaWorkload::CheckRanks() const
{
    return CheckFlowRanks();
}

void
IwarpMpaWorkload::InstallFlow(const Flow& flow, const iwarp::FlowListener& listener)
{
    auto collector = Create<FlowCollector>(listener);
    const auto sink = InstallSink(flow, IsBacked());
    sink->TraceConnectWithoutContext("Failed", MakeBoundCallback(&SinkFailed, collector));
    sink->TraceConnectWithoutContext("StreamCreated",
                                     MakeBoundCallback(&iwarp::WatchMpaReceiver, collector));
    sink->TraceConnectWithoutContext("StreamCreated",
                                     MakeBoundCallback(&iwarp::WatchMpaPayload, collector));
    sink->TraceConnectWithoutContext("MessageReceived",
                                     MakeBoundCallback(&StreamMessageReceived, collector));
    m_sinks.push_back(sink);

    Ptr<MpaBulkSender> sender = CreateObject<MpaBulkSender>();
    Configure(sender, flow);
    sender->SetAttribute("Remote", AddressValue(flow.receiverAddress));
    sender->SetAttribute("MaxOctets", UintegerValue(GetMaxOctets()));
    sender->SetAttribute("Backed", BooleanValue(IsBacked()));
    AssignStreams(flow, sender);
    sender->SetStartTime(DrawStart(sender, flow));
    sender->TraceConnectWithoutContext("Failed", MakeCallback(&FlowCollector::Failed, collector));
    sender->TraceConnectWithoutContext("Established",
                                       MakeBoundCallback(&iwarp::WatchMpaSender, collector));
    sender->TraceConnectWithoutContext("MessagePosted",
                                       MakeBoundCallback(&StreamMessagePosted, collector));
    flow.sender->AddApplication(sender);
    m_senders.push_back(sender);
}

Ptr<iwarp::MessageCarrier>
IwarpMpaWorkload::MakeCarrier(const Flow& flow,
                              const iwarp::FlowListener& listener,
                              iwarp::MessageCarrier::Kind kind,
                              iwarp::MessageCarrier::User& user)
{
    const auto configure = [this, kind](const Ptr<MpaBulkSender>& sender) {
        ConfigureCarrier(sender, kind);
    };
    const auto carrier = Create<MpaCarrier>(
        flow,
        listener,
        MpaCarrier::Manner{IsBacked(), GetIdealTime() == iwarp::IdealTime::HPCC, configure},
        user);
    carrier->Watch();
    return carrier;
}

bool
IwarpMpaWorkload::EndsWithAck() const
{
    return HasStage() && GetIdealTime() == iwarp::IdealTime::HPCC;
}

void
IwarpMpaWorkload::FinishFlows(iwarp::MetricSet& metrics)
{
    for (const auto& sink : m_sinks)
    {
        metrics.Add("content_errors", sink->GetContentErrors());
    }
    ReportCounts(metrics);
    m_sinks.clear();
    m_senders.clear();
}

void
IwarpMpaWorkload::Count(iwarp::MetricSet& counts) const
{
    for (const auto& sender : m_senders)
    {
        counts.Add("messages_refused", sender->GetMessagesRefused());
    }
}

} // namespace ns3
