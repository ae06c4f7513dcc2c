/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "mpa-tcp-socket.h"

#include "mpa-tcp-socket-factory.h"

#include "ns3/log.h"

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("MpaTcpSocket");

NS_OBJECT_ENSURE_REGISTERED(MpaTcpSocket);

TypeId
MpaTcpSocket::GetTypeId()
{
    static TypeId tid = AddAttributes(TypeId("ns3::MpaTcpSocket")
                                          .SetParent<TcpSocketBase>()
                                          .SetGroupName("Iwarp")
                                          .AddConstructor<MpaTcpSocket>());
    return tid;
}

MpaTcpSocket::MpaTcpSocket(const MpaTcpSocket& other)
    : WithInstanceTypeId(other)
{
}

Ptr<TcpSocketBase>
MpaTcpSocket::Fork()
{
    NS_LOG_FUNCTION(this);
    return EnterSynBacklog(CopyObject<MpaTcpSocket>(this));
}

Ptr<Rfc9293TcpSocketFactory>
MpaTcpSocket::GetFactory() const
{
    return MpaTcpSocketFactory::Install(m_node);
}

} // namespace ns3
