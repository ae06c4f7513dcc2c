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

/**
 * @param name data file
 * @param columns cells that a row has
 * @param [out] problem "", or what is wrong
 * @return rows without the first line, which names the columns
 */
std::vector<FileRow>
ReadTable(const std::string& name, std::size_t columns, std::string& problem)
{
    std::vector<FileRow> rows;
    const std::string path = FindDataFile(name);
    std::ifstream in(path);
    if (path.empty() || !in)
    {
        problem = "no file '" + name + "' (the environment variable IWARP_DATA names a directory)";
        return rows;
    }
    std::string line;
    std::getline(in, line);
    for (int number = 2; std::getline(in, line); number++)
    {
        line = Trim(line);
        if (line.empty())
        {
            continue;
        }
        rows.push_back({path + ", line " + std::to_string(number), Split(line, ',')});
        if (rows.back().cells.size() != columns)
        {
            problem =
                rows.back().where + ": not " + std::to_string(columns) + " columns: '" + line + "'";
            break;
        }
    }
    return rows;
}

} // namespace

std::string
MapFile::Load(const std::string& nodes, const std::string& edges)
{
    cities.clear();
    links.clear();
    std::string problem;
    const auto cityRows = ReadTable(nodes, 4, problem);
    const auto linkRows = problem.empty() ? ReadTable(edges, 2, problem) : std::vector<FileRow>();
    if (!problem.empty())
    {
        return problem;
    }
    for (const auto& [where, cells] : cityRows)
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
    for (const auto& [where, cells] : linkRows)
    {
        const auto a = Find(cells[0]);
        const auto b = Find(cells[1]);
        if (a == cities.size() || b == cities.size() || a == b)
        {
            return where + ": the link does not join two cities of " + nodes;
        }
        links.emplace_back(a, b);
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
    for (const auto& [a, b] : links)
    {
        table.links.push_back({a, b, GetDelay(a, b)});
    }
}

} // namespace iwarp
} // namespace ns3
