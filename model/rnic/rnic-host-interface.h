/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RNIC_HOST_INTERFACE_H
#define RNIC_HOST_INTERFACE_H

#include "rnic-link.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

/// @ingroup iwarp-rnic
/// @brief How the host learns of completions.
enum class RnicNotify : uint8_t
{
    POLLING,   //!< a CPU looks at the completion queue all the time
    INTERRUPT, //!< interrupts, no more often than the moderation allows
};

/// @ingroup iwarp-rnic
/// @brief Figures of the host interface (PCI Express). The default takes no time.
struct RnicHostConfig
{
    uint64_t toHostRate{RnicRate::NO_LIMIT};   //!< bit/s towards the host, headers included
    uint64_t fromHostRate{RnicRate::NO_LIMIT}; //!< bit/s from the host, headers included
    uint32_t header{0};                        //!< octets around each transaction layer packet
    uint32_t maxPayload{256};                  //!< octets of data in a packet at most
    uint32_t maxReadRequest{512};              //!< octets that a read request asks for at most
    uint32_t tags{64};                         //!< read requests in flight at most
    RnicTime readLatency{0};     //!< ps from a read request to the first octet of its data
    RnicTime writeLatency{0};    //!< ps from a write to its sight by the CPU
    RnicTime doorbellLatency{0}; //!< ps from a CPU's write to its sight by the RNIC
    uint32_t doorbell{8};        //!< octets of a doorbell
    uint32_t wqe{64};            //!< octets of a work queue element
    uint32_t cqe{64};            //!< octets of a completion queue element
    uint32_t inlineLimit{0};     //!< octets of payload that the doorbell may bring along
    RnicNotify notify{RnicNotify::POLLING}; //!< how the host learns of completions
    RnicTime pollTime{0};      //!< ps from sight of a CQE to the application, when polling
    RnicTime interruptTime{0}; //!< ps from an interrupt to the application
    RnicTime moderation{0};    //!< ps between interrupts at least

    /// @return what is wrong with the figures, for people; empty if nothing
    std::string Check() const;
};

/**
 * @ingroup iwarp-rnic
 * @brief The way between RNIC and host memory, in closed form.
 *
 * Reads are cut into requests that need a tag each until their data is in; data of reads shares the
 * direction from the host with doorbells, writes share the other with read requests. All methods
 * take the clock, which never goes back, and a time from then on at which the thing is wanted.
 */
class RnicHostInterface
{
  public:
    /// @param config figures; NS_ABORT with a message if Check() finds fault
    explicit RnicHostInterface(const RnicHostConfig& config = {});

    /**
     * @brief Read host memory.
     * @param now ps, the clock
     * @param arrival ps, when the read is wanted
     * @param octets how many; 0 takes no time
     * @return ps, when the last octet is in
     */
    RnicTime Read(RnicTime now, RnicTime arrival, uint64_t octets);

    /**
     * @brief Write to host memory.
     * @param now ps, the clock
     * @param arrival ps, when the octets are there to be written
     * @param octets how many; 0 takes no time
     * @return ps, when the last octet has left the RNIC, whose buffer is free then
     */
    RnicTime Write(RnicTime now, RnicTime arrival, uint64_t octets);

    /// @param written ps, as Write() returned @return ps, when a CPU sees it
    RnicTime GetVisible(RnicTime written) const;

    /**
     * @brief A work request is posted, to a queue that is empty: doorbell and WQE.
     *
     * Payload up to the inline limit comes with the doorbell, and so does the WQE then. Otherwise
     * the RNIC reads the WQE; payload is read by Read() as it is sent.
     * @param now ps, the clock
     * @param arrival ps, when the CPU rings
     * @param payload octets of the work request
     * @return ps, when the RNIC can begin with it
     */
    RnicTime Post(RnicTime now, RnicTime arrival, uint64_t payload);

    /// @param payload octets @return true if they come with the doorbell
    bool IsInline(uint64_t payload) const;

    /**
     * @brief Tell the host of a completion.
     * @param now ps, the clock
     * @param arrival ps, when the work is complete, all its data written
     * @return ps, when the application knows
     */
    RnicTime Complete(RnicTime now, RnicTime arrival);

    uint64_t GetReadRequests() const;    //!< @return read requests made
    uint64_t GetReads() const;           //!< @return reads
    uint64_t GetWrites() const;          //!< @return writes, CQEs among them
    uint64_t GetDoorbells() const;       //!< @return doorbells
    uint64_t GetInterrupts() const;      //!< @return interrupts
    uint64_t GetCompletions() const;     //!< @return completions
    RnicTime GetTagWait() const;         //!< @return ps that read requests waited for a tag, summed
    const RnicLink& GetToHost() const;   //!< @return direction towards the host
    const RnicLink& GetFromHost() const; //!< @return direction from the host
    const RnicHostConfig& GetConfig() const; //!< @return figures

  private:
    /// @param octets of data @return with the headers of its packets
    uint64_t OnWire(uint64_t octets) const;

    RnicHostConfig m_config;      //!< figures
    RnicLink m_toHost;            //!< direction towards the host
    RnicLink m_fromHost;          //!< direction from the host
    std::vector<RnicTime> m_tags; //!< when each tag is free: a heap, the earliest first
    RnicTime m_nextInterrupt{0};  //!< ps, before which there is none
    RnicTime m_lastInterrupt{-1}; //!< ps, of the last or the pending one
    uint64_t m_readRequests{0};   //!< requests
    uint64_t m_reads{0};          //!< reads
    uint64_t m_writes{0};         //!< writes
    uint64_t m_doorbells{0};      //!< doorbells
    uint64_t m_interrupts{0};     //!< interrupts
    uint64_t m_completions{0};    //!< completions
    RnicTime m_tagWait{0};        //!< ps
};

} // namespace ns3

#endif // RNIC_HOST_INTERFACE_H
