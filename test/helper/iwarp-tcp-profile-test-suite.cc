/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "../iwarp-test.h"
#include "iwarp-run-scenario.h"

#include "ns3/error-model.h"
#include "ns3/ipv4-header.h"
#include "ns3/ipv4-l3-protocol.h"
#include "ns3/iwarp-network.h"
#include "ns3/iwarp-qualified-name.h"
#include "ns3/net-device.h"
#include "ns3/pointer.h"
#include "ns3/rnic-tcp-profile.h"
#include "ns3/simulator.h"
#include "ns3/socket.h"
#include "ns3/string.h"
#include "ns3/tcp-header.h"
#include "ns3/tcp-l4-protocol.h"
#include "ns3/tcp-socket-factory.h"

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

using namespace ns3;

namespace
{

/// TCP as adapters have it
IWARP_TEST_SUITE(iwarpTcpProfile, "iwarp-tcp-profile");

constexpr uint32_t FULL_DATAGRAM = 1000; //!< octets that no datagram without data has
constexpr double ROUND_TRIP = 104e-6;    //!< seconds, of the dumbbell as it is by default
constexpr double TEST_SLACK = 2.5;       //!< round trips that a timeout may come late

/// What a host received and sent, in order
struct TcpWatch
{
    /// A TCP segment
    struct Segment
    {
        bool in;       //!< received
        Time at;       //!< when
        uint32_t size; //!< octets of payload
        uint32_t seq;  //!< sequence number
        uint32_t ack;  //!< acknowledgment number
    };

    std::vector<Segment> segments; //!< both ways

    /// @param in received @param datagram with its header
    void Add(bool in, Ptr<const Packet> datagram)
    {
        const Ptr<Packet> copy = datagram->Copy();
        Ipv4Header ip;
        TcpHeader tcp;
        copy->RemoveHeader(ip);
        copy->RemoveHeader(tcp);
        segments.push_back({in,
                            Simulator::Now(),
                            copy->GetSize(),
                            tcp.GetSequenceNumber().GetValue(),
                            tcp.GetAckNumber().GetValue()});
    }

    /// @param datagram received
    void Receive(Ptr<const Packet> datagram, Ptr<Ipv4> /* ip */, uint32_t /* interface */)
    {
        Add(true, datagram);
    }

    /// @param datagram sent
    void Send(Ptr<const Packet> datagram, Ptr<Ipv4> /* ip */, uint32_t /* interface */)
    {
        Add(false, datagram);
    }

    /// @param node to watch from now on
    void Attach(Ptr<Node> node)
    {
        const auto ip = node->GetObject<Ipv4L3Protocol>();
        ip->TraceConnectWithoutContext("Rx", MakeCallback(&TcpWatch::Receive, this));
        ip->TraceConnectWithoutContext("Tx", MakeCallback(&TcpWatch::Send, this));
    }

    /// @return how many segments came behind a hole, and after how many of them the next thing, at
    /// once, was an ACK that asks for the hole
    std::pair<uint32_t, uint32_t> CountBehind() const
    {
        std::map<uint32_t, uint32_t> held; // sizes, by sequence number
        uint32_t next = segments[1].ack;   // what the receiver of the SYN waits for
        std::pair<uint32_t, uint32_t> counts{0, 0};
        for (std::size_t i = 2; i + 1 < segments.size(); i++)
        {
            const auto& [in, at, size, seq, ack] = segments[i];
            if (!in || size == 0 || static_cast<int32_t>(seq - next) < 0)
            {
                continue;
            }
            held[seq] = size;
            counts.first += seq != next;
            const auto& answer = segments[i + 1];
            counts.second += seq != next && !answer.in && answer.at == at && answer.ack == next;
            for (auto found = held.find(next); found != held.end(); found = held.find(next))
            {
                next += found->second;
            }
        }
        return counts;
    }

