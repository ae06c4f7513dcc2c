/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "path-adversary-middlebox.h"

#include "path-payload.h"

#include "ns3/double.h"
#include "ns3/log.h"
#include "ns3/node.h"
#include "ns3/ns3-compat.h"
#include "ns3/simulator.h"
#include "ns3/uinteger.h"
#include "ns3/util-forged-tag.h"

#include <algorithm>
#include <boost/endian/conversion.hpp>
#include <numeric>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("PathAdversaryMiddlebox");
NS_OBJECT_ENSURE_REGISTERED(PathAdversaryMiddlebox);

namespace
{

/// Replace all of a packet, but for its tags, which say where its frame goes. @param like it
/// @param octets new ones @return packet
Ptr<Packet>
MakeForged(const Ptr<Packet>& like, const PathOctets& octets)
{
    const Ptr<Packet> forged = like->CreateFragment(0, 0);
    forged->AddAtEnd(Create<Packet>(octets.data(), static_cast<uint32_t>(octets.size())));
    return forged;
}

/// @param segment of TCP @return sequence number behind it
uint32_t
GetNextSeq(const PathTcpSegment& segment)
{
    const uint8_t flags = segment.GetFlags();
    const bool syn = (flags & PathTcpSegment::SYN) != 0;
    const bool fin = (flags & PathTcpSegment::FIN) != 0;
    return segment.GetSeq() + segment.GetSize() + syn + fin;
}

/// @param octets of a datagram @return it is a fragment of IPv4
bool
IsFragment(const PathOctets& octets)
{
    constexpr uint16_t FRAGMENT_BITS = 0x3FFF; // of flags and offset
    return !IsPathIpv6(octets) && (boost::endian::load_big_u16(&octets[6]) & FRAGMENT_BITS) != 0;
}

} // namespace

template <PathAdversaryMiddlebox::Act A>
void
PathAdversaryMiddlebox::SetProbability(double probability)
{
    m_probabilities[static_cast<std::size_t>(A)] = probability;
}

template <PathAdversaryMiddlebox::Act A>
double
PathAdversaryMiddlebox::GetProbability() const
{
    return m_probabilities[static_cast<std::size_t>(A)];
}

template <PathAdversaryMiddlebox::Act A>
TypeId
PathAdversaryMiddlebox::AddAct(TypeId tid, const char* name, const std::string& help)
{
    using Box = PathAdversaryMiddlebox;
    return tid.AddAttribute(name,
                            "Probability per packet that " + help + " [probability]",
                            DoubleValue(0),
                            MakeDoubleAccessor(&Box::SetProbability<A>, &Box::GetProbability<A>),
                            MakeDoubleChecker<double>(0, 1));
}

