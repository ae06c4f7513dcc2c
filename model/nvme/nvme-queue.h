/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef NVME_QUEUE_H
#define NVME_QUEUE_H

#include "nvme-data.h"
#include "nvme-framing.h"
#include "nvme-machine.h"

#include "ns3/event-id.h"
#include "ns3/nstime.h"
#include "ns3/object.h"
#include "ns3/record-stream.h"
#include "ns3/socket.h"
#include "ns3/traced-callback.h"

#include <cstdint>

namespace ns3
{

class NvmeQueue;

/// @ingroup iwarp-nvme
/// @brief Who uses a queue, at either end.
class NvmeQueueUser
{
  public:
    /// Capsules may go. @param queue which
    virtual void HandleReady(NvmeQueue& queue) = 0;
    /// Data of a command have come, whose digest is good; those of a command come in order.
    /// @param queue where @param cid of the command @param offset in its data @param octets they
    virtual void HandleData(NvmeQueue& queue,
                            uint16_t cid,
                            uint32_t offset,
                            const Ptr<Packet>& octets) = 0;
    /// Nothing more comes of the connection; commands under way are over. @param queue which @param
    /// end why
    virtual void HandleEnd(NvmeQueue& queue, const NvmeEnd& end) = 0;

  protected:
    ~NvmeQueueUser() = default;
};

/**
 * @ingroup iwarp-nvme
 * @brief One end of an NVMe/TCP connection, that is of a Submission Queue and its Completion Queue:
 * PDUs over a TCP socket of any kind, on which they are records. See NvmeHostQueue,
 * NvmeControllerQueue.
 *
 * A PDU is handed to TCP as soon as there is room for it; where it has to wait, what waits behind
 * it may still change its order. Over a RecordTcpSocket, such as MpaTcpSocket, PDUs are aligned
 * with segments if the socket's attribute Alignment says so.
 */
class NvmeQueue : public Object, protected NvmeMachine::Listener, private RecordStream::User
{
  public:
    /// Signature of PduSent. @param pdu header
    typedef void (*PduTracedCallback)(const NvmePdu& pdu);
    /// Signature of PduReceived. @param pdu header @param offset octets of the stream before it
    /// @param good its data digest is, if it has one
    typedef void (*PduReceivedTracedCallback)(const NvmePdu& pdu, uint64_t offset, bool good);
    /// Signature of Payload. @param octets how many
    typedef void (*PayloadTracedCallback)(uint64_t octets);
    /// Signature of SegmentClassified. @param header it began with a PDU @param whole and held
    /// whole PDUs only
    typedef void (*ClassifiedTracedCallback)(bool header, bool whole);
    /// Signature of Held. @param before octets @param after octets
    typedef void (*HeldTracedCallback)(uint64_t before, uint64_t after);
    /// Signature of SegmentDropped.
    typedef void (*DroppedTracedCallback)();
    /// Signature of Ended. @param end why
    typedef void (*EndedTracedCallback)(const NvmeEnd& end);

    static TypeId GetTypeId(); //!< Get the type ID. @return the object TypeId
    NvmeQueue();
    ~NvmeQueue() override;

    /// Begin. @param socket connected, and nothing was read of it
    void Open(Ptr<Socket> socket);
    void Close(); //!< End the connection: FIN behind what TCP has; nothing is told of it

    bool IsReady() const;          //!< Tell whether capsules may go. @return true then
    Ptr<Socket> GetSocket() const; //!< Reach the socket. @return it; nullptr without
    /// Find what the socket can do with PDUs. @return it if it keeps their boundaries; nullptr
    /// otherwise
    Ptr<RecordTcpSocket> GetRecordSocket() const;
    const NvmeTerms& GetTerms() const; //!< Get what both ends have settled. @return terms

    /// Begin to count data as payload: what comes from here on is shown by Payload.
    void StartCounting();
    /// Tell whether data count as payload. @return true from StartCounting() on
    bool IsCounting() const;

  protected:
    void DoDispose() override;
    /// Send what is to be sent, as far as TCP takes it.
    void SendWaiting();

    bool m_headerDigest;  //!< see HeaderDigest
    bool m_dataDigest;    //!< see DataDigest
    uint32_t m_alignment; //!< see DataAlignment
    uint32_t m_maxR2t;    //!< see MaxR2t

  private:
    /// Make the machine by the attributes. @return it
    virtual NvmeMachine& MakeMachine() = 0;
    virtual NvmeQueueUser* GetUser() const = 0; //!< @return who uses it; nullptr if nobody does
    /// @param cid of a command @return data of it that go to the peer
    virtual NvmeData GetData(uint16_t cid) const = 0;

    // NvmeMachine::Listener
    void HandleReady(const NvmeTerms& terms) override;
    void HandleData(uint16_t cid, uint32_t offset, uint32_t size) override;
    void HandleEnd(const NvmeEnd& end) override;

    // RecordStream::User
    void HandleRecord(const Ptr<Packet>& record, const RecordHead& head) override;
    void HandlePayload(uint64_t octets) override;
    void HandleHead(const uint8_t* octets, const RecordHead& head) override;
    void HandleRoom() override;
    void HandleEnd(RecordStream::End end) override;
    void HandleClassified(bool header, bool whole) override;
    void HandleHeld(uint64_t before, uint64_t after) override;
    void HandleDropped() override;

    /// @param out PDU @return its octets
    Ptr<Packet> MakePacket(const NvmeOutgoing& out) const;
    void BeginService();  //!< hardware and software may work on PDUs, once that can be said
    void Settle();        //!< the machine has been told something: send, end, watch the clock
    void HandleTimeout(); //!< the clock has run out

    Time m_startupTimeout;           //!< see StartupTimeout
    Time m_terminateTimeout;         //!< see TerminateTimeout
    NvmeFraming m_framing;           //!< of both directions
    Ptr<RecordStream> m_stream;      //!< the connection
    NvmeMachine* m_machine{nullptr}; //!< what happens on it
    Ptr<Packet> m_record;            //!< PDU at hand
    uint32_t m_dataOffset{0};        //!< octets of it in front of its data
    bool m_good{true};               //!< its data are good
    bool m_counting{false};          //!< see StartCounting()
    bool m_served{false};            //!< BeginService() has said it
    uint64_t m_received{0};          //!< octets of PDUs that have come
    EventId m_timer;                 //!< for startup, or for the peer to end TCP

    TracedCallback<const NvmePdu&> m_sentTrace;                     //!< PduSent
    TracedCallback<const NvmePdu&, uint64_t, bool> m_receivedTrace; //!< PduReceived
    TracedCallback<uint64_t> m_payloadTrace;                        //!< Payload
    TracedCallback<bool, bool> m_classifiedTrace;                   //!< SegmentClassified
    TracedCallback<uint64_t, uint64_t> m_heldTrace;                 //!< Held
    TracedCallback<> m_droppedTrace;                                //!< SegmentDropped
    TracedCallback<const NvmeEnd&> m_endedTrace;                    //!< Ended
};

} // namespace ns3

#endif // NVME_QUEUE_H
