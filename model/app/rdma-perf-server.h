/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_PERF_SERVER_H
#define RDMA_PERF_SERVER_H

#include "rdma-application.h"
#include "rdma-perf-flow.h"

#include <cstdint>
#include <vector>

namespace ns3
{

/**
 * @ingroup iwarp-app
 * @brief The other end of an RdmaPerfClient. It takes any number of tests, one after the other or
 * at the same time.
 */
class RdmaPerfServer : public RdmaApplication
{
  public:
    static TypeId GetTypeId(); //!< @return the object TypeId
    RdmaPerfServer();
    ~RdmaPerfServer() override;

    uint32_t GetNConnections() const; //!< @return connections accepted so far

  protected:
    void DoDispose() override;

  private:
    void StartApplication() override;
    void StopApplication() override;

    /// @param connection the listening one, or one that is asked for @param event what happened
    void HandleEvent(Ptr<RdmaConnection> connection, const RdmaConnectionEvent& event);
    /// Take a connection. @param event the request @return "", or why not
    std::string Take(const RdmaConnectionEvent& event);
    /// A queue pair is connected. @param flow it
    void HandleConnected(Ptr<RdmaPerfFlow> flow, const std::string&);
    /// Something failed. @param flow where @param reason why
    void HandleFailed(Ptr<RdmaPerfFlow> flow, const std::string& reason);
    /// A connection is over. @param flow its flow
    void HandleClosed(Ptr<RdmaPerfFlow> flow, const std::string&);
    void Remove(Ptr<RdmaPerfFlow> flow); //!< give back @param flow a flow that is over

    Address m_local;                        //!< where to listen
    uint32_t m_rxDepth{0};                  //!< receives posted
    Ptr<RdmaConnection> m_listener;         //!< listens
    Ptr<RdmaProtectionDomain> m_domain;     //!< protection domain
    std::vector<Ptr<RdmaPerfFlow>> m_flows; //!< queue pairs
    uint32_t m_accepted{0};                 //!< connections accepted
};

} // namespace ns3

#endif // RDMA_PERF_SERVER_H
