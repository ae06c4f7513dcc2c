/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef IKE_MESSAGE_H
#define IKE_MESSAGE_H

#include "ns3/ipsec-selector.h"

#include <cstddef>
#include <cstdint>
#include <vector>

/**
 * @file
 * @ingroup iwarp-ipsec
 * Messages of a model of IKEv2 (RFC 7296): as many and as long as real ones; what they say is in
 * clear.
 */

namespace ns3
{

constexpr uint16_t IKE_PORT = 500;       //!< of UDP; ESP_UDP_PORT where ESP goes in UDP
constexpr uint32_t IKE_HEADER_SIZE = 28; //!< octets (RFC 7296 section 3.1)

/// @ingroup iwarp-ipsec
/// @brief What a pair of messages is for; numbers as on the wire (RFC 7296 section 3.1).
enum class IkeExchange : uint8_t
{
    SA_INIT = 34,         //!< keys for what follows
    AUTH = 35,            //!< who the ends are, and a first pair of associations
    CREATE_CHILD_SA = 36, //!< another pair, new or in place of one
    INFORMATIONAL = 37,   //!< delete a pair
};

/// @ingroup iwarp-ipsec
/// @brief A message.
struct IkeMessage
{
    IkeExchange exchange{IkeExchange::SA_INIT}; //!< what it is for
    bool response{false};                       //!< it answers the request of the same number
    bool initialContact{false};                 //!< AUTH: the sender has no associations yet
    uint32_t id{0};                             //!< number of the request, from 0 on
    uint64_t nonce{0};                          //!< fresh from the sender; not in INFORMATIONAL
    uint32_t spi{0};      //!< AUTH, CREATE_CHILD_SA: that the sender wants to receive by
    uint32_t replaced{0}; //!< CREATE_CHILD_SA: SPI by which the sender receives what is replaced,
                          //!< or 0; INFORMATIONAL: what is deleted
    IpsecFlow traffic; //!< AUTH, CREATE_CHILD_SA: what the pair is for, as the requester sends it
};

/// @ingroup iwarp-ipsec
/// @brief What messages contain, as far as their sizes go. All in octets.
struct IkeSizes
{
    uint32_t keyExchange{32}; //!< public value: 32 for Curve25519, 64 for P-256, 256 for MODP-2048
    uint32_t nonce{32};       //!< 16 to 256
    uint32_t authentication{
        32};                 //!< of AUTH: 32 for a shared key and HMAC-SHA2-256, 256 for RSA-2048
    uint32_t certificate{0}; //!< sent in AUTH; 0: none
    bool forwardSecrecy{false}; //!< CREATE_CHILD_SA exchanges keys anew

    /**
     * @brief Find how long a message is, by the formats of RFC 7296 section 3: one proposal of an
     * AES-GCM-16 in each SA payload, one selector in each TS payload.
     * @param message any
     * @return octets of the UDP datagram's payload
     */
    uint32_t GetSize(const IkeMessage& message) const;

  private:
    /// @param message any @return octets of payloads that are enciphered
    uint32_t GetEncrypted(const IkeMessage& message) const;
};

/**
 * @ingroup iwarp-ipsec
 * @brief Put a message into octets: the header of RFC 7296, what the model says, and zeros.
 * @param message any
 * @param sizes what it contains
 * @return sizes.GetSize() octets
 */
std::vector<uint8_t> EncodeIkeMessage(const IkeMessage& message, const IkeSizes& sizes);

/**
 * @ingroup iwarp-ipsec
 * @brief Read a message out of octets.
 * @param octets from the header on
 * @param size how many, any number
 * @param[out] message receives it
 * @return false if it is none: too short, another length, version or exchange
 */
bool DecodeIkeMessage(const uint8_t* octets, std::size_t size, IkeMessage& message);

} // namespace ns3

#endif // IKE_MESSAGE_H
