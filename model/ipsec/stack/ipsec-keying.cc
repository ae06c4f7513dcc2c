/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ipsec-keying.h"

#include "ns3/abort.h"
#include "ns3/ipv4.h"
#include "ns3/ipv6.h"
#include "ns3/log.h"
#include "ns3/simulator.h"
#include "ns3/util-object-births.h"

#include <utility>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("IpsecKeying");
NS_OBJECT_ENSURE_REGISTERED(IpsecKeying);

namespace
{

constexpr uint32_t FIRST_SPI = 0x1000; // of each receiver

/// @param address of a node @return key of tables by address
IpsecFlow
ByAddress(const IpsecAddress& address)
{
    return {{}, address};
}

/// @param policy that protects a flow @param flow it @return what its associations are for
IpsecSelector
Narrow(const IpsecPolicy& policy, const IpsecFlow& flow)
{
    IpsecSelector selector = policy.selector;
    if (!policy.SharesAddresses())
    {
        selector.source = IpsecPrefix(flow.source);
        selector.destination = IpsecPrefix(flow.destination);
    }
    if (policy.sharing == IpsecSharing::CONNECTION)
    {
        selector.protocol = flow.protocol;
        selector.sourcePorts = {flow.sourcePort, flow.sourcePort};
        selector.destinationPorts = {flow.destinationPort, flow.destinationPort};
    }
    return selector;
}

} // namespace

TypeId
IpsecKeying::GetTypeId()
{
    static TypeId tid = TypeId("ns3::IpsecKeying")
                            .SetParent<Object>()
                            .SetGroupName("Iwarp")
                            .AddConstructor<IpsecKeying>()
                            .AddAttribute("Linger",
                                          "Time for which an association that its sender has given "
                                          "up is still received by: what it sent may be on its way "
                                          "[s]",
                                          TimeValue(Seconds(1)),
                                          MakeTimeAccessor(&IpsecKeying::m_linger),
                                          MakeTimeChecker(Time(0)))
                            .AddTraceSource("Created",
                                            "An association is made",
                                            MakeTraceSourceAccessor(&IpsecKeying::m_created),
                                            "ns3::IpsecKeying::CreatedTracedCallback");
    return tid;
}

IpsecKeying::IpsecKeying()
    : m_random(CreateObject<UniformRandomVariable>())
{
    ObjectBirths::Made(*this);
}

IpsecKeying::~IpsecKeying() = default;

void
IpsecKeying::DoDispose()
{
    m_stacks.clear();
    Object::DoDispose();
}

int64_t
IpsecKeying::AssignStreams(int64_t stream)
{
    NS_LOG_FUNCTION(this << stream);
    m_random->SetStream(stream);
    return 1;
}

std::vector<IpsecAddress>
IpsecKeying::ListAddresses(const IpsecStack& stack)
{
    std::vector<IpsecAddress> addresses;
    const Ptr<Ipv4> ipv4 = stack.GetObject<Ipv4>();
    for (uint32_t i = 1; ipv4 && i < ipv4->GetNInterfaces(); i++)
    {
        for (uint32_t j = 0; j < ipv4->GetNAddresses(i); j++)
        {
            addresses.emplace_back(ipv4->GetAddress(i, j).GetLocal());
        }
    }
    const Ptr<Ipv6> ipv6 = stack.GetObject<Ipv6>();
    for (uint32_t i = 1; ipv6 && i < ipv6->GetNInterfaces(); i++)
    {
        for (uint32_t j = 0; j < ipv6->GetNAddresses(i); j++)
        {
            const Ipv6Address address = ipv6->GetAddress(i, j).GetAddress();
            if (!address.IsLinkLocal())
            {
                addresses.emplace_back(address);
            }
        }
    }
    return addresses;
}

IpsecAssociationConfig
IpsecKeying::MakeConfig(const IpsecStack& stack, IpsecStack::Index policy, const IpsecFlow& flow)
{
    const IpsecPolicy& wanted = stack.GetPolicies().Get(policy);
    const bool tunnel = wanted.mode == IpsecMode::TUNNEL;
    IpsecAssociationConfig config = stack.GetPolicies().GetProposal(policy);
    config.source = tunnel ? wanted.tunnelSource : flow.source;
    config.destination = tunnel ? wanted.tunnelDestination : flow.destination;
    config.selector = Narrow(wanted, flow);
    return config;
}

void
IpsecKeying::Reverse(IpsecAssociationConfig& config)
{
    std::swap(config.source, config.destination);
    std::swap(config.udpSource, config.udpDestination);
    config.selector = config.selector.GetReverse();
}

uint32_t
IpsecKeying::DrawNumber()
{
    return m_random->GetInteger(0, UINT32_MAX);
}

void
IpsecKeying::NotifyCreated(const IpsecAssociationConfig& config)
{
    m_created(config);
}

