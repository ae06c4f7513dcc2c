/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RNIC_RECEIVER_H
#define RNIC_RECEIVER_H

#include "rnic-datapath.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

/// @ingroup iwarp-rnic
/// @brief Kind of receiver.
enum class RnicReceiver : uint8_t
{
    FLOW_THROUGH,      //!< FPDUs go to the host as they come; only parts of FPDUs are stored
    STORE_AND_FORWARD, //!< every segment goes through the reassembly memory
    HOST_SOFTWARE,     //!< the host's CPUs do TCP, CRC and copies
    AUTONOMOUS,        //!< the same, but an engine beside TCP works on records that it can follow
};

namespace rnic
{

/// @ingroup iwarp-rnic
/// @brief Tell who does TCP. @param receiver kind @return true if the host's CPUs do
bool IsTcpOnHost(RnicReceiver receiver);

/// A stage of a list.
struct StageLine
{
    RnicPipelineKind pipeline; //!< where it stands
    std::string name;          //!< its name there
    std::string type;          //!< TypeId of a class derived from RnicStage
};

/// A resource of a list.
struct ResourceLine
{
    std::string name; //!< its name
    std::string type; //!< TypeId of a class derived from RnicPart
};

/// @ingroup iwarp-rnic
/// @brief List the resources that stages share.
/// @return the resources that every RNIC has
std::vector<ResourceLine> GetResources();

/// @ingroup iwarp-rnic
/// @brief List the stages of an RNIC, of all its pipelines.
/// @param receiver kind @return the stages of an RNIC of that kind, in their order
std::vector<StageLine> GetStages(RnicReceiver receiver);

} // namespace rnic
} // namespace ns3

#endif // RNIC_RECEIVER_H
