/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ddp-sctp-control.h"

#include "ns3/abort.h"
#include "ns3/mpa-enhanced.h"

namespace ns3
{

bool
DdpSctpControl::IsEnhanced() const
{
    return function >= Function::ENHANCED_INITIATE;
}

std::vector<uint8_t>
DdpSctpControl::Encode() const
{
    NS_ABORT_MSG_IF(privateData.size() > MAX_PRIVATE_DATA,
                    "a DDP session control message takes at most 512 octets of Private Data");
    NS_ABORT_MSG_IF(function == Function::TERMINATE && !privateData.empty(),
                    "a DDP session Terminate takes no Private Data");
    const auto code = static_cast<uint16_t>(function);
    std::vector<uint8_t> octets;
    octets.reserve(HEADER_SIZE + privateData.size());
    octets.push_back(static_cast<uint8_t>(ssn >> 8));
    octets.push_back(static_cast<uint8_t>(ssn & 0xFF));
    octets.push_back(static_cast<uint8_t>(code >> 8));
    octets.push_back(static_cast<uint8_t>(code & 0xFF));
    octets.insert(octets.end(), privateData.begin(), privateData.end());
    return octets;
}

DdpSctpControl::Status
DdpSctpControl::Decode(const uint8_t* data, std::size_t size, DdpSctpControl& message)
{
    if (size < HEADER_SIZE)
    {
        return Status::TRUNCATED;
    }
    const uint32_t code = data[2] << 8 | data[3];
    if (code < static_cast<uint32_t>(Function::INITIATE) ||
        code > static_cast<uint32_t>(Function::ENHANCED_REJECT))
    {
        return Status::UNKNOWN_FUNCTION;
    }
    const std::size_t length = size - HEADER_SIZE;
    const auto function = static_cast<Function>(code);
    if (length > MAX_PRIVATE_DATA)
    {
        return Status::TOO_LONG;
    }
    if (function == Function::TERMINATE && length > 0)
    {
        return Status::UNEXPECTED_DATA;
    }
    if (function >= Function::ENHANCED_INITIATE && length < MpaEnhancedWord::SIZE)
    {
        return Status::NO_WORD;
    }
    message.ssn = static_cast<uint16_t>(data[0] << 8 | data[1]);
    message.function = function;
    message.privateData.assign(data + HEADER_SIZE, data + size);
    return Status::GOOD;
}

} // namespace ns3
