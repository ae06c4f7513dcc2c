/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "../iwarp-test.h"

#include "ns3/ike-keying.h"
#include "ns3/inet-socket-address.h"
#include "ns3/internet-stack-helper.h"
#include "ns3/ipsec-helper.h"
#include "ns3/ipsec-stack.h"
#include "ns3/ipv4-address-helper.h"
#include "ns3/point-to-point-helper.h"
#include "ns3/rnic-esp-profile.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/udp-socket-factory.h"
#include "ns3/uinteger.h"

#include <functional>
#include <string>
#include <vector>

using namespace ns3;

namespace
{

/// What waits for keys.
IWARP_TEST_SUITE(ipsecWaiting, "ipsec-waiting", TestSuite::Type::SYSTEM);

constexpr uint16_t DISCARD_PORT = 9; // of UDP

using Sizes = std::vector<uint32_t>; // of datagrams, in their order

/// A host that sends UDP to two others, each by an association that it does not have yet.
class WaitingHost
{
  public:
    /// @param most datagrams that may wait for an association
    explicit WaitingHost(uint32_t most)
    {
        nodes.Create(3);
        InternetStackHelper().Install(nodes);
        PointToPointHelper link;
        link.SetDeviceAttribute("DataRate", StringValue("1Gbps"));
        Ipv4AddressHelper addresses("10.1.0.0", "255.255.255.0");
        for (const uint32_t i : {1, 2})
        {
            addresses.Assign(link.Install(nodes.Get(0), nodes.Get(i)));
            addresses.NewNetwork();
            sockets.push_back(Socket::CreateSocket(nodes.Get(i), UdpSocketFactory::GetTypeId()));
            sockets.back()->Bind(InetSocketAddress(Ipv4Address::GetAny(), DISCARD_PORT));
            sockets.back()->SetRecvCallback(MakeCallback(&WaitingHost::Receive, this));
        }
        ipsec.SetAttribute("MaxWaiting", UintegerValue(most));
        ipsec.Install(nodes);
        IpsecSelector udp;
        udp.protocol = 17;
        for (uint32_t i = 0; i < nodes.GetN(); i++)
        {
            ipsec.ProtectTransport(nodes.Get(i)->GetObject<IpsecStack>(), udp);
        }
        stack = nodes.Get(0)->GetObject<IpsecStack>();
        stack->GetAssociations().SetAcquire(
            [this](IpsecStack::Index policy, const IpsecFlow& flow) {
                asked.emplace_back(policy, flow);
            });
        stack->TraceConnectWithoutContext(
            "Drop",
            MakeCallback(+[](uint64_t* count, IpsecDrop, Ptr<const Packet>) {
                ++*count;
            }).Bind(&traced));
        out = Socket::CreateSocket(nodes.Get(0), UdpSocketFactory::GetTypeId());
        out->Bind();
        Simulator::Run(); // begins
    }

    ~WaitingHost()
    {
        Simulator::Destroy();
    }

    /// @param to whom, 1 or 2 @param count datagrams of 100, 101 … octets
    void Send(uint32_t to, uint32_t count)
    {
        const Ipv4Address address(to == 1 ? "10.1.0.2" : "10.1.1.2");
        for (uint32_t i = 0; i < count; i++)
        {
            out->SendTo(Create<Packet>(100 + i), 0, InetSocketAddress(address, DISCARD_PORT));
        }
    }

    /// Give what was asked for. @param i of what was asked
    void Give(std::size_t i)
    {
        IpsecKeying::Pair pair;
        const auto [policy, flow] = asked[i];
        if (ipsec.GetKeying()->Agree(stack, policy, flow, pair))
        {
            ipsec.GetKeying()->InstallAtReceiver(pair);
            ipsec.GetKeying()->InstallAtSender(pair);
        }
    }

    uint64_t CountDropped() const //!< @return for want of an association
    {
        return stack->GetCounters().GetDropped(IpsecDrop::NO_ASSOCIATION);
    }

