/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "iwarp-workload-watch.h"

#include "ns3/rdmap-stream.h"

namespace ns3
{
namespace iwarp
{
namespace
{

/// @param collector flow @param pair its sending end
void
SenderConnected(Ptr<FlowCollector> collector, Ptr<RdmaQueuePair> pair)
{
    collector->WatchSender(pair->GetStream()->GetMpa());
}

/// @param collector flow @param pair its receiving end
void
ReceiverConnected(Ptr<FlowCollector> collector, Ptr<RdmaQueuePair> pair)
{
    collector->WatchReceiver(pair->GetStream()->GetMpa());
}

/// @param collector flow @param reason why
void
Failed(Ptr<FlowCollector> collector, const std::string& reason)
{
    collector->Failed(reason);
}

} // namespace

void
WatchApplications(Ptr<FlowCollector> collector,
                  Ptr<RdmaApplication> sender,
                  Ptr<RdmaApplication> receiver)
{
    sender->TraceConnectWithoutContext("Connected", MakeBoundCallback(&SenderConnected, collector));
    receiver->TraceConnectWithoutContext("Connected",
                                         MakeBoundCallback(&ReceiverConnected, collector));
    for (const auto& application : {sender, receiver})
    {
        application->TraceConnectWithoutContext("Failed", MakeBoundCallback(&Failed, collector));
    }
}

} // namespace iwarp
} // namespace ns3
