/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ipsec-helper.h"

#include "ns3/abort.h"
#include "ns3/ipsec-gateway-routing.h"
#include "ns3/ipsec-wireshark.h"
#include "ns3/ipv4-interface-address.h"
#include "ns3/ipv4.h"
#include "ns3/ipv6-interface-address.h"
#include "ns3/ipv6.h"
#include "ns3/simple-ref-count.h"
#include "ns3/tcp-l4-protocol.h"
#include "ns3/util-text.h"

#include <cstddef>
#include <fstream>
#include <iterator>

namespace ns3
{

namespace
{

/// Files of keys.
class KeyFiles : public SimpleRefCount<KeyFiles>
{
  public:
    /// @param prefix of their names
    explicit KeyFiles(const std::string& prefix)
    {
        for (std::size_t i = 0; i < std::size(TABLES); i++)
        {
            const std::string name = GetWiresharkFile(prefix, TABLES[i]);
            m_files[i].open(name);
            NS_ABORT_MSG_UNLESS(m_files[i], name << ": keys cannot be written there");
        }
    }

    /// @param config of an association
    void Write(const IpsecAssociationConfig& config)
    {
        for (std::size_t i = 0; i < std::size(TABLES); i++)
        {
            const std::string line = GetWiresharkLine(config, TABLES[i]);
            if (config.codec == EspCodec::Mode::REAL && !line.empty())
            {
                m_files[i] << line << std::endl; // there even if the run fails
            }
        }
    }

  private:
    static constexpr WiresharkTable TABLES[] = {WiresharkTable::TEN_COLUMNS,
                                                WiresharkTable::EIGHT_COLUMNS}; //!< forms
    std::ofstream m_files[std::size(TABLES)]; //!< one of each form
};

} // namespace

IpsecHelper::IpsecHelper(const std::string& transform)
    : m_transform(FindEspTransform(transform)),
      m_keying(CreateObject<IpsecKeying>())
{
    NS_ABORT_MSG_UNLESS(m_transform,
                        "there is no ESP transform '" << transform << "'; there are "
                                                      << iwarp::Join(GetEspTransformNames()));
    m_factory.SetTypeId(IpsecStack::GetTypeId());
}

void
IpsecHelper::SetAttribute(const std::string& name, const AttributeValue& value)
{
    m_factory.Set(name, value);
}

IpsecAssociationConfig&
IpsecHelper::GetProposal()
{
    return m_proposal;
}

void
IpsecHelper::SetSharing(IpsecSharing sharing)
{
    m_sharing = sharing;
}

void
IpsecHelper::SetKeying(Ptr<IpsecKeying> keying)
{
    m_keying = keying;
}

Ptr<IpsecKeying>
IpsecHelper::GetKeying() const
{
    return m_keying;
}

Ptr<IpsecStack>
IpsecHelper::Install(Ptr<Node> node)
{
    Ptr<IpsecStack> stack = node->GetObject<IpsecStack>();
    if (!stack)
    {
        stack = m_factory.Create<IpsecStack>();
        stack->Install(node);
        m_keying->Add(stack);
    }
    return stack;
}

void
IpsecHelper::Install(const NodeContainer& nodes)
{
    for (auto node = nodes.Begin(); node != nodes.End(); ++node)
    {
        Install(*node);
    }
}

Ptr<IpsecStack>
IpsecHelper::InstallGateway(Ptr<Node> node)
{
    const Ptr<IpsecStack> stack = Install(node); // it may have been a host's
    InstallIpsecGateway(stack);
    return stack;
}

IpsecPolicy
IpsecHelper::MakePolicy(IpsecMode mode, const IpsecSelector& selector) const
{
    IpsecPolicy policy;
    policy.selector = selector;
    policy.action = IpsecAction::PROTECT;
    policy.mode = mode;
    policy.transform = m_transform;
    policy.sharing = m_sharing;
    return policy;
}

void
IpsecHelper::ProtectTransport(Ptr<IpsecStack> stack, const IpsecSelector& selector)
{
    stack->GetPolicies().Add(MakePolicy(IpsecMode::TRANSPORT, selector), m_proposal);
}

void
IpsecHelper::ProtectTransport(const NodeContainer& nodes)
{
    IpsecSelector tcp;
    tcp.protocol = TcpL4Protocol::PROT_NUMBER;
    for (auto node = nodes.Begin(); node != nodes.End(); ++node)
    {
        const Ptr<IpsecStack> stack = (*node)->GetObject<IpsecStack>();
        NS_ABORT_MSG_UNLESS(stack,
                            "node " << (*node)->GetId()
                                    << " has no IPsec: call IpsecHelper::Install() first");
        ProtectTransport(stack, tcp);
    }
}

void
IpsecHelper::ProtectTunnel(Ptr<IpsecStack> stack,
                           const IpsecSelector& selector,
                           const IpsecAddress& here,
                           const IpsecAddress& there)
{
    IpsecPolicy policy = MakePolicy(IpsecMode::TUNNEL, selector);
    policy.tunnelSource = here;
    policy.tunnelDestination = there;
    stack->GetPolicies().Add(policy, m_proposal);
}

void
IpsecHelper::WriteKeys(const std::string& prefix) const
{
    m_keying->TraceConnectWithoutContext("Created",
                                         MakeCallback(&KeyFiles::Write, Create<KeyFiles>(prefix)));
}

IpsecAddress
IpsecHelper::GetAddress(Ptr<NetDevice> device, bool ipv6)
{
    const Ptr<Node> node = device->GetNode();
    if (!ipv6)
    {
        const Ptr<Ipv4> ip = node->GetObject<Ipv4>();
        const int32_t interface = ip->GetInterfaceForDevice(device);
        return ip->GetAddress(static_cast<uint32_t>(interface), 0).GetLocal();
    }
    const Ptr<Ipv6> ip = node->GetObject<Ipv6>();
    const auto interface = static_cast<uint32_t>(ip->GetInterfaceForDevice(device));
    uint32_t i = 0;
    while (i + 1 < ip->GetNAddresses(interface) &&
           ip->GetAddress(interface, i).GetAddress().IsLinkLocal())
    {
        i++;
    }
    return ip->GetAddress(interface, i).GetAddress();
}

} // namespace ns3
