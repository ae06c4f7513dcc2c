/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef PATH_ICMP_FILTER_MIDDLEBOX_H
#define PATH_ICMP_FILTER_MIDDLEBOX_H

#include "path-middlebox.h"

#include <cstdint>

namespace ns3
{

/**
 * @ingroup iwarp-path
 * @brief A firewall that lets no ICMP message pass which tells a host that its datagrams are too
 * large (code 4 of IPv4's destination unreachable, RFC 1191; ICMPv6's packet too big), so that the
 * path behind it is a black hole for these (RFC 2923 section 2.1).
 */
class PathIcmpFilterMiddlebox : public PathMiddlebox
{
  public:
    static TypeId GetTypeId(); //!< Get the type ID. @return the object TypeId

    uint64_t GetDropped() const; //!< Count what did not pass. @return messages

  protected:
    void Pass(Ptr<Packet> packet, uint16_t protocol, PathDirection direction) override;

  private:
    uint64_t m_dropped{0}; //!< messages
};

} // namespace ns3

#endif // PATH_ICMP_FILTER_MIDDLEBOX_H
