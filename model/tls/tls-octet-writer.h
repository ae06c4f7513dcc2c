/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef TLS_OCTET_WRITER_H
#define TLS_OCTET_WRITER_H

#include <cstddef>
#include <cstdint>
#include <vector>

namespace ns3
{

/// @ingroup iwarp-tls
/// @brief Writes the presentation language of TLS (RFC 8446 section 3): numbers, and vectors with
/// their length before them.
class TlsOctetWriter
{
  public:
    /// Write a number. @param value it @param octets that it takes, the high ones first
    TlsOctetWriter& Number(uint32_t value, uint32_t octets)
    {
        while (octets-- > 0)
        {
            m_octets.push_back(static_cast<uint8_t>(value >> (8 * octets)));
        }
        return *this;
    }

    /// Write octets. @param octets any
    template <typename Octets>
    TlsOctetWriter& Add(const Octets& octets)
    {
        m_octets.insert(m_octets.end(), octets.begin(), octets.end());
        return *this;
    }

    /// Write a vector. @param length octets of its length @param octets any
    template <typename Octets>
    TlsOctetWriter& Vector(uint32_t length, const Octets& octets)
    {
        Number(static_cast<uint32_t>(octets.size()), length);
        return Add(octets);
    }

    /// Get what was written. @return octets
    const std::vector<uint8_t>& Get() const
    {
        return m_octets;
    }

  private:
    std::vector<uint8_t> m_octets; //!< written
};

/// @ingroup iwarp-tls
/// @brief Reads the same. What is not there is read as 0 or empty, and makes it bad.
class TlsOctetReader
{
  public:
    /// Read octets. @param octets the caller's
    explicit TlsOctetReader(const std::vector<uint8_t>& octets)
        : m_octets(octets)
    {
    }

    /// Read a number. @param octets of it @return it
    uint32_t Number(uint32_t octets)
    {
        uint32_t value = 0;
        for (const uint8_t octet : Octets(octets))
        {
            value = value << 8 | octet;
        }
        return value;
    }

    /// Read octets. @param count how many @return they
    std::vector<uint8_t> Octets(std::size_t count)
    {
        if (count > m_octets.size() - m_at)
        {
            m_bad = true;
            m_at = m_octets.size();
            return {};
        }
        const auto begin = m_octets.begin() + static_cast<std::ptrdiff_t>(m_at);
        m_at += count;
        return {begin, begin + static_cast<std::ptrdiff_t>(count)};
    }

    /// Read a vector. @param length octets of its length @return its octets
    std::vector<uint8_t> Vector(uint32_t length)
    {
        return Octets(Number(length));
    }

    /// Tell whether there is more. @return false at the end
    bool HasMore() const
    {
        return m_at < m_octets.size();
    }

    /// Tell whether all was there. @return false once something was not
    bool IsGood() const
    {
        return !m_bad;
    }

    /// Tell whether all was there, and nothing is left. @return true then
    bool IsWhole() const
    {
        return !m_bad && !HasMore();
    }

  private:
    const std::vector<uint8_t>& m_octets; //!< the caller's
    std::size_t m_at{0};                  //!< the next one
    bool m_bad{false};                    //!< something was not there
};

} // namespace ns3

#endif // TLS_OCTET_WRITER_H
