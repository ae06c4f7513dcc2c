/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "iwarp-scoped-settings.h"

#include "ns3/abort.h"
#include "ns3/global-value.h"
#include "ns3/rng-seed-manager.h"
#include "ns3/string.h"
#include "ns3/util-attribute-text.h"

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
        i->type.SetAttributeInitialValue(i->index, i->info.initialValue);
    }
    for (auto i = m_globals.rbegin(); i != m_globals.rend(); ++i)
    {
        GlobalValue::BindFailSafe(i->first, *i->second);
    }
    RngSeedManager::SetSeed(m_seed);
    RngSeedManager::SetRun(m_run);
}

void
ScopedSettings::SetDefault(const QualifiedAttribute& attribute, const AttributeValue& value)
{
    const auto& [type, index, info] = attribute;
    const bool isShared = GetKind(info.checker) == "ns3::PointerValue"; // but as text it is not
    const Ptr<AttributeValue> valid = info.checker->CreateValidValue(value);
    NS_ABORT_MSG_UNLESS(valid, "no such default can be set for " << attribute.GetName());
    m_defaults.push_back(attribute);
    TypeId(type).SetAttributeInitialValue(index, isShared ? value.Copy() : valid);
}

void
ScopedSettings::SetDefault(const std::string& attribute, const AttributeValue& value)
{
    QualifiedAttribute found;
    const std::string problem = FindAttribute(attribute, found);
    NS_ABORT_MSG_UNLESS(problem.empty(), problem);
    SetDefault(found, value);
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
