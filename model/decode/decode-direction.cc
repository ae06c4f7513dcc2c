/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "decode-direction.h"

#include "decode-search.h"

#include "ns3/ddp-octets.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace ns3
{

namespace
{

constexpr char KEY[] = "MPA ID ";        // what both keys begin with
constexpr uint32_t KEY_SIZE = 7;         // its octets
constexpr unsigned MAX_TRIES = 64;       // segments that are looked at before a stream is not MPA's
constexpr unsigned MAX_STREAMING = 1024; // segments of streaming data that may precede MPA
constexpr uint64_t MAX_FILL = 1 << 17;   // octets missing that may still belong to one FPDU

} // namespace

DecodeDirection::DecodeDirection(const DecodeConfig& config, Owner& owner)
    : m_config(config),
      m_owner(owner),
      m_reassembly(*this, m_stats)
{
}

DecodeReassembly&
DecodeDirection::GetReassembly()
{
    return m_reassembly;
}

const DecodeReassembly&
DecodeDirection::GetReassembly() const
{
    return m_reassembly;
}

const DecodeStats&
DecodeDirection::GetStats() const
{
    return m_stats;
}

DecodeDirection::State
DecodeDirection::GetState() const
{
    return m_state;
}

bool
DecodeDirection::IsMpa() const
{
    return m_mpa;
}

const MpaStartupFrame*
DecodeDirection::GetStartup() const
{
    return m_hasStartup ? &m_startup : nullptr;
}

const mpa::FpduFormat&
DecodeDirection::GetFormat() const
{
    return m_format;
}

bool
DecodeDirection::IsForced() const
{
    return !m_config.ports.empty();
}

void
DecodeDirection::Complain(DecodeLayer layer, uint64_t seq, const std::string& text)
{
    m_stats.errors++;
    DecodeEvent event;
    event.kind = DecodeEvent::Kind::ERROR;
    event.layer = layer;
    event.frame = m_now.frame;
    event.time = m_now.time;
    event.seq = seq;
    event.text = text;
    m_owner.Found(*this, event);
}

void
DecodeDirection::Remark(DecodeLayer layer, uint64_t seq, const std::string& text)
{
    DecodeEvent event;
    event.layer = layer;
    event.frame = m_now.frame;
    event.time = m_now.time;
    event.seq = seq;
    event.text = text;
    m_owner.Found(*this, event);
}

void
DecodeDirection::Begin(const mpa::FpduFormat& format, bool disputed)
{
    m_format = format;
    m_formatKnown = true;
    m_disputed = disputed;
    m_proved = true;
    m_state = State::FPDUS;
    m_base = m_next;
    MakeReceiver(m_next, 0);
}

void
DecodeDirection::Guess()
{
    m_state = State::SEARCHING;
}

void
DecodeDirection::Resume()
{
    m_reassembly.Resume();
}

void
DecodeDirection::Finish()
{
    m_reassembly.Finish();
    const bool silent = m_state == State::STARTUP || m_state == State::FOREIGN ||
                        (m_state == State::SEARCHING && !m_mpa);
    if (IsForced() && silent && m_stats.octets > 0)
    {
        m_mpa = true;
        m_state = State::OVER;
        Complain(DecodeLayer::MPA, 1, "no MPA in " + std::to_string(m_stats.octets) + " octets");
    }
}

uint32_t
DecodeDirection::InOrder(const DecodePiece& piece)
{
    m_now = piece;
    uint32_t taken = 0;
    while (taken < piece.size)
    {
        DecodePiece rest = piece;
        rest.offset += taken;
        rest.data += taken;
        rest.size -= taken;
        rest.length -= taken;
        switch (m_state)
        {
        case State::STARTUP:
            taken += TakeStartup(rest);
            break;
        case State::WAITING:
            return taken;
        case State::FPDUS:
            TakeFpdus(rest);
            return piece.size;
        case State::SEARCHING:
            Search(rest);
            return piece.size;
        case State::OVER:
        case State::FOREIGN:
            m_stats.skipped += m_mpa ? rest.size : 0;
            return piece.size;
        }
    }
    return taken;
}

uint32_t
DecodeDirection::TakeStreaming(const DecodePiece& piece)
{
    const uint8_t* const end = piece.data + piece.size;
    const uint8_t* key = std::search(piece.data, end, KEY, KEY + KEY_SIZE);
    if (key == end) // the beginning of one at the very end, perhaps
    {
        const auto size = static_cast<uint32_t>(std::min(piece.size, KEY_SIZE));
        key = end - size;
        while (key < end && std::memcmp(key, KEY, end - key) != 0)
        {
            ++key;
        }
    }
    if (key == end && ++m_tries > MAX_STREAMING)
    {
        m_state = State::FOREIGN;
    }
    return static_cast<uint32_t>(key - piece.data);
}

uint32_t
DecodeDirection::TakeStartup(const DecodePiece& piece)
{
    if (m_partial.empty() && m_reassembly.HasSyn())
    {
        const uint32_t streaming = TakeStreaming(piece);
        if (streaming > 0)
        {
            return streaming;
        }
    }
    const std::size_t before = m_partial.size();
    const std::size_t most = MpaStartupFrame::HEADER_SIZE + MpaStartupFrame::MAX_PRIVATE_DATA;
    const std::size_t size = std::min<std::size_t>(piece.size, most - before);
    m_partial.insert(m_partial.end(), piece.data, piece.data + size);
    auto status = MpaStartupFrame::Status::BAD_KEY;
    for (bool reply : {false, true})
    {
        if (status == MpaStartupFrame::Status::BAD_KEY)
        {
            status = MpaStartupFrame::Decode(m_partial.data(), m_partial.size(), reply, m_startup);
        }
    }
    const uint64_t seq = piece.offset - before;
    switch (status)
    {
    case MpaStartupFrame::Status::INCOMPLETE:
        m_mpa = m_mpa || (seq == 1 && m_partial.size() >= KEY_SIZE);
        return static_cast<uint32_t>(size);
    case MpaStartupFrame::Status::COMPLETE:
        break;
    case MpaStartupFrame::Status::BAD_LENGTH:
        m_mpa = true;
        RejectStartup(seq, "a startup frame's PD_Length is more than 512");
        return 0;
    case MpaStartupFrame::Status::BAD_KEY:
        if (!m_reassembly.HasSyn())
        {
            m_state = State::SEARCHING;
            return 0;
        }
        if (seq == 1 && m_partial.size() >= KEY_SIZE &&
            std::equal(KEY, KEY + KEY_SIZE, m_partial.begin()))
        {
            m_mpa = true;
            RejectStartup(seq, "neither a Request nor a Reply Frame: the key is wrong");
            return 0;
        }
        m_partial.clear(); // streaming data that begin like a key
        return before > 0 ? 0 : std::min(piece.size, KEY_SIZE);
    }
    m_mpa = true;
    m_hasStartup = true;
    const std::size_t whole = MpaStartupFrame::HEADER_SIZE + m_startup.privateData.size();
    m_next = seq + whole;
    m_state = State::WAITING;
    if (seq > 1 && m_reassembly.HasSyn())
    {
        Remark(DecodeLayer::MPA,
               1,
               std::to_string(seq - 1) + " octets of streaming data precede MPA");
    }
    DecodeEvent event;
    event.kind = DecodeEvent::Kind::STARTUP;
    event.frame = m_now.frame;
    event.time = m_now.time;
    event.seq = seq;
    event.startup = &m_startup;
    m_owner.Found(*this, event);
    if (m_startup.revision > 2)
    {
        Complain(DecodeLayer::MPA,
                 seq,
                 "there is no revision " + std::to_string(m_startup.revision) + " of MPA");
    }
    const DecodeDirection& other = m_owner.GetOther(*this);
    if (other.GetStartup() && other.GetStartup()->reply == m_startup.reply)
    {
        Complain(DecodeLayer::MPA,
                 seq,
                 m_startup.reply ? "a Reply Frame answers a Reply Frame"
                                 : "a Request Frame answers a Request Frame");
    }
    else if (m_startup.reply && other.m_reassembly.HasSyn() && other.m_reassembly.GetEdge() == 1 &&
             other.m_reassembly.GetWaiting() == 0)
    {
        Complain(DecodeLayer::MPA, seq, "a Reply Frame that no Request Frame precedes");
    }
    m_owner.StartupSeen(*this);
    return static_cast<uint32_t>(whole - before);
}

void
DecodeDirection::RejectStartup(uint64_t seq, const std::string& text)
{
    m_state = State::OVER;
    Complain(DecodeLayer::MPA, seq, text);
}

void
DecodeDirection::MakeReceiver(uint64_t offset, uint32_t position)
{
    MpaReceiverConfig config;
    config.seqStart = static_cast<uint32_t>(offset);
    config.position = position % mpa::MARKER_INTERVAL;
    config.format = {m_format.markers, false};
    config.check = mpa::CheckMarkers::NONE;
    config.outOfOrder = false;
    MpaReceiver::Listener& listener = *this;
    m_receiver = std::make_unique<MpaReceiver>(config, listener);
    m_next = offset;
    m_desync = false;
    m_fills.clear();
    m_fakes.clear();
}

void
DecodeDirection::Feed(uint64_t offset, const uint8_t* data, uint32_t size)
{
    m_receiver->Segment(static_cast<uint32_t>(offset), data, size, m_now.frame);
    m_receiver->Advance(static_cast<uint32_t>(offset + size));
    if (m_desync)
    {
        m_receiver.reset();
        m_state = State::SEARCHING;
        m_tries = 0;
        m_messages.Lose();
    }
}

void
DecodeDirection::TakeFpdus(const DecodePiece& piece)
{
    if (piece.size == piece.length)
    {
        Feed(piece.offset, piece.data, piece.size);
    }
    else
    {
        m_padded.assign(piece.length, 0);
        std::copy_n(piece.data, piece.size, m_padded.begin());
        m_fills.push_back({piece.offset + piece.size, piece.offset + piece.length});
        Feed(piece.offset, m_padded.data(), piece.length);
    }
    if (m_state == State::SEARCHING)
    {
        Search(piece);
    }
}

void
DecodeDirection::Search(const DecodePiece& piece)
{
    const DecodeSync sync = m_formatKnown
                                ? DecodeResume(piece.data,
                                               piece.size,
                                               piece.length,
                                               static_cast<uint32_t>(piece.offset - m_base),
                                               m_format)
                                : DecodeGuess(piece.data, piece.size, m_marked);
    if (!sync.found)
    {
        m_stats.skipped += piece.size;
        if (!m_mpa && !IsForced() && ++m_tries > MAX_TRIES)
        {
            m_state = State::FOREIGN;
        }
        return;
    }
    const uint64_t offset = piece.offset + sync.at;
    m_stats.skipped += sync.at;
    m_mpa = true;
    m_messages.Lose();
    m_state = State::FPDUS;
    if (m_formatKnown)
    {
        Remark(DecodeLayer::MPA, offset, "FPDUs are found again from here on");
    }
    else
    {
        m_format = sync.format;
        m_formatKnown = true;
        m_disputed = false;
        m_proved = sync.proved;
        m_base = offset - sync.position;
        Remark(DecodeLayer::MPA,
               offset,
               std::string("FPDUs are found from here on, with") + (m_format.markers ? "" : "out") +
                   " Markers, with" + (m_format.crc ? "" : "out") + " CRC");
    }
    MakeReceiver(offset, static_cast<uint32_t>(offset - m_base));
    DecodePiece rest = piece;
    rest.offset += sync.at;
    rest.data += sync.at;
    rest.size -= sync.at;
    rest.length -= sync.at;
    TakeFpdus(rest);
}

void
DecodeDirection::Gap(uint64_t from, uint64_t to, const DecodePiece& next)
{
    m_now = next;
    const bool cut = next.offset != to; // by the capture's snap length
    if (!cut && m_mpa && m_state != State::OVER)
    {
        Remark(DecodeLayer::TCP,
               from,
               std::to_string(to - from) + " octets are not in the capture");
    }
    switch (m_state)
    {
    case State::STARTUP:
        m_state = State::SEARCHING;
        break;
    case State::FPDUS:
        if (cut && m_receiver)
        {
            break; // stands as zeros already
        }
        if (to - from > MAX_FILL)
        {
            m_receiver.reset();
            m_messages.Lose();
            m_state = State::SEARCHING;
            break;
        }
        m_padded.assign(to - from, 0);
        m_fills.push_back({from, to});
        m_fakes.push_back(static_cast<uint32_t>(from));
        Feed(from, m_padded.data(), static_cast<uint32_t>(to - from));
        break;
    default:
        break;
    }
}

void
DecodeDirection::End(uint64_t frame, int64_t time)
{
    m_now.frame = frame;
    m_now.time = time;
    const uint64_t edge = m_reassembly.GetEdge();
    if (m_state == State::FPDUS && m_next < edge && m_fills.empty())
    {
        Complain(DecodeLayer::MPA,
                 m_next,
                 "TCP ends " + std::to_string(edge - m_next) + " octets into an FPDU");
    }
    else if (m_state == State::STARTUP && m_mpa)
    {
        Complain(DecodeLayer::MPA,
                 edge - m_partial.size(),
                 "TCP ends " + std::to_string(m_partial.size()) + " octets into a startup frame");
    }
}

uint64_t
DecodeDirection::Captured(uint64_t offset, uint32_t size) const
{
    for (const Fill& fill : m_fills)
    {
        if (fill.from < offset + size && fill.to > offset)
        {
            return fill.from > offset ? fill.from - offset : 0;
        }
    }
    return size;
}

void
DecodeDirection::Verify(const MpaUlpdu& ulpdu, uint64_t offset)
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
        return;
    }
    const auto field = ddp::LoadBig<uint32_t>(ulpdu.fpdu + ulpdu.wireSize - mpa::CRC_SIZE);
    if (std::exchange(m_disputed, false) && view.fault == mpa::FpduFault::CRC && field == 0)
    {
        m_format.crc = false;
        view.fault = mpa::FpduFault::NONE;
        Remark(DecodeLayer::MPA, offset, "no CRCs, though one of the startup frames has C set");
    }
    m_fpdu.crc = !m_format.crc                       ? DecodeCrc::OFF
                 : view.fault == mpa::FpduFault::CRC ? DecodeCrc::BAD
                                                     : DecodeCrc::GOOD;
    if (view.fault == mpa::FpduFault::CRC)
    {
        m_fault = "the CRC is bad";
    }
    else if (view.fault == mpa::FpduFault::MARKER)
    {
        m_fault = "a Marker does not point to the FPDU's beginning";
    }
}

