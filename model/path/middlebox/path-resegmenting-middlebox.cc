/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "path-resegmenting-middlebox.h"

#include "ns3/abort.h"
#include "ns3/boolean.h"
#include "ns3/log.h"
#include "ns3/node.h"
#include "ns3/ns3-compat.h"
#include "ns3/pointer.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <limits>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("PathResegmentingMiddlebox");
NS_OBJECT_ENSURE_REGISTERED(PathResegmentingMiddlebox);

TypeId
PathResegmentingMiddlebox::GetTypeId()
{
    using Box = PathResegmentingMiddlebox;
    static TypeId tid =
        TypeId("ns3::PathResegmentingMiddlebox")
            .SetParent<PathMiddlebox>()
            .SetGroupName("Iwarp")
            .AddConstructor<PathResegmentingMiddlebox>()
            .AddAttribute("MaxPayload",
                          "Octets of payload that a segment has at most behind the box; 0 is no "
                          "limit but the MTU [octets]",
                          UintegerValue(0),
                          MakeUintegerAccessor(&Box::m_maxPayload),
                          MakeUintegerChecker<uint32_t>())
            .AddAttribute("PieceSize",
                          "Octets of payload of each segment behind the box, drawn for each; less "
                          "than 1 counts as 1. None cuts nowhere else [octets]",
                          PointerValue(),
                          MakePointerAccessor(&Box::m_pieceSize),
                          MakePointerChecker<RandomVariableStream>())
            .AddAttribute("CoalesceSize",
                          "Octets of payload that are gathered from segments of a flow before they "
                          "are cut, at most; 0 gathers none [octets]",
                          UintegerValue(0),
                          MakeUintegerAccessor(&Box::m_coalesceSize),
                          MakeUintegerChecker<uint32_t>())
            .AddAttribute("HoldTime",
                          "How long a segment waits for others to be gathered with [time]",
                          TimeValue(MicroSeconds(20)),
                          MakeTimeAccessor(&Box::m_holdTime),
                          MakeTimeChecker(Time(0)))
            .AddAttribute("CoalesceMemory",
                          "Octets of datagrams that wait, of all flows of a direction, at most. "
                          "Segments beyond do not wait [octets]",
                          UintegerValue(1048576),
                          MakeUintegerAccessor(&Box::m_coalesceMemory),
                          MakeUintegerChecker<uint32_t>())
            .AddAttribute("StripTimestamps",
                          "Overwrite the timestamps option with NOPs",
                          BooleanValue(false),
                          MakeBooleanAccessor(&Box::m_stripTimestamps),
                          MakeBooleanChecker())
            .AddAttribute("StripSack",
                          "Overwrite SACK options with NOPs: SACK-permitted and blocks",
                          BooleanValue(false),
                          MakeBooleanAccessor(&Box::m_stripSack),
                          MakeBooleanChecker())
            .AddAttribute("MssClamp",
                          "What MSS options may say at most; 0 leaves them [octets]",
                          UintegerValue(0),
                          MakeUintegerAccessor(&Box::m_mssClamp),
                          MakeUintegerChecker<uint16_t>())
            .AddAttribute("Direction",
                          "Direction of the segments concerned",
                          iwarp::MakeEnumValue(Side::BOTH),
                          iwarp::MakeEnumAccessor(&Box::m_side),
                          iwarp::MakeEnumChecker(Side::BOTH,
                                                 "Both",
                                                 Side::A_TO_B,
                                                 "AToB",
                                                 Side::B_TO_A,
                                                 "BToA"))
            .AddAttribute("Source",
                          "Source address or prefix of the segments concerned, such as "
                          "10.1.0.0/16 or 2001:db8::1; empty is any",
                          PathPrefixValue(),
                          MakePathPrefixAccessor(&Box::m_source),
                          MakePathPrefixChecker())
            .AddAttribute("Destination",
                          "Destination address or prefix of the segments concerned; empty is any",
                          PathPrefixValue(),
                          MakePathPrefixAccessor(&Box::m_destination),
                          MakePathPrefixChecker())
            .AddAttribute("SourcePort",
                          "Source port of the segments concerned; 0 is any",
                          UintegerValue(0),
                          MakeUintegerAccessor(&Box::m_sourcePort),
                          MakeUintegerChecker<uint16_t>())
            .AddAttribute("DestinationPort",
                          "Destination port of the segments concerned; 0 is any",
                          UintegerValue(0),
                          MakeUintegerAccessor(&Box::m_destinationPort),
                          MakeUintegerChecker<uint16_t>())
            .AddTraceSource("Recut",
                            "Data went on in other segments than those that came",
                            MakeTraceSourceAccessor(&Box::m_recutTrace),
                            "ns3::PathResegmentingMiddlebox::RecutTracedCallback")
            .AddTraceSource("Held",
                            "Octets of datagrams that wait to be merged",
                            MakeTraceSourceAccessor(&Box::m_held),
                            "ns3::TracedValueCallback::Uint32");
    return tid;
}

PathResegmentingMiddlebox::PathResegmentingMiddlebox() = default;
PathResegmentingMiddlebox::~PathResegmentingMiddlebox() = default;

void
PathResegmentingMiddlebox::DoDispose()
{
    NS_LOG_FUNCTION(this);
    for (Way& way : m_ways)
    {
        way.expire.Cancel();
        way.coalescer = {};
    }
    PathMiddlebox::DoDispose();
}

