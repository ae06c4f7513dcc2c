/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef CRYPTO_MODELLED_TAG_H
#define CRYPTO_MODELLED_TAG_H

#include <algorithm>
#include <boost/endian/conversion.hpp>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace ns3
{

/**
 * @ingroup iwarp-crypto
 * @brief What authenticates octets that are not really enciphered: mixes what a real tag covers, by
 * the finaliser of splitmix64. It shows what was damaged or forged on the way, and keeps no
 * adversary out.
 */
class CryptoModelledTag
{
  public:
    /// Begin. @param key what keys come to
    explicit CryptoModelledTag(uint64_t key)
        : m_state(key)
    {
    }

    /// Sum up octets, so that a change of any of them shows. Zeros behind them change nothing.
    /// @param octets any @param size how many @return digest
    static uint32_t Digest(const uint8_t* octets, std::size_t size)
    {
        uint64_t sum = 0;
        for (; size >= sizeof(uint64_t); size -= sizeof(uint64_t), octets += sizeof(uint64_t))
        {
            uint64_t word;
            std::memcpy(&word, octets, sizeof(word));
            sum += word;
        }
        uint64_t rest = 0;
        std::memcpy(&rest, octets, size);
        return static_cast<uint32_t>((sum + rest) * 0x9E3779B97F4A7C15 >> 32);
    }

    /// Cover a number. @param value it
    void Cover(uint64_t value)
    {
        m_state += value + 0x9E3779B97F4A7C15;
        m_state = (m_state ^ m_state >> 30) * 0xBF58476D1CE4E5B9;
        m_state = (m_state ^ m_state >> 27) * 0x94D049BB133111EB;
        m_state ^= m_state >> 31;
    }

    /// Cover octets. @param octets octets @param size how many
    void Cover(const uint8_t* octets, std::size_t size)
    {
        for (; size > 0; size -= std::min(size, sizeof(uint64_t)))
        {
            uint64_t word = 0;
            std::memcpy(&word, octets, std::min(size, sizeof(uint64_t)));
            Cover(boost::endian::little_to_native(word));
            octets += std::min(size, sizeof(uint64_t));
        }
    }

    /// Make a tag of what was covered. @param tag receives octets @param size how many
    void Write(uint8_t* tag, std::size_t size)
    {
        for (std::size_t i = 0; i < size; ++i)
        {
            if (i % 8 == 0)
            {
                Cover(i);
            }
            tag[i] = static_cast<uint8_t>(m_state >> (i % 8 * 8));
        }
    }

    /// Tell what was covered so far. @return a key for others
    uint64_t Get() const
    {
        return m_state;
    }

  private:
    uint64_t m_state; //!< of what was covered
};

} // namespace ns3

#endif // CRYPTO_MODELLED_TAG_H
