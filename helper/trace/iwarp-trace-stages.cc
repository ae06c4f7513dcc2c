/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "iwarp-trace-series.h"

#include "ns3/rnic-datapath.h"
#include "ns3/rnic-server-stage.h"
#include "ns3/rnic.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <map>
#include <utility>

namespace ns3
{
namespace iwarp
{
namespace
{

constexpr double PS_IN_NS = 1000; //!< RNICs reckon in picoseconds

/// Stands in front of a stage of an RNIC and looks on.
class StageWatcher : public RnicStage
{
  public:
    /// @param stage what it stands in front of @param table where rows go @param object whose they
    /// are @param name index of the stage's word @param every interval of shares, ps; 0 for visits
    StageWatcher(RnicStage* stage, TraceTable& table, uint32_t object, int32_t name, RnicTime every)
        : m_stage(stage),
          m_server(FindServer(stage)),
          m_table(table),
          m_object(object),
          m_name(name),
          m_every(every)
    {
        UintegerValue engines(1);
        stage->GetAttributeFailSafe("Engines", engines);
        m_engines = static_cast<double>(engines.Get());
    }

    /// @param stage of an RNIC, or a watcher in front of it @return it, if it is a queue
    static const RnicServerStage* FindServer(const RnicStage* stage)
    {
        const auto* watcher = dynamic_cast<const StageWatcher*>(stage);
        return watcher ? watcher->m_server : dynamic_cast<const RnicServerStage*>(stage);
    }

    std::string Check() const override
    {
        return m_stage->Check();
    }

    bool IsIdeal() const override
    {
        return m_stage->IsIdeal();
    }

    bool KeepsOrder() const override
    {
        return m_stage->KeepsOrder();
    }

    RnicTime Reserve(RnicSegment& segment) override
    {
        return m_stage->Reserve(segment);
    }

    void Serve(RnicSegment& segment) override
    {
        const RnicTime before = segment.time;
        const RnicTime waited = m_server ? m_server->GetServer().GetWaited() : 0;
        const RnicTime busy = m_server ? m_server->GetServer().GetBusy() : 0;
        m_stage->Serve(segment);
        Visit visit;
        visit.waiting = m_server ? m_server->GetServer().GetWaited() - waited : 0;
        visit.busy = m_server ? m_server->GetServer().GetBusy() - busy : 0;
        const RnicTime known = before + visit.waiting + visit.busy;
        visit.stalled = segment.time > known ? segment.time - known : 0;
        if (m_every == 0)
        {
            Put(before, segment.connection ? segment.connection->key : 0, visit);
        }
        else if (m_table.IsOpen())
        {
            Spread(before + visit.waiting, visit.busy);
        }
    }

    void Flush() //!< take down the shares of all intervals
    {
        for (const auto& [interval, time] : m_busy)
        {
            const auto end = static_cast<int64_t>((interval + 1) * m_every);
            if (m_table.IsOpen() && m_table.Begin(PicoSeconds(end).GetTimeStep(), m_object))
            {
                auto& fields = m_table.GetFields();
                fields[0].Add(m_name);
                fields[1].Add(static_cast<double>(time) /
                              (static_cast<double>(m_every) * m_engines));
            }
        }
        m_busy.clear();
    }

  private:
    /// What a segment does there, ps
    struct Visit
    {
        RnicTime waiting; //!< for an engine
        RnicTime busy;    //!< an engine works
        RnicTime stalled; //!< the rest
    };

    /// @param begin ps, when it comes @param flow key of its connection @param visit what it does
    void Put(RnicTime begin, uint64_t flow, const Visit& visit)
    {
        if (m_table.IsOpen() &&
            m_table.Begin(PicoSeconds(static_cast<int64_t>(begin)).GetTimeStep(), m_object))
        {
            auto& fields = m_table.GetFields();
            fields[0].Add(m_name);
            fields[1].Add(flow);
            fields[2].Add(static_cast<double>(visit.waiting) / PS_IN_NS);
            fields[3].Add(static_cast<double>(visit.busy) / PS_IN_NS);
            fields[4].Add(static_cast<double>(visit.stalled) / PS_IN_NS);
        }
    }

    /// @param begin ps, when an engine begins @param time ps, for which it works
    void Spread(RnicTime begin, RnicTime time)
    {
        while (time > 0)
        {
            const RnicTime left = std::min(time, m_every - begin % m_every);
            m_busy[begin / m_every] += left;
            begin += left;
            time -= left;
        }
    }

    RnicStage* m_stage;                  //!< what it stands in front of
    const RnicServerStage* m_server;     //!< the same, if it is a queue
    TraceTable& m_table;                 //!< where rows go
    uint32_t m_object;                   //!< whose they are
    int32_t m_name;                      //!< the stage's word
    RnicTime m_every;                    //!< ps, or 0
    double m_engines{1};                 //!< of the stage
    std::map<RnicTime, RnicTime> m_busy; //!< ps of work in intervals, by number
};

/// Takes down what goes on in stages of RNICs.
class StageSeries : public TraceSeries
{
  public:
    /// @param table without rows @param every interval of shares; 0 for visits
    StageSeries(TraceTable table, Time every)
        : TraceSeries(std::move(table)),
          m_every(static_cast<RnicTime>(every.GetPicoSeconds()))
    {
    }

    void Meet(Object& object, uint32_t index) override
    {
        auto* rnic = dynamic_cast<Rnic*>(&object);
        if (!rnic)
        {
            return;
        }
        rnic->GetDatapath().Watch([this, index](const std::string& name, RnicStage* stage) {
            if (m_every > 0 && !StageWatcher::FindServer(stage))
            {
                return stage;
            }
            const int32_t word = m_table.GetFields()[0].Learn(name);
            m_watchers.push_back(
                CreateObject<StageWatcher>(stage, m_table, index, word, m_every));
            return static_cast<RnicStage*>(PeekPointer(m_watchers.back()));
        });
    }

    void Flush() override
    {
        for (const auto& watcher : m_watchers)
        {
            watcher->Flush();
        }
    }

  private:
    RnicTime m_every;                          //!< ps, or 0
    std::vector<Ptr<StageWatcher>> m_watchers; //!< of all stages
};

} // namespace

std::unique_ptr<TraceSeries>
MakeStageSeries(const TraceShortName& name, Time every, std::size_t limit, TraceObjects& objects)
{
    return std::make_unique<StageSeries>(name.MakeTable(limit, objects), every);
}

} // namespace iwarp
} // namespace ns3
