/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef PATH_DIRECTION_H
#define PATH_DIRECTION_H

#include <cstdint>

namespace ns3
{

/**
 * @ingroup iwarp-path
 * @brief One of the two directions of a link, or of a box with two ports.
 */
enum class PathDirection : uint8_t
{
    A_TO_B, //!< from end A to end B
    B_TO_A, //!< from end B to end A
};

} // namespace ns3

#endif // PATH_DIRECTION_H
