/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "iwarp-rank-ledger.h"

#include "ns3/abort.h"

#include <cstring>
#include <utility>

namespace ns3
{
namespace iwarp
{

RankLedger::RankLedger() = default;

RankLedger::RankLedger(std::string octets)
    : m_written(false),
      m_octets(std::move(octets))
{
}

bool
RankLedger::IsWritten() const
{
    return m_written;
}

const std::string&
RankLedger::GetOctets() const
{
    return m_octets;
}

bool
RankLedger::IsAtEnd() const
{
    return m_place == m_octets.size();
}

void
RankLedger::Any(bool& own)
{
    const bool other = Exchange(own);
    own = own || other;
}

void
RankLedger::Append(std::vector<std::string>& own)
{
    const auto count = Exchange<uint64_t>(own.size());
    for (uint64_t i = 0; i < count; i++)
    {
        if (m_written)
        {
            Exchange(own[i]);
        }
        else
        {
            own.push_back(Exchange(std::string()));
        }
    }
}

std::string
RankLedger::Exchange(const std::string& own)
{
    const auto size = Exchange<uint64_t>(own.size());
    if (m_written)
    {
        Put(own.data(), size);
        return own;
    }
    std::string other(size, '\0');
    Take(other.data(), size);
    return other;
}

void
RankLedger::Put(const void* from, std::size_t size)
{
    m_octets.append(static_cast<const char*>(from), size);
}

void
RankLedger::Take(void* to, std::size_t size)
{
    NS_ABORT_MSG_IF(size > m_octets.size() - m_place, "ranks do not tell of the same counts");
    if (size > 0)
    {
        std::memcpy(to, m_octets.data() + m_place, size);
        m_place += size;
    }
}

} // namespace iwarp
} // namespace ns3
