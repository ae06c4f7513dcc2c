/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_APPLICATION_HELPER_H
#define RDMA_APPLICATION_HELPER_H

#include "ns3/address.h"
#include "ns3/application-container.h"
#include "ns3/attribute.h"
#include "ns3/node-container.h"
#include "ns3/nstime.h"
#include "ns3/object-factory.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{

/// @ingroup iwarp-helper
/// @brief Servers and the clients that are connected to them.
struct RdmaApplications
{
    ApplicationContainer servers; //!< servers
    ApplicationContainer clients; //!< clients

    /// Start servers at once and clients then. @param start when clients start; not 0, since
    /// traffic control is not ready then
    void Start(Time start);
    void Stop(Time stop); //!< Stop all. @param stop when
};

/**
 * @ingroup iwarp-helper
 * @brief Makes applications over queue pairs, and connects them: one to one, all to one, all to
 * all. See RdmaPerfHelper, RdmaStorageHelper.
 */
class RdmaApplicationHelper
{
  public:
    /// Set an attribute of the clients. @param name attribute @param value its value
    void SetClientAttribute(const std::string& name, const AttributeValue& value);
    /// Set an attribute of the servers. @param name attribute @param value its value
    void SetServerAttribute(const std::string& name, const AttributeValue& value);
    /// Set an attribute of the connections, at both ends. @param name attribute of RdmaConnection
    /// @param value its value
    void SetConnectionAttribute(const std::string& name, const AttributeValue& value);
    /// Set an attribute of the TCP sockets, at both ends. @param name attribute of MpaTcpSocket
    /// @param value its value
    void SetSocketAttribute(const std::string& name, const AttributeValue& value);
    /// Set an attribute of the MPA streams, at both ends. @param name attribute of MpaStream
    /// @param value its value
    void SetStreamAttribute(const std::string& name, const AttributeValue& value);
    void SetIpv6(bool ipv6); //!< Choose between IPv4 and IPv6. @param ipv6 connect over IPv6

    /// Install a server. @param node where @param port TCP port to listen at, at any address
    /// @return the server
    ApplicationContainer InstallServer(Ptr<Node> node, uint16_t port) const;
    /// Install a client. @param node where @param remote address and port of the server
    /// @return the client
    ApplicationContainer InstallClient(Ptr<Node> node, const Address& remote) const;

    /**
     * @brief A server and a client that connects to it.
     * @param client node of the client
     * @param server node of the server
     * @param port TCP port
     * @return both
     */
    RdmaApplications Connect(Ptr<Node> client, Ptr<Node> server, uint16_t port) const;

    /**
     * @brief An incast: all clients connect to one server.
     * @param clients nodes of the clients
     * @param server node of the server
     * @param port TCP port
     * @return the server, and a client a node in their order
     */
    RdmaApplications ConnectIncast(const NodeContainer& clients,
                                   Ptr<Node> server,
                                   uint16_t port) const;

    /**
     * @brief A full mesh: a server on each node, and a client on each for each other node.
     * @param nodes at least two nodes
     * @param port TCP port
     * @return a server a node; the clients of the first node, to the others in their order, then
     *         those of the second
     */
    RdmaApplications ConnectMesh(const NodeContainer& nodes, uint16_t port) const;

    /**
     * @brief Where others reach a node. Ends the program if it has no address.
     * @param node node with an internet stack
     * @param port TCP port
     * @param ipv6 IPv6 rather than IPv4
     * @return its first address that is neither loopback nor link-local, with the port
     */
    static Address GetAddress(Ptr<Node> node, uint16_t port, bool ipv6 = false);

    /**
     * @brief Fix the random streams of applications and of their nodes' RDMA devices, so that each
     * run draws the same numbers.
     * @param applications applications; those that are not over queue pairs are left alone
     * @param stream first stream number
     * @return number of streams used
     */
    static int64_t AssignStreams(const ApplicationContainer& applications, int64_t stream);

  protected:
    /// Make applications of two kinds. @param client name of the client's TypeId @param server name
    /// of the server's
    RdmaApplicationHelper(const std::string& client, const std::string& server);
    ~RdmaApplicationHelper() = default;

  private:
    /// Name and value of attributes
    using Settings = std::vector<std::pair<std::string, Ptr<AttributeValue>>>;

    /// Make an application. @param factory its kind @param node where @return it
    ApplicationContainer Install(const ObjectFactory& factory, Ptr<Node> node) const;

    ObjectFactory m_client; //!< makes clients
    ObjectFactory m_server; //!< makes servers
    Settings m_connection;  //!< for their connections
    Settings m_socket;      //!< for their sockets
    Settings m_stream;      //!< for their streams
    bool m_ipv6{false};     //!< connect over IPv6
};

/// @ingroup iwarp-helper
/// @brief Makes RdmaPerfClient and RdmaPerfServer applications.
class RdmaPerfHelper : public RdmaApplicationHelper
{
  public:
    RdmaPerfHelper();
};

/// @ingroup iwarp-helper
/// @brief Makes RdmaStorageClient and RdmaStorageServer applications.
class RdmaStorageHelper : public RdmaApplicationHelper
{
  public:
    RdmaStorageHelper();
};

} // namespace ns3

#endif // RDMA_APPLICATION_HELPER_H
