/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_DEVICE_H
#define RDMA_DEVICE_H

#include "rdma-completion-queue.h"
#include "rdma-types.h"

#include "ns3/callback.h"
#include "ns3/ddp-stag-table.h"
#include "ns3/object.h"
#include "ns3/rdmap-terminate.h"
#include "ns3/traced-callback.h"

#include <array>
#include <boost/container/flat_set.hpp>
#include <cstdint>
#include <memory>
#include <vector>

namespace ns3
{

class Node;
class RdmaConnection;
class RdmaProtectionDomain;
class UniformRandomVariable;

/// @ingroup iwarp-verbs
/// @brief Kinds of resources that a device counts.
enum class RdmaResource : uint8_t
{
    PROTECTION_DOMAIN,
    COMPLETION_QUEUE,
    MEMORY_REGION,
    MEMORY_WINDOW,
    QUEUE_PAIR,
    SHARED_RECEIVE_QUEUE,
};

/**
 * @ingroup iwarp-verbs
 * @brief An RDMA device of a node (ibv_context): limits, STags, protection domains, completion
 * queues.
 *
 * It is also the Privileged Resource Manager of RFC 5041 section 8.3: whatever is scarce is
 * obtained through it and within its limits, and what one protection domain holds is closed to
 * all others. Aggregate one to a node.
 *
 * Calls that fail return nullptr or an error number of errno.h, as libibverbs does, and
 * GetErrno() keeps the last; nothing that an application does ends the simulation.
 */
class RdmaDevice : public Object
{
  public:
    /// Asynchronous events. @param event what @param number of the queue pair, or 0
    using EventCallback = Callback<void, RdmaEvent, uint32_t>;

    /// Signature of Terminate. @param number of the queue pair @param terminate what it says
    /// @param byPeer it was received
    typedef void (*TerminateTracedCallback)(uint32_t number,
                                            const RdmapTerminate& terminate,
                                            bool byPeer);

    /// Signature of Refused. @param resource kind of what there is no more of @param limit how many
    /// are in use, which is all
    typedef void (*RefusedTracedCallback)(RdmaResource resource, uint32_t limit);

    /// Signature of Backlog. @param listener who listens @param waiting its connections without a
    /// Request
    typedef void (*BacklogTracedCallback)(Ptr<const RdmaConnection> listener, uint16_t waiting);

    static TypeId GetTypeId(); //!< Get the type ID. @return the object TypeId
    RdmaDevice();
    ~RdmaDevice() override;

    /**
     * @brief Find the device of a node, or give it one.
     * @param node any node
     * @return the node's device; a new one with default attributes if it has none
     */
    static Ptr<RdmaDevice> Get(Ptr<Node> node);

    /**
     * @brief Fix the random stream that STags are drawn from, so that each run draws the same.
     * @param stream stream number
     * @return number of streams used, 1
     */
    int64_t AssignStreams(int64_t stream);

    /**
     * @brief Allocate a protection domain (ibv_alloc_pd).
     * @return it; nullptr with ENOMEM if there are MaxPd
     */
    Ptr<RdmaProtectionDomain> AllocPd();

    /**
     * @brief Create a completion queue (ibv_create_cq).
     * @param capacity completions that it holds, 1 to MaxCqe
     * @return it; nullptr with EINVAL for another capacity, ENOMEM if there are MaxCq
     */
    Ptr<RdmaCompletionQueue> CreateCq(uint32_t capacity);

    /**
     * @brief Give a completion queue back (ibv_destroy_cq).
     * @param cq the queue
     * @return 0; EBUSY while a queue pair uses it; EINVAL if it is not this device's
     */
    int DestroyCq(Ptr<RdmaCompletionQueue> cq);

    /// Set who is told of asynchronous events. @param callback called with each event; null for
    /// nobody
    void SetEventCallback(EventCallback callback);
    /// Say why a call failed. @return error number of the last call that did
    int GetErrno() const;

    /// Tell a limit of queue pairs. @return most work requests in a queue
    uint32_t GetMaxQpWr() const;
    /// Tell a limit of work requests. @return most SGEs of one
    uint32_t GetMaxSge() const;
    /// Tell a limit of RDMA_SEND_INLINE. @return most octets of a work request
    uint32_t GetMaxInline() const;
    /// Tell a limit of reads and atomics. @return largest IRD and ORD
    uint32_t GetMaxReadAtomic() const;
    /// Tell a limit of fast registrations. @return most pages of one
    uint32_t GetMaxFastRegPages() const;
    /// Tell a limit of shared receive queues. @return most buffers in one
    uint32_t GetMaxSrqWr() const;
    /// Ask whether atomics and Immediate Data are there. @return true if RFC 7306 is supported
    bool HasExtensions() const;
    /// Tell how Terminates are written and read. @return their layout
    RdmapTerminateForm GetTerminateForm() const;
    /// Tell how far out of order the response to a Read may be. @return runs of octets
    uint32_t GetMaxReadRuns() const;

