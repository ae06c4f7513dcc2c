/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "tcp-socket-settings.h"

#include "ns3/abort.h"

namespace ns3
{
namespace iwarp
{

void
SocketSettings::Set(const std::string& name, const AttributeValue& value)
{
    m_settings.emplace_back(name, value.Copy());
}

void
SocketSettings::Apply(const Ptr<Socket>& socket) const
{
    for (const auto& [name, value] : m_settings)
    {
        NS_ABORT_MSG_UNLESS(socket->SetAttributeFailSafe(name, *value),
                            socket->GetInstanceTypeId().GetName()
                                << " has no attribute " << name << " that takes this value");
    }
}

} // namespace iwarp
} // namespace ns3
