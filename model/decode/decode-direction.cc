/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "decode-direction.h"

#include "decode-pdus.h"

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

/// @param frame the only startup frame in the capture @return doubt about CRCs
DecodeCrcDoubt
DoubtAlone(const MpaStartupFrame& frame)
{
    return frame.crc ? DecodeCrcDoubt::NONE : DecodeCrcDoubt::LOST;
}

/// @param frame the only startup frame in the capture @return DV and RV of the segments
uint8_t
VersionAlone(const MpaStartupFrame& frame)
{
    return frame.revision == 0 ? ddp::VERSION_RDMAC : ddp::VERSION;
}

} // namespace

DecodeDirection::DecodeDirection(const DecodeConfig& config, Owner& owner)
    : m_config(config),
      m_owner(owner),
      m_reassembly(*this, m_stats),
      m_reporter(m_stats, [this](DecodeEvent& event) { m_owner.Found(*this, event); }),
      m_fpdus(config.mpaOnly, m_reporter, m_stats)
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

const MpaStartupFrame*
DecodeDirection::GetStartup() const
{
    return m_hasStartup ? &m_startup : nullptr;
}

const mpa::FpduFormat&
DecodeDirection::GetFormat() const
{
    return m_fpdus.GetFormat();
}

bool
DecodeDirection::IsForced() const
{
    return !m_config.ports.empty();
}

void
DecodeDirection::Begin(const mpa::FpduFormat& format, DecodeCrcDoubt doubt, uint8_t version)
{
    m_fpdus.SetVersion(version);
    m_fpdus.Begin(format, doubt);
    m_state = State::FPDUS;
}

void
DecodeDirection::PassOverStartup(const MpaStartupFrame& peer, uint64_t end, const DecodeFrame& at)
{
    m_reporter.SetFrame(at.number, at.time);
    m_mpa = true;
    m_partial.clear();
    const uint64_t from = m_reassembly.GetEdge();
    const std::string lost = end > from ? ": its receiver has " + std::to_string(end - from) +
                                              " octets that are missing here"
                                        : "";
    m_reporter.AddNote(DecodeLayer::MPA,
                       from,
                       std::string(peer.reply ? "the Request Frame" : "the Reply Frame") +
                           " is not in the capture" + lost);
    if (peer.reply && peer.reject)
    {
        Leave();
    }
    else
    {
        m_fpdus.SetStart(end);
        Begin({peer.markers, true}, DoubtAlone(peer), VersionAlone(peer));
    }
    m_reassembly.PassOver(end);
}

void
DecodeDirection::BeginAsSeen()
{
    m_fpdus.SetVersion(VersionAlone(m_startup));
    m_fpdus.BeginAsSeen(DoubtAlone(m_startup));
    m_state = State::SEARCHING;
}

void
DecodeDirection::Leave()
{
    m_state = State::OVER;
    m_left = true;
}

void
DecodeDirection::Search()
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
    const bool silent = m_state == State::STARTUP || m_state == State::NOT_MPA ||
                        (m_state == State::SEARCHING && !m_mpa);
    if (IsForced() && silent && m_stats.octets > 0)
    {
        m_mpa = true;
        m_state = State::OVER;
        m_reporter.Error(DecodeLayer::MPA,
                         1,
                         "no MPA in " + std::to_string(m_stats.octets) + " octets");
    }
}

uint32_t
DecodeDirection::InOrder(const DecodePiece& piece)
{
    m_reporter.SetFrame(piece.frame, piece.time);
    uint32_t taken = 0;
    while (taken < piece.size)
    {
        const DecodePiece rest = piece.From(taken);
        switch (m_state)
        {
        case State::STARTUP:
            taken += ReadStartup(rest);
            break;
        case State::WAITING:
            return taken;
        case State::FPDUS:
        case State::SEARCHING:
            ReadFrames(rest);
            return piece.size;
        case State::OVER:
        case State::NOT_MPA:
            if (std::exchange(m_left, false))
            {
                m_reporter.AddNote(DecodeLayer::MPA,
                                   rest.offset,
                                   "the startup was rejected: octets from here on are not MPA's");
            }
            m_stats.skipped += m_mpa ? rest.size : 0;
            return piece.size;
        }
    }
    return taken;
}

uint32_t
DecodeDirection::ReadStreaming(const DecodePiece& piece)
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
        m_state = State::NOT_MPA;
    }
    return static_cast<uint32_t>(key - piece.data);
}

uint32_t
DecodeDirection::ReadStartup(const DecodePiece& piece)
{
    if (FindFraming(piece))
    {
        return 0;
    }
    if (m_partial.empty() && m_reassembly.HasSyn())
    {
        const uint32_t streaming = ReadStreaming(piece);
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
    case MpaStartupFrame::Status::BAD_LENGTH:
        RejectStartup(seq, "a startup frame's PD_Length is more than 512");
        return 0;
    case MpaStartupFrame::Status::BAD_KEY:
        return ReadBadKey(seq, before, piece);
    case MpaStartupFrame::Status::COMPLETE:
        break;
    }
    const std::size_t whole = MpaStartupFrame::HEADER_SIZE + m_startup.privateData.size();
    HandleStartup(seq, seq + whole);
    return static_cast<uint32_t>(whole - before);
}

