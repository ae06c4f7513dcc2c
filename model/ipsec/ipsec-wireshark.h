/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef IPSEC_WIRESHARK_H
#define IPSEC_WIRESHARK_H

#include <string>

namespace ns3
{

struct IpsecAssociationConfig;

/**
 * @ingroup iwarp-ipsec
 * @brief Say an association's keys as Wireshark reads them: a line of the file esp_sa in its
 * configuration folder, or behind `-o uat:esp_sa:`. With `-o esp.enable_encryption_decode:TRUE` it
 * deciphers what real mode sent, with `-o esp.enable_authentication_check:TRUE` it verifies ICVs.
 *
 * Wireshark 4.0 knows neither ChaCha20-Poly1305 nor, for AES-GCM, extended sequence numbers.
 *
 * @param config of the association
 * @return the line without its end; empty if Wireshark has no name for the algorithms
 */
std::string GetWiresharkLine(const IpsecAssociationConfig& config);

} // namespace ns3

#endif // IPSEC_WIRESHARK_H
