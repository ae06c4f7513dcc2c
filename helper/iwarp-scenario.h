/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef IWARP_SCENARIO_H
#define IWARP_SCENARIO_H

#include "iwarp-scenario-parameters.h"

#include "ns3/object.h"

#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup iwarp-helper
 * @brief A whole experiment: attributes in, metrics out.
 *
 * Flows, each between hosts of its own, send messages over MPA across a network; PlainTcp sends
 * the same messages over ns-3's own TCP in the same conditions afterwards. The impairments of the
 * path (Loss, Reordering, Duplication) stand at the receiving host's device, in the direction of
 * the data, once on each flow's path whatever the topology. All that Run() reports comes from trace
 * sources, and the same attributes give the same numbers.
 *
 * A run needs the simulator for itself: no nodes may exist, and Run() ends with
 * Simulator::Destroy(). It leaves attribute defaults, global values, seed and run number as they
 * were. Nothing that a user can set ends the program: SetParameter(), Check() and Run() report it.
 */
class IwarpScenario : public Object, private IwarpScenarioParameters
{
  public:
    static TypeId GetTypeId(); //!< @return the object TypeId
    IwarpScenario();
    ~IwarpScenario() override;

    /**
     * @brief Set an attribute from text.
     * @param name name of the attribute
     * @param value value as text, such as "9000", "true", "10Gbps", "50us"
     * @return "", or one line that says what is wrong and what is allowed
     */
    std::string SetParameter(const std::string& name, const std::string& value);

    /**
     * @brief Look at all attributes together.
     * @return "", or one line that says what does not fit
     */
    std::string Check() const;

    /**
     * @brief Run the experiment.
     * @return false if it failed; GetError() says why, and there are no metrics
     */
    bool Run();

    const std::string& GetError() const;                //!< @return "", or why Run() failed
    const std::vector<IwarpMetric>& GetMetrics() const; //!< @return results of the last Run()
    /// @return lines for people that the workload of the last Run() adds to its metrics, or ""
    const std::string& GetReport() const;

  private:
    /// @param member a parameter @return the same as a member of this class, for accessors
    template <typename T>
    static T IwarpScenario::*Of(T IwarpScenarioParameters::*member);

    std::string m_error;                //!< why Run() failed
    std::vector<IwarpMetric> m_metrics; //!< results
    std::string m_report;               //!< the workload's table
};

} // namespace ns3

#endif // IWARP_SCENARIO_H
