/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "../iwarp-test.h"
#include "rnic-test-util.h"

#include "ns3/bulk-send-helper.h"
#include "ns3/esp-forecast.h"
#include "ns3/inet-socket-address.h"
#include "ns3/internet-stack-helper.h"
#include "ns3/ipv4-address-helper.h"
#include "ns3/mpa-tcp-socket-factory.h"
#include "ns3/node-container.h"
#include "ns3/packet-sink-helper.h"
#include "ns3/packet-sink.h"
#include "ns3/point-to-point-helper.h"
#include "ns3/rnic-cache.h"
#include "ns3/rnic-esp-design.h"
#include "ns3/rnic-helper.h"
#include "ns3/rnic.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <string>
#include <vector>

using namespace ns3;
using namespace rnictest;

namespace
{

/// Suite "rnic-esp-stack".
IWARP_TEST_SUITE(rnicEspStack, "rnic-esp-stack");

constexpr uint32_t TCP_HEADER = 20;    //!< octets of IPv4's
constexpr uint32_t LINK_MTU = 1500;    //!< octets of a full one
constexpr uint64_t OCTETS = 1'460'000; //!< sent

/// A frame as an RNIC traces it.
struct TracedFrame
{
    uint32_t octets; //!< its size
    Time delay;      //!< in the RNIC
    Time at;         //!< when it has left for the link, or has come from it
};

/// Trace sink. @param frames receives it @param octets of a frame @param delay in the RNIC
void
NoteDelay(std::vector<TracedFrame>* frames, uint64_t, uint32_t octets, Time delay)
{
    frames->push_back({octets, delay, Simulator::Now()});
}

/// What a forecast was asked, and answers: AES-GCM, association 77, for TCP to port 5000.
struct Oracle
{
    /// @param flow in question @param datagram octets @param header of IP @param[out] work for it
    /// @return true for what goes to port 5000
    bool operator()(const IpsecFlow& flow, uint32_t datagram, uint32_t header, EspWork& work) const
    {
        if (flow.protocol != 6 || flow.destinationPort != 5000 ||
            flow.destination != IpsecAddress("10.1.0.2"))
        {
            return false;
        }
        EspEncapsulation gcm;
        gcm.transform = FindEspTransform("aes-gcm-16-128");
        work = EspWork(77, gcm, datagram, header);
        return true;
    }
};

/// @param settings of the parts @return a helper of RNICs with ESP inline
RnicHelper
MakeHelper(const std::string& settings)
{
    RnicDesign design;
    rnic::AddEsp(design, EspPlace::INLINE);
    return RnicHelper(MakeDesign(settings, design));
}

} // namespace

