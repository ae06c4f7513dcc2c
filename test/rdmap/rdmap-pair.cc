/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdmap-pair.h"

#include <algorithm>

using namespace ns3;

RdmapTestNode::RdmapTestNode(const RdmapConfig& config)
    : endpoint(std::make_unique<RdmapEndpoint>(config, table, *this))
{
}

void
RdmapTestNode::WorkCompleted(const RdmapWork& work, RdmapStatus status, uint32_t octets)
{
    completions.push_back({work.id, status, octets});
    onCompleted(work.id);
}

void
RdmapTestNode::Received(const RdmapReceived& message)
{
    received.push_back(message);
}

void
RdmapTestNode::MessageDelivered(RdmapOpcode opcode, const DdpDelivery&)
{
    delivered.push_back(opcode);
}

void
RdmapTestNode::Failed(const RdmapTerminate& terminate, bool byPeer)
{
    failure = terminate;
    failedByPeer = byPeer;
    onFailed();
}

void
RdmapTestNode::OutputReady()
{
}

uint32_t
RdmapTestNode::Register(Ptr<DdpMemory> memory, uint64_t base)
{
    DdpStagEntry entry;
    entry.pd = endpoint->GetConfig().pd;
    entry.access = 15;
    entry.base = base;
    entry.length = memory->GetLength();
    entry.memory = memory;
    return table.Add(entry);
}

void
RdmapTestNode::PostReceive(uint64_t id, uint32_t stag, uint64_t to, uint32_t length)
{
    DdpBuffer buffer;
    buffer.context = id;
    buffer.length = length;
    buffer.sges.push_back({to, length, stag});
    endpoint->PostReceive(std::move(buffer));
}

std::vector<uint8_t>
RdmapTestNode::Output(uint32_t mulpdu)
{
    const RdmapOutput* output = endpoint->GetOutput(mulpdu);
    if (output == nullptr)
    {
        return {};
    }
    std::vector<uint8_t> ulpdu(output->GetSize());
    std::copy_n(output->head.begin(), output->headSize, ulpdu.begin());
    if (output->tail != nullptr)
    {
        std::copy_n(output->tail, output->tailSize, ulpdu.begin() + output->headSize);
    }
    endpoint->OutputTaken();
    return ulpdu;
}

void
RdmapTestNode::Input(const std::vector<uint8_t>& ulpdu)
{
    endpoint->Segment(m_order++, ulpdu.data(), ulpdu.size(), ulpdu.size(), true);
    endpoint->Deliver(1);
}

RdmapTestPair::RdmapTestPair(const RdmapConfig& config, const std::optional<RdmapConfig>& configB)
    : a(config),
      b(configB.value_or(config))
{
}

void
RdmapTestPair::Pump(uint32_t mulpdu)
{
    for (bool moved = true; moved;)
    {
        moved = false;
        for (auto [from, to] : {std::pair(&a, &b), std::pair(&b, &a)})
        {
            const auto ulpdu = from->Output(mulpdu);
            if (!ulpdu.empty())
            {
                to->Input(ulpdu);
                moved = true;
            }
        }
    }
}

void
RdmapTestPair::Shuffle(Ptr<UniformRandomVariable> random, const std::function<void()>& each)
{
    constexpr uint32_t WINDOW = 6; // ULPDUs under way
    Channel channels[2];
    uint32_t idle = 0;
    while (idle < 200)
    {
        idle++;
        const uint32_t side = random->GetInteger(0, 1);
        RdmapTestNode& from = side == 0 ? a : b;
        RdmapTestNode& to = side == 0 ? b : a;
        Channel& channel = channels[side];
        if (channel.ulpdus.size() < WINDOW && random->GetInteger(0, 1) != 0)
        {
            auto ulpdu = from.Output(random->GetInteger(128, 1500));
            if (!ulpdu.empty())
            {
                channel.ulpdus.emplace_back(std::move(ulpdu), false);
                idle = 0;
            }
        }
        else if (!channel.ulpdus.empty())
        {
            const uint32_t i = random->GetInteger(0, channel.ulpdus.size() - 1);
            auto& [ulpdu, placed] = channel.ulpdus[i];
            if (!placed)
            {
                to.endpoint->Segment(channel.first + i,
                                     ulpdu.data(),
                                     ulpdu.size(),
                                     ulpdu.size(),
                                     i == 0);
                placed = true;
            }
            uint32_t count = 0;
            while (!channel.ulpdus.empty() && channel.ulpdus.front().second)
            {
                channel.ulpdus.pop_front();
                channel.first++;
                count++;
            }
            to.endpoint->Deliver(count);
            idle = 0;
        }
        each();
    }
}

RdmapWork
MakeWork(uint64_t id, RdmapWorkKind kind, const DdpSgeList& pieces)
{
    RdmapWork work;
    work.id = id;
    work.kind = kind;
    work.sges = pieces;
    return work;
}
