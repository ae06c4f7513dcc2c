/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMAP_STREAM_H
#define RDMAP_STREAM_H

#include "rdmap-closing.h"
#include "rdmap-endpoint.h"

#include "ns3/event-id.h"
#include "ns3/mpa-stream.h"
#include "ns3/object.h"
#include "ns3/record-host-view.h"
#include "ns3/util-lazy-trace.h"

#include <memory>

namespace ns3
{

/**
 * @ingroup iwarp-rdmap
 * @brief An RDMAP stream over an MpaStream: an RdmapEndpoint joined to its transport.
 *
 * It hands ULPDUs to MPA as fast as MPA takes them, passes received ones on, takes the IRD and ORD
 * that enhanced startup settled, sends the ready-to-receive indication, has a Terminate sent and
 * then closes. Startup itself, that is private data and what a Responder makes of the peer's frame,
 * is the business of whoever opened the MpaStream.
 */
class RdmapStream : public Object, private RdmapEndpoint::Listener, private MpaStreamUser
{
  public:
    /// The layer above.
    class Listener
    {
      public:
        virtual ~Listener() = default;

        /// Something happened to the connection. @param event what; kinds from ESTABLISHED to
        /// CLOSED but FAILED. UNANSWERED comes before all that a CONNECT_ERROR ends is ended: a
        /// layer above that goes on with another stream calls Detach() then
        virtual void HandleEvent(const MpaConnectionEvent& event) = 0;

        /// A work request has ended. @param work the request @param status how @param octets
        /// octets moved
        virtual void WorkCompleted(const RdmapWork& work, RdmapStatus status, uint32_t octets) = 0;

        /// A message has used up a receive buffer. @param received the message
        virtual void Received(const RdmapReceived& received) = 0;

        /// The stream has failed; all work has been ended. @param terminate what is wrong
        /// @param byPeer the peer says so
        virtual void Failed(const RdmapTerminate& terminate, bool byPeer) = 0;

        /// As trace source Terminate, which is fired at the same time: also for what startup finds
        /// @param terminate what is wrong @param byPeer the peer says so
        virtual void Terminated([[maybe_unused]] const RdmapTerminate& terminate,
                                [[maybe_unused]] bool byPeer)
        {
        }
    };

    /// Signature of MessageSent, MessageDelivered and MessageVisible. @param opcode its kind
    /// @param octets what its segments carry together: its payload; of requests and responses that
    /// have none, of Immediate Data and of a Terminate the octets behind the DDP header
    typedef void (*MessageTracedCallback)(RdmapOpcode opcode, uint64_t octets);
    /// Signature of SegmentPlaced. @param header DDP header @param payload octets
    /// @param inOrder nothing before it was missing
    typedef void (*SegmentPlacedTracedCallback)(const DdpHeader& header,
                                                uint32_t payload,
                                                bool inOrder);
    /// Signature of Terminate. @param terminate what it says @param byPeer it was received
    typedef void (*TerminateTracedCallback)(const RdmapTerminate& terminate, bool byPeer);

    static TypeId GetTypeId(); //!< Get the type ID. @return the object TypeId
    RdmapStream();
    ~RdmapStream() override;

    /**
     * @brief Join endpoint and transport, once, before startup ends. It becomes the MpaStream's
     * user, and accepts the peer's frame.
     * @param mpa transport
     * @param config how the endpoint works; IRD and ORD are those used without enhanced startup
     * @param table STags of the node; outlives the stream
     * @param listener the layer above; outlives the stream, or is taken away by Detach()
     * @return 0; EINVAL if the stream was opened before; EBUSY if another one is the MpaStream's
     *         user
     */
    int Open(Ptr<MpaStream> mpa,
             const RdmapConfig& config,
             DdpStagTable& table,
             Listener* listener);

    void Detach(); //!< Tell the layer above nothing more

    /// MPA has sent the Reply: what startup settled, such as ORD, holds from here on, whenever the
    /// first FPDU comes.
    void Accepted();

    /**
     * @brief Ring the hardware's doorbell for a work request about to be posted.
     * @param payload octets that it sends from host memory
     * @param inlined they are in the work queue element
     * @return true if they come with the doorbell or the element: RdmapWork::withDoorbell
     */
    bool RingDoorbell(uint64_t payload, bool inlined);

    /// Keep what is posted from now on from going out, until ReleaseChain(): it is one chain.
    void HoldChain();

    /**
     * @brief Ring the hardware's doorbell for a chain, and let it go.
     * @param count work requests posted since HoldChain()
     * @param inlined octets in their work queue elements
     */
    void ReleaseChain(uint32_t count, uint64_t inlined);

