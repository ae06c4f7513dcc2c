/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_PERF_SERVER_H
#define RDMA_PERF_SERVER_H

#include "rdma-perf-report.h"
#include "rdma-perf-test.h"
#include "rdma-perftest-control.h"

#include "ns3/rdma-server-application.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup iwarp-app
 * @brief The other end of an RdmaPerfClient. It takes any number of tests, one after the other or
 * at the same time.
 *
 * With Exchange=Perftest the client may be one of perftest's own programs. The test is that of the
 * server's attributes then, as of perftest's command line, and there is one client at a time.
 */
class RdmaPerfServer : public RdmaServerApplication
{
  public:
    static TypeId GetTypeId(); //!< Get the type ID. @return the object TypeId
    RdmaPerfServer();
    ~RdmaPerfServer() override;

    /**
     * @brief Get what this end has seen of tests by perftest's exchange that ran to their end.
     * @return a report of each; without iterations of write_bw, read_bw and read_lat, of which a
     *         server sees nothing
     */
    const std::vector<RdmaPerfReport>& GetReports() const;

    /// Check that the attributes go together; the server ends the program if they do not.
    /// @return "" or what is wrong, in words
    std::string Check() const;

  protected:
    void DoDispose() override;

  private:
    void StartApplication() override;
    void StopApplication() override;
    Ptr<RdmaFlow> MakeFlow() override;
    void HandleFailed(Ptr<RdmaFlow> flow, const std::string& reason) override;
    void HandleClosed(Ptr<RdmaFlow> flow) override;

    Ptr<RdmaPerftestControl> MakeControl(); //!< @return first connection of a test
    void HandleExchanged();                 //!< perftest's exchange is over
    /// @param flow a connection @return true if it is one of a test by perftest's exchange that is
    /// not over
    bool IsUnderWay(Ptr<RdmaFlow> flow) const;

    uint32_t m_rxDepth{0};                 //!< receives posted
    RdmaPerfExchange m_exchange;           //!< how it learns of the test
    RdmaPerfTest m_test;                   //!< test of perftest's exchange
    uint32_t m_size{0};                    //!< octets of its messages
    uint64_t m_iterations{0};              //!< its messages
    Ptr<RdmaPerftestControl> m_control;    //!< perftest's exchange, the latest
    std::vector<RdmaPerfReport> m_reports; //!< what was seen
};

} // namespace ns3

#endif // RDMA_PERF_SERVER_H
