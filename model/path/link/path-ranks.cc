/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "path-ranks.h"

#include "ns3/abort.h"

#ifdef NS3_MPI
#include "ns3/mpi-interface.h"
#include "ns3/mpi-receiver.h"
#include "ns3/simulator.h"
#endif

namespace ns3
{
namespace ranks
{

#ifdef NS3_MPI

namespace
{

/// What ns-3's buffers of 2000 octets leave to a datagram: the rest is for time and place of the
/// arrival, tags and lengths
constexpr uint16_t MAX_MTU = 1800;

} // namespace

uint32_t
GetCount()
{
    return MpiInterface::IsEnabled() ? MpiInterface::GetSize() : 1;
}

uint32_t
GetOwn()
{
    return MpiInterface::IsEnabled() ? MpiInterface::GetSystemId() : 0;
}

bool
IsOwn(const Ptr<Node>& node)
{
    return GetCount() == 1 || node->GetSystemId() == GetOwn();
}

void
Open(const Ptr<PointToPointNetDevice>& device)
{
    NS_ABORT_MSG_IF(device->GetMtu() > MAX_MTU,
                    "a link between ranks has an MTU of "
                        << device->GetMtu() << "; ns-3's MPI takes at most " << MAX_MTU);
    if (!device->GetObject<MpiReceiver>())
    {
        auto receiver = CreateObject<MpiReceiver>();
        receiver->SetReceiveCallback(MakeCallback(&PointToPointNetDevice::Receive, device));
        device->AggregateObject(receiver);
    }
}

void
Send(const Ptr<const Packet>& packet, Time after, const Ptr<NetDevice>& to)
{
    MpiInterface::SendPacket(packet->Copy(),
                             Simulator::Now() + after,
                             to->GetNode()->GetId(),
                             to->GetIfIndex());
}

#else

uint32_t
GetCount()
{
    return 1;
}

uint32_t
GetOwn()
{
    return 0;
}

bool
IsOwn(const Ptr<Node>& /* node */)
{
    return true;
}

void
Open(const Ptr<PointToPointNetDevice>& /* device */)
{
    NS_ABORT_MSG("this ns-3 was built without MPI");
}

void
Send(const Ptr<const Packet>& /* packet */, Time /* after */, const Ptr<NetDevice>& /* to */)
{
    NS_ABORT_MSG("this ns-3 was built without MPI");
}

#endif // NS3_MPI

bool
AreApart(const Ptr<NetDevice>& a, const Ptr<NetDevice>& b)
{
    return GetCount() > 1 && a->GetNode()->GetSystemId() != b->GetNode()->GetSystemId();
}

} // namespace ranks
} // namespace ns3
