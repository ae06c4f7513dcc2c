/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

// A leaf-spine network shared out to the processes of ns-3's MPI engine, where ns-3 has it:
// mpirun -n 2 iwarp-leaf-spine-ranks. Each host sends RDMA Writes to one other; the table is the
// same whatever the number of processes.
//
//     spine 0      spine 1    ...         rank 0, 1, ... in turn
//       |  \______ / |
//     leaf 0 _____\ leaf 1    ...         likewise, with their hosts
//      | | |        | | |

#include "ns3/address.h"
#include "ns3/channel.h"
#include "ns3/command-line.h"
#include "ns3/data-rate.h"
#include "ns3/global-value.h"
#include "ns3/iwarp-ip-tap.h"
#include "ns3/iwarp-network.h"
#include "ns3/iwarp-topology-leaf-spine.h"
#include "ns3/iwarp-traffic-pattern.h"
#include "ns3/path-ranks.h"
#include "ns3/queue-size.h"
#include "ns3/random-variable-stream.h"
#include "ns3/rdma-bulk-client.h"
#include "ns3/rdma-bulk-server.h"
#include "ns3/rdma-device.h"
#include "ns3/rnic-helper.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"
#include "ns3/util-attribute-text.h"

#ifdef NS3_MPI
#include "ns3/mpi-interface.h"
#endif

#include <chrono>
#include <iomanip>
#include <iostream>
#include <numeric>
#include <sstream>
#include <string>
#include <vector>

using namespace ns3;

namespace
{

constexpr uint16_t PORT = 20049;  ///< where servers listen
constexpr int64_t STREAMS = 1000; ///< first random stream of the hosts

/// What the program is told.
struct Settings
{
    uint32_t leaves{4};                 ///< leaf switches
    uint32_t spines{4};                 ///< spine switches
    uint32_t hosts{8};                  ///< hosts at each leaf
    uint64_t octets{2000000};           ///< payload of each flow
    uint32_t size{65536};               ///< mean size of messages, octets
    DataRate rate{"10Gbps"};            ///< rate of all links
    uint32_t mtu{1500};                 ///< MTU of all links, octets
    QueueSize queue{"1000p"};           ///< queue at each end of each link
    std::string delayText{"1us"};       ///< propagation delay of links between switches
    std::string timeText{"100ms"};      ///< when the run ends at the latest
    std::string rnic;                   ///< profile of the hosts' RNICs, or none
    std::string engine{"granted-time"}; ///< how processes keep together
    Time delay;                         ///< the same as delayText
    Time time;                          ///< the same as timeText

