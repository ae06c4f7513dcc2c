/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "../iwarp-test.h"
#include "esp-test-util.h"

#include "ns3/decode-capture.h"
#include "ns3/esp-algorithm.h"
#include "ns3/ipsec-association.h"
#include "ns3/ipsec-wireshark.h"
#include "ns3/nstime.h"

#include <algorithm>
#include <boost/endian/conversion.hpp>
#include <fstream>
#include <map>
#include <memory>
#include <set>
#include <string>

using namespace ns3;

/// Linux as an oracle.
IWARP_TEST_SUITE(espLinux, "esp-linux");

using boost::endian::load_big_u16;
using boost::endian::load_big_u32;

/*
 * test/data/esp: what Debian's Linux 6.1 sent between two network namespaces, with keys given by ip
 * xfrm state. SPI 0x1001 goes there, 0x2002 back, with equal keys.
 *  - linux-*.pcap: two echo requests of 61 octets and their replies, and a TCP connection that
 * sends 3000 octets, octet i being i modulo 251.
 *  - answers-*.pcap: three echo requests of 61 octets that EspCodec enciphered, put on the wire as
 * they were, and Linux's replies.
 *  - keys.txt: the keys of each as Wireshark reads them.
 */

static constexpr const char* KEY16 = "0102030405060708090a0b0c0d0e0f10"; //!< of AES-128
static constexpr const char* KEY32 =
    "0102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f20"; //!< of the others
static constexpr const char* SALT = "a1a2a3a4";                         //!< behind them
static constexpr uint8_t UDP = 17;                                      //!< IP protocol
static constexpr uint8_t IN_IPV4 = 4;                                   //!< IP protocol
static constexpr uint8_t IN_IPV6 = 41;                                  //!< IP protocol

/// A capture, and what it was made with.
struct LinuxCapture
{
    const char* name;      //!< of the file, without .pcap
    const char* transform; //!< cipher and integrity
    IpsecMode mode;        //!< what is protected
    uint32_t packets;      //!< of ESP in it
    bool extended{false};  //!< the sequence number begins behind 0x700000005
    uint32_t text{3000};   //!< octets that TCP carried
    uint32_t echoes{4};    //!< echo requests and replies
};

/// \param octets to sum up \param size how many \return Internet checksum: 0 if one is in and right
static uint16_t
InternetChecksum(const uint8_t* octets, std::size_t size)
{
    uint32_t sum = 0;
    for (std::size_t i = 0; i < size; ++i)
    {
        sum += i % 2 ? octets[i] : octets[i] << 8;
    }
    sum = (sum >> 16) + (sum & 0xFFFF);
    return static_cast<uint16_t>(~((sum >> 16) + sum));
}

/// Packets of Linux: opened, and made again octet for octet.
class EspLinuxPackets : public TestCase
{
  public:
    /// \param capture where they are
    explicit EspLinuxPackets(const LinuxCapture& capture)
        : TestCase(std::string("packets of Linux: ") + capture.name),
          m_capture(capture)
    {
    }

  private:
    void DoRun() override
    {
        IpsecAssociationConfig config;
        config.mode = m_capture.mode;
        config.transform = FindEspTransform(m_capture.transform);
        config.codec = EspCodec::Mode::REAL;
        config.extended = m_capture.extended;
        config.sequence = m_capture.extended ? 0x700000005 : 0;
        const EspTransform& transform = *config.transform;
        config.keys.cipher = EspFromHex(transform.keySize == 16 ? KEY16 : KEY32);
        config.keys.cipher.resize(transform.keySize);
        const EspOctets salt = EspFromHex(SALT);
        config.keys.cipher.insert(config.keys.cipher.end(),
                                  salt.begin(),
                                  salt.begin() + transform.saltSize);
        config.keys.integrity = CountedOctets(transform.integrityKeySize, 0x10);
        const bool ipv6 = std::string(m_capture.name).back() == '6';
        config.source = ipv6 ? "2001:db8::1" : "192.0.2.1";
        config.destination = ipv6 ? "2001:db8::2" : "192.0.2.2";
        for (uint32_t spi : {0x1001U, 0x2002U})
        {
            config.spi = spi;
            m_associations[spi] = std::make_unique<IpsecAssociation>(config, Seconds(0));
            Keys(config);
            std::swap(config.source, config.destination);
        }

        DecodeCapture capture;
        std::string file = IWARP_SOURCE_DIR "/test/data/esp/";
        file.append(m_capture.name).append(".pcap");
        NS_TEST_ASSERT_MSG_EQ(capture.Open(file), true, capture.GetError());
        uint32_t packets = 0;
        DecodeFrame frame;
        while (capture.Next(frame))
        {
            Datagram(frame.data + 14, frame.size - 14);
            ++packets;
        }
        NS_TEST_ASSERT_MSG_EQ(packets, m_capture.packets, "packets of ESP");
        NS_TEST_ASSERT_MSG_EQ(m_echoes, m_capture.echoes, "echo requests and replies");
        Connection();
    }

