/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "decode-timeline.h"

#include "decode-tcp-options.h"
#include "decode-text.h"

#include "ns3/util-json.h"

#include <algorithm>

namespace ns3
{

namespace
{

/// Follows sequence numbers of one direction as offsets, which do not wrap.
struct Unwrapper
{
    uint32_t seq{0};    //!< sequence number of @ref offset
    uint64_t offset{0}; //!< offset

    /// @param number a sequence number near the last one @return its offset, 0 if it is before all
    uint64_t operator()(uint32_t number)
    {
        const int64_t next = static_cast<int64_t>(offset) + static_cast<int32_t>(number - seq);
        if (next <= 0)
        {
            return 0;
        }
        seq = number;
        offset = static_cast<uint64_t>(next);
        return offset;
    }
};

/// @param segment a SYN, whose options say it @return its window's shift; -1 if there is none
int
FindShift(const DecodeSegment& segment)
{
    return DecodeTcpOptions::Read(segment.options, segment.optionsSize).windowShift;
}

const char*
NameFate(DecodeCopies::Fate fate)
{
    static const char* const names[] = {"none", "kept", "again", "replaced", "checksum", "window"};
    return names[static_cast<unsigned>(fate)];
}

const char*
NameFate(DecodeFate fate)
{
    static const char* const names[] =
        {"at_once", "in_parts", "marker", "length", "waited", "bad", "incomplete"};
    return names[static_cast<unsigned>(fate)];
}

/// @param object where @param name a member's @param value its value, of either sign
void
WriteSigned(JsonObject& object, const char* name, int64_t value)
{
    object.Name(name) += std::to_string(value);
}

} // namespace

// ---- what comes ---------------------------------------------------------------------------------

void
DecodeTimeline::Seen(const DecodeConnection& connection,
                     unsigned side,
                     const DecodeSegment& segment,
                     const DecodeFrame& frame)
{
    m_segments[&connection].push_back({side, segment, frame.number, frame.time});
}

void
DecodeTimeline::Found(const DecodeEvent& event)
{
    Frame found;
    found.frame = event.frame;
    found.place.begin = event.seq;
    found.place.time = event.time;
    switch (event.kind)
    {
    case DecodeEvent::Kind::STARTUP:
        found.place.size =
            static_cast<uint32_t>(MpaStartupFrame::HEADER_SIZE + event.startup->privateData.size());
        found.name = event.startup->reply ? "MPA Reply" : "MPA Request";
        break;
    case DecodeEvent::Kind::FPDU: {
        const DecodeFpdu& fpdu = *event.fpdu;
        found.place.size = fpdu.wireSize;
        found.place.position = fpdu.position;
        found.place.markers = fpdu.markersUsed;
        found.place.isMpa = true;
        found.place.crc = fpdu.crc;
        found.place.missing = fpdu.missing;
        found.ulpduLength = fpdu.ulpduLength;
        found.markers = fpdu.markers;
        found.aligned = fpdu.aligned;
        found.hasSegment = fpdu.hasSegment;
        found.ddp = fpdu.ddp;
        found.payload = fpdu.payload;
        found.name = fpdu.hasSegment ? rdmap::OpcodeName(fpdu.ddp.ulpControl & 15) : "FPDU";
        found.hasMessage = fpdu.hasMessage;
        found.message = fpdu.message.length;
        found.messageParts = fpdu.message.segments;
        break;
    }
    case DecodeEvent::Kind::PDU:
        found.place.size = event.pdu->size;
        found.place.crc = event.pdu->digest;
        found.place.missing = event.pdu->missing;
        found.aligned = event.pdu->aligned;
        found.payload = event.pdu->payload;
        found.name = std::string(event.pdu->framing) + " " + event.pdu->name;
        break;
    case DecodeEvent::Kind::ERROR:
    case DecodeEvent::Kind::NOTE: {
        {
            JsonObject object(m_notes);
            object.String("row", "note");
            object.Number("frame", event.frame);
            WriteSigned(object, "time_ns", event.time);
            WriteSigned(object, "stream", event.from ? static_cast<int64_t>(event.stream) : -1);
            object.Number("side", event.side);
            object.Number("begin", event.seq);
            object.Flag("malformed", event.kind == DecodeEvent::Kind::ERROR);
            object.String("text", std::string(DecodeLayerName(event.layer)) + ": " + event.text);
        }
        m_notes += '\n';
        return;
    }
    }
    m_frames[event.stream][event.side].push_back(found);
}

// ---- what is known in the end -------------------------------------------------------------------

std::vector<DecodeTimeline::Row>
DecodeTimeline::Place(const std::vector<Segment>& segments, const DecodeConnection& connection)
{
    std::vector<Row> rows(segments.size());
    std::array<Unwrapper, 2> streams;
    std::array<int, 2> shift{-1, -1};
    std::array<bool, 2> syn{};
    std::array<uint64_t, 2> sent{};
    for (unsigned side : {0, 1})
    {
        streams[side].seq = connection.GetDirection(side).GetReassembly().GetInitial();
        const auto opens = std::find_if(segments.begin(), segments.end(), [side](const Segment& s) {
            return s.side == side && (s.segment.flags & DecodeSegment::SYN) != 0;
        });
        syn[side] = opens != segments.end();
        shift[side] = syn[side] ? FindShift(opens->segment) : -1;
    }
    const bool scaled = shift[0] >= 0 && shift[1] >= 0; // RFC 7323 section 2.2: both or none
    for (std::size_t i = 0; i < segments.size(); ++i)
    {
        const auto& [side, segment, frame, time] = segments[i];
        Row& row = rows[i];
        const bool opens = (segment.flags & DecodeSegment::SYN) != 0;
        row.begin = streams[side](segment.seq + (opens ? 1 : 0));
        row.again = segment.length > 0 && row.begin < sent[side];
        sent[side] = std::max(sent[side], row.begin + segment.length);
        if ((segment.flags & DecodeSegment::ACK) == 0)
        {
            continue;
        }
        Unwrapper& back = streams[1 - side];
        row.ack = Unwrapper(back)(segment.ack);
        if (opens || (syn[0] && syn[1]))
        {
            row.window = static_cast<int64_t>(segment.window)
                         << (scaled && !opens ? shift[side] : 0);
        }
        const auto options = DecodeTcpOptions::Read(segment.options, segment.optionsSize);
        for (const auto& [from, to] : options.sack)
        {
            row.sack.push_back({Unwrapper(back)(from), Unwrapper(back)(to)});
        }
    }
    return rows;
}

unsigned
DecodeTimeline::FindNear(const std::vector<Segment>& segments, const std::vector<Row>& rows)
{
    // what an end answers comes back at once where it is, and a round trip later elsewhere
    std::array<int64_t, 2> soonest{INT64_MAX, INT64_MAX};
    std::array<std::size_t, 2> asked{SIZE_MAX, SIZE_MAX};
    for (std::size_t i = 0; i < segments.size(); ++i)
    {
        const unsigned side = segments[i].side;
        const unsigned other = 1 - side;
        const bool opens = (segments[i].segment.flags & DecodeSegment::SYN) != 0;
        const std::size_t at = asked[other];
        if (at != SIZE_MAX && rows[i].ack >= rows[at].begin + segments[at].segment.length)
        {
            soonest[side] = std::min(soonest[side], segments[i].time - segments[at].time);
            asked[other] = SIZE_MAX;
        }
        if (asked[side] == SIZE_MAX && !rows[i].again && (opens || segments[i].segment.length > 0))
        {
            asked[side] = i;
        }
    }
    return soonest[1] < soonest[0] ? 1 : 0;
}

std::vector<DecodeFpduOutcome>
DecodeTimeline::Judge(unsigned side,
                      unsigned near,
                      const std::vector<Segment>& segments,
                      const std::vector<Frame>& frames,
                      std::vector<Row>& rows)
{
    DecodeCopies copies(near != side);
    for (std::size_t i = 0; i < segments.size(); ++i)
    {
        const auto& [from, segment, frame, time] = segments[i];
        Row& row = rows[i];
        if (from == side)
        {
            const bool refuses = (segment.flags & DecodeSegment::RST) != 0;
            row.fate = segment.checksumBad && segment.length > 0 ? DecodeCopies::Fate::CHECKSUM
                       : refuses                                 ? DecodeCopies::Fate::NONE
                                 : copies.Add(i, row.begin, row.begin + segment.length, time);
        }
        else if (row.ack > 0 && !segment.checksumBad)
        {
            copies.Acknowledge(row.ack);
            for (const auto& [begin, end] : row.sack)
            {
                copies.Select(begin, end);
            }
            if (row.window >= 0)
            {
                copies.SetEdge(row.ack + static_cast<uint64_t>(row.window));
            }
        }
    }
    std::vector<DecodeKeptPiece> pieces;
    for (const auto& [begin, end, index] : copies.TakeKept())
    {
        const auto& segment = segments[index].segment;
        const auto skip = static_cast<uint32_t>(begin - rows[index].begin);
        const uint32_t captured = segment.size - std::min(segment.size, skip);
        const auto size = static_cast<uint32_t>(std::min<uint64_t>(captured, end - begin));
        rows[index].kept += end - begin;
        if (size > 0)
        {
            pieces.push_back({begin, segment.data + skip, size, segments[index].time, index});
        }
    }
    std::vector<DecodeFpduPlace> places;
    for (const Frame& one : frames)
    {
        places.push_back(one.place);
    }
    DecodeReplay replay(std::move(pieces), segments.size(), std::move(places));
    replay.Run();
    for (std::size_t i = 0; i < segments.size(); ++i)
    {
        if (segments[i].side == side)
        {
            rows[i].outcome = replay.GetSegments()[i];
            if (rows[i].fate == DecodeCopies::Fate::KEPT && rows[i].kept == 0)
            {
                rows[i].fate = DecodeCopies::Fate::REPLACED;
            }
        }
    }
    return replay.GetFpdus();
}

// ---- rows ---------------------------------------------------------------------------------------

void
DecodeTimeline::WriteConnection(const DecodeConnection& connection, unsigned near, std::string& out)
{
    JsonObject object(out);
    object.String("row", "connection");
    object.Number("stream", connection.GetStream());
    object.String("from", connection.GetEnd(0).ToString());
    object.String("to", connection.GetEnd(1).ToString());
    WriteSigned(object, "initiator", connection.GetInitiator());
    object.Number("near", near);
    const char* framing = connection.GetDirection(0).GetStats().framing;
    object.String("framing", framing ? framing : "mpa");
}

void
DecodeTimeline::WriteSegment(const Segment& segment,
                             const Row& row,
                             uint32_t stream,
                             std::string& out)
{
    const DecodeSegment& tcp = segment.segment;
    JsonObject object(out);
    object.String("row", "segment");
    object.Number("frame", segment.frame);
    WriteSigned(object, "time_ns", segment.time);
    object.Number("stream", stream);
    object.Number("side", segment.side);
    object.Number("seq", tcp.seq);
    object.Number("begin", row.begin);
    object.Number("length", tcp.length);
    object.Number("flags", tcp.flags);
    object.Number("ack", row.ack);
    WriteSigned(object, "window", row.window);
    object.Number("ecn", tcp.ecn);
    object.Number("ip_id", tcp.id);
    object.Flag("again", row.again);
    object.String("fate", NameFate(row.fate));
    object.Number("kept", row.kept);
    object.Flag("in_order", row.outcome.isSeen && row.outcome.inOrder);
    object.Number("placed", row.outcome.passed);
    object.Number("early", row.outcome.early);
    object.Number("stored", row.outcome.stored);
    WriteSigned(object, "held", row.outcome.isSeen ? static_cast<int64_t>(row.outcome.held) : -1);
    if (!row.sack.empty())
    {
        std::string& list = object.Name("sack");
        list += '[';
        for (const auto& [begin, end] : row.sack)
        {
            list += list.back() == '[' ? "[" : ", [";
            list += std::to_string(begin) + ", " + std::to_string(end) + "]";
        }
        list += ']';
    }
}

void
DecodeTimeline::WriteFrame(const Frame& frame,
                           const DecodeFpduOutcome& outcome,
                           uint32_t stream,
                           unsigned side,
                           std::string& out)
{
    JsonObject object(out);
    object.String("row", "fpdu");
    object.Number("stream", stream);
    object.Number("side", side);
    object.Number("frame", frame.frame);
    object.String("name", frame.name);
    object.Number("begin", frame.place.begin);
    object.Number("size", frame.place.size);
    object.Number("ulpdu_length", frame.ulpduLength);
    object.Flag("mpa", frame.place.isMpa);
    WriteSigned(object,
                "position",
                frame.place.markers ? static_cast<int64_t>(frame.place.position) : -1);
    object.Number("markers", frame.markers);
    object.String("crc", DecodeCrcName(frame.place.crc));
    object.Flag("in_one_segment", frame.aligned);
    object.Number("missing", frame.place.missing);
    object.String("fate", NameFate(outcome.fate));
    WriteSigned(object, "first_ns", outcome.first);
    WriteSigned(object, "complete_ns", outcome.complete);
    WriteSigned(object, "placed_ns", outcome.placed);
    WriteSigned(object, "delivered_ns", outcome.delivered);
    object.Number("payload", frame.payload);
    if (frame.hasSegment)
    {
        object.Flag("tagged", frame.ddp.tagged);
        object.Number("stag_or_queue", frame.ddp.tagged ? frame.ddp.stag : frame.ddp.qn);
        object.Number("msn", frame.ddp.tagged ? 0 : frame.ddp.msn);
        object.Number("offset", frame.ddp.tagged ? frame.ddp.to : frame.ddp.mo);
        object.Flag("last", frame.ddp.last);
    }
    if (frame.hasMessage)
    {
        object.Number("message_length", frame.message);
        object.Number("message_segments", frame.messageParts);
    }
}

void
DecodeTimeline::Write(const DecodeSession& session, std::string& out) const
{
    static const std::array<std::vector<Frame>, 2> nothing;
    for (const DecodeConnection* connection : session.GetConnections())
    {
        const uint32_t stream = connection->GetStream();
        const auto& segments = m_segments.at(connection);
        const auto found = m_frames.find(stream);
        const auto& frames = found == m_frames.end() ? nothing : found->second;
        auto rows = Place(segments, *connection);
        const unsigned near = FindNear(segments, rows);
        WriteConnection(*connection, near, out);
        out += '\n';
        std::array<std::vector<DecodeFpduOutcome>, 2> outcomes;
        for (unsigned side : {0, 1})
        {
            outcomes[side] = Judge(side, near, segments, frames[side], rows);
        }
        for (std::size_t i = 0; i < segments.size(); ++i)
        {
            WriteSegment(segments[i], rows[i], stream, out);
            out += '\n';
        }
        for (unsigned side : {0, 1})
        {
            for (std::size_t i = 0; i < frames[side].size(); ++i)
            {
                WriteFrame(frames[side][i], outcomes[side][i], stream, side, out);
                out += '\n';
            }
        }
    }
    out += m_notes;
}

} // namespace ns3
