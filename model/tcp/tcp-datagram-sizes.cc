/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "tcp-datagram-sizes.h"

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(TcpDatagramSizes);

TypeId
TcpDatagramSizes::GetTypeId()
{
    static TypeId tid = TypeId("ns3::TcpDatagramSizes").SetParent<Object>().SetGroupName("Iwarp");
    return tid;
}

} // namespace ns3
