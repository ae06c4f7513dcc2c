/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "../iwarp-test.h"
#include "decode-esp-wrapper.h"

#include "ns3/decode-esp.h"
#include "ns3/ipsec-wireshark.h"

#include <algorithm>
#include <fstream>
#include <map>
#include <string>
#include <vector>

using namespace ns3;

namespace
{

/// The suite.
IWARP_TEST_SUITE(decodeEsp, "decode-esp");

/// A case with files of keys.
class DecodeEspCase : public TestCase
{
  public:
    using TestCase::TestCase;

  protected:
    /// @param lines of a table @return name of a file of them
    std::string Write(const std::string& lines)
    {
        const std::string name = CreateTempDirFilename("keys-" + std::to_string(m_files++));
        std::ofstream(name) << lines;
        return name;
    }

    /// @param frames of a capture @param keys file of keys @return what is in it
    static DecodeResult Open(const std::vector<DecodeTestFrame>& frames, const std::string& keys)
    {
        return Decode(WriteCapture(frames), [&keys](IwarpDecoder& decoder) {
            NS_ABORT_MSG_UNLESS(decoder.ReadEspKeys(keys), decoder.GetError());
        });
    }

    /// @param result what was found @param words in its text
    void Says(const DecodeResult& result, const std::string& words)
    {
        const bool found = result.text.find("\n" + words) != std::string::npos;
        NS_TEST_EXPECT_MSG_EQ(found, true, words << " is not in:\n" << result.text);
    }

    /// @param result what was found @param clear the same without ESP @param what it is
    void Same(const DecodeResult& result, const DecodeResult& clear, const std::string& what)
    {
        for (unsigned side : {0, 1})
        {
            const bool same = result.Ulpdus(side) == clear.Ulpdus(side);
            NS_TEST_EXPECT_MSG_EQ(same, true, what << ": ULPDUs of side " << side);
        }
        NS_TEST_EXPECT_MSG_EQ(result.ErrorLine(), "", what);
    }

  private:
    unsigned m_files{0}; //!< written so far
};

/**
 * What Linux's XFRM sent with known keys (see the suite esp-linux): every packet is opened, and TCP
 * carries what tshark finds in it.
 */
class DecodeEspLinux : public DecodeEspCase
{
  public:
    DecodeEspLinux()
        : DecodeEspCase("packets of Linux")
    {
    }

  private:
    void DoRun() override
    {
        const std::string gcm = "AES-GCM with 16 octet ICV [RFC4106]\",\"0x0102030405060708090a0b0c"
                                "0d0e0f10a1a2a3a4\",\"NULL\",\"";
        Check("linux-gcm-transport", "18 ESP packets opened", "14 TCP segments");
        Check("linux-gcm-transport6", "18 ESP packets opened", "14 TCP segments");
        Check("linux-gcm-tunnel", "18 ESP packets opened", "14 TCP segments");
        Check("linux-gcm-tunnel6", "18 ESP packets opened", "14 TCP segments");
        Check("linux-gcm8-tunnel-tfc", "18 ESP packets opened", "14 TCP segments");
        Check("linux-cbc-transport", "23 ESP packets opened", "19 TCP segments");
        Check("linux-cbc-tunnel6", "18 ESP packets opened", "14 TCP segments");
        Check("linux-ctr-transport", "18 ESP packets opened", "14 TCP segments");
        Check("linux-gcm-udp", "6 ESP packets opened", "4 TCP segments");
        Check("answers-null-transport", "6 ESP packets opened", "0 TCP segments");
        // Wireshark's ten columns say what eight cannot
        const std::string any = "\"Any\",\"*\",\"*\",\"*\",\"";
        Check("linux-gcm-extended",
              "21 ESP packets opened",
              "17 TCP segments",
              any + gcm + "\",\"64-bit\",\"7\"");
        Check("linux-gcm-extended",
              "21 ESP packets not opened: damaged",
              "0 TCP segments",
              any + gcm + "\",\"64-bit\",\"8\"");
        Check("linux-chacha-transport",
              "16 ESP packets opened",
              "12 TCP segments",
              any + "ChaCha20 with Poly1305 [RFC7634]\",\"0x0102030405060708090a0b0c0d0e0f101112"
                    "131415161718191a1b1c1d1e1f20a1a2a3a4\",\"NULL\",\"\",\"32-bit\",\"0\"");
    }

