/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RECORD_SEGMENT_REPORT_H
#define RECORD_SEGMENT_REPORT_H

#include <cstdint>

namespace ns3
{

/// @ingroup iwarp-record
/// @brief What one received segment meant to the receiver of its records, for traces, counters and
/// hardware timing (RFC 5044 B.2.1). A record is passed once its payload may be placed.
struct RecordSegmentReport
{
    bool inOrder{false};           //!< its first new octet was at the left edge
    bool aligned{false};           //!< it was found to hold whole records only, and all were passed
    bool duplicate{false};         //!< nothing new in it
    bool dropped{false};           //!< the caller must drop it: TCP is to see it as lost
    bool memoryFull{false};        //!< dropped since the reassembly memory is full
    uint32_t whole{0};             //!< if so, octets at its beginning that may be taken: they end
                                   //!< a record in order, behind which memory would be needed
    uint32_t passed{0};            //!< records passed on this segment's arrival
    uint32_t passedOutOfOrder{0};  //!< of these, out of order
    uint32_t stored{0};            //!< octets of it put into the reassembly memory
    uint64_t crcOctets{0};         //!< octets that went through the CRC, the CRC fields' own among
                                   //!< them; octets held out of order go through it twice
    uint64_t cipherOctets{0};      //!< octets that went through a cipher
    uint64_t placedAhead{0};       //!< octets of payload that hardware had placed before
    uint32_t crcRuns{0};           //!< CRC computations begun or resumed
    uint32_t partialCrcFetches{0}; //!< CRC computations resumed from stored state
    uint32_t partialCrcStores{0};  //!< unfinished CRC computations put by
    uint32_t stateFetches{0};      //!< state read to find the first record boundary
    uint32_t copies{0};            //!< copy commands to the host, each with its address computation
    uint32_t markerSearches{0};    //!< times a mark in the stream served to find a record
    uint32_t records{0};           //!< notes that the receiver keeps of segments and records
};

} // namespace ns3

#endif // RECORD_SEGMENT_REPORT_H
