/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "iwarp-plain-tcp-factory.h"

#include "ns3/tcp-l4-protocol.h"
#include "ns3/uinteger.h"

namespace ns3
{
namespace iwarp
{

NS_OBJECT_ENSURE_REGISTERED(PlainTcpFactory);

TypeId
PlainTcpFactory::GetTypeId()
{
    static TypeId tid = TypeId("ns3::IwarpPlainTcpFactory")
                            .SetParent<SocketFactory>()
                            .SetGroupName("Iwarp")
                            .AddConstructor<PlainTcpFactory>();
    return tid;
}

TypeId
PlainTcpFactory::Install(Ptr<Node> node, uint32_t segmentSize)
{
    Ptr<PlainTcpFactory> factory = node->GetObject<PlainTcpFactory>();
    if (!factory)
    {
        factory = CreateObject<PlainTcpFactory>();
        node->AggregateObject(factory);
    }
    factory->m_segmentSize = segmentSize;
    return GetTypeId();
}

Ptr<Socket>
PlainTcpFactory::CreateSocket()
{
    Ptr<Socket> socket = GetObject<TcpL4Protocol>()->CreateSocket();
    socket->SetAttribute("SegmentSize", UintegerValue(m_segmentSize));
    return socket;
}

} // namespace iwarp
} // namespace ns3
