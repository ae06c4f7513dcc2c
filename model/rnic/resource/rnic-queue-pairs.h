/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RNIC_QUEUE_PAIRS_H
#define RNIC_QUEUE_PAIRS_H

#include "rnic-link.h"

#include "ns3/rnic-part.h"

#include <cstdint>
#include <string>

namespace ns3
{

class RnicHostInterface;

/**
 * @ingroup iwarp-rnic
 * @brief What an RNIC does for each message, however messages are packed into segments: work queue
 * elements are fetched, and messages begun. What opens and closes memory is done here, too.
 *
 * All queue pairs share what begins messages; a queue pair begins one at a time. So rates are at
 * most 1 / TimePerMessage for the RNIC, 1 / (TimePerMessage + Latency) for a queue pair, and
 * Prefetch elements in the time of a read for a queue pair, too.
 */
class RnicQueuePairs : public RnicPart
{
  public:
    static TypeId GetTypeId(); //!< Get the type ID. @return the object TypeId
    RnicQueuePairs();
    ~RnicQueuePairs() override;

    std::string Check() const override;
    bool IsIdeal() const override;
    void Bind(const RnicDatapath& path) override;

    /// Tell how many there are. @return queue pairs at most; 0 for no limit
    uint32_t GetMax() const;

    /// Tell how many messages can begin. @return 1/s; infinity if that has no limit
    double GetMessageRate() const;

    /**
     * @brief A CPU rings the doorbell for work requests that it has posted together.
     *
     * If the queue was empty the RNIC fetches the work queue elements; one alone may come along.
     * @param now ps, the clock
     * @param queue the queue pair's send queue
     * @param count work requests, at least 1
     * @param payload octets that they send
     * @param inlined the payload is in the elements
     * @param waiting work requests in front of them that have not begun
     * @return true if the payload comes with the doorbell or the elements
     */
    bool Ring(RnicTime now,
              RnicWorkQueue& queue,
              uint32_t count,
              uint64_t payload,
              bool inlined,
              uint32_t waiting);

    /**
     * @brief A queue pair begins a message, after the one before.
     * @param now ps, the clock
     * @param queue the queue pair's send queue
     * @param waiting work requests that have not begun, that of the message among them; 0 if the
     *        message has none of its own
     * @return ps, when its first segment can be made
     */
    RnicTime Begin(RnicTime now, RnicWorkQueue& queue, uint32_t waiting);

    /**
     * @brief A queue pair does a work request that opens or closes memory, after the one before.
     * @param now ps, the clock
     * @param queue the queue pair's send queue
     * @param waiting as for Begin()
     * @param pages that it registers
     * @return ps, when it is done
     */
    RnicTime BeginLocal(RnicTime now, RnicWorkQueue& queue, uint32_t waiting, uint32_t pages);

    /**
     * @brief Invalidate an STag besides, as a Read or a message says.
     * @param now ps, the clock
     * @param arrival ps, when all else is done
     * @return ps, when it is done
     */
    RnicTime Invalidate(RnicTime now, RnicTime arrival);

    /**
     * @brief A message takes a posted receive.
     * @param now ps, the clock
     * @param arrival ps, when the receive is needed
     * @param queue the queue pair's receive queue
     * @return ps, when it is there
     */
    RnicTime Receive(RnicTime now, RnicTime arrival, RnicWorkQueue& queue);

  private:
    /// Fetch elements ahead. @param now ps, the clock @param arrival ps, when that is wanted
    /// @param queue the queue @param elements that are there to be fetched
    void FetchAhead(RnicTime now, RnicTime arrival, RnicWorkQueue& queue, uint32_t elements);
    /// Take an element off a queue, and fetch those behind it ahead.
    /// @param now ps, the clock @param arrival ps, when it is needed @param queue the queue
    /// @param waiting elements that are there to be fetched, this one among them
    /// @return ps, when it is there
    RnicTime Claim(RnicTime now, RnicTime arrival, RnicWorkQueue& queue, uint32_t waiting);

    uint32_t m_max{0};             //!< see Max
    uint32_t m_prefetch{1};        //!< see Prefetch
    RnicTime m_timePerMessage{0};  //!< see TimePerMessage
    RnicTime m_latency{0};         //!< see Latency
    RnicTime m_timePerChange{0};   //!< see TimePerMemoryChange
    RnicTime m_timePerPage{0};     //!< see TimePerPage
    Ptr<RnicHostInterface> m_host; //!< where elements come from
    RnicLink m_engine;             //!< what begins messages
};

} // namespace ns3

#endif // RNIC_QUEUE_PAIRS_H
