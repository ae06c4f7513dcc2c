/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef IWARP_COLLECTOR_H
#define IWARP_COLLECTOR_H

#include "iwarp-metrics.h"

#include "ns3/simple-ref-count.h"

#include <string>

namespace ns3
{
namespace iwarp
{

class RankLedger;

/**
 * @ingroup iwarp-helper
 * @brief Base class of what watches a network, or something in it, and reports metrics.
 *
 * Its constructor connects to trace sources. Sinks that hold it by a Ptr keep it as long as the
 * sources. ScenarioNetwork::AddCollector() has it report.
 */
class Collector : public SimpleRefCount<Collector>
{
  public:
    /// What a report is of
    struct Period
    {
        std::string prefix; //!< of the metrics' names: "", or "plain_tcp_"
        double seconds;     //!< since Restart(), or since the first flow started
    };

    Collector();
    virtual ~Collector();
    Collector(const Collector&) = delete;
    Collector& operator=(const Collector&) = delete;

    /// The first flow starts, and other traffic may be there. Counts begin anew unless a subclass
    /// says otherwise.
    virtual void Begin();

    virtual void Restart(); //!< Begin to count anew, as all flows are warm

    /**
     * @brief Report when the simulation has ended.
     * @param metrics where to; they are declared by MetricDeclarations
     * @param period what is reported
     */
    virtual void Report(MetricSet& metrics, const Period& period) = 0;

    /// Give what this rank of a run has counted to another, or take that in, when the simulation
    /// has ended; NS_ABORT unless a subclass can. @param ledger of the ranks
    virtual void Share(RankLedger& ledger);

    /// Write what belongs to the pcap files of the hosts, before the simulation begins. @param
    /// prefix what their names begin with
    virtual void EnablePcap(const std::string& prefix) const;

    /// Tell why nothing that was reported holds. @return "", or one line
    virtual std::string FindFault() const;
};

} // namespace iwarp
} // namespace ns3

#endif // IWARP_COLLECTOR_H
