/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-perf-client.h"

#include "ns3/abort.h"
#include "ns3/boolean.h"
#include "ns3/log.h"
#include "ns3/node.h"
#include "ns3/ns3-compat.h"
#include "ns3/simulator.h"
#include "ns3/uinteger.h"

#include <algorithm>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("RdmaPerfClient");
NS_OBJECT_ENSURE_REGISTERED(RdmaPerfClient);

namespace
{

constexpr uint32_t CONNECT_PAUSE = 200; // ms between tries to connect
constexpr uint32_t CONNECT_TRIES = 50;

} // namespace

TypeId
RdmaPerfClient::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::RdmaPerfClient")
            .SetParent<RdmaApplication>()
            .SetGroupName("Iwarp")
            .AddConstructor<RdmaPerfClient>()
            .AddAttribute("Remote",
                          "Address and port of the RdmaPerfServer, IPv4 or IPv6",
                          AddressValue(),
                          MakeAddressAccessor(&RdmaPerfClient::m_remote),
                          MakeAddressChecker())
            .AddAttribute("Test",
                          "Which test, named as perftest's programs without ib_",
                          iwarp::MakeEnumValue(RdmaPerfTest::SEND_BW),
                          iwarp::MakeEnumAccessor(&RdmaPerfClient::m_test),
                          RdmaPerfTestChecker())
            .AddAttribute(
                "Size",
                "Octets of a message; 0 is 65536 for bandwidth and 2 for latency. Atomics "
                "have 8 (--size)",
                UintegerValue(0),
                MakeUintegerAccessor(&RdmaPerfClient::m_size),
                MakeUintegerChecker<uint32_t>())
            .AddAttribute("All",
                          "Run the test with each size from 2 to 8388608 that is a power of two, "
                          "instead of Size; Atomics have but one size (--all)",
                          BooleanValue(false),
                          MakeBooleanAccessor(&RdmaPerfClient::m_all),
                          MakeBooleanChecker())
            .AddAttribute("Iterations",
                          "Messages on each queue pair, in each direction, of each size (--iters)",
                          UintegerValue(1000),
                          MakeUintegerAccessor(&RdmaPerfClient::m_iterations),
                          MakeUintegerChecker<uint64_t>(1))
            .AddAttribute("WarmUp",
                          "Of these, messages at the start that do not count in bandwidth tests "
                          "(--perform_warm_up)",
                          UintegerValue(0),
                          MakeUintegerAccessor(&RdmaPerfClient::m_warmUp),
                          MakeUintegerChecker<uint64_t>())
            .AddAttribute("Duration",
                          "Send for so long instead of Iterations messages; 0 is Iterations. Each "
                          "send is signaled then (--duration)",
                          TimeValue(Time(0)),
                          MakeTimeAccessor(&RdmaPerfClient::m_duration),
                          MakeTimeChecker(Time(0)))
            .AddAttribute("TxDepth",
                          "Most sends posted and not completed, in bandwidth tests (--tx-depth)",
                          UintegerValue(128),
                          MakeUintegerAccessor(&RdmaPerfClient::m_txDepth),
                          MakeUintegerChecker<uint32_t>(1, 16777212))
            .AddAttribute("RxDepth",
                          "Receives posted at the client; the server has its own (--rx-depth)",
                          UintegerValue(512),
                          MakeUintegerAccessor(&RdmaPerfClient::m_rxDepth),
                          MakeUintegerChecker<uint32_t>(1, 16777216))
            .AddAttribute("Qp",
                          "Queue pairs (--qp)",
                          UintegerValue(1),
                          MakeUintegerAccessor(&RdmaPerfClient::m_queuePairs),
                          MakeUintegerChecker<uint32_t>(1, 16384))
            .AddAttribute("Bidirectional",
                          "Both ends send in bandwidth tests, results are added (--bidirectional)",
                          BooleanValue(false),
                          MakeBooleanAccessor(&RdmaPerfClient::m_bidirectional),
                          MakeBooleanChecker())
            .AddAttribute("InlineSize",
                          "Longest message whose octets go with the work request (--inline_size)",
                          UintegerValue(0),
                          MakeUintegerAccessor(&RdmaPerfClient::m_inlineSize),
                          MakeUintegerChecker<uint32_t>())
            .AddAttribute("CqMod",
                          "Only every so many sends are signaled, at most TxDepth (--cq-mod)",
                          UintegerValue(1),
                          MakeUintegerAccessor(&RdmaPerfClient::m_cqMod),
                          MakeUintegerChecker<uint32_t>(1))
            .AddAttribute("PostList",
                          "Sends that are posted together, as soon as there is room for all of "
                          "them; at most TxDepth (--post_list)",
                          UintegerValue(1),
                          MakeUintegerAccessor(&RdmaPerfClient::m_postList),
                          MakeUintegerChecker<uint32_t>(1))
            .AddAttribute("Outs",
                          "Most Reads and Atomics under way on a queue pair (--outs)",
                          UintegerValue(16),
                          MakeUintegerAccessor(&RdmaPerfClient::m_outs),
                          MakeUintegerChecker<uint32_t>(1, 16382))
            .AddAttribute("AtomicType",
                          "Which Atomic (--atomic_type)",
                          iwarp::MakeEnumValue(RdmaPerfAtomic::FETCH_AND_ADD),
                          iwarp::MakeEnumAccessor(&RdmaPerfClient::m_atomic),
                          iwarp::MakeEnumChecker(RdmaPerfAtomic::FETCH_AND_ADD,
                                                 "FETCH_AND_ADD",
                                                 RdmaPerfAtomic::CMP_AND_SWAP,
                                                 "CMP_AND_SWAP"))
            .AddAttribute("NoPeak",
                          "Do not look for the peak bandwidth; it is 0 then (--noPeak)",
                          BooleanValue(false),
                          MakeBooleanAccessor(&RdmaPerfClient::m_noPeak),
                          MakeBooleanChecker())
            .AddAttribute("Order",
                          "In which order the client's queue pairs send in bandwidth tests. InTurn "
                          "is perftest's, and the worst that a cache of contexts can meet; with "
                          "Random each send is signaled",
                          iwarp::MakeEnumValue(RdmaPerfOrder::TURN),
                          iwarp::MakeEnumAccessor(&RdmaPerfClient::m_order),
                          iwarp::MakeEnumChecker(RdmaPerfOrder::TURN,
                                                 "InTurn",
                                                 RdmaPerfOrder::RANDOM,
                                                 "Random"))
            .AddAttribute("Window",
                          "Messages of all queue pairs that are under way if their order is "
                          "Random, at most TxDepth each; 0 is one for each queue pair",
                          UintegerValue(0),
                          MakeUintegerAccessor(&RdmaPerfClient::m_window),
                          MakeUintegerChecker<uint32_t>())
            .AddAttribute("Exchange",
                          "How the server learns of the test. PrivateData: of all options, in the "
                          "private data of MPA's startup. Perftest: as from perftest 4.5's own "
                          "programs with -R, over a connection of its own, so that the server may "
                          "be one of these on a real machine; Size, Iterations and RxDepth have "
                          "to be the same at both ends then",
                          iwarp::MakeEnumValue(RdmaPerfExchange::PRIVATE_DATA),
                          iwarp::MakeEnumAccessor(&RdmaPerfClient::m_exchange),
                          RdmaPerfExchangeChecker())
            .AddAttribute("FirstDelay",
                          "With Exchange=Perftest, time from the setup of each of the two "
                          "connections to the first message over them: Linux's siw loses one that "
                          "comes at once",
                          TimeValue(Time(0)),
                          MakeTimeAccessor(&RdmaPerfClient::m_firstDelay),
                          MakeTimeChecker(Time(0)))
            .AddTraceSource("Finished",
                            "The test ran to its end",
                            MakeTraceSourceAccessor(&RdmaPerfClient::m_finishedTrace),
                            "ns3::RdmaPerfClient::FinishedTracedCallback");
    return tid;
}

