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

DdpReceiveQueue::Slots&
DdpReceiveQueue::Window()
{
    if (!m_window)
    {
        constexpr std::size_t some = 4;
        m_window = std::make_unique<Slots>();
        m_window->near.set_capacity(some);
    }
    return *m_window;
}

boost::circular_buffer<DdpReceiveQueue::Slot>&
DdpReceiveQueue::NearWithRoom()
{
    auto& near = Window().near;
    if (near.full())
    {
        near.set_capacity(2 * near.capacity());
    }
    return near;
}

void
DdpReceiveQueue::Post(DdpBuffer&& buffer)
{
    NS_ABORT_MSG_IF(m_source != nullptr, "this queue takes its buffers from a source");
    NearWithRoom().push_back({std::move(buffer), true});
    m_bound++;
}

void
DdpReceiveQueue::PostFirst(DdpBuffer&& buffer)
{
    NearWithRoom().push_front({std::move(buffer), true});
    m_bound++;
}

DdpBuffer*
DdpReceiveQueue::GetBuffer(uint32_t ahead)
{
    if (m_window && ahead < m_window->near.size() && m_window->near[ahead].bound)
    {
        return &m_window->near[ahead].buffer;
    }
    if (HasFar())
    {
        const auto far = m_window->far->find(m_lower + ahead);
        return far != m_window->far->end() ? &far->second : nullptr;
    }
    return nullptr;
}

DdpBuffer*
DdpReceiveQueue::Bind(uint32_t ahead, DdpBuffer&& buffer)
{
    constexpr std::size_t some = 32; // slots that may be empty besides as many as are in use
    auto& [near, far] = Window();
    m_bound++;
    if (ahead >= 2 * std::size_t{m_bound} + some)
    {
        if (!far)
        {
            far = std::make_unique<Far>();
        }
        return &(far->emplace(m_lower + ahead, std::move(buffer)).first->second);
    }
    if (ahead >= near.size())
    {
        if (ahead >= near.capacity())
        {
            near.set_capacity(2 * std::size_t{ahead});
        }
        near.resize(ahead + 1);
    }
    near[ahead].buffer = std::move(buffer);
    near[ahead].bound = true;
    return &near[ahead].buffer;
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
    *buffer = GetBuffer(ahead);
    if (*buffer == nullptr)
    {
        DdpBuffer taken;
        if (!m_source->Pop(taken))
        {
            return DdpError::UNTAGGED_NO_BUFFER;
        }
        *buffer = Bind(ahead, std::move(taken));
    }
    return DdpError::NONE;
}

bool
DdpReceiveQueue::HasFar() const
{
    return m_window && m_window->far && !m_window->far->empty();
}

void
DdpReceiveQueue::FetchFront()
{
    if (!HasFar() || m_window->far->begin()->first != m_lower)
    {
        return;
    }
    auto& [near, far] = *m_window;
    if (near.empty())
    {
        near.resize(1);
    }
    near.front().buffer = std::move(far->begin()->second);
    near.front().bound = true;
    far->erase(far->begin());
}

bool
DdpReceiveQueue::Complete(DdpBuffer& buffer)
{
    FetchFront();
    if (!m_window || m_window->near.empty() || !m_window->near.front().bound)
    {
        return false;
    }
    buffer = std::move(m_window->near.front().buffer);
    m_window->near.pop_front();
    m_bound--;
    m_lower++;
    return true;
}

bool
DdpReceiveQueue::Flush(DdpBuffer& buffer)
{
    FetchFront();
    while (m_window && !m_window->near.empty() && !m_window->near.front().bound)
    {
        m_window->near.pop_front();
        m_lower++;
        FetchFront();
    }
    if (HasFar() && m_window->near.empty())
    {
        m_lower = m_window->far->begin()->first;
    }
    return Complete(buffer);
}

uint32_t
DdpReceiveQueue::GetSlots() const
{
    return m_window ? m_window->near.capacity() + (HasFar() ? m_window->far->size() : 0) : 0;
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
