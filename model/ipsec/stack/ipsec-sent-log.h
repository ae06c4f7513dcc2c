/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef IPSEC_SENT_LOG_H
#define IPSEC_SENT_LOG_H

#include "ipsec-selector.h"

#include <array>
#include <boost/circular_buffer.hpp>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace ns3
{

/**
 * @ingroup iwarp-ipsec
 * @brief The last datagrams that were protected and are not to be divided, for those who have to be
 * told that a path takes less (RFC 4301 section 8.2: ICMP returns too little of a packet to tell).
 */
class IpsecSentLog
{
  public:
    static constexpr std::size_t KEPT = 256; //!< most datagrams

    /// A datagram.
    struct Entry
    {
        IpsecAddress destination;      //!< of the packet that protects it
        IpsecFlow flow;                //!< of the datagram
        uint32_t size{0};              //!< of the datagram, octets
        uint32_t octets{0};            //!< of the packet
        bool own{false};               //!< this node has made the datagram
        std::array<uint8_t, 8> head{}; //!< first octets behind its IP header
    };

    /// Note a datagram. @param entry it
    void Add(const Entry& entry);

    /// Take out what does not fit. @param destination of packets @param mtu octets that fit
    /// @return one datagram of each flow
    std::vector<Entry> Extract(const IpsecAddress& destination, uint32_t mtu);

  private:
    boost::circular_buffer_space_optimized<Entry> m_entries{KEPT}; //!< the oldest first
};

} // namespace ns3

#endif // IPSEC_SENT_LOG_H
