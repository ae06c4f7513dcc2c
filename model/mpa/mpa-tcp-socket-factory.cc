/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "mpa-tcp-socket-factory.h"

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(MpaTcpSocketFactory);

TypeId
MpaTcpSocketFactory::GetTypeId()
{
    static TypeId tid = AddAttributes(TypeId("ns3::MpaTcpSocketFactory")
                                          .SetParent<SocketFactory>()
                                          .SetGroupName("Iwarp")
                                          .AddConstructor<MpaTcpSocketFactory>());
    return tid;
}

Ptr<MpaTcpSocketFactory>
MpaTcpSocketFactory::Install(Ptr<Node> node)
{
    return InstallAs<MpaTcpSocketFactory>(node);
}

Ptr<Rfc9293TcpSocket>
MpaTcpSocketFactory::MakeSocket() const
{
    return CreateObject<MpaTcpSocket>();
}

Ptr<MpaTcpSocket>
MpaTcpSocketFactory::CreateSocket(TypeId congestion)
{
    return DynamicCast<MpaTcpSocket>(Rfc9293TcpSocketFactory::CreateSocket(congestion));
}

Ptr<MpaTcpSocket>
MpaTcpSocketFactory::CreateSocket(TypeId congestion, TypeId recovery)
{
    return DynamicCast<MpaTcpSocket>(Rfc9293TcpSocketFactory::CreateSocket(congestion, recovery));
}

} // namespace ns3
