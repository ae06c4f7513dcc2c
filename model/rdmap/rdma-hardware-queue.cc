/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-hardware-queue.h"

#include "ns3/mpa-stream.h"

namespace ns3
{

RdmaHardwareQueue*
RdmaHardwareQueue::Of(const MpaStream& mpa)
{
    const Ptr<MpaTcpSocket> socket = mpa.GetSocket();
    return socket ? dynamic_cast<RdmaHardwareQueue*>(socket->GetConnection()) : nullptr;
}

} // namespace ns3
