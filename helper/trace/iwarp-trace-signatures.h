/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef IWARP_TRACE_SIGNATURES_H
#define IWARP_TRACE_SIGNATURES_H

#include "iwarp-trace-connector.h"

#include <map>
#include <string>

namespace ns3
{
namespace iwarp
{

/// @ingroup iwarp-helper
/// @brief Connectors by the signature that a trace source's documentation names.
using TraceConnectors = std::map<std::string, TraceConnector>;

/// @ingroup iwarp-helper
/// @brief Add connectors of TCP, MPA, RDMAP, NVMe/TCP and TLS. @param[in,out] all gets them
void AddStreamConnectors(TraceConnectors& all);

/// @ingroup iwarp-helper
/// @brief Add connectors of RNICs, verbs, IPsec and what stands on links. @param[in,out] all gets
/// them
void AddDeviceConnectors(TraceConnectors& all);

/// @ingroup iwarp-helper
/// @brief Add connectors of applications. @param[in,out] all gets them
void AddApplicationConnectors(TraceConnectors& all);

} // namespace iwarp
} // namespace ns3

#endif // IWARP_TRACE_SIGNATURES_H
