/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "iwarp-scenario.h"

#include "iwarp-scenario-check.h"
#include "iwarp-scenario-run.h"

#include "ns3/app-attribute-text.h"
#include "ns3/boolean.h"
#include "ns3/double.h"
#include "ns3/node-list.h"
#include "ns3/ns3-compat.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(IwarpScenario);

template <typename T>
T IwarpScenario::*
IwarpScenario::Of(T IwarpScenarioParameters::*member)
{
    return member;
}

TypeId
IwarpScenario::GetTypeId()
{
    using P = IwarpScenarioParameters;
    static TypeId tid =
        TypeId("ns3::IwarpScenario")
            .SetParent<Object>()
            .SetGroupName("Iwarp")
            .AddConstructor<IwarpScenario>()
            .AddAttribute("Topology",
                          "Network: pairs of hosts that share one bottleneck, or hosts in the "
                          "cities of the Abilene backbone",
                          iwarp::MakeEnumValue(Topology::DUMBBELL),
                          iwarp::MakeEnumAccessor(Of(&P::topology)),
                          iwarp::MakeEnumChecker(Topology::DUMBBELL,
                                                 "dumbbell",
                                                 Topology::ABILENE,
                                                 "abilene"))
            .AddAttribute("Ipv6",
                          "Use IPv6 rather than IPv4",
                          BooleanValue(false),
                          MakeBooleanAccessor(Of(&P::ipv6)),
                          MakeBooleanChecker())
            .AddAttribute("Flows",
                          "Connections, each between two hosts of its own unless HostPairs says "
                          "otherwise",
                          UintegerValue(1),
                          MakeUintegerAccessor(Of(&P::flows)),
                          MakeUintegerChecker<uint32_t>(1, 16384))
            .AddAttribute("HostPairs",
                          "Pairs of hosts over which the flows are spread; 0 gives each flow a "
                          "pair of its own, 1 has all flows between the same two hosts",
                          UintegerValue(0),
                          MakeUintegerAccessor(Of(&P::hostPairs)),
                          MakeUintegerChecker<uint32_t>(0, 16384))
            .AddAttribute("LinkRate",
                          "Rate of the dumbbell's bottleneck or the backbone's links",
                          DataRateValue(DataRate("10Gbps")),
                          MakeDataRateAccessor(Of(&P::linkRate)),
                          MakeDataRateChecker())
            .AddAttribute("AccessRate",
                          "Rate of each host's link",
                          DataRateValue(DataRate("40Gbps")),
                          MakeDataRateAccessor(Of(&P::accessRate)),
                          MakeDataRateChecker())
            .AddAttribute("Delay",
                          "Propagation delay of the dumbbell's bottleneck, one way; the "
                          "backbone's delays come from the map",
                          TimeValue(MicroSeconds(50)),
                          MakeTimeAccessor(Of(&P::delay)),
                          MakeTimeChecker(Time(0), Seconds(100)))
            .AddAttribute("AccessDelay",
                          "Propagation delay of each host's link, one way",
                          TimeValue(MicroSeconds(1)),
                          MakeTimeAccessor(Of(&P::accessDelay)),
                          MakeTimeChecker(Time(0), Seconds(100)))
            .AddAttribute("Mtu",
                          "MTU of all links; IPv6 needs 1280 [octets]",
                          UintegerValue(1500),
                          MakeUintegerAccessor(Of(&P::mtu)),
                          MakeUintegerChecker<uint32_t>(576, 65535))
            .AddAttribute("QueueSize",
                          "Drop-tail queue at each device of each link, packets or octets",
                          QueueSizeValue(QueueSize("1000p")),
                          MakeQueueSizeAccessor(Of(&P::queueSize)),
                          MakeQueueSizeChecker())
            .AddAttribute("Loss",
                          "Probability that the path loses a packet of the data direction "
                          "[probability]",
                          DoubleValue(0),
                          MakeDoubleAccessor(Of(&P::loss)),
                          MakeDoubleChecker<double>(0, 1))
            .AddAttribute("Reordering",
                          "Probability that the path holds a packet of the data direction back, "
                          "so that others overtake it [probability]",
                          DoubleValue(0),
                          MakeDoubleAccessor(Of(&P::reordering)),
                          MakeDoubleChecker<double>(0, 1))
            .AddAttribute("ReorderingDelay",
                          "Longest time for which a packet is held back, or by which a copy comes "
                          "later; times are uniform between 0 and this",
                          TimeValue(MicroSeconds(50)),
                          MakeTimeAccessor(Of(&P::reorderingDelay)),
                          MakeTimeChecker(Time(0), Seconds(100)))
            .AddAttribute("Duplication",
                          "Probability that a packet of the data direction arrives twice "
                          "[probability]",
                          DoubleValue(0),
                          MakeDoubleAccessor(Of(&P::duplication)),
                          MakeDoubleChecker<double>(0, 1))
            .AddAttribute("AbilenePairs",
                          "Cities from which and to which flows go on the Abilene backbone; flows "
                          "take the pairs in turn",
                          StringValue("STTL-WASH,LOSA-NYCM,SNVA-ATLA,HSTN-CHIN"),
                          MakeStringAccessor(Of(&P::abilenePairs)),
                          MakeStringChecker())
            .AddAttribute("CongestionControl",
                          "Congestion control of TCP: an ns-3 TcpCongestionOps, with or without "
                          "ns3:: before it",
                          StringValue("TcpCubic"),
                          MakeStringAccessor(Of(&P::congestionControl)),
                          MakeStringChecker())
            .AddAttribute("Sack",
                          "TCP uses selective acknowledgements",
                          BooleanValue(true),
                          MakeBooleanAccessor(Of(&P::sack)),
                          MakeBooleanChecker())
            .AddAttribute("Timestamps",
                          "TCP uses timestamps, 12 octets a segment",
                          BooleanValue(true),
                          MakeBooleanAccessor(Of(&P::timestamps)),
                          MakeBooleanChecker())
            .AddAttribute("SendBuffer",
                          "TCP send buffer of each connection [octets]",
                          UintegerValue(4194304),
                          MakeUintegerAccessor(Of(&P::sendBuffer)),
                          MakeUintegerChecker<uint32_t>(4096, 1U << 30))
            .AddAttribute("ReceiveBuffer",
                          "TCP receive buffer of each connection [octets]",
                          UintegerValue(4194304),
                          MakeUintegerAccessor(Of(&P::receiveBuffer)),
                          MakeUintegerChecker<uint32_t>(4096, 1U << 30))
            .AddAttribute("WindowRate",
                          "Rate that the receive window is to allow over WindowRtt; their product "
                          "replaces ReceiveBuffer (RFC 5041 Appendix A). 0 leaves ReceiveBuffer",
                          DataRateValue(DataRate(0)),
                          MakeDataRateAccessor(Of(&P::windowRate)),
                          MakeDataRateChecker())
            .AddAttribute("WindowRtt",
                          "Round-trip time that WindowRate reckons with",
                          TimeValue(Time(0)),
                          MakeTimeAccessor(Of(&P::windowRtt)),
                          MakeTimeChecker(Time(0), Seconds(60)))
            .AddAttribute("ReceiveWindow",
                          "What takes room in the receive window of MPA's sockets: constant is "
                          "what TCP holds; retired counts besides what an RNIC has taken and not "
                          "retired, so that a sender goes no faster (RFC 5041 Appendix A)",
                          iwarp::MakeEnumValue(MpaTcpSocket::WindowMode::CONSTANT),
                          iwarp::MakeEnumAccessor(Of(&P::receiveWindow)),
                          iwarp::MakeEnumChecker(MpaTcpSocket::WindowMode::CONSTANT,
                                                 "constant",
                                                 MpaTcpSocket::WindowMode::RETIRED,
                                                 "retired"))
            .AddAttribute("MinRto",
                          "Least retransmission timeout of TCP",
                          TimeValue(MilliSeconds(200)),
                          MakeTimeAccessor(Of(&P::minRto)),
                          MakeTimeChecker(MicroSeconds(1), Seconds(60)))
            .AddAttribute("DataRetries",
                          "Retransmission timeouts of TCP, one after the other and in vain, before "
                          "it gives a connection up; Linux has 15, ns-3 itself 6 [timeouts]",
                          UintegerValue(15),
                          MakeUintegerAccessor(Of(&P::dataRetries)),
                          MakeUintegerChecker<uint32_t>(1))
            .AddAttribute("DelayedAck",
                          "Longest time for which TCP delays an ACK; less than MinRto, or else a "
                          "lone segment is sent again for want of its ACK",
                          TimeValue(MilliSeconds(40)),
                          MakeTimeAccessor(Of(&P::delayedAck)),
                          MakeTimeChecker(Time(0), Seconds(60)))
            .AddAttribute("NoDelay",
                          "TCP sends small segments at once (TCP_NODELAY); otherwise Nagle's rule",
                          BooleanValue(true),
                          MakeBooleanAccessor(Of(&P::noDelay)),
                          MakeBooleanChecker())
            .AddAttribute("Alignment",
                          "The sender keeps FPDUs aligned with TCP segments; otherwise TCP cuts "
                          "them anywhere",
                          BooleanValue(true),
                          MakeBooleanAccessor(Of(&P::alignment)),
                          MakeBooleanChecker())
            .AddAttribute("Packing",
                          "An aligned sender puts several FPDUs into a segment where they fit",
                          BooleanValue(true),
                          MakeBooleanAccessor(Of(&P::packing)),
                          MakeBooleanChecker())
            .AddAttribute("Markers",
                          "MPA Markers",
                          BooleanValue(true),
                          MakeBooleanAccessor(Of(&P::markers)),
                          MakeBooleanChecker())
            .AddAttribute("Crc",
                          "CRC32c of FPDUs",
                          BooleanValue(true),
                          MakeBooleanAccessor(Of(&P::crc)),
                          MakeBooleanChecker())
            .AddAttribute("OutOfOrder",
                          "The receiver places FPDUs out of order, where Markers prove them",
                          BooleanValue(true),
                          MakeBooleanAccessor(Of(&P::outOfOrder)),
                          MakeBooleanChecker())
            .AddAttribute("ReassemblyMemory",
                          "Memory of each receiver for FPDUs that cannot be placed yet; 0 is no "
                          "limit [octets]",
                          UintegerValue(0),
                          MakeUintegerAccessor(Of(&P::reassemblyMemory)),
                          MakeUintegerChecker<uint64_t>())
            .AddAttribute("Rnic",
                          "RNIC of each host: none, or a profile, of which there are ideal, "
                          "t5-like, e810-like, siw-like",
                          StringValue("none"),
                          MakeStringAccessor(Of(&P::rnic)),
                          MakeStringChecker())
            .AddAttribute("RnicSettings",
                          "Attributes of the RNICs over those of the profile, such as "
                          "RxTcp.TimePerPacket=100ns,HostInterface.ReadTags=16",
                          StringValue(""),
                          MakeStringAccessor(Of(&P::rnicSettings)),
                          MakeStringChecker())
            .AddAttribute("RnicMemory",
                          "Reassembly memory of each RNIC, shared by all its connections, at least "
                          "140; 0 leaves it to the profile [octets]",
                          UintegerValue(0),
                          MakeUintegerAccessor(Of(&P::rnicMemory)),
                          MakeUintegerChecker<uint64_t>())
            .AddAttribute("DynamicMulpdu",
                          "The sender fits FPDUs to the room left in a segment",
                          BooleanValue(false),
                          MakeBooleanAccessor(Of(&P::dynamicMulpdu)),
                          MakeBooleanChecker())
            .AddAttribute(
                "Workload",
                "How messages go to the receiver: as ULPDUs of MPA alone, or over verbs by "
                "RDMA Writes, by RDMA Reads that the receiver posts, or by Sends; storage "
                "makes requests, half of them reads, whose data go inline or by RDMA; perf is "
                "a test of the perftest suite instead",
                iwarp::MakeEnumValue(Workload::MPA),
                iwarp::MakeEnumAccessor(Of(&P::workload)),
                iwarp::MakeEnumChecker(Workload::MPA,
                                       "mpa",
                                       Workload::RDMA_WRITE,
                                       "rdma-write",
                                       Workload::RDMA_READ,
                                       "rdma-read",
                                       Workload::SEND,
                                       "send",
                                       Workload::STORAGE,
                                       "storage",
                                       Workload::PERF,
                                       "perf"))
            .AddAttribute("MessageSizes",
                          "Distribution of message sizes in octets: fixed:65536, "
                          "cdf:alistorage2019, ns3::ExponentialRandomVariable[Mean=8000]",
                          StringValue("cdf:alistorage2019"),
                          MakeStringAccessor(Of(&P::messageSizes)),
                          MakeStringChecker())
            .AddAttribute("Intervals",
                          "Distribution of the time between messages of a flow in seconds, in the "
                          "same form; empty posts a message whenever fewer than QueueDepth are",
                          StringValue(""),
                          MakeStringAccessor(Of(&P::intervals)),
                          MakeStringChecker())
            .AddAttribute("QueueDepth",
                          "Messages posted and not wholly given to TCP; with Intervals, those that "
                          "find so many are refused [messages]",
                          UintegerValue(16),
                          MakeUintegerAccessor(Of(&P::queueDepth)),
                          MakeUintegerChecker<uint32_t>(1))
            .AddAttribute("Octets",
                          "Payload that each flow sends; 0 is no limit, Duration decides [octets]",
                          UintegerValue(4000000),
                          MakeUintegerAccessor(Of(&P::octets)),
                          MakeUintegerChecker<uint64_t>())
            .AddAttribute("Duration",
                          "Longest time for which flows send; 0 is no limit, Octets decides",
                          TimeValue(Time(0)),
                          MakeTimeAccessor(Of(&P::duration)),
                          MakeTimeChecker(Time(0), Seconds(1000000)))
            .AddAttribute("StartSpread",
                          "Flows start at random within this time",
                          TimeValue(MicroSeconds(100)),
                          MakeTimeAccessor(Of(&P::startSpread)),
                          MakeTimeChecker(Time(0), Seconds(1000)))
            .AddAttribute("Backed",
                          "Messages have real content, which the receivers compare",
                          BooleanValue(false),
                          MakeBooleanAccessor(Of(&P::backed)),
                          MakeBooleanChecker())
            .AddAttribute("StorageReadShare",
                          "Share of requests of the workload storage that read; the others write",
                          DoubleValue(0.5),
                          MakeDoubleAccessor(Of(&P::storageReadShare)),
                          MakeDoubleChecker<double>(0, 1))
            .AddAttribute("StorageInlineThreshold",
                          "Most octets of data that the workload storage puts into a Send; more go "
                          "by RDMA [octets]",
                          UintegerValue(4096),
                          MakeUintegerAccessor(Of(&P::storageInlineThreshold)),
                          MakeUintegerChecker<uint32_t>(0, 1048576))
            .AddAttribute("PerfTest",
                          "Test of the workload perf, named as perftest's programs without ib_",
                          iwarp::MakeEnumValue(RdmaPerfTest::WRITE_BW),
                          iwarp::MakeEnumAccessor(Of(&P::perfTest)),
                          iwarp::MakeEnumChecker(RdmaPerfTest::WRITE_BW,
                                                 "write_bw",
                                                 RdmaPerfTest::WRITE_LAT,
                                                 "write_lat",
                                                 RdmaPerfTest::READ_BW,
                                                 "read_bw",
                                                 RdmaPerfTest::READ_LAT,
                                                 "read_lat",
                                                 RdmaPerfTest::SEND_BW,
                                                 "send_bw",
                                                 RdmaPerfTest::SEND_LAT,
                                                 "send_lat",
                                                 RdmaPerfTest::ATOMIC_BW,
                                                 "atomic_bw",
                                                 RdmaPerfTest::ATOMIC_LAT,
                                                 "atomic_lat"))
            .AddAttribute("PerfSize",
                          "Message size of the workload perf; 0 is 65536 for bandwidth and 2 for "
                          "latency, atomics have 8 [octets]",
                          UintegerValue(0),
                          MakeUintegerAccessor(Of(&P::perfSize)),
                          MakeUintegerChecker<uint32_t>())
            .AddAttribute("PerfAll",
                          "The workload perf runs with each size from 2 to 8388608 that is a power "
                          "of two, instead of PerfSize; atomics have 8 [octets]",
                          BooleanValue(false),
                          MakeBooleanAccessor(Of(&P::perfAll)),
                          MakeBooleanChecker())
            .AddAttribute("PerfIterations",
                          "Messages of each flow of the workload perf, of each size [messages]",
                          UintegerValue(1000),
                          MakeUintegerAccessor(Of(&P::perfIterations)),
                          MakeUintegerChecker<uint32_t>(1))
            .AddAttribute("PlainTcp",
                          "Run the same flows over ns-3's own TCP too, for the plain_tcp_ metrics",
                          BooleanValue(true),
                          MakeBooleanAccessor(Of(&P::plainTcp)),
                          MakeBooleanChecker())
            .AddAttribute("Seed",
                          "Seed of all random numbers",
                          UintegerValue(1),
                          MakeUintegerAccessor(Of(&P::seed)),
                          MakeUintegerChecker<uint32_t>(1))
            .AddAttribute("Run",
                          "Run number: runs of one seed are independent of each other",
                          UintegerValue(1),
                          MakeUintegerAccessor(Of(&P::run)),
                          MakeUintegerChecker<uint64_t>())
            .AddAttribute("TimeLimit",
                          "Simulated time after which a run that is not over has failed",
                          TimeValue(Seconds(1000)),
                          MakeTimeAccessor(Of(&P::timeLimit)),
                          MakeTimeChecker(MilliSeconds(1), Seconds(1000000)))
            .AddAttribute("Pcap",
                          "Write what the hosts send and receive to pcap files whose names begin "
                          "with this; empty writes none",
                          StringValue(""),
                          MakeStringAccessor(Of(&P::pcap)),
                          MakeStringChecker());
    return tid;
}

