/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "iwarp-abilene-helper.h"

#include "ns3/abort.h"

#include <algorithm>
#include <boost/math/constants/constants.hpp>
#include <cmath>

namespace ns3
{

IwarpAbileneHelper::IwarpAbileneHelper(const Link& backbone,
                                       bool ipv6,
                                       const std::string& nodes,
                                       const std::string& links)
    : IwarpNetwork(ipv6)
{
    const std::string problem = m_map.Load(nodes, links);
    NS_ABORT_MSG_UNLESS(problem.empty(), "IwarpAbileneHelper: " << problem);
    for (std::size_t i = 0; i < m_map.cities.size(); i++)
    {
        AddRouter();
    }
    for (const auto& [a, b] : m_map.links)
    {
        const auto& from = m_map.cities[a];
        const auto& to = m_map.cities[b];
        Link link = backbone;
        link.delay = GreatCircleDelay(from.latitude, from.longitude, to.latitude, to.longitude);
        AddLink(a, b, link);
    }
}

const iwarp::MapFile&
IwarpAbileneHelper::GetMap() const
{
    return m_map;
}

uint32_t
IwarpAbileneHelper::GetRouterOf(const std::string& city) const
{
    const std::size_t found = m_map.Find(city);
    NS_ABORT_MSG_IF(found == m_map.cities.size(),
                    "IwarpAbileneHelper: no city '" << city << "'; there are " << m_map.Names());
    return found;
}

std::pair<uint32_t, uint32_t>
IwarpAbileneHelper::AddPair(const std::string& from, const std::string& to, const Link& access)
{
    const uint32_t first = AddHost(GetRouterOf(from), access);
    return {first, AddHost(GetRouterOf(to), access)};
}

Time
IwarpAbileneHelper::GreatCircleDelay(double latitudeA,
                                     double longitudeA,
                                     double latitudeB,
                                     double longitudeB)
{
    constexpr double radius = 6371008.8;          // mean radius of the Earth, metres (IUGG)
    constexpr double speed = 299792458.0 * 2 / 3; // light in glass, metres a second
    constexpr double degree = boost::math::constants::degree<double>();
    const double a = std::sin((latitudeB - latitudeA) * degree / 2);
    const double b = std::sin((longitudeB - longitudeA) * degree / 2);
    const double h = a * a + std::cos(latitudeA * degree) * std::cos(latitudeB * degree) * b * b;
    return Seconds(2 * radius * std::asin(std::min(1.0, std::sqrt(h))) / speed);
}

} // namespace ns3
