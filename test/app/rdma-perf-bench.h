/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_PERF_BENCH_H
#define RDMA_PERF_BENCH_H

#include "../verbs/rdma-star.h"

#include "ns3/boolean.h"
#include "ns3/rdma-application-helper.h"
#include "ns3/rdma-perf-client.h"
#include "ns3/rdma-perf-server.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <cstdint>

/// @ingroup iwarp-tests
/// Hosts on one router, and applications without Markers between them.
class RdmaPerfBench
{
  public:
    static constexpr uint16_t PORT = 20049; //!< where servers listen

    /// @param hosts hosts @param rate rate of their links
    explicit RdmaPerfBench(uint32_t hosts = 2, const char* rate = "1Gbps")
        : m_star(hosts, rate)
    {
        helper.SetStreamAttribute("Markers", ns3::BooleanValue(false));
        helper.SetSocketAttribute("SndBufSize", ns3::UintegerValue(262144));
        helper.SetSocketAttribute("RcvBufSize", ns3::UintegerValue(262144));
    }

    ~RdmaPerfBench()
    {
        ns3::Simulator::Destroy();
    }

    /// Set attributes of the client. @param test test @param size octets @param iterations how many
    void Set(const char* test, uint32_t size, uint32_t iterations)
    {
        helper.SetClientAttribute("Test", ns3::StringValue(test));
        helper.SetClientAttribute("Size", ns3::UintegerValue(size));
        helper.SetClientAttribute("Iterations", ns3::UintegerValue(iterations));
    }

    /// Connect host 0 to host 1 and simulate. @return the client
    ns3::Ptr<ns3::RdmaPerfClient> Run()
    {
        applications = helper.Connect(Nodes().Get(0), Nodes().Get(1), PORT);
        Simulate();
        return Client(0);
    }

    void Simulate() //!< simulate what is installed
    {
        applications.Start(ns3::MilliSeconds(1));
        ns3::Simulator::Stop(ns3::Seconds(400)); // ns-3 gives up connecting after 189 s
        ns3::Simulator::Run();
    }

    /// @param i number @return a client
    ns3::Ptr<ns3::RdmaPerfClient> Client(uint32_t i) const
    {
        return ns3::DynamicCast<ns3::RdmaPerfClient>(applications.clients.Get(i));
    }

    /// @param i number @return a server
    ns3::Ptr<ns3::RdmaPerfServer> Server(uint32_t i) const
    {
        return ns3::DynamicCast<ns3::RdmaPerfServer>(applications.servers.Get(i));
    }

    const ns3::NodeContainer& Nodes() const //!< @return hosts
    {
        return m_star.GetHosts();
    }

    /// @param host index @return its device
    ns3::Ptr<ns3::NetDevice> Device(uint32_t host) const
    {
        return m_star.GetDevice(host);
    }

    ns3::RdmaPerfHelper helper;         //!< makes applications
    ns3::RdmaApplications applications; //!< what it made

  private:
    RdmaStar m_star; //!< hosts
};

#endif // RDMA_PERF_BENCH_H
