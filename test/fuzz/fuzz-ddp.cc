/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "../ddp/ddp-counted-stags.h"
#include "fuzz-target.h"

#include "ns3/ddp-header.h"
#include "ns3/ddp-receiver.h"

#include <algorithm>

/**
 * @file
 * The codec of DDP headers, and a receiver that is given segments of any kind, in and out of order,
 * while its STags and buffers come and go. Nothing may be written but what the stream may write.
 */

using namespace ns3;

using Octets = std::vector<uint8_t>; //!< a run of octets

static constexpr uint64_t BASE = 0xFFFFFFFFFFFFF000; //!< TO of the first octet that is open
static constexpr uint32_t OPEN = 1000;               //!< octets that are open, from OPEN on
static constexpr uint32_t ARENA = 6000;              //!< octets of memory
static constexpr uint32_t BUFFERS = 3000;            //!< from here on there are buffers
static constexpr uint32_t BUFFER = 300;              //!< octets of a buffer

/// The layer above.
class Upper : public DdpReceiver::Listener
{
  public:
    DdpAdmission Admit(const DdpHeader& header,
                       const uint8_t* /* segment */,
                       uint32_t available,
                       uint32_t payload) override
    {
        FUZZ_CHECK(!failed && header.version == ddp::VERSION);
        FUZZ_CHECK(available <= header.GetSize() + payload);
        return {};
    }

    void Delivered(DdpDelivery& delivery) override
    {
        FUZZ_CHECK(!failed && delivery.header.last);
        if (!delivery.header.tagged)
        {
            FUZZ_CHECK(delivery.length <= BUFFER);
        }
        ++delivered;
    }

    void Failed(const DdpErrorReport& report) override
    {
        FUZZ_CHECK(!failed && report.error != DdpError::NONE);
        FUZZ_CHECK(report.available <= report.length);
        failed = true;
    }

    bool failed{false};    //!< an error was told
    uint32_t delivered{0}; //!< messages
};

/// Octets as a header, and back.
static void
Code(const Octets& octets)
{
    DdpHeader header;
    for (std::size_t size = 0; size <= std::min<std::size_t>(octets.size(), 20); ++size)
    {
        const Octets part(octets.begin(), octets.begin() + size);
        DdpHeader read;
        const uint32_t taken = read.Read(part.data(), size);
        const bool whole = size > 0 && size >= DdpHeader::SizeOf((part[0] & 0x80) != 0);
        FUZZ_CHECK(taken == (whole ? read.GetSize() : 0));
        if (taken > 0)
        {
            Octets again(taken);
            FUZZ_CHECK(read.Write(again.data()) == taken);
            FUZZ_CHECK(std::equal(again.begin(), again.end(), octets.begin()));
            FUZZ_CHECK(size == taken || read == header);
            header = read;
        }
    }
}

/// A segment from decisions. @param input decisions @param stag an STag that is good
static Octets
MakeSegment(FuzzInput& input, uint32_t stag)
{
    const uint8_t kind = input.Octet();
    Octets segment;
    if (kind % 16 == 15) // anything
    {
        segment.resize(input.Below(40));
        std::generate(segment.begin(), segment.end(), [&] { return input.Octet(); });
        return segment;
    }
    DdpHeader header;
    header.tagged = (kind & 16) != 0;
    header.last = (kind & 32) != 0;
    header.ulpControl = input.Octet();
    header.stag = (kind & 64) != 0 ? stag : input.Word();
    header.to = BASE + input.Below(OPEN + 200);
    header.qn = input.Octet() % 5;
    header.msn = input.Octet() % 8;
    header.mo = input.Below(BUFFER + 20);
    if (kind % 16 == 14)
    {
        header.version = 2;
    }
    const uint32_t payload = input.Below(BUFFER + 20);
    segment.assign(header.GetSize() + payload, input.Octet() | 1);
    header.Write(segment.data());
    return segment;
}

