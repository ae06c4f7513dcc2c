/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

// A workload of one's own: every second flow moves large messages, the others small ones, and a
// metric tells how many messages each kind completed.

#include "ns3/command-line.h"
#include "ns3/iwarp-scenario.h"
#include "ns3/iwarp-workload-mpa.h"
#include "ns3/string.h"
#include "ns3/util-attribute-text.h"

#include <iostream>
#include <string>
#include <utility>

using namespace ns3;

namespace
{

// what the workload reports besides, with unit and meaning, and how the values of flows become one
const iwarp::MetricDeclarations g_metrics{std::vector<MetricInfo>{
    {"mixed_large_flows", "flows", "Flows that move large messages", MetricMerge::SUM},
}};

} // namespace

/// Messages of 64 KiB and of 1 KiB, flow by flow.
class IwarpMixedWorkload : public IwarpMpaWorkload
{
  public:
    /// Get the type ID. @return the object TypeId
    static TypeId GetTypeId()
    {
        static TypeId tid = TypeId("ns3::IwarpMixedWorkload")
                                .SetParent<IwarpMpaWorkload>()
                                .AddConstructor<IwarpMixedWorkload>();
        return tid;
    }

    void Install(const Flow& flow, const iwarp::FlowListener& listener) override
    {
        const bool large = m_flows++ % 2 == 0;
        m_large += large ? 1 : 0;
        SetAttribute("MessageSizes", StringValue(large ? "fixed:65536" : "fixed:1024"));
        IwarpMpaWorkload::Install(flow, listener);
    }

    void Finish(iwarp::MetricSet& metrics) override
    {
        metrics.Add("mixed_large_flows", m_large);
        IwarpMpaWorkload::Finish(metrics);
    }

  private:
    uint32_t m_flows{0}; //!< flows installed
    uint32_t m_large{0}; //!< of these, those with large messages
};

NS_OBJECT_ENSURE_REGISTERED(IwarpMixedWorkload);

int
main(int argc, char* argv[])
{
    std::string flows = "4";
    CommandLine cmd(__FILE__);
    cmd.AddValue("flows", "Flows, of which every second has large messages", flows);
    cmd.Parse(argc, argv);
    if (!iwarp::HasOnlyOptions(cmd))
    {
        return 2;
    }

    Ptr<IwarpScenario> scenario = CreateObject<IwarpScenario>();
    const std::pair<const char*, std::string> settings[] = {
        {"Workload", "mixed"},
        {"Flows", flows},
        {"Octets", "655360"},
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
        if (metric.name == "messages" || metric.name == "mixed_large_flows")
        {
            std::cout << metric.name << ' ' << metric.value << '\n';
        }
    }
    return 0;
}
