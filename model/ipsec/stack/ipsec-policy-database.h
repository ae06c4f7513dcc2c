/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef IPSEC_POLICY_DATABASE_H
#define IPSEC_POLICY_DATABASE_H

#include "ipsec-selector.h"

#include "ns3/esp-algorithm.h"
#include "ns3/esp-format.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

namespace ns3
{

/// @ingroup iwarp-ipsec
/// @brief What happens to a datagram (RFC 4301 section 4.4.1).
enum class IpsecAction : uint8_t
{
    DISCARD, //!< it goes nowhere
    BYPASS,  //!< it goes as it is
    PROTECT, //!< it goes through an association, or came through one
};

/// @ingroup iwarp-ipsec
/// @brief How much traffic of one policy shares an association (RFC 4301 section 4.4.1.2, "populate
/// from packet").
enum class IpsecSharing : uint8_t
{
    POLICY,     //!< all of it: one association each way; in transport mode as HOSTS
    HOSTS,      //!< that of a pair of addresses
    CONNECTION, //!< that of a pair of addresses and ports
};

/// @ingroup iwarp-ipsec
/// @brief A rule for some traffic.
struct IpsecPolicy
{
    IpsecSelector selector;                     //!< which traffic
    IpsecAction action{IpsecAction::BYPASS};    //!< what happens to it
    IpsecMode mode{IpsecMode::TRANSPORT};       //!< PROTECT: what is protected
    const EspTransform* transform{nullptr};     //!< PROTECT: cipher and integrity
    IpsecAddress tunnelSource;                  //!< tunnel mode: this end
    IpsecAddress tunnelDestination;             //!< tunnel mode: the other end
    IpsecSharing sharing{IpsecSharing::POLICY}; //!< PROTECT: how much shares an association

    /// Tell whether traffic of several addresses shares an association. In transport mode that ends
    /// where the traffic does (RFC 4301 section 4.1). @return so
    bool SharesAddresses() const
    {
        return sharing == IpsecSharing::POLICY && mode == IpsecMode::TUNNEL;
    }
};

/**
 * @ingroup iwarp-ipsec
 * @brief The rules of one direction at one place, in order: the first that selects a datagram
 * counts (RFC 4301 section 4.4.1). What is selected by none is discarded, unless the database was
 * told another default.
 *
 * Rules are few and are looked through; what was found for a flow is remembered until they change.
 */
class IpsecPolicyDatabase
{
  public:
    /// Names a policy: its place in the order.
    using Index = std::size_t;
    static constexpr Index NONE = SIZE_MAX; //!< no policy selects the flow

    /// @param otherwise what happens to what no policy selects
    explicit IpsecPolicyDatabase(IpsecAction otherwise = IpsecAction::DISCARD);

    /**
     * @brief Put a policy behind those that are there.
     * @param policy a rule
     * @return its index
     */
    Index Add(const IpsecPolicy& policy);

    /**
     * @brief Check that a policy says all that its action needs.
     * @param policy a rule
     * @return what is wrong with it and what to do about it; empty if nothing is
     */
    static std::string Check(const IpsecPolicy& policy);

    /**
     * @brief Find the first policy that selects a flow.
     * @param flow of a datagram
     * @return its index, or NONE
     */
    Index Find(const IpsecFlow& flow);

    /// Tell whether ports decide what happens to a flow. @param flow of a datagram, whose ports do
    /// not count @return true if policies, or those who share an association, differ by ports
    bool NeedsPorts(const IpsecFlow& flow) const;

    /// Find what happens to a flow. @param flow of a datagram @return the action of its policy
    IpsecAction GetAction(const IpsecFlow& flow);

    /// @param index of a policy @return the policy
    const IpsecPolicy& Get(Index index) const;

    /// @return how many policies there are
    std::size_t GetN() const;

    /// @return how often policies were looked through, because a flow was not remembered
    uint64_t GetSearches() const;

    /// @return flows remembered, REMEMBERED at most: then all are forgotten
    std::size_t GetRemembered() const;

    static constexpr std::size_t REMEMBERED = 65536; //!< most flows remembered

    /**
     * @brief Find which traffic shares an association with a flow.
     * @param index of the policy that selects it
     * @param flow of a datagram
     * @return the flow without what the policy's sharing does not tell apart: the same for all that
     *         shares
     */
    IpsecFlow GetShared(Index index, const IpsecFlow& flow) const;

  private:
    IpsecAction m_otherwise;                                     //!< for what no policy selects
    std::vector<IpsecPolicy> m_policies;                         //!< in order
    std::unordered_map<IpsecFlow, Index, IpsecFlowHash> m_found; //!< what was found
    uint64_t m_searches{0}; //!< how often policies were looked through
};

} // namespace ns3

#endif // IPSEC_POLICY_DATABASE_H