    /// @return indexes of full segments among those received
    std::vector<uint32_t> ListFull() const
    {
        std::vector<uint32_t> full;
        uint32_t index = 0;
        for (const auto& segment : segments)
        {
            if (segment.in && segment.size >= FULL_DATAGRAM)
            {
                full.push_back(index);
            }
            index += segment.in;
        }
        return full;
    }
};

/// Scenarios with a profile of TCP.
struct TcpProfileTest : ScenarioTestCase
{
    /// @param title of the case
    explicit TcpProfileTest(const std::string& title)
        : ScenarioTestCase(title,
                           {{"Octets", "28560"}, // of 20 full segments
                            {"MessageSizes", "fixed:28560"},
                            {"PlainTcp", "false"},
                            {"StartSpread", "0s"}})
    {
    }

    /// Run a scenario while its receiver is watched. @param settings of it @param lost index of a
    /// packet that the receiver loses, or -1 @param [out] watch what it saw @return seconds
    double RunWatched(const ScenarioSettings& settings, int64_t lost, TcpWatch& watch)
    {
        const auto scenario = Make(settings);
        scenario->SetObserver([&watch, lost](IwarpNetwork& network) {
            const Ptr<Node> host = network.GetHost(1);
            watch.Attach(host);
            if (lost >= 0)
            {
                const auto losses = CreateObject<ReceiveListErrorModel>();
                losses->SetList({static_cast<uint32_t>(lost)});
                for (uint32_t i = 0; i < host->GetNDevices(); i++)
                {
                    host->GetDevice(i)->SetAttributeFailSafe("ReceiveErrorModel",
                                                             PointerValue(losses));
                }
            }
        });
        return Measure(scenario).at("duration");
    }

