/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DECODE_REPORTER_H
#define DECODE_REPORTER_H

#include "decode-event.h"

#include <cstdint>
#include <functional>
#include <string>

namespace ns3
{

/**
 * @ingroup iwarp-decode
 * @brief Passes on what is found in one direction, with the frame that completed it, and counts
 * errors.
 */
class DecodeReporter
{
  public:
    /// Takes an event, without the connection it belongs to. @param event it
    using Sink = std::function<void(DecodeEvent& event)>;

    /**
     * @brief Report for one direction.
     * @param stats where errors are counted; outlives this
     * @param sink takes events
     */
    DecodeReporter(DecodeStats& stats, Sink sink);

    /// What is found from here on is of this frame. @param frame its number @param time its time,
    /// ns
    void SetFrame(uint64_t frame, int64_t time);
    uint64_t GetFrame() const; //!< Get the number of the frame at hand. @return number

    void Report(DecodeEvent& event); //!< Pass on @param event anything found; receives the frame
    /// Report what is malformed. @param layer where @param seq octet @param text what
    void Error(DecodeLayer layer, uint64_t seq, const std::string& text);
    /// Report what one should know. @param layer where @param seq octet @param text what
    void AddNote(DecodeLayer layer, uint64_t seq, const std::string& text);

  private:
    /// Report words. @param kind ERROR or NOTE @param layer where @param seq octet @param text them
    void Report(DecodeEvent::Kind kind, DecodeLayer layer, uint64_t seq, const std::string& text);

    DecodeStats& m_stats; //!< where errors are counted
    Sink m_sink;          //!< takes events
    uint64_t m_frame{0};  //!< number of the frame at hand
    int64_t m_time{0};    //!< its time
};

} // namespace ns3

#endif // DECODE_REPORTER_H
