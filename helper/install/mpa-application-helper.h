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

#include <cstdint>
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
    /// Set an attribute of the applications. @param name attribute @param value its value
    void SetAttribute(const std::string& name, const AttributeValue& value);
    /// Set an attribute of their TCP sockets. @param name attribute of MpaTcpSocket @param value
    /// its value
    void SetSocketAttribute(const std::string& name, const AttributeValue& value);
    /// Set an attribute of their MPA streams. @param name attribute of MpaStream @param value its
    /// value
    void SetStreamAttribute(const std::string& name, const AttributeValue& value);

    /// Install it on a node. @param node where @return the application
    ApplicationContainer Install(Ptr<Node> node) const;
    /// Install one on each node. @param nodes where @return an application a node
    ApplicationContainer Install(const NodeContainer& nodes) const;

    /**
     * @brief Fix the random streams of applications, so that each run draws the same numbers.
     * @param applications applications; those that are not over MPA streams are left alone
     * @param stream first stream number
     * @return number of streams used
     */
    static int64_t AssignStreams(const ApplicationContainer& applications, int64_t stream);

  protected:
    /// Make applications of a kind. @param typeId name of the application's TypeId
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
    /// Make senders to one sink. @param remote InetSocketAddress or Inet6SocketAddress of the
    /// MpaSink
    explicit MpaBulkSenderHelper(const Address& remote);
};

/// @ingroup iwarp-helper
/// @brief Makes MpaSink applications.
class MpaSinkHelper : public MpaApplicationHelper
{
  public:
    /// Make sinks. @param local InetSocketAddress or Inet6SocketAddress to listen on
    explicit MpaSinkHelper(const Address& local);
};

} // namespace ns3

#endif // MPA_APPLICATION_HELPER_H
