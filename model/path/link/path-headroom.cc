/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "path-headroom.h"

#include <cmath>

namespace ns3
{

uint64_t
GetPauseHeadroom(const DataRate& rate, Time delay, uint32_t mtu, PathFraming framing, Time response)
{
    const uint64_t second = Seconds(1).GetTimeStep();
    const uint64_t bits = rate.GetBitRate();
    const int64_t slack = 8 * second % bits == 0 ? 0 : 3;
    const long double steps = (2 * delay + response).GetTimeStep() + slack;
    const auto flight =
        static_cast<uint64_t>(std::ceil(steps * bits / (8 * static_cast<long double>(second))));
    const uint64_t wire = framing::GetWireOctets(framing, mtu);
    const uint64_t gap = wire - framing::GetSentOctets(framing, mtu);
    const uint64_t wait = framing::GetWireOctets(PathFraming::ETHERNET, mtu);
    const uint64_t pause = framing::GetSentOctets(PathFraming::ETHERNET, 0);
    const uint64_t window = wait + pause + flight + 2 * wire - gap - 1;
    const uint64_t left = window % wire;
    const uint64_t headers = wire - mtu;
    return mtu + window / wire * mtu + (left > headers ? left - headers : 0);
}

} // namespace ns3
