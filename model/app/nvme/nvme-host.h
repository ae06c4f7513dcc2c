/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef NVME_HOST_H
#define NVME_HOST_H

#include "nvme-application.h"

#include "ns3/address.h"
#include "ns3/app-message-source.h"
#include "ns3/app-request-totals.h"
#include "ns3/nvme-host-queue.h"
#include "ns3/nvme-host-start.h"
#include "ns3/random-variable-stream.h"
#include "ns3/socket.h"

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup iwarp-app
 * @brief A host of NVMe/TCP: reads and writes at an NvmeTarget, or at a target of others.
 *
 * It starts a controller on an admin queue as Linux's driver does, connects its I/O queues, and
 * makes requests of sizes drawn from MessageSizes: in a closed loop, so that QueueDepth are under
 * way, or, with Intervals set, at random times, and then they wait while so many are. A request is
 * one command, or several if it is longer than MaxTransfer; a command goes to the queue that has
 * the fewest under way.
 */
class NvmeHost : public NvmeApplication,
                 private NvmeHostQueueUser,
                 private iwarp::MessageSource::User
{
  public:
    /// Signature of RequestPosted. @param kind kind @param size octets of data
    typedef void (*PostedTracedCallback)(iwarp::RequestKind kind, uint32_t size);
    /// Signature of RequestCompleted. @param kind kind @param size octets of data @param latency
    /// time since the request was made
    typedef void (*CompletedTracedCallback)(iwarp::RequestKind kind, uint32_t size, Time latency);
    /// Signature of Finished. @param requests requests completed, before RestartTotals() too
    typedef void (*FinishedTracedCallback)(uint64_t requests);

    static TypeId GetTypeId(); //!< Get the type ID. @return the object TypeId
    NvmeHost();
    ~NvmeHost() override;

    /**
     * @brief Describe the sizes of requests in text, see iwarp::MakeDistribution().
     * @param description such as "cdf:alistorage2019"
     * @return "", or what is wrong
     */
    std::string SetMessageSizes(const std::string& description);

    int64_t AssignStreams(int64_t stream) override;

    /// Tell whether all MaxRequests have been completed. @return true then
    bool IsFinished() const;
    /// Get what the requests came to. @return totals
    const iwarp::RequestTotals& GetTotals() const;
    void RestartTotals();        //!< Count requests anew: a warm-up is over
    uint64_t GetRetries() const; //!< Count commands that were sent again, since their data had
                                 //!< changed on the way. @return commands
    /// Get an I/O queue. @param i 0 to Queues - 1 @return it; nullptr before it is opened
    Ptr<NvmeHostQueue> GetQueue(uint32_t i) const;

    /// Get what was measured. @return requests, octets, rates, latencies of each kind
    std::vector<AppMetric> GetMetrics() const;
    /// List what GetMetrics() tells. @return the metrics, each with the value 0
    static std::vector<AppMetric> ListMetrics();

  protected:
    void DoDispose() override;

  private:
    /// A request.
    struct Request
    {
        iwarp::RequestKind kind; //!< kind
        uint32_t size;           //!< octets of data
        Time made;               //!< when it was made
        uint32_t left;           //!< commands that are not complete
        bool inlined;            //!< data in capsules
    };

    /// A command.
    struct Command
    {
        uint64_t request{0}; //!< number of its request
        uint64_t slba{0};    //!< first block
        uint32_t blocks{0};  //!< how many
        uint32_t tries{0};   //!< times that it was sent again
    };

    /// An I/O queue.
    struct IoQueue
    {
        Ptr<NvmeHostQueue> queue;      //!< it
        std::vector<Command> commands; //!< under way, by CID
        bool ready{false};             //!< I/O may begin
    };

    void StartApplication() override;
    void StopApplication() override;

    // NvmeHostQueueUser
    void HandleReady(NvmeQueue& queue) override;
    void HandleData(NvmeQueue& queue,
                    uint16_t cid,
                    uint32_t offset,
                    const Ptr<Packet>& octets) override;
    void HandleCompletion(NvmeHostQueue& queue, uint16_t cid, const NvmeCqe& cqe) override;
    void HandleEnd(NvmeQueue& queue, const NvmeEnd& end) override;

    // iwarp::MessageSource::User
    bool HasRoom() const override;
    void PostMessage(uint32_t number, uint64_t size) override;

    /// Open a connection. @return its queue
    Ptr<NvmeHostQueue> Connect();
    void HandleTcp(Ptr<Socket> socket);   //!< TCP is connected @param socket of it
    void HandleNoTcp(Ptr<Socket> socket); //!< TCP is not connected @param socket of it
    /// Have a socket call nobody back. @param socket that connects
    static void Forget(const Ptr<Socket>& socket);
    void OpenQueues();                   //!< open the I/O queues
    void SubmitStep();                   //!< submit what the start of the controller asks for next
    void HandleStep(const NvmeCqe& cqe); //!< a step is complete @param cqe its completion
    /// An I/O queue may be used. @param io it
    void HandleConnected(IoQueue& io);
    void Begin();       //!< requests may be made
    void SendWaiting(); //!< submit commands that wait, as far as queues have room
    /// @param io queue with room @param command for it
    void Send(IoQueue& io, const Command& command);
    /// A command of I/O is complete. @param io where @param cid of it @param cqe its completion
    void HandleIo(IoQueue& io, uint16_t cid, const NvmeCqe& cqe);
    /// @param number of a request that is complete
    void Complete(uint64_t number);
    /// @param queue an I/O queue @return it; nullptr if it is the admin queue
    IoQueue* Find(const NvmeQueue& queue);
    /// End all connections. @param reason why, for people; "" if nothing is wrong @param ended
    /// queue that has ended by itself, and may have to tell its peer why
    void End(const std::string& reason, const NvmeQueue* ended = nullptr);

    Address m_remote;                                       //!< see Remote
    std::string m_nqn;                                      //!< see Nqn
    std::string m_hostNqn;                                  //!< see HostNqn
    bool m_admin;                                           //!< see AdminQueue
    uint32_t m_queues;                                      //!< see Queues
    double m_readShare;                                     //!< see ReadShare
    uint32_t m_maxTransfer;                                 //!< see MaxTransfer
    uint64_t m_blocks;                                      //!< see Blocks
    uint32_t m_blockSize;                                   //!< see BlockSize
    iwarp::MessageSource m_source;                          //!< requests
    Ptr<UniformRandomVariable> m_kinds;                     //!< decides on read or write
    Ptr<UniformRandomVariable> m_places;                    //!< decides on the first block
    std::unique_ptr<NvmeHostStart> m_start;                 //!< start of the controller
    std::map<Ptr<Socket>, Ptr<NvmeHostQueue>> m_connecting; //!< TCP that is not connected yet
    Ptr<NvmeHostQueue> m_adminQueue;                        //!< admin queue
    std::vector<uint8_t> m_adminData;                       //!< data of its command under way
    std::vector<IoQueue> m_io;                              //!< I/O queues
    uint32_t m_connected{0};                                //!< of these that may be used
    std::map<uint64_t, Request> m_requests;                 //!< under way, or waiting
    std::deque<Command> m_waiting; //!< commands of these that are to be sent
    uint64_t m_retries{0};         //!< commands sent again
    uint32_t m_turn{0};            //!< queue to begin with
    bool m_running{false};         //!< requests may be sent
    bool m_finished{false};        //!< all have been completed
    iwarp::RequestTotals m_totals; //!< what they came to

    TracedCallback<iwarp::RequestKind, uint32_t> m_postedTrace;          //!< RequestPosted
    TracedCallback<iwarp::RequestKind, uint32_t, Time> m_completedTrace; //!< RequestCompleted
    TracedCallback<uint64_t> m_finishedTrace;                            //!< Finished
};

} // namespace ns3

#endif // NVME_HOST_H
