/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef ESP_ENGINE_H
#define ESP_ENGINE_H

#include "esp-format.h"

#include "ns3/nstime.h"
#include "ns3/object.h"

#include <cstdint>

namespace ns3
{

/// @ingroup iwarp-ipsec
/// @brief What ESP has to do for a datagram, as far as it takes time. All sizes are in octets.
struct EspWork
{
    uint64_t association{0};                //!< its number: of a node's associations, inbound and
                                            //!< outbound, no two ever have the same
    const EspTransform* transform{nullptr}; //!< cipher and integrity
    uint32_t ciphered{0};                   //!< that the cipher works on
    uint32_t clear{0};                      //!< of the IP datagram without ESP
    uint32_t sealed{0};                     //!< of the IP datagram with ESP

    EspWork() = default;

    /**
     * @brief Describe what a datagram needs.
     * @param number of the association
     * @param encapsulation what the association makes of sizes
     * @param datagram octets of the IP datagram without ESP
     * @param header octets of its IP header, as for EspEncapsulation::GetSizes()
     */
    EspWork(uint64_t number,
            const EspEncapsulation& encapsulation,
            uint32_t datagram,
            uint32_t header);
};

/// @ingroup iwarp-ipsec
/// @brief Which way a datagram goes through ESP.
enum class EspDirection : uint8_t
{
    OUTBOUND, //!< it is protected
    INBOUND,  //!< protection is taken off
};

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

    /// Drop what is kept of an association that is gone. @param association its number
    virtual void Forget(uint64_t association) = 0;
};

} // namespace ns3

#endif // ESP_ENGINE_H
