/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "../iwarp-test.h"
#include "ipsec-run.h"

#include "ns3/config.h"
#include "ns3/esp-format.h"
#include "ns3/tcp-l4-protocol.h"

#include <algorithm>

using namespace ns3;

namespace
{

/// ESP in IPsec's transport mode between hosts.
IWARP_TEST_SUITE(ipsecTransport, "ipsec-transport", TestSuite::Type::SYSTEM);

/// @param datagrams seen @return octets of the largest
uint32_t
FindLargest(const std::vector<IpsecRun::Datagram>& datagrams)
{
    uint32_t largest = 0;
    for (const auto& datagram : datagrams)
    {
        largest = std::max(largest, datagram.octets);
    }
    return largest;
}

/// @param datagrams seen @param protocol one @return all are of it
bool
AreAll(const std::vector<IpsecRun::Datagram>& datagrams, uint8_t protocol)
{
    return std::all_of(datagrams.begin(), datagrams.end(), [protocol](const auto& datagram) {
        return datagram.protocol == protocol;
    });
}

/**
 * @ingroup iwarp-test
 * EMSS and FPDUs under AES-GCM with an ICV of 16 octets, against the sum by hand of
 * what RFC 4303 and RFC 4106 add, and what is on the wire.
 */
class TransportSizeTest : public TestCase
{
  public:
    /// @param ipv6 IPv6 @param timestamps TCP has them @param rnic hosts have RNICs
    TransportSizeTest(bool ipv6, bool timestamps, bool rnic)
        : TestCase(std::string("sizes over ") + (ipv6 ? "IPv6" : "IPv4") +
                   (timestamps ? ", timestamps" : "") + (rnic ? ", RNICs" : "")),
          m_ipv6(ipv6),
          m_timestamps(timestamps),
          m_rnic(rnic)
    {
    }

  private:
    void DoRun() override
    {
        Config::SetDefault("ns3::TcpSocketBase::Timestamp", BooleanValue(m_timestamps));
        IpsecSetup setup;
        setup.ipv6 = m_ipv6;
        setup.rnic = m_rnic;
        IpsecRun run(setup);
        run.Run();
        Config::Reset();
        NS_TEST_ASSERT_MSG_EQ(run.IsDone(), true, "all messages, and right");
        // SPI and sequence number 8, IV 8, ICV 16; then TCP, pad length and next header are a
        // multiple of 4
        const uint32_t ciphered = (1500 - (m_ipv6 ? 40 : 20) - 8 - 8 - 16) / 4 * 4;
        const uint32_t emss = ciphered - 2 - 20 - (m_timestamps ? 12 : 0);
        NS_TEST_EXPECT_MSG_EQ(run.emss.back(), emss, "EMSS");
        const uint32_t fpdu = emss / 4 * 4;
        NS_TEST_EXPECT_MSG_EQ(*std::max_element(run.fpdus.begin(), run.fpdus.end()), fpdu, "FPDU");
        IWARP_COVERS("MPA-3-10 MPA-9.3-01 MPA-9.2-02 DDP-8.1-2");
        if (!m_ipv6 && !m_timestamps)
        {
            NS_TEST_EXPECT_MSG_EQ(fpdu - 6,
                                  1418,
                                  "MULPDU of AES-GCM in transport mode at an MTU of 1500");
        }
        NS_TEST_EXPECT_MSG_EQ(AreAll(run.sent, ESP_PROTOCOL), true, "host 0 sends ESP");
        NS_TEST_EXPECT_MSG_EQ(AreAll(run.answered, ESP_PROTOCOL), true, "so does host 1");
        NS_TEST_EXPECT_MSG_EQ(FindLargest(run.sent), 1500, "a full segment fills the link");
        const auto& counters = run.hosts[0]->GetCounters();
        NS_TEST_EXPECT_MSG_EQ(counters.sealed, run.sent.size(), "all that host 0 has sent");
        NS_TEST_EXPECT_MSG_EQ(run.hosts[1]->GetCounters().opened, run.sent.size(), "came");
        uint64_t octets = 0;
        for (const auto& datagram : run.sent)
        {
            octets += datagram.octets;
        }
        NS_TEST_EXPECT_MSG_EQ(counters.sealedOctets, octets, "octets of them");
    }

