/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef IPSEC_STACK_H
#define IPSEC_STACK_H

#include "ipsec-associations.h"
#include "ipsec-datagram.h"
#include "ipsec-fragments.h"
#include "ipsec-inbound.h"
#include "ipsec-ip-layer.h"
#include "ipsec-outbound.h"
#include "ipsec-policies.h"
#include "ipsec-statistics.h"
#include "ipsec-timing.h"

#include "ns3/ip-l4-protocol.h"
#include "ns3/node.h"
#include "ns3/tcp-datagram-sizes.h"
#include "ns3/traced-callback.h"

#include <cstdint>
#include <functional>
#include <optional>

namespace ns3
{

/**
 * @ingroup iwarp-ipsec
 * @brief IPsec of a node (RFC 4301): ESP, in transport and tunnel mode, over IPv4 and IPv6.
 *
 * On the way down it stands between TCP, UDP, ICMP or an RNIC, and IP; on the way up behind IP,
 * which has put fragments together. A node that forwards is a security gateway once
 * InstallIpsecGateway() was called for it: then what is forwarded goes through the
 * policies too. What no policy selects is treated as OtherTraffic says. Neighbour discovery goes in
 * clear. ICMP's error messages go with the traffic that they are about, and count only if they have
 * come so (RFC 4301 sections 6 and 8); those about ESP come in clear.
 *
 * What a policy wants protected and has no association waits, at most MaxWaiting datagrams of
 * those that would share one, while whoever was named by IpsecAssociations::SetAcquire() gets it.
 */
class IpsecStack : public TcpDatagramSizes
{
  public:
    using Index = IpsecPolicyDatabase::Index; //!< names a policy
    using Counters = IpsecCounters;           //!< what was done so far

    /// Signature of Sealed. @param payload what is protected, without IP header @param flow of it
    /// @param octets of the IP datagram that goes out, or of all if that is divided before ESP
    typedef void (*SealedTracedCallback)(Ptr<const Packet> payload,
                                         const IpsecFlow& flow,
                                         uint32_t octets);
    /// Signature of Drop. @param reason why @param packet without IP header
    typedef void (*DropTracedCallback)(IpsecDrop reason, Ptr<const Packet> packet);

    static TypeId GetTypeId(); //!< Get the type ID. @return the object TypeId
    IpsecStack();
    ~IpsecStack() override;

    /// Give a node IPsec. What no policy selects passes as it did. @param node with an internet
    /// stack and all its interfaces, and no IPsec yet; NS_ABORT otherwise
    void Install(Ptr<Node> node);

    IpsecPolicies& GetPolicies();             //!< Reach the policies. @return them
    const IpsecPolicies& GetPolicies() const; //!< Look at the policies. @return them
    IpsecAssociations& GetAssociations();     //!< Reach the associations. @return them
    /// Tell what was done. @return counts
    const Counters& GetCounters() const;

    // From TcpDatagramSizes

    uint32_t GetInnerMtu(uint32_t mtu, const Address& local, const Address& peer) override;

    // For those who stand at the node's IP

    /// A datagram for this node comes in. @param packet behind IP's header @param header of IP
    /// @param interface where it came in @return status
    template <typename H, typename I>
    IpL4Protocol::RxStatus Receive(Ptr<Packet> packet, const H& header, Ptr<I> interface);

    /**
     * @brief A datagram is to be forwarded.
     * @param packet behind IP's header
     * @param header of IP
     * @param forward IP's way on, for what goes as it is
     */
    template <typename H>
    void Forward(Ptr<const Packet> packet, const H& header, const std::function<void()>& forward);

    /**
     * @brief The path to a node takes less than was thought, as ICMP tells of an ESP packet. It
     * counts if there is an association by which that has been sent, or was one lately (RFC 4301
     * section 8.2); who has sent what does not fit is told at once. Less than every host takes (RFC
     * 791) is not asked of anybody: packets may be divided then.
     * @param destination of the packet
     * @param spi of the packet; none: it was in UDP, and what ICMP returns ends before the SPI
     * @param mtu octets of IP that the path takes
     */
    void NotifyPathMtu(const IpsecAddress& destination, std::optional<uint32_t> spi, uint32_t mtu);

  protected:
    void NotifyNewAggregate() override;
    void DoDispose() override;

  private:
    void SetMaxAssociations(uint32_t most); //!< @param most see MaxAssociations
    uint32_t GetMaxAssociations() const;    //!< @return see MaxAssociations

    void Start(); //!< begins: the node's IP is there
    /// @param ip of the node, or nullptr
    template <typename Ip>
    void Insert(Ip* ip);

    // what takes time

    void Watch(); //!< Have those told who keep contexts of associations, and foresee for them
    /// Foresee how a datagram will be protected, see EspForecast. @param flow of it
    /// @param datagram octets @param header octets of IP's @param[out] work what it needs
    /// @return it will be
    bool Predict(const IpsecFlow& flow, uint32_t datagram, uint32_t header, EspWork& work);

    // out

    void Send(Ptr<Packet> packet,
              Ipv4Address from,
              Ipv4Address to,
              uint8_t protocol,
              Ptr<Ipv4Route> route);
    void Send6(Ptr<Packet> packet,
               Ipv6Address from,
               Ipv6Address to,
               uint8_t protocol,
               Ptr<Ipv6Route> route);
    template <typename V>
    void Dispatch(const IpsecOutgoing<V>& datagram); //!< @param datagram of this node

    // in

    /// @param flow of a datagram that has come @return it may pass without, or came with protection
    bool Permits(const IpsecFlow& flow);

    // ICMP

    /// @param packet that this node sends @param flow of it @param[out] traffic whose association
    /// is to protect it @param[out] policy for it @return what happens to it
    IpsecAction DecideIcmp(const Ptr<const Packet>& packet,
                           const IpsecFlow& flow,
                           IpsecFlow& traffic,
                           Index& policy);
    /// @param packet that has come for this node, in clear @param flow of it @return ICMP may see
    /// it
    bool PermitsIcmp(const Ptr<const Packet>& packet, const IpsecFlow& flow);

    IpsecAction m_otherwise;                                  //!< see OtherTraffic
    IpsecDontFragment m_dontFragment;                         //!< see DontFragment
    IpsecFragments m_fragments;                               //!< see Fragments
    Time m_pathMtuAge;                                        //!< see PathMtuAge
    uint32_t m_maxWaiting{0};                                 //!< see MaxWaiting
    IpsecStatistics::SealedTrace m_sealedTrace;               //!< Sealed
    IpsecStatistics::DropTrace m_dropTrace;                   //!< Drop
    IpsecStatistics m_statistics{m_sealedTrace, m_dropTrace}; //!< counts and traces
    IpsecPolicies m_policies{m_otherwise};                    //!< SPD
    IpsecAssociations m_associations{this, m_policies, m_statistics, m_maxWaiting}; //!< SAD
    IpsecTiming m_timing{this};         //!< time that ESP takes
    IpsecIpLayer m_ip;                  //!< IP of the node
    IpsecFragmentPorts m_fragmentPorts; //!< of fragments that are forwarded
    IpsecOutbound m_out{{m_dontFragment, m_fragments, m_pathMtuAge},
                        m_policies,
                        m_associations,
                        m_timing,
                        m_ip,
                        m_statistics}; //!< protects what goes out
    IpsecInbound m_in{m_associations, m_timing, m_ip, m_fragmentPorts, m_statistics}; //!< opens ESP
};

} // namespace ns3

#endif // IPSEC_STACK_H