    /// @param name capture @param esp line of the summary @param tcp part of another @param line of
    /// keys; those of keys.txt if it is empty
    void Check(const std::string& name,
               const std::string& esp,
               const std::string& tcp,
               std::string line = "")
    {
        std::ifstream file(IWARP_SOURCE_DIR "/test/data/esp/keys.txt");
        for (std::string text; line.empty() && std::getline(file, text);)
        {
            m_known[text.substr(0, text.find(' '))] += text.substr(text.find(' ') + 1) + "\r\n";
        }
        const std::string keys = Write("# keys\n\n" + (line.empty() ? m_known[name] : line));
        IwarpDecoder decoder;
        decoder.AddPort(5000);
        NS_TEST_ASSERT_MSG_EQ(decoder.ReadEspKeys(keys), true, decoder.GetError());
        const std::string capture = IWARP_SOURCE_DIR "/test/data/esp/" + name + ".pcap";
        NS_TEST_ASSERT_MSG_EQ(decoder.Open(capture), true, decoder.GetError());
        std::string text;
        for (std::string more = decoder.Read(); !more.empty(); more = decoder.Read())
        {
            text += more;
        }
        for (const std::string& words : {"\n" + esp, ", " + tcp + ", "})
        {
            NS_TEST_EXPECT_MSG_EQ((text.find(words) != std::string::npos),
                                  true,
                                  name << ": " << words << " is not in:\n"
                                       << text);
        }
        const bool carries = tcp[0] == '1'; // 14 and more
        NS_TEST_EXPECT_MSG_EQ((text.find("3000 octets in ") != std::string::npos),
                              carries,
                              name << ": what Linux was given to send\n"
                                   << text);
        NS_TEST_EXPECT_MSG_EQ(text.find("wrong checksum"), std::string::npos, name);
        m_known.clear();
    }

    std::map<std::string, std::string> m_known; //!< lines of keys.txt by capture
};

/// A connection reads the same in clear and under ESP, of any cipher, mode, and cut.
class DecodeEspLayers : public DecodeEspCase
{
  public:
    DecodeEspLayers()
        : DecodeEspCase("the same in clear and under ESP")
    {
    }

  private:
    void DoRun() override
    {
        m_talk = DecodeTalk(true, true, 12);
        m_clear = Decode(WriteCapture(m_talk.frames));
        NS_TEST_ASSERT_MSG_EQ(m_clear.Ulpdus(0).size(), 12, "in clear");
        for (const std::string& name : GetEspTransformNames())
        {
            Check({name}, {});
        }
        const std::string gcm = "aes-gcm-16-128";
        const std::string cbc = "aes-cbc-128/hmac-sha2-256-128";
        Check({gcm, IpsecMode::TUNNEL}, {});
        Check({gcm, IpsecMode::TUNNEL, true}, {});
        Check({cbc, IpsecMode::TUNNEL, true, true}, {});
        Check({gcm, IpsecMode::TRANSPORT, false, true}, {});
        Check({gcm, IpsecMode::TRANSPORT, false, false, true}, {});
        Check({cbc, IpsecMode::TUNNEL, false, true, true, 100}, {});
        // the hosts' own ESP in the tunnel of gateways
        Check({gcm}, {{cbc, IpsecMode::TUNNEL, true}});
        Check({cbc, IpsecMode::TUNNEL}, {{gcm, IpsecMode::TUNNEL, true, true}});
        Fragments();
    }

    /// @param inner protection @param outer another around it, or none
    void Check(const EspWrapping& inner, const std::vector<EspWrapping>& outer)
    {
        EspWrapper first(inner);
        EspWrapper second(outer.empty() ? inner : outer[0], EspWrapper::SPI + 0x100);
        std::string keys;
        auto frames = m_talk.frames;
        for (auto& frame : frames)
        {
            const DecodeOctets clear = frame.octets;
            frame.octets = first.Protect(clear);
            if (!outer.empty())
            {
                frame.octets = second.Protect(frame.octets);
            }
        }
        const auto layers = static_cast<unsigned>(1 + outer.size());
        for (const auto* wrapper : {&first, &second})
        {
            keys += GetKeys(*wrapper);
        }
        const auto result = Open(frames, Write(keys));
        const std::string what = inner.transform + ", " + std::to_string(layers) + " layers";
        Same(result, m_clear, what);
        Says(result, std::to_string(layers * frames.size()) + " ESP packets opened");
    }

