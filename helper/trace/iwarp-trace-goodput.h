/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef IWARP_TRACE_GOODPUT_H
#define IWARP_TRACE_GOODPUT_H

#include "iwarp-trace-series.h"

#include "ns3/iwarp-flow-collector.h"

#include <map>
#include <string>
#include <vector>

namespace ns3
{
namespace iwarp
{

/**
 * @ingroup iwarp-helper
 * @brief Takes down what payload flows bring, summed up over intervals.
 */
class GoodputSeries : public TraceSeries, public FlowWatcher
{
  public:
    /// Begin without flows. @param table without rows @param every interval @param objects among
    /// which flows are entered
    GoodputSeries(TraceTable table, Time every, TraceObjects& objects);

    void Meet(Object& object, uint32_t index) override;
    void Flush() override;
    void Begin(std::size_t flow, Ptr<Socket> socket) override;
    void Count(std::size_t flow, int64_t octets) override;

  private:
    /// A flow
    struct Flow
    {
        uint32_t object;   //!< number among objects
        int64_t end;       //!< time step when its interval ends
        int64_t octets{0}; //!< placed in it
    };

    /// @param flow number @return it
    Flow& Get(std::size_t flow);
    /// Take an interval down. @param flow whose
    void Put(Flow& flow);
    /// @param address of a host, without its port @return ID of its node, or -1
    int32_t FindNode(const std::string& address);

    int64_t m_every;                        //!< time steps of an interval
    TraceObjects& m_objects;                //!< among which flows are
    std::vector<Flow> m_flows;              //!< flows by number
    std::map<std::string, int32_t> m_hosts; //!< nodes by address
};

} // namespace iwarp
} // namespace ns3

#endif // IWARP_TRACE_GOODPUT_H
