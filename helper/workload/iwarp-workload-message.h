/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef IWARP_WORKLOAD_MESSAGE_H
#define IWARP_WORKLOAD_MESSAGE_H

#include "iwarp-workload.h"

#include "ns3/random-variable-stream.h"

#include <string>

namespace ns3
{

/**
 * @ingroup iwarp-helper
 * @brief Base class of workloads that carry messages of random sizes, as fast as they can or at
 * random times.
 */
class IwarpMessageWorkload : public IwarpWorkload
{
  public:
    static TypeId GetTypeId(); //!< Get the type ID. @return the object TypeId
    IwarpMessageWorkload();
    ~IwarpMessageWorkload() override;

    std::string Check() const override;
    uint64_t GetOctets() const override;
    uint64_t GetWarmUp() const override;
    bool IsPaced() const override;
    bool IsShared() const override;

  protected:
    /// Give an application the sizes and times of messages. @param client what posts them; it has
    /// attributes MessageSizes, Intervals and QueueDepth @param flow for its part of the capacity
    void Configure(const Ptr<Object>& client, const Flow& flow) const;

    double GetLoad() const; //!< @return see Load
    /// @return mean of what messages of MessageSizes carry in octets, 0 if it is not known
    virtual double GetMeanSize() const;
    /// @return distribution of sizes, octets; good by Check()
    Ptr<RandomVariableStream> MakeSizes() const;
    /// @return distribution of times between messages, seconds; nullptr without Intervals
    Ptr<RandomVariableStream> MakeIntervals() const;

    /// Tell when an application starts, once its random streams are fixed. @param client after
    /// Configure() @param flow of it @return the flow's start; with Load, when the first message
    /// arrives
    Time DrawStart(const Ptr<Object>& client, const Flow& flow) const;

  private:
    std::string m_messageSizes; //!< distribution of sizes
    std::string m_intervals;    //!< distribution of times between messages, or ""
    double m_load;              //!< of the capacity that messages arrive at; 0: see m_intervals
    uint64_t m_octets;          //!< payload of a flow
    uint64_t m_warmUp;          //!< payload before it
};

} // namespace ns3

#endif // IWARP_WORKLOAD_MESSAGE_H
