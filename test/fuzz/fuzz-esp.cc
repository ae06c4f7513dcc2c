/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "fuzz-target.h"

#include "ns3/esp-algorithm.h"
#include "ns3/esp-codec.h"
#include "ns3/esp-replay-window.h"

#include <algorithm>
#include <string>
#include <vector>

using namespace ns3;

using Octets = std::vector<uint8_t>; //!< a run of octets

static constexpr uint64_t SEQUENCE = 0x500000001; //!< whole sequence number of packets

/// @param transform cipher and integrity @return keys that fit it
static EspKeys
Keys(const EspTransform& transform)
{
    return {Octets(transform.keySize + transform.saltSize, 0x11),
            Octets(transform.integrityKeySize, 0x22)};
}

/// @param codec that opened a packet @param opened what it found @param size octets of the packet
static void
Validate(const EspCodec& codec, const EspOpened& opened, std::size_t size)
{
    const uint32_t icv = codec.GetTransform().icvSize;
    FUZZ_CHECK(opened.result != EspResult::OK ||
               (opened.head == codec.GetHeadSize() &&
                opened.head + opened.payload + ESP_TRAILER_SIZE + icv <= size));
}

/// @param packet any octets @param codec modelled @return what it finds in them
static EspOpened
OpenModelled(const Octets& packet, const EspCodec& codec)
{
    // each ends where its memory ends
    const std::size_t front = std::min<std::size_t>(packet.size(), codec.GetHeadSize());
    const std::size_t behind = std::min<std::size_t>(packet.size(), EspCodec::MAX_TAIL);
    const Octets head(packet.begin(), packet.begin() + front);
    const Octets tail(packet.end() - behind, packet.end());
    const EspOpened opened =
        codec.OpenModelled(SEQUENCE, head.data(), tail.data(), packet.size(), [&](uint32_t octets) {
            FUZZ_CHECK(front + octets <= packet.size());
            return octets;
        });
    Validate(codec, opened, packet.size());
    return opened;
}

/// A payload there and back, and with a bit changed. @param codec of either mode
/// @param payload octets @param bit to change
static void
RoundTrip(const EspCodec& codec, const Octets& payload, uint32_t bit)
{
    const bool real = codec.GetMode() == EspCodec::Mode::REAL;
    const EspSizes sizes =
        GetEspSizes(codec.GetTransform(), static_cast<uint32_t>(payload.size()), bit % 64);
    const EspFields fields{0x1001, SEQUENCE, 6};
    Octets packet(sizes.GetTotal());
    std::copy(payload.begin(), payload.end(), packet.begin() + sizes.GetHead());
    if (real)
    {
        codec.Seal(fields, nullptr, sizes, packet.data());
    }
    else
    {
        Octets tail(sizes.GetTail());
        codec.SealModelled(fields, sizes, sizes.payload + sizes.tfc, packet.data(), tail.data());
        std::copy(tail.begin(), tail.end(), packet.end() - tail.size());
    }
    const auto open = [&](Octets octets) {
        return real ? codec.Open(SEQUENCE, octets.data(), octets.size())
                    : OpenModelled(octets, codec);
    };
    const EspOpened opened = open(packet);
    FUZZ_CHECK(opened.result == EspResult::OK && opened.nextHeader == 6);
    FUZZ_CHECK(opened.payload == sizes.payload + sizes.tfc);
    const std::size_t at = bit / 8 % packet.size();
    packet[at] ^= 1 << bit % 8;
    const bool covered = real || at < sizes.GetHead() || at >= packet.size() - sizes.GetTail();
    FUZZ_CHECK(!covered || !codec.GetTransform().IsAuthenticated() ||
               open(packet).result == EspResult::BAD_ICV);
}

/// Sequence numbers in any order: none is taken twice. @param input decisions
static void
Window(FuzzInput& input)
{
    const bool extended = input.Octet() & 1;
    EspReplayWindow window(32 + input.Below(4065), extended);
    std::vector<uint64_t> taken;
    uint32_t low = input.Word() << 16;
    while (!input.IsEmpty() && taken.size() < 300)
    {
        low += input.Octet();
        low -= input.Octet();
        const uint64_t sequence = window.Extend(low);
        FUZZ_CHECK(static_cast<uint32_t>(sequence) == low || sequence == 0);
        if (window.Validate(sequence) == EspFreshness::FRESH)
        {
            FUZZ_CHECK(std::find(taken.begin(), taken.end(), sequence) == taken.end());
            window.Accept(sequence);
            FUZZ_CHECK(window.Validate(sequence) == EspFreshness::REPLAYED);
            FUZZ_CHECK(window.GetTop() >= sequence);
            taken.push_back(sequence);
        }
    }
}

extern "C" int
LLVMFuzzerTestOneInput(const uint8_t* data, std::size_t size)
{
    static const std::vector<std::string> names = GetEspTransformNames();
    FuzzInput input(data, size);
    const EspTransform& transform = *FindEspTransform(names[input.Octet() % names.size()]);
    const uint8_t flags = input.Octet();
    const uint32_t bit = input.Word();
    const Octets rest(input.Rest(), input.Rest() + input.Left());
    const EspCodec modelled(transform, Keys(transform), EspCodec::Mode::MODELLED, flags & 1);
    OpenModelled(rest, modelled);
    RoundTrip(modelled, rest, bit);
    if (EspCodec::HasReal())
    {
        const EspCodec real(transform, Keys(transform), EspCodec::Mode::REAL, flags & 1);
        Octets packet = rest;
        Validate(real, real.Open(SEQUENCE, packet.data(), packet.size()), packet.size());
        RoundTrip(real, rest, bit);
    }
    Window(input);
    return 0;
}

std::vector<std::vector<uint8_t>>
FuzzSeeds()
{
    std::vector<Octets> seeds;
    const auto names = GetEspTransformNames();
    for (std::size_t i = 0; i < names.size(); ++i)
    {
        const EspTransform& transform = *FindEspTransform(names[i]);
        const EspCodec codec(transform, Keys(transform), EspCodec::Mode::MODELLED);
        const EspSizes sizes = GetEspSizes(transform, 40);
        Octets seed(4 + sizes.GetTotal());
        seed[0] = static_cast<uint8_t>(i);
        Octets tail(sizes.GetTail());
        codec.SealModelled({0x1001, SEQUENCE, 6}, sizes, 40, &seed[4], tail.data());
        std::copy(tail.begin(), tail.end(), seed.end() - tail.size());
        seeds.push_back(seed);
    }
    return seeds;
}
