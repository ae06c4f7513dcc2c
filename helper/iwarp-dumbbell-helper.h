/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef IWARP_DUMBBELL_HELPER_H
#define IWARP_DUMBBELL_HELPER_H

#include "iwarp-network.h"

namespace ns3
{

/**
 * @ingroup iwarp-helper
 * @brief A dumbbell: pairs of hosts that share one bottleneck link.
 *
 *     left 0 --- access ---+                         +--- access --- right 0
 *                          router -- bottleneck -- router
 *     left 1 --- access ---+                         +--- access --- right 1
 */
class IwarpDumbbellHelper : public IwarpNetwork
{
  public:
    /**
     * @param pairs pairs of hosts, at least 1
     * @param bottleneck the link between the routers
     * @param access each host's link
     * @param ipv6 use IPv6 rather than IPv4
     */
    IwarpDumbbellHelper(uint32_t pairs,
                        const Link& bottleneck,
                        const Link& access,
                        bool ipv6 = false);

    uint32_t GetLeft(uint32_t pair) const;  //!< @param pair from 0 @return index of its left host
    uint32_t GetRight(uint32_t pair) const; //!< @param pair from 0 @return index of its right host
};

} // namespace ns3

#endif // IWARP_DUMBBELL_HELPER_H
