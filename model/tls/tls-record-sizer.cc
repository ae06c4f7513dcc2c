/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "tls-record-sizer.h"

#include "tls-protection.h"

#include <algorithm>

namespace ns3
{

namespace
{

constexpr uint64_t GROWTH_RECORDS = 1000; //!< Go's limit, behind which records are large

} // namespace

TlsRecordSizer::TlsRecordSizer(const Settings& settings)
    : m_settings(settings),
      m_inner(std::min(settings.maximum + 1, tls::MAX_INNER))
{
}

void
TlsRecordSizer::Limit(uint32_t inner)
{
    m_inner = std::min(m_inner, inner);
}

uint32_t
TlsRecordSizer::GetMost() const
{
    return m_inner - 1;
}

uint32_t
TlsRecordSizer::GetMaximum(int64_t now)
{
    const uint32_t most = GetMost();
    switch (m_settings.sizing)
    {
    case TlsRecordSizing::FIXED:
        break;
    case TlsRecordSizing::STEPS:
        if (m_last == INT64_MIN || now - m_last > m_settings.pause)
        {
            m_records = 0;
        }
        return std::min(most,
                        m_records > uint64_t{2} * m_settings.records ? most
                        : m_records > m_settings.records             ? m_settings.medium
                                                                     : m_settings.small);
    case TlsRecordSizing::GROWTH:
        if (m_octets < m_settings.boost && m_records <= GROWTH_RECORDS)
        {
            const uint64_t one = m_settings.segment - TlsProtection::OVERHEAD;
            return static_cast<uint32_t>(std::min<uint64_t>(most, one * (m_records + 1)));
        }
        break;
    }
    return most;
}

uint32_t
TlsRecordSizer::Next(uint64_t left, int64_t now)
{
    const auto size = static_cast<uint32_t>(std::min<uint64_t>(left, GetMaximum(now)));
    m_records++;
    m_octets += size + GetPadding(size) + TlsProtection::OVERHEAD;
    m_last = now;
    return size;
}

uint32_t
TlsRecordSizer::GetPadding(uint32_t content) const
{
    const uint32_t inner = content + 1;
    const uint32_t room = m_inner - std::min(m_inner, inner);
    switch (m_settings.padding)
    {
    case TlsPadding::NONE:
        return 0;
    case TlsPadding::BLOCK: {
        const uint32_t over = inner % m_settings.block;
        return std::min(room, over > 0 ? m_settings.block - over : 0);
    }
    case TlsPadding::MAXIMUM:
        return room;
    }
    return 0;
}

} // namespace ns3