    /**
     * @brief Post a work request, see RdmapEndpoint::PostSend().
     * @param work the request
     * @return 0 or an error number; ENOTCONN before Open()
     */
    int PostSend(RdmapWork&& work);

    /**
     * @brief Post a receive buffer, see RdmapEndpoint::PostReceive().
     * @param buffer the buffer
     * @return 0 or an error number; ENOTCONN before Open()
     */
    int PostReceive(DdpBuffer&& buffer);

    /**
     * @brief End gracefully: all work goes out, then FIN; what the peer still sends is taken.
     */
    void Close();

    /**
     * @brief End at once: work is flushed, TCP closes.
     */
    void Abort();

    /// Ask whether startup is over, and well. @return true once work goes out
    bool IsEstablished() const;
    /// Ask whether all is over. @return true when both directions are
    bool IsClosed() const;
    /// Get what carries the stream. @return transport; nullptr before Open()
    Ptr<MpaStream> GetMpa() const;
    /// Get the protocol itself. @return the endpoint; nullptr before Open()
    RdmapEndpoint* GetEndpoint() const;

  protected:
    void DoDispose() override;

  private:
    // RdmapEndpoint::Listener
    void WorkCompleted(const RdmapWork& work, RdmapStatus status, uint32_t octets) override;
    void Received(const RdmapReceived& received) override;
    void PlacedLate(const DdpHeader& header, uint32_t payload) override;
    void MessageDelivered(RdmapOpcode opcode, const DdpDelivery& delivery) override;
    void Failed(const RdmapTerminate& terminate, bool byPeer) override;
    void OutputReady() override;

    // MpaStreamUser
    void HandleEvent(MpaStream& mpa, const MpaConnectionEvent& event) override;
    void HandleUlpdu(MpaStream& mpa,
                     const MpaUlpdu& ulpdu,
                     RecordPlacementList* placements) override;
    void HandleDeliver(MpaStream& mpa, uint32_t count) override;
    void HandleRoom(MpaStream& mpa, uint32_t room) override;
    void HandleTerminate(MpaStream& mpa, MpaError error) override;

    /// @param start what begins next @return false if that waits for hardware to begin it
    bool MayBegin(RdmapEndpoint::Start start);
    void Begin(); //!< hardware has begun the next message
    /// Give MPA a ULPDU. @param output it @return as MpaStream::Send()
    int Send(const RdmapOutput& output);
    void Pump();            //!< hand ULPDUs to MPA while it takes them
    void ApplyNegotiated(); //!< use what startup settled
    void SendIndication();  //!< queue the ready-to-receive indication
    /// Startup is over, and well. @param event the event that says so
    void Establish(const MpaConnectionEvent& event);
    /// Startup has failed. @param event the event that says so
    void FailStartup(const MpaConnectionEvent& event);
    /// Tell the world of a Terminate. @param terminate what it says @param byPeer it was received
    void TraceTerminate(const RdmapTerminate& terminate, bool byPeer);
    void Reconcile();                                   //!< close what can be closed now
    void Perform(const RdmapClosing::Actions& actions); //!< @param actions what to do, in order
    void Finish();                                      //!< both directions are over
    void Notify(const MpaConnectionEvent& event);       //!< tell the layer above @param event what

    Ptr<MpaStream> m_mpa;                      //!< transport
    std::unique_ptr<RdmapEndpoint> m_endpoint; //!< the protocol
    Listener* m_listener{nullptr};             //!< the layer above
    bool m_negotiated{false};                  //!< ApplyNegotiated() was called
    bool m_established{false};                 //!< work goes out
    RdmapClosing m_closing;                    //!< how far the end has come
    bool m_pumping{false};                     //!< Pump() is at work
    bool m_chained{false};                     //!< a chain is being posted
    uint32_t m_behind{0};                      //!< what waited before it
    EventId m_finish;                          //!< tells the layer above that all is over
    RecordHostView m_hostView;                 //!< when programs see messages in their memory
    EventId m_begin;                           //!< when hardware has begun the next message
    bool m_ready{false};                       //!< it has, and the message was not taken yet

    LazyTracedCallback<RdmapOpcode, uint64_t> m_sentTrace;              //!< MessageSent
    LazyTracedCallback<RdmapOpcode, uint64_t> m_deliveredTrace;         //!< MessageDelivered
    LazyTracedCallback<RdmapOpcode, uint64_t> m_visibleTrace;           //!< MessageVisible
    LazyTracedCallback<const DdpHeader&, uint32_t, bool> m_placedTrace; //!< SegmentPlaced
    LazyTracedCallback<const RdmapTerminate&, bool> m_terminateTrace;   //!< Terminate
};

} // namespace ns3

#endif // RDMAP_STREAM_H
