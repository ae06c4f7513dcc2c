/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef TCP_SPLIT_PROXY_HELPER_H
#define TCP_SPLIT_PROXY_HELPER_H

#include "ns3/address.h"
#include "ns3/application-container.h"
#include "ns3/attribute.h"
#include "ns3/node-container.h"
#include "ns3/object-factory.h"

#include <string>

namespace ns3
{

/// @ingroup iwarp-helper
/// @brief Makes TcpSplitProxy applications.
class TcpSplitProxyHelper
{
  public:
    /**
     * @brief Make proxies of one service.
     * @param local InetSocketAddress or Inet6SocketAddress to listen on
     * @param remote where to connect to for each connection accepted
     */
    TcpSplitProxyHelper(const Address& local, const Address& remote);

    /// Set an attribute of the proxies. @param name attribute @param value its value
    void SetAttribute(const std::string& name, const AttributeValue& value);

    /// Install one on each node. @param nodes where @return a proxy a node
    ApplicationContainer Install(const NodeContainer& nodes) const;

  private:
    ObjectFactory m_factory; //!< makes them
};

} // namespace ns3

#endif // TCP_SPLIT_PROXY_HELPER_H
