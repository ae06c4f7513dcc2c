/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "iwarp-workload-tls.h"

#include "iwarp-record-watch.h"

#include "ns3/boolean.h"
#include "ns3/mpa-tcp-socket-factory.h"
#include "ns3/uinteger.h"

#include <string>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(IwarpTlsWorkload);

namespace
{

using iwarp::FlowCollector;
using iwarp::RecordWatch;

/// RecordReceived. @param watch of the receiver
void
TlsRecordReceived(Ptr<RecordWatch> watch, const TlsRecordReport& record, uint64_t offset)
{
    watch->HandleRecord(offset, record.size, true);
}

/// RecordReceived, before its payload. @param collector of the flow
void
TlsRecordOpened(Ptr<FlowCollector> collector,
                const TlsRecordReport& /* record */,
                uint64_t /* offset */)
{
    collector->Settle();
}

/// PayloadReceived. @param collector of the flow
void
TlsPayloadReceived(Ptr<FlowCollector> collector, Ptr<TlsStream> /* stream */, uint64_t octets)
{
    collector->Placed(octets);
}

/// RecordSent. @param collector of the flow
void
TlsRecordSent(Ptr<FlowCollector> collector,
              const TlsRecordReport& /* record */,
              uint64_t /* offset */)
{
    collector->FrameSent();
}

/// The sink's StreamCreated. @param collector of the flow @param stream that is not open yet
void
TlsReceiverCreated(Ptr<FlowCollector> collector, Ptr<TlsStream> stream)
{
    collector->ReceiverReady();
    const auto watch = Create<RecordWatch>(collector);
    watch->Watch(stream->GetSocket());
    stream->TraceConnectWithoutContext("RecordReceived",
                                       MakeBoundCallback(&TlsRecordReceived, watch));
    stream->TraceConnectWithoutContext("PayloadArrived",
                                       MakeCallback(&FlowCollector::Expect, collector));
    stream->TraceConnectWithoutContext("RecordReceived",
                                       MakeBoundCallback(&TlsRecordOpened, collector));
    stream->TraceConnectWithoutContext("SegmentClassified",
                                       MakeCallback(&FlowCollector::SegmentReceived, collector));
    stream->TraceConnectWithoutContext("Held", MakeCallback(&FlowCollector::MemoryHeld, collector));
    stream->TraceConnectWithoutContext("SegmentDropped",
                                       MakeCallback(&FlowCollector::SegmentDropped, collector));
}

/// The sender's StreamCreated. @param collector of the flow @param stream that is not open yet
void
TlsSenderCreated(Ptr<FlowCollector> collector, Ptr<TlsStream> stream)
{
    stream->TraceConnectWithoutContext("RecordSent", MakeBoundCallback(&TlsRecordSent, collector));
}

/// The sender's Established. @param collector of the flow @param stream that may be sent on
void
TlsSenderReady(Ptr<FlowCollector> collector, Ptr<TlsStream> stream)
{
    collector->WatchSocket(stream->GetSocket());
}

/// MessagePosted. @param collector of the flow
void
TlsMessagePosted(Ptr<FlowCollector> collector, uint32_t /* message */, uint64_t /* size */)
{
    collector->Posted();
}

/// MessageReceived. @param collector of the flow @param size octets
void
TlsMessageReceived(Ptr<FlowCollector> collector,
                   Ptr<TlsStream> /* stream */,
                   uint32_t /* message */,
                   uint64_t size)
{
    collector->Completed(size);
}

/// The sink's Failed. @param collector of the flow @param reason why
void
TlsSinkFailed(Ptr<FlowCollector> collector, Ptr<TlsStream> /* stream */, const std::string& reason)
{
    collector->Failed(reason);
}

} // namespace

TypeId
IwarpTlsWorkload::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::IwarpTlsWorkload")
            .SetParent<IwarpMessageWorkload>()
            .SetGroupName("Iwarp")
            .AddConstructor<IwarpTlsWorkload>()
            .AddAttribute("Protocol",
                          "Socket factory of both ends: of MpaTcpSocket, whose Alignment applies "
                          "to records, or another of TCP, such as ns3::TcpSocketFactory, which "
                          "does not tell how it cuts them",
                          TypeIdValue(MpaTcpSocketFactory::GetTypeId()),
                          MakeTypeIdAccessor(&IwarpTlsWorkload::m_protocol),
                          MakeTypeIdChecker())
            .AddAttribute("WriteSize",
                          "Octets that senders write at once: a write begins a record, and ends "
                          "one [octets]",
                          UintegerValue(65536),
                          MakeUintegerAccessor(&IwarpTlsWorkload::m_writeSize),
                          MakeUintegerChecker<uint32_t>(13, 65536));
    return tid;
}

