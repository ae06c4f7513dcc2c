/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_SHARED_RECEIVE_QUEUE_H
#define RDMA_SHARED_RECEIVE_QUEUE_H

#include "rdma-types.h"

#include "ns3/ddp-receive-queue.h"
#include "ns3/object.h"
#include "ns3/traced-value.h"

#include <boost/circular_buffer.hpp>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace ns3
{

class RdmaProtectionDomain;

/**
 * @ingroup iwarp-verbs
 * @brief A shared receive queue (ibv_srq): receive buffers for several queue pairs. Made by
 * RdmaProtectionDomain::CreateSrq().
 *
 * Events tell of a queue that runs low and of a queue pair that holds more than its share, so that
 * a greedy peer can be found (RFC 5041 section 8.3.2).
 */
class RdmaSharedReceiveQueue : public Object, public DdpBufferSource
{
  public:
    static TypeId GetTypeId(); //!< Get the type ID. @return the object TypeId
    RdmaSharedReceiveQueue();
    ~RdmaSharedReceiveQueue() override;

    /**
     * @brief Post a buffer (ibv_post_srq_recv).
     * @param request the buffer
     * @return 0; EINVAL if it has too many SGEs or the queue is over; ENOMEM if it is full
     */
    int PostReceive(const RdmaReceiveRequest& request);

    /**
     * @brief Post several buffers.
     * @param requests the buffers
     * @param[out] bad place in @p requests of the first that is refused: those before it are
     *             posted; the length of @p requests if all are
     * @return 0; what the first that is refused is refused with
     */
    int PostReceive(const std::vector<RdmaReceiveRequest>& requests, std::size_t& bad);

    /**
     * @brief Ask for an SRQ_LIMIT event once fewer buffers than this are left (ibv_modify_srq).
     * @param limit buffers, 0 for no event
     * @return 0; EINVAL if it is more than the queue takes
     */
    int SetLimit(uint32_t limit);

    /**
     * @brief Ask for an SRQ_UNFAIR event once one queue pair holds more buffers than this.
     * @param share buffers, 0 for no event
     */
    void SetFairShare(uint32_t share);
    /// Tell what SetFairShare() set. @return buffers; 0 for no event
    uint32_t GetFairShare() const;

    uint32_t GetAvailable() const override; //!< Count what can be taken. @return buffers in it
    /// Tell the size of the queue. @return buffers that it takes
    uint32_t GetCapacity() const;

    /**
     * @brief End it (ibv_destroy_srq).
     * @return 0; EBUSY while a queue pair uses it; EINVAL if it is over
     */
    int Destroy();

    // for the other verbs objects
    /// Set up a new queue, once. @param domain its protection domain @param maxWr most buffers
    /// @param maxSge most SGEs of a buffer
    void Setup(Ptr<RdmaProtectionDomain> domain, uint32_t maxWr, uint32_t maxSge);
    /// Ask whose it is. @param domain any domain @return true if the queue is of that one
    bool IsOf(const RdmaProtectionDomain* domain) const;
    bool Pop(DdpBuffer& buffer) override;
    void Attach(); //!< a queue pair uses it
    void Detach(); //!< a queue pair has stopped using it

  protected:
    void DoDispose() override;

  private:
    Ptr<RdmaProtectionDomain> m_domain;        //!< its protection domain, nullptr once over
    boost::circular_buffer<DdpBuffer> m_queue; //!< buffers
    uint32_t m_maxSge{1};                      //!< most SGEs of a buffer
    uint32_t m_limit{0};                       //!< event below this, once
    uint32_t m_share{0};                       //!< event above this
    uint32_t m_users{0};                       //!< queue pairs
    TracedValue<uint32_t> m_available{0};      //!< buffers, as the trace tells
};

} // namespace ns3

#endif // RDMA_SHARED_RECEIVE_QUEUE_H
