/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "iwarp-flow-file.h"

#include "ns3/app-message-sizes.h"
#include "ns3/util-text.h"

#include <algorithm>
#include <boost/lexical_cast.hpp>
#include <cctype>
#include <fstream>
#include <map>
#include <utility>

namespace ns3
{
namespace iwarp
{
namespace
{

constexpr double LATEST = 1e6; //!< seconds, as long as a run may last

} // namespace

std::string
FlowFile::Load(const std::string& path)
{
    std::ifstream in(path);
    return in ? Load(in, path) : "there is no file '" + path + "', or it cannot be read";
}

std::string
FlowFile::Load(std::istream& in, const std::string& name)
{
    m_name = name;
    m_rows.clear();
    std::string line;
    for (uint64_t number = 1; std::getline(in, line); number++)
    {
        line = Trim(line);
        const bool isHead = number == 1 && !line.empty() && std::isalpha(line.front());
        if (line.empty() || line.front() == '#' || isHead)
        {
            continue;
        }
        Row row;
        const std::string problem = Parse(line, row);
        if (!problem.empty())
        {
            return Locate(number) + problem + ": '" + line + "'";
        }
        row.line = number;
        m_rows.push_back(row);
    }
    std::stable_sort(m_rows.begin(), m_rows.end(), [](const Row& a, const Row& b) {
        return a.time < b.time;
    });
    return m_rows.empty() ? m_name + ": no rows" : "";
}

std::string
FlowFile::Parse(const std::string& line, Row& row)
{
    const auto cells = Split(line, ',');
    if (cells.size() != 4)
    {
        return "not time,source,destination,octets";
    }
    double seconds = 0;
    if (!boost::conversion::try_lexical_convert(Trim(cells[0]), seconds) ||
        !(seconds >= 0 && seconds <= LATEST))
    {
        return "the time is no number of seconds of 0 to 1000000";
    }
    row.source = Trim(cells[1]);
    row.destination = Trim(cells[2]);
    if (row.source.empty() || row.destination.empty())
    {
        return "a host is missing";
    }
    const std::string octets = Trim(cells[3]);
    const bool digits =
        std::all_of(octets.begin(), octets.end(), [](unsigned char c) { return std::isdigit(c); });
    if (!digits || !boost::conversion::try_lexical_convert(octets, row.octets) || row.octets == 0 ||
        row.octets > MAX_MESSAGE_SIZE)
    {
        return "the octets are no number of 1 to " + std::to_string(MAX_MESSAGE_SIZE);
    }
    row.time = Seconds(seconds);
    return "";
}

std::string
FlowFile::Locate(uint64_t line) const
{
    return m_name + ", line " + std::to_string(line) + ": ";
}

std::string
FlowFile::Resolve(const std::vector<std::string>& names)
{
    std::map<std::string, uint32_t> indices;
    for (uint32_t i = 0; i < names.size(); i++)
    {
        indices.emplace(std::to_string(i), i);
    }
    for (uint32_t i = 0; i < names.size(); i++)
    {
        indices.emplace(names[i], i);
    }
    m_messages.clear();
    m_ends.clear();
    std::map<std::pair<uint32_t, uint32_t>, uint32_t> pairs;
    for (const Row& row : m_rows)
    {
        const auto from = indices.find(row.source);
        const auto to = indices.find(row.destination);
        if (from == indices.end() || to == indices.end())
        {
            return Locate(row.line) + "there is no host '" +
                   (from == indices.end() ? row.source : row.destination) + "'; there are " +
                   std::to_string(names.size()) + ", from 0 on" +
                   (names.empty() ? "" : ", the first of which is also '" + names.front() + "'");
        }
        if (from->second == to->second)
        {
            return Locate(row.line) + "a host sends to itself";
        }
        const std::pair<uint32_t, uint32_t> ends{from->second, to->second};
        const auto [place, isNew] = pairs.emplace(ends, m_ends.size());
        if (isNew)
        {
            m_ends.push_back(ends);
        }
        m_messages.push_back({row.time, place->second, row.octets});
    }
    return "";
}

const std::vector<FlowFile::Message>&
FlowFile::ListMessages() const
{
    return m_messages;
}

const IwarpTopology::Ends&
FlowFile::ListEnds() const
{
    return m_ends;
}

Time
FlowFile::GetLast() const
{
    return m_rows.back().time;
}

std::vector<uint64_t>
FlowFile::ListSizes() const
{
    std::vector<uint64_t> sizes;
    for (const Row& row : m_rows)
    {
        sizes.push_back(row.octets);
    }
    return sizes;
}

} // namespace iwarp
} // namespace ns3
