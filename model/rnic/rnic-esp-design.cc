/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rnic-esp-design.h"

namespace ns3
{
namespace rnic
{

std::string
AddEsp(RnicDesign& design, EspPlace place)
{
    const bool software = IsTcpOnHost(design.GetReceiver());
    const bool isInline = place == EspPlace::INLINE;
    if (place == EspPlace::SOFTWARE && !software)
    {
        return "an RNIC that does TCP itself has no packets for the host's CPUs to protect: do ESP "
               "inline or lookaside, or set Receiver to HostSoftware";
    }
    const char* type = isInline                       ? "ns3::RnicInlineEspStage"
                       : place == EspPlace::LOOKASIDE ? "ns3::RnicLookasideEspStage"
                                                      : "ns3::RnicSoftwareEspStage";
    const char* beforeOut = !software ? "TxMac" : isInline ? "TxPace" : "TxSoftware";
    const char* beforeIn = !software ? "RxTcp" : isInline ? "RxSoftware" : "";
    const std::string problem =
        design.AddStage(RnicPipelineKind::TRANSMIT, "TxEsp", type, beforeOut);
    return problem.empty() ? design.AddStage(RnicPipelineKind::RECEIVE, "RxEsp", type, beforeIn)
                           : problem;
}

} // namespace rnic
} // namespace ns3
