/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "iwarp-workload-open-loop.h"

#include "ns3/app-distribution.h"
#include "ns3/app-message-sizes.h"
#include "ns3/boolean.h"
#include "ns3/double.h"
#include "ns3/ns3-compat.h"
#include "ns3/pointer.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"
#include "ns3/util-text.h"

#include <cstring>
#include <filesystem>
#include <utility>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(IwarpOpenLoopWorkload);

namespace
{

using iwarp::ArrivalSource;
using iwarp::ConnectionUse;
using iwarp::IdealTime;

// values of Arrivals
constexpr const char* FLOW_FILE = "file:"; //!< what one that names a file begins with
constexpr const char* POISSON = "poisson";
constexpr const char* LOG_NORMAL = "lognormal";
constexpr const char* ON_OFF = "on-off";

/// @param text distribution of times @param [out] problem what is wrong with it, or ""
/// @return it, or nullptr
Ptr<RandomVariableStream>
MakeTimes(const std::string& text, std::string& problem)
{
    return iwarp::MakeDistribution(text, problem, iwarp::Measure::SECONDS);
}

/// @param name of an attribute @param text distribution of times @param least mean that it has to
/// exceed, seconds @return "", or what is wrong
std::string
CheckTimes(const std::string& name, const std::string& text, double least)
{
    std::string problem;
    const auto times = MakeTimes(text, problem);
    const auto mean = times ? iwarp::FindMean(times) : std::nullopt;
    if (!problem.empty() || (mean && *mean > least))
    {
        return problem.empty() ? "" : name + ": " + problem;
    }
    return name + ": its mean has to be known and more than 0, as the Load is kept by it; it is of "
                  "fixed:, cdf:, uniform, exponential, log-normal and Pareto distributions without "
                  "bounds";
}

} // namespace

TypeId
IwarpOpenLoopWorkload::GetTypeId()
{
    static TypeId tid =
        AddMeasures(AddConnections(AddArrivals(TypeId("ns3::IwarpOpenLoopWorkload")
                                                   .SetParent<IwarpMessageWorkload>()
                                                   .SetGroupName("Iwarp"))));
    return tid;
}

TypeId
IwarpOpenLoopWorkload::AddArrivals(TypeId tid)
{
    using Self = IwarpOpenLoopWorkload;
    return tid
        .AddAttribute("Arrivals",
                      "With ArrivalWindow, when messages arrive at a Load: poisson, at random "
                      "times; lognormal, with log-normal gaps of ArrivalSigma; on-off, at random "
                      "times in Bursts with Pauses between them; or file:PATH, messages of a file "
                      "with rows time,source,destination,octets, which sets MessageSizes and "
                      "Pattern aside, and takes no Load",
                      StringValue(POISSON),
                      MakeStringAccessor(&Self::m_arrivals),
                      MakeStringChecker())
        .AddAttribute("ArrivalSigma",
                      "Standard deviation of the logarithm of gaps, with Arrivals=lognormal",
                      DoubleValue(1),
                      MakeDoubleAccessor(&Self::m_sigma),
                      MakeDoubleChecker<double>(0.01, 4))
        .AddAttribute("Bursts",
                      "Distribution of the lengths of bursts in seconds, with Arrivals=on-off",
                      StringValue("ns3::ExponentialRandomVariable[Mean=0.0001]"),
                      MakeStringAccessor(&Self::m_bursts),
                      MakeStringChecker())
        .AddAttribute("Pauses",
                      "Distribution of the lengths of pauses in seconds, with Arrivals=on-off; in "
                      "bursts as many more arrive as keep the Load",
                      StringValue("ns3::ExponentialRandomVariable[Mean=0.0001]"),
                      MakeStringAccessor(&Self::m_pauses),
                      MakeStringChecker())
        .AddAttribute("ArrivalSource",
                      "Whose messages arrive in one process: those of a pair of hosts; those of a "
                      "host, each to one of its receivers at random; or all of the network",
                      iwarp::MakeEnumValue(ArrivalSource::HOST),
                      iwarp::MakeEnumAccessor(&Self::m_source),
                      iwarp::MakeEnumChecker(ArrivalSource::PAIR,
                                             "pair",
                                             ArrivalSource::HOST,
                                             "host",
                                             ArrivalSource::NETWORK,
                                             "network"));
}

