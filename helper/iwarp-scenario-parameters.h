/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef IWARP_SCENARIO_PARAMETERS_H
#define IWARP_SCENARIO_PARAMETERS_H

#include "ns3/data-rate.h"
#include "ns3/mpa-tcp-socket.h"
#include "ns3/nstime.h"
#include "ns3/queue-size.h"
#include "ns3/rdma-perf-test.h"

#include <cstdint>
#include <string>

namespace ns3
{

/**
 * @ingroup iwarp-helper
 * @brief Values of all attributes of IwarpScenario, which documents and checks them.
 */
struct IwarpScenarioParameters
{
    /// Networks
    enum class Topology : uint8_t
    {
        DUMBBELL, //!< IwarpDumbbellHelper
        ABILENE,  //!< IwarpAbileneHelper
    };

    /// What is sent
    enum class Workload : uint8_t
    {
        MPA,        //!< messages from MpaBulkSender to MpaSink
        RDMA_WRITE, //!< the same by RDMA Writes
        RDMA_READ,  //!< the same by RDMA Reads
        SEND,       //!< the same by Sends
        STORAGE,    //!< requests, data and responses of a storage service
        PERF,       //!< a test of the perftest suite
    };

    // network
    Topology topology{Topology::DUMBBELL}; //!< network
    bool ipv6{false};                      //!< IPv6 rather than IPv4
    uint32_t flows{1};                     //!< connections
    uint32_t hostPairs{0};                 //!< pairs of hosts that share them; 0: one each
    DataRate linkRate;                     //!< rate of the bottleneck or backbone
    DataRate accessRate;                   //!< rate of the hosts' links
    Time delay;                            //!< propagation delay of the bottleneck
    Time accessDelay;                      //!< propagation delay of the hosts' links
    uint32_t mtu{1500};                    //!< MTU of all links, octets
    QueueSize queueSize;                   //!< queue at each device
    double loss{0};                        //!< probability of loss
    double reordering{0};                  //!< probability of being held back
    Time reorderingDelay;                  //!< longest hold
    double duplication{0};                 //!< probability of a copy
    std::string abilenePairs;              //!< cities of the flows

    // TCP
    std::string congestionControl;            //!< TypeId of a TcpCongestionOps
    bool sack{true};                          //!< SACK option
    bool timestamps{true};                    //!< timestamps option
    uint32_t sendBuffer{0};                   //!< octets
    uint32_t receiveBuffer{0};                //!< octets
    DataRate windowRate;                      //!< that the receive window allows; 0: receiveBuffer
    Time windowRtt;                           //!< round trip for that
    MpaTcpSocket::WindowMode receiveWindow{}; //!< what takes room in the receive window
    Time minRto;                              //!< least retransmission timeout
    uint32_t dataRetries{15};                 //!< timeouts in vain until TCP gives up
    Time delayedAck;                          //!< longest delay of an ACK
    bool noDelay{true};                       //!< no Nagle

    // MPA
    bool alignment{true};         //!< segments end at FPDU ends
    bool packing{true};           //!< several FPDUs a segment
    bool markers{true};           //!< Markers
    bool crc{true};               //!< CRC32c
    bool outOfOrder{true};        //!< pass FPDUs out of order
    uint64_t reassemblyMemory{0}; //!< octets a connection
    bool dynamicMulpdu{false};    //!< fill segments

    // RNIC
    std::string rnic;         //!< profile, or "none"
    std::string rnicSettings; //!< attributes besides
    uint64_t rnicMemory{0};   //!< octets of reassembly memory; 0: the profile's

    // workload
    Workload workload{Workload::MPA};      //!< what is sent
    std::string messageSizes;              //!< distribution of message sizes
    std::string intervals;                 //!< distribution of times between messages
    uint32_t queueDepth{16};               //!< messages posted at once
    uint64_t octets{0};                    //!< payload of each flow
    Time duration;                         //!< longest time to send
    Time startSpread;                      //!< flows start within this time
    bool backed{false};                    //!< verify content
    RdmaPerfTest perfTest{};               //!< workload PERF: test
    uint32_t perfSize{0};                  //!< workload PERF: octets of a message
    bool perfAll{false};                   //!< workload PERF: all sizes
    double storageReadShare{0.5};          //!< workload STORAGE: share of reads
    uint32_t storageInlineThreshold{4096}; //!< workload STORAGE: most octets in a Send
    uint32_t perfIterations{1000};         //!< workload PERF: messages of each flow
    bool plainTcp{false};                  //!< compare with plain TCP

    // run
    uint32_t seed{1}; //!< seed of all random numbers
    uint64_t run{1};  //!< run number
    Time timeLimit;   //!< longest simulated time
    std::string pcap; //!< prefix of pcap files

    /// @return octets of TCP's receive buffer: by windowRate and windowRtt, or else receiveBuffer
    uint32_t GetReceiveBuffer() const;
};

/// @ingroup iwarp-helper
/// @brief A result of a run.
struct IwarpMetric
{
    std::string name; //!< name in snake_case
    double value;     //!< value
    std::string unit; //!< unit: octets, segments, s, bit/s, share (0 to 1), …
    std::string help; //!< what it says
};

} // namespace ns3

#endif // IWARP_SCENARIO_PARAMETERS_H
