/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMAP_REQUESTER_H
#define RDMAP_REQUESTER_H

#include "rdmap-buffer-pool.h"
#include "rdmap-error.h"
#include "rdmap-work.h"

#include "ns3/ddp-receiver.h"
#include "ns3/ddp-sender.h"
#include "ns3/util-growing-queue.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace ns3
{

class RdmapReadCoverage;

/**
 * @ingroup iwarp-rdmap
 * @brief Requesting side of an RDMAP stream: work requests in, messages out, completions in the
 * order of posting (RFC 5040 section 5.5, RFC 7306 section 5).
 *
 * Pure. Messages begin in posting order. Reads and Atomics wait while ORD of them are under way,
 * and everything behind them waits as well; a fenced request waits for all of them to end. A
 * request that ends early is reported only after all before it.
 */
class RdmapRequester
{
  public:
    /// Who is told of completions.
    class Listener
    {
      public:
        virtual ~Listener() = default;

        /**
         * @brief A work request has ended.
         * @param work the request
         * @param status how
         * @param octets octets moved: payload sent, or read
         */
        virtual void WorkCompleted(const RdmapWork& work, RdmapStatus status, uint32_t octets) = 0;
    };

    /**
     * @brief Make the requesting side of a new stream.
     * @param table STags of the node; outlives the requester
     * @param pd protection domain of the stream
     * @param stream identity of the stream
     * @param ord most Reads and Atomics under way
     * @param listener told of completions; outlives the requester
     */
    RdmapRequester(const DdpStagTable& table,
                   uint32_t pd,
                   uint32_t stream,
                   uint32_t ord,
                   Listener& listener);
    ~RdmapRequester();

    /**
     * @brief Post a work request.
     * @param work the request
     * @return 0; EMSGSIZE if it moves more than 2^32 - 1 octets; EINVAL if its fields contradict
     *         each other or ORD is 0 for a Read or Atomic
     */
    int Post(RdmapWork&& work);

    /**
     * @brief Post a request in front of all others, even if ORD is 0. None may have begun.
     * @param work the request
     */
    void PostFirst(RdmapWork&& work);

    /**
     * @brief Do requests of kind LOCAL whose turn it is; nothing has to be sent for them.
     * @param most how many at most
     * @return false if one failed
     */
    bool RunLocal(uint32_t most = UINT32_MAX);

    /// What Begin() came to.
    enum class Progress : uint8_t
    {
        IDLE,       //!< no request can begin now
        SUBMITTED,  //!< a message is with DDP
        FAILED,     //!< a request failed on this side and has been ended
        UNANSWERED, //!< the next one needs a response, and none can come any more
    };

    /**
     * @brief Begin the next requests until one has a message to send, and submit that.
     * @param sender sending half of DDP, idle
     * @return what it came to
     */
    Progress Begin(DdpSender& sender);

    /**
     * @brief Fill the ULPDU of a segment.
     * @param segment a segment of a message submitted by Begin()
     * @param scratch used when octets are not in one run of memory
     * @param output receives the ULPDU
     * @return false if a local buffer is not open to the stream: the request has been ended
     */
    bool Fill(const DdpSender::Segment& segment,
              std::vector<uint8_t>& scratch,
              RdmapOutput& output);

    /**
     * @brief Find where the payload of a segment lies in memory.
     * @param segment a segment of a message submitted by Begin()
     * @param[out] sges receives it; none if it was taken when the request was posted
     */
    void Locate(const DdpSender::Segment& segment, DdpSgeList& sges) const;

    /**
     * @brief MPA has taken the last segment of a message.
     * @param context the message's context
     */
    void Sent(uint64_t context);

    /**
     * @brief Check that a segment of a Read Response is one that was asked for, before it is
     * placed. Those before it may be missing yet, so it may be any Read's.
     * @param header its DDP header
     * @param payload its octets of payload
     * @param error gets the DDP error of octets outside what was asked for
     * @return NONE; OPERATION_OPCODE if no Read is under way
     */
    RdmapError AdmitResponse(const DdpHeader& header, uint32_t payload, DdpError& error) const;

    /**
     * @brief A segment of a Read Response is complete in the peer's order: responses come in the
     * order of the requests, so it is the oldest Read's (RFC 5040 section 5.5).
     * @param header its DDP header
     * @param payload its octets of payload
     * @param error gets the DDP error of octets outside of the Read's sink
     * @return NONE; OPERATION_OPCODE if it is not a Read's turn; OPERATION_UNSPECIFIED if it fills
     *         octets again
     */
    RdmapError ResponseDelivered(const DdpHeader& header, uint32_t payload, DdpError& error);

    /**
     * @brief A Read Response is delivered, and all its segments were.
     * @return NONE; OPERATION_OPCODE if it is not a Read's turn; OPERATION_UNSPECIFIED if it has
     *         not filled the sink; LOCAL_CATASTROPHIC if what it does besides has failed
     */
    RdmapError ReadDelivered();

    /**
     * @brief An Atomic Response is delivered.
     * @param delivery the message
     * @return NONE; OPERATION_OPCODE if it is not an Atomic's turn; OPERATION_UNSPECIFIED if it is
     *         malformed or answers another request; LOCAL_CATASTROPHIC if its local buffer is gone
     */
    RdmapError AtomicDelivered(const DdpDelivery& delivery);

    /**
     * @brief End all requests.
     * @param failedMsn MSN on queue 1 of a request that the peer refused, if known
     * @param known the MSN is known
     * @param status how that request ends; all others are flushed
     */
    void Flush(bool known = false,
               uint32_t failedMsn = 0,
               RdmapStatus status = RdmapStatus::FLUSHED);

    /// Get the source of queue 3. @return buffers of Atomic Responses
    RdmapBufferPool& GetResponsePool();
    /// Look at what Begin() would begin. @return the request; nullptr if there is none, or if ORD
    /// or a fence holds it
    const RdmapWork* GetNext() const;
    /// Count what is to be begun. @return requests that have not
    uint32_t GetWaiting() const;
    /// Count unfinished work. @return requests that have not been reported
    uint32_t GetQueued() const;
    /// Count what ORD limits. @return Reads and Atomics under way
    uint32_t GetOutstanding() const;
    /// Count what a response out of order takes. @return runs of octets kept account of
    uint32_t GetScattered() const;
    uint32_t GetOrd() const;   //!< Tell ORD. @return most Reads and Atomics under way
    void SetOrd(uint32_t ord); //!< Change ORD. @param ord most Reads and Atomics under way
    void EndResponses();       //!< The peer sends nothing more: no Read or Atomic can begin

  private:
    /// Where a request is in its life.
    enum class State : uint8_t
    {
        WAITING,  //!< not begun
        SENDING,  //!< its message is with DDP
        AWAITING, //!< its response is awaited
        ENDED,    //!< ended, reported in its turn
    };

    /// A request.
    struct Entry
    {
        RdmapWork work;                           //!< the request
        uint32_t length{0};                       //!< octets of its message or response
        State state{State::WAITING};              //!< where it is
        RdmapStatus status{RdmapStatus::SUCCESS}; //!< how it ended
    };

    /// A Read or Atomic under way.
    struct Outstanding
    {
        uint64_t number; //!< number of the request
        uint32_t msn;    //!< MSN of its message on queue 1
        bool atomic;     //!< it is an Atomic
    };

    /// Check that octets are in the sink of a Read. @param entry the Read @param header DDP header
    /// @param payload octets, at least 1 @return NONE, or what is wrong
    static DdpError CheckSink(const Entry& entry, const DdpHeader& header, uint32_t payload);

    Entry& At(uint64_t number);                    //!< @param number number @return the request
    const Entry& At(uint64_t number) const;        //!< @param number number @return the request
    void End(uint64_t number, RdmapStatus status); //!< @param number request @param status how
    bool IsNextReady() const; //!< @return true if neither ORD nor a fence holds the next request
    void Report();            //!< report ended requests at the front
    /// Submit a request's message. @param sender DDP @param number request
    void Submit(DdpSender& sender, uint64_t number);

    const DdpStagTable& m_table;                 //!< STags of the node
    const uint32_t m_pd;                         //!< protection domain of the stream
    const uint32_t m_stream;                     //!< identity of the stream
    uint32_t m_ord;                              //!< most Reads and Atomics under way
    bool m_unanswered{false};                    //!< EndResponses() was called
    Listener& m_listener;                        //!< told of completions
    GrowingQueue<Entry> m_entries;               //!< requests that have not been reported
    GrowingQueue<Outstanding, 1> m_outstanding;  //!< in order
    uint64_t m_front{0};                         //!< number of the first in m_entries
    uint64_t m_next{0};                          //!< number of the next to begin
    uint32_t m_nextMsn{1};                       //!< MSN of the next message on queue 1
    uint32_t m_atomics{0};                       //!< Atomics under way
    uint32_t m_nextRequestId{1};                 //!< identifier of the next Atomic Request
    std::unique_ptr<RdmapReadCoverage> m_filled; //!< of the oldest Read's sink, once needed
    RdmapBufferPool m_responses;                 //!< buffers of Atomic Responses
};

} // namespace ns3

#endif // RDMAP_REQUESTER_H
