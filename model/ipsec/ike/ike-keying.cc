/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ike-keying.h"

#include "ns3/boolean.h"
#include "ns3/double.h"
#include "ns3/inet-socket-address.h"
#include "ns3/inet6-socket-address.h"
#include "ns3/log.h"
#include "ns3/node.h"
#include "ns3/simulator.h"
#include "ns3/udp-socket-factory.h"
#include "ns3/uinteger.h"

#include <algorithm>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("IkeKeying");
NS_OBJECT_ENSURE_REGISTERED(IkeKeying);

namespace
{

/// @param address of a node @param port of UDP there @return both
Address
ToSocketAddress(const IpsecAddress& address, uint16_t port)
{
    return address.IsIpv6() ? Address(Inet6SocketAddress(address.GetIpv6(), port))
                            : Address(InetSocketAddress(address.GetIpv4(), port));
}

/// @param from where a message came from @return its address
IpsecAddress
ToIpsecAddress(const Address& from)
{
    return InetSocketAddress::IsMatchingType(from)
               ? IpsecAddress(InetSocketAddress::ConvertFrom(from).GetIpv4())
               : IpsecAddress(Inet6SocketAddress::ConvertFrom(from).GetIpv6());
}

} // namespace

template <typename T, typename Base>
T IkeKeying::*
IkeKeying::Of(T Base::*member)
{
    return member;
}

TypeId
IkeKeying::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::IkeKeying")
            .SetParent<IpsecKeying>()
            .SetGroupName("Iwarp")
            .AddConstructor<IkeKeying>()
            .AddAttribute("Exponentiation",
                          "Time to make a key pair, or a shared secret of two; the default is that "
                          "of X25519 (OpenSSL 3.1.1 on Skylake at 3 GHz, doc/speed.md of "
                          "lib25519-20230630) [s]",
                          TimeValue(NanoSeconds(42100)),
                          MakeTimeAccessor(Of(&IkeSettings::exponentiation)),
                          MakeTimeChecker(Time(0)))
            .AddAttribute("Signature",
                          "Time to make or to check an authentication; the default is that of "
                          "Ed25519, source as above [s]",
                          TimeValue(NanoSeconds(89300)),
                          MakeTimeAccessor(Of(&IkeSettings::signature)),
                          MakeTimeChecker(Time(0)))
            .AddAttribute("Handling",
                          "Time to make or to read a message; the default is assumed: a dozen runs "
                          "of HMAC-SHA2-256, and a packet [s]",
                          TimeValue(MicroSeconds(10)),
                          MakeTimeAccessor(Of(&IkeSettings::handling)),
                          MakeTimeChecker(Time(0)))
            .AddAttribute("Window",
                          "Requests that may wait for their responses (RFC 7296 section 2.3) "
                          "[requests]",
                          UintegerValue(1),
                          MakeUintegerAccessor(Of(&IkeSettings::window)),
                          MakeUintegerChecker<uint32_t>(1))
            .AddAttribute("ForwardSecrecy",
                          "Each later pair of associations comes of an exchange of keys of its own "
                          "(RFC 7296 section 2.17), which RFC 7146 section 3.2 wants there",
                          BooleanValue(false),
                          MakeBooleanAccessor(Of(&IkeSettings::forwardSecrecy)),
                          MakeBooleanChecker())
            .AddAttribute("Retry",
                          "Time until a request is sent again [s]",
                          TimeValue(Seconds(4)),
                          MakeTimeAccessor(Of(&IkeSettings::retry)),
                          MakeTimeChecker(NanoSeconds(1)))
            .AddAttribute("BackOff",
                          "Each further wait for a response is so many times the one before",
                          DoubleValue(1.8),
                          MakeDoubleAccessor(Of(&IkeSettings::backOff)),
                          MakeDoubleChecker<double>(1, 10))
            .AddAttribute("Retries",
                          "Times that a request is sent again before the peer is given up "
                          "[requests]",
                          UintegerValue(5),
                          MakeUintegerAccessor(Of(&IkeSettings::retries)),
                          MakeUintegerChecker<uint32_t>(0, 100))
            .AddAttribute("Overlap",
                          "Time for which a pair of associations outlives the making of its "
                          "successor [s]",
                          TimeValue(Seconds(1)),
                          MakeTimeAccessor(Of(&IkeSettings::overlap)),
                          MakeTimeChecker(Time(0)))
            .AddAttribute("IdleTime",
                          "Pairs of associations that were not used for so long are deleted; 0 "
                          "deletes none [s]",
                          TimeValue(Time(0)),
                          MakeTimeAccessor(&IkeKeying::m_idleTime),
                          MakeTimeChecker(Time(0)));
    return tid;
}

IkeKeying::IkeKeying() = default;
IkeKeying::~IkeKeying() = default;

void
IkeKeying::DoDispose()
{
    NS_LOG_FUNCTION(this);
    for (auto& [address, end] : m_ends)
    {
        end->idle.Cancel();
        end->socket->Close();
    }
    m_ends.clear();
    m_hosts.clear();
    IpsecKeying::DoDispose();
}