    /// @param wrapper of frames @return lines of its keys
    std::string GetKeys(const EspWrapper& wrapper) const
    {
        std::string keys;
        for (unsigned side : {0, 1})
        {
            auto config = wrapper.MakeConfig(side, m_talk.frames[0].octets);
            keys += GetWiresharkLine(config, WiresharkTable::TEN_COLUMNS) + "\n";
            std::swap(config.source, config.destination);
            keys += GetWiresharkLine(config, WiresharkTable::TEN_COLUMNS) + "\n";
        }
        return keys;
    }

    /// ESP of which the path has made fragments, and fragments that a gateway has protected.
    void Fragments()
    {
        EspWrapper wrapper({"aes-gcm-16-128"});
        EspWrapper tunnel({"aes-cbc-256/hmac-sha1-96", IpsecMode::TUNNEL}, EspWrapper::SPI + 0x100);
        EspWrapper udp({"aes-gcm-16-256", IpsecMode::TUNNEL, false, true}, EspWrapper::SPI + 0x200);
        std::vector<DecodeTestFrame> behind;
        std::vector<DecodeTestFrame> before;
        for (std::size_t i = 0; i < m_talk.frames.size(); i++)
        {
            const auto& [time, octets] = m_talk.frames[i];
            EspWrapper& outer = i % 2 == 0 ? wrapper : udp;
            for (auto& piece : Divide(outer.Protect(octets), i))
            {
                behind.push_back({time, piece});
            }
            for (auto& piece : Divide(octets, i))
            {
                before.push_back({time, tunnel.Protect(piece)});
            }
        }
        const std::string keys = GetKeys(wrapper) + GetKeys(tunnel) + GetKeys(udp);
        Same(Open(behind, Write(keys)), m_clear, "fragments of ESP");
        const auto result = Open(before, Write(keys));
        Same(result, m_clear, "fragments under ESP");
        Says(result, std::to_string(before.size()) + " ESP packets opened");
    }

    /// @param frame to divide @param number of it @return fragments, the first one last
    static std::vector<DecodeOctets> Divide(DecodeOctets frame, std::size_t number)
    {
        frame[EspWrapper::DATAGRAM_AT + 5] = static_cast<uint8_t>(number); // of the Identification
        const std::size_t middle = (frame.size() - EspWrapper::CARRIED_AT) / 16 * 8;
        auto pieces = FragmentIpv4(frame, {middle});
        std::swap(pieces.front(), pieces.back());
        return pieces;
    }

    DecodeTestConnection m_talk; //!< in clear
    DecodeResult m_clear;        //!< what is in it
};

/// What cannot be opened is counted, and nothing comes of it.
class DecodeEspRefused : public DecodeEspCase
{
  public:
    DecodeEspRefused()
        : DecodeEspCase("what stays closed")
    {
    }

  private:
    void DoRun() override
    {
        const auto talk = DecodeTalk(true, true, 4);
        EspWrapper wrapper({"aes-gcm-16-128"});
        auto frames = talk.frames;
        for (auto& frame : frames)
        {
            frame.octets = wrapper.Protect(frame.octets);
        }
        const std::string count = std::to_string(frames.size()) + " ESP packets not opened: ";
        const auto without = Decode(WriteCapture(frames));
        Says(without, count + "no key is for them");
        NS_TEST_EXPECT_MSG_EQ(without.streams, 0, "nothing is seen without keys");

        auto config = wrapper.MakeConfig(0, talk.frames[0].octets);
        const std::string line = GetWiresharkLine(config);
        Says(Open(frames,
                  Write("\"IPv4\",\"203.0.113.0/24\",\"*\",\"*\"" + line.substr(Column(line)))),
             count + "no key is for them");
        const auto all =
            Open(frames, Write("\"IPv4\",\"*\",\"0.0.0.0/0\",\"*\"" + line.substr(Column(line))));
        Says(all, std::to_string(frames.size()) + " ESP packets opened");
        NS_TEST_EXPECT_MSG_EQ(all.streams, 1, "one key for all");
        config.keys.cipher[0] ^= 1;
        const std::string other = GetWiresharkLine(config);
        const std::string any = "\"Any\",\"*\",\"*\",\"*\"";
        Says(Open(frames, Write(any + other.substr(Column(other)))), count + "damaged");
        // the next line that fits opens what the first one does not
        const auto second =
            Open(frames,
                 Write(any + other.substr(Column(other)) + "\n" + any + line.substr(Column(line))));
        NS_TEST_EXPECT_MSG_EQ(second.streams, 1, "the second of two lines");
        DecodeTestFormat cut;
        cut.snap = 60;
        const auto part = Decode(WriteCapture(frames, cut), [&](IwarpDecoder& decoder) {
            decoder.ReadEspKeys(Write(any + line.substr(Column(line))));
        });
        NS_TEST_EXPECT_MSG_EQ(part.streams, 0, "captured in part");
        for (auto& frame : frames)
        {
            frame.octets.back() ^= 1;
        }
        Says(Open(frames, Write(any + line.substr(Column(line)))), count + "damaged");
    }