    /// Say how many queue pairs hardware has: a limit besides MaxQp. @param most of them; 0 for no
    /// limit
    void SetQueuePairs(uint32_t most);
    /// Tell a limit of queue pairs. @return most of them at a time
    uint32_t GetMaxQp() const;

    /// Count resources. @param resource kind @return how many are in use
    uint32_t GetInUse(RdmaResource resource) const;

    // for the other verbs objects
    /// Get the table of all memory that is open. @return STags of the node
    DdpStagTable& GetTable();
    uint32_t NextNumber(); //!< Give a new object its number. @return a number, never 0
    /// Count a resource as in use. @param resource kind to take one of @return false, with ENOMEM,
    /// if all are in use
    bool Claim(RdmaResource resource);
    /// Count a resource as free again. @param resource kind to give one back of
    void Release(RdmaResource resource);
    int Fail(int error); //!< note an error @param error number @return it
    /// Tell of an event. @param event what @param number queue pair, or 0
    void Raise(RdmaEvent event, uint32_t number);
    /// Tell the world of a Terminate. @param number of the queue pair @param terminate what it says
    /// @param byPeer it was received
    void TraceTerminate(uint32_t number, const RdmapTerminate& terminate, bool byPeer);
    /// Tell the world of a listener's connections. @param listener who @param waiting how many of
    /// them are without a Request
    void TraceBacklog(Ptr<const RdmaConnection> listener, uint16_t waiting);
    /// Note a connection to dispose of with the device. @param connection it
    void Keep(RdmaConnection* connection);
    /// Stop keeping a connection. @param connection not to dispose of any more
    void Unregister(RdmaConnection* connection);

  protected:
    void DoDispose() override;

  private:
    static constexpr std::size_t KINDS = 6; //!< kinds of resources

    uint32_t m_maxPd{0};                            //!< most protection domains
    uint32_t m_maxCq{0};                            //!< most completion queues
    uint32_t m_maxCqe{0};                           //!< most completions in a queue
    uint32_t m_maxMr{0};                            //!< most memory regions
    uint32_t m_maxMw{0};                            //!< most memory windows
    uint32_t m_maxQp{0};                            //!< most queue pairs
    uint32_t m_hardwareQp{0};                       //!< most that hardware has; 0 for no limit
    uint32_t m_maxQpWr{0};                          //!< most work requests in a queue
    uint32_t m_maxSge{0};                           //!< most SGEs of a work request
    uint32_t m_maxInline{0};                        //!< most octets of inline data
    uint32_t m_maxReadAtomic{0};                    //!< largest IRD and ORD
    uint32_t m_maxReadRuns{0};                      //!< runs of a Read's octets
    uint32_t m_maxFastRegPages{0};                  //!< most pages of a fast registration
    uint32_t m_maxSrq{0};                           //!< most shared receive queues
    uint32_t m_maxSrqWr{0};                         //!< most buffers in one of them
    bool m_extensions{true};                        //!< RFC 7306 is supported
    bool m_mirroredTerminate{false};                //!< Terminates as soft-iWARP sends them
    Ptr<UniformRandomVariable> m_random;            //!< where STags come from
    std::unique_ptr<DdpStagTable> m_table;          //!< STags, once one is needed
    std::vector<Ptr<RdmaCompletionQueue>> m_queues; //!< completion queues
    /// Connections to dispose of. Pointers, since a sorted array of Ptr is slow to insert into
    boost::container::flat_set<RdmaConnection*> m_connections;
    std::array<uint32_t, KINDS> m_inUse{}; //!< resources by kind
    uint32_t m_nextNumber{1};              //!< number of the next object
    int m_errno{0};                        //!< error of the last call that failed
    EventCallback m_callback;              //!< told of events
    TracedCallback<uint32_t, const RdmapTerminate&, bool> m_terminateTrace; //!< Terminate
    TracedCallback<RdmaResource, uint32_t> m_refusedTrace;                  //!< Refused
    TracedCallback<Ptr<const RdmaConnection>, uint16_t> m_backlogTrace;     //!< Backlog
};

} // namespace ns3

#endif // RDMA_DEVICE_H