    /// \param config of an association, whose keys keys.txt has
    void Keys(const IpsecAssociationConfig& config)
    {
        std::ifstream file(IWARP_SOURCE_DIR "/test/data/esp/keys.txt");
        std::set<std::string> lines;
        for (std::string line; std::getline(file, line);)
        {
            lines.insert(line);
        }
        const std::string line = GetWiresharkLine(config);
        const bool known = config.transform->cipher != EspCipher::CHACHA20_POLY1305;
        NS_TEST_ASSERT_MSG_EQ(!line.empty(), known, "Wireshark 4.0 knows the cipher");
        NS_TEST_ASSERT_MSG_EQ(lines.count(m_capture.name + (" " + line)), known, line);
    }

    /// \param data an IP datagram that carries ESP \param size octets
    void Datagram(const uint8_t* data, std::size_t size)
    {
        const bool ipv6 = data[0] >> 4 == 6;
        std::size_t front = ipv6 ? 40 : 20;
        size = ipv6 ? front + load_big_u16(data + 4) : load_big_u16(data + 2);
        front += data[ipv6 ? 6 : 9] == UDP ? ESP_UDP_HEADER_SIZE : 0;
        Packet(EspOctets(data + front, data + size));
    }

    /// \param sent SPI to ICV
    void Packet(const EspOctets& sent)
    {
        IpsecAssociation& association = *m_associations.at(load_big_u32(sent.data()));
        uint64_t sequence = 0;
        NS_TEST_ASSERT_MSG_EQ(
            ToString(association.Admit(load_big_u32(&sent[4]), Seconds(0), sequence)),
            "none",
            "sequence number");
        EspOctets octets = sent;
        const EspOpened opened =
            association.GetCodec().Open(sequence, octets.data(), octets.size());
        NS_TEST_ASSERT_MSG_EQ(ToString(association.Finish(sequence, 1, opened.result, Seconds(0))),
                              "none",
                              "packet " << sequence);
        const uint8_t* payload = &octets[opened.head];
        const bool tunnel = m_capture.mode == IpsecMode::TUNNEL;
        const uint32_t size = tunnel ? DatagramSize(payload) : opened.payload;
        NS_TEST_ASSERT_MSG_EQ((size <= opened.payload), true, "what is left is TFC padding");

        const EspFields fields{load_big_u32(sent.data()), sequence, opened.nextHeader};
        const bool ours = m_capture.echoes == 6 && fields.spi == 0x1001;
        const EspOctets iv(&sent[8],
                           &sent[8] + (ours ? 0 : association.GetCodec().GetTransform().ivSize));
        const EspOctets made = SealReal(association.GetCodec(),
                                        fields,
                                        iv,
                                        EspOctets(payload, payload + size),
                                        opened.payload - size);
        NS_TEST_ASSERT_MSG_EQ(EspToHex(made), EspToHex(sent), "made again");

        uint8_t protocol = opened.nextHeader;
        if (tunnel)
        {
            const bool ipv6 = payload[0] >> 4 == 6;
            NS_TEST_ASSERT_MSG_EQ(+protocol, +(ipv6 ? IN_IPV6 : IN_IPV4), "a datagram");
            protocol = payload[ipv6 ? 6 : 9];
            payload += ipv6 ? 40 : 20;
        }
        Inner(protocol, payload, size - static_cast<uint32_t>(payload - &octets[opened.head]));
    }

    /// \param datagram of either version of IP \return octets of it
    static uint32_t DatagramSize(const uint8_t* datagram)
    {
        return datagram[0] >> 4 == 6 ? 40U + load_big_u16(datagram + 4)
                                     : load_big_u16(datagram + 2);
    }

