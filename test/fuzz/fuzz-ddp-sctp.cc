/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "fuzz-target.h"

#include "ns3/ddp-sctp-session.h"

#include <algorithm>

using namespace ns3;
using Octets = std::vector<uint8_t>; //!< a run of octets
using Kind = DdpSctpSession::Action::Kind;
using State = DdpSctpSession::State;

namespace
{

/// A session that does as it is told and is judged after each step.
class Judged
{
  public:
    /// @param config what it wants
    explicit Judged(const DdpSctpSessionConfig& config)
        : session(config)
    {
    }

    /// Look at actions. @param actions what the last call returned
    void Do(const DdpSctpSession::Actions& actions)
    {
        for (const auto& action : actions)
        {
            if (action.kind == Kind::SEND && action.ppid == DdpSctpControl::PPID_CONTROL)
            {
                DdpSctpControl message;
                FUZZ_CHECK(DdpSctpControl::Decode(action.octets.data(),
                                                  action.octets.size(),
                                                  message) == DdpSctpControl::Status::GOOD);
                FUZZ_CHECK(message.ssn == m_next++); // none is left out, none comes twice
                FUZZ_CHECK(message.Encode() == action.octets);
            }
            else if (action.kind == Kind::SEND)
            {
                FUZZ_CHECK(action.octets.size() >= DdpSctpControl::SSN_SIZE);
                FUZZ_CHECK((action.octets[0] << 8 | action.octets[1]) == m_next++);
            }
        }
        FUZZ_CHECK(!m_over || actions.empty() || actions[0].kind == Kind::FAIL);
        m_over = m_over || session.GetState() == State::CLOSED;
        FUZZ_CHECK(!m_over || session.GetState() == State::CLOSED);
    }

    DdpSctpSession session; //!< the thing under test

  private:
    uint16_t m_next{0}; //!< DDP-SSN that is due
    bool m_over{false}; //!< it was closed
};

/// One message through the codec. @param data octets @param size how many
void
CheckCodec(const uint8_t* data, std::size_t size)
{
    DdpSctpControl message;
    if (DdpSctpControl::Decode(data, size, message) == DdpSctpControl::Status::GOOD)
    {
        const Octets again = message.Encode();
        FUZZ_CHECK(again.size() == size && std::equal(again.begin(), again.end(), data));
    }
}

} // namespace

extern "C" int
LLVMFuzzerTestOneInput(const uint8_t* data, std::size_t size)
{
    {
        const Octets copy(data, data + size); // a sanitizer sees who reads beyond it
        CheckCodec(copy.data(), copy.size());
    }
    FuzzInput input(data, size);
    DdpSctpSessionConfig config;
    const uint8_t bits = input.Octet();
    config.role = (bits & 1) != 0 ? MpaRole::INITIATOR : MpaRole::RESPONDER;
    config.enhanced.wanted = (bits & 2) != 0;
    config.enhanced.peerToPeer = (bits & 4) != 0;
    Judged end(config);
    if (config.role == MpaRole::INITIATOR)
    {
        end.Do(end.session.Initiate(Octets(input.Octet())));
    }
    while (!input.IsEmpty())
    {
        switch (const uint8_t what = input.Octet(); what % 8)
        {
        case 0:
            end.Do(end.session.Accept(Octets(input.Below(600))));
            break;
        case 1:
            end.Do(end.session.Reject(Octets(input.Below(600))));
            break;
        case 2:
            end.Do(end.session.Send(Octets(input.Octet())));
            break;
        case 3:
            end.Do(end.session.Terminate());
            break;
        default: {
            const std::size_t wanted = input.Below(600);
            const std::size_t length = std::min(wanted, input.Left());
            const Octets chunk(input.Rest(), input.Rest() + length);
            for (std::size_t i = 0; i < length; i++)
            {
                input.Octet();
            }
            CheckCodec(chunk.data(), chunk.size());
            const uint32_t ppid =
                what % 8 == 7 ? DdpSctpControl::PPID_SEGMENT : DdpSctpControl::PPID_CONTROL;
            end.Do(end.session.Receive(ppid, chunk.data(), chunk.size()));
            break;
        }
        }
    }
    return 0;
}

std::vector<std::vector<uint8_t>>
FuzzSeeds()
{
    std::vector<Octets> seeds;
    using Function = DdpSctpControl::Function;
    for (bool active : {false, true})
    {
        for (bool enhanced : {false, true})
        {
            DdpSctpControl message;
            message.function = active ? Function::ACCEPT : Function::INITIATE;
            if (enhanced)
            {
                message.function = active ? Function::ENHANCED_ACCEPT : Function::ENHANCED_INITIATE;
                message.privateData = {0x80, 0x10, 0xC0, 0x08};
            }
            message.privateData.push_back('x');
            const Octets chunk = message.Encode();
            seeds.push_back(chunk);
            Octets seed = {static_cast<uint8_t>((active ? 1 : 0) | (enhanced ? 6 : 0))};
            if (active)
            {
                seed.push_back(4); // octets of Private Data
            }
            seed.insert(seed.end(), {4, 0, static_cast<uint8_t>(chunk.size())});
            seed.insert(seed.end(), chunk.begin(), chunk.end());
            if (!active)
            {
                seed.insert(seed.end(), {0, 0, 4}); // accept
            }
            seed.insert(seed.end(), {2, 40});                             // send a segment
            seed.insert(seed.end(), {7, 0, 6, 0, 1, 'a', 'b', 'c', 'd'}); // a segment comes
            seed.insert(seed.end(), {4, 0, 4, 0, 2, 0, 4});               // the peer ends it
            seeds.push_back(seed);
        }
    }
    return seeds;
}
