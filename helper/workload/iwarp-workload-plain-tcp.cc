/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "iwarp-workload-plain-tcp.h"

#include "iwarp-plain-tcp-factory.h"

#include "ns3/bulk-send-application.h"
#include "ns3/packet-sink.h"
#include "ns3/packet.h"
#include "ns3/tcp-socket-factory.h"
#include "ns3/uinteger.h"

#include <algorithm>

namespace ns3
{
namespace iwarp
{
namespace
{

/// PacketSink's Rx. @param collector flow @param packet what came
void
ReceivedPacket(Ptr<FlowCollector> collector, Ptr<const Packet> packet, const Address& /* from */)
{
    collector->Placed(packet->GetSize());
    collector->Completed(packet->GetSize());
}

} // namespace

PlainTcpWorkload::PlainTcpWorkload(const IwarpWorkload& other,
                                   uint32_t sendBuffer,
                                   uint32_t segmentSize)
    : m_octets(other.GetOctets()),
      m_warmUp(other.GetWarmUp()),
      m_chunk(std::min<uint32_t>(65536, sendBuffer / 2)),
      m_segmentSize(segmentSize)
{
}

void
PlainTcpWorkload::Install(const Flow& flow, const FlowListener& listener)
{
    Ptr<PacketSink> sink = CreateObject<PacketSink>();
    sink->SetAttribute("Protocol", TypeIdValue(TcpSocketFactory::GetTypeId()));
    sink->SetAttribute("Local", AddressValue(flow.any));
    sink->TraceConnectWithoutContext(
        "Rx",
        MakeBoundCallback(&ReceivedPacket, Create<FlowCollector>(listener)));
    flow.receiver->AddApplication(sink);

    Ptr<BulkSendApplication> sender = CreateObject<BulkSendApplication>();
    sender->SetAttribute("Protocol",
                         TypeIdValue(PlainTcpFactory::Install(flow.sender, m_segmentSize)));
    sender->SetAttribute("Remote", AddressValue(flow.receiverAddress));
    sender->SetAttribute("MaxBytes", UintegerValue(GetMaxOctets()));
    sender->SetAttribute("SendSize", UintegerValue(m_chunk));
    sender->SetStartTime(flow.start);
    flow.sender->AddApplication(sender);
}

uint64_t
PlainTcpWorkload::GetOctets() const
{
    return m_octets;
}

uint64_t
PlainTcpWorkload::GetWarmUp() const
{
    return m_warmUp;
}

void
PlainTcpWorkload::Finish(MetricSet& /* metrics */)
{
}

} // namespace iwarp
} // namespace ns3
