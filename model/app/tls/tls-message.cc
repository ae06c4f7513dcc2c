/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "tls-message.h"

#include "ns3/app-message-sizes.h"
#include "ns3/app-message.h"

#include <algorithm>
#include <boost/endian/conversion.hpp>
#include <utility>
#include <vector>

namespace ns3
{
namespace iwarp
{

std::array<uint8_t, TLS_MESSAGE_HEADER>
WriteTlsMessageHeader(uint32_t number, uint64_t size)
{
    std::array<uint8_t, TLS_MESSAGE_HEADER> octets;
    boost::endian::store_big_u32(octets.data(), number);
    boost::endian::store_big_u64(octets.data() + 4, size);
    return octets;
}

TlsMessageReader::TlsMessageReader(bool backed, PayloadFunction payload, MessageFunction complete)
    : m_backed(backed),
      m_payload(std::move(payload)),
      m_complete(std::move(complete))
{
}

bool
TlsMessageReader::Add(const Ptr<const Packet>& octets)
{
    const uint32_t size = octets->GetSize();
    for (uint32_t at = 0; at < size && !m_bad;)
    {
        if (m_have < TLS_MESSAGE_HEADER)
        {
            const uint32_t more = std::min(TLS_MESSAGE_HEADER - m_have, size - at);
            octets->CreateFragment(at, more)->CopyData(m_header.data() + m_have, more);
            m_have += more;
            at += more;
            if (m_have == TLS_MESSAGE_HEADER)
            {
                m_size = boost::endian::load_big_u64(m_header.data() + 4);
                m_bad = boost::endian::load_big_u32(m_header.data()) != m_messages || m_size == 0 ||
                        m_size > MAX_MESSAGE_SIZE;
            }
            continue;
        }
        const auto more = static_cast<uint32_t>(std::min<uint64_t>(m_size - m_come, size - at));
        if (m_backed)
        {
            Compare(octets->CreateFragment(at, more));
        }
        m_come += more;
        m_octets += more;
        at += more;
        m_payload(more);
        if (m_come == m_size)
        {
            const uint32_t number = m_messages++;
            m_messageOctets += m_size;
            m_have = 0;
            m_come = 0;
            m_complete(number, m_size);
        }
    }
    return !m_bad;
}

void
TlsMessageReader::Compare(const Ptr<const Packet>& payload)
{
    std::vector<uint8_t> octets(payload->GetSize());
    payload->CopyData(octets.data(), payload->GetSize());
    for (std::size_t at = 0; at < octets.size();)
    {
        const std::size_t run = std::min<std::size_t>(PATTERN_RUN, octets.size() - at);
        const uint8_t* expected = MessagePattern(m_messages, m_come + at);
        for (std::size_t i = 0; i < run; i++)
        {
            m_contentErrors += octets[at + i] != expected[i] ? 1 : 0;
        }
        at += run;
    }
}

bool
TlsMessageReader::IsBetween() const
{
    return m_have == 0 && !m_bad;
}

uint64_t
TlsMessageReader::GetOctets() const
{
    return m_octets;
}

uint64_t
TlsMessageReader::GetMessages() const
{
    return m_messages;
}

uint64_t
TlsMessageReader::GetMessageOctets() const
{
    return m_messageOctets;
}

uint64_t
TlsMessageReader::GetContentErrors() const
{
    return m_contentErrors;
}

} // namespace iwarp
} // namespace ns3
