/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "iwarp-collector.h"

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
