/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "mpa-receive-path.h"

#include <utility>

namespace ns3
{

void
MpaReceivePath::HoldEarly(const uint8_t* data, std::size_t size)
{
    m_early.insert(m_early.end(), data, data + size);
}

void
MpaReceivePath::Open(MpaReceiverConfig config,
                     uint32_t next,
                     bool tcpHolds,
                     MpaReceiver::Listener& listener)
{
    config.seqStart = next - static_cast<uint32_t>(m_early.size());
    m_receiver = std::make_unique<MpaReceiver>(config, listener);
    m_feedOnDrain = tcpHolds;
}

bool
MpaReceivePath::IsOpen() const
{
    return m_receiver != nullptr;
}

bool
MpaReceivePath::HasEarly() const
{
    return !m_early.empty();
}

uint64_t
MpaReceivePath::GetHeld() const
{
    return m_early.size() + (m_receiver ? m_receiver->GetHeld() : 0);
}

std::vector<uint8_t>
MpaReceivePath::TakeEarly()
{
    return std::exchange(m_early, {});
}

bool
MpaReceivePath::FeedsOnDrain() const
{
    return m_feedOnDrain;
}

void
MpaReceivePath::Drained(uint32_t next, bool tcpHolds)
{
    m_feedOnDrain = m_feedOnDrain && tcpHolds;
    m_receiver->Advance(next);
}

MpaReceiver&
MpaReceivePath::GetReceiver()
{
    return *m_receiver;
}

} // namespace ns3