TypeId
PathAdversaryMiddlebox::GetTypeId()
{
    using Box = PathAdversaryMiddlebox;
    static TypeId tid = [] {
        TypeId type = TypeId("ns3::PathAdversaryMiddlebox")
                          .SetParent<PathMiddlebox>()
                          .SetGroupName("Iwarp")
                          .AddConstructor<PathAdversaryMiddlebox>();
        type = AddAct<Act::ICMP_TOO_BIG>(type,
                                         "IcmpTooBig",
                                         "an ICMP error says that it is too large");
        type = AddAct<Act::ICMP_UNREACHABLE>(
            type,
            "IcmpUnreachable",
            "an ICMP error says that its port or protocol cannot be reached");
        type = AddAct<Act::REPEAT>(type, "Repeat", "one of those that have passed is sent again");
        type = AddAct<Act::MIX_FRAGMENTS>(
            type,
            "MixFragments",
            "it is cut in fragments, if IPv4, and octets of another come before the second one");
        type = AddAct<Act::RESET_OUTSIDE>(
            type,
            "ResetOutside",
            "a reset follows whose number is half of all numbers away from the next");
        type = AddAct<Act::RESET_INSIDE>(
            type,
            "ResetInside",
            "a reset follows whose number is 1 to 1000 behind the next, in the window");
        type = AddAct<Act::RESET_EXACT>(type, "ResetExact", "a reset follows with the next number");
        type = AddAct<Act::FORGE_DATA>(type,
                                       "ForgeData",
                                       "as many octets of any value follow in the place of the "
                                       "next");
        type = AddAct<Act::CHANGE>(type,
                                   "Change",
                                   "a bit of its payload changes, under a checksum of TCP that is "
                                   "right");
        type = AddAct<Act::REPEAT_IKE>(type, "RepeatIke", "it is sent again, if key exchange");
        type = AddAct<Act::WITHHOLD_IKE>(type, "WithholdIke", "it does not pass, if key exchange");
        type = AddAct<Act::REPEAT_OLD_ESP>(
            type,
            "RepeatOldEsp",
            "one of another association is sent again, such as one before a rekeying");
        return type
            .AddAttribute("IcmpQuote",
                          "Whether ICMP errors quote the packet as it was, or with a number of "
                          "TCP, or an SPI, that is drawn",
                          iwarp::MakeEnumValue(Quote::REAL),
                          iwarp::MakeEnumAccessor(&Box::m_quote),
                          iwarp::MakeEnumChecker(Quote::REAL, "Real", Quote::GUESSED, "Guessed"))
            .AddAttribute("IcmpMtu",
                          "MTU that ICMP errors tell [octets]",
                          UintegerValue(576),
                          MakeUintegerAccessor(&Box::m_mtu),
                          MakeUintegerChecker<uint32_t>(0, 65535))
            .AddAttribute("Memory",
                          "Packets that are remembered, of TCP and ESP, and associations of which "
                          "the last one is [packets]",
                          UintegerValue(64),
                          MakeUintegerAccessor(&Box::m_memoryLimit),
                          MakeUintegerChecker<uint32_t>(1))
            .AddAttribute("Delay",
                          "How long a packet waits that is sent again [time]",
                          TimeValue(MilliSeconds(1)),
                          MakeTimeAccessor(&Box::m_delay),
                          MakeTimeChecker(Time(0)))
            .AddAttribute("Begin",
                          "When the acts begin, from the simulation's start [time]",
                          TimeValue(Time(0)),
                          MakeTimeAccessor(&Box::m_begin),
                          MakeTimeChecker(Time(0)))
            .AddAttribute("MaxActs",
                          "Acts at most, of all kinds; 0 is no limit [acts]",
                          UintegerValue(0),
                          MakeUintegerAccessor(&Box::m_most),
                          MakeUintegerChecker<uint64_t>())
            .AddTraceSource("Act",
                            "Something is forged, changed, repeated or withheld",
                            MakeTraceSourceAccessor(&Box::m_actTrace),
                            "ns3::PathAdversaryMiddlebox::ActTracedCallback");
    }();
    return tid;
}

PathAdversaryMiddlebox::PathAdversaryMiddlebox()
    : m_random(CreateObject<UniformRandomVariable>())
{
}

PathAdversaryMiddlebox::~PathAdversaryMiddlebox() = default;

uint64_t
PathAdversaryMiddlebox::GetActs(Act act) const
{
    return m_acts[static_cast<std::size_t>(act)];
}

uint64_t
PathAdversaryMiddlebox::GetAllActs() const
{
    return std::accumulate(m_acts.begin(), m_acts.end(), uint64_t{0});
}

std::string
PathAdversaryMiddlebox::GetIdleAttribute() const
{
    const bool acts =
        std::any_of(m_probabilities.begin(), m_probabilities.end(), [](double p) { return p > 0; });
    return acts ? "" : "Change";
}

int64_t
PathAdversaryMiddlebox::AssignStreams(int64_t stream)
{
    NS_LOG_FUNCTION(this << stream);
    m_random->SetStream(stream);
    return 1;
}

void
PathAdversaryMiddlebox::Pass(Ptr<Packet> packet, uint16_t protocol, PathDirection direction)
{
    NS_LOG_FUNCTION(this << packet << protocol);
    const View view = Look(packet, protocol, direction);
    if (view.exchange)
    {
        PassExchange(view);
        return;
    }
    if (!view.segment && view.spi == 0)
    {
        if (!IsFragment(view.octets) || !Mix(view))
        {
            Forward(packet, protocol, direction);
        }
        return;
    }
    SendIcmp(view, Act::ICMP_TOO_BIG);
    SendIcmp(view, Act::ICMP_UNREACHABLE);
    if (!Mix(view))
    {
        Forward(Change(view), protocol, direction);
    }
    for (const Act act : {Act::RESET_OUTSIDE, Act::RESET_INSIDE, Act::RESET_EXACT})
    {
        SendReset(view, act);
    }
    SendData(view);
    RepeatSeen(view);
    m_memory.Push({packet, protocol, direction, view.spi}, m_memoryLimit);
}

