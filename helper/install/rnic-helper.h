/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RNIC_HELPER_H
#define RNIC_HELPER_H

#include "ns3/node-container.h"
#include "ns3/object-factory.h"
#include "ns3/rnic-design.h"
#include "ns3/rnic-esp-engine.h"
#include "ns3/rnic.h"

#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup iwarp-rnic
 * @brief Gives nodes an RNIC.
 *
 * What can be set is named by a path: `Part.Attribute` for an attribute of a stage or a resource,
 * such as `RxTcp.TimePerPacket` or `HostInterface.ReadTags`, `Receiver` for the kind of receiver,
 * and the name of an attribute of Rnic itself, such as `Framing`.
 */
class RnicHelper
{
  public:
    /// Install RNICs of a profile. @param profile one of RnicProfile::GetNames()
    explicit RnicHelper(const std::string& profile = "ideal");

    /// Install RNICs of another design than a profile's. @param design their stages and resources
    explicit RnicHelper(const RnicDesign& design);

    /**
     * @brief Set an attribute, over what the profile says; NS_ABORT if that is not possible.
     * @param path see RnicHelper
     * @param value its value
     */
    void Set(const std::string& path, const AttributeValue& value);

    /**
     * @brief Set an attribute from text that a user has typed.
     * @param path see RnicHelper; the kind of receiver, if it is set, comes before attributes of
     *        stages, which depend on it
     * @param value its value, as ns-3's StringValue takes it
     * @return "", or one line that says what is wrong: for an unknown path, which are near
     */
    std::string SetFromText(const std::string& path, const std::string& value);

    /**
     * @brief Add a stage to the RNICs; NS_ABORT if that is not possible. Its attributes can be set
     * as those of the others.
     * @param pipeline which
     * @param name its name, which no other part has
     * @param type TypeId of a class derived from RnicStage
     * @param before name of the stage that it is to stand before; "" for behind all others
     */
    void AddStage(RnicPipelineKind pipeline,
                  const std::string& name,
                  const std::string& type,
                  const std::string& before = "");

    /**
     * @brief Have the RNICs, or InstallEspEngine(), do ESP: stages TxEsp and RxEsp, whose
     * attributes can then be set as those of the others.
     * @param profile one of RnicEspProfile::GetNames(); the kind of receiver is set before
     * @return "", or one line that says what is wrong
     */
    std::string AddEsp(const std::string& profile);

    /// Look for attributes that make no sense. @return what is wrong, in one line; empty if nothing
    std::string Check() const;

    /// Find what can be set. @param path see RnicHelper @param[out] info of the attribute
    /// @return false if there is none so called
    bool Find(const std::string& path, TypeId::AttributeInformation& info) const;

    /// List all that can be set. @return each path with its value, kind of value, range and help
    std::vector<RnicDesign::Setting> GetSettings() const;

    /// List all that can be set of a profile. @param profile one of RnicProfile::GetNames()
    /// @return each path with the profile's value, kind of value, range and help
    static std::vector<RnicDesign::Setting> ListSettings(const std::string& profile = "ideal");

    /**
     * @brief Give a node an RNIC; nodes that have one keep theirs.
     *
     * The node needs an internet stack. Sockets created from then on by MpaTcpSocketFactory are the
     * RNIC's.
     * @param node node
     * @return its RNIC
     */
    Ptr<Rnic> Install(Ptr<Node> node) const;

    /// Give several nodes an RNIC each. @param nodes nodes, each as above @return their RNICs
    std::vector<Ptr<Rnic>> Install(const NodeContainer& nodes) const;

    /**
     * @brief Give a node without an RNIC, such as a gateway, what does ESP in the RNICs; a node
     * that has one keeps it. NS_ABORT if the node has an RNIC, or AddEsp() was not called.
     * @param node node
     * @return its engine
     */
    Ptr<RnicEspEngine> InstallEspEngine(Ptr<Node> node) const;

    /// Fix the random streams of RNICs. @param nodes those without an RNIC are left out
    /// @param stream first stream @return number of streams used
    static int64_t AssignStreams(const NodeContainer& nodes, int64_t stream);

  private:
    RnicDesign m_design;     //!< stages and resources
    ObjectFactory m_factory; //!< makes RNICs
};

} // namespace ns3

#endif // RNIC_HELPER_H
