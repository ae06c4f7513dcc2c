/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RNIC_IP_INPUT_H
#define RNIC_IP_INPUT_H

#include "ns3/callback.h"
#include "ns3/event-id.h"
#include "ns3/net-device.h"
#include "ns3/packet.h"
#include "ns3/rnic-ip-reassembly.h"

#include <cstdint>
#include <functional>

namespace ns3
{

class Node;
class TrafficControlLayer;

/**
 * @ingroup iwarp-rnic
 * @brief Stands between the devices of a node and its IP, and gives IP whole datagrams.
 *
 * Fragments of datagrams for this node go to an RnicIpReassembly; all else goes straight on. What
 * that has no room for, it reports to the sender: "fragmentation needed" (IPv4) or "packet too big"
 * (IPv6) with the size of the first fragment, which is known to have come through, at most the
 * link's MTU. Only first fragments are answered (RFC 1122 section 3.2.2). A datagram that is given
 * up is answered by "time exceeded", as ns-3 does.
 */
class RnicIpInput
{
  public:
    using Change = std::function<void()>; //!< called when the reassembly has changed

    /**
     * @brief Take the place between devices and IP. Interfaces that come later are not served.
     * @param node its interfaces have addresses
     * @param reassembly puts fragments together
     * @param change called whenever a fragment has come or been given up
     */
    RnicIpInput(Ptr<Node> node, Ptr<RnicIpReassembly> reassembly, Change change);
    ~RnicIpInput();
    RnicIpInput(const RnicIpInput&) = delete;
    RnicIpInput& operator=(const RnicIpInput&) = delete;

    uint64_t GetIcmpSent() const; //!< Count the datagrams that senders were told are too large.
                                  //!< @return ICMP messages sent

    void RestartStatistics(); //!< Begin to count anew.

  private:
    /// A packet comes in. @param device where @param packet with its IP header
    /// @param protocol EtherType @param from link address @param to link address @param type kind
    void Receive(Ptr<NetDevice> device,
                 Ptr<const Packet> packet,
                 uint16_t protocol,
                 const Address& from,
                 const Address& to,
                 NetDevice::PacketType type);
    void Register(); //!< in place of TrafficControlLayer
    /// @param packet with its IPv4 header @param[out] fragment what it brings
    /// @return false if it is damaged or for somebody else
    bool Read4(Ptr<const Packet> packet, RnicIpReassembly::Fragment& fragment) const;
    /// @param packet with its IPv6 and fragment headers @param[out] fragment what it brings
    /// @return false if it is damaged or for somebody else
    bool Read6(Ptr<const Packet> packet, RnicIpReassembly::Fragment& fragment) const;
    /// @param device where a fragment came in @param fragment it @return its datagram with an IP
    /// header if that is whole now, else nullptr
    Ptr<Packet> Reassemble(Ptr<NetDevice> device, const RnicIpReassembly::Fragment& fragment);
    /// @param first fragment, with its IP header @param ipv6 version @param mtu that its datagram
    /// may take
    void NotifyTooBig(Ptr<const Packet> first, bool ipv6, uint32_t mtu);
    void SendTimeExceeded(Ptr<const Packet> first); //!< @param first fragment, with its IP header
    void Expire();                                  //!< gives up what is late
    void Watch();                                   //!< schedules Expire()

    Node* m_node;                       //!< node, which outlives this
    TrafficControlLayer* m_up;          //!< way to IP, which outlives this
    Ptr<RnicIpReassembly> m_reassembly; //!< buffers
    Change m_change;                    //!< called on changes
    EventId m_expiry;                   //!< next Expire()
    uint64_t m_icmpSent{0};             //!< messages about datagrams too large
};

} // namespace ns3

#endif // RNIC_IP_INPUT_H
