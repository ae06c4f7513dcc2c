/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef IWARP_WORKLOAD_PERF_H
#define IWARP_WORKLOAD_PERF_H

#include "iwarp-workload.h"

#include "ns3/rdma-perf-client.h"
#include "ns3/rdma-perf-server.h"

#include <ostream>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup iwarp-helper
 * @brief A test of the perftest suite on each flow, between RdmaPerfClient and RdmaPerfServer. In
 * tests that read the client is at the receiving host.
 */
class IwarpPerfWorkload : public IwarpWorkload
{
  public:
    static TypeId GetTypeId(); //!< Get the type ID. @return the object TypeId
    IwarpPerfWorkload();
    ~IwarpPerfWorkload() override;

    std::string Check() const override;
    void Install(const Flow& flow, const iwarp::FlowListener& listener) override;
    uint64_t GetOctets() const override;
    void Finish(iwarp::MetricSet& metrics) override;
    std::string GetReport() const override;

  private:
    Ptr<RdmaPerfClient> MakeClient() const; //!< @return a client that lacks only its flow
    bool RunsAllSizes() const;              //!< @return whether it runs with all sizes
    uint32_t GetSize() const;               //!< @return octets of a message, if it does not
    uint64_t GetIterations() const;         //!< @return messages of a flow, of all sizes
    /// Report tests of one size. @param reports one a flow @param metrics where to add @param text
    /// where to say what all of them do together
    void Add(const std::vector<RdmaPerfReport>& reports,
             iwarp::MetricSet& metrics,
             std::ostream& text) const;
    /// A client's Finished. @param collector its flow
    void Finished(Ptr<iwarp::FlowCollector> collector, const RdmaPerfReport&);

    RdmaPerfTest m_test;                        //!< test
    uint32_t m_size;                            //!< octets of a message; 0 is the test's usual ones
    bool m_all;                                 //!< all sizes
    uint32_t m_warmUp;                          //!< of these, messages that do not count
    uint32_t m_txDepth;                         //!< most sends posted; 0 is QueueDepth
    uint32_t m_inlineSize;                      //!< longest message sent inline, octets
    uint32_t m_iterations;                      //!< messages of each size, a queue pair
    uint32_t m_queuePairs;                      //!< queue pairs of a flow
    RdmaPerfOrder m_order;                      //!< in which order they send
    std::vector<Ptr<RdmaPerfClient>> m_clients; //!< clients
    std::vector<Ptr<RdmaPerfServer>> m_servers; //!< servers
    std::string m_report;                       //!< table of the last run
};

} // namespace ns3

#endif // IWARP_WORKLOAD_PERF_H
