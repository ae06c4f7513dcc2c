/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef MPA_APPLICATION_HELPER_H
#define MPA_APPLICATION_HELPER_H

#include "ns3/address.h"
#include "ns3/application-container.h"
#include "ns3/attribute.h"
#include "ns3/node-container.h"
#include "ns3/object-factory.h"

#include <string>
#include <utility>
#include <vector>

namespace ns3
{

/**
 * @ingroup iwarp-helper
 * @brief Makes applications over MPA streams, all alike; see MpaBulkSenderHelper, MpaSinkHelper.
 */
class MpaApplicationHelper
{
  public:
    /// @param name attribute of the application @param value its value
    void SetAttribute(const std::string& name, const AttributeValue& value);
    /// @param name attribute of MpaTcpSocket for the sockets @param value its value
    void SetSocketAttribute(const std::string& name, const AttributeValue& value);
    /// @param name attribute of MpaStream for the streams @param value its value
    void SetStreamAttribute(const std::string& name, const AttributeValue& value);

    ApplicationContainer Install(Ptr<Node> node) const; //!< @param node where @return application
    /// @param nodes where @return an application a node
    ApplicationContainer Install(const NodeContainer& nodes) const;

  protected:
    /// @param typeId name of the application's TypeId
    explicit MpaApplicationHelper(const std::string& typeId);
    ~MpaApplicationHelper() = default;

  private:
    ObjectFactory m_factory;                                           //!< makes applications
    std::vector<std::pair<std::string, Ptr<AttributeValue>>> m_socket; //!< for their sockets
    std::vector<std::pair<std::string, Ptr<AttributeValue>>> m_stream; //!< for their streams
};

/// @ingroup iwarp-helper
/// @brief Makes MpaBulkSender applications.
class MpaBulkSenderHelper : public MpaApplicationHelper
{
  public:
    /// @param remote InetSocketAddress or Inet6SocketAddress of the MpaSink
    explicit MpaBulkSenderHelper(const Address& remote);
};

/// @ingroup iwarp-helper
/// @brief Makes MpaSink applications.
class MpaSinkHelper : public MpaApplicationHelper
{
  public:
    /// @param local InetSocketAddress or Inet6SocketAddress to listen on
    explicit MpaSinkHelper(const Address& local);
};

} // namespace ns3

#endif // MPA_APPLICATION_HELPER_H
