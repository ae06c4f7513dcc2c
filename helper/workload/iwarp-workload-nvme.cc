/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "iwarp-workload-nvme.h"

#include "iwarp-request-report.h"
#include "iwarp-workload-watch.h"

#include "ns3/app-distribution.h"
#include "ns3/boolean.h"
#include "ns3/double.h"
#include "ns3/mpa-tcp-socket-factory.h"
#include "ns3/nvme-controller-queue.h"
#include "ns3/nvme-host.h"
#include "ns3/nvme-queue.h"
#include "ns3/nvme-target.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <cmath>
#include <string>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(IwarpNvmeTcpWorkload);

namespace
{

using iwarp::FlowCollector;

const iwarp::MetricDeclarations g_nvmeMetrics("nvme_", NvmeHost::ListMetrics());

/// @param collector flow @param size octets of data
void
NvmeRequestCompleted(Ptr<FlowCollector> collector,
                     iwarp::RequestKind /* kind */,
                     uint32_t size,
                     Time /* latency */)
{
    collector->Completed(size);
}

} // namespace

TypeId
IwarpNvmeTcpWorkload::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::IwarpNvmeTcpWorkload")
            .SetParent<IwarpMessageWorkload>()
            .SetGroupName("Iwarp")
            .AddConstructor<IwarpNvmeTcpWorkload>()
            .AddAttribute("ReadShare",
                          "Share of requests of the workload nvme-tcp that read; the others write",
                          DoubleValue(0.5),
                          MakeDoubleAccessor(&IwarpNvmeTcpWorkload::m_readShare),
                          MakeDoubleChecker<double>(0, 1))
            .AddAttribute("InCapsuleSize",
                          "Most octets of a write's data that go with its command, a multiple of "
                          "16; more go when the target asks for them (R2T) [octets]",
                          UintegerValue(8192),
                          MakeUintegerAccessor(&IwarpNvmeTcpWorkload::m_inCapsule),
                          MakeUintegerChecker<uint32_t>(0, 1048576))
            .AddAttribute("HeaderDigest",
                          "PDUs have a digest of their header",
                          BooleanValue(true),
                          MakeBooleanAccessor(&IwarpNvmeTcpWorkload::m_headerDigest),
                          MakeBooleanChecker())
            .AddAttribute("DataDigest",
                          "PDUs have a digest of their data",
                          BooleanValue(true),
                          MakeBooleanAccessor(&IwarpNvmeTcpWorkload::m_dataDigest),
                          MakeBooleanChecker())
            .AddAttribute("Queues",
                          "I/O queues of a flow, a TCP connection each",
                          UintegerValue(1),
                          MakeUintegerAccessor(&IwarpNvmeTcpWorkload::m_queues),
                          MakeUintegerChecker<uint32_t>(1, 128))
            .AddAttribute("AdminQueue",
                          "Each flow begins as Linux's driver does: an admin queue on a connection "
                          "of its own, Connect on each; off, I/O begins at once",
                          BooleanValue(true),
                          MakeBooleanAccessor(&IwarpNvmeTcpWorkload::m_admin),
                          MakeBooleanChecker())
            .AddAttribute("Protocol",
                          "Socket factory of both ends: of MpaTcpSocket, whose Alignment applies "
                          "to PDUs, or another of TCP, such as ns3::TcpSocketFactory, which does "
                          "not tell how it cuts them",
                          TypeIdValue(MpaTcpSocketFactory::GetTypeId()),
                          MakeTypeIdAccessor(&IwarpNvmeTcpWorkload::m_protocol),
                          MakeTypeIdChecker());
    return tid;
}

namespace
{

/// @param type a class @param name of an attribute of unsigned integers @return its default
uint64_t
GetDefault(TypeId type, const std::string& name)
{
    TypeId::AttributeInformation info;
    type.LookupAttributeByName(name, &info);
    return DynamicCast<const UintegerValue>(info.initialValue)->Get();
}

} // namespace

