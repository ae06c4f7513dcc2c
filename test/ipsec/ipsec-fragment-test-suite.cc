/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "../iwarp-test.h"
#include "ipsec-run.h"
#include "ipsec-wire.h"

#include "ns3/inet-socket-address.h"
#include "ns3/inet6-socket-address.h"
#include "ns3/ipsec-fragments.h"
#include "ns3/socket.h"
#include "ns3/udp-l4-protocol.h"
#include "ns3/udp-socket-factory.h"

#include <algorithm>

using namespace ns3;

namespace
{

/// Fragments and policies.
IWARP_TEST_SUITE(ipsecFragment, "ipsec-fragment", TestSuite::Type::SYSTEM);

constexpr uint16_t PORT = 5001;         // that policies are about
constexpr uint32_t DATAGRAM = 4000;     // octets of a datagram of UDP: three fragments
constexpr uint32_t DATAGRAMS = 20;      // how many are sent
constexpr uint8_t CONTENT = 0xAA;       // of what is sent
constexpr uint8_t OTHER_CONTENT = 0x55; // of what somebody else sends

/// @param octets of a datagram @return it is a fragment of UDP
bool
IsUdpFragment(const ipsec_wire::Octets& octets)
{
    if (ipsec_wire::IsIpv6(octets))
    {
        return ipsec_wire::GetProtocol(octets) == ipsec_wire::FRAGMENT &&
               octets[40] == ipsec_wire::UDP;
    }
    return ipsec_wire::GetProtocol(octets) == ipsec_wire::UDP &&
           ((octets[6] & 0x3F) != 0 || octets[7] != 0);
}

/// @return a datagram of UDP that goes in three fragments
Ptr<Packet>
MakeDatagram()
{
    const ipsec_wire::Octets octets(DATAGRAM, CONTENT);
    return Create<Packet>(octets.data(), DATAGRAM);
}

/// UDP from host 0 to host 1 beside the stream, each datagram in fragments.
class FragmentRun
{
  public:
    /// @param setup what IPsec is like @param port where datagrams go @param datagram payload of
    /// each
    explicit FragmentRun(const IpsecSetup& setup,
                         uint16_t port = PORT,
                         Ptr<Packet> datagram = MakeDatagram())
        : run(setup),
          m_datagram(datagram),
          m_sender(Socket::CreateSocket(run.network.GetHost(0), UdpSocketFactory::GetTypeId())),
          m_receiver(Socket::CreateSocket(run.network.GetHost(1), UdpSocketFactory::GetTypeId()))
    {
        m_receiver->Bind(run.network.GetAnySocketAddress(port));
        m_receiver->SetRecvCallback(MakeCallback(&FragmentRun::Receive, this));
        m_sender->Connect(run.network.GetHostSocketAddress(1, port));
        for (uint32_t i = 0; i < DATAGRAMS; i++)
        {
            Simulator::Schedule(MilliSeconds(200 + 5 * i), &FragmentRun::Send, this);
        }
    }

    /// @param ipv6 IPv6 @return routers that ProtectPort() is for
    static IpsecSetup MakeGateways(bool ipv6)
    {
        IpsecSetup setup;
        setup.ipv6 = ipv6;
        setup.place = IpsecPlace::NOWHERE;
        setup.core = 1600; // fragments are as long as links of hosts take
        setup.stop = Seconds(3);
        return setup;
    }

    /// @return a tunnel between hosts that divides before ESP
    static IpsecSetup MakeTunnel()
    {
        IpsecSetup setup;
        setup.place = IpsecPlace::TUNNEL;
        setup.fragments = IpsecFragments::BEFORE_ESP;
        setup.stop = Seconds(3);
        return setup;
    }

    /// Have each fragment that goes through the tunnel follow a forged one, in clear.
    /// @param ipv6 IPv6 @param[out] forged how many
    void Forge(bool ipv6, uint32_t& forged)
    {
        const uint32_t skip = (ipv6 ? 40 : 20) + 16; // to the inner datagram, modelled aes-gcm
        run.box->onPacket = [=, &forged](Ptr<Packet> packet, bool forth, const auto& send) {
            const auto octets = ipsec_wire::Read(packet);
            if (forth && octets.size() > skip + 100 &&
                ipsec_wire::GetProtocol(octets) == ipsec_wire::ESP)
            { // the same in clear, before it
                ipsec_wire::Octets inner(octets.begin() + skip, octets.end());
                if (IsUdpFragment(inner))
                {
                    const uint32_t length =
                        ipv6 ? 40 + inner[4] * 256U + inner[5] : inner[2] * 256U + inner[3];
                    inner.resize(length);
                    std::fill(inner.begin() + 60, inner.end(), OTHER_CONTENT);
                    ++forged;
                    send(Create<Packet>(inner.data(), length));
                }
            }
            send(packet);
        };
    }