    NodeContainer nodes;                                        //!< the sender is 0
    IpsecHelper ipsec;                                          //!< made it
    Ptr<IpsecStack> stack;                                      //!< of the sender
    Ptr<Socket> out;                                            //!< of the sender
    std::vector<Ptr<Socket>> sockets;                           //!< of the receivers
    std::vector<std::pair<IpsecStack::Index, IpsecFlow>> asked; //!< associations that it wants
    uint64_t traced{0};                                         //!< drops that were traced
    Sizes first;                                                //!< what 1 got
    Sizes second;                                               //!< what 2 got

  private:
    void Receive(Ptr<Socket> socket) //!< @param socket that has something
    {
        Address from;
        while (const Ptr<Packet> packet = socket->RecvFrom(from))
        {
            (socket == sockets[0] ? first : second).push_back(packet->GetSize());
        }
    }
};

/**
 * MaxWaiting datagrams wait for an association, those of another for that, and go in their order
 * once it is there; what is more is dropped, counted and traced. It is asked for once, also where
 * none may wait, and again once it was given up.
 */
IWARP_TEST(ipsecWaiting, "datagrams that wait for an association")
{
    for (const uint32_t most : {0, 1, 3, 10})
    {
        const std::string what = ", at most " + std::to_string(most);
        WaitingHost host(most);
        host.Send(1, 5);
        host.Send(2, 2);
        NS_TEST_EXPECT_MSG_EQ(host.asked.size(), 2, "one for each" << what);
        const uint32_t waits = std::min(most, 5U);
        const uint32_t waits2 = std::min(most, 2U);
        NS_TEST_EXPECT_MSG_EQ(host.CountDropped(), 7 - waits - waits2, "dropped" << what);
        NS_TEST_EXPECT_MSG_EQ(host.traced, host.CountDropped(), "traced" << what);
        host.Give(0);
        Simulator::Run();
        Sizes expected;
        for (uint32_t i = 0; i < waits; i++)
        {
            expected.push_back(100 + i);
        }
        NS_TEST_EXPECT_MSG_EQ((host.first == expected), true, "in order" << what);
        NS_TEST_EXPECT_MSG_EQ(host.second.size(), 0, "the others still wait" << what);
        host.Send(1, 1);
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(host.first.size(), waits + 1, "now at once" << what);
        host.stack->GetAssociations().Abandon(host.asked[1].first, host.asked[1].second);
        NS_TEST_EXPECT_MSG_EQ(host.CountDropped(), 7 - waits, "given up" << what);
        NS_TEST_EXPECT_MSG_EQ(host.traced, host.CountDropped(), "that is traced too" << what);
        host.Send(2, 1);
        NS_TEST_ASSERT_MSG_EQ(host.asked.size(), 3, "asked again" << what);
        host.Give(2);
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(host.second.size(), std::min(most, 1U), "then it goes" << what);
    }
}

/**
 * How long computing keys takes unless something else is said: OpenSSL 3.1.1 on Skylake, in the
 * table of lib25519-20230630, doc/speed.md, at 3 GHz: X25519 134236 and 118455 cycles, Ed25519
 * 125875 and 410016.
 */
struct ComputingTest : TestCase
{
    using TestCase::TestCase;

    /// @param name of an attribute of IkeKeying @return seconds
    static double Get(const std::string& name)
    {
        TimeValue time;
        CreateObject<IkeKeying>()->GetAttribute(name, time);
        return time.Get().GetSeconds();
    }
};

IWARP_TEST(ipsecWaiting, "times of computing keys", ComputingTest)
{
    NS_TEST_EXPECT_MSG_EQ_TOL(Get("Exponentiation"),
                              (134236 + 118455) / 2 / 3e9,
                              1e-7,
                              "mean of key pair and shared secret");
    NS_TEST_EXPECT_MSG_EQ_TOL(Get("Signature"),
                              (125875 + 410016) / 2 / 3e9,
                              1e-7,
                              "mean of making and checking one");
    for (const auto& figure : RnicEspProfile::GetKeyExchange())
    {
        std::string name = figure.path;
        name[0] = static_cast<char>(name[0] - 'a' + 'A');
        NS_TEST_EXPECT_MSG_EQ(Get(name),
                              Time(figure.value).GetSeconds(),
                              "as in the table of figures: " << name);
    }
}

} // namespace
