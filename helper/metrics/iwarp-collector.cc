/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "iwarp-collector.h"

#include "ns3/abort.h"

namespace ns3
{
namespace iwarp
{

Collector::Collector() = default;
Collector::~Collector() = default;

void
Collector::Begin()
{
    Restart();
}

void
Collector::Restart()
{
}

void
Collector::Share(RankLedger& /* ledger */)
{
    NS_ABORT_MSG("what this collector counts is not shared out to ranks");
}

void
Collector::EnablePcap(const std::string& /* prefix */) const
{
}

std::string
Collector::FindFault() const
{
    return "";
}

} // namespace iwarp
} // namespace ns3
