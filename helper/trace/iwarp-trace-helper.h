/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef IWARP_TRACE_HELPER_H
#define IWARP_TRACE_HELPER_H

#include "iwarp-trace-objects.h"
#include "iwarp-trace-series.h"
#include "iwarp-trace-table.h"

#include "ns3/nstime.h"
#include "ns3/util-object-births.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace ns3
{

namespace iwarp
{
class FlowWatcher;
}

/**
 * @ingroup iwarp-helper
 * @brief A trace that there is.
 */
struct IwarpTrace
{
    std::string name;                        //!< short name, or Class.Source
    std::string source;                      //!< trace sources that it is made of
    bool value;                              //!< rows are changes of a value, not events
    bool standard;                           //!< it is one of the set "standard"
    std::string help;                        //!< what it is
    std::vector<iwarp::TraceColumn> columns; //!< those behind the common ones
};

/**
 * @ingroup iwarp-helper
 * @brief Takes the traces of a simulation down in tables: any trace source of any object, with the
 * time, the node and the connection.
 *
 * A trace has a short name (cwnd) or is a trace source by its qualified name
 * (TcpSocketBase.CongestionWindow, MpaStream.Passed, Queue.Drop). Objects are what nodes have when
 * Begin() is called, and the sockets, streams and queues of the module that come into being later.
 * IwarpScenario::SetTraces() has a run do all of this; a simulation of one's own calls Begin() when
 * nodes are installed and nothing has begun, and End() behind Simulator::Run():
 *
 * @code
 * IwarpTraceHelper traces;
 * traces.Add("cwnd");
 * traces.Begin();
 * Simulator::Run();
 * traces.End();
 * const auto& window = traces.GetTable(0).GetCells("window_octets");
 * @endcode
 *
 * It has to outlive the simulation. Rows are collected in columns of their type. A simulation
 * without it costs nothing more.
 */
class IwarpTraceHelper : private ObjectBirths::Listener
{
  public:
    static constexpr std::size_t ROWS =
        1000000; //!< most rows of a table unless SetRows() is called

    IwarpTraceHelper();
    ~IwarpTraceHelper();
    IwarpTraceHelper(const IwarpTraceHelper&) = delete;
    IwarpTraceHelper& operator=(const IwarpTraceHelper&) = delete;

    /**
     * @brief Ask for traces.
     * @param names of traces with commas between them; "standard" stands for the usual ones.
     *        Behind a value's name may stand ":every=10us": then it is looked at as often, where it
     *        has changed, rather than at each change, or summed up over that time
     * @return "", or one line that says what is wrong
     */
    std::string Add(const std::string& names);
    /// Bound the memory. @param rows most rows of each table; others are counted only
    void SetRows(std::size_t rows);
    /// Choose nodes; all if it is never called. @param node its name or ID
    void AddNode(const std::string& node);
    /// Choose connections; all if it is never called. Rows of no connection are left out then.
    /// @param connection such as 10.0.0.1:49153-10.0.1.1:5001, or an end with or without its port
    void AddConnection(const std::string& connection);
    /// Name a node in tables. @param node ID @param host its name
    void SetHostName(uint32_t node, const std::string& host);

    /// Notice objects that come into being from now on, as Begin() does.
    void Listen();
    /// Begin, once: all nodes are installed. @return "", or one line that says what is wrong
    std::string Begin();
    void End(); //!< The simulation has run: complete the tables

    /// Get who looks on as flows' payload comes. @return it; nullptr if goodput is not asked for
    iwarp::FlowWatcher* GetFlowWatcher() const;
    std::size_t GetNTables() const; //!< Count the tables. @return traces asked for
    /// Get a table, after End(). @param index in the order in which they were asked for
    /// @return it
    const iwarp::TraceTable& GetTable(std::size_t index) const;

    /**
     * @brief List traces.
     * @param filter lists those whose name contains it, whatever the case, of all classes of the
     *        module and of ns-3; "" lists those with short names and those of the module's classes
     * @return short names first, then qualified ones, by name
     */
    static std::vector<IwarpTrace> List(const std::string& filter = "");

  private:
    /// A trace that was asked for
    struct Wanted
    {
        std::string name;                                //!< short or qualified
        const iwarp::TraceShortName* shortName{nullptr}; //!< or nullptr
        iwarp::TraceSource source;                       //!< of a qualified name
        Time every;                                      //!< between samples, or 0
        std::unique_ptr<iwarp::TraceSeries> series;      //!< from Listen() on
    };

    // ObjectBirths::Listener
    void Made(const Object& object) override;
    void Opened(Object& object, const Object* owner) override;
    void Gone(const Object& object) override;

    /// @param text name, with how often @return "", or what is wrong
    std::string AddOne(const std::string& text);
    /// @param option "every=10us" @param[in,out] wanted gets it @return "", or what is wrong
    static std::string SetOption(const std::string& option, Wanted& wanted);
    /// @param object that is met @param index its number
    void Meet(Object& object, uint32_t index);
    /// @param node name or ID @return "", or that there is none
    std::string Choose(const std::string& node);

    iwarp::TraceObjects m_objects;          //!< objects of the run
    std::vector<Wanted> m_wanted;           //!< in the order in which they were asked for
    std::size_t m_rows{ROWS};               //!< most rows of each table
    std::vector<std::string> m_nodes;       //!< chosen
    std::map<std::string, int32_t> m_hosts; //!< IDs by name
};

} // namespace ns3

#endif // IWARP_TRACE_HELPER_H
