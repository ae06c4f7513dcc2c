/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef IPSEC_INPUT_H
#define IPSEC_INPUT_H

#include "ns3/icmpv6-l4-protocol.h"
#include "ns3/util-ip-l4-relay.h"

#include <cstdint>
#include <optional>

namespace ns3
{

class IpsecStack;

/**
 * @ingroup iwarp-ipsec
 * @brief Stands between IP and what IP delivers of a protocol to, and shows datagrams to
 * IpsecStack: ESP, and TCP, UDP and ICMP that come without protection.
 */
class IpsecInput : public IpL4Relay<IpsecInput>
{
  public:
    static TypeId GetTypeId(); //!< Get the type ID. @return the object TypeId

    /// @param stack of the node, which outlives this @param protocol number of the IP protocol
    IpsecInput(IpsecStack* stack, int protocol);

    int GetProtocolNumber() const override;

  private:
    friend class IpL4Relay<IpsecInput>; // calls these two

    /// @param packet behind IP's header @param header of IP @param interface where it came in
    /// @return status
    template <typename H, typename I>
    RxStatus DoReceive(const Ptr<Packet>& packet, const H& header, const Ptr<I>& interface);
    /// @param message of ICMP about a packet of the protocol
    template <typename V>
    void DoReceiveIcmp(const IpIcmpMessage<V>& message);
    /// @param payload of a packet of its protocol @return SPI; none if it does not begin with one
    std::optional<uint32_t> ReadSpi(const uint8_t payload[8]) const;

    IpsecStack* m_stack; //!< of the node
    int m_protocol;      //!< IP protocol
};

/**
 * @ingroup iwarp-ipsec
 * @brief IpsecInput of ICMPv6 that is ICMPv6 as well, since interfaces of ns-3 whose links have
 * neighbour discovery (RFC 4861) ask what receives ICMPv6 there for their neighbours' addresses.
 * The node's own ICMPv6 does that for it.
 */
class IpsecIcmpv6Input : public IpL4Relay<IpsecIcmpv6Input, Icmpv6L4Protocol>
{
  public:
    static TypeId GetTypeId(); //!< Get the type ID. @return the object TypeId

    /// @param icmp of the node @param input gets what comes
    IpsecIcmpv6Input(Ptr<Icmpv6L4Protocol> icmp, Ptr<IpL4Protocol> input);

    void SendNS(Ipv6Address src, Ipv6Address dst, Ipv6Address target, Address hardware) override;

  protected:
    void NotifyConstructionCompleted() override; //!< takes the attributes of the node's ICMPv6
    void DoDispose() override;

  private:
    Ptr<Icmpv6L4Protocol> m_icmp; //!< of the node
};

} // namespace ns3

#endif // IPSEC_INPUT_H