PathAdversaryMiddlebox::View
PathAdversaryMiddlebox::Look(const Ptr<Packet>& packet, uint16_t protocol, PathDirection direction)
{
    View view{packet, protocol, direction, PathOctets(packet->GetSize()), {}, 0, false};
    const uint32_t size = packet->CopyData(view.octets.data(), packet->GetSize());
    const uint32_t known = std::min(size, +PathPayload::HEAD);
    view.exchange = PathPayload::IsKeyExchange(view.octets.data(), known);
    view.segment = PathTcpSegment::Read(packet, protocol, Node::ChecksumEnabled());
    PathPayload at;
    if (!view.segment && at.Find(view.octets.data(), known, size) && at.tcp == 0)
    {
        constexpr uint32_t SPI = 8; // octets before the payload of ESP
        view.spi = boost::endian::load_big_u32(&view.octets[at.begin - SPI]);
    }
    return view;
}

// ---- what is done, and when ---------------------------------------------------------------------

bool
PathAdversaryMiddlebox::May(Act act) const
{
    return m_probabilities[static_cast<std::size_t>(act)] > 0 && Simulator::Now() >= m_begin &&
           (m_most == 0 || GetAllActs() < m_most);
}

bool
PathAdversaryMiddlebox::Draws(Act act)
{
    const auto index = static_cast<std::size_t>(act);
    const bool done = May(act) && m_random->GetValue() < m_probabilities[index];
    m_acts[index] += done;
    return done;
}

void
PathAdversaryMiddlebox::Forge(Act act, const Ptr<Packet>& packet, const View& view, bool back)
{
    const bool forth = (view.direction == PathDirection::A_TO_B) != back;
    ForgedTag forged;
    if (!packet->PeekPacketTag(forged)) // there if it is about a packet that another has forged
    {
        packet->AddPacketTag(forged);
    }
    m_actTrace(act, packet);
    Forward(packet, view.protocol, forth ? PathDirection::A_TO_B : PathDirection::B_TO_A);
}

void
PathAdversaryMiddlebox::Repeat(Act act, const PathPacketMemory::Kept& kept)
{
    const Ptr<Packet> again = kept.packet->Copy();
    m_actTrace(act, again);
    Simulator::Schedule(m_delay, [self = Ptr<PathAdversaryMiddlebox>(this), again, kept] {
        self->Forward(again, kept.protocol, kept.direction);
    });
}

void
PathAdversaryMiddlebox::PassExchange(const View& view)
{
    if (Draws(Act::WITHHOLD_IKE))
    {
        m_actTrace(Act::WITHHOLD_IKE, view.packet);
        return;
    }
    if (Draws(Act::REPEAT_IKE))
    {
        Repeat(Act::REPEAT_IKE, {view.packet, view.protocol, view.direction, 0});
    }
    Forward(view.packet->Copy(), view.protocol, view.direction);
}

void
PathAdversaryMiddlebox::SendIcmp(const View& view, Act act)
{
    if (!Draws(act))
    {
        return;
    }
    PathOctets about = view.octets;
    if (m_quote == Quote::GUESSED)
    {
        GuessPathNumber(about, DrawNumber());
    }
    const bool ipv6 = IsPathIpv6(about);
    const auto error = act == Act::ICMP_TOO_BIG
                           ? PathIcmpError::TooBig(ipv6, m_mtu)
                           : PathIcmpError::Unreachable(ipv6, m_random->GetInteger(0, 1));
    const PathOctets message = MakePathIcmp(about, error);
    Forge(act, Create<Packet>(message.data(), static_cast<uint32_t>(message.size())), view, true);
}

