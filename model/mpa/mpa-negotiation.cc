/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "mpa-negotiation.h"

#include <algorithm>

namespace ns3
{

namespace
{

/**
 * @param config what an end wants
 * @param rdmac its frame is one of an RDMAC RNIC
 * @return M of its frame
 */
bool
AsksForMarkers(const MpaStartupConfig& config, bool rdmac)
{
    return rdmac || (config.markers && config.personality != MpaPersonality::LINUX);
}

} // namespace

MpaRevisionVerdict
MpaCheckRevision(const MpaStartupConfig& config, uint8_t revision)
{
    const bool initiator = config.role == MpaRole::INITIATOR;
    if (config.personality == MpaPersonality::RDMAC)
    {
        // The frame agent of a Responder answers revision 1 too, with its own (C.2.2).
        return revision <= (initiator ? 0 : 1) ? MpaRevisionVerdict::USABLE
                                               : MpaRevisionVerdict::CLOSE;
    }
    const uint8_t highest = initiator ? MpaMakeRequest(config).revision : config.revision;
    if (revision > highest)
    {
        return MpaRevisionVerdict::CLOSE;
    }
    if (revision == 0 && config.personality != MpaPersonality::PERMISSIVE)
    {
        return initiator ? MpaRevisionVerdict::CLOSE : MpaRevisionVerdict::REPLY_CLOSE;
    }
    return MpaRevisionVerdict::USABLE;
}

MpaStartupFrame
MpaMakeRequest(const MpaStartupConfig& config)
{
    MpaStartupFrame frame;
    const bool rdmac = config.personality == MpaPersonality::RDMAC;
    frame.revision = rdmac ? 0 : 1;
    frame.markers = AsksForMarkers(config, rdmac);
    frame.crc = rdmac || config.crc;
    if (!rdmac && config.revision >= 2 && config.enhanced.wanted)
    {
        frame.revision = 2;
        frame.reserved = MpaStartupFrame::ENHANCED;
        frame.privateData.resize(MpaEnhancedWord::SIZE);
        MpaMakeOffer(config.enhanced).Encode(frame.privateData.data());
    }
    return frame;
}

MpaStartupFrame
MpaMakeReply(const MpaStartupConfig& config, const MpaStartupFrame& request)
{
    MpaStartupFrame frame;
    const bool rdmac = config.personality == MpaPersonality::RDMAC ||
                       (config.personality == MpaPersonality::PERMISSIVE && request.revision == 0);
    frame.reply = true;
    frame.revision = rdmac ? 0 : std::clamp<uint8_t>(request.revision, 1, config.revision);
    frame.reserved = request.IsEnhanced() ? MpaStartupFrame::ENHANCED : 0;
    frame.markers = AsksForMarkers(config, rdmac);
    frame.crc = rdmac || config.crc || (config.echoCrc && request.crc);
    return frame;
}

MpaStartupResult
MpaNegotiate(MpaRole role, const MpaStartupFrame& request, const MpaStartupFrame& reply)
{
    // An RDMAC Responder sends Markers whatever the Request asked for (C.2.5).
    const bool rdmacResponder = request.revision != 0 && reply.revision == 0 && reply.markers;
    const bool towardsResponder = reply.markers;
    const bool towardsInitiator = request.markers || rdmacResponder;
    const bool initiator = role == MpaRole::INITIATOR;

    MpaStartupResult result;
    result.version = reply.revision == 0 ? 0 : 1;
    result.peerRevision = initiator ? reply.revision : request.revision;
    result.txMarkers = initiator ? towardsResponder : towardsInitiator;
    result.rxMarkers = initiator ? towardsInitiator : towardsResponder;
    result.crc = request.crc || reply.crc;
    return result;
}

} // namespace ns3
