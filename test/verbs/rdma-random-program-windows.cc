/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-random-program.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <utility>

using namespace ns3;

void
RdmaRandomProgram::PlanWindow(End& end, End& peer)
{
    const auto window = end.host->pd->AllocMw();
    std::shared_ptr<Binding> before;
    for (uint32_t rounds = 1 + Random(3); rounds > 0; rounds--)
    {
        const auto binding = std::make_shared<Binding>();
        binding->window = window;
        binding->size = 8 + Random(Random(2) == 0 ? 60000 : 600);
        binding->place = end.host->Take(binding->size);
        bindings.emplace_back(&end, binding);

        // binding it again takes the rights of the binding before
        RdmaSendRequest bind;
        bind.id = ++m_id;
        bind.flags = RDMA_SEND_SIGNALED;
        bind.opcode = RdmaOpcode::BIND_WINDOW;
        bind.window = window;
        bind.region = end.host->region;
        bind.bindAddress = BASE + binding->place;
        bind.bindLength = binding->size;
        bind.bindAccess =
            DDP_ACCESS_REMOTE_WRITE | DDP_ACCESS_REMOTE_READ | DDP_ACCESS_REMOTE_ATOMIC;
        Report bound;
        bound.opcode = RdmaCompletionOpcode::BIND_WINDOW;
        bound.binding = binding;
        bound.effect = Report::Effect::BOUND;
        Append(end, bind, bound, before ? Item::Gate::USED : Item::Gate::NONE, before);

        const uint32_t how = Random(5);
        PlanUses(end, peer, binding, how != 0);
        RdmaSendRequest over;
        over.id = ++m_id;
        over.flags = RDMA_SEND_SIGNALED;
        Report report;
        switch (how)
        {
        case 0: // the peer says so, in a message that waits for its last use
            over.flags |= RDMA_SEND_FENCE;
            report.opcode = RdmaCompletionOpcode::SEND;
            PlanSend(peer, end, over, binding);
            Append(peer, over, report, Item::Gate::BOUND, binding);
            break;
        case 1:
            over.opcode = RdmaOpcode::LOCAL_INVALIDATE;
            report.opcode = RdmaCompletionOpcode::LOCAL_INVALIDATE;
            Append(end, over, report, Item::Gate::USED, binding);
            break;
        case 2: // it is bound to nothing
            over.opcode = RdmaOpcode::BIND_WINDOW;
            over.window = window;
            report.opcode = RdmaCompletionOpcode::BIND_WINDOW;
            Append(end, over, report, Item::Gate::USED, binding);
            break;
        default:
            binding->stays = rounds == 1;
            break;
        }
        before = binding;
    }
}

void
RdmaRandomProgram::PlanUses(End& end, End& peer, const std::shared_ptr<Binding>& binding, bool last)
{
    uint32_t at = 0; // octets of the window up to here have been changed
    for (uint32_t uses = Random(4); uses > 0; uses--)
    {
        RdmaSendRequest request;
        request.id = ++m_id;
        request.flags = Random(2) == 0 ? RDMA_SEND_SIGNALED : 0;
        request.remoteAddress = BASE + binding->place + at;
        Report report;
        if (Random(3) == 0 && at + 8 <= binding->size)
        {
            const uint32_t place = peer.host->Take(8);
            const uint32_t target = binding->place + at;
            request.opcode = RdmaOpcode::ATOMIC_FETCH_ADD;
            request.sges = {peer.host->region->GetSge(place, 8)};
            request.compareAdd = m_random();
            report.opcode = RdmaCompletionOpcode::FETCH_ADD;
            report.octets = 8;
            report.done.push_back(Copy(*end.host, target, *peer.host, place, 8));
            uint64_t value;
            std::memcpy(&value, &end.host->model[target], 8);
            value += request.compareAdd;
            std::memcpy(&end.host->model[target], &value, 8);
            at += 8;
        }
        else
        {
            // up to the last octet, now and then
            const uint32_t rest = binding->size - at;
            const uint32_t size = Random(3) == 0 ? rest : Random(rest + 1);
            const uint32_t from = Random(SOURCE - size);
            request.opcode = RdmaOpcode::RDMA_WRITE;
            request.sges = Pieces(*peer.host, from, size, MAX_SEND_SGE);
            report.opcode = RdmaCompletionOpcode::RDMA_WRITE;
            peer.unseen.push_back(Copy(*peer.host, from, *end.host, binding->place + at, size));
            m_moved += size;
            at = std::min(binding->size, (at + size + 7) / 8 * 8);
        }
        Append(peer, std::move(request), std::move(report), Item::Gate::BOUND, binding);
    }
    // a Read of the whole is done when all before it is in place
    const uint32_t place = peer.host->Take(binding->size);
    RdmaSendRequest request;
    request.id = ++m_id;
    request.flags = RDMA_SEND_SIGNALED;
    request.opcode = RdmaOpcode::RDMA_READ;
    request.sges = {peer.host->region->GetSge(place, binding->size)};
    request.remoteAddress = BASE + binding->place;
    Report report;
    report.opcode = RdmaCompletionOpcode::RDMA_READ;
    report.octets = binding->size;
    report.done.push_back(Copy(*end.host, binding->place, *peer.host, place, binding->size));
    report.binding = binding;
    report.effect = last ? Report::Effect::USED : Report::Effect::NONE;
    m_moved += binding->size;
    Append(peer, std::move(request), std::move(report), Item::Gate::BOUND, binding);
}