RdmaPerfClient::RdmaPerfClient()
    : m_draw(CreateObject<UniformRandomVariable>())
{
}

RdmaPerfClient::~RdmaPerfClient() = default;

void
RdmaPerfClient::DoDispose()
{
    NS_LOG_FUNCTION(this);
    m_end.Cancel();
    m_post.Cancel();
    m_again.Cancel();
    for (const auto& flow : m_flows)
    {
        flow->Detach();
    }
    m_flows.clear();
    if (m_control)
    {
        m_control->SetCallbacks(Callback<void>(), Callback<void>());
        m_control->DetachAll();
        m_control = nullptr;
    }
    if (m_record)
    {
        m_record->SetDoneCallback(Callback<void>());
        m_record->SetEndedCallback(Callback<void, uint64_t>());
        m_record = nullptr;
    }
    RdmaApplication::DoDispose();
}

RdmaPerfParameters
RdmaPerfClient::MakeParameters() const
{
    const bool latency = RdmaPerfIsLatency(m_test);
    const bool atomic = m_test == RdmaPerfTest::ATOMIC_BW || m_test == RdmaPerfTest::ATOMIC_LAT;
    RdmaPerfParameters parameters;
    parameters.test = m_test;
    parameters.atomic = m_atomic;
    parameters.bidirectional = m_bidirectional && !latency;
    parameters.endless = m_duration.IsStrictlyPositive();
    parameters.all = m_all && !atomic;
    parameters.size = atomic       ? RdmaPerfParameters::ATOMIC_SIZE
                      : m_all      ? RdmaPerfParameters::ALL_FIRST
                      : m_size > 0 ? m_size
                                   : RdmaPerfDefaultSize(m_test);
    parameters.iterations = m_iterations;
    parameters.txDepth = latency ? 1 : m_txDepth;
    const bool drawn = m_order == RdmaPerfOrder::RANDOM; // and which is the last is not known
    parameters.cqMod = parameters.endless || drawn ? 1 : std::min(m_cqMod, parameters.txDepth);
    parameters.postList = std::min(m_postList, parameters.txDepth);
    parameters.inlineSize = m_inlineSize;
    parameters.outs = m_outs;
    return parameters;
}

