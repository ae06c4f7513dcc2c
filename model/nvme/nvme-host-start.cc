/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "nvme-host-start.h"

#include <boost/endian/conversion.hpp>

namespace ns3
{

NvmeHostStart::NvmeHostStart(const NvmeHostWishes& wishes)
    : m_wishes(wishes)
{
}

NvmeHostStart::Step
NvmeHostStart::MakeConnect(uint16_t queue) const
{
    NvmeConnectData data;
    data.cntlid = queue == 0 ? nvme::ANY_CONTROLLER : m_cntlid;
    data.subNqn = m_wishes.subNqn;
    data.hostNqn = m_wishes.hostNqn;
    const uint32_t keepAlive = queue == 0 ? m_wishes.keepAlive : 0;
    return {NvmeSqe::MakeConnect(queue, m_wishes.entries, keepAlive), data.Write()};
}

std::optional<NvmeHostStart::Step>
NvmeHostStart::GetStep() const
{
    const std::vector<uint8_t> identify(nvme::IDENTIFY_SIZE);
    const uint32_t queues = m_wishes.ioQueues - 1; // 0's based, of both kinds
    switch (m_state)
    {
    case State::CONNECT:
        return MakeConnect(0);
    case State::CAPABILITIES:
        return Step{NvmeSqe::MakePropertyGet(nvme::PROPERTY_CAP, true), {}};
    case State::DISABLE:
        return Step{NvmeSqe::MakePropertySet(nvme::PROPERTY_CC, nvme::CC_DEFAULT), {}};
    case State::ENABLE:
        return Step{NvmeSqe::MakePropertySet(nvme::PROPERTY_CC, nvme::CC_DEFAULT | nvme::CC_EN),
                    {}};
    case State::STATUS:
        return Step{NvmeSqe::MakePropertyGet(nvme::PROPERTY_CSTS, false), {}};
    case State::VERSION:
        return Step{NvmeSqe::MakePropertyGet(nvme::PROPERTY_VS, false), {}};
    case State::IDENTIFY_CONTROLLER:
        return Step{NvmeSqe::MakeIdentify(nvme::CNS_CONTROLLER, 0), identify};
    case State::NUMBER_OF_QUEUES:
        return Step{NvmeSqe::MakeSetFeatures(nvme::FEATURE_QUEUES, queues | queues << 16), {}};
    case State::NAMESPACES:
        return Step{NvmeSqe::MakeIdentify(nvme::CNS_NAMESPACE_LIST, 0), identify};
    case State::IDENTIFY_NAMESPACE:
        return Step{NvmeSqe::MakeIdentify(nvme::CNS_NAMESPACE, m_nsid), identify};
    case State::QUEUES:
    case State::DONE:
        break;
    }
    return std::nullopt;
}

std::string
NvmeHostStart::Complete(const NvmeCqe& cqe, const std::vector<uint8_t>& data)
{
    if (cqe.GetStatus() != NvmeStatus::SUCCESS)
    {
        return std::string("the controller refuses to start: ") + NvmeStatusName(cqe.GetStatus());
    }
    const std::string problem = Check(cqe, data);
    if (problem.empty())
    {
        m_state = static_cast<State>(static_cast<uint8_t>(m_state) + 1);
    }
    return problem;
}

std::string
NvmeHostStart::Check(const NvmeCqe& cqe, const std::vector<uint8_t>& data)
{
    switch (m_state)
    {
    case State::CONNECT:
        m_cntlid = static_cast<uint16_t>(cqe.result);
        return "";
    case State::CAPABILITIES:
        return (cqe.result & 0xFFFF) + 1 >= m_wishes.entries
                   ? ""
                   : "the controller's queues are shorter than QueueDepth";
    case State::STATUS:
        return (cqe.result & nvme::CSTS_RDY) != 0 ? "" : "the controller is not ready";
    case State::IDENTIFY_CONTROLLER:
        return m_controller.Read(data) && m_controller.cntlid == m_cntlid
                   ? ""
                   : "Identify Controller is of another one";
    case State::NUMBER_OF_QUEUES:
        return (cqe.result & 0xFFFF) + 1 >= m_wishes.ioQueues
                   ? ""
                   : "the controller has fewer I/O queues";
    case State::NAMESPACES:
        m_nsid = data.size() >= 4 ? boost::endian::load_little_u32(data.data()) : 0;
        return m_nsid > 0 ? "" : "the controller has no namespace";
    case State::IDENTIFY_NAMESPACE:
        return m_namespace.Read(data) ? "" : "the namespace has no format that is known";
    default:
        return "";
    }
}

bool
NvmeHostStart::WantsQueues() const
{
    return m_state == State::QUEUES;
}

void
NvmeHostStart::HandleConnected()
{
    m_state = State::NAMESPACES;
}

bool
NvmeHostStart::IsDone() const
{
    return m_state == State::DONE;
}

const NvmeIdentifyController&
NvmeHostStart::GetController() const
{
    return m_controller;
}

const NvmeIdentifyNamespace&
NvmeHostStart::GetNamespace() const
{
    return m_namespace;
}

} // namespace ns3
