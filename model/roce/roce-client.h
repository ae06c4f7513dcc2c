/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef ROCE_CLIENT_H
#define ROCE_CLIENT_H

#include "roce-host.h"
#include "roce-sender.h"

#include "ns3/app-message-source.h"
#include "ns3/application.h"
#include "ns3/event-id.h"
#include "ns3/traced-callback.h"

#include <memory>

namespace ns3
{

/**
 * @ingroup iwarp-roce
 * @brief Sends messages to a RoceServer by RDMA Writes over a RoCE-like transport.
 *
 * A yardstick, no model of an adapter: a connection is there from the start, the number of its
 * queue pair is the port of Remote at both ends, its window never changes, and neither the marks of
 * queues nor round-trip times are heeded (no DCQCN, no TIMELY). Its packets are ECN-capable, so
 * that queues which mark do not drop them.
 */
class RoceClient : public Application, private RoceEnd, private iwarp::MessageSource::User
{
  public:
    /// Signature of MessagePosted and MessageAcknowledged. @param octets of the message
    typedef void (*MessageTracedCallback)(uint64_t octets);

    static TypeId GetTypeId(); //!< Get the type ID. @return the object TypeId
    RoceClient();
    ~RoceClient() override;

    /// Fix the random streams. @param stream first @return streams used
    int64_t AssignStreams(int64_t stream);

    /// Draw no more than so many messages, until another call allows more. @param messages from the
    /// first one on
    void Allow(uint64_t messages);

    /// Post a message as soon as QueueDepth allows, besides those that are drawn from MessageSizes
    /// and whatever their limits. @param size octets, 1 to 0xFFFFFFFF
    void Post(uint64_t size);

    uint64_t GetRefused() const;  //!< Count messages that found QueueDepth. @return messages
    uint64_t GetTimeouts() const; //!< Count timeouts. @return so far
    uint64_t GetNaks() const;     //!< Count what the server refused. @return NAKs that came

  protected:
    void DoDispose() override;

  private:
    void StartApplication() override;
    void StopApplication() override;
    void HandlePacket(const RoceHead& head, uint32_t payload, const Address& from) override;
    bool SendNext() override;

    // iwarp::MessageSource::User
    bool HasRoom() const override;
    void PostMessage(uint32_t number, uint64_t size) override;

    void Begin(uint64_t octets);   //!< the adapter knows of a message @param octets of it
    void Arm();                    //!< the timeout begins anew
    void Watch();                  //!< see whether it is over
    Time GetTimeoutLength() const; //!< @return the one that counts now

    Address m_remote;                       //!< see Remote
    RoceRecovery m_recovery;                //!< see Recovery
    uint32_t m_window;                      //!< see Window
    uint32_t m_payload;                     //!< see PacketPayload
    Time m_timeout;                         //!< see Timeout
    Time m_shortTimeout;                    //!< see ShortTimeout
    iwarp::MessageSource m_source;          //!< messages
    Ptr<RoceHost> m_host;                   //!< adapter
    Ptr<RocePath> m_way;                    //!< where packets go
    uint32_t m_queuePair{0};                //!< its number
    std::unique_ptr<RoceSender> m_sender;   //!< what goes next
    uint32_t m_announced{0};                //!< messages that the adapter does not know of yet
    uint64_t m_timeouts{0};                 //!< timeouts
    uint64_t m_naks{0};                     //!< NAKs
    Time m_since;                           //!< when the timeout began
    EventId m_watch;                        //!< looks at it
    Time m_watchTime;                       //!< then
    TracedCallback<uint64_t> m_postedTrace; //!< MessagePosted
    TracedCallback<uint64_t> m_ackedTrace;  //!< MessageAcknowledged
};

} // namespace ns3

#endif // ROCE_CLIENT_H
