/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "iwarp-part-run.h"

#include "ns3/boolean.h"
#include "ns3/iwarp-scenario-parts.h"
#include "ns3/iwarp-short-names.h"
#include "ns3/iwarp-type-name.h"
#include "ns3/object-factory.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <filesystem>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(IwarpRunPart);

TypeId
IwarpRunPart::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::IwarpRunPart")
            .SetParent<IwarpScenarioPart>()
            .SetGroupName("Iwarp")
            .AddConstructor<IwarpRunPart>()
            .AddAttribute(
                "Workload",
                "What flows carry: a class of IwarpWorkload, such as mpa, ULPDUs of MPA "
                "alone; rdma-write, rdma-read, which the receiver posts, and send, the "
                "same over verbs; rounds, reads of all flows with a barrier; storage, "
                "requests whose data go inline or by RDMA; nvme-tcp, the same over NVMe/TCP; "
                "perf, a test of the perftest suite",
                StringValue("mpa"),
                MakeStringAccessor(&IwarpRunPart::m_workloadName),
                MakeStringChecker())
            .AddAttribute("Duration",
                          "Longest time for which flows send; 0 is no limit, Octets decides",
                          TimeValue(Time(0)),
                          MakeTimeAccessor(&IwarpRunPart::m_duration),
                          MakeTimeChecker(Time(0), Seconds(1000000)))
            .AddAttribute("CheckInterval",
                          "A run whose octets have all come ends at the next multiple of this, and "
                          "queues and links are watched until then, as ranks need it; 0 ends it "
                          "with the last message. It has no part in duration, unless flows go on "
                          "until Octets have come of each on average (Load, WarmUp, storage, "
                          "nvme-tcp): then all that is told is of the time until then",
                          TimeValue(Time(0)),
                          MakeTimeAccessor(&IwarpRunPart::m_checkInterval),
                          MakeTimeChecker(Time(0), Seconds(1000)))
            .AddAttribute("StartSpread",
                          "Flows start at random within this time",
                          TimeValue(MicroSeconds(100)),
                          MakeTimeAccessor(&IwarpRunPart::m_startSpread),
                          MakeTimeChecker(Time(0), Seconds(1000)))
            .AddAttribute("SpreadStarts",
                          "Flows start at random within a round trip of the longest path and the "
                          "time that a full queue takes, or as much of it as windows fill, if that "
                          "is longer than StartSpread: so that runs differ in how flows meet",
                          BooleanValue(false),
                          MakeBooleanAccessor(&IwarpRunPart::m_spreadStarts),
                          MakeBooleanChecker())
            .AddAttribute("PlainTcp",
                          "Run the same flows over ns-3's own TCP too, for the plain_tcp_ metrics",
                          BooleanValue(true),
                          MakeBooleanAccessor(&IwarpRunPart::m_plainTcp),
                          MakeBooleanChecker())
            .AddAttribute("Seed",
                          "Seed of all random numbers",
                          UintegerValue(1),
                          MakeUintegerAccessor(&IwarpRunPart::m_seed),
                          MakeUintegerChecker<uint32_t>(1))
            .AddAttribute("Run",
                          "Run number: runs of one seed are independent of each other",
                          UintegerValue(1),
                          MakeUintegerAccessor(&IwarpRunPart::m_run),
                          MakeUintegerChecker<uint64_t>())
            .AddAttribute("TimeLimit",
                          "Simulated time after which a run that is not over has failed",
                          TimeValue(Seconds(1000)),
                          MakeTimeAccessor(&IwarpRunPart::m_timeLimit),
                          MakeTimeChecker(MilliSeconds(1), Seconds(1000000)))
            .AddAttribute("Pcap",
                          "Write what the hosts send and receive to pcap files whose names begin "
                          "with this, and with IpsecReal the keys of ESP; empty writes none",
                          StringValue(""),
                          MakeStringAccessor(&IwarpRunPart::m_pcap),
                          MakeStringChecker())
            .AddAttribute("TolerateLost",
                          "A connection that ends before all of it has come is counted, in "
                          "connections_lost, and others go on; if false, the run fails",
                          BooleanValue(false),
                          MakeBooleanAccessor(&IwarpRunPart::m_tolerateLost),
                          MakeBooleanChecker());
    return tid;
}

IwarpRunPart::IwarpRunPart() = default;
IwarpRunPart::~IwarpRunPart() = default;

bool
IwarpRunPart::IsIdle() const
{
    return false;
}

std::vector<std::string>
IwarpRunPart::ListNames(const std::string& attribute) const
{
    return attribute == "Workload" ? iwarp::ListShortTypeNames(IwarpWorkload::GetTypeId())
                                   : std::vector<std::string>();
}

