/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RNIC_BUFFER_FORMULAS_H
#define RNIC_BUFFER_FORMULAS_H

#include "ns3/data-rate.h"
#include "ns3/nstime.h"

#include <cstdint>

namespace ns3
{
namespace rnic
{

/// Least reassembly memory: the FPDU of the least MULPDU, 128 + 2 + 2 + 4 octets and a Marker
/// (RFC 5044 section A.5.2).
constexpr uint32_t MIN_REASSEMBLY_MEMORY = 140;

/**
 * @ingroup iwarp-rnic
 * @brief Buffer of a TCP receiver in the worst case, BufferSizeTCP (RFC 5044 section B.2).
 * @param rate bandwidth of the connection
 * @param delay its round-trip time
 * @param k constant of the implementation, at least 0
 * @return octets
 */
double BufferSizeTcp(DataRate rate, Time delay, double k = 1);

/**
 * @ingroup iwarp-rnic
 * @brief Buffer of a receiver of FPDUs that are not aligned, BufferSizeNAF (section B.2).
 * @param emss effective maximum segment size in octets
 * @param connections number of connections
 * @param k1 constant of the implementation: segments held for each connection
 * @param k2 constant of the implementation: segments in work
 * @return octets
 */
double BufferSizeNaf(uint32_t emss, uint64_t connections, double k1 = 1, double k2 = 0);

/**
 * @ingroup iwarp-rnic
 * @brief Buffer of a receiver of aligned FPDUs, BufferSizeAF (section B.2).
 * @param emss effective maximum segment size in octets
 * @param k2 constant of the implementation: segments in work
 * @return octets, whatever the number of connections
 */
double BufferSizeAf(uint32_t emss, double k2);

} // namespace rnic
} // namespace ns3

#endif // RNIC_BUFFER_FORMULAS_H