IwarpNvmeTcpWorkload::IwarpNvmeTcpWorkload() = default;
IwarpNvmeTcpWorkload::~IwarpNvmeTcpWorkload() = default;

std::string
IwarpNvmeTcpWorkload::Check() const
{
    const std::string protocol = CheckProtocol(m_protocol);
    if (!protocol.empty())
    {
        return protocol;
    }
    if (m_inCapsule % 16 != 0)
    {
        return "InCapsuleSize: it has to be a multiple of 16";
    }
    if (GetQueueDepth() > 1024)
    {
        return "QueueDepth: a queue of NVMe/TCP has 1024 commands at most here";
    }
    for (const auto& type : {NvmeTarget::GetTypeId(), NvmeHost::GetTypeId()})
    {
        const uint64_t size = GetDefault(type, "BlockSize");
        if ((size & (size - 1)) != 0)
        {
            return type.GetName().substr(5) + ".BlockSize: " + std::to_string(size) +
                   " is no power of 2, such as 512 or 4096"; // behind ns3::
        }
    }
    for (const std::string name : {"MaxH2cData", "R2tLength", "MaxC2hData"})
    {
        const uint64_t length = GetDefault(NvmeControllerQueue::GetTypeId(), name);
        if (length % 4 != 0)
        {
            return "NvmeControllerQueue." + name + ": " + std::to_string(length) +
                   " is no multiple of 4";
        }
    }
    const uint64_t alignment = GetDefault(NvmeQueue::GetTypeId(), "DataAlignment");
    return alignment % 4 != 0
               ? "NvmeQueue.DataAlignment: " + std::to_string(alignment) + " is no multiple of 4"
               : IwarpMessageWorkload::Check();
}

std::vector<IwarpWorkload::OwnSetting>
IwarpNvmeTcpWorkload::ListOwnSettings() const
{
    const auto inCapsule = Create<UintegerValue>(m_inCapsule);
    return {{"NvmeQueue.HeaderDigest", Create<BooleanValue>(m_headerDigest)},
            {"NvmeQueue.DataDigest", Create<BooleanValue>(m_dataDigest)},
            {"NvmeHostQueue.InCapsuleSize", inCapsule},
            {"NvmeControllerQueue.InCapsuleSize", inCapsule},
            {"NvmeHostQueue.QueueDepth", Create<UintegerValue>(GetQueueDepth())},
            {"NvmeControllerQueue.QueueSize", Create<UintegerValue>(GetQueueSize())}};
}

bool
IwarpNvmeTcpWorkload::IsShared() const
{
    return true;
}

bool
IwarpNvmeTcpWorkload::NeedsAllFlows() const
{
    return IwarpMessageWorkload::IsShared();
}

bool
IwarpNvmeTcpWorkload::CountsInHost() const
{
    return true;
}

int64_t
IwarpNvmeTcpWorkload::CountStreams() const
{
    return 5; // sizes, kinds, intervals, places, service times
}

bool
IwarpNvmeTcpWorkload::IsBothWays() const
{
    return true;
}

IwarpWorkload::Headers
IwarpNvmeTcpWorkload::GetHeaders(uint32_t ip, uint32_t tcp) const
{
    return {ip + tcp, 0}; // a PDU is as long as its data are, so that most segments have no header
}

double
IwarpNvmeTcpWorkload::GetMeanSize() const
{
    constexpr uint32_t sizes = 1000; // that stand for the distribution
    const uint64_t block = GetDefault(NvmeHost::GetTypeId(), "BlockSize");
    const auto distribution = MakeSizes();
    double sum = 0;
    for (uint32_t i = 0; i < sizes; i++)
    {
        const auto size = iwarp::FindQuantile(distribution, (i + 0.5) / sizes);
        if (!size)
        {
            return IwarpMessageWorkload::GetMeanSize();
        }
        const auto octets = static_cast<uint64_t>(std::max(1.0, std::round(*size)));
        sum += static_cast<double>((octets + block - 1) / block * block);
    }
    return sum / sizes;
}

