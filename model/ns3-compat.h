/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef NS3_COMPAT_H
#define NS3_COMPAT_H

#include <type_traits>

/**
 * @file
 * @ingroup iwarp
 * What differs between the releases of ns-3 that the module supports, 3.35 to 3.48, and nothing
 * else. No release tells its version to the preprocessor, so each difference is found by what the
 * classes themselves offer.
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

} // namespace iwarp
} // namespace ns3

// The second argument of AddTestCase. A suite's type needs no such name: TestSuite::Type::UNIT
// compiles in all releases.
#define IWARP_TEST_QUICK ns3::iwarp::TestDurations<ns3::TestCase>::QUICK
#define IWARP_TEST_EXTENSIVE ns3::iwarp::TestDurations<ns3::TestCase>::EXTENSIVE
#define IWARP_TEST_TAKES_FOREVER ns3::iwarp::TestDurations<ns3::TestCase>::TAKES_FOREVER

#endif // NS3_COMPAT_H
