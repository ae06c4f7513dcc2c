/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef IWARP_SCENARIO_PART_H
#define IWARP_SCENARIO_PART_H

#include "ns3/address.h"
#include "ns3/iwarp-topology.h"
#include "ns3/object.h"

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace ns3
{

class IwarpTraceHelper;

namespace iwarp
{
class ScenarioNetwork;
class ScenarioParts;
} // namespace iwarp

/**
 * @ingroup iwarp-helper
 * @brief Base class of what a scenario consists of, such as its IPsec or its cross traffic.
 *
 * A part is a subclass with attributes, which are parameters of the scenario, and a line in the
 * list of iwarp-scenario.cc. It checks its attributes, sets defaults of other classes, and installs
 * what it stands for in the network of a run; a part is not changed by that, and what counts there
 * is an iwarp::Collector. IwarpScenario::SetPart() takes a user's.
 */
class IwarpScenarioPart : public Object
{
  public:
    static TypeId GetTypeId(); //!< Get the type ID. @return the object TypeId
    IwarpScenarioPart();
    ~IwarpScenarioPart() override;

    /// Tell whether a run is the same without it. @return true if it does nothing as it is set;
    /// then the network of a run has nothing of it
    virtual bool IsIdle() const = 0;

    /// List what an attribute can name. @param attribute its name @return names; none if it is free
    /// or a number
    virtual std::vector<std::string> ListNames(const std::string& attribute) const;

    /// Tell whether an attribute can name several at once, joined by +. @param attribute its name
    /// @return so; false unless a subclass says otherwise
    virtual bool IsList(const std::string& attribute) const;

    /**
     * @brief Look at the value of an attribute before it is set.
     * @param attribute its name
     * @param value it, as text
     * @return "", or what is wrong with the name; by default any other than those of ListNames()
     */
    virtual std::string CheckName(const std::string& attribute, const std::string& value) const;

    /// Tell whether the attributes fit together. @return "", or one line that begins with names of
    /// attributes and says what is wrong
    virtual std::string Check() const;

    /**
     * @brief Tell whether the part fits the others.
     * @param parts all of them, good by Check(), with the topology and the workload
     * @return "", or one line that begins with names of parameters and says what is wrong
     */
    virtual std::string CheckWith(const iwarp::ScenarioParts& parts) const;

    /// Tell whether a run with it can be shared out to ranks. @param parts all parts @return "", or
    /// one line that begins with names of parameters and says why not; that it cannot, unless a
    /// subclass says otherwise
    virtual std::string CheckRanks(const iwarp::ScenarioParts& parts) const;

    /// Set defaults of other classes that hold during a run. @param parts sets them
    virtual void SetDefaults(iwarp::ScenarioParts& parts) const;

    /// Tell how many pairs of hosts it needs for itself. @return what the topology is asked for
    /// besides those of the flows
    virtual uint32_t CountPairs() const;

    /**
     * @brief Tell whether a network is one for it.
     * @param parts all parts
     * @param network with its routes
     * @param ends pairs of hosts with flows
     * @return "", or one line that begins with names of parameters and says what is wrong
     */
    virtual std::string CheckNetwork(const iwarp::ScenarioParts& parts,
                                     const IwarpNetwork& network,
                                     const IwarpTopology::Ends& ends) const;

    /**
     * @brief Have others reach a host by way of something.
     * @param network with its routes
     * @param host index of the host
     * @param port of the host, on which a flow listens
     * @param address what to connect to without this part
     * @return what to connect to
     */
    virtual Address Redirect(iwarp::ScenarioNetwork& network,
                             uint32_t host,
                             uint16_t port,
                             const Address& address) const;

    /// Install what it stands for. @param network with its routes and flows
    virtual void Install(iwarp::ScenarioNetwork& network) const;

    /// Tell whether it keeps data on its way, as much as it likes. @return so; false unless a
    /// subclass says otherwise
    virtual bool IsBuffering() const;
};

namespace iwarp
{

/// @ingroup iwarp-helper
/// @brief What a user has said of a scenario.
struct ScenarioSetup
{
    std::vector<Ptr<IwarpScenarioPart>> parts;   //!< in the order of their parameters
    std::map<std::string, std::string> settings; //!< attributes of other classes, by qualified name
    std::set<std::string> given;                 //!< attributes of the scenario that were set
    std::function<void(IwarpNetwork&)> observer; //!< called before the simulation, or empty
    IwarpTraceHelper* traces{nullptr};           //!< takes traces down, or nullptr
};

} // namespace iwarp

} // namespace ns3

#endif // IWARP_SCENARIO_PART_H
