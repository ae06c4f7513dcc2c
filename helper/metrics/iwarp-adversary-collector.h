/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef IWARP_ADVERSARY_COLLECTOR_H
#define IWARP_ADVERSARY_COLLECTOR_H

#include "iwarp-collector.h"

#include "ns3/path-adversary-middlebox.h"

#include <cstdint>
#include <vector>

namespace ns3
{
namespace iwarp
{

/**
 * @ingroup iwarp-helper
 * @brief Counts what adversaries on the path do.
 */
class AdversaryCollector : public Collector
{
  public:
    /// Follow them. @param boxes all of the network
    explicit AdversaryCollector(const std::vector<Ptr<PathAdversaryMiddlebox>>& boxes);

    void Restart() override;
    void Report(MetricSet& metrics, const Period& period) override;

  private:
    uint64_t Sum() const; //!< @return acts so far

    std::vector<Ptr<PathAdversaryMiddlebox>> m_boxes; //!< all
    uint64_t m_before{0};                             //!< acts that do not count
};

} // namespace iwarp
} // namespace ns3

#endif // IWARP_ADVERSARY_COLLECTOR_H
