/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "iwarp-topology-dumbbell.h"

#include "ns3/log.h"

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("IwarpDumbbellTopology");
NS_OBJECT_ENSURE_REGISTERED(IwarpDumbbellTopology);

TypeId
IwarpDumbbellTopology::GetTypeId()
{
    static TypeId tid = TypeId("ns3::IwarpDumbbellTopology")
                            .SetParent<IwarpTopology>()
                            .SetGroupName("Iwarp")
                            .AddConstructor<IwarpDumbbellTopology>()
                            .AddAttribute("Delay",
                                          "Propagation delay of the bottleneck, one way",
                                          TimeValue(MicroSeconds(50)),
                                          MakeTimeAccessor(&IwarpDumbbellTopology::m_delay),
                                          MakeTimeChecker(Time(0), Seconds(100)));
    return tid;
}

IwarpDumbbellTopology::IwarpDumbbellTopology() = default;
IwarpDumbbellTopology::~IwarpDumbbellTopology() = default;

IwarpTopology::Ends
IwarpDumbbellTopology::Build(IwarpNetwork& network, uint32_t pairs) const
{
    NS_LOG_FUNCTION(this << pairs);
    const uint32_t left = network.AddRouter();
    const uint32_t right = network.AddRouter();
    network.AddLink(left, right, MakeLink(m_delay));
    Ends ends;
    for (uint32_t i = 0; i < pairs; i++)
    {
        const uint32_t sender = network.AddHost(left, MakeAccessLink());
        ends.emplace_back(sender, network.AddHost(right, MakeAccessLink()));
    }
    return ends;
}

} // namespace ns3
