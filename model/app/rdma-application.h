/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_APPLICATION_H
#define RDMA_APPLICATION_H

#include "ns3/address.h"
#include "ns3/application.h"
#include "ns3/attribute.h"
#include "ns3/rdma-connection.h"
#include "ns3/traced-callback.h"

#include <string>
#include <utility>
#include <vector>

namespace ns3
{

/**
 * @ingroup iwarp-app
 * @brief What applications over queue pairs have in common: attributes of their connections, and
 * errors.
 */
class RdmaApplication : public Application
{
  public:
    /// Signature of the Failed trace. @param reason why, for people
    typedef void (*FailedTracedCallback)(const std::string& reason);
    /// Signature of the Connected trace. @param pair a queue pair that is connected
    typedef void (*ConnectedTracedCallback)(Ptr<RdmaQueuePair> pair);

    static TypeId GetTypeId(); //!< @return the object TypeId
    RdmaApplication();
    ~RdmaApplication() override;

    /**
     * @brief Set an attribute of the connections, before the application starts.
     * @param name attribute of RdmaConnection
     * @param value its value
     */
    void SetConnectionAttribute(const std::string& name, const AttributeValue& value);

    /**
     * @brief Set an attribute of the TCP sockets, before the application starts.
     * @param name attribute of MpaTcpSocket
     * @param value its value
     */
    void SetSocketAttribute(const std::string& name, const AttributeValue& value);

    /**
     * @brief Set an attribute of the MPA streams, before the application starts.
     * @param name attribute of MpaStream
     * @param value its value
     */
    void SetStreamAttribute(const std::string& name, const AttributeValue& value);

    const std::string& GetError() const; //!< @return "", or the first thing that went wrong

  protected:
    /// @return a connection of the node with the attributes set. Ends the program if one is unknown
    Ptr<RdmaConnection> MakeConnection() const;

    /// End the program unless this is an address and port. @param address it @param attribute
    /// attribute that holds it
    void CheckAddress(const Address& address, const char* attribute) const;

    void Fail(const std::string& reason);     //!< Report an error. @param reason why
    void TellConnected(Ptr<RdmaQueuePair> p); //!< Fire Connected. @param p queue pair

  private:
    /// Name and value of attributes.
    using Settings = std::vector<std::pair<std::string, Ptr<AttributeValue>>>;

    Settings m_connectionSettings; //!< of RdmaConnection
    Settings m_socketSettings;     //!< of MpaTcpSocket
    Settings m_streamSettings;     //!< of MpaStream
    std::string m_error;           //!< what went wrong first

    TracedCallback<const std::string&> m_failedTrace;    //!< Failed
    TracedCallback<Ptr<RdmaQueuePair>> m_connectedTrace; //!< Connected
};

} // namespace ns3

#endif // RDMA_APPLICATION_H
