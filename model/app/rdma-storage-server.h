/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_STORAGE_SERVER_H
#define RDMA_STORAGE_SERVER_H

#include "rdma-application.h"
#include "rdma-storage-endpoint.h"

#include "ns3/random-variable-stream.h"
#include "ns3/simple-ref-count.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup iwarp-app
 * @brief The server of RdmaStorageClient applications. Storage takes any request at once and needs
 * ServiceTime for it, whatever else it does.
 */
class RdmaStorageServer : public RdmaApplication
{
  public:
    /// Signature of RequestServed. @param kind kind @param size octets of data
    typedef void (*ServedTracedCallback)(RdmaStorageKind kind, uint32_t size);

    static TypeId GetTypeId(); //!< @return the object TypeId
    RdmaStorageServer();
    ~RdmaStorageServer() override;

    /**
     * @brief Fix the random stream. Overrides Application's since ns-3.41, which has it.
     * @param stream stream number
     * @return number of streams used, 1
     */
    int64_t AssignStreams(int64_t stream);

    uint32_t GetNConnections() const; //!< @return connections accepted so far
    uint64_t GetRequests() const;     //!< @return requests served
    uint64_t GetOctets() const;       //!< @return octets of data of these

  protected:
    void DoDispose() override;

  private:
    /// One connection.
    class Session : public SimpleRefCount<Session>
    {
      public:
        /// @param server whose
        explicit Session(RdmaStorageServer& server);
        /// Take a connection. @param event the request @return "", or why not
        std::string Accept(const RdmaConnectionEvent& event);
        void Stop();  //!< end the connection
        void Close(); //!< give all back

      private:
        /// @param connection it @param event what
        void HandleEvent(Ptr<RdmaConnection> connection, const RdmaConnectionEvent& event);
        void HandleCompletion(const RdmaCompletion& completion); //!< @param completion of any work
        void HandleRequest(const RdmaStorageMessage& request);   //!< @param request of the client
        void Serve(uint32_t tag);             //!< let the storage do its work @param tag request
        void Respond(uint32_t tag);           //!< the storage has done it @param tag request
        void Check(int error);                //!< @param error of posting, 0 if there is none
        void Fail(const std::string& reason); //!< @param reason why

        RdmaStorageServer& m_server;                //!< whose
        Ptr<RdmaConnection> m_connection;           //!< connection
        RdmaStorageEndpoint m_endpoint;             //!< queue pair
        std::vector<RdmaStorageMessage> m_requests; //!< under way, by tag
        std::vector<bool> m_busy;                   //!< tags under way
        bool m_ending{false};                       //!< the connection ends
    };

    void StartApplication() override;
    void StopApplication() override;

    /// @param connection the listening one @param event what happened
    void HandleEvent(Ptr<RdmaConnection> connection, const RdmaConnectionEvent& event);
    void Remove(Ptr<Session> session); //!< forget @param session that is over

    Address m_local;                         //!< where to listen
    uint32_t m_queueDepth{0};                //!< most requests of a connection
    uint32_t m_inlineThreshold{0};           //!< most octets in a Send
    Ptr<RandomVariableStream> m_serviceTime; //!< seconds that a request takes
    Ptr<RdmaConnection> m_listener;          //!< listens
    Ptr<RdmaProtectionDomain> m_domain;      //!< protection domain
    std::vector<Ptr<Session>> m_sessions;    //!< connections
    uint32_t m_accepted{0};                  //!< connections accepted
    uint64_t m_requests{0};                  //!< requests served
    uint64_t m_octets{0};                    //!< data of these

    TracedCallback<RdmaStorageKind, uint32_t> m_servedTrace; //!< RequestServed
};

} // namespace ns3

#endif // RDMA_STORAGE_SERVER_H
