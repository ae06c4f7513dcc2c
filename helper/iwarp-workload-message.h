/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef IWARP_WORKLOAD_MESSAGE_H
#define IWARP_WORKLOAD_MESSAGE_H

#include "iwarp-workload.h"

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

  protected:
    /// Give an application the sizes, times and number of messages. @param client what posts them;
    /// it has attributes MessageSizes, Intervals and QueueDepth
    void Configure(const Ptr<Object>& client) const;

  private:
    std::string m_messageSizes; //!< distribution of sizes
    std::string m_intervals;    //!< distribution of times between messages, or ""
    uint64_t m_octets;          //!< payload of a flow
    uint64_t m_warmUp;          //!< payload before it
};

} // namespace ns3

#endif // IWARP_WORKLOAD_MESSAGE_H