    /// @param line of a table @return where its algorithms begin, behind the SPI
    static std::size_t Column(const std::string& line)
    {
        std::size_t at = 0;
        for (unsigned i = 0; i < 4; i++)
        {
            at = line.find("\",\"", at) + 1;
        }
        return at;
    }
};

/// What becomes of a packet: of keys for others, of other keys, and of the right ones.
IWARP_TEST(decodeEsp, "what becomes of a packet")
{
    using Result = DecodeEsp::Result;
    const DecodeOctets clear = DecodeTalk(true, true, 4).frames[0].octets;
    EspWrapper wrapper({"aes-gcm-16-128"});
    DecodeOctets frame = wrapper.Protect(clear);
    DecodeFragment packet;
    std::copy_n(&frame[EspWrapper::DATAGRAM_AT + 12], 4, packet.from.address.begin());
    std::copy_n(&frame[EspWrapper::DATAGRAM_AT + 16], 4, packet.to.address.begin());
    packet.data = &frame[EspWrapper::CARRIED_AT];
    packet.size = packet.length = frame.size() - EspWrapper::CARRIED_AT;
    DecodeEsp esp;
    const auto open = [&](const DecodeFragment& given) {
        std::vector<uint8_t> octets;
        EspOpened opened;
        return esp.Open(given, octets, opened);
    };
    const auto add = [&](IpsecAssociationConfig config) {
        WiresharkKeys keys;
        NS_TEST_EXPECT_MSG_EQ(ReadWiresharkLine(GetWiresharkLine(config), keys), "", "its line");
        esp.Add(keys);
    };
    const unsigned side = packet.from.address[3] % 2;
    auto config = wrapper.MakeConfig(side, clear);
    config.spi += 2;
    add(config);
    NS_TEST_EXPECT_MSG_EQ((open(packet) == Result::NO_KEY), true, "of another SPI");
    config.spi -= 2;
    config.keys.cipher[0] ^= 1;
    add(config);
    NS_TEST_EXPECT_MSG_EQ((open(packet) == Result::DAMAGED), true, "of another key");
    config.keys.cipher[0] ^= 1;
    add(config);
    NS_TEST_EXPECT_MSG_EQ((open(packet) == Result::OPENED), true, "the second line of its SPI");
    packet.size = 7;
    NS_TEST_EXPECT_MSG_EQ((open(packet) == Result::DAMAGED), true, "no whole header");
}

/// Tables of keys: lines read as they were written, and what is wrong with others.
class WiresharkLines : public DecodeEspCase
{
  public:
    WiresharkLines()
        : DecodeEspCase("lines of keys")
    {
    }

