/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef PATH_PREFIX_H
#define PATH_PREFIX_H

#include "ns3/attribute-helper.h"

#include <array>
#include <cstdint>
#include <iosfwd>
#include <string>

namespace ns3
{

/**
 * @ingroup iwarp-path
 * @brief An address or a prefix of IPv4 or IPv6, as text and to compare with.
 */
class PathPrefix
{
  public:
    /**
     * @brief Read a prefix.
     * @param text "10.1.0.0/16", "10.1.0.2", "2001:db8::/32"; "" matches all
     * @return false if it is none; the prefix stays as it was
     */
    bool Parse(const std::string& text);
    const std::string& GetText() const; //!< Get the text. @return text
    /// Tell whether an address has the prefix. @param address its 4 or 16 octets @param ipv6 which
    /// @return whether it has
    bool Matches(const uint8_t* address, bool ipv6) const;

  private:
    std::string m_text;                 //!< text; "" matches all
    std::array<uint8_t, 16> m_octets{}; //!< address
    bool m_ipv6{false};                 //!< of IPv6
    uint32_t m_bits{0};                 //!< bits that count
};

/// Write the text. @param stream where to @param prefix prefix @return the stream
std::ostream& operator<<(std::ostream& stream, const PathPrefix& prefix);
/// Read all that is left as a prefix; it fails where that is none. @param stream from where
/// @param prefix prefix @return the stream
std::istream& operator>>(std::istream& stream, PathPrefix& prefix);

ATTRIBUTE_HELPER_HEADER(PathPrefix);

} // namespace ns3

#endif // PATH_PREFIX_H
