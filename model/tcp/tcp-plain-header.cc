/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "tcp-plain-header.h"

#include <algorithm>
#include <array>

namespace ns3
{

TcpPlainHeader::TcpPlainHeader(const TcpHeaderFields& fields)
    : m_fields(fields)
{
    m_fields.size = fields.timestamps ? TcpHeaderFields::LONG : TcpHeaderFields::SHORT;
}

TypeId
TcpPlainHeader::GetInstanceTypeId() const
{
    return TcpHeader::GetTypeId();
}

uint32_t
TcpPlainHeader::GetSerializedSize() const
{
    return m_fields.size;
}

void
TcpPlainHeader::Serialize(Buffer::Iterator start) const
{
    std::array<uint8_t, TcpHeaderFields::LONG> octets;
    m_fields.Write(octets.data());
    start.Write(octets.data(), m_fields.size);
}

uint32_t
TcpPlainHeader::Deserialize(Buffer::Iterator start)
{
    std::array<uint8_t, TcpHeaderFields::LONG> octets;
    const uint32_t available = std::min<uint32_t>(start.GetRemainingSize(), octets.size());
    start.Read(octets.data(), available);
    return m_fields.Read(octets.data(), available) ? m_fields.size : 0;
}

void
TcpPlainHeader::Print(std::ostream& os) const
{
    m_fields.ToHeader().Print(os);
}

} // namespace ns3
