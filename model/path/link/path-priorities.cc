/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "path-priorities.h"

#include "ns3/util-text.h"

#include <algorithm>
#include <charconv>
#include <optional>

namespace ns3
{

namespace
{

constexpr uint32_t MOST_WEIGHT = 1000; //!< of a priority

/// @param text decimal digits @param most that it may be @return number, or nothing
std::optional<uint32_t>
ParseNumber(const std::string& text, uint32_t most)
{
    uint32_t number = 0;
    const char* const end = text.data() + text.size();
    const auto result = std::from_chars(text.data(), end, number);
    const bool good = result.ec == std::errc() && result.ptr == end && number <= most;
    return good ? std::optional<uint32_t>(number) : std::nullopt;
}

} // namespace

PathPriorities::PathPriorities(uint8_t count)
    : m_count(std::clamp<uint8_t>(count, 1, MOST)),
      m_weights(m_count, 0)
{
    for (uint8_t dscp = 0; dscp < DSCPS; dscp++)
    {
        m_map[dscp] = std::min<uint8_t>(dscp / 8, m_count - 1);
    }
}

std::string
PathPriorities::ParseMap(const std::string& text)
{
    for (const auto& part : text.empty() ? std::vector<std::string>{} : iwarp::Split(text, ','))
    {
        const auto pair = iwarp::Split(part, ':');
        const auto dscp = ParseNumber(pair[0], DSCPS - 1);
        const auto priority = pair.size() == 2 ? ParseNumber(pair[1], m_count - 1U) : std::nullopt;
        if (!dscp || !priority)
        {
            return "'" + part + "' is not a DSCP of 0 to 63 and a priority of 0 to " +
                   std::to_string(m_count - 1) + ", such as 8:0";
        }
        m_map[*dscp] = static_cast<uint8_t>(*priority);
    }
    return "";
}

std::string
PathPriorities::ParseWeights(const std::string& text)
{
    if (text.empty())
    {
        return "";
    }
    const auto parts = iwarp::Split(text, ',');
    if (parts.size() != m_count)
    {
        return "it has " + std::to_string(parts.size()) + " weights for " +
               std::to_string(m_count) + " priorities";
    }
    for (std::size_t priority = 0; priority < parts.size(); priority++)
    {
        const auto weight = ParseNumber(parts[priority], MOST_WEIGHT);
        if (!weight)
        {
            return "'" + parts[priority] + "' is not a weight of 0 to 1000";
        }
        m_weights[priority] = *weight;
    }
    return "";
}

const std::vector<uint32_t>&
PathPriorities::GetWeights() const
{
    return m_weights;
}

std::string
ParsePrioritySet(const std::string& text, uint8_t count, uint8_t& mask)
{
    if (text == "all")
    {
        mask = static_cast<uint8_t>((1U << count) - 1);
        return "";
    }
    mask = 0;
    for (const auto& part : iwarp::Split(text, ','))
    {
        const auto priority = ParseNumber(part, count - 1U);
        if (!priority)
        {
            return "'" + part + "' is not a priority of 0 to " + std::to_string(count - 1) +
                   ", of which there are " + std::to_string(count);
        }
        mask |= static_cast<uint8_t>(1U << *priority);
    }
    return "";
}

} // namespace ns3
