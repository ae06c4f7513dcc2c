/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef PATH_HEADROOM_H
#define PATH_HEADROOM_H

#include "path-framing.h"

#include "ns3/data-rate.h"
#include "ns3/nstime.h"

#include <cstdint>

namespace ns3
{

/**
 * @ingroup iwarp-path
 * @brief Tell how much comes in at a port of a PathPause after it has begun to ask for a pause: the
 * headroom with which nothing is lost.
 *
 * It is the sum from which headroom is reckoned after IEEE 802.1Qbb: a frame of full size that the
 * pause frame waits for, the pause frame, the cable there, the time that the other end takes to
 * respond, a frame of full size that it has begun, and the cable back. The model's devices have
 * taken one frame more, which is not stopped either; real ones have a response time of their MAC
 * in its place (of 802.3, 30,720 bit times at 10 Gbit/s at most), the parameter @p response here.
 * With rate C, delay D, response R, a full datagram of M octets and W octets of wire for it, this
 * time has room for
 *
 *     T = W + 72 + C (2 D + R) + 2 W - gap - 1
 *
 * octets of wire, 72 being pause frame and preamble; the gap behind the last frame is missing, and
 * an octet, since no frame is taken any more at the moment at which the pause begins.
 * The datagrams in T are as many full ones as fit, and one of what is left without its headers; the
 * one that found the buffer full comes on top:
 *
 *     headroom = M + M floor(T / W) + max(0, T mod W - (W - M))
 *
 * At 5 ns for each metre of cable, 100 m are a delay of 500 ns. Where a rate's octet takes no whole
 * number of steps of Time, octets of three steps are added to T, by which times are rounded.
 * @param rate of the link, the same at both ends
 * @param delay propagation delay of the link
 * @param mtu largest datagram, octets
 * @param framing of the link
 * @param response time until the other end heeds a pause frame that it has received
 * @return octets of datagrams
 */
uint64_t GetPauseHeadroom(const DataRate& rate,
                          Time delay,
                          uint32_t mtu,
                          PathFraming framing,
                          Time response = Time(0));

} // namespace ns3

#endif // PATH_HEADROOM_H
