/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "tcp-script.h"

#include "ns3/inet-socket-address.h"
#include "ns3/internet-stack-helper.h"
#include "ns3/ipv4-address-helper.h"
#include "ns3/mpa-tcp-socket-factory.h"
#include "ns3/net-device-container.h"
#include "ns3/node-container.h"
#include "ns3/object-factory.h"
#include "ns3/point-to-point-helper.h"
#include "ns3/rfc9293-tcp-socket-factory.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/tcp-congestion-ops.h"
#include "ns3/tcp-recovery-ops.h"

#include <cstdio>
#include <cstdlib>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace ns3;

TcpScript::TcpScript(TypeId factory)
    : m_state(TcpSocket::CLOSED)
{
    NodeContainer nodes(2);
    PointToPointHelper link;
    link.SetDeviceAttribute("DataRate", StringValue("10Gbps"));
    link.SetChannelAttribute("Delay", TimeValue(MicroSeconds(10)));
    const auto devices = link.Install(nodes);
    m_device = devices.Get(0);
    const Ptr<Node> host = nodes.Get(1);
    InternetStackHelper().Install(host);
    Ipv4AddressHelper("10.0.0.0", "255.255.255.0", "0.0.0.2").Assign(devices.Get(1));
    if (factory == Rfc9293TcpSocketFactory::GetTypeId())
    {
        Rfc9293TcpSocketFactory::Install(host);
    }
    else if (factory == MpaTcpSocketFactory::GetTypeId())
    {
        MpaTcpSocketFactory::Install(host);
    }
    nodes.Get(0)->RegisterProtocolHandler(MakeCallback(&TcpScript::Receive, this),
                                          0x0800,
                                          m_device);
    m_first = Socket::CreateSocket(host, factory);
    m_first->SetAttributeFailSafe("SegmentSize", StringValue("1000"));
    m_first->SetConnectCallback(MakeCallback(&TcpScript::HearOfConnection, this),
                                MakeCallback(&TcpScript::HearOfFailure, this));
    m_first->SetAcceptCallback(MakeNullCallback<bool, Ptr<Socket>, const Address&>(),
                               MakeCallback(&TcpScript::Accept, this));
    Pass(MilliSeconds(10), false);
}

TcpScript::~TcpScript()
{
    m_first = nullptr;
    m_socket = nullptr;
    Simulator::Destroy();
}

std::string
TcpScript::Run(const std::string& script)
{
    std::istringstream lines(script);
    for (std::string line; std::getline(lines, line);)
    {
        const auto start = line.find_first_not_of(' ');
        const std::string fault = start == std::string::npos ? "" : Perform(line.substr(start));
        if (!fault.empty())
        {
            return "\"" + line.substr(start) + "\": " + fault;
        }
    }
    return "";
}

std::string
TcpScript::RunApart(TypeId factory, const std::string& script)
{
    int ends[2];
    if (pipe(ends) != 0)
    {
        return "no pipe";
    }
    const pid_t child = fork();
    if (child == 0)
    {
        const rlimit none{0, 0};
        setrlimit(RLIMIT_CORE, &none);
        if (std::freopen("/dev/null", "w", stderr) == nullptr)
        {
            _exit(1);
        }
        const std::string fault = TcpScript(factory).Run(script);
        _exit(write(ends[1], fault.data(), fault.size()) < 0 ? 1 : 0);
    }
    close(ends[1]);
    std::string fault;
    char text[256];
    for (ssize_t size = 0; (size = read(ends[0], text, sizeof(text))) > 0;)
    {
        fault.append(text, static_cast<std::size_t>(size));
    }
    close(ends[0]);
    int status = 0;
    waitpid(child, &status, 0);
    return status == 0 ? fault : "ends the program";
}

std::string
TcpScript::Perform(const std::string& line)
{
    std::istringstream rest(line);
    std::string verb;
    rest >> verb;
    When when;
    when.last = MilliSeconds(2);
    if (verb.front() == '+')
    {
        const auto dash = verb.find('-');
        const auto first = std::stoll(verb.substr(1));
        const auto last = dash == std::string::npos ? first : std::stoll(verb.substr(dash + 1));
        when.exact = MilliSeconds(first);
        const auto slack = dash == std::string::npos ? 2 + first / 100 : 0;
        when.first = MilliSeconds(std::max<int64_t>(0, first - slack));
        when.last = MilliSeconds(last + slack);
        rest >> verb;
    }
    if (verb == ">")
    {
        return Expect(when, TcpScriptSegment::Parse(rest));
    }
    if (when.exact.IsStrictlyPositive())
    {
        Pass(when.exact, false);
    }
    if (verb == "<")
    {
        SendSegment(TcpScriptSegment::Parse(rest));
        Pass(MicroSeconds(100), false);
        return "";
    }
    const std::string fault = Call(verb, rest);
    return fault == "?" ? Check(verb, rest) : fault;
}

