/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef MPA_STARTUP_TEST_UTIL_H
#define MPA_STARTUP_TEST_UTIL_H

#include "mpa-startup-endpoint.h"

/// @file
/// @ingroup iwarp-tests
/// Ends of revision 1 as the tests of startup want them.

/**
 * @param role role
 * @param markers M
 * @param crc C
 * @return configuration
 */
inline ns3::MpaStartupConfig
ConfigFor(ns3::MpaRole role, bool markers = true, bool crc = true)
{
    ns3::MpaStartupConfig config;
    config.role = role;
    config.markers = markers;
    config.crc = crc;
    return config;
}

/// @param a first octets @param b octets behind them @return both
inline MpaStartupEndpoint::Octets
Join(MpaStartupEndpoint::Octets a, const MpaStartupEndpoint::Octets& b)
{
    a.insert(a.end(), b.begin(), b.end());
    return a;
}

/// @return an Initiator that has sent its Request
inline MpaStartupEndpoint
StartedInitiator(const ns3::MpaStartupConfig& config = ConfigFor(ns3::MpaRole::INITIATOR))
{
    return MpaStartedEndpoint(config);
}

/// @return a Responder that waits for a Request
inline MpaStartupEndpoint
StartedResponder(const ns3::MpaStartupConfig& config = ConfigFor(ns3::MpaRole::RESPONDER))
{
    return MpaStartedEndpoint(config);
}

#endif // MPA_STARTUP_TEST_UTIL_H
