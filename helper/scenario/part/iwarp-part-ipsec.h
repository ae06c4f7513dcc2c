/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef IWARP_PART_IPSEC_H
#define IWARP_PART_IPSEC_H

#include "ns3/ipsec-helper.h"
#include "ns3/iwarp-scenario-part.h"
#include "ns3/nstime.h"

namespace ns3
{

namespace iwarp
{
class IpsecCollector;
} // namespace iwarp

/**
 * @ingroup iwarp-helper
 * @brief IPsec of a scenario: at the hosts, or at the routers next to them, or both.
 */
class IwarpIpsecPart : public IwarpScenarioPart
{
  public:
    /// Where there is IPsec
    enum class Place : uint8_t
    {
        NONE,      //!< nowhere
        TRANSPORT, //!< at the hosts, transport mode
        TUNNEL,    //!< at the hosts, tunnel mode
        GATEWAY,   //!< at the routers next to them, tunnel mode
        NESTED,    //!< transport mode at the hosts, and tunnels of these routers around it
    };

    static TypeId GetTypeId(); //!< Get the type ID. @return the object TypeId
    IwarpIpsecPart();
    ~IwarpIpsecPart() override;

    bool IsIdle() const override;
    std::vector<std::string> ListNames(const std::string& attribute) const override;
    std::string Check() const override;
    std::string CheckNetwork(const iwarp::ScenarioParts& parts,
                             const IwarpNetwork& network,
                             const IwarpTopology::Ends& ends) const override;
    void Install(iwarp::ScenarioNetwork& network) const override;

    bool IsAtHosts() const; //!< Tell whether hosts protect what they send. @return so

    /// Find the largest datagram of TCP's that fits a link of the hosts. @param mtu octets that the
    /// link takes @param ipv6 version of IP @return octets: fewer where hosts have IPsec
    uint32_t GetHostMtu(uint32_t mtu, bool ipv6) const;

    /**
     * @brief Find the largest datagram that hosts can send for gateways to pass it on in one piece,
     * without a word about it.
     * @param mtu octets that links take
     * @param ipv6 version of IP
     * @return octets: fewer where gateways have tunnels, but 1280 at least for IPv6
     */
    uint32_t GetTunnelMtu(uint32_t mtu, bool ipv6) const;

  private:
    bool IsAtRouters() const; //!< @return whether routers do
    /// @param mode of ESP @param mtu octets that a path takes @param ipv6 version of IP
    /// @return octets of a datagram that fits with ESP around it
    uint32_t GetInnerMtu(IpsecMode mode, uint32_t mtu, bool ipv6) const;
    IpsecAssociationConfig MakeProposal() const; //!< @return what associations are made of
    /// @param network network @param sender host @param receiver host @return propagation delay of
    /// what is protected between them
    Time GetProtectedDelay(const IwarpNetwork& network, uint32_t sender, uint32_t receiver) const;
    /// Warn of a life of associations that may end before their successors come.
    /// @param scenario network
    void WarnOfTime(iwarp::ScenarioNetwork& scenario) const;
    /// @param network network @param ends pairs of hosts @return "", or one line that says that
    /// packets come behind the life of their association. With key exchange that begins at the
    /// other end when the answer sets out, and what is sent on the answer's arrival comes a round
    /// trip later
    std::string CheckTime(const IwarpNetwork& network, const IwarpTopology::Ends& ends) const;
    /// @param network network @param ends pairs of hosts @return "", or which have no gateways
    std::string CheckGateways(const IwarpNetwork& network, const IwarpTopology::Ends& ends) const;
    /// @param scenario network @param helper installs @param collector of all nodes
    void ProtectHosts(const iwarp::ScenarioNetwork& scenario,
                      IpsecHelper& helper,
                      iwarp::IpsecCollector& collector) const;
    /// Protect packets of RoCE in transport mode. @param nodes with IPsec @param helper protects
    static void ProtectRoce(const NodeContainer& nodes, IpsecHelper& helper);
    /// @param scenario network @param helper installs @param collector of all nodes
    void ProtectRouters(const iwarp::ScenarioNetwork& scenario,
                        IpsecHelper& helper,
                        iwarp::IpsecCollector& collector) const;

    Place m_place;           //!< where it is
    std::string m_cipher;    //!< transform of ESP
    bool m_real;             //!< octets are enciphered
    IpsecSharing m_sharing;  //!< how much shares an association
    uint32_t m_replayWindow; //!< packets
    bool m_extendedSequence; //!< sequence numbers of 64 bits
    bool m_udp;              //!< ESP in UDP
    bool m_udpEntropy;       //!< whose source port tells flows apart
    bool m_keyExchange;      //!< keys come by messages
    uint64_t m_octets;       //!< hard lifetime of associations; 0: none
    uint64_t m_packets;      //!< hard lifetime of associations; 0: none
    Time m_time;             //!< hard lifetime of associations; 0: none
};

} // namespace ns3

#endif // IWARP_PART_IPSEC_H