TypeId
IwarpOpenLoopWorkload::AddConnections(TypeId tid)
{
    using Self = IwarpOpenLoopWorkload;
    return tid
        .AddAttribute("LoadBasis",
                      "What a Load of 1 fills with payload, with ArrivalWindow: edge, the busiest "
                      "link of a host, or core, the busiest link between routers; all pairs of "
                      "hosts have as much",
                      iwarp::MakeEnumValue(LoadBasis::EDGE),
                      iwarp::MakeEnumAccessor(&Self::m_basis),
                      iwarp::MakeEnumChecker(LoadBasis::EDGE, "edge", LoadBasis::CORE, "core"))
        .AddAttribute("Connections",
                      "Which connection a message takes, with ArrivalWindow: multiplexed, one of "
                      "the Flows of its hosts, behind other messages; pool, one of them that no "
                      "message uses; own, a new one, which is connected first and ends with it",
                      iwarp::MakeEnumValue(ConnectionUse::MULTIPLEXED),
                      iwarp::MakeEnumAccessor(&Self::m_connections),
                      iwarp::MakeEnumChecker(ConnectionUse::MULTIPLEXED,
                                             "multiplexed",
                                             ConnectionUse::POOL,
                                             "pool",
                                             ConnectionUse::OWN,
                                             "own"))
        .AddAttribute("PoolGrows",
                      "With Connections=pool, a message that finds no idle connection has another "
                      "made, which joins the pool; otherwise it waits for one",
                      BooleanValue(true),
                      MakeBooleanAccessor(&Self::m_poolGrows),
                      MakeBooleanChecker())
        .AddAttribute(
            "ConnectOnDemand",
            "With ArrivalWindow and Connections=multiplexed or pool, a connection is made "
            "by the first message that takes it, whose time counts connecting; otherwise "
            "all are there before the first message",
            BooleanValue(false),
            MakeBooleanAccessor(&Self::m_onDemand),
            MakeBooleanChecker())
        .AddAttribute("MessageLimit",
                      "With ArrivalWindow, messages of a pair of hosts under way at most; those "
                      "that find so many are refused. 0 is no limit",
                      UintegerValue(0),
                      MakeUintegerAccessor(&Self::m_messageLimit),
                      MakeUintegerChecker<uint64_t>());
}

TypeId
IwarpOpenLoopWorkload::AddMeasures(TypeId tid)
{
    using Self = IwarpOpenLoopWorkload;
    return tid
        .AddAttribute("ArrivalWarmUp",
                      "Time for which messages arrive before ArrivalWindow",
                      TimeValue(Time(0)),
                      MakeTimeAccessor(&Self::m_warmUp),
                      MakeTimeChecker(Time(0), Seconds(1000000)))
        .AddAttribute("ArrivalWindow",
                      "Open loop: messages that arrive in a time of this length are measured, and "
                      "followed to their ends while others arrive as before; then the run ends. 0 "
                      "is off; with Arrivals=file:PATH it is all of the file behind ArrivalWarmUp",
                      TimeValue(Time(0)),
                      MakeTimeAccessor(&Self::m_window),
                      MakeTimeChecker(Time(0), Seconds(1000000)))
        .AddAttribute("DrainLimit",
                      "Time behind ArrivalWindow after which a run ends at the latest; messages "
                      "that have not ended are censored. 0 is no limit",
                      TimeValue(MilliSeconds(100)),
                      MakeTimeAccessor(&Self::m_drain),
                      MakeTimeChecker(Time(0), Seconds(1000000)))
        .AddAttribute("IdealTime",
                      "What slowdowns refer to, with ArrivalWindow: homa, the least time until the "
                      "last octet has come, where a message ends then; hpcc, a round trip and its "
                      "octets at the rate of the slowest link, where it ends when its sender knows "
                      "that",
                      iwarp::MakeEnumValue(IdealTime::HOMA),
                      iwarp::MakeEnumAccessor(&Self::m_ideal),
                      iwarp::MakeEnumChecker(IdealTime::HOMA, "homa", IdealTime::HPCC, "hpcc"))
        .AddAttribute("SizeBins",
                      "Sizes of messages that metrics tell of one by one, with ArrivalWindow: as "
                      "many messages are of each; 0 is none",
                      UintegerValue(10),
                      MakeUintegerAccessor(&Self::m_bins),
                      MakeUintegerChecker<uint32_t>(0, 100))
        .AddAttribute("MessageLog",
                      "File that gets a row for each message of ArrivalWindow: "
                      "time,source,destination,octets,taken,slowdown,end; empty writes none",
                      StringValue(""),
                      MakeStringAccessor(&Self::m_log),
                      MakeStringChecker());
}

