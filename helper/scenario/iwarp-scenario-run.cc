/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "iwarp-scenario-run.h"

#include "iwarp-child-process.h"
#include "iwarp-host-names.h"
#include "iwarp-scenario-rnic.h"

#include "ns3/abort.h"
#include "ns3/application.h"
#include "ns3/global-value.h"
#include "ns3/iwarp-part-network.h"
#include "ns3/iwarp-rank-ledger.h"
#include "ns3/iwarp-trace-helper.h"
#include "ns3/iwarp-workload-plain-tcp.h"
#include "ns3/node-list.h"
#include "ns3/object-factory.h"
#include "ns3/path-ranks.h"
#include "ns3/rnic.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"
#include "ns3/util-attribute-text.h"
#include "ns3/util-dary-heap-scheduler.h"

#include <algorithm>
#include <cstdlib>
#include <iomanip>
#include <limits>
#include <memory>
#include <set>
#include <sstream>
#include <stdexcept>
#include <utility>

namespace ns3
{

namespace
{

using Merge = MetricMerge;

const iwarp::MetricDeclarations g_scenarioMetrics{std::vector<MetricInfo>{
    {"duration",
     "s",
     "From the first flow's start, or the end of the warm-up, to the last message's completion; "
     "without a warm-up connecting counts",
     Merge::RUN},
    {"warm_up",
     "s",
     "From the first flow's start until all have carried WarmUp octets",
     Merge::RUN},
    {"goodput", "bit/s", "payload_octets over duration, all flows", Merge::RUN},
    {"goodput_bound",
     "bit/s",
     "Most that links and headers leave to the payload of all flows, in the directions in which "
     "goodput counts it, both with storage and nvme-tcp",
     Merge::RUN},
    {"segments_sent",
     "segments",
     "TCP segments with payload that the senders sent, the two of startup included",
     Merge::SUM},
    {"octets_on_wire",
     "octets",
     "Octets of the IP datagrams with TCP that both ends sent, acknowledgements included",
     Merge::SUM},
    {"retransmitted_octets",
     "octets",
     "Octets of TCP payload that both ends sent again",
     Merge::SUM},
    {"connections_lost",
     "connections",
     "Connections that ended before all of their messages had come; told with TolerateLost",
     Merge::SUM},
    {"events", "events", "Events that the simulator ran for the flows", Merge::RUN},
    {"round_trip", "s", "Propagation delay there and back on the longest path", Merge::RUN},
    {"plain_tcp_duration", "s", "As duration, for plain TCP", Merge::RUN},
    {"plain_tcp_warm_up", "s", "As warm_up, for plain TCP", Merge::RUN},
    {"plain_tcp_goodput", "bit/s", "As goodput, for plain TCP", Merge::RUN},
    {"plain_tcp_segments", "segments", "As segments_sent, for plain TCP", Merge::SUM},
    {"plain_tcp_octets", "octets", "As octets_on_wire, for plain TCP", Merge::SUM},
    {"plain_tcp_retransmitted_octets",
     "octets",
     "As retransmitted_octets, for plain TCP",
     Merge::SUM},
    {"plain_tcp_events", "events", "As events, for plain TCP", Merge::RUN},
}};

/// Rnic's trace source. @param totals of the flows @param delay until the host has what was placed
void
Placed(iwarp::FlowTotals* totals,
       uint64_t /* flow */,
       uint64_t /* octets */,
       Time delay,
       bool /* aligned */)
{
    totals->Delay(delay);
}

/// Have the simulator keep its events in a heap, unless SchedulerType names another scheduler than
/// ns-3's default.
void
UseHeap()
{
    StringValue chosen;
    GlobalValue::GetValueByName("SchedulerType", chosen);
    if (chosen.Get() == "ns3::MapScheduler")
    {
        // the simulator may be there already: it moves what waits
        ObjectFactory heap;
        heap.SetTypeId(DaryHeapScheduler::GetTypeId());
        Simulator::SetScheduler(heap);
    }
}

/// Have ns-3 end its account of all objects of Time, which it keeps until the first run in case the
/// resolution changes: it is a set, which each object enters and leaves.
void
FixResolution()
{
    // without an event this returns at once; in ranks the others would be waited for
    if (Simulator::IsFinished() && !ranks::IsOn())
    {
        Simulator::Run();
    }
}

} // namespace

IwarpScenarioRun::IwarpScenarioRun(const iwarp::ScenarioSetup& setup)
    : m_setup(setup),
      m_parts(setup),
      m_run(m_parts.Get<IwarpRunPart>())
{
}

std::string
IwarpScenarioRun::Run()
{
    const auto& workload = m_parts.GetWorkload();
    Pass rdma;
    Simulate(rdma, *workload, true);
    if (!rdma.fault.empty())
    {
        return rdma.fault + (rdma.error.empty() ? "" : "; " + rdma.error);
    }
    if (!rdma.error.empty())
    {
        return rdma.error;
    }
    return m_run->HasPlainTcp() ? ComparePlainTcp() : "";
}

std::string
IwarpScenarioRun::ComparePlainTcp()
{
    std::string problem;
    std::istringstream found(iwarp::RunInChild([this] { return SimulatePlainTcp(); }, problem));
    if (!problem.empty())
    {
        m_cautions.push_back("PlainTcp: no plain_tcp_ metrics, since ns-3's own TCP failed (" +
                             problem + "); all others are those of a run without it");
        return "";
    }
    std::string fault;
    std::getline(found, fault);
    for (std::string name, value; found >> name >> value;)
    {
        m_metrics.Add(name, std::strtod(value.c_str(), nullptr));
    }
    return fault.empty() ? "" : fault + ", of plain TCP";
}

std::string
IwarpScenarioRun::SimulatePlainTcp()
{
    const auto sendBuffer = static_cast<uint32_t>(
        iwarp::ScenarioParts::GetDefault<UintegerValue>("TcpSocket.SndBufSize"));
    const auto tcp = CreateObject<iwarp::PlainTcpWorkload>(*m_parts.GetWorkload(),
                                                           sendBuffer,
                                                           m_parts.GetPlainSegmentSize());
    // where there is no process to be begun, these are still needed
    auto metrics = std::exchange(m_metrics, {});
    auto cautions = m_cautions;
    Pass plain;
    Simulate(plain, *tcp, false);
    std::ostringstream found;
    found << plain.fault << '\n' << std::setprecision(std::numeric_limits<double>::max_digits10);
    for (const auto& metric : m_metrics.Get())
    {
        found << metric.name << ' ' << metric.value << '\n';
    }
    m_metrics = std::move(metrics);
    m_cautions = std::move(cautions);
    if (!plain.error.empty() && plain.fault.empty())
    {
        throw std::runtime_error(plain.error);
    }
    return found.str();
}

void
IwarpScenarioRun::Simulate(Pass& pass, IwarpWorkload& workload, bool rdma)
{
    m_parts.Restart();
    UseHeap();
    FixResolution();
    m_pass = &pass;
    m_watcher = nullptr;
    if (rdma && m_setup.traces)
    {
        m_setup.traces->Listen();
        m_watcher = m_setup.traces->GetFlowWatcher();
    }
    auto network = std::make_unique<iwarp::ScenarioNetwork>(m_parts, !rdma);
    pass.error = network->GetProblem();
    if (pass.error.empty())
    {
        if (rdma)
        {
            m_cautions = network->GetCautions();
        }
        RunOn(*network, pass, workload, rdma);
    }
    network.reset();
    Simulator::Destroy();
    m_pass = nullptr;
}

void
IwarpScenarioRun::RunOn(iwarp::ScenarioNetwork& network,
                        Pass& pass,
                        IwarpWorkload& workload,
                        bool rdma)
{
    pass.flows = static_cast<uint32_t>(network.GetFlows().size());
    pass.tolerant = rdma && m_run->ToleratesLost();
    pass.states.resize(pass.flows);
    pass.totals.journal = ranks::IsOn() ? &m_journal : nullptr;
    pass.workload = &workload;
    pass.restart = [&pass, &network, &workload] {
        pass.totals.Restart();
        workload.Restart();
        network.Restart();
    };
    InstallFlows(network, pass, workload);
    if (workload.HasStage())
    {
        BeginStage(network, pass, workload);
    }
    if (m_parts.CountPairs() > m_parts.Get<IwarpNetworkPart>()->GetFlowPairs())
    { // other traffic may be there before them
        Simulator::Schedule(pass.firstStart, [&network] { network.Begin(); });
    }
    pass.error = CheckApplications();
    network.LeaveToOthers();
    if (pass.error.empty())
    {
        RunToEnd(network, pass, rdma);
        if (ranks::IsOn() && !Share(network, pass, workload))
        {
            return;
        }
        End(pass);
    }
    if (rdma)
    {
        Report(pass, network, workload);
        const auto cautions = workload.ListCautions();
        m_cautions.insert(m_cautions.end(), cautions.begin(), cautions.end());
        if (pass.lost > 0)
        {
            m_cautions.push_back("TolerateLost: " + std::to_string(pass.lost) + " of " +
                                 std::to_string(pass.flows) +
                                 " connections ended early, the first: " + pass.lostReason);
        }
    }
    else
    {
        ReportPlainTcp(pass, network);
    }
    if (pass.error.empty())
    {
        auto bounds = network.GetRateBounds();
        bounds.SetInRnics(m_inRnics.first, m_inRnics.second);
        pass.error = bounds.Check(m_metrics.Get());
    }
    if (rdma)
    {
        m_streams = network.GetStreams().GetRanges();
    }
    pass.fault = network.FindFault();
}

void
IwarpScenarioRun::InstallFlows(const iwarp::ScenarioNetwork& network,
                               Pass& pass,
                               IwarpWorkload& workload)
{
    pass.cold = workload.GetWarmUp() > 0 ? pass.flows : 0;
    iwarp::FlowListener listener{&pass.totals,
                                 {}, // of each flow its own
                                 {},
                                 workload.GetWarmUp(),
                                 MakeCallback(&IwarpScenarioRun::Warmed, this),
                                 workload.GetMaxOctets()};
    listener.watcher = m_watcher;
    std::set<Ptr<Node>> hosts;
    uint32_t number = 0;
    for (const auto& flow : network.GetFlows())
    {
        hosts.insert({flow.sender, flow.receiver});
        listener.message = MakeCallback(&IwarpScenarioRun::Received, this).Bind(number);
        listener.failure = MakeCallback(&IwarpScenarioRun::Lost, this).Bind(number);
        if (!workload.HasStage()) // whose connections come and go
        {
            listener.flow = number;
        }
        number++;
        listener.path = workload.IsPaced() ? flow.path : nullptr;
        workload.Install(flow, listener);
    }
    for (const auto& host : hosts)
    {
        if (const auto rnic = host->GetObject<Rnic>(); rnic && !workload.CountsInHost())
        {
            rnic->TraceConnectWithoutContext("Placed", MakeBoundCallback(&Placed, &pass.totals));
        }
    }
    pass.firstStart = network.GetFirstStart();
    pass.begin = pass.firstStart;
}

void
IwarpScenarioRun::BeginStage(iwarp::ScenarioNetwork& network, Pass& pass, IwarpWorkload& workload)
{
    IwarpWorkload::Stage stage;
    stage.network = &network.GetNetwork();
    stage.add = [this, &network](uint32_t pair) {
        std::string problem;
        const auto flow = network.AddFlow(pair, problem);
        if (!problem.empty())
        {
            Failed(problem);
        }
        return flow;
    };
    stage.connect = [this, &network](uint32_t host) {
        const std::string problem = network.CountConnection(host);
        if (!problem.empty())
        {
            Failed(problem);
        }
    };
    stage.restart = [this] { Restart(); };
    stage.stop = [&pass] {
        pass.stopped = true;
        pass.last = Simulator::Now();
        Simulator::Stop();
    };
    stage.caution = [this](const std::string& text) { m_cautions.push_back(text); };
    workload.Begin(stage);
}

std::string
IwarpScenarioRun::BeginTraces(const iwarp::ScenarioNetwork& network) const
{
    const auto& built = network.GetNetwork();
    const auto routers = iwarp::ListRouters(m_parts);
    std::set<std::string> taken;
    for (uint32_t i = 0; i < built.GetNRouters(); i++)
    {
        const auto name = i < routers.size() ? routers[i] : "router" + std::to_string(i);
        m_setup.traces->SetHostName(built.GetRouter(i)->GetId(), name);
        taken.insert(name);
    }
    const auto hosts = iwarp::NameHosts(built, routers);
    for (uint32_t i = 0; i < built.GetNHosts(); i++)
    {
        const auto name = taken.count(hosts[i]) > 0 ? "host of " + hosts[i] : hosts[i];
        m_setup.traces->SetHostName(built.GetHost(i)->GetId(), name);
    }
    return m_setup.traces->Begin();
}

void
IwarpScenarioRun::RunToEnd(iwarp::ScenarioNetwork& network, Pass& pass, bool rdma)
{
    if (rdma && !m_run->GetPcap().empty())
    {
        network.EnablePcap(m_run->GetPcap());
        pass.workload->EnablePcap(m_run->GetPcap());
    }
    if (rdma && m_setup.observer)
    {
        m_setup.observer(network.GetNetwork());
    }
    if (rdma && m_setup.traces)
    {
        pass.error = BeginTraces(network);
        if (!pass.error.empty())
        {
            return;
        }
    }
    const Time duration = m_run->GetDuration();
    RunUntil(pass, duration.IsZero() ? m_run->GetTimeLimit() : pass.firstStart + duration);
    if (rdma && m_setup.traces)
    {
        m_setup.traces->End();
    }
    m_events = Simulator::GetEventCount();
}

void
IwarpScenarioRun::RunUntil(Pass& pass, Time end)
{
    const Time interval = m_run->GetCheckInterval();
    Time next;
    do
    {
        next = interval.IsZero() ? end : std::min(next + interval, end);
        Simulator::Stop(next - Simulator::Now());
        Simulator::Run();
    } while (next < end && !IsOver(pass));
}

bool
IwarpScenarioRun::IsOver(Pass& pass)
{
    if (ranks::IsOn())
    {
        Replay(pass);
    }
    return ranks::Decide(pass.IsComplete() || !pass.error.empty());
}

void
IwarpScenarioRun::Replay(Pass& pass)
{
    iwarp::RankLedger own;
    if (ranks::GetOwn() != 0)
    {
        m_journal.Share(own);
    }
    const auto texts = ranks::Gather(own.GetOctets());
    for (std::size_t rank = 1; rank < texts.size(); rank++)
    {
        iwarp::RankLedger other(texts[rank]);
        m_journal.Share(other);
        NS_ABORT_MSG_UNLESS(other.IsAtEnd(), "ranks do not tell of the same flows");
    }
    if (ranks::GetOwn() == 0)
    {
        m_journal.Replay(pass.totals, [&pass] { return !pass.error.empty(); });
    }
    m_journal = {};
}

void
IwarpScenarioRun::Share(iwarp::RankLedger& ledger,
                        iwarp::ScenarioNetwork& network,
                        iwarp::MetricSet& metrics)
{
    network.Share(ledger);
    ledger.Sum(m_events);
    metrics.Share(ledger);
}

bool
IwarpScenarioRun::Share(iwarp::ScenarioNetwork& network, Pass& pass, IwarpWorkload& workload)
{
    Replay(pass);
    if (ranks::GetOwn() != 0)
    {
        iwarp::RankLedger own;
        iwarp::MetricSet metrics;
        workload.Finish(metrics);
        Share(own, network, metrics);
        ranks::Gather(own.GetOctets());
        return false;
    }
    const auto texts = ranks::Gather("");
    for (std::size_t rank = 1; rank < texts.size(); rank++)
    {
        iwarp::RankLedger other(texts[rank]);
        Share(other, network, m_elsewhere);
        NS_ABORT_MSG_UNLESS(other.IsAtEnd(), "ranks do not tell of the same counts");
    }
    if (pass.IsComplete() && m_run->GetCheckInterval().IsZero())
    {
        std::ostringstream text;
        text
            << "Duration: all octets had come before it ended, " << std::setprecision(12)
            << (pass.last - pass.firstStart).GetSeconds()
            << " s after the first flow's start; ranks count until it ends, so give one that is at "
               "most that, or set CheckInterval";
        pass.error = text.str();
    }
    pass.totals.journal = nullptr;
    return true;
}

void
IwarpScenarioRun::End(Pass& pass) const
{
    const Time duration = m_run->GetDuration();
    if (pass.IsComplete())
    {
        if (!m_run->GetCheckInterval().IsZero() && pass.workload->IsShared())
        { // flows go on until the next look, and so does what is counted of them
            pass.last = Simulator::Now();
        }
        return;
    }
    if (pass.cold > 0 && pass.error.empty())
    {
        pass.error = std::to_string(pass.cold) + " of " + std::to_string(pass.flows) +
                     " flows had not carried WarmUp octets by " +
                     std::to_string(Simulator::Now().GetSeconds()) + " s";
    }
    else if (!duration.IsZero())
    {
        pass.last = pass.firstStart + duration;
    }
    else if (pass.error.empty() && pass.workload->HasStage())
    {
        pass.error = "messages that arrived in ArrivalWindow had not all ended by " +
                     std::to_string(Simulator::Now().GetSeconds()) + " s (TimeLimit)";
    }
    else if (pass.error.empty() && pass.GetExpected() == 0)
    {
        pass.error = "no message was posted, and Duration is 0";
    }
    else if (pass.error.empty())
    {
        pass.error = "only " + std::to_string(pass.received) + " of " +
                     std::to_string(pass.GetExpected()) + " octets had come by " +
                     std::to_string(Simulator::Now().GetSeconds()) + " s (TimeLimit)";
    }
}

std::string
IwarpScenarioRun::CheckApplications() const
{
    const auto inside = m_pass->workload->ListOwnSettings();
    for (const auto& [name, text] : m_setup.settings)
    {
        iwarp::QualifiedAttribute attribute;
        if (iwarp::IsRnicName(name) || !iwarp::FindAttribute(name, attribute).empty() ||
            iwarp::GetKind(attribute.info.checker) == "ns3::PointerValue") // no text of its own
        {
            continue;
        }
        const auto own = std::find_if(inside.begin(), inside.end(), [&attribute](const auto& set) {
            return set.name == attribute.GetName();
        });
        if (own == inside.end() && !attribute.type.IsChildOf(Application::GetTypeId()))
        {
            continue;
        }
        const auto& checker = attribute.info.checker;
        const std::string wanted = attribute.info.initialValue->SerializeToString(checker);
        const std::string problem =
            name + ": the workload sets it itself, by a parameter of its own";
        if (own != inside.end() && own->value->SerializeToString(checker) != wanted)
        {
            return problem;
        }
        for (auto node = NodeList::Begin(); node != NodeList::End(); ++node)
        {
            for (uint32_t i = 0; i < (*node)->GetNApplications(); i++)
            {
                const Ptr<Application> application = (*node)->GetApplication(i);
                const TypeId type = application->GetInstanceTypeId();
                const Ptr<AttributeValue> value = checker->Create();
                if ((type == attribute.type || type.IsChildOf(attribute.type)) &&
                    application->GetAttributeFailSafe(attribute.info.name, *value) &&
                    value->SerializeToString(checker) != wanted)
                {
                    return problem;
                }
            }
        }
    }
    return "";
}

void
IwarpScenarioRun::Received(uint32_t flow, uint64_t octets)
{
    m_pass->received += octets;
    m_pass->states[flow].received += octets;
    m_pass->last = m_pass->totals.GetNow();
    StopIfComplete();
}

void
IwarpScenarioRun::StopIfComplete() const
{
    if (m_pass->IsComplete() && m_run->GetCheckInterval().IsZero())
    {
        Simulator::Stop();
    }
}

void
IwarpScenarioRun::Warmed()
{
    if (m_pass->cold > 1)
    {
        m_pass->cold--;
    }
    else
    { // once all of the segment is counted that ends the message
        Simulator::ScheduleNow([this] { Restart(); });
    }
}

void
IwarpScenarioRun::Restart()
{
    m_pass->cold = 0;
    m_pass->received = 0;
    m_pass->begin = Simulator::Now();
    m_pass->last = m_pass->begin;
    m_pass->restart();
}

void
IwarpScenarioRun::Failed(const std::string& reason)
{
    // a stream that ends after all has come is no failure
    if (!m_pass->IsComplete() && m_pass->error.empty())
    {
        m_pass->error = reason;
        Simulator::Stop();
    }
}

void
IwarpScenarioRun::Lost(uint32_t flow, const std::string& reason)
{
    if (!m_pass->tolerant)
    {
        Failed(reason);
        return;
    }
    FlowState& state = m_pass->states[flow];
    const uint64_t each = m_pass->workload->GetTotal(1);
    if (state.lost || (each > 0 && state.received >= each))
    {
        return;
    }
    state.lost = true;
    m_pass->lostReason = m_pass->lost++ == 0 ? reason : m_pass->lostReason;
    m_pass->missing += each > 0 ? each - state.received : 0;
    if (m_pass->IsComplete())
    {
        m_pass->last = m_pass->totals.GetNow(); // until then what others sent counts
    }
    StopIfComplete();
}

uint64_t
IwarpScenarioRun::Pass::GetExpected() const
{
    return workload->GetTotal(flows);
}

bool
IwarpScenarioRun::Pass::IsComplete() const
{
    if (workload->HasStage())
    {
        return stopped;
    }
    const uint64_t expected = GetExpected();
    return cold == 0 && expected > 0 && received + missing >= expected;
}

double
IwarpScenarioRun::Pass::GetSeconds() const
{
    return std::max(last - begin, Time()).GetSeconds(); // 0 if all connections were lost at once
}

double
IwarpScenarioRun::Pass::GetGoodput() const
{
    const double seconds = GetSeconds();
    return seconds > 0 ? 8.0 * totals.CountPayload() / seconds : 0;
}

iwarp::Collector::Period
IwarpScenarioRun::Pass::GetWatched(const std::string& prefix) const
{
    return {prefix, (Simulator::Now() - begin).GetSeconds()};
}

void
IwarpScenarioRun::Report(Pass& pass, const iwarp::ScenarioNetwork& network, IwarpWorkload& workload)
{
    using Section = iwarp::ScenarioNetwork::Section;
    const auto traffic = network.GetTraffic();
    const auto period = pass.GetWatched("");
    m_metrics.Add("duration", pass.GetSeconds());
    m_metrics.Add("warm_up", (pass.begin - pass.firstStart).GetSeconds());
    m_metrics.Add("goodput", pass.GetGoodput());
    m_metrics.Add("goodput_bound", network.GetRateBounds().GetPayload());
    pass.totals.Report(m_metrics, workload.IsPaced(), network.GetRateBounds().GetSegments());
    m_inRnics = {pass.totals.start.late, pass.totals.together.late};
    m_metrics.Add("segments_sent", traffic.segments);
    m_metrics.Add("octets_on_wire", traffic.octets);
    m_metrics.Add("retransmitted_octets", traffic.retransmitted);
    m_metrics.Add("round_trip", network.GetRoundTrip().GetSeconds());
    if (pass.tolerant)
    {
        m_metrics.Add("connections_lost", pass.lost);
    }
    network.Report(Section::LINKS, m_metrics, period);
    m_metrics.Add("events", m_events);
    network.Report(Section::STACKS, m_metrics, period);
    workload.Finish(m_metrics);
    m_metrics.Add(m_elsewhere);
    network.Report(Section::HOSTS, m_metrics, period);
}

void
IwarpScenarioRun::ReportPlainTcp(const Pass& pass, const iwarp::ScenarioNetwork& network)
{
    const auto traffic = network.GetTraffic();
    m_metrics.Add("plain_tcp_duration", pass.GetSeconds());
    m_metrics.Add("plain_tcp_warm_up", (pass.begin - pass.firstStart).GetSeconds());
    m_metrics.Add("plain_tcp_goodput", pass.GetGoodput());
    m_metrics.Add("plain_tcp_segments", traffic.segments);
    m_metrics.Add("plain_tcp_octets", traffic.octets);
    m_metrics.Add("plain_tcp_retransmitted_octets", traffic.retransmitted);
    network.Report(iwarp::ScenarioNetwork::Section::LINKS,
                   m_metrics,
                   pass.GetWatched("plain_tcp_"));
    m_metrics.Add("plain_tcp_events", m_events);
}

std::vector<AppMetric>
IwarpScenarioRun::GetMetrics() const
{
    return m_metrics.Get();
}

const std::vector<std::string>&
IwarpScenarioRun::GetCautions() const
{
    return m_cautions;
}

const std::vector<iwarp::RandomStreams::Range>&
IwarpScenarioRun::GetRandomStreams() const
{
    return m_streams;
}

std::string
IwarpScenarioRun::GetReport() const
{
    return m_parts.GetWorkload()->GetReport();
}

} // namespace ns3
