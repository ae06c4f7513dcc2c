/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef IWARP_TEST_H
#define IWARP_TEST_H

#include "ns3/ns3-compat.h"
#include "ns3/test.h"

#include <cstdlib>
#include <iostream>
#include <set>
#include <string>
#include <tuple>

/**
 * @file
 * @ingroup iwarp-test
 * Suites and cases of the module's tests, and the record of the requirements that they check.
 *
 * A file of tests declares its suite, and then its cases, which run in the order in which they
 * stand:
 *
 *     IWARP_TEST_SUITE(mpaMarker, "mpa-marker");
 *
 *     IWARP_TEST(mpaMarker, "positions of Markers")
 *     {
 *         NS_TEST_EXPECT_MSG_EQ(MpaMarker::At(512), true, "each 512 octets");
 *         IWARP_COVERS("MPA-4.3-01");
 *     }
 *
 * Functions that check belong to a class derived from TestCase, which the third argument names; a
 * fourth says how long the case takes, such as IWARP_TEST_EXTENSIVE. Cases that are rows of a table
 * are objects of a class, made where IWARP_TEST_CASES says:
 *
 *     IWARP_TEST_CASES(mpaMarker)
 *     {
 *         for (const uint32_t offset : {0, 4, 508})
 *         {
 *             suite.AddTestCase(new MarkerOffsetTest(offset));
 *         }
 *     }
 *
 * The first argument is the suite's name as one word: it has to be unique among all suites.
 */

/// The title of the case that checks, where a function of no case does: elsewhere
/// TestCase::GetName() hides this. @return no title
inline std::string
GetName()
{
    return {};
}

namespace ns3
{
namespace iwarp
{

/// A suite that is given its cases from outside, before main() begins.
class ModuleTestSuite : public TestSuite
{
  public:
    using TestCase::AddTestCase;
    using TestSuite::TestSuite;
};

/// Gives a suite its cases while static objects are made.
struct TestCaseAdder
{
    /// @param suite where to @param testCase case, which the suite owns then @param duration of it
    template <typename T>
    TestCaseAdder(ModuleTestSuite& suite, TestCase* testCase, T duration)
    {
        suite.AddTestCase(testCase, duration);
    }

    /// @param suite where to @param add adds its cases
    TestCaseAdder(ModuleTestSuite& suite, void (*add)(ModuleTestSuite&))
    {
        add(suite);
    }
};

/**
 * Prints that a check of the given requirements ran, once for each place and ids, if the
 * environment has IWARP_RECORD_REQUIREMENTS. `./iwarp test` collects the record of the suites that
 * passed, `./iwarp conformance` shows it.
 * @param ids the requirements, separated by blanks, such as "MPA-4.2-06 MPA-4.3-04"
 * @param file the source file of the check
 * @param line its line
 * @param title the case that checks, if a case does
 * @param function the function that does otherwise
 */
inline void
RecordRequirements(const char* ids,
                   const char* file,
                   int line,
                   const std::string& title,
                   const char* function)
{
    static const bool on = std::getenv("IWARP_RECORD_REQUIREMENTS") != nullptr;
    static std::set<std::tuple<std::string, int, std::string>> seen;
    if (on && seen.emplace(file, line, ids).second)
    {
        std::cout << "\nCOVERS " << ids << " | " << file << ":" << line << " | "
                  << (title.empty() ? function : title) << std::endl;
    }
}

} // namespace iwarp
} // namespace ns3

/// Declares a suite. @param suite its name as one word @param ... its name as the test runner has
/// it, and its type if it is no unit test
#define IWARP_TEST_SUITE(suite, ...)                                                               \
    static ns3::iwarp::ModuleTestSuite g_##suite##TestSuite(__VA_ARGS__)

/// Begins a case, whose body follows. @param ... suite, title, class to derive it from (TestCase)
/// and duration (IWARP_TEST_QUICK)
#define IWARP_TEST(...)                                                                            \
    IWARP_TEST_CHOOSE(__VA_ARGS__, IWARP_TEST_OF_4, IWARP_TEST_OF_3, IWARP_TEST_OF_2, )            \
    (__LINE__, __VA_ARGS__)

/// Begins a function that adds cases to \p name, which is named `suite` in the body that follows.
#define IWARP_TEST_CASES(name) IWARP_TEST_CASES_AT(__LINE__, name)

/**
 * Says that the assertion right before it checks the requirements \p ids (separated by blanks). The
 * record counts only where this was reached and the whole suite passed.
 */
#define IWARP_COVERS(ids)                                                                          \
    ::ns3::iwarp::RecordRequirements(ids, __FILE__, __LINE__, GetName(), __func__)

// What the macros above are made of

#define IWARP_TEST_CHOOSE(suite, title, fixture, duration, macro, ...) macro
#define IWARP_TEST_OF_2(line, suite, title)                                                        \
    IWARP_TEST_OF_4(line, suite, title, ns3::TestCase, IWARP_TEST_QUICK)
#define IWARP_TEST_OF_3(line, suite, title, fixture)                                               \
    IWARP_TEST_OF_4(line, suite, title, fixture, IWARP_TEST_QUICK)
#define IWARP_TEST_OF_4(line, suite, title, fixture, duration)                                     \
    IWARP_TEST_AT(line, suite, title, fixture, duration)
#define IWARP_TEST_AT(line, suite, title, fixture, duration)                                       \
    class suite##Case##line : public fixture                                                       \
    {                                                                                              \
      public:                                                                                      \
        suite##Case##line()                                                                        \
            : fixture(title)                                                                       \
        {                                                                                          \
        }                                                                                          \
                                                                                                   \
      private:                                                                                     \
        void DoRun() override;                                                                     \
    };                                                                                             \
    static const ns3::iwarp::TestCaseAdder suite##Case##line##Adder(g_##suite##TestSuite,          \
                                                                    new suite##Case##line,         \
                                                                    duration);                     \
    void suite##Case##line::DoRun()
#define IWARP_TEST_CASES_AT(line, name) IWARP_TEST_CASES_OF(line, name)
#define IWARP_TEST_CASES_OF(line, name)                                                            \
    static void name##Cases##line(ns3::iwarp::ModuleTestSuite& suite);                             \
    static const ns3::iwarp::TestCaseAdder name##Cases##line##Adder(g_##name##TestSuite,           \
                                                                    name##Cases##line);            \
    static void name##Cases##line(ns3::iwarp::ModuleTestSuite& suite)

#endif // IWARP_TEST_H
