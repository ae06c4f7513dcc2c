/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "decode-tcp-options.h"

#include "ns3/ddp-octets.h"

#include <algorithm>

namespace ns3
{

namespace
{

constexpr uint8_t OPTION_END = 0;
constexpr uint8_t OPTION_NOP = 1;
constexpr uint8_t OPTION_WINDOW_SCALE = 3;
constexpr uint8_t OPTION_SACK = 5;
constexpr int MAX_SHIFT = 14; // RFC 7323 section 2.3

} // namespace

DecodeTcpOptions
DecodeTcpOptions::Read(const uint8_t* options, uint32_t size)
{
    DecodeTcpOptions found;
    uint32_t at = 0;
    while (at < size && options[at] != OPTION_END)
    {
        if (options[at] == OPTION_NOP)
        {
            ++at;
            continue;
        }
        const uint32_t length = at + 1 < size ? options[at + 1] : 0;
        if (length < 2 || length > size - at)
        {
            break;
        }
        if (options[at] == OPTION_WINDOW_SCALE && length == 3)
        {
            found.windowShift = std::min<int>(options[at + 2], MAX_SHIFT);
        }
        for (uint32_t block = at + 2; options[at] == OPTION_SACK && block + 8 <= at + length;
             block += 8)
        {
            found.sack.push_back({ddp::LoadBig<uint32_t>(options + block),
                                  ddp::LoadBig<uint32_t>(options + block + 4)});
        }
        at += length;
    }
    return found;
}

} // namespace ns3
