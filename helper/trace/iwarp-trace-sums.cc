/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "iwarp-trace-goodput.h"
#include "iwarp-trace-series.h"
#include "iwarp-trace-words.h"

#include "ns3/esp-forecast.h"
#include "ns3/ipsec-keying.h"
#include "ns3/rnic.h"

#include <algorithm>
#include <array>
#include <utility>

namespace ns3
{
namespace iwarp
{
namespace
{

/// Counts what an RNIC looks for in its caches.
class CacheCounts : public SimpleRefCount<CacheCounts>
{
  public:
    /// @param table where rows go @param object whose they are @param every time steps
    CacheCounts(TraceTable& table, uint32_t object, int64_t every)
        : m_table(table),
          m_object(object),
          m_every(every)
    {
    }

    /// @param cache which @param hit the entry was there
    void Count(Rnic::Cache cache, uint64_t /* key */, bool hit)
    {
        Sum& sum = m_sums[static_cast<std::size_t>(cache)];
        const int64_t end = (Simulator::Now().GetTimeStep() / m_every + 1) * m_every;
        if (end != sum.end)
        {
            Flush(cache);
            sum = {end, 0, 0};
        }
        sum.accesses++;
        sum.hits += hit;
    }

    void Flush() //!< take down what is counted
    {
        Flush(Rnic::Cache::CONTEXT);
        Flush(Rnic::Cache::TRANSLATION);
    }

  private:
    /// Counts of an interval
    struct Sum
    {
        int64_t end;       //!< time step
        uint32_t accesses; //!< what was looked for
        uint32_t hits;     //!< of these, found
    };

    void Flush(Rnic::Cache cache) //!< @param cache whose counts are taken down
    {
        const Sum& sum = m_sums[static_cast<std::size_t>(cache)];
        const int64_t time = std::min(sum.end, Simulator::Now().GetTimeStep());
        if (sum.accesses > 0 && m_table.IsOpen() && m_table.Begin(time, m_object))
        {
            auto& fields = m_table.GetFields();
            fields[0].AddWord(NameTraced(cache));
            fields[1].Add(sum.accesses);
            fields[2].Add(sum.hits);
            fields[3].Add(static_cast<double>(sum.hits) / sum.accesses);
        }
    }

    TraceTable& m_table;         //!< where rows go
    uint32_t m_object;           //!< whose they are
    int64_t m_every;             //!< time steps of an interval
    std::array<Sum, 2> m_sums{}; //!< by cache
};

/// Takes down the share of hits in caches.
class CacheSeries : public TraceSeries
{
  public:
    /// @param table without rows @param every what is summed up over
    CacheSeries(TraceTable table, Time every)
        : TraceSeries(std::move(table)),
          m_every(every.GetTimeStep())
    {
    }

    void Meet(Object& object, uint32_t index) override
    {
        if (dynamic_cast<Rnic*>(&object))
        {
            m_counts.push_back(Create<CacheCounts>(m_table, index, m_every));
            object.TraceConnectWithoutContext("CacheAccess",
                                              MakeCallback(&CacheCounts::Count, m_counts.back()));
        }
    }

    void Flush() override
    {
        for (const auto& counts : m_counts)
        {
            counts->Flush();
        }
    }

  private:
    int64_t m_every;                        //!< time steps of an interval
    std::vector<Ptr<CacheCounts>> m_counts; //!< of each RNIC
};

/// Takes down what becomes of associations.
class AssociationEvents : public SimpleRefCount<AssociationEvents>
{
  public:
    /// @param table where rows go @param object whose they are
    AssociationEvents(TraceTable& table, uint32_t object)
        : m_table(table),
          m_object(object)
    {
    }

    /// @param config of an association that is made
    void Created(const IpsecAssociationConfig& config)
    {
        Add("created", "", 0, config.spi, config.source.ToString(), config.destination.ToString());
    }

    /// @param direction of one that is gone @param association its number
    void Gone(EspDirection direction, uint64_t association)
    {
        Add("gone", NameTraced(direction), association, 0, "", "");
    }

  private:
    /// @param event word @param direction word @param association number @param spi of it
    /// @param source of its packets @param destination of its packets
    void Add(const std::string& event,
             const std::string& direction,
             uint64_t association,
             uint32_t spi,
             const std::string& source,
             const std::string& destination)
    {
        if (m_table.Begin(m_object))
        {
            auto& fields = m_table.GetFields();
            fields[0].AddWord(event);
            fields[1].AddWord(direction);
            fields[2].Add(association);
            fields[3].Add(spi);
            fields[4].AddWord(source);
            fields[5].AddWord(destination);
        }
    }

    TraceTable& m_table; //!< where rows go
    uint32_t m_object;   //!< whose they are
};

/// Takes down that associations come and go.
class AssociationSeries : public TraceSeries
{
  public:
    /// @param table without rows
    explicit AssociationSeries(TraceTable table)
        : TraceSeries(std::move(table))
    {
    }

    void Meet(Object& object, uint32_t index) override
    {
        const auto events = Create<AssociationEvents>(m_table, index);
        if (dynamic_cast<IpsecKeying*>(&object))
        {
            object.TraceConnectWithoutContext("Created",
                                              MakeCallback(&AssociationEvents::Created, events));
        }
        else if (dynamic_cast<EspForecast*>(&object))
        {
            object.TraceConnectWithoutContext("AssociationGone",
                                              MakeCallback(&AssociationEvents::Gone, events));
        }
    }

    void Flush() override
    {
    }
};

} // namespace

std::unique_ptr<TraceSeries>
MakeCacheSeries(const TraceShortName& name, Time every, std::size_t limit, TraceObjects& objects)
{
    return std::make_unique<CacheSeries>(name.MakeTable(limit, objects), every);
}

std::unique_ptr<TraceSeries>
MakeAssociationSeries(const TraceShortName& name,
                      Time /* every */,
                      std::size_t limit,
                      TraceObjects& objects)
{
    return std::make_unique<AssociationSeries>(name.MakeTable(limit, objects));
}

std::unique_ptr<TraceSeries>
MakeGoodputSeries(const TraceShortName& name, Time every, std::size_t limit, TraceObjects& objects)
{
    return std::make_unique<GoodputSeries>(name.MakeTable(limit, objects), every, objects);
}

} // namespace iwarp
} // namespace ns3