int64_t
RdmaPerfClient::AssignStreams(int64_t stream)
{
    m_draw->SetStream(stream);
    return 1;
}

std::string
RdmaPerfClient::CheckPerftest() const
{
    const std::pair<bool, const char*> refused[] = {
        {m_queuePairs > 1, "Qp above 1"},
        {m_all, "All"},
        {m_duration.IsStrictlyPositive(), "Duration"},
        {m_bidirectional, "Bidirectional"},
        {m_order == RdmaPerfOrder::RANDOM, "Order=Random"},
        {m_postList > 1, "PostList above 1"},
        {IsBacked(), "Backed, since its messages have content of their own"}};
    for (const auto& [set, what] : refused)
    {
        if (set)
        {
            return std::string("Exchange=Perftest does not go with ") + what +
                   ": leave it out, or take Exchange=PrivateData";
        }
    }
    return PerftestExchange::Check(m_test, m_iterations);
}

std::string
RdmaPerfClient::Check() const
{
    const bool perftest = m_exchange == RdmaPerfExchange::PERFTEST;
    const std::string unsound = perftest ? CheckPerftest() : "";
    if (!unsound.empty())
    {
        return unsound;
    }
    if (!perftest && m_firstDelay.IsStrictlyPositive())
    {
        return "FirstDelay is of Exchange=Perftest: set that, or leave FirstDelay out";
    }
    if (m_order == RdmaPerfOrder::RANDOM && (m_bidirectional || m_postList > 1))
    {
        return "Order=Random posts a message at a time, of the client: it goes neither with "
               "Bidirectional nor with PostList";
    }
    if (m_duration.IsStrictlyPositive())
    {
        return m_all ? "All runs Iterations messages of each size: it cannot go with Duration" : "";
    }
    if (m_warmUp >= m_iterations)
    {
        return "WarmUp (" + std::to_string(m_warmUp) + ") has to be less than Iterations (" +
               std::to_string(m_iterations) + "), of which it is a part";
    }
    return "";
}

