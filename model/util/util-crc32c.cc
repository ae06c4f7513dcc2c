/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "util-crc32c.h"

#include <algorithm>
#include <array>

#ifdef IWARP_HAVE_ISAL
// <isa-l/crc.h> leaves out the const that the function keeps
extern "C" unsigned int crc32_iscsi(const unsigned char* buffer, int length, unsigned int crc);
#else
#include <boost/crc.hpp>
#endif

namespace ns3
{
namespace iwarp
{

namespace
{

/// The polynomial with the coefficient of x^0 in the most significant bit, as the register has it.
constexpr uint32_t POLYNOMIAL = 0x82F63B78;

/**
 * @brief What 2^k zero octets do to the register, for every k.
 *
 * A zero octet multiplies the register by x^8 modulo the polynomial, so 2^k of them multiply it by
 * x^(8 * 2^k). That is linear over GF(2): a table for each of the eight nibbles of the register
 * does it with eight look-ups. The order of x is 2^31 - 1, so the powers repeat after k = 30.
 */
struct ZeroTables
{
    static constexpr unsigned POWERS = 31; //!< distinct operators

    using Operator = std::array<std::array<uint32_t, 16>, 8>; //!< contribution of each nibble

    /// @return all operators
    static constexpr std::array<Operator, POWERS> Make();

    /// @param op operator @param value register @return the register after the operator's zeros
    static constexpr uint32_t Apply(const Operator& op, uint32_t value)
    {
        uint32_t result = 0;
        for (unsigned i = 0; i < 8; ++i)
        {
            result ^= op[i][value >> (4 * i) & 15];
        }
        return result;
    }
};

constexpr std::array<ZeroTables::Operator, ZeroTables::POWERS>
ZeroTables::Make()
{
    // x^0 is the most significant bit; eight steps give x^8
    auto timesX = [](uint32_t a) { return a >> 1 ^ ((a & 1) ? POLYNOMIAL : 0); };
    uint32_t power = 0x80000000;
    for (unsigned i = 0; i < 8; ++i)
    {
        power = timesX(power);
    }
    std::array<Operator, POWERS> tables{};
    for (auto& op : tables)
    {
        uint32_t column = power; // product of the power and the register's bit 31, 30, ...
        for (int bit = 31; bit >= 0; --bit)
        {
            auto& nibble = op[bit / 4];
            for (unsigned v = 0; v < 16; ++v)
            {
                nibble[v] ^= (v >> (bit % 4) & 1) ? column : 0;
            }
            column = timesX(column);
        }
        power = Apply(op, power); // squared
    }
    return tables;
}

constexpr auto g_zeroTables = ZeroTables::Make(); //!< 15.5 KiB

#ifndef IWARP_HAVE_ISAL
/// @param v value @return its bits in reverse order
uint32_t
Reverse(uint32_t v)
{
    v = (v >> 1 & 0x55555555) | (v & 0x55555555) << 1;
    v = (v >> 2 & 0x33333333) | (v & 0x33333333) << 2;
    v = (v >> 4 & 0x0F0F0F0F) | (v & 0x0F0F0F0F) << 4;
    v = (v >> 8 & 0x00FF00FF) | (v & 0x00FF00FF) << 8;
    return v >> 16 | v << 16;
}
#endif

} // namespace

void
Crc32c::Update(const uint8_t* data, std::size_t size)
{
#ifdef IWARP_HAVE_ISAL
    constexpr std::size_t MAX_RUN = 1 << 30; // the library counts in int
    while (size > 0)
    {
        const std::size_t run = std::min(size, MAX_RUN);
        m_register = crc32_iscsi(data, static_cast<int>(run), m_register);
        data += run;
        size -= run;
    }
#else
    boost::crc_optimal<32, 0x1EDC6F41, 0, 0, true, true> crc(Reverse(m_register));
    crc.process_bytes(data, size);
    m_register = crc.checksum();
#endif
}

void
Crc32c::UpdateZeros(uint64_t count)
{
    for (unsigned k = 0; count > 0; count >>= 1)
    {
        if (count & 1)
        {
            m_register = ZeroTables::Apply(g_zeroTables[k], m_register);
        }
        k = k + 1 < ZeroTables::POWERS ? k + 1 : 0;
    }
}

} // namespace iwarp
} // namespace ns3
