/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef APP_MESSAGE_SIZES_H
#define APP_MESSAGE_SIZES_H

#include "ns3/nstime.h"
#include "ns3/ptr.h"
#include "ns3/random-variable-stream.h"

#include <cstdint>
#include <initializer_list>
#include <string>

namespace ns3
{
namespace iwarp
{

constexpr uint64_t MAX_MESSAGE_SIZE = 0xFFFFFFFF; //!< longest message, octets (RFC 5041 5.2)

/// What a distribution is of
enum class Measure
{
    OCTETS,  //!< with units B, kB, MB, GB, KiB, MiB, GiB
    SECONDS, //!< with units s, ms, us, ns
};

/**
 * @brief Make a distribution, of message sizes or of intervals, from its description.
 *
 * A description is one of
 * - `fixed:65536`: always that number; with a unit, such as `fixed:64KiB` or `fixed:5us`;
 * - `cdf:alistorage2019`: a file of cumulative percentages, see CdfFileRandomVariable;
 * - `ns3::ExponentialRandomVariable[Mean=8000]`: any ns-3 random variable with its attributes;
 * - `65536`: short for fixed.
 *
 * @param text description
 * @param [out] problem "", or what is wrong with the description in one line
 * @param measure what it is of
 * @return the distribution; nullptr if there is a problem
 */
Ptr<RandomVariableStream> MakeDistribution(const std::string& text,
                                           std::string& problem,
                                           Measure measure = Measure::OCTETS);

/**
 * @brief Replace a distribution by another.
 * @param [in,out] variable the distribution; unchanged if there is a problem
 * @param text description, see MakeDistribution()
 * @return "", or what is wrong with the description in one line
 */
std::string SetDistribution(Ptr<RandomVariableStream>& variable, const std::string& text);

/**
 * @brief Fix the random streams of an application's distributions.
 * @param variables distributions; one that is not set has its stream all the same, so that those
 * of the others do not depend on it
 * @param stream first stream number
 * @return number of streams used
 */
int64_t AssignStreams(std::initializer_list<Ptr<RandomVariableStream>> variables, int64_t stream);

/**
 * @brief Draw a message size: the drawn number rounded to whole octets.
 * @param sizes distribution of message sizes in octets
 * @return octets, 1 to MAX_MESSAGE_SIZE
 */
uint64_t DrawMessageSize(const Ptr<RandomVariableStream>& sizes);

/**
 * @brief Draw a time to wait.
 * @param seconds distribution of times in seconds
 * @return time; 0 for what is negative, 1e9 s at most
 */
Time DrawInterval(const Ptr<RandomVariableStream>& seconds);

/**
 * @brief Draw the time between two messages.
 * @param seconds distribution of times in seconds
 * @return time, 1 ns at least: messages without end do not stop the clock
 */
Time DrawGap(const Ptr<RandomVariableStream>& seconds);

/**
 * @brief Tell whether a distribution of times lets time go on.
 * @param seconds distribution of times in seconds
 * @return false if none of many draws is of 1 ns at least
 */
bool HasGaps(const Ptr<RandomVariableStream>& seconds);

} // namespace iwarp
} // namespace ns3

#endif // APP_MESSAGE_SIZES_H
