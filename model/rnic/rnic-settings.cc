/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rnic-settings.h"

#include "ns3/boolean.h"
#include "ns3/ns3-compat.h"
#include "ns3/uinteger.h"

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(RnicSettings);

TypeId
RnicSettings::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::RnicSettings")
            .SetParent<Object>()
            .SetGroupName("Iwarp")
            .AddAttribute("Receiver",
                          "Kind of receiver.",
                          iwarp::MakeEnumValue(RnicReceiver::FLOW_THROUGH),
                          iwarp::MakeEnumAccessor(&RnicSettings::m_receiver),
                          iwarp::MakeEnumChecker(RnicReceiver::FLOW_THROUGH,
                                                 "FlowThrough",
                                                 RnicReceiver::STORE_AND_FORWARD,
                                                 "StoreAndForward",
                                                 RnicReceiver::HOST_SOFTWARE,
                                                 "HostSoftware"))
            .AddAttribute("RxMacTime",
                          "Time for a frame that comes in, whatever its size.",
                          TimeValue(Time(0)),
                          MakeTimeAccessor(&RnicSettings::m_rxMacTime),
                          MakeTimeChecker(Time(0), Seconds(1)))
            .AddAttribute(
                "RxMacRate",
                "Rate at which frames come in, link CRC included. 1000000Gbps takes no time.",
                DataRateValue(DataRate(RnicRate::NO_LIMIT)),
                MakeDataRateAccessor(&RnicSettings::m_rxMacRate),
                MakeDataRateChecker())
            .AddAttribute("RxTcpTime",
                          "Time for the IP and TCP checks of a segment.",
                          TimeValue(Time(0)),
                          MakeTimeAccessor(&RnicSettings::m_rxTcpTime),
                          MakeTimeChecker(Time(0), Seconds(1)))
            .AddAttribute("RxTcpEngines",
                          "Engines for IP and TCP checks.",
                          UintegerValue(1),
                          MakeUintegerAccessor(&RnicSettings::m_rxTcpEngines),
                          MakeUintegerChecker<uint32_t>(1, 1024))
            .AddAttribute("RxClassifyTime",
                          "Time to find the connection of a segment by its 5-tuple.",
                          TimeValue(Time(0)),
                          MakeTimeAccessor(&RnicSettings::m_rxClassifyTime),
                          MakeTimeChecker(Time(0), Seconds(1)))
            .AddAttribute("RxMpaTime",
                          "Time to check the alignment of a segment.",
                          TimeValue(Time(0)),
                          MakeTimeAccessor(&RnicSettings::m_rxMpaTime),
                          MakeTimeChecker(Time(0), Seconds(1)))
            .AddAttribute("RxFpduTime",
                          "Time for the length and header of each FPDU in a segment.",
                          TimeValue(Time(0)),
                          MakeTimeAccessor(&RnicSettings::m_rxFpduTime),
                          MakeTimeChecker(Time(0), Seconds(1)))
            .AddAttribute("RxCrcRunTime",
                          "Time to start or resume the CRC of an FPDU.",
                          TimeValue(Time(0)),
                          MakeTimeAccessor(&RnicSettings::m_rxCrcRunTime),
                          MakeTimeChecker(Time(0), Seconds(1)))
            .AddAttribute("RxCrcRate",
                          "Rate of a CRC engine of the receiver. 1000000Gbps takes no time.",
                          DataRateValue(DataRate(RnicRate::NO_LIMIT)),
                          MakeDataRateAccessor(&RnicSettings::m_rxCrcRate),
                          MakeDataRateChecker())
            .AddAttribute("RxCrcEngines",
                          "CRC engines of the receiver.",
                          UintegerValue(1),
                          MakeUintegerAccessor(&RnicSettings::m_rxCrcEngines),
                          MakeUintegerChecker<uint32_t>(1, 1024))
            .AddAttribute("RxPlaceTime",
                          "Time to compute a host address and command a copy to it.",
                          TimeValue(Time(0)),
                          MakeTimeAccessor(&RnicSettings::m_rxPlaceTime),
                          MakeTimeChecker(Time(0), Seconds(1)))
            .AddAttribute(
                "CrcParallel",
                "The CRC of aligned segments runs beside classification (RFC 5044 B.2.1).",
                BooleanValue(false),
                MakeBooleanAccessor(&RnicSettings::m_crcParallel),
                MakeBooleanChecker())
            .AddAttribute("RxPipelineLatency",
                          "Time that a segment spends in the receiver besides; keeps no engine "
                          "busy.",
                          TimeValue(Time(0)),
                          MakeTimeAccessor(&RnicSettings::m_rxPipelineLatency),
                          MakeTimeChecker(Time(0), Seconds(1)))
            .AddAttribute("TxPipelineLatency",
                          "Time that a segment spends in the sender besides; keeps no engine busy.",
                          TimeValue(Time(0)),
                          MakeTimeAccessor(&RnicSettings::m_txPipelineLatency),
                          MakeTimeChecker(Time(0), Seconds(1)))
            .AddAttribute("SlowPathTime",
                          "Time that each segment that is not aligned takes besides.",
                          TimeValue(Time(0)),
                          MakeTimeAccessor(&RnicSettings::m_slowPathTime),
                          MakeTimeChecker(Time(0), Seconds(1)))
            .AddAttribute(
                "StateFetchTime",
                "Time to fetch the MPA state of a connection whose segment is not aligned.",
                TimeValue(Time(0)),
                MakeTimeAccessor(&RnicSettings::m_stateFetchTime),
                MakeTimeChecker(Time(0), Seconds(1)))
            .AddAttribute("PartialCrcTime",
                          "Time to fetch or store a partial CRC.",
                          TimeValue(Time(0)),
                          MakeTimeAccessor(&RnicSettings::m_partialCrcTime),
                          MakeTimeChecker(Time(0), Seconds(1)))
            .AddAttribute("MarkerSearchTime",
                          "Time to find an FPDU by a Marker.",
                          TimeValue(Time(0)),
                          MakeTimeAccessor(&RnicSettings::m_markerSearchTime),
                          MakeTimeChecker(Time(0), Seconds(1)))
            .AddAttribute("TxScheduleTime",
                          "Time to choose a segment to be sent.",
                          TimeValue(Time(0)),
                          MakeTimeAccessor(&RnicSettings::m_txScheduleTime),
                          MakeTimeChecker(Time(0), Seconds(1)))
            .AddAttribute("TxBuildTime",
                          "Time to cut a segment and build its headers.",
                          TimeValue(Time(0)),
                          MakeTimeAccessor(&RnicSettings::m_txBuildTime),
                          MakeTimeChecker(Time(0), Seconds(1)))
            .AddAttribute("TxFlowTime",
                          "Time between two segments of one connection with payload, at least: "
                          "what one queue pair can do.",
                          TimeValue(Time(0)),
                          MakeTimeAccessor(&RnicSettings::m_txFlowTime),
                          MakeTimeChecker(Time(0), Seconds(1)))
            .AddAttribute("TxEngines",
                          "Engines that cut segments and build headers.",
                          UintegerValue(1),
                          MakeUintegerAccessor(&RnicSettings::m_txEngines),
                          MakeUintegerChecker<uint32_t>(1, 1024))
            .AddAttribute("TxCrcRate",
                          "Rate of a CRC engine of the sender. 1000000Gbps takes no time.",
                          DataRateValue(DataRate(RnicRate::NO_LIMIT)),
                          MakeDataRateAccessor(&RnicSettings::m_txCrcRate),
                          MakeDataRateChecker())
            .AddAttribute("TxCrcEngines",
                          "CRC engines of the sender.",
                          UintegerValue(1),
                          MakeUintegerAccessor(&RnicSettings::m_txCrcEngines),
                          MakeUintegerChecker<uint32_t>(1, 1024))
            .AddAttribute("TxMacRate",
                          "Rate at which frames go out. 1000000Gbps takes no time.",
                          DataRateValue(DataRate(RnicRate::NO_LIMIT)),
                          MakeDataRateAccessor(&RnicSettings::m_txMacRate),
                          MakeDataRateChecker())
            .AddAttribute(
                "HostWriteRate",
                "Rate of the bus towards the host, headers included. 1000000Gbps takes no time.",
                DataRateValue(DataRate(RnicRate::NO_LIMIT)),
                MakeDataRateAccessor(&RnicSettings::m_hostWriteRate),
                MakeDataRateChecker())
            .AddAttribute(
                "HostReadRate",
                "Rate of the bus from the host, headers included. 1000000Gbps takes no time.",
                DataRateValue(DataRate(RnicRate::NO_LIMIT)),
                MakeDataRateAccessor(&RnicSettings::m_hostReadRate),
                MakeDataRateChecker())
            .AddAttribute("HostHeader",
                          "Octets around each packet of the bus.",
                          UintegerValue(0),
                          MakeUintegerAccessor(&RnicSettings::m_hostHeader),
                          MakeUintegerChecker<uint32_t>(0, 1024))
            .AddAttribute("HostMaxPayload",
                          "Octets of data in a packet of the bus at most.",
                          UintegerValue(256),
                          MakeUintegerAccessor(&RnicSettings::m_hostMaxPayload),
                          MakeUintegerChecker<uint32_t>(64, 65536))
            .AddAttribute("HostMaxReadRequest",
                          "Octets that a read request asks for at most.",
                          UintegerValue(512),
                          MakeUintegerAccessor(&RnicSettings::m_hostMaxReadRequest),
                          MakeUintegerChecker<uint32_t>(64, 65536))
            .AddAttribute("HostReadTags",
                          "Read requests in flight at most.",
                          UintegerValue(64),
                          MakeUintegerAccessor(&RnicSettings::m_hostReadTags),
                          MakeUintegerChecker<uint32_t>(1, 65536))
            .AddAttribute("HostReadLatency",
                          "Time from a read request to the first octet of its data.",
                          TimeValue(Time(0)),
                          MakeTimeAccessor(&RnicSettings::m_hostReadLatency),
                          MakeTimeChecker(Time(0), Seconds(1)))
            .AddAttribute("HostWriteLatency",
                          "Time from a write until CPUs see it.",
                          TimeValue(Time(0)),
                          MakeTimeAccessor(&RnicSettings::m_hostWriteLatency),
                          MakeTimeChecker(Time(0), Seconds(1)))
            .AddAttribute("DoorbellLatency",
                          "Time from a CPU's write until the RNIC sees it.",
                          TimeValue(Time(0)),
                          MakeTimeAccessor(&RnicSettings::m_doorbellLatency),
                          MakeTimeChecker(Time(0), Seconds(1)))
            .AddAttribute("WqeSize",
                          "Octets of a work queue element.",
                          UintegerValue(64),
                          MakeUintegerAccessor(&RnicSettings::m_wqeSize),
                          MakeUintegerChecker<uint32_t>(1, 4096))
            .AddAttribute("CqeSize",
                          "Octets of a completion queue element.",
                          UintegerValue(64),
                          MakeUintegerAccessor(&RnicSettings::m_cqeSize),
                          MakeUintegerChecker<uint32_t>(1, 4096))
            .AddAttribute("InlineLimit",
                          "Octets of payload that a doorbell may bring along.",
                          UintegerValue(0),
                          MakeUintegerAccessor(&RnicSettings::m_inlineLimit),
                          MakeUintegerChecker<uint32_t>(0, 4096))
            .AddAttribute("Notify",
                          "How the host learns of completions.",
                          iwarp::MakeEnumValue(RnicNotify::POLLING),
                          iwarp::MakeEnumAccessor(&RnicSettings::m_notify),
                          iwarp::MakeEnumChecker(RnicNotify::POLLING,
                                                 "Polling",
                                                 RnicNotify::INTERRUPT,
                                                 "Interrupt"))
            .AddAttribute("PollTime",
                          "Time from the sight of a completion to the application, when polling.",
                          TimeValue(Time(0)),
                          MakeTimeAccessor(&RnicSettings::m_pollTime),
                          MakeTimeChecker(Time(0), Seconds(1)))
            .AddAttribute("InterruptTime",
                          "Time from an interrupt to the application.",
                          TimeValue(Time(0)),
                          MakeTimeAccessor(&RnicSettings::m_interruptTime),
                          MakeTimeChecker(Time(0), Seconds(1)))
            .AddAttribute("InterruptModeration",
                          "Time between two interrupts at least.",
                          TimeValue(Time(0)),
                          MakeTimeAccessor(&RnicSettings::m_interruptModeration),
                          MakeTimeChecker(Time(0), Seconds(1)))
            .AddAttribute("ReassemblyMemory",
                          "Octets of reassembly memory, all connections together (RFC 5044 A.5.2).",
                          UintegerValue(UINT64_MAX),
                          MakeUintegerAccessor(&RnicSettings::m_reassemblyMemory),
                          MakeUintegerChecker<uint64_t>(140, UINT64_MAX))
            .AddAttribute("ReassemblyReserve",
                          "Octets of it kept for an FPDU in order: the MTU of the link (A.5.2).",
                          UintegerValue(1500),
                          MakeUintegerAccessor(&RnicSettings::m_reassemblyReserve),
                          MakeUintegerChecker<uint64_t>(140, UINT64_MAX))
            .AddAttribute("ReassemblyPerConnection",
                          "Octets of it that one connection may hold.",
                          UintegerValue(UINT64_MAX),
                          MakeUintegerAccessor(&RnicSettings::m_reassemblyPerConnection),
                          MakeUintegerChecker<uint64_t>(140, UINT64_MAX))
            .AddAttribute("ReassemblyRate",
                          "Rate of the reassembly memory, reads and writes together; low if it is "
                          "off chip. 1000000Gbps takes no time.",
                          DataRateValue(DataRate(RnicRate::NO_LIMIT)),
                          MakeDataRateAccessor(&RnicSettings::m_reassemblyRate),
                          MakeDataRateChecker())
            .AddAttribute(
                "ReassemblyLatency",
                "Time for an access to the reassembly memory, besides; more if it is off chip.",
                TimeValue(Time(0)),
                MakeTimeAccessor(&RnicSettings::m_reassemblyLatency),
                MakeTimeChecker(Time(0), Seconds(1)))
            .AddAttribute("PacketBuffer",
                          "Octets of frames on their way in (BufferSizeAF of RFC 5044 B.2); more "
                          "are dropped.",
                          UintegerValue(UINT64_MAX),
                          MakeUintegerAccessor(&RnicSettings::m_packetBuffer),
                          MakeUintegerChecker<uint64_t>(1514, UINT64_MAX))
            .AddAttribute("ContextCacheEntries",
                          "Connections whose context is on chip; 0 for all.",
                          UintegerValue(0),
                          MakeUintegerAccessor(&RnicSettings::m_contextCacheEntries),
                          MakeUintegerChecker<uint32_t>())
            .AddAttribute("ContextSize",
                          "Octets of a connection's context.",
                          UintegerValue(375),
                          MakeUintegerAccessor(&RnicSettings::m_contextSize),
                          MakeUintegerChecker<uint32_t>(1, 65536))
            .AddAttribute("TranslationCacheEntries",
                          "Translation and protection entries that are on chip; 0 for all.",
                          UintegerValue(0),
                          MakeUintegerAccessor(&RnicSettings::m_translationCacheEntries),
                          MakeUintegerChecker<uint32_t>())
            .AddAttribute("TranslationSize",
                          "Octets of a translation and protection entry.",
                          UintegerValue(64),
                          MakeUintegerAccessor(&RnicSettings::m_translationSize),
                          MakeUintegerChecker<uint32_t>(1, 65536))
            .AddAttribute("CacheReplacement",
                          "Which entry of a cache gives way.",
                          iwarp::MakeEnumValue(RnicReplacement::LRU),
                          iwarp::MakeEnumAccessor(&RnicSettings::m_cacheReplacement),
                          iwarp::MakeEnumChecker(RnicReplacement::LRU,
                                                 "Lru",
                                                 RnicReplacement::RANDOM,
                                                 "Random"))
            .AddAttribute(
                "CpuCores",
                "CPUs that do the work of a HostSoftware receiver; a connection stays on one.",
                UintegerValue(1),
                MakeUintegerAccessor(&RnicSettings::m_cpuCores),
                MakeUintegerChecker<uint32_t>(1, 1024))
            .AddAttribute("CpuPacketTime",
                          "Time of a CPU for each packet, sent or received.",
                          TimeValue(Time(0)),
                          MakeTimeAccessor(&RnicSettings::m_cpuPacketTime),
                          MakeTimeChecker(Time(0), Seconds(1)))
            .AddAttribute("CpuCopyRate",
                          "Rate at which a CPU copies. 1000000Gbps takes no time.",
                          DataRateValue(DataRate(RnicRate::NO_LIMIT)),
                          MakeDataRateAccessor(&RnicSettings::m_cpuCopyRate),
                          MakeDataRateChecker())
            .AddAttribute("CpuCrcRate",
                          "Rate at which a CPU computes CRC32c. 1000000Gbps takes no time.",
                          DataRateValue(DataRate(RnicRate::NO_LIMIT)),
                          MakeDataRateAccessor(&RnicSettings::m_cpuCrcRate),
                          MakeDataRateChecker())
            .AddAttribute(
                "LargeSendOffload",
                "Octets that a plain adapter cuts into segments for one CpuPacketTime; 0 for off.",
                UintegerValue(0),
                MakeUintegerAccessor(&RnicSettings::m_largeSendOffload),
                MakeUintegerChecker<uint32_t>(0, 1048576))
            .AddAttribute("LargeReceiveOffload",
                          "Octets that a plain adapter gathers for one CpuPacketTime; 0 for off.",
                          UintegerValue(0),
                          MakeUintegerAccessor(&RnicSettings::m_largeReceiveOffload),
                          MakeUintegerChecker<uint32_t>(0, 1048576))
            .AddAttribute("LinkOverhead",
                          "Octets of a frame around its IP datagram: 18 for Ethernet.",
                          UintegerValue(18),
                          MakeUintegerAccessor(&RnicSettings::m_linkOverhead),
                          MakeUintegerChecker<uint32_t>(0, 1024));
    return tid;
}

