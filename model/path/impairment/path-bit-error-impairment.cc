/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "path-bit-error-impairment.h"

#include "ns3/boolean.h"
#include "ns3/double.h"
#include "ns3/log.h"
#include "ns3/path-payload.h"

#include <algorithm>
#include <cmath>

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
    at.FlipBits(packet, DrawBits(bits));
    return m_detected;
}

std::vector<uint64_t>
PathBitErrorImpairment::DrawBits(uint64_t bits)
{
    std::vector<uint64_t> drawn;
    for (; m_next < bits; m_next += 1 + DrawGap())
    {
        drawn.push_back(m_next);
    }
    m_next -= bits;
    return drawn;
}

} // namespace ns3
