/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "iwarp-topology.h"

#include "ns3/abort.h"
#include "ns3/boolean.h"
#include "ns3/double.h"
#include "ns3/log.h"
#include "ns3/ns3-compat.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <string>
#include <utility>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("IwarpTopology");
NS_OBJECT_ENSURE_REGISTERED(IwarpTopology);

TypeId
IwarpTopology::GetTypeId()
{
    using Kind = iwarp::QueueDiscKind;
    static TypeId tid = AddBuffers(AddPauses(
        TypeId("ns3::IwarpTopology")
            .SetParent<Object>()
            .SetGroupName("Iwarp")
            .AddAttribute("LinkRate",
                          "Rate of links between routers, such as the dumbbell's bottleneck",
                          DataRateValue(DataRate("10Gbps")),
                          MakeDataRateAccessor(&IwarpTopology::m_linkRate),
                          MakeDataRateChecker())
            .AddAttribute("Delay",
                          "Propagation delay of links between routers, one way, where the topology "
                          "does not reckon it from distances",
                          TimeValue(MicroSeconds(50)),
                          MakeTimeAccessor(&IwarpTopology::m_delay),
                          MakeTimeChecker(Time(0), Seconds(100)))
            .AddAttribute("AccessRate",
                          "Rate of each host's link",
                          DataRateValue(DataRate("40Gbps")),
                          MakeDataRateAccessor(&IwarpTopology::m_accessRate),
                          MakeDataRateChecker())
            .AddAttribute("AccessDelay",
                          "Propagation delay of each host's link, one way",
                          TimeValue(MicroSeconds(1)),
                          MakeTimeAccessor(&IwarpTopology::m_accessDelay),
                          MakeTimeChecker(Time(0), Seconds(100)))
            .AddAttribute("QueueSize",
                          "Most that waits at each device of each link, packets or octets",
                          QueueSizeValue(QueueSize("1000p")),
                          MakeQueueSizeAccessor(&IwarpTopology::m_queueSize),
                          MakeQueueSizeChecker())
            .AddAttribute("QueueDisc",
                          "What the queues of all links mark or drop: none, nothing until they are "
                          "full; red, by the mean length; codel, by the time that packets wait; "
                          "fq-codel, codel for each flow in turn; pie, by the delay that it "
                          "reckons; threshold, whatever finds MarkingThreshold waiting, or with "
                          "MarkingCeiling some of it",
                          iwarp::MakeEnumValue(Kind::NONE),
                          iwarp::MakeEnumAccessor(&IwarpTopology::m_disc),
                          iwarp::MakeEnumChecker(Kind::NONE,
                                                 "none",
                                                 Kind::RED,
                                                 "red",
                                                 Kind::CODEL,
                                                 "codel",
                                                 Kind::FQ_CODEL,
                                                 "fq-codel",
                                                 Kind::PIE,
                                                 "pie",
                                                 Kind::THRESHOLD,
                                                 "threshold"))
            .AddAttribute("MarkingThreshold",
                          "Length of the queue from which QueueDisc=threshold marks packets, each "
                          "unless MarkingCeiling is set, in the unit of QueueSize; DCQCN's Kmin "
                          "(Zhu et al., SIGCOMM 2015: 5 kB at 40 Gbit/s)",
                          QueueSizeValue(QueueSize("65p")),
                          MakeQueueSizeAccessor(&IwarpTopology::m_threshold),
                          MakeQueueSizeChecker())
            .AddAttribute("MarkingCeiling",
                          "Length from which it marks each packet, with a probability that grows "
                          "from 0 at MarkingThreshold to MarkingProbability just below; DCQCN's "
                          "Kmax (Zhu et al., SIGCOMM 2015: 200 kB). 0 is MarkingThreshold",
                          QueueSizeValue(QueueSize("0p")),
                          MakeQueueSizeAccessor(&IwarpTopology::m_ceiling),
                          MakeQueueSizeChecker())
            .AddAttribute("MarkingProbability",
                          "Probability with which it marks a packet just below MarkingCeiling; "
                          "DCQCN's Pmax (Zhu et al., SIGCOMM 2015: 1 %)",
                          DoubleValue(0.01),
                          MakeDoubleAccessor(&IwarpTopology::m_probability),
                          MakeDoubleChecker<double>(0, 1))
            .AddAttribute("MarkAtDequeue",
                          "QueueDisc=threshold marks a packet when it leaves, by the length behind "
                          "it, as switches with shared buffers do, rather than by what it finds",
                          BooleanValue(false),
                          MakeBooleanAccessor(&IwarpTopology::m_departing),
                          MakeBooleanChecker())
            .AddAttribute("EcnMarking",
                          "Queue discs mark what is ECN-capable rather than drop it",
                          BooleanValue(true),
                          MakeBooleanAccessor(&IwarpTopology::m_marking),
                          MakeBooleanChecker())
            .AddAttribute("Mtu",
                          "MTU of all links; IPv6 needs 1280 [octets]",
                          UintegerValue(1500),
                          MakeUintegerAccessor(&IwarpTopology::m_mtu),
                          MakeUintegerChecker<uint32_t>(576, 65535))
            .AddAttribute(
                "Framing",
                "What a datagram costs each link: ethernet, 38 octets besides its own and "
                "84 in all at least; ppp, 2 octets besides its own",
                iwarp::MakeEnumValue(PathFraming::ETHERNET),
                iwarp::MakeEnumAccessor(&IwarpTopology::m_framing),
                iwarp::MakeEnumChecker(PathFraming::ETHERNET,
                                       "ethernet",
                                       PathFraming::PPP,
                                       "ppp"))));
    return tid;
}

