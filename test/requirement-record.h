/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef REQUIREMENT_RECORD_H
#define REQUIREMENT_RECORD_H

/**
 * \file
 * Records which requirements of doc/requirements an assertion covers, where that assertion ran.
 * `./iwarp test` collects the record of the suites that passed, `./iwarp conformance` shows it.
 */

#include <cstdlib>
#include <iostream>
#include <set>
#include <string>
#include <tuple>

namespace ns3
{

/**
 * Prints that a check of the given requirements ran, once for each place and ids, if the environment has
 * IWARP_RECORD_REQUIREMENTS.
 * \param ids the requirements, separated by blanks, such as "MPA-4.2-06 MPA-4.3-04"
 * \param file the source file of the check
 * \param line its line
 * \param function the function that checks, as the compiler names it: it holds the test case's
 * class
 */
inline void
RecordRequirements(const char* ids, const char* file, int line, const char* function)
{
    static const bool on = std::getenv("IWARP_RECORD_REQUIREMENTS") != nullptr;
    static std::set<std::tuple<std::string, int, std::string>> seen;
    if (on && seen.emplace(file, line, ids).second)
    {
        std::cout << "\nCOVERS " << ids << " | " << file << ":" << line << " | " << function
                  << std::endl;
    }
}

} // namespace ns3

/**
 * Says that the assertion right before it checks the requirements \p ids (separated by blanks). The
 * record counts only where this was reached and the whole suite passed.
 */
#define IWARP_COVERS(ids) ::ns3::RecordRequirements(ids, __FILE__, __LINE__, __PRETTY_FUNCTION__)

#endif // REQUIREMENT_RECORD_H
