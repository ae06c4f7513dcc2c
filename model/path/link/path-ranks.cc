/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "path-ranks.h"

#include "ns3/abort.h"

#ifdef NS3_MPI
#include "ns3/global-value.h"
#include "ns3/mpi-interface.h"
#include "ns3/mpi-receiver.h"
#include "ns3/simulator.h"
#include "ns3/socket.h"
#include "ns3/string.h"

#include <algorithm>
#include <mpi.h>
#endif

namespace ns3
{
namespace ranks
{

#ifdef NS3_MPI

namespace
{

constexpr int TAG = 1;                 //!< of what Gather() sends; that of ns-3's packets is 0
constexpr uint64_t MOST = 1ULL << 30U; //!< octets of a message of MPI's

/// Have ns-3 know the tags that sockets give packets, which it registers as they are first used: a
/// packet may come with one that this rank has not used.
void
RegisterTags()
{
    SocketIpTosTag::GetTypeId();
    SocketIpTtlTag::GetTypeId();
    SocketIpv6HopLimitTag::GetTypeId();
    SocketIpv6TclassTag::GetTypeId();
    SocketPriorityTag::GetTypeId();
    SocketSetDontFragmentTag::GetTypeId();
}

} // namespace

void
Begin()
{
    GlobalValue::Bind("SimulatorImplementationType", StringValue("ns3::DistributedSimulatorImpl"));
    int count = 0;
    char** none = nullptr;
    MpiInterface::Enable(&count, &none);
}

void
End()
{
    MpiInterface::Disable();
}

bool
IsOn()
{
    return MpiInterface::IsEnabled();
}

std::vector<std::string>
Gather(const std::string& own)
{
    const auto all = MpiInterface::GetCommunicator();
    std::vector<std::string> texts;
    if (GetOwn() != 0)
    {
        uint64_t size = own.size();
        MPI_Send(&size, 1, MPI_UINT64_T, 0, TAG, all);
        for (uint64_t at = 0; at < size; at += MOST)
        {
            MPI_Send(own.data() + at,
                     static_cast<int>(std::min(MOST, size - at)),
                     MPI_CHAR,
                     0,
                     TAG,
                     all);
        }
        return texts;
    }
    texts.push_back(own);
    for (uint32_t rank = 1; rank < GetCount(); rank++)
    {
        const auto from = static_cast<int>(rank);
        uint64_t size = 0;
        MPI_Recv(&size, 1, MPI_UINT64_T, from, TAG, all, MPI_STATUS_IGNORE);
        std::string& text = texts.emplace_back(size, '\0');
        for (uint64_t at = 0; at < size; at += MOST)
        {
            MPI_Recv(text.data() + at,
                     static_cast<int>(std::min(MOST, size - at)),
                     MPI_CHAR,
                     from,
                     TAG,
                     all,
                     MPI_STATUS_IGNORE);
        }
    }
    return texts;
}

bool
Decide(bool own)
{
    int decision = own ? 1 : 0;
    if (GetCount() > 1)
    {
        MPI_Bcast(&decision, 1, MPI_INT, 0, MpiInterface::GetCommunicator());
    }
    return decision == 1;
}

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
    RegisterTags();
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

void
Begin()
{
    NS_ABORT_MSG("this ns-3 was built without MPI");
}

void
End()
{
}

bool
IsOn()
{
    return false;
}

std::vector<std::string>
Gather(const std::string& own)
{
    return {own};
}

bool
Decide(bool own)
{
    return own;
}

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