    void AddTo(CommandLine& cmd); ///< Add options. @param cmd where
    bool Check();                 ///< @return false if a message was printed
};

void
Settings::AddTo(CommandLine& cmd)
{
    cmd.AddValue("leaves", "leaf switches", leaves);
    cmd.AddValue("spines", "spine switches", spines);
    cmd.AddValue("hosts", "hosts at each leaf", hosts);
    cmd.AddValue("octets", "payload that each host sends", octets);
    cmd.AddValue("size", "mean size of messages, octets", size);
    cmd.AddValue("rate", "rate of all links", rate);
    cmd.AddValue("mtu", "MTU of all links, octets", mtu);
    cmd.AddValue("queue", "queue at each end of each link", queue);
    cmd.AddValue("delay", "propagation delay of links between switches", delayText);
    cmd.AddValue("time", "simulated time after which the run ends", timeText);
    cmd.AddValue("rnic", "give hosts an RNIC of this profile", rnic);
    cmd.AddValue("engine", "with MPI: granted-time, null-message, or none for one process", engine);
}

bool
Settings::Check()
{
    if (!iwarp::ParseTime(delayText, delay) || !iwarp::ParseTime(timeText, time))
    {
        std::cerr << "--delay and --time take a time such as 1us\n";
        return false;
    }
    if (leaves == 0 || spines == 0 || hosts == 0 || leaves * hosts < 2 || size == 0 ||
        delay < NanoSeconds(100))
    {
        std::cerr << "there have to be a leaf, a spine, two hosts, octets in a message, and a "
                     "--delay of at least 100ns\n";
        return false;
    }
    if (engine != "granted-time" && engine != "null-message" && engine != "none")
    {
        std::cerr << "--engine takes granted-time, null-message or none\n";
        return false;
    }
    return true;
}

/// What is told of a flow. Each figure is 0 in all ranks but one, so that sums are what that rank
/// has.
struct Result
{
    uint64_t posted{0};        ///< messages posted, at the sender
    uint64_t retransmitted{0}; ///< octets sent again, at the sender
    uint64_t messages{0};      ///< messages that came, at the receiver
    uint64_t octets{0};        ///< of these
    uint64_t last{0};          ///< when the last of them had come, fs
    uint64_t digest{0};        ///< of sizes and times of all of them
};

/// A message has come. @param result of its flow @param size octets
void
Receive(Result* result, Ptr<RdmaQueuePair> /* pair */, uint64_t size)
{
    result->messages++;
    result->octets += size;
    result->last = static_cast<uint64_t>(Simulator::Now().GetFemtoSeconds());
    result->digest = (result->digest ^ (result->last + size)) * 1099511628211U; // as FNV does
}

/// A host sends to another.
struct Flow
{
    uint32_t sender;            ///< index of the host that sends
    uint32_t receiver;          ///< index of the host that receives
    Ptr<RdmaBulkClient> client; ///< at the sender, in its rank
    Ptr<iwarp::IpTap> tap;      ///< at the sender, in its rank
};

/// Have ns-3 run in several processes, where it can. @param engine how @param argc arguments
/// @param argv arguments
void
Begin(const std::string& engine, int* argc, char*** argv)
{
#ifdef NS3_MPI
    if (engine != "none")
    {
        GlobalValue::Bind("SimulatorImplementationType",
                          StringValue(engine == "null-message" ? "ns3::NullMessageSimulatorImpl"
                                                               : "ns3::DistributedSimulatorImpl"));
        MpiInterface::Enable(argc, argv);
    }
#endif
}

/// Bring results of all ranks together. @param results of this one, in rank 0 then of all
void
Gather(std::vector<Result>& results)
{
#ifdef NS3_MPI
    if (ranks::GetCount() > 1)
    {
        std::vector<Result> all(results.size());
        MPI_Reduce(results.data(),
                   all.data(),
                   static_cast<int>(results.size() * sizeof(Result) / sizeof(uint64_t)),
                   MPI_UINT64_T,
                   MPI_SUM,
                   0,
                   MpiInterface::GetCommunicator());
        results = all;
    }
#endif
}

/// Nothing comes after this.
void
End()
{
    Simulator::Destroy();
#ifdef NS3_MPI
    if (MpiInterface::IsEnabled())
    {
        MpiInterface::Disable();
    }
#endif
}

/// Make the network. @param network empty @param settings what it is
void
Build(IwarpNetwork& network, const Settings& settings)
{
    auto topology = CreateObject<IwarpLeafSpineTopology>();
    topology->SetAttribute("Leaves", UintegerValue(settings.leaves));
    topology->SetAttribute("Spines", UintegerValue(settings.spines));
    topology->SetAttribute("HostsPerLeaf", UintegerValue(settings.hosts));
    topology->SetAttribute("LinkRate", DataRateValue(settings.rate));
    topology->SetAttribute("AccessRate", DataRateValue(settings.rate));
    topology->SetAttribute("Mtu", UintegerValue(settings.mtu));
    topology->SetAttribute("QueueSize", QueueSizeValue(settings.queue));
    topology->SetAttribute("Delay", TimeValue(settings.delay));
    topology->Build(network, 1);
    network.InstallRoutes();
    // Cables differ by up to 20 m: no two packets come at the same time, of which one would have to
    // be first, and which it is depends on how events are kept.
    auto length = CreateObject<UniformRandomVariable>();
    length->SetStream(STREAMS - 1);
    for (uint32_t i = 0; i < network.GetNLinks(); i++)
    {
        const auto more = static_cast<uint64_t>(length->GetValue(0, 1e8));
        network.GetLinkDevices(i).Get(0)->GetChannel()->SetAttribute(
            "Delay",
            TimeValue(network.GetLink(i).delay + FemtoSeconds(more)));
    }
}

/// Give hosts their devices, and RNICs if there are any. @param network where @param settings which
/// @param stream first random stream
void
Equip(const IwarpNetwork& network, const Settings& settings, int64_t stream)
{
    const RnicHelper rnics(settings.rnic.empty() ? "ideal" : settings.rnic);
    for (uint32_t i = 0; i < network.GetNHosts(); i++, stream += 32)
    {
        const Ptr<Node> host = network.GetHost(i);
        if (!settings.rnic.empty())
        {
            rnics.Install(host);
            RnicHelper::AssignStreams(host, stream);
        }
        RdmaDevice::Get(host)->AssignStreams(stream + 16);
    }
}

/// Install one flow, as far as its hosts are of this rank. @param network where @param flow it
/// @param number of it @param settings what it sends @param result of it
void
Install(const IwarpNetwork& network,
        Flow& flow,
        uint32_t number,
        const Settings& settings,
        Result& result)
{
    const Ptr<Node> sender = network.GetHost(flow.sender);
    const Ptr<Node> receiver = network.GetHost(flow.receiver);
    if (ranks::IsOwn(receiver))
    {
        auto server = CreateObject<RdmaBulkServer>();
        server->SetAttribute("Local", AddressValue(network.GetAnySocketAddress(PORT)));
        server->TraceConnectWithoutContext("MessageReceived", MakeBoundCallback(&Receive, &result));
        receiver->AddApplication(server);
    }
    if (ranks::IsOwn(sender))
    {
        flow.client = CreateObject<RdmaBulkClient>();
        flow.client->SetAttribute("Remote",
                                  AddressValue(network.GetHostSocketAddress(flow.receiver, PORT)));
        flow.client->SetAttribute("MaxOctets", UintegerValue(settings.octets));
        flow.client->SetAttribute("MessageSizes",
                                  StringValue("ns3::ExponentialRandomVariable[Mean=" +
                                              std::to_string(settings.size) + "]"));
        flow.client->AssignStreams(STREAMS + 16 * number);
        auto start = CreateObject<UniformRandomVariable>();
        start->SetStream(STREAMS + 16 * number + 15);
        flow.client->SetStartTime(MilliSeconds(1) +
                                  FemtoSeconds(static_cast<uint64_t>(start->GetValue(0, 1e10))));
        sender->AddApplication(flow.client);
        flow.tap = Create<iwarp::IpTap>();
        flow.tap->Attach(sender);
    }
}

/// Print the table. @param flows flows @param results of all ranks @return whether all has come
bool
Print(const std::vector<Flow>& flows, const std::vector<Result>& results)
{
    Result all;
    bool complete = true;
    std::cout << "from   to messages      octets  sent again      last (us)  times\n";
    for (std::size_t i = 0; i < flows.size(); i++)
    {
        const Result& result = results[i];
        std::cout << std::setw(4) << flows[i].sender << std::setw(5) << flows[i].receiver
                  << std::setw(9) << result.messages << std::setw(12) << result.octets
                  << std::setw(12) << result.retransmitted << std::setw(8)
                  << result.last / 1000000000 << '.' << std::setfill('0') << std::setw(6)
                  << result.last / 1000 % 1000000 << "  " << std::hex << std::setw(16)
                  << result.digest << std::dec << std::setfill(' ') << '\n';
        all.octets += result.octets;
        all.retransmitted += result.retransmitted;
        all.digest = (all.digest ^ result.digest) * 1099511628211U;
        complete = complete && result.messages > 0 && result.messages == result.posted;
    }
    std::cout << flows.size() << " flows, " << all.octets << " octets, " << all.retransmitted
              << " sent again, " << std::hex << all.digest << std::dec << '\n';
    return complete;
}

} // namespace

