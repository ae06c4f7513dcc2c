/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef IPSEC_INPUT_H
#define IPSEC_INPUT_H

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

} // namespace ns3

#endif // IPSEC_INPUT_H
