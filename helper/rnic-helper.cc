/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rnic-helper.h"

#include "ns3/abort.h"
#include "ns3/node.h"
#include "ns3/rnic-profile.h"
#include "ns3/string.h"
#include "ns3/tcp-l4-protocol.h"

namespace ns3
{

RnicHelper::RnicHelper(const std::string& profile)
{
    NS_ABORT_MSG_UNLESS(RnicProfile::Has(profile),
                        "there is no RNIC profile \"" << profile
                                                      << "\"; RnicProfile::GetNames() tells");
    m_factory.SetTypeId(Rnic::GetTypeId());
    for (const auto& figure : RnicProfile::Get(profile))
    {
        m_factory.Set(figure.attribute, StringValue(figure.value));
    }
}

void
RnicHelper::Set(const std::string& name, const AttributeValue& value)
{
    m_factory.Set(name, value);
}

Ptr<Rnic>
RnicHelper::Install(Ptr<Node> node) const
{
    Ptr<Rnic> rnic = node->GetObject<Rnic>();
    if (rnic)
    {
        return rnic;
    }
    NS_ABORT_MSG_UNLESS(node->GetObject<TcpL4Protocol>(),
                        "an RNIC needs TCP: install an internet stack on node " << node->GetId()
                                                                                << " first");
    rnic = m_factory.Create<Rnic>();
    const std::string fault = rnic->Check();
    NS_ABORT_MSG_UNLESS(fault.empty(), "RNIC of node " << node->GetId() << ":\n" << fault);
    node->AggregateObject(rnic);
    return rnic;
}

std::vector<Ptr<Rnic>>
RnicHelper::Install(const NodeContainer& nodes) const
{
    std::vector<Ptr<Rnic>> rnics;
    for (auto i = nodes.Begin(); i != nodes.End(); ++i)
    {
        rnics.push_back(Install(*i));
    }
    return rnics;
}

int64_t
RnicHelper::AssignStreams(const NodeContainer& nodes, int64_t stream)
{
    const int64_t first = stream;
    for (auto i = nodes.Begin(); i != nodes.End(); ++i)
    {
        if (Ptr<Rnic> rnic = (*i)->GetObject<Rnic>())
        {
            stream += rnic->AssignStreams(stream);
        }
    }
    return stream - first;
}

} // namespace ns3
