/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef PATH_INPUT_QUEUE_DISC_H
#define PATH_INPUT_QUEUE_DISC_H

#include "ns3/queue-disc.h"

#include <cstdint>
#include <deque>

namespace ns3
{

/**
 * @ingroup iwarp-path
 * @brief A queue disc with a queue for each port of the switch that packets came in by, which send
 * a packet each in turn.
 *
 * They are the virtual output queues, for one output, of a switch that keeps packets where they
 * came in (McKeown, IEEE/ACM Transactions on Networking 7(2), 1999): nothing waits behind what goes
 * elsewhere, and inputs have equal shares in packets of an output that is too slow for them,
 * however many flows come by each. Which port a packet came in by says PathPause, whose memory
 * limits the queues; what the switch sends itself has one of its own.
 */
class PathInputQueueDisc : public QueueDisc
{
  public:
    static TypeId GetTypeId(); //!< Get the type ID. @return the object TypeId
    PathInputQueueDisc();
    ~PathInputQueueDisc() override;

    /// Say which switch it is of. @param node its id
    void SetNode(uint32_t node);

  protected:
    void DoDispose() override;

  private:
    bool DoEnqueue(Ptr<QueueDiscItem> item) override;
    Ptr<QueueDiscItem> DoDequeue() override;
    bool CheckConfig() override;
    void InitializeParams() override;

    uint32_t m_node{0};              //!< id of the switch
    std::deque<std::size_t> m_turns; //!< queues that wait for a turn, each once
};

} // namespace ns3

#endif // PATH_INPUT_QUEUE_DISC_H
