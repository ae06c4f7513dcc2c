/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef PATH_IP_INPUT_H
#define PATH_IP_INPUT_H

#include "ns3/net-device.h"
#include "ns3/node.h"
#include "ns3/ptr.h"
#include "ns3/simple-ref-count.h"
#include "ns3/util-ip-traits.h"

#include <cstdint>
#include <unordered_set>

namespace ns3
{

class TrafficControlLayer;

/**
 * @ingroup iwarp-path
 * @brief Hands what a node's devices receive to IP, in the same time however many devices there
 * are.
 *
 * For each packet ns-3's node looks through the handlers of all its devices, and its traffic
 * control, which does nothing else with what comes in, through as many. One handler of all devices
 * stands in for them: datagrams of devices that it knows go to IP, and ARP's packets to traffic
 * control. Devices that get an interface later keep handlers of their own.
 *
 * @tparam V Ipv4Traits or Ipv6Traits
 */
template <typename V>
class PathIpInput : public SimpleRefCount<PathIpInput<V>>
{
  public:
    /// Make one that knows no device. @param node with this version of IP and traffic control
    explicit PathIpInput(const Ptr<Node>& node);

    /// Know a device. @param device of the node, whose interface was the last that IP got
    void Add(const Ptr<NetDevice>& device);

  private:
    /// Receive from any device. @param device where @param packet it @param protocol EtherType
    /// @param from sender @param to receiver @param type of packet
    void Receive(Ptr<NetDevice> device,
                 Ptr<const Packet> packet,
                 uint16_t protocol,
                 const Address& from,
                 const Address& to,
                 NetDevice::PacketType type);

    Node* m_node;                                 //!< where
    typename V::Ip* m_ip;                         //!< IP there
    TrafficControlLayer* m_control;               //!< traffic control there
    std::unordered_set<const NetDevice*> m_known; //!< devices
};

extern template class PathIpInput<Ipv4Traits>;
extern template class PathIpInput<Ipv6Traits>;

} // namespace ns3

#endif // PATH_IP_INPUT_H
