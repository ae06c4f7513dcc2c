/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "mpa-receiver-arrival.h"

namespace ns3
{

std::vector<std::unique_ptr<MpaReceiver::Scratch>>&
MpaReceiver::Scratch::GetSpare()
{
    static thread_local std::vector<std::unique_ptr<Scratch>> spare;
    return spare;
}

MpaReceiver::Scratch*
MpaReceiver::Scratch::Take()
{
    auto& spare = GetSpare();
    if (spare.empty())
    {
        return new Scratch;
    }
    Scratch* scratch = spare.back().release();
    spare.pop_back();
    return scratch;
}

void
MpaReceiver::Scratch::Give(Scratch* scratch)
{
    if (scratch)
    {
        GetSpare().emplace_back(scratch);
    }
}

} // namespace ns3
