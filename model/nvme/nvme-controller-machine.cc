/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "nvme-controller-machine.h"

#include "ns3/abort.h"

#include <algorithm>

namespace ns3
{

NvmeControllerMachine::NvmeControllerMachine(const NvmeControllerSettings& settings,
                                             Listener& listener,
                                             ControllerListener& commands)
    : NvmeMachine(listener, false),
      m_settings(settings),
      m_listener(listener),
      m_user(commands),
      m_entries(settings.queueSize)
{
}

void
NvmeControllerMachine::SetAdmin()
{
    m_admin = true;
}

void
NvmeControllerMachine::SetQueueSize(uint32_t entries)
{
    m_entries = entries;
}

uint32_t
NvmeControllerMachine::CountCommands() const
{
    return static_cast<uint32_t>(m_commands.size());
}

void
NvmeControllerMachine::Clear()
{
    m_work.clear();
    m_requests.clear();
}

// ---- startup ------------------------------------------------------------------------------------

std::optional<NvmePdu>
NvmeControllerMachine::Begin()
{
    return std::nullopt; // the host begins
}

NvmeFatalError
NvmeControllerMachine::ProcessIcReq(const NvmeIcReq& req)
{
    if (req.pfv != 0)
    {
        return {NvmeFes::UNSUPPORTED_PARAMETER, nvme::AT_PFV};
    }
    if (req.hpda >= nvme::MAX_ALIGNMENT / 4)
    {
        return NvmeFatalError::AtField(nvme::AT_PDA);
    }
    const bool header = m_settings.headerDigest && (req.dgst & nvme::HDGST_ENABLE) != 0;
    const bool data = m_settings.dataDigest && (req.dgst & nvme::DDGST_ENABLE) != 0;
    NvmeIcResp resp;
    resp.cpda = static_cast<uint8_t>(m_settings.alignment / 4 - 1);
    resp.dgst = (header ? nvme::HDGST_ENABLE : 0) | (data ? nvme::DDGST_ENABLE : 0);
    resp.maxh2cdata = m_settings.maxH2cData;
    Answer(MakePdu(NvmePduType::IC_RESP, resp, 0, 0));
    const uint32_t r2ts = std::min(req.maxr2t, UINT32_MAX - 1) + 1; // it is 0's based
    BecomeReady({header,
                 data,
                 4 * (req.hpda + 1U),
                 m_settings.alignment,
                 std::min(r2ts, m_settings.maxR2t),
                 m_settings.maxH2cData});
    return {};
}

// ---- commands -----------------------------------------------------------------------------------

NvmeFatalError
NvmeControllerMachine::Process(const NvmePdu& pdu, bool good)
{
    switch (pdu.ch.type)
    {
    case NvmePduType::IC_REQ:
        return ProcessIcReq(std::get<NvmeIcReq>(pdu.psh));
    case NvmePduType::CAPSULE_CMD:
        return ProcessCommand(pdu, good);
    default:
        return ProcessData(pdu, good);
    }
}

NvmeFatalError
NvmeControllerMachine::CheckData(const NvmeCommonHeader& ch) const
{
    const uint32_t size = ch.GetDataSize();
    if (ch.type == NvmePduType::H2C_DATA)
    {
        return size > m_settings.maxH2cData ? NvmeFatalError{NvmeFes::LIMIT_EXCEEDED, 0}
                                            : NvmeFatalError{};
    }
    return size > std::max(nvme::ADMIN_IN_CAPSULE, m_settings.inCapsule)
               ? NvmeFatalError::AtField(nvme::AT_PLEN)
               : NvmeFatalError{};
}

NvmeStatus
NvmeControllerMachine::CheckSgl(const NvmeSqe& sqe, uint32_t data) const
{
    if (sqe.sgl1.type == nvme::SGL_TRANSPORT)
    {
        return data == 0 ? NvmeStatus::SUCCESS : NvmeStatus::SGL_LENGTH_INVALID;
    }
    if (sqe.sgl1.type != nvme::SGL_IN_CAPSULE)
    {
        const bool none = sqe.GetDirection() == NvmeDirection::NONE && data == 0;
        return none ? NvmeStatus::SUCCESS : NvmeStatus::SGL_TYPE_INVALID;
    }
    const bool admin = sqe.IsFabrics() || m_admin;
    if (sqe.sgl1.address != 0 ||
        sqe.sgl1.length > (admin ? nvme::ADMIN_IN_CAPSULE : m_settings.inCapsule))
    {
        return NvmeStatus::SGL_OFFSET_INVALID;
    }
    const bool writes = sqe.GetDirection() == NvmeDirection::HOST_TO_CONTROLLER;
    return sqe.sgl1.length == data && (writes || data == 0) ? NvmeStatus::SUCCESS
                                                            : NvmeStatus::SGL_LENGTH_INVALID;
}

NvmeFatalError
NvmeControllerMachine::ProcessCommand(const NvmePdu& pdu, bool good)
{
    const auto& sqe = std::get<NvmeSqe>(pdu.psh);
    const uint32_t data = pdu.ch.GetDataSize();
    if (m_commands.size() + m_conflicts >= std::min(m_entries, m_settings.queueSize))
    {
        return {NvmeFes::SEQUENCE, 0}; // the Submission Queue has no room for it
    }
    if (m_commands.count(sqe.cid) > 0)
    {
        const NvmeCqe cqe = MakeCqe(sqe.cid, NvmeStatus::COMMAND_ID_CONFLICT, 0);
        m_work.push_back({NvmePduType::CAPSULE_RESP, sqe.cid, 0, 0, 0, cqe, false});
        m_conflicts++;
        return {};
    }
    Command& command = m_commands[sqe.cid];
    command.sqe = sqe;
    command.length = sqe.GetDirection() == NvmeDirection::NONE ? 0 : sqe.sgl1.length;
    NvmeStatus status = CheckSgl(sqe, data);
    if (status == NvmeStatus::SUCCESS && command.length % 4 != 0)
    {
        status = NvmeStatus::SGL_LENGTH_INVALID;
    }
    if (status != NvmeStatus::SUCCESS)
    {
        command.executing = true;
        Complete(sqe.cid, status);
        return {};
    }
    if (data > 0)
    {
        command.received = data;
        command.bad = !good;
        m_listener.HandleData(sqe.cid, 0, data);
    }
    if (sqe.GetDirection() == NvmeDirection::HOST_TO_CONTROLLER &&
        command.received < command.length)
    {
        RequestMore(sqe.cid);
    }
    else
    {
        Execute(sqe.cid);
    }
    return {};
}

void
NvmeControllerMachine::Execute(uint16_t cid)
{
    Command& command = m_commands.at(cid);
    command.executing = true;
    if (command.bad)
    {
        Complete(cid, NvmeStatus::TRANSIENT_TRANSPORT_ERROR);
    }
    else
    {
        const NvmeSqe sqe = command.sqe; // which may be over before this returns
        m_user.HandleCommand(sqe, command.length);
    }
}

void
NvmeControllerMachine::RequestMore(uint16_t cid)
{
    Command& command = m_commands.at(cid);
    while (command.granted < command.length && command.r2ts < m_terms.maxR2t)
    {
        const uint32_t most = m_settings.r2tLength > 0 ? m_settings.r2tLength : UINT32_MAX;
        const uint32_t size = std::min(most, command.length - command.granted);
        while (m_requests.count(m_ttag) > 0)
        {
            m_ttag++;
        }
        m_requests[m_ttag] = {cid, command.granted, command.granted, size};
        m_work.push_back({NvmePduType::R2T, cid, m_ttag, command.granted, size, {}, true});
        m_ttag++;
        command.granted += size;
        command.r2ts++;
    }
}

NvmeControllerMachine::Request*
NvmeControllerMachine::FindRequest(const NvmeTransfer& data)
{
    const auto found = m_requests.find(data.ttag);
    return found != m_requests.end() && found->second.cid == data.cccid ? &found->second : nullptr;
}

NvmeFatalError
NvmeControllerMachine::ProcessData(const NvmePdu& pdu, bool good)
{
    const auto& data = std::get<NvmeTransfer>(pdu.psh);
    if (pdu.ch.GetDataSize() != data.datal)
    {
        return NvmeFatalError::AtField(nvme::AT_PLEN);
    }
    if (m_commands.count(data.cccid) == 0)
    {
        return NvmeFatalError::AtField(nvme::AT_CCCID);
    }
    Request* const request = FindRequest(data);
    if (!request)
    {
        return NvmeFatalError::AtField(nvme::AT_TTAG);
    }
    if (data.datao % 4 != 0 || data.datal % 4 != 0)
    {
        return NvmeFatalError::AtField(data.datao % 4 != 0 ? nvme::AT_DATAO : nvme::AT_DATAL);
    }
    const uint64_t end = uint64_t{request->offset} + request->left;
    Command& command = m_commands.at(data.cccid);
    if (data.datao + uint64_t{data.datal} > end || data.datao < request->begin)
    {
        return {NvmeFes::OUT_OF_RANGE, 0};
    }
    if (data.datao != request->offset || data.datao != command.received)
    {
        return {NvmeFes::SEQUENCE, 0};
    }
    const bool last = (pdu.ch.flags & nvme::LAST_PDU) != 0;
    if (last != (data.datal == request->left))
    {
        return last ? NvmeFatalError{NvmeFes::SEQUENCE, 0}
                    : NvmeFatalError::AtField(nvme::AT_FLAGS);
    }
    request->offset += data.datal;
    request->left -= data.datal;
    command.received += data.datal;
    command.bad = command.bad || !good;
    m_listener.HandleData(data.cccid, data.datao, data.datal);
    if (last)
    {
        m_requests.erase(data.ttag);
        command.r2ts--;
        if (command.received == command.length)
        {
            Execute(data.cccid);
        }
        else
        {
            RequestMore(data.cccid);
        }
    }
    return {};
}

// ---- answers ------------------------------------------------------------------------------------

NvmeCqe
NvmeControllerMachine::MakeCqe(uint16_t cid, NvmeStatus status, uint64_t result) const
{
    NvmeCqe cqe;
    cqe.cid = cid;
    cqe.result = result;
    cqe.SetStatus(status);
    return cqe;
}

void
NvmeControllerMachine::Complete(uint16_t cid, NvmeStatus status, uint64_t result, uint32_t size)
{
    const auto found = m_commands.find(cid);
    NS_ABORT_MSG_IF(found == m_commands.end() || !found->second.executing,
                    "NvmeControllerMachine::Complete: there is no such command to be answered");
    Command& command = found->second;
    NS_ABORT_MSG_IF(
        size > command.length || size % 4 != 0 ||
            (size > 0 && (command.sqe.GetDirection() != NvmeDirection::CONTROLLER_TO_HOST ||
                          status != NvmeStatus::SUCCESS)),
        "NvmeControllerMachine::Complete: such data do not belong to the answer");
    command.executing = false;
    if (GetState() != State::READY)
    {
        return; // nobody waits for it
    }
    const NvmeCqe cqe = MakeCqe(cid, status, result);
    m_work.push_back(
        {size > 0 ? NvmePduType::C2H_DATA : NvmePduType::CAPSULE_RESP, cid, 0, 0, size, cqe, true});
}

bool
NvmeControllerMachine::PopNext(NvmeOutgoing& out)
{
    if (m_work.empty())
    {
        return false;
    }
    const Work& work = m_work.front();
    out = {};
    out.cid = work.cid;
    switch (work.type)
    {
    case NvmePduType::R2T:
        out.pdu = MakePdu(NvmePduType::R2T,
                          NvmeTransfer{work.cid, work.ttag, work.offset, work.left},
                          0,
                          0);
        m_work.pop_front();
        break;
    case NvmePduType::C2H_DATA:
        PopData(out);
        break;
    default:
        PopResponse(out);
        break;
    }
    return true;
}

void
NvmeControllerMachine::PopData(NvmeOutgoing& out)
{
    Work work = m_work.front();
    m_work.pop_front();
    const uint32_t most = m_settings.maxC2hData > 0 ? m_settings.maxC2hData : UINT32_MAX;
    out.offset = work.offset;
    out.size = std::min(work.left, most);
    work.offset += out.size;
    work.left -= out.size;
    uint8_t flags = 0;
    if (work.left > 0)
    {
        m_work.push_back(work); // behind others, which have their turn
    }
    else
    {
        // SUCCESS says of the completion that it is all zeros
        const bool success = m_settings.success && work.cqe.result == 0;
        flags = nvme::LAST_PDU | (success ? nvme::SUCCESS : 0);
        if (success)
        {
            m_commands.erase(work.cid);
            Advance();
        }
        else
        {
            work.type = NvmePduType::CAPSULE_RESP;
            m_work.push_front(work);
        }
    }
    out.pdu = MakePdu(NvmePduType::C2H_DATA,
                      NvmeTransfer{work.cid, 0, out.offset, out.size},
                      flags,
                      out.size);
}

void
NvmeControllerMachine::PopResponse(NvmeOutgoing& out)
{
    Work work = m_work.front();
    m_work.pop_front();
    if (work.owner)
    {
        m_commands.erase(work.cid);
    }
    else
    {
        m_conflicts--;
    }
    Advance();
    work.cqe.sqhd = m_sqhd;
    out.pdu = MakePdu(NvmePduType::CAPSULE_RESP, work.cqe, 0, 0);
}

void
NvmeControllerMachine::Advance()
{
    m_sqhd = static_cast<uint16_t>((m_sqhd + 1U) % m_entries);
}

} // namespace ns3
