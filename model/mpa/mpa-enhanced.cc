/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "mpa-enhanced.h"

#include <algorithm>

namespace ns3
{

namespace
{

constexpr uint16_t FIRST_FLAG = 0x8000;  //!< A above IRD, C above ORD
constexpr uint16_t SECOND_FLAG = 0x4000; //!< B above IRD, D above ORD
constexpr uint16_t DEPTH = 0x3FFF;       //!< IRD, ORD

constexpr uint16_t UNSPECIFIED = MpaEnhancedWord::UNSPECIFIED;

/**
 * @param kinds kinds that can be used
 * @return the one with the least effect at the peer
 */
MpaRtr
ChooseRtr(const MpaRtrSet& kinds)
{
    if (kinds.write)
    {
        return MpaRtr::WRITE;
    }
    if (kinds.read)
    {
        return MpaRtr::READ;
    }
    return kinds.send ? MpaRtr::SEND : MpaRtr::NONE;
}

} // namespace

const std::vector<MpaRtrKind>&
MpaRtrKinds()
{
    static const std::vector<MpaRtrKind> kinds{
        {"Send",
         &MpaRtrSet::send,
         "A Send without payload may be the ready-to-receive indication (RFC 6581 section 9, "
         "flag B)."},
        {"Write",
         &MpaRtrSet::write,
         "An RDMA Write without payload may be the ready-to-receive indication (flag C)."},
        {"Read",
         &MpaRtrSet::read,
         "An RDMA Read of no octets may be the ready-to-receive indication (flag D)."},
    };
    return kinds;
}

bool
MpaRtrSet::Empty() const
{
    const auto& kinds = MpaRtrKinds();
    return std::none_of(kinds.begin(), kinds.end(), [this](const MpaRtrKind& kind) {
        return this->*kind.flag;
    });
}

MpaRtrSet
MpaRtrSet::Common(const MpaRtrSet& other) const
{
    MpaRtrSet common;
    for (const auto& kind : MpaRtrKinds())
    {
        common.*kind.flag = this->*kind.flag && other.*kind.flag;
    }
    return common;
}

void
MpaEnhancedWord::Encode(uint8_t* out) const
{
    const uint32_t first =
        (peerToPeer ? FIRST_FLAG : 0) | (rtr.send ? SECOND_FLAG : 0) | (ird & DEPTH);
    const uint32_t second =
        (rtr.write ? FIRST_FLAG : 0) | (rtr.read ? SECOND_FLAG : 0) | (ord & DEPTH);
    out[0] = static_cast<uint8_t>(first >> 8);
    out[1] = static_cast<uint8_t>(first & 0xFF);
    out[2] = static_cast<uint8_t>(second >> 8);
    out[3] = static_cast<uint8_t>(second & 0xFF);
}

MpaEnhancedWord
MpaEnhancedWord::Decode(const uint8_t* data)
{
    const uint32_t first = data[0] << 8 | data[1];
    const uint32_t second = data[2] << 8 | data[3];
    MpaEnhancedWord word;
    word.peerToPeer = (first & FIRST_FLAG) != 0;
    word.rtr.send = (first & SECOND_FLAG) != 0;
    word.ird = first & DEPTH;
    word.rtr.write = (second & FIRST_FLAG) != 0;
    word.rtr.read = (second & SECOND_FLAG) != 0;
    word.ord = second & DEPTH;
    return word;
}

const char*
MpaCheckEnhanced(const MpaEnhancedConfig& config)
{
    if (config.rtr.Empty())
    {
        return "at least one kind of ready-to-receive indication has to be supported";
    }
    if (config.ird > UNSPECIFIED || config.ord > UNSPECIFIED)
    {
        return "IRD and ORD have 14 bits; 0x3FFF leaves them to the ULP";
    }
    if (config.maxIrd > MpaEnhancedWord::LARGEST_DEPTH ||
        config.minOrd > MpaEnhancedWord::LARGEST_DEPTH)
    {
        return "the largest IRD or ORD is 16382";
    }
    if (config.ird != UNSPECIFIED && config.ird > config.maxIrd)
    {
        return "the IRD exceeds the resources for it";
    }
    if (config.minOrd > config.ord)
    {
        return "the ORD is smaller than the ORD that is needed";
    }
    return nullptr;
}

MpaEnhancedWord
MpaMakeOffer(const MpaEnhancedConfig& config)
{
    MpaEnhancedWord word;
    word.peerToPeer = config.peerToPeer;
    word.rtr = config.peerToPeer ? config.rtr : MpaRtrSet{};
    word.ird = config.ird;
    word.ord = config.ord;
    return word;
}

MpaEnhancedResult
MpaMakeAnswer(const MpaEnhancedConfig& config,
              const MpaEnhancedWord& offer,
              MpaEnhancedWord& answer)
{
    MpaEnhancedResult result;
    result.used = true;
    result.peerIrd = offer.ird;
    result.peerOrd = offer.ord;
    result.peerToPeer = offer.peerToPeer;

    const bool irdIsMine = offer.ord != UNSPECIFIED && config.ird != UNSPECIFIED;
    result.ird = config.ird;
    if (irdIsMine)
    {
        result.ird = std::max(config.ird, std::min(offer.ord, config.maxIrd));
        if (config.strictIrd && result.ird < offer.ord)
        {
            result.error = MpaError::INSUFFICIENT_IRD;
        }
    }
    result.ord = config.ord;
    if (offer.ird != UNSPECIFIED)
    {
        result.ord = std::min(config.ord, offer.ird);
        if (config.minOrd > offer.ird)
        {
            result.error = MpaError::INSUFFICIENT_IRD;
        }
    }

    answer = MpaEnhancedWord();
    answer.peerToPeer = offer.peerToPeer;
    if (offer.peerToPeer)
    {
        answer.rtr = config.rtr;
        if (offer.rtr.read && config.rtr.read && result.ird == 0)
        {
            // A Read needs a place in the queue, even if the ULP reads nothing.
            if (irdIsMine && config.maxIrd > 0)
            {
                result.ird = 1;
            }
            else if (config.rtr.send || config.rtr.write)
            {
                answer.rtr.read = false;
            }
        }
        const MpaRtrSet common = offer.rtr.Common(answer.rtr);
        if (offer.rtr.send && (common.write || common.read))
        {
            answer.rtr.send = false; // see MpaMakeAnswer()
        }
        result.rtrKinds = offer.rtr.Common(answer.rtr);
    }
    answer.ird = offer.ord == UNSPECIFIED ? UNSPECIFIED : result.ird;
    answer.ord =
        offer.ird == UNSPECIFIED ? UNSPECIFIED : std::max<uint16_t>(result.ord, config.minOrd);
    return result;
}

MpaEnhancedResult
MpaProcessAnswer(const MpaEnhancedConfig& config, const MpaEnhancedWord& answer)
{
    const MpaEnhancedWord offer = MpaMakeOffer(config);
    MpaEnhancedResult result;
    result.used = true;
    result.peerIrd = answer.ird;
    result.peerOrd = answer.ord;
    result.peerToPeer = offer.peerToPeer;

    result.ird = config.ird;
    if (answer.ord != UNSPECIFIED)
    {
        result.ird = std::max(config.ird, std::min(answer.ord, config.maxIrd));
        if (answer.ord > config.maxIrd)
        {
            result.error = MpaError::INSUFFICIENT_IRD;
        }
    }
    result.ord = config.ord;
    if (answer.ird != UNSPECIFIED)
    {
        result.ord = std::min(config.ord, answer.ird);
        if (config.strictIrd && offer.ord != UNSPECIFIED && answer.ird < offer.ord)
        {
            result.error = MpaError::INSUFFICIENT_IRD;
        }
    }

    if (offer.peerToPeer)
    {
        // A Responder that answers with the other model has listed nothing.
        result.rtrKinds = answer.peerToPeer ? offer.rtr.Common(answer.rtr) : MpaRtrSet{};
        MpaRtrSet usable = result.rtrKinds;
        usable.read = usable.read && answer.ird > 0;
        result.rtr = ChooseRtr(usable);
        if (result.rtr == MpaRtr::NONE && result.error == MpaError::NONE)
        {
            result.error = MpaError::NO_RTR;
        }
    }
    return result;
}

} // namespace ns3
