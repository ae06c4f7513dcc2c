/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RNIC_PROTOCOL_H
#define RNIC_PROTOCOL_H

#include "ns3/ip-l4-protocol.h"

namespace ns3
{

class Rnic;

/**
 * @ingroup iwarp-rnic
 * @brief What IP hands TCP segments to on a node with an RNIC.
 */
class RnicProtocol : public IpL4Protocol
{
  public:
    static TypeId GetTypeId(); //!< @return the object TypeId

    void SetRnic(Ptr<Rnic> rnic); //!< @param rnic gets what comes

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
                     Ipv4Address payloadSource,
                     Ipv4Address payloadDestination,
                     const uint8_t payload[8]) override;
    void ReceiveIcmp(Ipv6Address source,
                     uint8_t ttl,
                     uint8_t type,
                     uint8_t code,
                     uint32_t info,
                     Ipv6Address payloadSource,
                     Ipv6Address payloadDestination,
                     const uint8_t payload[8]) override;
    void SetDownTarget(DownTargetCallback callback) override;
    void SetDownTarget6(DownTargetCallback6 callback) override;
    DownTargetCallback GetDownTarget() const override;
    DownTargetCallback6 GetDownTarget6() const override;

  protected:
    void DoDispose() override;

  private:
    Ptr<Rnic> m_rnic; //!< gets what comes
};

} // namespace ns3

#endif // RNIC_PROTOCOL_H
