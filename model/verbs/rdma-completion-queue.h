/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_COMPLETION_QUEUE_H
#define RDMA_COMPLETION_QUEUE_H

#include "rdma-types.h"

#include "ns3/callback.h"
#include "ns3/event-id.h"
#include "ns3/object.h"
#include "ns3/traced-callback.h"
#include "ns3/traced-value.h"

#include <boost/circular_buffer.hpp>
#include <boost/container/flat_map.hpp>
#include <vector>

namespace ns3
{

/**
 * @ingroup iwarp-verbs
 * @brief A completion queue (ibv_cq): poll it, or ask to be told of the next completion.
 *
 * It holds as many completions as it was created for. One more is lost and puts the queue, and
 * with it each queue pair that uses it, in error, as hardware does.
 */
class RdmaCompletionQueue : public Object
{
  public:
    /// Called once for each RequestNotify(), never from within a call of the application.
    using NotifyCallback = Callback<void, Ptr<RdmaCompletionQueue>>;

    /// Who uses the queue.
    class User
    {
      public:
        virtual ~User() = default;
        virtual void HandleOverflow() = 0; //!< The queue has overflowed
        /// The application has taken a completion. @param slots of the user's send queue that are
        /// free by that, at least 1
        virtual void HandlePolled(uint32_t slots) = 0;
    };

    /// Signature of Completion. @param completion what was queued
    typedef void (*CompletionTracedCallback)(const RdmaCompletion& completion);

    static TypeId GetTypeId(); //!< Get the type ID. @return the object TypeId
    RdmaCompletionQueue();
    ~RdmaCompletionQueue() override;

    /**
     * @brief Take completions, oldest first.
     * @param most most completions to take
     * @param completions receives them, replacing what it held
     * @return their number; -EIO after an overflow, once what was queued before has been taken
     */
    int Poll(uint32_t most, std::vector<RdmaCompletion>& completions);

    /**
     * @brief Take one completion.
     * @param completion receives it
     * @return 1, 0 if there is none, or -EIO as the other Poll()
     */
    int Poll(RdmaCompletion& completion);

    /**
     * @brief Ask to be told of the next completion that is queued (ibv_req_notify_cq).
     * @param solicitedOnly only of one that the peer solicited, or that failed
     */
    void RequestNotify(bool solicitedOnly = false);

    /// Set who is told of completions. @param callback called once for each RequestNotify(); null
    /// for nobody
    void SetNotifyCallback(NotifyCallback callback);

    uint32_t GetCapacity() const; //!< Tell the size of the queue. @return completions that it holds
    uint32_t GetSize() const;     //!< Count what waits for Poll(). @return completions in it
    /// Ask whether a completion was lost. @return true after an overflow
    bool HasOverflowed() const;

    /**
     * @brief Grow or shrink (ibv_resize_cq).
     * @param capacity completions to hold
     * @return 0; EINVAL if it is 0 or less than are in it now
     */
    int Resize(uint32_t capacity);

    /**
     * @brief For queue pairs: queue a completion.
     * @param completion the completion
     * @param solicited the peer asked for an event
     * @param slots of a send queue that are free once the completion has been taken
     */
    void Push(const RdmaCompletion& completion, bool solicited, uint32_t slots);

    /**
     * @brief For queue pairs: use the queue, and be told of an overflow.
     * @param user the queue pair's number
     * @param listener told once, when it happens
     */
    void Attach(uint32_t user, User* listener);

    void Detach(uint32_t user); //!< For queue pairs: stop using it. @param user number
    uint32_t GetUsers() const;  //!< Count its users. @return queue pairs, twice if for both halves

  protected:
    void DoDispose() override;

  private:
    /// A completion in the queue.
    struct Entry : RdmaCompletion
    {
        uint32_t slots; //!< of a send queue that are free once it has been taken
    };

    void Notify();                        //!< tell the application
    void Pop(RdmaCompletion& completion); //!< @param completion receives the oldest

    boost::circular_buffer<Entry> m_queue; //!< completions
    bool m_armed{false};                   //!< the next completion is to be told of
    bool m_solicitedOnly{false};           //!< but only if it is solicited or failed
    bool m_overflowed{false};              //!< a completion was lost
    EventId m_notify;                      //!< about to tell
    NotifyCallback m_callback;             //!< told of completions
    boost::container::flat_multimap<uint32_t, User*> m_users; //!< told of an overflow, by number
    TracedCallback<const RdmaCompletion&> m_trace;            //!< Completion
    TracedValue<uint32_t> m_size{0};                          //!< completions in it
};

} // namespace ns3

#endif // RDMA_COMPLETION_QUEUE_H
