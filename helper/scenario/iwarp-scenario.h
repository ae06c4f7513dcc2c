/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef IWARP_SCENARIO_H
#define IWARP_SCENARIO_H

#include "iwarp-network-map.h"
#include "iwarp-parameter.h"
#include "iwarp-scenario-part.h"

#include "ns3/iwarp-metrics.h"
#include "ns3/iwarp-random-streams.h"
#include "ns3/iwarp-workload.h"
#include "ns3/object.h"

#include <functional>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup iwarp-helper
 * @brief A whole experiment: parameters in, metrics out.
 *
 * Flows between hosts carry a workload across a network; PlainTcp sends the same octets over ns-3's
 * own TCP in the same conditions afterwards, in a process of its own, so that an assertion of ns-3
 * that fails there costs nothing but its metrics, and GetCautions() tells of it. Topology,
 * workload, RNIC, impairments and middleboxes are objects of classes that parameters name, the
 * user's classes as well as the module's. All that Run() reports comes from trace sources, and the
 * same parameters give the same numbers.
 *
 * The scenario consists of parts, such as IwarpIpsecPart and IwarpCrossTrafficPart; the attributes
 * of this class are theirs.
 *
 * A parameter is an attribute of this class; or a short name for one of another class (Markers is
 * MpaStream.Markers); or any attribute of any class of ns-3 or the module by its qualified name
 * (MpaStream.SilentDrop, TcpSocketBase.MinRto), whose default it sets for the time of a run; or one
 * of the RNICs (Rnic.HostInterface.WriteRate).
 *
 * A run needs the simulator for itself: no nodes may exist, and Run() ends with
 * Simulator::Destroy(). It leaves attribute defaults, global values, seed and run number as they
 * were. Nothing that a user can set ends the program: SetParameter(), Check() and Run() report it.
 */
class IwarpScenario : public Object
{
  public:
    static TypeId GetTypeId(); //!< Get the type ID. @return the object TypeId
    IwarpScenario();
    ~IwarpScenario() override;

    /**
     * @brief Set a parameter from text.
     * @param name attribute of this class, short name or qualified name
     * @param value value as text, such as "9000", "true", "10Gbps", "50us"
     * @return "", or one line that says what is wrong and what is allowed
     */
    std::string SetParameter(const std::string& name, const std::string& value);

    /**
     * @brief Use a topology of the user's in place of what Topology names.
     * @param topology it, with its attributes set; nullptr for what Topology names
     */
    void SetTopology(Ptr<IwarpTopology> topology);

    /**
     * @brief Use a workload of the user's in place of what Workload names.
     * @param workload it, with its attributes set; nullptr for what Workload names
     */
    void SetWorkload(Ptr<IwarpWorkload> workload);

    /// Use a part of the user's. @param part in place of that of the same kind, or beside the
    /// others if there is none
    void SetPart(Ptr<IwarpScenarioPart> part);
    /// Find a part. @param kind its class, or a base class of it @return it, or nullptr
    Ptr<IwarpScenarioPart> FindPart(TypeId kind) const;

    /**
     * @brief Have a function look at the network when all is installed and nothing has begun, such
     * as to put FlowMonitor or NetAnim's AnimationInterface on it. What it attaches has to last
     * until Run() returns; Simulator::ScheduleDestroy() has it do something when the simulation is
     * over.
     * @param observer the function; not called for PlainTcp; empty for none
     */
    void SetObserver(std::function<void(IwarpNetwork&)> observer);

    /// Have traces of runs taken down, not those of PlainTcp. @param traces what was asked for, of
    /// one run; outlives it; nullptr for none
    void SetTraces(IwarpTraceHelper* traces);

    /**
     * @brief Look at all parameters together.
     * @return "", or one line that says what does not fit
     */
    std::string Check() const;

    /// Tell whether a run can be shared out to processes of MPI's, ranks. @return "", or one line
    /// that says what does not fit, or is of one process
    std::string CheckRanks() const;

    /**
     * @brief Run the experiment.
     * @return false if it failed; GetError() says why, and there are no metrics
     */
    bool Run();

    /**
     * @brief Tell what a picture of the network has to show, without a run.
     *
     * As Run() it needs the simulator for itself.
     * @param [out] map of the network that Run() would build
     * @return "", or one line that says why there is none
     */
    std::string FindMap(IwarpNetworkMap& map) const;

    /// Tell why Run() failed. @return one line, or ""
    const std::string& GetError() const;
    /// Get the results of the last Run(). @return metrics, all of them among ListMetrics()
    const std::vector<AppMetric>& GetMetrics() const;
    /// Get what a reader of the last Run()'s results has to know. @return one line each, which
    /// begins with names of parameters
    const std::vector<std::string>& GetCautions() const;
    /// Tell what drew from which random streams in the last Run(), so that others can be chosen for
    /// what an observer adds. @return ranges, in ascending order
    const std::vector<iwarp::RandomStreams::Range>& GetRandomStreams() const;
    /// Get what the workload of the last Run() has to say besides. @return lines for people, or ""
    const std::string& GetReport() const;

    /// List the parameters that have short names. @return attributes of this class, then others
    static std::vector<IwarpParameter> ListParameters();

    /**
     * @brief List parameters by their qualified names.
     * @param filter part of the names, whatever the case; "" lists those of the module's classes,
     *        anything else looks at those of ns-3's as well
     * @return parameters
     */
    static std::vector<IwarpParameter> ListQualifiedParameters(const std::string& filter = "");

    /**
     * @brief Find a parameter.
     * @param name any name that SetParameter() takes
     * @param [out] parameter it; by its short name if it has one
     * @return "", or one line that says what is wrong and which names are near
     */
    static std::string FindParameter(const std::string& name, IwarpParameter& parameter);

    /// List what runs may report. @return metrics, by name
    static std::vector<MetricInfo> ListMetrics();

    /// Tell whether it has been made. @return false while its attributes get their first values
    bool IsMade() const;

  protected:
    void NotifyConstructionCompleted() override;

  private:
    std::string CheckNow() const; //!< Check() and the simulator. @return "", or what is wrong
    /// Set an attribute of this class. @param info it @param value as text @return "", or what is
    /// wrong
    std::string SetOwn(const TypeId::AttributeInformation& info, const std::string& value);

    bool m_made{false};                                 //!< see IsMade()
    iwarp::ScenarioSetup m_setup;                       //!< parts and settings
    std::string m_error;                                //!< why Run() failed
    std::vector<AppMetric> m_metrics;                   //!< results
    std::string m_report;                               //!< the workload's table
    std::vector<std::string> m_cautions;                //!< what a reader has to know
    std::vector<iwarp::RandomStreams::Range> m_streams; //!< random streams
};

} // namespace ns3

#endif // IWARP_SCENARIO_H
