/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef IWARP_WORKLOAD_H
#define IWARP_WORKLOAD_H

#include "iwarp-flow-collector.h"
#include "iwarp-scenario-parameters.h"

#include "ns3/address.h"
#include "ns3/app-metric.h"
#include "ns3/node.h"
#include "ns3/nstime.h"
#include "ns3/ptr.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace ns3
{
namespace iwarp
{

/**
 * @ingroup iwarp-helper
 * @brief What the flows of a scenario carry: installs applications and tells when they are done.
 */
class Workload
{
  public:
    /// Where a flow runs
    struct Flow
    {
        Ptr<Node> sender;        //!< host that payload comes from
        Ptr<Node> receiver;      //!< host that it goes to
        Address senderAddress;   //!< address and port of the sending host
        Address receiverAddress; //!< address and port of the receiving host
        Address any;             //!< address and port to listen at
        Time start;              //!< when it starts
        int64_t stream;          //!< first of two random streams
    };

    virtual ~Workload() = default;

    virtual void Install(const Flow& flow) = 0; //!< @param flow where and when

    /// @return payload that a flow carries until it is done, octets; 0 is no limit
    virtual uint64_t GetOctets() const = 0;

    /// When the simulation is over. @param metrics where to add what only this workload knows
    virtual void Finish(std::vector<IwarpMetric>& metrics);

    /// @return a table for people, lines that end in a newline, or ""; after Finish()
    virtual std::string GetReport() const;
};

/**
 * @ingroup iwarp-helper
 * @brief Add the metrics of one flow's application to those of all: times are those of the worst
 * flow, sizes of messages the largest, all else is summed.
 * @param columns of the application
 * @param prefix of the names
 * @param metrics of all flows
 * @param suffix of the names
 */
void MergeMetrics(const std::vector<AppMetric>& columns,
                  const std::string& prefix,
                  std::vector<IwarpMetric>& metrics,
                  const std::string& suffix = "");

/**
 * @ingroup iwarp-helper
 * @param parameters the experiment; outlives the workload
 * @param listener told of the flows
 * @return the workload that the parameters name
 */
std::unique_ptr<Workload> MakeWorkload(const IwarpScenarioParameters& parameters,
                                       const FlowListener& listener);

} // namespace iwarp
} // namespace ns3

#endif // IWARP_WORKLOAD_H
