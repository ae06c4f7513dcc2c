/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "tcp-congestion-settings.h"

#include "ns3/attribute.h"
#include "ns3/tcp-congestion-ops.h"

#include <cstddef>

namespace ns3
{

void
TcpCopyCongestionSettings(const TcpCongestionOps& from, TcpCongestionOps& to)
{
    // up to 3.37 the parent of TcpCubic is said to be TcpSocketBase, whose accessors fail on it
    for (TypeId type = from.GetInstanceTypeId(); type.HasParent(); type = type.GetParent())
    {
        for (std::size_t i = 0; i < type.GetAttributeN(); ++i)
        {
            const auto info = type.GetAttribute(i);
            if (!info.accessor->HasSetter())
            {
                continue;
            }
            const Ptr<AttributeValue> value = info.checker->Create();
            if (info.accessor->Get(&from, *value))
            {
                info.accessor->Set(&to, *value);
            }
        }
    }
}

} // namespace ns3
