/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "iwarp-trace-table.h"

#include "ns3/abort.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace ns3
{
namespace iwarp
{

TraceTable::TraceTable(std::string name,
                       std::string source,
                       bool value,
                       std::vector<TraceColumn> columns,
                       std::size_t limit,
                       TraceObjects& objects)
    : m_name(std::move(name)),
      m_source(std::move(source)),
      m_value(value),
      m_columns{{"time_ns", TraceType::INT64, "ns", "Time of the simulation"},
                {"node", TraceType::INT32, "", "ID of the node, -1 for none"},
                {"host", TraceType::STRING, "", "Name of the node"},
                {"connection",
                 TraceType::STRING,
                 "",
                 "Addresses and ports of the connection, the node's own first"}},
      m_limit(limit),
      m_objects(&objects)
{
    for (auto& column : columns)
    {
        m_cells.emplace_back(column.type);
        m_columns.push_back(std::move(column));
    }
}

std::vector<TraceCells>&
TraceTable::GetFields()
{
    return m_cells;
}

void
TraceTable::Finish()
{
    m_open = false;
    std::vector<uint32_t> rows;
    for (uint32_t row = 0; row < m_times.size(); row++)
    {
        if (m_objects->IsChosen(m_of[row]))
        {
            rows.push_back(row);
        }
    }
    std::stable_sort(rows.begin(), rows.end(), [this](uint32_t a, uint32_t b) {
        return m_times[a] < m_times[b];
    });
    std::vector<TraceCells> all;
    for (std::size_t i = 0; i < COMMON; i++)
    {
        all.emplace_back(m_columns[i].type);
    }
    for (const uint32_t row : rows)
    {
        const int32_t node = m_objects->GetNode(m_of[row]);
        all[0].Add(TimeStep(static_cast<uint64_t>(m_times[row])).GetNanoSeconds());
        all[1].Add(node);
        all[2].AddWord(m_objects->GetHost(node));
        all[3].AddWord(m_objects->GetConnection(m_of[row]));
    }
    for (auto& cells : m_cells)
    {
        cells.Select(rows);
    }
    std::move(m_cells.begin(), m_cells.end(), std::back_inserter(all));
    m_cells = std::move(all);
    m_times.clear();
    m_of.clear();
}

const std::string&
TraceTable::GetName() const
{
    return m_name;
}

const std::string&
TraceTable::GetSource() const
{
    return m_source;
}

bool
TraceTable::IsValue() const
{
    return m_value;
}

std::size_t
TraceTable::CountRows() const
{
    return m_open ? m_times.size() : m_cells[0].GetSize();
}

uint64_t
TraceTable::CountLeftOut() const
{
    return m_leftOut;
}

const std::vector<TraceColumn>&
TraceTable::GetColumns() const
{
    return m_columns;
}

const TraceCells&
TraceTable::GetCells(std::size_t column) const
{
    return m_cells.at(column);
}

const TraceCells&
TraceTable::GetCells(const std::string& name) const
{
    const auto found = std::find_if(m_columns.begin(), m_columns.end(), [&name](const auto& one) {
        return one.name == name;
    });
    NS_ABORT_MSG_IF(found == m_columns.end(), m_name << " has no column " << name);
    return GetCells(static_cast<std::size_t>(found - m_columns.begin()));
}

} // namespace iwarp
} // namespace ns3
