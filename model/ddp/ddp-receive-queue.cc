/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ddp-receive-queue.h"

#include "ns3/abort.h"

#include <utility>

namespace ns3
{

DdpReceiveQueue::DdpReceiveQueue(DdpBufferSource* source, uint32_t firstMsn)
    : m_source(source),
      m_lower(firstMsn)
{
}

boost::circular_buffer<DdpReceiveQueue::Slot>&
DdpReceiveQueue::Window()
{
    if (!m_window)
    {
        constexpr std::size_t some = 4;
        m_window = std::make_unique<boost::circular_buffer<Slot>>(some);
    }
    return *m_window;
}

boost::circular_buffer<DdpReceiveQueue::Slot>&
DdpReceiveQueue::WindowWithRoom()
{
    auto& window = Window();
    if (window.full())
    {
        window.set_capacity(2 * window.capacity());
    }
    return window;
}

void
DdpReceiveQueue::Post(DdpBuffer&& buffer)
{
    NS_ABORT_MSG_IF(m_source != nullptr, "this queue takes its buffers from a source");
    WindowWithRoom().push_back({std::move(buffer), true});
    m_bound++;
}

void
DdpReceiveQueue::PostFirst(DdpBuffer&& buffer)
{
    WindowWithRoom().push_front({std::move(buffer), true});
    m_bound++;
}

DdpError
DdpReceiveQueue::Find(uint32_t msn, DdpBuffer** buffer)
{
    // modulo 2^32, with a window that is far below half of it
    const uint32_t ahead = msn - m_lower;
    if (ahead >= UINT32_C(0x80000000))
    {
        return DdpError::UNTAGGED_MSN_RANGE;
    }
    if (ahead >= GetWindow())
    {
        return DdpError::UNTAGGED_NO_BUFFER;
    }
    auto& window = Window();
    if (ahead >= window.size())
    {
        if (ahead >= window.capacity())
        {
            window.set_capacity(2 * std::size_t(ahead));
        }
        window.resize(ahead + 1);
    }
    Slot& slot = window[ahead];
    if (!slot.bound)
    {
        if (!m_source->Take(slot.buffer))
        {
            return DdpError::UNTAGGED_NO_BUFFER;
        }
        slot.bound = true;
        m_bound++;
    }
    *buffer = &slot.buffer;
    return DdpError::NONE;
}

bool
DdpReceiveQueue::Complete(DdpBuffer& buffer)
{
    if (!m_window || m_window->empty() || !m_window->front().bound)
    {
        return false;
    }
    buffer = std::move(m_window->front().buffer);
    m_window->pop_front();
    m_bound--;
    m_lower++;
    return true;
}

bool
DdpReceiveQueue::Flush(DdpBuffer& buffer)
{
    while (m_window && !m_window->empty() && !m_window->front().bound)
    {
        m_window->pop_front();
        m_lower++;
    }
    return Complete(buffer);
}

uint32_t
DdpReceiveQueue::GetLower() const
{
    return m_lower;
}

uint32_t
DdpReceiveQueue::GetWindow() const
{
    return m_bound + (m_source != nullptr ? m_source->GetAvailable() : 0);
}

uint32_t
DdpReceiveQueue::GetBound() const
{
    return m_bound;
}

bool
DdpReceiveQueue::HasSource() const
{
    return m_source != nullptr;
}

} // namespace ns3
