/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "iwarp-topology-function.h"

#include "ns3/log.h"

#include <utility>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("IwarpFunctionTopology");
NS_OBJECT_ENSURE_REGISTERED(IwarpFunctionTopology);

TypeId
IwarpFunctionTopology::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::IwarpFunctionTopology").SetParent<IwarpTopology>().SetGroupName("Iwarp");
    return tid;
}

IwarpFunctionTopology::IwarpFunctionTopology(Function build)
    : m_build(std::move(build))
{
}

IwarpFunctionTopology::~IwarpFunctionTopology() = default;

IwarpTopology::Ends
IwarpFunctionTopology::Build(IwarpNetwork& network, uint32_t pairs) const
{
    NS_LOG_FUNCTION(this << pairs);
    return m_build(network, pairs, MakeLink(GetDelay()), MakeAccessLink());
}

} // namespace ns3
