/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef MPA_STREAM_TRACES_H
#define MPA_STREAM_TRACES_H

#include "mpa-receiver.h"
#include "mpa-startup.h"

#include "ns3/nstime.h"
#include "ns3/record-segment-report.h"
#include "ns3/util-lazy-trace.h"

#include <cstdint>
#include <string>

namespace ns3
{

/// @ingroup iwarp-mpa
/// @brief Why MPA dropped a received segment before TCP kept it.
enum class MpaDropReason : uint8_t
{
    FAULT,       //!< an FPDU in it failed CRC or Marker check and SilentDrop is set
    MEMORY_FULL, //!< the reassembly memory has no room
};

/**
 * @ingroup iwarp-mpa
 * @brief Trace sources of an MpaStream, which its parts fire; its TypeId tells what each means.
 */
struct MpaStreamTraces
{
    LazyTracedValue<MpaStartup::State> state{MpaStartup::State::STREAM}; //!< StartupState
    LazyTracedValue<uint32_t> mulpdu{0};                                 //!< Mulpdu
    LazyTracedValue<uint64_t> held{0};                                   //!< ReassemblyMemory
    LazyTracedCallback<uint32_t, uint32_t, uint32_t> fpduSent;           //!< FpduSent
    LazyTracedCallback<const MpaUlpdu&, Time> passed;                    //!< Passed
    LazyTracedCallback<uint32_t> delivered;                              //!< Delivered
    LazyTracedCallback<uint32_t, uint32_t, const RecordSegmentReport&> segmentReceived;
    //!< SegmentReceived
    LazyTracedCallback<uint32_t, uint32_t, bool, bool> classified; //!< Classified
    LazyTracedCallback<uint32_t, uint32_t, MpaDropReason> dropped; //!< Drop
    LazyTracedCallback<MpaError, const std::string&> error;        //!< Error
};

} // namespace ns3

#endif // MPA_STREAM_TRACES_H
