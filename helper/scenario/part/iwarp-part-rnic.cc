/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "iwarp-part-rnic.h"

#include "iwarp-part-ipsec.h"

#include "ns3/ipsec-stack.h"
#include "ns3/iwarp-esp-collector.h"
#include "ns3/iwarp-rnic-collector.h"
#include "ns3/iwarp-scenario-network.h"
#include "ns3/iwarp-scenario-parts.h"
#include "ns3/iwarp-scenario-rnic.h"
#include "ns3/rnic-buffer-formulas.h"
#include "ns3/rnic-datapath.h"
#include "ns3/rnic-esp-profile.h"
#include "ns3/rnic-profile.h"
#include "ns3/string.h"

#include <map>
#include <set>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(IwarpRnicPart);

namespace
{

const iwarp::MetricDeclarations g_bufferMetrics{std::vector<MetricInfo>{
    {"emss", "octets", "Payload of a full segment", MetricMerge::RUN},
    {"buffer_size_tcp",
     "octets",
     "BufferSizeTCP of RFC 5044 section B.2 with K = 1",
     MetricMerge::RUN},
    {"buffer_size_naf",
     "octets",
     "BufferSizeNAF of a receiving RNIC (RFC 5044 section B.2), with K1 = K2 = 1",
     MetricMerge::RUN},
    {"buffer_size_af",
     "octets",
     "BufferSizeAF of a receiving RNIC (RFC 5044 section B.2), with K2 = 1",
     MetricMerge::RUN},
}};

/// Reports what RFC 5044 section B.2 says of the buffers of receiving RNICs.
class BufferFormulas : public iwarp::Collector
{
  public:
    /// @param network with its flows
    explicit BufferFormulas(const iwarp::ScenarioNetwork& network)
        : m_roundTrip(network.GetRoundTrip()),
          m_connections(network.GetMostFlows()),
          m_emss(network.GetParts().GetEmss()),
          m_rate(network.GetParts().GetTopology()->GetBottleneckRate())
    {
    }

    void Report(iwarp::MetricSet& metrics, const Period& /* period */) override
    {
        metrics.Add("emss", m_emss);
        metrics.Add("buffer_size_tcp", rnic::BufferSizeTcp(m_rate, m_roundTrip, 1));
        metrics.Add("buffer_size_naf", rnic::BufferSizeNaf(m_emss, m_connections, 1, 1));
        metrics.Add("buffer_size_af", rnic::BufferSizeAf(m_emss, 1));
    }

    void Share(iwarp::RankLedger& /* ledger */) override
    {
        // all ranks know it
    }

  private:
    Time m_roundTrip;       //!< longest
    uint32_t m_connections; //!< most flows of a host
    uint32_t m_emss;        //!< octets
    DataRate m_rate;        //!< of the bottleneck
};

} // namespace

TypeId
IwarpRnicPart::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::IwarpRnicPart")
            .SetParent<IwarpScenarioPart>()
            .SetGroupName("Iwarp")
            .AddConstructor<IwarpRnicPart>()
            .AddAttribute("Rnic",
                          "RNIC of each host: none, or a profile; Rnic.… sets its attributes",
                          StringValue("none"),
                          MakeStringAccessor(&IwarpRnicPart::m_profile),
                          MakeStringChecker())
            .AddAttribute("EspEngine",
                          "What does ESP at each node that protects by IPsec: none, which takes no "
                          "time; inline, lookaside or software, which take what EspEngine.… says; "
                          "or a profile",
                          StringValue("none"),
                          MakeStringAccessor(&IwarpRnicPart::m_engine),
                          MakeStringChecker());
    return tid;
}

IwarpRnicPart::IwarpRnicPart() = default;
IwarpRnicPart::~IwarpRnicPart() = default;

bool
IwarpRnicPart::IsIdle() const
{
    return m_profile == "none" && m_engine == "none";
}

std::vector<std::string>
IwarpRnicPart::ListNames(const std::string& attribute) const
{
    std::vector<std::string> names;
    if (attribute == "Rnic" || attribute == "EspEngine")
    {
        names = attribute == "Rnic" ? RnicProfile::GetNames() : RnicEspProfile::GetNames();
        names.emplace(names.begin(), "none");
    }
    return names;
}

std::unique_ptr<RnicHelper>
IwarpRnicPart::MakeHelper(const iwarp::ScenarioParts& parts, std::string& problem) const
{
    const bool atHosts = parts.Get<IwarpIpsecPart>()->IsAtHosts();
    return iwarp::MakeRnicHelper(m_profile,
                                 atHosts ? m_engine : "none",
                                 parts.GetSetup().settings,
                                 problem);
}

