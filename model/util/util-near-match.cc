/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "util-near-match.h"

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <numeric>
#include <utility>

namespace ns3
{
namespace iwarp
{
namespace
{

/// @param text text @return it in lower case
std::string
Lower(std::string text)
{
    std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) {
        return static_cast<char>(std::tolower(c));
    });
    return text;
}

/// @param a text @param b text @return letters to be put in, left out or changed to make b of a
std::size_t
Distance(const std::string& a, const std::string& b)
{
    std::vector<std::size_t> row(b.size() + 1); // for what has been seen of a
    std::iota(row.begin(), row.end(), 0);
    for (char letter : a)
    {
        std::size_t diagonal = std::exchange(row[0], row[0] + 1);
        for (std::size_t j = 0; j < b.size(); ++j)
        {
            const std::size_t changed = diagonal + (letter != b[j]);
            diagonal = row[j + 1];
            row[j + 1] = std::min({changed, row[j] + 1, row[j + 1] + 1});
        }
    }
    return row.back();
}

} // namespace

std::vector<std::string>
FindNearest(const std::string& name, const std::vector<std::string>& known)
{
    const std::string typed = Lower(name);
    std::vector<std::pair<std::size_t, std::string>> near;
    for (const auto& other : known)
    {
        const std::string lower = Lower(other);
        const bool within = typed.size() > 2 && lower.find(typed) != std::string::npos;
        const std::size_t distance = within ? 1 : Distance(typed, lower);
        if (distance <= typed.size() / 3)
        {
            near.emplace_back(distance, other);
        }
    }
    std::stable_sort(near.begin(), near.end(), [](const auto& a, const auto& b) {
        return a.first < b.first;
    });
    std::vector<std::string> names;
    for (std::size_t i = 0; i < std::min<std::size_t>(near.size(), 3); ++i)
    {
        names.push_back(near[i].second);
    }
    return names;
}

} // namespace iwarp
} // namespace ns3
