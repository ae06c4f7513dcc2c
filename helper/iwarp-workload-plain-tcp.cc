/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "iwarp-workload-plain-tcp.h"

#include "ns3/bulk-send-application.h"
#include "ns3/packet-sink.h"
#include "ns3/tcp-socket-factory.h"
#include "ns3/uinteger.h"

#include <algorithm>

namespace ns3
{
namespace iwarp
{

PlainTcpWorkload::PlainTcpWorkload(uint64_t octets, uint32_t sendBuffer)
    : m_octets(octets),
      m_chunk(std::min<uint32_t>(65536, sendBuffer / 2))
{
}

void
PlainTcpWorkload::Install(const Flow& flow, const FlowListener& listener)
{
    m_listener = listener;
    const TypeIdValue protocol(TcpSocketFactory::GetTypeId());
    Ptr<PacketSink> sink = CreateObject<PacketSink>();
    sink->SetAttribute("Protocol", protocol);
    sink->SetAttribute("Local", AddressValue(flow.any));
    sink->TraceConnectWithoutContext("Rx", MakeCallback(&PlainTcpWorkload::Received, this));
    flow.receiver->AddApplication(sink);

    Ptr<BulkSendApplication> sender = CreateObject<BulkSendApplication>();
    sender->SetAttribute("Protocol", protocol);
    sender->SetAttribute("Remote", AddressValue(flow.receiverAddress));
    sender->SetAttribute("MaxBytes", UintegerValue(m_octets));
    sender->SetAttribute("SendSize", UintegerValue(m_chunk));
    sender->SetStartTime(flow.start);
    flow.sender->AddApplication(sender);
}

void
PlainTcpWorkload::Received(Ptr<const Packet> packet, const Address& /* from */)
{
    m_listener.message(packet->GetSize());
}

uint64_t
PlainTcpWorkload::GetOctets() const
{
    return m_octets;
}

void
PlainTcpWorkload::Finish(MetricSet& /* metrics */)
{
}

} // namespace iwarp
} // namespace ns3
