/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef IWARP_TRACE_CONNECTOR_H
#define IWARP_TRACE_CONNECTOR_H

#include "iwarp-trace-table.h"

#include "ns3/object.h"
#include "ns3/simple-ref-count.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{
namespace iwarp
{

/**
 * @ingroup iwarp-helper
 * @brief Takes down what a trace source of one object says, for a table.
 */
class TraceSink : public SimpleRefCount<TraceSink>
{
  public:
    virtual ~TraceSink();
    virtual void Flush(); //!< The run is over: take down what is sampled and waits for its time
};

/**
 * @ingroup iwarp-helper
 * @brief Connects trace sources of one signature, which ns-3 names by a text in the type's
 * documentation.
 */
struct TraceConnector
{
    /// What a column is, for people
    struct Text
    {
        std::string name; //!< in snake_case, with its unit at the end
        std::string unit; //!< or ""
        std::string help; //!< what it is
    };

    /**
     * @brief Connects one source of one object.
     * @param object whose source it is
     * @param source its name
     * @param table where rows go, which outlives the object's use
     * @param index number of the object in the table's
     * @param every time steps between samples of a value; 0 for each change
     * @return what takes it down; nullptr if the object has no such source
     */
    using Connect = Ptr<TraceSink> (*)(Object& object,
                                       const std::string& source,
                                       TraceTable& table,
                                       uint32_t index,
                                       int64_t every);

    bool value;                   //!< changes of a value, not events
    std::vector<TraceType> types; //!< of its columns
    std::vector<Text> texts;      //!< of its columns; of a value each source may have its own
    Connect connect;              //!< does it
};

/**
 * @ingroup iwarp-helper
 * @brief Find what connects a trace source.
 * @param type class that declares it
 * @param source it
 * @return the connector, with the texts of this source; nullptr if its signature is not known
 */
const TraceConnector* FindConnector(TypeId type, const TypeId::TraceSourceInformation& source);

/// @ingroup iwarp-helper
/// @brief Tell whether a source's columns have names of their own. @param type class that declares
/// it @param source it @return false for a value that is called no more than "value"
bool HasOwnColumns(TypeId type, const TypeId::TraceSourceInformation& source);

} // namespace iwarp
} // namespace ns3

#endif // IWARP_TRACE_CONNECTOR_H
