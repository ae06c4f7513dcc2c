/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RNIC_HELPER_H
#define RNIC_HELPER_H

#include "ns3/node-container.h"
#include "ns3/object-factory.h"
#include "ns3/rnic.h"

#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup iwarp-rnic
 * @brief Gives nodes an RNIC.
 */
class RnicHelper
{
  public:
    /// @param profile one of RnicProfile::GetNames()
    explicit RnicHelper(const std::string& profile = "ideal");

    /**
     * @brief Set an attribute, over what the profile says.
     * @param name attribute of Rnic
     * @param value its value
     */
    void Set(const std::string& name, const AttributeValue& value);

    /**
     * @brief Give a node an RNIC; nodes that have one keep theirs.
     *
     * The node needs an internet stack. Sockets created from then on by MpaTcpSocketFactory are the
     * RNIC's.
     * @param node node
     * @return its RNIC
     */
    Ptr<Rnic> Install(Ptr<Node> node) const;

    /// @param nodes nodes, each as above @return their RNICs
    std::vector<Ptr<Rnic>> Install(const NodeContainer& nodes) const;

    /// @param nodes nodes with RNICs @param stream first stream @return streams used
    static int64_t AssignStreams(const NodeContainer& nodes, int64_t stream);

  private:
    ObjectFactory m_factory; //!< makes RNICs
};

} // namespace ns3

#endif // RNIC_HELPER_H