// ---- ends ---------------------------------------------------------------------------------------

void
IkeKeying::Add(Ptr<IpsecStack> stack)
{
    NS_LOG_FUNCTION(this << stack);
    IpsecKeying::Add(stack);
    m_hosts.push_back(std::make_unique<Host>());
    for (const IpsecAddress& address : ListAddresses(*stack))
    {
        auto end = std::make_unique<End>();
        end->stack = PeekPointer(stack);
        end->address = address;
        end->host = m_hosts.back().get();
        end->socket = Socket::CreateSocket(stack->GetObject<Node>(), UdpSocketFactory::GetTypeId());
        end->socket->Bind(ToSocketAddress(address, IKE_PORT));
        end->socket->SetRecvCallback(MakeCallback(&IkeKeying::Receive, this));
        m_ends.emplace(address.ToString(), std::move(end));
    }
    stack->GetAssociations().SetNotice(
        [this](const IpsecAssociation& association, IpsecAssociations::Notice notice) {
            NotifyChild(association, notice);
        });
}

IkeKeying::End*
IkeKeying::FindEnd(const IpsecAddress& address)
{
    const auto found = m_ends.find(address.ToString());
    return found == m_ends.end() ? nullptr : found->second.get();
}

IkeKeying::Session&
IkeKeying::GetSession(End& end, const IpsecAddress& peer)
{
    Session& session = end.sessions[peer.ToString()];
    if (!session.peer)
    {
        const IkeSettings& settings = *this;
        session.peer = std::make_unique<IkePeer>(
            settings,
            [this] { return DrawNumber(); },
            [this, &end] { return DrawSpi(end); },
            end.host->processor);
    }
    return session;
}

uint32_t
IkeKeying::DrawSpi(End& end)
{
    uint32_t spi = 0;
    do
    {
        spi = DrawNumber();
    } while (spi < ESP_FIRST_SPI ||
             end.stack->GetAssociations().GetInbound().Has(spi, end.address) ||
             !end.host->spis.insert(spi).second);
    return spi;
}

void
IkeKeying::Receive(Ptr<Socket> socket)
{
    Address local;
    socket->GetSockName(local);
    End* end = FindEnd(ToIpsecAddress(local));
    Address from;
    while (Ptr<Packet> packet = socket->RecvFrom(from))
    {
        std::vector<uint8_t> octets(packet->GetSize());
        packet->CopyData(octets.data(), packet->GetSize());
        IkeMessage message;
        if (end && DecodeIkeMessage(octets.data(), octets.size(), message))
        {
            const IpsecAddress peer = ToIpsecAddress(from);
            Execute(*end, peer, GetSession(*end, peer).peer->Receive(message, Simulator::Now()));
        }
    }
}

void
IkeKeying::Acquire(IpsecStack* stack, IpsecStack::Index policy, const IpsecFlow& flow)
{
    NS_LOG_FUNCTION(this << stack << policy);
    const IpsecPolicy& wanted = stack->GetPolicies().Get(policy);
    const bool tunnel = wanted.mode == IpsecMode::TUNNEL;
    End* end = FindEnd(tunnel ? wanted.tunnelSource : flow.source);
    if (!end)
    {
        stack->GetAssociations().Abandon(policy, flow);
        return;
    }
    const IpsecAddress peer = tunnel ? wanted.tunnelDestination : flow.destination;
    Execute(*end, peer, GetSession(*end, peer).peer->Acquire(flow, Simulator::Now()));
}

// ---- what there is to do ------------------------------------------------------------------------

void
IkeKeying::Execute(End& end, const IpsecAddress& peer, const IkeActions& actions)
{
    const Time now = Simulator::Now();
    const Ptr<IkeKeying> self(this);
    for (const auto& action : actions)
    {
        const std::string address = end.address.ToString();
        Simulator::Schedule(std::max(Time(0), action.when - now), [self, address, peer, action] {
            const auto found = self->m_ends.find(address);
            if (found != self->m_ends.end())
            {
                self->Do(*found->second, peer, action);
            }
        });
    }
}

void
IkeKeying::Do(End& end, const IpsecAddress& peer, const IkeAction& action)
{
    using Kind = IkeAction::Kind;
    Session& session = GetSession(end, peer);
    switch (action.kind)
    {
    case Kind::SEND: {
        const auto octets = EncodeIkeMessage(action.message, *this);
        end.socket->SendTo(Create<Packet>(octets.data(), static_cast<uint32_t>(octets.size())),
                           0,
                           ToSocketAddress(peer, IKE_PORT));
        break;
    }
    case Kind::WAKE:
        Execute(end, peer, session.peer->Expire(Simulator::Now()));
        break;
    case Kind::INBOUND:
    case Kind::OUTBOUND:
        Install(end, peer, action);
        break;
    case Kind::SILENCE:
        end.stack->GetAssociations().GetOutbound().Remove(action.child.outbound, peer);
        break;
    case Kind::REMOVE:
        end.stack->GetAssociations().GetOutbound().Remove(action.child.outbound, peer);
        Detach(Ptr<IpsecStack>(end.stack), action.child.inbound, end.address);
        session.children.erase(action.child.inbound);
        break;
    case Kind::FAILED:
        end.stack->GetAssociations().Abandon(
            end.stack->GetPolicies().FindOutbound(action.child.traffic),
            action.child.traffic);
        break;
    }
}

