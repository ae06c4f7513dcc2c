/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-perf-server.h"

#include "rdma-perf-flow.h"

#include "ns3/uinteger.h"

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(RdmaPerfServer);

TypeId
RdmaPerfServer::GetTypeId()
{
    static TypeId tid = TypeId("ns3::RdmaPerfServer")
                            .SetParent<RdmaServerApplication>()
                            .SetGroupName("Iwarp")
                            .AddConstructor<RdmaPerfServer>()
                            .AddAttribute("RxDepth",
                                          "Receives posted on each queue pair (--rx-depth)",
                                          UintegerValue(512),
                                          MakeUintegerAccessor(&RdmaPerfServer::m_rxDepth),
                                          MakeUintegerChecker<uint32_t>(1, 16777216));
    return tid;
}

RdmaPerfServer::RdmaPerfServer() = default;

RdmaPerfServer::~RdmaPerfServer() = default;

Ptr<RdmaFlow>
RdmaPerfServer::MakeFlow()
{
    return Create<RdmaPerfFlow>(m_rxDepth);
}

} // namespace ns3