void
DecodeDirection::Pass(const MpaUlpdu& ulpdu)
{
    const uint64_t offset = m_next;
    m_next += ulpdu.wireSize;
    const auto position = static_cast<uint32_t>(offset - m_base);
    const bool marker = m_format.markers && position % mpa::MARKER_INTERVAL == 0;
    const uint32_t head = mpa::LENGTH_SIZE + (marker ? mpa::MARKER_SIZE : 0);
    if (m_desync || Captured(offset, head) < head) // its length is not known
    {
        m_desync = true;
        return;
    }
    m_fpdu = DecodeFpdu();
    m_fault.clear();
    m_fpdu.ulpduLength = ulpdu.length;
    m_fpdu.wireSize = ulpdu.wireSize;
    m_fpdu.position = position;
    m_fpdu.markersUsed = m_format.markers;
    m_fpdu.aligned = ulpdu.aligned;
    m_fpdu.octets = ulpdu.fpdu;
    m_fpdu.ulpdu = ulpdu.data;
    const uint64_t captured = m_fills.empty() ? ulpdu.wireSize : Captured(offset, ulpdu.wireSize);
    uint32_t available = ulpdu.length;
    if (captured < ulpdu.wireSize)
    {
        for (const Fill& fill : m_fills)
        {
            const uint64_t from = std::max(fill.from, offset);
            const uint64_t to = std::min(fill.to, m_next);
            m_fpdu.missing += static_cast<uint32_t>(from < to ? to - from : 0);
        }
        const auto part = static_cast<uint32_t>(captured);
        const uint32_t around =
            mpa::LENGTH_SIZE +
            (m_format.markers ? mpa::MARKER_SIZE * mpa::MarkersInFpdu(m_fpdu.position, part) : 0);
        available = std::min(available, part > around ? part - around : 0);
    }
    while (!m_fills.empty() && m_fills.front().to <= m_next)
    {
        m_fills.erase(m_fills.begin());
    }
    Verify(ulpdu, offset);
    if (!m_proved)
    {
        if (m_fpdu.crc == DecodeCrc::BAD)
        {
            m_desync = true; // that there are no Markers was a guess
            m_formatKnown = false;
            m_marked = true;
            return;
        }
        m_proved = m_next - m_base >= mpa::MARKER_INTERVAL;
    }
    m_stats.fpdus++;
    m_stats.markers += m_fpdu.markers;
    m_stats.alignedFpdus += m_fpdu.aligned ? 1 : 0;
    m_stats.crcGood += m_fpdu.crc == DecodeCrc::GOOD ? 1 : 0;
    m_stats.crcBad += m_fpdu.crc == DecodeCrc::BAD ? 1 : 0;
    m_stats.crcOff += m_fpdu.crc == DecodeCrc::OFF ? 1 : 0;
    DecodeMessages::Fault fault;
    if (!m_config.mpaOnly)
    {
        fault = m_messages.Segment(m_fpdu, available);
        if (m_fpdu.hasMessage)
        {
            m_stats.messages[m_fpdu.message.opcode]++;
            m_stats.payload += m_fpdu.message.length;
        }
    }
    DecodeEvent event;
    event.kind = DecodeEvent::Kind::FPDU;
    event.frame = m_now.frame;
    event.time = m_now.time;
    event.seq = offset;
    event.fpdu = &m_fpdu;
    m_owner.Found(*this, event);
    if (!m_fault.empty())
    {
        Complain(DecodeLayer::MPA, offset, m_fault);
    }
    if (!fault.text.empty())
    {
        Complain(fault.layer, offset, fault.text);
    }
}

void
DecodeDirection::Deliver(uint32_t)
{
}

void
DecodeDirection::Error(MpaError, uint32_t)
{
    // it checks nothing, so that nothing can be wrong
}

void
DecodeDirection::Classified(uint32_t seq, uint32_t, bool headerAligned, bool fpduAligned)
{
    const auto fake = std::find(m_fakes.begin(), m_fakes.end(), seq);
    if (fake != m_fakes.end())
    {
        m_fakes.erase(fake);
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
