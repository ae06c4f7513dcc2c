/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_BULK_SERVER_H
#define RDMA_BULK_SERVER_H

#include "rdma-application.h"
#include "rdma-bulk-flow.h"

#include <cstdint>
#include <set>

namespace ns3
{

/**
 * @ingroup iwarp-app
 * @brief Serves any number of RdmaBulkClients: takes their RDMA Writes and Sends, answers their
 * RDMA Reads. It stops by closing what it has.
 */
class RdmaBulkServer : public RdmaApplication
{
  public:
    /// Signature of MessageReceived. @param pair its queue pair @param size octets
    typedef void (*MessageTracedCallback)(Ptr<RdmaQueuePair> pair, uint64_t size);

    static TypeId GetTypeId(); //!< @return the object TypeId
    RdmaBulkServer();
    ~RdmaBulkServer() override;

    uint64_t GetMessages() const; //!< @return RDMA Writes and Sends complete
    uint64_t GetOctets() const;   //!< @return octets of these

  protected:
    void DoDispose() override;

  private:
    void StartApplication() override;
    void StopApplication() override;

    void HandleRequest(Ptr<RdmaConnection> listener,
                       const RdmaConnectionEvent& event);                 //!< somebody connects
    void HandleEstablished(Ptr<RdmaBulkFlow> flow);                       //!< connected
    void HandleRoom(Ptr<RdmaBulkFlow> flow);                              //!< nothing to do
    void HandleMessage(Ptr<RdmaBulkFlow> flow, uint64_t octets);          //!< a message has come
    void HandleFailed(Ptr<RdmaBulkFlow> flow, const std::string& reason); //!< ended early
    void HandleClosed(Ptr<RdmaBulkFlow> flow);                            //!< over

    Address m_local;                     //!< where to listen
    uint32_t m_receives;                 //!< receives posted for Sends
    Ptr<RdmaConnection> m_listener;      //!< listens
    Ptr<RdmaProtectionDomain> m_domain;  //!< of all queue pairs
    std::set<Ptr<RdmaBulkFlow>> m_flows; //!< connections
    uint64_t m_messages{0};              //!< messages complete
    uint64_t m_octets{0};                //!< octets of these

    TracedCallback<Ptr<RdmaQueuePair>, uint64_t> m_receivedTrace; //!< MessageReceived
};

} // namespace ns3

#endif // RDMA_BULK_SERVER_H
