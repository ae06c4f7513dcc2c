/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "../ddp/ddp-counted-stags.h"
#include "fuzz-target.h"

#include "ns3/ddp-octets.h"
#include "ns3/rdmap-endpoint.h"
#include "ns3/rdmap-validate.h"

#include <algorithm>
#include <set>

/**
 * @file
 * The codecs of RDMAP headers, and an endpoint with work of its own that is given ULPDUs of any
 * kind. Each piece of work ends once, nothing is written but what is open, and what goes out is
 * well-formed.
 */

using namespace ns3;

using Octets = std::vector<uint8_t>; //!< a run of octets

static constexpr uint32_t ARENA = 8000;  //!< octets of memory
static constexpr uint32_t OPEN = 4000;   //!< the octets behind them are open to the peer
static constexpr uint32_t LARGEST = 600; //!< octets of the longest ULPDU

/// The layer above.
class Upper : public RdmapEndpoint::Listener
{
  public:
    void WorkCompleted(const RdmapWork& work, RdmapStatus, uint32_t) override
    {
        FUZZ_CHECK(pending.erase(work.id) == 1);
    }

    void Received(const RdmapReceived& received) override
    {
        FUZZ_CHECK(!failed && buffers.erase(received.buffer.context) == 1);
        FUZZ_CHECK(received.length <= received.buffer.length || received.hasImmediate);
    }

    void MessageDelivered(RdmapOpcode opcode, const DdpDelivery&) override
    {
        FUZZ_CHECK(!failed && rdmap::IsAssigned(static_cast<uint8_t>(opcode)));
    }

    void Failed(const RdmapTerminate& terminate, bool) override
    {
        FUZZ_CHECK(!failed && !terminate.Describe().empty());
        failed = true;
    }

    void OutputReady() override
    {
    }

    std::set<uint64_t> pending; //!< work not ended
    std::set<uint64_t> buffers; //!< receive buffers not used
    bool failed{false};         //!< the stream has failed
};

/// Octets as headers, and back.
static void
Code(const Octets& octets)
{
    for (auto form : {RdmapTerminateForm::RFC, RdmapTerminateForm::MIRRORED})
    {
        for (std::size_t size = 0; size <= std::min<std::size_t>(octets.size(), 60); ++size)
        {
            const Octets part(octets.begin(), octets.begin() + size);
            RdmapTerminate terminate;
            const uint32_t taken = terminate.Read(part.data(), size, form);
            FUZZ_CHECK(taken <= size && taken <= rdmap::TERMINATE_MAX_SIZE);
            if (taken > 0)
            {
                Octets again(taken);
                FUZZ_CHECK(terminate.GetSize() == taken);
                FUZZ_CHECK(terminate.Write(again.data(), form) == taken);
                FUZZ_CHECK(std::equal(again.begin(), again.end(), octets.begin()));
                FUZZ_CHECK(!terminate.Describe().empty());
            }
        }
    }
    if (octets.size() >= rdmap::ATOMIC_REQUEST_SIZE)
    {
        Octets again(rdmap::ATOMIC_REQUEST_SIZE);
        RdmapAtomicRequest atomic;
        atomic.Read(octets.data());
        atomic.Write(again.data());
        FUZZ_CHECK(std::equal(again.begin(), again.end(), octets.begin()));
        if (atomic.IsSupported())
        {
            atomic.Apply(atomic.to);
        }
        again.resize(rdmap::READ_REQUEST_SIZE);
        RdmapReadRequest read;
        read.Read(octets.data());
        read.Write(again.data());
        FUZZ_CHECK(std::equal(again.begin(), again.end(), octets.begin()));
        again.resize(rdmap::ATOMIC_RESPONSE_SIZE);
        RdmapAtomicResponse response;
        response.Read(octets.data());
        response.Write(again.data());
        FUZZ_CHECK(std::equal(again.begin(), again.end(), octets.begin()));
    }
    DdpHeader header;
    const uint32_t size = header.Read(octets.data(), octets.size());
    if (size > 0)
    {
        const auto payload = static_cast<uint32_t>(octets.size() - size);
        const RdmapError error = RdmapValidate(header, payload, true);
        const bool assigned = rdmap::IsAssigned(header.ulpControl & 15);
        FUZZ_CHECK(assigned || error != RdmapError::NONE);
        FUZZ_CHECK(RdmapControl::Decode(header.ulpControl).Encode() == header.ulpControl);
        // without the extensions nothing more is allowed
        FUZZ_CHECK(error == RdmapError::NONE ||
                   RdmapValidate(header, payload, false) != RdmapError::NONE);
    }
}