void
RdmaPerfClient::StartApplication()
{
    NS_LOG_FUNCTION(this);
    CheckAddress(m_remote, "Remote");
    const std::string unsound = Check();
    NS_ABORT_MSG_UNLESS(unsound.empty(), "ns3::RdmaPerfClient: " << unsound);
    if (m_exchange == RdmaPerfExchange::PERFTEST)
    {
        StartExchange();
        return;
    }
    RdmaPerfParameters parameters = MakeParameters();
    m_record = Create<RdmaPerfRecord>(parameters, m_queuePairs);
    m_record->SetDoneCallback(MakeCallback(&RdmaPerfClient::HandleDone, this));
    parameters.record = m_record->GetNumber();
    const bool random = m_order == RdmaPerfOrder::RANDOM && !RdmaPerfIsLatency(m_test);
    if (random)
    {
        m_record->SetEndedCallback(MakeCallback(&RdmaPerfClient::HandleEnded, this));
    }
    for (uint32_t i = 0; i < m_queuePairs; i++)
    {
        const auto flow = Create<RdmaPerfFlow>(m_rxDepth, parameters);
        if (random)
        {
            flow->PostOnRequest();
        }
        if (!Connect(flow, m_remote))
        {
            return;
        }
        m_flows.push_back(flow);
    }
}

void
RdmaPerfClient::StopApplication()
{
    NS_LOG_FUNCTION(this);
    if (!m_finished && GetError().empty() && (m_record || m_control))
    {
        Fail("the application was stopped before the test was over");
    }
    StopFlows();
}

void
RdmaPerfClient::StopFlows()
{
    m_end.Cancel();
    m_post.Cancel();
    m_again.Cancel();
    for (const auto& flow : m_flows)
    {
        flow->Stop();
    }
    if (m_control)
    {
        m_control->End();
    }
}

void
RdmaPerfClient::StartExchange()
{
    NS_LOG_FUNCTION(this);
    RdmaPerftestControl::Settings settings;
    settings.rxDepth = m_rxDepth;
    settings.warmUp = m_warmUp;
    settings.peak = !m_noPeak;
    settings.delay = m_firstDelay;
    m_control = Create<RdmaPerftestControl>(MakeParameters(), settings);
    m_control->SetCallbacks(MakeCallback(&RdmaPerfClient::ConnectMeasured, this),
                            MakeCallback(&RdmaPerfClient::HandleExchanged, this));
    Connect(m_control, m_remote);
}

void
RdmaPerfClient::ConnectMeasured()
{
    NS_LOG_FUNCTION(this);
    Connect(m_control->MakeMeasured(), m_remote);
}

void
RdmaPerfClient::HandleClosed(Ptr<RdmaFlow> flow)
{
    NS_LOG_FUNCTION(this << flow);
    if (m_finished || !GetError().empty() || m_exchange != RdmaPerfExchange::PERFTEST)
    {
        return;
    }
    // nobody listens: perftest's server does not for a while before the second connection
    if (++m_tries == CONNECT_TRIES)
    {
        Fail("nobody has listened at Remote for " +
             std::to_string(CONNECT_TRIES * CONNECT_PAUSE / 1000) + " s");
        StopFlows();
        return;
    }
    m_again = Simulator::Schedule(MilliSeconds(CONNECT_PAUSE),
                                  flow == m_control ? &RdmaPerfClient::StartExchange
                                                    : &RdmaPerfClient::ConnectMeasured,
                                  this);
}

