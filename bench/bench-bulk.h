/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef BENCH_BULK_H
#define BENCH_BULK_H

#include "ns3/bulk-send-helper.h"
#include "ns3/config.h"
#include "ns3/internet-stack-helper.h"
#include "ns3/ipv4-address-helper.h"
#include "ns3/packet-sink-helper.h"
#include "ns3/packet-sink.h"
#include "ns3/point-to-point-helper.h"
#include "ns3/string.h"
#include "ns3/tcp-socket-factory.h"
#include "ns3/uinteger.h"

#include <cstdint>
#include <fstream>
#include <iostream>
#include <string>

/// @file
/// @ingroup iwarp-bench
/// What transfers over one connection are measured on, and ns-3's own TCP to measure them by.

constexpr uint16_t BENCH_PORT = 4420; //!< where the right host listens
constexpr uint32_t BENCH_EMSS = 1448; //!< octets: MTU 1500, IPv4, timestamps

/// Two hosts and the link between them.
struct BenchHosts
{
    ns3::NodeContainer nodes; //!< left and right
    ns3::Ipv4Address address; //!< of the right one

    /// @param window send and receive buffers of all sockets, octets
    explicit BenchHosts(uint32_t window)
    {
        using namespace ns3;
        Config::SetDefault("ns3::TcpSocket::SndBufSize", UintegerValue(window));
        Config::SetDefault("ns3::TcpSocket::RcvBufSize", UintegerValue(window));
        Config::SetDefault("ns3::TcpSocket::SegmentSize", UintegerValue(BENCH_EMSS));
        nodes.Create(2);
        PointToPointHelper link;
        link.SetDeviceAttribute("DataRate", StringValue("10Gbps"));
        link.SetChannelAttribute("Delay", StringValue("2ms"));
        const auto devices = link.Install(nodes);
        InternetStackHelper().Install(nodes);
        address = Ipv4AddressHelper("10.0.0.0", "255.255.255.0").Assign(devices).GetAddress(1);
    }
};

/// Print the octets of memory that the process has used at most. getrusage() would count what the
/// process had before it became this program.
inline void
PrintMemory()
{
    std::ifstream status("/proc/self/status");
    std::string word;
    uint64_t kibibytes = 0;
    while (status >> word)
    {
        if (word == "VmHWM:")
        {
            status >> kibibytes;
        }
    }
    std::cout << kibibytes * 1024 << '\n';
}

/// A transfer by ns-3's TCP. @param hosts two hosts @param octets to carry @return the sink
inline ns3::Ptr<ns3::PacketSink>
InstallPlainTcp(const BenchHosts& hosts, uint64_t octets)
{
    using namespace ns3;
    const std::string factory = TcpSocketFactory::GetTypeId().GetName();
    BulkSendHelper source(factory, InetSocketAddress(hosts.address, BENCH_PORT));
    source.SetAttribute("MaxBytes", UintegerValue(octets));
    source.SetAttribute("SendSize", UintegerValue(BENCH_EMSS)); // the cheapest for ns-3's TCP
    source.Install(hosts.nodes.Get(0)).Start(MilliSeconds(1));
    PacketSinkHelper sink(factory, InetSocketAddress(Ipv4Address::GetAny(), BENCH_PORT));
    auto sinks = sink.Install(hosts.nodes.Get(1));
    sinks.Start(Seconds(0));
    return DynamicCast<PacketSink>(sinks.Get(0));
}

#endif // BENCH_BULK_H
