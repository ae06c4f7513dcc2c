/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "../iwarp-test.h"
#include "ipsec-packed.h"
#include "ipsec-tap-run.h"

#include "ns3/ike-keying.h"
#include "ns3/socket.h"
#include "ns3/udp-l4-protocol.h"
#include "ns3/udp-socket-factory.h"

#include <string>

using namespace ns3;

namespace
{

/// Taps on links of IPsec
IWARP_TEST_SUITE(ipsecTap, "ipsec-tap");

/// Taps where a gateway tells of a link that takes less
IWARP_TEST_SUITE(ipsecTapIcmp, "ipsec-tap-icmp");

/// Taps where fragments come to a gateway
IWARP_TEST_SUITE(ipsecTapFragment, "ipsec-tap-fragment");

/**
 * @ingroup iwarp-test
 * Runs with IPsec at each place, with rekeying, in UDP, over a path that takes less behind the
 * first gateway: no tap sees anything. The same without IPsec, or with the null cipher: it does.
 */
class TappedRunTest : public IpsecRunTestCase
{
  public:
    /// @param place where there is IPsec @param mode of ESP
    TappedRunTest(IpsecPlace place, EspCodec::Mode mode)
        : IpsecRunTestCase("no octet in clear", place, mode)
    {
    }

  private:
    /// @param setup of a run @param what it is
    void CheckClean(const IpsecSetup& setup, const std::string& what)
    {
        TappedRun tapped(setup);
        tapped.run.Run();
        NS_TEST_EXPECT_MSG_EQ(tapped.run.IsDone(), true, what << ": content");
        NS_TEST_EXPECT_MSG_GT(tapped.tap->GetSeen(), 200, what << ": the tap sees packets");
        NS_TEST_EXPECT_MSG_EQ(tapped.tap->GetCount(),
                              0,
                              what << ": in clear is a " << TellFirst(tapped.tap));
    }

    void DoRunWith(IpsecSetup setup) override
    {
        for (const bool ipv6 : {false, true})
        {
            setup.ipv6 = ipv6;
            const std::string version = ipv6 ? ", IPv6" : "";
            CheckClean(setup, "plain" + version);
            IpsecSetup other = setup;
            other.proposal.udp = true;
            CheckClean(other, "in UDP" + version);
            other = setup;
            other.keying = CreateObject<IkeKeying>();
            other.proposal.soft.packets = 40;
            other.proposal.hard.packets = 400;
            other.interval = 0.005;
            CheckClean(other, "rekeying" + version);
            other = setup;
            other.deep = 1400;
            CheckClean(other, "path MTU" + version);
            if (!ipv6)
            {
                other.dontFragmentTcp = false;
                other.fragments = IpsecFragments::BEFORE_ESP;
                CheckClean(other, "fragments before ESP");
                other.fragments = IpsecFragments::AFTER_ESP;
                CheckClean(other, "fragments after ESP");
            }
        }
        setup.ipv6 = false;
        setup.transform = "null/hmac-sha1-96";
        if (setup.proposal.codec == EspCodec::Mode::REAL && setup.place != IpsecPlace::NESTED)
        {
            TappedRun tapped(setup);
            tapped.run.Run();
            NS_TEST_EXPECT_MSG_GT(tapped.tap->GetCount(), 100, "nothing is enciphered");
            const bool content = tapped.tap->GetFirst() && tapped.tap->GetFirst()->finding.kind ==
                                                               IpsecClearReader::Kind::CONTENT;
            NS_TEST_EXPECT_MSG_EQ(content, true, "so content is found");
        }
    }
};

/// A run without IPsec, and a box on a path with it that lets out one thing: the tap tells.
struct TappedLeakTest : TestCase
{
    using TestCase::TestCase;

    /// @param packet that a box sends besides, IP's header first @param kind what is found
    void CheckBox(const Packed& packet, IpsecClearReader::Kind kind)
    {
        IpsecSetup setup;
        TappedRun tapped(setup);
        bool done = false;
        tapped.run.box->onPacket = [&](Ptr<Packet> p, bool, const auto& send) {
            send(p);
            if (!done)
            {
                done = true;
                send(Create<Packet>(packet.data(), static_cast<uint32_t>(packet.size())));
            }
        };
        tapped.run.Run();
        const auto& first = tapped.tap->GetFirst();
        NS_TEST_EXPECT_MSG_EQ(tapped.run.IsDone(), true, "content");
        NS_TEST_EXPECT_MSG_EQ(first.has_value(), true, "it is seen");
        if (first)
        {
            NS_TEST_EXPECT_MSG_EQ(static_cast<int>(first->finding.kind),
                                  static_cast<int>(kind),
                                  first->ToString());
            NS_TEST_EXPECT_MSG_EQ((tapped.tap->GetCount() >= 1 && tapped.tap->GetCount() <= 3),
                                  true,
                                  "on the way to the host that gets it");
        }
    }
};

IWARP_TEST(ipsecTap, "leaks are seen", TappedLeakTest)
{
    IpsecSetup setup;
    setup.place = IpsecPlace::NOWHERE;
    TappedRun tapped(setup);
    tapped.run.Run();
    NS_TEST_EXPECT_MSG_EQ(tapped.tap->GetCount(), tapped.tap->GetSeen(), "all is TCP");
    Simulator::Destroy();
    // hosts of the run are 10.0.0.2 and 10.1.0.2, as of Wrap()
    CheckBox(Wrap(false, 6, TCP_HEAD), IpsecClearReader::Kind::DATAGRAM);
    CheckBox(Wrap(false, 6, Packed(64, 1), 5), IpsecClearReader::Kind::FRAGMENT);
    CheckBox(Wrap(false, 1, Append({3, 4, 0, 0, 0, 0, 5, 0}, Wrap(false, 6, TCP_HEAD))),
             IpsecClearReader::Kind::QUOTE);
}

IWARP_TEST_CASES(ipsecTap)
{
    for (const auto mode : {EspCodec::Mode::MODELLED, EspCodec::Mode::REAL})
    {
        for (const auto place :
             {IpsecPlace::TRANSPORT, IpsecPlace::TUNNEL, IpsecPlace::GATEWAY, IpsecPlace::NESTED})
        {
            suite.AddTestCase(new TappedRunTest(place, mode));
        }
    }
}

/**
 * @ingroup iwarp-test
 * A gateway whose own link takes less than the tunnel tells the sender so: what it quotes was
 * protected (RFC 4301 sections 6 and 8).
 */
class TappedGatewayTest : public IpsecRunTestCase
{
  public:
    /// @param mode of ESP
    explicit TappedGatewayTest(EspCodec::Mode mode)
        : IpsecRunTestCase("no octet in ICMP of the far gateway", IpsecPlace::GATEWAY, mode)
    {
    }

