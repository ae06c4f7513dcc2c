/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "iwarp-workload-roce.h"

#include "ns3/boolean.h"
#include "ns3/inet-socket-address.h"
#include "ns3/inet6-socket-address.h"
#include "ns3/ns3-compat.h"
#include "ns3/object-factory.h"
#include "ns3/roce-dcqcn.h"
#include "ns3/roce-timely.h"
#include "ns3/uinteger.h"

#include <algorithm>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(IwarpRoceWorkload);
NS_OBJECT_ENSURE_REGISTERED(IwarpGoBackNWorkload);
NS_OBJECT_ENSURE_REGISTERED(IwarpSelectiveRepeatWorkload);

namespace
{

using iwarp::FlowCollector;
using Merge = MetricMerge;

const iwarp::MetricDeclarations g_roceMetrics{std::vector<MetricInfo>{
    {"roce_window",
     "packets",
     "Window of a flow of go-back-n and selective-repeat",
     Merge::MAXIMUM},
    {"roce_naks", "packets", "Packets out of order of which the receivers told", Merge::SUM},
    {"roce_early", "packets", "Packets placed before all that precedes them had come", Merge::SUM},
    {"roce_marked", "packets", "Packets that came marked, with RoceCongestion=dcqcn", Merge::SUM},
    {"roce_cnps",
     "packets",
     "Congestion notification packets that receivers sent (CNPs)",
     Merge::SUM},
    {"roce_rate",
     "bit/s",
     "Rate at which a flow may send, of frames with preamble and gap: mean over time and flows",
     Merge::RATIO},
}};

/// @param collector flow
void
Posted(Ptr<FlowCollector> collector, uint64_t /* octets */)
{
    collector->Posted();
}

/// @param collector flow @param octets of a message
void
MessageCompleted(Ptr<FlowCollector> collector, uint64_t octets)
{
    collector->Completed(octets);
}

/// @param collector flow @param totals of all @param octets of payload @param delay until the host
/// has them
void
PacketPlaced(Ptr<FlowCollector> collector, iwarp::FlowTotals* totals, uint32_t octets, Time delay)
{
    collector->Placed(octets);
    totals->Delay(delay);
}

/// @param address and port @return port
uint16_t
GetPort(const Address& address)
{
    return Inet6SocketAddress::IsMatchingType(address)
               ? Inet6SocketAddress::ConvertFrom(address).GetPort()
               : InetSocketAddress::ConvertFrom(address).GetPort();
}

/// Carries messages of an open loop over a connection that is there from the start.
class RoceCarrier : public iwarp::MessageCarrier
{
  public:
    /// @param flow where @param client of it, without messages and start @param user told
    RoceCarrier(const IwarpWorkload::Flow& flow, Ptr<RoceClient> client, User& user)
        : MessageCarrier(user),
          m_sender(flow.sender),
          m_client(client)
    {
        client->Allow(0);
    }

    /// Hear of messages, once. @param server that gets them @param acknowledged they end when the
    /// sender knows that they have come
    void Watch(const Ptr<RoceServer>& server, bool acknowledged)
    {
        const auto ended = MakeCallback(&RoceCarrier::HandleMessage, Ptr<RoceCarrier>(this));
        acknowledged ? m_client->TraceConnectWithoutContext("MessageAcknowledged", ended)
                     : server->TraceConnectWithoutContext("MessageReceived", ended);
    }

    void Open() override
    {
        if (!m_open) // it stays, whatever is wanted of it
        {
            m_open = true;
            m_sender->AddApplication(m_client);
        }
        NotifyReady();
    }

    void Post(uint64_t octets) override
    {
        m_client->Post(octets);
    }

    void Finish(iwarp::MetricSet& /* metrics */) override
    {
        m_client = nullptr;
    }

  private:
    void HandleMessage(uint64_t /* octets */)
    {
        NotifyMessage();
    }

    Ptr<Node> m_sender;       //!< where messages come from
    Ptr<RoceClient> m_client; //!< what sends them
    bool m_open{false};       //!< it has been installed
};

} // namespace

