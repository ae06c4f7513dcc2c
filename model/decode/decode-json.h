/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DECODE_JSON_H
#define DECODE_JSON_H

#include "decode-event.h"
#include "decode-session.h"

#include <string>

namespace ns3
{

/**
 * @ingroup iwarp-decode
 * @brief Write an event as JSON objects, one a line: up to three for an FPDU, one for each layer.
 * @param event the event
 * @param start time of the capture's first frame, ns since the epoch
 * @param[in,out] out the lines are appended to it
 */
void DecodeToJson(const DecodeEvent& event, int64_t start, std::string& out);

/**
 * @ingroup iwarp-decode
 * @brief Write the summary as one JSON object on a line.
 * @param session what was found
 * @param errors what is wrong with the file itself
 * @param[in,out] out the line is appended to it
 */
void DecodeToJson(const DecodeSession& session, uint64_t errors, std::string& out);

} // namespace ns3

#endif // DECODE_JSON_H
