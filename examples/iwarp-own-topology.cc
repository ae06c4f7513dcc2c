/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

// A topology of one's own, named and set as the module's are: iwarp-own-topology --routers=8

#include "ns3/command-line.h"
#include "ns3/iwarp-scenario.h"
#include "ns3/iwarp-topology.h"
#include "ns3/uinteger.h"
#include "ns3/util-attribute-text.h"

#include <iostream>
#include <string>
#include <utility>

using namespace ns3;

/// Routers in a ring; each pair of hosts is at two routers that are neighbours.
class IwarpRingTopology : public IwarpTopology
{
  public:
    /// Get the type ID. @return the object TypeId
    static TypeId GetTypeId()
    {
        static TypeId tid = TypeId("ns3::IwarpRingTopology")
                                .SetParent<IwarpTopology>()
                                .AddConstructor<IwarpRingTopology>()
                                .AddAttribute("Routers",
                                              "Routers in the ring",
                                              UintegerValue(4),
                                              MakeUintegerAccessor(&IwarpRingTopology::m_routers),
                                              MakeUintegerChecker<uint32_t>(3, 1000));
        return tid;
    }

    Ends Build(IwarpNetwork& network, uint32_t pairs) const override
    {
        for (uint32_t i = 0; i < m_routers; i++)
        {
            network.AddRouter();
        }
        for (uint32_t i = 0; i < m_routers; i++)
        {
            network.AddLink(i, (i + 1) % m_routers, MakeLink(MicroSeconds(10)));
        }
        Ends ends;
        for (uint32_t i = 0; i < pairs; i++)
        {
            const uint32_t sender = network.AddHost(i % m_routers, MakeAccessLink());
            ends.emplace_back(sender, network.AddHost((i + 1) % m_routers, MakeAccessLink()));
        }
        return ends;
    }

  private:
    uint32_t m_routers; //!< routers in the ring
};

NS_OBJECT_ENSURE_REGISTERED(IwarpRingTopology);

int
main(int argc, char* argv[])
{
    std::string routers = "4";
    CommandLine cmd(__FILE__);
    cmd.AddValue("routers", "Routers in the ring", routers);
    cmd.Parse(argc, argv);
    if (!iwarp::HasOnlyOptions(cmd))
    {
        return 2;
    }

    Ptr<IwarpScenario> scenario = CreateObject<IwarpScenario>();
    const std::pair<const char*, std::string> settings[] = {
        {"Topology", "ring"},
        {"IwarpRingTopology.Routers", routers},
        {"Flows", "8"},
        {"Octets", "1000000"},
        {"PlainTcp", "false"},
    };
    for (const auto& [name, value] : settings)
    {
        const std::string problem = scenario->SetParameter(name, value);
        if (!problem.empty())
        {
            std::cerr << problem << '\n';
            return 2;
        }
    }
    if (!scenario->Run())
    {
        std::cerr << scenario->GetError() << '\n';
        return 1;
    }
    for (const auto& metric : scenario->GetMetrics())
    {
        if (metric.name == "payload_octets" || metric.name == "round_trip")
        {
            std::cout << metric.name << ' ' << metric.value << ' ' << metric.unit << '\n';
        }
    }
    return 0;
}
