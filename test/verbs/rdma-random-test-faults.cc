/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-random-test.h"

#include <cerrno>

using namespace ns3;

void
RdmaRandomTest::FillReceives()
{
    uint64_t id = SPARE_ID;
    for (End& end : m_program->ends)
    {
        int error = 0;
        while (error == 0)
        {
            error = end.qp->PostReceive({id++, {end.host->region->GetSge(0, 8)}});
        }
        const bool shared = m_program->shared;
        NS_TEST_EXPECT_MSG_EQ(error, (shared ? EINVAL : ENOMEM), "seed " << m_seed << ": full");
        NS_TEST_EXPECT_MSG_EQ(end.qp->GetReceivesPosted(),
                              (shared ? 0 : RdmaRandomProgram::MAX_RECEIVES),
                              "seed " << m_seed << ": as many as there is room for");
    }
}

void
RdmaRandomTest::PostRefused(End& end)
{
    const auto& region = end.host->region;
    const uint32_t slots = end.qp->GetSendSlots();
    const uint32_t receives = end.qp->GetReceivesPosted();
    const RdmaQpState state = end.qp->GetState();
    RdmaSendRequest request; // what is wrong with it is added below
    request.id = FAULT_ID + 1;
    int expected = EINVAL;
    const uint32_t kind = Random(8);
    switch (kind)
    {
    case 0:
        request.sges.resize(RdmaRandomProgram::MAX_SEND_SGE + 1, region->GetSge(0, 1));
        break;
    case 1:
        request.flags |= RDMA_SEND_INLINE;
        request.sges = {region->GetSge(0, RdmaRandomProgram::INLINE + 1)};
        break;
    case 2:
        request.flags |= RDMA_SEND_INLINE;
        request.sges = {{RdmaRandomProgram::BASE, 1, ~region->GetLkey()}};
        break;
    case 3:
        request.opcode = RdmaOpcode::BIND_WINDOW;
        break;
    case 4:
        request.sges.resize(2, {RdmaRandomProgram::BASE, 0xFFFFFFFF, region->GetLkey()});
        expected = EMSGSIZE;
        break;
    default:
        break;
    }
    int error = 0;
    if (kind < 5)
    {
        error = end.qp->PostSend(request);
        const bool full = slots == end.depth && kind != 0;
        expected = state != RdmaQpState::RTS ? EINVAL : full ? ENOMEM : expected;
    }
    else if (kind == 5)
    {
        RdmaReceiveRequest receive{FAULT_ID + 1, {}};
        receive.sges.resize(RdmaRandomProgram::MAX_RECEIVE_SGE + 1, region->GetSge(0, 1));
        error = end.qp->PostReceive(receive);
    }
    else if (kind == 6)
    {
        error = end.host->srq->PostReceive(
            {FAULT_ID + 1, {region->GetSge(0, 1), region->GetSge(0, 1)}});
    }
    else
    {
        error = end.qp->Modify(RdmaQpState::INIT);
    }
    NS_TEST_EXPECT_MSG_EQ(error, expected, "seed " << m_seed << ": refused, kind " << kind);
    NS_TEST_EXPECT_MSG_EQ(end.qp->GetSendSlots(), slots, "seed " << m_seed << ": sends");
    NS_TEST_EXPECT_MSG_EQ(end.qp->GetReceivesPosted(), receives, "seed " << m_seed);
    NS_TEST_EXPECT_MSG_EQ((end.qp->GetState() == state), true, "seed " << m_seed << ": state");
}

const RdmaRandomProgram::Binding*
RdmaRandomTest::FindBinding(const End& end, bool same, bool bound)
{
    std::vector<const RdmaRandomProgram::Binding*> found;
    for (std::size_t i = 0; i < m_program->bindings.size(); i++)
    {
        const auto& [owner, binding] = m_program->bindings[i];
        const bool fits = same ? owner == &end : owner != &end && owner->host == end.host;
        if (fits && binding->stays == bound && (bound || IsLast(i)))
        {
            found.push_back(binding.get());
        }
    }
    return found.empty() ? nullptr : found[Random(found.size())];
}

bool
RdmaRandomTest::IsLast(std::size_t i) const
{
    const auto& bindings = m_program->bindings;
    return i + 1 == bindings.size() || bindings[i + 1].second->window != bindings[i].second->window;
}

