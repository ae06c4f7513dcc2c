/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "iwarp-scenario-run.h"

#include "iwarp-child-process.h"
#include "iwarp-scenario-cautions.h"
#include "iwarp-scenario-rnic.h"

#include "ns3/application.h"
#include "ns3/iwarp-esp-collector.h"
#include "ns3/iwarp-workload-plain-tcp.h"
#include "ns3/node-list.h"
#include "ns3/simulator.h"
#include "ns3/uinteger.h"
#include "ns3/util-attribute-text.h"

#include <cstdlib>
#include <iomanip>
#include <limits>
#include <memory>
#include <sstream>
#include <stdexcept>
#include <utility>

namespace ns3
{

IwarpScenarioRun::IwarpScenarioRun(const IwarpScenarioParameters& parameters)
    : m_parameters(parameters),
      m_parts(parameters)
{
}

std::string
IwarpScenarioRun::Run()
{
    const auto& workload = m_parts.GetWorkload();
    Pass rdma;
    Simulate(rdma, *workload, true);
    if (!rdma.leak.empty())
    {
        return rdma.leak + (rdma.error.empty() ? "" : "; " + rdma.error);
    }
    if (!rdma.error.empty())
    {
        return rdma.error;
    }
    return m_parameters.plainTcp ? ComparePlainTcp() : "";
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
    std::string leak;
    std::getline(found, leak);
    for (std::string name, value; found >> name >> value;)
    {
        m_metrics.Add(name, std::strtod(value.c_str(), nullptr));
    }
    return leak.empty() ? "" : leak + ", of plain TCP";
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
    found << plain.leak << '\n' << std::setprecision(std::numeric_limits<double>::max_digits10);
    for (const auto& metric : m_metrics.Get())
    {
        found << metric.name << ' ' << metric.value << '\n';
    }
    m_metrics = std::move(metrics);
    m_cautions = std::move(cautions);
    if (!plain.error.empty() && plain.leak.empty())
    {
        throw std::runtime_error(plain.error);
    }
    return found.str();
}

void
IwarpScenarioRun::Simulate(Pass& pass, IwarpWorkload& workload, bool rdma)
{
    m_parts.Restart();
    m_pass = &pass;
    auto network = std::make_unique<iwarp::ScenarioNetwork>(m_parameters, m_parts);
    pass.error = network->GetProblem();
    if (pass.error.empty())
    {
        if (rdma)
        {
            m_cautions = iwarp::ListCautions(m_parameters, network->HasMarking());
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
    pass.expected = workload.GetOctets() * pass.flows;
    auto rnics = Create<iwarp::RnicCollector>();
    if (rdma && m_parts.GetRnicHelper())
    {
        for (const auto& rnic : network.InstallRnics(*m_parts.GetRnicHelper()))
        {
            rnics->Attach(rnic);
        }
    }
    iwarp::EspCollector esp;
    if (m_parts.GetEspHelper())
    {
        esp.Attach(network.InstallEsp(*m_parts.GetEspHelper()));
    }
    pass.restart = [&pass, &network, rnics, &esp] {
        pass.totals.Restart();
        network.Restart();
        rnics->Restart();
        esp.Restart();
    };
    InstallFlows(network, pass, workload);
    if (m_parameters.GetCrossPairs() > 0)
    { // it may be there before them
        Simulator::Schedule(pass.firstStart, [&network, &esp] {
            network.Restart();
            esp.Restart();
        });
    }
    pass.error = CheckApplications();
    if (pass.error.empty())
    {
        RunToEnd(network, pass, rdma);
    }
    if (rdma)
    {
        Report(pass, network, workload, *rnics);
        esp.Report(m_metrics);
    }
    else
    {
        ReportPlainTcp(pass, network);
    }
    if (pass.error.empty())
    {
        pass.error = network.GetRateBounds(m_parts).Check(m_metrics.Get());
    }
    if (rdma)
    {
        m_streams = network.GetStreams().GetRanges();
    }
    pass.leak = network.FindLeak();
}

void
IwarpScenarioRun::InstallFlows(const iwarp::ScenarioNetwork& network,
                               Pass& pass,
                               IwarpWorkload& workload)
{
    pass.cold = workload.GetWarmUp() > 0 ? pass.flows : 0;
    iwarp::FlowListener listener{&pass.totals,
                                 MakeCallback(&IwarpScenarioRun::Received, this),
                                 MakeCallback(&IwarpScenarioRun::Failed, this),
                                 workload.GetWarmUp(),
                                 MakeCallback(&IwarpScenarioRun::Warmed, this)};
    for (const auto& flow : network.GetFlows())
    {
        listener.path = workload.IsPaced() ? flow.path : nullptr;
        workload.Install(flow, listener);
    }
    pass.firstStart = network.GetFirstStart();
    pass.begin = pass.firstStart;
}

void
IwarpScenarioRun::RunToEnd(iwarp::ScenarioNetwork& network, Pass& pass, bool rdma) const
{
    const auto& p = m_parameters;
    if (rdma && !p.pcap.empty())
    {
        network.EnablePcap(p.pcap);
    }
    if (rdma && p.observer)
    {
        p.observer(network.GetNetwork());
    }
    Simulator::Stop(p.duration.IsZero() ? p.timeLimit : pass.firstStart + p.duration);
    Simulator::Run();
    End(pass);
}

void
IwarpScenarioRun::End(Pass& pass) const
{
    const Time duration = m_parameters.duration;
    if (pass.IsComplete())
    {
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
    else if (pass.error.empty())
    {
        pass.error = "only " + std::to_string(pass.received) + " of " +
                     std::to_string(pass.expected) + " octets had come by " +
                     std::to_string(Simulator::Now().GetSeconds()) + " s (TimeLimit)";
    }
}

std::string
IwarpScenarioRun::CheckApplications() const
{
    for (const auto& [name, text] : m_parameters.settings)
    {
        iwarp::QualifiedAttribute attribute;
        if (iwarp::IsRnicName(name) || !iwarp::FindAttribute(name, attribute).empty() ||
            !attribute.type.IsChildOf(Application::GetTypeId()) ||
            iwarp::GetKind(attribute.info.checker) == "ns3::PointerValue") // no text of its own
        {
            continue;
        }
        const auto& checker = attribute.info.checker;
        const std::string wanted = attribute.info.initialValue->SerializeToString(checker);
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
                    return name + ": the workload sets it itself, by a parameter of its own";
                }
            }
        }
    }
    return "";
}

void
IwarpScenarioRun::Received(uint64_t octets)
{
    m_pass->received += octets;
    m_pass->last = Simulator::Now();
    if (m_pass->IsComplete())
    {
        Simulator::Stop();
    }
}

void
IwarpScenarioRun::Warmed()
{
    if (--m_pass->cold == 0)
    {
        m_pass->received = 0;
        m_pass->begin = Simulator::Now();
        m_pass->last = m_pass->begin;
        m_pass->restart();
    }
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

} // namespace ns3
