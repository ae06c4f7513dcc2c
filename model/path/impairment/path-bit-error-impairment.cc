/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "path-bit-error-impairment.h"

#include "ns3/boolean.h"
#include "ns3/double.h"
#include "ns3/log.h"
#include "ns3/path-payload.h"

#include <algorithm>
#include <boost/endian/conversion.hpp>
#include <cmath>
#include <vector>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("PathBitErrorImpairment");
NS_OBJECT_ENSURE_REGISTERED(PathBitErrorImpairment);

TypeId
PathBitErrorImpairment::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::PathBitErrorImpairment")
            .SetParent<PathImpairment>()
            .SetGroupName("Iwarp")
            .AddConstructor<PathBitErrorImpairment>()
            .AddAttribute("Rate",
                          "Probability that a bit of the payload, of TCP or of ESP, is changed "
                          "[probability]",
                          DoubleValue(0),
                          MakeDoubleAccessor(&PathBitErrorImpairment::m_rate),
                          MakeDoubleChecker<double>(0, 1))
            .AddAttribute(
                "Detected",
                "The errors are seen below TCP or by its checksum, so that the packet is lost",
                BooleanValue(false),
                MakeBooleanAccessor(&PathBitErrorImpairment::m_detected),
                MakeBooleanChecker())
            .AddTraceSource("ErrorEvent",
                            "A packet has errors",
                            MakeTraceSourceAccessor(&PathBitErrorImpairment::m_errors),
                            "ns3::Packet::TracedCallback");
    return tid;
}

namespace
{

/// @param packet packet @param at first octet to be changed @param octets new ones @param size how
/// many
void
Overwrite(const Ptr<Packet>& packet, uint32_t at, const uint8_t* octets, uint32_t size)
{
    const uint32_t left = packet->GetSize() - at;
    const Ptr<Packet> rest = packet->CreateFragment(at + size, left - size);
    packet->RemoveAtEnd(left);
    packet->AddAtEnd(Create<Packet>(octets, size));
    packet->AddAtEnd(rest);
}

} // namespace

PathBitErrorImpairment::PathBitErrorImpairment()
    : m_random(CreateObject<UniformRandomVariable>())
{
}

PathBitErrorImpairment::~PathBitErrorImpairment() = default;

std::string
PathBitErrorImpairment::GetIdleAttribute() const
{
    return m_rate == 0 ? "Rate" : "";
}

int64_t
PathBitErrorImpairment::DoAssignStreams(int64_t stream)
{
    NS_LOG_FUNCTION(this << stream);
    m_random->SetStream(stream);
    return 1;
}

uint64_t
PathBitErrorImpairment::DrawGap()
{
    constexpr double LONG = 1e18; // for rates next to 0
    const double gap = m_rate < 1 ? std::log1p(-m_random->GetValue()) / std::log1p(-m_rate) : 0;
    return static_cast<uint64_t>(std::min(gap, LONG));
}

bool
PathBitErrorImpairment::Impair(Ptr<Packet> packet)
{
    NS_LOG_FUNCTION(this << packet);
    uint8_t head[PathPayload::HEAD];
    PathPayload at;
    if (m_rate == 0 || !at.Find(head, packet->CopyData(head, sizeof(head)), packet->GetSize()))
    {
        return false;
    }
    if (!m_begun)
    {
        m_begun = true;
        m_next = DrawGap();
    }
    const uint64_t bits = 8 * uint64_t{at.end - at.begin};
    if (m_next >= bits)
    {
        m_next -= bits;
        return false;
    }
    m_errors(packet);
    Flip(packet, at);
    return m_detected;
}

void
PathBitErrorImpairment::Flip(Ptr<Packet> packet, const PathPayload& at)
{
    constexpr uint32_t CHECKSUM = 16; // octet of TCP's header
    std::vector<uint8_t> octets(packet->GetSize());
    packet->CopyData(octets.data(), packet->GetSize());
    uint8_t* field = octets.data() + at.tcp + CHECKSUM;
    uint16_t checksum = at.tcp > 0 ? boost::endian::load_big_u16(field) : 0;
    const uint64_t bits = 8 * uint64_t{at.end - at.begin};
    const auto first = static_cast<uint32_t>(at.begin + m_next / 8);
    uint32_t place = first;
    for (; m_next < bits; m_next += 1 + DrawGap())
    {
        place = static_cast<uint32_t>(at.begin + m_next / 8);
        const uint8_t before = octets[place];
        octets[place] ^= static_cast<uint8_t>(0x80 >> m_next % 8);
        checksum = at.UpdateChecksum(checksum, place, before, octets[place]);
    }
    m_next -= bits;
    Overwrite(packet, first, &octets[first], place + 1 - first);
    if (at.tcp > 0)
    {
        boost::endian::store_big_u16(field, checksum);
        Overwrite(packet, at.tcp + CHECKSUM, field, sizeof(checksum));
    }
}

} // namespace ns3