void
RdmaRandomTest::PostFault(End& end, End& peer)
{
    const auto& region = end.host->region;
    RdmaSendRequest request;
    request.id = FAULT_ID + 1;
    request.flags = RDMA_SEND_SIGNALED;
    request.rkey = peer.host->region->GetRkey();
    request.remoteAddress = RdmaRandomProgram::BASE;
    Report report;
    report.id = request.id;
    report.status = RdmapStatus::LOCAL_PROTECTION;
    const RdmaRandomProgram::Binding* binding = nullptr;
    switch (Random(15))
    {
    case 0: // no such key
        request.sges = {{RdmaRandomProgram::BASE, 1, ~region->GetLkey()}};
        break;
    case 1: // behind the last octet
        request.sges = {region->GetSge(RdmaRandomProgram::MEMORY - 7, 8)};
        break;
    case 2: // before the first
        request.opcode = RdmaOpcode::RDMA_WRITE;
        request.sges = {{RdmaRandomProgram::BASE - 1, 8, region->GetLkey()}};
        break;
    case 3: // of another protection domain
        request.opcode = RdmaOpcode::RDMA_WRITE;
        request.sges = {end.host->device->AllocPd()->RegisterVirtual(8, 0)->GetSge(0, 8)};
        break;
    case 4: // not to be written
        request.opcode = RdmaOpcode::RDMA_READ;
        request.sges = {end.host->pd->RegisterVirtual(8, 0)->GetSge(0, 8)};
        break;
    case 5: // through a window that is no longer bound
    case 6:
    case 7:
        binding = FindBinding(peer, true, false);
        break;
    case 8: // through a window, behind its last octet
    case 9:
        binding = FindBinding(peer, true, true);
        request.remoteAddress += binding ? binding->size - 7 : 0;
        break;
    case 10: // through another queue pair's window
    case 11:
    case 12:
        binding = FindBinding(peer, false, true);
        break;
    default: // through one that is no longer bound, to write: nothing may change
        binding = FindBinding(peer, true, false);
        request.opcode = RdmaOpcode::RDMA_WRITE;
        break;
    }
    if (binding)
    {
        request.rkey = binding->key;
        request.remoteAddress += binding->place;
        const bool writes = request.opcode == RdmaOpcode::RDMA_WRITE;
        request.opcode = writes ? request.opcode : RdmaOpcode::RDMA_READ;
        request.id -= writes ? 1 : 0;
        request.sges = {region->GetSge(writes ? 0 : end.host->Take(8), 8)};
        report.status = RdmapStatus::REMOTE_ACCESS;
    }
    else if (request.sges.empty())
    {
        request.sges = {{RdmaRandomProgram::BASE, 1, ~region->GetLkey()}}; // there is no window
    }
    NS_TEST_EXPECT_MSG_EQ(end.qp->PostSend(request), 0, "seed " << m_seed << ": a fault");
    if (request.id != FAULT_ID)
    {
        end.sends.push_back(report);
        // and good work that waits for it
        request.id = report.id = FAULT_ID + 2;
        request.flags |= RDMA_SEND_FENCE;
        request.opcode = RdmaOpcode::RDMA_WRITE;
        request.sges = {region->GetSge(0, 8)};
        request.rkey = peer.host->region->GetRkey();
        request.remoteAddress = RdmaRandomProgram::BASE;
        report.status = RdmapStatus::FLUSHED;
        const bool full = end.qp->GetSendSlots() == end.depth;
        if (!full && end.qp->PostSend(request) == 0)
        {
            end.sends.push_back(report);
        }
    }
}

void
RdmaRandomTest::PostBehindFault()
{
    for (End& end : m_program->ends)
    {
        RdmaSendRequest request;
        request.id = FAULT_ID + 3;
        request.sges = {end.host->region->GetSge(0, 8)};
        NS_TEST_EXPECT_MSG_EQ(end.qp->PostSend(request), 0, "seed " << m_seed << ": flushed");
        const int error = end.qp->PostReceive({FAULT_ID + 4, request.sges});
        NS_TEST_EXPECT_MSG_EQ(error, (m_program->shared ? EINVAL : 0), "seed " << m_seed);
        for (uint64_t id = FAULT_ID + 3; id < FAULT_ID + (m_program->shared ? 4 : 5); id++)
        {
            RdmaCompletion completion;
            NS_TEST_EXPECT_MSG_EQ(end.host->cq->Poll(completion), 1, "seed " << m_seed);
            NS_TEST_EXPECT_MSG_EQ(completion.id, id, "seed " << m_seed << ": flushed");
            NS_TEST_EXPECT_MSG_EQ((completion.status == RdmapStatus::FLUSHED),
                                  true,
                                  "seed " << m_seed << ": flushed");
        }
    }
}
