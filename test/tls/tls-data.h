/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef TLS_DATA_H
#define TLS_DATA_H

#include "ns3/tls-connection.h"
#include "ns3/tls-packet.h"

#include <array>
#include <map>
#include <string>
#include <vector>

/**
 * @file
 * @ingroup iwarp-test
 * What test/data/tls holds: the octets of RFC 8448, and captures of OpenSSL with their key logs.
 */

/// @return path of the folder, with a slash
std::string GetTlsFolder();

/// @return octets of RFC 8448's trace by their names
std::map<std::string, ns3::TlsOctets> ReadTlsTrace();

/// A direction of a captured connection, or all of what one end has sent.
struct TlsCapturedSide
{
    ns3::TlsOctets stream; //!< octets in order
    /// @return records of it, heads included
    std::vector<ns3::TlsOctets> GetRecords() const;
};

/// @param name of a capture @return what client and server have sent
std::array<TlsCapturedSide, 2> ReadTlsCapture(const std::string& name);

#endif // TLS_DATA_H
