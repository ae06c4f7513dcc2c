/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef APP_REQUEST_TOTALS_H
#define APP_REQUEST_TOTALS_H

#include "app-metric.h"

#include "ns3/nstime.h"
#include "ns3/util-sample-set.h"

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{
namespace iwarp
{

/// @ingroup iwarp-app
/// @brief What a client of storage asks for.
enum class RequestKind : uint8_t
{
    READ,  //!< octets from the server
    WRITE, //!< octets to the server
};

/**
 * @ingroup iwarp-app
 * @brief What the requests of a client of storage came to: how many, their data, their times.
 */
class RequestTotals
{
  public:
    /// Make totals without a request. @param inlined what the data of some requests are in, such as
    /// "a Send"
    explicit RequestTotals(std::string inlined);

    void Begin();   //!< A request is made: the first one counts
    void Restart(); //!< Count anew, what begins from now on: rates are over the time since
    /**
     * @brief A request is complete.
     * @param kind kind
     * @param size octets of its data
     * @param inlined they were in what the constructor says
     * @param latency time since it was made
     */
    void Complete(RequestKind kind, uint32_t size, bool inlined, Time latency);

    uint64_t GetRequests() const; //!< Count the requests completed. @return of both kinds
    /// Count the requests completed. @param kind kind @return requests
    uint64_t GetRequests(RequestKind kind) const;
    /// Count the data of these. @param kind kind @return octets
    uint64_t GetOctets(RequestKind kind) const;
    /// Get the times from requests to responses. @param kind kind @return times
    const SampleSet& GetLatencies(RequestKind kind) const;
    Time GetFirst() const; //!< Tell when the first request was made. @return time; Max of none
    Time GetLast() const;  //!< Tell when the last one was completed. @return time

    /// Get what was measured. @return requests, octets, rates, latencies of each kind
    std::vector<AppMetric> GetMetrics() const;

  private:
    /// What requests of a kind came to.
    struct Kind
    {
        uint64_t requests{0}; //!< completed
        uint64_t octets{0};   //!< of data
        uint64_t inlined{0};  //!< see Complete()
        SampleSet latencies;  //!< from request to response
    };

    std::string m_inlined;       //!< what data are in
    Time m_first{Time::Max()};   //!< when the first was made
    Time m_last;                 //!< when the last was completed
    Time m_restarted;            //!< since when requests count
    Time m_completed;            //!< when the last was completed, whether it counts or not
    std::array<Kind, 2> m_kinds; //!< by kind
};

} // namespace iwarp
} // namespace ns3

#endif // APP_REQUEST_TOTALS_H
