/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef IPSEC_WIRESHARK_H
#define IPSEC_WIRESHARK_H

#include "ipsec-selector.h"

#include "ns3/esp-codec.h"

#include <cstdint>
#include <optional>
#include <string>

namespace ns3
{

struct IpsecAssociationConfig;

/// @ingroup iwarp-ipsec
/// @brief Forms of Wireshark's table of keys.
enum class WiresharkTable : uint8_t
{
    EIGHT_COLUMNS, //!< up to Wireshark 4.0
    TEN_COLUMNS,   //!< from Wireshark 4.2 on: length and upper half of sequence numbers as well
};

/**
 * @ingroup iwarp-ipsec
 * @brief Say an association's keys as Wireshark reads them: a line of the file esp_sa in its
 * configuration folder, or behind `-o uat:esp_sa:`. With `-o esp.enable_encryption_decode:TRUE` it
 * deciphers what real mode sent, with `-o esp.enable_authentication_check:TRUE` it verifies ICVs.
 *
 * Wireshark 4.0 knows neither ChaCha20-Poly1305 nor, for AES-GCM, extended sequence numbers. It
 * takes ten columns for eight, with a warning for each line.
 *
 * @param config of the association
 * @param table which form
 * @return the line without its end; empty if Wireshark has no name for the algorithms
 */
std::string GetWiresharkLine(const IpsecAssociationConfig& config,
                             WiresharkTable table = WiresharkTable::EIGHT_COLUMNS);

/**
 * @ingroup iwarp-ipsec
 * @brief Name the file of the keys that go with pcap files.
 * @param prefix what the names of the pcap files begin with
 * @param table which form
 * @return PREFIX-esp_sa for ten columns, PREFIX-esp_sa-4.0 for eight
 */
std::string GetWiresharkFile(const std::string& prefix, WiresharkTable table);

/// @ingroup iwarp-ipsec
/// @brief A line of Wireshark's table of keys.
struct WiresharkKeys
{
    IpsecPrefix source;                     //!< where packets come from
    IpsecPrefix destination;                //!< where they go
    std::optional<uint32_t> spi;            //!< of the association; none: any
    const EspTransform* transform{nullptr}; //!< cipher and integrity
    EspKeys keys;                           //!< that fit the transform
    bool extended{false};                   //!< sequence numbers have 64 bits
    uint32_t high{0};                       //!< their upper half
};

/**
 * @ingroup iwarp-ipsec
 * @brief Read a line of Wireshark's table of keys, of either form. Addresses are one, a prefix
 * ("10.0.0.0/8"), or "*"; the SPI is a number or "*"; the algorithms are those of
 * GetEspTransformNames().
 * @param line without its end
 * @param[out] keys what it says
 * @return what is wrong with it; empty if nothing is
 */
std::string ReadWiresharkLine(const std::string& line, WiresharkKeys& keys);

} // namespace ns3

#endif // IPSEC_WIRESHARK_H
