/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

/**
 * @file
 * @ingroup iwarp-bench
 * Figures of the RNIC profiles: what two adapters of each do over a link, how each figure is known,
 * and what it is worth. Tables for doc/rnic.rst, as comma-separated values.
 */

#include "ns3/abort.h"
#include "ns3/address.h"
#include "ns3/command-line.h"
#include "ns3/iwarp-network.h"
#include "ns3/iwarp-scenario.h"
#include "ns3/nstime.h"
#include "ns3/rdma-bulk-client.h"
#include "ns3/rdma-bulk-server.h"
#include "ns3/rnic-design.h"
#include "ns3/rnic-esp-profile.h"
#include "ns3/rnic-figure-range.h"
#include "ns3/rnic-helper.h"
#include "ns3/rnic-profile.h"
#include "ns3/rnic-tcp-profile.h"
#include "ns3/rnic.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <cstdio>
#include <iostream>
#include <string>
#include <utility>
#include <vector>

using namespace ns3;

namespace
{

/// What a profile does.
struct Figures
{
    double latency; //!< of a 64-octet RDMA Write, us
    double rate;    //!< of 64-octet RDMA Writes, million a second
    double one;     //!< one connection, Gb/s
    double eight;   //!< eight, Gb/s
    double other;   //!< eight that are not aligned, Gb/s
};

using Settings = std::vector<std::pair<std::string, std::string>>; //!< parameters and values

/// Simulate two hosts with one link between them; the dumbbell's other links are so fast that they
/// do not count.
/// @param settings of the scenario @param metric wanted @return its value
double
Simulate(const Settings& settings, const std::string& metric)
{
    Ptr<IwarpScenario> scenario = CreateObject<IwarpScenario>();
    Settings all{{"HostPairs", "1"},
                 {"PlainTcp", "false"},
                 {"Markers", "false"},
                 {"Delay", "0us"},
                 {"AccessDelay", "0us"},
                 {"StartSpread", "0us"},
                 {"QueueSize", "200000p"},
                 {"LinkRate", "10000Gbps"}};
    all.insert(all.end(), settings.begin(), settings.end());
    for (const auto& [name, value] : all)
    {
        const std::string problem = scenario->SetParameter(name, value);
        NS_ABORT_MSG_UNLESS(problem.empty(), problem);
    }
    NS_ABORT_MSG_UNLESS(scenario->Run(), scenario->GetError());
    for (const auto& found : scenario->GetMetrics())
    {
        if (found.name == metric)
        {
            return found.value;
        }
    }
    NS_ABORT_MSG("a run does not measure " << metric);
}

/// @param profile of RNICs @param link rate @param changed figure of theirs, as a parameter
/// @return what they do
Figures
Measure(const std::string& profile, const std::string& link, const Settings& changed = {})
{
    auto run = [&](Settings settings, const std::string& metric) {
        settings.emplace_back("Rnic", profile);
        settings.insert(settings.end(), changed.begin(), changed.end());
        return Simulate(settings, metric);
    };
    auto writes = [&](const Settings& settings) {
        Settings all{{"Workload", "perf"}, {"PerfSize", "64"}};
        all.insert(all.end(), settings.begin(), settings.end());
        return all;
    };
    // what waits in an RNIC waits in windows that its packet buffer has room for
    auto bulk = [&](const std::string& flows, const std::string& aligned) {
        return Settings{{"Workload", "rdma-write"},
                        {"MessageSizes", "fixed:65536"},
                        {"AccessRate", link},
                        {"Flows", flows},
                        {"Octets", flows == "1" ? "20000000" : "2500000"},
                        {"ReceiveBuffer", flows == "1" ? "262144" : "32768"},
                        {"ReceiveWindow", "Retired"},
                        {"Alignment", aligned}};
    };
    return {1e6 * run(writes({{"PerfTest", "write_lat"},
                              {"PerfIterations", "50"},
                              {"LinkRate", link},
                              {"AccessRate", "10000Gbps"}}),
                      "perf_t_typical"),
            1e-6 * run(writes({{"PerfTest", "write_bw"},
                               {"PerfIterations", "5000"},
                               {"QueueDepth", "128"},
                               {"AccessRate", link}}),
                       "perf_msg_rate"),
            1e-9 * run(bulk("1", "true"), "goodput"),
            1e-9 * run(bulk("8", "true"), "goodput"),
            1e-9 * run(bulk("8", "false"), "goodput")};
}

/// Make a figure worse: times twice as long, rates and counts half as large.
/// @param profile of RNICs @param figure of theirs @return its new value, or nothing if it is
/// neither, or a count that has no half
std::string
Worsen(const std::string& profile, const RnicFigure& figure)
{
    TypeId::AttributeInformation info;
    RnicProfile::GetDesign(profile).Find(figure.path, info);
    const auto value = info.checker->CreateValidValue(StringValue(figure.value));
    if (const auto time = DynamicCast<TimeValue>(value))
    {
        return TimeValue(time->Get() + time->Get()).SerializeToString(info.checker);
    }
    if (const auto rate = DynamicCast<DataRateValue>(value))
    {
        const DataRate half(rate->Get().GetBitRate() / 2);
        return DataRateValue(half).SerializeToString(info.checker);
    }
    if (const auto count = DynamicCast<UintegerValue>(value))
    {
        return count->Get() < 2 ? ""
                                : UintegerValue(count->Get() / 2).SerializeToString(info.checker);
    }
    return "";
}

/// For how long small messages are in an RNIC before they leave it.
struct Stay
{
    uint64_t count{0}; //!< messages
    double sum{0};     //!< us
    double least{1e9}; //!< us
    double most{0};    //!< us
};

/// Trace Transmit of an RNIC: count frames with a message of 40 octets. @param stay where
/// @param flow its key @param frame octets @param delay in the RNIC
void
Count(Stay* stay, uint64_t /* flow */, uint32_t frame, Time delay)
{
    constexpr uint32_t SMALL = 130; // 60 of FPDU, 52 of TCP and IP, 18 of Ethernet
    if (frame == SMALL)
    {
        const double us = delay.ToDouble(Time::US);
        stay->count++;
        stay->sum += us;
        stay->least = std::min(stay->least, us);
        stay->most = std::max(stay->most, us);
    }
}

/// Have a client send RDMA Writes to a server. @param network of two hosts @param port of the
/// server @param size octets of a message @param interval s between two
void
AddWrites(IwarpNetwork& network, uint16_t port, uint32_t size, const std::string& interval)
{
    const auto always = [](const std::string& value) {
        return StringValue("ns3::ConstantRandomVariable[Constant=" + value + "]");
    };
    const auto server = CreateObject<RdmaBulkServer>();
    server->SetAttribute("Local", AddressValue(network.GetAnySocketAddress(port)));
    network.GetHost(1)->AddApplication(server);
    const auto client = CreateObject<RdmaBulkClient>();
    client->SetAttribute("Remote", AddressValue(network.GetHostSocketAddress(1, port)));
    client->SetAttribute("Operation", StringValue("Write"));
    client->SetAttribute("MessageSizes", always(std::to_string(size)));
    client->SetAttribute("Intervals", always(interval));
    client->AssignStreams(10 * port);
    client->SetStartTime(MilliSeconds(1));
    network.GetHost(0)->AddApplication(client);
}

/// Send a message of 40 octets, which comes with its doorbell, every 17.3 us, beside queue pairs
/// that always have messages whose payload is read.
/// @param profile of RNICs @param link rate @param discipline of TxSchedule
/// @param others queue pairs besides @param size octets of their messages @return what was seen
Stay
Watch(const std::string& profile,
      const std::string& link,
      const std::string& discipline,
      uint16_t others,
      uint32_t size)
{
    IwarpNetwork network;
    network.AddHosts({DataRate(link), MicroSeconds(1)});
    network.InstallRoutes();
    RnicHelper helper(profile);
    helper.Set("TxSchedule.Discipline", StringValue(discipline));
    const Ptr<Rnic> rnic = helper.Install(network.GetHost(0));
    helper.Install(network.GetHost(1));
    Stay stay;
    rnic->TraceConnectWithoutContext("Transmit", MakeBoundCallback(&Count, &stay));
    AddWrites(network, 5000, 40, "17.3e-6");
    for (uint16_t other = 1; other <= others; other++)
    {
        AddWrites(network, 5000 + other, size, "1e-9");
    }
    Simulator::Stop(MilliSeconds(3));
    Simulator::Run();
    Simulator::Destroy();
    NS_ABORT_MSG_UNLESS(stay.count > 0, "no message of 40 octets was sent");
    return stay;
}

/// List what a small message waits for beside others. @param profile of RNICs @param link rate
void
PrintWaits(const std::string& profile, const std::string& link)
{
    const double alone = Watch(profile, link, "Fifo", 0, 0).least;
    const std::vector<std::pair<uint16_t, uint32_t>> cases{{1, 1024},
                                                           {1, 4096},
                                                           {1, 16384},
                                                           {1, 65536},
                                                           {8, 4096},
                                                           {8, 65536}};
    for (const auto& [others, size] : cases)
    {
        std::printf("%s,%s,%u,%u,%.2f us", profile.c_str(), link.c_str(), others, size, alone);
        for (const char* discipline : {"Fifo", "RoundRobin"})
        {
            const Stay stay = Watch(profile, link, discipline, others, size);
            const double mean = stay.sum / static_cast<double>(stay.count);
            std::printf(",%.2f us,%.2f us", mean - alone, stay.most - alone);
        }
        std::printf("\n");
    }
}

/// List figures, with how they are known. @param profile that has them @param figures its figures
void
Print(const std::string& profile, const std::vector<RnicFigure>& figures)
{
    for (const auto& figure : figures)
    {
        const RnicFigureRange range = GetPlausibleRange(figure);
        std::printf("%s,%s,%s,%s,%s,%s,\"%s\"\n",
                    profile.c_str(),
                    figure.path.c_str(),
                    figure.value.c_str(),
                    range.low.c_str(),
                    range.high.c_str(),
                    RnicProfile::ToString(figure.sure).c_str(),
                    figure.source.c_str());
    }
}

/// @param now changed @param before unchanged @return change as text
std::string
Change(double now, double before)
{
    char text[32];
    std::snprintf(text, sizeof(text), "%+.1f %%", 100 * (now / before - 1));
    return std::string(text) == "-0.0 %" ? "+0.0 %" : text;
}

} // namespace

