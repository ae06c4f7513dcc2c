/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "iwarp-switch-settings.h"

#include "ns3/util-text.h"

#include <charconv>
#include <cstdlib>

namespace ns3
{
namespace iwarp
{
namespace
{

constexpr const char* NO_HEADROOM_TEXT = "none";   //!< queue discs hold what comes in a pause
constexpr const char* AUTO_HEADROOM_TEXT = "auto"; //!< as the link needs
constexpr double LEAST_ALPHA = 1.0 / 1024;         //!< of a threshold
constexpr double MOST_ALPHA = 1024;                //!< of a threshold

/// @param text a number @param [out] alpha it @return whether it is one that a threshold can have
bool
ParseAlpha(const std::string& text, double& alpha)
{
    char* end = nullptr;
    alpha = std::strtod(text.c_str(), &end);
    return !text.empty() && *end == '\0' && alpha >= LEAST_ALPHA && alpha <= MOST_ALPHA;
}

} // namespace

bool
SwitchSettings::HasPause() const
{
    return xoff > 0 || headroom != NO_HEADROOM_TEXT;
}

std::string
SwitchSettings::ApplyPriorities(IwarpNetwork::Link& link) const
{
    link.priorities = PathPriorities(priorities);
    const std::string map = link.priorities.ParseMap(dscpPriorities);
    const std::string shares = link.priorities.ParseWeights(weights);
    return !map.empty()      ? "DscpPriorities: " + map
           : !shares.empty() ? "PriorityWeights, Priorities: " + shares
                             : "";
}

std::string
SwitchSettings::ApplyPauses(IwarpNetwork::Link& link) const
{
    link.pause.xoff = xoff;
    link.pause.xon = xon;
    link.pause.response = response;
    link.pause.inputBuffer = inputBuffer;
    const std::string problem = ParsePrioritySet(lossless, priorities, link.pause.priorities);
    if (!problem.empty())
    {
        return "PfcPriorities, Priorities: " + problem;
    }
    if (xoff > 0 && xon > xoff)
    {
        return "PfcXon: at most PfcXoff";
    }
    if (inputBuffer > 0 && bufferSize > 0)
    {
        return "InputBuffer, BufferSize: memory is of each port or of the switch, so give one of "
               "them";
    }
    if (inputBuffer > 0 && xoff > inputBuffer)
    {
        return "PfcXoff: at most InputBuffer, or links never pause";
    }
    link.hasAutoHeadroom = headroom == AUTO_HEADROOM_TEXT;
    if (headroom == NO_HEADROOM_TEXT)
    {
        return xoff > 0 && bufferSize > 0
                   ? "PfcHeadroom, BufferSize: a shared memory keeps what comes in a pause apart, "
                     "so say how much: auto, or octets"
                   : "";
    }
    if (xoff == 0 && bufferSize == 0)
    {
        return "PfcHeadroom, PfcXoff, BufferSize: headroom is behind a threshold, so give PfcXoff, "
               "or a memory whose thresholds are dynamic";
    }
    const char* const end = headroom.data() + headroom.size();
    const auto result = std::from_chars(headroom.data(), end, link.pause.headroom);
    return link.hasAutoHeadroom || (result.ec == std::errc() && result.ptr == end)
               ? ""
               : "PfcHeadroom: '" + headroom + "' is not none, auto, or a number of octets";
}

std::string
SwitchSettings::ApplyBuffer(IwarpNetwork::Link& link) const
{
    link.buffer.size = bufferSize;
    link.buffer.reserve = bufferReserve;
    link.buffer.offset = offset;
    const auto parts = Split(bufferAlpha, ',');
    if (parts.size() != 1 && parts.size() != priorities)
    {
        return "BufferAlpha, Priorities: give one for all priorities, or one for each of " +
               std::to_string(priorities);
    }
    for (uint8_t priority = 0; priority < priorities; priority++)
    {
        const std::string& part = parts[parts.size() == 1 ? 0 : priority];
        if (!ParseAlpha(part, link.buffer.alpha[priority]))
        {
            return "BufferAlpha: '" + part + "' is not a number of 1/1024 to 1024";
        }
    }
    return "";
}

std::string
SwitchSettings::Apply(IwarpNetwork::Link& link) const
{
    std::string problem = ApplyPriorities(link);
    problem = problem.empty() ? ApplyPauses(link) : problem;
    return problem.empty() ? ApplyBuffer(link) : problem;
}

} // namespace iwarp
} // namespace ns3
