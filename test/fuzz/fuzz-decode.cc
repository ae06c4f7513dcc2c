/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "fuzz-target.h"

#include "ns3/ddp-header.h"
#include "ns3/ddp-octets.h"
#include "ns3/iwarp-decoder.h"
#include "ns3/mpa-fpdu.h"
#include "ns3/mpa-startup-frame.h"
#include "ns3/rdmap-header.h"

#include <algorithm>
#include <string>

/**
 * @file
 * The decoder of captures, given either the input itself as a file, or a file with connections
 * whose peers do what the input says: startup frames, FPDUs and other octets, cut, lost, doubled,
 * reordered, captured in part.
 */

using namespace ns3;

using Octets = std::vector<uint8_t>; //!< a run of octets

/// Appends numbers. @param out octets @param value number @param octets how many
static void
Put(Octets& out, uint64_t value, unsigned octets)
{
    for (unsigned i = octets; i > 0; --i)
    {
        out.push_back(static_cast<uint8_t>(value >> 8 * (i - 1)));
    }
}

/// A capture in the making.
class Peers
{
  public:
    /// @param input decisions, all of which are taken
    explicit Peers(FuzzInput& input)
        : m_input(input)
    {
        const uint8_t capture = input.Octet();
        m_snap = capture % 4 == 0 ? 40 + input.Octet() : 0xFFFF;
        m_offloaded = capture % 8 == 4;
        unsigned frames = 0;
        while (!input.IsEmpty() && ++frames < 100)
        {
            Step();
        }
    }

    /// @return the file
    Octets GetFile() const
    {
        Octets file;
        Put(file, 0xA1B2C3D4, 4);
        Put(file, 0x0002000400000000, 8);
        Put(file, 0, 4);
        Put(file, 65535, 4);
        Put(file, 101, 4); // IP alone
        for (const auto& frame : m_frames)
        {
            const auto size = std::min<std::size_t>(frame.size(), m_snap);
            Put(file, 1, 4);
            Put(file, 2, 4);
            Put(file, size, 4);
            Put(file, frame.size() + (m_offloaded ? 100000 : 0), 4);
            file.insert(file.end(), frame.begin(), frame.begin() + size);
        }
        return file;
    }

  private:
    void Step()
    {
        const uint8_t what = m_input.Octet();
        const unsigned side = what >> 7;
        switch (what % 12)
        {
        case 0:
            Frame(side, 0x02, {}); // SYN
            break;
        case 1:
        case 2:
            Startup(side);
            break;
        case 3: {
            Octets octets(m_input.Below(100));
            std::generate(octets.begin(), octets.end(), [&] { return m_input.Octet(); });
            Send(side, octets);
            break;
        }
        case 4:
            m_sent[side] += m_input.Below(3000); // lost
            break;
        case 5:
            if (!m_frames.empty())
            {
                m_frames.push_back(m_frames[m_input.Octet() % m_frames.size()]);
            }
            break;
        case 6:
            if (m_frames.size() > 1)
            {
                std::swap(m_frames.back(), m_frames[m_input.Octet() % m_frames.size()]);
            }
            break;
        case 7:
            Frame(side, m_input.Octet(), {}); // any flags
            break;
        default:
            Fpdu(side);
            break;
        }
    }

    void Startup(unsigned side)
    {
        MpaStartupFrame frame;
        const uint8_t flags = m_input.Octet();
        frame.reply = (side == 1) != (flags % 16 == 15);
        frame.markers = (flags & 16) != 0;
        frame.crc = (flags & 32) != 0;
        frame.reject = (flags & 192) == 192;
        frame.revision = m_input.Octet() % 4;
        frame.reserved = m_input.Octet() % 32;
        frame.privateData.resize(m_input.Octet() % 8);
        Send(side, frame.Encode());
        m_start[side] = m_sent[side];
        m_format[1 - side].markers = frame.markers;
        m_format[0].crc = m_format[1].crc = frame.crc;
    }

    void Fpdu(unsigned side)
    {
        const uint8_t kind = m_input.Octet();
        DdpHeader header;
        const auto opcode = static_cast<RdmapOpcode>(kind % 13);
        header.tagged = rdmap::IsTagged(opcode) != (kind >= 250);
        header.last = kind % 2 == 0;
        header.ulpControl = RdmapControl(opcode).Encode();
        header.qn = rdmap::QueueOf(opcode);
        header.msn = m_input.Octet() % 8;
        header.to = header.mo = m_input.Word();
        Octets ulpdu(header.GetSize() + m_input.Below(m_input.Octet() % 8 == 0 ? 30000 : 80),
                     m_input.Octet());
        header.Write(ulpdu.data());
        ulpdu.resize(kind == 249 ? kind % 20 : ulpdu.size());
        const uint32_t position = (m_sent[side] - m_start[side]) / 4 * 4;
        const auto size = static_cast<uint32_t>(ulpdu.size());
        Octets wire(mpa::WireSize(size, position, m_format[side].markers));
        mpa::EncodeFpdu(wire.data(), ulpdu.data(), size, nullptr, 0, position, m_format[side]);
        if (m_input.Octet() % 16 == 0)
        {
            wire[m_input.Word() % wire.size()] ^= 4;
        }
        Send(side, wire);
    }

