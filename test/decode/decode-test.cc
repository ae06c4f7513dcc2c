/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "decode-test.h"

#include "../rdmap/rdmap-capture.h"

#include "ns3/abort.h"
#include "ns3/ddp-octets.h"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <random>

using namespace ns3;

namespace
{

constexpr uint32_t FIRST_SEQ[] = {0xFFFFF000, 77};  // the first wraps soon
constexpr uint8_t FIRST_ADDRESS[] = {10, 0, 0, 1};  // of side 0
constexpr uint8_t SECOND_ADDRESS[] = {10, 0, 0, 2}; // of side 1
constexpr uint16_t PORTS[] = {4000, 5000};

/// Keeps copies of events.
class Collector : public DecodeListener
{
  public:
    std::vector<DecodeSeen> seen; //!< events

    void Found(const DecodeEvent& event) override
    {
        DecodeSeen s{};
        s.kind = event.kind;
        s.layer = event.layer;
        s.stream = event.stream;
        s.side = event.side;
        s.seq = event.seq;
        s.frame = event.frame;
        s.text = event.text;
        if (event.startup)
        {
            s.octets = event.startup->Encode();
        }
        if (event.fpdu)
        {
            Take(*event.fpdu, s);
        }
        seen.push_back(s);
    }

  private:
    static void Take(const DecodeFpdu& fpdu, DecodeSeen& s)
    {
        s.octets.assign(fpdu.ulpdu, fpdu.ulpdu + fpdu.ulpduLength);
        s.fpdu.assign(fpdu.octets, fpdu.octets + fpdu.wireSize);
        s.crc = fpdu.crc;
        s.missing = fpdu.missing;
        s.hasSegment = fpdu.hasSegment;
        s.ddp = fpdu.ddp;
        s.hasMessage = fpdu.hasMessage;
        s.message = fpdu.message;
        DecodeOctets ulpdu = s.octets;
        if (fpdu.hasSegment)
        {
            std::fill_n(ulpdu.begin(), fpdu.ddp.GetSize(), 0xEE);
            fpdu.ddp.Write(ulpdu.data());
        }
        const mpa::FpduFormat format{fpdu.markersUsed, fpdu.crc != DecodeCrc::OFF};
        s.again.resize(fpdu.wireSize);
        const auto size = mpa::EncodeFpdu(s.again.data(),
                                          ulpdu.data(),
                                          static_cast<uint32_t>(ulpdu.size()),
                                          nullptr,
                                          0,
                                          fpdu.position,
                                          format);
        s.again.resize(size);
    }
};

/// Appends numbers to octets.
struct Sink
{
    DecodeOctets out; //!< octets
    bool big;         //!< most significant octet first

    void Put(uint64_t value, unsigned octets)
    {
        for (unsigned i = 0; i < octets; ++i)
        {
            out.push_back(static_cast<uint8_t>(value >> 8 * (big ? octets - 1 - i : i)));
        }
    }
};

} // namespace

std::vector<DecodeOctets>
DecodeResult::Ulpdus(unsigned side) const
{
    std::vector<DecodeOctets> found;
    for (const auto& s : seen)
    {
        if (s.kind == DecodeEvent::Kind::FPDU && s.side == side)
        {
            found.push_back(s.octets);
        }
    }
    return found;
}

std::vector<std::string>
DecodeResult::Errors() const
{
    std::vector<std::string> found;
    for (const auto& s : seen)
    {
        if (s.kind == DecodeEvent::Kind::ERROR)
        {
            found.push_back(s.text);
        }
    }
    return found;
}

std::string
DecodeResult::ErrorLine() const
{
    std::string line;
    for (const auto& text : Errors())
    {
        line += (line.empty() ? "" : "; ") + text;
    }
    return line;
}

DecodeResult
Decode(const DecodeOctets& file, const std::function<void(IwarpDecoder&)>& set)
{
    Collector collector;
    IwarpDecoder decoder;
    decoder.SetListener(&collector);
    if (set)
    {
        set(decoder);
    }
    DecodeResult result{};
    result.opened = decoder.Attach(file.data(), file.size());
    result.error = decoder.GetError();
    for (std::string text = decoder.Read(); !text.empty(); text = decoder.Read())
    {
        result.text += text;
    }
    result.seen = std::move(collector.seen);
    result.malformed = decoder.GetMalformed();
    result.streams = decoder.GetStreams();
    return result;
}

DecodeOctets
ReadCaptureOctets(const std::string& name)
{
    std::ifstream file(CaptureFolder() + name, std::ios::binary);
    NS_ABORT_MSG_IF(!file, "cannot read " << name);
    return DecodeOctets(std::istreambuf_iterator<char>(file), {});
}