std::string
IwarpRunPart::CheckName(const std::string& attribute, const std::string& value) const
{
    TypeId type;
    return attribute == "Workload" ? iwarp::FindType(value, IwarpWorkload::GetTypeId(), type) : "";
}

std::string
IwarpRunPart::Check() const
{
    const std::string problem = CheckName("Workload", m_workloadName);
    if (!problem.empty())
    {
        return "Workload: " + problem;
    }
    if (m_duration >= m_timeLimit)
    {
        return "TimeLimit: it has to be more than Duration";
    }
    const auto folder = std::filesystem::path(m_pcap).parent_path();
    std::error_code error;
    const bool good = folder.empty() || std::filesystem::is_directory(folder, error);
    return good ? "" : "Pcap: there is no directory " + folder.string();
}

std::string
IwarpRunPart::CheckWith(const iwarp::ScenarioParts& parts) const
{
    const auto& workload = parts.GetWorkload();
    const std::string problem =
        iwarp::NameParameters(workload->GetInstanceTypeId(), workload->Check());
    if (!problem.empty())
    {
        return problem;
    }
    if (workload->HasStage() && !m_duration.IsZero())
    {
        return "Duration, ArrivalWindow: the second and DrainLimit say when a run ends, so leave "
               "the first 0";
    }
    if (workload->GetOctets() == 0 && m_duration.IsZero())
    {
        return "Octets, Duration: one of them has to be more than 0, or flows would not end";
    }
    if (!m_checkInterval.IsZero() && (workload->HasStage() || workload->GetOctets() == 0))
    {
        return "CheckInterval: it is for runs that end when Octets have come; set it to 0";
    }
    if (m_tolerateLost && (workload->HasStage() || workload->NeedsAllFlows()))
    {
        return "TolerateLost: with ArrivalWindow, WarmUp, Load or Workload=rounds a run needs all "
               "connections; set it to false";
    }
    return m_plainTcp && workload->IsPaced()
               ? "PlainTcp: plain TCP sends in bulk; set it to false together with Intervals, "
                 "Load, ArrivalWindow or Workload=rounds"
               : "";
}

std::string
IwarpRunPart::CheckRanks(const iwarp::ScenarioParts& parts) const
{
    if (m_plainTcp)
    {
        return "PlainTcp: it runs in a process of its own, which ranks cannot begin; set it to "
               "false";
    }
    if (!m_pcap.empty())
    {
        return "Pcap: each rank would write the same files; leave it out";
    }
    if (m_duration.IsZero() && m_checkInterval.IsZero())
    {
        return "Duration: ranks look from time to time only whether all octets have come, so say "
               "how often by CheckInterval, such as 100us, or when the run ends";
    }
    const auto& workload = parts.GetWorkload();
    return iwarp::NameParameters(workload->GetInstanceTypeId(), workload->CheckRanks());
}

void
IwarpRunPart::SetDefaults(iwarp::ScenarioParts& parts) const
{
    if (!m_pcap.empty())
    {
        parts.GetSettings().SetGlobal("ChecksumEnabled", BooleanValue(true));
    }
}

void
IwarpRunPart::SetWorkload(Ptr<IwarpWorkload> workload)
{
    m_ownWorkload = workload;
}

Ptr<IwarpWorkload>
IwarpRunPart::MakeWorkload() const
{
    if (m_ownWorkload)
    {
        return m_ownWorkload;
    }
    TypeId type;
    const std::string problem = iwarp::FindType(m_workloadName, IwarpWorkload::GetTypeId(), type);
    NS_ABORT_MSG_UNLESS(problem.empty(), "Workload: " << problem);
    ObjectFactory factory;
    factory.SetTypeId(type);
    return factory.Create<IwarpWorkload>();
}

Time
IwarpRunPart::GetDuration() const
{
    return m_duration;
}

Time
IwarpRunPart::GetCheckInterval() const
{
    return m_checkInterval;
}

bool
IwarpRunPart::HasSpreadStarts() const
{
    return m_spreadStarts;
}

Time
IwarpRunPart::GetStartSpread() const
{
    return m_startSpread;
}

Time
IwarpRunPart::GetTimeLimit() const
{
    return m_timeLimit;
}

bool
IwarpRunPart::HasPlainTcp() const
{
    return m_plainTcp;
}

uint32_t
IwarpRunPart::GetSeed() const
{
    return m_seed;
}

uint64_t
IwarpRunPart::GetRun() const
{
    return m_run;
}

const std::string&
IwarpRunPart::GetPcap() const
{
    return m_pcap;
}

bool
IwarpRunPart::ToleratesLost() const
{
    return m_tolerateLost;
}

} // namespace ns3
