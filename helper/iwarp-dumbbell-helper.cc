/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "iwarp-dumbbell-helper.h"

namespace ns3
{

IwarpDumbbellHelper::IwarpDumbbellHelper(uint32_t pairs,
                                         const Link& bottleneck,
                                         const Link& access,
                                         bool ipv6)
    : IwarpNetwork(ipv6)
{
    const uint32_t left = AddRouter();
    const uint32_t right = AddRouter();
    AddLink(left, right, bottleneck);
    for (uint32_t i = 0; i < pairs; i++)
    {
        AddHost(left, access);
        AddHost(right, access);
    }
    InstallRoutes();
}

uint32_t
IwarpDumbbellHelper::GetLeft(uint32_t pair) const
{
    return 2 * pair;
}

uint32_t
IwarpDumbbellHelper::GetRight(uint32_t pair) const
{
    return 2 * pair + 1;
}

} // namespace ns3
