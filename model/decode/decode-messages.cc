/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "decode-messages.h"

#include "ns3/ddp-error.h"
#include "ns3/rdmap-validate.h"

#include <algorithm>

namespace ns3
{

namespace
{

/// @param error what RDMAP finds @param header DDP header @param payload octets behind it @return
/// what is wrong, in English
std::string
Explain(RdmapError error, const DdpHeader& header, uint32_t payload)
{
    const RdmapControl control = RdmapControl::Decode(header.ulpControl);
    const std::string name = rdmap::OpcodeName(control.opcode);
    switch (error)
    {
    case RdmapError::OPERATION_VERSION:
        return "RDMAP version " + std::to_string(control.version) + ", not 1";
    case RdmapError::OPERATION_OPCODE:
        break;
    default:
        return name + " of " + std::to_string(payload) + " octets" +
               (header.last && header.mo == 0 ? "" : " in several segments") +
               ": that is not its size";
    }
    if (!rdmap::IsAssigned(control.opcode))
    {
        return "opcode " + std::to_string(control.opcode) + " is reserved";
    }
    if (rdmap::IsTagged(static_cast<RdmapOpcode>(control.opcode)) != header.tagged)
    {
        return name + " in " + (header.tagged ? "a Tagged" : "an Untagged") + " segment";
    }
    return name + " on queue " + std::to_string(header.qn);
}

/// @param terminate a Terminate @return its error is one that some RFC has
bool
IsKnown(const RdmapTerminate& terminate)
{
    return terminate.Describe().find("unknown error") == std::string::npos;
}

} // namespace

DecodeMessages::DecodeMessages()
{
    m_msn.fill(1);
    m_msnKnown.fill(true);
}

void
DecodeMessages::Gap()
{
    m_open = false;
    m_lost = true;
    m_msnKnown = {};
}

void
DecodeMessages::SetVersion(uint8_t version)
{
    m_version = version;
}

DecodeMessages::Fault
DecodeMessages::CheckHeader(const DdpHeader& header, uint32_t payload) const
{
    if (header.version != m_version)
    {
        return {DecodeLayer::DDP,
                "DDP version " + std::to_string(header.version) + ", not " +
                    std::to_string(m_version)};
    }
    if (!header.tagged && header.qn >= QUEUES)
    {
        return {DecodeLayer::DDP, "there is no queue " + std::to_string(header.qn)};
    }
    const RdmapError error = RdmapValidate(header, payload, true, m_version);
    if (error != RdmapError::NONE)
    {
        return {DecodeLayer::RDMAP, Explain(error, header, payload)};
    }
    return {};
}

void
DecodeMessages::Open(const DdpHeader& header, const uint8_t* payload, uint32_t captured)
{
    m_message = DecodeMessage();
    m_message.opcode = RdmapControl::Decode(header.ulpControl).opcode;
    m_message.first = header;
    m_message.partial = m_lost && (header.tagged || header.mo != 0);
    m_message.headerSize =
        static_cast<uint32_t>(std::min<std::size_t>(captured, m_message.header.size()));
    std::copy_n(payload, m_message.headerSize, m_message.header.begin());
    m_open = true;
}

DecodeMessages::Fault
DecodeMessages::Segment(DecodeFpdu& fpdu, uint32_t available)
{
    DdpHeader& header = fpdu.ddp;
    const uint32_t size = header.Read(fpdu.ulpdu, available);
    if (size == 0)
    {
        const bool cut = available < fpdu.ulpduLength;
        Gap();
        return {DecodeLayer::DDP,
                cut ? ""
                    : "a ULPDU of " + std::to_string(fpdu.ulpduLength) +
                          " octets is shorter than a DDP header"};
    }
    fpdu.hasSegment = true;
    fpdu.payload = fpdu.ulpduLength - size;
    Fault fault = CheckHeader(header, fpdu.payload);
    if (!fault.text.empty())
    {
        Gap();
        return fault;
    }
    fault.text = header.tagged ? CheckTagged(header) : CheckUntagged(header);
    if (!fault.text.empty())
    {
        m_open = false;
        m_lost = true;
    }
    if (!m_open)
    {
        Open(header, fpdu.ulpdu + size, available - size);
    }
    m_message.length += fpdu.payload;
    m_message.segments++;
    if (!header.tagged)
    {
        m_msn[header.qn] = header.msn + (header.last ? 1 : 0);
        m_msnKnown[header.qn] = fault.text.empty();
    }
    if (header.last)
    {
        m_open = false;
        m_lost = false;
        fpdu.hasMessage = true;
        fpdu.message = m_message;
        const std::string text = Complete(fpdu.message);
        if (fault.text.empty() && !text.empty())
        {
            fault = {DecodeLayer::RDMAP, text};
        }
    }
    return fault;
}

std::string
DecodeMessages::CheckUntagged(const DdpHeader& header)
{
    if ((header.ulpControl & 15) == static_cast<uint8_t>(RdmapOpcode::TERMINATE))
    {
        m_open = false; // it may cut a message that was being sent, of which no more comes
    }
    const std::string where = " on queue " + std::to_string(header.qn);
    if (m_open && (m_message.first.tagged || m_message.first.qn != header.qn ||
                   m_message.first.msn != header.msn))
    {
        return "message " + std::to_string(header.msn) + where + " begins within another message";
    }
    if (m_msnKnown[header.qn] && header.msn != m_msn[header.qn])
    {
        return "MSN " + std::to_string(header.msn) + where + ", " +
               std::to_string(m_msn[header.qn]) + " is due";
    }
    const uint64_t due = m_open ? m_message.first.mo + m_message.length : 0;
    if (header.mo != due && (m_open || !m_lost))
    {
        return "MO " + std::to_string(header.mo) + " in message " + std::to_string(header.msn) +
               where + ", " + std::to_string(due) + " is due";
    }
    if (m_open && (m_message.first.ulpControl & 15) != (header.ulpControl & 15))
    {
        return std::string("the opcode changes within a message to ") +
               rdmap::OpcodeName(header.ulpControl & 15);
    }
    return "";
}

std::string
DecodeMessages::CheckTagged(const DdpHeader& header) const
{
    if (!m_open)
    {
        return "";
    }
    const DdpHeader& first = m_message.first;
    if (!first.tagged || (first.ulpControl & 15) != (header.ulpControl & 15))
    {
        return std::string(rdmap::OpcodeName(header.ulpControl & 15)) +
               " begins within another message";
    }
    if (first.stag != header.stag)
    {
        return "the STag changes within a message to " + std::to_string(header.stag);
    }
    const uint64_t due = first.to + m_message.length;
    if (header.to != due)
    {
        return "TO " + std::to_string(header.to) + ", " + std::to_string(due) + " is due";
    }
    return "";
}

std::string
DecodeMessages::Complete(DecodeMessage& message)
{
    if (static_cast<RdmapOpcode>(message.opcode) != RdmapOpcode::TERMINATE)
    {
        return "";
    }
    const uint8_t* data = message.header.data();
    const uint32_t size = message.headerSize;
    RdmapTerminate mirrored;
    const bool mirroredFits = mirrored.Read(data, size, RdmapTerminateForm::MIRRORED) == size;
    const uint32_t read = message.terminate.Read(data, size);
    const bool fits = read == size && message.length == size;
    if (mirroredFits && IsKnown(mirrored) && (!fits || !IsKnown(message.terminate)))
    {
        message.terminate = mirrored;
        message.mirrored = true;
    }
    message.terminateText = message.terminate.Describe();
    if (message.mirrored)
    {
        message.terminateText += ", in the mirrored form of Linux's siw";
        return "";
    }
    if (fits && mirroredFits && IsKnown(mirrored) && message.header[0] % 0x11 != 0)
    {
        message.terminateText += "; from Linux's siw it would mean " + mirrored.Describe();
    }
    if (size == message.length && read == 0)
    {
        message.terminateText = "cut off";
        return "a Terminate of " + std::to_string(size) + " octets is shorter than its flags say";
    }
    return "";
}

} // namespace ns3
