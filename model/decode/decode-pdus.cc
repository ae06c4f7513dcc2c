/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "decode-pdus.h"

#include <algorithm>
#include <utility>

namespace ns3
{

DecodePdus::DecodePdus(std::unique_ptr<DecodeFramer> framer,
                       DecodeReporter& reporter,
                       DecodeStats& stats)
    : m_framer(std::move(framer)),
      m_reporter(reporter),
      m_stats(stats)
{
    m_stats.framing = m_framer->GetName();
}

bool
DecodePdus::IsInSync() const
{
    return m_inSync;
}

bool
DecodePdus::WasEverInSync() const
{
    return true; // from the stream's first octets
}

uint64_t
DecodePdus::GetUnfinished(uint64_t /* edge */) const
{
    return m_octets.size();
}

uint32_t
DecodePdus::FindSize(const uint8_t* octets, uint32_t have) const
{
    const uint32_t head = m_framer->GetHeadSize();
    if (have < head)
    {
        return head;
    }
    const uint32_t size = m_framer->GetSize(octets);
    return size >= head && size <= MAX_PDU ? size : 0;
}

bool
DecodePdus::IsChain(const uint8_t* octets, uint32_t size) const
{
    uint32_t at = 0;
    while (at < size)
    {
        const uint32_t pdu = FindSize(octets + at, size - at);
        if (pdu == 0 || pdu > size - at)
        {
            return false;
        }
        at += pdu;
    }
    return true;
}

void
DecodePdus::LoseSync()
{
    m_inSync = false;
    m_octets.clear();
    m_missing = 0;
}

void
DecodePdus::Process(const DecodePiece& piece)
{
    if (!m_inSync)
    {
        if (piece.size < piece.length || !IsChain(piece.data, piece.size))
        {
            m_stats.skipped += piece.size;
            return;
        }
        m_inSync = true;
        m_reporter.AddNote(DecodeLayer::FRAMING, piece.offset, "PDUs are found again from here on");
    }
    const bool begins = m_octets.empty();
    uint32_t at = 0;
    while (at < piece.size)
    {
        if (m_octets.empty())
        {
            m_next = piece.offset + at;
        }
        const auto have = static_cast<uint32_t>(m_octets.size());
        const uint32_t most = FindSize(m_octets.data(), have) - have;
        const uint32_t more = std::min(most, piece.size - at);
        m_octets.insert(m_octets.end(), piece.data + at, piece.data + at + more);
        at += more;
        const uint32_t size = FindSize(m_octets.data(), have + more);
        if (size == 0)
        {
            m_reporter.Error(DecodeLayer::FRAMING, m_next, "no PDU begins so");
            m_stats.skipped += have + piece.size - (at - more);
            LoseSync();
            return;
        }
        if (size == have + more)
        {
            Complete(m_next >= piece.offset);
        }
    }
    m_stats.classified++;
    m_stats.headerAligned += begins ? 1 : 0;
    m_stats.fpduAligned += begins && m_octets.empty() ? 1 : 0;
    if (piece.size < piece.length)
    {
        Skip(piece.offset + piece.size, piece.offset + piece.length);
    }
}

void
DecodePdus::Skip(uint64_t from, uint64_t to)
{
    const auto have = static_cast<uint32_t>(m_octets.size());
    if (!m_inSync || have < m_framer->GetHeadSize())
    {
        m_stats.skipped += have;
        LoseSync();
        return;
    }
    const uint32_t size = FindSize(m_octets.data(), have);
    const uint64_t end = m_next + size;
    m_octets.resize(have + std::min(to, end) - from);
    m_missing += static_cast<uint32_t>(m_octets.size() - have);
    if (end <= to)
    {
        Complete(false);
    }
    if (end < to)
    {
        LoseSync();
    }
}

void
DecodePdus::Complete(bool aligned)
{
    DecodePdu pdu;
    pdu.framing = m_framer->GetName();
    pdu.octets = m_octets.data();
    pdu.size = static_cast<uint32_t>(m_octets.size());
    pdu.missing = m_missing;
    pdu.aligned = aligned;
    m_framer->Read(pdu);
    m_stats.fpdus++;
    m_stats.alignedFpdus += aligned ? 1 : 0;
    m_stats.crcGood += pdu.digest == DecodeCrc::GOOD ? 1 : 0;
    m_stats.crcBad += pdu.digest == DecodeCrc::BAD ? 1 : 0;
    m_stats.crcOff += pdu.digest == DecodeCrc::OFF ? 1 : 0;
    m_stats.payload += pdu.payload;
    DecodeEvent event;
    event.kind = DecodeEvent::Kind::PDU;
    event.seq = m_next;
    event.pdu = &pdu;
    m_reporter.Report(event);
    if (!pdu.fault.empty())
    {
        m_reporter.Error(DecodeLayer::FRAMING, m_next, pdu.fault);
    }
    m_octets.clear();
    m_missing = 0;
}

} // namespace ns3
