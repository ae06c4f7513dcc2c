/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RNIC_SETTINGS_H
#define RNIC_SETTINGS_H

#include "rnic-config.h"

#include "ns3/data-rate.h"
#include "ns3/nstime.h"
#include "ns3/object.h"

namespace ns3
{

/**
 * @ingroup iwarp-rnic
 * @brief The figures of an RNIC as attributes.
 *
 * By default nothing takes time and nothing has a limit; RnicProfile has figures of adapters. They
 * count as they are when the RNIC is initialized, at the start of the simulation.
 */
class RnicSettings : public Object
{
  public:
    static TypeId GetTypeId(); //!< @return the object TypeId

    /// @return the figures as the datapath takes them
    RnicConfig MakeConfig() const;

    /// @return octets of a frame around its IP datagram
    uint32_t GetLinkOverhead() const;

  private:
    RnicReceiver m_receiver{RnicReceiver::FLOW_THROUGH};      //!< see Receiver
    Time m_rxMacTime;                                         //!< see RxMacTime
    DataRate m_rxMacRate;                                     //!< see RxMacRate
    Time m_rxTcpTime;                                         //!< see RxTcpTime
    uint32_t m_rxTcpEngines{1};                               //!< see RxTcpEngines
    Time m_rxClassifyTime;                                    //!< see RxClassifyTime
    Time m_rxMpaTime;                                         //!< see RxMpaTime
    Time m_rxFpduTime;                                        //!< see RxFpduTime
    Time m_rxCrcRunTime;                                      //!< see RxCrcRunTime
    DataRate m_rxCrcRate;                                     //!< see RxCrcRate
    uint32_t m_rxCrcEngines{1};                               //!< see RxCrcEngines
    Time m_rxPlaceTime;                                       //!< see RxPlaceTime
    bool m_crcParallel{false};                                //!< see CrcParallel
    Time m_rxPipelineLatency;                                 //!< see RxPipelineLatency
    Time m_txPipelineLatency;                                 //!< see TxPipelineLatency
    Time m_slowPathTime;                                      //!< see SlowPathTime
    Time m_stateFetchTime;                                    //!< see StateFetchTime
    Time m_partialCrcTime;                                    //!< see PartialCrcTime
    Time m_markerSearchTime;                                  //!< see MarkerSearchTime
    Time m_txScheduleTime;                                    //!< see TxScheduleTime
    Time m_txFlowTime;                                        //!< see TxFlowTime
    Time m_txBuildTime;                                       //!< see TxBuildTime
    uint32_t m_txEngines{1};                                  //!< see TxEngines
    DataRate m_txCrcRate;                                     //!< see TxCrcRate
    uint32_t m_txCrcEngines{1};                               //!< see TxCrcEngines
    DataRate m_txMacRate;                                     //!< see TxMacRate
    DataRate m_hostWriteRate;                                 //!< see HostWriteRate
    DataRate m_hostReadRate;                                  //!< see HostReadRate
    uint32_t m_hostHeader{0};                                 //!< see HostHeader
    uint32_t m_hostMaxPayload{256};                           //!< see HostMaxPayload
    uint32_t m_hostMaxReadRequest{512};                       //!< see HostMaxReadRequest
    uint32_t m_hostReadTags{64};                              //!< see HostReadTags
    Time m_hostReadLatency;                                   //!< see HostReadLatency
    Time m_hostWriteLatency;                                  //!< see HostWriteLatency
    Time m_doorbellLatency;                                   //!< see DoorbellLatency
    uint32_t m_wqeSize{64};                                   //!< see WqeSize
    uint32_t m_cqeSize{64};                                   //!< see CqeSize
    uint32_t m_inlineLimit{0};                                //!< see InlineLimit
    RnicNotify m_notify{RnicNotify::POLLING};                 //!< see Notify
    Time m_pollTime;                                          //!< see PollTime
    Time m_interruptTime;                                     //!< see InterruptTime
    Time m_interruptModeration;                               //!< see InterruptModeration
    uint64_t m_reassemblyMemory{UINT64_MAX};                  //!< see ReassemblyMemory
    uint64_t m_reassemblyReserve{1500};                       //!< see ReassemblyReserve
    uint64_t m_reassemblyPerConnection{UINT64_MAX};           //!< see ReassemblyPerConnection
    DataRate m_reassemblyRate;                                //!< see ReassemblyRate
    Time m_reassemblyLatency;                                 //!< see ReassemblyLatency
    uint64_t m_packetBuffer{UINT64_MAX};                      //!< see PacketBuffer
    uint32_t m_contextCacheEntries{0};                        //!< see ContextCacheEntries
    uint32_t m_contextSize{375};                              //!< see ContextSize
    uint32_t m_translationCacheEntries{0};                    //!< see TranslationCacheEntries
    uint32_t m_translationSize{64};                           //!< see TranslationSize
    RnicReplacement m_cacheReplacement{RnicReplacement::LRU}; //!< see CacheReplacement
    uint32_t m_cpuCores{1};                                   //!< see CpuCores
    Time m_cpuPacketTime;                                     //!< see CpuPacketTime
    DataRate m_cpuCopyRate;                                   //!< see CpuCopyRate
    DataRate m_cpuCrcRate;                                    //!< see CpuCrcRate
    uint32_t m_largeSendOffload{0};                           //!< see LargeSendOffload
    uint32_t m_largeReceiveOffload{0};                        //!< see LargeReceiveOffload
    uint32_t m_linkOverhead{18};                              //!< see LinkOverhead
};

} // namespace ns3

#endif // RNIC_SETTINGS_H