    /// @param settings of a scenario @param name of an attribute of sockets
    /// @return its value at a socket that a host makes during the run, as text
    std::string ReadSocket(const ScenarioSettings& settings, const std::string& name)
    {
        std::string text;
        const auto scenario = Make(settings);
        scenario->SetObserver([&text, &name](IwarpNetwork& network) {
            const Ptr<Node> host = network.GetHost(0);
            const Ptr<Socket> socket = Socket::CreateSocket(host, TcpSocketFactory::GetTypeId());
            const Ptr<TcpL4Protocol> tcp = host->GetObject<TcpL4Protocol>();
            StringValue value;
            if (socket->GetAttributeFailSafe(name, value) || tcp->GetAttributeFailSafe(name, value))
            {
                text = value.Get();
            }
        });
        Measure(scenario);
        return text;
    }
};

/// @param figure of a profile @return its value as the attribute tells it
std::string
Normalize(const RnicFigure& figure)
{
    iwarp::QualifiedAttribute found;
    if (!iwarp::FindAttribute(figure.path, found).empty())
    {
        return "";
    }
    return found.info.checker->CreateValidValue(StringValue(figure.value))
        ->SerializeToString(found.info.checker);
}

/// @return profiles, and none
std::vector<std::string>
ListWithNone()
{
    auto names = RnicTcpProfile::GetNames();
    names.emplace_back("none");
    return names;
}

IWARP_TEST(iwarpTcpProfile,
           "each figure reaches the sockets of a run, and has a source",
           TcpProfileTest)
{
    for (const auto& name : RnicTcpProfile::GetNames())
    {
        std::set<std::string> seen;
        for (const auto& figure : RnicTcpProfile::Get(name))
        {
            NS_TEST_EXPECT_MSG_EQ(seen.insert(figure.path).second, true, "once");
            NS_TEST_EXPECT_MSG_GT(figure.source.size(), 5, "a source or a reason");
            const std::string attribute = figure.path.substr(figure.path.find('.') + 1);
            // the one is no socket's, the other can be set alone
            if (attribute != "EnablePacing" && attribute != "UseEcn")
            {
                NS_TEST_EXPECT_MSG_EQ(ReadSocket({{"TcpProfile", name}}, attribute),
                                      Normalize(figure),
                                      name << ": " << figure.path);
            }
        }
    }
}

IWARP_TEST(iwarpTcpProfile, "what a user sets holds in place of the profile", TcpProfileTest)
{
    const ScenarioSettings own{{"TcpProfile", "t5-like"},
                               {"MinRto", "1ms"},
                               {"CongestionControl", "TcpCubic"}};
    NS_TEST_EXPECT_MSG_EQ(Time(ReadSocket(own, "MinRto")), MilliSeconds(1), "a short name");
    NS_TEST_EXPECT_MSG_EQ(ReadSocket(own, "SocketType"), "ns3::TcpCubic", "congestion control");
    NS_TEST_EXPECT_MSG_EQ(ReadSocket(own, "DelAckCount"), "1", "and the rest of the profile");
    NS_TEST_EXPECT_MSG_EQ(ReadSocket({}, "DelAckCount"), "2", "none by default");
    const auto scenario = CreateObject<IwarpScenario>();
    NS_TEST_EXPECT_MSG_NE(scenario->SetParameter("TcpProfile", "t7-like"), "", "there is no such");
}

IWARP_TEST(iwarpTcpProfile, "a last segment that is lost comes after the least RTO", TcpProfileTest)
{
    for (const auto& name : ListWithNone())
    {
        double least = 0.2;
        double delayed = 0.04; // by which the segment before may have been acknowledged late
        for (const auto& figure : RnicTcpProfile::Get(name))
        {
            least = figure.path == "TcpSocketBase.MinRto" ? Time(figure.value).GetSeconds() : least;
            delayed = figure.path == "TcpSocket.DelAckTimeout" ? Time(figure.value).GetSeconds()
                                                               : delayed;
        }
        TcpWatch calm;
        const double before = RunWatched({{"TcpProfile", name}}, -1, calm);
        TcpWatch lossy;
        const double late =
            RunWatched({{"TcpProfile", name}}, calm.ListFull().back(), lossy) - before;
        NS_TEST_EXPECT_MSG_GT(late, least, name);
        NS_TEST_EXPECT_MSG_LT(late, least + delayed + TEST_SLACK * ROUND_TRIP, name);
    }
}

IWARP_TEST(iwarpTcpProfile,
           "each segment behind a hole is acknowledged at once, in recovery too",
           TcpProfileTest)
{
    for (const auto& name : ListWithNone())
    {
        TcpWatch calm;
        RunWatched({{"TcpProfile", name}}, -1, calm);
        const auto full = calm.ListFull();
        NS_TEST_ASSERT_MSG_EQ(full.size(), 20, name);
        TcpWatch lossy;
        RunWatched({{"TcpProfile", name}}, full[2], lossy);
        const auto [behind, answers] = lossy.CountBehind();
        NS_TEST_EXPECT_MSG_GT(behind, 6, name << ": the rest of the first window");
        NS_TEST_EXPECT_MSG_EQ(answers, behind, name);
    }
}

IWARP_TEST(iwarpTcpProfile, "t3-like spaces its segments", TcpProfileTest)
{
    for (const std::string name : {"none", "t3-like"})
    {
        TcpWatch sender;
        const auto scenario = Make({{"TcpProfile", name}, {"Octets", "285600"}});
        scenario->SetObserver(
            [&sender](IwarpNetwork& network) { sender.Attach(network.GetHost(0)); });
        Measure(scenario);
        uint32_t together = 0;
        uint32_t sent = 0;
        Time last;
        for (const auto& segment : sender.segments)
        {
            if (!segment.in && segment.size >= FULL_DATAGRAM)
            {
                together += ++sent > 11 && segment.at == last; // the first window goes at once
                last = segment.at;
            }
        }
        NS_TEST_EXPECT_MSG_EQ((together > 0), (name == "none"), name);
    }
}

} // namespace
