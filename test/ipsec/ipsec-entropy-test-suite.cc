/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "../iwarp-test.h"
#include "ipsec-run.h"
#include "ipsec-wire.h"

#include "ns3/ipsec-datagram.h"
#include "ns3/ipv6-header.h"
#include "ns3/packet.h"
#include "ns3/tcp-ipv6-flow-labels.h"

#include <boost/endian/conversion.hpp>
#include <boost/math/distributions/chi_squared.hpp>
#include <cmath>
#include <map>
#include <set>
#include <utility>
#include <vector>

using namespace ns3;
using boost::endian::load_big_u16;
using boost::endian::load_big_u32;
using ipsec_wire::Octets;

namespace
{

/// What outer headers show of the flows in them
IWARP_TEST_SUITE(ipsecEntropy, "ipsec-entropy");

/// Compares counts with a uniform distribution.
struct EntropySpreadTest : TestCase
{
    using TestCase::TestCase;

    /// @param counts of equally likely outcomes @param what they are
    void Check(const std::vector<uint32_t>& counts, const std::string& what)
    {
        double all = 0;
        for (const uint32_t count : counts)
        {
            all += count;
        }
        const double expected = all / static_cast<double>(counts.size());
        double sum = 0;
        for (const uint32_t count : counts)
        {
            sum += std::pow(count - expected, 2) / expected;
        }
        const boost::math::chi_squared distribution(static_cast<double>(counts.size() - 1));
        NS_TEST_EXPECT_MSG_LT(sum, quantile(complement(distribution, 0.001)), what);
    }
};

/// Ports are the 14 lowest bits of a hash behind two bits that are set (RFC 7510 section 3), labels
/// 20 bits that are not all 0 (RFC 6437 section 2). Both are a flow's own, the same for each of its
/// datagrams, and spread as uniform ones are, at 0.1 %.
IWARP_TEST(ipsecEntropy, "ports and labels of many flows", EntropySpreadTest)
{
    constexpr uint32_t FLOWS = 16384;
    constexpr uint32_t BINS = 64;
    std::vector<uint32_t> lowPorts(BINS);
    std::vector<uint32_t> highPorts(BINS);
    std::vector<uint32_t> lowLabels(BINS);
    std::vector<uint32_t> highLabels(BINS);
    std::set<uint32_t> labels;
    for (uint32_t i = 0; i < FLOWS; i++)
    {
        // hosts and ports as they come: one after the other
        const auto port = static_cast<uint16_t>(49152 + i % 128);
        const IpsecFlow flow{Ipv4Address(0x0A000002 + 4 * (i / 128)), "10.1.0.2", 6, port, 20049};
        const uint64_t entropy = GetIpsecEntropy(flow);
        NS_TEST_ASSERT_MSG_EQ(GetIpsecEntropy(flow), entropy, "of the flow alone");
        const uint16_t source = GetIpsecUdpPort(entropy);
        NS_TEST_ASSERT_MSG_GT(source, 49151, "a dynamic port (RFC 6335 section 6)");
        const uint32_t label = Ipv6FlowLabels::MakeLabel(entropy);
        NS_TEST_ASSERT_MSG_GT(label, 0, "a label");
        NS_TEST_ASSERT_MSG_LT(label, 1U << 20, "of 20 bits");
        lowPorts[source % BINS]++;
        highPorts[(source - 49152) / 256]++;
        lowLabels[label % BINS]++;
        highLabels[label / (1U << 14)]++;
        labels.insert(label);
    }
    Check(lowPorts, "lower bits of ports");
    Check(highPorts, "upper bits of ports");
    Check(lowLabels, "lower bits of labels");
    Check(highLabels, "upper bits of labels");
    // 16,384 of 2^20 - 1 labels leave 127 pairs that are the same, give or take 11
    NS_TEST_EXPECT_MSG_EQ_TOL(labels.size(), FLOWS - 127.0, 5 * 11.3, "few labels twice");
    const IpsecFlow flow{"2001:db8::1", "2001:db8::2", 50};
    NS_TEST_EXPECT_MSG_NE(GetIpsecEntropy(flow, 1), GetIpsecEntropy(flow, 2), "labels within ESP");
    NS_TEST_EXPECT_MSG_EQ(Ipv6FlowLabels::MakeLabel(Ipv6FlowLabels::LARGEST), 1, "never 0");
}

/// Headers keep a label, or it is said that they do not.
IWARP_TEST(ipsecEntropy, "labels in headers")
{
    for (const uint32_t label : {1U, 0x12345U, Ipv6FlowLabels::LARGEST})
    {
        Ipv6Header header;
        header.SetFlowLabel(label);
        Packet packet;
        packet.AddHeader(header);
        Ipv6Header read;
        packet.RemoveHeader(read);
        NS_TEST_EXPECT_MSG_EQ((read.GetFlowLabel() == label), Ipv6FlowLabels::AreCarried(), label);
    }
}

/// A label follows from addresses, protocol and ports, from each octet of them.
IWARP_TEST(ipsecEntropy, "what a label follows from")
{
    constexpr std::size_t SIZE = 2 * 16 + 1 + 4; // of a flow's key
    const auto labels = CreateObject<Ipv6FlowLabels>();
    const auto get = [&labels](const Octets& key, const Octets& behind) {
        Ipv6Header header;
        header.SetSource(Ipv6Address::Deserialize(key.data()));
        header.SetDestination(Ipv6Address::Deserialize(key.data() + 16));
        header.SetNextHeader(key[32]);
        Octets octets(key.begin() + 33, key.end());
        octets.insert(octets.end(), behind.begin(), behind.end());
        return labels->GetLabel(header, Create<Packet>(octets.data(), octets.size()));
    };
    std::set<uint32_t> both;
    for (const uint8_t protocol : {6, 17})
    {
        Octets key(SIZE, 0x20);
        key[32] = protocol;
        const uint32_t label = get(key, {1, 2, 3, 4});
        both.insert(label);
        NS_TEST_EXPECT_MSG_EQ(get(key, {9, 8, 7}), label, "not from what is behind the ports");
        for (std::size_t i = 0; i < SIZE; i++)
        {
            Octets other = key;
            other[i] ^= 1; // of 17, another protocol
            NS_TEST_EXPECT_MSG_NE(get(other, {1, 2, 3, 4}), label, "octet " << i);
        }
    }
    NS_TEST_EXPECT_MSG_EQ(both.size(), 2, "of TCP and of UDP");
    Octets key(SIZE, 0x20);
    key[32] = 50;
    Octets other = key;
    other.back() ^= 1;
    NS_TEST_EXPECT_MSG_EQ(get(other, {}), get(key, {}), "of ESP, not from its octets");
}

/// An association with such ports has to go in UDP.
IWARP_TEST(ipsecEntropy, "ports without UDP")
{
    IpsecAssociationConfig config;
    config.spi = 256;
    config.transform = FindEspTransform("null/hmac-sha1-96");
    config.keys.integrity.resize(20);
    config.udpEntropy = true;
    NS_TEST_EXPECT_MSG_NE(config.Check(), "", "is told");
    config.udp = true;
    NS_TEST_EXPECT_MSG_EQ(config.Check(), "", "is good");
}

/**
 * ESP in UDP whose source port tells flows apart, octet by octet: UDP's header of RFC 768 with port
 * 4500 for destination, checksum 0 and ESP behind it, as RFC 3948 section 2.1 has it but for the
 * source port, which is one of 49152 to 65535, and one for all of a direction of the connection.
 * Otherwise the run is that of RFC 3948.
 */
class UdpPortTest : public TestCase
{
  public:
    /// @param place where there is IPsec @param ipv6 IPv6 @param mode of ESP
    UdpPortTest(IpsecPlace place, bool ipv6, EspCodec::Mode mode)
        : TestCase("UDP ports, place " + std::to_string(static_cast<int>(place)) +
                   (ipv6 ? ", IPv6" : ", IPv4") +
                   (mode == EspCodec::Mode::REAL ? ", real" : ", modelled"))
    {
        m_setup.place = place;
        m_setup.ipv6 = ipv6;
        m_setup.proposal.udp = true;
        m_setup.proposal.codec = mode;
    }