    void Send(unsigned side, const Octets& octets)
    {
        const uint32_t most = 1 + m_input.Below(3000);
        for (std::size_t at = 0; at < octets.size(); at += most)
        {
            const auto end = std::min<std::size_t>(octets.size(), at + most);
            Frame(side, 0x10, Octets(octets.begin() + at, octets.begin() + end));
        }
    }

    void Frame(unsigned side, uint8_t flags, const Octets& octets)
    {
        Octets frame;
        Put(frame, 0x4500, 2);
        Put(frame, m_offloaded ? 0 : 40 + octets.size(), 2);
        Put(frame, 0, 4);
        Put(frame, 0x40060000, 4);
        Put(frame, 0x0A000001 + side, 4);
        Put(frame, 0x0A000002 - side, 4);
        Put(frame, 1000 + side, 2);
        Put(frame, 1001 - side, 2);
        Put(frame, m_sent[side], 4);
        Put(frame, m_sent[1 - side], 4);
        Put(frame, 0x5000 | flags, 2);
        Put(frame, 0xFFFF00000000, 6);
        frame.insert(frame.end(), octets.begin(), octets.end());
        m_frames.push_back(frame);
        m_sent[side] += static_cast<uint32_t>(octets.size()) + ((flags & 3) != 0 ? 1 : 0);
    }

    FuzzInput& m_input;                 //!< decisions
    std::size_t m_snap;                 //!< octets captured of a frame
    bool m_offloaded;                   //!< IP's lengths are 0, frames were longer than they are
    std::vector<Octets> m_frames;       //!< IP packets
    uint32_t m_sent[2]{0xFFFFFF00, 1};  //!< next octet of each side
    uint32_t m_start[2]{0xFFFFFF00, 1}; //!< first octet of its FPDUs
    mpa::FpduFormat m_format[2];        //!< how its FPDUs look
};

/// Decode a file. @param file octets @param format of the text @param flags settings
/// @return how often something is malformed
static uint64_t
Run(const Octets& file, IwarpDecoder::Format format, uint8_t flags)
{
    IwarpDecoder decoder;
    decoder.SetFormat(format);
    if ((flags & 1) != 0)
    {
        decoder.SetMpaOnly();
    }
    if ((flags & 2) != 0)
    {
        decoder.AddPort(1000);
    }
    const bool opened = decoder.Attach(file.data(), file.size());
    FUZZ_CHECK(opened == decoder.GetError().empty());
    std::size_t lines = 0;
    std::string last;
    for (std::string text = decoder.Read(500); !text.empty(); text = decoder.Read(500))
    {
        FUZZ_CHECK(opened && text.back() == '\n');
        for (std::size_t at = 0; at < text.size();)
        {
            const std::size_t end = text.find('\n', at);
            last = text.substr(at, end - at);
            FUZZ_CHECK(std::all_of(last.begin(), last.end(), [](char c) { return c >= ' '; }));
            if (format == IwarpDecoder::JSON)
            {
                FUZZ_CHECK(last.front() == '{' && last.back() == '}');
                FUZZ_CHECK(std::count(last.begin(), last.end(), '{') ==
                           std::count(last.begin(), last.end(), '}'));
                FUZZ_CHECK(std::count(last.begin(), last.end(), '"') % 2 == 0);
            }
            at = end + 1;
            ++lines;
        }
    }
    FUZZ_CHECK(opened == (lines > 0));
    if (opened && format == IwarpDecoder::JSON)
    {
        const std::string malformed = std::to_string(decoder.GetMalformed());
        FUZZ_CHECK(last.find("{\"event\": \"summary\"") == 0);
        FUZZ_CHECK(last.find("\"malformed\": " + malformed + ", \"missing") != std::string::npos);
    }
    return decoder.GetMalformed();
}

extern "C" int
LLVMFuzzerTestOneInput(const uint8_t* data, std::size_t size)
{
    FuzzInput input(data, size);
    const uint8_t flags = input.Octet();
    Octets file(input.Rest(), input.Rest() + input.Left());
    if ((flags & 4) != 0)
    {
        file = Peers(input).GetFile();
    }
    // ends where its memory ends, whatever the vector has in reserve
    file.shrink_to_fit();
    const uint64_t malformed = Run(file, IwarpDecoder::JSON, flags);
    FUZZ_CHECK(Run(file, IwarpDecoder::TEXT, flags) == malformed);
    return 0;
}

