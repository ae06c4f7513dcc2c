/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_FLOW_H
#define RDMA_FLOW_H

#include "ns3/ptr.h"
#include "ns3/rdma-completion-queue.h"
#include "ns3/rdma-connection.h"
#include "ns3/rdma-memory.h"
#include "ns3/rdma-protection-domain.h"
#include "ns3/rdmap-header.h"
#include "ns3/simple-ref-count.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup iwarp-app
 * @brief One end of a connection between two applications over verbs, from its memory and queue
 * pair to its end.
 *
 * It makes what the connection needs, connects or accepts, takes completions and gives everything
 * back when the connection is over. What goes over it is up to the class that derives from it.
 */
class RdmaFlow : public SimpleRefCount<RdmaFlow>
{
  public:
    /// The application that a flow belongs to, told of each in an event of the simulation.
    class Owner
    {
      public:
        virtual ~Owner() = default;
        /// Work may be posted. @param flow where
        virtual void HandleConnected(Ptr<RdmaFlow> flow) = 0;
        /// The connection ends early. @param flow which one @param reason why, for people
        virtual void HandleFailed(Ptr<RdmaFlow> flow, const std::string& reason) = 0;
        /// The connection is over and has given back all it had. @param flow which one
        virtual void HandleClosed(Ptr<RdmaFlow> flow) = 0;
        /**
         * @brief Make memory for payload: virtual, or with a pattern that is compared.
         * @param length octets of it
         * @param period octets after which its pattern begins again
         * @return new memory
         */
        virtual Ptr<DdpMemory> MakePayload(uint64_t length, uint64_t period) = 0;
    };

    RdmaFlow();
    virtual ~RdmaFlow();
    RdmaFlow(const RdmaFlow&) = delete;
    RdmaFlow& operator=(const RdmaFlow&) = delete;

    /**
     * @brief Connect to a server.
     * @param owner told of what happens; outlives the flow, or calls Detach()
     * @param domain protection domain of memory and queue pair
     * @param connection a new connection
     * @param remote address and port of the server
     * @return "", or what the device refuses
     */
    std::string Connect(Owner& owner,
                        Ptr<RdmaProtectionDomain> domain,
                        Ptr<RdmaConnection> connection,
                        const Address& remote);

    /**
     * @brief Accept a client.
     * @param owner told of what happens; outlives the flow, or calls Detach()
     * @param domain protection domain of memory and queue pair
     * @param connection the connection that was asked for
     * @param privateData what came with the request
     * @return "", or why it cannot be accepted
     */
    std::string Accept(Owner& owner,
                       Ptr<RdmaProtectionDomain> domain,
                       Ptr<RdmaConnection> connection,
                       const std::vector<uint8_t>& privateData);

    void Stop();   //!< Post nothing more, and end the connection when all that is posted is done
    void Detach(); //!< Tell the owner nothing more, since the simulation ends

    /// End the connection early, unless it ends already. @param reason why, for people
    void Fail(const std::string& reason);

    /// Get the queue pair. @return it; nullptr before it is made and when the connection is over
    Ptr<RdmaQueuePair> GetQp() const;
    bool IsOver() const; //!< Tell whether the connection ends or has ended. @return true then

  protected:
    bool IsClient() const;                       //!< @return true if this end connects
    Ptr<RdmaProtectionDomain> GetDomain() const; //!< @return protection domain

    /// Register memory for payload at address 0. @param length octets of it @param access rights
    /// @param period octets after which its content, if it has any, begins again
    /// @return registered memory, or nullptr
    Ptr<RdmaMemoryRegion> RegisterPayload(uint64_t length,
                                          uint32_t access,
                                          uint64_t period = UINT64_MAX);

    /// Give memory back at the end. @param region registered memory, or nullptr @return the same
    Ptr<RdmaMemoryRegion> Keep(Ptr<RdmaMemoryRegion> region);

    /**
     * @brief Make the queue pair, with a completion queue for all its work, in state INIT.
     * @param config its limits
     * @param attributes which of the application's attributes decide on them, for people
     * @return "", or what the device refuses; that it refused memory shows here, too
     */
    std::string MakeQueuePair(RdmaQueuePairConfig config, const std::string& attributes);

    /// Have HandleVisible() called, from HandleReady() on.
    void WatchMessages();

    /// Tell whether the owner tries again where nobody listens: HandleClosed() alone tells of that
    /// then. @return false unless a class says otherwise
    virtual bool IsPatient() const;
    /// Make memory and queue pair, post receives. @return "", or what the device refuses
    virtual std::string Open() = 0;
    /// Say what to ask of the connection. @return that, with private data
    virtual RdmaConnectionParameters GetParameters() const = 0;
    /// The peer introduces itself. @param privateData its octets @return "", or who it is not
    virtual std::string HandlePeer(const std::vector<uint8_t>& privateData) = 0;
    /// The peer is known and the queue pair has its stream.
    virtual void HandleReady();
    /// A work request is complete. @param completion it, with status SUCCESS
    virtual void HandleCompletion(const RdmaCompletion& completion) = 0;
    /// All completions that were there have been handled.
    virtual void HandleIdle();
    /// A message of the peer is in host memory. @param opcode its kind @param octets its payload
    virtual void HandleVisible(RdmapOpcode opcode, uint64_t octets);

  private:
    /// Bind the queue pair to the connection. @param connection it
    void Attach(Ptr<RdmaConnection> connection);
    /// What happens to the connection. @param connection it @param event what
    void HandleEvent(Ptr<RdmaConnection> connection, const RdmaConnectionEvent& event);
    /// There are completions. @param cq the queue
    void HandleCompletions(Ptr<RdmaCompletionQueue> cq);
    /// The client is connected. @param privateData the server's
    void HandleReply(const std::vector<uint8_t>& privateData);
    void Close();   //!< the connection is over
    void Release(); //!< give everything back

    Owner* m_owner{nullptr};                      //!< told of what happens
    bool m_client{false};                         //!< this end connects
    bool m_over{false};                           //!< the connection ends
    Ptr<RdmaProtectionDomain> m_domain;           //!< protection domain
    std::vector<Ptr<RdmaMemoryRegion>> m_regions; //!< memory to give back
    bool m_complete{true};                        //!< the device had all memory asked for
    Ptr<RdmaCompletionQueue> m_cq;                //!< all completions
    Ptr<RdmaQueuePair> m_pair;                    //!< queue pair
    Ptr<RdmaConnection> m_connection;             //!< connection
};

} // namespace ns3

#endif // RDMA_FLOW_H
