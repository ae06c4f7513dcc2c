/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "iwarp-scenario-run.h"

#include "iwarp-rnic-collector.h"
#include "iwarp-scenario-check.h"
#include "iwarp-workload-plain-tcp.h"

#include "ns3/boolean.h"
#include "ns3/ns3-compat.h"
#include "ns3/simulator.h"
#include "ns3/uinteger.h"

namespace ns3
{

IwarpScenarioRun::IwarpScenarioRun(const IwarpScenarioParameters& parameters)
    : m_parameters(parameters)
{
}

void
IwarpScenarioRun::SetDefaults(iwarp::ScopedSettings& settings) const
{
    const auto& p = m_parameters;
    TypeId congestionControl;
    iwarp::FindCongestionControl(p.congestionControl, congestionControl);
    // what plain TCP has to be told: the segment that fits the MTU with its headers and timestamps
    settings.SetRandom(p.seed, p.run);
    settings.SetDefault("ns3::TcpL4Protocol", "SocketType", TypeIdValue(congestionControl));
    settings.SetDefault("ns3::TcpSocket", "SegmentSize", UintegerValue(GetEmss()));
    settings.SetDefault("ns3::TcpSocket", "SndBufSize", UintegerValue(p.sendBuffer));
    settings.SetDefault("ns3::TcpSocket", "RcvBufSize", UintegerValue(p.GetReceiveBuffer()));
    settings.SetDefault("ns3::TcpSocket", "TcpNoDelay", BooleanValue(p.noDelay));
    settings.SetDefault("ns3::TcpSocketBase", "Sack", BooleanValue(p.sack));
    settings.SetDefault("ns3::TcpSocketBase", "Timestamp", BooleanValue(p.timestamps));
    settings.SetDefault("ns3::TcpSocketBase", "MinRto", TimeValue(p.minRto));
    settings.SetDefault("ns3::TcpSocket", "DataRetries", UintegerValue(p.dataRetries));
    settings.SetDefault("ns3::TcpSocket", "DelAckTimeout", TimeValue(p.delayedAck));
    settings.SetDefault("ns3::MpaTcpSocket", "Alignment", BooleanValue(p.alignment));
    settings.SetDefault("ns3::MpaTcpSocket", "Packing", BooleanValue(p.packing));
    settings.SetDefault("ns3::MpaTcpSocket",
                        "ReceiveWindow",
                        iwarp::MakeEnumValue(p.receiveWindow));
    settings.SetDefault("ns3::MpaStream", "Markers", BooleanValue(p.markers));
    settings.SetDefault("ns3::MpaStream", "Crc", BooleanValue(p.crc));
    settings.SetDefault("ns3::MpaStream", "OutOfOrder", BooleanValue(p.outOfOrder));
    settings.SetDefault("ns3::MpaStream", "DynamicMulpdu", BooleanValue(p.dynamicMulpdu));
    settings.SetDefault("ns3::MpaStream",
                        "ReassemblyMemory",
                        UintegerValue(p.reassemblyMemory > 0 ? p.reassemblyMemory : UINT64_MAX));
    if (!p.pcap.empty())
    {
        settings.SetGlobal("ChecksumEnabled", BooleanValue(true));
    }
}

std::string
IwarpScenarioRun::Run()
{
    Pass rdma;
    const auto workload = iwarp::MakeWorkload(m_parameters, Listen(rdma));
    Simulate(rdma, *workload, true);
    if (!rdma.error.empty())
    {
        return rdma.error;
    }
    AddMetrics(rdma);
    m_report = workload->GetReport();
    if (m_parameters.plainTcp)
    {
        Pass plain;
        iwarp::PlainTcpWorkload tcp(workload->GetOctets(), m_parameters.sendBuffer, Listen(plain));
        Simulate(plain, tcp, false);
        if (!plain.error.empty())
        {
            return "plain TCP: " + plain.error;
        }
        AddPlainMetrics(plain);
    }
    return "";
}

iwarp::FlowListener
IwarpScenarioRun::Listen(Pass& pass)
{
    return {&pass.totals,
            MakeCallback(&IwarpScenarioRun::Received, this),
            MakeCallback(&IwarpScenarioRun::Failed, this)};
}

void
IwarpScenarioRun::Simulate(Pass& pass, iwarp::Workload& workload, bool rdma)
{
    const auto& p = m_parameters;
    iwarp::ScopedSettings settings;
    SetDefaults(settings);
    m_pass = &pass;
    pass.expected = workload.GetOctets() * p.flows;
    auto network = std::make_unique<iwarp::ScenarioNetwork>(p);
    auto rnics = Create<iwarp::RnicCollector>();
    std::string problem;
    const auto helper = iwarp::MakeRnicHelper(p, problem);
    if (rdma && helper)
    {
        for (const auto& rnic : network->InstallRnics(*helper))
        {
            rnics->Attach(rnic);
        }
    }
    for (const auto& flow : network->GetFlows())
    {
        workload.Install(flow);
    }
    pass.firstStart = network->GetFirstStart();
    if (rdma && !p.pcap.empty())
    {
        network->EnablePcap(p.pcap);
    }
    const bool timed = !p.duration.IsZero();
    Simulator::Stop(timed ? pass.firstStart + p.duration : p.timeLimit);
    Simulator::Run();
    pass.totals.held.Stop();
    pass.events = Simulator::GetEventCount();
    pass.traffic = network->GetTraffic();
    workload.Finish(pass.own);
    if (rdma && helper)
    {
        rnics->Stop(pass.own);
        AddFormulas(pass.own, network->GetRoundTrip());
    }
    const bool complete = pass.expected > 0 && pass.received >= pass.expected;
    if (timed && !complete)
    {
        pass.last = pass.firstStart + p.duration;
    }
    if (pass.error.empty() && !complete && !timed)
    {
        pass.error = "only " + std::to_string(pass.received) + " of " +
                     std::to_string(pass.expected) + " octets had come by " +
                     std::to_string(Simulator::Now().GetSeconds()) + " s (TimeLimit)";
    }
    network.reset();
    Simulator::Destroy();
    m_pass = nullptr;
}

void
IwarpScenarioRun::Received(uint64_t octets)
{
    m_pass->received += octets;
    m_pass->last = Simulator::Now();
    if (m_pass->expected > 0 && m_pass->received >= m_pass->expected)
    {
        Simulator::Stop();
    }
}

void
IwarpScenarioRun::Failed(const std::string& reason)
{
    // a stream that ends after all has come is no failure
    const bool complete = m_pass->expected > 0 && m_pass->received >= m_pass->expected;
    if (!complete && m_pass->error.empty())
    {
        m_pass->error = reason;
        Simulator::Stop();
    }
}

const std::vector<IwarpMetric>&
IwarpScenarioRun::GetMetrics() const
{
    return m_metrics;
}

const std::string&
IwarpScenarioRun::GetReport() const
{
    return m_report;
}

} // namespace ns3
