/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "iwarp-graph-file.h"

#include "iwarp-map-file.h"

#include "ns3/util-data-file.h"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <sstream>
#include <utility>

namespace ns3
{
namespace iwarp
{
namespace
{

using Words = std::vector<std::string>; //!< of a line

/// A line that is not empty
struct Line
{
    int number;  //!< from 1
    Words words; //!< its words
};

/// Adds routers and links by the names of routers.
class GraphBuilder
{
  public:
    /// Start with none. @param table where to add @param delay of each link
    GraphBuilder(TopologyTable& table, Time delay)
        : m_table(table),
          m_delay(delay)
    {
    }

    /// Find a router, or add it. @param name its name @return its index
    uint32_t GetRouter(const std::string& name)
    {
        const auto next = static_cast<uint32_t>(m_table.routers.size());
        const auto [place, isNew] = m_routers.emplace(name, next);
        if (isNew)
        {
            m_table.routers.push_back(name);
        }
        return place->second;
    }

    /// Add a link unless it is there, in either direction. @param a name of a router
    /// @param b name of another @return false if they are the same
    bool AddLink(const std::string& a, const std::string& b)
    {
        const std::pair<uint32_t, uint32_t> ends = std::minmax({GetRouter(a), GetRouter(b)});
        if (ends.first != ends.second && m_links.insert(ends).second)
        {
            m_table.links.push_back({ends.first, ends.second, m_delay});
        }
        return ends.first != ends.second;
    }

  private:
    TopologyTable& m_table;                          //!< where to add
    Time m_delay;                                    //!< of each link
    std::map<std::string, uint32_t> m_routers;       //!< routers by name
    std::set<std::pair<uint32_t, uint32_t>> m_links; //!< ends of links
};

/// @param text word @return whether it is a number without sign and fraction
bool
IsNumber(const std::string& text)
{
    return !text.empty() && text.find_first_not_of("0123456789") == std::string::npos;
}

/// Read a line of Rocketfuel's maps. @param words of it @param graph where to add
/// @return false if it is none
bool
ReadMapLine(const Words& words, GraphBuilder& graph)
{
    const auto arrow = std::find(words.begin(), words.end(), "->");
    if (words.front()[0] == '-') // an address outside the network
    {
        return true;
    }
    if (arrow == words.end() || !IsNumber(words[0]) || words[1][0] != '@')
    {
        return false;
    }
    if (words.back() != "r0")
    {
        return true;
    }
    graph.GetRouter(words[0]);
    for (auto word = arrow + 1; word != words.end() && word->front() == '<'; ++word)
    {
        const std::string neighbour = word->substr(1, word->size() - 2);
        if (word->back() != '>' || !IsNumber(neighbour) || !graph.AddLink(words[0], neighbour))
        {
            return false;
        }
    }
    return true;
}

/// Reads lines of one form. @param words of a line @param graph where to add @return false if it is
/// not of that form
using LineReader = bool (*)(const Words& words, GraphBuilder& graph);

/// @param lines of a file, at least one @return how to read them, those of routers alone included
LineReader
FindForm(const std::vector<Line>& lines)
{
    if (lines.front().words.size() > 3)
    {
        return ReadMapLine;
    }
    if (lines.front().words.size() == 3 && !IsNumber(lines.front().words[0]))
    {
        return [](const Words& words, GraphBuilder& graph) {
            return words.size() == 3 && graph.AddLink(words[0], words[1]);
        };
    }
    return [](const Words& words, GraphBuilder& graph) {
        return words.size() >= 2 && IsNumber(words[0]) && IsNumber(words[1]) &&
               graph.AddLink(words[0], words[1]);
    };
}

/// @param lines of a file, at least one @return lines of routers, if it is of Inet; otherwise 0
std::size_t
CountInetRouters(const std::vector<Line>& lines)
{
    const Words& head = lines.front().words;
    if (lines.size() < 2 || head.size() != 2 || lines[1].words.size() != 3 || !IsNumber(head[0]) ||
        head[0].size() > 6)
    {
        return 0;
    }
    return std::stoul(head[0]);
}

/// @param name of a file @param [out] lines those that are not empty @return whether it can be read
bool
ReadLines(const std::string& name, std::vector<Line>& lines)
{
    std::ifstream in(FindDataFile(name));
    std::string line;
    for (int number = 1; std::getline(in, line); number++)
    {
        std::istringstream text(line);
        Words words{std::istream_iterator<std::string>(text), {}};
        if (!words.empty())
        {
            lines.push_back({number, std::move(words)});
        }
    }
    return in.eof();
}

} // namespace

std::string
ReadGraph(const std::string& name, Time delay, TopologyTable& table)
{
    if (!FindDataFile(name + "-nodes.csv").empty())
    {
        MapFile map;
        const std::string problem = map.Load(name + "-nodes.csv", name + "-links.csv");
        map.Fill(table);
        return problem;
    }
    std::vector<Line> lines;
    if (!ReadLines(name, lines))
    {
        return "there is no file '" + name + "', and no '" + name + "-nodes.csv'";
    }
    if (lines.empty())
    {
        return "'" + name + "' is empty";
    }
    GraphBuilder graph(table, delay);
    const std::size_t routers = CountInetRouters(lines);
    const LineReader read = FindForm(lines);
    for (std::size_t i = routers > 0 ? 1 : 0; i < lines.size(); i++)
    {
        const auto& [number, words] = lines[i];
        const bool isRouter = routers > 0 && i <= routers;
        if (isRouter ? words.size() != 3 || !IsNumber(words[0]) : !read(words, graph))
        {
            return "'" + name + "', line " + std::to_string(number) +
                   ": this is no link between two routers as Inet, Orbis or Rocketfuel write it";
        }
        if (isRouter)
        {
            graph.GetRouter(words[0]);
        }
    }
    return table.links.empty() ? "'" + name + "' has no links" : "";
}

} // namespace iwarp
} // namespace ns3
