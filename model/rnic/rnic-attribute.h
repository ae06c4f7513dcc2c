/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RNIC_ATTRIBUTE_H
#define RNIC_ATTRIBUTE_H

#include "rnic-time.h"

#include "ns3/attribute.h"
#include "ns3/data-rate.h"
#include "ns3/nstime.h"
#include "ns3/object-base.h"

#include <cstdint>

/**
 * @file
 * @ingroup iwarp-rnic
 * Attributes of type Time and DataRate whose members are what the pipelines count in: picoseconds
 * and bit/s.
 */

namespace ns3
{
namespace rnic
{

/// Convert an attribute's time to what the pipelines count in.
/// @param value of an attribute @param[out] time the same in picoseconds
inline void
FromValue(const TimeValue& value, RnicTime& time)
{
    time = ToRnicTime(value.Get());
}

/// Convert an attribute's rate to what the pipelines count in.
/// @param value of an attribute @param[out] bitRate the same in bit/s
inline void
FromValue(const DataRateValue& value, uint64_t& bitRate)
{
    bitRate = value.Get().GetBitRate();
}

/// Convert a time of the pipelines to an attribute's value.
/// @param time ps @param[out] value of an attribute
inline void
ToValue(RnicTime time, TimeValue& value)
{
    value.Set(FromRnicTime(time));
}

/// Convert a rate of the pipelines to an attribute's value.
/// @param bitRate bit/s @param[out] value of an attribute
inline void
ToValue(uint64_t bitRate, DataRateValue& value)
{
    value.Set(DataRate(bitRate));
}

/// Reads and writes a member of type M of a class C through attribute values of type V.
template <typename V, typename C, typename M>
class MemberAccessor : public AttributeAccessor
{
  public:
    /// Make an accessor of one member. @param member what attribute values are read from and put in
    explicit MemberAccessor(M C::*member)
        : m_member(member)
    {
    }

    bool Set(ObjectBase* object, const AttributeValue& value) const override
    {
        auto c = dynamic_cast<C*>(object);
        auto v = dynamic_cast<const V*>(&value);
        if (c && v)
        {
            FromValue(*v, c->*m_member);
        }
        return c && v;
    }

    bool Get(const ObjectBase* object, AttributeValue& attribute) const override
    {
        auto c = dynamic_cast<const C*>(object);
        auto v = dynamic_cast<V*>(&attribute);
        if (c && v)
        {
            ToValue(c->*m_member, *v);
        }
        return c && v;
    }

    bool HasGetter() const override
    {
        return true;
    }

    bool HasSetter() const override
    {
        return true;
    }

  private:
    M C::*m_member; //!< the member
};

/// Let an attribute of type Time set and get a member that counts picoseconds.
/// @tparam C class of the member @param member picoseconds @return accessor of the attribute
template <typename C>
Ptr<const AttributeAccessor>
MakeTimeAccessor(RnicTime C::*member)
{
    return Create<MemberAccessor<TimeValue, C, RnicTime>>(member);
}

/// Let an attribute of type DataRate set and get a member that counts bit/s.
/// @tparam C class of the member @param member bit/s @return accessor of the attribute
template <typename C>
Ptr<const AttributeAccessor>
MakeRateAccessor(uint64_t C::*member)
{
    return Create<MemberAccessor<DataRateValue, C, uint64_t>>(member);
}

/// Bound the times that attributes of an RNIC may take. @return a checker for 0 to 1 s
inline Ptr<const AttributeChecker>
MakeTimeChecker()
{
    return ns3::MakeTimeChecker(Time(0), Seconds(1));
}

} // namespace rnic
} // namespace ns3

#endif // RNIC_ATTRIBUTE_H
