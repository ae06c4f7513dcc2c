/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef UTIL_CRC32C_H
#define UTIL_CRC32C_H

#include <cstddef>
#include <cstdint>

namespace ns3
{
namespace iwarp
{

/**
 * @ingroup iwarp-util
 * @brief CRC32c as iSCSI, MPA (RFC 5044 section 4.4) and NVMe/TCP use it.
 *
 * Polynomial 0x11EDC6F41, register preset to ones, octets taken least significant bit first,
 * result complemented. The octets themselves go through ISA-L where it is found at build time,
 * through Boost.CRC otherwise. A run of n zero octets, ns-3's virtual payload, costs
 * O(log n), from a few octets on less than reading them.
 *
 * The object is a running checksum: it may be copied to fork the computation.
 */
class Crc32c
{
  public:
    /// Octets of a CRC field.
    static constexpr uint32_t SIZE = 4;

    /**
     * @brief Take octets into the checksum.
     * @param data first octet
     * @param size number of octets, any
     */
    void Update(const uint8_t* data, std::size_t size);

    /**
     * @brief Take a run of zero octets into the checksum without touching memory.
     * @param count number of zero octets, any
     */
    void UpdateZeros(uint64_t count);

    /// Get the checksum. @return the CRC32c of all octets taken so far, as an integer (0xE3069283
    /// for "123456789")
    uint32_t GetValue() const
    {
        return ~m_register;
    }

    /**
     * @brief Write the value as it stands on the wire, least significant octet first.
     * @param out four octets
     */
    void Write(uint8_t* out) const
    {
        const uint32_t value = GetValue();
        out[0] = static_cast<uint8_t>(value);
        out[1] = static_cast<uint8_t>(value >> 8);
        out[2] = static_cast<uint8_t>(value >> 16);
        out[3] = static_cast<uint8_t>(value >> 24);
    }

    /**
     * @brief Compare the value with a CRC field.
     * @param field the four octets of the field
     * @return true if they are equal
     */
    bool Matches(const uint8_t* field) const
    {
        return GetValue() ==
               (field[0] | static_cast<uint32_t>(field[1]) << 8 |
                static_cast<uint32_t>(field[2]) << 16 | static_cast<uint32_t>(field[3]) << 24);
    }

  private:
    uint32_t m_register{0xFFFFFFFF}; //!< reflected register before the final complement
};

} // namespace iwarp
} // namespace ns3

#endif // UTIL_CRC32C_H
