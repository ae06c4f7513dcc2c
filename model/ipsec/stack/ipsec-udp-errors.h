/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef IPSEC_UDP_ERRORS_H
#define IPSEC_UDP_ERRORS_H

#include "ns3/util-ip-l4-relay.h"

namespace ns3
{

/**
 * @ingroup iwarp-ipsec
 * @brief Stands before a node's UDP and picks out the ICMP messages that are about ESP in UDP (RFC
 * 3948), for whoever heeds those about ESP; everything else goes on.
 */
class IpsecUdpErrors : public IpL4Relay<IpsecUdpErrors>
{
  public:
    static TypeId GetTypeId(); //!< Get the type ID. @return the object TypeId

    /// @param esp gets the messages @param udp gets everything else
    IpsecUdpErrors(Ptr<IpL4Protocol> esp, Ptr<IpL4Protocol> udp);

    int GetProtocolNumber() const override;

  protected:
    void DoDispose() override;

  private:
    friend class IpL4Relay<IpsecUdpErrors>; // calls DoReceiveIcmp()

    /// @param message of ICMP about a datagram of UDP
    template <typename V>
    void DoReceiveIcmp(const IpIcmpMessage<V>& message);

    Ptr<IpL4Protocol> m_esp; //!< gets the messages
};

} // namespace ns3

#endif // IPSEC_UDP_ERRORS_H
