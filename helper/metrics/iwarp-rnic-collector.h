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
#include <cstdint>
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
    /// Follow an RNIC more. @param rnic whose simulation has not begun
    void Attach(Ptr<Rnic> rnic);

    void Begin() override;   //!< What RNICs do counts from the start of the simulation.
    void Restart() override; //!< Begin to count anew; what the RNICs hold stays
    /// Report while the RNICs are still there. @param metrics where to @param period what
    void Report(MetricSet& metrics, const Period& period) override;

  private:
    /// Report what an RNIC itself counts. @param rnic it @param metrics where to
    static void ReportRnic(const Ptr<Rnic>& rnic, MetricSet& metrics);
    /// Report records that were worked on beside TCP. @param counters of an RNIC @param metrics
    /// where to
    static void ReportOffload(const RnicOffloadCounters& counters, MetricSet& metrics);

    /// Read what all RNICs have done since they started. @return their loads, one RNIC's after
    /// another's
    std::vector<RnicLoad> ReadLoads() const;

    // trace sinks, named after the sources
    void MemoryHeld(uint64_t before, uint64_t after);                      //!< Rnic, MemoryHeld
    void Receive(uint64_t flow, uint32_t frame, Time delay);               //!< Rnic, Receive
    void Placed(uint64_t flow, uint64_t octets, Time delay, bool aligned); //!< Rnic, Placed
    void Drop(uint64_t flow, uint32_t octets, Rnic::DropReason reason);    //!< Rnic, Drop

    std::vector<Rnic*> m_rnics;          //!< what is followed, and holds this by its traces
    LevelOverTime m_held;                //!< octets in reassembly memories
    SampleSet m_receiveDelay;            //!< from the link to TCP
    SampleSet m_placeDelay;              //!< from TCP to the host's sight
    std::array<uint64_t, 4> m_drops{};   //!< segments dropped, by reason
    std::array<uint64_t, 4> m_dropped{}; //!< their octets, by reason
    std::vector<RnicLoad> m_loadsBefore; //!< at the last Restart(), if there was one
};

} // namespace iwarp
} // namespace ns3

#endif // IWARP_RNIC_COLLECTOR_H
