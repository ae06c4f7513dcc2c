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
