/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "nvme-controller.h"

#include "ns3/hash.h"

#include <algorithm>
#include <array>
#include <boost/endian/conversion.hpp>

namespace ns3
{

namespace
{

constexpr uint32_t MAX_EVENTS = 4;    // Asynchronous Event Requests that wait, AERL and one
constexpr uint8_t NIDT_UUID = 3;      // type of a Namespace Identification Descriptor
constexpr uint8_t UUID_SIZE = 16;     // octets
constexpr uint64_t CAP_CQR = 1 << 16; // queues are contiguous
constexpr uint64_t CAP_TO = 15 << 24; // of 500 ms
constexpr uint64_t CAP_NVM = uint64_t{1} << 37; // the NVM command set

/// @param status why @param result DW0 and DW1 @return a refusal
NvmeAnswer
Refuse(NvmeStatus status, uint64_t result = 0)
{
    NvmeAnswer answer;
    answer.status = status;
    answer.result = result;
    return answer;
}

/// @param nqn name of a subsystem @return UUID of its namespace, of version 8 (RFC 9562)
std::array<uint8_t, UUID_SIZE>
MakeUuid(const std::string& nqn)
{
    std::array<uint8_t, UUID_SIZE> uuid;
    boost::endian::store_big_u64(&uuid[0], Hash64(nqn));
    boost::endian::store_big_u64(&uuid[8], Hash64("namespace of " + nqn));
    uuid[6] = 0x80 | (uuid[6] & 0x0F); // version
    uuid[8] = 0x80 | (uuid[8] & 0x3F); // variant
    return uuid;
}

/// @param where IATTR and IPO of the parameter of Connect that is invalid @return a refusal
NvmeAnswer
RefuseParameter(uint32_t where)
{
    return Refuse(NvmeStatus::CONNECT_INVALID_PARAMETERS, where);
}

} // namespace

NvmeController::NvmeController(const NvmeSubsystem& subsystem, uint16_t cntlid)
    : m_subsystem(subsystem),
      m_cntlid(cntlid)
{
}

bool
NvmeController::IsReady() const
{
    return (m_configuration & nvme::CC_EN) != 0 && (m_configuration & nvme::CC_SHN) == 0;
}

uint16_t
NvmeController::GetCntlid() const
{
    return m_cntlid;
}

NvmeAnswer
NvmeController::Connect(const NvmeSqe& sqe, const std::vector<uint8_t>& data)
{
    NvmeConnectData connect;
    if (!connect.Read(data))
    {
        return Refuse(NvmeStatus::SGL_LENGTH_INVALID);
    }
    if (sqe.GetRecordFormat() != 0)
    {
        return Refuse(NvmeStatus::CONNECT_INCOMPATIBLE_FORMAT);
    }
    if (connect.subNqn != m_subsystem.nqn)
    {
        return RefuseParameter(nvme::IATTR_DATA | nvme::AT_CONNECT_SUBNQN);
    }
    const uint16_t queue = sqe.GetQueueId();
    const bool admin = queue == 0;
    const bool ours = admin ? connect.cntlid == nvme::ANY_CONTROLLER
                            : connect.cntlid == m_cntlid && m_host == connect.hostNqn;
    if (!ours)
    {
        return RefuseParameter(nvme::IATTR_DATA | nvme::AT_CONNECT_CNTLID);
    }
    if (queue > m_subsystem.ioQueues)
    {
        return RefuseParameter(nvme::AT_CONNECT_QID);
    }
    if (sqe.GetQueueSize() < 2 || sqe.GetQueueSize() > m_subsystem.queueSize)
    {
        return RefuseParameter(nvme::AT_CONNECT_SQSIZE);
    }
    if (admin)
    {
        m_host = connect.hostNqn;
        SetKeepAlive(sqe.GetKeepAlive());
    }
    else if (!IsReady() || !m_queues.insert(queue).second)
    {
        return Refuse(NvmeStatus::COMMAND_SEQUENCE_ERROR);
    }
    NvmeAnswer answer;
    answer.result = m_cntlid;
    return answer;
}

void
NvmeController::RemoveQueue(uint16_t queue)
{
    m_queues.erase(queue);
}

NvmeAnswer
NvmeController::ExecuteAdmin(const NvmeSqe& sqe)
{
    if (sqe.IsFabrics())
    {
        switch (sqe.GetFctype())
        {
        case NvmeFctype::PROPERTY_GET:
            return GetProperty(sqe);
        case NvmeFctype::PROPERTY_SET:
            return SetProperty(sqe);
        case NvmeFctype::CONNECT:
            return Refuse(NvmeStatus::COMMAND_SEQUENCE_ERROR); // it is
        }
        return Refuse(NvmeStatus::INVALID_FIELD);
    }
    if (!IsReady())
    {
        return Refuse(NvmeStatus::COMMAND_SEQUENCE_ERROR);
    }
    switch (static_cast<NvmeOpcode>(sqe.opcode))
    {
    case NvmeOpcode::IDENTIFY:
        return Identify(sqe);
    case NvmeOpcode::SET_FEATURES:
        return SetFeatures(sqe);
    case NvmeOpcode::GET_FEATURES:
        return GetFeatures(sqe);
    case NvmeOpcode::KEEP_ALIVE:
        return {};
    case NvmeOpcode::GET_LOG_PAGE: {
        NvmeAnswer answer = Refuse(NvmeStatus::INVALID_FIELD);
        if (sqe.GetLogPage() == nvme::LOG_SMART && sqe.GetLogSize() <= 512)
        {
            answer.status = NvmeStatus::SUCCESS;
            answer.data.resize(sqe.GetLogSize()); // nothing has worn out
        }
        return answer;
    }
    case NvmeOpcode::ASYNC_EVENT_REQUEST: {
        NvmeAnswer answer = Refuse(NvmeStatus::ASYNC_LIMIT_EXCEEDED);
        answer.later = m_events < MAX_EVENTS;
        m_events += answer.later ? 1 : 0;
        return answer;
    }
    default:
        return Refuse(NvmeStatus::INVALID_OPCODE);
    }
}

NvmeAnswer
NvmeController::GetProperty(const NvmeSqe& sqe) const
{
    NvmeAnswer answer;
    const uint32_t entries = std::min<uint32_t>(m_subsystem.queueSize, 65536);
    switch (sqe.GetProperty())
    {
    case nvme::PROPERTY_CAP:
        answer.result = (entries - 1) | CAP_CQR | CAP_TO | CAP_NVM;
        break;
    case nvme::PROPERTY_VS:
        answer.result = 0x00010300;
        break;
    case nvme::PROPERTY_CC:
        answer.result = m_configuration;
        break;
    case nvme::PROPERTY_CSTS:
        answer.result = (IsReady() ? nvme::CSTS_RDY : 0) |
                        ((m_configuration & nvme::CC_SHN) != 0 ? nvme::CSTS_SHST : 0);
        break;
    default:
        answer.status = NvmeStatus::INVALID_FIELD;
        break;
    }
    const bool wide = sqe.GetProperty() == nvme::PROPERTY_CAP;
    return wide == sqe.IsWideProperty() ? answer : Refuse(NvmeStatus::INVALID_FIELD);
}

NvmeAnswer
NvmeController::SetProperty(const NvmeSqe& sqe)
{
    if (sqe.GetProperty() != nvme::PROPERTY_CC || sqe.IsWideProperty())
    {
        return Refuse(NvmeStatus::INVALID_FIELD);
    }
    m_configuration = static_cast<uint32_t>(sqe.GetValue());
    return {};
}

NvmeAnswer
NvmeController::Identify(const NvmeSqe& sqe) const
{
    NvmeAnswer answer;
    const bool ours = sqe.nsid == NSID;
    switch (sqe.GetCns())
    {
    case nvme::CNS_CONTROLLER: {
        NvmeIdentifyController identify;
        identify.subNqn = m_subsystem.nqn;
        identify.cntlid = m_cntlid;
        identify.maxCommands =
            static_cast<uint16_t>(std::min<uint32_t>(m_subsystem.queueSize, 65535));
        identify.inCapsule = m_subsystem.inCapsule;
        identify.namespaces = NSID;
        answer.data = identify.Write();
        break;
    }
    case nvme::CNS_NAMESPACE:
        if (!ours)
        {
            return Refuse(NvmeStatus::INVALID_NAMESPACE);
        }
        answer.data = NvmeIdentifyNamespace{m_subsystem.blocks, m_subsystem.blockSize}.Write();
        break;
    case nvme::CNS_NAMESPACE_LIST:
        answer.data.resize(nvme::IDENTIFY_SIZE);
        boost::endian::store_little_u32(answer.data.data(), sqe.nsid < NSID ? NSID : 0);
        break;
    case nvme::CNS_DESCRIPTORS: {
        if (!ours)
        {
            return Refuse(NvmeStatus::INVALID_NAMESPACE);
        }
        const auto uuid = MakeUuid(m_subsystem.nqn);
        answer.data.resize(nvme::IDENTIFY_SIZE);
        answer.data[0] = NIDT_UUID;
        answer.data[1] = UUID_SIZE;
        std::copy(uuid.begin(), uuid.end(), answer.data.begin() + 4);
        break;
    }
    default:
        return Refuse(NvmeStatus::INVALID_FIELD);
    }
    return answer;
}

void
NvmeController::SetKeepAlive(uint32_t timeout)
{
    const uint64_t units = (uint64_t{timeout} + nvme::KAS_MS - 1) / nvme::KAS_MS;
    m_keepAlive =
        static_cast<uint32_t>(std::min<uint64_t>(units, UINT32_MAX / nvme::KAS_MS) * nvme::KAS_MS);
}

NvmeAnswer
NvmeController::AnswerQueues() const
{
    NvmeAnswer answer;
    const uint32_t queues = std::clamp<uint32_t>(m_subsystem.ioQueues, 1, 65535) - 1;
    answer.result = queues | queues << 16;
    return answer;
}

NvmeAnswer
NvmeController::SetFeatures(const NvmeSqe& sqe)
{
    const uint32_t value = sqe.GetFeatureValue();
    switch (sqe.GetFeature())
    {
    case nvme::FEATURE_QUEUES:
        // NSQR and NCQR, 0's based
        return (value & 0xFFFF) == 0xFFFF || value >> 16 == 0xFFFF
                   ? Refuse(NvmeStatus::INVALID_FIELD)
                   : AnswerQueues();
    case nvme::FEATURE_EVENTS:
        m_eventMask = value;
        return {};
    case nvme::FEATURE_KATO:
        SetKeepAlive(value);
        return {};
    default:
        return Refuse(NvmeStatus::INVALID_FIELD);
    }
}

NvmeAnswer
NvmeController::GetFeatures(const NvmeSqe& sqe) const
{
    NvmeAnswer answer;
    switch (sqe.GetFeature())
    {
    case nvme::FEATURE_QUEUES:
        return AnswerQueues();
    case nvme::FEATURE_EVENTS:
        answer.result = m_eventMask;
        return answer;
    case nvme::FEATURE_KATO:
        answer.result = m_keepAlive;
        return answer;
    default:
        return Refuse(NvmeStatus::INVALID_FIELD);
    }
}

NvmeStatus
NvmeController::CheckIo(const NvmeSqe& sqe, uint32_t length) const
{
    const auto opcode = static_cast<NvmeOpcode>(sqe.opcode);
    if (opcode != NvmeOpcode::READ && opcode != NvmeOpcode::WRITE && opcode != NvmeOpcode::FLUSH)
    {
        return NvmeStatus::INVALID_OPCODE;
    }
    if (sqe.nsid != NSID)
    {
        return NvmeStatus::INVALID_NAMESPACE;
    }
    if (opcode == NvmeOpcode::FLUSH)
    {
        return NvmeStatus::SUCCESS;
    }
    if (sqe.GetSlba() >= m_subsystem.blocks || sqe.GetBlocks() > m_subsystem.blocks - sqe.GetSlba())
    {
        return NvmeStatus::LBA_OUT_OF_RANGE;
    }
    return length == uint64_t{sqe.GetBlocks()} * m_subsystem.blockSize
               ? NvmeStatus::SUCCESS
               : NvmeStatus::SGL_LENGTH_INVALID;
}

} // namespace ns3
