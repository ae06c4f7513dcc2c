/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef NVME_TARGET_H
#define NVME_TARGET_H

#include "nvme-application.h"
#include "nvme-storage.h"

#include "ns3/address.h"
#include "ns3/app-request-totals.h"
#include "ns3/nvme-controller-queue.h"
#include "ns3/nvme-controller.h"
#include "ns3/random-variable-stream.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup iwarp-app
 * @brief A target of NVMe/TCP: a subsystem with one namespace, whose controllers serve NvmeHost
 * applications, or hosts of others.
 *
 * Storage takes any command at once and needs ServiceTime for it, whatever else it does.
 */
class NvmeTarget : public NvmeApplication
{
  public:
    /// Signature of RequestServed. @param kind kind @param size octets of data
    typedef void (*ServedTracedCallback)(iwarp::RequestKind kind, uint32_t size);

    static TypeId GetTypeId(); //!< Get the type ID. @return the object TypeId
    NvmeTarget();
    ~NvmeTarget() override;

    int64_t AssignStreams(int64_t stream) override;

    uint64_t GetRequests() const;   //!< Count the reads and writes served. @return commands
    uint64_t GetOctets() const;     //!< Count the data of these. @return octets
    std::size_t GetNQueues() const; //!< Count the connections that there are. @return of all kinds
    const NvmeStorage& GetStorage() const; //!< Get the content of the namespace. @return it

  protected:
    void DoDispose() override;

  private:
    class Connection; //!< a queue, and what is known of it

    void StartApplication() override;
    void StopApplication() override;

    /// A connection is there. @param socket of it @param from the host's address
    void HandleAccept(Ptr<Socket> socket, const Address& from);
    /// A connection has ended. @param connection it @param end why
    void HandleEnd(const std::shared_ptr<Connection>& connection, const NvmeEnd& end);

    /// Find or make the controller of a queue that connects. @param sqe Connect @param data of it
    /// @return it; for an I/O queue of a controller that is not there one that no host has
    std::shared_ptr<NvmeController> FindController(const NvmeSqe& sqe,
                                                   const std::vector<uint8_t>& data);
    /// The storage has done its work. @param sqe command @param length of its data @param written
    /// data of a write @return data of a read
    NvmeData Serve(const NvmeSqe& sqe, uint32_t length, const std::vector<uint8_t>& written);

    Address m_local;                                        //!< see Local
    bool m_requireConnect;                                  //!< see RequireConnect
    std::string m_nqn;                                      //!< see Nqn
    uint64_t m_blocks;                                      //!< see Blocks
    uint32_t m_blockSize;                                   //!< see BlockSize
    uint32_t m_ioQueues;                                    //!< see IoQueues
    NvmeSubsystem m_subsystem;                              //!< what all controllers have in common
    Ptr<RandomVariableStream> m_serviceTime;                //!< see ServiceTime
    std::unique_ptr<NvmeStorage> m_storage;                 //!< content
    Ptr<Socket> m_listener;                                 //!< where hosts connect
    std::vector<std::shared_ptr<Connection>> m_connections; //!< in the order of acceptance
    std::vector<Ptr<NvmeControllerQueue>> m_left;           //!< that may have to send an end yet
    uint16_t m_controllers{0};                              //!< controllers that there have been
    uint64_t m_requests{0};                                 //!< commands served
    uint64_t m_octets{0};                                   //!< data of these

    TracedCallback<iwarp::RequestKind, uint32_t> m_servedTrace; //!< RequestServed
};

} // namespace ns3

#endif // NVME_TARGET_H
