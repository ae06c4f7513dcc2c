/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef IWARP_CHILD_PROCESS_H
#define IWARP_CHILD_PROCESS_H

#include <functional>
#include <string>

namespace ns3
{
namespace iwarp
{

/**
 * @ingroup iwarp-helper
 * @brief Do something in a process of its own, so that what ends that does not end this one.
 *
 * It goes on from the state of this process, and what it changes there is lost. What it writes to
 * standard error is passed on. It dies with this process where that is Linux; on a platform without
 * fork() all happens in this process.
 * @param work what to do; returns its result as text
 * @param [out] problem "", or why there is no result: an exception, a signal and what ns-3 said
 *        last, in one line
 * @return what work returned
 */
std::string RunInChild(const std::function<std::string()>& work, std::string& problem);

} // namespace iwarp
} // namespace ns3

#endif // IWARP_CHILD_PROCESS_H
