/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "iwarp-helper.h"

#include "iwarp-ascii-trace.h"
#include "mpa-application-helper.h"
#include "nvme-helper.h"
#include "rdma-application-helper.h"
#include "tls-application-helper.h"

#include "ns3/abort.h"
#include "ns3/boolean.h"
#include "ns3/channel.h"
#include "ns3/global-value.h"
#include "ns3/ipv4.h"
#include "ns3/ipv6-header.h"
#include "ns3/ipv6.h"
#include "ns3/mpa-tcp-socket-factory.h"
#include "ns3/node.h"
#include "ns3/path-ethernet-channel.h"
#include "ns3/path-impairment.h"
#include "ns3/path-middlebox.h"
#include "ns3/pcap-file-wrapper.h"
#include "ns3/pointer.h"
#include "ns3/roce-client.h"
#include "ns3/simulator.h"
#include "ns3/tcp-ipv6-flow-labels.h"
#include "ns3/trace-helper.h"

#include <type_traits>

namespace ns3
{
namespace
{

/// A datagram passes at IP. @param file where it goes @param packet it @param ip not used
/// @param interface not used
template <typename Ip>
void
WriteDatagram(Ptr<PcapFileWrapper> file, Ptr<const Packet> packet, Ptr<Ip> ip, uint32_t interface)
{
    file->Write(Simulator::Now(), packet);
}

/// IP sends a datagram. @param file where it goes @param packet it @param ip of the node
/// @param interface not used
template <typename Ip>
void
WriteSent(Ptr<PcapFileWrapper> file, Ptr<const Packet> packet, Ptr<Ip> ip, uint32_t interface)
{
    if constexpr (std::is_same_v<Ip, Ipv6>)
    {
        if (const auto labels = ip->template GetObject<Ipv6FlowLabels>())
        { // it leaves with another label than IP made it with
            const Ptr<Packet> sent = packet->Copy();
            Ipv6Header header;
            sent->RemoveHeader(header);
            header.SetFlowLabel(labels->GetSent(header));
            sent->AddHeader(header);
            packet = sent;
        }
    }
    WriteDatagram(file, packet, ip, interface);
}

/// Write what one kind of IP of a node sends and receives. @param node node @param file where
template <typename Ip>
void
Watch(const Ptr<Node>& node, const Ptr<PcapFileWrapper>& file)
{
    if (Ptr<Ip> ip = node->GetObject<Ip>())
    {
        ip->TraceConnectWithoutContext("Tx", MakeBoundCallback(&WriteSent<Ip>, file));
        ip->TraceConnectWithoutContext("Rx", MakeBoundCallback(&WriteDatagram<Ip>, file));
    }
}

/// Follow a stream of an application. @param trace where its events go @param stream it
void
WatchStream(Ptr<IwarpAsciiTrace> trace, Ptr<MpaStream> stream)
{
    trace->Watch(stream);
}

} // namespace

void
IwarpHelper::Install(const NodeContainer& nodes) const
{
    for (auto i = nodes.Begin(); i != nodes.End(); ++i)
    {
        Install(*i);
    }
}

void
IwarpHelper::Install(Ptr<Node> node) const
{
    MpaTcpSocketFactory::Install(node);
}

void
IwarpHelper::UseEthernet(const NetDeviceContainer& devices)
{
    const bool link = devices.GetN() == 2 && devices.Get(0)->GetChannel() &&
                      devices.Get(0)->GetChannel() == devices.Get(1)->GetChannel();
    const auto a = link ? DynamicCast<PointToPointNetDevice>(devices.Get(0)) : nullptr;
    const auto b = link ? DynamicCast<PointToPointNetDevice>(devices.Get(1)) : nullptr;
    NS_ABORT_MSG_UNLESS(a && b, "IwarpHelper: UseEthernet() takes the devices of one link");
    TimeValue delay;
    a->GetChannel()->GetAttribute("Delay", delay);
    PathEthernetChannel::Join(a, b, delay.Get());
}

void
IwarpHelper::EnablePcap(const std::string& prefix, const NodeContainer& nodes)
{
    GlobalValue::Bind("ChecksumEnabled", BooleanValue(true));
    PcapHelper helper;
    for (auto i = nodes.Begin(); i != nodes.End(); ++i)
    {
        Ptr<PcapFileWrapper> file =
            helper.CreateFile(prefix + "-" + std::to_string((*i)->GetId()) + ".pcap",
                              std::ios::out,
                              PcapHelper::DLT_RAW);
        Watch<Ipv4>(*i, file);
        Watch<Ipv6>(*i, file);
    }
}

void
IwarpHelper::EnableAscii(Ptr<OutputStreamWrapper> stream, const ApplicationContainer& applications)
{
    for (auto i = applications.Begin(); i != applications.End(); ++i)
    {
        Ptr<IwarpAsciiTrace> trace = Create<IwarpAsciiTrace>(stream, (*i)->GetNode()->GetId());
        (*i)->TraceConnectWithoutContext("StreamCreated", MakeBoundCallback(&WatchStream, trace));
    }
}

int64_t
IwarpHelper::AssignStreams(const NodeContainer& nodes, int64_t stream)
{
    int64_t next = stream;
    for (auto i = nodes.Begin(); i != nodes.End(); ++i)
    {
        ApplicationContainer applications;
        for (uint32_t j = 0; j < (*i)->GetNApplications(); j++)
        {
            applications.Add((*i)->GetApplication(j));
        }
        next += MpaApplicationHelper::AssignStreams(applications, next);
        next += RdmaApplicationHelper::AssignStreams(applications, next);
        next += NvmeHelper::AssignStreams(applications, next);
        next += TlsApplicationHelper::AssignStreams(applications, next);
        for (auto application = applications.Begin(); application != applications.End();
             ++application)
        {
            if (const auto client = DynamicCast<RoceClient>(*application))
            {
                next += client->AssignStreams(next);
            }
        }
        for (uint32_t j = 0; j < (*i)->GetNDevices(); j++)
        {
            PointerValue model;
            if (!(*i)->GetDevice(j)->GetAttributeFailSafe("ReceiveErrorModel", model))
            {
                continue;
            }
            if (auto impairment = model.Get<PathImpairment>())
            {
                next += impairment->AssignStreams(next);
            }
        }
        if (auto middlebox = (*i)->GetObject<PathMiddlebox>())
        {
            next += middlebox->AssignStreams(next);
        }
    }
    return next - stream;
}

} // namespace ns3