IwarpScenario::IwarpScenario() = default;
IwarpScenario::~IwarpScenario() = default;

std::string
IwarpScenario::SetParameter(const std::string& name, const std::string& value)
{
    TypeId::AttributeInformation info;
    if (!GetTypeId().LookupAttributeByName(name, &info))
    {
        std::string names;
        for (std::size_t i = 0; i < GetTypeId().GetAttributeN(); i++)
        {
            names += (i > 0 ? ", " : "") + GetTypeId().GetAttribute(i).name;
        }
        return "there is no parameter '" + name + "'; there are " + names;
    }
    std::string problem;
    Ptr<AttributeValue> parsed = iwarp::ParseAttribute(info, value, problem);
    if (parsed && !SetAttributeFailSafe(name, *parsed))
    {
        problem = name + ": '" + value + "' is not allowed";
    }
    return problem;
}

std::string
IwarpScenario::Check() const
{
    return iwarp::CheckScenario(*this);
}

bool
IwarpScenario::Run()
{
    m_metrics.clear();
    m_report.clear();
    m_error = Check();
    if (m_error.empty() && NodeList::GetNNodes() > 0)
    {
        m_error = "a scenario needs the simulator for itself: run it before nodes are created, or "
                  "after Simulator::Destroy()";
    }
    if (m_error.empty())
    {
        IwarpScenarioRun run(*this);
        m_error = run.Run();
        if (m_error.empty())
        {
            m_metrics = run.GetMetrics();
            m_report = run.GetReport();
        }
    }
    return m_error.empty();
}

const std::string&
IwarpScenario::GetError() const
{
    return m_error;
}

const std::vector<IwarpMetric>&
IwarpScenario::GetMetrics() const
{
    return m_metrics;
}

const std::string&
IwarpScenario::GetReport() const
{
    return m_report;
}

} // namespace ns3
