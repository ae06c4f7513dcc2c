/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef NS3_COMPAT_H
#define NS3_COMPAT_H

#include "ns3/attribute-helper.h"
#include "ns3/callback.h"
#include "ns3/enum.h"
#include "ns3/object.h"
#include "ns3/tcp-recovery-ops.h"

#include <cstdint>
#include <type_traits>
#include <utility>

#ifdef IWARP_NS3_BEFORE_3_36
#include "ns3/event-impl.h"
#endif

/**
 * @file
 * @ingroup iwarp
 * What differs between the releases of ns-3 that the module supports, 3.35 to 3.48, and nothing
 * else. No release tells its version to the preprocessor, so each difference is found by what the
 * classes themselves offer; waf's wscript, which is there for 3.35 alone, says so itself.
 */

namespace ns3
{
namespace iwarp
{

/// Durations of a test case as ns-3 before 3.42 names them.
template <typename T, typename = void>
struct TestDurations
{
    static constexpr auto QUICK = T::QUICK;                 //!< runs always
    static constexpr auto EXTENSIVE = T::EXTENSIVE;         //!< runs nightly
    static constexpr auto TAKES_FOREVER = T::TAKES_FOREVER; //!< runs nightly, and takes long
};

/// Durations of a test case since ns-3.42.
template <typename T>
struct TestDurations<T, std::void_t<typename T::Duration>>
{
    static constexpr auto QUICK = T::Duration::QUICK;                 //!< runs always
    static constexpr auto EXTENSIVE = T::Duration::EXTENSIVE;         //!< runs nightly
    static constexpr auto TAKES_FOREVER = T::Duration::TAKES_FOREVER; //!< runs nightly, takes long
};

/**
 * @brief ns-3's TCP is that of 3.43 or later, told by the third argument of DoRecovery().
 *
 * Before, TcpTxBuffer takes parts of segments for lost (ns-3 #990, #805) and then sends them apart
 * from their rest, and BBR's delivery rate is wrong behind a loss (#1026, #580, #1043), so that it
 * hardly recovers.
 */
constexpr bool TCP_SINCE_3_43 =
    std::is_same_v<decltype(&TcpRecoveryOps::DoRecovery),
                   void (TcpRecoveryOps::*)(Ptr<TcpSocketState>, uint32_t, bool)>;

/// Octets by which a datagram may exceed an MTU before IPv6 notices: 3.35 compares the payload with
/// the MTU and 40 octets more.
#ifdef IWARP_NS3_BEFORE_3_36
constexpr uint32_t IPV6_MTU_EXCESS = 80;
#else
constexpr uint32_t IPV6_MTU_EXCESS = 0;
#endif

/// Kind of value an attribute of an enumeration takes: EnumValue<E> since 3.41, EnumValue before.
template <typename E, typename = void>
struct EnumTraits
{
    using Stored = int; //!< what EnumValue holds
};

/// Since 3.41
template <typename E>
struct EnumTraits<E, std::void_t<decltype(EnumValue(std::declval<E>()).Get() == std::declval<E>())>>
{
    using Stored = E; //!< what EnumValue holds
};

/// An argument for EnumChecker: enumerators as EnumValue stores them. @param v argument @return the
/// same
template <typename T>
auto
ToEnumStored(T v)
{
    if constexpr (std::is_enum_v<T>)
    {
        return static_cast<typename EnumTraits<T>::Stored>(v);
    }
    else
    {
        return v;
    }
}

/// @param v enumerator @return it as an attribute's value
template <typename E>
auto
MakeEnumValue(E v)
{
    return EnumValue(ToEnumStored(v));
}

/// Reads and writes a member of an enumeration type.
template <typename C, typename E>
class EnumAccessor : public AttributeAccessor
{
  public:
    /// @param member the member
    explicit EnumAccessor(E C::*member)
        : m_member(member)
    {
    }

    bool Set(ObjectBase* object, const AttributeValue& value) const override
    {
        auto c = dynamic_cast<C*>(object);
        auto v = dynamic_cast<const Value*>(&value);
        if (c && v)
        {
            c->*m_member = static_cast<E>(v->Get());
        }
        return c && v;
    }

