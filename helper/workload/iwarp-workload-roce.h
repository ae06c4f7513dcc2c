/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef IWARP_WORKLOAD_ROCE_H
#define IWARP_WORKLOAD_ROCE_H

#include "iwarp-workload-open-loop.h"

#include "ns3/roce-client.h"
#include "ns3/roce-server.h"

#include <cstdint>
#include <set>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup iwarp-helper
 * @brief Base class of workloads over RoCE: messages from RoceClient to RoceServer.
 *
 * Unless it is set, the window is one bandwidth-delay product of the empty path without congestion
 * control, and as large as can be with it.
 */
class IwarpRoceWorkload : public IwarpOpenLoopWorkload
{
  public:
    /// What controls the rate of a connection
    enum class Congestion : uint8_t
    {
        NONE,   //!< nothing
        DCQCN,  //!< RoceDcqcn
        TIMELY, //!< RoceTimely
    };

    static TypeId GetTypeId(); //!< Get the type ID. @return the object TypeId
    ~IwarpRoceWorkload() override;

    std::string Check() const override;
    Transport GetTransport() const override;
    Headers GetHeaders(uint32_t ip, uint32_t tcp) const override;
    void EnablePcap(const std::string& prefix) override;

  protected:
    /// @param recovery what is sent again
    explicit IwarpRoceWorkload(RoceRecovery recovery);

    void InstallFlow(const Flow& flow, const iwarp::FlowListener& listener) override;
    void FinishFlows(iwarp::MetricSet& metrics) override;
    void Count(iwarp::MetricSet& counts) const override;
    Ptr<iwarp::MessageCarrier> MakeCarrier(const Flow& flow,
                                           const iwarp::FlowListener& listener,
                                           iwarp::MessageCarrier::Kind kind,
                                           iwarp::MessageCarrier::User& user) override;

  private:
    /// @param flow where @return packets under way at most
    uint32_t FindWindow(const Flow& flow) const;
    /// @param flow where @param collector of it @param totals of all
    /// @return server, which the flow's receiver has got
    Ptr<RoceServer> InstallServer(const Flow& flow,
                                  Ptr<iwarp::FlowCollector> collector,
                                  iwarp::FlowTotals* totals);
    /// @param flow where @return client, without messages and start
    Ptr<RoceClient> MakeClient(const Flow& flow) const;

    TypeId GetCongestionType() const; //!< @return class that controls the rate

    RoceRecovery m_recovery;                //!< what is sent again
    Congestion m_congestion;                //!< see Congestion
    uint32_t m_window;                      //!< see Window
    uint32_t m_period;                      //!< see AckPeriod
    Time m_timeout;                         //!< see Timeout
    Time m_shortTimeout;                    //!< see ShortTimeout
    Time m_cnpInterval;                     //!< of the class that controls the rate
    bool m_icrc{false};                     //!< packets are written to pcap files
    std::set<Ptr<Node>> m_hosts;            //!< of all flows
    std::vector<Ptr<RoceClient>> m_clients; //!< at the sending hosts
    std::vector<Ptr<RoceServer>> m_servers; //!< at the receiving hosts
};

/**
 * @ingroup iwarp-helper
 * @brief RoCE with go-back-N.
 */
class IwarpGoBackNWorkload : public IwarpRoceWorkload
{
  public:
    static TypeId GetTypeId(); //!< Get the type ID. @return the object TypeId
    IwarpGoBackNWorkload();
};

/**
 * @ingroup iwarp-helper
 * @brief RoCE with selective repeat.
 */
class IwarpSelectiveRepeatWorkload : public IwarpRoceWorkload
{
  public:
    static TypeId GetTypeId(); //!< Get the type ID. @return the object TypeId
    IwarpSelectiveRepeatWorkload();
};

} // namespace ns3

#endif // IWARP_WORKLOAD_ROCE_H
