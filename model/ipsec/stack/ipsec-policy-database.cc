/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ipsec-policy-database.h"

#include "ns3/abort.h"

#include <algorithm>

namespace ns3
{

IpsecPolicyDatabase::IpsecPolicyDatabase(IpsecAction otherwise)
    : m_otherwise(otherwise)
{
    NS_ABORT_MSG_IF(otherwise == IpsecAction::PROTECT,
                    "the default of a policy database is to discard or to bypass: to protect all "
                    "traffic add a policy that selects any");
}

IpsecPolicyDatabase::Index
IpsecPolicyDatabase::Add(const IpsecPolicy& policy)
{
    const std::string fault = Check(policy);
    NS_ABORT_MSG_IF(!fault.empty(), fault);
    m_policies.push_back(policy);
    m_found.clear();
    return m_policies.size() - 1;
}

std::string
IpsecPolicyDatabase::Check(const IpsecPolicy& policy)
{
    if (policy.action != IpsecAction::PROTECT)
    {
        return "";
    }
    if (!policy.transform)
    {
        return "a policy that protects needs a transform: take one by FindEspTransform()";
    }
    if (policy.mode == IpsecMode::TUNNEL &&
        (policy.tunnelSource.IsAny() || policy.tunnelDestination.IsAny()))
    {
        return "a policy in tunnel mode needs the addresses of both ends: set tunnelSource and "
               "tunnelDestination";
    }
    if (policy.mode == IpsecMode::TUNNEL &&
        policy.tunnelSource.IsIpv6() != policy.tunnelDestination.IsIpv6())
    {
        return "the ends of a tunnel, " + policy.tunnelSource.ToString() + " and " +
               policy.tunnelDestination.ToString() + ", are of two versions of IP: take one";
    }
    return "";
}

IpsecPolicyDatabase::Index
IpsecPolicyDatabase::Find(const IpsecFlow& flow)
{
    const auto known = m_found.find(flow);
    if (known != m_found.end())
    {
        return known->second;
    }
    ++m_searches;
    const auto policy =
        std::find_if(m_policies.begin(), m_policies.end(), [&flow](const auto& candidate) {
            return candidate.selector.Selects(flow);
        });
    const Index index = policy == m_policies.end() ? NONE : policy - m_policies.begin();
    if (m_found.size() == REMEMBERED)
    {
        m_found.clear();
    }
    m_found.emplace(flow, index);
    return index;
}

bool
IpsecPolicyDatabase::NeedsPorts(const IpsecFlow& flow) const
{
    const auto policy =
        std::find_if(m_policies.begin(), m_policies.end(), [&flow](const auto& candidate) {
            return candidate.selector.SelectsBesidesPorts(flow);
        });
    return policy != m_policies.end() &&
           (!policy->selector.TakesAllPorts() || policy->sharing == IpsecSharing::CONNECTION);
}

IpsecAction
IpsecPolicyDatabase::GetAction(const IpsecFlow& flow)
{
    const Index index = Find(flow);
    return index == NONE ? m_otherwise : m_policies[index].action;
}

const IpsecPolicy&
IpsecPolicyDatabase::Get(Index index) const
{
    return m_policies.at(index);
}

std::size_t
IpsecPolicyDatabase::GetN() const
{
    return m_policies.size();
}

uint64_t
IpsecPolicyDatabase::GetSearches() const
{
    return m_searches;
}

std::size_t
IpsecPolicyDatabase::GetRemembered() const
{
    return m_found.size();
}

IpsecFlow
IpsecPolicyDatabase::GetShared(Index index, const IpsecFlow& flow) const
{
    const IpsecPolicy& policy = Get(index);
    if (policy.sharing == IpsecSharing::CONNECTION)
    {
        return flow;
    }
    return policy.SharesAddresses() ? IpsecFlow() : IpsecFlow{flow.source, flow.destination};
}

} // namespace ns3