TypeId
IwarpTopology::AddPauses(TypeId tid)
{
    return tid
        .AddAttribute("Priorities",
                      "Priorities of all queues, each with a QueueDisc of its own",
                      UintegerValue(1),
                      MakeUintegerAccessor(&IwarpTopology::m_priorities),
                      MakeUintegerChecker<uint8_t>(1, PathPriorities::MOST))
        .AddAttribute("DscpPriorities",
                      "Priorities of DSCPs, such as 26:3,48:6; of others it is DSCP / 8, or the "
                      "greatest that there is",
                      StringValue(""),
                      MakeStringAccessor(&IwarpTopology::m_dscpPriorities),
                      MakeStringChecker())
        .AddAttribute("PriorityWeights",
                      "What priorities send in turn, as weights from priority 0 on such as 1,3,0; "
                      "those of weight 0 go first, the highest before all. Nothing: all of them",
                      StringValue(""),
                      MakeStringAccessor(&IwarpTopology::m_weights),
                      MakeStringChecker())
        .AddAttribute("PfcXoff",
                      "Octets of a priority that came in at a port of a switch and wait there, "
                      "above which it has the other end of the link pause (priority flow control); "
                      "0 for never, or with PfcHeadroom for what BufferAlpha says [octets]",
                      UintegerValue(0),
                      MakeUintegerAccessor(&IwarpTopology::m_xoff),
                      MakeUintegerChecker<uint64_t>())
        .AddAttribute("PfcXon",
                      "Octets there down to which it lets the other end go on [octets]",
                      UintegerValue(0),
                      MakeUintegerAccessor(&IwarpTopology::m_xon),
                      MakeUintegerChecker<uint64_t>())
        .AddAttribute("PfcPriorities",
                      "Priorities that pause, such as 3,4, or all",
                      StringValue("all"),
                      MakeStringAccessor(&IwarpTopology::m_lossless),
                      MakeStringChecker())
        .AddAttribute("PfcHeadroom",
                      "Octets behind the threshold of each port and priority for what comes after "
                      "it asked for a pause: auto, as the link needs; a number; or none, what the "
                      "queues hold",
                      StringValue("none"),
                      MakeStringAccessor(&IwarpTopology::m_headroom),
                      MakeStringChecker())
        .AddAttribute("PfcResponse",
                      "Time until the other end heeds a pause frame that has come",
                      TimeValue(Time(0)),
                      MakeTimeAccessor(&IwarpTopology::m_response),
                      MakeTimeChecker(Time(0), Seconds(1)));
}

