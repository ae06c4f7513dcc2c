/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef PATH_LINK_SCHEDULE_H
#define PATH_LINK_SCHEDULE_H

#include "ns3/data-rate.h"
#include "ns3/nstime.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup iwarp-path
 * @brief A change of a link, both directions of it, while packets cross it.
 */
struct PathLinkChange
{
    /// What changes.
    enum class Kind : uint8_t
    {
        RATE,  //!< the rate, from the next packet on
        DELAY, //!< the propagation delay, from the next packet on
        MTU,   //!< the MTU, from the next datagram on
        DOWN,  //!< whatever would arrive is lost
        UP,    //!< no longer
    };

    Time at;             //!< when, simulated time
    Kind kind{Kind::UP}; //!< what
    DataRate rate;       //!< new rate, more than 0
    Time delay;          //!< new delay, not negative
    uint32_t mtu{0};     //!< new MTU, 68 to 65535 octets
};

/**
 * @ingroup iwarp-path
 * @brief Read the changes of a link, such as 10ms:rate=1Gbps,20ms:delay=1ms,25ms:mtu=1000,30ms:down,31ms:up.
 * @param text changes, separated by commas, each with its time
 * @param [out] changes them
 * @return "", or one line that says what is wrong
 */
std::string ParseLinkSchedule(const std::string& text, std::vector<PathLinkChange>& changes);

} // namespace ns3

#endif // PATH_LINK_SCHEDULE_H
