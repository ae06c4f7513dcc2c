/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "mpa-sender.h"

#include "mpa-mulpdu.h"

#include <algorithm>
#include <utility>

namespace ns3
{

void
MpaSender::Open(const mpa::FpduFormat& format, uint32_t seq)
{
    m_format = format;
    m_seqStart = seq;
    m_open = true;
}

void
MpaSender::Shutdown()
{
    m_shutdown = true;
}

bool
MpaSender::IsOpen() const
{
    return m_open;
}

bool
MpaSender::IsShutdown() const
{
    return m_shutdown;
}

MpaSender::Admission
MpaSender::Admit(uint64_t size, uint32_t most, bool accepted) const
{
    if (size == 0 || size > mpa::MAX_ULPDU || (most > 0 && m_open && size > most))
    {
        return Admission::BAD_SIZE;
    }
    if (m_shutdown)
    {
        return Admission::SHUTDOWN;
    }
    if (m_open)
    {
        return m_queue ? Admission::BUSY : Admission::SEND;
    }
    return accepted ? Admission::QUEUE : Admission::NOT_OPEN;
}

uint32_t
MpaSender::GetWireSize(uint32_t size, uint32_t seq) const
{
    return mpa::WireSize(size, seq - m_seqStart, m_format.markers);
}

void
MpaSender::Encode(uint8_t* out,
                  const uint8_t* head,
                  uint32_t headSize,
                  const uint8_t* tail,
                  uint32_t tailSize,
                  uint32_t seq) const
{
    mpa::EncodeFpdu(out, head, headSize, tail, tailSize, seq - m_seqStart, m_format);
}

bool
MpaSender::Enqueue(const uint8_t* head,
                   uint32_t headSize,
                   const uint8_t* tail,
                   uint32_t tailSize,
                   uint32_t room)
{
    const uint32_t size = headSize + tailSize;
    const uint32_t wireSize = mpa::WireSize(size, 0, true);
    if (GetQueued() + wireSize > room)
    {
        return false;
    }
    std::vector<uint8_t> ulpdu(size);
    std::copy(head, head + headSize, ulpdu.begin());
    if (tail)
    {
        std::copy(tail, tail + tailSize, ulpdu.begin() + headSize);
    }
    if (!m_queue)
    {
        m_queue = std::make_unique<Queue>();
    }
    m_queue->octets += wireSize;
    m_queue->ulpdus.push_back(std::move(ulpdu));
    return true;
}

const std::vector<uint8_t>*
MpaSender::GetFront() const
{
    return m_queue ? &m_queue->ulpdus.front() : nullptr;
}

void
MpaSender::Pop()
{
    m_queue->octets -= mpa::WireSize(m_queue->ulpdus.front().size(), 0, true);
    m_queue->ulpdus.pop_front();
    if (m_queue->ulpdus.empty())
    {
        m_queue.reset();
    }
}

uint32_t
MpaSender::GetQueued() const
{
    return m_queue ? m_queue->octets : 0;
}

uint32_t
MpaSender::GetMulpdu(uint32_t emss) const
{
    return mpa::Mulpdu(emss, m_format.markers);
}

uint32_t
MpaSender::GetOfferedMulpdu(uint32_t emss, uint32_t room, uint32_t seq) const
{
    return mpa::OfferedMulpdu(emss, room, seq - m_seqStart, m_format.markers);
}

} // namespace ns3
