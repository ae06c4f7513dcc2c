/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "mpa-tcp-socket-factory.h"

#include "ns3/abort.h"
#include "ns3/object-factory.h"
#include "ns3/rtt-estimator.h"
#include "ns3/tcp-congestion-ops.h"
#include "ns3/tcp-end-point-table.h"
#include "ns3/tcp-l4-protocol.h"
#include "ns3/tcp-recovery-ops.h"

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(MpaTcpSocketFactory);

namespace
{

// @param tcp a node's TCP @param name attribute with a TypeId @return its value
TypeId
GetType(Ptr<TcpL4Protocol> tcp, const std::string& name)
{
    TypeIdValue value;
    tcp->GetAttribute(name, value);
    return value.Get();
}

// @param object an object with a TcpL4Protocol @return it
Ptr<TcpL4Protocol>
GetTcp(Ptr<const Object> object)
{
    Ptr<TcpL4Protocol> tcp = object->GetObject<TcpL4Protocol>();
    NS_ABORT_MSG_IF(!tcp, "the node has no TCP: install an internet stack first");
    return tcp;
}

} // namespace

TypeId
MpaTcpSocketFactory::GetTypeId()
{
    static TypeId tid = TypeId("ns3::MpaTcpSocketFactory")
                            .SetParent<SocketFactory>()
                            .SetGroupName("Iwarp")
                            .AddConstructor<MpaTcpSocketFactory>();
    return tid;
}

Ptr<MpaTcpSocketFactory>
MpaTcpSocketFactory::Install(Ptr<Node> node)
{
    Ptr<MpaTcpSocketFactory> factory = node->GetObject<MpaTcpSocketFactory>();
    if (!factory)
    {
        GetTcp(node);
        factory = CreateObject<MpaTcpSocketFactory>();
        node->AggregateObject(factory);
    }
    return factory;
}

Ptr<Socket>
MpaTcpSocketFactory::CreateSocket()
{
    return CreateSocket(GetType(GetTcp(this), "SocketType"));
}

Ptr<MpaTcpSocket>
MpaTcpSocketFactory::CreateSocket(TypeId congestion)
{
    return CreateSocket(congestion, GetType(GetTcp(this), "RecoveryType"));
}

Ptr<MpaTcpSocket>
MpaTcpSocketFactory::CreateSocket(TypeId congestion, TypeId recovery)
{
    Ptr<TcpL4Protocol> tcp = GetTcp(this);
    auto socket = CreateObject<MpaTcpSocket>();
    socket->SetNode(GetObject<Node>());
    socket->SetTcp(tcp);
    socket->SetRtt(
        ObjectFactory(GetType(tcp, "RttEstimatorType").GetName()).Create<RttEstimator>());
    socket->SetCongestionControlAlgorithm(
        ObjectFactory(congestion.GetName()).Create<TcpCongestionOps>());
    socket->SetRecoveryAlgorithm(ObjectFactory(recovery.GetName()).Create<TcpRecoveryOps>());
    // it appears in a list of sockets once it is bound, in that of TCP or of a shard
    socket->SetEndPointTable(TcpEndPointTable::Install(GetObject<Node>()));
    return socket;
}

} // namespace ns3