RnicConfig
RnicSettings::MakeConfig() const
{
    RnicConfig config;
    config.receiver = m_receiver;
    config.rxMac.perPacket = ToRnicTime(m_rxMacTime);
    config.rxMac.bitRate = m_rxMacRate.GetBitRate();
    config.rxTcp.perPacket = ToRnicTime(m_rxTcpTime);
    config.rxTcp.engines = m_rxTcpEngines;
    config.rxClassify.perPacket = ToRnicTime(m_rxClassifyTime);
    config.rxMpa.perPacket = ToRnicTime(m_rxMpaTime);
    config.rxMpa.perUnit = ToRnicTime(m_rxFpduTime);
    config.rxCrc.perUnit = ToRnicTime(m_rxCrcRunTime);
    config.rxCrc.bitRate = m_rxCrcRate.GetBitRate();
    config.rxCrc.engines = m_rxCrcEngines;
    config.rxPlace.perUnit = ToRnicTime(m_rxPlaceTime);
    config.crcParallel = m_crcParallel;
    config.rxTcp.latency = ToRnicTime(m_rxPipelineLatency);
    config.txBuild.latency = ToRnicTime(m_txPipelineLatency);
    config.slowPath = ToRnicTime(m_slowPathTime);
    config.stateFetch = ToRnicTime(m_stateFetchTime);
    config.partialCrc = ToRnicTime(m_partialCrcTime);
    config.markerSearch = ToRnicTime(m_markerSearchTime);
    config.txSchedule.perPacket = ToRnicTime(m_txScheduleTime);
    config.txBuild.perPacket = ToRnicTime(m_txBuildTime);
    config.txFlow = ToRnicTime(m_txFlowTime);
    config.txBuild.engines = m_txEngines;
    config.txCrc.bitRate = m_txCrcRate.GetBitRate();
    config.txCrc.engines = m_txCrcEngines;
    config.txMac.bitRate = m_txMacRate.GetBitRate();
    config.host.toHostRate = m_hostWriteRate.GetBitRate();
    config.host.fromHostRate = m_hostReadRate.GetBitRate();
    config.host.header = m_hostHeader;
    config.host.maxPayload = m_hostMaxPayload;
    config.host.maxReadRequest = m_hostMaxReadRequest;
    config.host.tags = m_hostReadTags;
    config.host.readLatency = ToRnicTime(m_hostReadLatency);
    config.host.writeLatency = ToRnicTime(m_hostWriteLatency);
    config.host.doorbellLatency = ToRnicTime(m_doorbellLatency);
    config.host.wqe = m_wqeSize;
    config.host.cqe = m_cqeSize;
    config.host.inlineLimit = m_inlineLimit;
    config.host.notify = m_notify;
    config.host.pollTime = ToRnicTime(m_pollTime);
    config.host.interruptTime = ToRnicTime(m_interruptTime);
    config.host.moderation = ToRnicTime(m_interruptModeration);
    config.memory.capacity = m_reassemblyMemory;
    config.memory.reserve = m_reassemblyReserve;
    config.memory.perConnection = m_reassemblyPerConnection;
    config.memory.bitRate = m_reassemblyRate.GetBitRate();
    config.memory.latency = ToRnicTime(m_reassemblyLatency);
    config.packetBuffer = m_packetBuffer;
    config.contextEntries = m_contextCacheEntries;
    config.contextSize = m_contextSize;
    config.translationEntries = m_translationCacheEntries;
    config.translationSize = m_translationSize;
    config.replacement = m_cacheReplacement;
    config.cpu.cores = m_cpuCores;
    config.cpu.packetTime = ToRnicTime(m_cpuPacketTime);
    config.cpu.copyRate = m_cpuCopyRate.GetBitRate();
    config.cpu.crcRate = m_cpuCrcRate.GetBitRate();
    config.cpu.sendOffload = m_largeSendOffload;
    config.cpu.receiveOffload = m_largeReceiveOffload;
    return config;
}

uint32_t
RnicSettings::GetLinkOverhead() const
{
    return m_linkOverhead;
}

} // namespace ns3