    /// Have a gateway of both routers, with a tunnel for one port of UDP.
    void ProtectPort()
    {
        for (const uint32_t i : {0, 1})
        {
            run.gateways.push_back(run.ipsec.InstallGateway(run.network.GetRouter(i)));
            IpsecSelector selector;
            selector.protocol = UdpL4Protocol::PROT_NUMBER;
            (i == 0 ? selector.destinationPorts : selector.sourcePorts) = {PORT, PORT};
            run.ipsec.ProtectTunnel(run.gateways[i],
                                    selector,
                                    run.GetRouterAddress(i),
                                    run.GetRouterAddress(1 - i));
        }
    }

    IpsecRun run;       //!< network, stream and IPsec
    uint32_t came{0};   //!< datagrams at host 1
    uint32_t intact{0}; //!< of these, those that are what was sent

  private:
    void Send()
    {
        m_sender->Send(m_datagram->Copy());
    }

    void Receive(Ptr<Socket> socket)
    {
        while (const Ptr<Packet> packet = socket->Recv())
        {
            ++came;
            intact += ipsec_wire::Read(packet) == ipsec_wire::Read(m_datagram);
        }
    }

    Ptr<Packet> m_datagram; //!< payload of each datagram
    Ptr<Socket> m_sender;   //!< at host 0
    Ptr<Socket> m_receiver; //!< at host 1
};

/**
 * @ingroup iwarp-test
 * A policy with ports is for all fragments of what it selects, not for those that show ports (RFC
 * 4301 section 7.3).
 */
class PortFragmentsTest : public TestCase
{
  public:
    /// @param ipv6 IPv6 @param port where datagrams go
    PortFragmentsTest(bool ipv6, uint16_t port)
        : TestCase("fragments to port " + std::to_string(port) + (ipv6 ? ", IPv6" : ", IPv4")),
          m_ipv6(ipv6),
          m_port(port)
    {
    }

  private:
    void DoRun() override
    {
        FragmentRun fragments(FragmentRun::MakeGateways(m_ipv6), m_port);
        fragments.ProtectPort();
        uint32_t clear = 0;
        fragments.run.box->onPacket = [&](Ptr<Packet> packet, bool, const auto& send) {
            clear += IsUdpFragment(ipsec_wire::Read(packet));
            send(packet);
        };
        fragments.run.Run();
        NS_TEST_EXPECT_MSG_EQ(fragments.run.IsDone(), true, "the stream besides");
        NS_TEST_EXPECT_MSG_EQ(fragments.intact, DATAGRAMS, "all datagrams have come");
        NS_TEST_EXPECT_MSG_EQ(clear, (m_port == PORT ? 0 : 3 * DATAGRAMS), "fragments in clear");
    }

    bool m_ipv6;     //!< IPv6
    uint16_t m_port; //!< where datagrams go
};

/**
 * @ingroup iwarp-test
 * Fragments in clear of what is to be protected do not pass a gateway, whatever they show, nor may
 * they follow a first one that came through the tunnel.
 */
class ForgedFragmentsTest : public TestCase
{
  public:
    /// @param ipv6 IPv6
    explicit ForgedFragmentsTest(bool ipv6)
        : TestCase(std::string("forged fragments at a gateway, ") + (ipv6 ? "IPv6" : "IPv4")),
          m_ipv6(ipv6)
    {
    }

