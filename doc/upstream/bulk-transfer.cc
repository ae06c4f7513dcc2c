/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/bulk-send-helper.h"
#include "ns3/error-model.h"
#include "ns3/inet-socket-address.h"
#include "ns3/internet-stack-helper.h"
#include "ns3/ipv4-address-helper.h"
#include "ns3/node-container.h"
#include "ns3/packet-sink-helper.h"
#include "ns3/packet-sink.h"
#include "ns3/point-to-point-helper.h"
#include "ns3/pointer.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <iostream>

using namespace ns3;

/**
 * @file
 * What a patch costs a bulk transfer with losses: count this program's instructions. It says how
 * many segments were sent, and when the last octet came, so that a change of behaviour is seen.
 */

int
main(int argc, char* argv[])
{
    const uint64_t octets = 500000;

    NodeContainer nodes;
    nodes.Create(2);
    PointToPointHelper link;
    link.SetDeviceAttribute("DataRate", StringValue("100Mbps"));
    link.SetChannelAttribute("Delay", StringValue("5ms"));
    NetDeviceContainer devices = link.Install(nodes);
    InternetStackHelper internet;
    internet.Install(nodes);
    Ipv4AddressHelper addresses;
    addresses.SetBase("10.0.0.0", "255.255.255.0");
    Ipv4InterfaceContainer interfaces = addresses.Assign(devices);

    Ptr<RateErrorModel> losses = CreateObject<RateErrorModel>();
    losses->SetUnit(RateErrorModel::ERROR_UNIT_PACKET);
    losses->SetRate(0.001);
    devices.Get(1)->SetAttribute("ReceiveErrorModel", PointerValue(losses));

    const Address address = InetSocketAddress(interfaces.GetAddress(1), 9);
    PacketSinkHelper sinks("ns3::TcpSocketFactory", address);
    Ptr<PacketSink> sink = DynamicCast<PacketSink>(sinks.Install(nodes.Get(1)).Get(0));
    Time last;
    sink->TraceConnectWithoutContext(
        "Rx",
        Callback<void, Ptr<const Packet>, const Address&>(
            [&last](Ptr<const Packet>, const Address&) { last = Simulator::Now(); }));
    BulkSendHelper senders("ns3::TcpSocketFactory", address);
    senders.SetAttribute("MaxBytes", UintegerValue(octets));
    senders.Install(nodes.Get(0));

    uint64_t segments = 0;
    devices.Get(0)->TraceConnectWithoutContext(
        "PhyTxBegin",
        Callback<void, Ptr<const Packet>>([&segments](Ptr<const Packet>) { ++segments; }));

    Simulator::Stop(Seconds(100));
    Simulator::Run();
    std::cout << sink->GetTotalRx() << " octets in " << segments << " segments, the last after "
              << last.As(Time::MS) << std::endl;
    Simulator::Destroy();
    return sink->GetTotalRx() == octets ? 0 : 1;
}
