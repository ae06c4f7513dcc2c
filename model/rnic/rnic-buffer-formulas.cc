/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rnic-buffer-formulas.h"

namespace ns3
{
namespace rnic
{

double
BufferSizeTcp(DataRate rate, Time delay, double k)
{
    return k * (static_cast<double>(rate.GetBitRate()) / 8) * delay.GetSeconds();
}

double
BufferSizeNaf(uint32_t emss, uint64_t connections, double k1, double k2)
{
    return k1 * emss * static_cast<double>(connections) + BufferSizeAf(emss, k2);
}

double
BufferSizeAf(uint32_t emss, double k2)
{
    return k2 * emss;
}

} // namespace rnic
} // namespace ns3