  private:
    void DoRun() override
    {
        FragmentRun fragments(FragmentRun::MakeGateways(m_ipv6));
        fragments.ProtectPort();
        uint32_t forged = 0;
        fragments.Forge(m_ipv6, forged);
        uint32_t seen = 0;
        fragments.run.network.GetHostDevice(1)->TraceConnectWithoutContext(
            "MacRx",
            MakeBoundCallback(
                +[](uint32_t* count, Ptr<const Packet> packet) {
                    const auto octets = ipsec_wire::Read(packet);
                    // PPP goes before
                    *count += IsUdpFragment({octets.begin() + 2, octets.end()});
                },
                &seen));
        fragments.run.Run();
        NS_TEST_EXPECT_MSG_EQ(forged, 3 * DATAGRAMS, "there were some");
        NS_TEST_EXPECT_MSG_EQ(seen, 3 * DATAGRAMS, "only what came through the tunnel goes on");
        NS_TEST_EXPECT_MSG_EQ(fragments.intact, DATAGRAMS, "all datagrams, and right");
        NS_TEST_EXPECT_MSG_EQ(
            fragments.run.gateways[1]->GetCounters().GetDropped(IpsecDrop::POLICY),
            forged,
            "each is counted");
    }

    bool m_ipv6; //!< IPv6
};

/// A datagram that is divided before ESP is traced whole, with all that goes out for it.
struct DividedTraceTest : TestCase
{
    using TestCase::TestCase;

    /// What was traced
    struct Traced
    {
        uint32_t datagrams{0}; //!< of UDP
        uint32_t whole{0};     //!< of these, as they were sent
        uint64_t octets{0};    //!< that went out, of TCP's too
    };
};

/**
 * @ingroup iwarp-test
 * ESP in fragments is put together again, virtual octets and what stands behind them.
 */
class DividedEspTest : public TestCase
{
  public:
    /// @param ipv6 IPv6 @param mode of ESP
    DividedEspTest(bool ipv6, EspCodec::Mode mode)
        : TestCase(std::string("ESP in fragments, ") + (ipv6 ? "IPv6, " : "IPv4, ") +
                   (mode == EspCodec::Mode::REAL ? "real" : "modelled")),
          m_ipv6(ipv6),
          m_mode(mode)
    {
    }

  private:
    static constexpr uint32_t SIZE = 1232; //!< octets of a datagram that IPv6 takes on all links

    void DoRun() override
    {
        IpsecSetup setup;
        setup.ipv6 = m_ipv6;
        setup.place = IpsecPlace::GATEWAY;
        setup.proposal.codec = m_mode;
        setup.dontFragment = IpsecDontFragment::CLEAR;
        setup.core = m_ipv6 ? 1280 : 576; // as ESP in two fragments, or in three
        setup.stop = Seconds(3);
        FragmentRun fragments(setup, PORT, Create<Packet>(SIZE));
        fragments.run.Run();
        NS_TEST_EXPECT_MSG_EQ(fragments.run.IsDone(), true, "the stream besides");
        NS_TEST_EXPECT_MSG_EQ(fragments.intact, DATAGRAMS, "all datagrams, and right");
    }

    bool m_ipv6;           //!< IPv6
    EspCodec::Mode m_mode; //!< of ESP
};

IWARP_TEST_CASES(ipsecFragment)
{
    for (const bool ipv6 : {false, true})
    {
        suite.AddTestCase(new PortFragmentsTest(ipv6, PORT));
        suite.AddTestCase(new PortFragmentsTest(ipv6, PORT + 1));
        suite.AddTestCase(new ForgedFragmentsTest(ipv6));
        for (const auto mode : {EspCodec::Mode::MODELLED, EspCodec::Mode::REAL})
        {
            suite.AddTestCase(new DividedEspTest(ipv6, mode));
        }
    }
}

/// What comes through a tunnel in fragments is put together apart from what comes in clear.
IWARP_TEST(ipsecFragment, "clear fragments among protected ones")
{
    FragmentRun fragments(FragmentRun::MakeTunnel());
    uint32_t forged = 0;
    fragments.Forge(false, forged);
    fragments.run.Run();
    NS_TEST_EXPECT_MSG_GT_OR_EQ(forged, 3 * DATAGRAMS, "there were some");
    NS_TEST_EXPECT_MSG_EQ(fragments.came, DATAGRAMS, "all datagrams");
    NS_TEST_EXPECT_MSG_EQ(fragments.intact, DATAGRAMS, "and right");
}

IWARP_TEST(ipsecFragment, "what is traced of a datagram in fragments", DividedTraceTest)
{
    FragmentRun fragments(FragmentRun::MakeTunnel());
    Traced traced;
    fragments.run.hosts[0]->TraceConnectWithoutContext(
        "Sealed",
        MakeBoundCallback(
            +[](Traced* all, Ptr<const Packet> p, const IpsecFlow& flow, uint32_t octets) {
                const bool isUdp = flow.protocol == UdpL4Protocol::PROT_NUMBER;
                all->datagrams += isUdp;
                all->whole += isUdp && p->GetSize() == 8 + DATAGRAM;
                all->octets += octets;
            },
            &traced));
    fragments.run.Run();
    NS_TEST_EXPECT_MSG_EQ(fragments.intact, DATAGRAMS, "all datagrams, and right");
    NS_TEST_EXPECT_MSG_EQ(traced.datagrams, DATAGRAMS, "each once");
    NS_TEST_EXPECT_MSG_EQ(traced.whole, DATAGRAMS, "and whole");
    uint64_t sent = 0;
    for (const auto& datagram : fragments.run.sent)
    {
        sent += datagram.octets;
    }
    NS_TEST_EXPECT_MSG_EQ(traced.octets, sent, "as many octets as the host has sent");
}

/**
 * The parts alone: any order of any pieces gives the datagram, once; pieces that overlap give none
 * (RFC 5722); places are limited.
 */
struct ReassemblyTest : TestCase
{
    using TestCase::TestCase;

