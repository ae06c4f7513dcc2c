/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_STORAGE_CLIENT_H
#define RDMA_STORAGE_CLIENT_H

#include "rdma-storage-message.h"

#include "ns3/app-message-source.h"
#include "ns3/app-metric.h"
#include "ns3/app-request-totals.h"
#include "ns3/random-variable-stream.h"
#include "ns3/rdma-application.h"

#include <cstdint>
#include <deque>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup iwarp-app
 * @brief Reads and writes at an RdmaStorageServer, as iSER and NFS over RDMA do.
 *
 * A request goes in a Send. Data up to the inline threshold go with it or with the response;
 * otherwise the server reads a write's data by RDMA Read, and writes a read's data by RDMA Write,
 * from and to memory that the request names. The response comes in a Send. Requests are made in a
 * closed loop, so that QueueDepth are under way, or, with Intervals set, at random times, and wait
 * while so many are.
 */
class RdmaStorageClient : public RdmaApplication, private iwarp::MessageSource::User
{
  public:
    /// Signature of RequestPosted. @param kind kind @param size octets of data
    typedef void (*PostedTracedCallback)(RdmaStorageKind kind, uint32_t size);
    /// Signature of RequestCompleted. @param kind kind @param size octets of data @param latency
    /// time since the request was made
    typedef void (*CompletedTracedCallback)(RdmaStorageKind kind, uint32_t size, Time latency);
    /// Signature of Finished. @param requests requests completed, before RestartTotals() too
    typedef void (*FinishedTracedCallback)(uint64_t requests);

    static TypeId GetTypeId(); //!< Get the type ID. @return the object TypeId
    RdmaStorageClient();
    ~RdmaStorageClient() override;

    /**
     * @brief Describe the sizes of requests in text, see iwarp::MakeDistribution().
     * @param description such as "cdf:alistorage2019"
     * @return "", or what is wrong
     */
    std::string SetMessageSizes(const std::string& description);

    int64_t AssignStreams(int64_t stream) override;

    /// Tell whether all MaxRequests have been completed. @return true then
    bool IsFinished() const;
    /// Count the requests completed. @param kind kind @return requests
    uint64_t GetRequests(RdmaStorageKind kind) const;
    /// Count the data of these. @param kind kind @return octets
    uint64_t GetOctets(RdmaStorageKind kind) const;
    /// Get the times from requests to responses. @param kind kind @return times
    const iwarp::SampleSet& GetLatencies(RdmaStorageKind kind) const;

    /// Get what the requests came to. @return totals
    const iwarp::RequestTotals& GetTotals() const;
    void RestartTotals(); //!< Count requests anew: a warm-up is over
    /// Get what was measured. @return requests, octets, rates, latencies of each kind
    std::vector<AppMetric> GetMetrics() const;

    /// List what GetMetrics() tells. @return the metrics, each with the value 0
    static std::vector<AppMetric> ListMetrics();

  protected:
    void DoDispose() override;

  private:
    class Session; //!< its end of the connection

    /// A request.
    struct Request
    {
        RdmaStorageKind kind; //!< kind
        uint32_t size;        //!< octets of data
        Time made;            //!< when it was made
    };

    void StartApplication() override;
    void StopApplication() override;

    // RdmaFlow::Owner
    void HandleConnected(Ptr<RdmaFlow> flow) override;
    void HandleFailed(Ptr<RdmaFlow> flow, const std::string& reason) override;

    /// The server has responded. @param response of a tag of this connection
    void HandleResponse(const RdmaStorageMessage& response);
    void Complete(const RdmaStorageMessage& response); //!< @param response of a request

    // iwarp::MessageSource::User
    bool HasRoom() const override;
    void PostMessage(uint32_t number, uint64_t size) override;

    bool CanSend() const; //!< @return whether a request may be sent
    void SendNext();      //!< send the oldest request

    Address m_remote;                   //!< where the server listens
    double m_readShare{0};              //!< share of reads
    iwarp::MessageSource m_source;      //!< requests
    Ptr<UniformRandomVariable> m_kinds; //!< decides on read or write
    uint32_t m_inlineThreshold{0};      //!< most octets in a Send
    Ptr<Session> m_flow;                //!< its end of the connection
    std::deque<Request> m_waiting;      //!< made and not sent
    std::vector<Request> m_sent;        //!< under way, by tag
    std::vector<bool> m_busy;           //!< tags under way
    std::vector<uint32_t> m_free;       //!< tags that are not
    bool m_finished{false};             //!< all have been completed
    iwarp::RequestTotals m_totals;      //!< what they came to

    TracedCallback<RdmaStorageKind, uint32_t> m_postedTrace;          //!< RequestPosted
    TracedCallback<RdmaStorageKind, uint32_t, Time> m_completedTrace; //!< RequestCompleted
    TracedCallback<uint64_t> m_finishedTrace;                         //!< Finished
};

} // namespace ns3

#endif // RDMA_STORAGE_CLIENT_H
