/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "path-tcp-segment.h"

#include "ns3/ipv4-header.h"
#include "ns3/ipv6-header.h"
#include "ns3/tcp-header.h"
#include "ns3/tcp-l4-protocol.h"
#include "ns3/util-internet-checksum.h"

#include <algorithm>
#include <boost/endian/conversion.hpp>
#include <vector>

namespace ns3
{

namespace
{

using boost::endian::load_big_u16;
using boost::endian::load_big_u32;

constexpr uint32_t TCP_LEAST = 20;          //!< octets of a TCP header without options
constexpr uint32_t TIMESTAMPS_SIZE = 10;    //!< octets of the option
constexpr uint32_t ADDRESSES = 12;          //!< where an IPv4 header has its addresses
constexpr uint32_t ADDRESSES6 = 8;          //!< where an IPv6 header has its addresses
constexpr uint16_t MORE_OR_OFFSET = 0x3FFF; //!< of flags and offset of IPv4: it is a fragment

/// A header of ns-3 that reads and writes octets as they are, so that a packet's metadata stays
/// that of ns-3's own headers.
template <typename Base>
class OctetHeader : public Base
{
  public:
    /// @param octets of the header @param size how many
    OctetHeader(uint8_t* octets, uint32_t size)
        : m_octets(octets),
          m_size(size)
    {
    }

    uint32_t GetSerializedSize() const override
    {
        return m_size;
    }

    void Serialize(Buffer::Iterator start) const override
    {
        start.Write(m_octets, m_size);
    }

    uint32_t Deserialize(Buffer::Iterator start) override
    {
        start.Read(m_octets, m_size);
        return m_size;
    }

