/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef TLS_KEY_LOG_H
#define TLS_KEY_LOG_H

#include "tls-keys.h"

#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup iwarp-tls
 * @brief Secrets of connections, as browsers and OpenSSL log them and Wireshark reads them: a line
 * a secret, of a label, the random of the ClientHello, and the secret.
 */
class TlsKeyLog
{
  public:
    /// A line.
    struct Entry
    {
        std::string label; //!< which secret, such as CLIENT_TRAFFIC_SECRET_0
        TlsRandom random;  //!< of the ClientHello
        TlsSecret secret;  //!< octets
    };

    static const char* const CLIENT_HANDSHAKE;   //!< label of client_handshake_traffic_secret
    static const char* const SERVER_HANDSHAKE;   //!< label of server_handshake_traffic_secret
    static const char* const CLIENT_APPLICATION; //!< label of client_application_traffic_secret_0
    static const char* const SERVER_APPLICATION; //!< label of server_application_traffic_secret_0

    /// Write a line. @param entry what of it @return the line, without its end
    static std::string Write(const Entry& entry);

    /// Read a log, whose lines of other kinds and comments are passed over. @param text it
    /// @return "", or which line is none
    std::string Parse(const std::string& text);

    /// Read a file. @param name it @return "", or why not
    std::string Read(const std::string& name);

    /// Get what was read. @return lines in their order
    const std::vector<Entry>& GetEntries() const;

    /// Find a secret. @param label which @param random of the ClientHello @return it; nullptr if
    /// the log has none
    const TlsSecret* Find(const std::string& label, const TlsRandom& random) const;

  private:
    std::vector<Entry> m_entries; //!< lines
};

} // namespace ns3

#endif // TLS_KEY_LOG_H