/// RNICs in a simulation ask what is protected, and take time and sizes of that.
IWARP_TEST(rnicEspStack,
           "an engine of 2 Gbit a second bounds the rate, and frames are as long as with ESP")
{
    NodeContainer nodes(2);
    PointToPointHelper link;
    link.SetDeviceAttribute("DataRate", StringValue("10Gbps"));
    link.SetChannelAttribute("Delay", StringValue("5us"));
    const auto devices = link.Install(nodes);
    InternetStackHelper().Install(nodes);
    Ipv4AddressHelper addresses("10.1.0.0", "255.255.255.0");
    const auto interfaces = addresses.Assign(devices);
    const auto rnics = MakeHelper("TxEsp.Rate=2Gbps RxEsp.TimePerPacket=1us "
                                  "AssociationCache.Entries=4 "
                                  "AssociationCache.MemoryLatency=100ns")
                           .Install(nodes);
    std::vector<Ptr<EspForecast>> forecasts;
    for (uint32_t i = 0; i < 2; ++i)
    {
        forecasts.push_back(CreateObject<EspForecast>());
        forecasts[i]->SetFunction(Oracle());
        nodes.Get(i)->AggregateObject(forecasts[i]);
        MpaTcpSocketFactory::Install(nodes.Get(i));
    }
    std::vector<TracedFrame> sent;
    std::vector<TracedFrame> answered;
    std::vector<TracedFrame> received;
    rnics[0]->TraceConnectWithoutContext("Transmit", MakeBoundCallback(&NoteDelay, &sent));
    rnics[1]->TraceConnectWithoutContext("Transmit", MakeBoundCallback(&NoteDelay, &answered));
    rnics[1]->TraceConnectWithoutContext("Receive", MakeBoundCallback(&NoteDelay, &received));
    // as if IPsec had opened each datagram that host 1 gets
    EspWork full;
    Oracle()({"10.1.0.1", "10.1.0.2", 6, 1, 5000}, LINK_MTU, TCP_HEADER, full);
    const EspForecast::Arrival arrival(*forecasts[1], full);

    const std::string factory = MpaTcpSocketFactory::GetTypeId().GetName();
    const auto sinks = PacketSinkHelper(factory, InetSocketAddress(Ipv4Address::GetAny(), 5000))
                           .Install(nodes.Get(1));
    BulkSendHelper bulk(factory, InetSocketAddress(interfaces.GetAddress(1), 5000));
    bulk.SetAttribute("MaxBytes", UintegerValue(OCTETS));
    bulk.Install(nodes.Get(0)).Start(MilliSeconds(1));
    Simulator::Stop(Seconds(1));
    Simulator::Run();
    NS_TEST_EXPECT_MSG_EQ(DynamicCast<PacketSink>(sinks.Get(0))->GetTotalRx(),
                          OCTETS,
                          "all is there");

    // whatever a segment has, its frame is that of ESP: IP 20, ESP's head 16, TCP's octets and
    // two of the trailer up to a multiple of 4, ICV 16
    const uint32_t longest =
        std::max_element(sent.begin(), sent.end(), [](const TracedFrame& a, const TracedFrame& b) {
            return a.octets < b.octets;
        })->octets;
    NS_TEST_EXPECT_MSG_EQ((longest - 18 - 20 - 16 - 16) % 4, 0, "aligned");
    const RnicTime work = (longest - 18 - 20 - 16 - 16) * 4000;
    std::vector<TracedFrame> fulls;
    for (const auto& frame : sent)
    {
        if (frame.octets == longest)
        {
            fulls.push_back(frame);
        }
    }
    NS_TEST_EXPECT_MSG_GT(fulls.size(), 900, "most segments are full");
    const Time taken = fulls.back().at - fulls[fulls.size() / 2].at;
    const auto spacing = double(taken.GetPicoSeconds()) / (fulls.size() - 1 - fulls.size() / 2);
    NS_TEST_EXPECT_MSG_EQ_TOL(spacing, double(work), 0.001 * work, "the engine is never idle");
    // ACKs go to another port, in clear: 18 + 20 + TCP's header
    for (const auto& frame : answered)
    {
        NS_TEST_EXPECT_MSG_LT(frame.octets, 100, "in clear");
        NS_TEST_EXPECT_MSG_EQ(frame.delay, Time(0), "in no time");
    }
    // what comes in is as long as IPsec says, and spends a microsecond there, the first 100 ns
    // more
    for (const auto& frame : received)
    {
        NS_TEST_EXPECT_MSG_EQ(frame.octets, full.sealed + 18, "of the link");
        const bool first = &frame == &received.front();
        NS_TEST_EXPECT_MSG_EQ(frame.delay, NanoSeconds(first ? 1100 : 1000), "in RxEsp");
    }
    const auto cache = rnics[1]->GetDatapath().Get<RnicCache>("AssociationCache");
    NS_TEST_EXPECT_MSG_EQ(cache->GetSize(), 1, "a context");
    forecasts[1]->NotifyGone(EspDirection::INBOUND, 77);
    NS_TEST_EXPECT_MSG_EQ(cache->GetSize(), 0, "gone with its association");
    Simulator::Destroy();
}
