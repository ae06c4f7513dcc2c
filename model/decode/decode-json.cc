/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "decode-json.h"

#include "decode-text.h"

#include "ns3/ddp-octets.h"
#include "ns3/mpa-enhanced.h"
#include "ns3/util-json.h"

namespace ns3
{

namespace
{

/// @param octets octets @param size how many @return them in hexadecimal
std::string
Hex(const uint8_t* octets, std::size_t size)
{
    static const char digits[] = "0123456789abcdef";
    std::string text;
    for (std::size_t i = 0; i < size; ++i)
    {
        text += digits[octets[i] >> 4];
        text += digits[octets[i] & 15];
    }
    return text;
}

void
WritePlace(JsonObject& object,
           const DecodeEvent& event,
           int64_t start,
           const char* layer,
           const char* name)
{
    DecodeTime(event.time - start, object.Name("time"));
    object.Number("frame", event.frame);
    if (event.from)
    {
        object.Number("stream", event.stream);
        object.String("from", event.from->ToString());
        object.String("to", event.to->ToString());
        object.Number("seq", event.seq);
    }
    object.String("layer", layer);
    object.String("event", name);
}

void
WriteStartup(const DecodeEvent& event, int64_t start, std::string& out)
{
    const MpaStartupFrame& frame = *event.startup;
    JsonObject object(out);
    WritePlace(object,
               event,
               start,
               DecodeLayerName(DecodeLayer::MPA),
               frame.reply ? "reply" : "request");
    object.Flag("markers_flag", frame.markers);
    object.Flag("crc_flag", frame.crc);
    object.Flag("reject_flag", frame.reject);
    object.Flag("enhanced_flag", (frame.reserved & MpaStartupFrame::ENHANCED) != 0);
    object.Number("reserved", frame.reserved & ~MpaStartupFrame::ENHANCED);
    object.Number("revision", frame.revision);
    object.Number("pd_length", frame.privateData.size());
    std::size_t own = 0;
    if (frame.IsEnhanced() && frame.privateData.size() >= MpaEnhancedWord::SIZE)
    {
        const auto word = MpaEnhancedWord::Decode(frame.privateData.data());
        object.Number("ird", word.ird);
        object.Number("ord", word.ord);
        object.Flag("a_flag", word.peerToPeer);
        object.Flag("b_flag", word.rtr.send);
        object.Flag("c_flag", word.rtr.write);
        object.Flag("d_flag", word.rtr.read);
        own = MpaEnhancedWord::SIZE;
    }
    object.String("private_data",
                  Hex(frame.privateData.data() + own, frame.privateData.size() - own));
}

void
Segment(const DecodeEvent& event, int64_t start, std::string& out)
{
    const DecodeFpdu& fpdu = *event.fpdu;
    const DdpHeader& header = fpdu.ddp;
    const RdmapControl control = RdmapControl::Decode(header.ulpControl);
    JsonObject object(out);
    WritePlace(object, event, start, DecodeLayerName(DecodeLayer::DDP), "segment");
    object.Flag("tagged", header.tagged);
    object.Flag("last", header.last);
    object.Number("dv", header.version);
    if (header.tagged)
    {
        object.Number("stag", header.stag);
        object.Number("tagged_offset", header.to);
    }
    else
    {
        object.Number("qn", header.qn);
        object.Number("msn", header.msn);
        object.Number("mo", header.mo);
    }
    object.Number("payload_length", fpdu.payload);
    object.Number("rv", control.version);
    object.Number("opcode", control.opcode);
}

/// Members of a Terminate. @param object where @param message the message
void
TerminateDetails(JsonObject& object, const DecodeMessage& message)
{
    const RdmapTerminate& terminate = message.terminate;
    object.Number("terminate_layer", terminate.layer);
    object.Number("terminate_type", terminate.type);
    object.Number("terminate_code", terminate.code);
    object.String("terminate_form", message.mirrored ? "mirrored" : "rfc");
    object.String("text", message.terminateText);
    if (terminate.hasDdpHeader)
    {
        object.Number("terminated_segment_length", terminate.segmentLength);
        object.String("terminated_ddp_header",
                      Hex(terminate.ddpHeader.data(), terminate.GetDdpHeaderSize()));
    }
    if (terminate.hasReadHeader)
    {
        object.String("terminated_rdma_header",
                      Hex(terminate.readHeader.data(), terminate.readHeader.size()));
    }
}

/// A field of a header, and its name in JSON.
template <typename Header, typename Value>
struct JsonField
{
    const char* name;      //!< name
    Value Header::*member; //!< where Header has it
};

template <typename Header, typename Value>
JsonField(const char*, Value Header::*) -> JsonField<Header, Value>;

/// Members of a message that is a header, if all of that was captured. @param object where @param
/// message the message @param size octets of the header @param fields what it has
template <typename Header, typename... Values>
void
HeaderDetails(JsonObject& object,
              const DecodeMessage& message,
              uint32_t size,
              JsonField<Header, Values>... fields)
{
    if (message.headerSize >= size)
    {
        Header header;
        header.Read(message.header.data());
        (object.Number(fields.name, header.*fields.member), ...);
    }
}

/// Members that only some messages have. @param object where @param message the message
void
WriteMessage(JsonObject& object, const DecodeMessage& message)
{
    switch (static_cast<RdmapOpcode>(message.opcode))
    {
    case RdmapOpcode::READ_REQUEST:
        HeaderDetails(object,
                      message,
                      rdmap::READ_REQUEST_SIZE,
                      JsonField{"data_sink_stag", &RdmapReadRequest::sinkStag},
                      JsonField{"data_sink_to", &RdmapReadRequest::sinkTo},
                      JsonField{"rdma_read_message_size", &RdmapReadRequest::size},
                      JsonField{"data_source_stag", &RdmapReadRequest::srcStag},
                      JsonField{"data_source_to", &RdmapReadRequest::srcTo});
        break;
    case RdmapOpcode::SEND_INVALIDATE:
    case RdmapOpcode::SEND_SE_INVALIDATE:
        object.Number("invalidate_stag", message.first.ulpWord);
        break;
    case RdmapOpcode::TERMINATE:
        TerminateDetails(object, message);
        break;
    case RdmapOpcode::IMMEDIATE:
    case RdmapOpcode::IMMEDIATE_SE:
        if (message.headerSize >= rdmap::IMMEDIATE_SIZE)
        {
            object.Number("immediate_data", ddp::LoadBig<uint64_t>(message.header.data()));
        }
        break;
    case RdmapOpcode::ATOMIC_REQUEST:
        HeaderDetails(object,
                      message,
                      rdmap::ATOMIC_REQUEST_SIZE,
                      JsonField{"atomic_opcode", &RdmapAtomicRequest::opcode},
                      JsonField{"request_identifier", &RdmapAtomicRequest::requestId},
                      JsonField{"remote_stag", &RdmapAtomicRequest::stag},
                      JsonField{"remote_to", &RdmapAtomicRequest::to},
                      JsonField{"add_or_swap_data", &RdmapAtomicRequest::data},
                      JsonField{"add_or_swap_mask", &RdmapAtomicRequest::dataMask},
                      JsonField{"compare_data", &RdmapAtomicRequest::compare},
                      JsonField{"compare_mask", &RdmapAtomicRequest::compareMask});
        break;
    case RdmapOpcode::ATOMIC_RESPONSE:
        HeaderDetails(object,
                      message,
                      rdmap::ATOMIC_RESPONSE_SIZE,
                      JsonField{"request_identifier", &RdmapAtomicResponse::requestId},
                      JsonField{"original_remote_data", &RdmapAtomicResponse::original});
        break;
    default:
        break;
    }
}

void
Message(const DecodeEvent& event, int64_t start, std::string& out)
{
    static const char* const names[] = {"write",
                                        "read_request",
                                        "read_response",
                                        "send",
                                        "send",
                                        "send",
                                        "send",
                                        "terminate",
                                        "immediate",
                                        "immediate",
                                        "atomic_request",
                                        "atomic_response"};
    const DecodeMessage& message = event.fpdu->message;
    JsonObject object(out);
    WritePlace(object, event, start, DecodeLayerName(DecodeLayer::RDMAP), names[message.opcode]);
    object.Number("opcode", message.opcode);
    object.String("opcode_name", rdmap::OpcodeName(message.opcode));
    object.Number("length", message.length);
    object.Number("segments", message.segments);
    if (message.partial)
    {
        object.Flag("partial", true);
    }
    if (message.first.tagged)
    {
        object.Number("stag", message.first.stag);
        object.Number("tagged_offset", message.first.to);
    }
    else
    {
        object.Number("qn", message.first.qn);
        object.Number("msn", message.first.msn);
    }
    WriteMessage(object, message);
}

void
WritePdu(const DecodeEvent& event, int64_t start, std::string& out)
{
    const DecodePdu& pdu = *event.pdu;
    JsonObject object(out);
    WritePlace(object, event, start, pdu.framing, pdu.name);
    for (const auto& [name, value] : pdu.fields)
    {
        object.Number(name, value);
    }
    object.Number("wire_length", pdu.size);
    object.Number("payload_length", pdu.payload);
    object.String("digest", DecodeCrcName(pdu.digest));
    object.Flag("in_one_segment", pdu.aligned);
    if (pdu.missing > 0)
    {
        object.Number("missing_octets", pdu.missing);
    }
}

void
WriteDirection(const DecodeConnection& connection, unsigned side, std::string& out)
{
    const DecodeDirection& direction = connection.GetDirection(side);
    const DecodeStats& stats = direction.GetStats();
    JsonObject object(out);
    object.String("from", connection.GetEnd(side).ToString());
    object.String("to", connection.GetEnd(1 - side).ToString());
    object.Number("segments", stats.segments);
    object.Number("octets", stats.octets);
    object.Number("out_of_order", stats.outOfOrder);
    object.Number("duplicates", stats.duplicates);
    object.Number("checksum_errors", stats.checksums);
    object.Number("missing_octets", stats.missing);
    object.Number("skipped_octets", stats.skipped);
    if (stats.framing)
    {
        object.String("framing", stats.framing);
    }
    object.Number("fpdus", stats.fpdus);
    object.Number("fpdus_in_one_segment", stats.alignedFpdus);
    object.Number("markers", stats.markers);
    object.Number("crc_good", stats.crcGood);
    object.Number("crc_errors", stats.crcBad);
    object.Number("crc_off", stats.crcOff);
    object.Number("fpdu_segments", stats.classified);
    object.Number("header_aligned", stats.headerAligned);
    object.Number("fpdu_aligned", stats.fpduAligned);
    object.Number("malformed", stats.errors);
    object.Number("payload", stats.payload);
    JsonObject messages(object.Name("messages"));
    for (uint8_t opcode = 0; opcode < stats.messages.size(); ++opcode)
    {
        if (stats.messages[opcode] > 0)
        {
            messages.Number(rdmap::OpcodeName(opcode), stats.messages[opcode]);
        }
    }
}

} // namespace

void
DecodeToJson(const DecodeEvent& event, int64_t start, std::string& out)
{
    switch (event.kind)
    {
    case DecodeEvent::Kind::STARTUP:
        WriteStartup(event, start, out);
        break;
    case DecodeEvent::Kind::FPDU: {
        const DecodeFpdu& fpdu = *event.fpdu;
        {
            JsonObject object(out);
            WritePlace(object, event, start, DecodeLayerName(DecodeLayer::MPA), "fpdu");
            object.Number("ulpdu_length", fpdu.ulpduLength);
            object.Number("wire_length", fpdu.wireSize);
            object.Number("markers", fpdu.markers);
            object.String("crc", DecodeCrcName(fpdu.crc));
            object.Flag("in_one_segment", fpdu.aligned);
            if (fpdu.missing > 0)
            {
                object.Number("missing_octets", fpdu.missing);
            }
        }
        if (fpdu.hasSegment)
        {
            out += '\n';
            Segment(event, start, out);
        }
        if (fpdu.hasMessage)
        {
            out += '\n';
            Message(event, start, out);
        }
        break;
    }
    case DecodeEvent::Kind::PDU:
        WritePdu(event, start, out);
        break;
    case DecodeEvent::Kind::ERROR:
    case DecodeEvent::Kind::NOTE: {
        JsonObject object(out);
        WritePlace(object,
                   event,
                   start,
                   DecodeLayerName(event.layer),
                   event.kind == DecodeEvent::Kind::ERROR ? "error" : "note");
        object.String("text", event.text);
        break;
    }
    }
    out += '\n';
}

void
DecodeToJson(const DecodeSession& session, uint64_t errors, std::string& out)
{
    const DecodeSession::Totals& totals = session.GetTotals();
    const auto connections = session.GetConnections();
    DecodeStats sum;
    sum.errors = errors;
    for (const auto* connection : connections)
    {
        for (unsigned side : {0, 1})
        {
            const DecodeStats& stats = connection->GetDirection(side).GetStats();
            sum.fpdus += stats.fpdus;
            sum.crcBad += stats.crcBad;
            sum.errors += stats.errors;
            sum.missing += stats.missing;
            sum.skipped += stats.skipped;
        }
    }
    {
        JsonObject object(out);
        object.String("event", "summary");
        object.Number("frames", totals.frames);
        object.Number("tcp_segments", totals.tcp);
        object.Number("fragments", totals.fragments);
        object.Number("unsupported_frames", totals.unsupported);
        object.Number("esp_opened", totals.espOpened);
        object.Number("esp_without_key", totals.espLocked);
        object.Number("esp_damaged", totals.espDamaged);
        object.Number("tcp_connections", totals.connections);
        DecodeTime(totals.start, object.Name("start"));
        object.Number("streams", connections.size());
        object.Number("fpdus", sum.fpdus);
        object.Number("crc_errors", sum.crcBad);
        object.Number("malformed", sum.errors);
        object.Number("missing_octets", sum.missing);
        object.Number("skipped_octets", sum.skipped);
        object.Name("connections") += '[';
        for (const auto* connection : connections)
        {
            out += connection == connections.front() ? "" : ", ";
            const int initiator = connection->GetInitiator();
            JsonObject entry(out);
            entry.Number("stream", connection->GetStream());
            if (initiator >= 0)
            {
                entry.String("initiator", connection->GetEnd(initiator).ToString());
            }
            entry.Name("directions") += '[';
            WriteDirection(*connection, 0, out);
            out += ", ";
            WriteDirection(*connection, 1, out);
            out += ']';
        }
        out += ']';
    }
    out += '\n';
}

} // namespace ns3
