/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef UTIL_TEXT_H
#define UTIL_TEXT_H

#include <sstream>
#include <string>
#include <vector>

namespace ns3
{
namespace iwarp
{

/// Remove white space at both ends. @param text text @return what is left
inline std::string
Trim(const std::string& text)
{
    const auto first = text.find_first_not_of(" \t\r\n");
    return first == std::string::npos
               ? ""
               : text.substr(first, text.find_last_not_of(" \t\r\n") - first + 1);
}

/// Divide a text. @param text text @param separator character @return the trimmed parts between
/// separators
inline std::vector<std::string>
Split(const std::string& text, char separator)
{
    std::vector<std::string> parts;
    std::istringstream in(text + separator);
    for (std::string part; std::getline(in, part, separator);)
    {
        parts.push_back(Trim(part));
    }
    return parts;
}

/// Put parts together. @param parts parts @param separator text @return all parts with the
/// separator between them
inline std::string
Join(const std::vector<std::string>& parts, const std::string& separator = ", ")
{
    std::string text;
    for (const auto& part : parts)
    {
        text += (text.empty() ? "" : separator) + part;
    }
    return text;
}

} // namespace iwarp
} // namespace ns3

#endif // UTIL_TEXT_H
