/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef IWARP_SCENARIO_PARTS_H
#define IWARP_SCENARIO_PARTS_H

#include "iwarp-scenario-parameters.h"
#include "iwarp-scoped-settings.h"

#include "ns3/iwarp-topology.h"
#include "ns3/iwarp-workload.h"
#include "ns3/path-impairment.h"
#include "ns3/path-middlebox.h"
#include "ns3/rnic-helper.h"

#include <memory>
#include <string>
#include <vector>

namespace ns3
{
namespace iwarp
{

/**
 * @ingroup iwarp-helper
 * @brief The objects of a scenario, and the defaults that it asks for, which hold while this lives.
 */
class ScenarioParts
{
  public:
    /// Set the defaults, then make the objects. @param parameters outlive this
    explicit ScenarioParts(const IwarpScenarioParameters& parameters);

    /// Tell whether all could be made. @return "", or one line that says what could not
    const std::string& GetProblem() const;

    /// Have random numbers begin anew. Simulations that do so see the same ones.
    void Restart();

    const Ptr<IwarpTopology>& GetTopology() const; //!< Get the topology. @return it
    const Ptr<IwarpWorkload>& GetWorkload() const; //!< Get the workload. @return it
    /// Get what installs the RNICs. @return it, or nullptr if there are to be none
    const RnicHelper* GetRnicHelper() const;
    /// Get what does ESP at nodes without an RNIC. @return it, for RnicHelper::InstallEspEngine(),
    /// or nullptr if ESP takes no time
    const RnicHelper* GetEspHelper() const;

    /// Make what harms the packets of a link. @return impairments in the order of the packets' way
    std::vector<Ptr<PathImpairment>> MakeImpairments() const;
    /// Make a middlebox. @return it, or nullptr if there are to be none
    Ptr<PathMiddlebox> MakeMiddlebox() const;

    uint32_t GetMtu() const; //!< Get the MTU of the links. @return octets
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
    /// Set the default of an attribute unless the user does. @param name qualified name
    /// @param value default @param source attribute of the scenario that it comes from
    void Derive(const std::string& name, const AttributeValue& value, const std::string& source);
    void SetDefaults(); //!< Set all defaults
    void MakeParts();   //!< Find the classes and make the objects
    void MakeRnics();   //!< Make what installs RNICs and ESP
    /// Find the class of a part. @param source attribute that names it @param name its name
    /// @param base its base class @param [out] type the class
    void Find(const std::string& source, const std::string& name, TypeId base, TypeId& type);

    const IwarpScenarioParameters& m_parameters; //!< the experiment
    ScopedSettings m_settings;                   //!< defaults
    std::string m_problem;                       //!< see GetProblem()
    Ptr<IwarpTopology> m_topology;               //!< network
    Ptr<IwarpWorkload> m_workload;               //!< what flows carry
    std::unique_ptr<RnicHelper> m_rnicHelper;    //!< RNICs
    std::unique_ptr<RnicHelper> m_espHelper;     //!< ESP at nodes without an RNIC
    std::vector<TypeId> m_impairments;           //!< classes of impairments
    TypeId m_middlebox;                          //!< class of middleboxes
};

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
