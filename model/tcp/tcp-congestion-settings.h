/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef TCP_CONGESTION_SETTINGS_H
#define TCP_CONGESTION_SETTINGS_H

namespace ns3
{

class TcpCongestionOps;

/**
 * @ingroup iwarp-tcp
 * @brief Give a congestion control the attributes of the one it is a copy of, where they differ:
 * ns-3's copies leave some to chance (TcpFriendliness of TcpCubic up to 3.48, BetaLoss and BetaEcn
 * of TcpNewReno in 3.48).
 * @param from the original
 * @param to the copy
 */
void TcpCopyCongestionSettings(const TcpCongestionOps& from, TcpCongestionOps& to);

} // namespace ns3

#endif // TCP_CONGESTION_SETTINGS_H