  private:
    /// @param octets of a datagram @return its source port
    uint16_t Check(const Octets& octets)
    {
        const std::size_t ip = ipsec_wire::GetHeader(octets);
        const uint8_t* udp = octets.data() + ip;
        NS_TEST_EXPECT_MSG_EQ(load_big_u16(udp + 2), 4500, "destination port");
        NS_TEST_EXPECT_MSG_EQ(load_big_u16(udp + 4), octets.size() - ip, "length");
        NS_TEST_EXPECT_MSG_EQ(load_big_u16(udp + 6), 0, "checksum");
        NS_TEST_EXPECT_MSG_GT(load_big_u32(udp + 8), 255, "SPI");
        return load_big_u16(udp);
    }

    /// @param entropy ports tell flows apart @param[out] ports source ports, of what goes forth and
    /// back @return the datagrams between the routers
    std::vector<IpsecRun::Datagram> Run(bool entropy, std::map<bool, std::set<uint16_t>>& ports)
    {
        m_setup.proposal.udpEntropy = entropy;
        IpsecRun run(m_setup);
        run.box->onPacket = [&](Ptr<Packet> packet, bool forth, const auto& send) {
            const Octets octets = ipsec_wire::Read(packet);
            if (!ipsec_wire::IsDiscovery(octets))
            {
                NS_TEST_EXPECT_MSG_EQ(+ipsec_wire::GetProtocol(octets), 17, "UDP");
                ports[forth].insert(Check(octets));
            }
            send(packet);
        };
        run.Run();
        NS_TEST_EXPECT_MSG_EQ(run.IsDone(), true, "all messages, and right");
        return run.crossed;
    }

