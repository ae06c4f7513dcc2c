/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMAP_ENDPOINT_H
#define RDMAP_ENDPOINT_H

#include "rdmap-requester.h"
#include "rdmap-responder.h"
#include "rdmap-terminate.h"
#include "rdmap-work.h"

#include "ns3/ddp-receiver.h"
#include "ns3/ddp-sender.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace ns3
{

/// @ingroup iwarp-rdmap
/// @brief How an RDMAP stream works.
struct RdmapConfig
{
    uint32_t pd{1};          //!< protection domain of the stream, not 0
    uint32_t stream{1};      //!< identity of the stream on its node, not 0
    uint32_t ird{0};         //!< most Reads and Atomics of the peer that are held
    uint32_t ord{0};         //!< most Reads and Atomics of this side that are under way
    uint32_t readRuns{1024}; //!< runs of octets that a Read Response may leave gaps between
    bool extensions{true};   //!< Atomics and Immediate Data of RFC 7306
    RdmapTerminateForm terminateForm{RdmapTerminateForm::RFC}; //!< how a Terminate is laid out
    DdpBufferSource* receives{nullptr}; //!< shared receive queue; nullptr: buffers are posted
};

/**
 * @ingroup iwarp-rdmap
 * @brief One end of an RDMAP stream, all of it but the transport (RFC 5040, RFC 7306).
 *
 * Pure: ULPDUs come in with their order, and go out on demand; work requests and receive buffers
 * come in, completions go out. It owns both halves of DDP, the requester and the responder, sends a
 * Terminate for what they find wrong, and ends when the peer sends one.
 *
 * ULPDUs go out two-step: GetOutput() shows the next one, OutputTaken() says that MPA has it.
 * Responses and requests take turns, a message each.
 */
class RdmapEndpoint : private DdpReceiver::Listener, private RdmapRequester::Listener
{
  public:
    /// The layer above.
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

        /**
         * @brief A message has used up a receive buffer.
         * @param received the message
         */
        virtual void Received(const RdmapReceived& received) = 0;

        /**
         * @brief A segment was placed that had to wait for its turn, see DdpReceiver::Taken.
         * @param header its DDP header
         * @param payload octets of payload
         */
        virtual void PlacedLate([[maybe_unused]] const DdpHeader& header,
                                [[maybe_unused]] uint32_t payload)
        {
        }

        /**
         * @brief A message of any kind is delivered, before anything else is done with it.
         * @param opcode kind of the message
         * @param delivery what DDP says of it
         */
        virtual void MessageDelivered(RdmapOpcode opcode, const DdpDelivery& delivery) = 0;

        /**
         * @brief The stream has failed. All work requests have been ended.
         * @param terminate what is wrong
         * @param byPeer the peer says so; otherwise a Terminate waits to be sent, if the transport
         *        still can
         */
        virtual void Failed(const RdmapTerminate& terminate, bool byPeer) = 0;

        /**
         * @brief There is something to send where there was nothing before.
         */
        virtual void OutputReady() = 0;
    };

    /**
     * @brief Make the endpoint of a stream that has sent and received nothing.
     * @param config how to work
     * @param table STags of the node; outlives the endpoint
     * @param listener the layer above; outlives the endpoint
     */
    RdmapEndpoint(const RdmapConfig& config, DdpStagTable& table, Listener& listener);

    /**
     * @brief Post a work request.
     * @param work the request
     * @return 0; ESHUTDOWN after Close() or a failure; EMSGSIZE if it moves more than 2^32 - 1
     *         octets; EINVAL if its fields contradict each other, or ORD is 0 for a Read or Atomic;
     *         EOPNOTSUPP for an extension that is off, or with version 0
     */
    int PostSend(RdmapWork&& work);

    /**
     * @brief Post a work request of the connection's own in front of all others, even if ORD is 0.
     * Nothing may have been sent yet.
     * @param work the request
     */
    void PostFirst(RdmapWork&& work);

    /// Do local work whose turn it is. @param most how many work requests at most
    void RunLocal(uint32_t most = UINT32_MAX);

    /**
     * @brief Take the protocol version that startup settled, before anything is sent or received.
     * DDP and RDMAP have the same one, in both directions (RFC 5044 section C.1).
     * @param version 1, as long as nothing else is said, or 0 with a peer that follows the RDMA
     * Consortium
     */
    void SetVersion(uint8_t version);

    /// Tell whether Atomics and Immediate Data can be sent (RFC 7306). @return false if they are
    /// off, or with version 0
    bool HasExtensions() const;

    /**
     * @brief Have a buffer of the connection's own take the peer's first Send, which is the
     * ready-to-receive indication: it has no payload, and nobody above is told of it (RFC 6581
     * section 4.4.2). Before anything is received.
     */
    void ExpectIndication();

    /// Ask whether the indication is still to come. @return true until the peer's first Send
    bool ExpectsIndication() const;

    /**
     * @brief Encode a Terminate message of this stream.
     * @param terminate what it says
     * @param out receives its ULPDU, at most RdmapOutput::MAX_HEAD octets
     * @return octets of the ULPDU
     */
    uint32_t WriteTerminate(const RdmapTerminate& terminate, uint8_t* out) const;

    /**
     * @brief Post a receive buffer.
     * @param buffer the buffer
     * @return 0; ESHUTDOWN after a failure; EINVAL if the endpoint has a shared receive queue
     */
    int PostReceive(DdpBuffer&& buffer);

    /**
     * @brief Take a receive buffer back that no message will use any more. After a failure.
     * @param buffer receives it
     * @return false when there is none left
     */
    bool FlushReceive(DdpBuffer& buffer);

    /**
     * @brief A ULPDU has arrived, in order or not.
     * @param order place in the peer's order: TCP sequence number of its FPDU
     * @param ulpdu its octets
     * @param available octets that can be read there; those behind are zero
     * @param length octets of the ULPDU
     * @param inOrder all ULPDUs ahead of it have arrived
     * @param[out] sges receives the memory where its payload goes, see DdpReceiver::Segment()
     * @return what became of it
     */
    DdpReceiver::Result Segment(uint32_t order,
                                const uint8_t* ulpdu,
                                uint32_t available,
                                uint32_t length,
                                bool inOrder,
                                DdpSgeList* sges = nullptr);

    void Deliver(uint32_t count); //!< The next ULPDUs are complete in order. @param count how many

    /// Which kind of message GetOutput() would begin.
    enum class Start : uint8_t
    {
        NONE,         //!< none: there is nothing to send, or the rest of a message
        WORK_REQUEST, //!< that of a work request
        LOCAL,        //!< none, but the work request whose turn it is: RunLocal() does it
        OTHER,        //!< one without: a response, Immediate Data behind its Write
    };

    /// Tell what GetOutput() would begin. @return kind of message
    Start GetStart() const;

    /**
     * @brief Show the next ULPDU. It is cut once, and anew if MULPDU has become smaller; what it
     * carries is looked up at each call, so the octets are to be used before anything else is
     * called.
     * @param mulpdu octets that a ULPDU may have now
     * @return next ULPDU to hand to MPA, until OutputTaken(); nullptr if there is none
     */
    const RdmapOutput* GetOutput(uint32_t mulpdu);

    /**
     * @brief Find where the payload of what GetOutput() returned lies in memory.
     * @param[out] sges receives it; none if there is none, or if the doorbell brought it along
     */
    void LocateOutput(DdpSgeList& sges) const;

    void OutputTaken(); //!< MPA has taken what GetOutput() returned

    /**
     * @brief MPA reports an error of its own (RFC 5044 section 8) while it can still send.
     * @param code error code
     */
    void LlpFailed(uint8_t code);

    /**
     * @brief Report a failure of this side that no segment has caused.
     */
    void FailLocally();

    void LlpLost();   //!< The transport is gone: nothing can be sent any more
    void LlpClosed(); //!< The peer has sent its last octet (RFC 5041 section 6.2.1)

    /**
     * @brief End gracefully: work that was posted goes out, more is refused.
     */
    void Close();

    /// Ask whether the stream is broken. @return true after a failure, whoever found it
    bool HasFailed() const;
    /// Ask whether the stream can be closed. @return true if nothing is to be sent or awaited
    bool IsDrained() const;
    /// Ask whether a failure is still to be told. @return true while a Terminate waits to be sent
    bool IsTerminatePending() const;

    /// Get what places segments. @return receiving half of DDP
    DdpReceiver& GetReceiver();
    RdmapRequester& GetRequester(); //!< Get what does work requests. @return requesting side
    /// Get what answers the peer's requests. @return responding side
    RdmapResponder& GetResponder();
    const RdmapConfig& GetConfig() const; //!< Get the configuration. @return how it works

  private:
    /// Whose segments are being sent.
    enum class Turn : uint8_t
    {
        REQUEST,  //!< a work request's
        RESPONSE, //!< a response's
    };

    /// Immediate Data that is placed but not delivered.
    struct Immediate
    {
        uint32_t msn;  //!< MSN of its message
        uint64_t data; //!< the data
    };

    /// What goes out next.
    struct Output
    {
        DdpSender::Segment segment;   //!< segment to send next
        RdmapOutput ulpdu;            //!< its ULPDU, or that of a Terminate
        std::vector<uint8_t> scratch; //!< payload of the ULPDU, if gathered
    };

    // DdpReceiver::Listener
    DdpAdmission Admit(const DdpHeader& header,
                       const uint8_t* segment,
                       uint32_t available,
                       uint32_t payload) override;
    void PlacedLate(const DdpHeader& header, uint32_t payload) override;
    void SegmentDelivered(const DdpHeader& header, uint32_t payload) override;
    void Delivered(DdpDelivery& delivery) override;
    void Failed(const DdpErrorReport& report) override;
    // RdmapRequester::Listener
    void WorkCompleted(const RdmapWork& work, RdmapStatus status, uint32_t octets) override;

    /// A message for a receive buffer is delivered. @param opcode kind @param delivery message
    void DeliverToBuffer(RdmapOpcode opcode, DdpDelivery& delivery);
    /// End the stream for a Terminate of the peer. @param delivery the message
    void DeliverTerminate(const DdpDelivery& delivery);
    /// Begin the next message, if there is one. @return true if DDP has one
    bool BeginMessage();
    bool FillOutput();    //!< fill the segment's ULPDU @return false if the stream has failed
    void MakeOutput();    //!< have memory for what goes out
    void FillTerminate(); //!< put the Terminate in the output

    /// End the stream and have a Terminate sent. @param terminate what it says
    void Terminate(const RdmapTerminate& terminate);
    /// End the stream for an RDMAP error. @param error what @param ulpdu segment that caused it
    /// @param available octets that can be read there @param length octets of it
    void Terminate(RdmapError error, const uint8_t* ulpdu, uint32_t available, uint32_t length);
    /// End the stream for an error found on a delivered message. @param error what @param delivery
    /// the message
    void Terminate(RdmapError error, const DdpDelivery& delivery);
    void Stop(); //!< nothing is taken or begun any more

    const RdmapConfig m_config;          //!< how it works
    DdpStagTable& m_table;               //!< STags of the node
    Listener& m_listener;                //!< the layer above
    DdpReceiver m_receiver;              //!< receiving half of DDP
    DdpSender m_sender;                  //!< sending half of DDP
    RdmapRequester m_requester;          //!< requesting side
    RdmapResponder m_responder;          //!< responding side
    RdmapBufferPool m_terminates;        //!< buffer of the peer's Terminate
    std::vector<Immediate> m_immediates; //!< by arrival

    std::unique_ptr<Output> m_output;            //!< what goes out, from the first time on
    std::unique_ptr<RdmapTerminate> m_terminate; //!< Terminate not taken by MPA yet
    bool m_hasSegment{false};                    //!< there is a segment to send next
    Turn m_turn{Turn::REQUEST};                  //!< whose message is with DDP, or was last
    bool m_closed{false};                        //!< Close() was called
    bool m_failed{false};                        //!< the stream has failed
    bool m_lost{false};                          //!< the transport is gone
    bool m_afterWrite{false};                    //!< the message delivered last was an RDMA Write
    bool m_indication{false};                    //!< see ExpectIndication(), while it has not come
};

} // namespace ns3

#endif // RDMAP_ENDPOINT_H
