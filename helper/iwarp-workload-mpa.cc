/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "iwarp-workload-mpa.h"

#include "ns3/app-message-sizes.h"
#include "ns3/boolean.h"
#include "ns3/pointer.h"
#include "ns3/uinteger.h"

namespace ns3
{
namespace iwarp
{
namespace
{

/// @param collector flow @param stream its sending end
void
SenderEstablished(Ptr<FlowCollector> collector, Ptr<MpaStream> stream)
{
    collector->WatchSender(stream);
}

/// @param collector flow
void
MessagePosted(Ptr<FlowCollector> collector, uint32_t /* message */, uint64_t /* size */)
{
    collector->Posted();
}

/// @param collector flow @param reason why
void
SenderFailed(Ptr<FlowCollector> collector, const std::string& reason)
{
    collector->Failed(reason);
}

/// @param collector flow @param stream its receiving end
void
SinkCreated(Ptr<FlowCollector> collector, Ptr<MpaStream> stream)
{
    collector->WatchReceiver(stream);
}

/// @param collector flow @param size octets
void
MessageReceived(Ptr<FlowCollector> collector,
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

MpaWorkload::MpaWorkload(const IwarpScenarioParameters& parameters, const FlowListener& listener)
    : m_parameters(parameters),
      m_listener(listener)
{
}

void
MpaWorkload::Install(const Flow& flow)
{
    const auto& p = m_parameters;
    auto collector = Create<FlowCollector>(m_listener);
    Ptr<MpaSink> sink = CreateObject<MpaSink>();
    sink->SetAttribute("Local", AddressValue(flow.any));
    sink->SetAttribute("Backed", BooleanValue(p.backed));
    sink->TraceConnectWithoutContext("Failed", MakeBoundCallback(&SinkFailed, collector));
    sink->TraceConnectWithoutContext("StreamCreated", MakeBoundCallback(&SinkCreated, collector));
    sink->TraceConnectWithoutContext("MessageReceived",
                                     MakeBoundCallback(&MessageReceived, collector));
    flow.receiver->AddApplication(sink);
    m_sinks.push_back(sink);

    std::string problem;
    Ptr<MpaBulkSender> sender = CreateObject<MpaBulkSender>();
    sender->SetAttribute("Remote", AddressValue(flow.receiverAddress));
    sender->SetAttribute("MaxOctets", UintegerValue(p.octets));
    sender->SetAttribute("QueueDepth", UintegerValue(p.queueDepth));
    sender->SetAttribute("Backed", BooleanValue(p.backed));
    sender->SetAttribute("MessageSizes", PointerValue(MakeDistribution(p.messageSizes, problem)));
    if (!p.intervals.empty())
    {
        sender->SetAttribute("Intervals", PointerValue(MakeDistribution(p.intervals, problem)));
    }
    sender->AssignStreams(flow.stream);
    sender->SetStartTime(flow.start);
    sender->TraceConnectWithoutContext("Failed", MakeBoundCallback(&SenderFailed, collector));
    sender->TraceConnectWithoutContext("Established",
                                       MakeBoundCallback(&SenderEstablished, collector));
    sender->TraceConnectWithoutContext("MessagePosted",
                                       MakeBoundCallback(&MessagePosted, collector));
    flow.sender->AddApplication(sender);
    m_senders.push_back(sender);
}

uint64_t
MpaWorkload::GetOctets() const
{
    return m_parameters.octets;
}

void
MpaWorkload::Finish(std::vector<IwarpMetric>& /* metrics */)
{
    for (const auto& sink : m_sinks)
    {
        m_listener.totals->contentErrors += sink->GetContentErrors();
    }
    for (const auto& sender : m_senders)
    {
        m_listener.totals->refused += sender->GetMessagesRefused();
    }
}

} // namespace iwarp
} // namespace ns3
