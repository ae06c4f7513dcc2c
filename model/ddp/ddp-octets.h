/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DDP_OCTETS_H
#define DDP_OCTETS_H

#include <boost/endian/conversion.hpp>
#include <cstdint>
#include <cstring>

namespace ns3
{
namespace ddp
{

/**
 * @brief Read a big-endian integer from octets of any alignment.
 * @tparam T unsigned integer type
 * @param from sizeof(T) octets
 * @return the value
 */
template <typename T>
T
LoadBig(const uint8_t* from)
{
    T value;
    std::memcpy(&value, from, sizeof(T));
    return boost::endian::big_to_native(value);
}

/**
 * @brief Write an integer as big-endian octets at any alignment.
 * @tparam T unsigned integer type
 * @param to receives sizeof(T) octets
 * @param value the value
 */
template <typename T>
void
StoreBig(uint8_t* to, T value)
{
    value = boost::endian::native_to_big(value);
    std::memcpy(to, &value, sizeof(T));
}

} // namespace ddp
} // namespace ns3

#endif // DDP_OCTETS_H
