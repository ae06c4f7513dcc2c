/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef IWARP_TOPOLOGY_FUNCTION_H
#define IWARP_TOPOLOGY_FUNCTION_H

#include "iwarp-topology.h"

#include <cstdint>
#include <functional>

namespace ns3
{

/**
 * @ingroup iwarp-helper
 * @brief A network that a function of the user's builds, for IwarpScenario::SetTopology().
 *
 * It has no name, as there is no default of the function.
 */
class IwarpFunctionTopology : public IwarpTopology
{
  public:
    /// Adds routers, links and hosts, as Build() does. Its arguments are the network, the number of
    /// pairs asked for, and links between routers and of hosts with the attributes of this
    /// topology; it returns the pairs
    using Function = std::function<
        Ends(IwarpNetwork&, uint32_t, const IwarpNetwork::Link&, const IwarpNetwork::Link&)>;

    static TypeId GetTypeId(); //!< Get the type ID. @return the object TypeId
    /// Use a function. @param build it
    explicit IwarpFunctionTopology(Function build);
    ~IwarpFunctionTopology() override;

    Ends Build(IwarpNetwork& network, uint32_t pairs) const override;

  private:
    Function m_build; //!< the function
};

} // namespace ns3

#endif // IWARP_TOPOLOGY_FUNCTION_H
