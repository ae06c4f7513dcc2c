/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RNIC_ESP_DESIGN_H
#define RNIC_ESP_DESIGN_H

#include "rnic-design.h"

#include <cstdint>
#include <string>

namespace ns3
{

/// @ingroup iwarp-rnic
/// @brief Where ESP is done.
enum class EspPlace : uint8_t
{
    INLINE,    //!< in the RNIC, between TCP and the link
    LOOKASIDE, //!< across the host interface
    SOFTWARE,  //!< by the host's CPUs
};

namespace rnic
{

/**
 * @ingroup iwarp-rnic
 * @brief Give a design stages TxEsp and RxEsp.
 *
 * Inline they stand next to the link, behind what segments and before what gathers; elsewhere they
 * stand before a driver's segmentation offload and behind its receive offload, which can do nothing
 * with what is protected.
 * @param design what gets them; its kind of receiver is not to be changed then
 * @param place where ESP is done
 * @return what is wrong, for people; empty if nothing
 */
std::string AddEsp(RnicDesign& design, EspPlace place);

} // namespace rnic

} // namespace ns3

#endif // RNIC_ESP_DESIGN_H
