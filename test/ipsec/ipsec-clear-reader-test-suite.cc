/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "../iwarp-test.h"
#include "ipsec-packed.h"

#include "ns3/app-message.h"
#include "ns3/ipsec-clear-reader.h"
#include "ns3/tcp-l4-protocol.h"
#include "ns3/udp-l4-protocol.h"

#include <string>

using namespace ns3;

namespace
{

/// What an eavesdropper reads
IWARP_TEST_SUITE(ipsecClearReader, "ipsec-clear-reader");

using Kind = IpsecClearReader::Kind;

/// Datagrams by hand: what is there to read of TCP that ought to be protected, in both versions.
struct ClearReaderTest : TestCase
{
    using TestCase::TestCase;

    /// @param datagram that comes next @param expected what is found @param what it is
    void Check(const Packed& datagram, Kind expected, const std::string& what)
    {
        const auto found =
            m_reader.Read(datagram.data(), datagram.size(), datagram.size(), m_protected);
        NS_TEST_EXPECT_MSG_EQ(static_cast<int>(found.kind),
                              static_cast<int>(expected),
                              what << (m_ipv6 ? ", IPv6" : "") << ": " << found.ToString());
    }

    /// Datagrams that say what they are
    void CheckWhole()
    {
        const bool v6 = m_ipv6;
        Check(Wrap(v6, 6, TCP_HEAD), Kind::DATAGRAM, "TCP");
        Check(Wrap(v6, 50, ESP_HEAD), Kind::NOTHING, "ESP");
        Check(Wrap(v6, 17, WrapUdp(4500, 4500, ESP_HEAD)), Kind::NOTHING, "ESP in UDP");
        Check(Wrap(v6, 17, WrapUdp(500, 500, {1, 2, 3, 4})), Kind::NOTHING, "IKE");
        Check(Wrap(v6, 17, WrapUdp(9, 9, {1})), Kind::NOTHING, "UDP, which is not protected");
        Check(Wrap(v6, v6 ? 41 : 4, Wrap(v6, 6, TCP_HEAD)), Kind::DATAGRAM, "TCP in IP");
        Check(Wrap(v6, v6 ? 41 : 4, Wrap(v6, 50, ESP_HEAD)), Kind::NOTHING, "ESP in IP");
        if (v6)
        {
            const Packed options{6, 0, 1, 4, 0, 0, 0, 0};
            Check(Wrap(true, 60, Append(options, TCP_HEAD)), Kind::DATAGRAM, "behind options");
            Check(Wrap(true, 58, Packed(24, 135)), Kind::NOTHING, "neighbour solicitation");
        }
    }

    /// ICMP: IPv4 types 3, 11 and 8 (RFC 792), IPv6 types 2, 3 and 128 (RFC 4443)
    void CheckIcmp()
    {
        const bool v6 = m_ipv6;
        const uint8_t icmp = v6 ? 58 : 1;
        const Packed head{static_cast<uint8_t>(v6 ? 2 : 3), 4, 0, 0, 0, 0, 5, 0};
        const auto quote = [&](const Packed& datagram) {
            return Wrap(v6, icmp, Append(head, datagram));
        };
        Packed cut = Wrap(v6, 6, TCP_HEAD);
        cut.resize(cut.size() - 12); // RFC 792: 64 bits of it
        Check(quote(Wrap(v6, 6, TCP_HEAD)), Kind::QUOTE, "TCP quoted");
        Check(quote(cut), Kind::QUOTE, "the begin of TCP quoted");
        cut.resize(cut.size() - 8);
        Check(quote(cut), Kind::NOTHING, "only IP's header quoted");
        Check(quote(Wrap(v6, 50, ESP_HEAD)), Kind::NOTHING, "ESP quoted");
        Check(quote(Wrap(v6, 6, TCP_HEAD, 0x2000 | 0x10)), Kind::QUOTE, "a fragment quoted");
        Check(Wrap(v6, icmp, Packed(20, v6 ? 128 : 8)), Kind::NOTHING, "echo");
        // of the ports all four octets, which the flow to protect is told by
        const auto all = m_protected;
        m_protected = [](const IpsecFlow& flow) { return flow.destinationPort == 7; };
        Packed ports = Wrap(v6, 17, WrapUdp(9, 7, {}));
        ports.resize(ports.size() - 4);
        Check(quote(ports), Kind::QUOTE, "the ports quoted, and no more");
        ports.pop_back();
        Check(quote(ports), Kind::NOTHING, "not all of the ports quoted");
        m_protected = all;
    }

