/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "path-gilbert-elliott-impairment.h"

#include "ns3/double.h"
#include "ns3/log.h"

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("PathGilbertElliottImpairment");
NS_OBJECT_ENSURE_REGISTERED(PathGilbertElliottImpairment);

TypeId
PathGilbertElliottImpairment::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::PathGilbertElliottImpairment")
            .SetParent<PathImpairment>()
            .SetGroupName("Iwarp")
            .AddConstructor<PathGilbertElliottImpairment>()
            .AddAttribute("GoodToBad",
                          "Probability that the next packet finds the link bad behind one that "
                          "found it good [probability]",
                          DoubleValue(0),
                          MakeDoubleAccessor(&PathGilbertElliottImpairment::m_goodToBad),
                          MakeDoubleChecker<double>(0, 1))
            .AddAttribute(
                "BadToGood",
                "Probability that the next packet finds the link good behind one that found it "
                "bad; bad states last the inverse of it, in packets [probability]",
                DoubleValue(0.25),
                MakeDoubleAccessor(&PathGilbertElliottImpairment::m_badToGood),
                MakeDoubleChecker<double>(0, 1))
            .AddAttribute(
                "GoodLoss",
                "Probability that a packet is lost that finds the link good [probability]",
                DoubleValue(0),
                MakeDoubleAccessor(&PathGilbertElliottImpairment::m_goodLoss),
                MakeDoubleChecker<double>(0, 1))
            .AddAttribute("BadLoss",
                          "Probability that a packet is lost that finds the link bad [probability]",
                          DoubleValue(1),
                          MakeDoubleAccessor(&PathGilbertElliottImpairment::m_badLoss),
                          MakeDoubleChecker<double>(0, 1));
    return tid;
}

PathGilbertElliottImpairment::PathGilbertElliottImpairment()
    : m_stateRandom(CreateObject<UniformRandomVariable>()),
      m_lossRandom(CreateObject<UniformRandomVariable>())
{
}

PathGilbertElliottImpairment::~PathGilbertElliottImpairment() = default;

std::string
PathGilbertElliottImpairment::GetIdleAttribute() const
{
    return m_goodToBad == 0 && m_goodLoss == 0 ? "GoodToBad" : "";
}

int64_t
PathGilbertElliottImpairment::DoAssignStreams(int64_t stream)
{
    NS_LOG_FUNCTION(this << stream);
    m_stateRandom->SetStream(stream);
    m_lossRandom->SetStream(stream + 1);
    return 2;
}

bool
PathGilbertElliottImpairment::Impair(Ptr<Packet> packet)
{
    NS_LOG_FUNCTION(this << packet);
    if (m_goodToBad == 0)
    {
        m_bad = false; // whatever the first packet would find
    }
    else if (!m_begun)
    {
        m_bad = m_stateRandom->GetValue() * (m_goodToBad + m_badToGood) < m_goodToBad;
    }
    else if (m_stateRandom->GetValue() < (m_bad ? m_badToGood : m_goodToBad))
    {
        m_bad = !m_bad;
    }
    m_begun = true;
    const double loss = m_bad ? m_badLoss : m_goodLoss;
    return loss > 0 && m_lossRandom->GetValue() < loss;
}

} // namespace ns3
