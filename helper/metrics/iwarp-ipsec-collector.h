/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef IWARP_IPSEC_COLLECTOR_H
#define IWARP_IPSEC_COLLECTOR_H

#include "iwarp-collector.h"

#include "ns3/ike-keying.h"
#include "ns3/ipsec-helper.h"
#include "ns3/ipsec-stack.h"
#include "ns3/ipsec-tap.h"

#include <cstdint>
#include <vector>

namespace ns3
{
namespace iwarp
{

/**
 * @ingroup iwarp-helper
 * @brief Follows IPsec at all nodes: packets, drops, associations, and what links show in clear.
 */
class IpsecCollector : public Collector
{
  public:
    /// Follow keying. @param helper that has installed none yet, with its keying @param real octets
    /// are enciphered, so that there are keys
    IpsecCollector(const IpsecHelper& helper, bool real);

    void Attach(Ptr<IpsecStack> stack); //!< Follow a node. @param stack its IPsec
    void SetTap(Ptr<IpsecTap> tap);     //!< Watch links. @param tap on all of them

    void Restart() override;
    void Report(MetricSet& metrics, const Period& period) override;
    std::string FindFault() const override;
    void EnablePcap(const std::string& prefix) const override;

  private:
    /// What all nodes have counted together
    struct Totals
    {
        IpsecStack::Counters counters; //!< of all nodes
        uint64_t associations{0};      //!< made
        uint64_t replaced{0};          //!< pairs that took over from others
        uint64_t deleted{0};           //!< pairs deleted for being idle
        uint64_t evicted{0};           //!< associations that made room for others
    };

    /// @param config of an association
    void NotifyCreated(const IpsecAssociationConfig& config);
    Totals Sum() const; //!< @return counts so far

    IpsecHelper m_helper;                  //!< for the keys
    bool m_real;                           //!< there are keys
    Ptr<IkeKeying> m_exchange;             //!< key exchange, or nullptr
    std::vector<Ptr<IpsecStack>> m_stacks; //!< of all nodes that have it
    Ptr<IpsecTap> m_tap;                   //!< on all links
    uint64_t m_associations{0};            //!< made
    Totals m_before;                       //!< what does not count
};

} // namespace iwarp
} // namespace ns3

#endif // IWARP_IPSEC_COLLECTOR_H
