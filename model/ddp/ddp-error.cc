/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ddp-error.h"

namespace ns3
{

const char*
DdpErrorText(DdpError error)
{
    switch (error)
    {
    case DdpError::LOCAL_CATASTROPHIC:
        return "local catastrophic error";
    case DdpError::TAGGED_INVALID_STAG:
        return "tagged buffer: invalid STag";
    case DdpError::TAGGED_BASE_BOUNDS:
        return "tagged buffer: base or bounds violation";
    case DdpError::TAGGED_NOT_ASSOCIATED:
        return "tagged buffer: STag not associated with the stream";
    case DdpError::TAGGED_TO_WRAP:
        return "tagged buffer: TO wrap";
    case DdpError::TAGGED_VERSION:
        return "tagged buffer: invalid DDP version";
    case DdpError::UNTAGGED_INVALID_QN:
        return "untagged buffer: invalid QN";
    case DdpError::UNTAGGED_NO_BUFFER:
        return "untagged buffer: invalid MSN, no buffer available";
    case DdpError::UNTAGGED_MSN_RANGE:
        return "untagged buffer: invalid MSN, range not valid";
    case DdpError::UNTAGGED_INVALID_MO:
        return "untagged buffer: invalid MO";
    case DdpError::UNTAGGED_TOO_LONG:
        return "untagged buffer: message too long";
    case DdpError::UNTAGGED_VERSION:
        return "untagged buffer: invalid DDP version";
    case DdpError::NONE:
        return "no error";
    }
    return "unknown error";
}

} // namespace ns3
