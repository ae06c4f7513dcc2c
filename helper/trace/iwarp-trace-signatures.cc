/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "iwarp-trace-signatures.h"

#include "iwarp-trace-sinks.h"

#include "ns3/mpa-stream.h"
#include "ns3/nvme-queue.h"
#include "ns3/rdma-connection.h"
#include "ns3/rdma-queue-pair.h"
#include "ns3/tls-stream.h"

namespace ns3
{
namespace iwarp
{
namespace
{

using ColumnText = TraceConnector::Text;
using ColumnTexts = std::vector<ColumnText>;

const ColumnText FIRST{"seq", "", "TCP sequence number of the first octet"};
const ColumnText SIZE{"size_octets", "octets", "Octets of TCP payload"};
const ColumnText WHY{"reason", "", "Why"};
const ColumnText OCTETS{"octets", "octets", "Octets"};
const ColumnText FLOW{"flow", "", "The RNIC's number of the connection"};
const ColumnText ASSOCIATION{"association", "", "The node's number of the association"};
const ColumnText BY_PEER{"by_peer", "", "The peer sent it"};
const ColumnText KIND{"kind", "", "Read or write"};
const ColumnText LATENCY{"latency_ns", "ns", "From the request to its end"};
const ColumnText MESSAGE{"message_octets", "octets", "Octets of the message"};
const ColumnText MESSAGES{"message", "", "Number of the message, from 0 on"};
const ColumnText GOOD{"header_aligned", "", "The segment begins with a header"};
const ColumnText WHOLE_RECORDS{"whole", "", "The segment holds whole records only"};
const ColumnTexts TERMINATE{{"layer", "", "Layer that found the error (RFC 5040 section 4.8)"},
                            {"type", "", "Error type"},
                            {"code", "", "Error code"}};
const ColumnTexts PACKETS{{"packet_octets", "octets", "Octets of the packet"},
                          {"packet_uid", "", "ns-3's number of the packet"}};

/// @param texts of columns @param more of further columns @return all
ColumnTexts
Join(ColumnTexts texts, const ColumnTexts& more)
{
    texts.insert(texts.end(), more.begin(), more.end());
    return texts;
}

/// @param[in,out] all gets connectors of TCP's sockets
void
AddTcpConnectors(TraceConnectors& all)
{
    all["ns3::Rfc9293TcpSocket::HeldBackTracedCallback"] =
        TraceEvents<SequenceNumber32, uint32_t, uint32_t>(
            {FIRST, SIZE, {"window_octets", "octets", "Octets that the window leaves"}});
    all["ns3::Rfc9293TcpSocket::WindowUpdateTracedCallback"] =
        TraceEvents<uint32_t>({{"window_octets", "octets", "Window advertised"}});
    all["ns3::Rfc9293TcpSocketFactory::SynBacklogTracedCallback"] =
        TraceEvents<uint16_t, uint32_t>({{"port", "", "Port that is listened on"},
                                         {"waiting", "connections", "Those in SYN_RCVD"}});
    all["ns3::TcpRackSocket::LossProbeTracedCallback"] =
        TraceEvents<SequenceNumber32, uint32_t, bool>(
            {FIRST, SIZE, {"again", "", "It was sent before"}});
    all["ns3::TcpRackSocket::RackLossTracedCallback"] = TraceEvents<uint32_t, bool>(
        {{"lost_octets", "octets", "Octets found lost"}, {"timer", "", "By RACK's timer"}});
    all["ns3::TcpRackSocket::ReorderingWindowTracedCallback"] =
        TraceEvents<Time>({{"window_ns", "ns", "Time for which a segment may come late"}});
    all["ns3::RecordTcpSocket::SegmentSentTracedCallback"] =
        TraceEvents<SequenceNumber32, uint32_t, bool, bool, bool>(
            {FIRST,
             SIZE,
             GOOD,
             {"record_aligned", "", "It holds whole records, such as FPDUs, only"},
             {"retransmission", "", "It was sent before"}});
    all["ns3::RecordTcpSocket::RecordCutTracedCallback"] =
        TraceEvents<SequenceNumber32, uint32_t, RecordTcpSocket::CutReason>({FIRST, SIZE, WHY});
    all["ns3::RecordTcpSocket::RedundantRetransmissionTracedCallback"] =
        TraceEvents<SequenceNumber32, uint32_t>({FIRST, SIZE});
    all["ns3::RecordTcpSocket::SegmentDroppedTracedCallback"] =
        TraceEvents<SequenceNumber32, uint32_t>({FIRST, SIZE});
}

/// @param[in,out] all gets connectors of MPA and RDMAP
void
AddMpaConnectors(TraceConnectors& all)
{
    all["ns3::MpaStream::FpduSentTracedCallback"] = TraceEvents<uint32_t, uint32_t, uint32_t>(
        {FIRST,
         {"ulpdu_octets", "octets", "Octets of its ULPDU"},
         {"fpdu_octets", "octets", "Its octets in the stream"}});
    all["ns3::MpaStream::PassedTracedCallback"] = TraceEvents<const MpaUlpdu&, Time>(
        {FIRST,
         {"fpdu_octets", "octets", "Octets of its FPDU in the stream"},
         {"ulpdu_octets", "octets", "Octets of the ULPDU"},
         {"in_order", "", "All before it were passed"},
         {"aligned", "", "Its FPDU came whole within one segment"},
         {"wait_ns", "ns", "Time since its last octet came"}});
    all["ns3::MpaStream::DeliveredTracedCallback"] =
        TraceEvents<uint32_t>({{"delivered_ulpdus", "ULPDUs", "ULPDUs delivered now"}});
    all["ns3::MpaStream::SegmentReceivedTracedCallback"] =
        TraceEvents<uint32_t, uint32_t, const RecordSegmentReport&>(
            {FIRST,
             SIZE,
             {"in_order", "", "Its first new octet was at the left edge"},
             {"aligned", "", "It holds whole FPDUs only, and all were passed"},
             {"duplicate", "", "Nothing new is in it"},
             {"dropped", "", "It is dropped"},
             {"memory_full", "", "It is dropped since the reassembly memory is full"},
             {"passed_fpdus", "FPDUs", "FPDUs passed on its arrival"},
             {"passed_early_fpdus", "FPDUs", "Of these, out of order"},
             {"stored_octets", "octets", "Octets of it put into the reassembly memory"},
             {"marker_searches", "searches", "Times a Marker served to find an FPDU"}});
    all["ns3::MpaStream::ClassifiedTracedCallback"] =
        TraceEvents<uint32_t, uint32_t, bool, bool>({FIRST, SIZE, GOOD, WHOLE_RECORDS});
    all["ns3::MpaStream::DropTracedCallback"] =
        TraceEvents<uint32_t, uint32_t, MpaStream::DropReason>({FIRST, SIZE, WHY});
    all["ns3::MpaStream::ErrorTracedCallback"] =
        TraceEvents<MpaError, const std::string&>({{"error", "", "Which"}, WHY});
    all["ns3::RdmapStream::MessageTracedCallback"] =
        TraceEvents<RdmapOpcode, uint64_t>({{"opcode", "", "Kind of message"}, MESSAGE});
    all["ns3::RdmapStream::SegmentPlacedTracedCallback"] =
        TraceEvents<const DdpHeader&, uint32_t, bool>(
            {{"tagged", "", "It goes to a Tagged Buffer"},
             {"last", "", "It is the last of its message"},
             {"stag", "", "STag, if tagged"},
             {"offset_octets", "octets", "Offset in the buffer, if tagged"},
             {"queue", "", "Queue number, if untagged"},
             {"msn", "", "Message sequence number, if untagged"},
             {"message_offset_octets", "octets", "Offset in the message, if untagged"},
             {"payload_octets", "octets", "Octets placed"},
             {"in_order", "", "All before it was placed"}});
    all["ns3::RdmapStream::TerminateTracedCallback"] =
        TraceEvents<const RdmapTerminate&, bool>(Join(TERMINATE, {BY_PEER}));
}

/// @param[in,out] all gets connectors of NVMe/TCP and TLS
void
AddRecordConnectors(TraceConnectors& all)
{
    const ColumnTexts pdu{{"type", "", "Type of the PDU"}, {"pdu_octets", "octets", "PLEN"}};
    const ColumnTexts command{{"opcode", "", "OPC"},
                              {"command", "", "Command identifier"},
                              {"nsid", "", "Namespace"}};
    const ColumnTexts record{{"type", "", "Type of the content"},
                             {"content_octets", "octets", "Octets of content"},
                             {"padding_octets", "octets", "Octets of padding"},
                             {"record_octets", "octets", "Octets in the stream"},
                             {"encrypted", "", "It is not in clear"},
                             {"number", "", "Its number under its key"},
                             {"stream_octets", "octets", "Offset in the stream"}};
    all["ns3::NvmeQueue::PduTracedCallback"] = TraceEvents<const NvmePdu&>(pdu);
    all["ns3::NvmeQueue::PduReceivedTracedCallback"] = TraceEvents<const NvmePdu&, uint64_t, bool>(
        Join(pdu,
             {{"stream_octets", "octets", "Octets before it"},
              {"good", "", "Its digests are right"}}));
    all["ns3::NvmeQueue::PayloadTracedCallback"] =
        TraceEvents<uint64_t>({{"payload_octets", "octets", "Octets that have come"}});
    all["ns3::NvmeQueue::ClassifiedTracedCallback"] =
        TraceEvents<bool, bool>({GOOD, WHOLE_RECORDS});
    all["ns3::NvmeQueue::DroppedTracedCallback"] = TraceEvents<>({});
    all["ns3::NvmeQueue::EndedTracedCallback"] = TraceEvents<const NvmeEnd&>({WHY});
    all["ns3::NvmeHostQueue::SubmittedTracedCallback"] = TraceEvents<const NvmeSqe&>(command);
    all["ns3::NvmeHostQueue::CompletedTracedCallback"] =
        TraceEvents<const NvmeSqe&, const NvmeCqe&, Time>(
            Join(command, {{"status", "", "Status field"}, LATENCY}));
    all["ns3::TlsStream::RecordTracedCallback"] =
        TraceEvents<const TlsRecordReport&, uint64_t>(record);
    all["ns3::TlsStream::AlertTracedCallback"] =
        TraceEvents<TlsAlert, bool>({{"alert", "", "Which"}, {"sent", "", "By this end"}});
    all["ns3::TlsStream::KeyUpdateTracedCallback"] =
        TraceEvents<bool, bool>({{"sent", "", "The keys of what this end sends"},
                                 {"requested", "", "The other end is to do the same"}});
    all["ns3::TlsStream::SecretTracedCallback"] =
        TraceEvents<const std::string&>({{"line", "", "Line of a key log"}});
    all["ns3::TlsStream::PayloadTracedCallback"] =
        TraceEvents<uint64_t>({{"payload_octets", "octets", "Octets that have come"}});
    all["ns3::TlsStream::StreamTracedCallback"] = TraceEvents<Ptr<TlsStream>>({});
    all["ns3::TlsStream::ClassifiedTracedCallback"] =
        TraceEvents<bool, bool>({GOOD, WHOLE_RECORDS});
    all["ns3::TlsStream::DroppedTracedCallback"] = TraceEvents<>({});
}

/// @param[in,out] all gets connectors of RNICs and IPsec
void
AddRnicConnectors(TraceConnectors& all)
{
    const ColumnText frame{"frame_octets", "octets", "Octets of the frame"};
    const ColumnText key{"key", "", "Key of the entry"};
    const ColumnText hit{"hit", "", "The entry was there"};
    all["ns3::Rnic::FrameTracedCallback"] = TraceEvents<uint64_t, uint32_t, Time>(
        {FLOW, frame, {"delay_ns", "ns", "Time in the RNIC between TCP and the link"}});
    all["ns3::Rnic::PlacedTracedCallback"] = TraceEvents<uint64_t, uint64_t, Time, bool>(
        {FLOW,
         {"placed_octets", "octets", "Octets placed on the arrival of a segment"},
         {"delay_ns", "ns", "Time until the host sees them"},
         {"aligned", "", "The segment is aligned"}});
    all["ns3::Rnic::OpsTracedCallback"] = TraceEvents<uint64_t, const RnicOps&>(
        {FLOW,
         {"state_fetches", "fetches", "Fetches of MPA state to find an FPDU's end"},
         {"marker_searches", "searches", "Searches of an FPDU by a Marker"},
         {"crc_runs", "runs", "CRC computations begun or resumed"},
         {"crc_octets", "octets", "Octets through the CRC"},
         {"copies", "commands", "Commands that move data to the host"},
         {"stored_octets", "octets", "Octets put into local memory"}});
    all["ns3::Rnic::DropTracedCallback"] =
        TraceEvents<uint64_t, uint32_t, Rnic::DropReason>({FLOW, OCTETS, WHY});
    all["ns3::Rnic::CacheTracedCallback"] =
        TraceEvents<Rnic::Cache, uint64_t, bool>({{"cache", "", "Which"}, key, hit});
    all["ns3::RnicCache::AccessTracedCallback"] = TraceEvents<uint64_t, bool>({key, hit});
    all["ns3::EspForecast::AssociationTracedCallback"] =
        TraceEvents<EspDirection, uint64_t>({{"direction", "", "Way of its packets"}, ASSOCIATION});
    all["ns3::EspForecast::ForgedTracedCallback"] = TraceEvents<const EspWork&>(
        {ASSOCIATION,
         {"clear_octets", "octets", "Octets of the datagram without ESP"},
         {"sealed_octets", "octets", "Octets of the datagram with ESP"}});
    all["ns3::IpsecStack::SealedTracedCallback"] =
        TraceEvents<Ptr<const Packet>, const IpsecFlow&, uint32_t>(
            Join(PACKETS,
                 {{"source", "", "Address of the sender"},
                  {"destination", "", "Address of the receiver"},
                  {"protocol", "", "Next layer protocol"},
                  {"source_port", "", "Port, or 0"},
                  {"destination_port", "", "Port, or 0"},
                  {"sealed_octets", "octets", "Octets that go out"}}));
    all["ns3::IpsecStack::DropTracedCallback"] =
        TraceEvents<IpsecDrop, Ptr<const Packet>>(Join({WHY}, PACKETS));
    all["ns3::IpsecKeying::CreatedTracedCallback"] = TraceEvents<const IpsecAssociationConfig&>(
        {{"spi", "", "Security parameters index"},
         {"source", "", "Sender of its packets"},
         {"destination", "", "Receiver of its packets"}});
}

/// @param[in,out] all gets connectors of verbs
void
AddVerbsConnectors(TraceConnectors& all)
{
    const ColumnText pair{"queue_pair", "", "Number of the queue pair"};
    all["ns3::RdmaCompletionQueue::CompletionTracedCallback"] =
        TraceEvents<const RdmaCompletion&>({{"id", "", "The work request's"},
                                            {"status", "", "0 for success, else RdmapStatus"},
                                            {"opcode", "", "What ended"},
                                            {"completed_octets", "octets", "Received or read"},
                                            pair});
    all["ns3::RdmaDevice::TerminateTracedCallback"] =
        TraceEvents<uint32_t, const RdmapTerminate&, bool>(
            Join(Join({pair}, TERMINATE), {BY_PEER}));
    all["ns3::RdmaDevice::RefusedTracedCallback"] = TraceEvents<RdmaResource, uint32_t>(
        {{"resource", "", "What there is no more of"}, {"limit", "", "Most of it"}});
    all["ns3::RdmaDevice::BacklogTracedCallback"] =
        TraceEvents<Ptr<const RdmaConnection>, uint16_t>(
            {{"waiting", "connections", "Those that wait to be accepted"}});
}

/// @param[in,out] all gets connectors of what stands on links
void
AddPathConnectors(TraceConnectors& all)
{
    all["ns3::PathRandomImpairment::LossTracedCallback"] = TraceEvents<Ptr<const Packet>>(PACKETS);
    all["ns3::PathRandomImpairment::DelayTracedCallback"] =
        TraceEvents<Ptr<const Packet>, Time>(Join(PACKETS, {{"delay_ns", "ns", "Time held back"}}));
    all["ns3::PathResegmentingMiddlebox::RecutTracedCallback"] = TraceEvents<uint32_t, uint32_t>(
        {{"came_segments", "segments", "Segments that came"},
         {"went_segments", "segments", "Segments that went for them"}});
    all["ns3::PathAdversaryMiddlebox::ActTracedCallback"] =
        TraceEvents<PathAdversaryMiddlebox::Act, Ptr<const Packet>>(
            Join({{"act", "", "What was done"}}, PACKETS));
    all["ns3::TcpSplitProxy::AcceptedTracedCallback"] =
        TraceEvents<const Address&>({{"client", "", "Who has connected"}});
    all["ns3::TcpSplitProxy::EndedTracedCallback"] =
        TraceEvents<const Address&, TcpSplitConnection::End, uint64_t, uint64_t>(
            {{"client", "", "Who had connected"},
             WHY,
             {"forward_octets", "octets", "Octets from the client"},
             {"back_octets", "octets", "Octets to the client"}});
    all["ns3::RoceHost::DropTracedCallback"] =
        TraceEvents<Ptr<const Packet>, RoceDropReason>(Join(PACKETS, {WHY}));
    all["ns3::RoceClient::RateTracedCallback"] =
        TraceEvents<double>({{"rate_bits_per_second", "bit/s", "Rate from then on"}});
    all["ns3::RoceClient::MessageTracedCallback"] = TraceEvents<uint64_t>({MESSAGE});
    all["ns3::RoceServer::MessageTracedCallback"] = TraceEvents<uint64_t>({MESSAGE});
    all["ns3::RoceServer::PlacedTracedCallback"] =
        TraceEvents<uint32_t, Time>({{"placed_octets", "octets", "Octets of payload"},
                                     {"delay_ns", "ns", "Time until the host has them"}});
}

} // namespace

void
AddStreamConnectors(TraceConnectors& all)
{
    AddTcpConnectors(all);
    AddMpaConnectors(all);
    AddRecordConnectors(all);
}

void
AddDeviceConnectors(TraceConnectors& all)
{
    AddRnicConnectors(all);
    AddVerbsConnectors(all);
    AddPathConnectors(all);
}

void
AddApplicationConnectors(TraceConnectors& all)
{
    const ColumnText request{"request_octets", "octets", "Octets of the request"};
    const ColumnText finished{"requests", "requests", "Requests completed"};
    const auto failed = TraceEvents<const std::string&>({WHY});
    const auto message = TraceEvents<uint32_t, uint64_t>({MESSAGES, MESSAGE});
    const auto served = TraceEvents<RequestKind, uint32_t>({KIND, request});
    const auto completed = TraceEvents<RequestKind, uint32_t, Time>({KIND, request, LATENCY});
    for (const auto& application :
         {"RdmaApplication", "NvmeApplication", "MpaBulkSender", "TlsBulkSender", "RoceClient"})
    {
        all[std::string("ns3::") + application + "::FailedTracedCallback"] = failed;
    }
    for (const auto& application : {"RdmaBulkClient", "MpaBulkSender", "TlsBulkSender"})
    {
        all[std::string("ns3::") + application + "::MessageTracedCallback"] = message;
    }
    all["ns3::MpaSink::FailedTracedCallback"] =
        TraceEvents<Ptr<MpaStream>, const std::string&>({WHY});
    all["ns3::TlsSink::FailedTracedCallback"] =
        TraceEvents<Ptr<TlsStream>, const std::string&>({WHY});
    all["ns3::RdmaApplication::ConnectedTracedCallback"] = TraceEvents<Ptr<RdmaQueuePair>>({});
    all["ns3::MpaBulkSender::StreamTracedCallback"] = TraceEvents<Ptr<MpaStream>>({});
    all["ns3::MpaSink::StreamTracedCallback"] = TraceEvents<Ptr<MpaStream>>({});
    all["ns3::TlsBulkSender::StreamTracedCallback"] = TraceEvents<Ptr<TlsStream>>({});
    all["ns3::TlsSink::StreamTracedCallback"] = TraceEvents<Ptr<TlsStream>>({});
    all["ns3::NvmeApplication::QueueTracedCallback"] = TraceEvents<Ptr<NvmeQueue>>({});
    all["ns3::RdmaBulkServer::MessageTracedCallback"] =
        TraceEvents<Ptr<RdmaQueuePair>, uint64_t>({MESSAGE});
    all["ns3::MpaSink::MessageTracedCallback"] =
        TraceEvents<Ptr<MpaStream>, uint32_t, uint64_t>({MESSAGES, MESSAGE});
    all["ns3::TlsSink::MessageTracedCallback"] =
        TraceEvents<Ptr<TlsStream>, uint32_t, uint64_t>({MESSAGES, MESSAGE});
    all["ns3::TlsSink::PayloadTracedCallback"] =
        TraceEvents<Ptr<TlsStream>, uint64_t>({{"payload_octets", "octets", "Octets"}});
    all["ns3::NvmeHost::PostedTracedCallback"] = served;
    all["ns3::NvmeHost::CompletedTracedCallback"] = completed;
    all["ns3::NvmeHost::FinishedTracedCallback"] = TraceEvents<uint64_t>({finished});
    all["ns3::NvmeTarget::ServedTracedCallback"] = served;
    all["ns3::RdmaStorageClient::PostedTracedCallback"] = served;
    all["ns3::RdmaStorageClient::CompletedTracedCallback"] = completed;
    all["ns3::RdmaStorageClient::FinishedTracedCallback"] = TraceEvents<uint64_t>({finished});
    all["ns3::RdmaStorageServer::ServedTracedCallback"] = served;
    all["ns3::RdmaPerfClient::FinishedTracedCallback"] = TraceEvents<const RdmaPerfReport&>(
        {MESSAGE,
         {"iterations", "messages", "Messages measured"},
         {"rate_bits_per_second", "bit/s", "Mean rate of a bandwidth test"},
         {"latency_ns", "ns", "Median latency of a latency test"}});
}

} // namespace iwarp
} // namespace ns3
