/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "../iwarp-test.h"

#include "ns3/boolean.h"
#include "ns3/config.h"
#include "ns3/iwarp-qualified-name.h"
#include "ns3/iwarp-scenario.h"
#include "ns3/iwarp-scoped-settings.h"
#include "ns3/mpa-stream.h"
#include "ns3/path-random-impairment.h"
#include "ns3/pointer.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <utility>
#include <vector>

using namespace ns3;

namespace
{

/// The suite.
IWARP_TEST_SUITE(iwarpParameter, "iwarp-parameter");

using Settings = std::map<std::string, std::string>; //!< parameters and values
using Results = std::map<std::string, double>;       //!< metrics

/// @param attribute qualified name @return its default as text
std::string
GetDefault(const std::string& attribute)
{
    IwarpParameter parameter;
    IwarpScenario::FindParameter(attribute, parameter);
    return parameter.initial;
}

/**
 * Attributes are found by qualified names, whatever their form, and what is wrong is said in a line
 * that names what is near.
 */
IWARP_TEST(iwarpParameter, "Names of attributes")
{
    for (const auto* name : {"MpaStream.SilentDrop",
                             "ns3::MpaStream.SilentDrop",
                             "ns3::MpaStream::SilentDrop",
                             "MpaStream::SilentDrop"})
    {
        iwarp::QualifiedAttribute found;
        NS_TEST_EXPECT_MSG_EQ(iwarp::FindAttribute(name, found), "", name);
        NS_TEST_EXPECT_MSG_EQ(found.GetName(), "MpaStream.SilentDrop", name);
    }
    for (const auto& [name, value, part] : std::vector<std::array<std::string, 3>>{
             {"Marker", "true", "Markers"},
             {"Xyzzy", "1", "there are Topology"},
             {"MpaStream.SilentDorp", "true", "did you mean SilentDrop"},
             {"MpaStraem.SilentDrop", "true", "did you mean MpaStream"},
             {"MpaTcpSocket.MinRto", "1s", "TcpSocketBase.MinRto"},
             {"RdmaBulkClient.Remote", "10.0.0.1", "cannot be given as text"},
             {"MpaStream.SilentDrop", "maybe", "true or false"},
             {"TcpSocketBase.MinRto", "-1s", "0 or more"},
             {"TcpSocketBase.ReTxThreshold", "3x", "ReTxThreshold"},
             {"TcpSocketBase.ReTxThreshold", "99999999999999999999", "ReTxThreshold"},
             {"TcpL4Protocol.SocketType", "ns3::TcpMagic", "the name of a class"},
             {"PathRandomImpairment.HoldTime", "ns3::Magic[Max=1]", "an object"},
             {"PathRandomImpairment.HoldTime", "ns3::UniformRandomVariable[Most=1]", "object"},
             {"PathRandomImpairment.HoldTime", "ns3::UniformRandomVariable[Max=x]", "object"},
             {"Rnic.RxTcp.TimePerPackt", "1us", "did you mean Rnic.RxTcp.TimePerPacket"},
             {"a.b.c", "1", "no class"},
             {".", "1", "no class"},
             {"::", "1", "no class"}})
    {
        const auto problem = CreateObject<IwarpScenario>()->SetParameter(name, value);
        NS_TEST_EXPECT_MSG_NE(problem.find(part), std::string::npos, name << ": " << problem);
        NS_TEST_EXPECT_MSG_EQ(problem.find('\n'), std::string::npos, "one line");
    }
    // each name that is listed is found again under itself, and has help
    for (const auto& list :
         {IwarpScenario::ListParameters(), IwarpScenario::ListQualifiedParameters()})
    {
        for (const auto& parameter : list)
        {
            IwarpParameter found;
            NS_TEST_EXPECT_MSG_EQ(IwarpScenario::FindParameter(parameter.name, found),
                                  "",
                                  parameter.name);
            const bool same = found.name == parameter.name || found.target == parameter.name;
            NS_TEST_EXPECT_MSG_EQ(same, true, parameter.name << " is " << found.name);
            NS_TEST_EXPECT_MSG_EQ(parameter.help.empty(), false, parameter.name);
        }
    }
    NS_TEST_EXPECT_MSG_EQ(IwarpScenario::ListQualifiedParameters("minrto").size(), 1, "ns-3's");
}

/// Defaults hold as long as ScopedSettings lives, and an object given as text is each one's own.
IWARP_TEST(iwarpParameter, "Defaults for a time")
{
    const std::string before = GetDefault("MpaStream.SilentDrop");
    {
        iwarp::ScopedSettings settings;
        settings.SetDefault("MpaStream.SilentDrop", BooleanValue(true));
        settings.SetDefault("MpaStream.SilentDrop", StringValue("false"));
        settings.SetDefault("MpaStream.SilentDrop", StringValue("true"));
        NS_TEST_EXPECT_MSG_EQ(GetDefault("MpaStream.SilentDrop"), "true", "the last one");
        BooleanValue value;
        CreateObject<MpaStream>()->GetAttribute("SilentDrop", value);
        NS_TEST_EXPECT_MSG_EQ(value.Get(), true, "a new object has it");

        settings.SetDefault("PathRandomImpairment.HoldTime",
                            StringValue("ns3::ConstantRandomVariable[Constant=3]"));
        PointerValue first;
        PointerValue second;
        CreateObject<PathRandomImpairment>()->GetAttribute("HoldTime", first);
        CreateObject<PathRandomImpairment>()->GetAttribute("HoldTime", second);
        const auto times = first.Get<RandomVariableStream>();
        NS_TEST_EXPECT_MSG_EQ(times->GetValue(), 3, "as the text says");
        NS_TEST_EXPECT_MSG_EQ((times == second.Get<RandomVariableStream>()), false, "its own");
    }
    NS_TEST_EXPECT_MSG_EQ(GetDefault("MpaStream.SilentDrop"), before, "as it was");
}

/// Attributes of other classes take effect in a run, by short and by qualified names.
struct EffectTest : TestCase
{
    using TestCase::TestCase;

