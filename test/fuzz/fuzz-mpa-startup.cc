/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "../mpa/mpa-startup-endpoint.h"
#include "fuzz-target.h"

#include <string>

using namespace ns3;
using Octets = MpaStartupEndpoint::Octets;
using State = MpaStartup::State;

namespace
{

/// @param input decides @return what an end wants, always something that can work
MpaStartupConfig
TakeConfig(FuzzInput& input)
{
    const uint8_t bits = input.Octet();
    const uint8_t kinds = input.Octet();
    MpaStartupConfig config;
    config.role = (bits & 1) != 0 ? MpaRole::INITIATOR : MpaRole::RESPONDER;
    config.markers = (bits & 2) != 0;
    config.crc = (bits & 4) != 0;
    config.revision = (bits & 8) != 0 ? 2 : 1;
    config.closeOnReject = (bits & 16) != 0;
    config.waitForFirstFpdu = (bits & 32) != 0;
    config.enhanced.peerToPeer = (bits & 64) != 0;
    config.enhanced.strictIrd = (bits & 128) != 0;
    config.enhanced.rtr = {(kinds & 1) != 0, (kinds & 2) != 0, (kinds & 4) != 0};
    config.personality = static_cast<MpaPersonality>((kinds >> 3) % 4);
    config.enhanced.ird = input.Octet();
    config.enhanced.maxIrd = config.enhanced.ird + input.Octet();
    config.enhanced.ord = input.Octet();
    config.enhanced.minOrd = input.Octet() % (config.enhanced.ord + 1);
    if (MpaCheckEnhanced(config.enhanced))
    {
        config.enhanced = {};
    }
    if (config.personality == MpaPersonality::RDMAC)
    {
        config.revision = 1; // knows no other, and always wants Markers
        config.markers = true;
    }
    return config;
}

/// What came of a connection.
struct Outcome
{
    std::string words; //!< actions
    Octets sent;       //!< octets sent
    Octets rest;       //!< octets that are not startup's
    State state;       //!< last state
    MpaError error;    //!< of its failure
};

/// @param config what this end wants @param octets what comes from the peer @param segment octets
/// at a time @param accept the ULP accepts rather than rejects @return what came of it
Outcome
Play(const MpaStartupConfig& config, const Octets& octets, std::size_t segment, bool accept)
{
    MpaStartupEndpoint end(config);
    end.Start();
    Outcome outcome;
    outcome.words = end.Feed(octets, segment);
    if (end.State() == State::ULP_DECIDES)
    {
        outcome.words += "; " + (accept ? end.Accept() : end.Reject());
        const auto& result = end.machine.Result();
        if (end.sending && result.enhanced.used && config.role == MpaRole::RESPONDER)
        { // never more inbound reads than there are resources for
            FUZZ_CHECK(result.enhanced.ird == MpaEnhancedWord::UNSPECIFIED ||
                       result.enhanced.ird <= config.enhanced.maxIrd);
        }
    }
    FUZZ_CHECK(!end.sending || end.receiving); // RFC 5044 section 7.1.2: never only to send
    FUZZ_CHECK(end.failures <= 1 && end.reports + end.rejects <= 1);
    FUZZ_CHECK(!end.closed || end.State() == State::CLOSED);
    const bool over = end.State() == State::CLOSED;
    outcome.words += "; " + end.Do(end.machine.ConnectionLost());
    FUZZ_CHECK(!over || end.State() == State::CLOSED);
    FUZZ_CHECK(end.failures <= 1);
    outcome.sent = end.sent;
    outcome.rest = end.rest;
    outcome.state = end.State();
    outcome.error = end.error;
    return outcome;
}

} // namespace

extern "C" int
LLVMFuzzerTestOneInput(const uint8_t* data, std::size_t size)
{
    FuzzInput input(data, size);
    const MpaStartupConfig config = TakeConfig(input);
    const std::size_t segment = 1 + input.Below(600);
    const bool accept = input.Octet() % 4 != 0;
    const Octets octets(input.Rest(), input.Rest() + input.Left());

    const Outcome whole = Play(config, octets, SIZE_MAX, accept);
    // what is sent, an independent decoder takes
    for (std::size_t at = 0; at < whole.sent.size();)
    {
        MpaStartupFrame frame;
        FUZZ_CHECK(MpaStartupFrame::Decode(whole.sent.data() + at,
                                           whole.sent.size() - at,
                                           config.role == MpaRole::RESPONDER,
                                           frame) == MpaStartupFrame::Status::COMPLETE);
        at += frame.Encode().size();
    }
    const Outcome cut = Play(config, octets, segment, accept);
    // TCP may cut the stream anywhere; only whether the ULP has heard of a frame with octets right
    // behind it, which are an error, depends on what came together
    FUZZ_CHECK(cut.state == whole.state && cut.sent == whole.sent && cut.error == whole.error);
    FUZZ_CHECK(cut.words == whole.words || whole.error == MpaError::INVALID_STARTUP);
    return 0;
}

std::vector<std::vector<uint8_t>>
FuzzSeeds()
{
    std::vector<Octets> seeds;
    for (uint8_t bits : {0x00, 0x01, 0x0E, 0x0F, 0x4E, 0x4F, 0x8E, 0x8F})
    {
        for (uint8_t revision : {1, 2})
        {
            const Octets word = {0xC0, 0x10, 0xC0, 0x08, 'P', 'I', 'N', 'G'};
            for (uint8_t flags : {0x40, 0xC0, 0x50, 0x60})
            {
                Octets seed = {bits, 0x06, 16, 16, 8, 0, 0, 7, 1};
                const Octets frame = MpaStartupWire((bits & 1) != 0, flags, revision, word);
                seed.insert(seed.end(), frame.begin(), frame.end());
                seeds.push_back(seed);
            }
        }
    }
    // a Reply whose word does not do, and an octet behind it, in one segment and in two
    Octets both = {0xFF, 0xFF, 0xFF, 0xF6, 8, 0, 0, 7, 1};
    const Octets reply = MpaStartupWire(true, 0x50, 2, {'s', 's', 's', 's'});
    both.insert(both.end(), reply.begin(), reply.end());
    both.push_back('s');
    seeds.push_back(both);
    return seeds;
}