TypeId
IwarpRoceWorkload::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::IwarpRoceWorkload")
            .SetParent<IwarpOpenLoopWorkload>()
            .SetGroupName("Iwarp")
            .AddAttribute("Window",
                          "Packets under way at most; 0 is one bandwidth-delay product of the "
                          "empty path without congestion control (BDP flow control, Mittal et al., "
                          "SIGCOMM 2018), and with it as many as PSNs tell apart",
                          UintegerValue(0),
                          MakeUintegerAccessor(&IwarpRoceWorkload::m_window),
                          MakeUintegerChecker<uint32_t>(0, RoceHead::WINDOW))
            .AddAttribute("Congestion",
                          "What controls the rate of a connection: none; dcqcn, by marks of queues "
                          "(RoceDcqcn); timely, by round-trip times (RoceTimely)",
                          iwarp::MakeEnumValue(Congestion::NONE),
                          iwarp::MakeEnumAccessor(&IwarpRoceWorkload::m_congestion),
                          iwarp::MakeEnumChecker(Congestion::NONE,
                                                 "none",
                                                 Congestion::DCQCN,
                                                 "dcqcn",
                                                 Congestion::TIMELY,
                                                 "timely"))
            .AddAttribute("AckPeriod",
                          "Packets in order that one acknowledgement is for, but for the last of a "
                          "message; half of the window at most",
                          UintegerValue(1),
                          MakeUintegerAccessor(&IwarpRoceWorkload::m_period),
                          MakeUintegerChecker<uint32_t>(1))
            .AddAttribute("Timeout",
                          "Time without news after which packets are sent again; twice the round "
                          "trip of the empty path at least",
                          TimeValue(MicroSeconds(320)),
                          MakeTimeAccessor(&IwarpRoceWorkload::m_timeout),
                          MakeTimeChecker(NanoSeconds(1)))
            .AddAttribute("ShortTimeout",
                          "The same while at most 3 packets are under way, with selective repeat",
                          TimeValue(MicroSeconds(100)),
                          MakeTimeAccessor(&IwarpRoceWorkload::m_shortTimeout),
                          MakeTimeChecker(NanoSeconds(1)));
    return tid;
}

IwarpRoceWorkload::IwarpRoceWorkload(RoceRecovery recovery)
    : m_recovery(recovery)
{
}

IwarpRoceWorkload::~IwarpRoceWorkload() = default;

std::string
IwarpRoceWorkload::Check() const
{
    const std::string problem = IwarpOpenLoopWorkload::Check();
    return problem.empty() && IsBacked()
               ? "Backed: messages of go-back-n and selective-repeat have no content"
               : problem;
}

IwarpWorkload::Transport
IwarpRoceWorkload::GetTransport() const
{
    return Transport::UDP;
}

IwarpWorkload::Headers
IwarpRoceWorkload::GetHeaders(uint32_t ip, uint32_t /* tcp */) const
{
    // only the first packet has a RETH
    return {ip + RoceHead::UDP, RoceHead::BTH + RoceHead::ICRC, RoceHead::RETH};
}

uint32_t
IwarpRoceWorkload::FindWindow(const Flow& flow) const
{
    if (m_window > 0)
    {
        return m_window;
    }
    return m_congestion == Congestion::NONE
               ? static_cast<uint32_t>(std::min<uint64_t>(flow.path->GetWindow(), RoceHead::WINDOW))
               : RoceHead::WINDOW;
}

TypeId
IwarpRoceWorkload::GetCongestionType() const
{
    switch (m_congestion)
    {
    case Congestion::DCQCN:
        return RoceDcqcn::GetTypeId();
    case Congestion::TIMELY:
        return RoceTimely::GetTypeId();
    default:
        return RoceCongestionOps::GetTypeId();
    }
}

Ptr<RoceServer>
IwarpRoceWorkload::InstallServer(const Flow& flow,
                                 Ptr<FlowCollector> collector,
                                 iwarp::FlowTotals* totals)
{
    const uint32_t window = FindWindow(flow);
    Ptr<RoceServer> server = CreateObject<RoceServer>();
    server->SetAttribute("QueuePair", UintegerValue(GetPort(flow.receiverAddress)));
    server->SetAttribute("Recovery", iwarp::MakeEnumValue(m_recovery));
    server->SetAttribute("Window", UintegerValue(window));
    server->SetAttribute("AckPeriod", UintegerValue(std::clamp(m_period, 1U, (window + 1) / 2)));
    if (m_hosts.empty()) // the first of a run
    {
        ObjectFactory factory;
        factory.SetTypeId(GetCongestionType());
        m_cnpInterval = factory.Create<RoceCongestionOps>()->GetCnpInterval();
    }
    server->SetAttribute("CnpInterval", TimeValue(m_cnpInterval));
    server->TraceConnectWithoutContext("PacketPlaced",
                                       MakeBoundCallback(&PacketPlaced, collector, totals));
    flow.receiver->AddApplication(server);
    for (const auto& host : {flow.sender, flow.receiver})
    {
        if (m_hosts.insert(host).second && m_icrc)
        { // a connection on demand, when pcap files have begun
            RoceHost::Get(host)->SetAttribute("Icrc", BooleanValue(true));
        }
    }
    return server;
}

Ptr<RoceClient>
IwarpRoceWorkload::MakeClient(const Flow& flow) const
{
    const Time least = 2 * flow.path->GetRoundTrip();
    const uint32_t payload = flow.path->GetPayload() - flow.around;
    Ptr<RoceClient> client = CreateObject<RoceClient>();
    client->SetAttribute("Remote", AddressValue(flow.receiverAddress));
    client->SetAttribute("Recovery", iwarp::MakeEnumValue(m_recovery));
    client->SetAttribute("Window", UintegerValue(FindWindow(flow)));
    client->SetAttribute("PacketPayload", UintegerValue(payload / 4 * 4)); // without padding
    client->SetAttribute("Congestion", TypeIdValue(GetCongestionType()));
    client->SetAttribute("Timeout", TimeValue(std::max(m_timeout, least)));
    client->SetAttribute("ShortTimeout", TimeValue(std::max(m_shortTimeout, least)));
    return client;
}