  private:
    uint8_t* m_octets; //!< octets
    uint32_t m_size;   //!< how many
};

/// @param octets where @param value number of two octets
void
Write16(uint8_t* octets, uint32_t value)
{
    octets[0] = static_cast<uint8_t>(value >> 8);
    octets[1] = static_cast<uint8_t>(value);
}

/// @param octets where @param value number of four octets
void
Write32(uint8_t* octets, uint32_t value)
{
    Write16(octets, value >> 16);
    Write16(octets + 2, value);
}

} // namespace

std::optional<PathTcpSegment>
PathTcpSegment::Read(const Ptr<const Packet>& datagram, uint16_t protocol, bool checksums)
{
    PathTcpSegment segment;
    segment.m_checksums = checksums;
    const uint32_t size = datagram->GetSize();
    const uint32_t available = datagram->CopyData(segment.m_header.data(), LONGEST);
    segment.m_ip = protocol == IPV4 ? 20 : protocol == IPV6 ? 40 : 0;
    if (segment.m_ip == 0 || !segment.ReadIp(available, size) || !segment.ReadOptions())
    {
        return {};
    }
    segment.m_payload = datagram->Copy();
    segment.m_payload->RemoveAtEnd(size - segment.m_length);
    if (segment.IsIpv6())
    {
        OctetHeader<Ipv6Header> ip(segment.m_header.data(), segment.m_ip);
        segment.m_payload->RemoveHeader(ip);
    }
    else
    {
        OctetHeader<Ipv4Header> ip(segment.m_header.data(), segment.m_ip);
        segment.m_payload->RemoveHeader(ip);
    }
    OctetHeader<TcpHeader> tcp(segment.Tcp(), segment.m_end - segment.m_ip);
    segment.m_payload->RemoveHeader(tcp);
    if (checksums && !segment.HasGoodChecksums())
    {
        return {};
    }
    return segment;
}

bool
PathTcpSegment::ReadIp(uint32_t available, uint32_t size)
{
    if (available < m_ip + TCP_LEAST)
    {
        return false;
    }
    const uint8_t* ip = m_header.data();
    const bool understood = IsIpv6() ? ip[0] >> 4 == 6 && ip[6] == TcpL4Protocol::PROT_NUMBER
                                     : ip[0] == 0x45 && ip[9] == TcpL4Protocol::PROT_NUMBER &&
                                           (load_big_u16(ip + 6) & MORE_OR_OFFSET) == 0;
    m_length = IsIpv6() ? m_ip + load_big_u16(ip + 4) : load_big_u16(ip + 2);
    m_end = m_ip + (Tcp()[12] >> 4) * 4;
    return understood && m_end >= m_ip + TCP_LEAST && m_end <= m_length && m_length <= size;
}

bool
PathTcpSegment::ReadOptions()
{
    uint32_t at = m_ip + TCP_LEAST;
    while (at != 0 && at < m_end)
    {
        at = SkipOption(at);
    }
    return at != 0;
}

Ptr<Packet>
PathTcpSegment::Write() const
{
    PathTcpSegment copy(*this);
    copy.WriteLength();
    if (m_checksums)
    {
        Write16(copy.Tcp() + 16, 0);
        Write16(copy.Tcp() + 16, ~copy.SumTcp() & 0xFFFF);
        if (!IsIpv6())
        {
            Write16(copy.m_header.data() + 10, 0);
            Write16(copy.m_header.data() + 10, ~copy.SumIp() & 0xFFFF);
        }
    }
    Ptr<Packet> datagram = m_payload->Copy();
    datagram->AddHeader(OctetHeader<TcpHeader>(copy.Tcp(), m_end - m_ip));
    if (IsIpv6())
    {
        datagram->AddHeader(OctetHeader<Ipv6Header>(copy.m_header.data(), m_ip));
    }
    else
    {
        datagram->AddHeader(OctetHeader<Ipv4Header>(copy.m_header.data(), m_ip));
    }
    return datagram;
}

void
PathTcpSegment::WriteLength()
{
    if (IsIpv6())
    {
        Write16(m_header.data() + 4, m_end - m_ip + GetSize());
    }
    else
    {
        Write16(m_header.data() + 2, m_end + GetSize());
    }
}

bool
PathTcpSegment::HasGoodChecksums() const
{
    return SumTcp() == 0xFFFF && (IsIpv6() || SumIp() == 0xFFFF);
}

uint16_t
PathTcpSegment::SumTcp() const
{
    std::vector<uint8_t> payload(GetSize());
    m_payload->CopyData(payload.data(), GetSize());
    const uint32_t addresses = 2 * (IsIpv6() ? 16 : 4);
    uint64_t sum = TcpL4Protocol::PROT_NUMBER + (m_end - m_ip) + GetSize(); // pseudo-header
    sum = iwarp::SumInternetChecksum(sum, GetSource(), addresses);
    sum = iwarp::SumInternetChecksum(sum, Tcp(), m_end - m_ip);
    return iwarp::FoldInternetChecksum(iwarp::SumInternetChecksum(sum, payload.data(), GetSize()));
}

uint16_t
PathTcpSegment::SumIp() const
{
    return iwarp::FoldInternetChecksum(iwarp::SumInternetChecksum(0, m_header.data(), m_ip));
}

// ---- fields -------------------------------------------------------------------------------------

const uint8_t*
PathTcpSegment::Tcp() const
{
    return m_header.data() + m_ip;
}

uint8_t*
PathTcpSegment::Tcp()
{
    return m_header.data() + m_ip;
}

bool
PathTcpSegment::IsIpv6() const
{
    return m_ip == 40;
}

uint16_t
PathTcpSegment::GetProtocol() const
{
    return IsIpv6() ? IPV6 : IPV4;
}

PathTcpSegment::Flow
PathTcpSegment::GetFlow() const
{
    Flow flow{};
    flow[0] = IsIpv6();
    const uint32_t addresses = 2 * (IsIpv6() ? 16 : 4);
    std::copy_n(GetSource(), addresses, flow.begin() + 1);
    std::copy_n(Tcp(), 4, flow.begin() + 1 + addresses);
    return flow;
}

const uint8_t*
PathTcpSegment::GetSource() const
{
    return m_header.data() + (IsIpv6() ? ADDRESSES6 : ADDRESSES);
}

const uint8_t*
PathTcpSegment::GetDestination() const
{
    return GetSource() + (IsIpv6() ? 16 : 4);
}

uint16_t
PathTcpSegment::GetSourcePort() const
{
    return load_big_u16(Tcp());
}

uint16_t
PathTcpSegment::GetDestinationPort() const
{
    return load_big_u16(Tcp() + 2);
}

uint32_t
PathTcpSegment::GetSeq() const
{
    return load_big_u32(Tcp() + 4);
}

uint32_t
PathTcpSegment::GetAck() const
{
    return load_big_u32(Tcp() + 8);
}

uint8_t
PathTcpSegment::GetFlags() const
{
    return Tcp()[13];
}

PathTcpSegment::Ecn
PathTcpSegment::GetEcn() const
{
    return static_cast<Ecn>((IsIpv6() ? m_header[1] >> 4 : m_header[1]) & 3);
}

uint32_t
PathTcpSegment::GetHeaderSize() const
{
    return m_end;
}

uint32_t
PathTcpSegment::GetSize() const
{
    return m_payload->GetSize();
}

const Ptr<Packet>&
PathTcpSegment::GetPayload() const
{
    return m_payload;
}

bool
PathTcpSegment::IsPlainData() const
{
    return GetSize() > 0 && (GetFlags() & (ACK | SYN | RST | URG)) == ACK;
}

void
PathTcpSegment::SetFlags(uint8_t flags)
{
    Tcp()[13] = flags;
}

void
PathTcpSegment::SetEcn(Ecn ecn)
{
    const uint32_t shift = IsIpv6() ? 4 : 0;
    m_header[1] = static_cast<uint8_t>((m_header[1] & ~(3 << shift)) | ecn << shift);
}

void
PathTcpSegment::SetIdentification(uint16_t id)
{
    if (!IsIpv6())
    {
        Write16(m_header.data() + 4, id);
    }
}

void
PathTcpSegment::SetData(uint32_t seq, const Ptr<Packet>& payload)
{
    Write32(Tcp() + 4, seq);
    m_payload = payload;
}

void
PathTcpSegment::MergeAck(const PathTcpSegment& later)
{
    std::copy_n(later.Tcp() + 8, 4, Tcp() + 8);   // acknowledgment number
    std::copy_n(later.Tcp() + 14, 2, Tcp() + 14); // window
    const uint32_t from = later.FindOption(TIMESTAMPS);
    const uint32_t to = FindOption(TIMESTAMPS);
    if (from != 0 && to != 0)
    {
        std::copy_n(later.m_header.begin() + from + 6, 4, m_header.begin() + to + 6);
    }
}

// ---- options ------------------------------------------------------------------------------------

uint32_t
PathTcpSegment::SkipOption(uint32_t at) const
{
    const uint8_t kind = m_header[at];
    if (kind == END || kind == NOP)
    {
        return kind == END ? m_end : at + 1;
    }
    const uint32_t size = at + 1 < m_end ? m_header[at + 1] : 0;
    const bool wrong = size < 2 || at + size > m_end || (kind == MSS && size != 4) ||
                       (kind == TIMESTAMPS && size != TIMESTAMPS_SIZE);
    return wrong ? 0 : at + size;
}

uint32_t
PathTcpSegment::FindOption(Option kind) const
{
    uint32_t at = m_ip + TCP_LEAST;
    while (at < m_end && m_header[at] != kind)
    {
        at = SkipOption(at);
    }
    return at < m_end ? at : 0;
}

bool
PathTcpSegment::HasHeadersOf(const PathTcpSegment& other) const
{
    PathTcpSegment a(*this);
    PathTcpSegment b(other);
    for (PathTcpSegment* segment : {&a, &b})
    {
        if (segment->FindOption(SACK) != 0)
        {
            return false;
        }
        segment->m_payload = Create<Packet>();
        segment->WriteLength();
        segment->SetEcn(NOT_ECT);
        segment->SetIdentification(0);
        segment->SetFlags(0);
        if (!segment->IsIpv6())
        {
            Write16(segment->m_header.data() + 10, 0);
        }
        uint8_t* tcp = segment->Tcp();
        std::fill_n(tcp + 4, 8, 0);  // sequence and acknowledgment numbers
        std::fill_n(tcp + 14, 6, 0); // window, checksum, urgent pointer
        if (const uint32_t at = segment->FindOption(TIMESTAMPS))
        {
            std::fill_n(segment->m_header.begin() + at + 2, TIMESTAMPS_SIZE - 2, 0);
        }
    }
    return a.m_end == b.m_end &&
           std::equal(a.m_header.begin(), a.m_header.begin() + a.m_end, b.m_header.begin());
}

bool
PathTcpSegment::StripOption(Option kind)
{
    bool found = false;
    while (const uint32_t at = FindOption(kind))
    {
        found = true;
        std::fill(m_header.begin() + at, m_header.begin() + SkipOption(at), NOP);
    }
    return found;
}

bool
PathTcpSegment::ClampMss(uint16_t most)
{
    const uint32_t at = FindOption(MSS);
    if (at == 0 || load_big_u16(m_header.data() + at + 2) <= most)
    {
        return false;
    }
    Write16(m_header.data() + at + 2, most);
    return true;
}

} // namespace ns3
