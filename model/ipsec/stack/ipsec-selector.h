/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef IPSEC_SELECTOR_H
#define IPSEC_SELECTOR_H

#include "ipsec-address.h"

#include <cstddef>
#include <cstdint>
#include <string>

/**
 * @file
 * @ingroup iwarp-ipsec
 * Which traffic a policy or an association is for (RFC 4301 section 4.4.1.1).
 */

namespace ns3
{

/// @ingroup iwarp-ipsec
/// @brief What a datagram says of itself, as policies look at it.
struct IpsecFlow
{
    IpsecAddress source;         //!< of the IP header
    IpsecAddress destination;    //!< of the IP header
    uint8_t protocol{0};         //!< next layer protocol
    uint16_t sourcePort{0};      //!< 0 where there are none to see: a fragment, ESP, ICMP
    uint16_t destinationPort{0}; //!< as sourcePort

    /// Find the flow of the answers. @return source and destination exchanged
    IpsecFlow GetReverse() const;

    /// @param other a flow @return whether it is the same
    bool operator==(const IpsecFlow& other) const;
};

/// @ingroup iwarp-ipsec
/// @brief Makes hash tables by flow.
struct IpsecFlowHash
{
    /// @param flow any @return a number that spreads well
    std::size_t operator()(const IpsecFlow& flow) const;
};

/// @ingroup iwarp-ipsec
/// @brief A range of addresses: a prefix of either version of IP, or everything.
struct IpsecPrefix
{
    IpsecAddress address; //!< whose first bits count
    uint8_t bits{0};      //!< how many
    bool any{true};       //!< every address of both versions; the rest does not count

    IpsecPrefix() = default; ///< every address

    /// @param address a single one
    IpsecPrefix(const IpsecAddress& address);

    /// @param address whose first bits count @param bits how many
    IpsecPrefix(const IpsecAddress& address, uint8_t bits);

    /// @param text "10.1.0.0/16", "2001:db8::/32", an address alone, or "any"
    /// @return the prefix; ends the program with a message if it is none
    static IpsecPrefix Parse(const std::string& text);

    /// @param candidate an address @return whether it is of the range
    bool Holds(const IpsecAddress& candidate) const;
};

/// @ingroup iwarp-ipsec
/// @brief A range of ports.
struct IpsecPorts
{
    uint16_t first{0};    //!< first of the range
    uint16_t last{65535}; //!< last of the range

    /// Tell whether a port is of the range. @param port a port, 0 if the datagram shows none
    /// @return true if so; one that is not shown is of the range of all ports only (RFC 4301 calls
    /// this OPAQUE)
    bool Holds(uint16_t port) const
    {
        return port == 0 ? IsAll() : first <= port && port <= last;
    }

    /// @return it is the range of all ports
    bool IsAll() const
    {
        return first == 0 && last == UINT16_MAX;
    }
};

/// @ingroup iwarp-ipsec
/// @brief Tells datagrams apart by addresses, protocol and ports.
struct IpsecSelector
{
    IpsecPrefix source;          //!< where they come from
    IpsecPrefix destination;     //!< where they go
    uint8_t protocol{0};         //!< next layer protocol; 0: any
    IpsecPorts sourcePorts;      //!< of TCP and UDP
    IpsecPorts destinationPorts; //!< of TCP and UDP

    /// @param flow of a datagram @return whether it is selected
    bool Selects(const IpsecFlow& flow) const;

    /// @param flow of a datagram @return whether it is selected but for its ports
    bool SelectsBesidesPorts(const IpsecFlow& flow) const;

    bool TakesAllPorts() const; //!< @return ports make no difference

    /// Find the selector of the answers. @return source and destination exchanged
    IpsecSelector GetReverse() const;
};

} // namespace ns3

#endif // IPSEC_SELECTOR_H