  private:
    void DoRun() override
    {
        for (const auto table : {WiresharkTable::EIGHT_COLUMNS, WiresharkTable::TEN_COLUMNS})
        {
            for (const std::string& name : GetEspTransformNames())
            {
                Again(name, table);
            }
        }
        const std::string good =
            "\"IPv4\",\"10.0.0.1\",\"10.0.0.2\",\"0x101\",\"AES-CBC [RFC3602]\","
            "\"0x000102030405060708090a0b0c0d0e0f\",\"NULL\",\"\"";
        WiresharkKeys keys;
        NS_TEST_EXPECT_MSG_EQ(ReadWiresharkLine(good, keys), "", good);
        NS_TEST_EXPECT_MSG_EQ(*keys.spi, 0x101, "SPI");
        const std::pair<const char*, const char*> wrong[] = {
            {"IPv4", "IPX"},
            {"IPv4", "IPv6"},
            {"10.0.0.1", "10.0.0.256"},
            {"10.0.0.1", "10.0.0.1/33"},
            {"10.0.0.1", "10.0.0.1/"},
            {"10.0.0.1", "::1"},
            {"0x101", "0x1ffffffff"},
            {"0x101", "-1"},
            {"0x101", "0x10g"},
            {"0x101", ""},
            {"AES-CBC", "DES-CBC"},
            {"0x00", "0x0g"},
            {"0x00", "0x"},
            {"NULL", "HMAC-SHA-1-96 [RFC2404]"},
            {"\"IPv4\",", ""},
            {"\"NULL\"", "NULL"},
            {"\"\"", "\"\" more"},
            {"\"\"", "\"\",\"32-bit\""},
            {"\"\"", "\"\",\"33-bit\",\"0\""},
            {"\"\"", "\"\",\"64-bit\",\"100000000\""},
            {"\"\"", "\"\","},
        };
        for (const auto& [from, to] : wrong)
        {
            std::string line = good;
            line.replace(line.find(from), std::string(from).size(), to);
            NS_TEST_EXPECT_MSG_NE(ReadWiresharkLine(line, keys), "", line);
            IwarpDecoder decoder;
            const std::string file = Write("# first\n" + line);
            NS_TEST_EXPECT_MSG_EQ(decoder.ReadEspKeys(file), false, line);
            NS_TEST_EXPECT_MSG_EQ(decoder.GetError().find(file + ": line 2: "), 0, line);
        }
        IwarpDecoder decoder;
        NS_TEST_EXPECT_MSG_EQ(decoder.ReadEspKeys("/nowhere"), false, "no file");
        NS_TEST_EXPECT_MSG_EQ(decoder.GetError(), "/nowhere: No such file or directory", "why");
        NS_TEST_EXPECT_MSG_EQ(decoder.ReadEspKeys("/"), false, "a folder");
        NS_TEST_EXPECT_MSG_EQ(decoder.GetError(), "/: not a file", "why");
    }

    /// @param name transform @param table form
    void Again(const std::string& name, WiresharkTable table)
    {
        const bool ten = table == WiresharkTable::TEN_COLUMNS;
        IpsecAssociationConfig config;
        config.spi = 0xFEDCBA98;
        config.source = "2001:db8::1";
        config.destination = "2001:db8::2";
        config.transform = FindEspTransform(name);
        config.keys = TestKeys(*config.transform);
        config.extended = ten;
        config.sequence = EspWrapper::UPPER * 16; // 0x70
        const std::string line = GetWiresharkLine(config, table);
        if (line.empty())
        {
            NS_TEST_EXPECT_MSG_EQ((!ten && name == "chacha20-poly1305"), true, name);
            return;
        }
        if (ten)
        {
            const std::string end = "\",\"64-bit\",\"70\"";
            NS_TEST_EXPECT_MSG_EQ(line.substr(line.size() - end.size()), end, name);
        }
        WiresharkKeys keys;
        NS_TEST_ASSERT_MSG_EQ(ReadWiresharkLine(line, keys), "", line);
        NS_TEST_EXPECT_MSG_EQ(keys.transform, config.transform, line);
        NS_TEST_EXPECT_MSG_EQ(*keys.spi, config.spi, line);
        NS_TEST_EXPECT_MSG_EQ((keys.source.address == config.source), true, line);
        NS_TEST_EXPECT_MSG_EQ((keys.destination.address == config.destination), true, line);
        NS_TEST_EXPECT_MSG_EQ(+keys.destination.bits, 128, line);
        NS_TEST_EXPECT_MSG_EQ((keys.keys.cipher == config.keys.cipher), true, line);
        NS_TEST_EXPECT_MSG_EQ((keys.keys.integrity == config.keys.integrity), true, line);
        NS_TEST_EXPECT_MSG_EQ(keys.extended, ten, line);
        NS_TEST_EXPECT_MSG_EQ(keys.high, (ten ? 0x70U : 0U), line);
    }
};

IWARP_TEST_CASES(decodeEsp)
{
    if (!EspCodec::HasReal())
    {
        return;
    }
    suite.AddTestCase(new WiresharkLines);
    suite.AddTestCase(new DecodeEspLinux);
    suite.AddTestCase(new DecodeEspLayers);
    suite.AddTestCase(new DecodeEspRefused);
}

} // namespace