    /// A fragment counts as the first of its datagram does
    void CheckFragments()
    {
        const bool v6 = m_ipv6;
        const Packed rest(16, 0);
        Check(Wrap(v6, 6, TCP_HEAD, 0x2000), Kind::DATAGRAM, "first fragment");
        Check(Wrap(v6, 6, rest, 3), Kind::FRAGMENT, "second fragment");
        Check(Wrap(v6, 50, ESP_HEAD, 0x2000), Kind::NOTHING, "first fragment of ESP");
        Check(Wrap(v6, 50, rest, 1), Kind::NOTHING, "second fragment of ESP");
        m_protected = [](const IpsecFlow& flow) {
            return flow.protocol == UdpL4Protocol::PROT_NUMBER &&
                   (flow.destinationPort == 7 || flow.destinationPort == 0);
        };
        Check(Wrap(v6, 17, rest, 1), Kind::NOTHING, "a second fragment alone, maybe of ESP");
        Check(Wrap(v6, 17, WrapUdp(9, 7, {}), 0x2000), Kind::DATAGRAM, "UDP to port 7");
        Check(Wrap(v6, 17, rest, 1), Kind::FRAGMENT, "its second fragment");
        Check(Wrap(v6, 17, WrapUdp(9, 8, {}), 0x2000), Kind::NOTHING, "UDP to port 8");
        Check(Wrap(v6, 17, rest, 1), Kind::NOTHING, "its second fragment");
        Check(Wrap(v6, 17, WrapUdp(4500, 4500, ESP_HEAD), 0x2000), Kind::NOTHING, "ESP in UDP");
        Check(Wrap(v6, 17, rest, 2), Kind::NOTHING, "its second fragment");
    }

    /// Where everything is to be protected, ESP in UDP is: to port 4500, from there (RFC 3948) or
    /// from a dynamic port
    void CheckUdp()
    {
        const bool v6 = m_ipv6;
        m_protected = [](const IpsecFlow&) { return true; };
        Check(Wrap(v6, 17, WrapUdp(4500, 4500, ESP_HEAD)), Kind::NOTHING, "RFC 3948");
        Check(Wrap(v6, 17, WrapUdp(49152, 4500, ESP_HEAD)), Kind::NOTHING, "the least port");
        Check(Wrap(v6, 17, WrapUdp(65535, 4500, ESP_HEAD)), Kind::NOTHING, "the largest port");
        Check(Wrap(v6, 17, WrapUdp(49151, 4500, ESP_HEAD)), Kind::DATAGRAM, "no dynamic port");
        Check(Wrap(v6, 17, WrapUdp(4500, 49152, ESP_HEAD)), Kind::DATAGRAM, "the wrong way");
        // 135 is neighbour solicitation (RFC 4861 section 4.3) in IPv6, and nothing in IPv4
        Check(Wrap(v6, v6 ? 58 : 1, Packed(24, 135)),
              v6 ? Kind::NOTHING : Kind::DATAGRAM,
              "ICMP of the link");
    }

    /// What is cut short is read as far as it goes
    void CheckShort()
    {
        const Packed whole = Wrap(m_ipv6, 6, TCP_HEAD);
        for (std::size_t known = 0; known <= whole.size(); known++)
        {
            const Packed cut(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(known));
            const bool some = known > (m_ipv6 ? 40 : 20);
            Check(cut, some ? Kind::DATAGRAM : Kind::NOTHING, std::to_string(known) + " octets");
        }
    }

    bool m_ipv6{false};                      //!< version of IP
    IpsecClearReader m_reader;               //!< reads
    IpsecClearReader::Protected m_protected; //!< what nobody is to read
};

IWARP_TEST(ipsecClearReader, "what can be read", ClearReaderTest)
{
    for (const bool ipv6 : {false, true})
    {
        m_ipv6 = ipv6;
        m_protected = [](const IpsecFlow& flow) {
            return flow.protocol == TcpL4Protocol::PROT_NUMBER;
        };
        CheckWhole();
        CheckIcmp();
        CheckShort();
        CheckFragments();
        CheckUdp();
    }
    const uint8_t* content = iwarp::MessagePattern(0, 0);
    m_reader.AddContent(content, iwarp::PATTERN_RUN);
    m_ipv6 = false;
    for (uint32_t at = 0; at < 40; at++)
    {
        Packed hidden(at, 0);
        hidden.insert(hidden.end(), content + 999, content + 999 + 24);
        hidden.resize(hidden.size() + 30);
        Check(Wrap(false, 50, hidden), Kind::CONTENT, "content at " + std::to_string(at));
    }
    Check(Wrap(false, 50, Packed(500, 0)), Kind::NOTHING, "no content");
}

} // namespace