    /// @param settings of a scenario @param [out] problem why it failed @return metrics
    static Results Run(const Settings& settings, std::string& problem)
    {
        Ptr<IwarpScenario> scenario = CreateObject<IwarpScenario>();
        scenario->SetParameter("PlainTcp", "false");
        scenario->SetParameter("Octets", "200000");
        for (const auto& [name, value] : settings)
        {
            problem = scenario->SetParameter(name, value);
            if (!problem.empty())
            {
                return {};
            }
        }
        scenario->Run();
        problem = scenario->GetError();
        Results results;
        for (const auto& metric : scenario->GetMetrics())
        {
            results[metric.name] = metric.value;
        }
        return results;
    }

    /// @param settings of a scenario @return metrics
    Results Run(const Settings& settings)
    {
        std::string problem;
        Results results = Run(settings, problem);
        NS_TEST_EXPECT_MSG_EQ(problem, "", settings.begin()->first);
        return results;
    }

    /// @param settings that fail @param part of the reason
    void Fail(const Settings& settings, const std::string& part)
    {
        std::string problem;
        Run(settings, problem);
        NS_TEST_EXPECT_MSG_NE(problem.find(part), std::string::npos, part << ": " << problem);
    }
};

/// Defaults of a part's class hold for the scenario's attribute, unless that has one of its own.
IWARP_TEST(iwarpParameter, "Defaults of parts")
{
    const auto seed = [] {
        UintegerValue value;
        CreateObject<IwarpScenario>()->GetAttribute("Seed", value);
        return value.Get();
    };
    NS_TEST_EXPECT_MSG_EQ(seed(), 1, "that of ns-3");
    Config::SetDefault("ns3::IwarpRunPart::Seed", UintegerValue(7));
    NS_TEST_EXPECT_MSG_EQ(seed(), 7, "of the part");
    Config::SetDefault("ns3::IwarpScenario::Seed", UintegerValue(9));
    NS_TEST_EXPECT_MSG_EQ(seed(), 9, "of the scenario");
    Config::SetDefault("ns3::IwarpScenario::Seed", UintegerValue(1));
    Config::SetDefault("ns3::IwarpRunPart::Seed", UintegerValue(1));
    NS_TEST_EXPECT_MSG_EQ(seed(), 1, "and back");
}

/// What is to stand between routers is refused where no flow crosses a link between them.
IWARP_TEST(iwarpParameter, "Places that no flow passes", EffectTest)
{
    for (const auto& [place, settings] : std::vector<std::pair<std::string, Settings>>{
             {"LinkSchedulePlace", {{"LinkSchedule", "1ms:rate=1Gbps"}}},
             {"ImpairmentPlace", {{"Loss", "0.1"}, {"ImpairmentPlace", "core"}}},
             {"MiddleboxPlace", {{"Middlebox", "resegmenting"}}}})
    {
        auto star = settings;
        star["Topology"] = "star";
        Fail(star, place + ": no flow crosses a link between routers");
        Run(settings);
        star[place] = "receiver";
        Run(star);
    }
}

/// What neither the run's topology nor its workload has is set in vain, and a caution says so.
IWARP_TEST(iwarpParameter, "Attributes that have no effect")
{
    const std::string none = ": no effect, as ";
    for (const auto& [kind, name, attribute, said] : std::vector<std::array<std::string, 4>>{
             {"Topology", "star", "Leaves", "Leaves" + none + "IwarpStarTopology"},
             {"Topology", "leaf-spine", "Leaves", ""},
             {"Topology", "leaf-spine", "Mtu", ""},
             {"Workload", "tls", "MessageLimit", "MessageLimit" + none + "IwarpTlsWorkload"},
             {"Workload",
              "rdma-read",
              "MessageLimit",
              "MessageLimit: no effect with ArrivalWindow=0"},
             {"Workload", "tls", "Octets", ""}})
    {
        const auto scenario = CreateObject<IwarpScenario>();
        const std::string value = attribute == "Leaves" ? "3" : "4000";
        scenario->SetParameter("Octets", "20000");
        scenario->SetParameter(kind, name);
        NS_TEST_EXPECT_MSG_EQ(scenario->SetParameter(attribute, value), "", attribute);
        NS_TEST_EXPECT_MSG_EQ(scenario->Run(), true, scenario->GetError());
        const auto& cautions = scenario->GetCautions();
        const std::string caution = cautions.empty() ? "" : cautions.front();
        NS_TEST_EXPECT_MSG_EQ(caution.substr(0, said.size()), said, attribute << " of " << name);
        NS_TEST_EXPECT_MSG_EQ(cautions.size(), (said.empty() ? 0 : 1), attribute);
    }
}

/// What another parameter sets aside is set in vain: the run is the same without it, and a caution
/// says so; where it is in use none does.
IWARP_TEST(iwarpParameter, "Attributes that another sets aside")
{
    struct Row
    {
        const char* name;  //!< parameter
        const char* value; //!< other than its default
        const char* by;    //!< parameter that sets it aside, as it does by default
        const char* use;   //!< value of that with which it is in use
        Settings base;     //!< what both need
    };

    const std::string window = "ns3::ConstantRandomVariable[Constant=0.0002]";
    const Settings open{{"Workload", "rdma-write"}, {"Load", "0.2"}, {"PlainTcp", "false"}};
    Settings arriving = open;
    arriving["ArrivalWindow"] = "1ms";
    Settings pooled = arriving;
    pooled["Flows"] = "4";
    for (const auto& row : std::vector<Row>{
             {"CrossFlows", "2", "CrossTraffic", "udp", {}},
             {"CrossRate", "2Gbps", "CrossTraffic", "udp", {}},
             {"CrossDirection", "both", "CrossTraffic", "tcp", {}},
             {"CrossCongestionControl", "TcpNewReno", "CrossTraffic", "tcp", {}},
             {"Cipher", "chacha20-poly1305", "Ipsec", "tunnel", {}},
             {"KeyExchange", "true", "Ipsec", "transport", {}},
             {"ReplayWindow", "128", "Ipsec", "gateway", {}},
             {"AssociationPackets", "100000", "Ipsec", "transport", {}},
             {"IncastSenders", "2", "Pattern", "incast", {{"Topology", "star"}, {"Flows", "2"}}},
             {"MiddleboxPlace", "sender", "Middlebox", "resegmenting", {}},
             {"LinkSchedulePlace", "sender", "LinkSchedule", "1ms:rate=1Gbps", {}},
             {"MarkingThreshold", "20p", "QueueDisc", "threshold", {}},
             {"EcnMarking", "false", "QueueDisc", "red", {}},
             {"PfcXon", "20000", "PfcXoff", "40000", {}},
             {"BufferAlpha", "0.5", "BufferSize", "200000", {}},
             {"BufferReserve", "3000", "BufferSize", "200000", {}},
             {"ArrivalSigma", "2", "Arrivals", "lognormal", arriving},
             {"Bursts", window.c_str(), "Arrivals", "on-off", arriving},
             {"PoolGrows", "false", "Connections", "pool", pooled},
             {"ArrivalSource", "network", "ArrivalWindow", "1ms", open}})
    {
        const auto said = [&](const Settings& settings) {
            const auto scenario = CreateObject<IwarpScenario>();
            scenario->SetParameter("Octets", "20000");
            for (const auto& [name, value] : settings)
            {
                NS_TEST_EXPECT_MSG_EQ(scenario->SetParameter(name, value), "", name);
            }
            NS_TEST_EXPECT_MSG_EQ(scenario->Run(), true, row.name << scenario->GetError());
            Results results;
            for (const auto& metric : scenario->GetMetrics())
            {
                results[metric.name] = metric.value;
            }
            const std::string begin = std::string(row.name) + ": no effect with " + row.by + "=";
            const auto& cautions = scenario->GetCautions();
            const auto count =
                std::count_if(cautions.begin(), cautions.end(), [&](const auto& one) {
                    return one.compare(0, begin.size(), begin) == 0;
                });
            return std::make_pair(count, results);
        };
        const auto without = said(row.base);
        Settings settings = row.base;
        settings[row.name] = row.value;
        const auto vain = said(settings);
        NS_TEST_EXPECT_MSG_EQ(without.first, 0, row.name << " is not set");
        NS_TEST_EXPECT_MSG_EQ(vain.first, 1, row.name << " is set in vain");
        NS_TEST_EXPECT_MSG_EQ((vain.second == without.second), true, row.name << " does nothing");
        settings[row.by] = row.use;
        NS_TEST_EXPECT_MSG_EQ(said(settings).first, 0, row.name << " is in use");
    }
}

IWARP_TEST(iwarpParameter, "Attributes of other classes in a run", EffectTest)
{
    const Settings lossy{{"Loss", "0.02"}, {"Reordering", "0.05"}, {"Duplication", "0.02"}};
    const auto with = [&lossy](const std::string& name, const std::string& value) {
        Settings settings = lossy;
        settings[name] = value;
        return settings;
    };
    for (const auto& [name, target, value] : std::vector<std::array<std::string, 3>>{
             {"Markers", "MpaStream.Markers", "false"},
             {"Timestamps", "TcpSocketBase.Timestamp", "false"},
             {"Mtu", "IwarpTopology.Mtu", "4000"},
             {"Octets", "IwarpMessageWorkload.Octets", "300000"},
             {"Flows", "IwarpScenario.Flows", "2"},
             {"CongestionControl", "TcpL4Protocol.SocketType", "ns3::TcpNewReno"}})
    {
        const auto results = Run(with(name, value));
        NS_TEST_EXPECT_MSG_EQ((results == Run(with(target, value))), true, target);
        NS_TEST_EXPECT_MSG_EQ((results == Run(lossy)), false, name << " has an effect");
    }
    NS_TEST_EXPECT_MSG_EQ((Run(with("PathRandomImpairment.HoldTime",
                                    "ns3::ConstantRandomVariable[Constant=0.0001]")) == Run(lossy)),
                          false,
                          "an object as text");
    // messages of an FPDU that fills a segment, which 20 octets of overhead make smaller
    const uint32_t payload = 1500 - 20 - 20 - 12 - 20 - 2 - 4 - 14;
    const auto shorter = Run({{"MpaTcpSocket.PathOverhead", "20"},
                              {"Markers", "false"},
                              {"MessageSizes", "fixed:" + std::to_string(payload)},
                              {"Octets", std::to_string(100 * payload)}});
    NS_TEST_EXPECT_MSG_EQ(shorter.at("segments_sent"), 101, "one each, and one of startup");
    NS_TEST_EXPECT_MSG_EQ(shorter.at("fpdus_sent"), 100, "one FPDU each");

    // what two parameters set, and what a workload sets on its applications
    Fail({{"CongestionControl", "TcpBbr"}, {"TcpL4Protocol.SocketType", "ns3::TcpBbr"}},
         "give one of them");
    Fail({{"ReorderingDelay", "1us"},
          {"PathRandomImpairment.HoldTime", "ns3::ConstantRandomVariable[Constant=1]"}},
         "give one of them");
    Fail({{"Workload", "send"}, {"RdmaBulkClient.QueueDepth", "3"}}, "the workload sets it");
    Run({{"Workload", "send"}, {"RdmaBulkServer.Receives", "8"}});
    Run({{"Workload", "mpa"}, {"RdmaBulkClient.QueueDepth", "3"}});
}

} // namespace
