/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "fuzz-target.h"

#include "ns3/mpa-fpdu.h"

#include <algorithm>

using namespace ns3::mpa;

using Octets = std::vector<uint8_t>; //!< a run of octets

/// @param octets octets @return a copy that ends where its memory ends
static Octets
Exact(const Octets& octets)
{
    return Octets(octets.begin(), octets.end());
}

/// Octets from the wire, whatever they are.
static void
Parse(const Octets& wire, uint32_t position, const FpduFormat& format, CheckMarkers check)
{
    const FpduView view = ParseFpdu(wire.data(), wire.size(), position, format, check);
    FUZZ_CHECK(view.complete == (view.wireSize > 0 && view.wireSize <= wire.size()));
    if (view.wireSize == 0)
    {
        return;
    }
    FUZZ_CHECK(view.wireSize == WireSize(view.ulpduLength, position, format.markers));
    FUZZ_CHECK(view.wireSize % 4 == 0);
    if (!view.complete)
    {
        FUZZ_CHECK(view.fault == FpduFault::NONE);
        return;
    }
    Octets scratch;
    const uint8_t* ulpdu = ExtractUlpdu(wire.data(), view, position, format, scratch);
    const Octets copy(ulpdu, ulpdu + view.ulpduLength);
    Octets again(view.wireSize);
    const auto size =
        EncodeFpdu(again.data(), copy.data(), view.ulpduLength, nullptr, 0, position, format);
    FUZZ_CHECK(size == view.wireSize);
    const FpduView same = ParseFpdu(again.data(), size, position, format, CheckMarkers::ALL);
    FUZZ_CHECK(same.complete && same.fault == FpduFault::NONE);
    FUZZ_CHECK(same.ulpduLength == view.ulpduLength && same.markers == view.markers);
}

/// A ULPDU, there and back, and each of its FPDU's beginnings.
static void
Encode(const Octets& ulpdu, uint32_t head, uint32_t position, const FpduFormat& format)
{
    const auto length = static_cast<uint32_t>(ulpdu.size());
    Octets wire(WireSize(length, position, format.markers));
    const auto size = EncodeFpdu(wire.data(),
                                 ulpdu.data(),
                                 head,
                                 ulpdu.data() + head,
                                 length - head,
                                 position,
                                 format);
    FUZZ_CHECK(size == wire.size());
    const FpduView view = ParseFpdu(wire.data(), size, position, format, CheckMarkers::ALL);
    FUZZ_CHECK(view.complete && view.fault == FpduFault::NONE && view.ulpduLength == length);
    Octets scratch;
    const uint8_t* out = ExtractUlpdu(wire.data(), view, position, format, scratch);
    FUZZ_CHECK(std::equal(ulpdu.begin(), ulpdu.end(), out));
    wire.resize(size - 1);
    FUZZ_CHECK(
        !ParseFpdu(Exact(wire).data(), wire.size(), position, format, CheckMarkers::ALL).complete);
}

extern "C" int
LLVMFuzzerTestOneInput(const uint8_t* data, std::size_t size)
{
    FuzzInput input(data, size);
    const uint8_t flags = input.Octet();
    const FpduFormat format{(flags & 1) != 0, (flags & 2) != 0};
    const uint32_t position = input.Word() * 4U;
    const Octets rest(input.Rest(), input.Rest() + input.Left());
    Parse(rest, position, format, static_cast<CheckMarkers>(flags / 4 % 3));
    if (!rest.empty())
    {
        Encode(rest, flags % rest.size(), position, format);
    }
    return 0;
}

std::vector<std::vector<uint8_t>>
FuzzSeeds()
{
    std::vector<Octets> seeds;
    for (uint32_t length : {0, 1, 42, 498, 506, 700, 1442})
    {
        for (uint32_t position : {0, 492, 508})
        {
            for (uint8_t flags = 0; flags < 4; ++flags)
            {
                const FpduFormat format{(flags & 1) != 0, (flags & 2) != 0};
                const uint32_t size = WireSize(length, position, format.markers);
                Octets seed(3 + size);
                seed[0] = flags | 8; // all Markers
                seed[2] = static_cast<uint8_t>(position / 4);
                EncodeFpdu(&seed[3], nullptr, 0, nullptr, length, position, format);
                seeds.push_back(seed);
            }
        }
    }
    return seeds;
}
