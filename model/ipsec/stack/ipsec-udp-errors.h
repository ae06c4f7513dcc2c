/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef IPSEC_UDP_ERRORS_H
#define IPSEC_UDP_ERRORS_H

#include "ns3/ip-l4-protocol.h"

namespace ns3
{

/**
 * @ingroup iwarp-ipsec
 * @brief Stands before a node's UDP and picks out the ICMP messages that are about ESP in UDP (RFC
 * 3948), for whoever heeds those about ESP; everything else goes on.
 */
class IpsecUdpErrors : public IpL4Protocol
{
  public:
    static TypeId GetTypeId(); //!< Get the type ID. @return the object TypeId

    /// @param esp gets the messages @param udp gets everything else
    IpsecUdpErrors(Ptr<IpL4Protocol> esp, Ptr<IpL4Protocol> udp);

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
    void SetDownTarget(DownTargetCallback callback) override;
    void SetDownTarget6(DownTargetCallback6 callback) override;
    DownTargetCallback GetDownTarget() const override;
    DownTargetCallback6 GetDownTarget6() const override;

  protected:
    void DoDispose() override;

  private:
    /// @param payload first octets of the datagram in question @return who is told
    IpL4Protocol& Choose(const uint8_t payload[8]) const;

    Ptr<IpL4Protocol> m_esp; //!< gets the messages
    Ptr<IpL4Protocol> m_udp; //!< gets everything else
};

} // namespace ns3

#endif // IPSEC_UDP_ERRORS_H