std::string
TcpScript::Call(const std::string& verb, std::istringstream& rest)
{
    std::string word;
    std::string value;
    if (verb == "listen")
    {
        m_first->Bind(InetSocketAddress(Ipv4Address::GetAny(), m_hostPort));
        m_first->Listen();
    }
    else if (verb == "connect")
    {
        Watch(m_first);
        m_first->Connect(InetSocketAddress(Ipv4Address("10.0.0.1"), PEER_PORT));
    }
    else if (verb == "active" || verb == "passive")
    {
        std::getline(rest, word);
        return Shake(verb == "active", word);
    }
    else if (verb == "write")
    {
        rest >> word;
        m_socket->Send(Create<Packet>(static_cast<uint32_t>(std::stoul(word))), 0);
    }
    else if (verb == "read")
    {
        rest >> word;
        const auto packet = m_socket->Recv(static_cast<uint32_t>(std::stoul(word)), 0);
        m_octets += packet ? packet->GetSize() : 0;
    }
    else if (verb == "close")
    {
        (m_socket ? m_socket : m_first)->Close();
    }
    else if (verb == "shutdown")
    {
        m_socket->ShutdownSend();
    }
    else if (verb == "set")
    {
        rest >> word >> value;
        m_first->SetAttributeFailSafe(word, StringValue(value));
    }
    else if (verb == "control")
    {
        rest >> word;
        DynamicCast<TcpSocketBase>(m_first)->SetCongestionControlAlgorithm(
            ObjectFactory("ns3::" + word).Create<TcpCongestionOps>());
    }
    else if (verb == "recovery")
    {
        rest >> word;
        DynamicCast<TcpSocketBase>(m_first)->SetRecoveryAlgorithm(
            ObjectFactory("ns3::" + word).Create<TcpRecoveryOps>());
    }
    else if (verb == "noread")
    {
        m_reads = false;
    }
    else if (verb == "on")
    {
        rest >> word;
        (word == "error" ? m_closesOnError : m_closesOnClose) = true;
    }
    else if (verb == "isn")
    {
        rest >> m_isn;
    }
    else
    {
        return "?";
    }
    return "";
}

std::string
TcpScript::Check(const std::string& verb, std::istringstream& rest)
{
    std::string word;
    std::getline(rest >> std::ws, word);
    if (verb == "quiet")
    {
        Pass(MilliSeconds(std::stoll(word)), true);
        return m_seen.empty() ? "" : "came " + m_seen.front().Describe();
    }
    if (verb == "ignore")
    {
        Pass(MilliSeconds(std::stoll(word)), false);
        m_seen.clear();
        return "";
    }
    if (verb == "ends")
    {
        Pass(Seconds(300), false);
        const uint64_t before = Simulator::GetEventCount();
        Pass(Seconds(1000000), false);
        const uint64_t events = Simulator::GetEventCount() - before - 1; // that of Pass()
        return events == 0 ? "" : std::to_string(events) + " events are left";
    }
    if (verb == "state")
    {
        const std::string now = TcpSocket::TcpStateName[m_state];
        return now == word ? "" : "is " + now;
    }
    if (verb == "octets")
    {
        return std::to_string(m_octets) == word ? "" : "are " + std::to_string(m_octets);
    }
    if (verb == "heard" || verb == "unheard")
    {
        const bool told = (" " + m_heard + " ").find(" " + word + " ") != std::string::npos;
        return told == (verb == "heard") ? "" : "heard \"" + m_heard + "\"";
    }
    return "no step";
}

std::string
TcpScript::Shake(bool active, const std::string& options)
{
    const std::string peer = options.empty() ? "" : " " + options;
    return Run(active ? "connect\n > S 0:0\n < S. 0:0 ack 1" + peer + "\n > . 1:1 ack 1"
                      : "listen\n < S 0:0" + peer + "\n > S. 0:0 ack 1\n < . 1:1 ack 1");
}

std::string
TcpScript::Expect(const When& when, const TcpScriptSegment& wanted)
{
    const Time before = Simulator::Now();
    if (m_seen.empty())
    {
        Pass(when.last, true);
    }
    if (m_seen.empty())
    {
        return "nothing came";
    }
    const TcpScriptSegment came = m_seen.front();
    m_seen.pop_front();
    if (when.first.IsStrictlyPositive() && came.at < before + when.first)
    {
        return came.Describe() + " came after " +
               std::to_string((came.at - before).GetMilliSeconds()) + " ms";
    }
    return Compare(wanted, came);
}

void
TcpScript::Pass(Time time, bool untilSegment)
{
    if (untilSegment && !m_seen.empty())
    {
        return;
    }
    m_waiting = untilSegment;
    EventId end = Simulator::Schedule(time, [] { Simulator::Stop(); });
    Simulator::Run();
    end.Cancel();
    m_waiting = false;
}

void
TcpScript::Watch(Ptr<Socket> socket)
{
    m_socket = socket;
    socket->SetCloseCallbacks(MakeCallback(&TcpScript::HearOfClose, this),
                              MakeCallback(&TcpScript::HearOfError, this));
    socket->SetRecvCallback(MakeCallback(&TcpScript::Read, this));
    socket->TraceConnectWithoutContext("State", MakeCallback(&TcpScript::NoteState, this));
}

void
TcpScript::Hear(const std::string& event, bool& closes)
{
    m_heard += (m_heard.empty() ? "" : " ") + event;
    if (closes && m_socket)
    {
        closes = false;
        m_socket->Close();
    }
}

void
TcpScript::HearOfConnection(Ptr<Socket> /* socket */)
{
    bool closes = false;
    Hear("connected", closes);
}

void
TcpScript::HearOfFailure(Ptr<Socket> /* socket */)
{
    Hear("refused", m_closesOnError);
}

void
TcpScript::HearOfClose(Ptr<Socket> /* socket */)
{
    Hear("closed", m_closesOnClose);
}

void
TcpScript::HearOfError(Ptr<Socket> /* socket */)
{
    Hear("error", m_closesOnError);
}

void
TcpScript::Accept(Ptr<Socket> socket, const Address& /* from */)
{
    m_state = TcpSocket::ESTABLISHED;
    Watch(socket);
    bool closes = false;
    Hear("accepted", closes);
}

void
TcpScript::Read(Ptr<Socket> socket)
{
    while (m_reads && socket->GetRxAvailable() > 0)
    {
        m_octets += socket->Recv()->GetSize();
    }
}

void
TcpScript::NoteState(TcpSocket::TcpStates_t /* before */, TcpSocket::TcpStates_t now)
{
    m_state = now;
}
