/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMAP_STREAM_H
#define RDMAP_STREAM_H

#include "rdma-host-view.h"
#include "rdmap-endpoint.h"

#include "ns3/event-id.h"
#include "ns3/mpa-stream.h"
#include "ns3/object.h"
#include "ns3/traced-callback.h"

#include <memory>
#include <string>

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

        virtual void Established() = 0; //!< Work goes out from here on

        /// Startup has failed, there is no stream. @param error code, NONE if it has none
        /// @param reason for people
        virtual void StartupFailed(MpaError error, const std::string& reason) = 0;

        /// The peer has rejected the connection: its frame is MpaStream::GetPeerFrame(), and TCP is
        /// still open
        virtual void Rejected()
        {
        }

        /// TCP ended without an answer to an enhanced Request: the peer may know MPA revision 1
        /// only (RFC 6581 section 10). @return true if the layer above goes on with another
        /// stream: this one is over, and says nothing more
        virtual bool Unanswered()
        {
            return false;
        }

        /// A work request has ended. @param work the request @param status how @param octets
        /// octets moved
        virtual void WorkCompleted(const RdmapWork& work, RdmapStatus status, uint32_t octets) = 0;

        /// A message has used up a receive buffer. @param received the message
        virtual void Received(const RdmapReceived& received) = 0;

        /// The stream has failed; all work has been ended. @param terminate what is wrong
        /// @param byPeer the peer says so
        virtual void Failed(const RdmapTerminate& terminate, bool byPeer) = 0;

        virtual void PeerClosed() = 0; //!< The peer sends no more; this side still may

        virtual void Closed() = 0; //!< Both directions are over. Called once.
    };

    /// Signature of MessageSent, MessageDelivered and MessageVisible. @param opcode its kind
    /// @param octets its payload, of a Read Request that of its response
    typedef void (*MessageTracedCallback)(RdmapOpcode opcode, uint64_t octets);
    /// Signature of SegmentPlaced. @param header DDP header @param payload octets
    /// @param inOrder nothing before it was missing
    typedef void (*SegmentPlacedTracedCallback)(const DdpHeader& header,
                                                uint32_t payload,
                                                bool inOrder);
    /// Signature of Terminate. @param terminate what it says @param byPeer it was received
    typedef void (*TerminateTracedCallback)(const RdmapTerminate& terminate, bool byPeer);

    static TypeId GetTypeId(); //!< @return the object TypeId
    RdmapStream();
    ~RdmapStream() override;

    /**
     * @brief Join endpoint and transport, once, before startup ends. It becomes the MpaStream's
     * user. As Initiator it accepts the peer's frame.
     * @param mpa transport
     * @param config how the endpoint works; IRD and ORD are those used without enhanced startup
     * @param table STags of the node; outlives the stream
     * @param listener the layer above; outlives the stream, or is taken away by Detach()
     */
    void Open(Ptr<MpaStream> mpa,
              const RdmapConfig& config,
              DdpStagTable& table,
              Listener* listener);

    void Detach(); //!< Tell the layer above nothing more

    /**
     * @brief Ring the hardware's doorbell for a work request about to be posted; hardware has it
     * fetched already where others wait in front of it.
     * @param payload octets that it sends from host memory
     * @return true if the doorbell brings them along: RdmapWork::withDoorbell
     */
    bool RingDoorbell(uint64_t payload);

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

    bool IsEstablished() const;         //!< @return true once work goes out
    bool IsClosed() const;              //!< @return true when both directions are over
    Ptr<MpaStream> GetMpa() const;      //!< @return transport
    RdmapEndpoint* GetEndpoint() const; //!< @return the endpoint, nullptr before Open()

  protected:
    void DoDispose() override;

  private:
    // RdmapEndpoint::Listener
    void WorkCompleted(const RdmapWork& work, RdmapStatus status, uint32_t octets) override;
    void Received(const RdmapReceived& received) override;
    void MessageDelivered(RdmapOpcode opcode, const DdpDelivery& delivery) override;
    void Failed(const RdmapTerminate& terminate, bool byPeer) override;
    void OutputReady() override;

    // MpaStreamUser
    void HandleEstablished(MpaStream& mpa) override;
    void HandleRejected(MpaStream& mpa, const MpaStartupFrame& frame) override;
    uint64_t HandleUlpdu(MpaStream& mpa, const MpaUlpdu& ulpdu) override;
    void HandleDeliver(MpaStream& mpa, uint32_t count) override;
    void HandleRoom(MpaStream& mpa, uint32_t room) override;
    void HandleError(MpaStream& mpa, MpaError error, const std::string& reason) override;
    void HandleTerminate(MpaStream& mpa, MpaError error) override;

    void Begin();          //!< hardware begins with what is posted
    void Pump();           //!< hand ULPDUs to MPA while it takes them
    void TakeNegotiated(); //!< use what startup settled
    void SendIndication(); //!< queue the ready-to-receive indication
    void Settle();         //!< close what can be closed now
    void Finish();         //!< both directions are over

    Ptr<MpaStream> m_mpa;                      //!< transport
    std::unique_ptr<RdmapEndpoint> m_endpoint; //!< the protocol
    Listener* m_listener{nullptr};             //!< the layer above
    bool m_negotiated{false};                  //!< TakeNegotiated() was called
    bool m_established{false};                 //!< work goes out
    bool m_closing{false};                     //!< Close() was called
    bool m_shut{false};                        //!< nothing is sent any more
    bool m_peerClosed{false};                  //!< the peer sends no more
    bool m_closed{false};                      //!< both directions are over
    bool m_pumping{false};                     //!< Pump() is at work
    EventId m_finish;                          //!< tells the layer above that all is over
    RdmaHostView m_hostView;                   //!< when programs see messages in their memory
    Time m_doorbellAt;                         //!< when hardware begins with what is posted
    EventId m_doorbell;                        //!< that time

    TracedCallback<RdmapOpcode, uint64_t> m_sentTrace;              //!< MessageSent
    TracedCallback<RdmapOpcode, uint64_t> m_deliveredTrace;         //!< MessageDelivered
    TracedCallback<RdmapOpcode, uint64_t> m_visibleTrace;           //!< MessageVisible
    TracedCallback<const DdpHeader&, uint32_t, bool> m_placedTrace; //!< SegmentPlaced
    TracedCallback<const RdmapTerminate&, bool> m_terminateTrace;   //!< Terminate
};

} // namespace ns3

#endif // RDMAP_STREAM_H
