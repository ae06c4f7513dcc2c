/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "path-impairment.h"

#include "ns3/double.h"
#include "ns3/log.h"
#include "ns3/point-to-point-net-device.h"
#include "ns3/pointer.h"
#include "ns3/simulator.h"
#include "ns3/string.h"

#include <algorithm>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("PathImpairment");
NS_OBJECT_ENSURE_REGISTERED(PathImpairment);

TypeId
PathImpairment::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::PathImpairment")
            .SetParent<ErrorModel>()
            .SetGroupName("Iwarp")
            .AddConstructor<PathImpairment>()
            .AddAttribute("Loss",
                          "Probability that a packet is lost",
                          DoubleValue(0),
                          MakeDoubleAccessor(&PathImpairment::m_loss),
                          MakeDoubleChecker<double>(0, 1))
            .AddAttribute("Reordering",
                          "Probability that a packet is held back for HoldTime",
                          DoubleValue(0),
                          MakeDoubleAccessor(&PathImpairment::m_reordering),
                          MakeDoubleChecker<double>(0, 1))
            .AddAttribute("Duplication",
                          "Probability that a packet arrives a second time, HoldTime later",
                          DoubleValue(0),
                          MakeDoubleAccessor(&PathImpairment::m_duplication),
                          MakeDoubleChecker<double>(0, 1))
            .AddAttribute("HoldTime",
                          "Time for which a packet is held back, in seconds; negative draws "
                          "count as 0",
                          StringValue("ns3::UniformRandomVariable[Min=0|Max=0.0001]"),
                          MakePointerAccessor(&PathImpairment::m_holdTime),
                          MakePointerChecker<RandomVariableStream>())
            .AddAttribute("LossModel",
                          "Another error model whose losses come in addition, such as a "
                          "ns3::BurstErrorModel",
                          PointerValue(),
                          MakePointerAccessor(&PathImpairment::m_lossModel),
                          MakePointerChecker<ErrorModel>())
            .AddTraceSource("LossEvent",
                            "A packet is lost",
                            MakeTraceSourceAccessor(&PathImpairment::m_lossTrace),
                            "ns3::PathImpairment::LossTracedCallback")
            .AddTraceSource("HoldEvent",
                            "A packet is held back",
                            MakeTraceSourceAccessor(&PathImpairment::m_holdTrace),
                            "ns3::PathImpairment::DelayTracedCallback")
            .AddTraceSource("DuplicateEvent",
                            "A packet arrives and will arrive once more",
                            MakeTraceSourceAccessor(&PathImpairment::m_duplicateTrace),
                            "ns3::PathImpairment::DelayTracedCallback");
    return tid;
}

PathImpairment::PathImpairment()
    : m_lossRandom(CreateObject<UniformRandomVariable>()),
      m_holdRandom(CreateObject<UniformRandomVariable>()),
      m_copyRandom(CreateObject<UniformRandomVariable>())
{
}

PathImpairment::~PathImpairment() = default;

void
PathImpairment::DoDispose()
{
    m_receive = ReceiveFunction();
    m_lossModel = nullptr;
    ErrorModel::DoDispose();
}

bool
PathImpairment::Install(Ptr<NetDevice> device)
{
    Ptr<PointToPointNetDevice> pointToPoint = DynamicCast<PointToPointNetDevice>(device);
    if (!pointToPoint)
    {
        return false;
    }
    pointToPoint->SetReceiveErrorModel(this);
    m_receive = MakeCallback(&PointToPointNetDevice::Receive, pointToPoint);
    return true;
}

void
PathImpairment::SetReceiveFunction(ReceiveFunction receive)
{
    m_receive = receive;
}

int64_t
PathImpairment::AssignStreams(int64_t stream)
{
    m_lossRandom->SetStream(stream);
    m_holdRandom->SetStream(stream + 1);
    m_copyRandom->SetStream(stream + 2);
    m_holdTime->SetStream(stream + 3);
    return 4;
}

bool
PathImpairment::Happens(const Ptr<UniformRandomVariable>& random, double probability)
{
    return probability > 0 && random->GetValue() < probability;
}

bool
PathImpairment::DoCorrupt(Ptr<Packet> packet)
{
    if (m_passing || !IsEnabled())
    {
        return false;
    }
    if ((m_lossModel && m_lossModel->IsCorrupt(packet)) || Happens(m_lossRandom, m_loss))
    {
        NS_LOG_LOGIC("lose a packet of " << packet->GetSize());
        m_lossTrace(packet);
        return true;
    }
    if (m_receive.IsNull())
    {
        return false;
    }
    if (Happens(m_holdRandom, m_reordering))
    {
        const Time delay = Seconds(std::max(0.0, m_holdTime->GetValue()));
        NS_LOG_LOGIC("hold a packet of " << packet->GetSize() << " for " << delay);
        m_holdTrace(packet, delay);
        ReceiveLater(packet->Copy(), delay);
        return true;
    }
    if (Happens(m_copyRandom, m_duplication))
    {
        const Time delay = Seconds(std::max(0.0, m_holdTime->GetValue()));
        m_duplicateTrace(packet, delay);
        ReceiveLater(packet->Copy(), delay);
    }
    return false;
}

void
PathImpairment::DoReset()
{
    if (m_lossModel)
    {
        m_lossModel->Reset();
    }
}

void
PathImpairment::ReceiveLater(Ptr<Packet> packet, Time delay)
{
    Simulator::Schedule(delay, &PathImpairment::ReceiveNow, Ptr<PathImpairment>(this), packet);
}

void
PathImpairment::ReceiveNow(Ptr<Packet> packet)
{
    if (!m_receive.IsNull())
    {
        m_passing = true;
        m_receive(packet);
        m_passing = false;
    }
}

} // namespace ns3
