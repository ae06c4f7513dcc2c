/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_APPLICATION_H
#define RDMA_APPLICATION_H

#include "rdma-flow.h"

#include "ns3/address.h"
#include "ns3/application.h"
#include "ns3/attribute.h"
#include "ns3/ddp-memory.h"
#include "ns3/rdma-connection.h"
#include "ns3/traced-callback.h"

#include <string>
#include <utility>
#include <vector>

namespace ns3
{

/**
 * @ingroup iwarp-app
 * @brief What applications over queue pairs have in common: their connections with the attributes
 * of these, and errors.
 */
class RdmaApplication : public Application, protected RdmaFlow::Owner
{
  public:
    /// Signature of the Failed trace. @param reason why, for people
    typedef void (*FailedTracedCallback)(const std::string& reason);
    /// Signature of the Connected trace. @param pair a queue pair that is connected
    typedef void (*ConnectedTracedCallback)(Ptr<RdmaQueuePair> pair);

    static TypeId GetTypeId(); //!< Get the type ID. @return the object TypeId
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

    /**
     * @brief Fix the random streams, so that each run draws the same numbers. Overrides
     * Application's since ns-3.41, which has it.
     * @param stream first stream number
     * @return number of streams used, 0 for an application that draws none
     */
    virtual int64_t AssignStreams(int64_t stream);

    /// Count the octets that came and differ from what was sent; only with Backed do differences
    /// show. @return octets
    uint64_t GetContentErrors() const;

    /// Tell what went wrong first. @return words; "" if nothing has
    const std::string& GetError() const;

  protected:
    void DoDispose() override;

    /// Make a connection with the attributes set; ends the program if one is unknown. @return it
    Ptr<RdmaConnection> MakeConnection() const;

    bool IsBacked() const; //!< Tell whether payload is compared. @return attribute Backed

    /// Get the protection domain, which is made at the first call. @return it; nullptr, and an
    /// error reported, if the device has none left
    Ptr<RdmaProtectionDomain> GetDomain();

    /**
     * @brief Have a flow connect to a server; what the device refuses is reported as an error.
     * @param flow a new flow
     * @param remote address and port of the server
     * @return false if there is an error
     */
    bool Connect(Ptr<RdmaFlow> flow, const Address& remote);

    /// End the program unless this is an address and port. @param address it @param attribute
    /// attribute that holds it
    void CheckAddress(const Address& address, const char* attribute) const;

    void Fail(const std::string& reason); //!< Report an error. @param reason why, for people

    // RdmaFlow::Owner
    void HandleConnected(Ptr<RdmaFlow> flow) override;
    void HandleFailed(Ptr<RdmaFlow> flow, const std::string& reason) override;
    void HandleClosed(Ptr<RdmaFlow> flow) override;
    Ptr<DdpMemory> MakePayload(uint64_t length, uint64_t period) override;

  private:
    /// Name and value of attributes.
    using Settings = std::vector<std::pair<std::string, Ptr<AttributeValue>>>;

    Settings m_connectionSettings;         //!< of RdmaConnection
    Settings m_socketSettings;             //!< of MpaTcpSocket
    Settings m_streamSettings;             //!< of MpaStream
    Ptr<RdmaProtectionDomain> m_domain;    //!< of all flows
    std::string m_error;                   //!< what went wrong first
    bool m_backed;                         //!< payload is compared
    std::vector<Ptr<DdpMemory>> m_payload; //!< memory that compares it

    TracedCallback<const std::string&> m_failedTrace;    //!< Failed
    TracedCallback<Ptr<RdmaQueuePair>> m_connectedTrace; //!< Connected
};

} // namespace ns3

#endif // RDMA_APPLICATION_H
