/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef UTIL_DATA_FILE_H
#define UTIL_DATA_FILE_H

#include <string>
#include <vector>

namespace ns3
{
namespace iwarp
{

/**
 * @brief Find a data file of the module, such as "abilene-nodes.csv".
 *
 * Tried in this order: the name as a path; the directory that the environment variable IWARP_DATA
 * names; data/, share/iwarp/data/ and contrib/iwarp/data/ beside the library's directory and its
 * parents (an installation, a Python package, a build in or beside the source tree); the source
 * tree that the library was compiled from.
 *
 * @param name name of the file; one without a dot stands for NAME.csv too
 * @return a path that can be read, or "" if there is none
 */
std::string FindDataFile(const std::string& name);

/**
 * @brief List the distributions that come with the module.
 * @return the names of the .csv files in the first data directory found, without ".csv", in order;
 *         for messages and help texts
 */
std::vector<std::string> ListDataFiles();

} // namespace iwarp
} // namespace ns3

#endif // UTIL_DATA_FILE_H
