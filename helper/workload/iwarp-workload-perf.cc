/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "iwarp-workload-perf.h"

#include "iwarp-workload-watch.h"

#include "ns3/boolean.h"
#include "ns3/ns3-compat.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <sstream>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(IwarpPerfWorkload);

namespace
{

const iwarp::MetricDeclarations g_bandwidth("perf_",
                                            RdmaPerfReport{RdmaPerfTest::WRITE_BW}.GetMetrics());
const iwarp::MetricDeclarations g_latency("perf_",
                                          RdmaPerfReport{RdmaPerfTest::READ_LAT}.GetMetrics());

/// @param test a test @return whether its messages have a size of their own
bool
IsAtomic(RdmaPerfTest test)
{
    return test == RdmaPerfTest::ATOMIC_BW || test == RdmaPerfTest::ATOMIC_LAT;
}

/// @param test a test @return whether its payload goes to the client
bool
Reads(RdmaPerfTest test)
{
    return test == RdmaPerfTest::READ_BW || test == RdmaPerfTest::READ_LAT;
}

} // namespace

TypeId
IwarpPerfWorkload::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::IwarpPerfWorkload")
            .SetParent<IwarpWorkload>()
            .SetGroupName("Iwarp")
            .AddConstructor<IwarpPerfWorkload>()
            .AddAttribute("Test",
                          "Test of the workload perf, named as perftest's programs without ib_",
                          iwarp::MakeEnumValue(RdmaPerfTest::WRITE_BW),
                          iwarp::MakeEnumAccessor(&IwarpPerfWorkload::m_test),
                          RdmaPerfTestChecker())
            .AddAttribute("Size",
                          "Message size of the workload perf; 0 is 65536 for bandwidth and 2 for "
                          "latency, atomics have 8 [octets]",
                          UintegerValue(0),
                          MakeUintegerAccessor(&IwarpPerfWorkload::m_size),
                          MakeUintegerChecker<uint32_t>())
            .AddAttribute("All",
                          "The workload perf runs with each size from 2 to 8388608 that is a power "
                          "of two octets, instead of PerfSize; atomics have 8",
                          BooleanValue(false),
                          MakeBooleanAccessor(&IwarpPerfWorkload::m_all),
                          MakeBooleanChecker())
            .AddAttribute("Iterations",
                          "Messages of each queue pair of the workload perf, of each size "
                          "[messages]",
                          UintegerValue(1000),
                          MakeUintegerAccessor(&IwarpPerfWorkload::m_iterations),
                          MakeUintegerChecker<uint32_t>(1))
            .AddAttribute("WarmUp",
                          "Of these, messages at the start that do not count in bandwidth tests, "
                          "perftest's --perform_warm_up [messages]",
                          UintegerValue(0),
                          MakeUintegerAccessor(&IwarpPerfWorkload::m_warmUp),
                          MakeUintegerChecker<uint32_t>())
            .AddAttribute("TxDepth",
                          "Most sends of a flow posted and not completed in bandwidth tests of the "
                          "workload perf, perftest's --tx-depth; 0 is QueueDepth [messages]",
                          UintegerValue(0),
                          MakeUintegerAccessor(&IwarpPerfWorkload::m_txDepth),
                          MakeUintegerChecker<uint32_t>(0, 16777212))
            .AddAttribute("InlineSize",
                          "Longest message of the workload perf whose octets go with the work "
                          "request, perftest's --inline_size [octets]",
                          UintegerValue(0),
                          MakeUintegerAccessor(&IwarpPerfWorkload::m_inlineSize),
                          MakeUintegerChecker<uint32_t>())
            .AddAttribute("Qp",
                          "Queue pairs of each flow of the workload perf [queue pairs]",
                          UintegerValue(1),
                          MakeUintegerAccessor(&IwarpPerfWorkload::m_queuePairs),
                          MakeUintegerChecker<uint32_t>(1, 16384))
            .AddAttribute("Order",
                          "In which order the queue pairs of a flow of the workload perf send: in "
                          "turn, or each message on one drawn at random, one for each queue pair "
                          "under way together",
                          iwarp::MakeEnumValue(RdmaPerfOrder::TURN),
                          iwarp::MakeEnumAccessor(&IwarpPerfWorkload::m_order),
                          iwarp::MakeEnumChecker(RdmaPerfOrder::TURN,
                                                 "InTurn",
                                                 RdmaPerfOrder::RANDOM,
                                                 "Random"));
    return tid;
}

IwarpPerfWorkload::IwarpPerfWorkload() = default;
IwarpPerfWorkload::~IwarpPerfWorkload() = default;

bool
IwarpPerfWorkload::RunsAllSizes() const
{
    return m_all && !IsAtomic(m_test);
}

uint32_t
IwarpPerfWorkload::GetSize() const
{
    if (IsAtomic(m_test))
    {
        return RdmaPerfParameters::ATOMIC_SIZE;
    }
    const uint32_t usual = RdmaPerfIsLatency(m_test) ? RdmaPerfParameters::LATENCY_SIZE
                                                     : RdmaPerfParameters::BANDWIDTH_SIZE;
    return m_size > 0 ? m_size : usual;
}

std::string
IwarpPerfWorkload::Check() const
{
    const std::string problem = IwarpWorkload::Check();
    if (!problem.empty())
    {
        return problem;
    }
    if (m_warmUp >= m_iterations)
    {
        return "WarmUp, Iterations: the first is a part of the second, so it has to be less";
    }
    const std::string unsound = MakeClient()->Check();
    return unsound.empty() ? "" : "Workload=perf: " + unsound;
}