void
IkeKeying::Install(End& end, const IpsecAddress& peer, const IkeAction& action)
{
    const IkeChild& child = action.child;
    IpsecStack& stack = *end.stack;
    const auto policy = stack.GetPolicies().FindOutbound(child.traffic);
    if (policy == IpsecPolicyDatabase::NONE ||
        stack.GetPolicies().Get(policy).action != IpsecAction::PROTECT)
    {
        return; // nothing here wants it
    }
    const bool out = action.kind == IkeAction::Kind::OUTBOUND;
    IpsecAssociationConfig config = MakeConfig(stack, policy, child.traffic);
    config.keys = child.GetKeys(*config.transform, out);
    Session& session = GetSession(end, peer);
    config.spi = out ? child.outbound : child.inbound;
    if (!out)
    {
        Reverse(config);
    }
    if (!(out ? stack.GetAssociations().AddOutbound(config, policy, child.traffic)
              : stack.GetAssociations().AddInbound(config)))
    {
        NS_LOG_WARN("SPI " << config.spi << " is taken at " << end.address.ToString());
        Execute(end, peer, session.peer->Delete(child.inbound, Simulator::Now()));
        stack.GetAssociations().Abandon(policy, child.traffic);
        return;
    }
    if (out)
    {
        m_replaced += child.replaces > 0 && child.initiator;
        return;
    }
    session.children[child.inbound] = child;
    NotifyCreated(config);
    if (!m_idleTime.IsZero() && end.idle.IsExpired())
    {
        end.idle = Simulator::Schedule(m_idleTime, &IkeKeying::DropIdle, this, &end);
    }
}

void
IkeKeying::NotifyChild(const IpsecAssociation& association, IpsecAssociations::Notice notice)
{
    const auto& config = association.GetConfig();
    const bool sends = notice == IpsecAssociations::Notice::EVICTED ||
                       notice == IpsecAssociations::Notice::SENDING_AGED ||
                       notice == IpsecAssociations::Notice::SENDING_EXPIRED;
    const bool aged = notice == IpsecAssociations::Notice::RECEIVING_AGED ||
                      notice == IpsecAssociations::Notice::SENDING_AGED;
    End* end = FindEnd(sends ? config.source : config.destination);
    const IpsecAddress peer = sends ? config.destination : config.source;
    if (!end)
    {
        return;
    }
    Session& session = GetSession(*end, peer);
    const Time now = Simulator::Now();
    if (notice == IpsecAssociations::Notice::FIRST_RECEIVED)
    {
        for (const auto& action : session.peer->Used(config.spi, now))
        { // before what answers the packet
            Do(*end, peer, action);
        }
        return;
    }
    const uint32_t spi = sends ? session.peer->FindOutbound(config.spi) : config.spi;
    Execute(*end, peer, aged ? session.peer->Rekey(spi, now) : session.peer->Delete(spi, now));
}

void
IkeKeying::DropIdle(End* end)
{
    NS_LOG_FUNCTION(this);
    const Time now = Simulator::Now();
    bool some = false;
    for (auto& [text, session] : end->sessions)
    {
        const IpsecAddress peer(text.c_str());
        for (const auto& [spi, child] : session.children)
        {
            some = true;
            const auto in = end->stack->GetAssociations().GetInbound().Peek(spi, end->address);
            const auto out = end->stack->GetAssociations().GetOutbound().Peek(child.outbound, peer);
            const Time used =
                std::max(in ? in->GetLastUse() : Time(0), out ? out->GetLastUse() : Time(0));
            // who asked for it may not have heard yet that it is there, and knows better
            const bool expected =
                !child.initiator && in && in->GetPackets() == 0 && (!out || out->GetPackets() == 0);
            if (now - used >= m_idleTime && !expected)
            {
                const auto actions = session.peer->Delete(spi, now);
                End* other = FindEnd(peer); // may have asked already
                const bool counted =
                    other && GetSession(*other, end->address).peer->IsLeaving(child.outbound);
                m_deleted += !actions.empty() && !counted;
                Execute(*end, peer, actions);
            }
        }
    }
    if (some)
    {
        end->idle = Simulator::Schedule(m_idleTime, &IkeKeying::DropIdle, this, end);
    }
}

uint64_t
IkeKeying::GetResent() const
{
    uint64_t resent = 0;
    for (const auto& [address, end] : m_ends)
    {
        for (const auto& [peer, session] : end->sessions)
        {
            resent += session.peer->GetResent();
        }
    }
    return resent;
}

uint64_t
IkeKeying::GetReplaced() const
{
    return m_replaced;
}

uint64_t
IkeKeying::GetDeleted() const
{
    return m_deleted;
}

} // namespace ns3
