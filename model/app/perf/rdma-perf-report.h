/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_PERF_REPORT_H
#define RDMA_PERF_REPORT_H

#include "rdma-perf-test.h"

#include "ns3/app-metric.h"
#include "ns3/data-rate.h"
#include "ns3/nstime.h"

#include <cstdint>
#include <ostream>
#include <vector>

namespace ns3
{

/// @ingroup iwarp-app
/// @brief Rates of messages with known times.
struct RdmaPerfRates
{
    double average{0}; //!< messages/s
    double peak{0};    //!< messages/s
};

/// @ingroup iwarp-app
/// @brief When the messages of one direction of a bandwidth test were posted and ended, ascending.
struct RdmaPerfTimes
{
    std::vector<Time> posted; //!< when messages were posted
    std::vector<Time> ended;  //!< when they ended
};

/**
 * @ingroup iwarp-app
 * @brief What a test of the perftest suite has measured: its columns, with units.
 */
struct RdmaPerfReport
{
    RdmaPerfTest test{RdmaPerfTest::SEND_BW}; //!< test
    uint32_t queuePairs{1};                   //!< queue pairs
    bool bidirectional{false};                //!< both directions, added
    uint32_t size{0};                         //!< octets of a message
    uint64_t iterations{0};                   //!< messages measured, of one direction

    // bandwidth, of payload
    DataRate bwPeak{0};    //!< highest between the posting of any message and the end of a later
    DataRate bwAverage{0}; //!< from the posting of the first to the end of the last
    double msgRate{0};     //!< average, messages/s

    // latency
    Time tMin;     //!< least
    Time tMax;     //!< most
    Time tTypical; //!< median
    Time tAvg;     //!< mean
    Time tStdev;   //!< standard deviation
    Time t99;      //!< 99th percentile
    Time t999;     //!< 99.9th percentile

    // what the rates of several tests that run at the same time are found from
    uint64_t warmUp{0};               //!< messages of a direction at the start that do not count
    std::vector<RdmaPerfTimes> times; //!< all messages of a bandwidth test, by direction

    /**
     * @brief Make one report of bandwidth tests that ran at the same time, with messages of one
     * size.
     *
     * Rates are those of all together while all of them ran: after the last had warmed up and
     * before the first ended (iwarp::CommonWindow).
     * @param reports of one or more tests
     * @return report; without iterations if that time is empty or too short for a rate
     */
    static RdmaPerfReport Merge(const std::vector<RdmaPerfReport>& reports);

    /// Set the rates of bandwidth. @param rates of each direction, which are added
    void SetRates(const std::vector<RdmaPerfRates>& rates);

    void Print(std::ostream& os) const; //!< Write a table of one row. @param os where to

    /**
     * @brief Write the table that perftest writes: a heading, and a row for each report.
     * @param os where to
     * @param reports of one test, with one or more sizes
     */
    static void PrintTable(std::ostream& os, const std::vector<RdmaPerfReport>& reports);

    /// Get the columns that the test has, as numbers with units. @return name, value, unit, help
    std::vector<AppMetric> GetMetrics() const;

  private:
    void PrintHeading(std::ostream& os) const; //!< @param os where to
    void PrintRow(std::ostream& os) const;     //!< @param os where to
};

/// Write perftest's table. @param os where to @param report a report @return os
std::ostream& operator<<(std::ostream& os, const RdmaPerfReport& report);

/**
 * @ingroup iwarp-app
 * @brief Average and peak rate of messages.
 *
 * The average runs from the first posting to the last end; with a warm-up from its last end. The
 * peak is the largest of (j - i + 1) / (end of j - posting of i) over all i not behind j.
 *
 * @param posted when messages were posted, ascending
 * @param ended when they ended, ascending, at most as many
 * @param warmUp messages at the start that do not count
 * @param peak find the peak
 * @return rates; 0 where nothing is left to measure
 */
RdmaPerfRates RdmaPerfMeasure(const std::vector<Time>& posted,
                              const std::vector<Time>& ended,
                              uint64_t warmUp,
                              bool peak);

} // namespace ns3

#endif // RDMA_PERF_REPORT_H