Ptr<RdmaPerfClient>
IwarpPerfWorkload::MakeClient() const
{
    Ptr<RdmaPerfClient> client = CreateObject<RdmaPerfClient>();
    client->SetAttribute("Test", iwarp::MakeEnumValue(m_test));
    client->SetAttribute("Size", UintegerValue(GetSize()));
    client->SetAttribute("All", BooleanValue(RunsAllSizes()));
    client->SetAttribute("Iterations", UintegerValue(m_iterations));
    client->SetAttribute("WarmUp", UintegerValue(m_warmUp));
    client->SetAttribute("TxDepth", UintegerValue(m_txDepth > 0 ? m_txDepth : GetQueueDepth()));
    client->SetAttribute("InlineSize", UintegerValue(m_inlineSize));
    client->SetAttribute("Qp", UintegerValue(m_queuePairs));
    client->SetAttribute("Order", iwarp::MakeEnumValue(m_order));
    client->SetAttribute("Backed", BooleanValue(IsBacked()));
    return client;
}

void
IwarpPerfWorkload::Install(const Flow& flow, const iwarp::FlowListener& listener)
{
    auto collector = Create<iwarp::FlowCollector>(listener);
    const bool reads = Reads(m_test);

    Ptr<RdmaPerfServer> server = CreateObject<RdmaPerfServer>();
    server->SetAttribute("Local", AddressValue(flow.any));
    server->SetAttribute("Backed", BooleanValue(IsBacked()));
    // all connect at once: perftest listens with a backlog of num_of_qps (perftest_communication.c)
    server->SetConnectionAttribute("Backlog", UintegerValue(m_queuePairs));
    (reads ? flow.sender : flow.receiver)->AddApplication(server);
    m_servers.push_back(server);

    const Ptr<RdmaPerfClient> client = MakeClient();
    client->SetAttribute("Remote", AddressValue(reads ? flow.senderAddress : flow.receiverAddress));
    AssignStreams(flow, client);
    client->SetStartTime(flow.start);
    client->TraceConnectWithoutContext(
        "Finished",
        MakeCallback(&IwarpPerfWorkload::Finished, this).Bind(collector));
    (reads ? flow.receiver : flow.sender)->AddApplication(client);
    m_clients.push_back(client);
    iwarp::WatchApplications(collector,
                             reads ? Ptr<RdmaApplication>(server) : Ptr<RdmaApplication>(client),
                             reads ? Ptr<RdmaApplication>(client) : Ptr<RdmaApplication>(server));
}

void
IwarpPerfWorkload::Finished(Ptr<iwarp::FlowCollector> collector, const RdmaPerfReport&)
{
    collector->Completed(GetOctets(), GetIterations());
}

uint64_t
IwarpPerfWorkload::GetIterations() const
{
    const uint64_t sizes = RunsAllSizes() ? RdmaPerfParameters::ALL_COUNT : 1;
    return sizes * m_iterations * m_queuePairs;
}

uint64_t
IwarpPerfWorkload::GetOctets() const
{
    // the sizes are a geometric series
    const uint64_t octets = RunsAllSizes()
                                ? 2 * RdmaPerfParameters::ALL_LAST - RdmaPerfParameters::ALL_FIRST
                                : GetSize();
    return octets * m_iterations * m_queuePairs;
}

void
IwarpPerfWorkload::Finish(iwarp::MetricSet& metrics)
{
    std::ostringstream text;
    std::vector<std::vector<RdmaPerfReport>> sizes;
    for (const auto& client : m_clients)
    {
        metrics.Add("content_errors", client->GetContentErrors());
        const auto& reports = client->GetReports();
        sizes.resize(std::max(sizes.size(), reports.size()));
        for (std::size_t i = 0; i < reports.size(); i++)
        {
            sizes[i].push_back(reports[i]);
        }
        RdmaPerfReport::PrintTable(text, reports);
    }
    for (const auto& reports : sizes)
    {
        Add(reports, metrics, text);
    }
    m_report = text.str();
    for (const auto& server : m_servers)
    {
        metrics.Add("content_errors", server->GetContentErrors());
    }
    m_clients.clear();
    m_servers.clear();
}

void
IwarpPerfWorkload::Add(const std::vector<RdmaPerfReport>& reports,
                       iwarp::MetricSet& metrics,
                       std::ostream& text) const
{
    const uint32_t size = reports.front().size;
    const std::string suffix = RunsAllSizes() ? "_" + std::to_string(size) : "";
    if (RdmaPerfIsLatency(m_test))
    {
        for (const auto& report : reports)
        {
            metrics.Add("perf_", report.GetMetrics(), suffix);
        }
        return;
    }
    // a flow that was cut off has no report, and then there is no rate of all
    const auto all = RdmaPerfReport::Merge(reports);
    if (reports.size() < m_clients.size() || all.iterations == 0)
    {
        text << "No rate of all flows with " << size
             << " octets: the time in which all of them run "
             << "is too short. Give them more PerfIterations, or a smaller StartSpread.\n";
        return;
    }
    metrics.Add("perf_", all.GetMetrics(), suffix);
    if (reports.size() > 1)
    {
        text << "All flows together, while all of them run:\n" << all;
    }
}

std::string
IwarpPerfWorkload::GetReport() const
{
    return m_report;
}

} // namespace ns3