TypeId
IwarpTopology::AddBuffers(TypeId tid)
{
    return tid
        .AddAttribute("BufferSize",
                      "Memory of each switch, shared by its ports, in place of QueueSize there; 0 "
                      "for no limit but the queues' [octets]",
                      UintegerValue(0),
                      MakeUintegerAccessor(&IwarpTopology::m_bufferSize),
                      MakeUintegerChecker<uint64_t>())
        .AddAttribute("BufferAlpha",
                      "Most of a queue over what is free of the shared memory, one for all "
                      "priorities or one for each, such as 1,0.125 (dynamic thresholds)",
                      StringValue("1"),
                      MakeStringAccessor(&IwarpTopology::m_bufferAlpha),
                      MakeStringChecker())
        .AddAttribute("BufferReserve",
                      "Memory that each port and priority of a switch has to itself [octets]",
                      UintegerValue(0),
                      MakeUintegerAccessor(&IwarpTopology::m_bufferReserve),
                      MakeUintegerChecker<uint64_t>())
        .AddAttribute("PfcXonOffset",
                      "How far a port has to be below a dynamic threshold for the other end to go "
                      "on [octets]",
                      UintegerValue(3072),
                      MakeUintegerAccessor(&IwarpTopology::m_offset),
                      MakeUintegerChecker<uint64_t>())
        .AddAttribute("InputBuffer",
                      "Memory of each port of a switch for what came in by it and waits in virtual "
                      "output queues, which send a packet each in turn, in place of QueueSize "
                      "there; 0: packets wait where they leave, as they came [octets]",
                      UintegerValue(0),
                      MakeUintegerAccessor(&IwarpTopology::m_inputBuffer),
                      MakeUintegerChecker<uint64_t>());
}

iwarp::SwitchSettings
IwarpTopology::GetSwitchSettings() const
{
    return {m_priorities,
            m_dscpPriorities,
            m_weights,
            m_lossless,
            m_xoff,
            m_xon,
            m_headroom,
            m_response,
            m_bufferSize,
            m_bufferAlpha,
            m_bufferReserve,
            m_offset,
            m_inputBuffer};
}

IwarpTopology::IwarpTopology() = default;
IwarpTopology::~IwarpTopology() = default;

std::string
IwarpTopology::Check(uint32_t /* pairs */, bool ipv6) const
{
    if (ipv6 && m_mtu < 1280)
    {
        return "Mtu: IPv6 needs at least 1280";
    }
    if (m_linkRate.GetBitRate() == 0 || m_accessRate.GetBitRate() == 0)
    {
        return "LinkRate, AccessRate: both have to be more than 0";
    }
    return CheckQueues(m_disc, m_queueSize);
}

std::string
IwarpTopology::CheckQueues(iwarp::QueueDiscKind disc, const QueueSize& size) const
{
    const bool octets = size.GetUnit() == QueueSizeUnit::BYTES;
    if (size.GetValue() == 0 || (octets && size.GetValue() < m_mtu + 2))
    {
        return "QueueSize: it has to hold a packet of Mtu octets and the 2 octets of PPP";
    }
    if (octets && disc == iwarp::QueueDiscKind::FQ_CODEL)
    {
        return "QueueSize, QueueDisc: fq-codel counts packets, so give the size in packets (1000p)";
    }
    if (disc == iwarp::QueueDiscKind::THRESHOLD)
    {
        const std::string problem = CheckMarking(size);
        if (!problem.empty())
        {
            return problem;
        }
    }
    for (const auto& [name, size] :
         {std::pair{"InputBuffer", m_inputBuffer}, std::pair{"BufferSize", m_bufferSize}})
    {
        if (size > 0 && size < m_mtu)
        {
            return std::string(name) + ": it has to hold a packet of Mtu octets";
        }
    }
    if (m_inputBuffer > 0 && disc != iwarp::QueueDiscKind::NONE)
    {
        return "InputBuffer, QueueDisc: virtual output queues neither mark nor drop, so set "
               "QueueDisc to none";
    }
    IwarpNetwork::Link link;
    return GetSwitchSettings().Apply(link);
}

