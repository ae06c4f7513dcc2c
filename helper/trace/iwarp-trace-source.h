/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef IWARP_TRACE_SOURCE_H
#define IWARP_TRACE_SOURCE_H

#include "iwarp-trace-connector.h"

#include "ns3/type-id.h"

#include <string>
#include <vector>

namespace ns3
{
namespace iwarp
{

/**
 * @ingroup iwarp-helper
 * @brief A trace source of any class, by its qualified name: MpaStream.Passed.
 */
struct TraceSource
{
    TypeId type;                              //!< class whose objects are meant
    TypeId::TraceSourceInformation info;      //!< what it is
    const TraceConnector* connector{nullptr}; //!< connects it

    /// Name it. @return Class.Source, without ns3::
    std::string GetName() const;
    /// Tell whether an object has it. @param object any @return true if it is of the class
    bool IsOf(const Object& object) const;
};

/**
 * @ingroup iwarp-helper
 * @brief Find a trace source.
 * @param name Class.Source, with or without ns3:: in front, or ns3::Class::Source; of a base class'
 *        source, objects of this class alone are meant: MpaTcpSocket.CongestionWindow
 * @param [out] found the source
 * @return "", or one line that says what is wrong and which names are near
 */
std::string FindTraceSource(const std::string& name, TraceSource& found);

/**
 * @ingroup iwarp-helper
 * @brief List the trace sources that can be taken down.
 * @param filter lists those of all classes whose qualified name contains it, whatever the case; ""
 *        lists those of the module's classes
 * @return sources, by name
 */
std::vector<TraceSource> ListTraceSources(const std::string& filter);

/// @ingroup iwarp-helper
/// @brief Make the columns of a source's table. @param connector of the source @return columns
std::vector<TraceColumn> MakeColumns(const TraceConnector& connector);

} // namespace iwarp
} // namespace ns3

#endif // IWARP_TRACE_SOURCE_H