    /// \param protocol of the next layer \param data what IP carried \param size octets
    void Inner(uint8_t protocol, const uint8_t* data, uint32_t size)
    {
        if (protocol == 1)
        {
            NS_TEST_ASSERT_MSG_EQ(size, 69, "61 octets behind the header of ICMP");
            NS_TEST_ASSERT_MSG_EQ(InternetChecksum(data, size), 0, "checksum of ICMP");
            ++m_echoes;
        }
        else if (protocol == 58 && data[0] >= 128 && data[0] <= 129)
        {
            NS_TEST_ASSERT_MSG_EQ(size, 69, "61 octets behind the header of ICMPv6");
            ++m_echoes;
        }
        else if (protocol == 6)
        {
            const uint32_t header = data[12] / 16 * 4;
            const bool there = load_big_u16(data + 2) == 5000;
            if (there && size > header)
            {
                m_text[load_big_u32(data + 4)] = EspOctets(data + header, data + size);
            }
        }
    }

    /// Look at what the TCP connection carried.
    void Connection()
    {
        EspOctets text;
        for (const auto& segment : m_text)
        {
            text.insert(text.end(), segment.second.begin(), segment.second.end());
        }
        EspOctets expected(m_capture.text);
        for (std::size_t i = 0; i < expected.size(); ++i)
        {
            expected[i] = static_cast<uint8_t>(i % 251);
        }
        NS_TEST_ASSERT_MSG_EQ(EspToHex(text), EspToHex(expected), "what TCP carried");
    }

    LinuxCapture m_capture;                                               //!< where packets are
    std::map<uint32_t, std::unique_ptr<IpsecAssociation>> m_associations; //!< by SPI
    std::map<uint32_t, EspOctets> m_text; //!< segments of TCP by sequence number
    uint32_t m_echoes{0};                 //!< echo requests and replies
};

IWARP_TEST_CASES(espLinux)
{
    if (!EspCodec::HasReal())
    {
        return;
    }
    const char* gcm = "aes-gcm-16-128";
    const char* cbc = "aes-cbc-128/hmac-sha2-256-128";
    constexpr auto TRANSPORT = IpsecMode::TRANSPORT;
    constexpr auto TUNNEL = IpsecMode::TUNNEL;
    for (const auto& capture :
         {LinuxCapture{"linux-gcm-transport", gcm, TRANSPORT, 18},
          LinuxCapture{"linux-gcm-transport6", gcm, TRANSPORT, 18},
          LinuxCapture{"linux-gcm-tunnel", gcm, TUNNEL, 18},
          LinuxCapture{"linux-gcm-tunnel6", gcm, TUNNEL, 18},
          LinuxCapture{"linux-gcm-extended", gcm, TRANSPORT, 21, true},
          LinuxCapture{"linux-gcm-udp", gcm, TRANSPORT, 6, false, 0, 2},
          LinuxCapture{"linux-gcm8-tunnel-tfc", "aes-gcm-8-256", TUNNEL, 18},
          LinuxCapture{"linux-cbc-transport", cbc, TRANSPORT, 23},
          LinuxCapture{"linux-cbc-tunnel", cbc, TUNNEL, 18},
          LinuxCapture{"linux-cbc-tunnel6", cbc, TUNNEL, 18},
          LinuxCapture{"linux-cbc-extended", cbc, TRANSPORT, 21, true},
          LinuxCapture{"linux-ctr-transport", "aes-ctr-128/hmac-sha1-96", TRANSPORT, 18},
          LinuxCapture{"linux-chacha-transport", "chacha20-poly1305", TRANSPORT, 16},
          LinuxCapture{"answers-gcm-transport", gcm, TRANSPORT, 6, false, 0, 6},
          LinuxCapture{"answers-gcm-transport6", gcm, TRANSPORT, 6, false, 0, 6},
          LinuxCapture{"answers-gcm-tunnel", gcm, TUNNEL, 6, false, 0, 6},
          LinuxCapture{"answers-gcm-extended", gcm, TRANSPORT, 6, true, 0, 6},
          LinuxCapture{"answers-cbc-transport", cbc, TRANSPORT, 6, false, 0, 6},
          LinuxCapture{"answers-cbc-tunnel", cbc, TUNNEL, 6, false, 0, 6},
          LinuxCapture{"answers-cbc-extended", cbc, TRANSPORT, 6, true, 0, 6},
          LinuxCapture{"answers-ctr-transport",
                       "aes-ctr-128/hmac-sha1-96",
                       TRANSPORT,
                       6,
                       false,
                       0,
                       6},
          LinuxCapture{"answers-chacha-transport", "chacha20-poly1305", TRANSPORT, 6, false, 0, 6},
          LinuxCapture{"answers-null-transport", "null/hmac-sha1-96", TRANSPORT, 6, false, 0, 6}})
    {
        suite.AddTestCase(new EspLinuxPackets(capture));
    }
}
