/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef TCP_IPV6_FLOW_LABELS_H
#define TCP_IPV6_FLOW_LABELS_H

#include "ns3/ipv6-header.h"
#include "ns3/node.h"
#include "ns3/nstime.h"
#include "ns3/packet.h"
#include "ns3/traffic-control-layer.h"

#include <cstdint>

namespace ns3
{

/**
 * @ingroup iwarp-tcp
 * @brief Gives what a node sends by IPv6 the flow labels of its flows (RFC 6437), by which routers
 * tell flows apart whose ports ESP, a tunnel or fragments hide (RFC 6438).
 *
 * A label is a hash of addresses, protocol and, of TCP and UDP, ports: the same for all datagrams
 * of a flow, whole or in fragments, spread evenly over 1 to 0xFFFFF. Who sends a flow on within
 * another datagram says by a Mark which label that gets. What a node forwards keeps its label.
 *
 * ns-3's IPv6 gives each datagram the label 1, and has no way to say otherwise. So this hears of
 * each datagram that the node sends itself, and changes it where IP hands it to the traffic control
 * layer. What waits for neighbour discovery leaves as ns-3 made it.
 */
class Ipv6FlowLabels : public Object
{
  public:
    /// As long as it lives, what the node sends is of a flow that someone else knows.
    class Mark
    {
      public:
        /// @param labels of the node, or nullptr where there are none @param hash of the flow
        Mark(Ipv6FlowLabels* labels, uint64_t hash);
        ~Mark();
        Mark(const Mark&) = delete;
        Mark& operator=(const Mark&) = delete;

      private:
        Ipv6FlowLabels* m_labels; //!< where it counts, or nullptr
        uint32_t m_before;        //!< label that counted before
    };

    static constexpr uint32_t LARGEST = 0xFFFFF; //!< largest label: there are 20 bits

    static TypeId GetTypeId(); //!< Get the type ID. @return the object TypeId

    /**
     * @brief Have a node label what it sends.
     * @param node with IPv6 and all its interfaces
     * @return its labels; nullptr if the node has no IPv6
     */
    static Ptr<Ipv6FlowLabels> Install(Ptr<Node> node);

    /// Tell whether labels come through routers. ns-3.35 loses them where it reads a header. @return
    /// whether they do
    static bool AreCarried();

    /// Make a label of a hash. @param hash of a flow @return 1 to LARGEST: 0 is of no flow (RFC
    /// 6437 section 2)
    static uint32_t MakeLabel(uint64_t hash);

    /// Tell which label a datagram of the node gets. @param header of IP @param packet behind it,
    /// whole, or nullptr @return label
    uint32_t GetLabel(const Ipv6Header& header, const Ptr<const Packet>& packet) const;

    /// Tell which label a header leaves with, while it is being sent. @param header of IP, as IP
    /// made it @return label: that of the header if the node forwards it
    uint32_t GetSent(const Ipv6Header& header) const;

    /// Get what stands below IP. @return the layer that datagrams go by
    Ptr<TrafficControlLayer> GetLayer() const;

  protected:
    void DoDispose() override;

  private:
    /// IPv6's SendOutgoing. @param header of IP @param packet behind it @param interface not used
    void NotifySending(const Ipv6Header& header, Ptr<const Packet> packet, uint32_t interface);

    /// A datagram of the node, which goes out in one piece or several.
    struct Sending
    {
        Ipv6Address source;      //!< of the header
        Ipv6Address destination; //!< of the header
        Time time{-1};           //!< when
        uint32_t label{0};       //!< of all its pieces
    };

    Ptr<TrafficControlLayer> m_layer; //!< below IP
    Sending m_sending;                //!< the last one
    uint32_t m_marked{0};             //!< label of the Mark that lives; 0: there is none
};

} // namespace ns3

#endif // TCP_IPV6_FLOW_LABELS_H
