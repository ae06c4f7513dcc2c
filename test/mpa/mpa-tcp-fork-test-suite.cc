/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "../iwarp-test.h"

#include "ns3/boolean.h"
#include "ns3/config.h"
#include "ns3/inet-socket-address.h"
#include "ns3/internet-stack-helper.h"
#include "ns3/ipv4-address-helper.h"
#include "ns3/mpa-tcp-socket-factory.h"
#include "ns3/point-to-point-helper.h"
#include "ns3/pointer.h"
#include "ns3/simulator.h"
#include "ns3/socket.h"
#include "ns3/tcp-congestion-ops.h"
#include "ns3/tcp-l4-protocol.h"

#include <map>
#include <string>
#include <vector>

using namespace ns3;

namespace
{

/// Suite mpa-tcp-fork.
IWARP_TEST_SUITE(mpaTcpFork, "mpa-tcp-fork");

using Values = std::map<std::string, std::string>; //!< attributes and their values as text

/// @param socket any @return what the attributes of its congestion control say
Values
GetCongestionControl(Ptr<Socket> socket)
{
    PointerValue pointer;
    socket->GetAttribute("CongestionOps", pointer);
    Ptr<TcpCongestionOps> control = pointer.Get<TcpCongestionOps>();
    Values values;
    const TypeId type = control->GetInstanceTypeId();
    for (std::size_t i = 0; i < type.GetAttributeN(); ++i)
    {
        const auto info = type.GetAttribute(i);
        const bool plain = info.checker->GetValueTypeName() != "ns3::PointerValue";
        if (plain && (info.flags & TypeId::ATTR_GET) && info.accessor->HasGetter())
        {
            Ptr<AttributeValue> value = info.checker->Create();
            control->GetAttribute(info.name, *value);
            values[info.name] = value->SerializeToString(info.checker);
        }
    }
    return values;
}

/**
 * @ingroup iwarp-test
 * The congestion control of an accepted socket works as its listener's does, for both values of
 * what ns-3's own copy leaves to chance.
 */
class ForkTest : public TestCase
{
  public:
    /// @param control TypeId of a congestion control @param boolean attribute of it, or ""
    /// @param value of that
    ForkTest(const std::string& control, const std::string& boolean, bool value)
        : TestCase(control + " of accepted sockets, " + boolean + (value ? " on" : " off")),
          m_control(control),
          m_boolean(boolean),
          m_value(value)
    {
    }

  private:
    void DoRun() override
    {
        if (!m_boolean.empty())
        {
            Config::SetDefault(m_control + "::" + m_boolean, BooleanValue(m_value));
        }
        NodeContainer nodes(2);
        PointToPointHelper link;
        const auto devices = link.Install(nodes);
        InternetStackHelper().Install(nodes);
        const auto addresses = Ipv4AddressHelper("10.0.0.0", "255.255.255.0").Assign(devices);
        for (uint32_t i : {0, 1})
        {
            nodes.Get(i)->GetObject<TcpL4Protocol>()->SetAttribute(
                "SocketType",
                TypeIdValue(TypeId::LookupByName(m_control)));
            MpaTcpSocketFactory::Install(nodes.Get(i));
        }
        const TypeId factory = MpaTcpSocketFactory::GetTypeId();
        Ptr<Socket> listener = Socket::CreateSocket(nodes.Get(1), factory);
        listener->Bind(InetSocketAddress(Ipv4Address::GetAny(), 9));
        listener->Listen();
        listener->SetAcceptCallback(MakeNullCallback<bool, Ptr<Socket>, const Address&>(),
                                    MakeCallback(&ForkTest::Accept, this));
        m_expected = GetCongestionControl(listener);
        std::vector<Ptr<Socket>> clients;
        for (uint32_t i = 0; i < 20; ++i)
        {
            clients.push_back(Socket::CreateSocket(nodes.Get(0), factory));
            Simulator::Schedule(MilliSeconds(1 + i), [client = clients.back(), &addresses] {
                client->Connect(InetSocketAddress(addresses.GetAddress(1), 9));
            });
        }
        Simulator::Stop(Seconds(1));
        Simulator::Run();
        Simulator::Destroy();
        Config::Reset();
        NS_TEST_EXPECT_MSG_EQ(m_accepted, clients.size(), "connections");
    }

    void Accept(Ptr<Socket> socket, const Address& /* peer */)
    {
        ++m_accepted;
        for (const auto& [name, value] : GetCongestionControl(socket))
        {
            NS_TEST_EXPECT_MSG_EQ(value, m_expected[name], name);
        }
    }

    std::string m_control;     //!< congestion control
    std::string m_boolean;     //!< attribute
    bool m_value;              //!< of that
    Values m_expected;         //!< what the listener's attributes say
    std::size_t m_accepted{0}; //!< connections
};

IWARP_TEST_CASES(mpaTcpFork)
{
    for (const std::string control : {"ns3::TcpNewReno", "ns3::TcpBbr", "ns3::TcpDctcp"})
    {
        suite.AddTestCase(new ForkTest(control, "", false));
    }
    TypeId::AttributeInformation info;
    const std::string cubic = "ns3::TcpCubic";
    for (const std::string name : {"FastConvergence", "HyStart", "TcpFriendliness"})
    {
        // the last one came to ns-3 later than the others
        if (TypeId::LookupByName(cubic).LookupAttributeByName(name, &info))
        {
            suite.AddTestCase(new ForkTest(cubic, name, true));
            suite.AddTestCase(new ForkTest(cubic, name, false));
        }
    }
}

} // namespace
