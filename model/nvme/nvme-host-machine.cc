/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "nvme-host-machine.h"

#include "ns3/abort.h"

#include <algorithm>

namespace ns3
{

namespace
{

constexpr uint32_t AT_RCCQE_CID = 20; //!< CID of the entry in a CapsuleResp

} // namespace

NvmeHostMachine::NvmeHostMachine(const NvmeHostSettings& settings,
                                 Listener& listener,
                                 HostListener& commands)
    : NvmeMachine(listener, true),
      m_settings(settings),
      m_listener(listener),
      m_user(commands),
      m_commands(settings.queueDepth)
{
    for (uint32_t cid = 0; cid < settings.queueDepth; cid++)
    {
        m_free.push_back(static_cast<uint16_t>(cid));
    }
}

void
NvmeHostMachine::SetAdmin()
{
    m_admin = true;
}

void
NvmeHostMachine::SetInCapsule(uint32_t octets)
{
    m_settings.inCapsule = octets;
}

void
NvmeHostMachine::Clear()
{
    m_work.clear();
}

// ---- commands -----------------------------------------------------------------------------------

bool
NvmeHostMachine::HasRoom() const
{
    return GetState() == State::READY && !m_free.empty();
}

uint32_t
NvmeHostMachine::CountCommands() const
{
    return static_cast<uint32_t>(m_commands.size() - m_free.size());
}

uint32_t
NvmeHostMachine::GetInCapsule(const NvmeSqe& sqe) const
{
    return sqe.IsFabrics() || m_admin ? nvme::ADMIN_IN_CAPSULE : m_settings.inCapsule;
}

uint16_t
NvmeHostMachine::Submit(const NvmeSqe& sqe, uint32_t length)
{
    NS_ABORT_MSG_UNLESS(HasRoom(), "NvmeHostMachine::Submit: ask HasRoom() first");
    NS_ABORT_MSG_IF(length % 4 != 0, "NvmeHostMachine::Submit: data are dwords");
    const uint16_t cid = m_free.front();
    m_free.pop_front();
    Command command;
    command.busy = true;
    command.length = length;
    command.sqe = sqe;
    command.sqe.cid = cid;
    command.sqe.flags = nvme::PSDT_SGL;
    const bool in = sqe.GetDirection() == NvmeDirection::HOST_TO_CONTROLLER && length > 0 &&
                    length <= GetInCapsule(sqe);
    command.transport = length > 0 && !in;
    command.sqe.sgl1 = {0, length, in ? nvme::SGL_IN_CAPSULE : nvme::SGL_TRANSPORT};
    m_commands[cid] = command;
    m_work.push_back({cid, true, 0, 0, in ? length : 0});
    return cid;
}

bool
NvmeHostMachine::PopNext(NvmeOutgoing& out)
{
    if (m_work.empty())
    {
        return false;
    }
    Work& work = m_work.front();
    Command& command = m_commands[work.cid];
    out = {};
    out.cid = work.cid;
    out.offset = work.offset;
    out.size = work.capsule ? work.left : std::min(work.left, m_terms.maxH2cData);
    work.offset += out.size;
    work.left -= out.size;
    if (work.capsule)
    {
        out.pdu = MakePdu(NvmePduType::CAPSULE_CMD, command.sqe, 0, out.size);
    }
    else
    {
        out.pdu = MakePdu(NvmePduType::H2C_DATA,
                          NvmeTransfer{work.cid, work.ttag, out.offset, out.size},
                          work.left == 0 ? nvme::LAST_PDU : 0,
                          out.size);
        command.r2ts -= work.left == 0 ? 1 : 0;
    }
    if (work.left == 0)
    {
        m_work.pop_front();
    }
    return true;
}

NvmeHostMachine::Command*
NvmeHostMachine::Find(uint16_t cid)
{
    return cid < m_commands.size() && m_commands[cid].busy ? &m_commands[cid] : nullptr;
}

void
NvmeHostMachine::Complete(uint16_t cid, NvmeCqe cqe)
{
    Command& command = m_commands[cid];
    if (command.bad && cqe.GetStatus() == NvmeStatus::SUCCESS)
    {
        cqe.SetStatus(NvmeStatus::TRANSIENT_TRANSPORT_ERROR);
    }
    m_work.erase(std::remove_if(m_work.begin(),
                                m_work.end(),
                                [cid](const Work& work) { return work.cid == cid; }),
                 m_work.end()); // of data that the controller does without
    command.busy = false;
    m_free.push_back(cid);
    const NvmeSqe sqe = command.sqe; // who is told may submit another
    m_user.HandleCompletion(cid, sqe, cqe);
}

// ---- startup ------------------------------------------------------------------------------------

std::optional<NvmePdu>
NvmeHostMachine::Begin()
{
    NvmeIcReq req;
    req.hpda = static_cast<uint8_t>(m_settings.alignment / 4 - 1);
    req.dgst = (m_settings.headerDigest ? nvme::HDGST_ENABLE : 0) |
               (m_settings.dataDigest ? nvme::DDGST_ENABLE : 0);
    req.maxr2t = m_settings.maxR2t - 1;
    return MakePdu(NvmePduType::IC_REQ, req, 0, 0);
}

NvmeFatalError
NvmeHostMachine::ProcessIcResp(const NvmeIcResp& resp)
{
    if (resp.pfv != 0)
    {
        return {NvmeFes::UNSUPPORTED_PARAMETER, nvme::AT_PFV};
    }
    if (resp.cpda >= nvme::MAX_ALIGNMENT / 4)
    {
        return NvmeFatalError::AtField(nvme::AT_PDA);
    }
    const bool header = (resp.dgst & nvme::HDGST_ENABLE) != 0;
    const bool data = (resp.dgst & nvme::DDGST_ENABLE) != 0;
    if ((header && !m_settings.headerDigest) || (data && !m_settings.dataDigest))
    {
        return NvmeFatalError::AtField(nvme::AT_DGST);
    }
    if (resp.maxh2cdata % 4 != 0 || resp.maxh2cdata < nvme::MIN_MAXH2CDATA)
    {
        return NvmeFatalError::AtField(nvme::AT_MAXH2CDATA);
    }
    if (m_settings.requireDigests &&
        (header != m_settings.headerDigest || data != m_settings.dataDigest))
    {
        End({NvmeEnd::Kind::REFUSED, {}});
        return {};
    }
    BecomeReady({header,
                 data,
                 m_settings.alignment,
                 4 * (resp.cpda + 1U),
                 m_settings.maxR2t,
                 resp.maxh2cdata});
    return {};
}

// ---- receiving ----------------------------------------------------------------------------------

NvmeFatalError
NvmeHostMachine::CheckData(const NvmeCommonHeader& ch) const
{
    const uint32_t size = ch.GetDataSize();
    const bool fits =
        size <= nvme::MIN_MAXH2CDATA || // does no harm until CCCID is there
        std::any_of(m_commands.begin(), m_commands.end(), [size](const auto& command) {
            return command.busy && command.length >= size;
        });
    return fits ? NvmeFatalError{} : NvmeFatalError{NvmeFes::OUT_OF_RANGE, 0};
}

NvmeFatalError
NvmeHostMachine::Process(const NvmePdu& pdu, bool good)
{
    switch (pdu.ch.type)
    {
    case NvmePduType::IC_RESP:
        return ProcessIcResp(std::get<NvmeIcResp>(pdu.psh));
    case NvmePduType::C2H_DATA:
        return ProcessData(pdu, good);
    case NvmePduType::R2T:
        return ProcessR2t(std::get<NvmeTransfer>(pdu.psh));
    default:
        return ProcessResponse(std::get<NvmeCqe>(pdu.psh));
    }
}

NvmeFatalError
NvmeHostMachine::ProcessData(const NvmePdu& pdu, bool good)
{
    const auto& data = std::get<NvmeTransfer>(pdu.psh);
    Command* const command = Find(data.cccid);
    if (pdu.ch.GetDataSize() != data.datal)
    {
        return NvmeFatalError::AtField(nvme::AT_PLEN);
    }
    if (!command)
    {
        return NvmeFatalError::AtField(nvme::AT_CCCID);
    }
    if (data.datao % 4 != 0 || data.datal % 4 != 0)
    {
        return NvmeFatalError::AtField(data.datao % 4 != 0 ? nvme::AT_DATAO : nvme::AT_DATAL);
    }
    if (command->sqe.GetDirection() != NvmeDirection::CONTROLLER_TO_HOST || command->last)
    {
        return {NvmeFes::SEQUENCE, 0};
    }
    if (uint64_t{data.datao} + data.datal > command->length)
    {
        return {NvmeFes::OUT_OF_RANGE, 0};
    }
    if (data.datao != command->received)
    {
        return {NvmeFes::SEQUENCE, 0};
    }
    command->received += data.datal;
    command->last = (pdu.ch.flags & nvme::LAST_PDU) != 0;
    command->bad = command->bad || !good;
    const bool success = (pdu.ch.flags & nvme::SUCCESS) != 0;
    if (success && command->received < command->length)
    {
        return {NvmeFes::SEQUENCE, 0}; // it cannot have been all
    }
    m_listener.HandleData(data.cccid, data.datao, data.datal);
    if (success && Find(data.cccid))
    {
        NvmeCqe cqe;
        cqe.cid = data.cccid;
        Complete(data.cccid, cqe);
    }
    return {};
}

NvmeFatalError
NvmeHostMachine::ProcessR2t(const NvmeTransfer& r2t)
{
    Command* const command = Find(r2t.cccid);
    if (!command)
    {
        return NvmeFatalError::AtField(nvme::AT_CCCID);
    }
    if (r2t.datao % 4 != 0)
    {
        return NvmeFatalError::AtField(nvme::AT_DATAO);
    }
    if (r2t.datal % 4 != 0 || r2t.datal == 0)
    {
        return NvmeFatalError::AtField(nvme::AT_DATAL);
    }
    if (command->sqe.GetDirection() != NvmeDirection::HOST_TO_CONTROLLER || !command->transport)
    {
        return {NvmeFes::SEQUENCE, 0};
    }
    if (command->r2ts == m_terms.maxR2t)
    {
        return {NvmeFes::LIMIT_EXCEEDED, 0};
    }
    if (uint64_t{r2t.datao} + r2t.datal > command->length)
    {
        return {NvmeFes::OUT_OF_RANGE, 0};
    }
    if (r2t.datao != command->requested)
    {
        return {NvmeFes::SEQUENCE, 0};
    }
    command->requested += r2t.datal;
    command->r2ts++;
    m_work.push_back({r2t.cccid, false, r2t.ttag, r2t.datao, r2t.datal});
    return {};
}

NvmeFatalError
NvmeHostMachine::ProcessResponse(const NvmeCqe& cqe)
{
    Command* const command = Find(cqe.cid);
    if (!command)
    {
        return NvmeFatalError::AtField(AT_RCCQE_CID);
    }
    if (cqe.GetStatus() == NvmeStatus::SUCCESS && command->transport)
    {
        const bool reads = command->sqe.GetDirection() == NvmeDirection::CONTROLLER_TO_HOST;
        const bool all = reads ? command->received == command->length
                               : command->requested == command->length && command->r2ts == 0;
        if (!all)
        {
            return {NvmeFes::SEQUENCE, 0}; // it cannot have succeeded without its data
        }
    }
    Complete(cqe.cid, cqe);
    return {};
}

} // namespace ns3