std::vector<std::vector<uint8_t>>
FuzzSeeds()
{
    std::vector<Octets> seeds;
    for (uint8_t markers : {0, 16})
    {
        for (uint8_t crc : {0, 32})
        {
            const uint8_t request = markers | crc;
            Octets seed = {4, 1, 0, 128};
            seed.insert(seed.end(), {1, request, 1, 0, 0, 7, 0});
            seed.insert(seed.end(), {129, request, 1, 0, 0, 7, 0});
            for (uint8_t opcode : {3, 0, 1, 2, 10, 11, 7})
            {
                seed.insert(seed.end(), {8, uint8_t(opcode * 14), 1, 0, 0, 0, 60, 1, 5, 1, 11, 0});
                seed.insert(seed.end(), {136, opcode, 1, 0, 0, 0, 40, 1, 5, 1, 11, 0});
            }
            seeds.push_back(seed);
            Octets file = {0};
            FuzzInput input(seed.data() + 1, seed.size() - 1);
            const Octets octets = Peers(input).GetFile();
            file.insert(file.end(), octets.begin(), octets.end());
            seeds.push_back(file);
        }
    }
    // small FPDUs end where segments are cut and others lost: a head was sought that was not kept
    seeds.push_back(
        {0xd4, 0xbf, 0x14, 0xdf, 0x72, 0xac, 0xa8, 0xc8, 0x8a, 0x82, 0xb7, 0x62, 0x05, 0xc5, 0x78,
         0x49, 0x06, 0x04, 0x02, 0x5e, 0x8f, 0x32, 0x05, 0x9b, 0xcf, 0xe8, 0x45, 0x3f, 0x7b, 0x6e,
         0xc3, 0xf1, 0x9b, 0xc9, 0xf1, 0x6c, 0x5c, 0xb4, 0x89, 0x99, 0x26, 0x50, 0xee, 0xfd, 0x68,
         0x77, 0x75, 0x72, 0xc5, 0x66, 0xa4, 0xa0, 0xa1, 0x1c, 0xbe, 0x15, 0xe2, 0x57, 0x92, 0xb0,
         0xa7, 0x60, 0x6e, 0x9c, 0xb7, 0x3f, 0x38, 0x01, 0x6e, 0x88, 0x5b, 0x7a, 0x73, 0xd8, 0xfc,
         0x2f, 0x54, 0xc2, 0x4e, 0xe9, 0x4a, 0x94, 0x57, 0x3e, 0x42, 0x21, 0x29, 0x83, 0xf4, 0x22,
         0x49, 0x50, 0xf0, 0x09, 0x7b, 0xa6, 0xa6, 0x1f, 0x8f, 0x90, 0xbd, 0x24, 0x26, 0x17, 0xb7,
         0xbf, 0x4b, 0xad, 0x7e, 0x95, 0xa5, 0xd6, 0xfd, 0x6f, 0x97, 0x42, 0x8d, 0x32, 0xaa, 0xfa,
         0x72, 0x38, 0x76, 0x65, 0xf7, 0xea, 0x9f, 0x55, 0x3c, 0x46, 0x60, 0x8d, 0xbc, 0x92, 0xa1,
         0xf9, 0x4e, 0x0c, 0x45, 0x19, 0x45, 0x7a, 0xe0, 0xad, 0x3a, 0x39, 0x67, 0xa4, 0xc5, 0x42,
         0xa7, 0x84, 0x83, 0x34, 0x09, 0xf9, 0xfe, 0x24, 0xa9, 0x40, 0x43, 0x42, 0x1c, 0x7a, 0x08,
         0x1a, 0xb2, 0x9b, 0x9e, 0x43, 0x0d, 0xc1, 0xca, 0x5d, 0xc8, 0x31, 0xaf, 0xc3, 0x19, 0xdd,
         0x13, 0x31, 0x43, 0x50, 0xdb, 0x91, 0xcb, 0xec, 0xa4, 0xdc, 0xbc, 0x1a, 0x28, 0x50, 0xa0,
         0x71, 0x04, 0xb2, 0xca, 0x73, 0x24, 0xee, 0x24, 0xd0, 0x41, 0x34, 0x04, 0x0b, 0x0b, 0x72,
         0xbd, 0xf0, 0x30, 0xfe, 0x7e, 0x95, 0x7f, 0x53, 0xd0, 0x9a, 0x96, 0xce, 0xb6, 0xa5, 0x74,
         0x39, 0xc2, 0x93, 0x7c, 0x8b, 0x1d, 0x7d, 0xe4, 0xee, 0xbf, 0x62, 0xbd, 0xc9, 0x3e, 0x36,
         0xa0, 0x4d, 0xdf, 0xd5, 0xde, 0x19, 0x52, 0xe8, 0x60, 0x9d, 0x7f, 0x0c, 0x75, 0xf3, 0xbd,
         0xbc, 0xa3, 0xbb, 0xf9, 0xfc, 0x25, 0x4d, 0xf7, 0xe7, 0xf4, 0xd1, 0x11, 0xb0, 0x4c, 0xa0});
    // pcapng: a section, an interface, a packet
    Octets pcapng = {0};
    for (uint32_t word :
         {0x0A0D0D0A, 28, 0x1A2B3C4D, 0x00010000, -1, -1, 28, 1, 20,         0x00650000, 0,
          20,         6,  36,         0,          0,  0,  4,  4, 0x45000000, 36})
    {
        Put(pcapng, word, 4);
    }
    seeds.push_back(pcapng);
    return seeds;
}