Ptr<Packet>
PathAdversaryMiddlebox::Change(const View& view)
{
    const Ptr<Packet> packet = view.packet->Copy();
    if (!May(Act::CHANGE))
    {
        return packet;
    }
    const auto size = static_cast<uint32_t>(view.octets.size());
    PathPayload at;
    const bool found = at.Find(view.octets.data(), std::min(size, +PathPayload::HEAD), size);
    if (found && at.end > at.begin && Draws(Act::CHANGE))
    {
        at.FlipBits(packet, {DrawIndex(8 * std::size_t{at.end - at.begin})});
        m_actTrace(Act::CHANGE, packet);
    }
    return packet;
}

bool
PathAdversaryMiddlebox::Mix(const View& view)
{
    const auto& seen = m_memory.GetLast();
    if (seen.empty() || !May(Act::MIX_FRAGMENTS))
    {
        return false;
    }
    const auto pieces = CutPathDatagram(view.octets);
    if (pieces.empty() || !Draws(Act::MIX_FRAGMENTS))
    {
        return false;
    }
    const auto& other = seen[DrawIndex(seen.size())].packet;
    PathOctets octets(other->GetSize());
    other->CopyData(octets.data(), other->GetSize());
    const auto make = [&view](const PathOctets& piece) { return MakeForged(view.packet, piece); };
    Forward(make(pieces[0]), view.protocol, view.direction);
    Forge(Act::MIX_FRAGMENTS, make(MixPathFragment(pieces[1], octets)), view);
    Forward(make(pieces[1]), view.protocol, view.direction);
    return true;
}

void
PathAdversaryMiddlebox::SendReset(const View& view, Act act)
{
    if (!Draws(act))
    {
        return;
    }
    if (!view.segment)
    {
        const std::array<uint16_t, 2> ports{static_cast<uint16_t>(DrawNumber()),
                                            static_cast<uint16_t>(DrawNumber())};
        const PathOctets reset = MakePathBlindReset(view.octets, ports, DrawNumber());
        Forge(act, MakeForged(view.packet, reset), view);
        return;
    }
    constexpr uint32_t HALF = 0x80000000; // of all numbers
    constexpr uint32_t INSIDE = 1000;     // octets of the window
    const uint32_t off = act == Act::RESET_OUTSIDE  ? HALF
                         : act == Act::RESET_INSIDE ? m_random->GetInteger(1, INSIDE)
                                                    : 0;
    Forge(act, MakePathReset(*view.segment, GetNextSeq(*view.segment) + off).Write(), view);
}

void
PathAdversaryMiddlebox::SendData(const View& view)
{
    const uint32_t size =
        view.segment ? view.segment->GetSize() : static_cast<uint32_t>(view.octets.size());
    if (size == 0 || !Draws(Act::FORGE_DATA))
    {
        return;
    }
    const PathOctets any = DrawOctets(size);
    Forge(Act::FORGE_DATA,
          view.segment ? MakePathData(*view.segment, GetNextSeq(*view.segment), any).Write()
                       : MakeForged(view.packet, MakePathEsp(view.octets, 1, any)),
          view);
}

void
PathAdversaryMiddlebox::RepeatSeen(const View& view)
{
    const auto& seen = m_memory.GetLast();
    if (!seen.empty() && Draws(Act::REPEAT))
    {
        Repeat(Act::REPEAT, seen[DrawIndex(seen.size())]);
    }
    if (view.spi == 0 || !May(Act::REPEAT_OLD_ESP))
    {
        return;
    }
    const auto others = m_memory.ListOthers(view.direction, view.spi);
    if (!others.empty() && Draws(Act::REPEAT_OLD_ESP))
    {
        Repeat(Act::REPEAT_OLD_ESP, others[DrawIndex(others.size())]);
    }
}

uint32_t
PathAdversaryMiddlebox::DrawNumber()
{
    constexpr uint32_t HALVES = 65535; // 16 bits at a time: all of 32 are more than it draws evenly
    return m_random->GetInteger(0, HALVES) << 16 | m_random->GetInteger(0, HALVES);
}

PathOctets
PathAdversaryMiddlebox::DrawOctets(uint32_t n)
{
    PathOctets octets(n);
    std::generate(octets.begin(), octets.end(), [this] {
        return static_cast<uint8_t>(m_random->GetInteger(0, 255));
    });
    return octets;
}

std::size_t
PathAdversaryMiddlebox::DrawIndex(std::size_t n)
{
    return m_random->GetInteger(0, static_cast<uint32_t>(n - 1));
}

} // namespace ns3