/// A receiver under way. @param input decisions
static void
Receive(FuzzInput& input)
{
    Octets arena(ARENA);
    CountedStagTable table(4);
    DdpStagEntry entry;
    entry.pd = 1;
    entry.access = DDP_ACCESS_REMOTE_WRITE;
    entry.base = BASE;
    entry.length = OPEN;
    entry.memory = DdpMemory::Wrap(arena.data(), BUFFERS);
    entry.offset = OPEN;
    const uint32_t stag = table.Add(entry);
    entry.pd = 2; // another's
    entry.offset = 0;
    table.Add(entry);
    entry.pd = 1;
    entry.access = DDP_ACCESS_LOCAL_WRITE;
    entry.base = 0;
    entry.offset = 0;
    entry.length = ARENA - BUFFERS;
    entry.memory = DdpMemory::Wrap(arena.data() + BUFFERS, ARENA - BUFFERS);
    const uint32_t local = table.Add(entry);

    Upper upper;
    DdpReceiver receiver(table, 1, 1, upper);
    receiver.EnableQueue(0);
    receiver.EnableQueue(2, nullptr, 0xFFFFFFFF);
    uint32_t posted = 0;
    uint32_t order = 0xFFFFFFF0; // of the next segment in order
    bool ahead = false;          // the one behind it has come
    bool stopped = false;
    while (!input.IsEmpty())
    {
        switch (input.Octet() % 8)
        {
        case 0:
            if (posted < (ARENA - BUFFERS) / BUFFER)
            {
                DdpBuffer buffer;
                buffer.length = BUFFER;
                buffer.sges.push_back({posted++ * BUFFER, BUFFER, local});
                receiver.GetQueue(input.Octet() % 2 * 2).Post(std::move(buffer));
            }
            break;
        case 1:
            if (input.Octet() % 8 == 0)
            {
                table.Invalidate(stag);
            }
            break;
        case 2:
            if (input.Octet() % 16 == 0)
            {
                receiver.Stop();
                stopped = true;
            }
            break;
        default: {
            const Octets segment = MakeSegment(input, stag);
            const auto size = static_cast<uint32_t>(segment.size());
            const bool late = !ahead && input.Octet() % 4 == 0;
            const uint32_t available =
                input.Octet() % 4 == 0 && size > 0 ? input.Below(size) : size;
            const Octets part(segment.begin(), segment.begin() + available);
            // a receiver is told of whole headers at least
            const bool header = available == size || available >= ddp::MAX_HEADER_SIZE;
            receiver.Segment(order + (late ? 1 : 0),
                             header ? part.data() : segment.data(),
                             header ? available : size,
                             size,
                             !late);
            if (late)
            {
                ahead = true;
                break;
            }
            const uint32_t count = ahead ? 2 : 1;
            order += count;
            ahead = false;
            if (!receiver.HasStopped())
            {
                FUZZ_CHECK(receiver.GetWaiting() == count);
                receiver.Deliver(count);
            }
            break;
        }
        }
        FUZZ_CHECK(receiver.HasStopped() == (upper.failed || stopped));
    }
    auto untouched = [](uint8_t o) { return o == 0; };
    FUZZ_CHECK(std::all_of(arena.begin(), arena.begin() + OPEN, untouched));
    FUZZ_CHECK(std::all_of(arena.begin() + 2 * OPEN, arena.begin() + BUFFERS, untouched));
    FUZZ_CHECK(std::all_of(arena.begin() + BUFFERS + posted * BUFFER, arena.end(), untouched));
}

extern "C" int
LLVMFuzzerTestOneInput(const uint8_t* data, std::size_t size)
{
    Code(Octets(data, data + size));
    FuzzInput input(data, size);
    Receive(input);
    return 0;
}

std::vector<std::vector<uint8_t>>
FuzzSeeds()
{
    std::vector<Octets> seeds;
    for (bool tagged : {false, true})
    {
        DdpHeader header;
        header.tagged = tagged;
        header.stag = 0x10203040;
        header.msn = 7;
        Octets seed(header.GetSize());
        header.Write(seed.data());
        seeds.push_back(seed);
    }
    // buffers, an untagged message, a tagged one in two segments
    Octets seed = {0, 0, 0, 0, 0, 0, 0, 0};
    seed.insert(seed.end(), {3, 32, 0x43, 0, 0, 0, 0, 0, 1, 0, 0, 0, 100, 9, 1, 1});
    for (uint8_t last : {0, 32})
    {
        seed.insert(seed.end(),
                    {3, uint8_t(16 + 64 + last), 0x40, 0, last, 0, 0, 0, 0, 0, 32, 9, 1, 1});
    }
    seeds.push_back(seed);
    return seeds;
}