std::vector<DecodeTestFrame>
SplitPcap(const DecodeOctets& file)
{
    auto get = [&file](std::size_t at) {
        return static_cast<uint32_t>(file[at] | file[at + 1] << 8 | file[at + 2] << 16) |
               static_cast<uint32_t>(file[at + 3]) << 24;
    };
    std::vector<DecodeTestFrame> frames;
    for (std::size_t at = 24; at + 16 <= file.size();)
    {
        const uint32_t size = get(at + 8);
        const auto data = file.begin() + static_cast<std::ptrdiff_t>(at) + 16;
        frames.push_back({get(at) * UINT64_C(1000000) + get(at + 4), {data, data + size}});
        at += 16 + size;
    }
    return frames;
}

DecodeOctets
WriteCapture(const std::vector<DecodeTestFrame>& frames, const DecodeTestFormat& format)
{
    Sink sink{{}, format.big};
    const uint64_t scale = format.nanoseconds ? 1000 : 1;
    if (!format.pcapng)
    {
        sink.Put(format.nanoseconds ? 0xA1B23C4D : 0xA1B2C3D4, 4);
        sink.Put(2, 2);
        sink.Put(4, 2);
        sink.Put(0, 8);
        sink.Put(format.snap, 4);
        sink.Put(format.linkType, 4);
    }
    else
    {
        sink.Put(0x0A0D0D0A, 4);
        sink.Put(28, 4);
        sink.Put(0x1A2B3C4D, 4);
        sink.Put(1, 2);
        sink.Put(0, 2);
        sink.Put(UINT64_MAX, 8);
        sink.Put(28, 4);
        sink.Put(1, 4); // interface with if_tsresol
        sink.Put(32, 4);
        sink.Put(format.linkType, 2);
        sink.Put(0, 2);
        sink.Put(format.snap, 4);
        sink.Put(9, 2);
        sink.Put(1, 2);
        sink.out.push_back(format.nanoseconds ? 9 : 6);
        sink.out.insert(sink.out.end(), 3, 0);
        sink.Put(0, 4);
        sink.Put(32, 4);
        sink.Put(5, 4); // statistics: to be passed over
        sink.Put(12, 4);
        sink.Put(12, 4);
    }
    for (const auto& frame : frames)
    {
        const auto size = std::min<std::size_t>(frame.octets.size(), format.snap);
        const std::size_t padded = (size + 3) / 4 * 4;
        if (!format.pcapng)
        {
            sink.Put(frame.time / 1000000, 4);
            sink.Put(frame.time % 1000000 * scale, 4);
        }
        else
        {
            const uint64_t ticks = frame.time * scale;
            sink.Put(6, 4);
            sink.Put(32 + padded, 4);
            sink.Put(0, 4);
            sink.Put(ticks >> 32, 4);
            sink.Put(ticks & 0xFFFFFFFF, 4);
        }
        sink.Put(size, 4);
        sink.Put(frame.octets.size(), 4);
        sink.out.insert(sink.out.end(), frame.octets.begin(), frame.octets.begin() + size);
        if (format.pcapng)
        {
            sink.out.insert(sink.out.end(), padded - size, 0);
            sink.Put(32 + padded, 4);
        }
    }
    return sink.out;
}

std::vector<DecodeTestFrame>
ChangeFrames(const std::vector<DecodeTestFrame>& frames,
             const std::function<DecodeOctets(const DecodeOctets&)>& change)
{
    std::vector<DecodeTestFrame> changed;
    for (const auto& frame : frames)
    {
        changed.push_back({frame.time, change(frame.octets)});
    }
    return changed;
}

std::vector<DecodeOctets>
FragmentIpv4(const DecodeOctets& frame, std::vector<std::size_t> cuts)
{
    constexpr std::size_t IP_AT = 14;
    constexpr std::size_t PAYLOAD_AT = 34;
    std::vector<DecodeOctets> fragments;
    cuts.push_back(frame.size() - PAYLOAD_AT);
    std::size_t from = 0;
    for (const std::size_t to : cuts)
    {
        DecodeOctets octets(frame.begin(), frame.begin() + PAYLOAD_AT);
        const bool more = PAYLOAD_AT + to < frame.size();
        octets[IP_AT + 2] = static_cast<uint8_t>((20 + to - from) >> 8);
        octets[IP_AT + 3] = static_cast<uint8_t>(20 + to - from);
        octets[IP_AT + 4] = 0x77; // Identification
        octets[IP_AT + 6] = static_cast<uint8_t>((more ? 0x20 : 0) | from / 8 >> 8);
        octets[IP_AT + 7] = static_cast<uint8_t>(from / 8);
        octets.insert(octets.end(),
                      frame.begin() + PAYLOAD_AT + from,
                      frame.begin() + PAYLOAD_AT + to);
        fragments.push_back(octets);
        from = to;
    }
    return fragments;
}