std::string
IwarpTopology::CheckMarking(const QueueSize& size) const
{
    const auto unit = size.GetUnit();
    const uint32_t most = size.GetValue();
    if (m_threshold.GetUnit() != unit)
    {
        return "MarkingThreshold, QueueSize: give both in packets (65p) or both in octets "
               "(97500B)";
    }
    if (m_threshold.GetValue() < 2 || m_threshold.GetValue() > most)
    {
        return "MarkingThreshold: at least 2, and QueueSize at most";
    }
    if (m_ceiling.GetValue() == 0)
    {
        return "";
    }
    if (m_ceiling.GetUnit() != unit)
    {
        return "MarkingCeiling, QueueSize: give both in packets (130p) or both in octets (200kB)";
    }
    if (m_ceiling.GetValue() <= m_threshold.GetValue() || m_ceiling.GetValue() > most)
    {
        return "MarkingCeiling: more than MarkingThreshold, and QueueSize at most; or 0";
    }
    return "";
}

DataRate
IwarpTopology::GetBottleneckRate() const
{
    return std::min(m_linkRate, m_accessRate);
}

bool
IwarpTopology::AddsHosts() const
{
    return false;
}

bool
IwarpTopology::HasPause() const
{
    return GetSwitchSettings().HasPause();
}

bool
IwarpTopology::HasMemory() const
{
    return m_bufferSize > 0 || m_inputBuffer > 0;
}

bool
IwarpTopology::HasPriorities() const
{
    return m_priorities > 1;
}

Time
IwarpTopology::GetDelay() const
{
    return m_delay;
}

std::string
IwarpTopology::CheckLink(const iwarp::LinkSettings& settings) const
{
    if (settings.rate && settings.rate->GetBitRate() == 0)
    {
        return "rate: it has to be more than 0";
    }
    return settings.queue || settings.buffer
               ? CheckQueues(settings.queue.value_or(m_disc), settings.buffer.value_or(m_queueSize))
               : "";
}

IwarpNetwork::Link
IwarpTopology::MakeLink(Time delay) const
{
    return Make(m_linkRate, delay, m_disc, m_queueSize);
}

IwarpNetwork::Link
IwarpTopology::MakeLink(Time delay, const iwarp::LinkSettings& settings) const
{
    return Make(settings.rate.value_or(m_linkRate),
                delay,
                settings.queue.value_or(m_disc),
                settings.buffer.value_or(m_queueSize));
}

IwarpNetwork::Link
IwarpTopology::MakeAccessLink() const
{
    return Make(m_accessRate, m_accessDelay, m_disc, m_queueSize);
}

IwarpNetwork::Link
IwarpTopology::Make(const DataRate& rate,
                    Time delay,
                    iwarp::QueueDiscKind disc,
                    const QueueSize& size) const
{
    const iwarp::QueueDiscSettings
        settings{disc, size, m_threshold, m_marking, m_ceiling, m_probability, m_departing};
    IwarpNetwork::Link link{rate,
                            delay,
                            size,
                            m_mtu,
                            m_framing,
                            iwarp::MakeQueueDiscFactory(settings, rate, delay)};
    const std::string problem = GetSwitchSettings().Apply(link);
    NS_ABORT_MSG_UNLESS(problem.empty(), "IwarpTopology: " << problem);
    return link;
}

} // namespace ns3
