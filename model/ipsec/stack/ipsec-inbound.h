/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef IPSEC_INBOUND_H
#define IPSEC_INBOUND_H

#include "ipsec-associations.h"
#include "ipsec-fragments.h"
#include "ipsec-ip-layer.h"
#include "ipsec-statistics.h"
#include "ipsec-timing.h"
#include "ipsec-view.h"

#include <cstdint>

namespace ns3
{

/**
 * @ingroup iwarp-ipsec
 * @brief Opens what comes in by ESP (RFC 4301 section 5.2), checks that its association is for it,
 * and hands it on.
 */
class IpsecInbound
{
  public:
    /// Have nothing come yet; all that is given outlives this. @param associations of the node
    /// @param timing of ESP @param ip of the node @param fragmentPorts of fragments that are
    /// forwarded @param statistics of the node
    IpsecInbound(IpsecAssociations& associations,
                 IpsecTiming& timing,
                 const IpsecIpLayer& ip,
                 IpsecFragmentPorts& fragmentPorts,
                 IpsecStatistics& statistics);

    /// Receive a packet of ESP. @param packet ESP @param header of IP @param interface where it
    /// came in @return status
    template <typename V>
    IpL4Protocol::RxStatus Receive(const Ptr<Packet>& packet,
                                   const typename V::Header& header,
                                   const Ptr<typename V::Interface>& interface);

    bool IsDelivering() const; //!< Ask whether what IP delivers came by a tunnel. @return so

  private:
    /// Hand on what was protected. @param packet it @param association that protected it
    /// @param next header @param header of IP @param interface where it came in @return status
    template <typename V>
    IpL4Protocol::RxStatus ReceiveOpened(const Ptr<Packet>& packet,
                                         IpsecAssociation& association,
                                         uint8_t next,
                                         const typename V::Header& header,
                                         const Ptr<typename V::Interface>& interface);
    /// @param association named by the packet @param low sequence number in it @param packet ESP,
    /// becomes what it protects @param[out] next header @return why it was dropped, or NONE
    IpsecDrop Open(IpsecAssociation& association,
                   uint32_t low,
                   const Ptr<Packet>& packet,
                   uint8_t& next);
    /// Hand on what came through a tunnel. @param packet the inner datagram @param association of
    /// the tunnel @param tos of the outer header @param device where it came in
    template <typename V>
    void ReceiveInner(const Ptr<Packet>& packet,
                      IpsecAssociation& association,
                      uint8_t tos,
                      const Ptr<NetDevice>& device);
    /// @param association that a datagram came by @param flow of it @param packet behind its IP
    /// header @return it is of those that the association is for, or is ICMP about one of them
    static bool IsSelected(const IpsecAssociation& association,
                           const IpsecFlow& flow,
                           const Ptr<const Packet>& packet);
    /// @param view of a datagram that came through a tunnel @param packet behind its IP header
    /// @param[in,out] header of IP @param association of the tunnel @return what IP is to get, or
    /// nullptr if it is a part of that
    template <typename V>
    Ptr<Packet> Reassemble(const IpsecView& view,
                           const Ptr<Packet>& packet,
                           typename V::Header& header,
                           const IpsecAssociation& association);

    IpsecAssociations& m_associations;   //!< of the node
    IpsecTiming& m_timing;               //!< of ESP
    const IpsecIpLayer& m_ip;            //!< of the node
    IpsecFragmentPorts& m_fragmentPorts; //!< of fragments that are forwarded
    IpsecStatistics& m_statistics;       //!< of the node
    IpsecReassembly m_reassembly;        //!< of fragments for this node that came by associations
    bool m_opened{false};                //!< what IP delivers now came through an association
};

} // namespace ns3

#endif // IPSEC_INBOUND_H
