/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-random-program.h"

#include "ns3/abort.h"

#include <algorithm>
#include <cstring>
#include <string>

using namespace ns3;

namespace
{

constexpr uint32_t ALL_RIGHTS = DDP_ACCESS_LOCAL_WRITE | DDP_ACCESS_REMOTE_WRITE |
                                DDP_ACCESS_REMOTE_READ | DDP_ACCESS_REMOTE_ATOMIC |
                                DDP_ACCESS_MW_BIND;

} // namespace

// ---- what it consists of ------------------------------------------------------------------------

uint32_t
RdmaRandomProgram::Host::Take(uint32_t size)
{
    const uint32_t at = place;
    place += (size + 7) / 8 * 8 + 8;
    return at;
}

uint64_t
RdmaRandomProgram::Host::Count(const Octets& octets, uint32_t index)
{
    uint64_t value;
    std::memcpy(&value, &octets[SOURCE + 8 * index], sizeof(value));
    return value;
}

bool
RdmaRandomProgram::Item::IsReady() const
{
    return gate == Gate::NONE || (gate == Gate::BOUND ? binding->bound : binding->used);
}

RdmaRandomProgram::RdmaRandomProgram(uint32_t seed, bool windows)
    : m_random(seed),
      m_windows(windows)
{
}

uint32_t
RdmaRandomProgram::Random(uint32_t below)
{
    return static_cast<uint32_t>(m_random()) % below;
}

// ---- hosts and queue pairs ----------------------------------------------------------------------

void
RdmaRandomProgram::MakeHost(uint32_t i, Ptr<Node> node)
{
    hosts[i] = std::make_unique<Host>();
    Host& host = *hosts[i];
    for (uint32_t at = 0; at < SOURCE; at += 4)
    {
        const auto value = static_cast<uint32_t>(m_random());
        std::memcpy(&host.memory[at], &value, sizeof(value));
    }
    host.model = host.memory;
    host.device = RdmaDevice::Get(node);
    host.pd = host.device->AllocPd();
    host.cq = host.device->CreateCq(1000);
    host.region =
        host.pd->RegisterMemory(DdpMemory::Wrap(host.memory.data(), MEMORY), BASE, ALL_RIGHTS);
    host.srq = host.pd->CreateSrq(MAX_SHARED, 1);
}

void
RdmaRandomProgram::MakeEnd(End& end, Host& host)
{
    RdmaQueuePairConfig config;
    config.sendCq = config.receiveCq = host.cq;
    config.srq = shared ? host.srq : nullptr;
    config.maxSendWr = 1 + Random(20);
    config.maxReceiveWr = MAX_RECEIVES;
    config.maxSendSge = MAX_SEND_SGE;
    config.maxReceiveSge = MAX_RECEIVE_SGE;
    config.maxInline = INLINE;
    end.depth = config.maxSendWr;
    end.host = &host;
    end.qp = host.pd->CreateQp(config);
    end.qp->Modify(RdmaQpState::INIT);
}

void
RdmaRandomProgram::Make(uint32_t pairs)
{
    shared = Random(4) == 0;
    ends.resize(2 * pairs);
    for (uint32_t i = 0; i < ends.size(); i++)
    {
        MakeEnd(ends[i], *hosts[i % 2]);
    }
    for (uint32_t i = 0; i < ends.size(); i++)
    {
        // whoever connects begins: the other end waits for an FPDU (RFC 5044 section 7.1.2)
        const uint32_t work = Random(25) + (i % 2 == 0 ? 1 : 0);
        for (uint32_t n = 0; n < work && m_moved < BUDGET; n++)
        {
            if (m_windows && n > 0 && Random(8) == 0)
            {
                PlanWindow(ends[i], ends[i ^ 1]);
            }
            else
            {
                Plan(ends[i], ends[i ^ 1], n == 0);
            }
        }
    }
    PostShared();
}

void
RdmaRandomProgram::PostShared()
{
    for (End& end : ends)
    {
        for (std::size_t i = 0; shared && i < end.receives.size(); i++)
        {
            Host& host = *end.host;
            host.shared.push_back(host.Take(SHARED_SIZE));
            const int error = host.srq->PostReceive(
                {host.shared.size() - 1, {host.region->GetSge(host.shared.back(), SHARED_SIZE)}});
            NS_ABORT_MSG_IF(error != 0, "a shared receive: " << error);
        }
    }
}

// ---- programs -----------------------------------------------------------------------------------

uint32_t
RdmaRandomProgram::Size()
{
    const uint32_t most[] = {1, 64, 1500, 20000, 200000, LARGEST + 1};
    const uint32_t kind = Random(21);
    const uint32_t size = Random(most[kind < 20 ? kind / 4 : 5]);
    m_moved += size;
    return kind == 20 && Random(4) == 0 ? LARGEST : size;
}

