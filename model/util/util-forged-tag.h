/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef UTIL_FORGED_TAG_H
#define UTIL_FORGED_TAG_H

#include "ns3/tag.h"

#include <ostream>

namespace ns3
{

/**
 * @ingroup iwarp-util
 * @brief Says of a packet that somebody on the path has made it up, so that who watches nodes can
 * tell it from what they have sent.
 */
class ForgedTag : public Tag
{
  public:
    /// Get the type ID. @return the object TypeId
    static TypeId GetTypeId()
    {
        static TypeId tid = TypeId("ns3::ForgedTag")
                                .SetParent<Tag>()
                                .SetGroupName("Iwarp")
                                .AddConstructor<ForgedTag>();
        return tid;
    }

    TypeId GetInstanceTypeId() const override
    {
        return GetTypeId();
    }

    uint32_t GetSerializedSize() const override
    {
        return 0;
    }

    void Serialize(TagBuffer /* buffer */) const override
    {
    }

    void Deserialize(TagBuffer /* buffer */) override
    {
    }

    void Print(std::ostream& os) const override
    {
        os << "forged";
    }
};

} // namespace ns3

#endif // UTIL_FORGED_TAG_H
