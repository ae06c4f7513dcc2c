/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef IWARP_LINK_SETTINGS_H
#define IWARP_LINK_SETTINGS_H

#include "ns3/data-rate.h"
#include "ns3/iwarp-queue-disc.h"
#include "ns3/nstime.h"
#include "ns3/queue-size.h"

#include <optional>
#include <string>

namespace ns3
{
namespace iwarp
{

/**
 * @ingroup iwarp-helper
 * @brief What a link between routers has in place of what its topology's attributes say.
 */
struct LinkSettings
{
    std::optional<DataRate> rate;       //!< in place of LinkRate
    std::optional<Time> delay;          //!< one way, in place of Delay or that of the distance
    std::optional<QueueDiscKind> queue; //!< in place of QueueDisc
    std::optional<QueueSize> buffer;    //!< in place of QueueSize
    std::string where;                  //!< file and line that say so

    /// Set one of them. @param column rate, delay, queue or buffer @param text as the attribute
    /// takes it; "" leaves it as the attribute says @return "", or what is wrong in one line
    std::string Set(const std::string& column, const std::string& text);
};

} // namespace iwarp
} // namespace ns3

#endif // IWARP_LINK_SETTINGS_H
