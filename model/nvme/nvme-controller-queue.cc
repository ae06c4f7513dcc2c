/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "nvme-controller-queue.h"

#include "ns3/abort.h"
#include "ns3/boolean.h"
#include "ns3/log.h"
#include "ns3/uinteger.h"

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("NvmeControllerQueue");
NS_OBJECT_ENSURE_REGISTERED(NvmeControllerQueue);

TypeId
NvmeControllerQueue::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::NvmeControllerQueue")
            .SetParent<NvmeQueue>()
            .SetGroupName("Iwarp")
            .AddConstructor<NvmeControllerQueue>()
            .AddAttribute("MaxH2cData",
                          "Data of an H2CData at most (MAXH2CDATA), a multiple of 4 [octets]",
                          UintegerValue(4194304),
                          MakeUintegerAccessor(&NvmeControllerQueue::m_maxH2cData),
                          MakeUintegerChecker<uint32_t>(nvme::MIN_MAXH2CDATA, 1U << 30))
            .AddAttribute("R2tLength",
                          "Data that an R2T asks for at most, a multiple of 4; 0 asks for all data "
                          "of a command at once [octets]",
                          UintegerValue(0),
                          MakeUintegerAccessor(&NvmeControllerQueue::m_r2tLength),
                          MakeUintegerChecker<uint32_t>())
            .AddAttribute("MaxC2hData",
                          "Data of a C2HData at most, a multiple of 4; 0 sends all data of a "
                          "command in one [octets]",
                          UintegerValue(0),
                          MakeUintegerAccessor(&NvmeControllerQueue::m_maxC2hData),
                          MakeUintegerChecker<uint32_t>())
            .AddAttribute("InCapsuleSize",
                          "Data that may be in the capsule of an I/O command, a multiple of 16 "
                          "[octets]",
                          UintegerValue(16384),
                          MakeUintegerAccessor(&NvmeControllerQueue::m_inCapsule),
                          MakeUintegerChecker<uint32_t>(0, 1U << 20))
            .AddAttribute("QueueSize",
                          "Commands under way at most",
                          UintegerValue(128),
                          MakeUintegerAccessor(&NvmeControllerQueue::m_queueSize),
                          MakeUintegerChecker<uint32_t>(1, 1024))
            .AddAttribute("Success",
                          "The last C2HData of a command completes it (flag SUCCESS), in place of "
                          "a CapsuleResp",
                          BooleanValue(false),
                          MakeBooleanAccessor(&NvmeControllerQueue::m_success),
                          MakeBooleanChecker());
    return tid;
}

NvmeControllerQueue::NvmeControllerQueue() = default;
NvmeControllerQueue::~NvmeControllerQueue() = default;

void
NvmeControllerQueue::SetUser(NvmeControllerQueueUser* user)
{
    m_user = user;
}

NvmeQueueUser*
NvmeControllerQueue::GetUser() const
{
    return m_user;
}

NvmeMachine&
NvmeControllerQueue::MakeMachine()
{
    NS_ABORT_MSG_IF(m_maxH2cData % 4 != 0 || m_r2tLength % 4 != 0 || m_maxC2hData % 4 != 0,
                    "NvmeControllerQueue: MaxH2cData, R2tLength and MaxC2hData have to be "
                    "multiples of 4");
    NS_ABORT_MSG_IF(m_inCapsule % 16 != 0,
                    "NvmeControllerQueue: InCapsuleSize has to be a multiple of 16");
    NvmeControllerSettings settings;
    settings.headerDigest = m_headerDigest;
    settings.dataDigest = m_dataDigest;
    settings.alignment = m_alignment;
    settings.maxH2cData = m_maxH2cData;
    settings.maxR2t = m_maxR2t;
    settings.r2tLength = m_r2tLength;
    settings.maxC2hData = m_maxC2hData;
    settings.inCapsule = m_inCapsule;
    settings.queueSize = m_queueSize;
    settings.success = m_success;
    NvmeMachine::Listener& listener = *this;
    NvmeControllerMachine::ControllerListener& commands = *this;
    m_machine = std::make_unique<NvmeControllerMachine>(settings, listener, commands);
    return *m_machine;
}

void
NvmeControllerQueue::SetAdmin()
{
    m_machine->SetAdmin();
}

void
NvmeControllerQueue::SetQueueSize(uint32_t entries)
{
    m_machine->SetQueueSize(entries);
}

uint32_t
NvmeControllerQueue::GetInCapsule() const
{
    return m_inCapsule;
}

uint32_t
NvmeControllerQueue::GetQueueSize() const
{
    return m_queueSize;
}

void
NvmeControllerQueue::HandleCommand(const NvmeSqe& sqe, uint32_t length)
{
    NS_LOG_FUNCTION(this << sqe.cid << uint32_t{sqe.opcode} << length);
    if (m_user)
    {
        m_user->HandleCommand(*this, sqe, length);
    }
}

void
NvmeControllerQueue::Complete(uint16_t cid,
                              NvmeStatus status,
                              uint64_t result,
                              const NvmeData& data)
{
    NS_LOG_FUNCTION(this << cid << data.GetSize());
    m_data[cid] = data;
    m_machine->Complete(cid, status, result, data.GetSize());
    SendWaiting();
}

NvmeData
NvmeControllerQueue::GetData(uint16_t cid) const
{
    return m_data.at(cid);
}

} // namespace ns3
