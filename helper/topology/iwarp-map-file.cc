/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "iwarp-map-file.h"

#include "ns3/util-data-file.h"
#include "ns3/util-text.h"

#include <algorithm>
#include <boost/lexical_cast.hpp>
#include <boost/math/constants/constants.hpp>
#include <cmath>
#include <fstream>

namespace ns3
{
namespace iwarp
{
namespace
{

/// A row of a table
struct FileRow
{
    std::string where;              //!< file and line
    std::vector<std::string> cells; //!< cells
};

/// A table
struct FileTable
{
    FileRow names;             //!< of its columns
    std::vector<FileRow> rows; //!< without the line of names
};

/**
 * @param name data file
 * @param columns cells that a row has; 0 is as many as the line of names
 * @param [out] problem "", or what is wrong
 * @return table
 */
FileTable
ReadTable(const std::string& name, std::size_t columns, std::string& problem)
{
    FileTable table;
    const std::string path = FindDataFile(name);
    std::ifstream in(path);
    if (path.empty() || !in)
    {
        problem = "no file '" + name + "' (the environment variable IWARP_DATA names a directory)";
        return table;
    }
    std::string line;
    std::getline(in, line);
    table.names = {path + ", line 1", Split(Trim(line), ',')};
    const std::size_t wanted = columns > 0 ? columns : table.names.cells.size();
    for (int number = 2; std::getline(in, line); number++)
    {
        line = Trim(line);
        if (line.empty())
        {
            continue;
        }
        table.rows.push_back({path + ", line " + std::to_string(number), Split(line, ',')});
        if (table.rows.back().cells.size() != wanted)
        {
            problem = table.rows.back().where + ": not " + std::to_string(wanted) + " columns: '" +
                      line + "'";
            break;
        }
    }
    return table;
}

/// @param names of columns of a table of links @return "", or what is wrong with them
std::string
CheckLinkColumns(const FileRow& names)
{
    if (names.cells.size() < 2)
    {
        return names.where + ": the first two columns are the ends of a link, a,b";
    }
    for (auto name = names.cells.begin() + 2; name != names.cells.end(); ++name)
    {
        const std::string problem = LinkSettings().Set(Trim(*name), "");
        if (!problem.empty() || std::find(names.cells.begin(), name, *name) != name)
        {
            return names.where + ": " +
                   (problem.empty() ? "column '" + *name + "' is there twice" : problem);
        }
    }
    return "";
}

} // namespace

std::string
MapFile::Load(const std::string& nodes, const std::string& edges)
{
    cities.clear();
    links.clear();
    settings.clear();
    std::string problem;
    const FileTable cityTable = ReadTable(nodes, 4, problem);
    const FileTable linkTable = problem.empty() ? ReadTable(edges, 0, problem) : FileTable();
    problem = problem.empty() ? CheckLinkColumns(linkTable.names) : problem;
    if (!problem.empty())
    {
        return problem;
    }
    for (const auto& [where, cells] : cityTable.rows)
    {
        City city{cells[0], 0, 0};
        if (!boost::conversion::try_lexical_convert(cells[2], city.latitude) ||
            !boost::conversion::try_lexical_convert(cells[3], city.longitude))
        {
            return where + ": latitude and longitude are not numbers";
        }
        // not a number is in no range
        if (!(std::abs(city.latitude) <= 90 && std::abs(city.longitude) <= 180))
        {
            return where + ": latitudes are -90 to 90 degrees, longitudes -180 to 180, not '" +
                   cells[2] + "' and '" + cells[3] + "'";
        }
        if (Find(city.name) < cities.size())
        {
            return where + ": there is another '" + city.name + "'; each has a name of its own";
        }
        cities.push_back(city);
    }
    for (const auto& [where, cells] : linkTable.rows)
    {
        const auto a = Find(cells[0]);
        const auto b = Find(cells[1]);
        if (a == cities.size() || b == cities.size() || a == b)
        {
            return where + ": the link does not join two cities of " + nodes;
        }
        links.emplace_back(a, b);
        settings.emplace_back();
        settings.back().where = where;
        for (std::size_t i = 2; i < cells.size(); i++)
        {
            problem = settings.back().Set(Trim(linkTable.names.cells[i]), Trim(cells[i]));
            if (!problem.empty())
            {
                return where + ": " + problem;
            }
        }
    }
    return "";
}

std::size_t
MapFile::Find(const std::string& name) const
{
    return std::find_if(cities.begin(),
                        cities.end(),
                        [&name](const City& city) { return city.name == name; }) -
           cities.begin();
}

Time
MapFile::GetDelay(std::size_t a, std::size_t b) const
{
    constexpr double radius = 6371008.8;          // mean radius of the Earth, metres (IUGG)
    constexpr double speed = 299792458.0 * 2 / 3; // light in glass, metres a second
    constexpr double degree = boost::math::constants::degree<double>();
    const City& from = cities.at(a);
    const City& to = cities.at(b);
    const double x = std::sin((to.latitude - from.latitude) * degree / 2);
    const double y = std::sin((to.longitude - from.longitude) * degree / 2);
    const double h =
        x * x + std::cos(from.latitude * degree) * std::cos(to.latitude * degree) * y * y;
    return Seconds(2 * radius * std::asin(std::min(1.0, std::sqrt(h))) / speed);
}

void
MapFile::Fill(TopologyTable& table) const
{
    for (const auto& city : cities)
    {
        table.routers.push_back(city.name);
        table.places.push_back({city.longitude, city.latitude});
    }
    for (std::size_t i = 0; i < links.size(); i++)
    {
        const auto& [a, b] = links[i];
        table.links.push_back({a, b, settings[i].delay.value_or(GetDelay(a, b)), settings[i]});
    }
}

} // namespace iwarp
} // namespace ns3