IwarpTlsWorkload::IwarpTlsWorkload() = default;
IwarpTlsWorkload::~IwarpTlsWorkload() = default;

std::string
IwarpTlsWorkload::Check() const
{
    const std::string protocol = CheckProtocol(m_protocol);
    if (!protocol.empty())
    {
        return protocol;
    }
    TypeId::AttributeInformation limit;
    TlsStream::GetTypeId().LookupAttributeByName("RecordSizeLimit", &limit);
    const uint64_t octets = DynamicCast<const UintegerValue>(limit.initialValue)->Get();
    if (octets > 0 && octets < tls::MIN_RECORD_SIZE_LIMIT)
    {
        return "TlsStream.RecordSizeLimit: " + std::to_string(octets) +
               " is neither 0, for none, nor " + std::to_string(tls::MIN_RECORD_SIZE_LIMIT) +
               " or more";
    }
    const std::string problem = IwarpMessageWorkload::Check();
    TypeId::AttributeInformation real;
    TlsStream::GetTypeId().LookupAttributeByName("Real", &real);
    const auto value = DynamicCast<const BooleanValue>(real.initialValue);
    if (problem.empty() && value && value->Get() && !HasRealTls())
    {
        return "TlsStream.Real: this build has no OpenSSL: install libssl-dev and configure again, "
               "or take modelled TLS";
    }
    return problem;
}

bool
IwarpTlsWorkload::CountsInHost() const
{
    return true;
}

int64_t
IwarpTlsWorkload::CountStreams() const
{
    return 4; // sizes, intervals, and the randoms of both ends
}

IwarpWorkload::Headers
IwarpTlsWorkload::GetHeaders(uint32_t ip, uint32_t tcp) const
{
    return {ip + tcp, 0}; // a record's are not each segment's
}

void
IwarpTlsWorkload::Install(const Flow& flow, const iwarp::FlowListener& listener)
{
    auto collector = Create<FlowCollector>(listener);
    Ptr<TlsSink> sink = CreateObject<TlsSink>();
    sink->SetAttribute("Local", AddressValue(flow.any));
    sink->SetAttribute("Protocol", TypeIdValue(m_protocol));
    sink->SetAttribute("Backed", BooleanValue(IsBacked()));
    const auto watch = [&collector](const auto& application, const char* trace, auto function) {
        application->TraceConnectWithoutContext(trace, MakeBoundCallback(function, collector));
    };
    watch(sink, "Failed", &TlsSinkFailed);
    watch(sink, "StreamCreated", &TlsReceiverCreated);
    watch(sink, "PayloadReceived", &TlsPayloadReceived);
    watch(sink, "MessageReceived", &TlsMessageReceived);
    flow.receiver->AddApplication(sink);
    m_sinks.push_back(sink);

    Ptr<TlsBulkSender> sender = CreateObject<TlsBulkSender>();
    Configure(sender, flow);
    sender->SetAttribute("Remote", AddressValue(flow.receiverAddress));
    sender->SetAttribute("Protocol", TypeIdValue(m_protocol));
    sender->SetAttribute("WriteSize", UintegerValue(m_writeSize));
    sender->SetAttribute("MaxOctets", UintegerValue(GetMaxOctets()));
    sender->SetAttribute("Backed", BooleanValue(IsBacked()));
    AssignStreams(flow, sender, sink);
    sender->SetStartTime(DrawStart(sender, flow));
    sender->TraceConnectWithoutContext("Failed", MakeCallback(&FlowCollector::Failed, collector));
    watch(sender, "StreamCreated", &TlsSenderCreated);
    watch(sender, "Established", &TlsSenderReady);
    watch(sender, "MessagePosted", &TlsMessagePosted);
    flow.sender->AddApplication(sender);
    m_senders.push_back(sender);
}

void
IwarpTlsWorkload::EnablePcap(const std::string& prefix)
{
    ApplicationContainer senders;
    for (const auto& sender : m_senders)
    {
        senders.Add(sender);
    }
    TlsApplicationHelper::EnableKeyLog(prefix + "-keys", senders);
}

void
IwarpTlsWorkload::Finish(iwarp::MetricSet& metrics)
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
IwarpTlsWorkload::Count(iwarp::MetricSet& counts) const
{
    for (const auto& sender : m_senders)
    {
        counts.Add("messages_refused", sender->GetMessagesRefused());
    }
}

} // namespace ns3