void
RdmaPerfClient::HandleExchanged()
{
    NS_LOG_FUNCTION(this);
    m_last = m_control->GetReport();
    m_reports.push_back(m_last);
    m_finished = true;
    m_finishedTrace(m_last);
}

void
RdmaPerfClient::HandleConnected(Ptr<RdmaFlow> flow)
{
    NS_LOG_FUNCTION(this << flow);
    RdmaApplication::HandleConnected(flow);
    m_connected++;
    if (m_control || m_connected < m_queuePairs || !GetError().empty())
    {
        return;
    }
    if (m_duration.IsStrictlyPositive())
    {
        m_end = Simulator::Schedule(m_duration, &RdmaPerfClient::CloseInTime, this);
    }
    StartFlows();
}

void
RdmaPerfClient::StartFlows()
{
    for (const auto& flow : m_flows)
    {
        flow->Start();
    }
    m_left = m_duration.IsStrictlyPositive() ? UINT64_MAX : m_iterations * m_queuePairs;
    PostRandomly();
}

void
RdmaPerfClient::HandleEnded(uint64_t count)
{
    m_underWay -= count;
    if (m_post.IsExpired())
    {
        m_post = Simulator::ScheduleNow(&RdmaPerfClient::PostRandomly, this);
    }
}

void
RdmaPerfClient::PostRandomly()
{
    if (m_order != RdmaPerfOrder::RANDOM || RdmaPerfIsLatency(m_test))
    {
        return;
    }
    const uint64_t window = m_window > 0 ? m_window : m_queuePairs;
    const auto hasRoom = [](const auto& flow) { return flow->HasRoom(); };
    while (m_left > 0 && m_underWay < window)
    {
        // the one that is drawn, or else the next that has room
        const auto drawn = m_flows.begin() + m_draw->GetInteger(0, m_queuePairs - 1);
        auto flow = std::find_if(drawn, m_flows.end(), hasRoom);
        flow = flow == m_flows.end() ? std::find_if(m_flows.begin(), drawn, hasRoom) : flow;
        if (!hasRoom(*flow))
        {
            return;
        }
        --m_left;
        ++m_underWay;
        (*flow)->PostNext();
    }
}

void
RdmaPerfClient::CloseInTime()
{
    NS_LOG_FUNCTION(this);
    m_record->Close();
}

void
RdmaPerfClient::HandleFailed(Ptr<RdmaFlow> flow, const std::string& reason)
{
    NS_LOG_FUNCTION(this << flow << reason);
    if (!m_finished && GetError().empty())
    {
        RdmaApplication::HandleFailed(flow, reason);
        StopFlows();
    }
}

void
RdmaPerfClient::HandleDone()
{
    NS_LOG_FUNCTION(this);
    if (!GetError().empty())
    {
        return;
    }
    m_last = m_record->MakeReport(m_warmUp * m_queuePairs, !m_noPeak);
    if (m_last.iterations == 0)
    {
        Fail("no message that counts ended within Duration: make it longer, or WarmUp less");
        StopFlows();
        return;
    }
    m_reports.push_back(m_last);
    const RdmaPerfParameters parameters = MakeParameters();
    if (parameters.all && m_last.size < parameters.GetLargest())
    {
        m_record->Next(2 * m_last.size);
        StartFlows();
        return;
    }
    m_finished = true;
    m_finishedTrace(m_last);
    StopFlows();
}

bool
RdmaPerfClient::IsFinished() const
{
    return m_finished;
}

const RdmaPerfReport&
RdmaPerfClient::GetReport() const
{
    return m_last;
}

const std::vector<RdmaPerfReport>&
RdmaPerfClient::GetReports() const
{
    return m_reports;
}

} // namespace ns3
