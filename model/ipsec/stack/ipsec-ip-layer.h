/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef IPSEC_IP_LAYER_H
#define IPSEC_IP_LAYER_H

#include "ipsec-association.h"

#include "ns3/ip-l4-protocol.h"
#include "ns3/node.h"
#include "ns3/util-ip-traits.h"

#include <cstdint>
#include <type_traits>
#include <utility>

namespace ns3
{

class Ipv6FlowLabels;
class TcpDontFragment;
class TcpEndPointTable;

/// @ingroup iwarp-ipsec
/// @brief A datagram on its way out.
template <typename V>
struct IpsecOutgoing
{
    Ptr<Packet> packet;           //!< behind IP's header
    typename V::Address from;     //!< source
    typename V::Address to;       //!< destination
    uint8_t protocol;             //!< next layer protocol
    Ptr<typename V::Route> route; //!< as TCP found it, or nullptr
    bool whole;                   //!< it is not to be fragmented
};

/**
 * @ingroup iwarp-ipsec
 * @brief IP of a node as IPsec uses it: datagrams, outer headers and ICMP go out by it.
 */
class IpsecIpLayer
{
  public:
    /// Begin. @param node with an internet stack, which outlives this
    void Start(Node* node);
    Node* GetNode() const; //!< Get the node. @return it, or nullptr before Start()
    /// Set the way to IP. @param down of IPv4 @param down6 of IPv6
    void SetDownTargets(const IpL4Protocol::DownTargetCallback& down,
                        const IpL4Protocol::DownTargetCallback6& down6);
    /// Set who knows what is not to be fragmented. @param table of the node, or nullptr
    void SetTable(TcpEndPointTable* table);
    /// Set who gives what the node sends flow labels. @param labels of the node, or nullptr
    void SetLabels(Ipv6FlowLabels* labels);
    Ipv6FlowLabels* GetLabels() const; //!< Get who does. @return it, or nullptr
    void Clear();                      //!< Forget the way to IP.

    /// Get the node's version of IP. @return it, or nullptr
    template <typename V>
    typename V::Ip* GetIp() const
    {
        if constexpr (std::is_same_v<V, Ipv4Traits>)
        {
            return m_ip4;
        }
        else
        {
            return m_ip6;
        }
    }

    /// Get what headers made for the node have. @return time to live, or hop limit
    template <typename V>
    uint8_t GetHops() const
    {
        return std::is_same_v<V, Ipv4Traits> ? m_hops : m_hops6;
    }

    TcpDontFragment* GetMarks() const; //!< Get what keeps datagrams whole. @return it, or nullptr
    uint16_t AllocateIdentification(); //!< Allocate one of an IPv4 header. @return it
    /// Find the MTU of a link. @param destination of a tunnel @return MTU of the link that leads
    /// there
    uint32_t FindLinkMtu(const IpsecAddress& destination) const;
    /// Hand a datagram to IP. @param datagram it @param protocol next layer protocol
    void Down(const IpsecOutgoing<Ipv4Traits>& datagram, uint8_t protocol);
    /// As above, for IPv6. @param datagram it @param protocol next layer protocol
    void Down(const IpsecOutgoing<Ipv6Traits>& datagram, uint8_t protocol);
    /// Hand ESP in transport mode to IP. @param datagram it @param protocol ESP's or UDP's
    /// @param entropy of what is protected, see GetIpsecEntropy()
    template <typename V>
    void DownProtected(const IpsecOutgoing<V>& datagram, uint8_t protocol, uint64_t entropy);

    /// Hand the parts of a datagram to IP, as IpL4Protocol::DownTargetCallback has them.
    /// @param packet behind IP's header @param from source @param to destination @param protocol
    /// next layer protocol @param route or nullptr
    void Down(Ptr<Packet> packet,
              Ipv4Address from,
              Ipv4Address to,
              uint8_t protocol,
              Ptr<Ipv4Route> route)
    {
        m_down(std::move(packet), from, to, protocol, std::move(route));
    }

    /// As above, for IPv6. @param packet behind IP's header @param from source @param to
    /// destination
    /// @param protocol next layer protocol @param route or nullptr
    void Down(Ptr<Packet> packet,
              Ipv6Address from,
              Ipv6Address to,
              uint8_t protocol,
              Ptr<Ipv6Route> route)
    {
        m_down6(std::move(packet), from, to, protocol, std::move(route));
    }

    /// Send a packet with an outer header. @param packet ESP @param association of the tunnel
    /// @param protocol of the packet @param tos of the outer header @param whole nobody may divide
    /// it @param entropy of what is within, see GetIpsecEntropy()
    void SendOuter(const Ptr<Packet>& packet,
                   const IpsecAssociation& association,
                   uint8_t protocol,
                   uint8_t tos,
                   bool whole,
                   uint64_t entropy);
    /// Tell a sender by ICMP. @param packet too big @param header of IP @param mtu that fits
    void NotifyTooBig(const Ptr<Packet>& packet, const Ipv4Header& header, uint32_t mtu);
    /// As above, for IPv6. @param packet too big @param header of IP @param mtu that fits
    void NotifyTooBig(const Ptr<Packet>& packet, const Ipv6Header& header, uint32_t mtu);

  private:
    Node* m_node{nullptr};                     //!< node
    Ipv4L3Protocol* m_ip4{nullptr};            //!< its IPv4, or nullptr
    Ipv6L3Protocol* m_ip6{nullptr};            //!< its IPv6, or nullptr
    IpL4Protocol::DownTargetCallback m_down;   //!< way to IPv4
    IpL4Protocol::DownTargetCallback6 m_down6; //!< way to IPv6
    TcpEndPointTable* m_table{nullptr};        //!< knows what is not to be fragmented, or nullptr
    Ipv6FlowLabels* m_labels{nullptr};         //!< labels flows, or nullptr
    uint8_t m_hops{0};                         //!< see GetHops()
    uint8_t m_hops6{0};                        //!< see GetHops()
    uint16_t m_identification{0};              //!< next one of IPv4 headers made here
};

} // namespace ns3

#endif // IPSEC_IP_LAYER_H
