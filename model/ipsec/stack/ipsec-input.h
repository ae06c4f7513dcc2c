/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef IPSEC_INPUT_H
#define IPSEC_INPUT_H

#include "ns3/ip-l4-protocol.h"

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
class IpsecInput : public IpL4Protocol
{
  public:
    static TypeId GetTypeId(); //!< Get the type ID. @return the object TypeId

    /// @param stack of the node, which outlives this @param protocol number of the IP protocol
    IpsecInput(IpsecStack* stack, int protocol);

    int GetProtocolNumber() const override;
    RxStatus Receive(Ptr<Packet> packet,
                     const Ipv4Header& header,
                     Ptr<Ipv4Interface> interface) override;
    RxStatus Receive(Ptr<Packet> packet,
                     const Ipv6Header& header,
                     Ptr<Ipv6Interface> interface) override;
    void ReceiveIcmp(Ipv4Address source,
                     uint8_t ttl,
                     uint8_t type,
                     uint8_t code,
                     uint32_t info,
                     Ipv4Address from,
                     Ipv4Address to,
                     const uint8_t payload[8]) override;
    void ReceiveIcmp(Ipv6Address source,
                     uint8_t ttl,
                     uint8_t type,
                     uint8_t code,
                     uint32_t info,
                     Ipv6Address from,
                     Ipv6Address to,
                     const uint8_t payload[8]) override;
    // It sends nothing: these keep what they are told.
    void SetDownTarget(DownTargetCallback callback) override;
    void SetDownTarget6(DownTargetCallback6 callback) override;
    DownTargetCallback GetDownTarget() const override;
    DownTargetCallback6 GetDownTarget6() const override;

  private:
    /// @param payload of a packet of its protocol @return SPI; none if it does not begin with one
    std::optional<uint32_t> ReadSpi(const uint8_t payload[8]) const;

    IpsecStack* m_stack;         //!< of the node
    int m_protocol;              //!< IP protocol
    DownTargetCallback m_down;   //!< as told
    DownTargetCallback6 m_down6; //!< as told
};

} // namespace ns3

#endif // IPSEC_INPUT_H
