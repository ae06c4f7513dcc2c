/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef TCP_DONT_FRAGMENT_H
#define TCP_DONT_FRAGMENT_H

#include "ns3/net-device.h"
#include "ns3/packet.h"
#include "ns3/traffic-control-layer.h"

#include <cstdint>

namespace ns3
{

class Ipv4QueueDiscItem;

/**
 * @ingroup iwarp-tcp
 * @brief Sends datagrams of a node that nobody may fragment: with the "don't fragment" bit (IPv4),
 * and not in fragments of the node's own (both versions of IP).
 *
 * ns-3's TCP always permits fragments, and has no way to say otherwise. So this stands where IP
 * hands datagrams to the traffic control layer; while there is a Mark, what comes by is marked. A
 * datagram that is larger than the link takes is dropped, and its sender hears of it as of one that
 * a router has dropped.
 *
 * What waits for ARP, which is the SYN, and what is sent while an entry of two minutes is renewed,
 * comes by when its Mark is gone, and leaves without the bit: ns-3 keeps a copy of its header in an
 * ArpCache::Entry, and tells nobody when it sends that. Only a tag on each segment, for whose
 * memory each would pay, could tell it from others then.
 */
class TcpDontFragment : public TrafficControlLayer
{
  public:
    /// As long as it lives, what the node sends is not to be fragmented.
    class Mark
    {
      public:
        /// @param layer of the node, or nullptr to mark nothing
        explicit Mark(TcpDontFragment* layer)
            : m_layer(layer)
        {
            if (m_layer)
            {
                ++m_layer->m_marks;
            }
        }

        ~Mark()
        {
            if (m_layer)
            {
                --m_layer->m_marks;
            }
        }

        Mark(const Mark&) = delete;
        Mark& operator=(const Mark&) = delete;

      private:
        TcpDontFragment* m_layer; //!< layer, or nullptr
    };

    /// As long as it lives, no Mark counts: for datagrams around those that are marked.
    class Pause
    {
      public:
        /// @param layer of the node, or nullptr where nothing is marked
        explicit Pause(TcpDontFragment* layer)
            : m_layer(layer),
              m_marks(layer ? layer->m_marks : 0)
        {
            if (m_layer)
            {
                m_layer->m_marks = 0;
            }
        }

        ~Pause()
        {
            if (m_layer)
            {
                m_layer->m_marks = m_marks;
            }
        }

        Pause(const Pause&) = delete;
        Pause& operator=(const Pause&) = delete;

      private:
        TcpDontFragment* m_layer; //!< layer, or nullptr
        uint32_t m_marks;         //!< marks that live
    };

    static TypeId GetTypeId(); //!< Get the type ID. @return the object TypeId

    /**
     * @brief Stand below IP at all interfaces that the node has now.
     * @param node a node with an internet stack
     * @return the layer; nullptr if the node has no traffic control layer
     */
    static Ptr<TcpDontFragment> Install(Ptr<Node> node);

    /// Tell whether there is a Mark. @return true if what is sent now is not to be fragmented
    bool IsMarking() const
    {
        return m_marks > 0;
    }

    /**
     * @brief Tell a connection that a segment is too large, behind what is sending now.
     * @param node of the connection, which has a TcpEndPointTable
     * @param source its address
     * @param destination of the datagram
     * @param payload of the datagram, behind IP's headers
     * @param mtu that it may take
     */
    static void NotifyTooBig(Ptr<Node> node,
                             Ipv4Address source,
                             Ipv4Address destination,
                             Ptr<const Packet> payload,
                             uint32_t mtu);
    /// As above, for IPv6. @param node it @param source its address @param destination of the
    /// datagram @param payload of it @param mtu that it may take
    static void NotifyTooBig(Ptr<Node> node,
                             Ipv6Address source,
                             Ipv6Address destination,
                             Ptr<const Packet> payload,
                             uint32_t mtu);

    void Send(Ptr<NetDevice> device, Ptr<QueueDiscItem> item) override;
    void Receive(Ptr<NetDevice> device,
                 Ptr<const Packet> packet,
                 uint16_t protocol,
                 const Address& from,
                 const Address& to,
                 NetDevice::PacketType type) override;

  protected:
    void DoDispose() override;

  private:
    /// @param device where it goes out @param item datagram of IPv4, while there is a Mark
    void SendIpv4(const Ptr<NetDevice>& device, const Ipv4QueueDiscItem& item);
    /// @param device where it goes out @param item datagram of IPv6 or another protocol, while
    /// there is a Mark @return what goes out, nullptr if it is a fragment
    Ptr<QueueDiscItem> Permit(const Ptr<NetDevice>& device, const Ptr<QueueDiscItem>& item);
    Ptr<TrafficControlLayer> m_next; //!< the node's own
    Node* m_node{nullptr};           //!< node, which outlives its interfaces
    uint32_t m_marks{0};             //!< marks that live
};

} // namespace ns3

#endif // TCP_DONT_FRAGMENT_H