/// A ULPDU from decisions. @param input decisions @param stag an STag that is open
/// @param msn next of each queue
static Octets
MakeUlpdu(FuzzInput& input, uint32_t stag, uint32_t* msn)
{
    Octets ulpdu;
    const uint8_t kind = input.Octet();
    if (kind % 16 == 15)
    {
        ulpdu.resize(1 + input.Below(60));
        std::generate(ulpdu.begin(), ulpdu.end(), [&] { return input.Octet(); });
        return ulpdu;
    }
    DdpHeader header;
    const auto opcode = static_cast<RdmapOpcode>(kind % 16 == 14 ? input.Octet() % 16 : kind % 12);
    header.last = (kind & 16) == 0;
    header.tagged = rdmap::IsTagged(opcode) != (kind == 0x3E);
    header.ulpControl = RdmapControl(opcode).Encode();
    header.ulpWord = (kind & 32) != 0 ? stag : input.Word();
    header.stag = (kind & 64) != 0 ? input.Word() : stag;
    header.to = input.Below(OPEN + 100);
    header.qn = rdmap::QueueOf(opcode);
    header.msn = msn[header.qn % 4] + ((kind & 128) != 0 && input.Octet() % 4 == 0 ? 1 : 0);
    header.mo = input.Octet() % 4 == 0 ? input.Below(LARGEST) : 0;
    uint32_t payload = input.Below(LARGEST - ddp::MAX_HEADER_SIZE);
    switch (opcode)
    {
    case RdmapOpcode::READ_REQUEST:
        payload = rdmap::READ_REQUEST_SIZE;
        break;
    case RdmapOpcode::IMMEDIATE:
    case RdmapOpcode::IMMEDIATE_SE:
        payload = rdmap::IMMEDIATE_SIZE;
        break;
    case RdmapOpcode::ATOMIC_REQUEST:
        payload = rdmap::ATOMIC_REQUEST_SIZE;
        break;
    case RdmapOpcode::ATOMIC_RESPONSE:
        payload = rdmap::ATOMIC_RESPONSE_SIZE;
        break;
    default:
        break;
    }
    ulpdu.assign(header.GetSize() + payload, input.Octet() | 1);
    header.Write(ulpdu.data());
    uint8_t* body = ulpdu.data() + header.GetSize();
    if (opcode == RdmapOpcode::READ_REQUEST && input.Octet() % 8 != 0)
    {
        RdmapReadRequest read;
        read.sinkStag = input.Word();
        read.sinkTo = input.Word();
        read.size = input.Below(3000);
        read.srcStag = stag;
        read.srcTo = input.Below(OPEN);
        read.Write(body);
    }
    else if (opcode == RdmapOpcode::ATOMIC_REQUEST && input.Octet() % 8 != 0)
    {
        RdmapAtomicRequest atomic;
        atomic.opcode = input.Octet() % 3;
        atomic.stag = stag;
        atomic.to = input.Below(OPEN / 8) * UINT64_C(8);
        atomic.Write(body);
    }
    else if (opcode == RdmapOpcode::TERMINATE)
    {
        std::generate_n(body, std::min(payload, 6U), [&] { return input.Octet(); });
    }
    if (header.last && !header.tagged)
    {
        msn[header.qn % 4]++;
    }
    return ulpdu;
}

/// Take what an endpoint sends. @param endpoint it @param most ULPDUs
static void
Drain(RdmapEndpoint& endpoint, unsigned most)
{
    while (most-- > 0)
    {
        const RdmapOutput* output = endpoint.GetOutput(LARGEST);
        if (output == nullptr)
        {
            return;
        }
        FUZZ_CHECK(output->GetSize() <= LARGEST && output->headSize <= output->head.size());
        Octets ulpdu(output->head.begin(), output->head.begin() + output->headSize);
        if (output->tail != nullptr)
        {
            ulpdu.insert(ulpdu.end(), output->tail, output->tail + output->tailSize);
        }
        ulpdu.resize(output->GetSize());
        DdpHeader header;
        const uint32_t size = header.Read(ulpdu.data(), ulpdu.size());
        FUZZ_CHECK(size > 0 && header.version == ddp::VERSION && header.reserved == 0);
        const auto payload = static_cast<uint32_t>(ulpdu.size()) - size;
        FUZZ_CHECK(RdmapValidate(header, payload, true) == RdmapError::NONE);
        endpoint.OutputTaken();
    }
}

