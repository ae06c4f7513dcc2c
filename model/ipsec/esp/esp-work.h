/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef ESP_WORK_H
#define ESP_WORK_H

#include "esp-format.h"

#include <cstdint>

namespace ns3
{

/// @ingroup iwarp-ipsec
/// @brief What ESP has to do for a datagram, as far as it takes time. All sizes are in octets.
struct EspWork
{
    uint64_t association{0}; //!< its number: of a node's associations of one direction no two ever
                             //!< have the same
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

    /// As above, of sizes that are known. @param number of the association @param encapsulation
    /// what it makes of sizes @param sizes of the ESP packet @param datagram octets without ESP
    /// @param header octets of its IP header
    EspWork(uint64_t number,
            const EspEncapsulation& encapsulation,
            const EspSizes& sizes,
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

} // namespace ns3

#endif // ESP_WORK_H