    /// @param offset of a fragment @param more others follow @param identification it
    /// @return what is seen of it
    static IpsecView See(uint32_t offset, bool more, uint32_t identification)
    {
        IpsecView view;
        view.flow = {"10.0.0.1", "10.0.0.2", ipsec_wire::UDP};
        view.fragment = true;
        view.more = more;
        view.offset = offset;
        view.identification = identification;
        return view;
    }

    /// @param first value of the octets @param size how many @return those that count up
    static Ptr<Packet> Piece(uint32_t first, uint32_t size)
    {
        std::vector<uint8_t> octets(size);
        for (uint32_t i = 0; i < size; i++)
        {
            octets[i] = static_cast<uint8_t>(first + i);
        }
        return Create<Packet>(octets.data(), size);
    }

    /// @param reassembly it @param view of a fragment @param way that it came by @param piece what
    /// it carries @param now the clock @return the datagram, once it is whole
    static Ptr<Packet> Add(IpsecReassembly& reassembly,
                           const IpsecView& view,
                           uint64_t way,
                           const Ptr<Packet>& piece,
                           Time now = Time(0))
    {
        uint8_t tos = 0;
        return reassembly.Add(view, way, piece, tos, now);
    }

    /// A datagram is marked if a fragment is (RFC 3168 section 5.3).
    void CheckEcn()
    {
        for (uint8_t first = 0; first < 4; first++)
        {
            for (uint8_t second = 0; second < 4; second++)
            {
                IpsecReassembly reassembly;
                uint8_t tos = 0xB8 | first;
                reassembly.Add(See(0, true, 7), 1, Piece(0, 8), tos, Time(0));
                tos = 0xB8 | second;
                const auto whole = reassembly.Add(See(8, false, 7), 1, Piece(8, 8), tos, Time(0));
                const bool marked = first == 3 || second == 3;
                const bool unable = first == 0 || second == 0;
                NS_TEST_EXPECT_MSG_EQ(!whole, (marked && unable), +first << " and " << +second);
                if (whole)
                {
                    NS_TEST_EXPECT_MSG_EQ(+tos,
                                          (0xB8 | (marked ? 3 : second)),
                                          +first << " and " << +second);
                }
            }
        }
    }
};

IWARP_TEST(ipsecFragment, "reassembly by itself", ReassemblyTest)
{
    CheckEcn();
    std::vector<uint32_t> order{0, 8, 16, 24};
    do
    {
        IpsecReassembly reassembly;
        Ptr<Packet> whole;
        for (std::size_t i = 0; i < order.size(); i++)
        {
            NS_TEST_EXPECT_MSG_EQ(!whole, true, "not before all are there");
            const uint32_t at = order[i];
            whole = Add(reassembly, See(at, at < 24, 7), 1, Piece(at, 8));
        }
        NS_TEST_ASSERT_MSG_EQ(!whole, false, "all are there");
        NS_TEST_EXPECT_MSG_EQ((ipsec_wire::Read(whole) == ipsec_wire::Read(Piece(0, 32))),
                              true,
                              "in order");
    } while (std::next_permutation(order.begin(), order.end()));
    IpsecReassembly reassembly;
    NS_TEST_EXPECT_MSG_EQ(!Add(reassembly, See(0, true, 1), 1, Piece(0, 16)), true, "a part");
    NS_TEST_EXPECT_MSG_EQ(!Add(reassembly, See(16, false, 1), 2, Piece(16, 8)),
                          true,
                          "of another tunnel");
    NS_TEST_EXPECT_MSG_EQ(!Add(reassembly, See(8, true, 1), 1, Piece(0, 16)), true, "over it");
    NS_TEST_EXPECT_MSG_EQ(!Add(reassembly, See(16, false, 1), 1, Piece(16, 8)),
                          true,
                          "so that it is given up");
    // an overlap as long as a hole: as many octets as there have to be
    for (const auto& [at, size] : {std::pair{0U, 16U}, {8, 16}, {32, 8}})
    {
        NS_TEST_EXPECT_MSG_EQ(!Add(reassembly, See(at, at < 32, 4), 1, Piece(at, size)),
                              true,
                              "an overlap, at " << at);
    }
    NS_TEST_EXPECT_MSG_EQ(!Add(reassembly, See(24, false, 5), 1, Piece(24, 8)),
                          true,
                          "the last one");
    NS_TEST_EXPECT_MSG_EQ(!Add(reassembly, See(8, false, 5), 1, Piece(8, 8)),
                          true,
                          "a second last one");
    const auto one = IpsecFragmentKey::Of(See(0, true, 6), 1);
    NS_TEST_EXPECT_MSG_EQ((one == IpsecFragmentKey::Of(See(8, false, 6), 1)), true, "a datagram");
    NS_TEST_EXPECT_MSG_EQ((one == IpsecFragmentKey::Of(See(8, false, 6), 2)),
                          false,
                          "another tunnel's");
    NS_TEST_EXPECT_MSG_EQ((one == IpsecFragmentKey::Of(See(8, false, 7), 1)), false, "another");
    NS_TEST_EXPECT_MSG_EQ(!Add(reassembly, See(0, true, 2), 1, Piece(0, 8)), true, "a part");
    NS_TEST_EXPECT_MSG_EQ(!Add(reassembly, See(8, false, 2), 1, Piece(8, 8), Seconds(31)),
                          true,
                          "too late");
    NS_TEST_EXPECT_MSG_EQ(!Add(reassembly, See(0, true, 3), 1, Piece(0, 8), Seconds(40)),
                          true,
                          "a part");
    for (uint32_t i = 0; i < IpsecReassembly::PLACES; i++)
    {
        Add(reassembly, See(0, true, 100 + i), 1, Piece(0, 8), MilliSeconds(41'000 + i));
    }
    NS_TEST_EXPECT_MSG_EQ(!Add(reassembly, See(8, false, 3), 1, Piece(8, 8), Seconds(42)),
                          true,
                          "it had to make room");
    NS_TEST_EXPECT_MSG_EQ(!Add(reassembly, See(8, false, 163), 1, Piece(8, 8), Seconds(42)),
                          false,
                          "for this");
}

/// What a first fragment tells of ports counts for the others of its datagram, as long as a
/// datagram may be put together: its identification may be used again.
IWARP_TEST(ipsecFragment, "ports by itself", ReassemblyTest)
{
    IpsecFragmentPorts ports;
    IpsecView first = See(0, true, 1);
    first.flow.sourcePort = 1000;
    first.flow.destinationPort = 2000;
    NS_TEST_EXPECT_MSG_EQ(ports.Find(first, false, Seconds(1)), true, "it shows them");
    const auto find = [&ports](uint32_t identification, bool opened, Time now) {
        IpsecView later = See(8, true, identification);
        const bool found = ports.Find(later, opened, now);
        return found && later.flow.sourcePort == 1000 && later.flow.destinationPort == 2000;
    };
    NS_TEST_EXPECT_MSG_EQ(find(1, false, Seconds(2)), true, "the same datagram");
    NS_TEST_EXPECT_MSG_EQ(find(2, false, Seconds(2)), false, "another one");
    NS_TEST_EXPECT_MSG_EQ(find(1, true, Seconds(2)), false, "one that was protected");
    NS_TEST_EXPECT_MSG_EQ(find(1, false, Seconds(31) - TimeStep(1)), true, "30 s at most");
    NS_TEST_EXPECT_MSG_EQ(find(1, false, Seconds(31)), false, "no longer");
}

} // namespace
