/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef IWARP_TRACE_SERIES_H
#define IWARP_TRACE_SERIES_H

#include "iwarp-trace-source.h"
#include "iwarp-trace-table.h"

#include "ns3/nstime.h"

#include <memory>
#include <string>
#include <vector>

namespace ns3
{
namespace iwarp
{

/**
 * @ingroup iwarp-helper
 * @brief Fills a table from the objects of a run.
 */
class TraceSeries
{
  public:
    virtual ~TraceSeries();
    TraceSeries(const TraceSeries&) = delete;
    TraceSeries& operator=(const TraceSeries&) = delete;

    /// An object comes to be known. @param object it @param index its number in TraceObjects
    virtual void Meet(Object& object, uint32_t index) = 0;
    virtual void Flush() = 0; //!< The run is over: take down what waits for its time

    TraceTable& GetTable(); //!< Get the table. @return it

  protected:
    /// Begin a table. @param table without rows
    explicit TraceSeries(TraceTable table);

    TraceTable m_table; //!< what it fills
};

/**
 * @ingroup iwarp-helper
 * @brief A trace that has a short name: what it is, and how it is made.
 */
struct TraceShortName
{
    /// Makes it. @param name of it @param every between samples, or what it is summed up over
    /// @param limit most rows @param objects of the run
    using Make = std::unique_ptr<TraceSeries> (*)(const TraceShortName& name,
                                                  Time every,
                                                  std::size_t limit,
                                                  TraceObjects& objects);

    std::string name;                 //!< short name
    std::vector<std::string> sources; //!< trace sources that it is made of
    bool value;                       //!< rows are changes of a value, or sums over a time
    Time every;                       //!< unless it is said otherwise; 0 for each change
    bool sampled;                     //!< it can be said otherwise
    std::vector<TraceColumn> columns; //!< behind the common ones
    std::string help;                 //!< what it is
    bool standard;                    //!< it is one of the standard set
    Make make;                        //!< makes it

    /// Make its table. @param limit most rows @param objects of the run @return it, without rows
    TraceTable MakeTable(std::size_t limit, TraceObjects& objects) const;
};

/// @ingroup iwarp-helper
/// @brief List the traces that have short names. @return all, in the order in which they are shown
const std::vector<TraceShortName>& ListShortTraces();

/// @ingroup iwarp-helper
/// @brief Make what takes sources down as they are. @param table of them @param sources whose
/// columns are the same @param every between samples of a value; 0 for each change
/// @return it
std::unique_ptr<TraceSeries> MakeSourceSeries(TraceTable table,
                                              std::vector<TraceSource> sources,
                                              Time every);

/// @ingroup iwarp-helper
/// @brief Make the series of goodput, which is a FlowWatcher. @param name of it @param every what
/// is summed up over @param limit most rows @param objects of the run @return it
std::unique_ptr<TraceSeries> MakeGoodputSeries(const TraceShortName& name,
                                               Time every,
                                               std::size_t limit,
                                               TraceObjects& objects);

/// @name Makers of series: queue lengths of links, receive windows, cache hits, stages of RNICs as
/// shares and as visits, and security associations
/// @param name of it @param every between samples, or what is summed up over @param limit most rows
/// @param objects of the run @return it
/// @{
std::unique_ptr<TraceSeries> MakeQueueSeries(const TraceShortName& name,
                                             Time every,
                                             std::size_t limit,
                                             TraceObjects& objects);
std::unique_ptr<TraceSeries> MakeWindowSeries(const TraceShortName& name,
                                              Time every,
                                              std::size_t limit,
                                              TraceObjects& objects);
std::unique_ptr<TraceSeries> MakeCacheSeries(const TraceShortName& name,
                                             Time every,
                                             std::size_t limit,
                                             TraceObjects& objects);
std::unique_ptr<TraceSeries> MakeStageSeries(const TraceShortName& name,
                                             Time every,
                                             std::size_t limit,
                                             TraceObjects& objects);
std::unique_ptr<TraceSeries> MakeAssociationSeries(const TraceShortName& name,
                                                   Time every,
                                                   std::size_t limit,
                                                   TraceObjects& objects);
/// @}

} // namespace iwarp
} // namespace ns3

#endif // IWARP_TRACE_SERIES_H