std::string
PathResegmentingMiddlebox::GetIdleAttribute() const
{
    const bool cuts = m_maxPayload > 0 || m_pieceSize || m_coalesceSize > 0;
    return cuts || m_stripTimestamps || m_stripSack || m_mssClamp > 0 ? "" : "MaxPayload";
}

int64_t
PathResegmentingMiddlebox::AssignStreams(int64_t stream)
{
    NS_LOG_FUNCTION(this << stream);
    if (!m_pieceSize)
    {
        return 0;
    }
    m_pieceSize->SetStream(stream);
    return 1;
}

void
PathResegmentingMiddlebox::Pass(Ptr<Packet> packet, uint16_t protocol, PathDirection direction)
{
    NS_LOG_FUNCTION(this << packet << protocol);
    auto segment = Concerns(direction)
                       ? PathTcpSegment::Read(packet, protocol, Node::ChecksumEnabled())
                       : std::nullopt;
    if (!segment || !Matches(*segment))
    {
        Forward(packet, protocol, direction);
        return;
    }
    const bool changed = ChangeOptions(*segment);
    auto& coalescer = GetWay(direction).coalescer;
    coalescer.SetLimits({m_coalesceSize, m_holdTime, m_coalesceMemory});
    if (segment->IsPlainData())
    {
        Send(coalescer.Push(*segment, Simulator::Now()), direction);
    }
    else
    {
        Send(coalescer.Flush(segment->GetFlow()), direction);
        Forward(changed ? segment->Write() : packet, protocol, direction);
    }
    Watch(direction);
}

bool
PathResegmentingMiddlebox::Matches(const PathTcpSegment& segment) const
{
    return (m_sourcePort == 0 || m_sourcePort == segment.GetSourcePort()) &&
           (m_destinationPort == 0 || m_destinationPort == segment.GetDestinationPort()) &&
           m_source.Matches(segment.GetSource(), segment.IsIpv6()) &&
           m_destination.Matches(segment.GetDestination(), segment.IsIpv6());
}

bool
PathResegmentingMiddlebox::ChangeOptions(PathTcpSegment& segment) const
{
    bool changed = m_stripTimestamps && segment.StripOption(PathTcpSegment::TIMESTAMPS);
    if (m_stripSack)
    {
        changed = segment.StripOption(PathTcpSegment::SACK_OK) || changed;
        changed = segment.StripOption(PathTcpSegment::SACK) || changed;
    }
    return (m_mssClamp > 0 && segment.ClampMss(m_mssClamp)) || changed;
}

void
PathResegmentingMiddlebox::Send(const PathTcpCoalescer::Runs& runs, PathDirection direction)
{
    for (const auto& run : runs)
    {
        const uint32_t headers = run.GetHead().GetHeaderSize();
        const auto pieces =
            run.Cut([&] { return DrawPiece(headers, direction); }, [this] { return m_id++; });
        NS_LOG_LOGIC(run.GetSegments() << " segments become " << pieces.size());
        if (run.GetSegments() > 1 || pieces.size() > 1)
        {
            m_recutTrace(run.GetSegments(), static_cast<uint32_t>(pieces.size()));
        }
        for (const auto& piece : pieces)
        {
            Forward(piece.Write(), piece.GetProtocol(), direction);
        }
    }
}

uint32_t
PathResegmentingMiddlebox::DrawPiece(uint32_t headers, PathDirection direction) const
{
    const uint32_t mtu = GetMtu(direction);
    uint32_t size = mtu > headers ? mtu - headers : 1;
    if (m_maxPayload > 0)
    {
        size = std::min(size, m_maxPayload);
    }
    if (m_pieceSize)
    {
        const double drawn = std::clamp(m_pieceSize->GetValue(), 1.0, static_cast<double>(size));
        size = static_cast<uint32_t>(drawn);
    }
    return size;
}

void
PathResegmentingMiddlebox::Expire(PathDirection direction)
{
    NS_LOG_FUNCTION(this);
    Send(GetWay(direction).coalescer.Expire(Simulator::Now()), direction);
    Watch(direction);
}

void
PathResegmentingMiddlebox::Watch(PathDirection direction)
{
    Way& way = GetWay(direction);
    m_held = GetHeld();
    if (!way.coalescer.IsEmpty() && way.expire.IsExpired())
    {
        way.expire = Simulator::Schedule(way.coalescer.GetDeadline() - Simulator::Now(),
                                         &PathResegmentingMiddlebox::Expire,
                                         this,
                                         direction);
    }
}

// ---- attributes and state -----------------------------------------------------------------------

uint32_t
PathResegmentingMiddlebox::GetHeld() const
{
    return m_ways[0].coalescer.GetHeld() + m_ways[1].coalescer.GetHeld();
}

PathResegmentingMiddlebox::Way&
PathResegmentingMiddlebox::GetWay(PathDirection direction)
{
    return m_ways[direction == PathDirection::A_TO_B ? 0 : 1];
}

bool
PathResegmentingMiddlebox::Concerns(PathDirection direction) const
{
    return m_side == Side::BOTH || (m_side == Side::A_TO_B) == (direction == PathDirection::A_TO_B);
}

} // namespace ns3
