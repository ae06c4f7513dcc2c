/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef IPSEC_POLICIES_H
#define IPSEC_POLICIES_H

#include "ipsec-association.h"
#include "ipsec-policy-database.h"
#include "ipsec-view.h"

#include "ns3/address.h"

#include <cstdint>
#include <vector>

namespace ns3
{

/**
 * @ingroup iwarp-ipsec
 * @brief The security policy database of a node (RFC 4301 section 4.4.1): what goes out (SPD-O) and
 * what comes in (SPD-I), by the same indices, and what associations are made of.
 */
class IpsecPolicies
{
  public:
    using Index = IpsecPolicyDatabase::Index; //!< names a policy

    /// Have no policy yet. @param otherwise what happens to what no policy selects; outlives this,
    /// and may change
    explicit IpsecPolicies(const IpsecAction& otherwise);

    /**
     * @brief Add a policy for what goes out, and the same for the answers that come in, behind
     * those that are there.
     * @param policy for what goes out
     * @param proposal PROTECT: what its associations are made of; mode, transform, addresses, SPI
     *        and keys are not looked at
     * @return its index
     */
    Index Add(const IpsecPolicy& policy, const IpsecAssociationConfig& proposal = {});

    /// Find the policy of what goes out. @param flow of a datagram @return its index, or NONE
    Index FindOutbound(const IpsecFlow& flow);

    /// Find the policy of what comes in. @param flow of a datagram @return its index, or NONE
    Index FindInbound(const IpsecFlow& flow);

    /// Get a policy of what goes out. @param policy index @return it
    const IpsecPolicy& Get(Index policy) const;

    /// Get what the associations of a policy are made of. @param policy index @return proposal,
    /// with mode and transform of the policy
    const IpsecAssociationConfig& GetProposal(Index policy) const;

    /// Tell whether something is not let by. @return false if all passes in clear, as long as no
    /// policy is added
    bool HasRules() const
    {
        return !m_proposals.empty() || m_otherwise != IpsecAction::BYPASS;
    }

    /// Get what happens to what goes out. @param policy of it, or NONE @return the action
    IpsecAction GetAction(Index policy) const;

    /// Get which traffic shares an association. @param policy index @param flow of a datagram
    /// @return as IpsecPolicyDatabase::GetShared() tells
    IpsecFlow GetShared(Index policy, const IpsecFlow& flow) const;

    /// Tell whether policies tell a flow apart by ports. @param flow of a datagram, whose ports do
    /// not count @return so, of either direction
    bool NeedsPorts(const IpsecFlow& flow) const;

    /// Tell whether what goes out is protected. @param flow of a datagram @return so
    bool Protects(const IpsecFlow& flow);

    /// Find what protects the answers to a datagram. @param error of ICMP about the datagram
    /// @return policy, or NONE
    Index FindAnswering(const IpsecIcmpError& error);

    /// Tell whether a datagram may come in without protection. @param flow of it @return so
    bool AcceptsClear(const IpsecFlow& flow);

    /// Tell whether a datagram may be forwarded, or be protected. @param flow of it @param out
    /// policy for it, or NONE @param opened it came through an association @return so
    bool AcceptsForwarded(const IpsecFlow& flow, Index out, bool opened);

    /// Get what a policy makes of sizes. @param policy that protects @return headers and trailers
    EspEncapsulation GetEncapsulation(Index policy) const;

    /// Get what protection leaves to a connection of TCP. @param mtu octets that the path takes
    /// @param local address and port @param peer address and port @return octets of datagrams
    uint32_t GetInnerMtu(uint32_t mtu, const Address& local, const Address& peer);

  private:
    /// @param local address and port @param peer address and port @param[out] header octets of IP's
    /// @return policy that protects the connection, or NONE
    Index FindProtecting(const Address& local, const Address& peer, uint32_t& header);

    const IpsecAction& m_otherwise;                  //!< for what no policy selects
    IpsecPolicyDatabase m_out;                       //!< of what goes out
    IpsecPolicyDatabase m_in;                        //!< of what comes in, by the same indices
    std::vector<IpsecAssociationConfig> m_proposals; //!< by policy
};

} // namespace ns3

#endif // IPSEC_POLICIES_H