uint32_t
IwarpNvmeTcpWorkload::GetQueueSize() const
{
    return std::max(2U, GetQueueDepth());
}

void
IwarpNvmeTcpWorkload::ConfigureEnd(const Ptr<NvmeApplication>& application) const
{
    application->SetAttribute("Protocol", TypeIdValue(m_protocol));
    application->SetAttribute("Backed", BooleanValue(IsBacked()));
    application->SetQueueAttribute("HeaderDigest", BooleanValue(m_headerDigest));
    application->SetQueueAttribute("DataDigest", BooleanValue(m_dataDigest));
    application->SetQueueAttribute("InCapsuleSize", UintegerValue(m_inCapsule));
}

void
IwarpNvmeTcpWorkload::Install(const Flow& flow, const iwarp::FlowListener& listener)
{
    Ptr<NvmeTarget> target = CreateObject<NvmeTarget>();
    ConfigureEnd(target);
    target->SetAttribute("Local", AddressValue(flow.any));
    target->SetAttribute("RequireConnect", BooleanValue(m_admin));
    target->SetQueueAttribute("QueueSize", UintegerValue(GetQueueSize()));
    flow.receiver->AddApplication(target);
    m_targets.push_back(target);

    Ptr<NvmeHost> host = CreateObject<NvmeHost>();
    ConfigureEnd(host);
    Configure(host, flow);
    host->SetAttribute("Remote", AddressValue(flow.receiverAddress));
    host->SetAttribute("ReadShare", DoubleValue(m_readShare));
    host->SetAttribute("AdminQueue", BooleanValue(m_admin));
    host->SetAttribute("Queues", UintegerValue(m_queues));
    AssignStreams(flow, host, target);
    host->SetStartTime(DrawStart(host, flow));
    flow.sender->AddApplication(host);
    m_hosts.push_back(host);

    auto writes = Create<FlowCollector>(listener);
    auto reads = Create<FlowCollector>(listener);
    const auto watch =
        [](const auto& application, const char* trace, auto function, auto collector) {
            application->TraceConnectWithoutContext(trace, MakeBoundCallback(function, collector));
        };
    watch(host, "QueueOpened", &iwarp::WatchNvmePdus, reads);
    watch(host, "QueueReady", &iwarp::WatchNvmeReceiver, reads);
    watch(host, "QueueReady", &iwarp::WatchNvmeSender, writes);
    watch(target, "QueueOpened", &iwarp::WatchNvmePdus, writes);
    watch(target, "QueueReady", &iwarp::WatchNvmeReceiver, writes);
    watch(target, "QueueReady", &iwarp::WatchNvmeSender, reads);
    const auto failed = MakeCallback(&FlowCollector::Failed, writes);
    host->TraceConnectWithoutContext("Failed", failed);
    target->TraceConnectWithoutContext("Failed", failed);
    watch(host, "RequestCompleted", &NvmeRequestCompleted, writes);
}

void
IwarpNvmeTcpWorkload::Restart()
{
    IwarpMessageWorkload::Restart();
    for (const auto& host : m_hosts)
    {
        host->RestartTotals();
    }
}

void
IwarpNvmeTcpWorkload::Finish(iwarp::MetricSet& metrics)
{
    std::vector<const iwarp::RequestTotals*> totals;
    for (const auto& host : m_hosts)
    {
        metrics.Add("content_errors", host->GetContentErrors());
        totals.push_back(&host->GetTotals());
    }
    iwarp::ReportRequests("nvme_", totals, metrics);
    for (const auto& target : m_targets)
    {
        metrics.Add("content_errors", target->GetContentErrors());
    }
    m_hosts.clear();
    m_targets.clear();
}

} // namespace ns3