    void DoRun() override
    {
        std::map<bool, std::set<uint16_t>> fixed;
        std::map<bool, std::set<uint16_t>> spread;
        const bool same = Run(false, fixed) == Run(true, spread);
        NS_TEST_EXPECT_MSG_EQ(same, true, "sizes and times are those of RFC 3948");
        for (const bool forth : {true, false})
        {
            NS_TEST_EXPECT_MSG_EQ((fixed[forth] == std::set<uint16_t>{4500}), true, "RFC 3948");
            NS_TEST_ASSERT_MSG_EQ(spread[forth].size(), 1, "one port a flow");
            NS_TEST_EXPECT_MSG_GT(*spread[forth].begin(), 49151, "a dynamic one");
        }
    }

    IpsecSetup m_setup; //!< what the run is like
};

/// Reads flow labels from the octets of datagrams.
struct FlowLabelWireTest : TestCase
{
    using TestCase::TestCase;
    using Labels = std::map<bool, std::set<uint32_t>>; //!< of what goes forth and back

    /// @param ip an IPv6 header @return its flow label (RFC 8200 section 3)
    static uint32_t Get(const uint8_t* ip)
    {
        return load_big_u32(ip) & 0xFFFFF;
    }

    /// @param run that is to be @param inner octets in front of an inner IPv6 header; 0: there is
    /// none to see @param[out] labels of headers between the routers @param[out] within of inner
    /// ones
    static void Watch(IpsecRun& run, uint32_t inner, Labels& labels, Labels& within)
    {
        run.box->onPacket =
            [inner, &labels, &within](Ptr<Packet> packet, bool forth, const auto& send) {
                const Octets octets = ipsec_wire::Read(packet);
                if (ipsec_wire::GetProtocol(octets) != ipsec_wire::ICMPV6) // another flow
                {
                    labels[forth].insert(Get(octets.data()));
                    if (inner > 0)
                    {
                        within[forth].insert(Get(octets.data() + inner));
                    }
                }
                send(packet);
            };
    }

