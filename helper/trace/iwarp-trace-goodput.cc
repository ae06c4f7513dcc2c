/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "iwarp-trace-goodput.h"

#include "ns3/ipv4.h"
#include "ns3/ipv6.h"
#include "ns3/node-list.h"
#include "ns3/node.h"

#include <algorithm>
#include <sstream>
#include <utility>

namespace ns3
{
namespace iwarp
{

GoodputSeries::GoodputSeries(TraceTable table, Time every, TraceObjects& objects)
    : TraceSeries(std::move(table)),
      m_every(every.GetTimeStep()),
      m_objects(objects)
{
}

void
GoodputSeries::Meet(Object& /* object */, uint32_t /* index */)
{
}

void
GoodputSeries::Flush()
{
    for (auto& flow : m_flows)
    {
        Put(flow);
    }
}

GoodputSeries::Flow&
GoodputSeries::Get(std::size_t flow)
{
    while (m_flows.size() <= flow)
    {
        m_flows.push_back({m_objects.Enter(), 0});
    }
    return m_flows[flow];
}

void
GoodputSeries::Begin(std::size_t flow, Ptr<Socket> socket)
{
    const std::string name = NameConnection(*socket);
    const auto dash = name.find('-');
    if (dash == std::string::npos)
    {
        return;
    }
    const std::string peer = name.substr(dash + 1);
    m_objects.Describe(Get(flow).object,
                       FindNode(peer.substr(0, peer.rfind(':'))),
                       peer + "-" + name.substr(0, dash));
}

void
GoodputSeries::Count(std::size_t number, int64_t octets)
{
    Flow& flow = Get(number);
    const int64_t end = (Simulator::Now().GetTimeStep() / m_every + 1) * m_every;
    if (end != flow.end)
    {
        Put(flow);
        flow.end = end;
    }
    flow.octets += octets;
}

void
GoodputSeries::Put(Flow& flow)
{
    const int64_t time = std::min(flow.end, Simulator::Now().GetTimeStep());
    const int64_t octets = std::exchange(flow.octets, 0);
    if (octets != 0 && m_table.IsOpen() && m_table.Begin(time, flow.object))
    {
        const double seconds = TimeStep(time - (flow.end - m_every)).GetSeconds();
        auto& fields = m_table.GetFields();
        fields[0].Add(octets);
        fields[1].Add(seconds > 0 ? 8 * static_cast<double>(octets) / seconds : 0.0);
    }
}

int32_t
GoodputSeries::FindNode(const std::string& address)
{
    const auto enter = [this](const Node& node, const auto& ip, const auto& format) {
        for (uint32_t i = 0; ip && i < ip->GetNInterfaces(); i++)
        {
            for (uint32_t j = 0; j < ip->GetNAddresses(i); j++)
            {
                std::ostringstream text;
                format(text, ip->GetAddress(i, j));
                m_hosts.emplace(text.str(), static_cast<int32_t>(node.GetId()));
            }
        }
    };
    if (m_hosts.empty())
    {
        for (auto node = NodeList::Begin(); node != NodeList::End(); ++node)
        {
            enter(**node, (*node)->GetObject<Ipv4>(), [](auto& text, const auto& found) {
                text << found.GetLocal();
            });
            enter(**node, (*node)->GetObject<Ipv6>(), [](auto& text, const auto& found) {
                text << '[' << found.GetAddress() << ']';
            });
        }
    }
    const auto found = m_hosts.find(address);
    return found == m_hosts.end() ? -1 : found->second;
}

} // namespace iwarp
} // namespace ns3
