/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "decode-framer.h"

#include <map>
#include <utility>

namespace ns3
{

namespace
{

/// @return what is registered, in the order in which it was
std::map<uint64_t, DecodeFramer::Factory>&
GetFactories()
{
    static std::map<uint64_t, DecodeFramer::Factory> factories;
    return factories;
}

} // namespace

DecodeFramer::Registration::Registration(Factory factory)
{
    auto& factories = GetFactories();
    m_number = factories.empty() ? 0 : factories.rbegin()->first + 1;
    factories[m_number] = std::move(factory);
}

DecodeFramer::Registration::~Registration()
{
    GetFactories().erase(m_number);
}

std::unique_ptr<DecodeFramer>
DecodeFramer::Find(const uint8_t* octets, uint32_t size)
{
    for (const auto& [number, factory] : GetFactories())
    {
        auto framer = factory();
        if (framer->IsBeginning(octets, size))
        {
            return framer;
        }
    }
    return nullptr;
}

} // namespace ns3
