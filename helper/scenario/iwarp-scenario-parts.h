/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef IWARP_SCENARIO_PARTS_H
#define IWARP_SCENARIO_PARTS_H

#include "iwarp-scenario-part.h"
#include "iwarp-scoped-settings.h"

#include "ns3/abort.h"
#include "ns3/iwarp-topology.h"
#include "ns3/iwarp-workload.h"

#include <string>
#include <vector>

namespace ns3
{
namespace iwarp
{

/**
 * @ingroup iwarp-helper
 * @brief The parts of a scenario with its topology and workload, and the defaults that it asks for,
 * which hold while this lives.
 */
class ScenarioParts
{
  public:
    /// Set the defaults, then make topology and workload. @param setup outlives this
    explicit ScenarioParts(const ScenarioSetup& setup);

    /// Look at all parameters together. @return "", or one line that says what does not fit
    std::string Check() const;

    /// Tell whether a run can be shared out to ranks. @return "", or one line that says why not
    std::string CheckRanks() const;

    /// Have random numbers begin anew. Simulations that do so see the same ones.
    void Restart();

    const ScenarioSetup& GetSetup() const; //!< Get what the user has said. @return it
    /// Get what the user has set of another class. @param name qualified name @return value, or ""
    std::string GetSetting(const std::string& name) const;

    /**
     * @brief Get a part.
     * @tparam T its class
     * @return it; NS_ABORT if there is none
     */
    template <typename T>
    Ptr<T> Get() const;

    /// List the parts that do something. @return those that are not idle, in their order
    std::vector<Ptr<IwarpScenarioPart>> ListActive() const;

    const Ptr<IwarpTopology>& GetTopology() const; //!< Get the topology. @return it
    const Ptr<IwarpWorkload>& GetWorkload() const; //!< Get the workload. @return it

    /// Count the pairs of hosts that the topology is asked for. @return those of the flows, and
    /// those that parts have for themselves
    uint32_t CountPairs() const;

    /// Set the default of an attribute unless the user does. @param name qualified name
    /// @param value default @param source attribute of the scenario that it comes from, or ""
    void Derive(const std::string& name, const AttributeValue& value, const std::string& source);
    ScopedSettings& GetSettings(); //!< Reach the defaults that hold. @return them

    uint32_t GetMtu() const; //!< Get the MTU of the links. @return octets
    /// Get the largest datagram of hosts that goes in one piece, with ESP around it. @return octets
    uint32_t GetWholeMtu() const;
    /// Get the headers of a data segment. @return octets of IP and TCP, with timestamps if on
    uint32_t GetHeaders() const;
    /// Get the headers of what the workload sends. @return octets of each part
    IwarpWorkload::Headers GetWorkloadHeaders() const;
    /// Get what ns-3's own TCP is to send, which learns no path MTU. @return octets of a segment
    uint32_t GetPlainSegmentSize() const;
    uint32_t GetEmss() const; //!< Get the EMSS by MTU, IP and timestamps. @return octets

    /**
     * @brief Get the default of an attribute as it is now.
     * @tparam V kind of value, such as UintegerValue
     * @param name qualified name
     * @return the value
     */
    template <typename V>
    static auto GetDefault(const std::string& name);

  private:
    uint32_t GetIp() const; //!< @return octets of IP's header
    void SetDefaults();     //!< Set all defaults

    const ScenarioSetup& m_setup;  //!< what the user has said
    ScopedSettings m_settings;     //!< defaults
    std::string m_problem;         //!< why there is no topology or workload
    Ptr<IwarpTopology> m_topology; //!< network
    Ptr<IwarpWorkload> m_workload; //!< what flows carry
};

template <typename T>
Ptr<T>
ScenarioParts::Get() const
{
    for (const auto& part : m_setup.parts)
    {
        if (const auto found = DynamicCast<T>(part))
        {
            return found;
        }
    }
    NS_ABORT_MSG("the scenario has no " << T::GetTypeId().GetName());
}

template <typename V>
auto
ScenarioParts::GetDefault(const std::string& name)
{
    QualifiedAttribute found;
    const std::string problem = FindAttribute(name, found);
    NS_ABORT_MSG_UNLESS(problem.empty(), problem);
    return DynamicCast<V>(found.info.checker->CreateValidValue(*found.info.initialValue))->Get();
}

} // namespace iwarp
} // namespace ns3

#endif // IWARP_SCENARIO_PARTS_H