void
IwarpRoceWorkload::InstallFlow(const Flow& flow, const iwarp::FlowListener& listener)
{
    auto collector = Create<FlowCollector>(listener);
    const auto server = InstallServer(flow, collector, listener.totals);
    server->TraceConnectWithoutContext("MessageReceived",
                                       MakeBoundCallback(&MessageCompleted, collector));
    m_servers.push_back(server);

    const auto client = MakeClient(flow);
    Configure(client, flow);
    client->SetAttribute("MaxOctets", UintegerValue(GetMaxOctets()));
    AssignStreams(flow, client);
    client->SetStartTime(DrawStart(client, flow));
    client->TraceConnectWithoutContext("MessagePosted", MakeBoundCallback(&Posted, collector));
    client->TraceConnectWithoutContext("Failed", MakeCallback(&FlowCollector::Failed, collector));
    flow.sender->AddApplication(client);
    m_clients.push_back(client);
}

Ptr<iwarp::MessageCarrier>
IwarpRoceWorkload::MakeCarrier(const Flow& flow,
                               const iwarp::FlowListener& listener,
                               iwarp::MessageCarrier::Kind /* kind */,
                               iwarp::MessageCarrier::User& user)
{
    const auto collector = Create<FlowCollector>(listener);
    const auto server = InstallServer(flow, collector, listener.totals);
    m_servers.push_back(server);
    const auto client = MakeClient(flow);
    client->TraceConnectWithoutContext("Failed", MakeCallback(&FlowCollector::Failed, collector));
    ConfigureCarrier(client, iwarp::MessageCarrier::Kind::LASTING);
    m_clients.push_back(client);
    const auto carrier = Create<RoceCarrier>(flow, client, user);
    carrier->Watch(server, GetIdealTime() == iwarp::IdealTime::HPCC);
    return carrier;
}

void
IwarpRoceWorkload::FinishFlows(iwarp::MetricSet& metrics)
{
    for (const auto& client : m_clients)
    {
        UintegerValue window;
        client->GetAttribute("Window", window);
        metrics.Add("roce_window", window.Get());
        if (const auto rate = client->GetMeanRate(); m_congestion != Congestion::NONE && rate)
        {
            metrics.Add("roce_rate", *rate);
        }
    }
    ReportCounts(metrics);
    m_clients.clear();
    m_servers.clear();
    m_hosts.clear();
    m_icrc = false;
}

void
IwarpRoceWorkload::Count(iwarp::MetricSet& counts) const
{
    for (const auto& client : m_clients)
    {
        counts.Add("messages_refused", client->GetRefused());
        counts.Add("roce_naks", client->GetNaks());
        if (IsPaced())
        {
            counts.Add("timeouts", client->GetTimeouts());
        }
    }
    for (const auto& server : m_servers)
    {
        counts.Add("segments_dropped", server->GetDropped());
        counts.Add("roce_early", server->GetEarly());
        if (m_congestion == Congestion::DCQCN)
        {
            counts.Add("roce_cnps", server->GetCnps());
            counts.Add("roce_marked", server->GetMarked());
        }
    }
}

void
IwarpRoceWorkload::EnablePcap(const std::string& /* prefix */)
{
    m_icrc = true;
    for (const auto& host : m_hosts)
    {
        RoceHost::Get(host)->SetAttribute("Icrc", BooleanValue(true));
    }
}

TypeId
IwarpGoBackNWorkload::GetTypeId()
{
    static TypeId tid = TypeId("ns3::IwarpGoBackNWorkload")
                            .SetParent<IwarpRoceWorkload>()
                            .SetGroupName("Iwarp")
                            .AddConstructor<IwarpGoBackNWorkload>();
    return tid;
}

IwarpGoBackNWorkload::IwarpGoBackNWorkload()
    : IwarpRoceWorkload(RoceRecovery::GO_BACK_N)
{
}

TypeId
IwarpSelectiveRepeatWorkload::GetTypeId()
{
    static TypeId tid = TypeId("ns3::IwarpSelectiveRepeatWorkload")
                            .SetParent<IwarpRoceWorkload>()
                            .SetGroupName("Iwarp")
                            .AddConstructor<IwarpSelectiveRepeatWorkload>();
    return tid;
}

IwarpSelectiveRepeatWorkload::IwarpSelectiveRepeatWorkload()
    : IwarpRoceWorkload(RoceRecovery::SELECTIVE_REPEAT)
{
}

} // namespace ns3