std::string
IwarpRnicPart::CheckWith(const iwarp::ScenarioParts& parts) const
{
    std::string problem;
    iwarp::MakeEspHelper(m_engine, parts.GetSetup().settings, problem);
    if (!problem.empty())
    {
        return problem;
    }
    const auto helper = MakeHelper(parts, problem);
    if (!helper)
    {
        return problem;
    }
    const uint64_t packets = 2 * uint64_t{parts.GetMtu()};
    const std::set<std::string> memories{"ReassemblyMemory.Capacity",
                                         "ReassemblyMemory.PerConnection",
                                         "PacketBuffer.Capacity"};
    for (const auto& setting : helper->GetSettings())
    {
        const uint64_t octets = memories.count(setting.path) > 0 ? std::stoull(setting.value) : 0;
        if (octets > 0 && octets < packets)
        {
            return "Rnic." + setting.path + ": 0, or at least two packets of Mtu octets";
        }
    }
    return "";
}

std::string
IwarpRnicPart::CheckRanks(const iwarp::ScenarioParts& /* parts */) const
{
    return m_engine == "none"
               ? ""
               : "EspEngine: what engines of ESP count is not shared out to ranks; set it to none";
}

void
IwarpRnicPart::Install(iwarp::ScenarioNetwork& network) const
{
    if (!network.IsPlainTcp() && m_profile != "none")
    {
        InstallRnics(network);
    }
    if (m_engine == "none")
    {
        return;
    }
    InstallEsp(network);
    if (m_engine != "inline" && network.GetParts().Get<IwarpIpsecPart>()->IsIdle())
    { // inline takes no time, so nobody misses it
        network.AddCaution("EspEngine, Ipsec: there is no ESP, so the engine does nothing; Ipsec "
                           "says where there is some");
    }
}

void
IwarpRnicPart::InstallRnics(iwarp::ScenarioNetwork& network) const
{
    std::string problem;
    const auto helper = MakeHelper(network.GetParts(), problem);
    NS_ABORT_MSG_UNLESS(problem.empty(), problem);
    auto collector = Create<iwarp::RnicCollector>();
    std::map<uint32_t, Ptr<Rnic>> rnics;
    for (const auto& host : network.GetFlowHosts())
    {
        const Ptr<Rnic> rnic = helper->Install(network.GetNetwork().GetHost(host.index));
        rnics.emplace(host.index, rnic);
        if (host.receives)
        {
            collector->Attach(rnic);
        }
    }
    using Section = iwarp::ScenarioNetwork::Section;
    network.AddCollector(Section::HOSTS, collector);
    network.AddCollector(Section::HOSTS, Create<BufferFormulas>(network));
    network.SetHostBounds([rnics](uint32_t host) {
        auto& path = rnics.at(host)->GetDatapath();
        return iwarp::RateBounds::Host{path.GetHost().GetDataRate(false),
                                       path.GetHost().GetDataRate(true),
                                       path.GetQueuePairs().GetMessageRate()};
    });
}

void
IwarpRnicPart::InstallEsp(iwarp::ScenarioNetwork& network) const
{
    std::string problem;
    const auto helper =
        iwarp::MakeEspHelper(m_engine, network.GetParts().GetSetup().settings, problem);
    NS_ABORT_MSG_UNLESS(problem.empty(), problem);
    const IwarpNetwork& links = network.GetNetwork();
    NodeContainer nodes;
    for (const auto& host : network.GetFlowHosts())
    {
        nodes.Add(links.GetHost(host.index));
    }
    for (uint32_t i = 0; i < links.GetNRouters(); ++i)
    {
        nodes.Add(links.GetRouter(i));
    }
    std::vector<RnicDatapath*> paths;
    std::vector<Ptr<RnicEspEngine>> engines;
    for (auto node = nodes.Begin(); node != nodes.End(); ++node)
    {
        if (!(*node)->GetObject<IpsecStack>())
        {
            continue;
        }
        if (const auto rnic = (*node)->GetObject<Rnic>())
        {
            paths.push_back(&rnic->GetDatapath());
            continue;
        }
        engines.push_back(helper->InstallEspEngine(*node));
        paths.push_back(&engines.back()->GetDatapath());
    }
    network.AddCollector(iwarp::ScenarioNetwork::Section::HOSTS,
                         Create<iwarp::EspCollector>(paths));
    network.AddStreams("ESP engines", [engines](int64_t first) {
        int64_t next = first;
        for (const auto& engine : engines)
        {
            next += engine->AssignStreams(next);
        }
        return next - first;
    });
}

} // namespace ns3
