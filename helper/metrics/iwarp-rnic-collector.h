/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef IWARP_RNIC_COLLECTOR_H
#define IWARP_RNIC_COLLECTOR_H

#include "iwarp-collector.h"
#include "iwarp-rnic-load.h"

#include "ns3/rnic.h"
#include "ns3/util-sample-set.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

namespace ns3
{
namespace iwarp
{

/**
 * @ingroup iwarp-helper
 * @brief Follows the RNICs of receiving hosts by their traces: memories, drops, times, operations.
 */
class RnicCollector : public Collector
{
  public:
    RnicCollector(); //!< Follow none

    /// Follow an RNIC more. @param rnic whose simulation has not begun
    void Attach(Ptr<Rnic> rnic);

    void Begin() override;   //!< What RNICs do counts from the start of the simulation.
    void Restart() override; //!< Begin to count anew; what the RNICs hold stays
    /// Report while the RNICs are still there. @param metrics where to @param period what
    void Report(MetricSet& metrics, const Period& period) override;
    void Share(RankLedger& ledger) override;

  private:
    /// Something that happens in an RNIC
    struct Event
    {
        /// What it is
        enum class Kind : uint8_t
        {
            HELD,     //!< reassembly memory: octets before and after
            RECEIVED, //!< a frame came to TCP: delay, time steps
            PLACED,   //!< the host sees what a segment brought: delay, time steps
        };

        int64_t time;    //!< when, time steps
        uint64_t first;  //!< what the kind says
        uint64_t second; //!< likewise
        Kind kind;       //!< what it is
    };

    /// Reckon with what happens now, or take it down. @param kind of it @param first what the kind
    /// says @param second likewise
    void Tell(Event::Kind kind, uint64_t first, uint64_t second = 0);
    void Handle(const Event& event); //!< Reckon with what has happened. @param event it
    /// Report what an RNIC itself counts and has done. @param index of it @param metrics where to
    void ReportOne(std::size_t index, MetricSet& metrics) const;
    /// Read what an RNIC has done since it started. @param index of it @return its loads
    std::vector<RnicLoad> ReadLoads(std::size_t index) const;
    /// Report what an RNIC itself counts. @param rnic it @param metrics where to
    static void ReportRnic(const Ptr<Rnic>& rnic, MetricSet& metrics);
    /// Report records that were worked on beside TCP. @param counters of an RNIC @param metrics
    /// where to
    static void ReportOffload(const RnicOffloadCounters& counters, MetricSet& metrics);

    // trace sinks, named after the sources
    void MemoryHeld(uint64_t before, uint64_t after);                      //!< Rnic, MemoryHeld
    void Receive(uint64_t flow, uint32_t frame, Time delay);               //!< Rnic, Receive
    void Placed(uint64_t flow, uint64_t octets, Time delay, bool aligned); //!< Rnic, Placed
    void Drop(uint64_t flow, uint32_t octets, Rnic::DropReason reason);    //!< Rnic, Drop

    std::vector<Rnic*> m_rnics;  //!< what is followed, and holds this by its traces
    bool m_isTakenDown;          //!< what happens is reckoned with at the end, in ranks
    std::vector<Event> m_events; //!< what was taken down, in the order of time
    std::map<uint64_t, MetricSet> m_elsewhere; //!< what RNICs of other ranks count, by index
    LevelOverTime m_held;                      //!< octets in reassembly memories
    SampleSet m_receiveDelay;                  //!< from the link to TCP
    SampleSet m_placeDelay;                    //!< from TCP to the host's sight
    std::array<uint64_t, 4> m_drops{};         //!< segments dropped, by reason
    std::array<uint64_t, 4> m_dropped{};       //!< their octets, by reason
    /// of each RNIC at the last Restart(), if there was one
    std::vector<std::vector<RnicLoad>> m_loadsBefore;
};

} // namespace iwarp
} // namespace ns3

#endif // IWARP_RNIC_COLLECTOR_H
