/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef ESP_ENGINE_H
#define ESP_ENGINE_H

#include "esp-work.h"

#include "ns3/nstime.h"
#include "ns3/object.h"

#include <cstdint>

namespace ns3
{

/**
 * @ingroup iwarp-ipsec
 * @brief Takes the time that ESP takes, aggregated to a node; without one ESP takes no time.
 *
 * A node whose RNIC does ESP has none: there the RNIC asks, see EspForecast.
 */
class EspEngine : public Object
{
  public:
    static TypeId GetTypeId(); //!< Get the type ID. @return the object TypeId

    /**
     * @brief A datagram comes to the engine now.
     *
     * Those of one association and direction leave in the order in which they came.
     * @param direction which way it goes
     * @param work what it needs
     * @return from now until it is through, 0 and more
     */
    virtual Time Serve(EspDirection direction, const EspWork& work) = 0;

    /// Drop what is kept of an association that is gone.
    /// @param direction of its packets @param association its number
    virtual void Release(EspDirection direction, uint64_t association) = 0;
};

} // namespace ns3

#endif // ESP_ENGINE_H
