/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef IWARP_ESP_COLLECTOR_H
#define IWARP_ESP_COLLECTOR_H

#include "iwarp-collector.h"

#include "ns3/rnic-datapath.h"

#include <array>
#include <cstdint>
#include <vector>

namespace ns3
{
namespace iwarp
{

/**
 * @ingroup iwarp-helper
 * @brief Follows what does ESP at all hosts: how long it works, how long packets are there, and
 * how often it lacks a context.
 */
class EspCollector : public Collector
{
  public:
    /// Follow it. @param paths stages and resources, TxEsp and RxEsp among them, which live until
    /// Report()
    explicit EspCollector(const std::vector<RnicDatapath*>& paths);

    void Restart() override;
    void Report(MetricSet& metrics, const Period& period) override;

  private:
    /// What was done each way.
    struct Way
    {
        double packets{0};     //!< packets
        double work{0};        //!< s
        double contextWait{0}; //!< s
        double spent{0};       //!< s
    };

    /// What was done.
    struct Sums
    {
        std::array<Way, 2> ways; //!< out and in
        double hits{0};          //!< contexts that were there
        double misses{0};        //!< contexts that were not
    };

    Sums Read() const; //!< @return all since the start

    std::vector<RnicDatapath*> m_paths; //!< what is followed
    std::array<double, 2> m_workers{};  //!< engines or CPUs, out and in
    Sums m_before;                      //!< at the last Restart(), if there was one
};

} // namespace iwarp
} // namespace ns3

#endif // IWARP_ESP_COLLECTOR_H