int
main(int argc, char* argv[])
{
    std::string table = "profiles";
    CommandLine cmd(__FILE__);
    cmd.AddValue("table", "profiles, figures, esp, tcp, sensitivity or waits", table);
    cmd.Parse(argc, argv);
    const std::vector<std::pair<std::string, std::string>> profiles{{"t5-like", "40Gbps"},
                                                                    {"e810-like", "100Gbps"},
                                                                    {"siw-like", "40Gbps"}};
    if (table == "profiles")
    {
        std::printf("profile,link,latency of 64 octets,64-octet writes,one connection,"
                    "8 connections,8 not aligned\n");
        for (const auto& [profile, link] : profiles)
        {
            const Figures f = Measure(profile, link);
            std::printf("%s,%s,%.2f us,%.2f M/s,%.1f Gb/s,%.1f Gb/s,%.1f Gb/s\n",
                        profile.c_str(),
                        link.c_str(),
                        f.latency,
                        f.rate,
                        f.one,
                        f.eight,
                        f.other);
        }
    }
    else if (table == "figures")
    {
        std::printf("profile,attribute,value,low,high,known,source\n");
        for (const auto& profile : RnicProfile::GetNames())
        {
            Print(profile, RnicProfile::Get(profile));
        }
    }
    else if (table == "esp")
    {
        std::printf("profile,attribute,value,low,high,known,source\n");
        for (const auto& profile : RnicEspProfile::GetNames())
        {
            Print(profile, RnicEspProfile::Get(profile));
        }
        Print("key exchange", RnicEspProfile::GetKeyExchange());
    }
    else if (table == "tcp")
    {
        std::printf("profile,attribute,value,low,high,known,source\n");
        for (const auto& profile : RnicTcpProfile::GetNames())
        {
            Print(profile, RnicTcpProfile::Get(profile));
        }
    }
    else if (table == "sensitivity")
    {
        std::printf("profile,attribute,latency of 64 octets,64-octet writes,one connection,"
                    "8 connections,8 not aligned\n");
        for (const auto& [profile, link] : profiles)
        {
            const Figures f = Measure(profile, link);
            for (const auto& figure : RnicProfile::Get(profile))
            {
                const std::string worse = Worsen(profile, figure);
                if (figure.sure == RnicFigure::Sure::CITED || worse.empty())
                {
                    continue;
                }
                const Figures w = Measure(profile, link, {{"Rnic." + figure.path, worse}});
                std::printf("%s,%s,%s,%s,%s,%s,%s\n",
                            profile.c_str(),
                            figure.path.c_str(),
                            Change(w.latency, f.latency).c_str(),
                            Change(w.rate, f.rate).c_str(),
                            Change(w.one, f.one).c_str(),
                            Change(w.eight, f.eight).c_str(),
                            Change(w.other, f.other).c_str());
            }
        }
    }
    else if (table == "waits")
    {
        std::printf(
            "profile,link,other queue pairs,octets of their messages,without them,Fifo: mean wait,"
            "Fifo: longest,RoundRobin: mean wait,RoundRobin: longest\n");
        PrintWaits("t5-like", "40Gbps");
        PrintWaits("e810-like", "100Gbps");
    }
    else
    {
        std::cerr << "--table is profiles, figures, esp, tcp, sensitivity or waits\n";
        return 2;
    }
    return 0;
}
