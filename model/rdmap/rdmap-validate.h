/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMAP_VALIDATE_H
#define RDMAP_VALIDATE_H

#include "rdmap-error.h"
#include "rdmap-header.h"

#include "ns3/ddp-header.h"

#include <cstdint>

namespace ns3
{

/**
 * @ingroup iwarp-rdmap
 * @brief Validate a DDP Segment by itself: version, opcode, buffer model, queue
 * and size (RFC 5040 sections 4.1 to 4.8, RFC 7306 section 5).
 * @param header its DDP header
 * @param payload octets behind the header
 * @param extensions Atomics and Immediate Data of RFC 7306 are allowed
 * @param version RV of the stream; version 0 has no extensions
 * @return NONE, or what is wrong
 */
RdmapError RdmapValidate(const DdpHeader& header,
                         uint32_t payload,
                         bool extensions,
                         uint8_t version = rdmap::VERSION);

} // namespace ns3

#endif // RDMAP_VALIDATE_H
