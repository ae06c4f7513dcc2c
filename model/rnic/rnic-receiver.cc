/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rnic-receiver.h"

namespace ns3
{
namespace rnic
{

namespace
{

constexpr auto TRANSMIT = RnicPipelineKind::TRANSMIT;
constexpr auto RECEIVE = RnicPipelineKind::RECEIVE;
constexpr auto PLACE = RnicPipelineKind::PLACE;

// @param memory stage of the reassembly memory @param crc stage of the receiver's CRC
// @return stages of an RNIC that does the work itself
std::vector<StageLine>
Hardware(const char* memory, const char* crc)
{
    return {
        {TRANSMIT, "TxSchedule", "ns3::RnicFrameStage"},
        {TRANSMIT, "TxContext", "ns3::RnicContextStage"},
        {TRANSMIT, "TxTranslate", "ns3::RnicTranslationStage"},
        {TRANSMIT, "TxRead", "ns3::RnicReadStage"},
        {TRANSMIT, "TxBuild", "ns3::RnicFrameStage"},
        {TRANSMIT, "TxCrc", "ns3::RnicTxCrcStage"},
        {TRANSMIT, "TxMac", "ns3::RnicFrameStage"},
        {TRANSMIT, "TxPace", "ns3::RnicPaceStage"},
        {RECEIVE, "RxMac", "ns3::RnicCheckStage"},
        {RECEIVE, "RxTcp", "ns3::RnicCheckStage"},
        {RECEIVE, "RxClassify", "ns3::RnicFrameStage"},
        {RECEIVE, "RxContext", "ns3::RnicContextStage"},
        {PLACE, "RxMemory", memory},
        {PLACE, "RxMpa", "ns3::RnicMpaStage"},
        {PLACE, "RxCrc", crc},
        {PLACE, "RxPlace", "ns3::RnicPlaceStage"},
        {PLACE, "RxReceive", "ns3::RnicReceiveStage"},
        {PLACE, "RxTranslate", "ns3::RnicTranslationStage"},
        {PLACE, "RxWrite", "ns3::RnicWriteStage"},
    };
}

} // namespace

std::vector<ResourceLine>
GetResources()
{
    return {
        {"HostInterface", "ns3::RnicHostInterface"},
        {"QueuePairs", "ns3::RnicQueuePairs"},
        {"ContextCache", "ns3::RnicCache"},
        {"TranslationCache", "ns3::RnicTranslationCache"},
        {"AssociationCache", "ns3::RnicAssociationCache"},
        {"EspCore", "ns3::RnicEspCore"},
        {"ReassemblyMemory", "ns3::RnicReassemblyMemory"},
        {"PacketBuffer", "ns3::RnicPacketBuffer"},
        {"IpReassembly", "ns3::RnicIpReassembly"},
        {"Cpu", "ns3::RnicCpu"},
    };
}

std::vector<StageLine>
GetStages(RnicReceiver receiver)
{
    switch (receiver)
    {
    case RnicReceiver::FLOW_THROUGH:
        return Hardware("ns3::RnicMemoryStage", "ns3::RnicStreamCrcStage");
    case RnicReceiver::STORE_AND_FORWARD:
        return Hardware("ns3::RnicStoreAndForwardStage", "ns3::RnicRxCrcStage");
    case RnicReceiver::HOST_SOFTWARE:
        break;
    }
    return {
        {TRANSMIT, "TxSoftware", "ns3::RnicSoftwareSendStage"},
        {TRANSMIT, "TxPace", "ns3::RnicPaceStage"},
        {RECEIVE, "RxMac", "ns3::RnicCheckStage"},
        {RECEIVE, "RxSoftware", "ns3::RnicSoftwareReceiveStage"},
        {PLACE, "RxCopy", "ns3::RnicSoftwarePlaceStage"},
    };
}

} // namespace rnic
} // namespace ns3