    /// @param labels of one connection, each way
    void CheckOne(const Labels& labels)
    {
        for (const bool forth : {true, false})
        {
            NS_TEST_ASSERT_MSG_EQ(labels.at(forth).size(), 1, "one label a flow");
            NS_TEST_EXPECT_MSG_GT(*labels.at(forth).begin(), 1, "not ns-3's own");
        }
        NS_TEST_EXPECT_MSG_NE(*labels.at(true).begin(), *labels.at(false).begin(), "each way");
    }
};

/**
 * A host's segments have the label of their connection, in clear and in ESP; a tunnel's outer
 * header has one that follows from what is in it, and the inner one keeps its own (RFC 6438 section
 * 3). Sizes and times are those without labels.
 */
IWARP_TEST(ipsecEntropy, "flow labels on the wire", FlowLabelWireTest)
{
    if (!Ipv6FlowLabels::AreCarried())
    {
        return; // scenarios refuse them
    }
    Labels clear;
    for (const auto place : {IpsecPlace::NOWHERE,
                             IpsecPlace::TRANSPORT,
                             IpsecPlace::TUNNEL,
                             IpsecPlace::GATEWAY,
                             IpsecPlace::NESTED})
    {
        IpsecSetup setup;
        setup.place = place;
        setup.ipv6 = true;
        const bool tunnel = place == IpsecPlace::TUNNEL || place == IpsecPlace::GATEWAY;
        Labels none;
        Labels labels;
        Labels within;
        std::vector<IpsecRun::Datagram> before;
        {
            IpsecRun run(setup);
            Watch(run, 0, none, within);
            run.Run();
            before = run.crossed;
        }
        setup.labels = true;
        IpsecRun run(setup);
        Watch(run, tunnel ? 40 + 8 + 8 : 0, labels, within); // IP, SPI and number, IV
        run.Run();
        NS_TEST_EXPECT_MSG_EQ(run.IsDone(), true, "all messages, and right");
        NS_TEST_EXPECT_MSG_EQ((run.crossed == before), true, "the same run otherwise");
        NS_TEST_EXPECT_MSG_EQ((none[true] == std::set<uint32_t>{1}), true, "ns-3's own");
        CheckOne(labels);
        clear = place == IpsecPlace::NOWHERE ? labels : clear;
        if (tunnel)
        {
            NS_TEST_EXPECT_MSG_EQ((within == clear), true, "inner headers keep the host's");
        }
    }
}

/// Segments that nobody may divide are labelled and kept whole, whichever comes first; the EMSS by
/// hand behind a link of 1,400 octets.
IWARP_TEST(ipsecEntropy, "labels and datagrams that are not divided", FlowLabelWireTest)
{
    for (const bool late : {false, true})
    {
        IpsecSetup setup;
        setup.place = IpsecPlace::NOWHERE;
        setup.ipv6 = true;
        setup.deep = 1400;
        setup.labels = !late;
        IpsecRun run(setup);
        for (uint32_t i = 0; late && i < 2; i++)
        {
            const Ptr<Node> host = run.network.GetHost(i);
            const auto* whole = host->GetObject<TcpEndPointTable>()->GetDontFragment();
            NS_TEST_ASSERT_MSG_EQ((whole != nullptr), true, "is there before");
            Ipv6FlowLabels::Install(host);
        }
        Labels labels;
        Labels within;
        Watch(run, 0, labels, within);
        run.Run();
        NS_TEST_EXPECT_MSG_EQ(run.IsDone(), true, "all messages, and right");
        NS_TEST_EXPECT_MSG_EQ(run.emss.back(), 1400 - 40 - 20 - 12, "EMSS, with timestamps");
        for (const auto& datagram : run.crossed)
        {
            NS_TEST_EXPECT_MSG_EQ(datagram.fragment, false, "nothing is divided");
        }
        if (Ipv6FlowLabels::AreCarried())
        {
            CheckOne(labels);
        }
    }
}

/// Lives as long as the node that it is aggregated to.
class LabelWitness : public Object
{
  public:
    static TypeId GetTypeId() //!< @return the object TypeId
    {
        static TypeId tid = TypeId("ns3::LabelWitness").SetParent<Object>().SetGroupName("Iwarp");
        return tid;
    }

    LabelWitness()
    {
        g_alive++;
    }

    ~LabelWitness() override
    {
        g_alive--;
    }

    static uint32_t g_alive; //!< how many there are
};

uint32_t LabelWitness::g_alive = 0;

/// Labels keep no node alive.
IWARP_TEST(ipsecEntropy, "nodes go with their labels")
{
    IpsecSetup setup;
    setup.place = IpsecPlace::NESTED;
    setup.ipv6 = true;
    setup.labels = true;
    {
        IpsecRun run(setup);
        for (uint32_t i = 0; i < 2; i++)
        {
            run.network.GetHost(i)->AggregateObject(CreateObject<LabelWitness>());
            run.network.GetRouter(i)->AggregateObject(CreateObject<LabelWitness>());
        }
        run.Run();
        NS_TEST_EXPECT_MSG_EQ(LabelWitness::g_alive, 4, "while it runs");
    }
    NS_TEST_EXPECT_MSG_EQ(LabelWitness::g_alive, 0, "no longer");
}

/// A node without IPv6 has no labels; one that has them keeps those it has.
IWARP_TEST(ipsecEntropy, "labels of a node")
{
    IwarpNetwork four(false);
    four.AddRouter();
    four.AddHost(0, {});
    NS_TEST_EXPECT_MSG_EQ(Ipv6FlowLabels::Install(four.GetHost(0)), nullptr, "IPv4");
    IwarpNetwork six(true);
    six.AddRouter();
    six.AddHost(0, {});
    const auto labels = Ipv6FlowLabels::Install(six.GetHost(0));
    NS_TEST_EXPECT_MSG_EQ(Ipv6FlowLabels::Install(six.GetHost(0)), labels, "once");
    Simulator::Destroy();
}

IWARP_TEST_CASES(ipsecEntropy)
{
    for (const bool ipv6 : {false, true})
    {
        for (const auto place :
             {IpsecPlace::TRANSPORT, IpsecPlace::TUNNEL, IpsecPlace::GATEWAY, IpsecPlace::NESTED})
        {
            suite.AddTestCase(new UdpPortTest(place, ipv6, EspCodec::Mode::MODELLED));
        }
        if (EspCodec::HasReal())
        {
            suite.AddTestCase(new UdpPortTest(IpsecPlace::GATEWAY, ipv6, EspCodec::Mode::REAL));
        }
    }
}

} // namespace
