/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "iwarp-workload-tls.h"

#include "ns3/boolean.h"
#include "ns3/mpa-tcp-socket-factory.h"
#include "ns3/record-segment-times.h"
#include "ns3/simulator.h"
#include "ns3/tcp-header.h"
#include "ns3/tcp-socket-base.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(IwarpTlsWorkload);

namespace
{

using iwarp::FlowCollector;

/// Knows when segments came to a receiver, and so how long records waited for others.
class TlsSegmentWatch : public SimpleRefCount<TlsSegmentWatch>
{
  public:
    /// @param collector of the flow
    explicit TlsSegmentWatch(Ptr<FlowCollector> collector)
        : m_collector(collector)
    {
    }

    /// A segment is there. @param seq of its first octet @param size octets of payload
    void HandleSegment(SequenceNumber32 seq, uint32_t size)
    {
        const Segment segment{seq, size, Simulator::Now().GetTimeStep()};
        if (m_isKnown)
        {
            Add(segment);
        }
        else
        {
            m_first.push_back(segment);
        }
    }

    /// A record is there. @param record it @param offset octets before it
    void HandleRecord(const TlsRecordReport& record, uint64_t offset)
    {
        if (!m_isKnown && !m_first.empty())
        {
            // the first record is whole, so that the first octet is among those that have come
            const auto least = [](const Segment& a, const Segment& b) { return a.seq < b.seq; };
            m_start = std::min_element(m_first.begin(), m_first.end(), least)->seq;
            m_isKnown = true;
            for (const Segment& segment : std::exchange(m_first, {}))
            {
                Add(segment);
            }
        }
        m_offset = offset + record.size;
        const int64_t last = m_times.Find(offset, m_offset);
        const Time wait = last >= 0 ? Simulator::Now() - TimeStep(last) : Time(0);
        m_collector->FramePassed((m_start + static_cast<uint32_t>(offset)).GetValue(), true, wait);
        m_collector->FramesDelivered(1);
    }

  private:
    /// One that has come
    struct Segment
    {
        SequenceNumber32 seq; //!< of its first octet
        uint32_t size;        //!< octets
        int64_t time;         //!< when it came
    };

    /// @param segment whose place in the stream can be told now
    void Add(const Segment& segment)
    {
        // a window is far below 2 GiB
        const auto ahead =
            static_cast<int32_t>(segment.seq - m_start - static_cast<uint32_t>(m_offset));
        const int64_t begin = static_cast<int64_t>(m_offset) + ahead;
        if (begin >= 0)
        {
            const auto first = static_cast<uint64_t>(begin);
            m_times.Add(first, first + segment.size, segment.time);
        }
    }

    Ptr<FlowCollector> m_collector; //!< of the flow
    RecordSegmentTimes m_times;     //!< segments
    std::vector<Segment> m_first;   //!< before the first record
    SequenceNumber32 m_start{0};    //!< of the stream's first octet
    bool m_isKnown{false};          //!< m_start is
    uint64_t m_offset{0};           //!< behind the last record that is whole
};

/// A socket's Rx. @param watch of the receiver
void
TlsSegmentCame(Ptr<TlsSegmentWatch> watch,
               Ptr<const Packet> packet,
               const TcpHeader& header,
               Ptr<const TcpSocketBase> /* socket */)
{
    if (packet->GetSize() > 0)
    {
        watch->HandleSegment(header.GetSequenceNumber(), packet->GetSize());
    }
}

/// RecordReceived. @param watch of the receiver
void
TlsRecordReceived(Ptr<TlsSegmentWatch> watch, const TlsRecordReport& record, uint64_t offset)
{
    watch->HandleRecord(record, offset);
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
    const auto watch = Create<TlsSegmentWatch>(collector);
    stream->GetSocket()->TraceConnectWithoutContext("Rx",
                                                    MakeBoundCallback(&TlsSegmentCame, watch));
    stream->TraceConnectWithoutContext("RecordReceived",
                                       MakeBoundCallback(&TlsRecordReceived, watch));
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
    if (const auto socket = DynamicCast<MpaTcpSocket>(stream->GetSocket()))
    {
        collector->WatchSocket(socket);
    }
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

/// The sender's Failed. @param collector of the flow @param reason why
void
TlsSenderFailed(Ptr<FlowCollector> collector, const std::string& reason)
{
    collector->Failed(reason);
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
    watch(sender, "Failed", &TlsSenderFailed);
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
    for (const auto& sender : m_senders)
    {
        metrics.Add("messages_refused", sender->GetMessagesRefused());
    }
    m_sinks.clear();
    m_senders.clear();
}

} // namespace ns3
