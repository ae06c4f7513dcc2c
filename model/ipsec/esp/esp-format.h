/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef ESP_FORMAT_H
#define ESP_FORMAT_H

#include "esp-algorithm.h"

#include <cstdint>

/**
 * @file
 * @ingroup iwarp-ipsec
 * Which octets of an ESP packet are where (RFC 4303 section 2), and what protection adds to an IP
 * datagram. All sizes are in octets.
 */

namespace ns3
{

constexpr uint32_t ESP_HEADER_SIZE = 8;  //!< SPI and sequence number
constexpr uint32_t ESP_TRAILER_SIZE = 2; //!< pad length and next header
constexpr uint32_t ESP_MAX_PAD = 255;    //!< the pad length field has one octet
constexpr uint8_t ESP_PROTOCOL = 50;     //!< IP protocol of ESP
constexpr uint32_t ESP_FIRST_SPI = 256;  //!< lower ones are reserved (RFC 4303 section 2.1)
constexpr uint8_t ESP_NO_NEXT_HEADER =
    59; //!< next header of a dummy packet: it carries nothing (RFC 4303 section 2.6)
constexpr uint32_t ESP_UDP_HEADER_SIZE = 8; //!< before ESP in UDP (RFC 3948)
constexpr uint16_t ESP_UDP_PORT = 4500;     //!< of ESP in UDP and IKE (RFC 3948)
constexpr uint16_t ESP_UDP_FIRST_ENTROPY =
    0xC000; //!< least source port that tells flows apart: of the dynamic ones (RFC 6335 section 6)

/// @ingroup iwarp-ipsec
/// @brief What an ESP packet consists of, in the order of its octets.
struct EspSizes
{
    uint32_t iv{0};      //!< initialisation vector, behind SPI and sequence number
    uint32_t payload{0}; //!< that is protected
    uint32_t tfc{0};     //!< traffic-flow confidentiality padding
    uint32_t pad{0};     //!< padding for alignment, 0 to 255
    uint32_t icv{0};     //!< integrity check value, behind pad length and next header

    /// Find what comes before the payload. @return octets of SPI, sequence number and IV
    constexpr uint32_t GetHead() const
    {
        return ESP_HEADER_SIZE + iv;
    }

    /// Find what comes behind payload and TFC padding. @return octets of pad, trailer and ICV
    constexpr uint32_t GetTail() const
    {
        return pad + ESP_TRAILER_SIZE + icv;
    }

    /// Find what the cipher works on. @return octets from the payload's first to the next header
    constexpr uint32_t GetCiphered() const
    {
        return payload + tfc + pad + ESP_TRAILER_SIZE;
    }

    /// Find what protection adds to a payload. @return octets
    constexpr uint32_t GetOverhead() const
    {
        return GetTotal() - payload;
    }

    /// Find what goes out. @return octets from SPI to ICV
    constexpr uint32_t GetTotal() const
    {
        return GetHead() + GetCiphered() + icv;
    }
};

/**
 * @ingroup iwarp-ipsec
 * @brief Find what an ESP packet consists of.
 * @param transform cipher and integrity
 * @param payload octets to protect, 0 and more: what IP carries in transport mode, a whole datagram
 *        in tunnel mode
 * @param tfc octets of traffic-flow confidentiality padding behind the payload (RFC 4303 section
 *        2.7: only where the payload tells its own length, as a datagram does and TCP does not)
 * @return the sizes, with the least padding that aligns the packet
 */
EspSizes GetEspSizes(const EspTransform& transform, uint32_t payload, uint32_t tfc = 0);

/**
 * @ingroup iwarp-ipsec
 * @brief Find the largest payload whose ESP packet fits.
 * @param transform cipher and integrity
 * @param room octets that IP may carry
 * @return octets; 0 if not even an empty payload fits
 */
uint32_t GetEspMaxPayload(const EspTransform& transform, uint32_t room);

/// @ingroup iwarp-ipsec
/// @brief What an association protects (RFC 4301 section 3.2).
enum class IpsecMode : uint8_t
{
    TRANSPORT, //!< what an IP datagram carries; its header stays in front
    TUNNEL,    //!< a whole IP datagram, behind a new IP header
};

/**
 * @ingroup iwarp-ipsec
 * @brief What protection makes of an IP datagram's size: for EMSS, MULPDU and gateways.
 */
struct EspEncapsulation
{
    const EspTransform* transform{nullptr}; //!< cipher and integrity
    IpsecMode mode{IpsecMode::TRANSPORT};   //!< what is protected
    bool udp{false};                        //!< ESP goes in UDP (RFC 3948)
    uint32_t outerHeader{20};               //!< IP header of tunnel mode: 20 for IPv4, 40 for IPv6
    uint32_t tfcLength{0}; //!< tunnel mode pads datagrams shorter than this up to it, as far as
                           //!< the path takes it; 0: none

    /**
     * @brief Find the sizes of the ESP packet that protects a datagram.
     * @param datagram octets of the IP datagram
     * @param header octets of its IP header, extension headers that stay in front included;
     * transport mode leaves it in front
     * @param mtu octets of an IP datagram that the path takes
     * @return the sizes from SPI to ICV
     */
    EspSizes GetSizes(uint32_t datagram, uint32_t header, uint32_t mtu = UINT16_MAX) const;

    /**
     * @brief Find how long a datagram is once it is protected.
     * @param datagram as for GetSizes()
     * @param header as for GetSizes()
     * @return octets of the IP datagram that goes out
     */
    uint32_t GetProtected(uint32_t datagram, uint32_t header) const;

    /// As above, of sizes that are known. @param sizes of the ESP packet @param header as for
    /// GetSizes() @return octets of the IP datagram that goes out
    uint32_t GetProtected(const EspSizes& sizes, uint32_t header) const;

    /**
     * @brief Find the longest datagram that fits an MTU once it is protected: what the stack above
     * has to take for its MTU.
     * @param mtu octets of an IP datagram on the path
     * @param header as for GetSizes()
     * @return octets; 0 if none fits
     */
    uint32_t GetInnerMtu(uint32_t mtu, uint32_t header) const;

  private:
    /// @param header of the datagram @return octets before the ESP packet
    uint32_t GetInFront(uint32_t header) const;
};

} // namespace ns3

#endif // ESP_FORMAT_H
