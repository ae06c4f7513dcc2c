/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RNIC_HOST_INTERFACE_H
#define RNIC_HOST_INTERFACE_H

#include "rnic-part.h"

#include "ns3/rnic-link.h"
#include "ns3/rnic-tags.h"

#include <cstdint>
#include <deque>
#include <string>

namespace ns3
{

/// @ingroup iwarp-rnic
/// @brief How the host learns of completions.
enum class RnicNotify : uint8_t
{
    POLLING,   //!< a CPU looks at the completion queue all the time
    INTERRUPT, //!< interrupts, no more often than the moderation allows
};

/**
 * @ingroup iwarp-rnic
 * @brief The way between RNIC and host memory (PCI Express), in closed form.
 *
 * Reads are cut into requests that need a tag each until their data is in; data of reads shares the
 * direction from the host with doorbells, writes share the other with read requests. All methods
 * take the clock, which never goes back, and a time from then on at which the thing is wanted.
 */
class RnicHostInterface : public RnicPart
{
  public:
    static TypeId GetTypeId(); //!< Get the type ID. @return the object TypeId

    std::string Check() const override;
    bool IsIdeal() const override;

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

    /// Tell when what was written is visible to the host.
    /// @param written ps, as Write() returned @return ps, when a CPU sees it
    RnicTime GetVisible(RnicTime written) const;

    /// A CPU rings a doorbell. @param now ps, the clock @param arrival ps, when it does
    /// @return ps, when the RNIC knows
    RnicTime Ring(RnicTime now, RnicTime arrival);

    /// Fetch work queue elements. @param now ps, the clock @param arrival ps, when that is wanted
    /// @param count how many @param payload octets in them @return ps, when they are there
    RnicTime Fetch(RnicTime now, RnicTime arrival, uint32_t count, uint64_t payload);

    /**
     * @brief A work request is posted, to a queue that is empty: doorbell and WQE.
     *
     * Payload up to the inline limit comes with the doorbell, and so does the WQE then. Otherwise
     * the RNIC reads the WQE, and payload that is in it; other payload is read by Read() as it is
     * sent.
     * @param now ps, the clock
     * @param arrival ps, when the CPU rings
     * @param payload octets of the work request
     * @param inlined the payload is in the WQE
     * @return ps, when the RNIC can begin with it
     */
    RnicTime Post(RnicTime now, RnicTime arrival, uint64_t payload, bool inlined);

    /// Tell whether a work request's payload needs no read of host memory.
    /// @param payload octets @return true if they come with the doorbell
    bool IsInline(uint64_t payload) const;

    /// Tell how long a read waits for its first octet, if nothing is in its way. @return ps
    RnicTime GetReadLatency() const;

    /// Tell how long a polling program takes to notice.
    /// @return ps from sight of data in host memory to the program
    RnicTime GetPollTime() const;

    /**
     * @brief Tell the host of a completion.
     * @param now ps, the clock
     * @param arrival ps, when the work is complete, all its data written
     * @return ps, when the application knows
     */
    RnicTime Complete(RnicTime now, RnicTime arrival);

    /// Tell what full packets of the bus leave to data. @param toHost which way @return bit/s;
    /// infinity if it has no limit
    double GetDataRate(bool toHost) const;

    /// Count read requests on the bus. @return those made so far
    uint64_t GetReadRequests() const;
    /// Count reads of host memory. @return reads, of one request or more each
    uint64_t GetReads() const;
    /// Count doorbells. @return those that CPUs rang
    uint64_t GetDoorbells() const;
    /// Count interrupts. @return those raised or pending
    uint64_t GetInterrupts() const;
    /// Count completions. @return those told to the host
    uint64_t GetCompletions() const;
    /// Sum up waits for read tags. @return ps, all read requests together
    RnicTime GetTagWait() const;
    /// Get the bus that writes take. @return direction towards the host
    const RnicLink& GetToHost() const;
    /// Get the bus that data of reads takes. @return direction from the host
    const RnicLink& GetFromHost() const;

  protected:
    void DoInitialize() override;

  private:
    /// @param now ps, the clock @param arrival ps, when a CPU rings @param octets that it writes
    /// @return ps, when the RNIC knows
    RnicTime Ring(RnicTime now, RnicTime arrival, uint64_t octets);
    /// @param octets of data @return with the headers of its packets
    uint64_t OnWire(uint64_t octets) const;
    /// @param now ps, the clock @param seen ps, when a completion could be seen
    /// @return ps, when there is an interrupt for it
    RnicTime Interrupt(RnicTime now, RnicTime seen);

    uint64_t m_writeRate{0};                  //!< see WriteRate
    uint64_t m_readRate{0};                   //!< see ReadRate
    uint32_t m_header{0};                     //!< see Header
    uint32_t m_maxPayload{256};               //!< see MaxPayload
    uint32_t m_maxReadRequest{512};           //!< see MaxReadRequest
    uint32_t m_readTags{64};                  //!< see ReadTags
    RnicTime m_readLatency{0};                //!< see ReadLatency
    RnicTime m_writeLatency{0};               //!< see WriteLatency
    RnicTime m_doorbellLatency{0};            //!< see DoorbellLatency
    uint32_t m_doorbellSize{8};               //!< see DoorbellSize
    uint32_t m_wqeSize{64};                   //!< see WqeSize
    uint32_t m_cqeSize{64};                   //!< see CqeSize
    uint32_t m_inlineLimit{0};                //!< see InlineLimit
    RnicNotify m_notify{RnicNotify::POLLING}; //!< see Notify
    RnicTime m_pollTime{0};                   //!< see PollTime
    RnicTime m_interruptTime{0};              //!< see InterruptTime
    RnicTime m_moderation{0};                 //!< see InterruptModeration

    RnicLink m_toHost;             //!< direction towards the host
    RnicLink m_fromHost;           //!< direction from the host
    RnicTags m_tags;               //!< of read requests
    std::deque<RnicTime> m_raised; //!< ps, of the last interrupt and of those to come, in order
    uint64_t m_readRequests{0};    //!< requests
    uint64_t m_reads{0};           //!< reads
    uint64_t m_doorbells{0};       //!< doorbells
    uint64_t m_interrupts{0};      //!< interrupts
    uint64_t m_completions{0};     //!< completions
    RnicTime m_tagWait{0};         //!< ps
};

} // namespace ns3

#endif // RNIC_HOST_INTERFACE_H
