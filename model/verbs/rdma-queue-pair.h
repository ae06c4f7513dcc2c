/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_QUEUE_PAIR_H
#define RDMA_QUEUE_PAIR_H

#include "rdma-completion-queue.h"
#include "rdma-shared-receive-queue.h"
#include "rdma-types.h"

#include "ns3/callback.h"
#include "ns3/object.h"
#include "ns3/rdmap-stream.h"
#include "ns3/util-growing-queue.h"
#include "ns3/util-lazy-trace.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace ns3
{

class RdmaProtectionDomain;

/// @ingroup iwarp-verbs
/// @brief What a queue pair is to be like (ibv_qp_init_attr).
struct RdmaQueuePairConfig
{
    Ptr<RdmaCompletionQueue> sendCq;    //!< completions of sends
    Ptr<RdmaCompletionQueue> receiveCq; //!< completions of receives
    Ptr<RdmaSharedReceiveQueue> srq;    //!< where receive buffers come from, if they are shared
    uint32_t maxSendWr{128};            //!< slots of the send queue
    uint32_t maxReceiveWr{128};         //!< most receives posted and not completed
    uint32_t maxSendSge{1};             //!< most SGEs of a send
    uint32_t maxReceiveSge{1};          //!< most SGEs of a receive
    uint32_t maxInline{0};              //!< most octets of inline data
    bool signalAll{false};              //!< report the completion of each send (sq_sig_all)
};

/// @ingroup iwarp-verbs
/// @brief What a queue pair is like at a time (ibv_qp_attr). Of its fields those that iWARP has:
/// there are no paths, keys, packet numbers, timers and retries.
struct RdmaQueuePairAttributes
{
    RdmaQpState state{RdmaQpState::RESET}; //!< state (qp_state)
    bool draining{false};                  //!< work goes out, no more is taken (sq_draining)
    uint32_t access{0};                    //!< what the peer may be granted, bits of DdpAccess
                                           //!< (qp_access_flags): the STag's own rights tell
    uint32_t initiatorDepth{0};            //!< ORD (max_rd_atomic), as startup settled it; 0 before
    uint32_t responderResources{0};        //!< IRD (max_dest_rd_atomic), alike
    uint32_t maxSendWr{0};                 //!< slots of the send queue (cap)
    uint32_t maxReceiveWr{0};              //!< most receives posted and not completed (cap)
    uint32_t maxSendSge{0};                //!< most SGEs of a send (cap)
    uint32_t maxReceiveSge{0};             //!< most SGEs of a receive (cap)
    uint32_t maxInline{0};                 //!< most octets of inline data (cap)
};

/**
 * @ingroup iwarp-verbs
 * @brief A queue pair (ibv_qp): work requests go in, completions come out. Made by
 * RdmaProtectionDomain::CreateQp() and connected by RdmaConnection.
 *
 * Work is done in the order of posting and completions come in that order. A success of a send is
 * reported if it is signaled; a failure always. After a failure or the end of the connection the
 * queue pair is in state ERR and all that was posted is reported as flushed.
 *
 * A send has a slot of the send queue until the application takes its completion from the
 * completion queue, or that of a later send: so who never signals fills the queue for good, as with
 * real adapters.
 */
class RdmaQueuePair : public Object,
                      private RdmapStream::Listener,
                      private DdpBufferSource,
                      private RdmaCompletionQueue::User
{
  public:
    /// Signature of State. @param oldState before @param newState after
    typedef void (*StateTracedCallback)(RdmaQpState oldState, RdmaQpState newState);

    /// Told of the connection.
    class ConnectionListener
    {
      public:
        virtual ~ConnectionListener() = default;
        /// Something happened to it. @param event what; kinds from ESTABLISHED to CLOSED. FAILED is
        /// of the queue pair: an error it found, or a Terminate of the peer
        virtual void HandleEvent(const MpaConnectionEvent& event) = 0;
    };

    static TypeId GetTypeId(); //!< Get the type ID. @return the object TypeId
    RdmaQueuePair();
    ~RdmaQueuePair() override;

    /**
     * @brief Post a send (ibv_post_send).
     * @param request the work request
     * @return 0; EINVAL if the state or the request's own fields do not allow it; ENOMEM if the
     *         queue is full; EMSGSIZE for 2^32 octets or more; EOPNOTSUPP for what the device does
     *         not support
     */
    int PostSend(const RdmaSendRequest& request);

    /**
     * @brief Post a chain of sends (ibv_post_send), with one doorbell.
     * @param requests the work requests
     * @param[out] bad place in @p requests of the first that is refused (bad_wr): those before it
     *             are posted, it and those behind it are not; the length of @p requests if all are
     * @return 0; what the first that is refused is refused with
     */
    int PostSend(const std::vector<RdmaSendRequest>& requests, std::size_t& bad);

    /**
     * @brief Post a receive (ibv_post_recv).
     * @param request the work request
     * @return 0; EINVAL if the state, too many SGEs or a shared receive queue forbid it; ENOMEM
     *         if the queue is full
     */
    int PostReceive(const RdmaReceiveRequest& request);

    /**
     * @brief Post several receives (ibv_post_recv).
     * @param requests the work requests
     * @param[out] bad as for PostSend()
     * @return 0; what the first that is refused is refused with
     */
    int PostReceive(const std::vector<RdmaReceiveRequest>& requests, std::size_t& bad);

    /**
     * @brief Change the state (ibv_modify_qp): RESET to INIT, and any to ERR. Connecting does the
     * rest.
     * @param state new state
     * @return 0; EINVAL for any other change
     */
    int Modify(RdmaQpState state);

    /**
     * @brief Tell what it is like (ibv_query_qp).
     * @param[out] attributes what it is like now
     * @param[out] config what it was made with (ibv_qp_init_attr)
     * @return 0; EINVAL if it is over
     */
    int Query(RdmaQueuePairAttributes& attributes, RdmaQueuePairConfig& config) const;

    /**
     * @brief Give it back (ibv_destroy_qp). The connection ends at once; nothing is reported.
     * @return 0; EINVAL if it is over
     */
    int Destroy();

    RdmaQpState GetState() const; //!< Tell what may be posted now. @return its state
    /// Tell queue pairs of a device apart. @return number, as in completions and events
    uint32_t GetNumber() const;
    /// Get the protocol below. @return its RDMAP stream, once connecting; nullptr before
    Ptr<RdmapStream> GetStream() const;
    /// Get the domain that made it. @return its protection domain; nullptr once over
    Ptr<RdmaProtectionDomain> GetPd() const;
    /// Count sends under way. @return sends posted and not completed
    uint32_t GetSendsPosted() const;
    /// Count what PostSend() has no room for. @return slots of the send queue in use, of maxSendWr:
    /// sends posted whose completion, or that of one behind them, was not polled
    uint32_t GetSendSlots() const;
    /// Count receives under way. @return receives posted and not completed
    uint32_t GetReceivesPosted() const;

    // for the connection
    /// Run over an MPA stream that is about to start. @param mpa it @param ird inbound reads
    /// @param ord outbound reads @param retry after an enhanced Request without an answer, tell
    /// UNANSWERED and wait for another stream rather than fail @return 0; EINVAL if it is connected
    /// already, EMFILE if there are more reads than the device takes
    int Connect(Ptr<MpaStream> mpa, uint32_t ird, uint32_t ord, bool retry = false);
    void Accepted();   //!< The responder has accepted: work may be posted, and waits for the peer
    void Disconnect(); //!< End gracefully: what was posted goes out first
    /// Set who is told of the connection. @param listener it; nullptr for nobody
    void SetConnectionListener(ConnectionListener* listener);

    // for RdmaProtectionDomain
    /// Set up a new queue pair, once. @param domain its protection domain @param config what it is
    /// like @param number its number
    void Setup(Ptr<RdmaProtectionDomain> domain,
               const RdmaQueuePairConfig& config,
               uint32_t number);

  protected:
    void DoDispose() override;

  private:
    /// A send that has been posted; it may take several parts of work.
    struct Posted
    {
        uint64_t id;                 //!< of the work request
        RdmaCompletionOpcode opcode; //!< of its completion
        RdmapStatus status;          //!< worst so far
        uint32_t octets;             //!< moved so far
        uint8_t parts;               //!< parts of work not ended
        bool signaled;               //!< report a success
        bool invalidates;            //!< it invalidates an STag when it is done
    };

    // RdmapStream::Listener
    void HandleEvent(const MpaConnectionEvent& event) override;
    void WorkCompleted(const RdmapWork& work, RdmapStatus status, uint32_t octets) override;
    void Received(const RdmapReceived& received) override;
    void Failed(const RdmapTerminate& terminate, bool byPeer) override;
    void Terminated(const RdmapTerminate& terminate, bool byPeer) override;
    // DdpBufferSource: the shared receive queue, as this queue pair uses it
    uint32_t GetAvailable() const override;
    bool Pop(DdpBuffer& buffer) override;
    // RdmaCompletionQueue::User
    void HandleOverflow() override;
    void HandlePolled(uint32_t slots) override;

    /// Post a send. @param request the work request @param alone ring a doorbell for it
    /// @param[out] inlined is added the octets in its element @return as PostSend()
    int PostOne(const RdmaSendRequest& request, bool alone, uint64_t& inlined);
    /// Judge a send by the state and what there is room for. @param request work request
    /// @return 0 or an error number
    int CheckSend(const RdmaSendRequest& request) const;
    /// Translate a send. @param request work request @param work receives the work
    /// @return 0 or an error number
    int Translate(const RdmaSendRequest& request, RdmapWork& work);
    int CopyInline(RdmapWork& work); //!< @param work work to copy octets into @return 0 or error
    /// Queue a completion, once hardware has written it. @param queue where @param completion what
    /// @param solicited the peer asked for an event @param slots of the send queue that it frees
    /// @param invalidates what was done has invalidated an STag
    void Report(Ptr<RdmaCompletionQueue> queue,
                const RdmaCompletion& completion,
                bool solicited,
                uint32_t slots,
                bool invalidates);
    /// Hardware has written it. @param queue where @param completion what @param solicited as above
    /// @param slots as above
    void Push(Ptr<RdmaCompletionQueue> queue,
              RdmaCompletion completion,
              bool solicited,
              uint32_t slots);
    void EnterError();    //!< flush all, refuse all
    void Leave();         //!< stop using its completion queues, SRQ and domain
    void FlushReceives(); //!< report all receives as flushed
    /// Report a receive that got no message. @param id of the work request @param status how
    void ReportReceive(uint64_t id, RdmapStatus status);
    void Notify(const MpaConnectionEvent& event); //!< tell the connection @param event what
    bool LeaveStream(); //!< Give up the stream for another one @return false if none may be tried

    Ptr<RdmaProtectionDomain> m_domain; //!< its protection domain, nullptr once over
    RdmaQueuePairConfig m_config;       //!< what it is like
    uint32_t m_number{0};               //!< its number
    LazyTracedValue<RdmaQpState> m_state{RdmaQpState::RESET}; //!< state
    Ptr<RdmapStream> m_stream;                                //!< its RDMAP stream, once connecting
    GrowingQueue<Posted> m_posted;                            //!< sends
    uint32_t m_slots{0};                                      //!< of the send queue, in use
    uint32_t m_unreported{0};        //!< sends that ended since the last report
    GrowingQueue<DdpBuffer> m_early; //!< receives posted before connecting
    uint32_t m_receives{0};          //!< receives posted and not completed
    uint32_t m_sharedInUse{0};       //!< buffers of the shared queue in use
    Time m_lastReport;               //!< when the application sees the last completion
    uint32_t m_reports{0};           //!< completions on their way there
    bool m_retry{false};             //!< another stream may be tried
    RdmapStatus m_receiveStatus{RdmapStatus::FLUSHED}; //!< how the next receive is flushed
    ConnectionListener* m_connection{nullptr};         //!< told of the connection
};

} // namespace ns3

#endif // RDMA_QUEUE_PAIR_H
