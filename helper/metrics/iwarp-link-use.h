/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef IWARP_LINK_USE_H
#define IWARP_LINK_USE_H

#include "iwarp-collector.h"

#include "ns3/nstime.h"
#include "ns3/packet.h"
#include "ns3/ptr.h"

#include <vector>

namespace ns3
{

class IwarpNetwork;

namespace iwarp
{

/**
 * @ingroup iwarp-helper
 * @brief Tells how busy the busiest link of a network is, gaps between frames included.
 */
class LinkUse : public Collector
{
  public:
    /// Watch both directions of all links. @param network its links, which outlive this
    explicit LinkUse(const IwarpNetwork& network);
    ~LinkUse() override;

    void Restart() override;
    void Report(MetricSet& metrics, const Period& period) override;
    void Share(RankLedger& ledger) override;

    /// Find the busiest link. @return longest time for which a device has been sending so far,
    /// from the first bit of each frame to the end of the gap behind it
    Time GetBusiest() const;

  private:
    /// A device at the end of a link
    struct Meter
    {
        Time begin; //!< when its last frame began
        Time busy;  //!< time that frames took

        void Begin(Ptr<const Packet> packet); //!< @param packet whose frame begins
        void End(Ptr<const Packet> packet);   //!< @param packet whose frame and gap are over
    };

    std::vector<Meter> m_meters; //!< two for each link
    Time m_elsewhere;            //!< GetBusiest() of other ranks
};

} // namespace iwarp
} // namespace ns3

#endif // IWARP_LINK_USE_H
