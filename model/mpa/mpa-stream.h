/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef MPA_STREAM_H
#define MPA_STREAM_H

#include "mpa-names.h"
#include "mpa-startup.h"
#include "mpa-stream-receiver.h"
#include "mpa-stream-sender.h"
#include "mpa-stream-traces.h"
#include "mpa-stream-user.h"
#include "mpa-tcp-socket.h"

#include "ns3/event-id.h"
#include "ns3/nstime.h"
#include "ns3/object.h"
#include "ns3/packet.h"

#include <optional>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup iwarp-mpa
 * @brief An MPA stream over an MpaTcpSocket: ULPDUs in, ULPDUs out (RFC 5044).
 *
 * The ULP (DDP, or an application) owns a connected MpaTcpSocket, may exchange streaming data over
 * it, and then hands it to a stream, once as Initiator and at the other end as Responder. From
 * StartInitiator() or StartResponder() until a rejection the stream owns the socket's callbacks.
 *
 * The life of a stream: startup frames (RFC 5044 section 7.1), the ULP's decision on the peer's
 * frame, Full Operation, and the end of each half connection. Every event reaches the ULP, which is
 * the stream's MpaStreamUser, and the world through a trace source.
 */
class MpaStream : public Object,
                  private MpaStreamReceiver::Listener,
                  private MpaTcpSocket::User,
                  private MpaStreamTraces
{
  public:
    /// Who decides about running without CRC (RFC 5044 section 4.4).
    enum class CrcPolicy : uint8_t
    {
        ALWAYS_ON,         //!< C=1 whatever the Crc attribute says
        ADMIN_MAY_DISABLE, //!< C=0 if the Crc attribute has been set to false
    };

    using DropReason = MpaDropReason; //!< why a received segment was dropped

    /// Signature of FpduSent. @param seq sequence number of the FPDU's first octet
    /// @param ulpduLength octets of its ULPDU @param wireSize its octets in the stream
    typedef void (*FpduSentTracedCallback)(uint32_t seq, uint32_t ulpduLength, uint32_t wireSize);
    /// Signature of ReassemblyMemory. @param oldHeld octets before @param newHeld octets after
    typedef void (*HeldTracedCallback)(uint64_t oldHeld, uint64_t newHeld);
    /// Signature of Passed. @param ulpdu what was validated @param wait time since its last octet
    /// arrived
    typedef void (*PassedTracedCallback)(const MpaUlpdu& ulpdu, Time wait);
    /// Signature of Delivered. @param count ULPDUs delivered now
    typedef void (*DeliveredTracedCallback)(uint32_t count);
    /// Signature of SegmentReceived. @param seq sequence number @param size octets @param report
    /// what it meant
    typedef void (*SegmentReceivedTracedCallback)(uint32_t seq,
                                                  uint32_t size,
                                                  const RecordSegmentReport& report);
    /// Signature of Classified. @param seq sequence number @param size octets
    /// @param headerAligned it begins with an FPDU @param fpduAligned and holds whole FPDUs only
    typedef void (*ClassifiedTracedCallback)(uint32_t seq,
                                             uint32_t size,
                                             bool headerAligned,
                                             bool fpduAligned);
    /// Signature of Drop. @param seq sequence number @param size octets @param reason why
    typedef void (*DropTracedCallback)(uint32_t seq, uint32_t size, DropReason reason);
    /// Signature of Error. @param error code @param reason for people
    typedef void (*ErrorTracedCallback)(MpaError error, const std::string& reason);
    /// Signature of StartupState. @param oldState before @param newState after
    typedef void (*StartupStateTracedCallback)(MpaStartup::State oldState,
                                               MpaStartup::State newState);

    static TypeId GetTypeId(); //!< Get the type ID. @return the object TypeId
    MpaStream();
    ~MpaStream() override;

    /**
     * @brief Give the stream its transport, before it is started.
     * @param socket an MpaTcpSocket; connected at the latest when the stream is started
     */
    void SetSocket(Ptr<MpaTcpSocket> socket);
    Ptr<MpaTcpSocket> GetSocket() const; //!< Reach the socket below. @return the transport

    /**
     * @brief Say what enhanced establishment is to negotiate, before the stream is started, a
     * Responder once more before Accept(); it takes part with attribute Revision 2 (RFC 6581).
     * @param config IRD, ORD and ready-to-receive indications
     */
    void SetEnhanced(const MpaEnhancedConfig& config);

    /// Tell whether a new connection with revision 1 is worth a try. @return true if the peer may
    /// know revision 1 only, see MpaStartup::MayRetryUnenhanced()
    bool MayRetryUnenhanced() const;

    /**
     * @brief Start as Initiator: send a Request and wait for the Reply.
     * @param privateData 0 to 512 octets for the Request
     * @return false if the arguments or the state do not allow it (an event of kind CONNECT_ERROR
     * tells why)
     */
    bool StartInitiator(const std::vector<uint8_t>& privateData = {});

    /**
     * @brief Start as Responder: wait for a Request.
     * @param lastMessage last streaming message to send before, or nullptr; no Request that
     *        answers it can be missed (RFC 5044 section 7.1.5)
     * @return false if the state does not allow it
     */
    bool StartResponder(Ptr<Packet> lastMessage = nullptr);

    /**
     * @brief Accept the peer's frame and enter Full Operation.
     * @param privateData for a Responder's Reply, 0 to 512 octets
     * @return false if the arguments or the state do not allow it
     */
    bool Accept(const std::vector<uint8_t>& privateData = {});

    /**
     * @brief Find the peer's Private Data unacceptable; a Responder sends a Reply with R=1.
     * @param privateData for that Reply, 0 to 512 octets
     * @return false if the arguments or the state do not allow it
     */
    bool Reject(const std::vector<uint8_t>& privateData = {});

    /**
     * @brief Send a ULPDU, in two parts so that a header needs no copy in front of its payload.
     *
     * A Responder's ULPDUs wait until it has validated the Initiator's first FPDU.
     * @param head first part
     * @param headSize octets of it
     * @param tail the rest; nullptr means that many zero octets
     * @param tailSize octets of the rest; both together 1 to 64768
     * @param source where its octets come from, for hardware below TCP
     * @return octets of the ULPDU; -1 if it was not taken: no room now (the Send callback tells
     * when there is), too long, or not in Full Operation. GetErrno() tells which.
     */
    int Send(const uint8_t* head,
             uint32_t headSize,
             const uint8_t* tail,
             uint32_t tailSize,
             const RecordSource& source = {});

    /**
     * @brief Send a ULPDU held in a packet.
     * @param ulpdu 1 to 64768 octets
     * @return as for the other Send()
     */
    int Send(Ptr<const Packet> ulpdu);

    /// Tell the reasons of a refusal apart. @return why the last Send() returned -1
    Socket::SocketErrno GetErrno() const;

    /// Find the MULPDU. @return largest ULPDU to post now (section 4.5): with DynamicMulpdu fitted
    /// to the segment being filled
    uint32_t GetMulpdu() const;
    /// Find the room for more FPDUs. @return octets of FPDUs that the send buffer takes now
    uint32_t GetTxAvailable() const;

    /**
     * @brief Give startup up for an error of this side that has no code of its own. CONNECT_ERROR
     * with code 5 follows, and TCP closes; if this end may send FPDUs and startup is enhanced,
     * HandleTerminate() comes first (RFC 6581 section 9.3).
     * @param reason for people
     */
    void FailStartup(const std::string& reason);

    /// Let nothing outlive an error for long: after TerminateTimeout, TCP is reset if it is not
    /// closed by both ends
    void LimitEnd();

    void ShutdownSend(); //!< End the sending half: FIN after all that was accepted (section 7.2)
    void Close();        //!< Close TCP and leave MPA

    /// Find the hardware below TCP that is told of segments. @return it; nullptr if there is none
    const RecordSegmentSink* GetSegmentSink() const;

    /// Tell whether hardware below TCP asks where ULPDUs lie. @return true if Send() is to be told
    bool WantsSources() const;

    /// Tell whether ULPDUs may go out. @return true if the sending half is in Full Operation
    bool CanSend() const;
    MpaStartup::State GetState() const; //!< Tell how far startup has come. @return state of startup
    /// See the terms of the connection. @return what startup settled, in Full Operation; what it
    /// will settle, from CONNECT_REQUEST or CONNECT_RESPONSE on; the peer's IRD and ORD, after
    /// REJECTED
    const MpaStartupResult& GetResult() const;
    /// See what the peer said at startup. @return its frame, once it is there; an empty one before
    const MpaStartupFrame& GetPeerFrame() const;
    /// Tell whether the peer sends no more. @return true after a FIN behind a whole FPDU
    bool IsPeerClosed() const;
    /// Count the octets that wait. @return octets in the reassembly memory
    uint64_t GetHeld() const;

    /**
     * @brief Name the layer above.
     * @param user who is told of events; stays until it is replaced or leaves by ClearUser().
     *        nullptr for nobody
     */
    void SetUser(MpaStreamUser* user);

    /// Tell whether the stream has its layer above. @return true if its user takes ULPDUs, and so
    /// does not only stand in for another one
    bool HasUser() const;

    /**
     * @brief A layer above goes away; nothing happens if another one has taken its place.
     * @param user who is told of nothing more
     */
    void ClearUser(MpaStreamUser* user);

  protected:
    void DoDispose() override;

  private:
    struct SocketEvents; //!< what the socket calls back

    // MpaStreamReceiver::Listener
    void Pass(const MpaUlpdu& ulpdu, RecordPlacementList* placements) override;
    void Deliver(uint32_t count) override;
    void Error(MpaError error, uint32_t seq) override;
    // MpaTcpSocket::User
    MpaTcpSocket::Verdict InspectSegment(SequenceNumber32 seq, Ptr<const Packet> packet) override;
    void EmssChanged(uint32_t emss) override;

    /// Create the startup machine. @param role role @return false if that can not be
    bool Begin(MpaRole role);
    /// Tell why a call is refused. @param reason for people @return false
    bool Refuse(const std::string& reason);
    /// Carry out what the startup machine says. @param actions actions in order
    void Perform(const MpaStartup::Actions& actions);
    void ReceiveStartup(); //!< startup octets are in the socket
    void EnableReceive();  //!< decode what comes from here on as FPDUs
    void EnableSend();     //!< FPDUs may be sent from here on
    void PrepareSend();    //!< the next octet that is sent is the first of FPDUs
    void HandleTimeout();  //!< the startup timer ran out
    /// Tell the ULP of an error. @param error code @param reason for people
    void Report(MpaError error, const std::string& reason);
    /// Tell the ULP that something is wrong, or over. @param kind kind of the event @param error
    /// code @param reason for people
    void Notify(MpaConnectionEvent::Kind kind, MpaError error, const std::string& reason);
    /// Tell the ULP of an event that the peer's frame goes with. @param kind its kind
    void NotifyFrame(MpaConnectionEvent::Kind kind);

    void HandleReceive();           //!< in-order octets are there
    void HandleSend(uint32_t room); //!< room in the send buffer @param room octets
    void HandleNormalClose();       //!< FIN or RST from the peer
    void HandleErrorClose();        //!< TCP failed
    void ReleaseSocket();           //!< give the socket's callbacks back

    // attributes
    bool m_markers{true}; //!< Markers wanted in what this end receives
    bool m_crc{true};     //!< CRC wanted
    bool m_echoCrc{true}; //!< a Reply to C=1 has C=1
    CrcPolicy m_crcPolicy{CrcPolicy::ADMIN_MAY_DISABLE}; //!< may CRC be off
    bool m_pathIntegrity{false};  //!< the path guards data as well as CRC32c would
    bool m_generateAnyway{false}; //!< CRC generated even if nobody checks
    MpaPersonality m_personality{MpaPersonality::IETF}; //!< kind of RNIC
    uint8_t m_revision{1};                              //!< highest revision spoken
    MpaEnhancedConfig m_enhanced;                       //!< see SetEnhanced()
    uint16_t m_privateDataLimit{512};                   //!< octets of Private Data the ULP takes
    bool m_closeOnReject{false};                        //!< close TCP on R=1
    bool m_waitForFirstFpdu{true};                      //!< Responder waits for a validated FPDU
    uint32_t m_framingAhead{0};   //!< unsent octets from which on nothing is framed; 0 for none
    bool m_dynamicMulpdu{false};  //!< offer what the segment being filled still takes
    bool m_refuseOversize{false}; //!< refuse ULPDUs above MULPDU
    bool m_peerClosed{false};     //!< no attribute: FIN seen
    bool m_lost{false};           //!< no attribute: connection loss reported
    Time m_startupTimeout;        //!< longest wait for the peer's whole frame
    Time m_terminateTimeout;      //!< longest life of TCP behind an error
    bool m_outOfOrder{true};      //!< pass FPDUs out of order
    mpa::CheckMarkers m_checkMarkers{mpa::CheckMarkers::ALL}; //!< which Markers are compared
    bool m_silentDrop{false};   //!< drop rather than report codes 2 and 3
    bool m_strictLength{false}; //!< ULPDU_Length 0 or over 64768 is an error
    uint32_t m_records{8192};   //!< records at which segments out of order are refused
    uint64_t m_memory{0};       //!< octets of reassembly memory

    Ptr<MpaTcpSocket> m_socket;          //!< transport
    std::optional<MpaStartup> m_startup; //!< startup machine, once started
    EventId m_startupTimer;              //!< runs while the peer's frame is awaited
    MpaStreamReceiver m_receiver;        //!< receiving half
    MpaStreamSender m_sender;            //!< sending half
    MpaStreamUser* m_user;               //!< told of events
};

} // namespace ns3

#endif // MPA_STREAM_H
