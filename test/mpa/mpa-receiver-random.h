/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef MPA_RECEIVER_RANDOM_H
#define MPA_RECEIVER_RANDOM_H

#include "mpa-receiver-test-util.h"

#include <algorithm>
#include <cstdint>
#include <random>

namespace mpatest
{

/// Random numbers that are the same with every library.
class Dice
{
  public:
    /// @param seed start
    explicit Dice(uint32_t seed)
        : m_engine(seed)
    {
    }

    /// @param below bound @return 0 .. below - 1
    uint32_t Below(uint32_t below)
    {
        return static_cast<uint32_t>(m_engine() % below);
    }

    /// @param percent probability @return true that often
    bool Chance(uint32_t percent)
    {
        return Below(100) < percent;
    }

  private:
    std::mt19937 m_engine; //!< its sequence is fixed by the standard
};

/// A stream of random ULPDUs. @param dice random numbers @param markers in use @param crc in use
/// @param octets about how long @param longest ULPDU @return the stream
inline Stream
RandomStream(Dice& dice, bool markers, bool crc, uint32_t octets, uint32_t longest)
{
    Stream stream(markers, crc);
    const uint32_t kind = dice.Below(4);
    while (stream.octets.size() < octets)
    {
        const uint32_t most = kind == 0 ? 40 : kind == 1 ? 700 : longest;
        const uint32_t size = kind == 3 ? longest : 1 + dice.Below(std::min(most, longest));
        stream.PostSizes({size});
    }
    return stream;
}

} // namespace mpatest

#endif // MPA_RECEIVER_RANDOM_H
