/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "iwarp-topology-file.h"

#include "iwarp-graph-file.h"

#include "ns3/string.h"

#include <algorithm>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(IwarpFileTopology);

TypeId
IwarpFileTopology::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::IwarpFileTopology")
            .SetParent<IwarpTableTopology>()
            .SetGroupName("Iwarp")
            .AddConstructor<IwarpFileTopology>()
            .AddAttribute("File",
                          "File of routers and links, of Inet, Orbis or Rocketfuel, or PREFIX of "
                          "PREFIX-nodes.csv and PREFIX-links.csv",
                          StringValue("abilene"),
                          MakeStringAccessor(&IwarpFileTopology::m_file),
                          MakeStringChecker())
            .AddAttribute("Pairs",
                          "Names of routers from which and to which flows go, A-B,C-D; empty takes "
                          "router i and the one half of all away, in turn",
                          StringValue(""),
                          MakeStringAccessor(&IwarpFileTopology::m_pairs),
                          MakeStringChecker());
    return tid;
}

IwarpFileTopology::IwarpFileTopology() = default;
IwarpFileTopology::~IwarpFileTopology() = default;

std::string
IwarpFileTopology::GetFile(const std::string& topology)
{
    const std::string prefix = "file:";
    return topology.rfind(prefix, 0) == 0 ? topology.substr(prefix.size()) : "";
}

std::string
IwarpFileTopology::MakeTable(iwarp::TopologyTable& table, uint32_t pairs) const
{
    std::string problem = iwarp::ReadGraph(m_file, GetDelay(), table);
    if (!problem.empty())
    {
        return "File: " + problem;
    }
    if (!m_pairs.empty())
    {
        problem = table.AddNamedPairs(m_pairs, pairs);
        return problem.empty() ? "" : "Pairs: " + problem;
    }
    constexpr uint32_t most = IwarpNetwork::MAX_PLACES / 2;
    const auto n = static_cast<uint32_t>(table.routers.size());
    for (uint32_t i = 0; i < pairs; i++)
    {
        // no more of a large network has hosts than may
        const uint32_t from = i % std::min(n, most);
        table.AddPair(from, (from + n / 2) % n);
    }
    return "";
}

} // namespace ns3