void
IpsecKeying::Add(Ptr<IpsecStack> stack)
{
    NS_LOG_FUNCTION(this << stack);
    ObjectBirths::Opened(*this, nullptr);
    for (const IpsecAddress& address : ListAddresses(*stack))
    {
        m_stacks[ByAddress(address)] = stack;
    }
    const Ptr<IpsecKeying> self(this); // as long as the stack lives
    IpsecStack* asks = PeekPointer(stack);
    stack->GetAssociations().SetAcquire(
        [self, asks](IpsecStack::Index policy, const IpsecFlow& flow) {
            self->Acquire(asks, policy, flow);
        });
    stack->GetAssociations().SetNotice(
        [self](const IpsecAssociation& association, IpsecAssociations::Notice notice) {
            const auto& config = association.GetConfig();
            const Ptr<IpsecStack> peer = self->Find(config.destination);
            if (peer && (notice == IpsecAssociations::Notice::EVICTED ||
                         notice == IpsecAssociations::Notice::SENDING_EXPIRED))
            {
                self->Detach(peer, config.spi, config.destination);
            }
        });
}

void
IpsecKeying::Detach(Ptr<IpsecStack> stack, uint32_t spi, const IpsecAddress& destination)
{
    Simulator::Schedule(m_linger, [stack, spi, destination] {
        stack->GetAssociations().GetInbound().Remove(spi, destination);
    });
}

Ptr<IpsecStack>
IpsecKeying::Find(const IpsecAddress& address) const
{
    const auto found = m_stacks.find(ByAddress(address));
    return found == m_stacks.end() ? nullptr : found->second;
}

std::vector<uint8_t>
IpsecKeying::DrawKey(std::size_t size)
{
    std::vector<uint8_t> key(size);
    for (auto& octet : key)
    {
        octet = static_cast<uint8_t>(m_random->GetInteger(0, 255));
    }
    return key;
}

uint32_t
IpsecKeying::AllocateSpi(IpsecStack& receiver, IpsecStack& sender, const IpsecAddress& destination)
{
    uint32_t& last = m_spis.try_emplace(&receiver, FIRST_SPI - 1).first->second;
    do
    {
        ++last;
    } while (receiver.GetAssociations().GetInbound().Has(last, destination) ||
             sender.GetAssociations().GetOutbound().Has(last, destination));
    return last;
}

void
IpsecKeying::Use(IpsecStack& stack,
                 const IpsecAssociationConfig& in,
                 const IpsecAssociationConfig& out,
                 IpsecStack::Index policy,
                 const IpsecFlow& flow)
{
    if (const auto old = stack.GetAssociations().FindSending(policy, flow))
    {
        stack.GetAssociations().GetOutbound().Remove(old);
        if (const Ptr<IpsecStack> peer = Find(out.destination))
        {
            Detach(peer, old->GetConfig().spi, out.destination);
        }
    }
    const bool isNew = stack.GetAssociations().AddInbound(in) &&
                       stack.GetAssociations().AddOutbound(out, policy, flow);
    NS_ABORT_MSG_UNLESS(isNew,
                        "SPI " << in.spi << " or " << out.spi
                               << " was taken since Agree(): install a pair once, and at once");
}

bool
IpsecKeying::Agree(Ptr<IpsecStack> stack,
                   IpsecStack::Index policy,
                   const IpsecFlow& flow,
                   Pair& pair)
{
    NS_LOG_FUNCTION(this << stack << policy);
    const IpsecPolicy& wanted = stack->GetPolicies().Get(policy);
    const IpsecAssociationConfig there = MakeConfig(*stack, policy, flow);
    const Ptr<IpsecStack> peer = Find(there.destination);
    const auto theirs = peer ? peer->GetPolicies().FindInbound(flow) : IpsecPolicyDatabase::NONE;
    if (theirs == IpsecPolicyDatabase::NONE)
    {
        return false;
    }
    const IpsecPolicy& offered = peer->GetPolicies().Get(theirs);
    if (offered.action != IpsecAction::PROTECT || offered.mode != wanted.mode ||
        offered.transform != wanted.transform || offered.sharing != wanted.sharing ||
        (wanted.mode == IpsecMode::TUNNEL &&
         (offered.tunnelSource != there.destination || offered.tunnelDestination != there.source)))
    {
        return false;
    }
    pair = {flow, stack, policy, peer, theirs, there, there};
    pair.there.spi = AllocateSpi(*peer, *stack, there.destination);
    const EspTransform& transform = *wanted.transform;
    pair.there.keys = {DrawKey(transform.keySize + transform.saltSize),
                       DrawKey(transform.integrityKeySize)};
    Reverse(pair.back);
    pair.back.spi = AllocateSpi(*stack, *peer, there.source);
    pair.back.keys = {DrawKey(transform.keySize + transform.saltSize),
                      DrawKey(transform.integrityKeySize)};
    return true;
}

void
IpsecKeying::InstallAtReceiver(const Pair& pair)
{
    NS_LOG_FUNCTION(this << pair.there.spi);
    m_created(pair.there);
    m_created(pair.back);
    Use(*pair.receiver, pair.there, pair.back, pair.receiverPolicy, pair.flow.GetReverse());
}

void
IpsecKeying::InstallAtSender(const Pair& pair)
{
    NS_LOG_FUNCTION(this << pair.there.spi);
    Use(*pair.sender, pair.back, pair.there, pair.senderPolicy, pair.flow);
}

void
IpsecKeying::Acquire(IpsecStack* stack, IpsecStack::Index policy, const IpsecFlow& flow)
{
    Pair pair;
    if (!Agree(Ptr<IpsecStack>(stack), policy, flow, pair))
    {
        stack->GetAssociations().Abandon(policy, flow);
        return;
    }
    InstallAtReceiver(pair);
    InstallAtSender(pair);
}

} // namespace ns3
