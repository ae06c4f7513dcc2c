/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef IWARP_PAUSE_WATCH_H
#define IWARP_PAUSE_WATCH_H

#include "iwarp-collector.h"

#include "ns3/iwarp-topology.h"
#include "ns3/nstime.h"
#include "ns3/path-pause.h"

#include <cstdint>
#include <vector>

namespace ns3
{

class IwarpNetwork;

namespace iwarp
{

/**
 * @ingroup iwarp-helper
 * @brief Tells for how long a network's links pause, and what its switches drop for want of memory.
 *
 * A host is a victim of others' congestion if it sends, and to none to which others send as well:
 * where no link between routers is too slow, it has no part in what fills a switch.
 */
class PauseWatch : public Collector
{
  public:
    /// What is told of a network
    struct Scope
    {
        bool pauses; //!< pauses
        bool memory; //!< memory of switches
    };

    /// Watch a network. @param network outlives this @param ends pairs of hosts with flows
    /// @param scope of reports
    PauseWatch(const IwarpNetwork& network, const IwarpTopology::Ends& ends, Scope scope);
    ~PauseWatch() override;

    void Restart() override;
    void Report(MetricSet& metrics, const Period& period) override;

    /// Tell for how long a host paused. @param host its index @return time since Restart()
    Time GetPaused(uint32_t host) const;

    /// List the victims. @return indices of hosts
    const std::vector<uint32_t>& GetVictims() const;

  private:
    /// What is counted of all links and switches
    struct Totals
    {
        Time paused;            //!< of all ends of links
        std::vector<Time> host; //!< of each host
        uint64_t pauses{0};     //!< pause frames
        PathPause::Drops drops; //!< for want of memory
    };

    Totals Count() const; //!< @return what has been so far
    /// @param metrics where to @param period of the report @param now what has been so far
    void ReportPauses(MetricSet& metrics, const Period& period, const Totals& now) const;
    /// @param metrics where to @param period of the report @param now what has been so far
    void ReportMemory(MetricSet& metrics, const Period& period, const Totals& now) const;

    const IwarpNetwork& m_network;   //!< links
    Scope m_scope;                   //!< of reports
    std::vector<uint32_t> m_senders; //!< hosts that send
    std::vector<uint32_t> m_victims; //!< those of them that are victims
    Totals m_before;                 //!< what does not count
};

} // namespace iwarp
} // namespace ns3

#endif // IWARP_PAUSE_WATCH_H
