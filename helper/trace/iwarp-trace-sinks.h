/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef IWARP_TRACE_SINKS_H
#define IWARP_TRACE_SINKS_H

#include "iwarp-trace-connector.h"
#include "iwarp-trace-fields.h"

#include "ns3/abort.h"

#include <algorithm>
#include <type_traits>
#include <utility>

namespace ns3
{
namespace iwarp
{

/// @ingroup iwarp-helper
/// @brief The field of an argument. @tparam T the argument, as it stands in a signature
template <typename T>
using TraceFieldOf = TraceField<std::remove_cv_t<std::remove_reference_t<T>>>;

/// @ingroup iwarp-helper
/// @brief Takes down events. @tparam Args arguments of the trace source
template <typename... Args>
class TraceEventSink : public TraceSink
{
  public:
    /// @param table where rows go @param object number of whose they are
    TraceEventSink(TraceTable& table, uint32_t object)
        : m_table(table),
          m_object(object)
    {
    }

    /// Take an event down. @param args what it says
    void Take(Args... args)
    {
        if (m_table.Begin(m_object))
        {
            TraceRow row(m_table.GetFields());
            (TraceFieldOf<Args>::Put(row, args), ...);
        }
    }

    /// Connect a source. @param object whose @param source its name @param table where rows go
    /// @param index number of the object @return what takes it down, or nullptr
    static Ptr<TraceSink> Connect(Object& object,
                                  const std::string& source,
                                  TraceTable& table,
                                  uint32_t index,
                                  int64_t /* every */)
    {
        const auto sink = Create<TraceEventSink<Args...>>(table, index);
        const bool there =
            object.TraceConnectWithoutContext(source,
                                              MakeCallback(&TraceEventSink<Args...>::Take, sink));
        return there ? sink : nullptr;
    }

  private:
    TraceTable& m_table; //!< where rows go
    uint32_t m_object;   //!< whose they are
};

/// @ingroup iwarp-helper
/// @brief Takes down the changes of a value, or samples of it. @tparam T the value
template <typename T>
class TraceValueSink : public TraceSink
{
  public:
    /// @param table where rows go @param object number of whose they are @param every time steps
    /// between samples, or 0
    TraceValueSink(TraceTable& table, uint32_t object, int64_t every)
        : m_table(table),
          m_object(object),
          m_every(every)
    {
    }

    /// Take a change down. @param now value
    void Take(T /* before */, T now)
    {
        if (m_every == 0)
        {
            if (m_table.Begin(m_object))
            {
                Put(now);
            }
        }
        else if (m_table.IsOpen())
        {
            const int64_t next = (Simulator::Now().GetTimeStep() / m_every + 1) * m_every;
            if (next != m_next)
            {
                Flush();
            }
            m_next = next;
            m_value = now;
        }
    }

    void Flush() override
    {
        const int64_t time = std::min(m_next, Simulator::Now().GetTimeStep());
        if (m_next > 0 && m_table.Begin(time, m_object))
        {
            Put(m_value);
        }
        m_next = 0;
    }

    /// Connect a source. @param object whose @param source its name @param table where rows go
    /// @param index number of the object @param every time steps between samples, or 0
    /// @return what takes it down, or nullptr
    static Ptr<TraceSink> Connect(Object& object,
                                  const std::string& source,
                                  TraceTable& table,
                                  uint32_t index,
                                  int64_t every)
    {
        const auto sink = Create<TraceValueSink<T>>(table, index, every);
        const bool there =
            object.TraceConnectWithoutContext(source, MakeCallback(&TraceValueSink<T>::Take, sink));
        return there ? sink : nullptr;
    }

  private:
    /// Fill a row. @param value of it
    void Put(const T& value)
    {
        TraceRow row(m_table.GetFields());
        TraceFieldOf<T>::Put(row, value);
    }

    TraceTable& m_table; //!< where rows go
    uint32_t m_object;   //!< whose they are
    int64_t m_every;     //!< time steps between samples, or 0
    int64_t m_next{0};   //!< time step of the sample that is due, or 0
    T m_value{};         //!< value then
};

/// @ingroup iwarp-helper
/// @brief Make what connects events. @tparam Args arguments of their trace source
/// @param texts of its columns @return it
template <typename... Args>
TraceConnector
TraceEvents(std::vector<TraceConnector::Text> texts)
{
    std::vector<TraceType> types;
    [[maybe_unused]] const auto add = [&types](const std::vector<TraceType>& more) {
        types.insert(types.end(), more.begin(), more.end());
    };
    (add(TraceFieldOf<Args>::Types()), ...);
    NS_ABORT_MSG_IF(types.size() != texts.size(),
                    types.size() << " columns of a trace have " << texts.size() << " names");
    return {false, types, std::move(texts), &TraceEventSink<Args...>::Connect};
}

/// @ingroup iwarp-helper
/// @brief Make what connects a value. @tparam T the value @return it
template <typename T>
TraceConnector
TraceValues()
{
    return {true,
            TraceFieldOf<T>::Types(),
            {{"value", "", "The value from then on"}},
            &TraceValueSink<T>::Connect};
}

} // namespace iwarp
} // namespace ns3

#endif // IWARP_TRACE_SINKS_H