uint32_t
DecodeDirection::ReadBadKey(uint64_t seq, std::size_t before, const DecodePiece& piece)
{
    if (!m_reassembly.HasSyn())
    {
        m_state = State::SEARCHING;
        return 0;
    }
    if (seq == 1 && m_partial.size() >= KEY_SIZE &&
        std::equal(KEY, KEY + KEY_SIZE, m_partial.begin()))
    {
        RejectStartup(seq, "neither a Request nor a Reply Frame: the key is wrong");
        return 0;
    }
    m_partial.clear(); // streaming data that begin like a key
    return before > 0 ? 0 : std::min(piece.size, KEY_SIZE);
}

void
DecodeDirection::HandleStartup(uint64_t seq, uint64_t end)
{
    m_mpa = true;
    m_hasStartup = true;
    m_fpdus.SetStart(end);
    m_state = State::WAITING;
    if (seq > 1 && m_reassembly.HasSyn())
    {
        m_reporter.AddNote(DecodeLayer::MPA,
                           1,
                           std::to_string(seq - 1) + " octets of streaming data precede MPA");
    }
    DecodeEvent event;
    event.kind = DecodeEvent::Kind::STARTUP;
    event.seq = seq;
    event.startup = &m_startup;
    m_reporter.Report(event);
    CheckStartup(seq);
    m_owner.StartupSeen(*this);
}

void
DecodeDirection::CheckStartup(uint64_t seq)
{
    if (m_startup.revision > 2)
    {
        m_reporter.Error(DecodeLayer::MPA,
                         seq,
                         "there is no revision " + std::to_string(m_startup.revision) + " of MPA");
    }
    const DecodeDirection& other = m_owner.GetOther(*this);
    if (other.GetStartup() && other.GetStartup()->reply == m_startup.reply)
    {
        m_reporter.Error(DecodeLayer::MPA,
                         seq,
                         m_startup.reply ? "a Reply Frame answers a Reply Frame"
                                         : "a Request Frame answers a Request Frame");
    }
    else if (m_startup.reply && other.m_reassembly.HasSyn() && other.m_reassembly.GetEdge() == 1 &&
             other.m_reassembly.GetWaiting() == 0 && other.m_reassembly.GetAcknowledged() <= 1)
    {
        m_reporter.Error(DecodeLayer::MPA, seq, "a Reply Frame that no Request Frame precedes");
    }
}

void
DecodeDirection::RejectStartup(uint64_t seq, const std::string& text)
{
    m_mpa = true;
    m_state = State::OVER;
    m_reporter.Error(DecodeLayer::MPA, seq, text);
}

bool
DecodeDirection::FindFraming(const DecodePiece& piece)
{
    if (piece.offset != 1 || !m_reassembly.HasSyn())
    {
        return false;
    }
    auto framer = DecodeFramer::Find(piece.data, piece.size);
    if (!framer)
    {
        return false;
    }
    m_other = std::make_unique<DecodePdus>(std::move(framer), m_reporter, m_stats);
    m_framing = m_other.get();
    m_state = State::FPDUS;
    return true;
}

void
DecodeDirection::ReadFrames(const DecodePiece& piece)
{
    m_framing->Process(piece);
    m_mpa = m_mpa || m_framing->WasEverInSync();
    m_state = m_framing->IsInSync() ? State::FPDUS : State::SEARCHING;
    if (!m_mpa && !IsForced() && ++m_tries > MAX_TRIES)
    {
        m_state = State::NOT_MPA;
    }
}

void
DecodeDirection::Gap(uint64_t from, uint64_t to, const DecodePiece& next)
{
    m_reporter.SetFrame(next.frame, next.time);
    if (next.offset == to && m_mpa && m_state != State::OVER) // not just cut off, by a snap length
    {
        m_reporter.AddNote(DecodeLayer::TCP,
                           from,
                           std::to_string(to - from) + " octets are not in the capture");
    }
    if (m_state == State::STARTUP)
    {
        m_state = State::SEARCHING;
    }
    else if (m_state == State::FPDUS && next.offset >= from) // otherwise they know it
    {
        m_framing->Skip(from, to);
        m_state = m_framing->IsInSync() ? State::FPDUS : State::SEARCHING;
    }
}

void
DecodeDirection::End(uint64_t frame, int64_t time)
{
    m_reporter.SetFrame(frame, time);
    const uint64_t edge = m_reassembly.GetEdge();
    const uint64_t unfinished = m_framing->GetUnfinished(edge);
    if (unfinished > 0)
    {
        m_reporter.Error(m_other ? DecodeLayer::FRAMING : DecodeLayer::MPA,
                         edge - unfinished,
                         "TCP ends " + std::to_string(unfinished) + " octets into " +
                             (m_other ? "a PDU" : "an FPDU"));
    }
    else if (m_state == State::STARTUP && m_mpa)
    {
        m_reporter.Error(DecodeLayer::MPA,
                         edge - m_partial.size(),
                         "TCP ends " + std::to_string(m_partial.size()) +
                             " octets into a startup frame");
    }
}

} // namespace ns3
