/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-bulk-server.h"

#include "rdma-bulk-flow.h"

#include "ns3/log.h"
#include "ns3/uinteger.h"

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("RdmaBulkServer");
NS_OBJECT_ENSURE_REGISTERED(RdmaBulkServer);

TypeId
RdmaBulkServer::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::RdmaBulkServer")
            .SetParent<RdmaServerApplication>()
            .SetGroupName("Iwarp")
            .AddConstructor<RdmaBulkServer>()
            .AddAttribute("Receives",
                          "Receives that are posted for the Sends of each client; it sends no more "
                          "messages ahead",
                          UintegerValue(1024),
                          MakeUintegerAccessor(&RdmaBulkServer::m_receives),
                          MakeUintegerChecker<uint32_t>(1))
            .AddTraceSource("MessageReceived",
                            "An RDMA Write or a Send is in host memory, and all before it are",
                            MakeTraceSourceAccessor(&RdmaBulkServer::m_receivedTrace),
                            "ns3::RdmaBulkServer::MessageTracedCallback");
    return tid;
}

RdmaBulkServer::RdmaBulkServer() = default;

RdmaBulkServer::~RdmaBulkServer() = default;

Ptr<RdmaFlow>
RdmaBulkServer::MakeFlow()
{
    return Create<RdmaBulkFlow>(m_receives, MakeCallback(&RdmaBulkServer::HandleMessage, this));
}

void
RdmaBulkServer::HandleMessage(Ptr<RdmaQueuePair> pair, uint64_t octets)
{
    NS_LOG_FUNCTION(this << pair << octets);
    m_messages++;
    m_octets += octets;
    m_receivedTrace(pair, octets);
}

uint64_t
RdmaBulkServer::GetMessages() const
{
    return m_messages;
}

uint64_t
RdmaBulkServer::GetOctets() const
{
    return m_octets;
}

} // namespace ns3
