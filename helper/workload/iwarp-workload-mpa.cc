/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "iwarp-workload-mpa.h"

#include "iwarp-workload-watch.h"

#include "ns3/boolean.h"
#include "ns3/uinteger.h"

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

/// @param collector flow @param reason why
void
SenderFailed(Ptr<FlowCollector> collector, const std::string& reason)
{
    collector->Failed(reason);
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

} // namespace

TypeId
IwarpMpaWorkload::GetTypeId()
{
    static TypeId tid = TypeId("ns3::IwarpMpaWorkload")
                            .SetParent<IwarpMessageWorkload>()
                            .SetGroupName("Iwarp")
                            .AddConstructor<IwarpMpaWorkload>();
    return tid;
}

IwarpMpaWorkload::IwarpMpaWorkload() = default;
IwarpMpaWorkload::~IwarpMpaWorkload() = default;

void
IwarpMpaWorkload::Install(const Flow& flow, const iwarp::FlowListener& listener)
{
    auto collector = Create<FlowCollector>(listener);
    Ptr<MpaSink> sink = CreateObject<MpaSink>();
    sink->SetAttribute("Local", AddressValue(flow.any));
    sink->SetAttribute("Backed", BooleanValue(IsBacked()));
    sink->TraceConnectWithoutContext("Failed", MakeBoundCallback(&SinkFailed, collector));
    sink->TraceConnectWithoutContext("StreamCreated",
                                     MakeBoundCallback(&iwarp::WatchMpaReceiver, collector));
    sink->TraceConnectWithoutContext("StreamCreated",
                                     MakeBoundCallback(&iwarp::WatchMpaPayload, collector));
    sink->TraceConnectWithoutContext("MessageReceived",
                                     MakeBoundCallback(&StreamMessageReceived, collector));
    flow.receiver->AddApplication(sink);
    m_sinks.push_back(sink);

    Ptr<MpaBulkSender> sender = CreateObject<MpaBulkSender>();
    Configure(sender, flow);
    sender->SetAttribute("Remote", AddressValue(flow.receiverAddress));
    sender->SetAttribute("MaxOctets", UintegerValue(GetMaxOctets()));
    sender->SetAttribute("Backed", BooleanValue(IsBacked()));
    AssignStreams(flow, sender);
    sender->SetStartTime(DrawStart(sender, flow));
    sender->TraceConnectWithoutContext("Failed", MakeBoundCallback(&SenderFailed, collector));
    sender->TraceConnectWithoutContext("Established",
                                       MakeBoundCallback(&iwarp::WatchMpaSender, collector));
    sender->TraceConnectWithoutContext("MessagePosted",
                                       MakeBoundCallback(&StreamMessagePosted, collector));
    flow.sender->AddApplication(sender);
    m_senders.push_back(sender);
}

void
IwarpMpaWorkload::Finish(iwarp::MetricSet& metrics)
{
    for (const auto& sink : m_sinks)
    {
        metrics.Add("content_errors", sink->GetContentErrors());
    }
    for (const auto& sender : m_senders)
    {
        metrics.Add("messages_refused", sender->GetMessagesRefused());
    }
    m_sinks.clear();
    m_senders.clear();
}

} // namespace ns3