IwarpOpenLoopWorkload::IwarpOpenLoopWorkload() = default;
IwarpOpenLoopWorkload::~IwarpOpenLoopWorkload() = default;

// ---- what the attributes say --------------------------------------------------------------------

std::string
IwarpOpenLoopWorkload::GetFlowFile() const
{
    return m_arrivals.rfind(FLOW_FILE, 0) == 0 ? m_arrivals.substr(std::strlen(FLOW_FILE)) : "";
}

bool
IwarpOpenLoopWorkload::HasStage() const
{
    return !m_window.IsZero() || !GetFlowFile().empty();
}

std::string
IwarpOpenLoopWorkload::Check() const
{
    std::string problem = IwarpMessageWorkload::Check();
    problem = problem.empty() ? CheckArrivals() : problem;
    return problem.empty() ? CheckMeasures() : problem;
}

std::string
IwarpOpenLoopWorkload::CheckArrivals() const
{
    const std::string file = GetFlowFile();
    if (!file.empty())
    {
        iwarp::FlowFile flows;
        const std::string problem = flows.Load(file);
        const bool twice = GetLoad() > 0 || MakeIntervals();
        return !problem.empty() ? "Arrivals: " + problem
               : twice          ? "Arrivals, Load, Intervals: a file says when messages arrive, so "
                                  "give none of the others"
               : flows.GetLast() < m_warmUp
                   ? "ArrivalWarmUp: no message of the file arrives behind it"
                   : "";
    }
    if (m_arrivals != POISSON && m_arrivals != LOG_NORMAL && m_arrivals != ON_OFF)
    {
        return "Arrivals: '" + m_arrivals + "' is none of " +
               iwarp::Join({POISSON, LOG_NORMAL, ON_OFF}) + ", " + FLOW_FILE + "PATH";
    }
    if (m_arrivals != POISSON && (GetLoad() <= 0 || m_window.IsZero()))
    {
        return "Arrivals: " + m_arrivals + " needs a Load and an ArrivalWindow";
    }
    const std::string problem =
        m_arrivals == ON_OFF ? CheckTimes("Bursts", m_bursts, 0) : std::string();
    return problem.empty() && m_arrivals == ON_OFF ? CheckTimes("Pauses", m_pauses, 0) : problem;
}

std::string
IwarpOpenLoopWorkload::CheckMeasures() const
{
    if (!HasStage())
    {
        return m_connections == ConnectionUse::MULTIPLEXED
                   ? ""
                   : "Connections: messages take a connection each in an open loop, which needs "
                     "ArrivalWindow";
    }
    if (GetFlowFile().empty() && GetLoad() <= 0 && !MakeIntervals())
    {
        return "ArrivalWindow: messages arrive by Load, Intervals or Arrivals=file:PATH, so give "
               "one of them";
    }
    if (GetWarmUp() > 0)
    {
        return "WarmUp, ArrivalWindow: the second has a warm-up of its own, ArrivalWarmUp";
    }
    const auto folder = std::filesystem::path(m_log).parent_path();
    std::error_code error;
    const bool good = folder.empty() || std::filesystem::is_directory(folder, error);
    return good ? "" : "MessageLog: there is no directory " + folder.string();
}

std::string
IwarpOpenLoopWorkload::CheckFlowRanks() const
{
    if (HasStage())
    {
        return "ArrivalWindow, Arrivals: messages of an open loop are followed from one end to the "
               "other, so both have to be of one rank; leave them out";
    }
    return GetWarmUp() == 0 ? ""
                            : "WarmUp: no rank knows when the flows of the others are warm; set it "
                              "to 0";
}

uint64_t
IwarpOpenLoopWorkload::GetOctets() const
{
    return HasStage() ? UINT64_MAX : IwarpMessageWorkload::GetOctets(); // as many as arrive
}

bool
IwarpOpenLoopWorkload::IsPaced() const
{
    return HasStage() || IwarpMessageWorkload::IsPaced();
}

bool
IwarpOpenLoopWorkload::IsShared() const
{
    return HasStage() || IwarpMessageWorkload::IsShared();
}

int64_t
IwarpOpenLoopWorkload::CountStreams() const
{
    return HasStage() ? iwarp::OpenLoop::STREAMS + 1 : IwarpMessageWorkload::CountStreams();
}

IwarpWorkload::LoadBasis
IwarpOpenLoopWorkload::GetLoadBasis() const
{
    return HasStage() && GetLoad() > 0 ? m_basis : IwarpMessageWorkload::GetLoadBasis();
}