    bool m_ipv6;       //!< IPv6
    bool m_timestamps; //!< TCP has them
    bool m_rnic;       //!< hosts have RNICs
};

/**
 * @ingroup iwarp-test
 * Modelled and real ESP send the same sizes at the same times, with each transform and mode.
 */
class RealModelledTest : public TestCase
{
  public:
    /// @param transform cipher and integrity @param place where there is IPsec
    RealModelledTest(const std::string& transform, IpsecPlace place)
        : TestCase("modelled and real " + transform.substr(0, transform.find('/')) + ", " +
                   std::to_string(static_cast<int>(place))),
          m_transform(transform),
          m_place(place)
    {
    }

  private:
    void DoRun() override
    {
        if (!EspCodec::HasReal())
        {
            return;
        }
        std::vector<IpsecRun::Datagram> seen[2];
        for (const auto mode : {EspCodec::Mode::MODELLED, EspCodec::Mode::REAL})
        {
            IpsecSetup setup;
            setup.transform = m_transform;
            setup.place = m_place;
            setup.proposal.codec = mode;
            IpsecRun run(setup);
            run.Run();
            NS_TEST_EXPECT_MSG_EQ(run.IsDone(), true, "all messages, and right");
            seen[mode == EspCodec::Mode::REAL] = run.crossed;
        }
        NS_TEST_EXPECT_MSG_EQ((seen[0] == seen[1]), true, "the same datagrams");
        NS_TEST_EXPECT_MSG_GT(seen[0].size(), 140, "there are some");
    }

    std::string m_transform; //!< cipher and integrity
    IpsecPlace m_place;      //!< where there is IPsec
};

/**
 * @ingroup iwarp-test
 * What is to be protected and comes in clear, and what is to be discarded, does not pass (RFC 4301
 * sections 5.1 and 5.2).
 */
class ClearTest : public TestCase
{
  public:
    /// @param ipv6 IPv6
    explicit ClearTest(bool ipv6)
        : TestCase(std::string("clear traffic is kept out, ") + (ipv6 ? "IPv6" : "IPv4")),
          m_ipv6(ipv6)
    {
    }

  private:
    void DoRun() override
    {
        for (const bool discard : {false, true})
        {
            IpsecSetup setup;
            setup.ipv6 = m_ipv6;
            setup.place = IpsecPlace::NOWHERE;
            setup.stop = Seconds(10);
            IpsecRun run(setup);
            const uint32_t host = discard ? 0 : 1;
            const auto stack = run.ipsec.Install(run.network.GetHost(host));
            if (discard)
            {
                IpsecPolicy policy;
                policy.action = IpsecAction::DISCARD;
                stack->GetPolicies().Add(policy);
            }
            else
            {
                run.ipsec.ProtectTransport(NodeContainer(run.network.GetHost(host)));
            }
            run.Run();
            NS_TEST_EXPECT_MSG_EQ(run.sink->GetMessageOctets(), 0, "nothing comes");
            NS_TEST_EXPECT_MSG_GT(stack->GetCounters().GetDropped(IpsecDrop::POLICY),
                                  1,
                                  "SYNs are dropped");
            NS_TEST_EXPECT_MSG_EQ(run.sent.empty(), discard, "where they were sent");
            NS_TEST_EXPECT_MSG_EQ(run.answered.empty(), true, "nobody answers");
        }
    }

