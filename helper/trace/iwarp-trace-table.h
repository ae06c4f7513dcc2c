/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef IWARP_TRACE_TABLE_H
#define IWARP_TRACE_TABLE_H

#include "iwarp-trace-cells.h"
#include "iwarp-trace-objects.h"

#include "ns3/nstime.h"
#include "ns3/simulator.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{
namespace iwarp
{

/**
 * @ingroup iwarp-helper
 * @brief A table that a trace fills: when, where, of which connection, and what.
 *
 * While it is filled a row has its time and the number of its object; Finish() makes of these the
 * first columns of any table: time_ns, node, host and connection.
 */
class TraceTable
{
  public:
    static constexpr std::size_t COMMON = 4; //!< first columns, the same in every table

    /// Make a table without rows. @param name of it @param source where its rows come from
    /// @param value rows are changes of a value, not events @param columns behind the common ones
    /// @param limit most rows @param objects whose rows they are; outlives the filling
    TraceTable(std::string name,
               std::string source,
               bool value,
               std::vector<TraceColumn> columns,
               std::size_t limit,
               TraceObjects& objects);

    /// Begin a row at a time. @param time step of the simulator @param object number of one
    /// @return false if there is no room, or the run is over
    bool Begin(int64_t time, uint32_t object)
    {
        m_objects->Look(object);
        if (m_times.size() >= m_limit)
        {
            m_leftOut++;
            return false;
        }
        m_times.push_back(time);
        m_of.push_back(object);
        return true;
    }

    /// Begin a row now. @param object number of one @return as the other Begin()
    bool Begin(uint32_t object)
    {
        return m_open && Begin(Simulator::Now().GetTimeStep(), object);
    }

    /// Tell whether rows are taken. @return true until Finish()
    bool IsOpen() const
    {
        return m_open;
    }

    /// Get the cells of the source's columns, of which a row that was begun fills each.
    /// @return cells by column
    std::vector<TraceCells>& GetFields();

    void Finish(); //!< The run is over: make the table whole, in the order of time

    const std::string& GetName() const;   //!< Get the name. @return it
    const std::string& GetSource() const; //!< Get the source. @return names of trace sources
    bool IsValue() const;          //!< Tell what rows are. @return true for changes of a value
    std::size_t CountRows() const; //!< Count the rows. @return how many
    uint64_t CountLeftOut() const; //!< Count what there was no room for. @return rows
    /// Get the columns. @return all, the common ones first
    const std::vector<TraceColumn>& GetColumns() const;
    /// Get the values, after Finish(). @param column index of it @return its cells
    const TraceCells& GetCells(std::size_t column) const;
    /// Find a column, after Finish(). @param name of it @return its cells; NS_ABORT if there is
    /// none
    const TraceCells& GetCells(const std::string& name) const;

  private:
    std::string m_name;                 //!< name
    std::string m_source;               //!< names of sources
    bool m_value;                       //!< of values
    std::vector<TraceColumn> m_columns; //!< all columns
    std::size_t m_limit;                //!< most rows
    TraceObjects* m_objects;            //!< whose rows they are
    bool m_open{true};                  //!< rows are taken
    uint64_t m_leftOut{0};              //!< rows left out
    std::vector<int64_t> m_times;       //!< time steps of rows
    std::vector<uint32_t> m_of;         //!< objects of rows
    std::vector<TraceCells> m_cells;    //!< the source's columns; all, after Finish()
};

} // namespace iwarp
} // namespace ns3

#endif // IWARP_TRACE_TABLE_H
