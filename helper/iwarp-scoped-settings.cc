/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "iwarp-scoped-settings.h"

#include "ns3/abort.h"
#include "ns3/config.h"
#include "ns3/global-value.h"
#include "ns3/rng-seed-manager.h"
#include "ns3/string.h"
#include "ns3/type-id.h"

namespace ns3
{
namespace iwarp
{

ScopedSettings::ScopedSettings()
    : m_seed(RngSeedManager::GetSeed()),
      m_run(RngSeedManager::GetRun())
{
}

ScopedSettings::~ScopedSettings()
{
    for (auto i = m_defaults.rbegin(); i != m_defaults.rend(); ++i)
    {
        Config::SetDefaultFailSafe(i->first, *i->second);
    }
    for (auto i = m_globals.rbegin(); i != m_globals.rend(); ++i)
    {
        GlobalValue::BindFailSafe(i->first, *i->second);
    }
    RngSeedManager::SetSeed(m_seed);
    RngSeedManager::SetRun(m_run);
}

void
ScopedSettings::SetDefault(const std::string& type,
                           const std::string& attribute,
                           const AttributeValue& value)
{
    TypeId::AttributeInformation info;
    const std::string name = type + "::" + attribute;
    NS_ABORT_MSG_UNLESS(TypeId::LookupByName(type).LookupAttributeByName(attribute, &info) &&
                            Config::SetDefaultFailSafe(name, value),
                        "no default can be set for " << name);
    m_defaults.emplace_back(name, info.initialValue);
}

void
ScopedSettings::SetGlobal(const std::string& name, const AttributeValue& value)
{
    StringValue former;
    NS_ABORT_MSG_UNLESS(GlobalValue::GetValueByNameFailSafe(name, former), "no global " << name);
    m_globals.emplace_back(name, former.Copy());
    GlobalValue::Bind(name, value);
}

void
ScopedSettings::SetRandom(uint32_t seed, uint64_t run)
{
    RngSeedManager::SetSeed(seed);
    RngSeedManager::SetRun(run);
}

} // namespace iwarp
} // namespace ns3
