/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RNIC_CONFIG_H
#define RNIC_CONFIG_H

#include "rnic-cache.h"
#include "rnic-host-interface.h"
#include "rnic-reassembly-memory.h"
#include "rnic-server.h"

#include <cstdint>
#include <string>

namespace ns3
{

/// @ingroup iwarp-rnic
/// @brief Kind of receiver.
enum class RnicReceiver : uint8_t
{
    FLOW_THROUGH,      //!< FPDUs go to the host as they come; only parts of FPDUs are stored
    STORE_AND_FORWARD, //!< every segment goes through the reassembly memory
    HOST_SOFTWARE,     //!< the host's CPUs do TCP, CRC and copies
};

/// @ingroup iwarp-rnic
/// @brief Figures of a CPU that does an RNIC's work. The default takes no time.
struct RnicCpuConfig
{
    uint32_t cores{1};                     //!< CPUs; a connection stays on one
    RnicTime packetTime{0};                //!< ps for each packet, sent or received
    uint64_t copyRate{RnicRate::NO_LIMIT}; //!< bit/s at which a CPU copies
    uint64_t crcRate{RnicRate::NO_LIMIT};  //!< bit/s at which a CPU computes CRC32c
    uint32_t sendOffload{0}; //!< octets that the adapter cuts into segments for one packetTime; 0
                             //!< if it does not (large-segment offload)
    uint32_t receiveOffload{0}; //!< octets that the adapter gathers for one packetTime; 0 if it
                                //!< does not (large-receive offload, coalescing)
};

/// @ingroup iwarp-rnic
/// @brief All figures of an RNIC. The default takes no time and has memory without limit.
struct RnicConfig
{
    RnicReceiver receiver{RnicReceiver::FLOW_THROUGH}; //!< kind of receiver

    RnicServerConfig rxMac;      //!< frames come in: link CRC
    RnicServerConfig rxTcp;      //!< IP and TCP checks
    RnicServerConfig rxClassify; //!< 5-tuple to connection
    RnicServerConfig rxMpa;      //!< check of alignment; a unit is an FPDU's length and header
    RnicServerConfig rxCrc;      //!< CRC32c; a unit is a run
    RnicServerConfig rxPlace;    //!< a unit is an address computed and a copy commanded
    bool crcParallel{false};     //!< the CRC of aligned segments runs beside classification
    RnicTime slowPath{0};        //!< ps for each segment that is not aligned, besides
    RnicTime stateFetch{0};      //!< ps for a fetch of MPA state
    RnicTime partialCrc{0};      //!< ps for a partial CRC fetched or stored
    RnicTime markerSearch{0};    //!< ps for a search of an FPDU by a Marker

    RnicServerConfig txSchedule; //!< a segment is chosen to be sent
    RnicServerConfig txBuild;    //!< segmentation and headers
    RnicServerConfig txCrc;      //!< CRC32c
    RnicServerConfig txMac;      //!< frames go out
    RnicTime txFlow{0};          //!< ps between two segments of a connection with payload, at least

    RnicHostConfig host;               //!< host interface
    RnicMemoryConfig memory;           //!< reassembly memory
    RnicCpuConfig cpu;                 //!< the CPUs of a HOST_SOFTWARE receiver
    uint64_t packetBuffer{UINT64_MAX}; //!< octets of frames on their way in
    uint32_t contextEntries{0};        //!< connections that the cache holds; 0 for all
    uint32_t contextSize{375};         //!< octets of a connection's context
    uint32_t translationEntries{0};    //!< entries of the translation cache; 0 for all
    uint32_t translationSize{64};      //!< octets of a translation and protection entry
    RnicReplacement replacement{RnicReplacement::LRU}; //!< of both caches

    /// @return what is wrong with the figures, for people; empty if nothing
    std::string Check() const;

    /// @return true if nothing takes time and nothing has a limit
    bool IsIdeal() const;
};

} // namespace ns3

#endif // RNIC_CONFIG_H
