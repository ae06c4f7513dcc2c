/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef ROCE_SERVER_H
#define ROCE_SERVER_H

#include "roce-host.h"
#include "roce-notification-point.h"
#include "roce-receiver.h"

#include "ns3/application.h"
#include "ns3/nstime.h"
#include "ns3/traced-callback.h"

#include <memory>
#include <optional>
#include <vector>

namespace ns3
{

/**
 * @ingroup iwarp-roce
 * @brief Gets messages from one RoceClient.
 */
class RoceServer : public Application, private RoceEnd
{
  public:
    /// Signature of PacketPlaced. @param octets of payload @param delay until the host has them
    typedef void (*PlacedTracedCallback)(uint32_t octets, Time delay);
    /// Signature of MessageReceived. @param octets of the message
    typedef void (*MessageTracedCallback)(uint64_t octets);

    static TypeId GetTypeId(); //!< Get the type ID. @return the object TypeId
    RoceServer();
    ~RoceServer() override;

    uint64_t GetDropped() const; //!< Count what found no room. @return packets
    uint64_t GetMarked() const;  //!< Count what came marked, with CnpInterval. @return packets
    uint64_t GetCnps() const;    //!< Count congestion notifications. @return CNPs sent
    uint64_t GetEarly() const; //!< Count what came behind a hole. @return packets that were placed

  protected:
    void DoDispose() override;

  private:
    void StartApplication() override;
    void StopApplication() override;
    bool HandlePacket(const RoceArrival& arrival) override;
    bool SendNext() override;
    void Place(const RoceArrival& arrival,
               uint32_t frame);            //!< @param arrival of data @param frame octets
    void HandleMark();                     //!< a packet came marked
    void Notify(uint64_t octets);          //!< the host knows @param octets of a message
    void Answer(const RoceAnswer& answer); //!< @param answer to be sent

    uint32_t m_queuePair;                         //!< see QueuePair
    RoceRecovery m_recovery;                      //!< see Recovery
    uint32_t m_window;                            //!< see Window
    uint32_t m_period;                            //!< see AckPeriod
    Ptr<RoceHost> m_host;                         //!< adapter
    Ptr<RocePath> m_way;                          //!< to the client, once it is known
    std::unique_ptr<RoceReceiver> m_receiver;     //!< what has come
    Time m_cnpInterval;                           //!< see CnpInterval
    std::optional<RoceNotificationPoint> m_point; //!< when CNPs go, if any do
    std::vector<uint64_t> m_messages;             //!< that a packet completes
    uint64_t m_dropped{0};                        //!< packets
    uint64_t m_early{0};                          //!< packets
    uint64_t m_marked{0};                         //!< packets
    uint64_t m_cnps{0};                           //!< CNPs
    TracedCallback<uint64_t> m_messageTrace;      //!< MessageReceived
    TracedCallback<uint32_t, Time> m_placedTrace; //!< PacketPlaced
};

} // namespace ns3

#endif // ROCE_SERVER_H
