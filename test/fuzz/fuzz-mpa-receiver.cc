/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "fuzz-target.h"

#include "ns3/mpa-receiver.h"
#include "ns3/util-crc32c.h"

#include <algorithm>

/**
 * @file
 * The input says how the receiver works, which FPDUs there are, what is damaged on the way (in the
 * octets, or at the source, so that the CRC fits), and how the stream is cut, reordered, doubled
 * and altered. What comes out is held against what was sent.
 */

using namespace ns3;

using Octets = std::vector<uint8_t>; //!< a run of octets

/// What was sent, what has come, and what was passed.
class Model : public MpaReceiver::Listener
{
  public:
    /// @param config how the receiver works
    explicit Model(const MpaReceiverConfig& config)
        : config(config)
    {
    }

    void Pass(const MpaUlpdu& ulpdu) override
    {
        FUZZ_CHECK(!failed);
        const uint32_t start = ulpdu.seq - config.seqStart;
        FUZZ_CHECK(start < have.size() && ulpdu.wireSize <= have.size() - start);
        for (uint32_t i = start; i < start + ulpdu.wireSize; ++i)
        {
            FUZZ_CHECK(have[i] == 1); // it has come, and is handed up once
            have[i] = 2;
        }
        waiting -= ulpdu.wireSize;
        const Octets copy(ulpdu.data, ulpdu.data + ulpdu.length);
        const auto sent = std::lower_bound(starts.begin(), starts.end(), start);
        if (!damaged)
        {
            FUZZ_CHECK(sent != starts.end() && *sent == start);
            FUZZ_CHECK(copy == ulpdus[sent - starts.begin()]);
        }
        FUZZ_CHECK(ulpdu.inOrder || (config.outOfOrder && config.format.markers));
        ++passed;
        late += ulpdu.inOrder ? 0 : 1;
    }

    void Deliver(uint32_t count) override
    {
        FUZZ_CHECK(!failed && count > 0);
        delivered += count;
        FUZZ_CHECK(delivered <= passed);
    }

    void Error(MpaError error, uint32_t /* seq */) override
    {
        FUZZ_CHECK(!failed);
        FUZZ_CHECK(error == MpaError::CRC || error == MpaError::MARKER);
        FUZZ_CHECK(damaged || config.strictLength);
        failed = true;
    }

    void Classified(uint32_t seq, uint32_t size, bool header, bool fpdu) override
    {
        FUZZ_CHECK(!failed && size > 0);
        FUZZ_CHECK(header || !fpdu);
        if (!damaged)
        {
            const uint32_t start = seq - config.seqStart;
            FUZZ_CHECK(header == std::binary_search(starts.begin(), starts.end(), start));
        }
        ++classified;
    }

    MpaReceiverConfig config;     //!< how the receiver works
    std::vector<uint8_t> have;    //!< of each octet: not come, come, passed
    std::vector<uint32_t> starts; //!< positions of the FPDUs
    std::vector<Octets> ulpdus;   //!< what was posted
    uint64_t waiting{0};          //!< octets that have come and are not passed
    bool damaged{false};          //!< the stream is not what was encoded
    bool failed{false};           //!< error reported
    uint32_t passed{0};           //!< ULPDUs
    uint32_t late{0};             //!< of these, out of order
    uint32_t delivered{0};        //!< ULPDUs
    uint32_t classified{0};       //!< segments
};

/// @param input decisions @param model gets the FPDUs @return the stream
static Octets
MakeStream(FuzzInput& input, Model& model)
{
    const auto& format = model.config.format;
    Octets stream;
    const uint32_t count = 1 + input.Octet() % 24;
    const uint8_t kind = input.Octet();
    for (uint32_t i = 0; i < count; ++i)
    {
        uint32_t length = input.Octet();
        length *= kind % 4 == 0 ? 1 : kind % 4 == 1 ? 6 : kind % 32 == 2 ? 257 : 20;
        length += kind % 32 == 2 ? 0 : 1; // 0 and 65535 too
        const auto start = static_cast<uint32_t>(stream.size());
        Octets ulpdu(length);
        for (uint32_t k = 0; k < length; ++k)
        {
            ulpdu[k] = static_cast<uint8_t>(i * 59 + k * 3 + k / 250);
        }
        stream.resize(start + mpa::WireSize(length, start, format.markers));
        mpa::EncodeFpdu(&stream[start], ulpdu.data(), length, nullptr, 0, start, format);
        model.starts.push_back(start);
        model.ulpdus.push_back(ulpdu);
        if (stream.size() > 70000)
        {
            break;
        }
    }
    for (uint32_t flips = input.Octet() % 4; flips > 0; --flips)
    {
        const uint32_t at = (input.Octet() << 16 | input.Word()) % stream.size();
        const uint8_t flip = input.Octet();
        stream[at] ^= flip;
        model.damaged = model.damaged || flip != 0;
        if (input.Octet() & 1) // at the source: the CRC fits
        {
            const auto next = std::upper_bound(model.starts.begin(), model.starts.end(), at);
            const uint32_t start = *(next - 1);
            const auto end = next == model.starts.end() ? stream.size() : *next;
            iwarp::Crc32c crc;
            crc.Update(&stream[start], end - start - 4);
            crc.Write(&stream[end - 4]);
        }
    }
    return stream;
}

