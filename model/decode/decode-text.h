/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DECODE_TEXT_H
#define DECODE_TEXT_H

#include "decode-event.h"
#include "decode-session.h"

#include <string>

namespace ns3
{

/**
 * @ingroup iwarp-decode
 * @brief Write a time in seconds.
 * @param time ns, of either sign
 * @param[in,out] out the text is appended to it: all digits down to the last that is not 0, but
 *        microseconds at least
 */
void DecodeTime(int64_t time, std::string& out);

/// @ingroup iwarp-decode
/// Put a verdict on a CRC into a word. @param crc a verdict @return the word
const char* DecodeCrcName(DecodeCrc crc);

/**
 * @ingroup iwarp-decode
 * @brief Write an event as one line for people.
 * @param event the event
 * @param start time of the capture's first frame, ns since the epoch
 * @param[in,out] out the line is appended to it
 */
void DecodeToText(const DecodeEvent& event, int64_t start, std::string& out);

/**
 * @ingroup iwarp-decode
 * @brief Write the summary for people.
 * @param session what was found
 * @param errors what is wrong with the file itself
 * @param[in,out] out the lines are appended to it
 */
void DecodeToText(const DecodeSession& session, uint64_t errors, std::string& out);

} // namespace ns3

#endif // DECODE_TEXT_H
