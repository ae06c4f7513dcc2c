/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ddp-sender.h"

#include "ns3/abort.h"

#include <cerrno>

namespace ns3
{

int
DdpSender::SubmitTagged(uint8_t ulpControl,
                        uint32_t stag,
                        uint64_t to,
                        uint64_t length,
                        uint64_t context)
{
    DdpHeader header;
    header.tagged = true;
    header.ulpControl = ulpControl;
    header.stag = stag;
    header.to = to;
    return Submit(header, length, context);
}

int
DdpSender::SubmitUntagged(uint8_t ulpControl,
                          uint32_t ulpWord,
                          uint32_t qn,
                          uint64_t length,
                          uint64_t context)
{
    DdpHeader header;
    header.ulpControl = ulpControl;
    header.ulpWord = ulpWord;
    header.qn = qn;
    return Submit(header, length, context);
}

int
DdpSender::Submit(const DdpHeader& header, uint64_t length, uint64_t context)
{
    if (m_closed)
    {
        return ESHUTDOWN;
    }
    if (length > ddp::MAX_MESSAGE)
    {
        return EMSGSIZE;
    }
    DdpHeader complete = header;
    complete.version = m_version;
    if (!header.tagged)
    {
        complete.msn = NextMsn(header.qn)++;
    }
    Message message;
    message.context = context;
    message.segmenter = DdpSegmenter(complete, length);
    m_messages.push_back(message);
    return 0;
}

uint32_t&
DdpSender::NextMsn(uint32_t qn)
{
    for (auto& counter : m_counters)
    {
        if (counter.qn == qn)
        {
            return counter.next;
        }
    }
    m_counters.push_back({qn, 1});
    return m_counters.back().next;
}

void
DdpSender::SetVersion(uint8_t version)
{
    m_version = version;
}

uint8_t
DdpSender::GetVersion() const
{
    return m_version;
}

bool
DdpSender::IsIdle() const
{
    return m_messages.empty();
}

bool
DdpSender::IsInMessage() const
{
    return m_inMessage;
}

uint32_t
DdpSender::GetQueued() const
{
    return m_messages.size();
}

DdpSender::Segment
DdpSender::Show(uint32_t mulpdu) const
{
    NS_ABORT_MSG_IF(m_messages.empty(), "DdpSender::Show called without a message: see IsIdle()");
    const Message& message = m_messages.front();
    Segment segment;
    static_cast<DdpSegment&>(segment) = message.segmenter.Show(mulpdu);
    segment.context = message.context;
    return segment;
}

void
DdpSender::Take(const Segment& segment)
{
    Message& message = m_messages.front();
    message.segmenter.Take(segment);
    m_inMessage = !message.segmenter.IsDone();
    if (!m_inMessage)
    {
        m_messages.pop_front();
    }
}

void
DdpSender::Close()
{
    m_closed = true;
}

void
DdpSender::Abort()
{
    m_messages.clear();
    m_inMessage = false;
}

void
DdpSender::SetNextMsn(uint32_t qn, uint32_t msn)
{
    NextMsn(qn) = msn;
}

} // namespace ns3
