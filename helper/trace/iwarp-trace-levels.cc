/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "iwarp-trace-series.h"

#include "ns3/channel.h"
#include "ns3/iwarp-network.h"
#include "ns3/node.h"
#include "ns3/point-to-point-net-device.h"
#include "ns3/queue-disc.h"
#include "ns3/queue.h"
#include "ns3/tcp-socket-base.h"
#include "ns3/traffic-control-layer.h"

#include <algorithm>
#include <array>
#include <utility>

namespace ns3
{
namespace iwarp
{
namespace
{

/// Takes two levels of an object down, or the sum of both behind a word.
class Levels : public SimpleRefCount<Levels>
{
  public:
    /// @param table where rows go @param object whose they are @param every time steps, or 0
    /// @param word index of the word that is the first field of a row of the sum; -1 for both
    Levels(TraceTable& table, uint32_t object, int64_t every, int32_t word)
        : m_table(table),
          m_object(object),
          m_every(every),
          m_word(word)
    {
    }

    /// @param now the first level
    void SetFirst(uint32_t /* before */, uint32_t now)
    {
        Set(0, now);
    }

    /// @param now the second level
    void SetSecond(uint32_t /* before */, uint32_t now)
    {
        Set(1, now);
    }

    void Flush() //!< take down a sample that is due
    {
        if (m_next > 0 && m_table.Begin(std::min(m_next, Now()), m_object))
        {
            Put();
        }
        m_next = 0;
    }

  private:
    static int64_t Now() //!< @return time step
    {
        return Simulator::Now().GetTimeStep();
    }

    /// @param which of the levels @param now what it is
    void Set(std::size_t which, uint32_t now)
    {
        if (m_every == 0)
        {
            m_levels[which] = now;
            if (m_table.Begin(m_object))
            {
                Put();
            }
            return;
        }
        const int64_t next = (Now() / m_every + 1) * m_every;
        if (m_table.IsOpen() && next != m_next)
        {
            Flush();
            m_next = next;
        }
        m_levels[which] = now;
    }

    void Put() //!< fill a row
    {
        auto& fields = m_table.GetFields();
        if (m_word < 0)
        {
            fields[0].Add(m_levels[0]);
            fields[1].Add(m_levels[1]);
        }
        else
        {
            fields[0].Add(m_word);
            fields[1].Add(m_levels[0] + m_levels[1]);
        }
    }

    TraceTable& m_table;                //!< where rows go
    uint32_t m_object;                  //!< whose they are
    int64_t m_every;                    //!< time steps between samples, or 0
    int32_t m_word;                     //!< first field, or -1
    int64_t m_next{0};                  //!< time step of the sample that is due, or 0
    std::array<uint32_t, 2> m_levels{}; //!< levels
};

/// Takes levels of objects down.
class LevelSeries : public TraceSeries
{
  public:
    /// @param table without rows @param every between samples, or 0
    LevelSeries(TraceTable table, Time every)
        : TraceSeries(std::move(table)),
          m_every(every.GetTimeStep())
    {
    }

    void Flush() override
    {
        for (const auto& levels : m_levels)
        {
            levels->Flush();
        }
    }

  protected:
    /// @param index of an object @param word see Levels @return what takes it down
    Ptr<Levels> Make(uint32_t index, int32_t word)
    {
        const auto levels = Create<Levels>(m_table, index, m_every, word);
        if (m_every > 0)
        {
            m_levels.push_back(levels);
        }
        return levels;
    }

  private:
    int64_t m_every;                   //!< time steps between samples, or 0
    std::vector<Ptr<Levels>> m_levels; //!< what has samples that wait
};

/// Takes receive windows down.
class WindowSeries : public LevelSeries
{
  public:
    using LevelSeries::LevelSeries;

    void Meet(Object& object, uint32_t index) override
    {
        if (dynamic_cast<TcpSocketBase*>(&object))
        {
            const auto levels = Make(index, -1);
            object.TraceConnectWithoutContext("AdvWND", MakeCallback(&Levels::SetFirst, levels));
            object.TraceConnectWithoutContext("RWND", MakeCallback(&Levels::SetSecond, levels));
        }
    }
};

/// Takes the lengths of queues down.
class QueueSeries : public LevelSeries
{
  public:
    /// @param table without rows @param every between samples, or 0 @param objects with names
    QueueSeries(TraceTable table, Time every, const TraceObjects& objects)
        : LevelSeries(std::move(table), every),
          m_objects(objects)
    {
    }

    void Meet(Object& object, uint32_t index) override
    {
        auto* device = dynamic_cast<PointToPointNetDevice*>(&object);
        if (!device || !device->GetQueue() || !device->GetChannel())
        {
            return;
        }
        const auto levels =
            Make(index, m_table.GetFields()[0].Learn(NameLink(*device, *device->GetChannel())));
        device->GetQueue()->TraceConnectWithoutContext("PacketsInQueue",
                                                       MakeCallback(&Levels::SetFirst, levels));
        if (!device->GetNode()->GetObject<TrafficControlLayer>())
        { // a middlebox
            return;
        }
        if (const auto disc = IwarpNetwork::GetQueueDisc(Ptr<NetDevice>(device)))
        {
            disc->TraceConnectWithoutContext("PacketsInQueue",
                                             MakeCallback(&Levels::SetSecond, levels));
        }
    }

  private:
    /// @param device at one end @param channel it is on @return "from to to"
    std::string NameLink(const NetDevice& device, const Channel& channel) const
    {
        std::string peer;
        for (std::size_t i = 0; i < channel.GetNDevices(); i++)
        {
            const auto other = channel.GetDevice(i);
            peer = PeekPointer(other) != &device ? GetHost(*other) : peer;
        }
        return GetHost(device) + " to " + peer;
    }

    /// @param device of a node @return its name
    std::string GetHost(const NetDevice& device) const
    {
        return m_objects.GetHost(static_cast<int32_t>(device.GetNode()->GetId()));
    }

    const TraceObjects& m_objects; //!< with names
};

} // namespace

std::unique_ptr<TraceSeries>
MakeQueueSeries(const TraceShortName& name, Time every, std::size_t limit, TraceObjects& objects)
{
    return std::make_unique<QueueSeries>(name.MakeTable(limit, objects), every, objects);
}

std::unique_ptr<TraceSeries>
MakeWindowSeries(const TraceShortName& name, Time every, std::size_t limit, TraceObjects& objects)
{
    return std::make_unique<WindowSeries>(name.MakeTable(limit, objects), every);
}

} // namespace iwarp
} // namespace ns3
