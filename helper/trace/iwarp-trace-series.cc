/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "iwarp-trace-series.h"

#include "ns3/abort.h"
#include "ns3/util-text.h"

#include <utility>

namespace ns3
{
namespace iwarp
{
namespace
{

/// Takes trace sources down as they are.
class SourceSeries : public TraceSeries
{
  public:
    /// @param table of them @param sources them @param every between samples, or 0
    SourceSeries(TraceTable table, std::vector<TraceSource> sources, Time every)
        : TraceSeries(std::move(table)),
          m_sources(std::move(sources)),
          m_every(every.GetTimeStep())
    {
    }

    void Meet(Object& object, uint32_t index) override
    {
        for (const auto& source : m_sources)
        {
            if (source.IsOf(object))
            {
                const auto sink =
                    source.connector->connect(object, source.info.name, m_table, index, m_every);
                if (m_every > 0)
                {
                    m_sinks.push_back(sink);
                }
            }
        }
    }

    void Flush() override
    {
        for (const auto& sink : m_sinks)
        {
            sink->Flush();
        }
    }

  private:
    std::vector<TraceSource> m_sources;  //!< trace sources
    int64_t m_every;                     //!< time steps between samples, or 0
    std::vector<Ptr<TraceSink>> m_sinks; //!< what has samples that wait
};

/// @param name of sources that are taken down as they are @param every between samples, or 0
/// @param limit most rows @param objects of the run @return their series
std::unique_ptr<TraceSeries>
MakeAliasSeries(const TraceShortName& name, Time every, std::size_t limit, TraceObjects& objects)
{
    std::vector<TraceSource> sources;
    for (const auto& source : name.sources)
    {
        sources.emplace_back();
        const std::string problem = FindTraceSource(source, sources.back());
        NS_ABORT_MSG_UNLESS(problem.empty(), problem);
    }
    return MakeSourceSeries(name.MakeTable(limit, objects), std::move(sources), every);
}

/// @param name short name @param sources what it stands for @param column of it @param help what
/// it is @return the trace
TraceShortName
Alias(const std::string& name,
      std::vector<std::string> sources,
      TraceColumn column,
      const std::string& help)
{
    return {name,
            std::move(sources),
            true,
            Time(0),
            true,
            {std::move(column)},
            help,
            true,
            &MakeAliasSeries};
}

/// @return traces of the RNIC and of IPsec
std::vector<TraceShortName>
ListDeviceTraces()
{
    const TraceColumn stage{"stage", TraceType::STRING, "", "Name of the stage"};
    return {{"cache_hits",
             {"Rnic.CacheAccess"},
             true,
             MicroSeconds(100),
             true,
             {{"cache", TraceType::STRING, "", "Which"},
              {"accesses", TraceType::UINT32, "accesses", "Looked for in the interval"},
              {"hits", TraceType::UINT32, "accesses", "Of these, there"},
              {"hit_share", TraceType::DOUBLE, "share", "Hits of accesses"}},
             "Share of what RNICs look for in their caches and find, over intervals that end then",
             true,
             &MakeCacheSeries},
            {"stages",
             {"RnicPipeline"},
             true,
             MicroSeconds(100),
             true,
             {stage, {"busy_share", TraceType::DOUBLE, "share", "Time for which its engines work"}},
             "Use of the stages of RNICs that are queues, over intervals that end then",
             true,
             &MakeStageSeries},
            {"stage_visits",
             {"RnicPipeline"},
             false,
             Time(0),
             false,
             {stage,
              {"flow", TraceType::UINT64, "", "The RNIC's number of the connection"},
              {"waiting_ns", TraceType::DOUBLE, "ns", "From then on, until an engine is free"},
              {"busy_ns", TraceType::DOUBLE, "ns", "Then an engine works on it"},
              {"stalled_ns", TraceType::DOUBLE, "ns", "Other time until it leaves the stage"}},
             "A segment passes a stage of an RNIC that takes time",
             false,
             &MakeStageSeries},
            {"sas",
             {"IpsecKeying.Created", "EspForecast.AssociationGone"},
             false,
             Time(0),
             false,
             {{"event", TraceType::STRING, "", "created or gone"},
              {"direction", TraceType::STRING, "", "Of one that is gone"},
              {"association", TraceType::UINT64, "", "The node's number of one that is gone"},
              {"spi", TraceType::UINT32, "", "Security parameters index of one that is created"},
              {"source", TraceType::STRING, "", "Sender of its packets"},
              {"destination", TraceType::STRING, "", "Receiver of its packets"}},
             "Security associations come and go; that one goes is told where an RNIC has ESP",
             true,
             &MakeAssociationSeries}};
}

} // namespace

TraceSeries::TraceSeries(TraceTable table)
    : m_table(std::move(table))
{
}

TraceSeries::~TraceSeries() = default;

TraceTable&
TraceSeries::GetTable()
{
    return m_table;
}

TraceTable
TraceShortName::MakeTable(std::size_t limit, TraceObjects& objects) const
{
    return {name, Join(sources), value, columns, limit, objects};
}

std::unique_ptr<TraceSeries>
MakeSourceSeries(TraceTable table, std::vector<TraceSource> sources, Time every)
{
    return std::make_unique<SourceSeries>(std::move(table), std::move(sources), every);
}

const std::vector<TraceShortName>&
ListShortTraces()
{
    static const std::vector<TraceShortName> all = [] {
        const auto U32 = TraceType::UINT32;
        std::vector<TraceShortName> list{
            {"goodput",
             {"FlowCollector"},
             true,
             MicroSeconds(100),
             true,
             {{"placed_octets", TraceType::INT64, "octets", "Payload placed in the interval"},
              {"goodput_bits_per_second", TraceType::DOUBLE, "bit/s", "The same over its time"}},
             "Payload of a flow at its receiver, over intervals that end then",
             true,
             &MakeGoodputSeries},
            Alias("cwnd",
                  {"TcpSocketBase.CongestionWindow"},
                  {"window_octets", U32, "octets", "Congestion window"},
                  "Congestion window of each end of a connection"),
            Alias("rtt",
                  {"TcpSocketBase.RTT"},
                  {"rtt_ns", TraceType::INT64, "ns", "Smoothed round-trip time"},
                  "Round-trip time that TCP reckons with"),
            Alias("flight",
                  {"TcpSocketBase.BytesInFlight"},
                  {"flight_octets", U32, "octets", "Octets sent and not known to have come"},
                  "Octets in flight as TCP estimates them"),
            {"rwnd",
             {"TcpSocketBase.AdvWND", "TcpSocketBase.RWND"},
             true,
             Time(0),
             true,
             {{"advertised_octets", U32, "octets", "Window that this end advertises"},
              {"peer_window_octets", U32, "octets", "Window that the peer advertises"}},
             "Receive windows, as either end sees them",
             true,
             &MakeWindowSeries},
            {"queue",
             {"QueueBase.PacketsInQueue", "QueueDisc.PacketsInQueue"},
             true,
             Time(0),
             true,
             {{"link", TraceType::STRING, "", "From which host or router to which"},
              {"queue_packets", U32, "packets", "Length, without the packet that is being sent"}},
             "Length of the queue of each link and direction, queue disc and device together",
             true,
             &MakeQueueSeries},
            Alias("reassembly",
                  {"MpaStream.ReassemblyMemory", "NvmeQueue.Held", "TlsStream.Held"},
                  {"held_octets", TraceType::UINT64, "octets", "Octets held"},
                  "Octets that a receiver holds until those in front of them come"),
        };
        for (auto& device : ListDeviceTraces())
        {
            list.push_back(std::move(device));
        }
        return list;
    }();
    return all;
}

} // namespace iwarp
} // namespace ns3
