/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "decode-fpdus.h"

#include "decode-search.h"

#include "ns3/ddp-octets.h"

#include <algorithm>
#include <utility>

namespace ns3
{

DecodeFpdus::DecodeFpdus(bool mpaOnly, DecodeReporter& reporter, DecodeStats& stats)
    : m_mpaOnly(mpaOnly),
      m_reporter(reporter),
      m_stats(stats)
{
}

bool
DecodeFpdus::IsInSync() const
{
    return m_receiver != nullptr;
}

bool
DecodeFpdus::WasEverInSync() const
{
    return m_everInSync;
}

const mpa::FpduFormat&
DecodeFpdus::GetFormat() const
{
    return m_format;
}

uint64_t
DecodeFpdus::GetUnfinished(uint64_t edge) const
{
    return IsInSync() && m_next < edge ? edge - m_next : 0;
}

// ---- where FPDUs begin --------------------------------------------------------------------------

void
DecodeFpdus::SetStart(uint64_t offset)
{
    m_next = offset;
}

void
DecodeFpdus::Begin(const mpa::FpduFormat& format, DecodeCrcDoubt doubt)
{
    m_format = format;
    m_formatKnown = true;
    m_doubt = doubt;
    m_proved = true;
    m_base = m_next;
    MakeReceiver(m_next);
}

void
DecodeFpdus::BeginAsSeen(DecodeCrcDoubt doubt)
{
    m_asSeen = true;
    m_doubt = doubt;
}

void
DecodeFpdus::SetVersion(uint8_t version)
{
    m_version = version;
    m_messages.SetVersion(version);
}

void
DecodeFpdus::MakeReceiver(uint64_t offset)
{
    MpaReceiverConfig config;
    config.seqStart = static_cast<uint32_t>(offset);
    config.position = static_cast<uint32_t>(offset - m_base) % mpa::MARKER_INTERVAL;
    config.format = {m_format.markers, false};
    config.check = mpa::CheckMarkers::NONE;
    config.outOfOrder = false;
    MpaReceiver::Listener& listener = *this;
    m_receiver = std::make_unique<MpaReceiver>(config, listener);
    m_everInSync = true;
    m_next = offset;
    m_desync = false;
    m_made.clear();
}

void
DecodeFpdus::LoseSync()
{
    m_receiver.reset();
    m_messages.Gap();
}

void
DecodeFpdus::Search(const DecodePiece& piece)
{
    if (std::exchange(m_asSeen, false) && piece.offset == m_next && piece.size >= mpa::MARKER_SIZE)
    {
        // the first FPDU begins with a Marker, which is all zeros there, or with ULPDU_Length
        const bool markers = ddp::LoadBig<uint32_t>(piece.data) == 0;
        Begin({markers, true}, m_doubt);
        Process(piece);
        return;
    }
    const DecodeSync sync = m_formatKnown
                                ? DecodeResume(piece.data,
                                               piece.size,
                                               piece.length,
                                               static_cast<uint32_t>(piece.offset - m_base),
                                               m_format,
                                               m_version)
                                : DecodeGuess(piece.data, piece.size, m_marked);
    if (!sync.found)
    {
        m_stats.skipped += piece.size;
        return;
    }
    const uint64_t offset = piece.offset + sync.at;
    m_stats.skipped += sync.at;
    m_messages.Gap();
    if (m_formatKnown)
    {
        m_reporter.AddNote(DecodeLayer::MPA, offset, "FPDUs are found again from here on");
    }
    else
    {
        m_format = sync.format;
        m_formatKnown = true;
        SetVersion(sync.version);
        m_doubt = DecodeCrcDoubt::NONE;
        m_proved = sync.proved;
        m_base = offset - sync.position;
        m_reporter.AddNote(DecodeLayer::MPA,
                           offset,
                           std::string("FPDUs are found from here on, with") +
                               (m_format.markers ? "" : "out") + " Markers, with" +
                               (m_format.crc ? "" : "out") + " CRC");
    }
    MakeReceiver(offset);
    Process(piece.From(sync.at));
}

// ---- octets -------------------------------------------------------------------------------------

void
DecodeFpdus::Process(const DecodePiece& piece)
{
    if (!IsInSync())
    {
        Search(piece);
        return;
    }
    if (piece.offset < m_next) // it goes on with an FPDU that was shown without these octets
    {
        const uint64_t known = m_next - piece.offset;
        m_stats.classified++;
        if (known >= piece.size)
        {
            Skip(piece.offset + piece.size, piece.offset + piece.length);
            return;
        }
        m_made.push_back(static_cast<uint32_t>(m_next));
        Process(piece.From(static_cast<uint32_t>(known)));
        return;
    }
    if (piece.size == piece.length)
    {
        Feed(piece.offset, piece.data, piece.size);
    }
    else
    {
        FeedCut(piece.offset, piece.data, piece.size, piece.offset + piece.length);
    }
    if (m_desync)
    {
        Search(piece);
    }
}

void
DecodeFpdus::Skip(uint64_t from, uint64_t to)
{
    from = std::max(from, m_next);
    if (from < to)
    {
        FeedCut(from, nullptr, 0, to);
    }
}

void
DecodeFpdus::Feed(uint64_t offset, const uint8_t* data, uint32_t size)
{
    m_receiver->Segment(static_cast<uint32_t>(offset), data, size, m_reporter.GetFrame());
    m_receiver->Advance(static_cast<uint32_t>(offset + size));
    const uint64_t end = std::min(offset + size, m_next + m_head.size());
    for (uint64_t at = std::max(offset, m_next); at < end; ++at)
    {
        m_head[at - m_next] = data[at - offset];
    }
    if (m_desync)
    {
        LoseSync();
    }
}

void
DecodeFpdus::FeedCut(uint64_t offset, const uint8_t* data, uint32_t size, uint64_t to)
{
    const uint64_t end = FindEnd(offset, data, size);
    const auto seq = static_cast<uint32_t>(offset);
    if ((size == 0 || end != to) && (m_made.empty() || m_made.back() != seq))
    {
        m_made.push_back(seq);
    }
    if (size > 0 && end > to)
    {
        m_stats.classified++;
        m_stats.headerAligned += offset == m_next ? 1 : 0;
    }
    std::vector<uint8_t> octets(end > 0 ? end - offset : size);
    std::copy_n(data, size, octets.begin());
    m_hole = {offset + size, std::min(to, end)};
    if (!octets.empty())
    {
        Feed(offset, octets.data(), static_cast<uint32_t>(octets.size()));
    }
    m_hole = {};
    if (IsInSync() && end < to)
    {
        LoseSync();
    }
}

uint64_t
DecodeFpdus::FindEnd(uint64_t offset, const uint8_t* data, uint32_t size) const
{
    const uint64_t edge = offset + size;
    uint64_t at = m_next;
    while (at <= edge)
    {
        const auto position = static_cast<uint32_t>(at - m_base);
        const bool marker = m_format.markers && position % mpa::MARKER_INTERVAL == 0;
        std::array<uint8_t, mpa::LENGTH_SIZE> field;
        for (uint32_t i = 0; i < field.size(); ++i)
        {
            const uint64_t place = at + (marker ? mpa::MARKER_SIZE : 0) + i;
            if (place >= edge || (place < offset && place - m_next >= m_head.size()))
            {
                return 0; // it is not here, or was not kept
            }
            field[i] = place < offset ? m_head[place - m_next] : data[place - offset];
        }
        const auto length = ddp::LoadBig<uint16_t>(field.data());
        at += mpa::WireSize(length, position, m_format.markers);
    }
    return at;
}

// ---- an FPDU ------------------------------------------------------------------------------------

void
DecodeFpdus::Describe(const MpaUlpdu& ulpdu, uint64_t offset)
{
    m_fpdu = DecodeFpdu();
    m_fpdu.ulpduLength = ulpdu.length;
    m_fpdu.wireSize = ulpdu.wireSize;
    m_fpdu.position = static_cast<uint32_t>(offset - m_base);
    m_fpdu.markersUsed = m_format.markers;
    m_fpdu.aligned = ulpdu.aligned;
    m_fpdu.octets = ulpdu.fpdu;
    m_fpdu.ulpdu = ulpdu.data;
}

uint32_t
DecodeFpdus::CountMissing(const MpaUlpdu& ulpdu, uint64_t offset)
{
    const uint64_t to = std::min(m_hole.to, offset + ulpdu.wireSize);
    if (m_hole.from >= to)
    {
        return ulpdu.length;
    }
    m_fpdu.missing = static_cast<uint32_t>(to - m_hole.from);
    const auto captured = static_cast<uint32_t>(m_hole.from - offset);
    const uint32_t markers = m_format.markers ? mpa::MarkersInFpdu(m_fpdu.position, captured) : 0;
    const uint32_t around = mpa::LENGTH_SIZE + mpa::MARKER_SIZE * markers;
    return std::min(ulpdu.length, captured > around ? captured - around : 0);
}

std::string
DecodeFpdus::Verify(const MpaUlpdu& ulpdu, uint64_t offset)
{
    auto view = mpa::ParseFpdu(ulpdu.fpdu,
                               ulpdu.wireSize,
                               m_fpdu.position,
                               m_format,
                               mpa::CheckMarkers::ALL);
    m_fpdu.markers = view.markers;
    if (m_fpdu.missing > 0)
    {
        m_fpdu.crc = DecodeCrc::UNKNOWN;
        return "";
    }
    const auto field = ddp::LoadBig<uint32_t>(ulpdu.fpdu + ulpdu.wireSize - mpa::CRC_SIZE);
    const DecodeCrcDoubt doubt = std::exchange(m_doubt, DecodeCrcDoubt::NONE);
    if (view.fault == mpa::FpduFault::CRC &&
        (doubt == DecodeCrcDoubt::LOST || (doubt == DecodeCrcDoubt::ONE_END && field == 0)))
    {
        m_format.crc = false;
        view.fault = mpa::FpduFault::NONE;
        m_reporter.AddNote(DecodeLayer::MPA,
                           offset,
                           doubt == DecodeCrcDoubt::LOST
                               ? "no CRCs, as it seems"
                               : "no CRCs, though one of the startup frames has C set");
    }
    m_fpdu.crc = !m_format.crc                       ? DecodeCrc::OFF
                 : view.fault == mpa::FpduFault::CRC ? DecodeCrc::BAD
                                                     : DecodeCrc::GOOD;
    switch (view.fault)
    {
    case mpa::FpduFault::CRC:
        return "the CRC is bad";
    case mpa::FpduFault::MARKER:
        return "a Marker does not point to the FPDU's beginning";
    default:
        return "";
    }
}

bool
DecodeFpdus::Confirm()
{
    if (m_proved)
    {
        return true;
    }
    if (m_fpdu.crc == DecodeCrc::BAD)
    {
        m_formatKnown = false; // that there are no Markers was a guess
        m_marked = true;
        return false;
    }
    m_proved = m_next - m_base >= mpa::MARKER_INTERVAL;
    return true;
}

void
DecodeFpdus::Count()
{
    m_stats.fpdus++;
    m_stats.markers += m_fpdu.markers;
    m_stats.alignedFpdus += m_fpdu.aligned ? 1 : 0;
    m_stats.crcGood += m_fpdu.crc == DecodeCrc::GOOD ? 1 : 0;
    m_stats.crcBad += m_fpdu.crc == DecodeCrc::BAD ? 1 : 0;
    m_stats.crcOff += m_fpdu.crc == DecodeCrc::OFF ? 1 : 0;
    if (m_fpdu.hasMessage)
    {
        m_stats.messages[m_fpdu.message.opcode]++;
        m_stats.payload += m_fpdu.message.length;
    }
}

void
DecodeFpdus::Pass(const MpaUlpdu& ulpdu)
{
    const uint64_t offset = m_next;
    m_next += ulpdu.wireSize;
    if (m_desync)
    {
        return;
    }
    Describe(ulpdu, offset);
    const uint32_t available = CountMissing(ulpdu, offset);
    const std::string wrong = Verify(ulpdu, offset);
    if (!Confirm())
    {
        m_desync = true;
        return;
    }
    DecodeMessages::Fault fault;
    if (!m_mpaOnly)
    {
        fault = m_messages.Segment(m_fpdu, available);
    }
    Count();
    DecodeEvent event;
    event.kind = DecodeEvent::Kind::FPDU;
    event.seq = offset;
    event.fpdu = &m_fpdu;
    m_reporter.Report(event);
    if (!wrong.empty())
    {
        m_reporter.Error(DecodeLayer::MPA, offset, wrong);
    }
    if (!fault.text.empty())
    {
        m_reporter.Error(fault.layer, offset, fault.text);
    }
}

void
DecodeFpdus::Deliver(uint32_t)
{
}

void
DecodeFpdus::Error(MpaError, uint32_t)
{
    // it checks nothing, so that nothing can be wrong
}

void
DecodeFpdus::Classified(uint32_t seq, uint32_t, bool headerAligned, bool fpduAligned)
{
    const auto made = std::find(m_made.begin(), m_made.end(), seq);
    if (made != m_made.end())
    {
        m_made.erase(made);
        return;
    }
    if (!m_desync)
    {
        m_stats.classified++;
        m_stats.headerAligned += headerAligned ? 1 : 0;
        m_stats.fpduAligned += fpduAligned ? 1 : 0;
    }
}

} // namespace ns3
