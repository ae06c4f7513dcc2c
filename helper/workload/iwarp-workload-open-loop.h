/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef IWARP_WORKLOAD_OPEN_LOOP_H
#define IWARP_WORKLOAD_OPEN_LOOP_H

#include "iwarp-flow-file.h"
#include "iwarp-open-loop.h"
#include "iwarp-workload-message.h"

#include "ns3/nstime.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup iwarp-helper
 * @brief Base class of workloads whose messages can arrive in an open loop, whatever becomes of
 * those before them: those that arrive in a window of time are followed to their ends.
 *
 * With ArrivalWindow, or with a file of flows, it is one; otherwise messages follow each other as
 * IwarpMessageWorkload says.
 */
class IwarpOpenLoopWorkload : public IwarpMessageWorkload
{
  public:
    static TypeId GetTypeId(); //!< Get the type ID. @return the object TypeId
    IwarpOpenLoopWorkload();
    ~IwarpOpenLoopWorkload() override;

    std::string Check() const override;
    uint64_t GetOctets() const override;
    bool IsPaced() const override;
    bool IsShared() const override;
    int64_t CountStreams() const override;
    LoadBasis GetLoadBasis() const override;
    std::string ChooseEnds(const std::function<std::vector<std::string>()>& hosts,
                           IwarpTopology::Ends& ends) override;
    bool HasStage() const override;
    void Begin(const Stage& stage) override;
    void Install(const Flow& flow, const iwarp::FlowListener& listener) override;
    void Finish(iwarp::MetricSet& metrics) override;
    std::vector<std::string> ListCautions() const override;

  protected:
    /// Install the applications of a flow that is no open loop. @param flow where and when
    /// @param listener who is told of it
    virtual void InstallFlow(const Flow& flow, const iwarp::FlowListener& listener) = 0;

    /// Report what only the applications know that carriers do not tell of, and let go of them.
    /// @param metrics where to
    virtual void FinishFlows(iwarp::MetricSet& metrics) = 0;

    /**
     * @brief Make what carries messages of an open loop.
     * @param flow where
     * @param listener who is told of connections
     * @param kind how long a connection lasts
     * @param user told of messages
     * @return it
     */
    virtual Ptr<iwarp::MessageCarrier> MakeCarrier(const Flow& flow,
                                                   const iwarp::FlowListener& listener,
                                                   iwarp::MessageCarrier::Kind kind,
                                                   iwarp::MessageCarrier::User& user) = 0;

    /// Tell whether flows that end where they begin can be of several ranks. @return "", or why
    /// not: as CheckRanks() of a workload whose carriers share nothing
    std::string CheckFlowRanks() const;
    iwarp::IdealTime GetIdealTime() const; //!< @return what ends messages of an open loop
    /// Make a client post no messages but those that it is given. @param client with attributes
    /// MessageSizes and QueueDepth @param kind how long its connection lasts
    void ConfigureCarrier(const Ptr<Object>& client, iwarp::MessageCarrier::Kind kind) const;

  private:
    /// Add attributes of how messages arrive. @param tid of this class @return it
    static TypeId AddArrivals(TypeId tid);
    /// Add attributes of what a load is, and which connections messages take. @param tid of this
    /// class @return it
    static TypeId AddConnections(TypeId tid);
    /// Add attributes of what is measured. @param tid of this class @return it
    static TypeId AddMeasures(TypeId tid);

    std::string GetFlowFile() const;   //!< @return file that Arrivals names, or ""
    std::string CheckArrivals() const; //!< @return "", or what is wrong with how messages arrive
    std::string CheckMeasures() const; //!< @return "", or what is wrong with what is measured
    /// @param mean gap, seconds @return arrivals of a source
    std::unique_ptr<iwarp::Arrivals> MakeArrivals(double mean) const;
    iwarp::OpenLoop::Settings MakeSettings(); //!< @return what the open loop of a run does

    std::string m_arrivals;              //!< see Arrivals
    double m_sigma;                      //!< see ArrivalSigma
    std::string m_bursts;                //!< see Bursts
    std::string m_pauses;                //!< see Pauses
    iwarp::ArrivalSource m_source;       //!< see ArrivalSource
    LoadBasis m_basis;                   //!< see LoadBasis
    iwarp::ConnectionUse m_connections;  //!< see Connections
    bool m_poolGrows;                    //!< see PoolGrows
    bool m_onDemand;                     //!< see ConnectOnDemand
    uint64_t m_messageLimit;             //!< see MessageLimit
    Time m_warmUp;                       //!< see ArrivalWarmUp
    Time m_window;                       //!< see ArrivalWindow
    Time m_drain;                        //!< see DrainLimit
    iwarp::IdealTime m_ideal;            //!< see IdealTime
    uint32_t m_bins;                     //!< see SizeBins
    std::string m_log;                   //!< see MessageLog
    iwarp::FlowFile m_file;              //!< what Arrivals names, once hosts are known
    Ptr<iwarp::OpenLoop> m_loop;         //!< of the run
    Ptr<RandomVariableStream> m_undrawn; //!< sizes for clients, who are told how large messages are
    std::vector<std::string> m_cautions; //!< of the last run
};

} // namespace ns3

#endif // IWARP_WORKLOAD_OPEN_LOOP_H