    bool Get(const ObjectBase* object, AttributeValue& attribute) const override
    {
        auto c = dynamic_cast<const C*>(object);
        auto v = dynamic_cast<Value*>(&attribute);
        if (c && v)
        {
            v->Set(ToEnumStored(c->*m_member));
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
    using Value = decltype(MakeEnumValue(std::declval<E>())); //!< the attribute's value
    E C::*m_member;                                           //!< the member
};

/// @param member member of an enumeration type @return its accessor
template <typename C, typename E>
Ptr<const AttributeAccessor>
MakeEnumAccessor(E C::*member)
{
    return Create<EnumAccessor<C, E>>(member);
}

/// @param args enumerators, each followed by its name @return their checker
template <typename... Ts>
Ptr<const AttributeChecker>
MakeEnumChecker(Ts... args)
{
    return ns3::MakeEnumChecker(ToEnumStored(args)...);
}

/// Have a congestion control find another object with the samples of a connection's delivery rate:
/// since 3.46 it may use them itself. @param control congestion control @param rate the object
template <typename C, typename R>
auto
SetRateOps(C& control, R& rate) -> decltype(control.SetRateOps(rate))
{
    control.SetRateOps(rate);
}

/// Before, it does not.
template <typename... Ts>
void
SetRateOps(Ts&&... /* none */)
{
}

/**
 * Base class of a class Self derived from Base where Base overrides GetInstanceTypeId(), as
 * TcpSocketBase does before ns-3.48: Self has to do so too.
 */
template <typename Self,
          typename Base,
          bool = std::is_same_v<decltype(&Base::GetInstanceTypeId), TypeId (Object::*)() const>>
class WithInstanceTypeId : public Base
{
  public:
    TypeId GetInstanceTypeId() const override
    {
        return Self::GetTypeId();
    }
};

/// Since 3.48 Object knows the TypeId of each instance by itself.
template <typename Self, typename Base>
class WithInstanceTypeId<Self, Base, true> : public Base
{
};

/// Types of the callbacks that RouteInput() of a routing protocol takes: constant references since
/// 3.39, values before.
template <typename F>
struct RouteInputCallbacks;

/// What the types are taken from: RouteInput() itself.
template <typename C,
          typename Packet,
          typename Header,
          typename Device,
          typename U,
          typename M,
          typename L,
          typename E>
struct RouteInputCallbacks<bool (C::*)(Packet, Header, Device, U, M, L, E)>
{
    using Unicast = U;   //!< forwards a packet
    using Multicast = M; //!< forwards a multicast packet
    using Local = L;     //!< delivers a packet
    using Error = E;     //!< tells of an error
};

/// A function object that can be compared, as callbacks want it before 3.37.
template <typename F>
struct ComparableFunction
{
    /// @param args arguments @return what the function returns
    template <typename... Ts>
    auto operator()(Ts... args) const
    {
        return function(args...);
    }

    /// @param other another @return true unless it is the same object
    bool operator!=(const ComparableFunction& other) const
    {
        return this != &other;
    }

    F function; //!< the function
};

/**
 * @brief A lambda as a callback.
 * @tparam C type of callback
 * @param f lambda, or another function object
 * @return the callback
 */
template <typename C, typename F>
C
MakeLambdaCallback(F f)
{
    if constexpr (std::is_constructible_v<C, F>)
    {
        return C(f);
    }
    else
    {
        return C(ComparableFunction<F>{f}, true, true);
    }
}

} // namespace iwarp

#ifdef IWARP_NS3_BEFORE_3_36
/**
 * @brief An event that calls a lambda, which ns-3 has since 3.36. The build with waf includes this
 * header first, so that Simulator::Schedule() finds the function.
 * @param function lambda, or another function object
 * @return the event
 */
template <typename T, std::enable_if_t<std::is_class_v<T>, int> = 0>
EventImpl*
MakeEvent(T function)
{
    /// Calls its copy of the function.
    class LambdaEvent : public EventImpl
    {
      public:
        explicit LambdaEvent(T function)
            : m_function(function)
        {
        }

      private:
        void Notify() override
        {
            m_function();
        }

        T m_function; //!< what to call
    };

    return new LambdaEvent(function);
}
#endif

} // namespace ns3

// The second argument of AddTestCase. A suite's type needs no such name: TestSuite::Type::UNIT
// compiles in all releases.
#define IWARP_TEST_QUICK ns3::iwarp::TestDurations<ns3::TestCase>::QUICK
#define IWARP_TEST_EXTENSIVE ns3::iwarp::TestDurations<ns3::TestCase>::EXTENSIVE
#define IWARP_TEST_TAKES_FOREVER ns3::iwarp::TestDurations<ns3::TestCase>::TAKES_FOREVER

#endif // NS3_COMPAT_H