    bool m_ipv6; //!< IPv6
};

IWARP_TEST_CASES(ipsecTransport)
{
    for (const bool ipv6 : {false, true})
    {
        suite.AddTestCase(new TransportSizeTest(ipv6, false, false));
        suite.AddTestCase(new TransportSizeTest(ipv6, true, true));
        suite.AddTestCase(new ClearTest(ipv6));
    }
    for (const auto* transform : {"null/hmac-sha1-96",
                                  "aes-cbc-128/hmac-sha1-96",
                                  "aes-cbc-256/hmac-sha2-512-256",
                                  "aes-ctr-128/hmac-sha2-256-128",
                                  "aes-gcm-8-128",
                                  "aes-gcm-12-256",
                                  "chacha20-poly1305"})
    {
        suite.AddTestCase(new RealModelledTest(transform, IpsecPlace::TRANSPORT));
    }
    for (const auto place : {IpsecPlace::TUNNEL, IpsecPlace::GATEWAY, IpsecPlace::NESTED})
    {
        suite.AddTestCase(new RealModelledTest("aes-gcm-16-128", place));
    }
}

/// A policy that bypasses changes nothing: the same datagrams at the same times.
IWARP_TEST(ipsecTransport, "a bypass changes nothing")
{
    std::vector<IpsecRun::Datagram> seen[2];
    for (const bool bypass : {false, true})
    {
        IpsecSetup setup;
        setup.place = IpsecPlace::NOWHERE;
        IpsecRun run(setup);
        for (uint32_t i = 0; bypass && i < 2; i++)
        {
            run.ipsec.Install(run.network.GetHost(i))->GetPolicies().Add(IpsecPolicy());
            run.ipsec.InstallGateway(run.network.GetRouter(i));
        }
        run.Run();
        NS_TEST_EXPECT_MSG_EQ(run.IsDone(), true, "all messages, and right");
        NS_TEST_EXPECT_MSG_EQ(AreAll(run.crossed, TcpL4Protocol::PROT_NUMBER), true, "TCP");
        seen[bypass] = run.crossed;
    }
    NS_TEST_EXPECT_MSG_EQ((seen[0] == seen[1]), true, "the same datagrams");
}

/// Without keys nothing goes, and without waiting TCP gets through once they are there.
IWARP_TEST(ipsecTransport, "without keys")
{
    for (const uint32_t most : {0, 64})
    {
        IpsecSetup setup;
        IpsecRun run(setup);
        run.hosts[0]->SetAttribute("MaxWaiting", UintegerValue(most));
        // nobody agrees until 2 s
        run.hosts[0]->GetAssociations().SetAcquire([](IpsecStack::Index, const IpsecFlow&) {});
        Simulator::Schedule(Seconds(2), [&run] {
            IpsecKeying::Pair pair;
            const IpsecFlow flow{run.GetHostAddress(0),
                                 run.GetHostAddress(1),
                                 TcpL4Protocol::PROT_NUMBER};
            if (run.ipsec.GetKeying()->Agree(run.hosts[0], 0, flow, pair))
            {
                run.ipsec.GetKeying()->InstallAtReceiver(pair);
                run.ipsec.GetKeying()->InstallAtSender(pair);
            }
        });
        run.Run();
        NS_TEST_EXPECT_MSG_EQ(run.IsDone(), true, "all messages, and right");
        const auto dropped = run.hosts[0]->GetCounters().GetDropped(IpsecDrop::NO_ASSOCIATION);
        NS_TEST_EXPECT_MSG_EQ(dropped, (most == 0 ? 1 : 0), "the SYN waits or is dropped");
        const Time first = run.sent.front().time;
        NS_TEST_EXPECT_MSG_GT_OR_EQ(first, Seconds(2), "nothing goes in clear");
        // the retransmission timer has 3 s: ns3::TcpSocket::ConnTimeout
        NS_TEST_EXPECT_MSG_EQ((first > Seconds(3)), (most == 0), "it waits, or TCP tries again");
    }
}

} // namespace
