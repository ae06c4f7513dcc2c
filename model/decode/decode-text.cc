/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "decode-text.h"

#include "ns3/ddp-octets.h"
#include "ns3/mpa-enhanced.h"

#include <cstdio>

namespace ns3
{

namespace
{

/// @param number a number @param what what there are @return both
std::string
Counted(uint64_t number, const char* what)
{
    return std::to_string(number) + " " + what + (number == 1 ? "" : "s");
}

/// @param stag an STag @return it in hexadecimal
std::string
Stag(uint32_t stag)
{
    char text[16];
    std::snprintf(text, sizeof(text), "0x%08x", static_cast<unsigned>(stag));
    return text;
}

/// @param part of @param whole this @return it in percent
std::string
Share(uint64_t part, uint64_t whole)
{
    char text[16];
    std::snprintf(text,
                  sizeof(text),
                  "%.1f %%",
                  100.0 * static_cast<double>(part) / static_cast<double>(whole));
    return text;
}

std::string
DescribeStartup(const MpaStartupFrame& frame)
{
    auto flag = [](const char* name, bool set) {
        return std::string(" ") + name + (set ? "=1" : "=0");
    };
    std::string text = frame.reply ? "Reply Frame:" : "Request Frame:";
    const bool enhanced = (frame.reserved & MpaStartupFrame::ENHANCED) != 0;
    text += " revision " + std::to_string(frame.revision) + "," + flag("M", frame.markers) +
            flag("C", frame.crc) + flag("R", frame.reject) + flag("S", enhanced);
    std::size_t own = 0;
    if (frame.IsEnhanced() && frame.privateData.size() >= MpaEnhancedWord::SIZE)
    {
        const auto word = MpaEnhancedWord::Decode(frame.privateData.data());
        text += ", IRD " + std::to_string(word.ird) + " ORD " + std::to_string(word.ord) +
                flag("A", word.peerToPeer) + flag("B", word.rtr.send) + flag("C", word.rtr.write) +
                flag("D", word.rtr.read);
        own = MpaEnhancedWord::SIZE;
    }
    return text + ", " + Counted(frame.privateData.size() - own, "octet") + " of private data";
}

std::string
DescribeMessage(const DecodeMessage& message)
{
    const uint8_t* data = message.header.data();
    switch (static_cast<RdmapOpcode>(message.opcode))
    {
    case RdmapOpcode::READ_REQUEST: {
        if (message.headerSize < rdmap::READ_REQUEST_SIZE)
        {
            return "";
        }
        RdmapReadRequest request;
        request.Read(data);
        return "; asks for " + Counted(request.size, "octet") + " from STag " +
               Stag(request.srcStag) + " TO " + std::to_string(request.srcTo) + ", to STag " +
               Stag(request.sinkStag) + " TO " + std::to_string(request.sinkTo);
    }
    case RdmapOpcode::SEND_INVALIDATE:
    case RdmapOpcode::SEND_SE_INVALIDATE:
        return "; invalidates STag " + Stag(message.first.ulpWord);
    case RdmapOpcode::TERMINATE:
        return "; " + message.terminateText;
    case RdmapOpcode::IMMEDIATE:
    case RdmapOpcode::IMMEDIATE_SE:
        return message.headerSize < rdmap::IMMEDIATE_SIZE
                   ? ""
                   : "; data " + std::to_string(ddp::LoadBig<uint64_t>(data));
    case RdmapOpcode::ATOMIC_REQUEST: {
        if (message.headerSize < rdmap::ATOMIC_REQUEST_SIZE)
        {
            return "";
        }
        RdmapAtomicRequest request;
        request.Read(data);
        const auto opcode = static_cast<RdmapAtomicOpcode>(request.opcode);
        const std::string name = opcode == RdmapAtomicOpcode::FETCH_ADD ? "FetchAdd"
                                 : opcode == RdmapAtomicOpcode::COMPARE_SWAP
                                     ? "CmpSwap"
                                     : "AOpCode " + std::to_string(request.opcode);
        return "; " + name + " at STag " + Stag(request.stag) + " TO " +
               std::to_string(request.to) + ", request " + std::to_string(request.requestId);
    }
    case RdmapOpcode::ATOMIC_RESPONSE: {
        if (message.headerSize < rdmap::ATOMIC_RESPONSE_SIZE)
        {
            return "";
        }
        RdmapAtomicResponse response;
        response.Read(data);
        return "; request " + std::to_string(response.requestId) + ", value before " +
               std::to_string(response.original);
    }
    default:
        return "";
    }
}

std::string
Fpdu(const DecodeFpdu& fpdu)
{
    std::string text;
    if (fpdu.hasSegment)
    {
        const DdpHeader& header = fpdu.ddp;
        text = rdmap::OpcodeName(RdmapControl::Decode(header.ulpControl).opcode);
        text += header.tagged ? ": STag " + Stag(header.stag) + " TO " + std::to_string(header.to)
                              : ": QN " + std::to_string(header.qn) + " MSN " +
                                    std::to_string(header.msn) + " MO " + std::to_string(header.mo);
        text += ", " + Counted(fpdu.payload, "octet") + (header.last ? ", last" : "");
    }
    else
    {
        text = "FPDU";
    }
    if (fpdu.hasMessage)
    {
        if (fpdu.message.segments > 1)
        {
            text += " of " + Counted(fpdu.message.length, "octet") + " in " +
                    Counted(fpdu.message.segments, "segment");
        }
        text += DescribeMessage(fpdu.message);
    }
    text += " | ULPDU " + std::to_string(fpdu.ulpduLength) + ", CRC " + DecodeCrcName(fpdu.crc);
    if (fpdu.markersUsed)
    {
        text += ", " + Counted(fpdu.markers, "Marker");
    }
    if (fpdu.missing > 0)
    {
        text += ", " + Counted(fpdu.missing, "octet") + " not captured";
    }
    return text + (fpdu.aligned ? "" : ", in several segments");
}

std::string
DescribePdu(const DecodePdu& pdu)
{
    std::string text = std::string(pdu.framing) + " " + pdu.name;
    for (const auto& [name, value] : pdu.fields)
    {
        text += std::string(" ") + name + "=" + std::to_string(value);
    }
    text += " | " + Counted(pdu.size, "octet") + ", digest " + DecodeCrcName(pdu.digest);
    if (pdu.missing > 0)
    {
        text += ", " + Counted(pdu.missing, "octet") + " not captured";
    }
    return text + (pdu.aligned ? "" : ", in several segments");
}

void
DescribeDirection(const DecodeConnection& connection, unsigned side, std::string& out)
{
    const DecodeDirection& direction = connection.GetDirection(side);
    const DecodeStats& s = direction.GetStats();
    out += std::string("  ") + (side == 0 ? ">" : "<") + " " + Counted(s.octets, "octet") + " in " +
           Counted(s.segments, "segment") + ": " + std::to_string(s.outOfOrder) +
           " out of order, " + Counted(s.duplicates, "duplicate");
    if (s.checksums > 0)
    {
        out += ", " + std::to_string(s.checksums) + " with a wrong checksum";
    }
    out += '\n';
    if (s.fpdus > 0)
    {
        out += "    " +
               Counted(s.fpdus, s.framing ? (std::string(s.framing) + " PDU").c_str() : "FPDU") +
               ": CRC " + std::to_string(s.crcGood) + " good, " + std::to_string(s.crcBad) +
               " bad, " + std::to_string(s.crcOff) + " off; " + Counted(s.markers, "Marker") +
               "; " + Share(s.alignedFpdus, s.fpdus) + " whole in a segment\n";
    }
    if (s.classified > 0)
    {
        out += "    " + Counted(s.classified, "segment") +
               " with FPDUs: " + Share(s.headerAligned, s.classified) + " begin with one, " +
               Share(s.fpduAligned, s.classified) + " hold whole ones only\n";
    }
    std::string messages;
    for (uint8_t opcode = 0; opcode < s.messages.size(); ++opcode)
    {
        if (s.messages[opcode] > 0)
        {
            messages += (messages.empty() ? "" : ", ") + std::to_string(s.messages[opcode]) + " " +
                        rdmap::OpcodeName(opcode);
        }
    }
    if (!messages.empty())
    {
        out += "    messages: " + messages + ", " + Counted(s.payload, "octet") + "\n";
    }
    if (s.missing + s.skipped > 0)
    {
        out += "    " + Counted(s.missing, "octet") + " not in the capture, " +
               std::to_string(s.skipped) + " not decoded\n";
    }
    if (s.errors > 0)
    {
        out += "    " + std::to_string(s.errors) + " malformed\n";
    }
}

} // namespace

const char*
DecodeLayerName(DecodeLayer layer)
{
    static const char* const names[] = {"capture", "tcp", "mpa", "ddp", "rdmap", "framing"};
    return names[static_cast<unsigned>(layer)];
}

const char*
DecodeCrcName(DecodeCrc crc)
{
    static const char* const names[] = {"good", "bad", "off", "unknown"};
    return names[static_cast<unsigned>(crc)];
}

void
DecodeTime(int64_t time, std::string& out)
{
    constexpr uint64_t SECOND = 1000000000;
    const bool negative = time < 0;
    const uint64_t absolute = negative ? 0 - static_cast<uint64_t>(time) : time;
    std::string fraction = std::to_string(SECOND + absolute % SECOND).substr(1);
    if (fraction.compare(6, 3, "000") == 0)
    {
        fraction.resize(6);
    }
    out += negative ? "-" : "";
    out += std::to_string(absolute / SECOND);
    out += '.';
    out += fraction;
}

void
DecodeToText(const DecodeEvent& event, int64_t start, std::string& out)
{
    const std::string frame = std::to_string(event.frame);
    out.append(frame.size() < 6 ? 6 - frame.size() : 0, ' ');
    out += frame + " ";
    DecodeTime(event.time - start, out);
    if (event.from)
    {
        out += "  " + std::to_string(event.stream) + (event.side == 0 ? " > " : " < ");
    }
    else
    {
        out += "  ";
    }
    switch (event.kind)
    {
    case DecodeEvent::Kind::STARTUP:
        out += DescribeStartup(*event.startup) + ", from " + event.from->ToString() + " to " +
               event.to->ToString();
        break;
    case DecodeEvent::Kind::FPDU:
        out += Fpdu(*event.fpdu);
        break;
    case DecodeEvent::Kind::PDU:
        out += DescribePdu(*event.pdu);
        break;
    case DecodeEvent::Kind::ERROR:
        out += std::string("MALFORMED, ") + DecodeLayerName(event.layer) +
               (event.from ? ", octet " + std::to_string(event.seq) : "") + ": " + event.text;
        break;
    case DecodeEvent::Kind::NOTE:
        out += "note, octet " + std::to_string(event.seq) + ": " + event.text;
        break;
    }
    out += '\n';
}

void
DecodeToText(const DecodeSession& session, uint64_t errors, std::string& out)
{
    const DecodeSession::Totals& totals = session.GetTotals();
    const auto connections = session.GetConnections();
    for (const auto* connection : connections)
    {
        const int initiator = connection->GetInitiator();
        out += "connection " + std::to_string(connection->GetStream()) + ": " +
               connection->GetEnd(0).ToString() + " > " + connection->GetEnd(1).ToString();
        out += initiator < 0    ? "\n"
               : initiator == 0 ? ", MPA Initiator >\n"
                                : ", MPA Initiator <\n";
        DescribeDirection(*connection, 0, out);
        DescribeDirection(*connection, 1, out);
        for (unsigned side : {0, 1})
        {
            errors += connection->GetDirection(side).GetStats().errors;
        }
    }
    out += Counted(totals.frames, "frame") + ", " + Counted(totals.tcp, "TCP segment") + ", " +
           Counted(totals.connections, "TCP connection") + ", " +
           std::to_string(connections.size()) + " with MPA; " + std::to_string(errors) +
           " malformed\n";
    if (totals.fragments > 0)
    {
        out += Counted(totals.fragments, "IP fragment") + " not put together\n";
    }
    if (totals.espOpened > 0)
    {
        out += Counted(totals.espOpened, "ESP packet") + " opened\n";
    }
    if (totals.espLocked > 0)
    {
        out += Counted(totals.espLocked, "ESP packet") + " not opened: no key is for them\n";
    }
    if (totals.espDamaged > 0)
    {
        out += Counted(totals.espDamaged, "ESP packet") +
               " not opened: damaged, captured in part, or of other keys\n";
    }
    if (totals.unsupported > 0)
    {
        out += Counted(totals.unsupported, "frame") + " of a link type that is not known\n";
    }
}

} // namespace ns3
