/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef IKE_CHILD_H
#define IKE_CHILD_H

#include "ns3/esp-codec.h"
#include "ns3/ipsec-selector.h"

#include <cstdint>

namespace ns3
{

/// @ingroup iwarp-ipsec
/// @brief A pair of associations, one each way, as one of the ends sees it.
struct IkeChild
{
    uint32_t inbound{0};   //!< SPI that this end receives by
    uint32_t outbound{0};  //!< SPI that this end sends by
    bool initiator{false}; //!< this end asked for it
    uint64_t nonces[2]{};  //!< of who asked and of who answered: keys follow from both
    uint32_t replaces{0};  //!< inbound SPI of what it takes over from; 0: nothing
    IpsecFlow traffic;     //!< what it is for, as this end sends it

    /**
     * @brief Find the keys of one direction: both ends find the same ones.
     * @param transform cipher and integrity
     * @param out that in which this end sends; otherwise that in which it receives
     * @return keys of the right sizes, equal in each run; they keep nothing secret
     */
    EspKeys GetKeys(const EspTransform& transform, bool out) const;
};

} // namespace ns3

#endif // IKE_CHILD_H
