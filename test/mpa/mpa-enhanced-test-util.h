/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef MPA_ENHANCED_TEST_UTIL_H
#define MPA_ENHANCED_TEST_UTIL_H

#include "mpa-startup-endpoint.h"

/// @file
/// @ingroup iwarp-tests
/// Ends of enhanced startup as its tests want them.

/**
 * @param role role
 * @param revision highest revision
 * @return configuration without Markers, with CRC
 */
inline ns3::MpaStartupConfig
ConfigFor(ns3::MpaRole role, uint8_t revision = 2)
{
    ns3::MpaStartupConfig config;
    config.role = role;
    config.revision = revision;
    config.markers = false;
    config.enhanced.ird = 16;
    config.enhanced.ord = 8;
    config.enhanced.maxIrd = 32;
    return config;
}

/// @return an Initiator's configuration for the peer-to-peer model
inline ns3::MpaStartupConfig
PeerToPeer()
{
    ns3::MpaStartupConfig config = ConfigFor(ns3::MpaRole::INITIATOR);
    config.enhanced.peerToPeer = true;
    return config;
}

/**
 * @brief Bring a Request to a Responder and a Reply back, octet by octet.
 * @param initiator has not started
 * @param responder has not started; it accepts
 */
inline void
Connect(MpaStartupEndpoint& initiator, MpaStartupEndpoint& responder)
{
    responder.Start();
    initiator.Start();
    responder.Feed(initiator.TakeSent(), 1);
    if (responder.State() == ns3::MpaStartup::State::ULP_DECIDES)
    {
        responder.Accept();
    }
    initiator.Feed(responder.TakeSent(), 1);
    if (initiator.State() == ns3::MpaStartup::State::ULP_DECIDES)
    {
        initiator.Accept();
    }
    else if (responder.closed)
    {
        initiator.Do(initiator.machine.ConnectionLost());
    }
}

#endif // MPA_ENHANCED_TEST_UTIL_H