std::vector<RdmaSge>
RdmaRandomProgram::Pieces(Host& host, uint32_t place, uint32_t size, uint32_t most)
{
    std::vector<RdmaSge> pieces;
    for (uint32_t n = Random(most); n > 0; n--)
    {
        const uint32_t part = Random(size + 1);
        pieces.push_back(host.region->GetSge(place, part));
        place += part;
        size -= part;
    }
    pieces.push_back(host.region->GetSge(place, size));
    return pieces;
}

uint32_t
RdmaRandomProgram::Spare(Host& host)
{
    auto region = host.pd->RegisterVirtual(100, ALL_RIGHTS);
    region->AllowInvalidation(true);
    spares.push_back(region);
    return region->GetRkey();
}

RdmaRandomProgram::Move
RdmaRandomProgram::Copy(const Host& from, uint32_t at, Host& to, uint32_t place, uint32_t size)
{
    Move move{place, Octets(from.model.begin() + at, from.model.begin() + at + size)};
    std::copy(move.octets.begin(), move.octets.end(), to.model.begin() + place);
    return move;
}

void
RdmaRandomProgram::Message(End& end, End& peer, Report& report)
{
    std::move(end.unseen.begin(), end.unseen.end(), std::back_inserter(report.done));
    end.unseen.clear();
    peer.receives.push_back(report);
}

void
RdmaRandomProgram::Append(End& end,
                          RdmaSendRequest request,
                          Report report,
                          Item::Gate gate,
                          const std::shared_ptr<Binding>& binding)
{
    report.id = request.id;
    if (++end.unsignaled == end.depth)
    {
        request.flags |= RDMA_SEND_SIGNALED; // or its queue stays full
    }
    if ((request.flags & RDMA_SEND_SIGNALED) != 0)
    {
        end.unsignaled = 0;
        end.sends.push_back(std::move(report));
    }
    end.program.push_back({std::move(request), gate, binding});
}

void
RdmaRandomProgram::Plan(End& end, End& peer, bool remote)
{
    RdmaSendRequest request;
    request.id = ++m_id;
    request.flags = Random(3) != 0 || end.program.empty() ? RDMA_SEND_SIGNALED : 0;
    request.flags |= Random(6) == 0 ? RDMA_SEND_FENCE : 0;
    request.rkey = peer.host->region->GetRkey();
    Report report;
    report.opcode = RdmaCompletionOpcode::SEND;
    switch (Random(remote ? 13 : 14))
    {
    case 0:
    case 1:
    case 2:
    case 3:
        PlanSend(end, peer, request);
        break;
    case 4:
    case 5:
    case 6:
        PlanWrite(end, peer, request);
        report.opcode = RdmaCompletionOpcode::RDMA_WRITE;
        break;
    case 7:
    case 8:
    case 9:
        PlanRead(end, peer, request, report);
        break;
    case 10:
    case 11:
    case 12:
        PlanAtomic(end, peer, request, report);
        break;
    default:
        request.opcode = RdmaOpcode::LOCAL_INVALIDATE;
        request.rkey = Spare(*end.host);
        report.opcode = RdmaCompletionOpcode::LOCAL_INVALIDATE;
        break;
    }
    Append(end, std::move(request), std::move(report), Item::Gate::NONE, nullptr);
}

void
RdmaRandomProgram::PlanSend(End& end,
                            End& peer,
                            RdmaSendRequest& request,
                            const std::shared_ptr<Binding>& binding)
{
    const uint32_t size = shared ? Random(SHARED_SIZE) : Size();
    uint32_t at = Random(SOURCE - size);
    if (!shared && !m_reads.empty() && m_reads.back().first == &end && Random(2) == 0)
    {
        // what a Read has brought, which has to be there before it is sent
        at = m_reads.back().second.place;
        request.flags |= RDMA_SEND_FENCE;
    }
    const bool small = at < SOURCE && size <= INLINE && Random(2) == 0;
    const uint32_t length =
        at < SOURCE ? size : static_cast<uint32_t>(m_reads.back().second.octets.size());
    m_moved += length;
    request.sges = Pieces(*end.host, at, length, MAX_SEND_SGE);
    request.flags |= small ? RDMA_SEND_INLINE : 0;
    request.flags |= Random(2) == 0 ? RDMA_SEND_SOLICITED : 0;
    Report report;
    report.id = ++m_id;
    report.opcode = RdmaCompletionOpcode::RECEIVE;
    report.octets = length;
    if (binding || Random(5) == 0)
    {
        request.opcode = RdmaOpcode::SEND_WITH_INVALIDATE;
        request.rkey = binding ? 0 : Spare(*peer.host);
        report.invalidate = true;
        report.data = request.rkey;
        report.binding = binding;
        report.effect = binding ? Report::Effect::USED : Report::Effect::NONE;
    }
    if (shared)
    {
        // whichever buffer it gets
        report.done.push_back(
            {0, Octets(end.host->model.begin() + at, end.host->model.begin() + at + length)});
    }
    else
    {
        const uint32_t room = length + Random(100);
        const uint32_t place = peer.host->Take(room);
        report.done.push_back(Copy(*end.host, at, *peer.host, place, length));
        const int error =
            peer.qp->PostReceive({report.id, Pieces(*peer.host, place, room, MAX_RECEIVE_SGE)});
        NS_ABORT_MSG_IF(error != 0, "a receive: " << error);
    }
    Message(end, peer, report);
}

