/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RNIC_SEGMENT_H
#define RNIC_SEGMENT_H

#include "rnic-time.h"

#include "ns3/esp-work.h"
#include "ns3/record-offload.h"
#include "ns3/record-placement.h"
#include "ns3/rnic-ops.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace ns3
{

class RnicPart;

/// @ingroup iwarp-rnic
/// @brief Which elements of a work queue the RNIC has.
struct RnicWorkQueue
{
    RnicTime hereIn{0};  //!< ps, when the elements of the read in use are there
    RnicTime aheadIn{0}; //!< ps, when those of the read behind it are
    uint32_t inlined{0}; //!< octets of payload in elements that are to be read
    uint16_t here{0};    //!< elements of the read in use that are not taken
    uint16_t ahead{0};   //!< elements of the read behind it
};

/// @ingroup iwarp-rnic
/// @brief What the pipelines remember of a connection from one segment to the next.
struct RnicConnectionState
{
    uint64_t key{0};                           //!< unique among the connections of the RNIC
    RnicTime lastIn{0};                        //!< ps, when TCP got its last segment
    RnicTime lastOut{0};                       //!< ps, when its last segment left
    RnicTime lastFetched{0};                   //!< ps, when its last segment that took a turn had
                                               //!< its payload
    RnicWorkQueue sends;                       //!< its send queue
    RnicWorkQueue receives;                    //!< its receive queue
    RecordService service{true, false, false}; //!< what is done for octets of its records
    bool followed{false};                      //!< hardware beside TCP does it, as far as it can
    uint32_t receivesTaken{0}; //!< receives that messages of the next segment to be placed take

    /**
     * @brief What a part of the RNIC remembers of the connection by itself.
     * @tparam T its kind, always the same for one part; begins as T()
     * @param part stage or resource of the RNIC
     * @return it, which stays where it is as long as the connection
     */
    template <typename T>
    T& Of(const RnicPart& part)
    {
        if (!m_own)
        {
            m_own = std::make_unique<std::vector<Own>>();
        }
        for (const Own& own : *m_own)
        {
            if (own.part == &part)
            {
                return *static_cast<T*>(own.state.get());
            }
        }
        m_own->push_back({&part, std::make_shared<T>()});
        return *static_cast<T*>(m_own->back().state.get());
    }

  private:
    /// What one part remembers.
    struct Own
    {
        const RnicPart* part;        //!< who
        std::shared_ptr<void> state; //!< what
    };

    std::unique_ptr<std::vector<Own>> m_own; //!< none before the first Of()
};

/// @ingroup iwarp-rnic
/// @brief What ESP does to a segment on its walk.
struct RnicProtection
{
    EspWork work;      //!< what it needs
    uint32_t frame{0}; //!< octets of the frame behind the stage that does it
    bool on{false};    //!< the segment is protected where it is now
};

/**
 * @ingroup iwarp-rnic
 * @brief A segment on its walk through a pipeline: what it is, and how far in time it has come.
 *
 * Each stage moves @ref time on. A stage that makes the segment longer or shorter on the wire
 * changes @ref frame, so that those behind it work on what is really there.
 */
struct RnicSegment
{
    RnicConnectionState* connection{nullptr}; //!< its connection

    // The clock
    RnicTime now{0};     //!< ps, when the walk began; nothing will be asked for before it
    RnicTime time{0};    //!< ps, when the segment has come as far as it is now
    RnicTime checked{0}; //!< ps, when link, IP and TCP checks were through: a CRC may start then
    RnicTime reading{0}; //!< ps, for which it keeps others from reading host memory, waits
                         //!< for those before it included; less than 0 if it need not read

    // Its sizes, in octets
    uint32_t frame{0};     //!< of the frame; 0 for what is left of one that was counted before
    uint32_t payload{0};   //!< of TCP payload, on its way out
    uint32_t again{0};     //!< of these, octets that were sent before
    uint32_t inlined{0};   //!< of payload, octets that came with a doorbell or a work queue element
    uint32_t worked{0};    //!< of payload, octets of records that an engine beside TCP works on
    uint32_t recovered{0}; //!< in front of it in its record, which that engine reads again
    uint32_t buffered{0};  //!< in the packet buffer until somebody lets them go

    // What its headers say
    uint32_t seq{0};  //!< TCP sequence number
    uint32_t ack{0};  //!< TCP acknowledgment number
    uint8_t flags{0}; //!< TCP flags, ECE and CWR among them (RFC 3168 section 6.1)
    uint8_t ecn{0};   //!< IP's ECN field (RFC 3168 section 5): 3 says that it met congestion

    std::optional<uint32_t> guess; //!< sequence number of which software is asked whether a
                                   //!< record begins there

    RnicProtection* protection{nullptr}; //!< what ESP does to it, if it does

    // What TCP and MPA know of it
    const RnicOps* ops{nullptr};                    //!< what the receiver has to do
    const RecordPlacementList* placements{nullptr}; //!< what goes to the host, or comes from there
    uint64_t placed{0};                             //!< octets of that

    // What comes of it
    RnicTime visible{0}; //!< ps, when the host's CPUs see what was placed
    RnicTime seen{0};    //!< ps, when a program that looks at host memory does
};

} // namespace ns3

#endif // RNIC_SEGMENT_H
