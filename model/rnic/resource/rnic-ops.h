/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RNIC_OPS_H
#define RNIC_OPS_H

#include "ns3/record-placement.h"

#include <cstdint>
#include <functional>
#include <ostream>

namespace ns3
{

struct RecordSegmentReport;

/**
 * @ingroup iwarp-rnic
 * @brief Operations of a receiver: the steps of RFC 5044 section B.2.1.
 */
struct RnicOps
{
    uint64_t linkCrc{0};            //!< CRCs of a frame
    uint64_t ip{0};                 //!< IP headers processed
    uint64_t tcpChecksum{0};        //!< TCP checksums
    uint64_t classify{0};           //!< classifications by 5-tuple
    uint64_t alignCheck{0};         //!< checks whether a segment is aligned
    uint64_t stateFetch{0};         //!< fetches of MPA state to find an FPDU's end
    uint64_t markerSearch{0};       //!< searches of an FPDU by a Marker
    uint64_t lengthRead{0};         //!< ULPDU_Length fields read of FPDUs that were passed
    uint64_t partialCrcFetch{0};    //!< partial CRCs fetched
    uint64_t partialCrcStore{0};    //!< partial CRCs stored, with the place of the octets
    uint64_t crcRun{0};             //!< CRC computations begun or resumed
    uint64_t crcCheck{0};           //!< CRCs compared
    uint64_t crcOctets{0};          //!< octets through the CRC
    uint64_t cipherOctets{0};       //!< octets through a cipher
    uint64_t placedAhead{0};        //!< octets of payload placed before TCP had them
    uint64_t addressComputation{0}; //!< host addresses computed
    uint64_t copy{0};               //!< commands that move data to the host
    uint64_t localStore{0};         //!< octets put into local memory
    uint64_t localLoad{0};          //!< octets read from there again, as their FPDUs were passed
    uint64_t slowPath{0};           //!< segments that took the algorithm for lost alignment

    /// Add the operations of other segments, count by count. @param other to be added
    /// @return the sum
    RnicOps& operator+=(const RnicOps& other);

    /// Go through all counts, such as to print them.
    /// @param visit called for each count, with its name in snake_case
    void ForEach(const std::function<void(const char* name, uint64_t count)>& visit) const;
};

/**
 * @ingroup iwarp-rnic
 * @brief What a receiver did for a segment with payload.
 * @param report what the segment meant to MPA
 * @param placements where the ULPDUs go that were passed on its arrival
 * @return the operations
 */
RnicOps CountOps(const RecordSegmentReport& report, const RecordPlacementList& placements = {});

/// @ingroup iwarp-rnic
/// @brief Print operations on one line.
/// @param os stream @param ops operations @return the stream, with name=number pairs
std::ostream& operator<<(std::ostream& os, const RnicOps& ops);

} // namespace ns3

#endif // RNIC_OPS_H
