/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rnic-receiver.h"

#include <algorithm>

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
        {TRANSMIT, "TxSchedule", "ns3::RnicScheduleStage"},
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

/// @param hasEngine records are worked on beside TCP @return stages of an adapter whose host does
/// TCP
std::vector<StageLine>
Software(bool hasEngine)
{
    std::vector<StageLine> stages{
        {TRANSMIT, "TxSoftware", "ns3::RnicSoftwareSendStage"},
        {TRANSMIT, "TxRecords", "ns3::RnicTxRecordStage"},
        {TRANSMIT, "TxPace", "ns3::RnicPaceStage"},
        {RECEIVE, "RxMac", "ns3::RnicCheckStage"},
        {RECEIVE, "RxRecords", "ns3::RnicRxRecordStage"},
        {RECEIVE, "RxSoftware", "ns3::RnicSoftwareReceiveStage"},
        {PLACE, "RxCopy", "ns3::RnicSoftwarePlaceStage"},
    };
    const auto isEngine = [](const StageLine& line) {
        return line.name == "TxRecords" || line.name == "RxRecords";
    };
    if (!hasEngine)
    {
        stages.erase(std::remove_if(stages.begin(), stages.end(), isEngine), stages.end());
    }
    return stages;
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

bool
IsTcpOnHost(RnicReceiver receiver)
{
    return receiver == RnicReceiver::HOST_SOFTWARE || receiver == RnicReceiver::AUTONOMOUS;
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
        return Software(false);
    case RnicReceiver::AUTONOMOUS:
        break;
    }
    return Software(true);
}

} // namespace rnic
} // namespace ns3
