/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef IPSEC_HELPER_H
#define IPSEC_HELPER_H

#include "ns3/ipsec-keying.h"
#include "ns3/node-container.h"
#include "ns3/object-factory.h"

#include <string>

namespace ns3
{

/**
 * @ingroup iwarp-ipsec
 * @brief Gives nodes IPsec, with policies and keys.
 *
 * @code
 * IpsecHelper ipsec("aes-gcm-16-128");
 * ipsec.Install(hosts);
 * ipsec.ProtectTransport(hosts);
 * @endcode
 */
class IpsecHelper
{
  public:
    /// Protect by a transform. @param transform one of GetEspTransformNames()
    explicit IpsecHelper(const std::string& transform = "aes-gcm-16-128");

    /// Set an attribute of IpsecStack. @param name of it @param value it
    void SetAttribute(const std::string& name, const AttributeValue& value);

    /**
     * @brief Say what associations are to be like: lifetimes, anti-replay window, real or modelled.
     * @return what they are made of, of which mode, transform, addresses, SPI and keys do not count
     */
    IpsecAssociationConfig& GetProposal();

    /// Say who shares an association. @param sharing for the policies that follow
    void SetSharing(IpsecSharing sharing);

    /// Use another keying than one at once. @param keying it
    void SetKeying(Ptr<IpsecKeying> keying);
    /// Reach what makes the associations. @return it
    Ptr<IpsecKeying> GetKeying() const;

    /**
     * @brief Give a node IPsec, if it has none, and have keys served.
     * @param node with an internet stack and addresses
     * @return its IPsec
     */
    Ptr<IpsecStack> Install(Ptr<Node> node);
    /// Give nodes IPsec. @param nodes each as above
    void Install(const NodeContainer& nodes);
    /// Make a router a security gateway, if it is none, and have keys served. @param node router
    /// with routes and addresses @return its IPsec
    Ptr<IpsecStack> InstallGateway(Ptr<Node> node);

    /**
     * @brief Protect in transport mode what a node sends.
     * @param stack of the node; the other node needs the same policy
     * @param selector which traffic
     */
    void ProtectTransport(Ptr<IpsecStack> stack, const IpsecSelector& selector);
    /// Protect in transport mode all TCP of nodes. @param nodes that have IPsec
    void ProtectTransport(const NodeContainer& nodes);

    /**
     * @brief Protect traffic by a tunnel; the other end needs the same, with all reversed.
     * @param stack of a host or gateway
     * @param selector which traffic, as this end sends it
     * @param here address of this end
     * @param there address of the other end
     */
    void ProtectTunnel(Ptr<IpsecStack> stack,
                       const IpsecSelector& selector,
                       const IpsecAddress& here,
                       const IpsecAddress& there);

    /**
     * @brief Write the keys of all associations that are agreed on from here on in real mode, as
     * Wireshark and IwarpDecoder read them. Files of these names are written over.
     * @param prefix files are PREFIX-esp_sa for Wireshark 4.2 and later, and PREFIX-esp_sa-4.0 for
     * earlier ones, see GetWiresharkLine()
     */
    void WriteKeys(const std::string& prefix) const;

    /// Find where a tunnel can end. @param device of a host or router @param ipv6 version of IP
    /// @return its address, no link-local one
    static IpsecAddress GetAddress(Ptr<NetDevice> device, bool ipv6);

  private:
    /// @param mode of it @param selector which traffic @return a policy that protects
    IpsecPolicy MakePolicy(IpsecMode mode, const IpsecSelector& selector) const;

    const EspTransform* m_transform;             //!< cipher and integrity
    IpsecAssociationConfig m_proposal;           //!< what associations are like
    IpsecSharing m_sharing{IpsecSharing::HOSTS}; //!< who shares one
    ObjectFactory m_factory;                     //!< makes IpsecStack
    Ptr<IpsecKeying> m_keying;                   //!< makes associations
};

} // namespace ns3

#endif // IPSEC_HELPER_H
