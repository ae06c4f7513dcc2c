/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "iwarp-trace-connector.h"

#include "iwarp-class-name.h"
#include "iwarp-trace-signatures.h"
#include "iwarp-trace-sinks.h"

#include <map>

namespace ns3
{
namespace iwarp
{
namespace
{

using Text = TraceConnector::Text;
using Texts = std::vector<Text>;

const Text SEQ{"seq", "", "TCP sequence number of the first octet"};
const Text PACKET_OCTETS{"packet_octets",
                         "octets",
                         "Octets of the packet, as far as it is one here"};
const Text PACKET_UID{"packet_uid", "", "ns-3's number of the packet"};
const Texts PACKET{PACKET_OCTETS, PACKET_UID};

/// @param texts of columns @param more of further columns @return all
Texts
operator+(Texts texts, const Texts& more)
{
    texts.insert(texts.end(), more.begin(), more.end());
    return texts;
}

/// @param[in,out] all connectors by signature; gets those of TracedValue
void
AddValueConnectors(TraceConnectors& all)
{
    const std::string prefix = "ns3::TracedValueCallback::";
    all[prefix + "Bool"] = TraceValues<bool>();
    all[prefix + "Uint8"] = TraceValues<uint8_t>();
    all[prefix + "Uint16"] = TraceValues<uint16_t>();
    all[prefix + "Uint32"] = TraceValues<uint32_t>();
    all[prefix + "Uint64"] = TraceValues<uint64_t>();
    all[prefix + "Double"] = TraceValues<double>();
    all[prefix + "Time"] = TraceValues<Time>();
    all[prefix + "DataRate"] = TraceValues<DataRate>();
    all[prefix + "SequenceNumber32"] = TraceValues<SequenceNumber32>();
    all["ns3::SequenceNumber32TracedValueCallback"] = TraceValues<SequenceNumber32>();
    all["ns3::TcpStatesTracedValueCallback"] = TraceValues<TcpSocket::TcpStates_t>();
    all["ns3::TcpSocketState::TcpCongStatesTracedValueCallback"] =
        TraceValues<TcpSocketState::TcpCongState_t>();
    all["ns3::TcpSocketState::EcnStatesTracedValueCallback"] =
        TraceValues<TcpSocketState::EcnState_t>();
    all["ns3::MpaStream::StartupStateTracedCallback"] = TraceValues<MpaStartup::State>();
    all["ns3::MpaStream::HeldTracedCallback"] = TraceValues<uint64_t>();
    all["ns3::NvmeQueue::HeldTracedCallback"] = TraceValues<uint64_t>();
    all["ns3::TlsStream::HeldTracedCallback"] = TraceValues<uint64_t>();
    all["ns3::RdmaQueuePair::StateTracedCallback"] = TraceValues<RdmaQpState>();
}

/// @param[in,out] all connectors by signature; gets those of ns-3's events
void
AddNs3Connectors(TraceConnectors& all)
{
    const Text interface {
        "interface", "", "Index of the node's interface"
    };
    const Text reason{"reason", "", "Why"};
    all["ns3::Packet::TracedCallback"] = TraceEvents<Ptr<const Packet>>(PACKET);
    all["ns3::Packet::AddressTracedCallback"] = TraceEvents<Ptr<const Packet>, const Address&>(
        PACKET + Texts{{"address", "", "Where it comes from or goes to"}});
    all["ns3::QueueDiscItem::TracedCallback"] = TraceEvents<Ptr<const QueueDiscItem>>(PACKET);
    all["ns3::Time::TracedCallback"] = TraceEvents<Time>({{"duration_ns", "ns", "The time"}});
    all["ns3::TcpSocketBase::TcpTxRxTracedCallback"] =
        TraceEvents<Ptr<const Packet>, const TcpHeader&, Ptr<const TcpSocketBase>>(
            {{"payload_octets", "octets", "Octets behind the TCP header"},
             PACKET_UID,
             SEQ,
             {"ack", "", "Acknowledgment number"},
             {"flags", "", "Flags"},
             {"window", "", "Window field, without scaling"}});
    all["ns3::Ipv4L3Protocol::TxRxTracedCallback"] =
        TraceEvents<Ptr<const Packet>, Ptr<Ipv4>, uint32_t>(PACKET + Texts{interface});
    all["ns3::Ipv6L3Protocol::TxRxTracedCallback"] =
        TraceEvents<Ptr<const Packet>, Ptr<Ipv6>, uint32_t>(PACKET + Texts{interface});
    all["ns3::Ipv4L3Protocol::SentTracedCallback"] =
        TraceEvents<const Ipv4Header&, Ptr<const Packet>, uint32_t>(PACKET + Texts{interface});
    all["ns3::Ipv6L3Protocol::SentTracedCallback"] =
        TraceEvents<const Ipv6Header&, Ptr<const Packet>, uint32_t>(PACKET + Texts{interface});
    all["ns3::Ipv4L3Protocol::DropTracedCallback"] =
        TraceEvents<const Ipv4Header&,
                    Ptr<const Packet>,
                    Ipv4L3Protocol::DropReason,
                    Ptr<Ipv4>,
                    uint32_t>(PACKET + Texts{reason, interface});
    all["ns3::Ipv6L3Protocol::DropTracedCallback"] =
        TraceEvents<const Ipv6Header&,
                    Ptr<const Packet>,
                    Ipv6L3Protocol::DropReason,
                    Ptr<Ipv6>,
                    uint32_t>(PACKET + Texts{reason, interface});
    all["ns3::TcpSocketBase::RetransmissionCallback"] =
        TraceEvents<Ptr<const Packet>,
                    const TcpHeader&,
                    const Address&,
                    const Address&,
                    Ptr<const TcpSocketBase>>({{"payload_octets", "octets", "Octets sent again"},
                                               PACKET_UID,
                                               SEQ,
                                               {"ack", "", "Acknowledgment number"},
                                               {"flags", "", "Flags"},
                                               {"window", "", "Window field, without scaling"},
                                               {"local", "", "The socket's address"},
                                               {"peer", "", "The peer's address"}});
}

/// @return connectors of sources whose documentation has another signature than they have
const TraceConnectors&
GetMisnamedConnectors()
{
    static const TraceConnector dropped =
        TraceEvents<Ptr<const QueueDiscItem>, const char*>(PACKET + Texts{{"reason", "", "Why"}});
    static const TraceConnectors misnamed{{"QueueDisc.DropBeforeEnqueue", dropped},
                                          {"QueueDisc.DropAfterDequeue", dropped},
                                          {"QueueDisc.Mark", dropped}};
    return misnamed;
}

/// @return what values are, by source
const std::map<std::string, Text>&
GetValueTexts()
{
    static const std::map<std::string, Text> texts{
        {"TcpSocketBase.RTO", {"timeout_ns", "ns", "Retransmission timeout"}},
        {"TcpSocketBase.RTT", {"rtt_ns", "ns", "Smoothed round-trip time"}},
        {"TcpSocketBase.LastRTT", {"rtt_ns", "ns", "Last round-trip time measured"}},
        {"TcpSocketBase.NextTxSequence", {"seq", "", "Next sequence number to be sent"}},
        {"TcpSocketBase.HighestSequence", {"seq", "", "Highest sequence number ever sent"}},
        {"TcpSocketBase.State", {"state", "", "State of the connection"}},
        {"TcpSocketBase.CongState", {"state", "", "State of congestion control"}},
        {"TcpSocketBase.EcnState", {"state", "", "State of ECN"}},
        {"TcpSocketBase.AdvWND", {"window_octets", "octets", "Window advertised to the peer"}},
        {"TcpSocketBase.FackAwnd", {"flight_octets", "octets", "Octets in flight by FACK"}},
        {"TcpSocketBase.RWND", {"window_octets", "octets", "Window that the peer advertises"}},
        {"TcpSocketBase.BytesInFlight", {"flight_octets", "octets", "Octets in flight"}},
        {"TcpSocketBase.HighestRxSequence", {"seq", "", "Highest sequence number received"}},
        {"TcpSocketBase.HighestRxAck", {"seq", "", "Highest acknowledgment number received"}},
        {"TcpSocketBase.PacingRate", {"rate_bits_per_second", "bit/s", "Rate of pacing"}},
        {"TcpSocketBase.CongestionWindow", {"window_octets", "octets", "Congestion window"}},
        {"TcpSocketBase.CongestionWindowInflated",
         {"window_octets", "octets", "Congestion window, inflated in recovery"}},
        {"TcpSocketBase.SlowStartThreshold",
         {"threshold_octets", "octets", "Slow start threshold"}},
        {"TcpSocketBase.EcnEchoSeq", {"seq", "", "Sequence number of the last ECN echo"}},
        {"TcpSocketBase.EcnCeSeq", {"seq", "", "Sequence number of the last CE mark"}},
        {"TcpSocketBase.EcnCwrSeq", {"seq", "", "Sequence number of the last CWR"}},
        {"Rfc9293TcpSocket.Emss", {"emss_octets", "octets", "Payload that a segment takes"}},
        {"MpaTcpSocket.Emss", {"emss_octets", "octets", "Payload that a segment takes"}},
        {"QueueBase.PacketsInQueue", {"queue_packets", "packets", "Packets in the queue"}},
        {"QueueBase.BytesInQueue", {"queue_octets", "octets", "Octets in the queue"}},
        {"QueueDisc.PacketsInQueue", {"queue_packets", "packets", "Packets in the queue disc"}},
        {"QueueDisc.BytesInQueue", {"queue_octets", "octets", "Octets in the queue disc"}},
        {"MpaStream.Mulpdu", {"mulpdu_octets", "octets", "Largest ULPDU that fits a segment"}},
        {"MpaStream.ReassemblyMemory", {"held_octets", "octets", "Octets in reassembly memory"}},
        {"MpaStream.StartupState", {"state", "", "State of startup"}},
        {"NvmeQueue.Held", {"held_octets", "octets", "Octets that wait for those in front"}},
        {"TlsStream.Held", {"held_octets", "octets", "Octets that wait for those in front"}},
        {"Rnic.MemoryHeld", {"held_octets", "octets", "Octets in reassembly memory"}},
        {"Rnic.BufferHeld", {"held_octets", "octets", "Octets in the packet buffer"}},
        {"Rnic.FragmentsHeld", {"held_octets", "octets", "Octets of IP fragments held"}},
        {"RdmaQueuePair.State", {"state", "", "State of the queue pair"}},
        {"RdmaCompletionQueue.Size",
         {"queue_completions", "completions", "Completions in the queue"}},
        {"RdmaSharedReceiveQueue.Available",
         {"available_buffers", "buffers", "Buffers that no message has taken"}},
        {"Rfc9293TcpSocketFactory.Challenges", {"challenges", "ACKs", "Challenge ACKs sent"}},
        {"Rfc9293TcpSocketFactory.ChallengesHeldBack",
         {"challenges", "ACKs", "Challenge ACKs not sent"}},
        {"MpaTcpSocketFactory.Challenges", {"challenges", "ACKs", "Challenge ACKs sent"}},
        {"MpaTcpSocketFactory.ChallengesHeldBack",
         {"challenges", "ACKs", "Challenge ACKs not sent"}},
        {"PathResegmentingMiddlebox.Held",
         {"held_octets", "octets", "Octets that wait to be merged"}},
        {"TcpSplitProxy.Held", {"held_octets", "octets", "Octets that wait at the proxy"}},
    };
    return texts;
}

/// @param type class @return its name, without the parameters of a template
std::string
GetBareName(TypeId type)
{
    const std::string name = GetShortName(type);
    return name.substr(0, name.find('<'));
}

/// @return connectors by signature
const TraceConnectors&
GetConnectors()
{
    static const TraceConnectors all = [] {
        TraceConnectors found;
        AddValueConnectors(found);
        AddNs3Connectors(found);
        AddStreamConnectors(found);
        AddDeviceConnectors(found);
        AddApplicationConnectors(found);
        return found;
    }();
    return all;
}

/// @return name of a source
std::string
GetSourceName(TypeId type, const TypeId::TraceSourceInformation& source)
{
    return GetBareName(type) + "." + source.name;
}

} // namespace

TraceSink::~TraceSink() = default;

void
TraceSink::Flush()
{
}

const TraceConnector*
FindConnector(TypeId type, const TypeId::TraceSourceInformation& source)
{
    static TraceConnectors named; // connectors of values, with the texts of their sources
    const std::string name = GetSourceName(type, source);
    const auto known = named.find(name);
    if (known != named.end())
    {
        return &known->second;
    }
    const auto& misnamed = GetMisnamedConnectors();
    const auto other = misnamed.find(name);
    const auto& all = GetConnectors();
    const auto found = other != misnamed.end() ? other : all.find(source.callback);
    if (found == all.end())
    {
        return nullptr;
    }
    TraceConnector connector = found->second;
    const auto text = GetValueTexts().find(name);
    if (connector.value && text != GetValueTexts().end())
    {
        connector.texts = {text->second};
    }
    return &named.emplace(name, connector).first->second;
}

bool
HasOwnColumns(TypeId type, const TypeId::TraceSourceInformation& source)
{
    const auto* connector = FindConnector(type, source);
    return connector && connector->texts.empty() == connector->types.empty() &&
           (!connector->value || connector->texts[0].name != "value");
}

} // namespace iwarp
} // namespace ns3