int
main(int argc, char* argv[])
{
    Time::SetResolution(Time::FS);
    Settings settings;
    CommandLine cmd(__FILE__);
    settings.AddTo(cmd);
    cmd.Parse(argc, argv);
    if (!iwarp::HasOnlyOptions(cmd))
    {
        return 2;
    }
    if (!settings.Check())
    {
        return 2;
    }
    Begin(settings.engine, &argc, &argv);

    IwarpNetwork network;
    Build(network, settings);
    auto random = CreateObject<UniformRandomVariable>();
    random->SetStream(STREAMS - 2);
    std::vector<uint32_t> hosts(network.GetNHosts());
    std::iota(hosts.begin(), hosts.end(), 0);
    const auto ends =
        iwarp::MakeEnds(iwarp::TrafficPattern::PERMUTATION, hosts, {}, 0, [&](uint32_t most) {
            return random->GetInteger(0, most);
        });
    Equip(network, settings, STREAMS + 32 * static_cast<int64_t>(ends.size()));
    std::vector<Flow> flows;
    std::vector<Result> results(ends.size());
    for (const auto& [sender, receiver] : ends)
    {
        flows.push_back({sender, receiver, nullptr, nullptr});
        const auto number = static_cast<uint32_t>(flows.size() - 1);
        Install(network, flows.back(), number, settings, results[number]);
    }

    Simulator::Stop(settings.time);
    const auto begin = std::chrono::steady_clock::now();
    Simulator::Run();
    const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - begin;
    for (std::size_t i = 0; i < flows.size(); i++)
    {
        if (flows[i].client)
        {
            results[i].posted = flows[i].client->GetMessagesPosted();
            results[i].retransmitted = flows[i].tap->GetRetransmitted();
        }
    }
    std::ostringstream line; // in one piece, since all ranks write
    line << "rank " << ranks::GetOwn() << " of " << ranks::GetCount() << ": "
         << Simulator::GetEventCount() << " events, " << wall.count() << " s\n";
    std::cerr << line.str();
    Gather(results);
    bool good = true;
    if (ranks::GetOwn() == 0)
    {
        good = Print(flows, results);
    }
    End();
    return good ? 0 : 1;
}
