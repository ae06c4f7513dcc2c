/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "app-message.h"

#include "app-message-sizes.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace ns3
{
namespace iwarp
{
namespace
{

constexpr uint32_t PERIOD = 65521; //!< a prime, so that the pattern's shifts are all different
/// Messages that may be under way at once. Each has at least an octet in TCP's window.
constexpr uint32_t MAX_AHEAD = 1 << 20;
/// Octets of a message that may be missing before one that is there: TCP's largest window.
constexpr uint64_t MAX_GAP = 1 << 30;

/// @param version RV @return RDMAP's control field of an RDMA Write (RFC 5040 section 4.1)
uint8_t
RdmaWrite(uint8_t version)
{
    return static_cast<uint8_t>(version << 6); // opcode 0
}

} // namespace

void
WriteMessageHeader(uint8_t* out, uint32_t message, uint64_t offset, bool last, uint8_t version)
{
    DdpHeader header;
    header.tagged = true;
    header.last = last;
    header.version = version;
    header.ulpControl = RdmaWrite(version);
    header.stag = message;
    header.to = offset;
    header.Write(out);
}

const uint8_t*
MessagePattern(uint32_t message, uint64_t offset)
{
    static const std::vector<uint8_t> table = [] {
        std::vector<uint8_t> octets(PERIOD + PATTERN_RUN);
        uint64_t state = 0x9E3779B97F4A7C15;
        for (uint32_t i = 0; i < PERIOD; i++)
        {
            state = state * 6364136223846793005 + 1442695040888963407;
            octets[i] = static_cast<uint8_t>(state >> 56);
        }
        for (uint32_t i = PERIOD; i < octets.size(); i++)
        {
            octets[i] = octets[i - PERIOD];
        }
        return octets;
    }();
    return &table[(uint64_t{message} * 7919 + offset) % PERIOD];
}

MessageAssembler::MessageAssembler(bool backed, MessageFunction complete)
    : m_backed(backed),
      m_complete(std::move(complete))
{
}

MessageAssembler::Fault
MessageAssembler::Place(const uint8_t* ulpdu, std::size_t size, uint8_t version)
{
    DdpHeader header;
    if (header.Read(ulpdu, size) != MESSAGE_HEADER || !header.tagged || header.version != version ||
        header.ulpControl != RdmaWrite(version))
    {
        return Fault::HEADER;
    }
    const uint32_t index = header.stag - m_first;
    const uint64_t length = size - MESSAGE_HEADER;
    const uint64_t end = header.to + length;
    if (index >= MAX_AHEAD || header.to > MAX_MESSAGE_SIZE || end > MAX_MESSAGE_SIZE)
    {
        return Fault::RANGE;
    }
    if (index < m_messages.size() && m_messages[index].sized &&
        (header.last || end > m_messages[index].size))
    {
        return Fault::RANGE;
    }
    if (index >= m_messages.size())
    {
        m_messages.resize(index + 1);
    }
    Message& message = m_messages[index];
    if (header.to > message.placed + MAX_GAP)
    {
        return Fault::RANGE;
    }
    message.placed += length;
    message.ulpdus++;
    m_octets += length;
    if (header.last)
    {
        message.sized = true;
        message.size = end;
    }
    if (m_backed)
    {
        if (message.data.size() < end)
        {
            message.data.resize(end);
        }
        std::copy_n(ulpdu + MESSAGE_HEADER, length, message.data.begin() + header.to);
    }
    return Fault::NONE;
}

void
MessageAssembler::Deliver(uint32_t count)
{
    m_delivered += count;
    while (!m_messages.empty() && m_messages.front().sized &&
           m_delivered >= m_messages.front().ulpdus)
    {
        const Message message = std::move(m_messages.front());
        const uint32_t number = m_first++;
        m_messages.pop_front();
        m_delivered -= message.ulpdus;
        m_count++;
        m_messageOctets += message.size;
        Compare(number, message);
        if (m_complete)
        {
            m_complete(number, message.size);
        }
    }
}

void
MessageAssembler::Compare(uint32_t number, const Message& message)
{
    m_contentErrors += message.placed > message.size ? message.placed - message.size
                                                     : message.size - message.placed;
    if (!m_backed)
    {
        return;
    }
    if (message.data.size() != message.size)
    {
        m_contentErrors++;
    }
    for (uint64_t at = 0; at < message.data.size(); at += PATTERN_RUN)
    {
        const uint64_t run = std::min<uint64_t>(PATTERN_RUN, message.data.size() - at);
        const uint8_t* expected = MessagePattern(number, at);
        if (std::memcmp(&message.data[at], expected, run) != 0)
        {
            for (uint64_t i = 0; i < run; i++)
            {
                m_contentErrors += message.data[at + i] != expected[i];
            }
        }
    }
}

uint64_t
MessageAssembler::GetOctets() const
{
    return m_octets;
}

uint64_t
MessageAssembler::GetMessages() const
{
    return m_count;
}

uint64_t
MessageAssembler::GetMessageOctets() const
{
    return m_messageOctets;
}

uint64_t
MessageAssembler::GetContentErrors() const
{
    return m_contentErrors;
}

} // namespace iwarp
} // namespace ns3