extern "C" int
LLVMFuzzerTestOneInput(const uint8_t* data, std::size_t size)
{
    FuzzInput input(data, size);
    MpaReceiverConfig config;
    const uint16_t flags = input.Word();
    config.format = {(flags & 1) != 0, (flags & 2) == 0};
    config.outOfOrder = (flags & 4) == 0;
    config.check = static_cast<mpa::CheckMarkers>(flags / 8 % 3);
    config.silentDrop = (flags & 0x40) != 0;
    config.strictLength = (flags & 0x80) != 0;
    config.memory = (flags & 0x100) != 0 ? input.Word() : UINT64_MAX;
    config.reserve = (flags & 0x200) != 0 ? input.Word() : 0;
    config.seqStart = 0U - input.Word();
    Model model(config);
    const Octets stream = MakeStream(input, model);
    const auto total = static_cast<uint32_t>(stream.size());
    model.have.assign(total, 0);
    MpaReceiver receiver(config, model);

    uint32_t edge = 0;
    uint32_t came = 0;
    uint32_t taken = 0;
    // @return octets at its beginning that may be taken of a segment that was refused
    auto segment = [&](uint32_t from, uint32_t to, uint8_t alter) -> uint32_t {
        Octets octets(stream.begin() + from, stream.begin() + to);
        const Octets before(model.have.begin() + from, model.have.begin() + to);
        const auto fresh = static_cast<uint32_t>(std::count(before.begin(), before.end(), 0));
        for (uint32_t i = 0; alter != 0 && i < before.size(); ++i)
        {
            octets[i] ^= before[i] ? alter : 0;
        }
        const uint64_t held = receiver.GetHeld();
        const uint32_t passed = model.passed;
        // the receiver may pass them right away
        std::replace(model.have.begin() + from, model.have.begin() + to, 0, 1);
        model.waiting += fresh;
        const bool failed = model.failed;
        const auto report =
            receiver.Segment(config.seqStart + from, octets.data(), to - from, came++);
        FUZZ_CHECK(report.passed == model.passed - passed);
        if (report.dropped)
        {
            FUZZ_CHECK(report.memoryFull || config.silentDrop);
            FUZZ_CHECK(model.passed == passed && receiver.GetHeld() == held && !model.failed);
            std::copy(before.begin(), before.end(), model.have.begin() + from);
            model.waiting -= fresh;
            FUZZ_CHECK(report.whole == 0 || (report.memoryFull && report.inOrder));
            FUZZ_CHECK(report.whole < to - from);
            return report.whole;
        }
        FUZZ_CHECK(report.whole == 0);
        FUZZ_CHECK(failed || model.failed || report.duplicate == (fresh == 0));
        taken += fresh > 0 && !model.failed ? 1 : 0;
        FUZZ_CHECK(receiver.GetHeld() == (model.failed ? 0 : model.waiting));
        FUZZ_CHECK(receiver.HasFailed() == model.failed);
        while (edge < total && model.have[edge])
        {
            ++edge;
        }
        return 0;
    };
    auto arrive = [&](uint32_t from, uint32_t to, uint8_t alter) {
        if (const uint32_t whole = segment(from, to, alter))
        {
            const uint32_t passed = model.passed;
            FUZZ_CHECK(segment(from, from + whole, alter) == 0);
            FUZZ_CHECK(model.passed > passed && edge >= from + whole);
        }
    };
    for (int steps = 0; steps < 400 && !input.IsEmpty(); ++steps)
    {
        const uint8_t what = input.Octet();
        uint32_t from = edge;
        if (what & 1)
        {
            from = edge + input.Below(what & 2 ? 300 : 20000);
        }
        from -= what & 4 ? std::min<uint32_t>(from, input.Octet()) : 0;
        if (what & 8) // where an FPDU starts
        {
            const auto next = std::upper_bound(model.starts.begin(), model.starts.end(), from);
            from = *(next - 1);
        }
        from = std::min(from, total - 1);
        uint32_t to = from + 1 + (what & 16 ? input.Octet() : input.Below(3000));
        if (what & 32) // and ends
        {
            const auto next = std::lower_bound(model.starts.begin(), model.starts.end(), to);
            to = next == model.starts.end() ? total : *next;
        }
        if (flags & 0x400) // a memory shared with others
        {
            const uint16_t inOrder = input.Word();
            const uint16_t outOfOrder = input.Word();
            receiver.SetRoom(inOrder, outOfOrder, input.Word());
        }
        arrive(from, std::min(to, total), what & 64 ? 0x5A : 0);
        if (what & 128)
        {
            receiver.Advance(config.seqStart + edge);
        }
    }
    // TCP goes on until all has come, unless the memory is too small for the FPDUs or the same
    // damage comes again and again: a segment dropped leaves all as it was
    receiver.SetRoom(UINT64_MAX, UINT64_MAX);
    for (bool goesOn = true; goesOn && edge < total && !model.failed;)
    {
        const uint32_t before = edge;
        arrive(edge, std::min(total, edge + 1460), 0);
        goesOn = edge > before;
    }
    receiver.Advance(config.seqStart + edge);
    if (!model.damaged && !config.strictLength && config.memory == UINT64_MAX)
    {
        FUZZ_CHECK(edge == total && model.delivered == model.starts.size());
        FUZZ_CHECK(model.passed == model.delivered && model.classified == taken);
        FUZZ_CHECK(receiver.GetHeld() == 0);
    }
    return 0;
}

std::vector<std::vector<uint8_t>>
FuzzSeeds()
{
    std::vector<Octets> seeds;
    for (uint8_t flags = 0; flags < 16; ++flags) // the last eight with shared memory
    {
        for (uint8_t kind = 0; kind < 4; ++kind)
        {
            Octets seed{uint8_t(flags & 8 ? 4 : 0), uint8_t(flags & 7), 1, 0, 23, kind};
            for (uint8_t i = 0; i < 24; ++i)
            {
                seed.push_back(static_cast<uint8_t>(i * 41));
            }
            seed.push_back(0);
            for (uint8_t i = 0; i < 120; ++i)
            {
                seed.push_back(static_cast<uint8_t>(i * 29 + kind));
            }
            seeds.push_back(seed);
        }
    }
    return seeds;
}
