/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "fuzz-target.h"

#include "ns3/ike-message.h"
#include "ns3/ike-peer.h"
#include "ns3/ike-processor.h"
#include "ns3/nstime.h"

#include <algorithm>
#include <vector>

using namespace ns3;

using Octets = std::vector<uint8_t>; //!< a run of octets

/// Octets from the wire, whatever they are. @param octets of a message
static void
Parse(const Octets& octets)
{
    IkeMessage message;
    if (DecodeIkeMessage(octets.data(), octets.size(), message))
    {
        const Octets again = EncodeIkeMessage(message, IkeSizes());
        IkeMessage same;
        FUZZ_CHECK(DecodeIkeMessage(again.data(), again.size(), same));
        FUZZ_CHECK(EncodeIkeMessage(same, IkeSizes()) == again);
    }
}

/// A peer that says anything, to an end that does anything. @param input decisions
static void
Converse(FuzzInput& input)
{
    IkeSettings settings;
    settings.window = 1 + input.Octet() % 4;
    uint32_t drawn = 255;
    IkeProcessor processor;
    IkePeer peer(
        settings,
        [&drawn] { return ++drawn; },
        [&drawn] { return ++drawn; },
        processor);
    Time now;
    std::vector<uint32_t> inbound{0};
    uint64_t pairs = 0;
    while (!input.IsEmpty())
    {
        now += MilliSeconds(input.Octet() * 20);
        const uint32_t spi = inbound[input.Octet() % inbound.size()];
        IkeActions actions;
        IkeMessage message;
        const uint8_t kind = input.Octet();
        switch (kind % 8)
        {
        case 0:
            message.traffic.sourcePort = kind / 64;
            actions = peer.Acquire(message.traffic, now);
            break;
        case 1:
            actions = peer.Rekey(spi, now);
            break;
        case 2:
            actions = peer.Delete(spi, now);
            break;
        case 3:
            actions = peer.Used(spi, now);
            break;
        case 4:
            actions = peer.Expire(now);
            break;
        default:
            message.exchange = static_cast<IkeExchange>(34 + kind / 8 % 4);
            message.response = kind & 32;
            message.initialContact = kind & 64;
            message.id = input.Octet() % 16;
            message.nonce = input.Octet();
            message.spi = input.Octet();
            message.replaced = input.Octet() % 4;
            actions = peer.Receive(message, now);
            break;
        }
        for (const auto& action : actions)
        {
            FUZZ_CHECK(action.when >= now);
            if (action.kind == IkeAction::Kind::INBOUND)
            {
                ++pairs;
                FUZZ_CHECK(std::count(inbound.begin(), inbound.end(), action.child.inbound) == 0);
                inbound.push_back(action.child.inbound);
            }
            pairs -= action.kind == IkeAction::Kind::REMOVE ? 1 : 0;
        }
        FUZZ_CHECK(pairs == peer.GetN());
    }
}

extern "C" int
LLVMFuzzerTestOneInput(const uint8_t* data, std::size_t size)
{
    Parse(Octets(data, data + size));
    FuzzInput input(data, size);
    Converse(input);
    return 0;
}

std::vector<std::vector<uint8_t>>
FuzzSeeds()
{
    std::vector<Octets> seeds;
    for (uint8_t exchange = 34; exchange <= 37; ++exchange)
    {
        IkeMessage message;
        message.exchange = static_cast<IkeExchange>(exchange);
        message.spi = 256;
        message.replaced = 256;
        seeds.push_back(EncodeIkeMessage(message, IkeSizes()));
    }
    // a demand, and the answers to its two requests; a successor; a deletion
    seeds.push_back({0, 1, 0, 0, 1, 0, 37, 0, 9, 0, 0, 1, 0, 45, 1, 9, 44, 0, 1, 1, 1, 1, 1, 2});
    return seeds;
}
