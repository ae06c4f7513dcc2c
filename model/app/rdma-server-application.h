/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_SERVER_APPLICATION_H
#define RDMA_SERVER_APPLICATION_H

#include "rdma-application.h"

#include <cstdint>
#include <vector>

namespace ns3
{

/**
 * @ingroup iwarp-app
 * @brief What servers over queue pairs have in common: they listen at an address, serve any number
 * of clients, and when they stop end the connections that there are.
 */
class RdmaServerApplication : public RdmaApplication
{
  public:
    static TypeId GetTypeId(); //!< Get the type ID. @return the object TypeId
    RdmaServerApplication();
    ~RdmaServerApplication() override;

    /// Count the connections accepted so far. @return connections
    uint32_t GetNConnections() const;
    /// Count the connections that there are now. @return connections
    uint32_t GetNOpen() const;

  protected:
    void StartApplication() override;
    void StopApplication() override;
    void DoDispose() override;
    void HandleClosed(Ptr<RdmaFlow> flow) override;

    /// Make this end of a connection that is asked for. @return a new flow
    virtual Ptr<RdmaFlow> MakeFlow() = 0;

  private:
    /// A client asks for a connection. @param connection that @param event the request
    void HandleRequest(Ptr<RdmaConnection> connection, const RdmaConnectionEvent& event);

    Address m_local;                    //!< where to listen
    Ptr<RdmaConnection> m_listener;     //!< listens
    std::vector<Ptr<RdmaFlow>> m_flows; //!< connections that there are
    uint32_t m_accepted{0};             //!< connections accepted
};

} // namespace ns3

#endif // RDMA_SERVER_APPLICATION_H
