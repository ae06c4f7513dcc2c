/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef IWARP_MESSAGE_WINDOW_H
#define IWARP_MESSAGE_WINDOW_H

#include "iwarp-metrics.h"

#include "ns3/nstime.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{
namespace iwarp
{

/**
 * @ingroup iwarp-helper
 * @brief The messages that arrive in a window of time, followed to their ends: what is measured of
 * an open loop.
 *
 * Pure: it is told of arrivals and ends with their times. Messages that arrive before the window or
 * behind it are under way as well, and not measured. Those of the window that have not ended when
 * all is over are censored: in percentiles they count as longer than any other, so that these are
 * right, or not there.
 */
class MessageWindow
{
  public:
    static constexpr uint64_t OUTSIDE = UINT64_MAX; //!< ticket of what is not measured

    /// A message of the window
    struct Message
    {
        Time arrival;        //!< when it came
        uint64_t octets;     //!< payload
        uint32_t flow;       //!< whose it is
        bool ended{false};   //!< it has
        bool refused{false}; //!< it found no room
        Time taken;          //!< from its arrival to its end
        double slowdown{0};  //!< that over the time it takes alone
    };

    /// Say where bins of sizes end. @param edges the greatest size of each, ascending; if empty,
    /// Report() takes those with as many messages each
    void SetEdges(std::vector<uint64_t> edges);
    /// Say how many bins of sizes there are. @param bins at most; 0 for none
    void SetBins(uint32_t bins);
    /// Say what a load of 1 is. @param rate payload of all sources together, bit/s; 0 if unknown
    void SetCapacity(double rate);

    void Open(Time now);  //!< Messages that arrive from now on are measured. @param now time
    void Close(Time now); //!< No further message is measured. @param now time
    /// A message arrives. @param now time @param octets its payload @param flow whose it is
    /// @return its ticket, OUTSIDE if it is not measured
    uint64_t Arrive(Time now, uint64_t octets, uint32_t flow);
    /// A message arrives and finds no room. @param now time @param octets its payload
    /// @param flow whose it is
    void Refuse(Time now, uint64_t octets, uint32_t flow);
    /// A message ends. @param ticket of Arrive() @param now time @param alone time that it takes
    /// alone
    void End(uint64_t ticket, Time now, Time alone);

    bool IsComplete() const; //!< Tell whether all is measured. @return closed, and all have ended
    /// List what is measured. @return messages in the order of their arrivals
    const std::vector<Message>& ListMessages() const;

    /// Report, when all is over. @param metrics where to @param now time
    void Report(MetricSet& metrics, Time now) const;
    /// Tell what Report() leaves out, and what a reader has to know. @return one line each
    std::vector<std::string> ListCautions() const;

  private:
    /// Messages whose figures are reported together
    struct Group
    {
        uint64_t censored{0};         //!< messages that have not ended
        std::vector<double> taken;    //!< times, seconds; infinite for what has not ended
        std::vector<double> slowdown; //!< the same of slowdowns
    };

    void Change(Time now, int64_t by); //!< @param now time @param by messages under way
    /// @param group to which it belongs @param message of the window
    static void Add(Group& group, const Message& message);
    /// @param first ordinal of the first arrival @param behind ordinal behind the last one
    /// @return these messages, but for those that were refused
    Group Select(std::size_t first, std::size_t behind) const;
    std::vector<uint64_t> FindEdges() const; //!< @return ends of bins
    /// @return first message of the second half of the window
    std::size_t FindMiddle() const;
    void ReportCounts(MetricSet& metrics, Time now) const; //!< @param metrics where to @param now
    void ReportSizes(MetricSet& metrics) const;            //!< @param metrics where to
    void ReportHalves(MetricSet& metrics) const;           //!< @param metrics where to

    uint32_t m_bins{0};              //!< of sizes, at most
    std::vector<uint64_t> m_edges;   //!< see SetEdges()
    double m_capacity{0};            //!< see SetCapacity()
    Time m_opened{-1};               //!< when the window began
    Time m_closed{-1};               //!< when it ended
    std::vector<Message> m_messages; //!< of the window
    uint64_t m_missing{0};           //!< of these, neither ended nor refused
    Time m_last;                     //!< when the last of them ended
    int64_t m_level{0};              //!< messages under way, measured or not
    Time m_changed;                  //!< since when
    double m_area{0};                //!< that over time, in the window
};

} // namespace iwarp
} // namespace ns3

#endif // IWARP_MESSAGE_WINDOW_H
