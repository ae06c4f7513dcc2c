/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef IWARP_WORKLOAD_ROUNDS_H
#define IWARP_WORKLOAD_ROUNDS_H

#include "iwarp-workload-rdma.h"

#include "ns3/nstime.h"
#include "ns3/util-sample-set.h"

#include <cstdint>
#include <vector>

namespace ns3
{

/**
 * @ingroup iwarp-helper
 * @brief Rounds of RDMA Reads with a barrier: all flows have a message each, and the next round
 * begins when the last of them is complete (Vasudevan et al., SIGCOMM 2009, section 2). A flow that
 * has read all its octets takes no part in further rounds.
 *
 * With Pattern=incast a client asks all servers for their parts of a block and waits for them.
 */
class IwarpRoundsWorkload : public IwarpRdmaWorkload
{
  public:
    static TypeId GetTypeId(); //!< Get the type ID. @return the object TypeId
    IwarpRoundsWorkload();

    std::string Check() const override;
    std::string CheckRanks() const override;
    bool IsPaced() const override;
    bool NeedsAllFlows() const override;

  protected:
    void FinishFlows(iwarp::MetricSet& metrics) override;
    void Prepare(Ptr<RdmaBulkClient> client) override;

  private:
    void BeginRound();                       //!< have each flow post its message
    void Connected(Ptr<RdmaQueuePair> pair); //!< @param pair of a client
    void Completed(uint32_t message,
                   uint64_t size); //!< @param message its number @param size octets

    std::vector<Ptr<RdmaBulkClient>> m_waiting; //!< clients with more to read
    std::size_t m_missing{0};                   //!< flows that are not connected, or not complete
    uint64_t m_rounds{0};                       //!< rounds begun
    uint64_t m_roundOctets{0};                  //!< payload of the round
    uint64_t m_octets{0};                       //!< payload of complete rounds
    Time m_begin;                               //!< when the round began
    iwarp::SampleSet m_times;                   //!< of complete rounds
};

} // namespace ns3

#endif // IWARP_WORKLOAD_ROUNDS_H
