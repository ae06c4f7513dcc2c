/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "decode-reporter.h"

#include <utility>

namespace ns3
{

DecodeReporter::DecodeReporter(DecodeStats& stats, Sink sink)
    : m_stats(stats),
      m_sink(std::move(sink))
{
}

void
DecodeReporter::SetFrame(uint64_t frame, int64_t time)
{
    m_frame = frame;
    m_time = time;
}

uint64_t
DecodeReporter::GetFrame() const
{
    return m_frame;
}

void
DecodeReporter::Report(DecodeEvent& event)
{
    event.frame = m_frame;
    event.time = m_time;
    m_sink(event);
}

void
DecodeReporter::Report(DecodeEvent::Kind kind,
                       DecodeLayer layer,
                       uint64_t seq,
                       const std::string& text)
{
    DecodeEvent event;
    event.kind = kind;
    event.layer = layer;
    event.seq = seq;
    event.text = text;
    Report(event);
}

void
DecodeReporter::Error(DecodeLayer layer, uint64_t seq, const std::string& text)
{
    m_stats.errors++;
    Report(DecodeEvent::Kind::ERROR, layer, seq, text);
}

void
DecodeReporter::AddNote(DecodeLayer layer, uint64_t seq, const std::string& text)
{
    Report(DecodeEvent::Kind::NOTE, layer, seq, text);
}

} // namespace ns3
