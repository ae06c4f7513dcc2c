/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef TCP_SOCKET_SETTINGS_H
#define TCP_SOCKET_SETTINGS_H

#include "ns3/attribute.h"
#include "ns3/socket.h"

#include <string>
#include <utility>
#include <vector>

namespace ns3
{
namespace iwarp
{

/// @ingroup iwarp-tcp
/// @brief Attributes that an application gives to each socket that it opens.
class SocketSettings
{
  public:
    /**
     * @brief Note an attribute for all sockets.
     * @param name attribute of the socket
     * @param value its value
     */
    void Set(const std::string& name, const AttributeValue& value);

    /**
     * @brief Set the attributes. Ends the program if the socket has no such attribute or does not
     * take the value.
     * @param socket a socket that is neither connected nor listening yet
     */
    void Apply(const Ptr<Socket>& socket) const;

  private:
    std::vector<std::pair<std::string, Ptr<AttributeValue>>> m_settings; //!< name, value
};

} // namespace iwarp
} // namespace ns3

#endif // TCP_SOCKET_SETTINGS_H