iwarp::IdealTime
IwarpOpenLoopWorkload::GetIdealTime() const
{
    return m_ideal;
}

std::string
IwarpOpenLoopWorkload::ChooseEnds(const std::function<std::vector<std::string>()>& hosts,
                                  IwarpTopology::Ends& ends)
{
    if (GetFlowFile().empty())
    {
        return "";
    }
    std::string problem = m_file.Load(GetFlowFile());
    problem = problem.empty() ? m_file.Resolve(hosts()) : problem;
    ends = m_file.ListEnds();
    return problem.empty() ? "" : "Arrivals: " + problem;
}

std::unique_ptr<iwarp::Arrivals>
IwarpOpenLoopWorkload::MakeArrivals(double mean) const
{
    if (const auto intervals = MakeIntervals())
    {
        return iwarp::MakeRenewalArrivals(intervals);
    }
    if (m_arrivals == LOG_NORMAL)
    {
        return iwarp::MakeLogNormalArrivals(mean, m_sigma);
    }
    if (m_arrivals == ON_OFF)
    {
        std::string problem;
        const auto bursts = MakeTimes(m_bursts, problem);
        const auto pauses = MakeTimes(m_pauses, problem);
        return iwarp::MakeOnOffArrivals(mean,
                                        bursts,
                                        pauses,
                                        *iwarp::FindMean(bursts),
                                        *iwarp::FindMean(pauses));
    }
    return iwarp::MakePoissonArrivals(mean);
}

// ---- a run --------------------------------------------------------------------------------------

iwarp::OpenLoop::Settings
IwarpOpenLoopWorkload::MakeSettings()
{
    iwarp::OpenLoop::Settings settings;
    settings.use = m_connections;
    settings.grows = m_poolGrows;
    settings.onDemand = m_onDemand;
    settings.limit = m_messageLimit;
    settings.source = m_source;
    settings.load = GetLoad();
    settings.makeSizes = [this] { return MakeSizes(); };
    settings.makeArrivals = [this](double mean) { return MakeArrivals(mean); };
    settings.file = GetFlowFile().empty() ? nullptr : &m_file;
    settings.warmUp = m_warmUp;
    settings.window = m_window;
    settings.drain = m_drain;
    settings.ideal = m_ideal;
    settings.bins = m_bins;
    settings.log = m_log;
    return settings;
}

void
IwarpOpenLoopWorkload::Install(const Flow& flow, const iwarp::FlowListener& listener)
{
    if (!HasStage())
    {
        InstallFlow(flow, listener);
        return;
    }
    if (!m_loop)
    {
        m_undrawn = CreateObject<ConstantRandomVariable>();
        m_undrawn->SetStream(flow.stream + iwarp::OpenLoop::STREAMS);
        m_loop = Create<iwarp::OpenLoop>(MakeSettings(),
                                         listener,
                                         [this, listener](const Flow& added,
                                                          iwarp::MessageCarrier::Kind kind,
                                                          iwarp::MessageCarrier::User& user) {
                                             return MakeCarrier(added, listener, kind, user);
                                         });
    }
    m_loop->AddFlow(flow);
}

void
IwarpOpenLoopWorkload::ConfigureCarrier(const Ptr<Object>& client,
                                        iwarp::MessageCarrier::Kind kind) const
{
    client->SetAttribute("QueueDepth", UintegerValue(GetQueueDepth()));
    client->SetAttribute("MessageSizes", PointerValue(m_undrawn));
    const bool single = kind == iwarp::MessageCarrier::Kind::SINGLE;
    client->SetAttribute("MaxMessages", UintegerValue(single ? 1 : 0));
}

void
IwarpOpenLoopWorkload::Begin(const Stage& stage)
{
    m_loop->Begin(stage);
}

void
IwarpOpenLoopWorkload::Finish(iwarp::MetricSet& metrics)
{
    m_cautions.clear();
    FinishFlows(metrics);
    if (!m_loop)
    {
        return;
    }
    m_loop->Report(metrics);
    m_cautions = m_loop->ListCautions();
    const std::string problem = m_loop->WriteLog();
    if (!problem.empty())
    {
        m_cautions.push_back(problem);
    }
    m_loop = nullptr;
    m_undrawn = nullptr;
}

std::vector<std::string>
IwarpOpenLoopWorkload::ListCautions() const
{
    return m_cautions;
}

} // namespace ns3