/// An endpoint under way. @param input decisions
static void
Run(FuzzInput& input)
{
    Octets arena(ARENA);
    CountedStagTable table(4);
    Upper upper;
    RdmapConfig config;
    config.ird = 1 + input.Octet() % 4;
    config.ord = 1 + input.Octet() % 4;
    RdmapEndpoint endpoint(config, table, upper);
    DdpStagEntry entry;
    entry.pd = config.pd;
    entry.access = DDP_ACCESS_LOCAL_WRITE | DDP_ACCESS_REMOTE_WRITE | DDP_ACCESS_REMOTE_READ |
                   DDP_ACCESS_REMOTE_ATOMIC;
    entry.length = OPEN;
    entry.memory = DdpMemory::Wrap(arena.data(), ARENA);
    entry.offset = ARENA - OPEN;
    const uint32_t stag = table.Add(entry);
    uint32_t msn[] = {1, 1, 1, 1};
    uint32_t order = 0xFFFFFFF8;
    uint64_t id = 0;
    bool closed = false;
    while (!input.IsEmpty())
    {
        switch (input.Octet() % 8)
        {
        case 0: {
            RdmapWork work;
            work.id = ++id;
            work.kind = static_cast<RdmapWorkKind>(input.Octet() % 5);
            work.fence = input.Octet() % 4 == 0;
            work.remoteStag = 77;
            const bool eight =
                work.kind == RdmapWorkKind::ATOMIC || work.kind == RdmapWorkKind::IMMEDIATE;
            const uint32_t size = eight ? 8 : input.Below(1500);
            if (work.kind != RdmapWorkKind::IMMEDIATE)
            {
                work.sges.push_back({input.Below(OPEN - 1500), size, stag});
            }
            upper.pending.insert(id);
            if (endpoint.PostSend(std::move(work)) != 0)
            {
                upper.pending.erase(id);
            }
            break;
        }
        case 1: {
            DdpBuffer buffer;
            buffer.context = ++id;
            buffer.length = 100;
            buffer.sges.push_back({input.Below(OPEN - 100), 100, stag});
            upper.buffers.insert(id);
            if (endpoint.PostReceive(std::move(buffer)) != 0)
            {
                upper.buffers.erase(id);
            }
            break;
        }
        case 2:
            Drain(endpoint, 1 + input.Octet() % 8);
            break;
        case 3:
            switch (input.Octet() % 32)
            {
            case 0:
                endpoint.LlpFailed(input.Octet() % 8);
                break;
            case 1:
                endpoint.LlpLost();
                break;
            case 2:
                endpoint.LlpClosed();
                break;
            case 3:
                endpoint.Close();
                closed = true;
                break;
            case 4:
                endpoint.FailLocally();
                break;
            default:
                break;
            }
            break;
        default: {
            const Octets ulpdu = MakeUlpdu(input, stag, msn);
            const auto size = static_cast<uint32_t>(ulpdu.size());
            const uint32_t before = endpoint.GetReceiver().GetWaiting();
            endpoint.Segment(order++, ulpdu.data(), size, size, true);
            const uint32_t waiting = endpoint.GetReceiver().GetWaiting();
            FUZZ_CHECK(waiting <= before + 1);
            if (!endpoint.HasFailed() && waiting > 0)
            {
                endpoint.Deliver(waiting);
            }
            break;
        }
        }
        FUZZ_CHECK(endpoint.HasFailed() == upper.failed || closed);
    }
    Drain(endpoint, 1000);
    if (!endpoint.HasFailed())
    {
        endpoint.FailLocally();
    }
    FUZZ_CHECK(upper.pending.empty()); // a failure ends all work
    DdpBuffer buffer;
    while (endpoint.FlushReceive(buffer))
    {
        FUZZ_CHECK(upper.buffers.erase(buffer.context) == 1);
    }
    Drain(endpoint, 2);
    FUZZ_CHECK(endpoint.GetOutput(LARGEST) == nullptr);
    FUZZ_CHECK(
        std::all_of(arena.begin(), arena.begin() + ARENA - OPEN, [](uint8_t o) { return o == 0; }));
}

extern "C" int
LLVMFuzzerTestOneInput(const uint8_t* data, std::size_t size)
{
    Code(Octets(data, data + size));
    FuzzInput input(data, size);
    Run(input);
    return 0;
}

std::vector<std::vector<uint8_t>>
FuzzSeeds()
{
    std::vector<Octets> seeds;
    for (uint8_t opcode = 0; opcode < 12; ++opcode)
    {
        // buffers, the ULPDU twice, what goes out, work of each kind, responses
        Octets seed = {1, 1, 1, 0, 50, 1, 0, 100, 1, 0, 200};
        for (int i = 0; i < 2; ++i)
        {
            seed.insert(seed.end(),
                        {4, opcode, 0, 1, 0, 0, 1, 0, 40, 7, 1, 0, 1, 0, 2, 4, 0, 0, 8});
        }
        seed.insert(seed.end(), {2, 7});
        for (uint8_t kind = 0; kind < 5; ++kind)
        {
            seed.insert(seed.end(), {0, kind, 1, 1, 0, 0, 100});
        }
        seed.insert(seed.end(), {2, 7, 4, 2, 0, 0, 100, 1, 0, 4, 11, 0, 9});
        seeds.push_back(seed);
    }
    for (uint8_t flags : {0x00, 0x20, 0x40, 0xC0, 0xE0, 0x07})
    {
        Octets seed(rdmap::TERMINATE_MAX_SIZE, flags);
        seed[0] = 0x12;
        seeds.push_back(seed);
    }
    return seeds;
}
