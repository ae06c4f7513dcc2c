/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ddp-segmenter.h"

#include "ns3/abort.h"

#include <algorithm>

namespace ns3
{

DdpSegmenter::DdpSegmenter(const DdpHeader& header, uint32_t length)
    : m_header(header),
      m_length(length),
      m_done(false)
{
    m_header.last = false;
    m_header.mo = 0;
}

DdpSegment
DdpSegmenter::Show(uint32_t mulpdu) const
{
    NS_ABORT_MSG_IF(m_done, "DdpSegmenter::Show called without a message: check IsDone() first");
    const uint32_t headerSize = m_header.GetSize();
    NS_ABORT_MSG_IF(mulpdu <= headerSize,
                    "MULPDU " << mulpdu << " leaves no room for payload behind a DDP header of "
                              << headerSize << " octets: MPA announces at least 128");

    DdpSegment segment;
    segment.header = m_header;
    segment.offset = m_offset;
    segment.length = std::min(m_length - m_offset, mulpdu - headerSize);
    segment.header.last = segment.length == m_length - m_offset;
    return segment;
}

void
DdpSegmenter::Take(const DdpSegment& segment)
{
    m_offset += segment.length;
    m_done = m_offset == m_length;
    if (m_header.tagged)
    {
        m_header.to += segment.length;
    }
    else
    {
        m_header.mo += segment.length;
    }
}

uint32_t
DdpSegmenter::Count(uint32_t length, bool tagged, uint32_t mulpdu)
{
    const uint32_t headerSize = DdpHeader::SizeOf(tagged);
    NS_ABORT_MSG_IF(mulpdu <= headerSize,
                    "MULPDU " << mulpdu << " leaves no room for payload behind a DDP header of "
                              << headerSize << " octets: MPA announces at least 128");
    const uint32_t room = mulpdu - headerSize;
    return length == 0 ? 1 : length / room + (length % room != 0);
}

} // namespace ns3
