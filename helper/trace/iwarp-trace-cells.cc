/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "iwarp-trace-cells.h"

#include <type_traits>
#include <utility>

namespace ns3
{
namespace iwarp
{

const char*
ToString(TraceType type)
{
    static const char* const names[] =
        {"bool", "int32", "uint32", "int64", "uint64", "double", "string"};
    return names[static_cast<uint8_t>(type)];
}

TraceCells::TraceCells(TraceType type)
{
    switch (type)
    {
    case TraceType::BOOL:
        m_values = std::vector<uint8_t>();
        break;
    case TraceType::INT32:
    case TraceType::STRING:
        m_values = std::vector<int32_t>();
        break;
    case TraceType::UINT32:
        m_values = std::vector<uint32_t>();
        break;
    case TraceType::INT64:
        m_values = std::vector<int64_t>();
        break;
    case TraceType::UINT64:
        m_values = std::vector<uint64_t>();
        break;
    case TraceType::DOUBLE:
        m_values = std::vector<double>();
        break;
    }
}

int32_t
TraceCells::Learn(const std::string& word)
{
    const auto [found, isNew] = m_codes.emplace(word, static_cast<int32_t>(m_words.size()));
    if (isNew)
    {
        m_words.push_back(word);
    }
    return found->second;
}

void
TraceCells::AddWord(const std::string& word)
{
    Add(Learn(word));
}

void
TraceCells::Select(const std::vector<uint32_t>& rows)
{
    std::visit(
        [&rows](auto& values) {
            std::decay_t<decltype(values)> kept;
            kept.reserve(rows.size());
            for (const uint32_t row : rows)
            {
                kept.push_back(values[row]);
            }
            values = std::move(kept);
        },
        m_values);
}

std::size_t
TraceCells::GetSize() const
{
    return std::visit([](const auto& values) { return values.size(); }, m_values);
}

const void*
TraceCells::GetData() const
{
    return std::visit([](const auto& values) -> const void* { return values.data(); }, m_values);
}

const std::vector<std::string>&
TraceCells::GetWords() const
{
    return m_words;
}

double
TraceCells::GetNumber(std::size_t row) const
{
    return std::visit([row](const auto& values) { return static_cast<double>(values[row]); },
                      m_values);
}

const std::string&
TraceCells::GetWord(std::size_t row) const
{
    return m_words.at(static_cast<std::size_t>(GetNumber(row)));
}

} // namespace iwarp
} // namespace ns3
