/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef ROCE_CLIENT_H
#define ROCE_CLIENT_H

#include "roce-congestion-ops.h"
#include "roce-host.h"
#include "roce-pacer.h"
#include "roce-sender.h"

#include "ns3/app-message-source.h"
#include "ns3/application.h"
#include "ns3/event-id.h"
#include "ns3/traced-callback.h"

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace ns3
{

/**
 * @ingroup iwarp-roce
 * @brief Sends messages to a RoceServer by RDMA Writes over RoCE.
 *
 * A connection is there from the start, the number of its queue pair is the port of Remote at both
 * ends, its window never changes, and its rate is that of its Congestion, if that is a class which
 * controls one. Its packets are ECN-capable. Messages are written one behind the other from virtual
 * address 0 on, to a memory region whose R_Key is the queue pair's number.
 */
class RoceClient : public Application, private RoceEnd, private iwarp::MessageSource::User
{
  public:
    /// Signature of MessagePosted and MessageAcknowledged. @param octets of the message
    typedef void (*MessageTracedCallback)(uint64_t octets);
    /// Signature of Rate. @param rate at which it may send from now on, bit/s
    typedef void (*RateTracedCallback)(double rate);
    /// Signature of Failed. @param reason why nothing more is sent
    typedef void (*FailedTracedCallback)(const std::string& reason);

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
    uint64_t GetCnps() const;     //!< Count congestion notifications. @return CNPs that came
    /// Tell at which rate it could send. @return bit/s, the mean over the time in which it had
    /// packets to send; nothing if its rate is not controlled
    std::optional<double> GetMeanRate() const;

  protected:
    void DoDispose() override;

  private:
    void StartApplication() override;
    void StopApplication() override;
    bool HandlePacket(const RoceArrival& arrival) override;
    bool SendNext() override;

    // iwarp::MessageSource::User
    bool HasRoom() const override;
    void PostMessage(uint32_t number, uint64_t size) override;

    void Begin(uint64_t octets);             //!< the adapter knows of a message @param octets of it
    void Arm();                              //!< the timeout begins anew
    void Watch();                            //!< see whether it is over
    Time GetTimeoutLength() const;           //!< @return the one that counts now
    void HandleAnswer(const RoceHead& head); //!< @param head of an ACK or NAK

    void StartControl(); //!< the rate is controlled from now on, if it is
    bool CheckRate();    //!< @return whether the rate lets a packet go now; it waits otherwise
    void UpdateRate();   //!< ask for the rate
    void CountRate();    //!< count it over the time in which there were packets to send
    void Wake();         //!< it may let one go now
    /// A packet goes. @param segment it @param head of it @return whether it completes a burst
    bool Charge(const RoceSegment& segment, const RoceHead& head);
    void SampleRoundTrips(); //!< tell of bursts that are acknowledged

    Address m_remote;                     //!< see Remote
    RoceRecovery m_recovery;              //!< see Recovery
    uint32_t m_window;                    //!< see Window
    uint32_t m_payload;                   //!< see PacketPayload
    Time m_timeout;                       //!< see Timeout
    Time m_shortTimeout;                  //!< see ShortTimeout
    uint32_t m_retryCount;                //!< see RetryCount
    iwarp::MessageSource m_source;        //!< messages
    Ptr<RoceHost> m_host;                 //!< adapter
    Ptr<RocePath> m_way;                  //!< where packets go
    uint32_t m_queuePair{0};              //!< its number
    std::unique_ptr<RoceSender> m_sender; //!< what goes next
    uint32_t m_announced{0};              //!< messages that the adapter does not know of yet
    Time m_begun;                         //!< when it knows of the last one
    uint64_t m_timeouts{0};               //!< timeouts
    uint32_t m_retries{0};                //!< of these, in a row without news
    uint64_t m_naks{0};                   //!< NAKs
    Time m_since;                         //!< when the timeout began
    EventId m_watch;                      //!< looks at it
    Time m_watchTime;                     //!< then
    TypeId m_congestionType;              //!< see Congestion
    Ptr<RoceCongestionOps> m_congestion;  //!< what controls the rate; null if nothing does
    std::optional<RocePacer> m_pacer;     //!< spaces packets, with it
    double m_line{0};                     //!< rate of the link, bit/s
    PathFraming m_framing{};              //!< what a datagram costs there
    double m_rate{0};                     //!< allowed rate, bit/s
    Time m_rateSince;                     //!< when it was asked for
    double m_rateBits{0};                 //!< rate over time, bits
    double m_rateSeconds{0};              //!< that time, s
    EventId m_wake;                       //!< lets a packet go
    Time m_wakeTime;                      //!< then
    /// Ends of bursts under way: number of the last packet, and when it has left
    std::deque<std::pair<uint64_t, Time>> m_bursts;
    uint64_t m_cnps{0};                               //!< CNPs
    TracedCallback<double> m_rateTrace;               //!< Rate
    TracedCallback<uint64_t> m_postedTrace;           //!< MessagePosted
    TracedCallback<uint64_t> m_ackedTrace;            //!< MessageAcknowledged
    TracedCallback<const std::string&> m_failedTrace; //!< Failed
};

} // namespace ns3

#endif // ROCE_CLIENT_H