void
RdmaRandomProgram::PlanWrite(End& end, End& peer, RdmaSendRequest& request)
{
    const uint32_t size = Size();
    const uint32_t at = Random(SOURCE - size);
    const uint32_t place = peer.host->Take(size);
    request.opcode = RdmaOpcode::RDMA_WRITE;
    request.sges = Pieces(*end.host, at, size, MAX_SEND_SGE);
    request.flags |= size <= INLINE && Random(2) == 0 ? RDMA_SEND_INLINE : 0;
    request.remoteAddress = BASE + place;
    end.unseen.push_back(Copy(*end.host, at, *peer.host, place, size));
    m_writes.emplace_back(&end, end.unseen.back());
    if (!shared && Random(4) == 0)
    {
        request.opcode = RdmaOpcode::RDMA_WRITE_WITH_IMM;
        request.immediate = m_random();
        Report report;
        report.id = ++m_id;
        report.opcode = RdmaCompletionOpcode::RECEIVE_RDMA_WITH_IMM;
        report.immediate = true;
        report.data = request.immediate;
        // the data take a receive buffer as any message does: 64 bits, most significant first
        const uint32_t room = Random(50) + 8;
        const uint32_t buffer = peer.host->Take(room);
        const int error =
            peer.qp->PostReceive({report.id, {peer.host->region->GetSge(buffer, room)}});
        NS_ABORT_MSG_IF(error != 0, "a receive: " << error);
        for (uint32_t i = 0; i < 4; i++)
        {
            peer.host->model[buffer + 4 + i] = request.immediate >> 8 * (3 - i);
        }
        Message(end, peer, report);
    }
}

void
RdmaRandomProgram::PlanRead(End& end, End& peer, RdmaSendRequest& request, Report& report)
{
    uint32_t size = Size();
    uint32_t at = Random(SOURCE - size);
    if (!m_writes.empty() && m_writes.back().first == &end && Random(2) == 0)
    {
        // what the last Write has put there, which is in place before a Read behind it is done
        at = m_writes.back().second.place;
        size = static_cast<uint32_t>(m_writes.back().second.octets.size());
        m_moved += size;
    }
    const uint32_t place = end.host->Take(size);
    request.opcode = RdmaOpcode::RDMA_READ;
    request.sges = {end.host->region->GetSge(place, size)};
    request.remoteAddress = BASE + at;
    report.opcode = RdmaCompletionOpcode::RDMA_READ;
    report.octets = size;
    report.done.push_back(Copy(*peer.host, at, *end.host, place, size));
    m_reads.emplace_back(&end, report.done.back());
}

void
RdmaRandomProgram::PlanAtomic(End& end, End& peer, RdmaSendRequest& request, Report& report)
{
    // each queue pair has a counter of its own; the last one is for all
    const auto index = static_cast<uint32_t>(&end - ends.data()) / 2;
    const bool all = Random(3) == 0;
    const uint32_t counter = all ? COUNTERS / 8 - 1 : index;
    const uint32_t place = end.host->Take(8);
    uint64_t value = Host::Count(peer.host->model, counter);
    request.opcode = RdmaOpcode::ATOMIC_FETCH_ADD;
    request.sges = {end.host->region->GetSge(place, 8)};
    request.remoteAddress = BASE + SOURCE + 8 * counter;
    request.compareAdd = all ? 1 : m_random();
    report.opcode = RdmaCompletionOpcode::FETCH_ADD;
    report.octets = 8;
    if (all)
    {
        common[peer.host == hosts[1].get()].push_back(place);
        value++;
    }
    else
    {
        Move original{place, Octets(8)};
        std::memcpy(original.octets.data(), &value, 8);
        std::copy_n(original.octets.begin(), 8, end.host->model.begin() + place);
        report.done.push_back(original);
        if (Random(2) == 0)
        {
            request.opcode = RdmaOpcode::ATOMIC_COMPARE_SWAP;
            report.opcode = RdmaCompletionOpcode::COMPARE_SWAP;
            request.compareAdd = value ^ (Random(2) == 0 ? 1 : 0);
            request.swap = m_random();
            value = request.compareAdd == value ? request.swap : value;
        }
        else
        {
            value += request.compareAdd;
        }
    }
    std::memcpy(&peer.host->model[SOURCE + 8 * counter], &value, 8);
}