DecodeTestConnection::DecodeTestConnection(bool handshake)
{
    if (handshake)
    {
        Frame(0, DecodeSegment::SYN, nullptr, 0);
        Frame(1, DecodeSegment::SYN | DecodeSegment::ACK, nullptr, 0);
        Frame(0, DecodeSegment::ACK, nullptr, 0);
    }
}

void
DecodeTestConnection::Frame(unsigned side, uint8_t flags, const uint8_t* data, uint32_t size)
{
    Sink sink{{}, true};
    sink.Put(0x020000000001, 6);
    sink.Put(0x020000000002, 6);
    sink.Put(0x0800, 2);
    sink.Put(0x45, 1);
    sink.Put(0, 1);
    sink.Put(40 + size, 2);
    sink.Put(0, 4);
    sink.Put(64, 1);
    sink.Put(6, 1);
    sink.Put(0, 2);
    for (unsigned end : {side, 1 - side})
    {
        const uint8_t* address = end == 0 ? FIRST_ADDRESS : SECOND_ADDRESS;
        sink.out.insert(sink.out.end(), address, address + 4);
    }
    const bool syn = (flags & DecodeSegment::SYN) != 0;
    sink.Put(PORTS[side], 2);
    sink.Put(PORTS[1 - side], 2);
    sink.Put(static_cast<uint32_t>(FIRST_SEQ[side] + (syn ? 0 : sent[side])), 4);
    sink.Put(static_cast<uint32_t>(FIRST_SEQ[1 - side] + sent[1 - side]), 4);
    sink.Put(0x50, 1);
    sink.Put(flags, 1);
    sink.Put(65535, 2);
    sink.Put(0, 4); // no checksum
    sink.out.insert(sink.out.end(), data, data + size);
    frames.push_back({frames.size() * 10, sink.out});
    sent[side] += size;
}

void
DecodeTestConnection::Send(unsigned side, const DecodeOctets& octets, uint32_t size)
{
    for (std::size_t at = 0; at < octets.size(); at += size)
    {
        const auto part = static_cast<uint32_t>(std::min<std::size_t>(size, octets.size() - at));
        Frame(side, DecodeSegment::ACK, octets.data() + at, part);
    }
}

void
DecodeTestConnection::SendFpdu(unsigned side, const DecodeOctets& ulpdu)
{
    const auto position = static_cast<uint32_t>(sent[side] - start[side]);
    const auto length = static_cast<uint32_t>(ulpdu.size());
    DecodeOctets wire(mpa::WireSize(length, position, format[side].markers));
    mpa::EncodeFpdu(wire.data(), ulpdu.data(), length, nullptr, 0, position, format[side]);
    Send(side, wire);
}

void
DecodeTestConnection::Close(unsigned side)
{
    Frame(side, DecodeSegment::FIN | DecodeSegment::ACK, nullptr, 0);
    sent[side]++;
}

void
DecodeTestConnection::Startup(unsigned side, const MpaStartupFrame& frame)
{
    Send(side, frame.Encode());
    start[side] = sent[side];
    format[1 - side].markers = frame.markers;
    format[0].crc = format[1].crc = frame.crc;
}

DecodeOctets
MakeSend(uint32_t size, uint32_t msn)
{
    DdpHeader header;
    header.last = true;
    header.ulpControl = RdmapControl(RdmapOpcode::SEND).Encode();
    header.msn = msn;
    DecodeOctets ulpdu(ddp::UNTAGGED_HEADER_SIZE + size);
    header.Write(ulpdu.data());
    for (uint32_t i = 0; i < size; ++i)
    {
        ulpdu[ddp::UNTAGGED_HEADER_SIZE + i] = static_cast<uint8_t>(msn * 31 + i * 7);
    }
    return ulpdu;
}

DecodeTestConnection
DecodeTalk(bool markers, bool crc, uint32_t count, uint32_t size)
{
    DecodeTestConnection c;
    MpaStartupFrame frame;
    frame.markers = markers;
    frame.crc = crc;
    c.Startup(0, frame);
    frame.reply = true;
    c.Startup(1, frame);
    std::mt19937 random(7);
    for (uint32_t msn = 1; msn <= count; ++msn)
    {
        c.SendFpdu(0, MakeSend(size > 0 ? size : random() % 1300, msn));
        c.SendFpdu(1, MakeSend(random() % 1300, msn));
    }
    return c;
}
