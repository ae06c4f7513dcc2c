/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "iwarp-topology-dumbbell.h"

#include "ns3/log.h"
#include "ns3/uinteger.h"

#include <vector>

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
                                          MakeTimeChecker(Time(0), Seconds(100)))
                            .AddAttribute("Receivers",
                                          "Hosts that receive, from the senders in turn: 1 is "
                                          "incast; 0 gives each sender one of its own",
                                          UintegerValue(0),
                                          MakeUintegerAccessor(&IwarpDumbbellTopology::m_receivers),
                                          MakeUintegerChecker<uint32_t>());
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
    std::vector<uint32_t> receivers;
    for (uint32_t i = 0; i < pairs; i++)
    {
        const uint32_t sender = network.AddHost(left, MakeAccessLink());
        if (m_receivers == 0 || i < m_receivers)
        {
            receivers.push_back(network.AddHost(right, MakeAccessLink()));
        }
        ends.emplace_back(sender, receivers[i % receivers.size()]);
    }
    return ends;
}

} // namespace ns3
