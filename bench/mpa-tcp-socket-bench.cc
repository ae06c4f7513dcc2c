/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/applications-module.h"
#include "ns3/core-module.h"
#include "ns3/internet-module.h"
#include "ns3/mpa-tcp-socket-factory.h"
#include "ns3/network-module.h"
#include "ns3/point-to-point-module.h"

#include <algorithm>
#include <ctime>
#include <iostream>
#include <string>

/**
 * @file
 * @ingroup iwarp-bench
 * What a transfer costs over MpaTcpSocket, compared with plain ns-3 TCP in the same run: BulkSend
 * on a link whose bandwidth-delay product is the window, one record of an EMSS a call.
 */

using namespace ns3;

namespace
{

/// What is measured.
struct Load
{
    uint32_t window{65536};                  //!< octets of receive buffer
    uint64_t octets{100000000};              //!< octets to be transferred
    uint32_t segment{1448};                  //!< octets of a record and of a segment
    double loss{0};                          //!< share of packets lost
    std::string congestion{"ns3::TcpCubic"}; //!< congestion control
};

/// Takes all that comes.
class Taker : public MpaTcpSocket::User
{
  public:
    MpaTcpSocket::Verdict InspectSegment(SequenceNumber32, Ptr<const Packet>) override
    {
        return MpaTcpSocket::Verdict::TAKE;
    }

    void EmssChanged(uint32_t) override
    {
    }
};

Taker g_taker; //!< the layer above

// Like PacketSink, but takes segments from below
void
Accept(Ptr<Socket> socket, const Address&)
{
    socket->SetRecvCallback(
        iwarp::MakeLambdaCallback<Callback<void, Ptr<Socket>>>([](Ptr<Socket> s) {
            while (s->GetRxAvailable() > 0)
            {
                s->Recv();
            }
        }));
    DynamicCast<MpaTcpSocket>(socket)->SetUser(&g_taker, true);
}

/// @param mode plain, mpa or take @param load what to do @return seconds of processor time
double
Measure(const std::string& mode, const Load& load)
{
    const std::string rate = "10Gbps";
    Config::SetDefault("ns3::TcpL4Protocol::SocketType",
                       TypeIdValue(TypeId::LookupByName(load.congestion)));
    Config::SetDefault("ns3::TcpSocket::SegmentSize", UintegerValue(load.segment));
    Config::SetDefault("ns3::TcpSocket::RcvBufSize", UintegerValue(load.window));
    Config::SetDefault("ns3::TcpSocket::SndBufSize", UintegerValue(2 * load.window));
    NodeContainer nodes(2);
    PointToPointHelper link;
    link.SetDeviceAttribute("DataRate", StringValue(rate));
    link.SetChannelAttribute("Delay",
                             TimeValue(DataRate(rate).CalculateBytesTxTime(load.window) / 2));
    link.SetQueue("ns3::DropTailQueue", "MaxSize", StringValue("100000p"));
    auto devices = link.Install(nodes);
    if (load.loss > 0)
    {
        auto loss = CreateObject<RateErrorModel>();
        loss->SetUnit(RateErrorModel::ERROR_UNIT_PACKET);
        loss->SetRate(load.loss);
        loss->AssignStreams(1);
        devices.Get(1)->SetAttribute("ReceiveErrorModel", PointerValue(loss));
    }
    InternetStackHelper().Install(nodes);
    auto interfaces = Ipv4AddressHelper("10.0.0.0", "255.255.255.0").Assign(devices);
    const std::string factory =
        mode == "plain" ? "ns3::TcpSocketFactory" : "ns3::MpaTcpSocketFactory";
    MpaTcpSocketFactory::Install(nodes.Get(0));
    MpaTcpSocketFactory::Install(nodes.Get(1));
    const InetSocketAddress sink(interfaces.GetAddress(1), 5000);
    Ptr<Socket> listener;
    if (mode == "take")
    {
        listener = Socket::CreateSocket(nodes.Get(1), MpaTcpSocketFactory::GetTypeId());
        listener->Bind(sink);
        listener->Listen();
        listener->SetAcceptCallback(MakeNullCallback<bool, Ptr<Socket>, const Address&>(),
                                    MakeCallback(&Accept));
    }
    else
    {
        PacketSinkHelper(factory, sink).Install(nodes.Get(1));
    }
    BulkSendHelper sender(factory, sink);
    sender.SetAttribute("SendSize", UintegerValue(load.segment));
    sender.SetAttribute("MaxBytes", UintegerValue(load.octets));
    sender.Install(nodes.Get(0)).Start(Seconds(1));
    const auto start = std::clock();
    Simulator::Run();
    const auto end = std::clock();
    Simulator::Destroy();
    return static_cast<double>(end - start) / CLOCKS_PER_SEC;
}

} // namespace

int
main(int argc, char* argv[])
{
    Load load;
    std::string mode = "all";
    uint32_t repeat = 3;
    CommandLine cmd(__FILE__);
    cmd.AddValue("mode", "plain, mpa, take, or all to compare them", mode);
    cmd.AddValue("window", "octets of receive buffer and of bandwidth-delay product", load.window);
    cmd.AddValue("octets", "octets to transfer", load.octets);
    cmd.AddValue("segment", "octets of a segment, EMSS with timestamps", load.segment);
    cmd.AddValue("loss", "share of packets lost", load.loss);
    cmd.AddValue("congestion", "TypeId of the congestion control", load.congestion);
    cmd.AddValue("repeat", "runs of each mode, of which the fastest counts", repeat);
    cmd.Parse(argc, argv);
    if (mode != "all")
    {
        std::cout << mode << " " << Measure(mode, load) << " s\n";
        return 0;
    }
    double best[3] = {1e9, 1e9, 1e9};
    const std::string modes[3] = {"plain", "mpa", "take"};
    for (uint32_t i = 0; i < repeat; ++i)
    {
        for (uint32_t m = 0; m < 3; ++m)
        {
            best[m] = std::min(best[m], Measure(modes[m], load));
        }
    }
    for (uint32_t m = 0; m < 3; ++m)
    {
        std::cout << modes[m] << " " << best[m] << " s, " << load.octets / best[m] / 1e6
                  << " MB/s, " << best[m] / best[0] << " times plain TCP\n";
    }
    return 0;
}
