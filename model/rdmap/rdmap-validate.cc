/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdmap-validate.h"

namespace ns3
{

RdmapError
RdmapValidate(const DdpHeader& header, uint32_t payload, bool extensions, uint8_t version)
{
    const RdmapControl control = RdmapControl::Decode(header.ulpControl);
    if (control.version != version)
    {
        return RdmapError::OPERATION_VERSION;
    }
    const auto opcode = static_cast<RdmapOpcode>(control.opcode);
    const bool extended = extensions && version == rdmap::VERSION;
    if (!rdmap::IsAssigned(control.opcode) || (rdmap::IsExtension(opcode) && !extended) ||
        rdmap::IsTagged(opcode) != header.tagged ||
        (!header.tagged && rdmap::QueueOf(opcode) != header.qn))
    {
        return RdmapError::OPERATION_OPCODE;
    }
    // messages that are a header and nothing else come in one segment of its size
    uint32_t size = payload;
    switch (opcode)
    {
    case RdmapOpcode::READ_REQUEST:
        size = rdmap::READ_REQUEST_SIZE;
        break;
    case RdmapOpcode::IMMEDIATE:
    case RdmapOpcode::IMMEDIATE_SE:
        size = rdmap::IMMEDIATE_SIZE;
        break;
    case RdmapOpcode::ATOMIC_REQUEST:
        size = rdmap::ATOMIC_REQUEST_SIZE;
        break;
    case RdmapOpcode::ATOMIC_RESPONSE:
        size = rdmap::ATOMIC_RESPONSE_SIZE;
        break;
    case RdmapOpcode::TERMINATE:
        break;
    default:
        return RdmapError::NONE;
    }
    const bool whole = header.last && header.mo == 0 && payload == size;
    return whole ? RdmapError::NONE : RdmapError::OPERATION_UNSPECIFIED;
}

} // namespace ns3