  private:
    void DoRunWith(IpsecSetup setup) override
    {
        for (const bool ipv6 : {false, true})
        {
            setup.ipv6 = ipv6;
            TappedRun tapped(setup);
            const auto last = tapped.run.network.GetLinkDevices(tapped.run.network.GetHostLink(1));
            last.Get(0)->SetMtu(1300);
            tapped.run.Run();
            NS_TEST_EXPECT_MSG_EQ(tapped.run.IsDone(), true, "content");
            NS_TEST_EXPECT_MSG_LT(tapped.run.emss.back(), 1300, "the sender was told");
            NS_TEST_EXPECT_MSG_EQ(tapped.tap->GetCount(),
                                  0,
                                  "in clear is a " << TellFirst(tapped.tap));
        }
    }
};

IWARP_TEST_CASES(ipsecTapIcmp)
{
    suite.AddTestCase(new TappedGatewayTest(EspCodec::Mode::MODELLED));
    suite.AddTestCase(new TappedGatewayTest(EspCodec::Mode::REAL));
}

/**
 * @ingroup iwarp-test
 * UDP in fragments through gateways whose policy names its port: the port is in the first alone
 * (RFC 4301 section 7).
 */
class TappedFragmentTest : public IpsecRunTestCase
{
  public:
    /// @param mode of ESP
    explicit TappedFragmentTest(EspCodec::Mode mode)
        : IpsecRunTestCase("no octet in fragments of a port", IpsecPlace::NOWHERE, mode)
    {
    }

  private:
    static constexpr uint16_t PORT = 9; //!< of UDP

    /// @param received octets so far @param socket that has more
    static void Receive(uint32_t* received, Ptr<Socket> socket)
    {
        *received += socket->Recv()->GetSize();
    }

    void DoRunWith(IpsecSetup setup) override
    {
        for (const bool ipv6 : {false, true})
        {
            setup.ipv6 = ipv6;
            setup.octets = 1000;
            setup.message = 1000;
            IpsecRun run(setup);
            Ptr<IpsecTap> tap = Create<IpsecTap>();
            const auto isProtected = [](const IpsecFlow& flow) {
                return flow.protocol == UdpL4Protocol::PROT_NUMBER;
            };
            for (const uint32_t end : {0, 1})
            {
                tap->Attach(run.network.GetLinkDevices(0).Get(end), isProtected);
                IpsecSelector selector;
                selector.source = IpsecPrefix(run.GetHostAddress(end));
                selector.destination = IpsecPrefix(run.GetHostAddress(1 - end));
                selector.protocol = UdpL4Protocol::PROT_NUMBER;
                (end == 0 ? selector.destinationPorts : selector.sourcePorts) = {PORT, PORT};
                run.ipsec.ProtectTunnel(run.ipsec.InstallGateway(run.network.GetRouter(end)),
                                        selector,
                                        run.GetRouterAddress(end),
                                        run.GetRouterAddress(1 - end));
            }
            uint32_t received = 0;
            const Ptr<Socket> sink =
                Socket::CreateSocket(run.network.GetHost(1), UdpSocketFactory::GetTypeId());
            sink->Bind(run.network.GetAnySocketAddress(PORT));
            sink->SetRecvCallback(MakeBoundCallback(&TappedFragmentTest::Receive, &received));
            const Ptr<Socket> source =
                Socket::CreateSocket(run.network.GetHost(0), UdpSocketFactory::GetTypeId());
            Simulator::Schedule(MilliSeconds(2), [&run, source] {
                source->SendTo(Create<Packet>(4000), 0, run.network.GetHostSocketAddress(1, PORT));
            });
            run.Run();
            NS_TEST_EXPECT_MSG_GT(tap->GetSeen(), 0, "the tap sees packets");
            NS_TEST_EXPECT_MSG_EQ(tap->GetCount(), 0, "in clear is a " << TellFirst(tap));
            NS_TEST_EXPECT_MSG_EQ((received == 0 || received == 4000), true, "all or nothing");
        }
    }
};

IWARP_TEST_CASES(ipsecTapFragment)
{
    suite.AddTestCase(new TappedFragmentTest(EspCodec::Mode::MODELLED));
    suite.AddTestCase(new TappedFragmentTest(EspCodec::Mode::REAL));
}

} // namespace
