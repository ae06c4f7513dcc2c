/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "nvme-host-queue.h"

#include "ns3/abort.h"
#include "ns3/boolean.h"
#include "ns3/log.h"
#include "ns3/simulator.h"
#include "ns3/uinteger.h"

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("NvmeHostQueue");
NS_OBJECT_ENSURE_REGISTERED(NvmeHostQueue);

TypeId
NvmeHostQueue::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::NvmeHostQueue")
            .SetParent<NvmeQueue>()
            .SetGroupName("Iwarp")
            .AddConstructor<NvmeHostQueue>()
            .AddAttribute("QueueDepth",
                          "Commands under way at most",
                          UintegerValue(32),
                          MakeUintegerAccessor(&NvmeHostQueue::m_queueDepth),
                          MakeUintegerChecker<uint32_t>(1, 65535))
            .AddAttribute("InCapsuleSize",
                          "Data in the capsule of an I/O command at most, a multiple of 4; more go "
                          "by R2T [octets]",
                          UintegerValue(8192),
                          MakeUintegerAccessor(&NvmeHostQueue::m_inCapsule),
                          MakeUintegerChecker<uint32_t>())
            .AddAttribute("RequireDigests",
                          "End the connection if the controller does not enable a digest that is "
                          "asked for",
                          BooleanValue(false),
                          MakeBooleanAccessor(&NvmeHostQueue::m_requireDigests),
                          MakeBooleanChecker())
            .AddTraceSource("CommandSubmitted",
                            "A command was submitted",
                            MakeTraceSourceAccessor(&NvmeHostQueue::m_submittedTrace),
                            "ns3::NvmeHostQueue::SubmittedTracedCallback")
            .AddTraceSource("CommandCompleted",
                            "A command is complete",
                            MakeTraceSourceAccessor(&NvmeHostQueue::m_completedTrace),
                            "ns3::NvmeHostQueue::CompletedTracedCallback");
    return tid;
}

NvmeHostQueue::NvmeHostQueue() = default;
NvmeHostQueue::~NvmeHostQueue() = default;

void
NvmeHostQueue::SetUser(NvmeHostQueueUser* user)
{
    m_user = user;
}

NvmeQueueUser*
NvmeHostQueue::GetUser() const
{
    return m_user;
}

NvmeMachine&
NvmeHostQueue::MakeMachine()
{
    NvmeHostSettings settings;
    settings.headerDigest = m_headerDigest;
    settings.dataDigest = m_dataDigest;
    settings.requireDigests = m_requireDigests;
    settings.alignment = m_alignment;
    settings.maxR2t = m_maxR2t;
    settings.queueDepth = m_queueDepth;
    settings.inCapsule = m_inCapsule;
    NvmeMachine::Listener& listener = *this;
    NvmeHostMachine::HostListener& commands = *this;
    m_machine = std::make_unique<NvmeHostMachine>(settings, listener, commands);
    m_commands.resize(m_queueDepth);
    return *m_machine;
}

void
NvmeHostQueue::SetAdmin()
{
    m_machine->SetAdmin();
}

void
NvmeHostQueue::SetInCapsule(uint32_t octets)
{
    m_inCapsule = octets;
    m_machine->SetInCapsule(octets);
}

uint32_t
NvmeHostQueue::GetInCapsule() const
{
    return m_inCapsule;
}

bool
NvmeHostQueue::HasRoom() const
{
    return m_machine && m_machine->HasRoom();
}

uint32_t
NvmeHostQueue::CountCommands() const
{
    return m_machine ? m_machine->CountCommands() : 0;
}

uint16_t
NvmeHostQueue::Submit(const NvmeSqe& sqe, const NvmeData& data)
{
    NS_LOG_FUNCTION(this << uint32_t{sqe.opcode} << data.GetSize());
    NS_ABORT_MSG_UNLESS(HasRoom(), "NvmeHostQueue::Submit: ask HasRoom() first");
    const uint16_t cid = m_machine->Submit(sqe, data.GetSize());
    m_commands[cid] = {data, Simulator::Now()};
    m_submittedTrace(sqe);
    SendWaiting();
    return cid;
}

NvmeData
NvmeHostQueue::GetData(uint16_t cid) const
{
    return m_commands[cid].data;
}

void
NvmeHostQueue::HandleCompletion(uint16_t cid, const NvmeSqe& sqe, const NvmeCqe& cqe)
{
    NS_LOG_FUNCTION(this << cid);
    const Time latency = Simulator::Now() - m_commands[cid].submitted;
    m_commands[cid].data = NvmeData();
    m_completedTrace(sqe, cqe, latency);
    if (m_user)
    {
        m_user->HandleCompletion(*this, cid, cqe);
    }
}

} // namespace ns3
