/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "fuzz-target.h"

#include "ns3/roce-head.h"

#include <vector>

/**
 * @file
 * Headers of RoCEv2: any octets behind UDP, of a datagram that may be longer than what is there.
 */

using namespace ns3;

using Octets = std::vector<uint8_t>; //!< a run of octets

extern "C" int
LLVMFuzzerTestOneInput(const uint8_t* data, std::size_t size)
{
    FuzzInput input(data, size);
    const std::size_t missing = input.Octet(); // octets of the datagram that were not captured
    const uint64_t near = uint64_t{input.Word()} << 12;
    // ends where its memory ends
    const Octets octets(input.Rest(), input.Rest() + input.Left());
    RoceHead head;
    if (!head.Read(octets.data(), octets.size(), octets.size() + missing))
    {
        return 0;
    }
    FUZZ_CHECK(head.GetSize() <= RoceHead::LONGEST && head.GetSize() <= octets.size());
    const std::size_t length = octets.size() + missing;
    FUZZ_CHECK(head.GetSize() + head.GetPayload(length) + head.pad + RoceHead::ICRC == length);

    // what is understood is written as it was read, but for bits that no reader needs
    Octets again(head.GetSize());
    head.Write(again.data());
    RoceHead same;
    FUZZ_CHECK(same.Read(again.data(), again.size(), length));
    Octets third(same.GetSize());
    same.Write(third.data());
    FUZZ_CHECK(third == again);
    FUZZ_CHECK(again[0] == octets[0] && same.psn == head.psn && same.messages == head.messages);

    const uint64_t number = RoceHead::Expand(head.psn, near);
    FUZZ_CHECK(number == 0 || (number & 0xFFFFFF) == head.psn);
    FUZZ_CHECK(RoceHead::Expand(head.psn, number) == number || number == 0);
    return 0;
}

std::vector<std::vector<uint8_t>>
FuzzSeeds()
{
    using Kind = RoceHead::Kind;
    std::vector<Octets> seeds;
    for (const Kind kind : {Kind::WRITE_FIRST,
                            Kind::WRITE_MIDDLE,
                            Kind::WRITE_LAST,
                            Kind::WRITE_ONLY,
                            Kind::ACKNOWLEDGE,
                            Kind::NOTIFICATION})
    {
        RoceHead head;
        head.kind = kind;
        head.queuePair = 5;
        head.psn = 0xFFFFFF;
        head.pad = kind == Kind::WRITE_ONLY ? 3 : 0;
        head.length = 1021;
        Octets octets(3 + head.GetSize() + head.pad + 1 + RoceHead::ICRC);
        head.Write(octets.data() + 3);
        seeds.push_back(octets);
        head.hasArrived = kind == Kind::ACKNOWLEDGE;
        head.syndrome = RoceHead::REFUSED;
        octets.resize(3 + head.GetSize() + RoceHead::ICRC);
        head.Write(octets.data() + 3);
        seeds.push_back(octets);
    }
    return seeds;
}
